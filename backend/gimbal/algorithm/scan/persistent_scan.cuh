// Scan of many items: the results of scan.cuh as a stream (persistent_scan_policy.cuh, which says what it costs and
// needs), and what is asked for beside the results: the streaming kernel has the total in a lane, the others store it
// with the last result.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>

#include <cstring>
#include <cuda/std/functional>
#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/simt/packed_bytes.cuh>

GIMBAL_NAMESPACE_BEGIN

// ---- sums of integers of 1 or 2 bytes, a word of them at a time. One by one they would take more instructions than
// there are while memory delivers them. All of it is exact: folds are taken in 32 bits, which hold the sum of a
// segment, and results, which are as small as the items, are right modulo their size.

namespace block {

template <class T>
inline constexpr bool is_number_v =
  ::cuda::std::is_integral<T>::value && !::cuda::std::is_same<T, bool>::value && sizeof(T) <= 8;

/// True where `Op` is an addition that loses no bit of T.
template <class Op, class T>
struct is_addition : ::cuda::std::false_type {
};
template <class T>
struct is_addition<::cuda::std::plus<void>, T> : ::cuda::std::true_type {
};
template <class U, class T>
struct is_addition<::cuda::std::plus<U>, T> : ::cuda::std::bool_constant<is_number_v<U> && sizeof(U) >= sizeof(T)> {
};

/// `Items` neighbouring items of a lane, summed in T.
template <class Op, class T, class Item, unsigned Items>
struct packed_sums {
  static constexpr bool are_small = is_number_v<T> && is_number_v<Item> && sizeof(Item) <= 2
                                    && sizeof(T) >= sizeof(Item) && Items <= 256 && Items * sizeof(Item) % 4 == 0;
  static constexpr bool can_fold = are_small && is_addition<Op, T>::value;
  template <class Result>
  static constexpr bool can_scan = can_fold&& is_number_v<Result> && sizeof(Result) == sizeof(Item);

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

namespace algorithm {

/// In place of the output of scan(): the results to `out`, and x[0] op ... op x[n - 1], after an initial value, to
/// `*total`.
template <class OutputIt, class TotalIt>
struct output_and_total {
  OutputIt out;
  TotalIt total;
};

template <class OutputIt, class TotalIt>
output_and_total<OutputIt, TotalIt> keep_total(OutputIt out, TotalIt total)
{
  return {out, total};
}

/// Nobody asks for the total.
struct no_total {};

namespace detail {

/// out[i] = result, and after the last result the total: with the last item where results lack their own (LacksOwn).
template <bool LacksOwn, class T, class InputIt, class OutputIt, class Op, class TotalIt>
struct store_with_total {
  InputIt first;
  OutputIt out;
  index_type last;
  Op op;
  TotalIt total;

  GIMBAL_DEVICE void operator()(index_type i, const T& result) const
  {
    if (i == last) {  // the item is read before `out`, which may be the input, has the result
      if constexpr (LacksOwn) {
        block::store_as(total, block::combine<T, Op>{op}(result, block::load_as<T>(first + i)));
      } else {
        block::store_as(total, result);
      }
    }
    block::store_as(out + i, result);
  }
};

/// The output of kernels that store results one by one.
template <class T, class Kind, class InputIt, class OutputIt, class Op>
OutputIt one_by_one(Kind, InputIt, OutputIt out, index_type, Op)
{
  return out;
}
template <class T, class Kind, class InputIt, class OutputIt, class TotalIt, class Op>
auto one_by_one(Kind, InputIt in, const output_and_total<OutputIt, TotalIt>& to, index_type n, Op op)
{
  constexpr bool lacks_own = Kind::value == scan_kind::exclusive;
  return gimbal::written_by(
    store_with_total<lacks_own, T, InputIt, OutputIt, Op, TotalIt>{in, to.out, n - 1, op, to.total});
}

/// Results and total apart.
template <class OutputIt>
OutputIt results_of(OutputIt out)
{
  return out;
}
template <class OutputIt, class TotalIt>
OutputIt results_of(const output_and_total<OutputIt, TotalIt>& to)
{
  return to.out;
}
template <class OutputIt>
no_total total_of(const OutputIt&)
{
  return {};
}
template <class OutputIt, class TotalIt>
TotalIt total_of(const output_and_total<OutputIt, TotalIt>& to)
{
  return to.total;
}

}  // namespace detail

/// What a lane does with its items in a plain scan. `TotalIt`: where the total goes, or no_total.
template <scan_kind Kind, class T, class Op, class Init, class TotalIt = no_total>
struct plain_lanes {
  using value = T;
  using fold = T;
  static constexpr std::size_t least_item_bytes = 1;
  static constexpr std::size_t most_items = 128;
  static constexpr std::size_t gap_bytes = tuning::stream_scan_gap_bytes(sizeof(T));
  static constexpr bool orders_tiles = false;
  static constexpr bool tiles_follow_addresses = ::cuda::std::is_integral<T>::value;  // any tree: the same result
  static constexpr bool has_start = !::cuda::std::is_same<Init, no_init>::value;
  static constexpr bool keeps_total = !::cuda::std::is_same<TotalIt, no_total>::value;

