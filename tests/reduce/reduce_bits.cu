// Floating-point results of reduce are the same bits on the host executor and on every GPU: those in the table,
// wherever the items lie. They are sums only, which leave compilers nothing to contract.
#include <gimbal/device.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

#include "thrust_support.h"

namespace {

using gimbal::index_type;

/// Numbers of either sign whose sums are never exact.
template <class T>
GIMBAL_HOST_DEVICE T number_at(index_type i)
{
  std::uint64_t mixed = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u + 0x1234567u;
  mixed ^= mixed >> 29;
  mixed *= 0xbf58476d1ce4e5b9u;
  return static_cast<T>(static_cast<std::int64_t>(mixed)) / 1024;
}

template <class T, unsigned Numbers>
struct numbers {
  T number[Numbers];
};

/// Sums that nobody knows to commute.
struct add {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& a, const T& b) const
  {
    return a + b;
  }
  template <class T, unsigned Numbers>
  GIMBAL_HOST_DEVICE numbers<T, Numbers> operator()(const numbers<T, Numbers>& a, const numbers<T, Numbers>& b) const
  {
    numbers<T, Numbers> sum;
    for (unsigned k = 0; k < Numbers; ++k) {
      sum.number[k] = a.number[k] + b.number[k];
    }
    return sum;
  }
};

/// From an array's items, by value and hence by vectors of them, and from positions.
template <class T, unsigned Numbers>
struct spread {
  GIMBAL_HOST_DEVICE numbers<T, Numbers> operator()(T x) const
  {
    numbers<T, Numbers> made;
    for (unsigned k = 0; k < Numbers; ++k) {
      made.number[k] = x / static_cast<T>(1 << k);
    }
    return made;
  }
};
template <class T, unsigned Numbers>
struct spread_at {
  GIMBAL_HOST_DEVICE numbers<T, Numbers> operator()(index_type i) const
  {
    return spread<T, Numbers>{}(number_at<T>(i));
  }
};
template <class T>
struct at {
  GIMBAL_HOST_DEVICE T operator()(index_type i) const { return number_at<T>(i); }
};

template <class T>
std::vector<T> numbers_of(std::size_t n)
{
  std::vector<T> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    made[i] = number_at<T>(static_cast<index_type>(i));
  }
  return made;
}

constexpr std::size_t counts[] = {1, 33, 1000, 4097, 20011, 300007, 1u << 20};
constexpr std::size_t count_of_counts = sizeof(counts) / sizeof(counts[0]);

template <class T>
std::uint64_t hash(const T& value)
{
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::uint64_t mixed = 14695981039346656037u;
  for (const unsigned char byte : bytes) {
    mixed = (mixed ^ byte) * 1099511628211u;
  }
  return mixed;
}

/// `result(n)` has the recorded hash.
template <class Result>
void check(const char* name, std::size_t n, std::uint64_t recorded, Result result)
{
  INFO(name << ", n = " << n);
  CHECK(hash(result(n)) == recorded);
}

/// The same for all counts.
template <class Result>
void check(const char* name, const std::uint64_t (&recorded)[count_of_counts], Result result)
{
  for (std::size_t k = 0; k < count_of_counts; ++k) {
    check(name, counts[k], recorded[k], result);
  }
}

template <class T, class Op>
auto sum_of_array(Op op, std::size_t shift)
{
  return [=](std::size_t n) {
    test::device_array<T> in(numbers_of<T>(n), shift);
    return thrust::reduce(gimbal::par, in.data(), in.data() + n, static_cast<T>(3), op);
  };
}

template <class InputIt, class T, class Op>
auto sum_of(InputIt in, T init, Op op)
{
  return [=](std::size_t n) { return thrust::reduce(gimbal::par, in, in + n, init, op); };
}

template <class T, unsigned Numbers>
auto sum_of_spread(std::size_t shift)
{
  return [=](std::size_t n) {
    test::device_array<T> in(numbers_of<T>(n), shift);
    return thrust::transform_reduce(
      gimbal::par, in.data(), in.data() + n, spread<T, Numbers>{}, numbers<T, Numbers>{}, add{});
  };
}

TEST_CASE("sums of arrays are the same bits on every machine", "[reduce]")
{
  const std::size_t shift = GENERATE(0, 1);
  check(
    "f32",
    {0xb8ea39733745301eu, 0x3af3d08bcfd94c5eu, 0x5c8b5ee8fffada52u, 0xccb0373ede1e39f7u, 0x474cda4485e8e0ffu,
     0xdc9357a6fd4bff78u, 0x725204df334cb3afu},
    sum_of_array<float>(thrust::plus<float>{}, shift));
  check(
    "f64",
    {0x501fb7628723782fu, 0x2046edb033a303b6u, 0x652cf3ed6d7817f0u, 0xaaa23077a8f15725u, 0xc4b2854048617107u,
     0x9fdb02601587111fu, 0xfe7513bf0b71a123u},
    sum_of_array<double>(thrust::plus<double>{}, shift));
  check(
    "f32 in order",
    {0xb8ea39733745301eu, 0x3759e4885b686dcbu, 0x5c8b5ee8fffada52u, 0xccb0373ede1e39f7u, 0xcc1dd1e07f453bb3u,
     0xdc9357a6fd4bff78u, 0xb21ca1329165e1c5u},
    sum_of_array<float>(add{}, shift));
  check(
    "f64 in order",
    {0x501fb7628723782fu, 0x396e2138c40b5168u, 0x652cf3ed6d7817f0u, 0xaaa23077a8f15725u, 0x27ddb30ec1544cedu,
     0xb329690be59f23b5u, 0xa9f855251a730420u},
    sum_of_array<double>(add{}, shift));
}

