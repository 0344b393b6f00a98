// Merge sort: keys, or keys and values, by any comparator. `merge_sort` is the entry for all of them; the kernels here
// merge runs in pairs, those of algorithm/merge_sort/multiway_merge_sort.cuh up to 16 at a time, which is faster from some size on,
// those of algorithm/merge_sort/rank_merge_sort.cuh have each of few items find its own place, and that of
// algorithm/merge_sort/all_pairs_merge_sort.cuh compares each of very few with every other. What follows is about pairs.
//
// Algorithm: tiles are sorted within a block (each thread its own items, then merges of twice as many threads' runs in
// each round); then every launch merges pairs of neighbouring runs, each block one tile of output, found by merge path
// (collective/merge.cuh; Green, McColl & Bader 2012). Where a tile begins in its two runs is searched by a warp, 32 probes
// at a time, so no partition has to be computed beforehand. Only keys are merged; values are fetched from where their
// keys were.
//
// Comparator: a strict weak ordering, called on keys of the input only, each time with copies of them. Stable. A
// comparator that is none gives an unspecified result; no access leaves the arrays, and the sort ends.
// Keys and values: any supported value type (simt/value.cuh); no default constructor needed.
// Traffic: 1 + m times 2 (keys + values), m = ceil(log2(tiles)); launches: 1 + m. At most one tile: one launch.
// Storage: n keys and n values; at most one tile: none.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: as far as the comparator's: which items are compared depends on the input alone. No block waits for
// another of its launch. A launch may start early (simt/cuda_launch.cuh) and waits for the end of the one in front,
// which has waited in turn: so all launches in front have ended before a block reads or writes what they share.
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/merge_sort/all_pairs_merge_sort.cuh>
#include <gimbal/algorithm/merge_sort/merge_tile_sort.cuh>
#include <gimbal/algorithm/merge_sort/multiway_merge_sort.cuh>
#include <gimbal/algorithm/merge_sort/rank_merge_sort.cuh>
#include <gimbal/collective/merge.cuh>
#include <gimbal/collective/merge_tile.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What the kernels of one sort have in common.
template <class Tuning, class Keys, class Values>
struct pairwise_merge_shape {
  static constexpr bool has_values = !::cuda::std::is_same_v<typename Values::value_type, no_values>;
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items = Tuning::items_per_thread;
  static constexpr unsigned full_threads = block_threads;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned most_early_blocks = tuning::merge_sort_early_blocks(has_values);
  static constexpr unsigned resident_blocks = 0;  // not said
  using tile = block::merge_tile<typename Keys::value_type, has_values, block_threads, items>;
};

/// Merges neighbouring runs of `run_items` items each; each block makes one tile of the result.
template <class Tuning, class Keys, class Values, class Compare>
struct merge_sort_merge_kernel {
  using shape = pairwise_merge_shape<Tuning, Keys, Values>;
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
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

    GIMBAL_DEVICE index_type position(unsigned place) const
    {
      return place < a_count ? a_first + place : b_last - (place - a_count);
    }
  };

  Keys keys;
  Values values;
  sort_place source;
  sort_place target;
  index_type n;
  index_type run_items;
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
    tile::merge(smem, block::run_pair{0, from.a_count, valid}, ctx.thread() * items, items, less, mine);
    ctx.sync_block();  // both pieces have been read
    tile::write(smem, mine);
    ctx.sync_block();  // the merged tile is there
    if constexpr (!has_values) {
      ctx.let_next_launch_start();
    }
    keys.write(target, [&](auto to) { tile::striped::store(ctx, smem.keys, to + first, valid); });
    if constexpr (has_values) {
      move_values(ctx, smem, from, first, valid);
    }
  }