  block::combine<T, Op> op;
  Init init;
  TotalIt total = {};

  GIMBAL_DEVICE const block::combine<T, Op>& combine() const { return op; }
  /// What is before the first item.
  GIMBAL_DEVICE T start() const { return init; }

  /// The fold of the valid items, if there are any.
  template <bool IsFull, class Item, unsigned Items>
  GIMBAL_DEVICE void fold_items(
    block::valid_range valid, std::uint32_t, const uninit<Item> (&values)[Items], uninit<T>& folded) const
  {
    using sums = block::packed_sums<Op, T, Item, Items>;
    if constexpr (sums::can_fold) {
      folded.set(sums::template fold<IsFull>(valid, values));
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        if (IsFull ? i == 0 : i == valid.lo) {
          folded.set(static_cast<T>(values[i].get()));
        } else if (IsFull || (i > valid.lo && i < valid.hi)) {
          folded.set(op(folded.get(), static_cast<T>(values[i].get())));
        }
      }
    }
  }

  /// The results of the valid items; `running` is what is before them, if that exists.
  template <bool IsFull, class Item, class Result, unsigned Items, class AtHead>
  GIMBAL_DEVICE void scan_items(
    block::valid_range valid, std::uint32_t, bool exists, uninit<T>& running, const uninit<Item> (&values)[Items],
    uninit<Result> (&scanned)[Items], AtHead) const
  {
    using sums = block::packed_sums<Op, T, Item, Items>;
    if constexpr (sums::template can_scan<Result>) {
      sums::template scan<IsFull, Kind == scan_kind::inclusive>(valid, exists ? running.get() : T{0}, values, scanned);
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Items; ++i) {
        if (IsFull || (i >= valid.lo && i < valid.hi)) {
          const T own = static_cast<T>(values[i].get());
          if constexpr (Kind == scan_kind::inclusive) {
            running.set(exists ? op(running.get(), own) : own);
            exists = true;
            scanned[i].set(static_cast<Result>(running.get()));
          } else {
            scanned[i].set(static_cast<Result>(running.get()));
            if (i + 1 < (IsFull ? Items : valid.hi)) {
              running.set(op(running.get(), own));
            }
          }
        }
      }
    }
  }

  /// Store the total of all items up to the last one of this lane, in the order of the results.
  template <class Item, unsigned Items>
  GIMBAL_DEVICE void keep_total(
    block::valid_range valid, bool exists, uninit<T> running, const uninit<Item> (&values)[Items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i >= valid.lo && i < valid.hi) {
        const T own = static_cast<T>(values[i].get());
        running.set(exists ? op(running.get(), own) : own);
        exists = true;
      }
    }
    block::store_as(total, running.get());
  }
};

/// The row of a scan() of so many items; none for types to which it does not apply (Exists).
template <class Tuning, bool Exists = true, class Kind, class InputIt, class OutputIt, class Op, class Init>
auto persistent_scan_row(bool fits, Kind, InputIt in, OutputIt out, index_type n, Op op, Init init)
{
  if constexpr (!Exists) {
    return no_row{};
  } else {
    constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;
    using accumulator = accumulator_t<Op, InputIt, Init>;
    using kernel_init = ::cuda::std::conditional_t<has_init, accumulator, no_init>;
    const auto results = detail::results_of(out);
    const auto total = detail::total_of(out);
    using results_type = ::cuda::std::remove_const_t<decltype(results)>;
    using lanes = plain_lanes<Kind::value, accumulator, Op, kernel_init, ::cuda::std::remove_const_t<decltype(total)>>;
    return persistent_scan_policy<Tuning, lanes, no_head_flags, InputIt, results_type>::row(
      fits, in, results, n, {}, lanes{{op}, static_cast<kernel_init>(init), total});
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
