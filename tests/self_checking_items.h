// Items that can be told from arbitrary bytes, and functors that check them. A user's functors may be called on items
// of the input, on results of their own and on the initial value, and on nothing else, as an operator may look its
// operands up in a table. What kernels read but nobody wrote is no item: memory beside the items, where a test has
// poisoned it, on the host executor shared memory under schedules that overwrite it (executor.h), and automatic
// variables (-ftrivial-auto-var-init=pattern). On a GPU registers hold what they held.
#pragma once

#include <cstdint>
#include <cstring>
#include <gimbal/simt/simt.cuh>

namespace operands {

template <unsigned Words>
struct words {
  std::uint32_t word[Words];
};

/// Items hold numbers from 1 to this.
template <class T>
inline constexpr unsigned most_v = sizeof(T) < 4 ? 3 : 0x7fff;

/// Each byte, or each half of a word, says what the others must be. No two equal bytes are a word, and no byte of what
/// is poisoned, nor 0, is an item.
GIMBAL_HOST_DEVICE std::uint32_t self_checking_word(std::size_t item_bytes, unsigned number)
{
  return item_bytes < 4 ? number * 0x15151515u : number << 16 | (number ^ 0x5a3cu);
}

template <class T>
GIMBAL_HOST_DEVICE T make_item(unsigned number)
{
  const std::uint32_t word = self_checking_word(sizeof(T), number);
  unsigned char bytes[sizeof(T)];
  for (std::size_t at = 0; at < sizeof(T); at += 4) {
    memcpy(bytes + at, &word, sizeof(T) < 4 ? sizeof(T) : 4);
  }
  T made;
  memcpy(&made, bytes, sizeof(T));
  return made;
}

/// Where functors say that they were called on what is no item.
struct strays {
  unsigned* found;

  /// The item's number, or 1.
  template <class T>
  GIMBAL_HOST_DEVICE unsigned number_of(const T& item) const
  {
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &item, sizeof(T));
    const unsigned number = sizeof(T) < 4 ? bytes[0] / 0x15u : bytes[2] | bytes[3 % sizeof(T)] << 8;
    const std::uint32_t word = self_checking_word(sizeof(T), number);
    bool is_item = 1 <= number && number <= most_v<T>;
    for (std::size_t at = 0; at < sizeof(T); ++at) {
      is_item = is_item && bytes[at] == (word >> at % 4 * 8 & 0xff);
    }
    return checked(is_item) ? number : 1;
  }
  GIMBAL_HOST_DEVICE bool checked(bool is_item) const
  {
    if (!is_item) {
      *found = 1;
    }
    return is_item;
  }
};

/// The items [begin, end) of a sequence, or what an operator has made of them, in `Bytes` bytes.
template <class Number, unsigned Bytes = 2 * sizeof(Number)>
struct range {
  Number begin;
  Number end;
  Number more[Bytes / sizeof(Number) - 2];
};
template <class Number>
struct range<Number, 2 * sizeof(Number)> {
  Number begin;
  Number end;
};
/// Item i of a sequence by itself.
template <class Range>
struct range_of_item {
  template <class Number>
  GIMBAL_HOST_DEVICE Range operator()(Number i) const
  {
    Range made{};
    made.begin = static_cast<decltype(made.begin)>(i);
    made.end = static_cast<decltype(made.end)>(i + 1);
    return made;
  }
};
/// Joins ranges, of which the left one must end where the right one begins.
struct join_ranges {
  strays log;
  template <class Range>
  GIMBAL_HOST_DEVICE Range operator()(const Range& left, const Range& right) const
  {
    log.checked(left.begin <= left.end && left.end == right.begin && right.begin <= right.end);
    Range joined = left;
    joined.end = right.end;
    return joined;
  }
};

/// Adds numbers modulo the greatest.
struct add {
  strays log;

  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& a, const T& b) const
  {
    return make_item<T>((log.number_of(a) + log.number_of(b) - 1) % most_v<T> + 1);
  }
};
struct less {
  strays log;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& a, const T& b) const
  {
    return log.number_of(a) < log.number_of(b);
  }
};
/// Of numbers of 4 bytes and more, three are equal.
struct equal {
  strays log;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& a, const T& b) const
  {
    constexpr unsigned equals = most_v<T> == 3 ? 1 : 3;
    return log.number_of(a) / equals == log.number_of(b) / equals;
  }
};
struct is_odd {
  strays log;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& item) const
  {
    return log.number_of(item) % 2 != 0;
  }
};
/// For what is to go on to the end.
struct is_none {
  strays log;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& item) const
  {
    return log.number_of(item) == 0;
  }
};
struct to_number {
  strays log;
  template <class T>
  GIMBAL_HOST_DEVICE std::uint16_t operator()(const T& item) const
  {
    return static_cast<std::uint16_t>(log.number_of(item));
  }
};

}  // namespace operands
