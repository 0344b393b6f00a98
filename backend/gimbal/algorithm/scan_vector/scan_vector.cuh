// The scan-vector calls that need of all items, or of a whole segment, what is known only once they have been read: a
// first step finds it and a second one moves the items.
//
//   distribute            out[i] = x[0] op ... op x[n - 1]                      one launch: distribute.cuh
//   segmented_distribute  out[i] = the same over the segment of item i          by flags a reduction by key, a scan that counts
//                                                                               heads: 2; by offsets a segmented scan, expand: 2
//   split                 items without a flag, then those with one             one launch: split.cuh; of many items a reduce that
//                                                                               counts, a select: 2
//   segmented_split       the same in each segment, or its inverse              segmented scan backwards that counts, scan that
//                                                                               moves: 2 (3)
//
// In brackets: by offsets, of many items, of which the segmented scan makes head flags beforehand.
//
// Of calls of several launches:
// Bytes moved: of the items what their calls say; flags once for each launch but expand.
// Storage: split one value; segmented_distribute a value for each segment, which by flags may be as many as there are
//   items; segmented_split 4 bytes for each item, 8 from 2^32 items on. Beside it that of the kernels composed.
// Order of the launches: that of the stream. Operator, determinism, progress: of the kernels composed.
#pragma once

#include <gimbal/algorithm/scan_vector/vector_functors.h>
#include <gimbal/workspace.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gimbal/algorithm/reduce/reduce.cuh>
#include <gimbal/algorithm/scan/expand.cuh>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/scan/segmented_scan.cuh>
#include <gimbal/algorithm/scan_vector/distribute.cuh>
#include <gimbal/algorithm/scan_vector/split.cuh>
#include <gimbal/algorithm/select/partition.cuh>
#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// f(i) for the positions from 0 on, as values of T.
template <class T, class F>
auto made_at(F f)
{
  return thrust::transform_iterator<F, thrust::counting_iterator<index_type>, T, T>(
    thrust::counting_iterator<index_type>(0), f);
}

/// `body(count)` with a number that can count n items: one of 4 bytes where they suffice, as the kernels carry it for
/// each item.
template <class Body>
status with_count(index_type n, Body body)
{
  return n <= index_type{0xffffffff} ? body(std::uint32_t{}) : body(index_type{});
}

/// What `F` makes of each flag, a count of it.
template <class F, class Count, class FlagIt>
auto counted(FlagIt flags)
{
  return thrust::transform_iterator<F, FlagIt, Count, Count>(flags, F{});
}

/// Where the array is that two steps share; nowhere while the call asks for storage.
template <class T>
T* shared_array(const temporary_storage& storage)
{
  T* array = nullptr;
  storage_layout layout;
  layout.add(&array, 1);
  if (!storage.asks()) {
    layout.place(storage.memory());
  }
  return array;
}

/// Two plans, launched one after the other: an array of `shared` values lies before the storage that either has
/// for itself.
template <class T, class First, class Second>
status two_steps(
  const temporary_storage& storage, std::size_t& storage_bytes, T* array, index_type shared, First first, Second second,
  simt::stream_type stream)
{
  char* own = nullptr;
  storage_layout layout;
  layout.add(&array, static_cast<std::size_t>(shared));
  layout.add(&own, first.bytes(true) < second.bytes(true) ? second.bytes(true) : first.bytes(true));
  status state;
  if (!layout.place(storage, storage_bytes, state)) {
    return state;
  }
  GIMBAL_TRY(first.launch(temporary_storage::beside_pool(own), stream));
  return second.launch(temporary_storage::beside_pool(own), stream);
}

}  // namespace detail

/// out[i] = x[h] op ... op x[e - 1] over the segment [h, e) of item i; accumulated in the items' type. `out` may be
/// `in`.
template <class Heads, class InputIt, class OutputIt, class Op>
status segmented_distribute(
  temporary_storage storage, std::size_t& storage_bytes, Heads heads, InputIt in, OutputIt out, index_type n, Op op,
  simt::stream_type stream)
{
  using T = value_type_of<InputIt>;
  T* const totals = detail::shared_array<T>(storage);
  if constexpr (Heads::has_numbers) {
    using from_place = functor::make_from_place<functor::value_of_segment<T>, OutputIt>;
    const auto offsets =
      detail::made_at<index_type>(functor::offset_behind_zero<decltype(heads.offsets)>{heads.offsets});
    const index_type segments = heads.segment_count + 1;
    const heads_from_offsets<std::remove_const_t<decltype(offsets)>> numbered{offsets, segments};
    return detail::two_steps(
      storage, storage_bytes, totals, segments,
      algorithm::segmented_scan_plan(
        inclusive_scan_tag{}, numbered, in, thrust::discard_iterator<>{}, n, op, no_init{}, totals),
      algorithm::expand_plan(offsets, segments, n, from_place{{totals}, out}), stream);
  } else {
    return detail::with_count(n, [&](auto counted) {
      using count = decltype(counted);
      const auto head = detail::made_at<count>(functor::head_at<count, decltype(heads.flags)>{heads.flags + 1});
      return detail::two_steps(
        storage, storage_bytes, totals, n,
        algorithm::reduce_by_key_plan(
          heads.flags, in, thrust::discard_iterator<>{}, totals, thrust::discard_iterator<>{}, n, functor::is_no_head{},
          op),
        algorithm::scan_plan(
          inclusive_scan_tag{}, head, gimbal::written_by(functor::value_of_counted<T, OutputIt>{totals, out}), n,
          ::cuda::std::plus<count>{}, no_init{}),
        stream);
    });
  }
}

