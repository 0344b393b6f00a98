// Functors of reductions and searches are called on items, on results of their own and on the initial value alone. The
// operands of a reduction's operator are what it has made of neighbouring ranges of items, the left one first, in every
// call, including those whose result nobody reads.
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include "functor_operands.h"

namespace {

using namespace operands;

template <class T>
struct add_pairs {
  using pair = thrust::tuple<T, T>;
  add numbers;

  GIMBAL_HOST_DEVICE pair operator()(const pair& a, const pair& b) const
  {
    return {numbers(thrust::get<0>(a), thrust::get<0>(b)), numbers(thrust::get<1>(a), thrust::get<1>(b))};
  }
};

TEMPLATE_TEST_CASE(
  "functors of reductions see items alone", "[reduce]",
  std::uint32_t GIMBAL_MORE(std::uint8_t, std::uint16_t, std::uint64_t, words<3>, words<4>, words<6>, words<12>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    T* const end = in + n;
    check("reduce", [&](strays log) { thrust::reduce(gimbal::par, in, end, make_item<T>(2), add{log}); });
    check("transform_reduce", [&](strays log) {
      thrust::transform_reduce(gimbal::par, in, end, next<T>{log}, make_item<T>(1), add{log});
    });
    check("reduce_by_key", [&](strays log) {
      test::device_array<T> out(n);
      thrust::reduce_by_key(
        gimbal::par, in, end, in, thrust::make_discard_iterator(), out.data(), equal{log}, add{log});
    });
  });
}

TEMPLATE_TEST_CASE(
  "functors of searches see items alone", "[reduce]", std::uint32_t GIMBAL_MORE(std::uint8_t, words<6>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    T* const end = in + n;
    check("extrema", [&](strays log) {
      thrust::min_element(gimbal::par, in, end, less{log});
      thrust::minmax_element(gimbal::par, in, end, less{log});
    });
    check("counts", [&](strays log) { thrust::count_if(gimbal::par, in, end, is_odd{log}); });
    check("searches", [&](strays log) {
      thrust::find_if(gimbal::par, in, end, is_none{log});
      thrust::equal(gimbal::par, in, end, in, equal{log});
      thrust::is_sorted(gimbal::par, in, end, less{log});
      thrust::is_partitioned(gimbal::par, in, end, is_odd{log});
    });
  });
}

TEMPLATE_TEST_CASE(
  "functors of reductions see what iterators make alone", "[reduce]",
  std::uint32_t GIMBAL_MORE(std::uint64_t, words<3>, words<6>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    check("iterators", [&](strays log) {
      for_iterators(own.data(), n, log, [&](const char* kind, auto in) {
        INFO(kind);
        thrust::reduce(gimbal::par, in, in + n, make_item<T>(2), add{log});
      });
    });
  });
}

TEST_CASE("functors of two arrays and of searches see what iterators make alone", "[reduce]")
{
  using T = std::uint32_t;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    check("inner_product", [&](strays log) {
      thrust::inner_product(gimbal::par, in, in + n, in, make_item<T>(3), add{log}, add{log});
    });
    check("zipped", [&](strays log) {
      const auto pairs = thrust::make_zip_iterator(in, in);
      const auto init = thrust::make_tuple(make_item<T>(1), make_item<T>(2));
      thrust::reduce(gimbal::par, pairs, pairs + n, init, add_pairs<T>{{log}});
    });
    check("searches", [&](strays log) {
      const auto made = thrust::make_transform_iterator(in, next<T>{log});
      thrust::count_if(gimbal::par, made, made + n, is_odd{log});
      thrust::find_if(gimbal::par, made, made + n, is_none{log});
      thrust::max_element(gimbal::par, made, made + n, less{log});
    });
  });
}

/// n items of every kind that a reduction reads in a way of its own, as ranges of one item each, behind an empty one.
template <class Range>
void check_neighbours(std::size_t n)
{
  using number = decltype(Range::begin);
  const range_of_item<Range> of_item;
  std::vector<Range> ranges(n);
  std::vector<std::uint32_t> counted(n);
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    ranges[i] = of_item(i);
    counted[i] = static_cast<std::uint32_t>(i);
    keys[i] = static_cast<std::uint32_t>(i / (1 + i / 64 % 7));
  }
  test::device_array<Range> array(ranges);
  test::device_array<Range> shifted(ranges, 1);
  test::device_array<std::uint32_t> numbers(counted);
  test::device_array<std::uint32_t> runs(keys);
  test::device_array<Range> folds(n);
  const auto check_reduce = [&](const char* kind, auto in) {
    check(kind, [&](strays log) {
      const Range all = thrust::reduce(gimbal::par, in, in + n, Range{}, join_ranges{log});
      CHECK(all.begin == 0);
      CHECK(all.end == static_cast<number>(n));
    });
  };
  check_reduce("an array", static_cast<const Range*>(array.data()));
  check_reduce("an array that begins at an odd item", static_cast<const Range*>(shifted.data()));
  check_reduce(
    "made of an array's numbers",
    thrust::make_transform_iterator(static_cast<const std::uint32_t*>(numbers.data()), of_item));
  check_reduce("permuted", thrust::make_permutation_iterator(array.data(), numbers.data()));
  check_reduce(
    "made of places", thrust::make_transform_iterator(thrust::make_counting_iterator(gimbal::index_type{0}), of_item));
  check("transform_reduce", [&](strays log) {
    const std::uint32_t* const first = numbers.data();
    const Range all = thrust::transform_reduce(gimbal::par, first, first + n, of_item, Range{}, join_ranges{log});
    CHECK(all.end == static_cast<number>(n));
  });
  check("reduce_by_key", [&](strays log) {
    thrust::reduce_by_key(
      gimbal::par, runs.data(), runs.data() + n, array.data(), thrust::make_discard_iterator(), folds.data(),
      thrust::equal_to<std::uint32_t>{}, join_ranges{log});
  });
}

TEMPLATE_TEST_CASE(
  "operators of reductions join neighbouring ranges", "[reduce]", range<std::uint32_t>,
  (range<std::uint32_t, 24>)GIMBAL_MORE(
    range<std::uint64_t>, (range<std::uint32_t, 12>), (range<std::uint64_t, 32>), (range<std::uint32_t, 48>),
    (range<std::uint64_t, 64>), (range<std::uint32_t, 96>)))
{
  for_sizes([](std::size_t n) { check_neighbours<TestType>(n); }, {300007});
}

TEST_CASE("operators of reductions of words join neighbouring ranges", "[reduce]")
{
  for_sizes([](std::size_t n) { check_neighbours<range<std::uint16_t>>(n < 65536 ? n : 65535); });
}

}  // namespace
