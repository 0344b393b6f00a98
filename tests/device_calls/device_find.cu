// Compares gimbal::DeviceFind::FindIf with CUB's, where there is one.
#include <gimbal/cub/find.h>

#include "device_support.h"

using namespace device_calls;

namespace {

#if GIMBAL_STOCK_FINDS
using stock_find = cub::DeviceFind;
#else
using stock_find = gimbal::DeviceFind;
#endif

struct is_above {
  int least;
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x > least; }
};

}  // namespace

TEST_CASE("DeviceFind: FindIf")
{
  for (const int n : sizes()) {
    if (GIMBAL_GPU && n == 0) {
      continue;  // CUB 3.5 returns an error for no items; gimbal's own below
    }
    const thrust::device_vector<int> in = [&] {
      std::vector<int> numbers(n);
      for (int i = 0; i < n; ++i) {
        numbers[i] = i;
      }
      return numbers;
    }();
    for (const int least : {-1, 0, n / 2, n - 2, n}) {
      CAPTURE(n, least);
      const int expected = std::min(std::max(least + 1, 0), n);
      const auto found = [&](auto find) {
        thrust::device_vector<int> at(1, 77);
        find([&](auto call) { return call(raw(in), raw(at), is_above{least}, n); });
        return static_cast<int>(at[0]);
      };
      check<gimbal::DeviceFind, stock_find>(
        [&](auto calls) {
          return found([&](auto on_arguments) {
            two_phases([&](void* s, std::size_t& b) {
              return on_arguments([&](auto... all) { return decltype(calls)::type::FindIf(s, b, all...); });
            });
          });
        },
        expected);
      check_in_one_phase<gimbal::DeviceFind, stock_find>(
        [&](auto calls) {
          return found([&](auto on_arguments) {
            one_phase([&] { return on_arguments([&](auto... all) { return decltype(calls)::type::FindIf(all...); }); });
          });
        },
        expected);
    }
  }
}

TEST_CASE("DeviceFind: refused calls, and streams")
{
  const int n = 1000;
  const thrust::device_vector<int> in(n, 1);
  thrust::device_vector<std::int64_t> at(1, 77);
  using gimbal::DeviceFind;
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceFind::FindIf(s, b, raw(in), raw(at), is_above{0}, n); });
  CHECK(at[0] == 77);
  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceFind::FindIf(nullptr, bytes, raw(in), raw(at), is_above{0}, -1) == invalid);
  CHECK(DeviceFind::FindIf(raw(in), static_cast<int*>(nullptr), is_above{0}, n) == invalid);
  CHECK(DeviceFind::FindIf(raw(in), raw(at), is_above{0}, 0) == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait({}, "end of a search"));
  CHECK(at[0] == 0);  // how many there are
  two_phases([&](void* s, std::size_t& b) {
    return DeviceFind::FindIf(s, b, raw(in), raw(at), is_above{0}, std::int64_t{n}, gimbal::stream_type{});
  });
  CHECK(at[0] == 0);
}
