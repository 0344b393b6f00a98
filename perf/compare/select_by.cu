// Selection by a second sequence: a stencil that a predicate judges, flags, or what a predicate reads by itself.
#include <gimbal/cub/select.h>
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

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

__global__ void modulo_kernel(item* to, const std::uint32_t* from, int n)
{
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    to[i] = static_cast<item>(from[i] % static_cast<unsigned>(n));
  }
}
void take_modulo(item* to, const std::uint32_t* from, int n)
{
  constexpr int threads = 256;
  modulo_kernel<<<(n + threads - 1) / threads, threads>>>(to, from, n);
  PERF_CHECK(cudaGetLastError());
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

/// Copy what `predicate` selects of n items from `in` on, of which each takes so many bytes of memory.
template <class InputIt, class Predicate>
void compare_by_memory(comparison& c, InputIt in, Predicate predicate, std::size_t bytes_each)
{
  const int n = c.n();
  const twin<item> out = c.output<item>(n);
  const twin<std::int32_t> count = c.output<std::int32_t>(1);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::If(storage, bytes, in, out.stock, count.stock, n, predicate);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::If(storage, bytes, in, out.gimbal, count.gimbal, n, predicate);
    });

  const twin<std::ptrdiff_t> selected = c.returned<std::ptrdiff_t>();
  c.moves([=] { return n * bytes_each + *selected.stock * sizeof(item); });
  c.wall(
    [=] { *selected.stock = thrust::copy_if(thrust::device, in, in + n, out.stock, predicate) - out.stock; },
    [=] { *selected.gimbal = thrust::copy_if(gimbal::par, in, in + n, out.gimbal, predicate) - out.gimbal; });
}

struct names_some {
  const item* named;
  selects<item> some;
  __host__ __device__ bool operator()(item i) const { return some(named[i]); }
};
/// Of a list of numbers of items, in no order, those that name some.
void compare_listed(comparison& c)
{
  const int n = c.n();
  item* const list = c.array<item>(n);
  take_modulo(list, make_items<std::uint32_t>(c), n);
  compare_by_memory(
    c, static_cast<const item*>(list), names_some{make_items<item>(c), selects<item>(c.distribution())},
    2 * sizeof(item));
}

struct begins_run {
  const std::int32_t* keys;
  __host__ __device__ bool operator()(item i) const { return i == 0 || keys[i] != keys[i - 1]; }
};
/// Of all numbers, those at which runs of equal keys begin.
void compare_heads(comparison& c)
{
  compare_by_memory(c, thrust::counting_iterator<item>(0), begins_run{make_runs(c).keys}, sizeof(item));
}

const implementation here[] = {
  {"copy_if_stencil", "i32", compare_stencil},
  {"copy_if_flags", "i32", compare_flags},
  {"copy_if_listed", "i32", compare_listed},
  {"copy_if_heads", "i32", compare_heads},
};

}  // namespace

}  // namespace perf
