// Scan: out[i] = x[0] op ... op x[i] (inclusive) or init op x[0] op ... op x[i-1] (exclusive), in a single pass.
//
// Algorithm: one tile per block, with look-back (scan_tile_policy.cuh); other rows of the table have theirs.
//
// Bytes moved: each item is read once and each result written once; beside them some 24 bytes per tile.
//
// Launches: one.
//
// Storage: words (launch_plan.h), 8 * ceil(sizeof(accumulator) / 4) * (1 + 1/32 + 1/1024) bytes per tile.
//
// Operator: associative; operands are combined in order, so it need not be commutative. Called on valid items only.
//
// Determinism: the tree depends on the number of items alone; floating-point results are the same bits in every run.
//
// Progress: see look_back.cuh.
//
// Aliasing: out may equal in, because a tile is written by the block that has read it, after a barrier.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/packed_sums.cuh>
#include <gimbal/algorithm/scan/persistent_scan_policy.cuh>
#include <gimbal/algorithm/scan/resident_scan.cuh>
#include <gimbal/algorithm/scan/scan_tile_policy.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Nobody asks for the total.
struct no_total {};

namespace detail {

/// out[i] = result, and after the last result the total: with the last item where results lack their own.
template <scan_kind Kind, class T, class InputIt, class OutputIt, class Op, class TotalIt>
struct store_with_total {
  InputIt first;
  OutputIt out;
  index_type last;
  Op op;
  TotalIt total;

  GIMBAL_DEVICE void operator()(index_type i, const T& result) const
  {
    if (i == last) {  // the item is read before `out`, which may be the input, has the result
      if constexpr (Kind == scan_kind::exclusive) {
        block::store_as(total, block::combine<T, Op>{op}(result, block::load_as<T>(first + i)));
      } else {
        block::store_as(total, result);
      }
    }
    block::store_as(out + i, result);
  }
};

}  // namespace detail

/// What a lane does with its items in a plain scan. `TotalIt`: where a persistent scan stores the total, or no_total.
template <scan_kind Kind, class T, class Op, class Init, class TotalIt = no_total>
struct plain_lanes {
  using value = T;
  using fold = T;
  static constexpr std::size_t least_item_bytes = 1;
  static constexpr std::size_t most_items = 128;
  static constexpr std::size_t gap_bytes = tuning::persistent_scan_gap_bytes(sizeof(T));
  static constexpr bool orders_tiles = false;
  static constexpr bool tiles_follow_addresses = ::cuda::std::is_integral<T>::value;  // any tree: the same result
  static constexpr bool has_start = is_combined_init_v<Init>;
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

  /// The results of the valid items; `running` is what is before them, if that exists, and goes on to the last one
  /// where the total is kept.
  template <bool IsFull, class Item, class Result, unsigned Items, class AtHead>
  GIMBAL_DEVICE void scan_items(
    block::valid_range valid, std::uint32_t, bool exists, uninit<T>& running, const uninit<Item> (&values)[Items],
    uninit<Result> (&scanned)[Items], AtHead) const
  {
    using sums = block::packed_sums<Op, T, Item, Items>;
    if constexpr (sums::template can_scan<Result> && !keeps_total) {
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
            if (keeps_total || i + 1 < (IsFull ? Items : valid.hi)) {
              running.set(op(running.get(), own));
            }
          }
        }
      }
    }
  }
};

/// The row of a scan of so many items.
template <class Tuning, class Kind, class InputIt, class OutputIt, class Op, class Init, class TotalIt = no_total>
auto persistent_scan_row(bool fits, Kind, InputIt in, OutputIt out, index_type n, Op op, Init init, TotalIt total = {})
{
  using accumulator = accumulator_t<Op, InputIt, Init>;
  using kernel_init = kernel_init_t<accumulator, Init>;
  using lanes = plain_lanes<Kind::value, accumulator, Op, kernel_init, TotalIt>;
  return persistent_scan_policy<Tuning, lanes, no_head_flags, InputIt, OutputIt>::row(
    fits, in, out, n, {}, lanes{{op}, static_cast<kernel_init>(init), total});
}

