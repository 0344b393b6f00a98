// Measures reductions as users write them.
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>

#include <cuda/functional>
#include <cuda/std/complex>
#include <cuda/std/utility>

#include "survey.h"

namespace perf {

namespace {

/// Of n items from `x` on.
template <class T, class InputIt, class... InitAndOp>
void reduces(comparison& c, InputIt x, InitAndOp... rest)
{
  returns<T>(c, [=](auto policy, int n) { return thrust::reduce(policy, x, x + n, rest...); });
}
template <class T, class InputIt, class F, class Op>
void reduces_transformed(comparison& c, InputIt x, F f, T init, Op op)
{
  returns<T>(c, [=](auto policy, int n) { return thrust::transform_reduce(policy, x, x + n, f, init, op); });
}

template <class T, class Sum = T>
void sum(comparison& c)
{
  reduces<Sum>(c, numbers<T>(c), Sum{0});
}

struct magnitude {
  __host__ __device__ float operator()(float x) const { return x < 0 ? -x : x; }
};
const implementation greatest_magnitude("transform_reduce", "greatest magnitude", [](comparison& c) {
  reduces_transformed(c, numbers<float>(c, 1 << 20, -(1 << 19)), magnitude{}, 0.0f, thrust::maximum<float>());
});

template <class T>
void dot_product(comparison& c)
{
  const T* const x = numbers<T>(c);
  const T* const y = numbers<T>(c, 5, -2);
  returns<T>(c, [=](auto policy, int n) { return thrust::inner_product(policy, x, x + n, y, T{}); });
}

struct distance {
  __host__ __device__ float operator()(float a, float b) const { return (a - b) * (a - b); }
};
/// 1 for one number in sixteen, so that a float holds the sum of 2^26 of them.
struct seldom_one {
  std::uint64_t seed;
  __host__ __device__ float operator()(std::uint64_t i) const { return mixed(i + seed) % 16 == 0 ? 1.0f : 0.0f; }
};
const implementation squared_distance("inner_product", "squared distance", [](comparison& c) {
  const float* const x = items(c, seldom_one{0});
  const float* const y = items(c, seldom_one{std::uint64_t{1} << 40});
  returns<float>(c, [=](auto policy, int n) {
    return thrust::inner_product(policy, x, x + n, y, 0.0f, thrust::plus<float>(), distance{});
  });
});

const implementation squared_distance_zipped("transform_reduce", "squared distance, zip_function", [](comparison& c) {
  const float* const x = items(c, seldom_one{0});
  const float* const y = items(c, seldom_one{std::uint64_t{1} << 40});
  reduces_transformed(
    c, thrust::make_zip_iterator(x, y), thrust::make_zip_function(distance{}), 0.0f, thrust::plus<float>());
});

struct take_greater {
  __host__ __device__ auto operator()(const thrust::tuple<float, int>& a, const thrust::tuple<float, int>& b) const
  {
    const bool takes_b = thrust::get<0>(b) > thrust::get<0>(a)
                         || (thrust::get<0>(b) == thrust::get<0>(a) && thrust::get<1>(b) < thrust::get<1>(a));
    return takes_b ? b : a;
  }
};
const implementation argmax_of_zipped("reduce", "argmax of zip(float, counting)", [](comparison& c) {
  const float* const x = numbers<float>(c, 1 << 23);
  reduces<thrust::tuple<float, int>>(
    c, thrust::make_zip_iterator(x, thrust::make_counting_iterator(0)), thrust::make_tuple(-1e30f, -1), take_greater{});
});

struct vec3 {
  float x, y, z;
  friend __host__ __device__ vec3 operator+(const vec3& a, const vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};
struct to_vec3 {
  __host__ __device__ vec3 operator()(std::uint64_t i) const
  {
    const std::uint64_t word = mixed(i);
    const auto small = [word](unsigned k) { return static_cast<float>(static_cast<int>((word >> 16 * k) % 7) - 3); };
    return {small(0), small(1), small(2)};
  }
};
const implementation sum_of_points("reduce", "points of three floats", [](comparison& c) {
  reduces<vec3>(c, items(c, to_vec3{}), vec3{0, 0, 0});
});

using float_tuple = thrust::tuple<float, float, float>;
struct plus3 {
  __host__ __device__ float_tuple operator()(const float_tuple& a, const float_tuple& b) const
  {
    return {
      thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b),
      thrust::get<2>(a) + thrust::get<2>(b)};
  }
};
const implementation sum_of_three_arrays("reduce", "zip of three floats", [](comparison& c) {
  const auto points = thrust::make_zip_iterator(numbers<float>(c), numbers<float>(c, 5, -2), numbers<float>(c, 3, -1));
  reduces<float_tuple>(c, points, float_tuple{0, 0, 0}, plus3{});
});

const implementation sum_of_complex("reduce", "complex<float>", [](comparison& c) {
  using complex = ::cuda::std::complex<float>;
  reduces<complex>(c, made_of<complex, float>(c), complex{});
});

template <class T>
void minmax(comparison& c)
{
  const T* const x = numbers<T>(c, 1 << 23);
  returns<::cuda::std::pair<std::ptrdiff_t, std::ptrdiff_t>>(c, [=](auto policy, int n) {
    const auto found = thrust::minmax_element(policy, x, x + n);
    return ::cuda::std::pair<std::ptrdiff_t, std::ptrdiff_t>{found.first - x, found.second - x};
  });
}

struct less_second {
  __host__ __device__ bool operator()(const int2& a, const int2& b) const { return a.y < b.y; }
};
const implementation greatest_by_member("max_element", "int2 by a member", [](comparison& c) {
  const auto* const x = made_of<int2, int>(c, 1 << 30);
  returns<std::ptrdiff_t>(
    c, [=](auto policy, int n) { return thrust::max_element(policy, x, x + n, less_second{}) - x; });
});

const implementation least_from_device_pointer("min_element", "device_ptr<const double>", [](comparison& c) {
  const thrust::device_ptr<const double> x(numbers<double>(c, 1 << 30));
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::min_element(policy, x, x + n) - x; });
});

