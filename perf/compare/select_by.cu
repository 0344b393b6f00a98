// Selection by a second sequence: a stencil that a predicate judges, or flags.
#include <gimbal/cub/select.h>
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>

#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

#include "inputs.h"

namespace perf {

namespace {

using item = std::int32_t;

void compare_stencil(comparison& c)
{
  const int n = c.n();
  const item* const stencil = make_items<item>(c);
  const item* const in = make_values<item>(c);
  const selects<item> predicate(c.distribution());
  const twin<item> out = c.output<item>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::FlaggedIf(storage, bytes, in, stencil, out.stock, count.stock, n, predicate);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::FlaggedIf(storage, bytes, in, stencil, out.gimbal, count.gimbal, n, predicate);
    });

  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (std::size_t{2} * n + *selected.stock) * sizeof(item); });
  c.wall(
    [=] { *selected.stock = thrust::copy_if(thrust::device, in, in + n, stencil, out.stock, predicate) - out.stock; },
    [=] { *selected.gimbal = thrust::copy_if(gimbal::par, in, in + n, stencil, out.gimbal, predicate) - out.gimbal; });
}

using flag = std::uint8_t;

__global__ void flag_kernel(const item* items, flag* flags, int n, selects<item> predicate)
{
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    flags[i] = predicate(items[i]) ? 1 : 0;
  }
}

void compare_flags(comparison& c)
{
  constexpr int threads = 256;
  const int n = c.n();
  const item* const in = make_items<item>(c);
  flag* const flags = c.array<flag>(n);
  flag_kernel<<<(n + threads - 1) / threads, threads>>>(in, flags, n, selects<item>(c.distribution()));
  PERF_CHECK(cudaGetLastError());
  const twin<item> out = c.output<item>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(storage, bytes, in, flags, out.stock, count.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::Flagged(storage, bytes, in, flags, out.gimbal, count.gimbal, n);
    });

  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.moves([=] { return (n + *selected.stock) * sizeof(item) + n * sizeof(flag); });
  const ::cuda::std::identity is_set;
  c.wall(
    [=] { *selected.stock = thrust::copy_if(thrust::device, in, in + n, flags, out.stock, is_set) - out.stock; },
    [=] { *selected.gimbal = thrust::copy_if(gimbal::par, in, in + n, flags, out.gimbal, is_set) - out.gimbal; });
}

const implementation here[] = {
  {"copy_if_stencil", "i32", compare_stencil},
  {"copy_if_flags", "i32", compare_flags},
};

}  // namespace

}  // namespace perf
