// Merge sort: keys, or keys and values, by any comparator. `merge_sort` is the entry; it chooses by how many items
// there are (tuning.h has the numbers, for an H100 or H200):
//   to 2048, of keys above 8 bytes to 1024  each compared with every other: grid/all_pairs_launch.cuh  1 launch
//   to 2^16                                 each finds its rank in 16 runs: rank_merge_sort.cuh        2 to 3 launches
//   to 2^20 or 2^21, 4-byte keys to 4.7M    runs are merged in pairs: here                             1 + log2(tiles)
//   more                                    8 or 16 runs at a time: multiway_merge_sort.cuh            7 or more
// Where other streams keep the GPU busy, the first two rows take more time than merging in pairs, which replaces them;
// it also does so where comparing all pairs needs tagged words that the stream cannot keep, as while it is captured,
// and for many runs where another kernel holds most of the GPU (grid/team.cuh), as its blocks are small.
// Keys above 32 bytes begin with the third row, to 2^18. Neither of the last two rows takes less time everywhere:
// merging many runs takes 1.38 of the time of pairs for u32 at 2^18, 1.70 for u64, and 0.80, 0.75 at 2^24, for keys of
// 32 bytes 0.58.
//
// Pairs: tiles are sorted within a block (merge_tile_sort.cuh); then every launch merges pairs of neighbouring runs,
// each block one tile of output, found by merge path (collective/merge.cuh; Green, McColl & Bader 2012). Where a tile
// begins in its two runs is searched by a warp, 32 probes at a time, so no partition has to be computed beforehand.
// Only keys are merged; values are fetched from where their keys were.
//
// These hold for all rows:
// Comparator: a strict weak ordering, called on keys of the input only, each time with copies of them. The sort is
//   stable. A comparator that is no such ordering gives an unspecified result; no access leaves the arrays, and the
//   sort ends.
// Keys and values: any supported value type (simt/value.cuh); no default constructor needed.
// Traffic: for all pairs see grid/all_pairs_launch.cuh; else 1 + s times 2 (keys + values) for s sweeps over sorted
//   tiles.
// Storage: n keys and n values, and 8 bytes for each way and tile of many runs; none for at most one tile of pairs,
//   where ranks are not chosen.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: the result is as deterministic as the comparator. No block waits for another of its launch, except where
//   all pairs are compared (grid/reader_barrier.cuh). A launch may start early (simt/cuda/launch.cuh) and waits for the
//   end of the preceding launch, which has waited in turn: so all earlier launches have ended before a block reads or
//   writes what they share.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/merge_sort/merge_tile_sort.cuh>
#include <gimbal/algorithm/merge_sort/multiway_merge_sort.cuh>
#include <gimbal/algorithm/merge_sort/rank_merge_sort.cuh>
#include <gimbal/grid/all_pairs_launch.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// All pairs: each item is compared with every other.
template <class Key, class Compare>
struct order_of_comparator {
  using group = uninit<Key>[simt::warp_threads];
  static constexpr bool fills_output = true;

  Compare compare;

  GIMBAL_DEVICE const Key& compared(const Key& key) const { return key; }
  GIMBAL_DEVICE void stage(group& to, unsigned lane, const uninit<Key>& key, bool, bool) const { to[lane] = key; }

  /// Of earlier items all but the greater ones precede the lane's own, of later ones those that are less.
  template <class Context>
  GIMBAL_DEVICE unsigned count(
    const Context& ctx, const group& other, unsigned number, unsigned n, const Key& key) const
  {
    Compare less = compare;
    const unsigned left = n - number * simt::warp_threads;
    const unsigned present = left < simt::warp_threads ? left : simt::warp_threads;
    const unsigned earlier = number < ctx.block() ? present : number == ctx.block() ? ctx.lane() : 0;
    unsigned before = 0;
    if (number <= ctx.block()) {
      for (unsigned i = 0; i < present; ++i) {
        if (i < earlier && !static_cast<bool>(less(key, other[i].get()))) {
          ++before;
        }
      }
    }
    if (number >= ctx.block()) {
      const unsigned later = number == ctx.block() ? earlier + 1 : 0;
      for (unsigned i = 0; i < present; ++i) {
        if (i >= later && static_cast<bool>(less(other[i].get(), key))) {
          ++before;
        }
      }
    }
    return before;
  }
};

