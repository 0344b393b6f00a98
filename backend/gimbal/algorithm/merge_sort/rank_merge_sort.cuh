// Merge sort of few items in few steps. algorithm/merge_sort/merge_sort.cuh gives what holds for all merge strategies,
// and when this one is chosen.
//
// The time of such a sort is the latency of one step after another, not throughput. So no thread merges items one by
// one: each item finds its own rank. In a merge of several sorted runs that is its position in its run plus, for every
// other run, the number of its items that come before; these are found by binary search, all at once and independently.
//  * Tiles, one item a thread: each warp ranks its 32 items by comparing each with all, then runs are merged, four at a
//    time, from one half of shared memory to the other.
//  * Sweeps: up to 16 neighbouring runs are merged from array to array. A warp searches 32 neighbouring items of one
//    run in two others, so that its lanes read the same addresses and nearby ones; the warps that search for the same
//    items add their counts in shared memory.
// Equal items: those of an earlier run come first.
//
// Comparator: called (ways - 1) times log2(run) times for each item and sweep. With one that is no ordering, items may
// find the same rank and leave another slot as it was; so both arrays are filled with items of the input first. (Of two
// keys of more than 8 bytes with one rank, a part of each may be left.)
// Traffic: 1 + s times 2 (keys + values) and the searches; launches: 1 + s, s = ceil(log16(n / tile)).
#pragma once

#include <gimbal/algorithm/merge_sort/tuning.h>

#include <cuda/std/bit>
#include <gimbal/algorithm/merge_sort/merge_tile_sort.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Sorted runs in which the rank of an item is searched, `Runs` neighbours at once.
template <unsigned Runs>
struct searched_runs {
  unsigned begin[Runs];
  unsigned count[Runs];  ///< items of each, less than 2 * `reach`
  unsigned reach;        ///< a power of two
  unsigned first;        ///< of all runs that are merged, the number of the first of them,
  unsigned own;          ///< and the item's own: it follows its equals of earlier runs
  /// The position of what is compared where a run has no items: the item itself or, above 24 bytes, the first of all
  /// runs. A comparator of several words mostly ends with the first of them, but compares all words of an item with
  /// itself; keys of 24 bytes still take less time that way.
  unsigned substitute;

  /// How many items of all runs come before the one with this key. `key_at(index)` is the key at an index.
  template <class Key, class KeyAt, class Compare>
  GIMBAL_DEVICE unsigned count_preceding(const Key& key, KeyAt key_at, Compare& less) const
  {
    unsigned passed[Runs] = {};
    for (unsigned step = reach; step > 0; step /= 2) {
      bool holds[Runs];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Runs; ++j) {  // no branches: the loads of all runs are in flight at once
        const unsigned next = passed[j] + step;
        const unsigned probe = (next < count[j] ? next : count[j]) - 1;
        const Key other = key_at(count[j] == 0 ? substitute : begin[j] + probe);
        holds[j] = first + j < own ? !static_cast<bool>(less(key, other)) : static_cast<bool>(less(other, key));
        holds[j] = holds[j] && next <= count[j];
      }
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Runs; ++j) {
        passed[j] += holds[j] ? step : 0;
      }
    }
    unsigned result = 0;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Runs; ++j) {
      result += passed[j];
    }
    return result;
  }
};

