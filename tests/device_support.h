// What the tests of the device-wide calls share. A test body is a generic function of the class it calls, so the same
// body runs with gimbal's and, on the GPU, with CUB's class of the same name: names, parameters, order and results must
// agree.
#pragma once

#include <gimbal/cub/environment.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace device_calls {

template <class Calls>
struct on {
  using type = Calls;
};

template <class T>
void check_equal(const T& result, const T& expected)
{
  CHECK(result == expected);
}

template <class T>
void check_equal(const std::vector<T>& result, const std::vector<T>& expected)
{
  REQUIRE(result.size() == expected.size());
  const auto first_difference = std::mismatch(result.begin(), result.end(), expected.begin()).first - result.begin();
  CHECK(first_difference == static_cast<std::ptrdiff_t>(result.size()));
}

/// Runs `body` with gimbal's class and, on the GPU, with stock's; both must return `expected`.
template <class Gimbal, class Stock, class Body, class Expected>
void check(const Body& body, const Expected& expected)
{
  check_equal(body(on<Gimbal>{}), expected);
#if GIMBAL_GPU
  INFO("stock");
  check_equal(body(on<Stock>{}), expected);
#endif
}

/// Both phases of `call(storage, storage_bytes)`, and one in between with a byte of storage too few.
template <class Call>
void two_phases(const Call& call)
{
  std::size_t bytes = 0;
  REQUIRE(call(static_cast<void*>(nullptr), bytes) == gimbal::simt::success);
  // CUB asks for no storage where it does nothing; gimbal always asks for some, so that the second call can never be
  // taken for another size query.
  thrust::device_vector<unsigned char> storage(bytes == 0 ? 1 : bytes);
  REQUIRE(call(static_cast<void*>(thrust::raw_pointer_cast(storage.data())), bytes) == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait({}, "end of a device-wide call"));
}

/// The same of calls in one phase, which CUB has from 3.5 on.
template <class Gimbal, class Stock, class Body, class Expected>
void check_in_one_phase(const Body& body, const Expected& expected)
{
  INFO("in one phase");
  check_equal(body(on<Gimbal>{}), expected);
#if GIMBAL_GPU && THRUST_VERSION >= 300500
  INFO("stock");
  check_equal(body(on<Stock>{}), expected);
#endif
}

/// `call()` in one phase.
template <class Call>
void one_phase(const Call& call)
{
  REQUIRE(call() == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait({}, "end of a device-wide call"));
}

/// The ways to make a call: `call(storage...)` gets storage and its bytes, or nothing.
struct with_storage {
  template <class Call>
  void operator()(const Call& call) const
  {
    two_phases([&](void* storage, std::size_t& bytes) { return call(storage, bytes); });
  }
};
struct without_storage {
  template <class Call>
  void operator()(const Call& call) const
  {
    one_phase(call);
  }
};

/// As check, in two phases and in one: `body(on<Class>, way)`.
template <class Gimbal, class Stock, class Body, class Expected>
void check_ways(const Body& body, const Expected& expected)
{
  check<Gimbal, Stock>([&](auto calls) { return body(calls, with_storage{}); }, expected);
  check_in_one_phase<Gimbal, Stock>([&](auto calls) { return body(calls, without_storage{}); }, expected);
}

/// Of calls that CUB has since CCCL 3.5 alone.
template <class Gimbal, class Stock, class Body, class Expected>
void check_newest(const Body& body, const Expected& expected)
{
  check_in_one_phase<Gimbal, Stock>([&](auto calls) { return body(calls, with_storage{}); }, expected);
  check_in_one_phase<Gimbal, Stock>([&](auto calls) { return body(calls, without_storage{}); }, expected);
}

/// Too little storage is refused with `error_invalid_value`, whatever the call.
template <class Call>
void refuses_small_storage(const Call& call)
{
  std::size_t bytes = 0;
  REQUIRE(call(static_cast<void*>(nullptr), bytes) == gimbal::simt::success);
  thrust::device_vector<unsigned char> storage(bytes);
  std::size_t too_few = bytes - 1;
  CHECK(
    call(static_cast<void*>(thrust::raw_pointer_cast(storage.data())), too_few) == gimbal::simt::error_invalid_value);
}

template <class T>
T* raw(thrust::device_vector<T>& values)
{
  return thrust::raw_pointer_cast(values.data());
}

template <class T>
const T* raw(const thrust::device_vector<T>& values)
{
  return thrust::raw_pointer_cast(values.data());
}

template <class T>
std::vector<T> to_host(const thrust::device_vector<T>& values)
{
  std::vector<T> result(values.size());
  thrust::copy(values.begin(), values.end(), result.begin());
  return result;
}

/// Around the edges of warps, blocks and tiles; the last ones take several tiles.
inline std::vector<int> sizes() { return {0, 1, 31, 32, 33, 255, 257, 1023, 1025, 4095, 4096, 4097, 20011, 100003}; }

/// Small numbers, negative ones among them; runs of equal neighbours occur.
template <class T>
std::vector<T> small_numbers(std::size_t count, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) {
    value = static_cast<T>(static_cast<int>(random() % 7) - 3);
  }
  return values;
}

template <class Count>
using count_vector = thrust::device_vector<Count>;

/// What a call leaves behind: the whole output, and the count behind it.
inline std::vector<int> with_count(const thrust::device_vector<int>& out, std::int64_t count)
{
  std::vector<int> result = to_host(out);
  result.push_back(static_cast<int>(count));
  return result;
}

struct is_positive {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x > 0; }
};
struct same_half {
  GIMBAL_HOST_DEVICE bool operator()(int a, int b) const { return (a >> 1) == (b >> 1); }
};
struct square {
  GIMBAL_HOST_DEVICE std::int64_t operator()(std::int64_t x) const { return x * x; }
};

/// x -> a * x + b modulo 2^32; composition is associative and does not commute.
struct affine {
  unsigned a, b;
  friend bool operator==(const affine& x, const affine& y) { return x.a == y.a && x.b == y.b; }
};
struct compose_affine {
  GIMBAL_HOST_DEVICE affine operator()(const affine& first, const affine& second) const
  {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};

inline std::vector<affine> affine_maps(std::size_t count, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<affine> maps(count);
  for (affine& map : maps) {
    map = {static_cast<unsigned>(random()) | 1, static_cast<unsigned>(random())};
  }
  return maps;
}

}  // namespace device_calls
