// Tests device-wide calls with what gimbal's kernels do not take: they are CUB's, with CUB's results, and refuse the
// same arguments.
#include <gimbal/device.h>

#include <algorithm>
#include <numeric>

#include "device_support.h"
#include "support.h"
#include "thrust_support.h"

namespace device_fallback_test {

using device_calls::raw;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;
using test::fat;
using test::to_host;

constexpr int n = 3000;

struct fewer {
  __host__ __device__ bool operator()(const fat& l, const fat& r) const { return l.key < r.key; }
};
struct is_odd {
  __host__ __device__ bool operator()(const fat& x) const { return x.key % 2 != 0; }
};

/// Small enough, but copied by a function of its own.
struct own_copy {
  int key;

  own_copy() = default;
  __host__ __device__ explicit own_copy(int k) : key(k) {}
  __host__ __device__ own_copy(const own_copy& other) : key(other.key) {}
  __host__ __device__ own_copy& operator=(const own_copy& other)
  {
    key = other.key;
    return *this;
  }
};
static_assert(!gimbal::simt::is_supported_value_v<own_copy>, "one of the values that are CUB's");

struct fixture {
  std::vector<fat> values = [] {
    std::vector<fat> all(n);
    for (int i = 0; i < n; ++i) {
      all[i].key = i / 3 * 7919 % 101;
    }
    return all;
  }();
  thrust::device_vector<fat> in = values;
  thrust::device_vector<fat> out = thrust::device_vector<fat>(n);
  thrust::device_vector<int> number = thrust::device_vector<int>(1);
  thrust::device_vector<bool> flags = [this] {
    std::vector<char> all(n);
    std::transform(values.begin(), values.end(), all.begin(), is_odd{});
    return thrust::device_vector<bool>(all.begin(), all.end());
  }();
};

/// What can only be indexed, as CUB does: no random access by category, no sum with a number.
struct indexed_only {
  using iterator_category = std::input_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = const int*;
  using reference = int;

  const int* first;

  __host__ __device__ int operator[](std::ptrdiff_t i) const { return first[i]; }
  __host__ __device__ int operator*() const { return *first; }
  __host__ __device__ indexed_only& operator++()
  {
    ++first;
    return *this;
  }
  __host__ __device__ indexed_only operator+(std::ptrdiff_t i) const { return {first + i}; }
};

struct key_of {
  __host__ __device__ int operator()(const fat& x) const { return x.key; }
};
struct is_small {
  __host__ __device__ bool operator()(const fat& x) const { return x.key < 50; }
};

/// Both phases of a call none of whose launches are gimbal's.
template <class Call>
void on_stock(const Call& call)
{
  const long launches = counted(point::launch);
  device_calls::two_phases(call);
  CHECK(counted(point::launch) == launches);
}

TEST_CASE("reduce")
{
  fixture f;
  on_stock([&](void* storage, std::size_t& bytes) {
    return gimbal::DeviceReduce::Reduce(storage, bytes, raw(f.in), raw(f.out), n, ::cuda::std::plus<>{}, fat{});
  });
  CHECK(to_host(f.out)[0] == std::accumulate(f.values.begin(), f.values.end(), fat{}));
}

TEST_CASE("reductions of other kinds")
{
  fixture f;
  SECTION("transformed, of items that are too large")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::TransformReduce(
        storage, bytes, raw(f.in), raw(f.number), n, ::cuda::std::plus<>{}, key_of{}, 3);
    });
    CHECK(f.number[0] == std::accumulate(f.values.begin(), f.values.end(), fat{}).key + 3);
  }
  SECTION("by key")
  {
    thrust::device_vector<bool> keys_out(n);
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::ReduceByKey(
        storage, bytes, raw(f.flags), raw(keys_out), raw(f.in), raw(f.out), raw(f.number), ::cuda::std::plus<>{}, n);
    });
    std::vector<fat> wanted;
    for (int i = 0; i < n; ++i) {
      if (i == 0 || f.values[i].key % 2 != f.values[i - 1].key % 2) {
        wanted.push_back(f.values[i]);
      } else {
        wanted.back() = wanted.back() + f.values[i];
      }
    }
    REQUIRE(f.number[0] == static_cast<int>(wanted.size()));
    std::vector<fat> got = to_host(f.out);
    got.resize(wanted.size());
    CHECK(got == wanted);
  }
  SECTION("the least and where it is")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::ArgMin(storage, bytes, raw(f.in), raw(f.out), raw(f.number), n);
    });
    const auto least = std::min_element(f.values.begin(), f.values.end());
    CHECK(to_host(f.out)[0] == *least);
    CHECK(f.number[0] == least - f.values.begin());
  }
  SECTION("of an iterator without random access")
  {
    const thrust::device_vector<int> ones(n, 1);
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceReduce::Sum(storage, bytes, indexed_only{raw(ones)}, raw(f.number), n);
    });
    CHECK(f.number[0] == n);
  }
}

