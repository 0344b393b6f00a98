// Reductions as users write them.
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#include <cuda/std/complex>
#include <cuda/std/utility>

#include "survey.h"

namespace perf {

namespace {

template <class T>
void sum(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto result = c.returned<T>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, x, x + n); });
}

void sum_of_device_pointers(comparison& c)
{
  const int n = c.n();
  const thrust::device_ptr<const float> x(numbers<float>(c, n));
  const auto result = c.returned<float>();
  call_both(
    c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, x, x + n, 0.0f, thrust::plus<float>()); });
}

void floats_in_a_double(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const auto result = c.returned<double>();
  call_both(
    c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, x, x + n, 0.0, thrust::plus<double>()); });
}

struct magnitude {
  __host__ __device__ float operator()(float x) const { return x < 0 ? -x : x; }
};
void greatest_magnitude(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n, 1 << 20, -(1 << 19));
  const auto result = c.returned<float>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::transform_reduce(policy, x, x + n, magnitude{}, 0.0f, thrust::maximum<float>());
  });
}

template <class T>
void dot_product(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const T* const y = numbers<T>(c, n, 5, -2);
  const auto result = c.returned<T>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::inner_product(policy, x, x + n, y, T{}); });
}

struct distance {
  __host__ __device__ float operator()(float a, float b) const { return (a - b) * (a - b); }
};
/// 1 for one number in sixteen, so that a float holds the sum of 2^26 of them.
struct seldom_one {
  std::uint64_t seed;
  __host__ __device__ float operator()(std::uint64_t i) const { return mixed_word{}(i + seed) % 16 == 0 ? 1.0f : 0.0f; }
};
void squared_distance(comparison& c)
{
  const int n = c.n();
  const float* const x = items(c, n, seldom_one{0});
  const float* const y = items(c, n, seldom_one{std::uint64_t{1} << 40});
  const auto result = c.returned<float>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::inner_product(policy, x, x + n, y, 0.0f, thrust::plus<float>(), distance{});
  });
}

struct greater_of {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
void greatest_distance(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n);
  const float* const y = numbers<float>(c, n, 5, -2);
  const auto result = c.returned<float>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::inner_product(policy, x, x + n, y, 0.0f, greater_of{}, distance{});
  });
}

void squared_distance_zipped(comparison& c)
{
  const int n = c.n();
  const float* const x = items(c, n, seldom_one{0});
  const float* const y = items(c, n, seldom_one{std::uint64_t{1} << 40});
  const auto both = thrust::make_zip_iterator(x, y);
  const auto result = c.returned<float>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::transform_reduce(
      policy, both, both + n, thrust::make_zip_function(distance{}), 0.0f, thrust::plus<float>());
  });
}

struct take_greater {
  __host__ __device__ auto operator()(const thrust::tuple<float, int>& a, const thrust::tuple<float, int>& b) const
  {
    const bool takes_b = thrust::get<0>(b) > thrust::get<0>(a)
                         || (thrust::get<0>(b) == thrust::get<0>(a) && thrust::get<1>(b) < thrust::get<1>(a));
    return takes_b ? b : a;
  }
};
void argmax_of_zipped(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n, 1 << 23);
  const auto pairs = thrust::make_zip_iterator(x, thrust::make_counting_iterator(0));
  const auto result = c.returned<thrust::tuple<float, int>>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::reduce(policy, pairs, pairs + n, thrust::make_tuple(-1e30f, -1), take_greater{});
  });
}

struct vec3 {
  float x, y, z;
  friend __host__ __device__ vec3 operator+(const vec3& a, const vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};
struct to_vec3 {
  __host__ __device__ vec3 operator()(std::uint64_t i) const
  {
    const std::uint64_t word = mixed_word{}(i);
    const auto small = [word](unsigned k) { return static_cast<float>(static_cast<int>((word >> 16 * k) % 7) - 3); };
    return {small(0), small(1), small(2)};
  }
};
void sum_of_points(comparison& c)
{
  const int n = c.n();
  const vec3* const x = items(c, n, to_vec3{});
  const auto result = c.returned<vec3>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, x, x + n, vec3{0, 0, 0}); });
}

