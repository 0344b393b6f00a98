// Compares gimbal::DeviceSegmentedScan with CUB's, where there is one.
#include <gimbal/cub/segmented_scan.h>

#include <cstring>
#include <functional>
#include <numeric>

#include "device_support.h"

using namespace device_calls;

namespace {

#if GIMBAL_STOCK_SEGMENTED_SCANS
using stock_scan = cub::DeviceSegmentedScan;
#else
using stock_scan = gimbal::DeviceSegmentedScan;
#endif

constexpr unsigned untouched = 77;

/// Affine maps x -> (high half) x + (low half), modulo 2^16 each: composing them is associative and not commutative.
struct compose {
  GIMBAL_HOST_DEVICE unsigned operator()(unsigned f, unsigned g) const
  {
    const unsigned slope = (g >> 16) * (f >> 16);
    const unsigned offset = (g >> 16) * (f & 0xffff) + (g & 0xffff);
    return slope << 16 | (offset & 0xffff);
  }
};

struct layout {
  std::vector<unsigned> items;
  std::vector<int> begin, end, out_begin;  // of each segment
  int out_count = 0;
};

/// Segments with gaps between them, in no order; some are empty, one of `longest` items.
layout random_segments(int count, int longest)
{
  std::mt19937 random(21);
  layout made;
  for (int s = 0; s < count; ++s) {
    const int kind = static_cast<int>(random() % 8);
    const int length = s == count / 2 ? longest
                       : kind == 0    ? 0
                       : kind == 1    ? static_cast<int>(random() % 2000)
                                      : static_cast<int>(random() % 40);
    const auto first = static_cast<int>(made.items.size() + random() % 3);
    made.items.resize(first + length);
    made.begin.push_back(first);
    made.end.push_back(length == 0 && kind == 0 && s % 2 != 0 && first > 0 ? first - 1 : first + length);
  }
  made.items.push_back(0);
  for (unsigned& item : made.items) {
    item = static_cast<unsigned>(random() | 0x10000);
  }
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  made.out_begin.resize(count);
  for (const int s : order) {
    made.out_begin[s] = made.out_count;
    made.out_count += std::max(made.end[s] - made.begin[s], 0) + static_cast<int>(random() % 2);
  }
  made.out_count = std::max<int>(made.out_count, static_cast<int>(made.items.size()));
  for (std::vector<int>* one : {&made.begin, &made.end, &made.out_begin}) {
    std::shuffle(one->begin(), one->end(), std::mt19937(5));
  }
  return made;
}

/// What stands in `out` behind a scan by `op`; without an initial value if that is null.
template <class Op>
std::vector<unsigned> scanned(
  const layout& given, const std::vector<int>& out_begin, bool is_exclusive, const unsigned* init, Op op)
{
  std::vector<unsigned> out(given.out_count, untouched);
  for (std::size_t s = 0; s < given.begin.size(); ++s) {
    unsigned before = init == nullptr ? 0 : *init;
    bool exists = init != nullptr;
    for (int i = given.begin[s]; i < given.end[s]; ++i) {
      unsigned& result = out[out_begin[s] + (i - given.begin[s])];
      const unsigned through = exists ? op(before, given.items[i]) : given.items[i];
      result = is_exclusive ? before : through;
      before = through;
      exists = true;
    }
  }
  return out;
}

/// `method(calls, arguments...)` with and without places for the results, in both ways to call.
template <class Method>
void check_method(
  const layout& given, Method method, const std::vector<unsigned>& expected,
  const std::vector<unsigned>& expected_elsewhere)
{
  const thrust::device_vector<unsigned> in = given.items;
  const thrust::device_vector<int> begin = given.begin, end = given.end, out_begin = given.out_begin;
  const auto segments = static_cast<std::int64_t>(given.begin.size());
  const auto here = [&](auto run) {
    thrust::device_vector<unsigned> out(given.out_count, untouched);
    run([&](auto calls, auto... storage) {
      return method(calls, storage..., raw(in), raw(out), raw(begin), raw(end), segments);
    });
    return to_host(out);
  };
  const auto elsewhere = [&](auto run) {
    thrust::device_vector<unsigned> out(given.out_count, untouched);
    run([&](auto calls, auto... storage) {
      return method(calls, storage..., raw(in), raw(out), raw(begin), raw(end), raw(out_begin), segments);
    });
    return to_host(out);
  };
  const auto both_ways = [&](auto form, const std::vector<unsigned>& wanted) {
    check<gimbal::DeviceSegmentedScan, stock_scan>(
      [&](auto calls) {
        return form(
          [&](auto call) { two_phases([&](void* s, std::size_t& b) { return call(calls, s, std::ref(b)); }); });
      },
      wanted);
    check_in_one_phase<gimbal::DeviceSegmentedScan, stock_scan>(
      [&](auto calls) { return form([&](auto call) { one_phase([&] { return call(calls); }); }); }, wanted);
  };
  both_ways(here, expected);
  both_ways(elsewhere, expected_elsewhere);
}

}  // namespace

