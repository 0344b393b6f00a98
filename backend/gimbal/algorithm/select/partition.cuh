// Select and partition: the selected items of a sequence, in order, to one output and the rejected, in order, to
// another; the calls, what they are made of, and the tables of their kernels.
//
// Bytes moved, n items of which r are rejected: select n + (n - r), partition 2n, partition in place 2n + 2r, of few
// items 2n; a stencil once more.
// Selector: called once per item; a test for equality once per pair of neighbours. Order of the calls: any.
// Determinism: the result is a function of the input.
// Launches, storage, progress: see the kernels.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
#include <gimbal/workspace.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/persistent_runs.cuh>
#include <gimbal/algorithm/select/persistent_partition.cuh>
#include <gimbal/algorithm/select/select_tile_policy.cuh>
#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

// ---- selectors: which items are selected
//
// A selector is called once per item, by selects(in, i, item), where item is item i of `in`, already loaded. A user's
// predicate may have a non-const call operator, so it is called on a copy: the kernel's is shared by all threads.
//
// The persistent kernel takes those that read nothing but the item and perhaps an array beside it, the stencil:
// `is_persistent`. They say of what type its values are and how many `stencil_bytes` it has per item, 0 for none, where
// it begins, and by over(array) what the selector of another array is.

/// Item i is selected if pred(x[i]).
template <class Predicate>
struct select_if {
  static constexpr bool loads = block::may_point_v<Predicate>;  ///< beside the item
  static constexpr bool is_persistent = true;
  using stencil_value = unsigned char;
  static constexpr unsigned stencil_bytes = 0;
  Predicate pred;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type, Value& item) const
  {
    Predicate own = pred;
    return static_cast<bool>(own(item));
  }

  const unsigned char* stencil_begin() const { return nullptr; }
  GIMBAL_HOST_DEVICE select_if over(const unsigned char*) const { return *this; }
};

/// Item i is selected if pred(stencil[i]).
template <class StencilIt, class Predicate>
struct select_if_stencil {
  using stencil_value = ::cuda::std::remove_cv_t<value_type_of<StencilIt>>;
  static constexpr bool loads = true;
  static constexpr bool is_persistent =
    block::is_array_v<StencilIt> && simt::is_supported_value_v<stencil_value> && sizeof(stencil_value) <= 8;
  static constexpr unsigned stencil_bytes = sizeof(stencil_value);
  StencilIt stencil;
  Predicate pred = {};

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type i, Value&) const
  {
    Predicate own = pred;
    value_type_of<StencilIt> entry = block::load_as<value_type_of<StencilIt>>(stencil + i);
    return static_cast<bool>(own(entry));
  }

  const unsigned char* stencil_begin() const
  {
    return reinterpret_cast<const unsigned char*>(block::raw_iterator(stencil));
  }
  GIMBAL_HOST_DEVICE select_if_stencil<const stencil_value*, Predicate> over(const unsigned char* array) const
  {
    return {reinterpret_cast<const stencil_value*>(array), pred};
  }
};

/// Item i is selected if flags[i], of any type convertible to bool.
template <class FlagIt>
using select_flagged = select_if_stencil<FlagIt, ::cuda::std::identity>;

/// Item i is selected if i == 0 or !equal(x[i - 1], x[i]).
template <class Equal>
struct select_unique {
  static constexpr bool loads = true;
  static constexpr bool is_persistent = false;
  Equal equal;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt& in, index_type i, Value& item) const
  {
    if (i == 0) {
      return true;
    }
    Value before = block::load_as<Value>(in + (i - 1));
    return functor::negated<Equal>{equal}(before, item);
  }
};

template <class Selector>
inline constexpr bool compares_neighbours_v = false;
template <class Equal>
inline constexpr bool compares_neighbours_v<select_unique<Equal>> = true;

/// For items zipped of a key and a value: item i is selected if i == 0 or !equal(keys[i - 1], keys[i]).
template <class KeyIt, class Equal>
struct select_unique_key {
  static constexpr bool loads = true;
  static constexpr bool is_persistent = false;
  KeyIt keys;
  Equal equal;

