// Runs of more than one item: where each begins, and its length.
//
// Algorithm: one scan (scan.cuh), whose input is computed and whose results are not stored as they are. Item i begins
// such a run if it differs from the item before it and equals the one after it, and ends one if it equals the one
// before it and differs from the one after it. The scan counts the items that begin runs and carries the position of
// the last of them; at an item that ends a run both are the run's: its number and its begin. That takes two words, of 4
// bytes where there are fewer than 2^32 items, else of 8.
//
// Bytes moved: each item is read once, and twice more from the L1 cache; each run's two numbers are written once.
// Launches, storage, progress: those of a scan. `equal(x[i - 1], x[i])` is called twice for each i and must say the
// same.
// Determinism: the result is a function of the input.
#pragma once

#include <gimbal/tile/iterators.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// What a stretch of items amounts to, in words that hold the number of all: how many begin runs, and in the lowest bit
/// whether the last item ends one; and the last place where one begins.
template <class Word>
struct run_state {
  Word count_and_end;
  Word at;

  static GIMBAL_HOST_DEVICE run_state of(index_type i, bool begins, bool ends)
  {
    return {static_cast<Word>(begins << 1 | ends), static_cast<Word>(begins ? i : 0)};
  }
  GIMBAL_HOST_DEVICE index_type count() const { return static_cast<index_type>(count_and_end >> 1); }
  GIMBAL_HOST_DEVICE bool ends() const { return (count_and_end & 1) != 0; }
  GIMBAL_HOST_DEVICE index_type begin() const { return static_cast<index_type>(at); }

  friend GIMBAL_HOST_DEVICE run_state operator+(const run_state& a, const run_state& b)
  {
    return {(a.count_and_end >> 1 << 1) + b.count_and_end, b.count() != 0 ? b.at : a.at};
  }
};

/// i -> what item i amounts to.
template <class State, class InputIt, class Equal>
struct run_state_of {
  InputIt in;
  index_type n;
  Equal equal;

  _CCCL_EXEC_CHECK_DISABLE
  GIMBAL_HOST_DEVICE State operator()(index_type i) const
  {
    using value = value_type_of<InputIt>;
    Equal own = equal;  // the user's call operator may be non-const
    value item = static_cast<value>(*(in + i));
    bool equals_before = false;
    bool equals_behind = false;
    if (i > 0) {
      value before = static_cast<value>(*(in + (i - 1)));
      equals_before = static_cast<bool>(own(before, item));
    }
    if (i + 1 < n) {
      value behind = static_cast<value>(*(in + (i + 1)));
      equals_behind = static_cast<bool>(own(item, behind));
    }
    return State::of(i, !equals_before && equals_behind, equals_before && !equals_behind);
  }
};

/// The run that ends at item i, if one does, and after the last item the number of all.
template <class OffsetIt, class LengthIt, class CountIt>
struct put_run {
  OffsetIt offsets;
  LengthIt lengths;
  CountIt run_count;
  index_type n;

  template <class State>
  GIMBAL_DEVICE void operator()(index_type i, const State& state) const
  {
    if (state.ends()) {
      block::store_as(offsets + (state.count() - 1), state.begin());
      block::store_as(lengths + (state.count() - 1), i + 1 - state.begin());
    }
    if (i + 1 == n) {
      block::store_as(run_count, state.count());
    }
  }
};

template <class State, class InputIt, class OffsetIt, class LengthIt, class CountIt, class Equal>
status nontrivial_runs_by(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, OffsetIt offsets_out, LengthIt lengths_out,
  CountIt run_count, index_type n, Equal equal, simt::stream_type stream)
{
  using state_of = run_state_of<State, InputIt, Equal>;
  const thrust::transform_iterator<state_of, thrust::counting_iterator<index_type>, State, State> states(
    thrust::counting_iterator<index_type>(0), state_of{in, n, equal});
  return algorithm::scan(
    storage, storage_bytes, inclusive_scan_tag{}, states,
    written_by(put_run<OffsetIt, LengthIt, CountIt>{offsets_out, lengths_out, run_count, n}), n, ::cuda::std::plus<>{},
    no_init{}, stream);
}

}  // namespace detail

/// For each run of more than one item equal to its neighbours, where it begins to `offsets_out` and its length to
/// `lengths_out`; the number of such runs to `*run_count`. `MayBeMany`: there may be 2^32 items or more.
template <bool MayBeMany = true, class InputIt, class OffsetIt, class LengthIt, class CountIt, class Equal>
[[nodiscard]] status nontrivial_runs(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, OffsetIt offsets_out, LengthIt lengths_out,
  CountIt run_count, index_type n, Equal equal, simt::stream_type stream)
{
  if (n == 0) {
    status placed;
    if (!storage_layout{}.place(storage, storage_bytes, placed)) {
      return placed;
    }
    return algorithm::copy(thrust::counting_iterator<index_type>(0), run_count, 1, stream);  // a zero
  }
  if constexpr (MayBeMany) {
    if (n > static_cast<index_type>(0xffffffffu)) {
      return detail::nontrivial_runs_by<detail::run_state<std::uint64_t>>(
        storage, storage_bytes, in, offsets_out, lengths_out, run_count, n, equal, stream);
    }
  }
  return detail::nontrivial_runs_by<detail::run_state<std::uint32_t>>(
    storage, storage_bytes, in, offsets_out, lengths_out, run_count, n, equal, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