template <class T>
void place_of_greatest(comparison& c)
{
  const T* const x = numbers<T>(c, 1 << 16, -(1 << 15));
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::max_element(policy, x, x + n) - x; });
}

const implementation greatest_u16("narrow", "reduce, u16, maximum", [](comparison& c) {
  reduces<u16>(c, numbers<u16>(c, 1 << 16), u16{0}, ::cuda::maximum<u16>{});
});

struct to_energy {
  __host__ __device__ long long operator()(long long x) const { return x * x; }
};
const implementation energy("narrow", "transform_reduce, energy of i16", [](comparison& c) {
  reduces_transformed(c, numbers<i16>(c), to_energy{}, 0ll, thrust::plus<long long>());
});

struct is_letter {
  __host__ __device__ bool operator()(u8 x) const { return x < 5; }
};
const implementation count_letters("narrow", "count_if, letters", [](comparison& c) {
  const u8* const x = numbers<u8>(c);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::count_if(policy, x, x + n, is_letter{}); });
});

template <class T>
void count_value(comparison& c)
{
  const T* const x = numbers<T>(c);
  returns<std::ptrdiff_t>(c, [=](auto policy, int n) { return thrust::count(policy, x, x + n, T{3}); });
}

/// Sixteen points of a sequence that fall into a quarter of a circle.
struct inside_circle {
  __host__ __device__ int operator()(unsigned seed) const
  {
    int inside = 0;
    for (unsigned i = 0; i < 16; ++i) {
      const std::uint64_t word = mixed(std::uint64_t{seed} * 16 + i);
      const float x = static_cast<float>(word & 0xffff) / 65536;
      const float y = static_cast<float>(word >> 16 & 0xffff) / 65536;
      inside += x * x + y * y < 1;
    }
    return inside;
  }
};
const implementation monte_carlo("transform_reduce", "monte carlo", [](comparison& c) {
  reduces_transformed(c, thrust::make_counting_iterator(0u), inside_circle{}, 0, thrust::plus<int>());
});

const implementation sum_gathered("reduce", "gathered float", [](comparison& c) {
  reduces<float>(c, thrust::make_permutation_iterator(numbers<float>(c), numbers<int>(c, c.n(), 0)));
});

struct is_head {
  const int* keys;
  __host__ __device__ int operator()(int i) const { return i == 0 || keys[i] != keys[i - 1]; }
};
const implementation count_of_runs("transform_reduce", "heads of runs, by their places", [](comparison& c) {
  const is_head head{numbers<int>(c, 3, 0)};
  reduces_transformed(c, thrust::make_counting_iterator(0), head, 0, thrust::plus<int>());
});

const implementation here[] = {
  {"reduce", "unsigned short", sum<unsigned short>},
  {"reduce", "float in double", sum<float, double>},
  {"inner_product", "float", dot_product<float>},
  {"inner_product", "double", dot_product<double>},
  {"minmax_element", "float", minmax<float>},
  {"minmax_element", "short", minmax<short>},
  {"count", "char", count_value<char>},
  {"count", "double", count_value<double>},
  {"narrow", "reduce, u8 in u8", sum<u8>},
  {"narrow", "reduce, u8 in int", sum<u8, int>},
  {"narrow", "reduce, i16 in long long", sum<i16, long long>},
  {"narrow", "max_element, u8", place_of_greatest<u8>},
  {"narrow", "max_element, i16", place_of_greatest<i16>},
};

}  // namespace

}  // namespace perf