  template <class InputIt, class Value>
  GIMBAL_DEVICE bool selects(const InputIt&, index_type i, Value& item) const
  {
    return select_unique<Equal>{equal}.selects(keys, i, thrust::get<0>(item));
  }
};

// ---- where the rejected items go
//
// begin(before): where a tile's go before which so many are rejected.

/// Nowhere.
struct discard_rejected {
  static constexpr auto order = rejected_order::dropped;
};

template <class OutputIt>
inline constexpr auto rejected_order_v = rejected_order::kept;
template <class Base>
inline constexpr auto rejected_order_v<thrust::reverse_iterator<Base>> = rejected_order::reversed;

/// From `out` on.
template <class OutputIt>
struct rejected_to {
  static constexpr auto order = rejected_order_v<OutputIt>;
  OutputIt out;

  GIMBAL_DEVICE OutputIt begin(index_type before) const { return out + before; }
};

/// From so many items after `out` on as `*count` says when the kernel runs.
template <class OutputIt>
struct output_behind_count {
  static constexpr auto order = rejected_order::kept;
  OutputIt out;
  const index_type* count;

  GIMBAL_DEVICE OutputIt begin(index_type before) const { return out + (*count + before); }
};

namespace detail {

/// One of these for what a call gives.
template <class OutputIt>
auto rejected_of(OutputIt out)
{
  return rejected_to<block::raw_iterator_t<OutputIt>>{block::raw_iterator(out)};
}
template <class OutputIt>
auto rejected_of(output_behind_count<OutputIt> to)
{
  return output_behind_count<block::raw_iterator_t<OutputIt>>{block::raw_iterator(to.out), to.count};
}
inline discard_rejected rejected_of(discard_rejected nowhere) { return nowhere; }

/// True where rejected items go to no place or to an array of such values.
template <class Value, class Rejected>
constexpr bool is_array_of_rejected()
{
  if constexpr (Rejected::order == rejected_order::kept) {
    return block::is_array_of_v<decltype(::cuda::std::declval<Rejected>().begin(0)), Value>;
  } else if constexpr (Rejected::order == rejected_order::reversed) {
    return block::is_array_of_v<decltype(::cuda::std::declval<Rejected>().begin(0).base()), Value>;
  }
  return true;
}

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

// ---- rows

/// The persistent row of items whose segments fill at most 256 bytes, to arrays of the same type, the stages of which
/// leave room for more than one or two; no_row for other types, and where the call brings a `TileTuning`. `Tuning`
/// void: chosen by the types.
template <
  class Tuning = void, class TileTuning = void, class InputIt, class Selector, class SelectedIt, class Rejected,
  class CountIt>
auto persistent_select_row(
  InputIt in, index_type n, const Selector& selector, SelectedIt selected_out, const Rejected& rejected,
  CountIt selected_count)
{
  using value = ::cuda::std::remove_cv_t<value_type_of<InputIt>>;
  constexpr unsigned segment_items = simt::items_of_vectors(sizeof(value));
  constexpr bool fit_stages = simt::is_supported_value_v<value> && segment_items * sizeof(value) <= 256;
  constexpr bool are_arrays =
    block::is_array_of_v<SelectedIt, value> && detail::is_array_of_rejected<value, Rejected>();
  if constexpr (::cuda::std::is_void<TileTuning>::value && Selector::is_persistent && fit_stages && are_arrays) {
    using chosen = tuning::persistent_partition<
      sizeof(value), Selector::stencil_bytes, Rejected::order != rejected_order::dropped, !block::is_array_v<InputIt>,
      Selector::loads && (block::is_array_v<InputIt> || block::base_arrays<InputIt>::are_none)>;
    if constexpr (!::cuda::std::is_void<Tuning>::value || chosen::stages >= 3) {
      using numbers = ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, chosen, Tuning>;
      using source = ::cuda::std::conditional_t<
        block::is_array_v<InputIt>, block::memory_source<value>, block::iterator_source<value, InputIt>>;
      using policy = persistent_select_policy<numbers, source, decltype(selector.over(nullptr)), Rejected, CountIt>;
      using tiles_type = typename policy::tiles_type;
      const index_type shift = source::shift_of(in);
      auto stencil = tiles_type::stencil_source::of(selector.stencil_begin() - shift * Selector::stencil_bytes, 0);
      stencil.reads_around = true;
      const tiles_type tiles{source::of(in, shift), {shift, shift + n}, selector.over(nullptr), stencil};
      persistent_row<policy> row(
        n >= static_cast<index_type>(chosen::least_bytes / sizeof(value)),
        policy{{}, tiles, block::raw_iterator(selected_out), rejected, selected_count}, tiles.all.count(),
        shift < source::shift_limit);
      row.shares_the_device =
        policy::is_in_place || n * static_cast<index_type>(sizeof(value)) > tuning::most_saturated_select_bytes;
      return row;
    } else {
      return no_row{};
    }
  } else {
    return no_row{};
  }
}

/// What moves the rejected items of a stable partition in place from the buffer to where they belong, and its count.
template <class Value, class OutputIt>
struct append_rejected {
  const Value* buffer;
  OutputIt data;
  index_type n;
  const index_type* kept_count;
  index_type* selected_count;