/// Sorts each tile by itself, with a thread for each item.
template <class Tuning, class Keys, class Values, class Compare>
struct rank_tile_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Tuning::tile_items;
  static constexpr unsigned most_early_blocks = tuning::any_blocks;
  static_assert(::cuda::std::has_single_bit(block_threads) && block_threads >= simt::warp_threads, "runs double");
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr unsigned way_bits = 2;
  static constexpr unsigned ways = 1 << way_bits;

  struct half {
    alignas(16) uninit<key_type> key[block_threads];
    std::uint16_t origin[has_values ? block_threads : 1];  ///< where in the tile the key came from

    GIMBAL_DEVICE void set(unsigned index, const uninit<key_type>& item, unsigned came_from)
    {
      key[index] = item;
      if constexpr (has_values) {
        origin[index] = static_cast<std::uint16_t>(came_from);
      }
    }
    GIMBAL_DEVICE unsigned origin_of(unsigned index) const { return has_values ? origin[index] : 0; }
  };
  struct shared {
    half halves[2];
  };

  Keys keys;
  Values values;
  sort_buffer target;
  bool fills_both;  ///< there are sweeps to come
  index_type n;
  Compare compare;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const index_type first = static_cast<index_type>(ctx.block()) * block_threads;
    const unsigned valid = n - first < block_threads ? static_cast<unsigned>(n - first) : block_threads;
    const unsigned index = ctx.thread();
    const bool is_item = index < valid;
    Compare less = compare;
    uninit<key_type> key;
    if (is_item) {
      key.set(block::load_as<key_type>(keys.input + (first + index)));
      smem.halves[0].set(index, key, index);
      smem.halves[1].set(index, key, index);
    }
    ctx.sync_warp();  // the warp's items are there
    if (is_item) {
      smem.halves[1].set(index - ctx.lane() + rank_in_warp(ctx, smem.halves[0], valid, less), key, index);
    }
    ctx.sync_block();  // runs of a warp are there
    unsigned from = 1;
    constexpr unsigned warp_bits = simt::bit_width(simt::warp_threads) - 1;
    for (unsigned run_bits = warp_bits; 1u << run_bits < valid; run_bits += way_bits, from ^= 1) {
      if (is_item) {
        half& to = smem.halves[from ^ 1];
        const half& source = smem.halves[from];
        const unsigned rank = rank_in_runs(source, index, run_bits, valid, less);
        to.set(rank, source.key[index], source.origin_of(index));
      }
      ctx.sync_block();  // merged runs are there, and all others have been read
    }
    ctx.let_next_launch_start();
    if (is_item) {
      store(keys, first + index, smem.halves[from].key[index]);
    }
    if constexpr (has_values) {
      uninit<value_type> value;
      if (is_item) {
        value.set(block::load_as<value_type>(values.input + (first + smem.halves[from].origin[index])));
      }
      ctx.sync_block();  // in place, all values of the tile are read before the first is overwritten
      if (is_item) {
        store(values, first + index, value);
      }
    }
  }

private:
  template <class Context>
  static GIMBAL_DEVICE unsigned rank_in_warp(Context& ctx, const half& source, unsigned valid, Compare& less)
  {
    const unsigned first = ctx.thread() - ctx.lane();
    const unsigned count = valid - first < simt::warp_threads ? valid - first : simt::warp_threads;
    const uninit<key_type>* const item = source.key + first;
    const key_type key = item[ctx.lane()].get();
    unsigned rank = 0;
    const auto ask = [&](unsigned i) {
      const bool follows = static_cast<bool>(less(key, item[i].get()));
      const bool precedes = static_cast<bool>(less(item[i].get(), key));
      const bool is_in_front = i < ctx.lane();
      rank += (is_in_front & !follows) | (!is_in_front & precedes) ? 1 : 0;
    };
    if (count == simt::warp_threads) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < simt::warp_threads; ++i) {
        ask(i);
      }
    } else {
      for (unsigned i = 0; i < count; ++i) {
        ask(i);
      }
    }
    return rank;
  }

  /// The index of the item at `index` after each `ways` neighbouring runs are merged.
  static GIMBAL_DEVICE unsigned rank_in_runs(
    const half& source, unsigned index, unsigned run_bits, unsigned valid, Compare& less)
  {
    const unsigned run_items = 1u << run_bits;
    const unsigned first = index & ~(ways * run_items - 1);
    const unsigned own = (index - first) >> run_bits;
    const key_type key = source.key[index].get();
    searched_runs<ways - 1> others{{}, {}, run_items, 0, own, sizeof(key_type) > 24 ? first : index};
    GIMBAL_UNROLL
    for (unsigned j = 0; j < ways - 1; ++j) {
      const unsigned begin = first + (j < own ? j : j + 1) * run_items;
      others.begin[j] = begin;
      others.count[j] = begin >= valid ? 0 : valid - begin < run_items ? valid - begin : run_items;
    }
    const auto key_at = [&](unsigned i) { return source.key[i].get(); };
    return first + (index & (run_items - 1)) + others.count_preceding(key, key_at, less);
  }

  /// Where the next sweep reads, and where it writes.
  template <class Array, class T>
  GIMBAL_DEVICE void store(const Array& array, index_type index, const uninit<T>& item) const
  {
    array.write(target, [&](auto to) { *(to + index) = item.get(); });
    if (fills_both) {
      const sort_buffer other = target == sort_buffer::output ? sort_buffer::buffer : sort_buffer::output;
      array.write(other, [&](auto to) { *(to + index) = item.get(); });
    }
  }
};

