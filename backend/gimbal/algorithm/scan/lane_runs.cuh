// Runs of equal keys among the items of a lane's segment (persistent_tiles.cuh), and what is stored of them.
#pragma once

#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/segment_heads.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Which of a lane's valid items are heads, the first item lowest. `is_first`: the first of them is the first of all;
/// otherwise that is item 0, and `previous` the key before it.
template <bool IsFull, class Key, unsigned Items, class Equal>
GIMBAL_DEVICE std::uint32_t find_heads(
  valid_range valid, bool is_first, const uninit<Key>& previous, const uninit<Key> (&own)[Items], const Equal& equal)
{
  std::uint32_t heads = 0;
  const auto ask = [&](unsigned i, const uninit<Key>& before) {
    heads |= std::uint32_t{differs<Equal>{equal}(before.get(), own[i].get())} << i;
  };
  GIMBAL_UNROLL
  for (unsigned i = 1; i < Items; ++i) {
    if (IsFull || (i > valid.lo && i < valid.hi)) {
      ask(i, own[i - 1]);
    }
  }
  // The first item last: an equality that gathers finds in the L1 cache what the lane below has just read.
  if (is_first) {
    heads |= std::uint32_t{1} << valid.lo;
  } else if (IsFull || valid.hi > 0) {
    ask(0, previous);
  }
  return heads;
}

/// The heads among a lane's items to `to[0...]`.
template <class T, unsigned Items>
GIMBAL_DEVICE void gather_heads(std::uint32_t heads, const uninit<T> (&own)[Items], uninit<T>* to)
{
  GIMBAL_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    if ((heads >> i & 1) != 0) {
      *to++ = own[i];
    }
  }
}

/// `count` items to `out`. By a whole warp.
template <class T, class Context, class OutputIt>
GIMBAL_DEVICE void store_by_warp(Context& ctx, const uninit<T>* source, OutputIt out, unsigned count)
{
  constexpr unsigned group = 4;  // loads before the first store
  constexpr unsigned threads = simt::warp_threads;
  for (unsigned k = ctx.lane(); k < count; k += group * threads) {
    uninit<T> item[group];
    GIMBAL_UNROLL
    for (unsigned i = 0; i < group; ++i) {
      if (k + i * threads < count) {
        item[i] = source[k + i * threads];
      }
    }
    const OutputIt mine = out + k;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < group; ++i) {
      if (k + i * threads < count) {
        block::store_as(mine + i * threads, item[i].get());
      }
    }
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
