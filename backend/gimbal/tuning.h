// Numbers that were chosen for speed and that several algorithms share; each algorithm has its own in
// algorithm/<name>/tuning.h. A test may pass its own tuning type (small tiles) to any backend entry. Each row gives its
// reason; "record" names the measurements that it was chosen by, in perf/results/tuning/*.json, where ratios are to
// stock unless they say otherwise. "Untuned" rows are sound defaults that nobody measured.
#pragma once

#include <gimbal/simt/config.h>

#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Of the GPUs that the rows were tuned on, H100 and H200. Rows multiply it, and never the device's own number: the
/// tree of a floating-point sum is the same on every device.
inline constexpr unsigned multiprocessors = 132;

/// Items per thread so that a thread holds about `bytes` bytes of values of `value_bytes` each, within [1, most].
constexpr unsigned items_for_bytes(std::size_t bytes, std::size_t value_bytes, unsigned most)
{
  const std::size_t items = bytes / value_bytes;
  return items < 1 ? 1u : items > most ? most : static_cast<unsigned>(items);
}

/// Where items come from: an array, another iterator, or one that gathers, by positions that a list holds or that are
/// computed.
enum class input { array, iterator, gather, computed_gather };
/// Whether what iterators and functions read may be scattered in memory, and where its positions come from.
enum class gathering { none, listed, computed };

/// Persistent kernels that gather: the positions are fetched to the L2 cache a tile ahead, as base arrays of iterators
/// are, of fewer items than this. Of more, what is gathered drives them out before they are read, and they are read
/// twice. record: fetched_gathers, fetched_gathers_read
inline constexpr index_type fetched_gathers = index_type{1} << 23;

/// Persistent kernels: how many tiles a block loads before the first has landed, so that about 48 KB for each
/// multiprocessor are in flight (pipeline/persistent_tiles.cuh says why not more). record: persistent_loads_ahead
constexpr unsigned persistent_loads_ahead(std::size_t tile_bytes, unsigned resident_blocks = 1)
{
  const std::size_t loads = (std::size_t{48} << 10) / (tile_bytes * resident_blocks);
  return loads < 2 ? 2 : static_cast<unsigned>(loads);
}

/// Where several streams of a process work at the same time: looks of teams (grid/team.cuh) beside those that
/// depend on the work. Untuned.
inline constexpr unsigned most_shared_looks = 100;
/// So many concurrent streams saturate a GPU (launch_words::is_saturated).
inline constexpr unsigned saturating_streams = 6;
inline constexpr unsigned any_blocks = 0x7fffffff;  ///< of a launch that may start early

}  // namespace tuning

GIMBAL_NAMESPACE_END