  GIMBAL_DEVICE void operator()(index_type i, index_type) const
  {
    const index_type selected = *kept_count;
    if (i < n - selected) {
      block::store_as(data + (selected + i), buffer[i]);
    }
    if (i + 1 == n) {
      block::store_as(selected_count, selected);
    }
  }
};

/// The row of a stable partition in place of at least one item by `Kernel`, a tile_kernel whose rejected items go to a
/// buffer.
template <class Kernel>
struct partition_in_place_row : kernel_row<Kernel> {
  using kernel_row<Kernel>::kernel_row;
  using value = typename decltype(Kernel::policy)::value;
  /// The buffer lies after the count, in device memory, where many blocks can read it.
  static constexpr std::size_t count_bytes = 256;
  using counting = thrust::counting_iterator<index_type>;
  using append = append_rejected<value, ::cuda::std::decay_t<decltype(::cuda::std::declval<Kernel>().policy.in)>>;

  std::size_t array_bytes() { return count_bytes + static_cast<std::size_t>(this->kernel.n) * sizeof(value); }

  status launch(launch_words& words)
  {
    const index_type n = this->kernel.n;
    auto& own = this->kernel.policy;
    auto* const kept_count = words.arrays<index_type>();
    own.rejected.out = reinterpret_cast<value*>(words.arrays<char>() + count_bytes);
    const append to_end{own.rejected.out, own.in, n, kept_count, own.selected_count};
    own.selected_count = kept_count;
    GIMBAL_TRY(kernel_row<Kernel>::launch(words));
    return algorithm::copy(counting(0), gimbal::written_by(to_end), n, words.stream());
  }
  status load()
  {
    using append_kernel = copy_kernel_for<counting, output_by_function<append>>;
    return simt::load_kernels<Kernel, append_kernel>();
  }
};

namespace detail {

/// By tiles: at least one, which writes the count even of no items. `PersistentRow`: of the same call.
template <
  class Tuning, class PersistentRow, class InputIt, class Selector, class SelectedIt, class Rejected, class CountIt,
  class InPlace>
auto select_tiles(
  const PersistentRow&, InputIt in, index_type n, Selector selector, SelectedIt selected_out, Rejected rejected,
  CountIt selected_count, InPlace in_place)
{
  constexpr bool is_persistent = block::is_array_v<InputIt> && !::cuda::std::is_same<PersistentRow, no_row>::value;
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void<Tuning>::value, tuning::partition<sizeof(value_type_of<InputIt>), is_persistent>, Tuning>;
  using policy = select_tile_policy<chosen, InputIt, Selector, SelectedIt, Rejected, CountIt, InPlace>;
  const unsigned tiles = n == 0 ? 1 : gimbal::tiles_of(n, policy::tile_items);
  return tile_kernel<policy>{{in, selector, selected_out, rejected, selected_count, in_place}, n, {tiles}};
}

/// The plan of a row of the runs of equal items and of the two kernels of this room.
template <
  class Tuning, class RunsRow, class InputIt, class Selector, class SelectedIt, class Rejected, class CountIt,
  class InPlace>
auto select_plan(
  const RunsRow& runs, InputIt in, index_type n, Selector selector, SelectedIt selected_out, Rejected rejected,
  CountIt selected_count, InPlace in_place)
{
  const auto stream =
    algorithm::persistent_select_row<void, Tuning>(in, n, selector, selected_out, rejected, selected_count);
  const kernel_row by_tiles(
    true, detail::select_tiles<Tuning>(stream, in, n, selector, selected_out, rejected, selected_count, in_place));
  return gimbal::plan_of(runs, stream, by_tiles);
}

}  // namespace detail

// ---- the calls

/// The selected items of `in` to `selected_out`, the rejected ones to `rejected_out` (or discard_rejected{}, or
/// output_behind_count), both in their order; the number of selected items to `*selected_count`. `selected_out` may be
/// `in` where the rejected are discarded; no other overlap of `in` and the outputs is allowed. `Tuning` void: chosen by
/// the size of the items.
///
/// The table, first row that takes the call first; with `Tuning` void:
///
///   selector, items                                                                kernel
///   neighbours are tested, arrays, persistent_runs::least_items                    scan/persistent_runs.cuh
///   those of persistent_select_row(), persistent_partition::least_bytes            persistent_partition.cuh
///   any                                                                            select_tile_policy.cuh
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
  const auto runs = [&] {
    if constexpr (::cuda::std::is_void<Tuning>::value && discards && compares_neighbours_v<Selector>) {
      using numbers = runs_numbers<decltype(selector.equal), InputIt>;
      return algorithm::persistent_runs_row<typename numbers::type, numbers::are_arrays>(
        n >= numbers::type::least_items, in, selected_out, no_run_values{}, selected_count, n, selector.equal,
        in_place);
    } else {
      return no_row{};
    }
  }();
  return detail::select_plan<Tuning>(
    runs, in, n, selector, selected_out, detail::rejected_of(rejected_out), selected_count, in_place);
}

