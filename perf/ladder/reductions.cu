// The sections about sums: the eight steps, how results of blocks come together, and five float matrices.
#include <gimbal/cub/reduce.h>
#include <gimbal/gimbal.h>
#include <perf/ladder/ladder.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <perf/ladder/one_pass.cuh>

namespace ladder {

namespace {

/// From -32 to 32, zero on average: sums of 2^28 of them are exact in 32 bits, and their partial sums in any order stay
/// below 2^24, where floats are exact too.
struct small_value {
  __host__ __device__ int operator()(std::size_t i) const { return static_cast<int>(perf::mixed(i) % 65) - 32; }
};

/// Each side's copy, renewed before each sample: v0 overwrites its items.
template <class T>
twin<T> small_values(comparison& c)
{
  return c.changed_in_place<T>(c.filled<T>(c.size(), small_value{}), c.size(), [] { return std::size_t{0}; });
}

/// So many sums in a row.
template <int Repeats>
struct sums {
  template <class Calls>
  static void compare(comparison& c)
  {
    const int n = c.n();
    const twin<int> in = small_values<int>(c);
    const twin<int> out = c.output<int>(1);
    c.moves([=] { return n * sizeof(int); }, "read");
    c.device<cub::DeviceReduce, Calls>([=](auto calls, side of, void* storage, std::size_t& bytes) {
      cudaError_t code = cudaSuccess;
      for (int left = storage == nullptr ? 1 : Repeats; left > 0 && code == cudaSuccess; --left) {
        code = calls.Sum(storage, bytes, of(in), of(out), n);
      }
      return code;
    });
  }
};

/// From the host's call to the sum in the host's hands. A rung's storage is kept.
struct sum_as_call {
  template <class Calls>
  static void compare(comparison& c)
  {
    const int n = c.n();
    const twin<float> in = small_values<float>(c);
    const twin<float> sum = c.returned<float>();
    const auto by_thrust = [n](auto policy, const float* first) {
      return thrust::reduce(policy, first, first + n, 0.0f, thrust::plus<float>{});
    };
    float* const out = c.array<float>(1);
    const auto rung =
      perf::with_storage(c.memory(), [=](auto&&... storage) { return Calls::Sum(storage..., in.gimbal, out, n); });
    c.wall(
      [=] { *sum.stock = by_thrust(thrust::device, in.stock); },
      [=] {
        if constexpr (std::is_same_v<Calls, gimbal::DeviceReduce>) {
          *sum.gimbal = by_thrust(gimbal::par, in.gimbal);
        } else {
          rung();
          *sum.gimbal = perf::download(out);
        }
      });
  }
};

const task steps(
  "reductions", "sum of i32", perf::powers_of_two({28}),
  contenders<
    sums<1>, gimbal::DeviceReduce, reduction_v0<>, reduction_v1<>, reduction_v2<>, reduction_v3<>, reduction_v4<>,
    reduction_v5<>, reduction_v6<>, reduction_v7<>>());

const task results(
  "results", "100 sums of i32", perf::powers_of_two({20}),
  contenders<sums<100>, gimbal::DeviceReduce, two_pass<>, atomic_each_thread<>, atomic_each_block<>, ticket<>>());

task matrix(std::uint64_t rows)
{
  const std::string edge = std::to_string(rows);
  return {
    "matrices",
    edge + " x " + edge,
    {rows * rows},
    contenders<
      sum_as_call, gimbal::DeviceReduce, reduction_v0<>, reduction_v1<>, reduction_v2<>, reduction_v3<>, reduction_v4<>,
      reduction_v7<>>()};
}
const task matrices[] = {matrix(1000), matrix(2000), matrix(4000), matrix(6000), matrix(11000)};

}  // namespace

}  // namespace ladder