struct plus4 {
  __host__ __device__ float4 operator()(const float4& a, const float4& b) const
  {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  }
};
void sum_of_float4(comparison& c)
{
  const int n = c.n();
  const float4* const x = reinterpret_cast<const float4*>(numbers<float>(c, std::size_t{4} * n));
  const auto result = c.returned<float4>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::reduce(policy, x, x + n, float4{0, 0, 0, 0}, plus4{});
  });
}

using float_tuple = thrust::tuple<float, float, float>;
struct plus3 {
  __host__ __device__ float_tuple operator()(const float_tuple& a, const float_tuple& b) const
  {
    return {
      thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b),
      thrust::get<2>(a) + thrust::get<2>(b)};
  }
};
void sum_of_three_arrays(comparison& c)
{
  const int n = c.n();
  const auto points =
    thrust::make_zip_iterator(numbers<float>(c, n), numbers<float>(c, n, 5, -2), numbers<float>(c, n, 3, -1));
  const auto result = c.returned<float_tuple>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::reduce(policy, points, points + n, float_tuple{0, 0, 0}, plus3{});
  });
}

void sum_of_complex(comparison& c)
{
  using complex = ::cuda::std::complex<float>;
  const int n = c.n();
  const complex* const x = reinterpret_cast<const complex*>(numbers<float>(c, std::size_t{2} * n));
  const auto result = c.returned<complex>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, x, x + n, complex{}); });
}

struct extent {
  float least, greatest;
};
struct to_extent {
  __host__ __device__ extent operator()(float x) const { return {x, x}; }
};
struct join_extents {
  __host__ __device__ extent operator()(extent a, extent b) const
  {
    return {b.least < a.least ? b.least : a.least, b.greatest > a.greatest ? b.greatest : a.greatest};
  }
};
void least_and_greatest(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, n, 1 << 23);
  const auto result = c.returned<extent>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::transform_reduce(policy, x, x + n, to_extent{}, extent{1e30f, -1e30f}, join_extents{});
  });
}

template <class T>
void minmax(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n, 1 << 23);
  const auto result = c.returned<::cuda::std::pair<std::ptrdiff_t, std::ptrdiff_t>>();
  call_both(c, [=](auto policy, side of) {
    const auto found = thrust::minmax_element(policy, x, x + n);
    *of(result) = {found.first - x, found.second - x};
  });
}

struct less_second {
  __host__ __device__ bool operator()(const int2& a, const int2& b) const { return a.y < b.y; }
};
void greatest_by_member(comparison& c)
{
  const int n = c.n();
  const int2* const x = reinterpret_cast<const int2*>(numbers<int>(c, std::size_t{2} * n, 1 << 30));
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::max_element(policy, x, x + n, less_second{}) - x; });
}

void least_from_device_pointer(comparison& c)
{
  const int n = c.n();
  const thrust::device_ptr<const double> x(numbers<double>(c, n, 1 << 30));
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::min_element(policy, x, x + n) - x; });
}

template <class T>
void count_value(comparison& c)
{
  const int n = c.n();
  const T* const x = numbers<T>(c, n);
  const auto result = c.returned<std::ptrdiff_t>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::count(policy, x, x + n, T{3}); });
}

/// Sixteen points of a sequence that fall into a quarter of a circle.
struct inside_circle {
  __host__ __device__ int operator()(unsigned seed) const
  {
    int inside = 0;
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint64_t word = mixed_word{}(std::uint64_t{seed} * 16 + i);
      const float x = static_cast<float>(word & 0xffff) / 65536;
      const float y = static_cast<float>(word >> 16 & 0xffff) / 65536;
      inside += x * x + y * y < 1;
    }
    return inside;
  }
};
void monte_carlo(comparison& c)
{
  const int n = c.n();
  const auto seeds = thrust::make_counting_iterator(0u);
  const auto result = c.returned<int>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::transform_reduce(policy, seeds, seeds + n, inside_circle{}, 0, thrust::plus<int>());
  });
}

