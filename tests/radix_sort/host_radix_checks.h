// The radix engine against std::stable_sort on the host executor, in tiles so small that short inputs take every path
// of it.
#pragma once

#include "radix_checks.h"

struct small_shape {
  static constexpr unsigned main_threads = 64;
  static constexpr unsigned helper_warps = 1;
  static constexpr unsigned items_per_thread = 4;
  static constexpr unsigned batch = 2;
  static constexpr unsigned contention_divisor = 4;
  static constexpr unsigned look_back_window = 2;
  static constexpr bool has_units = true;
  static constexpr bool ranks_by_atomics = true;
  static constexpr bool has_even_shares = true;
  static constexpr index_type most_tiles = 11;  // of longer inputs a pass takes several launches
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned early_blocks = 0;
  using histogram = small_shape;
  static constexpr unsigned histogram_threads = 64;
  static constexpr unsigned histogram_items_per_thread = 2;
  static constexpr unsigned histogram_copies = 2;
  static constexpr unsigned histogram_blocks = 3;
};
inline constexpr std::size_t small_tile = 256;

/// Passes of this shape, whatever the number of keys.
template <class Shape>
struct in_passes {
  using buckets = gimbal::tuning::no_radix_buckets;
  using large = Shape;
  using any_gpu_shape = Shape;
  static constexpr index_type most_all_pairs_items = 0;
  static constexpr index_type most_resident_items = 0;
  static constexpr index_type most_resident_floats = 0;
  static constexpr unsigned executed_blocks = 3;  ///< at a time: so few that each takes several tiles
  static constexpr bool in_one_launch = false;
};

/// Few blocks, of one warp or of several.
template <unsigned Threads, unsigned Items>
struct one_launch : in_passes<small_shape> {
  struct resident {
    static constexpr unsigned block_threads = Threads;
    static constexpr unsigned chunk_items = Items % 2 == 0 ? 2 : 1;
    static constexpr unsigned chunks = Items / chunk_items;
    static constexpr unsigned bins = 256;
    static constexpr unsigned most_in_bin = 8;
    static constexpr unsigned most_copies = 3;
    static constexpr unsigned most_unevenness = 8;
    static constexpr unsigned steep_shares = 2;
    static constexpr unsigned most_blocks = 3;
  };
  static constexpr index_type most_resident_items = index_type{1} << 20;
  static constexpr index_type most_resident_floats = index_type{1} << 20;
  static constexpr bool in_one_launch = true;
};

template <class Tuning>
using tuning_or_default = std::conditional_t<std::is_void_v<Tuning>, in_passes<small_shape>, Tuning>;

/// The engine, or of it the sort in one launch alone, where no other can be meant: passes that do not run take minutes
/// to compile.
template <class Tuning, class Order, class Keys, class Values>
gimbal::status engine_sort(
  void* storage, std::size_t& bytes, Keys keys, Values values, index_type n, int begin, int end)
{
  using chosen = tuning_or_default<Tuning>;
  if constexpr (chosen::in_one_launch) {
    using words = decltype(algorithm::as_words(keys));
    using resident_kernel = algorithm::radix_resident_sort_kernel<typename chosen::resident, words, Values>;
    const unsigned blocks = std::min(algorithm::radix_engine_blocks<resident_kernel>(), chosen::resident::most_blocks);
    REQUIRE(n <= static_cast<index_type>(blocks) * resident_kernel::tile_items);
    const algorithm::radix_call<words, Values> call{
      algorithm::as_words(keys),
      values,
      n,
      algorithm::radix_order_for<typename Keys::value_type>(Order{}),
      gimbal::block::digit_plan::of_bits(begin, end),
      0};
    const algorithm::radix_resident_row<resident_kernel, words, Values> row{{n > 0}, false, false, call, blocks};
    return gimbal::plan_of(row).run(storage, bytes, 0);
  } else {
    return algorithm::radix_sort_arrays<Tuning>(storage, bytes, Order{}, keys, values, n, begin, end, 0);
  }
}

template <class Tuning, class Order, class Keys, class Values>
void sort_arrays(Keys keys, Values values, std::size_t n, int begin, int end)
{
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  if (options.expected_blocks == 0) {  // not test::with_few_blocks
    options.resident_blocks = tuning_or_default<Tuning>::executed_blocks;
  }
  const gimbal::simt::scoped_executor_options scope(options);
  test::run([&](void* storage, std::size_t& bytes) {
    return engine_sort<Tuning, Order>(storage, bytes, keys, values, static_cast<index_type>(n), begin, end);
  });
}

template <class Tuning>
struct driver {
  static constexpr std::size_t values_shift = 1;

  template <class Order, class Key, class ValuesIn, class ValuesOut>
  static void sort(
    Key* keys_in, Key* keys_out, ValuesIn values_in, ValuesOut values_out, std::size_t n, int begin, int end)
  {
    sort_arrays<Tuning, Order>(
      algorithm::make_sort_array(keys_in, keys_out), algorithm::make_sort_array(values_in, values_out), n, begin, end);
  }
};

/// Keys of 32 bits with the distributions that sorts are known to trip over.
inline std::vector<std::vector<std::uint32_t>> distributions(std::size_t n)
{
  std::mt19937_64 random(n);
  std::vector<std::vector<std::uint32_t>> all(7, std::vector<std::uint32_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = static_cast<std::uint32_t>(random());
    all[0][i] = word & static_cast<std::uint32_t>(random()) & static_cast<std::uint32_t>(random());  // low entropy
    all[1][i] = word & 0xffffffu;                                                                    // 24 bits
    all[2][i] = random() % 2 == 0 ? 7u : 0xdeadbeefu;                                                // two values
    all[3][i] = word % 2 == 0 ? 0xffffffffu : word;                                                  // half maximum
    all[4][i] = static_cast<std::uint32_t>(i);                                                       // sorted
    all[5][i] = static_cast<std::uint32_t>(n - i);                                                   // reversed
    all[6][i] = word & 0x00ff0000u;                                                                  // one digit
  }
  return all;
}
