// Tests device-wide calls in one phase: what they cost, and what they do when a step fails. What they refuse and return
// is in device_*.cu.
#include <gimbal/cub/partition.h>
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>
#include <gimbal/cub/select.h>
#include <gimbal/memory.h>

#include <functional>
#include <numeric>

#include "support.h"

namespace device_one_phase_test {

using gimbal::DevicePartition;
using gimbal::DeviceReduce;
using gimbal::DeviceScan;
using gimbal::DeviceSelect;
using gimbal::error_code;
using gimbal::stream_type;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::fail_next;
using gimbal::simt::instrument::point;

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};

/// What converts to a stream, as other libraries' streams do.
struct stream_of_a_library {
  stream_type stream;
  operator stream_type() const { return stream; }
};

constexpr int n = 20000;
constexpr int poison = -77;

struct arrays {
  std::vector<int> values = test::random_values<int>(n, 31);
  test::device_array<int> in{values};
  test::device_array<int> out{std::vector<int>(2 * n, poison)};
  test::device_array<int> number{std::vector<int>(4, poison)};
};

using call = std::function<error_code(arrays&, stream_type)>;

/// One of each body.
std::vector<std::pair<const char*, call>> calls()
{
  const auto plus = ::cuda::std::plus<>{};
  return {
    {"Reduce",
     [=](arrays& a, stream_type s) { return DeviceReduce::Reduce(a.in.data(), a.number.data(), n, plus, 1, s); }},
    {"TransformReduce",
     [=](arrays& a, stream_type s) {
       return DeviceReduce::TransformReduce(a.in.data(), a.number.data(), n, plus, is_odd{}, 0, stream_of_a_library{s});
     }},
    {"ReduceByKey",
     [=](arrays& a, stream_type s) {
       int* const out = a.out.data();
       return DeviceReduce::ReduceByKey(a.in.data(), out, a.in.data(), out + n, a.number.data(), plus, n, s);
     }},
    {"ArgMin",
     [](arrays& a, stream_type s) {
       return DeviceReduce::ArgMin(a.in.data(), a.number.data(), a.number.data() + 1, n, s);
     }},
    {"ArgMinLastMax",
     [](arrays& a, stream_type s) {
       int* const to = a.number.data();
       return DeviceReduce::ArgMinLastMax(a.in.data(), to, to + 1, to + 2, to + 3, n, ::cuda::std::less<>{}, s);
     }},
    {"ExclusiveSum",
     [](arrays& a, stream_type s) {
       return DeviceScan::ExclusiveSum(a.in.data(), a.out.data(), n, stream_of_a_library{s});
     }},
    {"InclusiveScanByKey",
     [=](arrays& a, stream_type s) {
       return DeviceScan::InclusiveScanByKey(
         a.in.data(), a.in.data(), a.out.data(), plus, n, ::cuda::std::equal_to<>{}, s);
     }},
    {"Select::If",
     [](arrays& a, stream_type s) {
       return DeviceSelect::If(a.in.data(), a.out.data(), a.number.data(), n, is_odd{}, s);
     }},
    {"Unique",
     [](arrays& a, stream_type s) { return DeviceSelect::Unique(a.in.data(), a.out.data(), a.number.data(), n, s); }},
    {"UniqueByKey",
     [](arrays& a, stream_type s) {
       int* const out = a.out.data();
       return DeviceSelect::UniqueByKey(a.in.data(), a.in.data(), out, out + n, a.number.data(), n, s);
     }},
    {"Partition::Flagged",
     [](arrays& a, stream_type s) {
       return DevicePartition::Flagged(a.in.data(), a.in.data(), a.out.data(), a.number.data(), n, s);
     }},
    {"Partition::If",
     [](arrays& a, stream_type s) {
       return DevicePartition::If(a.in.data(), a.out.data(), a.number.data(), n, is_odd{}, stream_of_a_library{s});
     }},
  };
}

void check_untouched(arrays& a)
{
  CHECK(a.in.to_host() == a.values);
  CHECK(a.out.to_host() == std::vector<int>(2 * n, poison));
  CHECK(a.number.to_host() == std::vector<int>(4, poison));
}

std::size_t used_memory()
{
  REQUIRE_FALSE(gimbal::simt::wait({}, "test"));
  return gimbal::memory_held().used;
}

TEST_CASE("one allocation of the pool's, and no wait")
{
  for (const auto& [name, run] : calls()) {
    INFO(name);
    arrays a;
    const long allocations = counted(point::allocate);
    const long waits = counted(point::wait);
    CHECK(run(a, {}) == gimbal::simt::success);
    CHECK(counted(point::allocate) == allocations + 1);
    CHECK(counted(point::wait) == waits);
    CHECK(used_memory() == 0);
    CHECK((a.out.to_host() != std::vector<int>(2 * n, poison) || a.number.to_host()[0] != poison));
  }
}

TEST_CASE("a step that fails is returned, nothing is leaked or written, and the next call works")
{
  for (const auto& [name, run] : calls()) {
    INFO(name);
    for (const point step : {point::allocate, point::launch}) {
      arrays a;
      fail_next(step);
      const error_code code = run(a, {});
      CHECK(
        code == (step == point::allocate ? gimbal::simt::error_memory_allocation : gimbal::simt::error_launch_failure));
      CHECK(used_memory() == 0);
      check_untouched(a);
      CHECK(run(a, {}) == gimbal::simt::success);
      CHECK(used_memory() == 0);
    }
  }
}

#if !GIMBAL_GPU
TEST_CASE("the stream is the caller's")
{
  for (const auto& [name, run] : calls()) {
    INFO(name);
    arrays a;
    CHECK(run(a, gimbal::simt::invalid_stream()) == gimbal::simt::error_invalid_resource_handle);
    check_untouched(a);
  }
}
#endif

}  // namespace device_one_phase_test
