// Compares gimbal::DeviceRadixSort by a decomposer's members with CUB's.
#include <gimbal/cub/radix_sort.h>

#include <cstring>
#include <cuda/std/tuple>
#include <numeric>

#include "device_support.h"

using namespace device_calls;

namespace {

#if GIMBAL_GPU
using stock_sort = cub::DeviceRadixSort;
#else
using stock_sort = void;
#endif

struct item {
  float weight;
  std::int16_t group;
  std::uint16_t id;  // where it stood: shows whether the sort is stable

  bool operator==(const item& other) const { return weight == other.weight && group == other.group && id == other.id; }
};

struct group_and_weight {
  GIMBAL_HOST_DEVICE ::cuda::std::tuple<std::int16_t&, float&> operator()(item& i) const { return {i.group, i.weight}; }
};
constexpr int all_bits = 48;

std::vector<item> random_items(int n)
{
  std::mt19937 random(3);
  std::vector<item> items(n);
  for (int i = 0; i < n; ++i) {
    const float weight = static_cast<float>(static_cast<int>(random() % 9) - 4) / 4;
    items[i] = {
      random() % 7 == 0 ? -0.0f : weight, static_cast<std::int16_t>(static_cast<int>(random() % 5) - 2),
      static_cast<std::uint16_t>(i)};
  }
  return items;
}

/// The members' ordered images, one above the other.
std::uint64_t image(const item& i)
{
  std::uint32_t weight;
  const float positive_zero = i.weight == 0 ? 0.0f : i.weight;
  std::memcpy(&weight, &positive_zero, sizeof(weight));
  weight ^= (weight & 0x80000000u) != 0 ? ~0u : 0x80000000u;
  return std::uint64_t{static_cast<std::uint16_t>(i.group ^ 0x8000)} << 32 | weight;
}

/// The items' places in sorted order.
std::vector<int> order_of(const std::vector<item>& items, bool is_descending, int begin_bit, int end_bit)
{
  const auto digits = [&](int i) {
    return image(items[i]) >> begin_bit & ((std::uint64_t{1} << (end_bit - begin_bit)) - 1);
  };
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return is_descending ? digits(b) < digits(a) : digits(a) < digits(b);
  });
  return order;
}

struct ascending {
  template <class Calls, class... All>
  static auto keys(Calls, All&&... all)
  {
    return Calls::type::SortKeys(all...);
  }
  template <class Calls, class... All>
  static auto pairs(Calls, All&&... all)
  {
    return Calls::type::SortPairs(all...);
  }
};
struct descending {
  template <class Calls, class... All>
  static auto keys(Calls, All&&... all)
  {
    return Calls::type::SortKeysDescending(all...);
  }
  template <class Calls, class... All>
  static auto pairs(Calls, All&&... all)
  {
    return Calls::type::SortPairsDescending(all...);
  }
};

