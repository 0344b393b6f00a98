// Select and partition: the selected items of a sequence, in order, to one output and the rejected, in order, to
// another.
//
// Algorithm: single pass, one tile per block. A block loads its tile, calls the selector on each item, counts by
// ballots, looks back for the number of items selected before the tile (grid/look_back.cuh; Merrill & Garland 2016),
// brings the selected items of the tile together in shared memory and stores them as one run; so for the rejected ones,
// whose place is i - (selected before i). A stable partition in place stores the selected items in place and the
// rejected ones in a buffer, from where a second kernel moves them after the selected; of few items another kernel does
// all (partition_in_place.cuh).
//
// Large calls that allow it take another kernel (persistent_partition.cuh, for runs of equal items
// persistent_runs.cuh); what follows about launches and storage is about the others.
//
// Bytes moved, n items of which r are rejected: select n + (n - r), partition 2n, partition in place 2n + 2r; a stencil
// or flags once more.
// Launches: one; partition in place two, unless a single tile or a stream holds all.
// Storage: words (launch_plan.h), 16 bytes * (1 + 1/32 + 1/1024) per tile; partition in place n items and 8 bytes, too,
//   unless a single tile holds all.
// Selector: called once per item; a test for equality once per pair of neighbours. Order of the calls: any.
// Determinism: the result is a function of the input.
// Progress: see look_back.cuh.
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile,
// where tiles before it have read. Each block loads all that it ever reads before the barrier that precedes the
// publication of its count; the count is published with release and read with acquire, from tile to tile (OrdersMemory
// of look_back), so these loads happen before the stores of every later tile. One load reaches out of the tile: the
// item before it, for a test of equality; the block of the tile before could store there only if nothing was rejected
// up to there, and then its tile, being in place already, is not stored at all. So no item is stored and loaded without
// an order between them.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/iterators.h>
#include <gimbal/workspace.h>
#include <thrust/iterator/zip_iterator.h>

#include <gimbal/algorithm/scan/persistent_runs.cuh>
#include <gimbal/algorithm/select/persistent_partition.cuh>
#include <gimbal/algorithm/select/selectors.cuh>
#include <gimbal/grid/look_back.cuh>
#include <gimbal/tile/rows.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// Whether `out` is where `in` reads: false_type where it cannot be, so that such kernels know it when they are
/// compiled.
template <class InputIt, class OutputIt>
auto is_in_place(InputIt in, OutputIt out)
{
  using raw_in = block::raw_iterator_t<InputIt>;
  using raw_out = block::raw_iterator_t<OutputIt>;
  if constexpr (::cuda::std::is_same<InputIt, OutputIt>::value) {
    return static_cast<bool>(in == out);
  } else if constexpr (::cuda::std::is_pointer<raw_in>::value && ::cuda::std::is_pointer<raw_out>::value) {
    return static_cast<const volatile void*>(block::raw_iterator(in))
           == static_cast<const volatile void*>(block::raw_iterator(out));
  } else {
    return ::cuda::std::false_type{};
  }
}

}  // namespace detail

/// `InPlace` is bool, or true_type or false_type where it is known.
template <class Tuning, class InputIt, class Selector, class SelectedIt, class Rejected, class CountIt, class InPlace>
struct select_kernel {
  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step =
    ::cuda::std::is_same<InPlace, ::cuda::std::true_type>::value ? "stable partition" : "select";
  static constexpr const char* clearing = "clearing of the look-back state of a partition";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;

  using value = value_type_of<InputIt>;
  using rows = block::rows<block_threads, items_per_thread>;
  static constexpr bool keeps_rejected = Rejected::order != block::others::dropped;

