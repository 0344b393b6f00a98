// Compares the storage that gimbal::DeviceMergeSort needs with CUB's.
#include <gimbal/cub/merge_sort.h>

#include <cub/device/device_merge_sort.cuh>
#include <type_traits>

#include "device_support.h"

namespace {

template <unsigned Words>
struct words {
  std::uint32_t word[Words];
};

struct by_first {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const
  {
    if constexpr (std::is_arithmetic_v<T>) {
      return a < b;
    } else {
      return a.word[0] < b.word[0];
    }
  }
};

/// For n items sorted in place. Nothing is sorted.
template <class Calls, class Key, class Value>
std::size_t storage_bytes(Key* keys, std::int64_t n)
{
  std::size_t bytes = 0;
  if constexpr (std::is_void_v<Value>) {
    REQUIRE(Calls::SortKeys(nullptr, bytes, keys, n, by_first{}) == cudaSuccess);
  } else {
    REQUIRE(Calls::SortPairs(nullptr, bytes, keys, reinterpret_cast<Value*>(keys), n, by_first{}) == cudaSuccess);
  }
  return bytes;
}

/// Splits of many runs take up to 0.43 % of what is sorted.
template <class Key, class Value>
void check_storage()
{
  thrust::device_vector<Key> keys(64);
  for (std::int64_t n = 2; n <= std::int64_t{1} << 30; n += n / 2) {
    const std::size_t own = storage_bytes<gimbal::DeviceMergeSort, Key, Value>(device_calls::raw(keys), n);
    const std::size_t stock = storage_bytes<cub::DeviceMergeSort, Key, Value>(device_calls::raw(keys), n);
    CAPTURE(sizeof(Key), std::is_void_v<Value>, n, own, stock);
    CHECK(own <= stock + stock / 200);
  }
}

}  // namespace

TEST_CASE("DeviceMergeSort: hardly more storage than stock")
{
  check_storage<std::uint16_t, void>();
  check_storage<std::uint32_t, void>();
  check_storage<double, void>();
  check_storage<words<3>, void>();
  check_storage<words<4>, void>();
  check_storage<words<8>, void>();
  check_storage<std::uint32_t, std::uint32_t>();
  check_storage<std::uint64_t, std::uint64_t>();
  check_storage<std::uint16_t, words<5>>();
  check_storage<words<4>, std::uint8_t>();
}
