// Tests gimbal::radix_sort: items in the order of keys that a projection takes from them, against std::stable_sort.
#include <gimbal/radix_sort.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>

#include "thrust_support.h"

namespace projected_test {

using gimbal::par;

struct record {
  std::uint32_t id;  // where it stood: shows whether the sort is stable
  float weight;
  std::int16_t group;
  std::uint8_t color;
};
bool operator==(const record& l, const record& r)
{
  return l.id == r.id && l.weight == r.weight && l.group == r.group && l.color == r.color;
}
std::ostream& operator<<(std::ostream& out, const record& r)
{
  return out << '{' << r.id << ' ' << r.weight << ' ' << r.group << ' ' << int{r.color} << '}';
}

std::vector<record> random_records(std::size_t n, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<record> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    records[i].id = static_cast<std::uint32_t>(i);
    records[i].weight = static_cast<float>(static_cast<int>(random() % 41) - 20) / 4;
    records[i].group = static_cast<std::int16_t>(static_cast<int>(random() % 9) - 4);
    records[i].color = static_cast<std::uint8_t>(random());
  }
  return records;
}

struct weight_of {
  float scale;  // a state of its own
  GIMBAL_HOST_DEVICE float operator()(const record& r) const { return r.weight * scale; }
};
struct color_of {
  GIMBAL_HOST_DEVICE std::uint8_t operator()(const record& r) const { return r.color; }
};
struct descending_weight_of {
  GIMBAL_HOST_DEVICE auto operator()(const record& r) const { return gimbal::descending{r.weight}; }
};
struct group_then_descending_weight_then_color_of {
  GIMBAL_HOST_DEVICE auto operator()(const record& r) const
  {
    return thrust::make_tuple(r.group, gimbal::descending{r.weight}, r.color);
  }
};
struct color_and_group_of {
  GIMBAL_HOST_DEVICE thrust::pair<std::uint8_t, std::int16_t> operator()(const record& r) const
  {
    return {r.color, r.group};
  }
};

#if !GIMBAL_GPU  // device code has the standard library's own only with --expt-relaxed-constexpr
struct standard_color_and_group_of {
  std::pair<std::uint8_t, std::int16_t> operator()(const record& r) { return {r.color, r.group}; }  // not const
};
struct standard_descending_weight_color_and_group_of {
  std::tuple<gimbal::descending<float>, std::uint8_t, std::int16_t> operator()(const record& r) const
  {
    return {gimbal::descending{r.weight}, r.color, r.group};
  }
};
#endif

template <class Projection, class Less>
void check(Projection projection, Less less)
{
  for (const std::size_t n : test::call_sizes()) {
    INFO("n = " << n);
    const std::vector<record> records = random_records(n, n);
    std::vector<record> expected = records;
    std::stable_sort(expected.begin(), expected.end(), less);
    auto x = test::to_device(records);
    gimbal::radix_sort(par, x.begin(), x.end(), projection);
    test::require_equal(test::to_host(x), expected);
  }
}

TEST_CASE("structs by a key of each width and kind")
{
  check(weight_of{1}, [](const record& l, const record& r) { return l.weight < r.weight; });
  check(color_of{}, [](const record& l, const record& r) { return l.color < r.color; });
  check(descending_weight_of{}, [](const record& l, const record& r) { return l.weight > r.weight; });
}

TEST_CASE("a projection with a state of its own")
{
  check(weight_of{-2}, [](const record& l, const record& r) { return l.weight > r.weight; });
}

TEST_CASE("structs by several keys, the first one deciding")
{
  check(group_then_descending_weight_then_color_of{}, [](const record& l, const record& r) {
    return l.group != r.group ? l.group < r.group : l.weight != r.weight ? l.weight > r.weight : l.color < r.color;
  });
  check(color_and_group_of{}, [](const record& l, const record& r) {
    return l.color != r.color ? l.color < r.color : l.group < r.group;
  });
#if !GIMBAL_GPU
  check(standard_color_and_group_of{}, [](const record& l, const record& r) {
    return l.color != r.color ? l.color < r.color : l.group < r.group;
  });
  check(standard_descending_weight_color_and_group_of{}, [](const record& l, const record& r) {
    return l.weight != r.weight ? l.weight > r.weight : l.color != r.color ? l.color < r.color : l.group < r.group;
  });
#endif
}

TEST_CASE("structs by some bits of a key")
{
  for (const std::size_t n : {std::size_t{700}, std::size_t{20000}}) {
    const std::vector<record> records = random_records(n, 5);
    std::vector<record> expected = records;
    std::stable_sort(expected.begin(), expected.end(), [](const record& l, const record& r) {
      return (l.color >> 2 & 7) < (r.color >> 2 & 7);
    });
    auto x = test::to_device(records);
    gimbal::radix_sort(par, x.begin(), x.end(), color_of{}, 2, 5);
    test::require_equal(test::to_host(x), expected);
    gimbal::radix_sort(par, x.begin(), x.end(), color_of{}, 4, 4);  // no bits: all are equal
    test::require_equal(test::to_host(x), expected);
  }
}