/// The table of scans, first row that takes the call first; of accumulators, where `Tuning` is void and the output
/// loads nothing:
///
///   items, bytes                              kernel
///   at most resident_scan::most_bytes()       resident_scan.cuh
///   at least persistent_scan_from_bytes()     persistent_scan_policy.cuh
///   any                                       scan_tile_policy.cuh
///
/// `Kind` is inclusive_scan_tag, with or without an initial value, or exclusive_scan_tag with one. `init` is combined
/// before the first item. `Tuning` void: chosen by the size of the accumulator. What is before item n, in an inclusive
/// scan its last result, goes to `*total` unless that is no_total.
template <
  class Tuning = void, class Kind, class InputIt, class OutputIt, class Op, class Init, class TotalIt = no_total>
auto scan_plan(Kind, InputIt in, OutputIt out, index_type n, Op op, Init init, TotalIt total = {})
{
  static_assert(
    Kind::value == scan_kind::inclusive || is_combined_init_v<Init>, "an exclusive scan starts with an initial value");
  using accumulator = accumulator_t<Op, InputIt, Init>;
  static_assert(simt::is_supported_value_v<accumulator>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen =
    ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, tuning::scan<sizeof(accumulator)>, Tuning>;
  using kernel_init = kernel_init_t<accumulator, Init>;
  const auto start = static_cast<kernel_init>(init);
  // The output of kernels that store results one by one.
  const auto written = [&] {
    if constexpr (::cuda::std::is_same<TotalIt, no_total>::value) {
      return out;
    } else {
      return gimbal::written_by(
        detail::store_with_total<Kind::value, accumulator, InputIt, OutputIt, Op, TotalIt>{in, out, n - 1, op, total});
    }
  }();
  using written_type = ::cuda::std::remove_const_t<decltype(written)>;
  using tiles = scan_tile_policy<
    chosen, plain_lanes<Kind::value, accumulator, Op, kernel_init>, no_tile_heads, InputIt, written_type>;
  const kernel_row<tile_kernel<tiles>> tile_row(
    n > 0, {{{}, in, written, n, {{op}, start}, {}}, n, {gimbal::tiles_of(n, tiles::tile_items)}});
  // Outputs that load go by many blocks, which hide what each waits for.
  if constexpr (::cuda::std::is_void<Tuning>::value && !fetches_v<OutputIt, accumulator>) {
    constexpr tuning::input input = block::input_of_v<InputIt>;
    using resident = tuning::resident_scan<sizeof(accumulator), input>;
    constexpr bool is_plain =
      input == tuning::input::array && ::cuda::std::is_same<value_type_of<InputIt>, accumulator>::value;
    constexpr bool adds_words = block::packed_sums<Op, accumulator, value_type_of<InputIt>, 4>::can_fold;
    constexpr index_type from_bytes =
      tuning::persistent_scan_from_bytes(sizeof(accumulator), input, is_plain, adds_words);
    const index_type bytes = n * static_cast<index_type>(sizeof(accumulator));
    constexpr auto most_resident_bytes = static_cast<index_type>(resident::most_bytes(is_plain));
    using resident_kernel = resident_scan_kernel_for<resident, Kind, InputIt, written_type, Op, Init>;
    return gimbal::plan_of(
      kernel_row<resident_kernel, (most_resident_bytes > 0)>(
        n > 0 && bytes <= most_resident_bytes && n <= resident_kernel::most_items,
        {in, written, static_cast<unsigned>(n), 0, {op}, start, {}, 0}),
      algorithm::persistent_scan_row<tuning::persistent_scan<sizeof(accumulator), input>>(
        bytes >= from_bytes, Kind{}, in, out, n, op, init, total),
      tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