private:
  GIMBAL_DEVICE index_type pair_first(index_type first) const { return first / (2 * run_items) * (2 * run_items); }
  GIMBAL_DEVICE index_type clip(index_type position) const { return position < n ? position : n; }

  /// One warp searches where the tile begins, another (or the same) where it ends.
  template <class Context>
  GIMBAL_DEVICE void split_runs(Context& ctx, shared& smem, index_type first, unsigned valid, Compare& less) const
  {
    const index_type begin = pair_first(first);
    const index_type middle = clip(begin + run_items);
    const index_type end = clip(middle + run_items);
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
    const index_type end = clip(middle + run_items);
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
        for (unsigned place = ctx.thread(); place < valid; place += block_threads) {
          ctx.copy_async(smem.keys.item[place], it + from.position(place));
        }
        if (ctx.thread() < block::merge_steps) {
          ctx.copy_async(smem.before[ctx.thread()], it + from.position(0));
        }
        ctx.wait_copies();
      } else {
        uninit<key_type> key[items];  // all loads are issued before the first store to shared memory
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < valid) {
            key[i].set(block::load_as<key_type>(it + from.position(place)));
          }
        }
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned place = i * block_threads + ctx.thread();
          if (place < valid) {
            smem.keys.item[place] = key[i];
          }
        }
        if (ctx.thread() < block::merge_steps) {
          smem.before[ctx.thread()].set(block::load_as<key_type>(it + from.position(0)));
        }
      }
    });
  }

  template <class Context>
  GIMBAL_DEVICE void move_values(
    Context& ctx, const shared& smem, const pieces& from, index_type first, unsigned valid) const
  {
    values.read(source, [&](auto it) {
      values.write(target, [&](auto to) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const unsigned position = i * block_threads + ctx.thread();
          if (position < valid) {
            *(to + (first + position)) = block::load_as<value_type>(it + from.position(smem.origin[position]));
          }
        }
      });
    });
  }
};

template <class Tuning, class Keys, class Values, class Compare>
[[nodiscard]] status pairwise_merge_sort(
  temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, index_type n, Compare compare,
  simt::stream_type stream)
{
  using shape = pairwise_merge_shape<Tuning, Keys, Values>;
  using thread_items = ::cuda::std::integral_constant<unsigned, shape::items>;
  using tile_kernel = merge_tile_sort_kernel<shape, thread_items, Keys, Values, Compare>;
  using merge_kernel = merge_sort_merge_kernel<Tuning, Keys, Values, Compare>;

  const index_type tiles = (n + shape::tile_items - 1) / shape::tile_items;
  unsigned passes = 1;
  while (passes < 63 && index_type{1} << (passes - 1) < tiles) {
    ++passes;
  }

  storage_layout layout;
  if (passes > 1) {
    layout.add(&keys.buffer, static_cast<std::size_t>(n));
    if constexpr (shape::has_values) {
      layout.add(&values.buffer, static_cast<std::size_t>(n));
    }
  }
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  GIMBAL_TRY(simt::launch(
    tile_kernel{keys, values, target_of_pass(0, passes), n, {}, compare}, tiles, stream, "merge sort: sorting tiles"));
  index_type run_items = shape::tile_items;
  for (unsigned pass = 1; pass < passes; ++pass, run_items *= 2) {
    const merge_kernel kernel{keys,      values, source_of_pass(pass, passes), target_of_pass(pass, passes), n,
                              run_items, compare};
    GIMBAL_TRY(simt::launch(kernel, tiles, stream, "merge sort: merging"));
  }
  return {};
}

/// A tuning type with `tile_items` asks for algorithm/merge_sort/rank_merge_sort.cuh, one with `ways` for
/// algorithm/merge_sort/multiway_merge_sort.cuh, one with `batch` for algorithm/merge_sort/all_pairs_merge_sort.cuh, any other for merging in pairs.
template <class Tuning, class = void>
inline constexpr bool merges_by_ranks_v = false;
template <class Tuning>
inline constexpr bool merges_by_ranks_v<Tuning, ::cuda::std::void_t<decltype(Tuning::tile_items)>> = true;
template <class Tuning, class = void>
inline constexpr bool is_multiway_v = false;
template <class Tuning>
inline constexpr bool is_multiway_v<Tuning, ::cuda::std::void_t<decltype(Tuning::ways)>> = true;

template <class Tuning, class = void>
inline constexpr bool compares_all_pairs_v = false;
template <class Tuning>
inline constexpr bool compares_all_pairs_v<Tuning, ::cuda::std::void_t<decltype(Tuning::batch)>> = true;

