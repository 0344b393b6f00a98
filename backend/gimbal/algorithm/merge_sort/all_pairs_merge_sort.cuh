// Merge sort of so few items that to compare each with every other takes less time than the steps of any algorithm with
// fewer comparisons. The entry is algorithm/merge_sort/merge_sort.cuh.
//
// A block has 32 items of its own, one in each lane of every warp. Its warps share out all keys between them, 32 at a time, and
// count how many stand before each of the block's own: those that are less, and those before it in the input that are not
// greater. The sum of all warps' counts is the item's place.
//
// Comparator: a strict weak ordering, called on keys of the input only, n times for each. Stable. With one that is none, items
//   may find the same place and leave another as it was; so the output is filled with the input first.
// Traffic: every block reads all keys, nearly all of them from the L2 cache; values once, and both are written once.
// Launches: 1. Storage: none, words kept for the stream, the keys' and values' too.
// In place and elsewhere: none writes a place before all have read, and filled (grid/reader_barrier.cuh: progress and memory order).
// Determinism: as far as the comparator's.
#pragma once

#include <gimbal/grid/all_pairs_launch.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Keys, class Values, class Compare>
struct all_pairs_merge_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned group_items = simt::warp_threads;
  static constexpr unsigned batch = Shape::batch;  ///< groups of a warp whose loads are in flight together
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool fills_output = true;
  using writer = all_pairs_writer<Keys, Values>;

  struct shared {
    uninit<key_type> others[warps][batch][group_items];
    unsigned before[warps][group_items];  ///< how many of the warp's keys stand before the block's own
    typename writer::shared written;
  };

  Keys keys;
  Values values;
  Compare compare;
  unsigned count;
  writer results;  ///< waits unless there is one block

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned own = ctx.block() * group_items + ctx.lane();
    const bool is_writer = ctx.warp() == 0 && own < count;
    const unsigned order = results.enter(ctx);
    uninit<key_type> next[batch];
    uninit<typename writer::value_type> value;
    load_batch(ctx, ctx.warp(), next);
    const key_type key = load_key(own);
    if constexpr (has_values) {
      if (is_writer) {
        value.set(block::load_as<value_type>(values.input + static_cast<index_type>(own)));
      }
    }
    if (is_writer) {
      fill_output(own, key, value);
    }
    smem.before[ctx.warp()][ctx.lane()] = count_before(ctx, smem, key, next, order);
    ctx.sync_block();  // the counts of all warps are there
    const index_type place = is_writer ? sum_before(ctx, smem) : 0;
    results.write(ctx, smem.written, keys, values, is_writer, place, key, value);
  }

private:
  /// Places behind the last key repeat it.
  GIMBAL_DEVICE key_type load_key(unsigned position) const
  {
    return block::load_as<key_type>(keys.input + static_cast<index_type>(position < count ? position : count - 1));
  }

  /// Groups `first`, `first` + warps and so on.
  template <class Context>
  GIMBAL_DEVICE void load_batch(const Context& ctx, unsigned first, uninit<key_type> (&key)[batch]) const
  {
    GIMBAL_UNROLL
    for (unsigned g = 0; g < batch; ++g) {
      key[g].set(load_key((first + g * warps) * group_items + ctx.lane()));
    }
  }

  GIMBAL_DEVICE void fill_output(
    unsigned own, const key_type& key, const uninit<typename writer::value_type>& value) const
  {
    if (keys.is_copy()) {
      *(keys.output + static_cast<index_type>(own)) = key;
    }
    if constexpr (has_values) {
      if (values.is_copy()) {
        *(values.output + static_cast<index_type>(own)) = value.get();
      }
    }
  }

  /// How many of the warp's share of all keys stand before the lane's own. The next batch is loaded meanwhile, the
  /// first one already.
  template <class Context>
  GIMBAL_DEVICE unsigned count_before(
    Context& ctx, shared& smem, const key_type& key, uninit<key_type> (&next)[batch], unsigned order) const
  {
    const unsigned groups = (count + group_items - 1) / group_items;
    unsigned before = 0;
    GIMBAL_NO_UNROLL
    for (unsigned begun = 0; begun < groups; begun += warps * batch) {
      const unsigned first = begun + ctx.warp();
      ctx.sync_warp();  // the batch before has been read
      GIMBAL_UNROLL
      for (unsigned g = 0; g < batch; ++g) {
        smem.others[ctx.warp()][g][ctx.lane()] = next[g];
      }
      ctx.sync_warp();  // the batch is there
      if (begun + warps * batch < groups) {
        load_batch(ctx, first + warps * batch, next);
      } else {
        results.arrive(ctx, order);
      }
      GIMBAL_NO_UNROLL
      for (unsigned g = 0; g < batch && first + g * warps < groups; ++g) {
        before += count_in_group(ctx, smem.others[ctx.warp()][g], first + g * warps, key);
      }
    }
    return before;
  }

  /// Of earlier items all but greater ones stand before the lane's own, of later ones those that are less.
  template <class Context>
  GIMBAL_DEVICE unsigned count_in_group(
    const Context& ctx, const uninit<key_type> (&other)[group_items], unsigned group, const key_type& key) const
  {
    Compare less = compare;
    const unsigned left = count - group * group_items;
    const unsigned present = left < group_items ? left : group_items;
    const unsigned earlier = group < ctx.block() ? present : group == ctx.block() ? ctx.lane() : 0;
    unsigned before = 0;
    if (group <= ctx.block()) {
      for (unsigned i = 0; i < present; ++i) {
        if (i < earlier && !less(key, other[i].get())) {
          ++before;
        }
      }
    }
    if (group >= ctx.block()) {
      const unsigned later = group == ctx.block() ? earlier + 1 : 0;
      for (unsigned i = 0; i < present; ++i) {
        if (i >= later && less(other[i].get(), key)) {
          ++before;
        }
      }
    }
    return before;
  }

  template <class Context>
  static GIMBAL_DEVICE unsigned sum_before(const Context& ctx, const shared& smem)
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      sum += smem.before[w][ctx.lane()];
    }
    return sum;
  }
};

/// algorithm::merge_sort by this file's kernel, without storage. `is_taken` false, and nothing is done: the stream keeps no words, as
/// while it is captured, and those of a call in place would take more storage than merging.
template <class Shape, class Keys, class Values, class Compare>
status all_pairs_merge_sort(
  bool& is_taken, temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, index_type n,
  Compare compare, simt::stream_type stream)
{
  return algorithm::all_pairs_sort_without_storage<all_pairs_merge_kernel<Shape, Keys, Values, Compare>>(
    is_taken, storage, storage_bytes, keys, values, static_cast<unsigned>(n), compare, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
