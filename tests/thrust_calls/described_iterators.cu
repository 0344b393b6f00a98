// Tests iterators that cuda::std::iterator_traits alone knows, as CCCL requires of its users, and outputs that name
// neither a value nor a reference: every family takes them on gimbal's kernels, with the results that pointers give.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include "thrust_support.h"

namespace described_iterators_test {

/// Walks over an array. Its types stand in traits alone.
template <class Derived, class T>
struct walker {
  T* at;

  GIMBAL_HOST_DEVICE Derived& operator+=(std::ptrdiff_t n)
  {
    at += n;
    return static_cast<Derived&>(*this);
  }
  GIMBAL_HOST_DEVICE Derived& operator-=(std::ptrdiff_t n) { return *this += -n; }
  GIMBAL_HOST_DEVICE Derived& operator++() { return *this += 1; }
  GIMBAL_HOST_DEVICE Derived& operator--() { return *this += -1; }
  GIMBAL_HOST_DEVICE Derived operator++(int)
  {
    ++at;
    return Derived{{at - 1}};
  }
  GIMBAL_HOST_DEVICE Derived operator--(int)
  {
    --at;
    return Derived{{at + 1}};
  }
  GIMBAL_HOST_DEVICE friend Derived operator+(const Derived& it, std::ptrdiff_t n) { return Derived{{it.at + n}}; }
  GIMBAL_HOST_DEVICE friend Derived operator-(const Derived& it, std::ptrdiff_t n) { return Derived{{it.at - n}}; }
  GIMBAL_HOST_DEVICE friend std::ptrdiff_t operator-(const Derived& l, const Derived& r) { return l.at - r.at; }
  GIMBAL_HOST_DEVICE friend bool operator==(const Derived& l, const Derived& r) { return l.at == r.at; }
  GIMBAL_HOST_DEVICE friend bool operator!=(const Derived& l, const Derived& r) { return l.at != r.at; }
  GIMBAL_HOST_DEVICE friend bool operator<(const Derived& l, const Derived& r) { return l.at < r.at; }
};

/// Items that are read and written, of a device's iterator.
struct items : walker<items, int> {
  GIMBAL_HOST_DEVICE int& operator*() const { return *at; }
  GIMBAL_HOST_DEVICE int& operator[](std::ptrdiff_t n) const { return at[n]; }
};

/// Items whose references are values, which makes an iterator an input iterator by its category; by its concept it has
/// random access.
struct numbers : walker<numbers, int> {
  using value_type = int;
  using reference = int;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;

  GIMBAL_HOST_DEVICE int operator*() const { return *at; }
  GIMBAL_HOST_DEVICE int operator[](std::ptrdiff_t n) const { return at[n]; }
};

struct place {
  int* at;
  GIMBAL_HOST_DEVICE const place& operator=(int value) const
  {
    *at = value;
    return *this;
  }
};

/// Takes values, and names types for them or none.
enum class named { nothing, reference };
template <class Category, named Named>
struct sink : walker<sink<Category, Named>, int> {
  GIMBAL_HOST_DEVICE place operator*() const { return place{this->at}; }
  GIMBAL_HOST_DEVICE place operator[](std::ptrdiff_t n) const { return place{this->at + n}; }
};

using device_category = thrust::random_access_device_iterator_tag;
using any_category = std::random_access_iterator_tag;

}  // namespace described_iterators_test

#if THRUST_MAJOR_VERSION >= 3
namespace described_to = ::cuda::std;
#else
namespace described_to = ::std;  // as all iterators were before
#endif
template <>
struct described_to::iterator_traits<described_iterators_test::items> {
  using value_type = int;
  using reference = int&;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = described_iterators_test::device_category;
};
template <class Category, described_iterators_test::named Named>
struct described_to::iterator_traits<described_iterators_test::sink<Category, Named>> {
  static constexpr bool has_names = Named == described_iterators_test::named::reference;
  using value_type = std::conditional_t<has_names, int, void>;
  using reference = std::conditional_t<has_names, described_iterators_test::place, void>;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = Category;
};

namespace described_iterators_test {

using gimbal::par;

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return 2 * x; }
};
struct sum {
  GIMBAL_HOST_DEVICE int operator()(int x, int y) const { return x + y; }
};
struct less {
  GIMBAL_HOST_DEVICE bool operator()(int x, int y) const { return x < y; }
};

/// Device code runs stock's sequential algorithms, and some of those of CCCL 3.0 ask for more than the kernels:
/// mismatch, is_sorted_until, partitions by a stencil and transform_*_scan for what the standard library's traits say,
/// unique_by_key_copy for the values of its outputs.
constexpr bool stock_asks = GIMBAL_GPU && THRUST_VERSION < 300100;

constexpr int n = 5000;

/// One call's arrays: `x` with runs of equal neighbours, `y`, and room for two results.
struct arrays {
  thrust::device_vector<int> x, y, out, out2;