TEST_CASE("DeviceSegmentedScan: every method")
{
  for (const auto& [count, longest] :
       {std::make_pair(0, 0), std::make_pair(1, 1), std::make_pair(1, 20011), std::make_pair(7, 1024),
        std::make_pair(8, 1025), std::make_pair(300, 9000), std::make_pair(GIMBAL_GPU ? 100000 : 500, 20000)}) {
    CAPTURE(count, longest);
    const layout given = random_segments(count, longest);
    const unsigned init = 0x30005;
    const unsigned zero = 0;
    const auto check_scan = [&](bool is_exclusive, const unsigned* first, auto op, auto method) {
      check_method(
        given, method, scanned(given, given.begin, is_exclusive, first, op),
        scanned(given, given.out_begin, is_exclusive, first, op));
    };
    check_scan(true, &zero, std::plus<>{}, [](auto calls, auto&&... all) {
      return decltype(calls)::type::ExclusiveSegmentedSum(all...);
    });
    check_scan(false, nullptr, std::plus<>{}, [](auto calls, auto&&... all) {
      return decltype(calls)::type::InclusiveSegmentedSum(all...);
    });
    check_scan(true, &init, compose{}, [&](auto calls, auto&&... all) {
      return decltype(calls)::type::ExclusiveSegmentedScan(all..., compose{}, init);
    });
    check_scan(false, nullptr, compose{}, [](auto calls, auto&&... all) {
      return decltype(calls)::type::InclusiveSegmentedScan(all..., compose{});
    });
    check_scan(false, &init, compose{}, [&](auto calls, auto&&... all) {
      return decltype(calls)::type::InclusiveSegmentedScanInit(all..., compose{}, init);
    });
  }
}

TEST_CASE("DeviceSegmentedScan: consecutive offsets, narrow items, in place, a stream")
{
  const std::vector<signed char> items{100, 100, 100, 1, 2, 3};
  const thrust::device_vector<signed char> in = items;
  const thrust::device_vector<unsigned long long> offsets = std::vector<unsigned long long>{0, 3, 3, 6};
  thrust::device_vector<int> sums(6, 77);
  two_phases([&](void* s, std::size_t& b) {
    return gimbal::DeviceSegmentedScan::InclusiveSegmentedSum(
      s, b, raw(in), raw(sums), raw(offsets), raw(offsets) + 1, 3, gimbal::stream_type{});
  });
  check_equal(to_host(sums), std::vector<int>{100, 200, 300, 1, 3, 6});
  one_phase([&] {
    return gimbal::DeviceSegmentedScan::ExclusiveSegmentedSum(
      raw(sums), raw(sums), raw(offsets), raw(offsets) + 1, 3, gimbal::stream_type{});
  });
  check_equal(to_host(sums), std::vector<int>{0, 100, 300, 0, 1, 4});
}

TEST_CASE("DeviceSegmentedScan: refused calls")
{
  const thrust::device_vector<int> in(4, 1), offsets(3, 0);
  thrust::device_vector<int> out(4, 77);
  using gimbal::DeviceSegmentedScan;
  refuses_small_storage([&](void* s, std::size_t& b) {
    return DeviceSegmentedScan::InclusiveSegmentedSum(s, b, raw(in), raw(out), raw(offsets), raw(offsets) + 1, 2);
  });
  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(
    DeviceSegmentedScan::InclusiveSegmentedSum(nullptr, bytes, raw(in), raw(out), raw(offsets), raw(offsets), -1)
    == invalid);
  CHECK(
    DeviceSegmentedScan::InclusiveSegmentedSum(raw(in), raw(out), raw(offsets), static_cast<int*>(nullptr), 2)
    == invalid);
}