/// Moved once, from the positions that its keys are sorted with.
struct large_record {
  std::uint16_t group;
  std::uint8_t color;
  std::uint32_t rest[11];
  friend bool operator==(const large_record& l, const large_record& r)
  {
    return l.group == r.group && l.color == r.color && std::equal(l.rest, l.rest + 11, r.rest);
  }
};
struct color_of_large {
  GIMBAL_HOST_DEVICE std::uint8_t operator()(const large_record& r) const { return r.color; }
};
struct group_of_large {
  GIMBAL_HOST_DEVICE std::uint16_t operator()(const large_record& r) const { return r.group; }
};

TEST_CASE("large structs by small keys")
{
  for (const std::size_t n : {std::size_t{300}, std::size_t{4097}, std::size_t{30000}}) {
    INFO("n " << n);
    std::vector<large_record> records(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<std::uint32_t>(i * 2654435761u);
      records[i] = {
        static_cast<std::uint16_t>(x >> 13), static_cast<std::uint8_t>(x >> 5), {static_cast<std::uint32_t>(i)}};
    }
    const auto check = [&](auto projection) {
      std::vector<large_record> expected = records;
      std::stable_sort(expected.begin(), expected.end(), [&](const large_record& l, const large_record& r) {
        return projection(l) < projection(r);
      });
      auto x = test::to_device(records);
      gimbal::radix_sort(par, x.begin(), x.end(), projection);
      CHECK(test::to_host(x) == expected);
    };
    check(color_of_large{});
    check(group_of_large{});
  }
}

TEST_CASE("a range of bits that the key does not have is refused before anything runs")
{
  const std::vector<record> records = random_records(3000, 6);
  auto x = test::to_device(records);
  for (const auto& [begin, end] : {std::pair(0, 9), std::pair(-1, 4), std::pair(5, 4), std::pair(0, -1)}) {
    INFO("bits " << begin << " to " << end);
    try {
      gimbal::radix_sort(par, x.begin(), x.end(), color_of{}, begin, end);
      FAIL("nothing thrown");
    } catch (const thrust::system_error& error) {
      CHECK(std::string(error.what()).find("radix_sort of 3000 elements of 12 bytes") != std::string::npos);
    }
  }
  test::require_equal(test::to_host(x), records);
}

struct first_of {
  template <class Tuple>
  GIMBAL_HOST_DEVICE int operator()(const Tuple& t) const
  {
    return thrust::get<0>(t);
  }
};
struct identity {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return x; }
};

TEST_CASE("zip and reverse iterators")
{
  const std::size_t n = 5000;
  std::vector<int> keys = test::random_values<int>(n, 7);
  for (int& key : keys) {
    key %= 50;
  }
  std::vector<std::pair<int, double>> expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    expected[i] = {keys[i], 0.5 * static_cast<double>(i)};
  }
  std::vector<double> values(n);
  std::transform(expected.begin(), expected.end(), values.begin(), [](const auto& p) { return p.second; });
  std::stable_sort(expected.begin(), expected.end(), [](const auto& l, const auto& r) { return l.first < r.first; });

  auto k = test::to_device(keys);
  auto v = test::to_device(values);
  const auto both = thrust::make_zip_iterator(k.begin(), v.begin());
  gimbal::radix_sort(par, both, both + n, first_of{});
  std::transform(expected.begin(), expected.end(), keys.begin(), [](const auto& p) { return p.first; });
  std::transform(expected.begin(), expected.end(), values.begin(), [](const auto& p) { return p.second; });
  test::require_equal(test::to_host(k), keys);
  test::require_equal(test::to_host(v), values);

  gimbal::radix_sort(par, thrust::make_reverse_iterator(k.end()), thrust::make_reverse_iterator(k.begin()), identity{});
  std::reverse(keys.begin(), keys.end());
  test::require_equal(test::to_host(k), keys);
}

TEST_CASE("streams, allocators and nosync")
{
  const std::vector<record> records = random_records(9000, 8);
  std::vector<record> expected = records;
  std::stable_sort(
    expected.begin(), expected.end(), [](const record& l, const record& r) { return l.weight < r.weight; });
  test::counting_allocator::counts counts;
  test::counting_allocator allocator{&counts};
  auto x = test::to_device(records);
  gimbal::radix_sort(par(allocator), x.begin(), x.end(), weight_of{1});
  CHECK(counts.allocated == 1);
  CHECK(counts.live == 0);
  test::require_equal(test::to_host(x), expected);

  auto y = test::to_device(records);
  gimbal::radix_sort(gimbal::par_nosync, y.begin(), y.end(), weight_of{1});
  test::require_equal(test::to_host(y), expected);
  CHECK(test::pool_used() == 0);
}

}  // namespace projected_test
