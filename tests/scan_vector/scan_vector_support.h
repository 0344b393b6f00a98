// What the tests of the scan-vector calls share: segments in both descriptions, and what a serial program says of them.
#pragma once

#include <gimbal/scan_vector.h>

#include <algorithm>

#include "support.h"

namespace vector_test {

namespace v = gimbal::vectors;
using gimbal::index_type;
using gimbal::par;

/// 12 bytes, added field by field.
struct record {
  std::uint32_t x, y, z;

  friend GIMBAL_HOST_DEVICE bool operator==(const record& l, const record& r)
  {
    return l.x == r.x && l.y == r.y && l.z == r.z;
  }
  friend std::ostream& operator<<(std::ostream& out, const record& r)
  {
    return out << "(" << r.x << " " << r.y << " " << r.z << ")";
  }
};
struct add_records {
  GIMBAL_HOST_DEVICE record operator()(const record& l, const record& r) const
  {
    return {l.x + r.x, l.y + r.y, l.z + r.z};
  }
};

/// `Units` parts of any size, combined by an operator that does not commute: the first part is of the first item, the
/// second of the last one, and the others are added.
template <class Unit, unsigned Units>
struct ordered {
  Unit unit[Units];

  friend GIMBAL_HOST_DEVICE bool operator==(const ordered& l, const ordered& r)
  {
    bool is_equal = true;
    for (unsigned u = 0; u < Units; ++u) {
      is_equal = is_equal && l.unit[u] == r.unit[u];
    }
    return is_equal;
  }
  friend std::ostream& operator<<(std::ostream& out, const ordered& r)
  {
    return out << "(" << +r.unit[0] << " " << +r.unit[1] << " ...)";
  }
};
struct combine_ordered {
  template <class Unit, unsigned Units>
  GIMBAL_HOST_DEVICE ordered<Unit, Units> operator()(const ordered<Unit, Units>& l, const ordered<Unit, Units>& r) const
  {
    ordered<Unit, Units> both(l);
    both.unit[1] = r.unit[1];
    for (unsigned u = 2; u < Units; ++u) {
      both.unit[u] = static_cast<Unit>(l.unit[u] + r.unit[u]);
    }
    return both;
  }
};
template <class T>
inline constexpr bool is_ordered = false;
template <class Unit, unsigned Units>
inline constexpr bool is_ordered<ordered<Unit, Units>> = true;

using map_type = v::affine<std::uint32_t>;

/// Values whose sums are exact.
template <class T>
std::vector<T> values(std::size_t n, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<T> made;
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<std::uint32_t>(random() % 1000);
    const auto b = static_cast<std::uint32_t>(random());
    if constexpr (std::is_same_v<T, record>) {
      made.push_back({a, b, a ^ b});
    } else if constexpr (std::is_same_v<T, map_type>) {
      made.push_back({b | 1u, a});
    } else if constexpr (is_ordered<T>) {
      T x;
      for (auto& unit : x.unit) {
        unit = static_cast<std::remove_reference_t<decltype(unit)>>(random());
      }
      made.push_back(x);
    } else {
      made.push_back(static_cast<T>(a % 200));
    }
  }
  return made;
}

template <class T>
auto monoid_of()
{
  if constexpr (std::is_same_v<T, record>) {
    return v::make_monoid(add_records{}, record{0, 0, 0});
  } else if constexpr (std::is_same_v<T, map_type>) {
    return v::compose<std::uint32_t>();
  } else {
    return v::plus<T>();
  }
}

/// Flags of which about one in `of` is set, in values other than 1, too.
inline std::vector<unsigned char> random_flags(std::size_t n, std::uint64_t seed, unsigned of = 2)
{
  std::mt19937_64 random(seed);
  std::vector<unsigned char> flags(n);
  for (unsigned char& flag : flags) {
    flag = random() % of == 0 ? static_cast<unsigned char>(1 + random() % 255) : 0;
  }
  return flags;
}

/// The same segments as flags and as offsets, which also have segments without items, and where those of each item
/// begin and end.
struct segments {
  std::vector<unsigned char> flags;
  std::vector<std::uint32_t> offsets;
  std::vector<std::size_t> head, end;  // of each item's segment
  std::vector<index_type> by_offsets;  // its number; -1 before the first offset
  std::vector<index_type> by_flags;
  std::size_t flagged = 0;  // how many segments have items
};

/// Of lengths up to about twice `length`. `first_is_head` false: item 0 has no flag; and `has_leading`: nor an offset.
inline segments random_segments(
  std::size_t n, std::size_t length, std::uint64_t seed, bool first_is_head, bool has_leading)
{
  std::mt19937_64 random(seed);
  segments made;
  made.flags.assign(n, 0);
  std::size_t position = has_leading ? std::min<std::size_t>(n, 1 + random() % length) : 0;
  const auto offset = [&] { made.offsets.push_back(static_cast<std::uint32_t>(position)); };
  while (true) {
    for (std::uint64_t empty = random() % 8; empty >= 5; --empty) {
      offset();
    }
    if (position >= n) {
      break;
    }
    offset();
    made.flags[position] = static_cast<unsigned char>(1 + random() % 255);
    position = std::min<std::size_t>(n, position + 1 + random() % (2 * length));
  }
  index_type s = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_head = i == 0 || made.flags[i] != 0;
    made.flagged += is_head;
    made.head.push_back(is_head ? i : made.head.back());
    made.by_flags.push_back(static_cast<index_type>(made.flagged) - 1);
    while (s + 1 < static_cast<index_type>(made.offsets.size()) && made.offsets[static_cast<std::size_t>(s + 1)] <= i) {
      ++s;
    }
    made.by_offsets.push_back(s);
  }
  made.end.assign(n, n);
  for (std::size_t i = n; i-- > 0;) {
    const bool is_last = i + 1 == n || made.head[i + 1] == i + 1;
    made.end[i] = is_last ? i + 1 : made.end[i + 1];
  }
  if (n > 0 && !first_is_head) {
    made.flags[0] = 0;
  }
  return made;
}

/// Runs body(heads, made, by_offsets) with segments by flags and by offsets, of several lengths, for each size.
template <class Body>
void for_segments(const std::vector<std::size_t>& sizes, Body body)
{
  unsigned seed = 1;
  for (const std::size_t n : sizes) {
    for (const std::size_t length : {std::size_t{1}, std::size_t{40}, std::size_t{9000}}) {
      const bool odd = ++seed % 2 == 1;
      const segments made = random_segments(n, length, seed, !odd, odd);
      INFO("n = " << n << ", length = " << length);
      test::device_array<unsigned char> flags(made.flags);
      test::device_array<std::uint32_t> offsets(made.offsets);
      {
        INFO("by flags");
        body(static_cast<const unsigned char*>(flags.data()), made, false);
      }
      {
        INFO("by offsets");
        const std::uint32_t* const first = offsets.data();
        body(gimbal::segment_offsets(first, first + made.offsets.size()), made, true);
      }
    }
  }
}

/// Around the edges of warps, of the tiles of expand and of segmented scans of 4 and 8 bytes, and many of them.
inline std::vector<std::size_t> sizes()
{
  return test::all_or_few(
    {0, 1, 2, 31, 32, 33, 255, 256, 257, 1791, 1792, 1793, 3839, 3840, 3841, 20000, 60001}, {0, 1, 33, 1793, 8000});
}

template <class T>
using array = test::device_array<T>;

}  // namespace vector_test
