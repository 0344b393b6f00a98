// Functors of scans, whole, by key and segmented, are called on items, on results of their own and on the initial value
// alone.
#include <gimbal/segmented_scan.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

#include "functor_operands.h"

namespace {

using namespace operands;

TEMPLATE_TEST_CASE(
  "functors of scans see items alone", "[scan]",
  std::uint32_t GIMBAL_MORE(std::uint8_t, std::uint16_t, std::uint64_t, words<3>, words<4>, words<6>, words<12>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    T* const end = in + n;
    test::device_array<T> out(n);
    const T init = make_item<T>(2);
    check("inclusive_scan", [&](strays log) { thrust::inclusive_scan(gimbal::par, in, end, out.data(), add{log}); });
    check(
      "exclusive_scan", [&](strays log) { thrust::exclusive_scan(gimbal::par, in, end, out.data(), init, add{log}); });
    check("inclusive_scan_by_key", [&](strays log) {
      thrust::inclusive_scan_by_key(gimbal::par, in, end, in, out.data(), equal{log}, add{log});
    });
    check("exclusive_scan_by_key", [&](strays log) {
      thrust::exclusive_scan_by_key(gimbal::par, in, end, in, out.data(), init, equal{log}, add{log});
    });
  });
}

/// Offset i of `count`, which must be one of them.
struct offset_at {
  strays log;
  gimbal::index_type count;
  GIMBAL_HOST_DEVICE gimbal::index_type operator()(gimbal::index_type i) const
  {
    return log.checked(0 <= i && i < count) ? 3 * i : 0;
  }
};

TEMPLATE_TEST_CASE(
  "functors of segmented scans see items alone", "[segmented_scan]", std::uint32_t GIMBAL_MORE(std::uint8_t, words<3>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    T* const in = own.data();
    T* const end = in + n;
    test::device_array<T> out(n);
    test::device_array<T> totals(n + 1);
    const T init = make_item<T>(2);
    std::vector<unsigned char> flags(n);
    std::vector<std::uint32_t> offsets;  // two of each, so that there are segments without items
    for (std::size_t i = 0; i < n; ++i) {
      flags[i] = i % 5 == 0 || i % 1000 == 7;
      if (flags[i] != 0 && i % 2 == 0 && offsets.size() + 2 <= n) {
        offsets.insert(offsets.end(), 2, static_cast<std::uint32_t>(i));
      }
    }
    test::device_array<unsigned char> heads(flags);
    test::device_array<std::uint32_t> begins(offsets);
    const auto segments = gimbal::segment_offsets(begins.data(), begins.data() + offsets.size());
    check("by flags", [&](strays log) {
      gimbal::exclusive_segmented_scan(
        gimbal::par, in, end, heads.data(), gimbal::with_totals(out.data(), totals.data()), init, add{log});
    });
    check("by offsets that are made", [&](strays log) {
      const auto count = static_cast<gimbal::index_type>(offsets.size() / 2);
      const auto first =
        thrust::make_transform_iterator(thrust::make_counting_iterator(gimbal::index_type{0}), offset_at{log, count});
      gimbal::inclusive_segmented_scan(
        gimbal::par, in, end, gimbal::segment_offsets(first, first + count), out.data(), add{log});
    });
    check("by offsets", [&](strays log) {
      gimbal::exclusive_segmented_scan(
        gimbal::par, in, end, segments, gimbal::with_totals(out.data(), totals.data()), init, add{log});
    });
  });
}

TEMPLATE_TEST_CASE(
  "functors of scans see what iterators make alone", "[scan]", std::uint32_t GIMBAL_MORE(std::uint8_t, words<3>))
{
  using T = TestType;
  for_sizes([](std::size_t n) {
    items<T> own(n);
    test::device_array<T> out(n);
    const T init = make_item<T>(2);
    check("transform_inclusive_scan", [&](strays log) {
      thrust::transform_inclusive_scan(gimbal::par, own.data(), own.data() + n, out.data(), next<T>{log}, add{log});
    });
    check("iterators", [&](strays log) {
      for_iterators(own.data(), n, log, [&](const char* kind, auto in) {
        INFO(kind);
        thrust::exclusive_scan(gimbal::par, in, in + n, out.data(), init, add{log});
      });
    });
    check("keys that are made", [&](strays log) {
      const auto keys = thrust::make_transform_iterator(own.data(), next<T>{log});
      thrust::inclusive_scan_by_key(gimbal::par, keys, keys + n, own.data(), out.data(), equal{log}, add{log});
    });
  });
}

}  // namespace