TEST_CASE("sums of what functions make are the same bits on every machine", "[reduce]")
{
  const auto positions = thrust::make_counting_iterator(index_type{0});
  const auto made = [=](auto function) { return thrust::make_transform_iterator(positions, function); };
  check(
    "f32 of positions",
    {0xb8ea39733745301eu, 0x6d6de072d7f598d9u, 0x0586eed04a6de9e9u, 0xccb0373ede1e39f7u, 0x16801a03fde143c7u,
     0xe580dbd4a3edf52au, 0x011546e77fca2886u},
    sum_of(made(at<float>{}), 3.0f, thrust::plus<float>{}));
  check(
    "f32 of positions, in order",
    {0xb8ea39733745301eu, 0x6d6de072d7f598d9u, 0x7ccefed7680faeb8u, 0x4c7ba758cc507518u, 0xe9e4de146b7fbd31u,
     0x5c5fd04db9ae0ad4u, 0x80e45f08d88950cau},
    sum_of(made(at<float>{}), 3.0f, add{}));
  check(
    "12 bytes of positions",
    {0x50dc2250366d9e6du, 0xb0c5907897ec674eu, 0xfd137ebadffdef38u, 0xbd4c21f493d1a589u, 0x8f8eacaf44e8a38cu,
     0x58cc831032770630u, 0x6bef615f773103bau},
    sum_of(made(spread_at<float, 3>{}), numbers<float, 3>{}, add{}));
  check(
    "24 bytes of positions",
    {0x9fbb783b4051afefu, 0x600404f5d24e4a1bu, 0xedb29aa44fd36a08u, 0x587a997ba4d05115u, 0x6818da31a1f01a0du,
     0xaf794ad5266807fbu, 0xf74ed1276154c828u},
    sum_of(made(spread_at<double, 3>{}), numbers<double, 3>{}, add{}));
  check(
    "96 bytes of positions",
    {0x0f7bc01b3214f5a5u, 0x951d92304b273975u, 0x26ce248c9c02ec1au, 0x31ad3f6e01131ba1u, 0x2340314d57759c51u,
     0x11cbcdcf52d5df9au, 0x0d437540e0da69e5u},
    sum_of(made(spread_at<double, 12>{}), numbers<double, 12>{}, add{}));
  const std::size_t shift = GENERATE(0, 1);
  check(
    "12 bytes of f32",
    {0x50dc2250366d9e6du, 0xfee5f1a8aa725990u, 0x5c2fde32b884a20eu, 0x3e4ff3b873ca122eu, 0xa9c6a407896e3aaeu,
     0x548d0026e205de1cu, 0x59850f7b3bc8754du},
    sum_of_spread<float, 3>(shift));
  check(
    "24 bytes of f64",
    {0x9fbb783b4051afefu, 0x600404f5d24e4a1bu, 0xedb29aa44fd36a08u, 0x587a997ba4d05115u, 0x6818da31a1f01a0du,
     0x71894fd0f3057d25u, 0x278cd28fac41fb60u},
    sum_of_spread<double, 3>(shift));
}

/// Where warps have more than they stage, and vectors more rows.
TEST_CASE("sums of many items are the same bits on every machine", "[reduce]")
{
  constexpr std::size_t n = 10000019;
  const auto positions = thrust::make_counting_iterator(index_type{0});
  const auto made = thrust::make_transform_iterator(positions, spread_at<double, 3>{});
  check("24 bytes of positions", n, 0xee1d043a5a9a63e9u, sum_of(made, numbers<double, 3>{}, add{}));
  check("24 bytes of f64", n, 0x938dc753b6ad102fu, sum_of_spread<double, 3>(0));
  check("f32", n, 0x98a1ddeaff3b6b73u, sum_of_array<float>(thrust::plus<float>{}, 0));
}

TEST_CASE("a device-wide sum is the same bits on every machine", "[reduce]")
{
  check(
    "device-wide f32",
    {0xb8ea39733745301eu, 0x3af3d08bcfd94c5eu, 0x5c8b5ee8fffada52u, 0xccb0373ede1e39f7u, 0x474cda4485e8e0ffu,
     0xdc9357a6fd4bff78u, 0x725204df334cb3afu},
    [](std::size_t n) {
      test::device_array<float> in(numbers_of<float>(n));
      test::device_array<float> out(1);
      test::run([&](void* storage, std::size_t& bytes) {
        return gimbal::status{gimbal::DeviceReduce::Sum(storage, bytes, in.data(), out.data(), n), "sum"};
      });
      return out.to_host()[0];
    });
}

}  // namespace
