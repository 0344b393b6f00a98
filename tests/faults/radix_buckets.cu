#include <algorithm>
#include <numeric>

#include "check.h"
#include "radix_shape.h"

namespace kernel = gimbal::kernel;

/// So many digits lead, and no sample says that they should not.
template <unsigned Digits>
struct in_buckets {
  using large = small_shape;
  struct buckets {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned resident_blocks = 1;
    static constexpr unsigned early_blocks = 0;
    static constexpr unsigned least_digits = Digits;
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
  static constexpr gimbal::index_type most_counted_items = 0;
};

using values_type = std::vector<std::uint32_t>;

template <class Key, class ValuesIn, class ValuesOut>
bool sort(const std::vector<Key>& keys, std::vector<Key>& keys_out, ValuesIn values_in, ValuesOut values_out)
{
  return run_with_storage([&](void* storage, std::size_t& bytes) {
    gimbal::status result;
    return kernel::radix_engine_sort<in_buckets<sizeof(Key) == 8 ? 3 : 2>>(
             result, storage, bytes, kernel::ascending{}, kernel::make_sort_array(keys.data(), keys_out.data()),
             kernel::make_sort_array(values_in, values_out), static_cast<gimbal::index_type>(keys.size()), 0,
             8 * sizeof(Key), nullptr)
             ? result
             : gimbal::simt::failure(gimbal::simt::error_invalid_value, "the engine");
  });
}

/// Values show whether the sort was stable.
template <class Key>
bool sorts_right(std::vector<Key> keys)
{
  values_type values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  values_type wanted = values;
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Key> keys_out(keys.size());
  values_type values_out(keys.size());
  std::vector<Key> alone = keys;
  return sort(keys, keys_out, values.data(), values_out.data()) && values_out == wanted
         && std::is_sorted(keys_out.begin(), keys_out.end())
         && sort(alone, alone, kernel::no_values{}, kernel::no_values{}) && alone == keys_out
         && sort(keys, keys, values.data(), values.data()) && keys == keys_out && values == wanted;
}

/// Any keys, twice each; keys some of which differ in the lowest bits alone; many that share all digits that lead; one that
/// has a leading digit that the others lack; few that differ much among many that do not.
template <class Key>
std::vector<Key> make_keys(std::size_t size, unsigned kind)
{
  constexpr unsigned half = 4 * sizeof(Key);
  std::vector<Key> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t any = std::uint64_t{noise(i)} << 32 | noise(i + size);
    const std::uint64_t twice = std::uint64_t{noise(i / 2)} << 32 | noise(i / 2 + size);
    const std::uint64_t of_kind[] = {
      twice, any % 3 == 0 ? any : (any % 20) << (2 * half - 8) | (any >> 8) % 4, any % 2 == 0 ? any : any >> (half - 8),
      i == size / 2 ? ~any | 1ull << (2 * half - 1) : any & 0x00071fffffffffff >> (64 - 2 * half),
      any % 8 == 0 ? any : any % 2048};
    keys[i] = static_cast<Key>(of_kind[kind]);
  }
  return keys;
}

/// In blocks so few that each sorts several groups.
bool check(std::size_t size)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.resident_blocks = 2;
  const gimbal::simt::scoped_executor_options scope(options);
  const auto is_right = [&](unsigned kind) {
    return sorts_right(make_keys<std::uint64_t>(size, kind)) && sorts_right(make_keys<std::uint32_t>(size, kind));
  };
  constexpr unsigned kinds = 5;
#ifdef __SANITIZE_THREAD__
  bool all_right = true;
  for (unsigned kind = 0; kind < kinds; ++kind) {
    all_right = is_right(kind) && all_right;
  }
  return all_right;
#else
  return is_right(static_cast<unsigned>(gimbal::simt::get_executor_options().seed % kinds));
#endif
}

int main() { return run_schedules({129, 700}, check, 40); }