TEST_CASE("scan")
{
  fixture f;
  std::vector<fat> wanted(n);
  SECTION("inclusive")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::InclusiveScan(storage, bytes, raw(f.in), raw(f.out), ::cuda::std::plus<>{}, n);
    });
    std::partial_sum(f.values.begin(), f.values.end(), wanted.begin());
    CHECK(to_host(f.out) == wanted);
  }
  SECTION("exclusive, by key")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveScanByKey(
        storage, bytes, raw(f.flags), raw(f.in), raw(f.out), ::cuda::std::plus<>{}, fat{}, n);
    });
    for (int i = 1; i < n; ++i) {
      const bool starts = f.values[i].key % 2 != f.values[i - 1].key % 2;
      wanted[i] = starts ? fat{} : wanted[i - 1] + f.values[i - 1];
    }
    CHECK(to_host(f.out) == wanted);
  }
  SECTION("an initial value that is not yet known")
  {
    thrust::device_vector<int> init(1, 42);
    const thrust::device_vector<int> ones(n, 1);
    thrust::device_vector<int> sums(n);
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceScan::ExclusiveScan(
        storage, bytes, raw(ones), raw(sums), ::cuda::std::plus<>{}, cub::FutureValue<int>(raw(init)), n);
    });
    CHECK(sums[0] == 42);
    CHECK(sums[n - 1] == 42 + n - 1);
  }
}

TEST_CASE("select and partition")
{
  fixture f;
  std::vector<fat> odd;
  std::copy_if(f.values.begin(), f.values.end(), std::back_inserter(odd), is_odd{});
  const auto check_selected = [&](const thrust::device_vector<fat>& out) {
    REQUIRE(f.number[0] == static_cast<int>(odd.size()));
    std::vector<fat> got = to_host(out);
    got.resize(odd.size());
    CHECK(got == odd);
  };
  SECTION("if")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::If(storage, bytes, raw(f.in), raw(f.out), raw(f.number), n, is_odd{});
    });
    check_selected(f.out);
  }
  SECTION("if, in place")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::If(storage, bytes, raw(f.in), raw(f.number), n, is_odd{});
    });
    check_selected(f.in);
  }
  SECTION("flagged")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::Flagged(storage, bytes, raw(f.in), raw(f.flags), raw(f.out), raw(f.number), n);
    });
    check_selected(f.out);
  }
  SECTION("flagged, in place")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::Flagged(storage, bytes, raw(f.in), raw(f.flags), raw(f.number), n);
    });
    check_selected(f.in);
  }
  SECTION("partition if")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DevicePartition::If(storage, bytes, raw(f.in), raw(f.out), raw(f.number), n, is_odd{});
    });
    check_selected(f.out);
  }
  SECTION("partition in three")
  {
    thrust::device_vector<fat> second(n), rest(n);
    thrust::device_vector<int> counts(2);
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DevicePartition::If(
        storage, bytes, raw(f.in), raw(f.out), raw(second), raw(rest), raw(counts), n, is_odd{}, is_small{});
    });
    CHECK(counts[0] == static_cast<int>(odd.size()));
    std::vector<fat> got = to_host(f.out);
    got.resize(odd.size());
    CHECK(got == odd);
    CHECK(counts[1] == std::count_if(f.values.begin(), f.values.end(), [](const fat& x) {
            return x.key % 2 == 0 && x.key < 50;
          }));
  }
  SECTION("unique")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceSelect::Unique(storage, bytes, raw(f.in), raw(f.out), raw(f.number), n);
    });
    std::vector<fat> wanted = f.values;
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    REQUIRE(f.number[0] == static_cast<int>(wanted.size()));
    std::vector<fat> got = to_host(f.out);
    got.resize(wanted.size());
    CHECK(got == wanted);
  }
}

