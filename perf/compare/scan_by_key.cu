// Measures scans by key, and segmented scans. CCCL 3.0 has no segmented scan: gimbal's is compared with the scan by key
// of the same segments that a user of stock would write, whose keys take four bytes an item where flags take one and
// offsets less.
#include <gimbal/segmented_scan.h>

#include <gimbal/algorithm/scan/segmented_scan.cuh>

#include "scan.h"

namespace perf {

namespace {

using key = std::int32_t;

template <class T>
void compare_by_key(comparison& c)
{
  const key* const keys = make_runs(c).keys;
  compare_sums_by_key<T>(c, keys, make_values<T>(c), sizeof(key) + sizeof(T));
}

/// `heads` are the backend's form of the segments, `segments` the public one; both are the same as `keys`.
template <class T, class Heads, class Segments>
void compare_segmented(comparison& c, const key* keys, Heads heads, Segments segments)
{
  const int n = c.n();
  const T* const in = make_values<T>(c);
  const twin<T> out = c.output<T>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSumByKey(storage, bytes, keys, in, out.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::segmented_scan_plan(
               gimbal::algorithm::exclusive_scan_tag{}, heads, in, out.gimbal, n, ::cuda::std::plus<>{}, T{0},
               gimbal::no_totals{})
        .run(storage, bytes, nullptr)
        .code;
    });
  c.wall(
    [=] { thrust::exclusive_scan_by_key(thrust::device, keys, keys + n, in, out.stock); },
    [=] { gimbal::exclusive_segmented_scan(gimbal::par, in, in + n, segments, out.gimbal); });
}

template <class T>
void compare_by_flags(comparison& c)
{
  const int n = c.n();
  const runs segments = make_runs(c, runs_as::flags);
  c.moves([=] { return n * (2 * sizeof(T) + sizeof(std::uint8_t)); });
  compare_segmented<T>(c, segments.keys, gimbal::heads_from_flags<const std::uint8_t*>{segments.flags}, segments.flags);
}

template <class T>
void compare_by_offsets(comparison& c)
{
  const int n = c.n();
  const runs segments = make_runs(c, runs_as::offsets);
  const std::uint32_t* const offsets = segments.offsets;
  const std::size_t count = segments.count;
  c.moves([=] { return 2 * sizeof(T) * n + count * sizeof(std::uint32_t); });
  compare_segmented<T>(
    c, segments.keys, gimbal::heads_from_offsets<const std::uint32_t*>{offsets, static_cast<gimbal::index_type>(count)},
    gimbal::segment_offsets(offsets, offsets + count));
}

const implementation here[] = {
  {"inclusive_scan_by_key", "i32+i8", compare_by_key<std::int8_t>},
  {"inclusive_scan_by_key", "i32+i32", compare_by_key<std::int32_t>},
  {"inclusive_scan_by_key", "i32+f32", compare_by_key<float>},
  {"inclusive_scan_by_key", "i32+f64", compare_by_key<double>},
  {"inclusive_scan_by_key", "i32+u64x4", compare_by_key<u64x4>},
  {"segmented_scan_flags", "i32", compare_by_flags<std::int32_t>},
  {"segmented_scan_flags", "f32", compare_by_flags<float>},
  {"segmented_scan_offsets", "i32", compare_by_offsets<std::int32_t>},
};

}  // namespace

}  // namespace perf
