// Sums of integers of 1 or 2 bytes, a word of them at a time. One by one they would take more instructions than can be
// issued while memory delivers the items. All of it is exact: folds are taken in 32 bits, which hold the sum of a
// segment, and results, which are as small as the items, are right modulo their size.
#pragma once

#include <gimbal/tile/accumulator.h>

#include <cstring>
#include <cuda/std/functional>
#include <gimbal/pipeline/persistent_tiles.cuh>
#include <gimbal/simt/packed_bytes.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// True where `Op` is an addition that loses no bit of T.
template <class Op, class T>
struct is_addition : ::cuda::std::false_type {
};
template <class T>
struct is_addition<::cuda::std::plus<void>, T> : ::cuda::std::true_type {
};
template <class U, class T>
struct is_addition<::cuda::std::plus<U>, T>
    : ::cuda::std::bool_constant<gimbal::detail::is_number_v<U> && sizeof(U) >= sizeof(T)> {
};

/// `Items` neighbouring items of a lane, summed in T.
template <class Op, class T, class Item, unsigned Items>
struct packed_sums {
  static constexpr bool are_small =
    gimbal::detail::is_number_v<T> && gimbal::detail::is_number_v<Item> && sizeof(Item) <= 2
    && sizeof(T) >= sizeof(Item) && Items <= 256 && Items * sizeof(Item) % 4 == 0;
  static constexpr bool can_fold = are_small && is_addition<Op, T>::value;
  template <class Result>
  static constexpr bool can_scan = can_fold&& gimbal::detail::is_number_v<Result> && sizeof(Result) == sizeof(Item);

  /// IsFull: all of them are valid. Otherwise those that are not count as zero.
  template <bool IsFull>
  static GIMBAL_DEVICE T fold(valid_range valid, const uninit<Item> (&value)[Items])
  {
    std::uint32_t sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words; ++w) {
      const std::uint32_t word = word_of<IsFull>(valid, value, w);
      if constexpr (sizeof(Item) == 1) {
        sum = simt::add_bytes<is_signed>(word, sum);
      } else {
        sum = simt::add_halves<is_signed>(word, sum);
      }
    }
    return is_signed ? static_cast<T>(static_cast<std::int32_t>(sum)) : static_cast<T>(sum);
  }

  /// `before`: what is before the first valid item. The results of items that are not valid mean nothing.
  template <bool IsFull, bool IsInclusive, class Result>
  static GIMBAL_DEVICE void scan(
    valid_range valid, T before, const uninit<Item> (&value)[Items], uninit<Result> (&scanned)[Items])
  {
    auto running = static_cast<std::uint32_t>(before);
    GIMBAL_UNROLL
    for (unsigned w = 0; w < words; ++w) {
      const std::uint32_t word = word_of<IsFull>(valid, value, w);
      std::uint32_t results;
      if constexpr (sizeof(Item) == 1) {
        results = scan_bytes<IsInclusive>(word, running);
        running = simt::add_bytes<false>(word, running);
      } else {
        results = scan_halves<IsInclusive>(word, running);
        running += word + (word >> 16);  // only the low half counts
      }
      std::memcpy(reinterpret_cast<unsigned char*>(scanned) + w * sizeof results, &results, sizeof results);
    }
  }

private:
  static constexpr unsigned words = Items * sizeof(Item) / 4;
  static constexpr bool is_signed = ::cuda::std::is_signed<Item>::value;

  template <bool IsFull>
  static GIMBAL_DEVICE std::uint32_t word_of(valid_range valid, const uninit<Item> (&value)[Items], unsigned w)
  {
    std::uint32_t word;
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(value) + w * sizeof word, sizeof word);
    return IsFull ? word : word & items_below(valid.hi, w) & ~items_below(valid.lo, w);
  }

  /// The bits of word w that belong to items below `end`.
  static GIMBAL_DEVICE std::uint32_t items_below(unsigned end, unsigned w)
  {
    const unsigned bytes = end * unsigned{sizeof(Item)};
    return bytes <= 4 * w ? 0u : bytes >= 4 * w + 4 ? ~0u : ~0u >> (32 - 8 * (bytes - 4 * w));
  }

  /// In halves of words, of which only the low bytes count, so that nothing carries from a result to the next.
  template <bool IsInclusive>
  static GIMBAL_DEVICE std::uint32_t scan_bytes(std::uint32_t word, std::uint32_t before)
  {
    const std::uint32_t first = word & 0x00ff00ffu;        // items 0 and 2
    const std::uint32_t second = word >> 8 & 0x00ff00ffu;  // items 1 and 3
    const std::uint32_t pairs = first + second;
    const std::uint32_t before_first = (before & 0xff) * 0x00010001u + (pairs << 16);
    const std::uint32_t through_first = before_first + first;
    return IsInclusive ? simt::select_bytes(through_first, before_first + pairs, 0x6240)
                       : simt::select_bytes(before_first, through_first, 0x6240);
  }

  template <bool IsInclusive>
  static GIMBAL_DEVICE std::uint32_t scan_halves(std::uint32_t word, std::uint32_t before)
  {
    const std::uint32_t through_first = before + word;
    return IsInclusive ? simt::select_bytes(through_first, through_first + (word >> 16), 0x5410)
                       : simt::select_bytes(before, through_first, 0x5410);
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
