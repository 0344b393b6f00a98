#include <algorithm>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

namespace kernel = gimbal::kernel;

/// Three digits lead, and no sample says that they should not.
struct in_buckets {
  using large = small_shape;
  struct buckets {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned resident_blocks = 1;
    static constexpr unsigned early_blocks = 0;
    static constexpr unsigned least_digits = 3;
    static constexpr unsigned bins = 256;
    static constexpr unsigned most_in_bin = 9;
    static constexpr unsigned most_load = 4;
    static constexpr unsigned items_per_thread = 2;
    static constexpr unsigned unit_items = 8;
    static constexpr unsigned most_bucket_items = 120;
    static constexpr unsigned sample_period = 1 << 20;
    static constexpr unsigned most_sample_period = 1 << 20;
    static constexpr unsigned sample_run_bytes = 16;
    static constexpr unsigned sample_row_bits = 6;
    static constexpr unsigned tag_row_bits = 6;
    static constexpr gimbal::index_type least_items = 100;
    static constexpr gimbal::index_type least_floating_items = 100;
    static constexpr gimbal::index_type most_items = 1 << 20;
    static constexpr bool ranks_by_additions = true;
  };
  static constexpr gimbal::index_type most_tiny_items = 0;
  static constexpr gimbal::index_type most_small_items = 0;
  static constexpr gimbal::index_type most_all_pairs_items(unsigned) { return 0; }
  static constexpr gimbal::index_type most_resident_items = 0;
};

using keys_type = std::vector<std::uint64_t>;
using values_type = std::vector<std::uint32_t>;

template <class ValuesIn, class ValuesOut>
bool sort(const keys_type& keys, keys_type& keys_out, ValuesIn values_in, ValuesOut values_out)
{
  return run_with_storage([&](void* storage, std::size_t& bytes) {
    gimbal::status result;
    return kernel::radix_engine_sort<in_buckets>(
             result, storage, bytes, kernel::ascending{}, kernel::make_sort_array(keys.data(), keys_out.data()),
             kernel::make_sort_array(values_in, values_out), static_cast<gimbal::index_type>(keys.size()), 0, 64,
             nullptr)
             ? result
             : gimbal::simt::failure(gimbal::simt::error_invalid_value, "the engine");
  });
}

/// Values show whether the sort was stable.
bool sorts_right(keys_type keys)
{
  values_type values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  values_type wanted = values;
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  keys_type keys_out(keys.size());
  values_type values_out(keys.size());
  keys_type alone = keys;
  return sort(keys, keys_out, values.data(), values_out.data()) && values_out == wanted
         && std::is_sorted(keys_out.begin(), keys_out.end())
         && sort(alone, alone, kernel::no_values{}, kernel::no_values{}) && alone == keys_out
         && sort(keys, keys, values.data(), values.data()) && keys == keys_out && values == wanted;
}

/// Any keys, twice each; keys some of which differ in the lowest bits alone; many that share all digits that lead; one that
/// has a leading digit that the others lack. In blocks so few that each sorts several groups.
bool check(std::size_t size)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.resident_blocks = 2;
  const gimbal::simt::scoped_executor_options scope(options);
  std::vector<keys_type> inputs(4, keys_type(size));
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t any = std::uint64_t{noise(i)} << 32 | noise(i + size);
    inputs[0][i] = std::uint64_t{noise(i / 2)} << 32 | noise(i / 2 + size);
    inputs[1][i] = any % 3 == 0 ? any : (any % 20) << 56 | (any >> 8) % 4;
    inputs[2][i] = any % 2 == 0 ? any : any >> 24;
    inputs[3][i] = i == size / 2 ? ~any | 1ull << 63 : any & 0x00071fffffffffff;
  }
#ifdef __SANITIZE_THREAD__
  return std::all_of(inputs.begin(), inputs.end(), sorts_right);
#else
  return sorts_right(inputs[gimbal::simt::get_executor_options().seed % inputs.size()]);
#endif
}

int main() { return run_schedules({129, 700}, check, 40); }