/// Every form that takes these bits, of which there are none for all of them.
template <class Order, class... Bits>
void check_forms(int n, Bits... bits)
{
  constexpr bool is_descending = std::is_same<Order, descending>::value;
  const int range[] = {bits..., 0, all_bits};
  CAPTURE(n, is_descending, range[0], range[1]);
  const std::vector<item> in = random_items(n);
  const std::vector<int> order = order_of(in, is_descending, range[0], range[1]);
  std::vector<item> sorted;
  for (const int i : order) {
    sorted.push_back(in[i]);
  }
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  const thrust::device_vector<item> keys = in;
  const thrust::device_vector<int> values = places;
  const group_and_weight decomposer;

  const auto copied_keys = [&](auto sort) {
    thrust::device_vector<item> out(n);
    sort([&](auto calls, auto... storage) {
      return Order::keys(calls, storage..., raw(keys), raw(out), n, decomposer, bits...);
    });
    check_equal(to_host(keys), in);
    return to_host(out);
  };
  const auto keys_between = [&](auto sort) {
    thrust::device_vector<item> front = keys, back(n);
    gimbal::DoubleBuffer<item> both(raw(front), raw(back));
    sort([&](auto calls, auto... storage) { return Order::keys(calls, storage..., both, n, decomposer, bits...); });
    return to_host(both.Current() == raw(front) ? front : back);
  };
  const auto copied_pairs = [&](auto sort) {
    thrust::device_vector<item> out(n);
    thrust::device_vector<int> values_out(n, 77);
    sort([&](auto calls, auto... storage) {
      return Order::pairs(calls, storage..., raw(keys), raw(out), raw(values), raw(values_out), n, decomposer, bits...);
    });
    check_equal(to_host(out), sorted);
    return to_host(values_out);
  };
  const auto pairs_between = [&](auto sort) {
    thrust::device_vector<item> front = keys, back(n);
    thrust::device_vector<int> values_front = values, values_back(n, 77);
    gimbal::DoubleBuffer<item> both(raw(front), raw(back));
    gimbal::DoubleBuffer<int> values_both(raw(values_front), raw(values_back));
    sort([&](auto calls, auto... storage) {
      return Order::pairs(calls, storage..., both, values_both, n, decomposer, bits...);
    });
    check_equal(to_host(both.Current() == raw(front) ? front : back), sorted);
    return to_host(values_both.Current() == raw(values_front) ? values_front : values_back);
  };
  const auto both_ways = [&](auto form, const auto& expected) {
    check<gimbal::DeviceRadixSort, stock_sort>(
      [&](auto calls) {
        return form(
          [&](auto call) { two_phases([&](void* s, std::size_t& b) { return call(calls, s, std::ref(b)); }); });
      },
      expected);
    check_in_one_phase<gimbal::DeviceRadixSort, stock_sort>(
      [&](auto calls) { return form([&](auto call) { one_phase([&] { return call(calls); }); }); }, expected);
  };
  both_ways(copied_keys, sorted);
  both_ways(keys_between, sorted);
  both_ways(copied_pairs, order);
  both_ways(pairs_between, order);
}

}  // namespace

TEST_CASE("DeviceRadixSort: by the members of a struct")
{
  std::vector<int> sizes{0, 1, 33, 1025, 20011};
  if (GIMBAL_GPU) {  // in passes, too
    sizes.insert(sizes.end(), {700001, 3000001});
  }
  for (const int n : sizes) {
    check_forms<ascending>(n);
    check_forms<descending>(n);
  }
}

TEST_CASE("DeviceRadixSort: by some bits of the members of a struct")
{
  for (const int n : {1, 20011}) {
    for (const auto& bits :
         {std::make_pair(0, 0), std::make_pair(0, all_bits), std::make_pair(22, 34), std::make_pair(3, 32),
          std::make_pair(32, 48), std::make_pair(40, 41)}) {
      check_forms<ascending>(n, bits.first, bits.second);
      check_forms<descending>(n, bits.first, bits.second);
    }
  }
}

TEST_CASE("DeviceRadixSort: refused calls by members")
{
  const int n = 20011;
  const std::vector<item> in = random_items(n);
  thrust::device_vector<item> keys = in, out = in;
  const group_and_weight decomposer;
  using gimbal::DeviceRadixSort;
  refuses_small_storage(
    [&](void* s, std::size_t& b) { return DeviceRadixSort::SortKeys(s, b, raw(keys), raw(out), n, decomposer); });
  check_equal(to_host(out), in);
  std::size_t bytes = 0;
  const auto invalid = gimbal::simt::error_invalid_value;
  CHECK(DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), -1, decomposer) == invalid);
  CHECK(DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), n, decomposer, 0, all_bits + 1) == invalid);
  CHECK(DeviceRadixSort::SortKeys(nullptr, bytes, raw(keys), raw(out), n, decomposer, 8, 4) == invalid);
  // The sizes of a query without pointers are enough for all.
  const item* const none = nullptr;
  REQUIRE(
    DeviceRadixSort::SortKeys(nullptr, bytes, none, static_cast<item*>(nullptr), n, decomposer)
    == gimbal::simt::success);
  thrust::device_vector<char> storage(bytes);
  CHECK(DeviceRadixSort::SortKeys(raw(storage), bytes, raw(keys), raw(keys), n, decomposer) == gimbal::simt::success);
  CHECK(DeviceRadixSort::SortKeys(raw(storage), bytes, raw(keys), raw(out), n, decomposer) == gimbal::simt::success);
}