TEST_CASE("sorts")
{
  fixture f;
  std::vector<fat> wanted = f.values;
  std::stable_sort(wanted.begin(), wanted.end());
  thrust::device_vector<int> keys(n);
  thrust::device_vector<int> keys_out(n);
  std::vector<int> host_keys(n);
  std::transform(f.values.begin(), f.values.end(), host_keys.begin(), [](const fat& x) { return x.key; });
  keys = host_keys;
  SECTION("merge sort of keys")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceMergeSort::StableSortKeys(storage, bytes, raw(f.in), n, fewer{});
    });
    CHECK(to_host(f.in) == wanted);
  }
  SECTION("merge sort of pairs, by copies")
  {
    on_stock([&](void* storage, std::size_t& bytes) {
      return gimbal::DeviceMergeSort::SortPairsCopy(
        storage, bytes, raw(keys), raw(f.in), raw(keys_out), raw(f.out), n, ::cuda::std::less<>{});
    });
    CHECK(to_host(f.out) == wanted);
  }
}

// Radix sorts of values that are large are not here: CUB lays its tiles out in more shared memory than a block has.
TEST_CASE("values with a copy function of their own")
{
  std::vector<int> host_keys(n);
  for (int i = 0; i < n; ++i) {
    host_keys[i] = i * 7919 % n;
  }
  const std::vector<own_copy> host_values(host_keys.begin(), host_keys.end());
  const thrust::device_vector<int> keys = host_keys;
  thrust::device_vector<int> keys_out(n);
  test::device_array<own_copy> values(host_values);
  test::device_array<own_copy> values_out(n);
  on_stock([&](void* storage, std::size_t& bytes) {
    return gimbal::DeviceRadixSort::SortPairs(
      storage, bytes, raw(keys), raw(keys_out), values.data(), values_out.data(), n);
  });
  std::sort(host_keys.begin(), host_keys.end());
  CHECK(to_host(keys_out) == host_keys);
  const std::vector<own_copy> got = values_out.to_host();
  CHECK(std::equal(got.begin(), got.end(), host_keys.begin(), [](const own_copy& v, int k) { return v.key == k; }));
}

TEST_CASE("the same arguments are refused")
{
  fixture f;
  std::size_t bytes = 0;
  fat* const none = nullptr;
  CHECK(gimbal::DeviceMergeSort::SortKeys(nullptr, bytes, raw(f.in), -1, fewer{}) == gimbal::simt::error_invalid_value);
  REQUIRE(gimbal::DeviceMergeSort::SortKeys(nullptr, bytes, raw(f.in), n, fewer{}) == gimbal::simt::success);
  thrust::device_vector<char> storage(bytes);
  CHECK(gimbal::DeviceMergeSort::SortKeys(raw(storage), bytes, none, n, fewer{}) == gimbal::simt::error_invalid_value);
  CHECK(
    gimbal::DeviceSelect::If(raw(storage), bytes, raw(f.in), static_cast<int*>(nullptr), n, is_odd{})
    == gimbal::simt::error_invalid_value);
  CHECK(
    gimbal::DeviceReduce::Reduce(raw(storage), bytes, raw(f.in), none, n, ::cuda::std::plus<>{}, fat{})
    == gimbal::simt::error_invalid_value);
}

}  // namespace device_fallback_test
