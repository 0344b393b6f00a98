// Functors of partitions, selections and sorts are called on items alone.
#include <gimbal/radix_sort.h>
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "functor_operands.h"

namespace {

using namespace operands;
namespace tuning = gimbal::tuning;

/// So few items that they are not tiles as blocks any more.
template <class T>
constexpr std::size_t persistent_from(std::size_t least_bytes)
{
  return least_bytes / sizeof(T) + 37;
}

TEMPLATE_TEST_CASE(
  "functors of partitions see items alone", "[partition]",
  std::uint32_t GIMBAL_MORE(std::uint8_t, std::uint16_t, std::uint64_t, words<3>, words<4>, words<6>, words<12>))
{
  using T = TestType;
  const auto calls = [](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    T* const end = in + n;
    test::device_array<T> out(n);
    check("copy_if", [&](strays log) { thrust::copy_if(gimbal::par, in, end, out.data(), is_odd{log}); });
    check("unique_copy", [&](strays log) { thrust::unique_copy(gimbal::par, in, end, out.data(), equal{log}); });
    check("stable_partition", [&](strays log) { thrust::stable_partition(gimbal::par, in, end, is_odd{log}); });
  };
  for_sizes(calls, {persistent_from<T>(tuning::persistent_partition<sizeof(T)>::least_bytes)});
}

TEMPLATE_TEST_CASE(
  "functors of partitions of two arrays and in place see items alone", "[partition]",
  std::uint32_t GIMBAL_MORE(words<3>))
{
  using T = TestType;
  const auto calls = [](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    T* const end = in + n;
    test::device_array<T> out(n);
    check("partition_copy", [&](strays log) {
      thrust::partition_copy(gimbal::par, in, end, out.data(), thrust::make_discard_iterator(), is_odd{log});
    });
    check("stencil", [&](strays log) { thrust::copy_if(gimbal::par, in, end, in, out.data(), is_odd{log}); });
    check("unique_by_key", [&](strays log) {
      thrust::unique_by_key_copy(gimbal::par, in, end, in, thrust::make_discard_iterator(), out.data(), equal{log});
    });
    check("unique", [&](strays log) { thrust::unique(gimbal::par, in, end, equal{log}); });
    check("remove_if", [&](strays log) {
      items<T> others(n);
      thrust::remove_if(gimbal::par, others.data(), others.data() + n, is_odd{log});
    });
  };
  for_sizes(calls, {persistent_from<T>(tuning::persistent_partition<sizeof(T)>::least_bytes)});
}

TEMPLATE_TEST_CASE(
  "functors of partitions see what iterators make alone", "[partition]", std::uint32_t GIMBAL_MORE(words<3>))
{
  using T = TestType;
  const auto calls = [](std::size_t n) {
    items<T> own(n);
    test::device_array<T> out(n);
    check("iterators", [&](strays log) {
      for_iterators(own.data(), n, log, [&](const char* kind, auto in) {
        INFO(kind);
        thrust::copy_if(gimbal::par, in, in + n, out.data(), is_odd{log});
      });
    });
    check("unique_copy", [&](strays log) {
      const auto made = thrust::make_transform_iterator(own.data(), next<T>{log});
      thrust::unique_copy(gimbal::par, made, made + n, out.data(), equal{log});
    });
  };
  using loaded = tuning::persistent_partition<sizeof(T), 0, true, true>;
  for_sizes(calls, {persistent_from<T>(loaded::least_bytes)});
}

TEMPLATE_TEST_CASE(
  "functors of sorts see items alone", "[sort]",
  std::uint32_t GIMBAL_MORE(std::uint8_t, std::uint64_t, words<4>, words<8>, words<12>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    check("sort", [&](strays log) {
      items<T> own(n);
      thrust::sort(gimbal::par, own.data(), own.data() + n, less{log});
    });
  });
}

TEMPLATE_TEST_CASE(
  "functors of sorts of pairs and of projections see items alone", "[sort]", std::uint32_t GIMBAL_MORE(words<4>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    check("sort_by_key", [&](strays log) {
      items<T> own(n);
      test::device_array<std::uint32_t> values(n);
      thrust::stable_sort_by_key(gimbal::par, own.data(), own.data() + n, values.data(), less{log});
    });
    check("radix_sort", [&](strays log) {
      items<T> own(n);
      gimbal::radix_sort(gimbal::par, own.data(), own.data() + n, to_number{log});
    });
  });
}

}  // namespace
