#include <type_traits>

#include "merge_sort_check.h"

struct small_runs {
  static constexpr unsigned tile_items = 64;
};

struct all_pairs {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned resident_blocks = 0;
  static constexpr unsigned batch = 1;
};

template <class Tuning, bool InPlace>
bool check(std::size_t size)
{
  pairs_to_sort pairs(size, InPlace);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    const auto keys = pairs.key_array();
    const auto values = pairs.value_array();
    using arrays = std::decay_t<decltype(keys)>;
    if constexpr (std::is_same_v<Tuning, all_pairs>) {
      const algorithm::all_pairs_row<algorithm::all_pairs_merge_kernel<Tuning, arrays, arrays, by_high_half>> row(
        size > 0, {keys, values, {}, static_cast<unsigned>(size)});
      return gimbal::plan_of(row).run(storage, bytes, nullptr);
    } else {
      return algorithm::rank_merge_sort<Tuning>(
        keys, values, static_cast<gimbal::index_type>(size), by_high_half{}, nullptr);
    }
  });
  return ran && pairs.are_sorted();
}

int main()
{
  return run_schedules({1, 60, 200, 1024, 1530}, check<small_runs, false>)
         || run_schedules({1, 33, 70, 128}, check<all_pairs, true>, 60, blocks_that_run::fewer_in_turn);
}
