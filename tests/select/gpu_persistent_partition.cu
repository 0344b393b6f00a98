// Tests the persistent partition on a GPU: public calls large enough for it, beside the same on the host; in place and
// not, by a stencil, misaligned, from a captured graph.

#include <gimbal/device.h>
#include <gimbal/gimbal.h>

#include <algorithm>

#include "gpu/gpu_stream.h"
#include "select_checks.h"

namespace {

using select_checks::front;

struct is_odd {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& value) const
  {
    return value % 2 != 0;
  }
};

struct gathered_is_odd {
  const int* table;

  GIMBAL_HOST_DEVICE bool operator()(int i) const { return table[i] % 2 != 0; }
};

template <class T>
std::vector<T> partitioned(std::vector<T> values)
{
  std::stable_partition(values.begin(), values.end(), is_odd{});
  return values;
}

template <class T>
void check(std::size_t n, std::size_t shift)
{
  INFO(n << " items of " << sizeof(T) << " bytes, shifted by " << shift);
  const std::vector<T> values = test::random_values<T>(n, n);
  const std::vector<T> wanted = partitioned(values);
  const std::size_t odd = static_cast<std::size_t>(std::count_if(values.begin(), values.end(), is_odd{}));
  const std::vector<T> wanted_odd(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(odd));
  const std::vector<T> wanted_even(wanted.begin() + static_cast<std::ptrdiff_t>(odd), wanted.end());
  test::device_array<T> in(values, shift);
  T* const first = in.data();

  test::device_array<T> selected(odd, shift / 2);
  test::device_array<T> rejected(n - odd);
  const auto ends = thrust::partition_copy(gimbal::par, first, first + n, selected.data(), rejected.data(), is_odd{});
  REQUIRE(ends.first == selected.data() + odd);
  test::require_equal(selected.to_host(), wanted_odd);
  test::require_equal(rejected.to_host(), wanted_even);

  test::device_array<T> both(n);  // the rejected backwards from the end
  test::device_array<gimbal::index_type> count(1);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::simt::failure(
      gimbal::DevicePartition::If(
        storage, bytes, first, both.data(), count.data(), static_cast<gimbal::index_type>(n), is_odd{}),
      "test");
  });
  REQUIRE(count.to_host()[0] == static_cast<gimbal::index_type>(odd));
  std::vector<T> wanted_both = wanted;
  std::reverse(wanted_both.begin() + static_cast<std::ptrdiff_t>(odd), wanted_both.end());
  test::require_equal(both.to_host(), wanted_both);

  test::device_array<T> copied(odd);
  REQUIRE(thrust::copy_if(gimbal::par, first, first + n, first, copied.data(), is_odd{}) == copied.data() + odd);
  test::require_equal(copied.to_host(), wanted_odd);

  test::device_array<T> kept(values, shift);
  REQUIRE(thrust::remove_if(gimbal::par, kept.data(), kept.data() + n, is_odd{}) == kept.data() + (n - odd));
  test::require_equal(front(kept, n - odd), wanted_even);

  REQUIRE(thrust::stable_partition(gimbal::par, first, first + n, is_odd{}) == first + odd);
  test::require_equal(in.to_host(), wanted);
}

}  // namespace

TEST_CASE("persistent partition through public calls", "[gpu_persistent_partition]")
{
  for (std::size_t shift : {0, 1, 3}) {
    check<std::int32_t>((std::size_t{1} << 18) + 5, shift);
    check<std::int32_t>(std::size_t{1} << 24, shift);
  }
  check<std::int8_t>((std::size_t{1} << 25) + 77, 5);
  check<std::int64_t>((std::size_t{1} << 22) + 1, 1);
}

// Tiles take longest where a predicate reads memory far apart. Stages are then filled anew while loads
// from them may still be in flight, and a fence that is missing there shows as items of another tile.
TEST_CASE("persistent select by a predicate that reads memory in no order", "[gpu_persistent_partition]")
{
  constexpr std::size_t n = std::size_t{1} << 24;
  const std::vector<int> values = test::random_values<int>(n, 3);
  std::vector<int> list = test::random_values<int>(n, 4);
  for (int& i : list) {
    i = static_cast<int>(static_cast<unsigned>(i) % n);
  }
  std::vector<int> wanted;
  for (const int i : list) {
    if (values[static_cast<std::size_t>(i)] % 2 != 0) {
      wanted.push_back(i);
    }
  }
  test::device_array<int> table(values);
  test::device_array<int> in(list);
  for (int turn = 0; turn < 10; ++turn) {
    test::device_array<int> out(wanted.size());
    int* const end = thrust::copy_if(gimbal::par, in.data(), in.data() + n, out.data(), gathered_is_odd{table.data()});
    REQUIRE(end == out.data() + wanted.size());
    REQUIRE(out.to_host() == wanted);
  }
}

TEST_CASE("persistent select in a captured graph, replayed", "[gpu_persistent_partition]")
{
  const std::size_t n = (std::size_t{1} << 20) + 3;
  const gimbal::index_type size = static_cast<gimbal::index_type>(n);
  const test::stream own(0, cudaStreamDefault);
  test::device_array<std::int32_t> in(n);
  test::device_array<std::int32_t> out(n);
  test::device_array<gimbal::index_type> count(1);
  std::size_t bytes = 0;
  const auto select = [&](void* storage) {
    return gimbal::DeviceSelect::If(storage, bytes, in.data(), out.data(), count.data(), size, is_odd{}, own.get());
  };
  REQUIRE(select(nullptr) == cudaSuccess);
  test::device_array<unsigned char> storage(bytes);
  cudaError_t called = cudaSuccess;
  test::capture graph(own.get(), cudaStreamCaptureModeThreadLocal, [&] { called = select(storage.data()); });
  REQUIRE(called == cudaSuccess);
  for (unsigned replay = 0; replay < 3; ++replay) {
    const std::vector<std::int32_t> values = test::random_values<std::int32_t>(n, replay);
    const std::size_t odd = static_cast<std::size_t>(std::count_if(values.begin(), values.end(), is_odd{}));
    test::raw_copy(in.data(), values.data(), n * sizeof(std::int32_t));
    graph.replay(own.get());
    REQUIRE(count.to_host()[0] == static_cast<gimbal::index_type>(odd));
    std::vector<std::int32_t> wanted = partitioned(values);
    wanted.resize(odd);
    test::require_equal(front(out, odd), wanted);
  }
}
