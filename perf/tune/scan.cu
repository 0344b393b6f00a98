// Exclusive sums: the streaming scan with various shapes, and the look-back scan.
#include <cub/device/device_scan.cuh>
#include <gimbal/kernel/scan.cuh>
#include <gimbal/kernel/segmented_scan.cuh>
#include <gimbal/kernel/stream_segmented_scan.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;
using gimbal::kernel::exclusive_scan_tag;

template <unsigned Scanners, unsigned Servers, std::size_t LaneBytes, std::size_t RingKilobytes, unsigned Stages>
struct shape {
  static constexpr unsigned scanner_warps = Scanners;
  static constexpr unsigned server_warps = Servers;
  static constexpr std::size_t lane_bytes = LaneBytes;
  static constexpr std::size_t ring_bytes = RingKilobytes * 1024;
  static constexpr unsigned most_stages = Stages;
  static constexpr index_type from_bytes = 0;

  static std::string name()
  {
    return std::to_string(Scanners) + " scanners " + std::to_string(Servers) + " servers " + std::to_string(LaneBytes)
           + " B/lane " + std::to_string(RingKilobytes) + " KB " + std::to_string(Stages) + " stages";
  }
};

template <class Plan>
cudaError_t run_plan(Plan plan, void* storage, std::size_t& bytes)
{
  PERF_CHECK(plan.find_room().code);
  if (storage == nullptr) {
    bytes = 1;
    return plan.blocks > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
  }
  return plan.launch(nullptr).code;
}

template <class Shape, class T>
void stream_variant(tuning_run& r, const T* in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return run_plan(
      gimbal::kernel::plan_stream_scan<Shape>(exclusive_scan_tag{}, in, out, n, cuda::std::plus<>{}, T{0}), storage,
      bytes);
  });
}

template <class T>
void scan(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  r.output(expected, out, n * sizeof(T));
  r.moves(2 * n * sizeof(T));
  r.stock(
    [=](void* storage, std::size_t& bytes) { return cub::DeviceScan::ExclusiveSum(storage, bytes, in, expected, n); });
  r.variant("look-back", [=](void* storage, std::size_t& bytes) {
    return gimbal::kernel::scan<gimbal::tuning::scan<sizeof(T)>>(
             storage, bytes, exclusive_scan_tag{}, in, out, static_cast<index_type>(n), cuda::std::plus<>{}, T{0},
             nullptr)
      .code;
  });
  stream_variant<shape<8, 4, 80, 200, 12>>(r, in, out);
  stream_variant<shape<8, 8, 80, 200, 12>>(r, in, out);
  stream_variant<shape<8, 8, 48, 200, 12>>(r, in, out);
  stream_variant<shape<8, 8, 48, 200, 16>>(r, in, out);
  stream_variant<shape<8, 8, 112, 200, 12>>(r, in, out);
  stream_variant<shape<4, 8, 80, 100, 10>>(r, in, out);
}

const tuning_subject i8{"scan i8", scan<std::int8_t>};
const tuning_subject i32{"scan i32", scan<std::int32_t>};
const tuning_subject i64{"scan i64", scan<std::int64_t>};

template <class Shape, class Key, class T>
void by_key_variant(tuning_run& r, const Key* keys, const T* in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return run_plan(
      gimbal::kernel::plan_stream_segmented_scan<Shape>(
        exclusive_scan_tag{}, gimbal::heads_from_keys<const Key*, cuda::std::equal_to<>>{keys, {}}, in, out, n,
        cuda::std::plus<>{}, T{0}),
      storage, bytes);
  });
}

__global__ void make_runs(std::int32_t* keys, std::size_t n)
{
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    keys[i] = static_cast<std::int32_t>(i / 100);
  }
}

void by_key(tuning_run& r)
{
  using T = std::int32_t;
  const std::size_t n = r.n();
  T* const keys = r.array<T>(n);
  make_runs<<<1024, 256>>>(keys, n);
  PERF_CHECK(cudaGetLastError());
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  r.output(expected, out, n * sizeof(T));
  r.moves(3 * n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSumByKey(storage, bytes, keys, in, expected, static_cast<int>(n));
  });
  r.variant("look-back", [=](void* storage, std::size_t& bytes) {
    return gimbal::kernel::segmented_scan<gimbal::tuning::segmented_scan<sizeof(T)>>(
             storage, bytes, exclusive_scan_tag{}, gimbal::heads_from_keys<const T*, cuda::std::equal_to<>>{keys, {}},
             in, out, static_cast<index_type>(n), cuda::std::plus<>{}, T{0}, gimbal::no_totals{}, nullptr)
      .code;
  });
  by_key_variant<shape<8, 4, 80, 200, 12>>(r, keys, in, out);
  by_key_variant<shape<8, 8, 80, 200, 12>>(r, keys, in, out);
  by_key_variant<shape<8, 8, 48, 200, 12>>(r, keys, in, out);
  by_key_variant<shape<12, 6, 48, 200, 12>>(r, keys, in, out);
}

const tuning_subject keyed{"scan by key i32", by_key};

}  // namespace

}  // namespace perf
