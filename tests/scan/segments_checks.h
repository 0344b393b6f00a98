// What segmented scans are checked by, whatever runs them.
#pragma once

#include <algorithm>
#include <cuda/std/functional>
#include <gimbal/algorithm/scan/segmented_scan.cuh>

#include "support.h"

namespace segments_checks {

using gimbal::index_type;
using gimbal::no_init;
using inclusive = gimbal::algorithm::inclusive_scan_tag;
using exclusive = gimbal::algorithm::exclusive_scan_tag;

template <class KeyIt, class Equal = cuda::std::equal_to<>>
auto by_keys(KeyIt keys, Equal equal = {})
{
  return gimbal::heads_from_keys<KeyIt, Equal>{keys, equal};
}
template <class FlagIt>
auto by_flags(FlagIt flags)
{
  return gimbal::heads_from_flags<FlagIt>{flags};
}
template <class OffsetIt>
auto by_offsets(OffsetIt offsets, std::size_t count)
{
  return gimbal::heads_from_offsets<OffsetIt>{offsets, static_cast<index_type>(count)};
}

/// The same segments in three descriptions; offsets also have empty segments.
struct segments {
  std::vector<unsigned char> flags;
  std::vector<std::uint32_t> offsets;

  /// Keys whose runs start where the flags are set.
  template <class Key>
  std::vector<Key> keys() const
  {
    std::vector<Key> made;
    Key key = 5;
    for (const unsigned char flag : flags) {
      key = static_cast<Key>(flag != 0 ? key + 1 + flag % 3 : key);
      made.push_back(key);
    }
    return made;
  }
};

/// Segments of random lengths of about `length`; a leading one without an offset, if wanted.
inline segments random_segments(std::size_t n, std::size_t length, std::uint64_t seed, bool has_leading = false)
{
  std::mt19937_64 random(seed);
  segments made;
  made.flags.assign(n, 0);
  std::size_t position = has_leading ? std::min<std::size_t>(n, 1 + random() % length) : 0;
  while (true) {
    for (std::uint64_t empty = random() % 8; empty >= 6; --empty) {  // now and then one or two empty ones in front
      made.offsets.push_back(static_cast<std::uint32_t>(position));
    }
    if (position >= n) {
      return made;
    }
    made.offsets.push_back(static_cast<std::uint32_t>(position));
    made.flags[position] = static_cast<unsigned char>(1 + random() % 255);
    position = std::min<std::size_t>(n, position + 1 + random() % (2 * length - 1));
  }
}

template <class T>
struct scanned {
  std::vector<T> out;
  std::vector<T> totals;  // of the segments that `flags` delimit
};

template <class Kind, class T, class Op, class Init>
scanned<T> reference(Kind, const std::vector<unsigned char>& flags, const std::vector<T>& values, Op op, Init init)
{
  scanned<T> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_head = i == 0 || flags[i];
    if (is_head) {
      if constexpr (std::is_same_v<Init, no_init>) {
        result.totals.push_back(values[i]);
      } else {
        if (std::is_same_v<Kind, exclusive>) {
          result.out.push_back(init);
        }
        result.totals.push_back(static_cast<T>(op(init, values[i])));
      }
    } else {
      T& total = result.totals.back();
      if (std::is_same_v<Kind, exclusive>) {
        result.out.push_back(total);
      }
      const T next = static_cast<T>(op(total, values[i]));
      result.totals.pop_back();
      result.totals.push_back(next);
    }
    if (std::is_same_v<Kind, inclusive>) {
      result.out.push_back(result.totals.back());
    }
  }
  return result;
}

}  // namespace segments_checks