template <class Shape, class Keys, class Values, class Compare>
using all_pairs_merge_kernel =
  all_pairs_kernel<Shape, order_of_comparator<typename Keys::value_type, Compare>, Keys, Values>;

/// Merges pairs of neighbouring runs, a pair every `pair_items` items, its first run of `run_items`; each block makes
/// one tile of the result.
template <class Tuning, class Keys, class Values, class Compare>
struct pairwise_merge_kernel {
  using shape = merge_shape<Tuning, 2, Keys, Values>;
  using key_type = typename shape::key_type;
  using tile = typename shape::tile;
  static constexpr unsigned block_threads = shape::block_threads;
  static constexpr unsigned items = shape::items;
  static constexpr unsigned tile_items = shape::tile_items;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr bool has_values = shape::has_values;
  static constexpr unsigned most_early_blocks = shape::most_early_blocks;

  struct shared : tile::shared {
    index_type split[2];  ///< items of the first run before the tile, and through it
  };

  /// Where a tile's items come from: a piece of each of two neighbouring runs, the second in shared memory in reverse.
  struct pieces {
    index_type a_first;
    index_type b_last;
    unsigned a_count;

    GIMBAL_DEVICE index_type position(unsigned slot) const
    {
      return slot < a_count ? a_first + slot : b_last - (slot - a_count);
    }
  };

  Keys keys;
  Values values;
  sort_buffer source;
  sort_buffer target;
  index_type n;
  index_type run_items;
  index_type pair_items;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * tile_items;
    const unsigned valid = n - first < tile_items ? static_cast<unsigned>(n - first) : tile_items;
    Compare less = compare;
    if constexpr (has_values) {
      ctx.let_next_launch_start();
    }
    split_runs(ctx, smem, first, valid, less);
    ctx.sync_block();  // both ends of the tile are known
    const pieces from = find_pieces(smem, first, valid);
    load_keys(ctx, smem, from, valid);
    ctx.sync_block();  // both pieces are there
    typename tile::piece mine;
    tile::merge(smem, block::run_pair{0, from.a_count, valid}, ctx.thread() * items, less, mine);
    ctx.sync_block();  // both pieces have been read
    tile::write(smem, mine);
    ctx.sync_block();  // the merged tile is there
    if constexpr (!has_values) {
      ctx.let_next_launch_start();
    }
    keys.write(target, [&](auto to) { tile::striped::store_run(ctx, smem.keys.item, to + first, valid); });
    if constexpr (has_values) {
      const auto position = [&](unsigned slot) { return from.position(smem.origin[slot]); };
      values.read(source, [&](auto it) {
        values.write(target, [&](auto to) { tile::gather_values(ctx, it, to + first, valid, position); });
      });
    }
  }

private:
  GIMBAL_DEVICE index_type pair_first(index_type first) const { return first / pair_items * pair_items; }
  GIMBAL_DEVICE index_type clip(index_type position) const { return position < n ? position : n; }

  /// One warp searches for the beginning of the tile, another (or the same) for its end.
  template <class Context>
  GIMBAL_DEVICE void split_runs(Context& ctx, shared& smem, index_type first, unsigned valid, Compare& less) const
  {
    const index_type begin = pair_first(first);
    const index_type middle = clip(begin + run_items);
    const index_type end = clip(begin + pair_items);
    keys.read(source, [&](auto from) {
      const auto a_at = [&](index_type i) { return block::load_as<key_type>(from + (begin + i)); };
      const auto b_at = [&](index_type i) { return block::load_as<key_type>(from + (middle + i)); };
      for (unsigned side = ctx.warp(); side < 2; side += warps) {
        const index_type diagonal = first - begin + (side == 0 ? 0 : valid);
        const index_type split = block::warp_merge_path(ctx, a_at, middle - begin, b_at, end - middle, diagonal, less);
        if (ctx.lane() == 0) {
          smem.split[side] = split;
        }
      }
    });
  }

  /// With a strict weak ordering the pieces are the tile's; with any other, they lie in the runs and are as many items.
  GIMBAL_DEVICE pieces find_pieces(const shared& smem, index_type first, unsigned valid) const
  {
    const index_type begin = pair_first(first);
    const index_type middle = clip(begin + run_items);
    const index_type end = clip(begin + pair_items);
    const index_type a_first = begin + smem.split[0];
    const index_type b_first = middle + (first - begin - smem.split[0]);
    const index_type a_most = middle - a_first < valid ? middle - a_first : valid;
    const index_type a_least = end - b_first < valid ? valid - (end - b_first) : 0;
    const index_type a_count = smem.split[1] - smem.split[0];
    const index_type a_taken = a_count < a_least ? a_least : a_count < a_most ? a_count : a_most;
    return {a_first, b_first + (valid - a_taken) - 1, static_cast<unsigned>(a_taken)};
  }

  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, shared& smem, const pieces& from, unsigned valid) const
  {
    keys.read(source, [&](auto it) {
      if constexpr (block::copies_async_v<key_type, decltype(it)>) {
        for (unsigned slot = ctx.thread(); slot < valid; slot += block_threads) {
          ctx.copy_async(smem.keys.item[slot], it + from.position(slot));
        }
        if (ctx.thread() < block::merge_steps) {
          ctx.copy_async(smem.before[ctx.thread()], it + from.position(0));
        }
        ctx.wait_copies();
      } else {
        tile::gather(ctx, smem, it, valid, [&](unsigned slot) { return from.position(slot); });
      }
    });
  }
};