  static constexpr unsigned resident_blocks =
    tuning::partition_resident_threads(sizeof(value), items_per_thread) / block_threads;

  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
    index_type selected_before;
  };

  InputIt in;
  index_type n;
  Selector selector;
  SelectedIt selected_out;
  Rejected rejected;
  CountIt selected_count;
  InPlace is_in_place;
  block::look_back<index_type> before;

  index_type blocks() const { return before.tiles; }
  index_type words_needed() const { return before.words_needed(); }
  void take(const launch_words& held) { before.take(held); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned number = ctx.block();
    const index_type first = static_cast<index_type>(number) * rows::items;
    const unsigned valid = n - first < rows::items ? static_cast<unsigned>(n - first) : rows::items;

    uninit<value> item[items_per_thread];
    rows::load(ctx, in + first, valid, item);
    const std::uint32_t flags = rows::template flags<Selector::loads>(
      ctx, valid, [&](unsigned i, unsigned index) { return selector.selects(in, first + index, item[i].get()); });
    rows::count(ctx, smem.counts, flags);
    ctx.sync_block();  // the warps' counts are written; all loads from global memory precede the publication

    const unsigned selected = rows::total(smem.counts);
    if (ctx.thread() == 0) {
      publish(ctx, number, selected);
    }
    rows::template gather_flagged<keeps_rejected>(ctx, smem.counts, flags, valid, selected, item, smem.item);
    if (ctx.warp() == 0) {
      look_back(ctx, smem, number, selected);
    }
    ctx.sync_block();  // the items are in shared memory, the number of items selected before the tile is known

    const index_type selected_before = smem.selected_before;
    const index_type selected_through = selected_before + selected;
    if (!(is_in_place && selected_through == first + valid)) {  // else each item is where it belongs
      rows::store_run(ctx, smem.item, selected_out + selected_before, selected);
    }
    if constexpr (keeps_rejected) {
      rejected.place(first - selected_before, selected_through, [&](auto out) {
        rows::store_run(ctx, smem.item + selected, out, valid - selected);
      });
    }
    if (ctx.thread() == 0 && number + 1 == before.tiles) {
      block::store_as(selected_count, selected_through);
    }
  }

private:
  struct add {
    GIMBAL_DEVICE index_type operator()(index_type a, index_type b) const { return a + b; }
  };

  GIMBAL_DEVICE block::look_back<index_type, true> ordered() const { return {before.tiles, before.words, before.tag}; }

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, unsigned number, unsigned selected) const
  {
    if (is_in_place) {
      ordered().publish(ctx, number, selected);
    } else {
      before.publish(ctx, number, selected);
    }
  }

  /// Find the number of items selected before the tile.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, shared& smem, unsigned number, unsigned selected) const
  {
    uninit<index_type> prefix;
    const bool exists = is_in_place ? ordered().published_prefix(ctx, number, selected, add{}, prefix)
                                    : before.published_prefix(ctx, number, selected, add{}, prefix);
    if (ctx.lane() == 0) {
      smem.selected_before = exists ? prefix.get() : 0;
    }
  }
};

namespace detail {

template <class Tuning, class InputIt, class Selector, class SelectedIt, class RejectedIt>
using partition_tuning = ::cuda::std::conditional_t<
  ::cuda::std::is_void<Tuning>::value,
  tuning::partition<
    sizeof(value_type_of<InputIt>),
    block::is_array_v<InputIt> && detail::has_stream_form<Tuning, InputIt, Selector, SelectedIt, RejectedIt>()>,
  Tuning>;

/// The plan of `unique_row`, a row of the runs of equal items, and of the two kernels of this room.
template <
  class Tuning, class UniqueRow, class InputIt, class Selector, class SelectedIt, class RejectedIt, class CountIt,
  class InPlace>
auto select_plan(
  const UniqueRow& unique_row, InputIt in, index_type n, Selector selector, SelectedIt selected_out,
  RejectedIt rejected_out, CountIt selected_count, InPlace in_place)
{
  using value = value_type_of<InputIt>;
  static_assert(simt::is_supported_value_v<value>, "kernels hold values of at most 128 bytes, copied bytewise");
  using kernel_type = select_kernel<
    partition_tuning<Tuning, InputIt, Selector, SelectedIt, RejectedIt>, InputIt, Selector, SelectedIt,
    typename rejected_of<RejectedIt>::type, CountIt, InPlace>;
  // At least one tile, which writes the count even of no items.
  const kernel_type kernel{
    in,
    n,
    selector,
    selected_out,
    {rejected_out},
    selected_count,
    in_place,
    {n == 0 ? 1 : gimbal::tiles_of(n, kernel_type::rows::items)}};
  auto stream_row =
    algorithm::persistent_select_row_for<Tuning>(in, n, selector, selected_out, rejected_out, selected_count);
  if constexpr (!::cuda::std::is_same<decltype(stream_row), no_row>::value) {
    stream_row.shares_the_device = n * static_cast<index_type>(sizeof(value)) > tuning::most_saturated_select_bytes;
  }
  return gimbal::plan_of(unique_row, stream_row, kernel_row<kernel_type>(true, kernel));
}

}  // namespace detail

