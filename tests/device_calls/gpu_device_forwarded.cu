// Tests device-wide calls that are CUB's because of what they are given: they have CUB's results and CUB's storage, to
// the byte.
#include <gimbal/device.h>

#include <algorithm>
#include <cub/cub.cuh>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <numeric>

#include "device_support.h"
#include "support.h"

namespace device_forwarded_test {

/// A key that CUB's traits alone know.
struct ticket {
  std::uint16_t number;

  friend __host__ __device__ bool operator<(ticket a, ticket b) { return a.number < b.number; }
  friend __host__ __device__ bool operator==(ticket a, ticket b) { return a.number == b.number; }
};

/// Small enough, but copied by a function of its own.
struct own_copy {
  int number = 0;

  own_copy() = default;
  __host__ __device__ explicit own_copy(int n) : number(n) {}
  __host__ __device__ own_copy(const own_copy& other) : number(other.number) {}
  __host__ __device__ own_copy& operator=(const own_copy& other)
  {
    number = other.number;
    return *this;
  }
  friend __host__ __device__ bool operator==(const own_copy& a, const own_copy& b) { return a.number == b.number; }
};

struct two_tickets {
  ticket first;
  ticket second;

  friend bool operator==(const two_tickets& a, const two_tickets& b)
  {
    return a.first == b.first && a.second == b.second;
  }
};
struct tickets_of {
  __host__ __device__ ::cuda::std::tuple<ticket&, ticket&> operator()(two_tickets& t) const
  {
    return {t.first, t.second};
  }
};

}  // namespace device_forwarded_test

template <>
class cuda::std::numeric_limits<device_forwarded_test::ticket> {
public:
  static constexpr bool is_specialized = true;
  static __host__ __device__ device_forwarded_test::ticket max() { return {0xffff}; }
  static __host__ __device__ device_forwarded_test::ticket lowest() { return {0}; }
};
CUB_NAMESPACE_BEGIN
template <>
struct NumericTraits<device_forwarded_test::ticket>
    : BaseTraits<UNSIGNED_INTEGER, true, std::uint16_t, device_forwarded_test::ticket> {
};
CUB_NAMESPACE_END

namespace device_forwarded_test {

using device_calls::on;
using device_calls::raw;
using device_calls::to_host;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;

constexpr int n = 3000;

/// Both phases of `call(calls, storage, bytes)`, none of whose launches are gimbal's, with the storage that CUB asks
/// for.
template <class Gimbal, class Stock, class Call>
void on_stock(const Call& call)
{
  std::size_t bytes = 0;
  std::size_t stock_bytes = 0;
  REQUIRE(call(on<Gimbal>{}, static_cast<void*>(nullptr), bytes) == cudaSuccess);
  REQUIRE(call(on<Stock>{}, static_cast<void*>(nullptr), stock_bytes) == cudaSuccess);
  CHECK(bytes == stock_bytes);
  const long launches = counted(point::launch);
  device_calls::two_phases([&](void* s, std::size_t& b) { return call(on<Gimbal>{}, s, b); });
  CHECK(counted(point::launch) == launches);
}

std::vector<ticket> tickets()
{
  std::vector<ticket> all(n);
  for (int i = 0; i < n; ++i) {
    all[i].number = static_cast<std::uint16_t>(i * 7919 % 257);
  }
  return all;
}

TEST_CASE("radix sorts by keys that CUB's traits know")
{
  const std::vector<ticket> given = tickets();
  std::vector<ticket> sorted = given;
  std::sort(sorted.begin(), sorted.end());
  std::vector<ticket> reversed(sorted.rbegin(), sorted.rend());
  const thrust::device_vector<ticket> keys = given;
  const thrust::device_vector<int> values(n, 1);
  thrust::device_vector<ticket> out(n);
  thrust::device_vector<int> values_out(n);
  SECTION("keys")
  {
    on_stock<gimbal::DeviceRadixSort, cub::DeviceRadixSort>([&](auto calls, void* s, std::size_t& b) {
      return decltype(calls)::type::SortKeys(s, b, raw(keys), raw(out), n);
    });
    CHECK(to_host(out) == sorted);
  }
  SECTION("pairs, descending")
  {
    on_stock<gimbal::DeviceRadixSort, cub::DeviceRadixSort>([&](auto calls, void* s, std::size_t& b) {
      return decltype(calls)::type::SortPairsDescending(s, b, raw(keys), raw(out), raw(values), raw(values_out), n);
    });
    CHECK(to_host(out) == reversed);
  }
  SECTION("between buffers")
  {
    thrust::device_vector<ticket> front = keys;
    gimbal::DoubleBuffer<ticket> both(raw(front), raw(out));
    on_stock<gimbal::DeviceRadixSort, cub::DeviceRadixSort>(
      [&](auto calls, void* s, std::size_t& b) { return decltype(calls)::type::SortKeys(s, b, both, n); });
    CHECK(to_host(both.Current() == raw(out) ? out : front) == sorted);
  }
  SECTION("of a struct")
  {
    std::vector<two_tickets> structs(n);
    for (int i = 0; i < n; ++i) {
      structs[i] = {given[i], given[n - 1 - i]};
    }
    const thrust::device_vector<two_tickets> in = structs;
    thrust::device_vector<two_tickets> structs_out(n);
    on_stock<gimbal::DeviceRadixSort, cub::DeviceRadixSort>([&](auto calls, void* s, std::size_t& b) {
      return decltype(calls)::type::SortKeys(s, b, raw(in), raw(structs_out), n, tickets_of{});
    });
    std::sort(structs.begin(), structs.end(), [](const two_tickets& a, const two_tickets& b) {
      return a.first == b.first ? a.second < b.second : a.first < b.first;
    });
    CHECK(to_host(structs_out) == structs);
  }
  SECTION("the same bits are refused")
  {
    std::size_t bytes = 0;
    CHECK(gimbal::DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), n, 0, 17) == cudaErrorInvalidValue);
  }
}

TEST_CASE("runs of items with a copy function of their own")
{
  std::vector<own_copy> items(n);
  for (int i = 0; i < n; ++i) {
    items[i].number = i / 3;
  }
  test::device_array<own_copy> in(items);
  test::device_array<own_copy> first(n);
  thrust::device_vector<int> offsets(n), lengths(n), count(1);
  on_stock<gimbal::DeviceRunLengthEncode, cub::DeviceRunLengthEncode>([&](auto calls, void* s, std::size_t& b) {
    return decltype(calls)::type::Encode(s, b, in.data(), first.data(), raw(lengths), raw(count), n);
  });
  CHECK(count[0] == n / 3);
  CHECK(first.to_host()[n / 3 - 1].number == n / 3 - 1);
  CHECK(std::vector<int>(lengths.begin(), lengths.begin() + n / 3) == std::vector<int>(n / 3, 3));
  on_stock<gimbal::DeviceRunLengthEncode, cub::DeviceRunLengthEncode>([&](auto calls, void* s, std::size_t& b) {
    return decltype(calls)::type::NonTrivialRuns(s, b, in.data(), raw(offsets), raw(lengths), raw(count), n);
  });
  CHECK(count[0] == n / 3);
  CHECK(offsets[n / 3 - 1] == n - 3);
}

}  // namespace device_forwarded_test