/// algorithm::merge_sort by merging in pairs, with buffers of n keys and n values where there is more than one tile.
template <class Tuning, class Keys, class Values, class Compare>
[[nodiscard]] status pairwise_merge_sort(
  const Keys& keys, const Values& values, index_type n, Compare compare, simt::stream_type stream)
{
  using shape = merge_shape<Tuning, 2, Keys, Values>;
  const index_type tiles = shape::tiles(n);
  const unsigned passes = 1 + merge_sweeps(tiles, 1).count;
  GIMBAL_TRY(simt::launch(
    merge_tile_sort_kernel<shape, Keys, Values, Compare>{keys, values, target_of_pass(0, passes), n, compare}, tiles,
    stream, "merge sort: sorting tiles"));
  index_type run_items = shape::tile_items;
  for (unsigned pass = 1; pass < passes; ++pass, run_items *= 2) {
    const pairwise_merge_kernel<Tuning, Keys, Values, Compare> kernel{
      keys, values, source_of_pass(pass, passes), target_of_pass(pass, passes), n, run_items, 2 * run_items, compare};
    GIMBAL_TRY(simt::launch(kernel, tiles, stream, "merge sort: merging"));
  }
  return {};
}

/// keys_out = the n keys of keys_in, of which the first `run_items` and the others each are in the order of `compare`,
/// merged stably; values_out = values_in moved in the same way. Outputs overlap no input. One launch, no storage.
template <class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Compare>
[[nodiscard]] status merge_two_runs(
  KeyIn keys_in, KeyOut keys_out, ValueIn values_in, ValueOut values_out, index_type run_items, index_type n,
  Compare compare, simt::stream_type stream)
{
  const auto keys = algorithm::make_sort_array(keys_in, keys_out);
  const auto values = algorithm::as_moved(algorithm::make_sort_array(values_in, values_out));
  using key_type = typename std::decay_t<decltype(keys)>::value_type;
  using in_pairs = tuning::pairwise_merge_sort<sizeof(key_type), bytes_of_values<std::decay_t<decltype(values)>>>;
  using shape = merge_shape<in_pairs, 2, std::decay_t<decltype(keys)>, std::decay_t<decltype(values)>>;
  const pairwise_merge_kernel<in_pairs, std::decay_t<decltype(keys)>, std::decay_t<decltype(values)>, Compare> kernel{
    keys, values, sort_buffer::input, sort_buffer::output, n, run_items, n, compare};
  return n == 0 ? status{} : simt::launch(kernel, shape::tiles(n), stream, "merge of two runs");
}

/// The row of a way to sort: `sort(row, stream)`, with buffers of n keys and n values if it `needs_buffers`.
template <class Keys, class Values, class Sort>
struct merge_sort_row : no_row {
  unsigned most_streams;  ///< not where more work at the same time
  bool needs_buffers;
  bool yields;          ///< to a row of small blocks, where another kernel holds most of the GPU
  status (*kernels)();  ///< loads them, if others yield to this row
  Keys keys;
  Values values;
  index_type n;
  Sort sort;
  index_type split_count = 0;  ///< of runs that are merged many at a time
  index_type* splits = nullptr;

