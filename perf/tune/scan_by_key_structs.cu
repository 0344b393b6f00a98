// Inclusive sums by key of structs, in runs of 256: the streaming kernel with various shapes, and the look-back kernel.
#include <cub/device/device_scan.cuh>
#include <gimbal/algorithm/segmented/segmented_scan.cuh>

#include "stream_shape.h"

namespace perf {

namespace {

using gimbal::index_type;
using gimbal::algorithm::inclusive_scan_tag;

struct u64x4 {
  std::uint64_t part[4];
  friend __host__ __device__ u64x4 operator+(const u64x4& a, const u64x4& b)
  {
    return {{a.part[0] + b.part[0], a.part[1] + b.part[1], a.part[2] + b.part[2], a.part[3] + b.part[3]}};
  }
};

__global__ void make_keys(std::int32_t* keys, std::size_t n)
{
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    keys[i] = static_cast<std::int32_t>(i / 256);
  }
}

using key_heads = gimbal::heads_from_keys<const std::int32_t*, cuda::std::equal_to<>>;

template <class Tuning>
void call_variant(tuning_run& r, const char* name, const std::int32_t* keys, const u64x4* in, u64x4* out)
{
  r.variant(name, [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_scan<Tuning>(
             storage, bytes, inclusive_scan_tag{}, key_heads{keys, {}}, in, out, n, cuda::std::plus<>{},
             gimbal::no_init{}, gimbal::no_totals{}, nullptr)
      .code;
  });
}
template <class Shape>
void stream_variant(tuning_run& r, const std::int32_t* keys, const u64x4* in, u64x4* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return run_plan(
      gimbal::algorithm::plan_stream_segmented_scan<Shape>(
        inclusive_scan_tag{}, key_heads{keys, {}}, in, out, n, cuda::std::plus<>{}, gimbal::no_init{}),
      storage, bytes);
  });
}

void sums(tuning_run& r)
{
  const std::size_t n = r.n();
  std::int32_t* const keys = r.array<std::int32_t>(n);
  make_keys<<<1024, 256>>>(keys, n);
  PERF_CHECK(cudaGetLastError());
  const u64x4* const in = r.random_array<u64x4>(n);
  u64x4* const expected = r.array<u64x4>(n);
  u64x4* const out = r.array<u64x4>(n);
  r.output(expected, out, n * sizeof(u64x4));
  r.moves(n * (2 * sizeof(u64x4) + sizeof(std::int32_t)));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, expected, static_cast<int>(n));
  });
  call_variant<void>(r, "call", keys, in, out);
  call_variant<gimbal::tuning::segmented_scan<sizeof(u64x4)>>(r, "look-back", keys, in, out);
  stream_variant<shape<8, 8, 32, 220, 16>>(r, keys, in, out);
  stream_variant<shape<8, 8, 64, 220, 16>>(r, keys, in, out);
  stream_variant<shape<8, 8, 96, 220, 16>>(r, keys, in, out);
  stream_variant<shape<8, 8, 160, 220, 16>>(r, keys, in, out);
  stream_variant<shape<4, 4, 32, 220, 16>>(r, keys, in, out);
  stream_variant<shape<4, 4, 96, 220, 16>>(r, keys, in, out);
}

const tuning_subject u64x4_by_key{"scan by key 32 bytes", sums};

}  // namespace

}  // namespace perf