/// The first key of each run of equal keys and its value; their number to `*count`. Both outputs may be their inputs,
/// or neither. By the persistent kernel of runs (scan/persistent_runs.cuh), or by tiles.
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

/// Stable partition in place: the selected items of `data` before the rejected ones, both in their order; the number of
/// selected items to `*selected_count`. A stencil must not overlap `data`.
///
/// The table, first row that takes the call first:
///
///   items                                                                kernel
///   at most most_resident_partition_blocks tiles                         select_tile_policy.cuh, resident
///   those of persistent_select_row(), persistent_partition::least_bytes  persistent_partition.cuh
///   any                                                                  select_tile_policy.cuh, append_rejected
template <class Tuning = void, class InOutIt, class Selector>
auto stable_partition_plan(InOutIt data, index_type n, Selector selector, index_type* selected_count)
{
  using value = value_type_of<InOutIt>;
  auto stream =
    algorithm::persistent_select_row<void, Tuning>(data, n, selector, data, rejected_in_place<value>{}, selected_count);
  const auto by_tiles = detail::select_tiles<Tuning>(
    stream, data, n, selector, data, rejected_to<value*>{nullptr}, selected_count, ::cuda::std::true_type{});
  using kernel_type = ::cuda::std::remove_const_t<decltype(by_tiles)>;
  const unsigned tiles = by_tiles.totals.tiles;
  const bool is_resident = tiles <= tuning::most_resident_partition_blocks;
  stream.fits = stream.fits && !is_resident;
  return gimbal::plan_of(
    resident_row<decltype(kernel_type::policy)>(is_resident, {by_tiles.policy, n, tiles}), stream,
    partition_in_place_row<kernel_type>(!is_resident, by_tiles));
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