/// A row of a matrix that is stored by rows, of which each call reads one item in `columns`.
struct in_column {
  int columns;
  __host__ __device__ int operator()(int row) const { return row * columns; }
};
void sum_of_a_column(comparison& c)
{
  const int n = c.n();
  const float* const x = numbers<float>(c, std::size_t{8} * n);
  const auto column = thrust::make_permutation_iterator(
    x, thrust::make_transform_iterator(thrust::make_counting_iterator(0), in_column{8}));
  const auto result = c.returned<float>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, column, column + n); });
}

void sum_gathered(comparison& c)
{
  const int n = c.n();
  const auto chosen = thrust::make_permutation_iterator(numbers<float>(c, n), numbers<int>(c, n, n, 0));
  const auto result = c.returned<float>();
  call_both(c, [=](auto policy, side of) { *of(result) = thrust::reduce(policy, chosen, chosen + n); });
}

void union_of_bits(comparison& c)
{
  const int n = c.n();
  const std::uint64_t* const x = numbers<std::uint64_t>(c, n, 1 << 20);
  const auto result = c.returned<std::uint64_t>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::reduce(policy, x, x + n, std::uint64_t{0}, thrust::bit_or<std::uint64_t>());
  });
}

struct is_head {
  const int* keys;
  __host__ __device__ int operator()(int i) const { return i == 0 || keys[i] != keys[i - 1]; }
};
void count_of_runs(comparison& c)
{
  const int n = c.n();
  const int* const keys = numbers<int>(c, n, 3, 0);
  const auto places = thrust::make_counting_iterator(0);
  const auto result = c.returned<int>();
  call_both(c, [=](auto policy, side of) {
    *of(result) = thrust::transform_reduce(policy, places, places + n, is_head{keys}, 0, thrust::plus<int>());
  });
}

const implementation here[] = {
  {"reduce", "char", sum<char>},
  {"reduce", "unsigned short", sum<unsigned short>},
  {"reduce", "float", sum<float>},
  {"reduce", "long long", sum<long long>},
  {"reduce", "device_ptr<const float>", sum_of_device_pointers},
  {"reduce", "float in double", floats_in_a_double},
  {"transform_reduce", "greatest magnitude", greatest_magnitude},
  {"inner_product", "float", dot_product<float>},
  {"inner_product", "double", dot_product<double>},
  {"inner_product", "squared distance", squared_distance},
  {"inner_product", "greatest distance, the user's", greatest_distance},
  {"transform_reduce", "squared distance, zip_function", squared_distance_zipped},
  {"reduce", "argmax of zip(float, counting)", argmax_of_zipped},
  {"reduce", "points of three floats", sum_of_points},
  {"reduce", "float4", sum_of_float4},
  {"reduce", "zip of three floats", sum_of_three_arrays},
  {"reduce", "complex<float>", sum_of_complex},
  {"transform_reduce", "least and greatest float", least_and_greatest},
  {"minmax_element", "float", minmax<float>},
  {"minmax_element", "short", minmax<short>},
  {"max_element", "int2 by a member", greatest_by_member},
  {"min_element", "device_ptr<const double>", least_from_device_pointer},
  {"count", "char", count_value<char>},
  {"count", "double", count_value<double>},
  {"transform_reduce", "monte carlo", monte_carlo},
  {"reduce", "column of a matrix", sum_of_a_column},
  {"reduce", "gathered float", sum_gathered},
  {"reduce", "bit_or of 64 bits", union_of_bits},
  {"transform_reduce", "heads of runs, by their places", count_of_runs},
};

}  // namespace

}  // namespace perf