  arrays() : x(n), y(n), out(n), out2(n)
  {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) {
      values[i] = i / 3 * 7 % 101;
    }
    x = test::to_device(values);
    y = test::to_device(test::random_values<int>(n, 5));
  }
};

template <class It>
It over(thrust::device_vector<int>& values)
{
  int* const first = thrust::raw_pointer_cast(values.data());
  if constexpr (std::is_pointer_v<It>) {
    return It{first};
  } else {
    return It{{first}};
  }
}

/// Makes `call` with pointers and with In and Out: what is returned, and all arrays afterwards, must be the same.
/// `call` is given an In over x, over y, and two Outs, and returns a number.
template <class In, class Out, class Call>
void check(Call call)
{
  arrays wanted;
  const auto wanted_result =
    call(over<int*>(wanted.x), over<int*>(wanted.y), over<int*>(wanted.out), over<int*>(wanted.out2));
  arrays got;
  const long fallbacks = gimbal::route::fallbacks();
  const auto result = call(over<In>(got.x), over<In>(got.y), over<Out>(got.out), over<Out>(got.out2));
  CHECK(gimbal::route::fallbacks() == fallbacks);
  CHECK(result == wanted_result);
  test::require_equal(test::to_host(got.x), test::to_host(wanted.x));
  test::require_equal(test::to_host(got.y), test::to_host(wanted.y));
  test::require_equal(test::to_host(got.out), test::to_host(wanted.out));
  test::require_equal(test::to_host(got.out2), test::to_host(wanted.out2));
}

template <class In>
void check_inputs()
{
  const auto reads = [](auto call) { check<In, int*>([=](auto x, auto y, int*, int*) { return call(x, y); }); };
  SECTION("reduce")
  {
    reads([](auto x, auto) { return thrust::reduce(par, x, x + n); });
    reads([](auto x, auto) { return thrust::reduce(par, x, x + n, 1, sum{}); });
    reads([](auto x, auto) { return thrust::transform_reduce(par, x, x + n, twice{}, 1, sum{}); });
    reads([](auto x, auto y) { return thrust::inner_product(par, x, x + n, y, 1); });
    reads([](auto x, auto y) { return thrust::inner_product(par, x, x + n, y, 1, sum{}, sum{}); });
    reads([](auto x, auto) { return thrust::count(par, x, x + n, 7); });
    reads([](auto x, auto) { return thrust::count_if(par, x, x + n, is_odd{}); });
    reads([](auto x, auto) { return thrust::max_element(par, x, x + n) - x; });
    reads([](auto x, auto) { return thrust::minmax_element(par, x, x + n).second - x; });
  }
  SECTION("find")
  {
    reads([](auto x, auto) { return thrust::find(par, x, x + n, 100) - x; });
    reads([](auto x, auto) { return thrust::any_of(par, x, x + n, is_odd{}); });
    if constexpr (!stock_asks || !std::is_same_v<In, items>) {
      reads([](auto x, auto y) { return thrust::mismatch(par, x, x + n, y).second - y; });
      reads([](auto x, auto) { return thrust::is_sorted_until(par, x, x + n) - x; });
    }
    reads([](auto x, auto) { return thrust::equal(par, x, x + n, x); });
    reads([](auto x, auto) { return thrust::is_partitioned(par, x, x + n, is_odd{}); });
  }
}

TEST_CASE("inputs described to cuda::std alone") { check_inputs<items>(); }
TEST_CASE("inputs with random access by their concept alone") { check_inputs<numbers>(); }

template <class InOut>
void check_in_place()
{
  const auto reads = [](auto call) { check<InOut, int*>([=](auto x, auto y, int*, int*) { return call(x, y); }); };
  SECTION("sort")
  {
    reads([](auto x, auto) {
      thrust::sort(par, x, x + n);
      return 0;
    });
    reads([](auto x, auto y) {
      thrust::sort_by_key(par, x, x + n, y);
      return 0;
    });
    reads([](auto x, auto y) {
      thrust::stable_sort_by_key(par, x, x + n, y, less{});
      return 0;
    });
  }
  SECTION("partition, scan")
  {
    reads([](auto x, auto) { return thrust::partition(par, x, x + n, is_odd{}) - x; });
    if constexpr (!stock_asks || !std::is_same_v<InOut, items>) {
      reads([](auto x, auto y) { return thrust::stable_partition(par, x, x + n, y, is_odd{}) - x; });
    }
    reads([](auto x, auto) { return thrust::inclusive_scan(par, x, x + n, x) - x; });
    // Behind the returned end anything may stand.
    reads([](auto x, auto) {
      const auto end = thrust::remove_if(par, x, x + n, is_odd{});
      thrust::sort(par, x, x + n);
      return end - x;
    });
  }
}