/// keys_out = the n keys of keys_in in the order of `compare`, values_out = values_in moved alike. See the head of this
/// file for stability, aliasing and storage.
template <class Tuning = void, class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Compare>
[[nodiscard]] status merge_sort(
  temporary_storage storage, std::size_t& storage_bytes, KeyIn keys_in, KeyOut keys_out, ValueIn values_in,
  ValueOut values_out, index_type n, Compare compare, simt::stream_type stream)
{
  auto keys = algorithm::make_sort_array(keys_in, keys_out);
  auto values = algorithm::as_moved(algorithm::make_sort_array(values_in, values_out));
  using key_type = typename decltype(keys)::value_type;
  static_assert(simt::is_supported_value_v<key_type>, "keys are copied bytewise");
  if constexpr (::cuda::std::is_void_v<Tuning>) {
    constexpr std::size_t value_bytes = bytes_of_values<decltype(values)>;
    using in_pairs = tuning::merge_sort<sizeof(key_type), value_bytes>;
    using in_few_sweeps = tuning::multiway_merge_sort<sizeof(key_type), value_bytes>;
    using by_ranks = tuning::rank_merge_sort<sizeof(key_type), value_bytes>;
    const auto by_merging = [&](const temporary_storage& place, std::size_t& bytes) -> status {
      if constexpr (in_pairs::most_small_items > 0) {
        if (in_pairs::is_small(n)) {
          using small_tuning = typename in_pairs::small_tuning;
          return algorithm::pairwise_merge_sort<small_tuning>(place, bytes, keys, values, n, compare, stream);
        }
      }
      if (n < in_few_sweeps::least_items) {
        return algorithm::pairwise_merge_sort<in_pairs>(place, bytes, keys, values, n, compare, stream);
      }
      return algorithm::multiway_merge_sort<in_few_sweeps>(place, bytes, keys, values, n, compare, stream);
    };
    if constexpr (by_ranks::most_items > 0) {
      if (n >= by_ranks::least_items && n <= by_ranks::most_items) {
        const auto by_comparing_more = [&](const temporary_storage& place, std::size_t& bytes) -> status {
          if constexpr (by_ranks::most_all_pairs_items > 0) {
            if (n <= by_ranks::most_all_pairs_items) {
              bool is_taken = false;
              GIMBAL_TRY(algorithm::all_pairs_merge_sort<typename by_ranks::all_pairs>(
                is_taken, place, bytes, keys, values, n, compare, stream));
              return is_taken ? status{} : by_merging(place, bytes);  // which the storage is enough for
            }
          }
          if (by_ranks::takes_small_tiles(n)) {
            using small_tuning = typename by_ranks::small_tuning;
            return algorithm::rank_merge_sort<small_tuning>(place, bytes, keys, values, n, compare, stream);
          }
          return algorithm::rank_merge_sort<by_ranks>(place, bytes, keys, values, n, compare, stream);
        };
        const bool is_saturated = simt::active_streams(stream) >= tuning::saturating_merge_sorts;
        return gimbal::either_call(storage, storage_bytes, is_saturated, by_merging, by_comparing_more);
      }
    }
    return by_merging(storage, storage_bytes);
  } else if constexpr (merges_by_ranks_v<Tuning>) {
    return algorithm::rank_merge_sort<Tuning>(storage, storage_bytes, keys, values, n, compare, stream);
  } else if constexpr (compares_all_pairs_v<Tuning>) {
    using kernel = all_pairs_merge_kernel<Tuning, decltype(keys), decltype(values), Compare>;
    return algorithm::all_pairs_sort<kernel>(
      storage, storage_bytes, keys, values, static_cast<unsigned>(n), compare, stream);
  } else if constexpr (is_multiway_v<Tuning>) {
    return algorithm::multiway_merge_sort<Tuning>(storage, storage_bytes, keys, values, n, compare, stream);
  } else {
    return algorithm::pairwise_merge_sort<Tuning>(storage, storage_bytes, keys, values, n, compare, stream);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
