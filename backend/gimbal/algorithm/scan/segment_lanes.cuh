// What a lane does with its items in the streaming segmented scan (stream_segmented_scan.cuh): it folds them, and scans them behind
// everything before them.
#pragma once

#include <gimbal/collective/scan_kind.h>
#include <gimbal/tile/accumulator.h>

#include <gimbal/algorithm/scan/segment_fold.cuh>
#include <gimbal/pipeline/stream_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `FollowsAddresses`: tiles may, where any tree gives the same.
/// `TellsNext`: each tile publishes whether the next one begins with a head, by the bit behind those of its last lane's items.
template <scan_kind Kind, class T, class Op, class Init, bool FollowsAddresses, bool TellsNext>
struct segment_lanes {
  using value = T;
  using fold = segment_fold<T, ::cuda::std::conditional_t<TellsNext, segment_state, bool>>;
  static constexpr std::size_t least_item_bytes = 4;
  static constexpr std::size_t most_items = TellsNext ? 31 : 32;  // whose bits are a word
  static constexpr bool orders_tiles = TellsNext && simt::reuse_needs_order;
  static constexpr bool tiles_follow_addresses = FollowsAddresses && ::cuda::std::is_integral<T>::value;
  static constexpr std::size_t gap_bytes = 0;
  static constexpr bool has_start = false;  // the first item is a head and has it
  static constexpr bool keeps_total = false;

  block::combine<T, Op> op;
  Init init;

  GIMBAL_DEVICE auto combine() const
  {
    if constexpr (TellsNext) {
      return segment_end_op<T, Op, Init>{op, init};
    } else {
      return segment_op<T, Op>{op};
    }
  }

  template <bool IsFull, class Item, unsigned Items>
  GIMBAL_DEVICE void fold_items(
    block::valid_range valid, std::uint32_t heads, const uninit<Item> (&values)[Items], uninit<fold>& folded) const
  {
    uninit<T> since_head;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (IsFull || (i >= valid.lo && i < valid.hi)) {
        const T own = static_cast<T>(values[i].get());
        if (heads >> i & 1) {
          since_head.set(algorithm::segment_start(op, init, own));
        } else {
          since_head.set((IsFull ? i == 0 : i == valid.lo) ? own : op(since_head.get(), own));
        }
      }
    }
    if (IsFull || valid.lo < valid.hi) {
      folded.set({since_head.get(), state_of(heads, Items)});
    }
  }

  template <bool IsFull, class Item, class Result, unsigned Items>
  GIMBAL_DEVICE void scan_items(
    block::valid_range valid, std::uint32_t heads, bool exists, uninit<fold>& running,
    const uninit<Item> (&values)[Items], uninit<Result> (&scanned)[Items]) const
  {
    uninit<T> since_head;  // not used before the first item of all, where nothing exists
    if (exists) {
      since_head.set(running.get().value);
      if constexpr (TellsNext) {
        heads |= running.get().heads == segment_state::ended;  // as the tile before has published
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (IsFull || (i >= valid.lo && i < valid.hi)) {
        const T own = static_cast<T>(values[i].get());
        const bool is_head = heads >> i & 1;
        if constexpr (Kind == scan_kind::exclusive) {
          scanned[i].set(static_cast<Result>(is_head ? init : since_head.get()));
        }
        if (Kind == scan_kind::inclusive || i + 1 < (IsFull ? Items : valid.hi)) {
          if (is_head) {
            since_head.set(algorithm::segment_start(op, init, own));
          } else {
            since_head.set(op(since_head.get(), own));
          }
        }
        if constexpr (Kind == scan_kind::inclusive) {
          scanned[i].set(static_cast<Result>(since_head.get()));
        }
      }
    }
  }

private:
  static GIMBAL_DEVICE auto state_of(std::uint32_t heads, unsigned items)
  {
    if constexpr (TellsNext) {
      return heads >> items != 0 ? segment_state::ended : heads != 0 ? segment_state::began : segment_state::goes_on;
    } else {
      return heads != 0;
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