TEST_CASE("what is sorted, partitioned or scanned in place is described to cuda::std alone")
{
  check_in_place<items>();
}

template <class Out>
void check_outputs()
{
  using read = std::conditional_t<stock_asks, const int*, items>;
  SECTION("scan")
  {
    check<read, Out>([](auto x, auto, auto out, auto) { return thrust::inclusive_scan(par, x, x + n, out) - out; });
    check<read, Out>(
      [](auto x, auto, auto out, auto) { return thrust::exclusive_scan(par, x, x + n, out, 1, sum{}) - out; });
    check<read, Out>([](auto x, auto, auto out, auto) {
      return thrust::transform_inclusive_scan(par, x, x + n, out, twice{}, sum{}) - out;
    });
    check<read, Out>([](auto x, auto, auto out, auto) {
      return thrust::transform_exclusive_scan(par, x, x + n, out, twice{}, 1, sum{}) - out;
    });
    check<read, Out>(
      [](auto x, auto y, auto out, auto) { return thrust::inclusive_scan_by_key(par, x, x + n, y, out) - out; });
    check<read, Out>(
      [](auto x, auto y, auto out, auto) { return thrust::exclusive_scan_by_key(par, x, x + n, y, out, 1) - out; });
    check<read, Out>(
      [](auto x, auto y, auto out, auto) { return gimbal::inclusive_segmented_scan(par, x, x + n, y, out) - out; });
  }
  SECTION("partition")
  {
    check<read, Out>([](auto x, auto, auto out, auto out2) {
      return thrust::partition_copy(par, x, x + n, out, out2, is_odd{}).first - out;
    });
    check<read, Out>([](auto x, auto y, auto out, auto out2) {
      return thrust::stable_partition_copy(par, x, x + n, y, out, out2, is_odd{}).second - out2;
    });
    check<read, Out>([](auto x, auto, auto out, auto) { return thrust::copy_if(par, x, x + n, out, is_odd{}) - out; });
    check<read, Out>(
      [](auto x, auto y, auto out, auto) { return thrust::copy_if(par, x, x + n, y, out, is_odd{}) - out; });
    check<read, Out>([](auto x, auto, auto out, auto) { return thrust::remove_copy(par, x, x + n, out, 7) - out; });
  }
  SECTION("runs")
  {
    check<read, Out>([](auto x, auto, auto out, auto) { return thrust::unique_copy(par, x, x + n, out) - out; });
    if constexpr (!stock_asks || !std::is_void_v<gimbal::value_type_of<Out>>) {
      check<read, Out>([](auto x, auto y, auto out, auto out2) {
        return thrust::unique_by_key_copy(par, x, x + n, y, out, out2).second - out2;
      });
    }
    check<read, Out>([](auto x, auto y, auto out, auto out2) {
      return thrust::reduce_by_key(par, x, x + n, y, out, out2).first - out;
    });
    check<read, Out>([](auto x, auto y, auto out, auto out2) {
      return thrust::reduce_by_key(par, x, x + n, y, out, out2, thrust::equal_to<int>{}, sum{}).second - out2;
    });
  }
}

TEST_CASE("outputs that name neither a value nor a reference")
{
  check_outputs<sink<device_category, named::nothing>>();
}
TEST_CASE("outputs of any system that name a value and a reference")
{
  check_outputs<sink<any_category, named::reference>>();
}

/// Both phases of a device-wide call.
template <class Call>
int both_phases(Call call)
{
  std::size_t bytes = 0;
  REQUIRE(call(nullptr, bytes) == gimbal::simt::success);
  test::device_array<unsigned char> storage(bytes);
  REQUIRE(call(storage.data(), bytes) == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait({}, "test"));
  return 0;
}

TEST_CASE("device-wide calls")
{
  using out_type = sink<device_category, named::nothing>;
  check<items, out_type>([](auto x, auto, auto out, auto) {
    return both_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::Reduce(storage, bytes, x, out, n, sum{}, 1);
    });
  });
  check<items, out_type>([](auto x, auto, auto out, auto) {
    return both_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveScan(storage, bytes, x, out, sum{}, 1, n);
    });
  });
  check<items, out_type>([](auto x, auto y, auto out, auto) {
    return both_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::InclusiveSumByKey(storage, bytes, x, y, out, n);
    });
  });
  check<items, out_type>([](auto x, auto, auto out, auto out2) {
    return both_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DevicePartition::If(storage, bytes, x, out, out2, n, is_odd{});
    });
  });
  check<items, out_type>([](auto x, auto y, auto out, auto out2) {
    return both_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::FlaggedIf(storage, bytes, x, y, out, out2, n, is_odd{});
    });
  });
  check<items, int*>([](auto x, auto y, auto, auto) {
    return both_phases([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceMergeSort::SortPairs(storage, bytes, x, y, n, less{});
    });
  });
}

}  // namespace described_iterators_test