  std::size_t array_bytes() { return arrays().aligned_bytes(); }
  bool takes(launch_words& words, status&)
  {
    return words.active_streams() <= most_streams && !(yields && words.expects_small_team());
  }
  status launch(launch_words& words)
  {
    arrays().place(words.arrays<char>());
    return sort(*this, words.stream());
  }
  status load() { return kernels != nullptr ? kernels() : status{}; }

private:
  storage_layout arrays()
  {
    storage_layout layout;
    if (needs_buffers) {
      algorithm::add_sort_buffers(layout, keys, values, n, 2);
      layout.add(&splits, static_cast<std::size_t>(split_count));
    }
    return layout;
  }
};

/// keys_out = the n keys of keys_in in the order of `compare`, values_out = values_in moved in the same way. See the
/// head of this file for the table, stability, aliasing and storage.
template <class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Compare>
[[nodiscard]] status merge_sort(
  temporary_storage storage, std::size_t& storage_bytes, KeyIn keys_in, KeyOut keys_out, ValueIn values_in,
  ValueOut values_out, index_type n, Compare compare, simt::stream_type stream)
{
  const auto keys = algorithm::make_sort_array(keys_in, keys_out);
  const auto values = algorithm::as_moved(algorithm::make_sort_array(values_in, values_out));
  using key_array = std::decay_t<decltype(keys)>;
  using value_array = std::decay_t<decltype(values)>;
  using key_type = typename key_array::value_type;
  static_assert(simt::is_supported_value_v<key_type>, "keys are copied bytewise");
  constexpr std::size_t value_bytes = bytes_of_values<value_array>;
  using all_pairs = tuning::all_pairs_merge_sort<sizeof(key_type)>;
  using by_ranks = tuning::rank_merge_sort<sizeof(key_type)>;
  using in_pairs = tuning::pairwise_merge_sort<sizeof(key_type), value_bytes>;
  using in_few_sweeps = tuning::multiway_merge_sort<sizeof(key_type), value_bytes>;

  using shape = merge_shape<in_pairs, 2, key_array, value_array>;
  status (*const load_pairs)() = &simt::load_kernels<
    merge_tile_sort_kernel<shape, key_array, value_array, Compare>,
    pairwise_merge_kernel<in_pairs, key_array, value_array, Compare>>;

  const auto row =
    [&](bool fits, unsigned most_streams, bool needs_buffers, bool yields, status (*kernels)(), auto sort) {
      return merge_sort_row<key_array, value_array, decltype(sort)>{
        {fits && n > 0}, most_streams, needs_buffers, yields, kernels, keys, values, n, sort};
    };
  auto many =
    row(n >= in_few_sweeps::least_items, any_streams, true, true, nullptr, [=](const auto& own, simt::stream_type on) {
      return algorithm::multiway_merge_sort<in_few_sweeps>(own.keys, own.values, own.splits, n, compare, on);
    });
  many.split_count = algorithm::multiway_split_count<in_few_sweeps, key_array, value_array>(n);
  const auto pairs =
    row(true, any_streams, shape::tiles(n) > 1, false, load_pairs, [=](const auto& own, simt::stream_type on) {
      return algorithm::pairwise_merge_sort<in_pairs>(own.keys, own.values, n, compare, on);
    });
  if constexpr (by_ranks::most_items > 0) {
    using kernel = all_pairs_merge_kernel<all_pairs, key_array, value_array, Compare>;
    constexpr unsigned most_streams = tuning::saturating_merge_sorts - 1;
    const all_pairs_row<kernel> few(
      0 < n && n <= all_pairs::most_items, {keys, values, {compare}, static_cast<unsigned>(n)}, most_streams, false);
    const auto ranks = row(
      all_pairs::most_items < n && n <= by_ranks::most_items, most_streams, true, false, nullptr,
      [=](const auto& own, simt::stream_type on) {
        return algorithm::rank_merge_sort<by_ranks>(own.keys, own.values, n, compare, on);
      });
    return gimbal::plan_of(few, ranks, many, pairs).run(storage, storage_bytes, stream);
  } else {
    return gimbal::plan_of(many, pairs).run(storage, storage_bytes, stream);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
