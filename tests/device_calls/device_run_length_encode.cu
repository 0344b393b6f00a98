// Compares gimbal::DeviceRunLengthEncode with CUB's.
#include <gimbal/cub/run_length_encode.h>
#include <thrust/iterator/transform_iterator.h>

#include "device_support.h"

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_encode = cub::DeviceRunLengthEncode;
#else
using stock_encode = void;
#endif

constexpr int untouched = 77;

/// Runs of lengths around 1, `longest` and, here and there, of several tiles.
std::vector<int> items_in_runs(int n, unsigned longest)
{
  std::mt19937 random(17);
  std::vector<int> items;
  for (int value = 0; static_cast<int>(items.size()) < n; ++value) {
    const unsigned length = random() % 97 == 0 ? 5000 : 1 + random() % longest;
    items.insert(items.end(), std::min<std::size_t>(length, n - items.size()), value % 3);
  }
  return items;
}

struct runs {
  std::vector<int> first;  // items, or where they are
  std::vector<int> length;
};

/// The three outputs, as one.
std::vector<int> outputs_of(const std::vector<int>& first, const std::vector<int>& length, int count)
{
  std::vector<int> all = first;
  all.insert(all.end(), length.begin(), length.end());
  all.push_back(count);
  return all;
}
std::vector<int> outputs_of(runs r, int n)
{
  const int count = static_cast<int>(r.first.size());
  r.first.resize(n, untouched);
  r.length.resize(n, untouched);
  return outputs_of(r.first, r.length, count);
}

struct negated {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return -x; }
};

}  // namespace

TEST_CASE("DeviceRunLengthEncode: items and lengths, places and lengths")
{
  std::vector<int> counts = sizes();
  if (GIMBAL_GPU) {  // by streams, too
    counts.insert(counts.end(), {700001, 20000003});
  }
  for (const int n : counts) {
    for (const unsigned longest : {1u, 2u, 5u, 300u}) {
      CAPTURE(n, longest);
      const std::vector<int> items = items_in_runs(n, longest);
      runs encoded, longer;
      for (int i = 0; i < n;) {
        int end = i + 1;
        while (end < n && items[end] == items[i]) {
          ++end;
        }
        encoded.first.push_back(items[i]);
        encoded.length.push_back(end - i);
        if (end - i > 1) {
          longer.first.push_back(i);
          longer.length.push_back(end - i);
        }
        i = end;
      }
      const thrust::device_vector<int> in = items;
      const auto outputs = [&](auto run) {
        thrust::device_vector<int> first(n, untouched), length(n, untouched), count(1, untouched);
        run([&](auto call) { return call(raw(in), raw(first), raw(length), raw(count)); });
        check_equal(to_host(in), items);
        return outputs_of(to_host(first), to_host(length), count[0]);
      };
      check<gimbal::DeviceRunLengthEncode, stock_encode>(
        [&](auto calls) {
          return outputs([&](auto on_arrays) {
            two_phases([&](void* s, std::size_t& b) {
              return on_arrays([&](auto... arrays) { return decltype(calls)::type::Encode(s, b, arrays..., n); });
            });
          });
        },
        outputs_of(encoded, n));
#if GIMBAL_GPU  // else there is no CUB
      check<gimbal::DeviceRunLengthEncode, stock_encode>(
        [&](auto calls) {
          return outputs([&](auto on_arrays) {
            two_phases([&](void* s, std::size_t& b) {
              return on_arrays(
                [&](auto... arrays) { return decltype(calls)::type::NonTrivialRuns(s, b, arrays..., n); });
            });
          });
        },
        outputs_of(longer, n));
#endif
      if (longest == 2) {
        check_in_one_phase<gimbal::DeviceRunLengthEncode, stock_encode>(
          [&](auto calls) {
            return outputs([&](auto on_arrays) {
              one_phase(
                [&] { return on_arrays([&](auto... arrays) { return decltype(calls)::type::Encode(arrays..., n); }); });
            });
          },
          outputs_of(encoded, n));
#if GIMBAL_GPU
        check_in_one_phase<gimbal::DeviceRunLengthEncode, stock_encode>(
          [&](auto calls) {
            return outputs([&](auto on_arrays) {
              one_phase([&] {
                return on_arrays([&](auto... arrays) { return decltype(calls)::type::NonTrivialRuns(arrays..., n); });
              });
            });
          },
          outputs_of(longer, n));
#endif
      }
    }
  }
}

TEST_CASE("DeviceRunLengthEncode: computed items, other types of outputs, counts of 64 bits")
{
  const std::vector<int> items{4, 4, 4, 1, 2, 2, 4};
  const thrust::device_vector<int> in = items;
  const auto negative = thrust::make_transform_iterator(raw(in), negated{});
  const std::int64_t n = 7;
  thrust::device_vector<long long> first(4), offsets(2), count(1);
  thrust::device_vector<unsigned char> length(4), longer(2);
  two_phases([&](void* s, std::size_t& b) {
    return gimbal::DeviceRunLengthEncode::Encode(s, b, negative, raw(first), raw(length), raw(count), n);
  });
  check_equal(to_host(first), std::vector<long long>{-4, -1, -2, -4});
  check_equal(to_host(length), std::vector<unsigned char>{3, 1, 2, 1});
  CHECK(count[0] == 4);
#if GIMBAL_GPU
  two_phases([&](void* s, std::size_t& b) {
    return gimbal::DeviceRunLengthEncode::NonTrivialRuns(s, b, negative, raw(offsets), raw(longer), raw(count), n);
  });
  check_equal(to_host(offsets), std::vector<long long>{0, 4});
  check_equal(to_host(longer), std::vector<unsigned char>{3, 2});
  CHECK(count[0] == 2);
#endif
}

TEST_CASE("DeviceRunLengthEncode: refused calls")
{
  const int n = 100003;
  const thrust::device_vector<int> in(n, 1);
  thrust::device_vector<int> first(n, untouched), length(n, untouched), count(1, untouched);
  using gimbal::DeviceRunLengthEncode;
  refuses_small_storage([&](void* s, std::size_t& b) {
    return DeviceRunLengthEncode::Encode(s, b, raw(in), raw(first), raw(length), raw(count), n);
  });
  check_equal(to_host(first), std::vector<int>(n, untouched));
  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceRunLengthEncode::Encode(nullptr, bytes, raw(in), raw(first), raw(length), raw(count), -1) == invalid);
#if GIMBAL_GPU
  CHECK(
    DeviceRunLengthEncode::NonTrivialRuns(nullptr, bytes, raw(in), raw(first), raw(length), raw(count), -1) == invalid);
#endif
}
