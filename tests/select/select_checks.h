// What selections and partitions are checked by, whatever runs them. A driver is a struct with
//   select(in, n, selector, selected, rejected)      how many it selected; `selected` may be the input; `rejected` is
//   rejected_to(array) or no_rejected
//   partition_in_place(data, n, selector)
//   check_forms(values, shift, selector, wanted)     all ways in which it writes
#pragma once

#include <gimbal/algorithm/select/partition.cuh>

#include "support.h"

namespace select_checks {

using gimbal::index_type;
using gimbal::algorithm::discard_rejected;
using gimbal::algorithm::select_flagged;
using gimbal::algorithm::select_if;
using gimbal::algorithm::select_if_stencil;

/// A number derived from the bytes of any value.
template <class T>
GIMBAL_HOST_DEVICE unsigned digest(const T& value)
{
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&value);
  unsigned digest = 2166136261u;
  for (unsigned b = 0; b < sizeof(T); ++b) {
    digest = (digest ^ bytes[b]) * 16777619u;
  }
  return digest >> 8;
}

/// True for about `percent` of 100 values. Its call operator is not const, as users' sometimes are not.
struct selects_percent {
  unsigned percent;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& value)
  {
    return digest(value) % 100 < percent;
  }
};

/// A struct of 12 bytes, which are no power of two.
struct bytes12 {
  std::uint32_t x, y, z;
  friend bool operator==(const bytes12& l, const bytes12& r) { return l.x == r.x && l.y == r.y && l.z == r.z; }
  friend std::ostream& operator<<(std::ostream& out, const bytes12& v)
  {
    return out << "(" << v.x << " " << v.y << " " << v.z << ")";
  }
};

template <class T>
std::vector<T> values_of(std::size_t n, std::uint64_t seed)
{
  if constexpr (std::is_same_v<T, bytes12>) {
    std::vector<T> values;
    for (const test::matrix& m : test::random_values<test::matrix>(n, seed)) {
      values.push_back({m.a, m.b, m.c});
    }
    return values;
  } else {
    return test::random_values<T>(n, seed);
  }
}

template <class T>
struct parts {
  std::vector<T> selected;
  std::vector<T> rejected;

  std::vector<T> both() const
  {
    std::vector<T> all = selected;
    all.insert(all.end(), rejected.begin(), rejected.end());
    return all;
  }
};

template <class T, class IsSelected>
parts<T> reference(const std::vector<T>& values, IsSelected is_selected)
{
  parts<T> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    (is_selected(i) ? result.selected : result.rejected).push_back(values[i]);
  }
  return result;
}

template <class T>
std::vector<T> front(test::device_array<T>& values, std::size_t count)
{
  std::vector<T> all = values.to_host();
  REQUIRE(count <= all.size());
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  return all;
}

/// To two outputs, then to one, each of exactly the size needed.
template <class Driver, class T, class InputIt, class Selector>
void check_select(InputIt in, std::size_t n, Selector selector, const parts<T>& wanted, std::size_t shift = 0)
{
  const std::size_t count = wanted.selected.size();
  {
    test::device_array<T> selected(count, shift / 2);
    test::device_array<T> rejected(wanted.rejected.size(), shift / 3);
    REQUIRE(Driver::select(in, n, selector, selected.data(), Driver::rejected_to(rejected.data())) == count);
    test::require_equal(selected.to_host(), wanted.selected);
    test::require_equal(rejected.to_host(), wanted.rejected);
  }
  test::device_array<T> selected(count, shift / 2);
  REQUIRE(Driver::select(in, n, selector, selected.data(), typename Driver::no_rejected{}) == count);
  test::require_equal(selected.to_host(), wanted.selected);
}

/// Select, and the stable partition, in place.
template <class Driver, class T, class Selector>
void check_in_place(const std::vector<T>& values, Selector selector, const parts<T>& wanted, std::size_t shift = 0)
{
  const std::size_t count = wanted.selected.size();
  {
    test::device_array<T> data(values, shift);
    REQUIRE(Driver::select(data.data(), values.size(), selector, data.data(), typename Driver::no_rejected{}) == count);
    test::require_equal(front(data, count), wanted.selected);
  }
  test::device_array<T> data(values, shift);
  REQUIRE(Driver::partition_in_place(data.data(), values.size(), selector) == count);
  test::require_equal(data.to_host(), wanted.both());
}

inline const std::vector<unsigned>& shares()
{
  static const std::vector<unsigned> percents =
    test::hunts_races ? std::vector<unsigned>{50} : std::vector<unsigned>{0, 3, 50, 97, 100};
  return percents;
}

template <class Driver, class T>
void check_shares(std::size_t n, const std::vector<unsigned>& percents = shares())
{
  const std::vector<T> values = values_of<T>(n, n + 1);
  for (unsigned percent : percents) {
    const std::size_t shift = Driver::template takes_any_place<T> ? (n + percent) % 7 : 0;
    INFO("n = " << n << ", " << percent << " % selected, shifted by " << shift << " items");
    const auto wanted = reference(values, [&](std::size_t i) { return selects_percent{percent}(values[i]); });
    Driver::check_forms(values, shift, select_if<selects_percent>{{percent}}, wanted);
  }
}

/// By a stencil of `Flag`s, and by flags where they are some.
template <class Driver, class Flag, class T>
void check_beside(std::size_t n, std::size_t flag_shift)
{
  const std::vector<T> values = values_of<T>(n, n);
  const std::vector<Flag> stencil = test::random_values<Flag>(n, n + 7);
  test::device_array<Flag> device_stencil(stencil, flag_shift);
  for (unsigned percent : {0u, 3u, 50u, 97u, 100u}) {
    INFO("n = " << n << ", " << percent << " % selected, stencil shifted by " << flag_shift);
    const auto is_selected = [&](std::size_t i) { return selects_percent{percent}(stencil[i]); };
    const auto wanted = reference(values, is_selected);
    Driver::check_forms(
      values, n % 3, select_if_stencil<const Flag*, selects_percent>{device_stencil.data(), {percent}}, wanted);
    if constexpr (std::is_convertible_v<Flag, bool>) {
      std::vector<Flag> flags(n);
      for (std::size_t i = 0; i < n; ++i) {
        flags[i] = static_cast<Flag>(is_selected(i) ? 2 : 0);
      }
      test::device_array<Flag> device_flags(flags, flag_shift);
      Driver::check_forms(values, n % 5, select_flagged<const Flag*>{device_flags.data()}, wanted);
    }
  }
}

}  // namespace select_checks