/// The table of selects, first row that takes the call first; with `Tuning` void:
///
///   selector, items                                                            kernel
///   neighbours are tested, arrays, stream_runs::least_items                    scan/persistent_runs.cuh
///   arrays that is_streamed() takes, stream_partition::least_bytes             persistent_partition.cuh
///   any                                                                        select_kernel
///
/// The arguments are those of select().
template <class Tuning = void, class InputIt, class Selector, class SelectedIt, class RejectedIt, class CountIt>
auto select_plan(
  InputIt in, index_type n, Selector selector, SelectedIt selected_out, RejectedIt rejected_out, CountIt selected_count)
{
  constexpr bool discards = ::cuda::std::is_same<RejectedIt, discard_rejected>::value;
  // Others are spared the code of a second look-back, and it is their code that small calls wait for above all.
  const auto in_place = [&] {
    if constexpr (discards) {
      return detail::is_in_place(in, selected_out);
    } else {
      return ::cuda::std::false_type{};
    }
  }();
  const auto unique_row = [&] {
    if constexpr (::cuda::std::is_void<Tuning>::value && discards && compares_neighbours_v<Selector>) {
      using numbers = runs_numbers<decltype(selector.equal), InputIt>;
      return algorithm::persistent_runs_row<typename numbers::type, numbers::are_arrays>(
        n >= numbers::type::least_items, in, selected_out, no_run_values{}, selected_count, n, selector.equal,
        in_place);
    } else {
      return no_row{};
    }
  }();
  return detail::select_plan<Tuning>(unique_row, in, n, selector, selected_out, rejected_out, selected_count, in_place);
}

/// The selected items of `in` to `selected_out`, the rejected ones to `rejected_out` (or discard_rejected{}, or
/// output_behind_count), both in their order; the number of selected items to `*selected_count`. `selected_out` may be
/// `in` where the rejected are discarded; no other overlap of `in` and the outputs is allowed. `Tuning` void: chosen by
/// the size of the items.
template <class Tuning = void, class InputIt, class Selector, class SelectedIt, class RejectedIt, class CountIt>
status select(
  const temporary_storage& storage, std::size_t& storage_bytes, InputIt in, index_type n, Selector selector,
  SelectedIt selected_out, RejectedIt rejected_out, CountIt selected_count, simt::stream_type stream)
{
  return algorithm::select_plan<Tuning>(in, n, selector, selected_out, rejected_out, selected_count)
    .run(storage, storage_bytes, stream);
}

/// The plan of select_unique_by_key(): as a stream of runs (scan/persistent_runs.cuh), or by select_kernel.
template <class Tuning = void, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal>
auto select_unique_by_key_plan(
  KeyIn keys_in, ValueIn values_in, KeyOut keys_out, ValueOut values_out, CountIt count, index_type n, Equal equal)
{
  const auto in_place = detail::is_in_place(keys_in, keys_out) && detail::is_in_place(values_in, values_out);
  return detail::select_plan<Tuning>(
    algorithm::persistent_unique_by_key_row<::cuda::std::is_void<Tuning>::value>(
      keys_in, values_in, keys_out, values_out, count, n, equal, in_place),
    thrust::make_zip_iterator(keys_in, values_in), n, select_unique_key<KeyIn, Equal>{keys_in, equal},
    thrust::make_zip_iterator(keys_out, values_out), discard_rejected{}, count, in_place);
}

/// The first key of each run of equal keys and its value; their number to `*count`. Both outputs
/// may be their inputs, or neither.
template <class Tuning = void, class KeyIn, class ValueIn, class KeyOut, class ValueOut, class CountIt, class Equal>
status select_unique_by_key(
  const temporary_storage& storage, std::size_t& storage_bytes, KeyIn keys_in, ValueIn values_in, KeyOut keys_out,
  ValueOut values_out, CountIt count, index_type n, Equal equal, simt::stream_type stream)
{
  return algorithm::select_unique_by_key_plan<Tuning>(keys_in, values_in, keys_out, values_out, count, n, equal)
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