/// Merges neighbouring runs, `ways` together.
template <class Keys, class Values, class Compare>
struct rank_merge_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned most_early_blocks = tuning::any_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned searched_bits = 1;
  static constexpr unsigned searched = 1 << searched_bits;  ///< runs, by each warp
  static constexpr unsigned most_ways = warps * searched;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;

  struct shared {
    unsigned count[block_threads];  ///< items that come before
  };

  Keys keys;
  Values values;
  sort_buffer source;
  sort_buffer target;
  unsigned n;
  unsigned run_bits;  ///< runs have 2 to this many items
  unsigned way_bits;  ///< 2 to this many are merged together, from 2 to most_ways
  Compare compare;

  static GIMBAL_HOST_DEVICE unsigned block_items(unsigned bits) { return block_threads >> (bits - searched_bits); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    Compare less = compare;
    const unsigned sharer_bits = way_bits - searched_bits;  // 2 to this many warps have the same items
    const unsigned sharer = ctx.warp() & ((1u << sharer_bits) - 1);
    const unsigned index =
      ctx.block() * block_items(way_bits) + (ctx.warp() >> sharer_bits) * simt::warp_threads + ctx.lane();
    const unsigned first = index >> (run_bits + way_bits) << (run_bits + way_bits);
    const bool is_item = index < n;
    uninit<key_type> key;
    if (is_item) {
      keys.read(source, [&](auto from) {
        key.set(block::load_as<key_type>(from + index));
        smem.count[ctx.thread()] = count_before(from, first, index, key.get(), sharer * searched, less);
      });
    }
    ctx.sync_block();  // all runs have been searched
    ctx.let_next_launch_start();
    if (is_item && sharer == 0) {
      unsigned rank = first + (index & ((1u << run_bits) - 1));
      for (unsigned other = 0; other >> sharer_bits == 0; ++other) {
        rank += smem.count[ctx.thread() + other * simt::warp_threads];
      }
      keys.write(target, [&](auto to) { *(to + rank) = key.get(); });
      if constexpr (has_values) {
        values.read(source, [&](auto from) {
          values.write(target, [&](auto to) { *(to + rank) = block::load_as<value_type>(from + index); });
        });
      }
    }
  }

private:
  /// Items of the runs from `first_run` on that come before the one at `index`.
  template <class Iterator>
  GIMBAL_DEVICE unsigned count_before(
    Iterator from, unsigned first, unsigned index, const key_type& key, unsigned first_run, Compare& less) const
  {
    const unsigned run_items = 1u << run_bits;
    const unsigned own = (index - first) >> run_bits;
    searched_runs<searched> others{{}, {}, run_items, first_run, own, sizeof(key_type) > 24 ? first : index};
    GIMBAL_UNROLL
    for (unsigned j = 0; j < searched; ++j) {
      const unsigned begin = first + (first_run + j) * run_items;
      const unsigned left = begin < n ? n - begin : 0;
      others.begin[j] = begin;
      others.count[j] = first_run + j == own ? 0 : left < run_items ? left : run_items;
    }
    const auto key_at = [&](unsigned i) { return block::load_as<key_type>(from + i); };
    return others.count_preceding(key, key_at, less);
  }
};

/// algorithm::merge_sort by ranks, with buffers of n keys and n values.
template <class Tuning, class Keys, class Values, class Compare>
[[nodiscard]] status rank_merge_sort(
  const Keys& keys, const Values& values, index_type n, Compare compare, simt::stream_type stream)
{
  using tile_kernel = rank_tile_sort_kernel<Tuning, Keys, Values, Compare>;
  using merge_kernel = rank_merge_kernel<Keys, Values, Compare>;
  const index_type tiles = (n + Tuning::tile_items - 1) / Tuning::tile_items;
  const merge_sweeps sweeps(tiles, simt::bit_width(merge_kernel::most_ways) - 1);
  const unsigned passes = 1 + sweeps.count;
  GIMBAL_TRY(simt::launch(
    tile_kernel{keys, values, target_of_pass(0, passes), passes > 1, n, compare}, tiles, stream,
    "merge sort: sorting tiles"));
  unsigned run_bits = simt::bit_width(Tuning::tile_items) - 1;
  for (unsigned pass = 1; pass < passes; ++pass) {
    const unsigned way_bits = sweeps.levels_of(pass - 1);
    const unsigned block_items = merge_kernel::block_items(way_bits);
    GIMBAL_TRY(simt::launch(
      merge_kernel{
        keys, values, source_of_pass(pass, passes), target_of_pass(pass, passes), static_cast<unsigned>(n), run_bits,
        way_bits, compare},
      (n + block_items - 1) / block_items, stream, "merge sort: merging by ranks"));
    run_bits += way_bits;
  }
  return {};
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
