// Sums, of squares too, with various shapes of the blocks, and other reductions by way of Thrust with the shapes that they have.
#include <gimbal/gimbal.h>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/logical.h>

#include <cub/device/device_reduce.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;

template <class T, unsigned Threads, unsigned Vectors, unsigned Blocks>
struct shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Vectors * 16 / sizeof(T);
  static constexpr unsigned single_items_per_thread = items_per_thread;
  static constexpr unsigned mapped_rows = Vectors;
  static constexpr std::int64_t more_rows_from_items = std::int64_t{1} << 62;
  static constexpr unsigned tile_threads = 1024;
  static constexpr unsigned small_tile_threads = 256;
  static constexpr unsigned blocks = Blocks;
  static constexpr unsigned many_blocks = Blocks;
  static constexpr unsigned ordered_blocks(std::size_t) { return Blocks; }
  static constexpr unsigned spread_blocks = 132;
  static constexpr unsigned warp_aggregates = 64;

  static std::string name()
  {
    return std::to_string(Blocks) + " blocks of " + std::to_string(Threads) + " threads of " + std::to_string(Vectors)
           + " vectors";
  }
};

template <class Shape, class InputIt, class T>
void variant(tuning_run& r, const std::string& name, InputIt in, T* out)
{
  r.variant(name, [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<Shape>(storage, bytes, in, n, out, cuda::std::plus<T>{}, T{0}, nullptr).code;
  });
}
template <class Shape, class InputIt, class T>
void variant(tuning_run& r, InputIt in, T* out)
{
  variant<Shape>(r, Shape::name(), in, out);
}

template <class T>
void sum(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const out = r.array<T>(2);
  r.output(out, out + 1, sizeof(T));
  r.moves(n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in, out, static_cast<std::int64_t>(n));
  });
  variant<shape<T, 512, 4, 132 * 4>>(r, in, out + 1);
  if (n <= 1 << 22) {
    variant<shape<T, 256, 4, 132 * 4>>(r, in, out + 1);
    variant<shape<T, 512, 2, 132 * 4>>(r, in, out + 1);
    variant<shape<T, 1024, 2, 132 * 2>>(r, in, out + 1);
  }
}

/// Sums of what comes through an iterator, item by item.
template <class T>
void sum_of_squares(tuning_run& r)
{
  const std::size_t n = r.n();
  const auto in = thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(n)), square{});
  T* const out = r.array<T>(2);
  if constexpr (std::is_integral_v<T>) {
    r.output(out, out + 1, sizeof(T));
  }
  r.moves(n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in, out, static_cast<std::int64_t>(n));
  });
  variant<gimbal::tuning::reduce<sizeof(T)>>(r, "call", in, out + 1);
  variant<shape<T, 512, 4, 132 * 4>>(r, in, out + 1);
  variant<shape<T, 512, 8, 132 * 16>>(r, in, out + 1);
  variant<shape<T, 256, 4, 132 * 16>>(r, in, out + 1);
  variant<shape<T, 256, 2, 132 * 8>>(r, in, out + 1);
}

/// An operator of which nobody knows that it commutes.
struct larger {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const
  {
    return a < b ? b : a;
  }
};
template <class Shape, class T>
void ordered_variant(tuning_run& r, const T* in, T* out)
{
  r.variant("as it is", [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<Shape>(storage, bytes, in, n, out, larger{}, T{0}, nullptr).code;
  });
}
template <class T>
void ordered(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const out = r.array<T>(2);
  r.output(out, out + 1, sizeof(T));
  r.moves(n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(storage, bytes, in, out, static_cast<std::int64_t>(n), larger{}, T{0});
  });
  ordered_variant<gimbal::tuning::reduce<sizeof(T)>>(r, in, out + 1);
}

struct is_odd {
  template <class T>
  __host__ __device__ bool operator()(T x) const
  {
    return x % 2 != 0;
  }
};
struct is_any {
  template <class T>
  __host__ __device__ bool operator()(T x) const
  {
    return x != T{77};
  }
};

/// A call of Thrust that returns a number, with its host side.
template <class T, class Run>
void by_thrust(tuning_run& r, Run run)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  std::int64_t* const out = r.array<std::int64_t>(2);
  r.output(out, out + 1, sizeof *out);
  r.moves(n * sizeof(T));
  const auto call = [=](auto policy, std::int64_t* to) {
    return [=](void* storage, std::size_t& bytes) {
      if (storage == nullptr) {
        bytes = 1;
        return cudaSuccess;
      }
      const std::int64_t result = run(policy, in, in + n);
      return cudaMemcpyAsync(to, &result, sizeof result, cudaMemcpyHostToDevice);
    };
  };
  r.stock(call(thrust::device, out));
  r.variant("as it is", call(gimbal::par, out + 1));
}

template <class T>
void min_element(tuning_run& r)
{
  by_thrust<T>(
    r, [](auto policy, const T* first, const T* last) { return thrust::min_element(policy, first, last) - first; });
}
template <class T>
void minmax_element(tuning_run& r)
{
  by_thrust<T>(r, [](auto policy, const T* first, const T* last) {
    const auto both = thrust::minmax_element(policy, first, last);
    return (both.first - first) * 3 + (both.second - first);
  });
}
template <class T>
void count_if(tuning_run& r)
{
  by_thrust<T>(
    r, [](auto policy, const T* first, const T* last) { return thrust::count_if(policy, first, last, is_odd{}); });
}
template <class T>
void all_of(tuning_run& r)
{
  by_thrust<T>(
    r, [](auto policy, const T* first, const T* last) { return thrust::all_of(policy, first, last, is_any{}); });
}

const tuning_subject i8{"reduce i8", sum<std::int8_t>};
const tuning_subject i32{"reduce i32", sum<std::int32_t>};
const tuning_subject i64{"reduce i64", sum<std::int64_t>};
const tuning_subject f64{"reduce f64", sum<double>};
const tuning_subject f32{"reduce f32", sum<float>};
const tuning_subject squares_i8{"reduce squares i8", sum_of_squares<std::int8_t>};
const tuning_subject squares_i32{"reduce squares i32", sum_of_squares<std::int32_t>};
const tuning_subject squares_f64{"reduce squares f64", sum_of_squares<double>};
const tuning_subject ordered_i8{"ordered i8", ordered<std::int8_t>};
const tuning_subject ordered_i32{"ordered i32", ordered<std::int32_t>};
const tuning_subject ordered_i64{"ordered i64", ordered<std::int64_t>};
const tuning_subject min_i8{"min_element i8", min_element<std::int8_t>};
const tuning_subject min_i32{"min_element i32", min_element<std::int32_t>};
const tuning_subject min_i64{"min_element i64", min_element<std::int64_t>};
const tuning_subject minmax_i32{"minmax_element i32", minmax_element<std::int32_t>};
const tuning_subject count_i8{"count_if i8", count_if<std::int8_t>};
const tuning_subject count_i32{"count_if i32", count_if<std::int32_t>};
const tuning_subject count_i64{"count_if i64", count_if<std::int64_t>};
const tuning_subject all_i32{"all_of i32", all_of<std::int32_t>};

}  // namespace

}  // namespace perf