/// The items that `selector` selects before the others, both in their order, and their number to
/// `*selected_count`. `counted` holds 1 for each of these items and 0 for the others. Input and output do not overlap.
/// `Tuning` void: chosen by the size of the items.
template <class Tuning = void, class InputIt, class OutputIt, class CountedIt, class Selector, class CountIt>
status split(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, OutputIt out, index_type n, CountedIt counted,
  Selector selector, CountIt selected_count, simt::stream_type stream)
{
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::split<sizeof(value_type_of<InputIt>)>, Tuning>;
  using kernel_type = split_kernel<chosen, InputIt, OutputIt, CountedIt, Selector, CountIt>;
  if (kernel_type::takes(n)) {
    return gimbal::plan_of(
             kernel_row<kernel_type>(true, {in, static_cast<unsigned>(n), out, counted, selector, selected_count}))
      .run(storage, storage_bytes, stream);
  }
  auto* const count = detail::shared_array<index_type>(storage);
  return detail::two_steps(
    storage, storage_bytes, count, 1,
    algorithm::reduce_plan(counted, n, count, ::cuda::std::plus<index_type>{}, result_of_nothing<index_type>{0}),
    algorithm::select_plan(in, n, selector, out, output_behind_count<OutputIt>{out, count}, selected_count), stream);
}

/// Moves every item by `move(i, position)`, where position is what the stable split of its segment makes of i, items
/// without a flag first: an item without a flag goes left by the items with one before it in its segment, one with a
/// flag goes right by those without after it. `back_heads`: the heads of the sequence read backwards. `Count` can count
/// n items; void: chosen by n.
template <class Count = void, class Heads, class BackHeads, class FlagIt, class Move>
status segmented_split(
  temporary_storage storage, std::size_t& storage_bytes, Heads heads, BackHeads back_heads, FlagIt flags, index_type n,
  Move move, simt::stream_type stream)
{
  if constexpr (::cuda::std::is_void_v<Count>) {
    return detail::with_count(n, [&](auto counted) {
      return algorithm::segmented_split<decltype(counted)>(
        storage, storage_bytes, heads, back_heads, flags, n, move, stream);
    });
  } else {
    auto* const falses_behind = detail::shared_array<Count>(storage);
    const auto falses = detail::counted<functor::clear_as<Count>, Count>(thrust::make_reverse_iterator(flags + n));
    const auto trues = detail::counted<functor::flag_as<Count>, Count>(flags);
    return detail::two_steps(
      storage, storage_bytes, falses_behind, n,
      algorithm::segmented_scan_plan(
        exclusive_scan_tag{}, back_heads, falses, thrust::make_reverse_iterator(falses_behind + n), n,
        ::cuda::std::plus<Count>{}, Count{0}, no_totals{}),
      algorithm::segmented_scan_plan(
        exclusive_scan_tag{}, heads, trues,
        gimbal::written_by(functor::place_by_split<Count, FlagIt, Move>{flags, falses_behind, move}), n,
        ::cuda::std::plus<Count>{}, Count{0}, no_totals{}),
      stream);
  }
}

/// f(i, h) for every item i, h being the head of its segment: by flags one scan, by offsets one expand.
template <class Heads, class F>
status for_each_with_head(
  temporary_storage storage, std::size_t& storage_bytes, Heads heads, index_type n, F f, simt::stream_type stream)
{
  if constexpr (Heads::has_numbers) {
    return algorithm::expand_plan(heads.offsets, heads.segment_count, n, functor::with_head<F>{f})
      .run(storage, storage_bytes, stream);
  } else {
    return algorithm::segmented_scan_plan(
             inclusive_scan_tag{}, heads, thrust::counting_iterator<index_type>(0), gimbal::written_by(f), n,
             functor::keep_left{}, no_init{}, no_totals{})
      .run(storage, storage_bytes, stream);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
