// Scan-vector calls that move or make each item by itself: map, copy, permute, back_permute, select, shift. See
// scan_vector.h for what holds for all calls.
#pragma once

#include <gimbal/scan_vector/call.h>
#include <thrust/iterator/permutation_iterator.h>

#include <tuple>

GIMBAL_NAMESPACE_BEGIN

namespace vectors {

namespace detail {

/// An output that holds numbers is given them, made of what f returns when the items are loaded. Any other is given
/// what f returns when it is stored, so that its type is not needed: that of a lambda for the device cannot be
/// determined on the host.
template <class Derived, class OutputIt, class F, class... InputIts>
OutputIt map(const execution_policy<Derived>& policy, index_type n, OutputIt out, F f, InputIts... firsts)
{
  using held = adaptor::held_value<OutputIt>;
  using items = functor::items_at<InputIts...>;
  using output = decltype(adaptor::unwrap(out));
  using stored = ::cuda::std::remove_reference_t<decltype(*adaptor::unwrap(out))>;  // a proxy, where there is one
  if constexpr (!::cuda::std::is_void_v<held>) {
    detail::copy_items(
      policy, "map", algorithm::detail::made_at<held>(functor::apply_at<held, F, InputIts...>{f, {{firsts...}}}), n,
      out);
  } else if constexpr (simt::is_supported_value_v<typename items::value>) {
    using item = typename items::value;
    using chosen = tuning::copy<(sizeof(stored) > sizeof(item) ? sizeof(stored) : sizeof(item))>;
    detail::copy_items<chosen>(
      policy, "map", algorithm::detail::made_at<item>(items{{firsts...}}), n,
      gimbal::written_by(functor::put_result<F, output>{f, adaptor::unwrap(out)}));
  } else {
    using function = functor::put_result_at<F, output, InputIts...>;
    detail::copy_items(
      policy, "map", thrust::counting_iterator<index_type>(0), n,
      gimbal::written_by(function{f, adaptor::unwrap(out), {{firsts...}}}));
  }
  return out + n;
}

}  // namespace detail

/// out[i] = f(x[i]). Returns the end of the output.
///
/// f is called once for each item, on a copy of it; `out` converts what it returns. `out` may be `first`. It is one
/// launch, which reads and writes each item once; no storage; all else is as in scan_vector.h. There is no segmented
/// form: items are independent of each other. Thesis: Map, line 307, which adds it to the book's; 5.3, line 424.
template <class Derived, class InputIt, class OutputIt, class F>
OutputIt map(const execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, F f)
{
  return detail::map(policy, adaptor::length(first, last), out, f, adaptor::unwrap(first));
}
/// out[i] = f(x[i], y[i]); likewise.
template <class Derived, class InputIt1, class InputIt2, class OutputIt, class F>
OutputIt map(
  const execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, OutputIt out, F f)
{
  return detail::map(policy, adaptor::length(first1, last1), out, f, adaptor::unwrap(first1), adaptor::unwrap(first2));
}
/// out[i] = f(x[i], y[i], z[i]); likewise. More ranges take a zip iterator and thrust::make_zip_function(f).
template <class Derived, class InputIt1, class InputIt2, class InputIt3, class OutputIt, class F>
OutputIt map(
  const execution_policy<Derived>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, InputIt3 first3,
  OutputIt out, F f)
{
  return detail::map(
    policy, adaptor::length(first1, last1), out, f, adaptor::unwrap(first1), adaptor::unwrap(first2),
    adaptor::unwrap(first3));
}

/// out[i] = value, for [first, last). Returns `last`.
///
/// It is one launch, which writes each item once; no storage. Thesis: Copy, line 255 (there: the book's page 42), and
/// its kernel, line 346; the book's copy is a scan.
template <class Derived, class OutputIt, class T>
OutputIt copy(const execution_policy<Derived>& policy, OutputIt first, OutputIt last, const T& value)
{
  return detail::copy_items(policy, "copy", block::make_constant_iterator(value), adaptor::length(first, last), first);
}

/// out[h + indices[i]] = x[i], h being 0: each item goes to its index. Returns out + n.
///
/// Indices, of any integer type, do not repeat and lie within `out`, which overlaps neither items nor indices; slots
/// that no index names stay as they are. It is one launch, which reads items and indices once and writes each item
/// once, wherever it goes; no storage. This is what the thesis's text describes for its kernel (line 840); its formula
/// under this name is back_permute's.
template <class Derived, class InputIt, class IndexIt, class OutputIt>
OutputIt permute(const execution_policy<Derived>& policy, InputIt first, InputIt last, IndexIt indices, OutputIt out)
{
  const index_type n = adaptor::length(first, last);
  using take = functor::item_and_place<decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(indices))>;
  using value = typename take::value;
  if constexpr (simt::is_supported_value_v<value>) {
    // Pairs, so that a kernel has loaded the indices of several items before it stores the first.
    detail::copy_items(
      policy, "permute", algorithm::detail::made_at<value>(take{adaptor::unwrap(first), adaptor::unwrap(indices)}), n,
      gimbal::written_by(functor::put_in_place<decltype(adaptor::unwrap(out))>{adaptor::unwrap(out)}));
  } else {
    using put = functor::scatter_in_segment<
      decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(indices)), decltype(adaptor::unwrap(out))>;
    detail::copy_items(
      policy, "permute", block::make_constant_iterator(index_type{0}), n,  // the head of all
      gimbal::written_by(put{adaptor::unwrap(first), adaptor::unwrap(indices), adaptor::unwrap(out)}));
  }
  return out + n;
}

/// The same within segments: h is the head of i's segment, and indices count from it.
///
/// By flags it is a scan of positions, which writes none: one launch, which reads flags, items and indices once. By
/// offsets it is one launch that reads them instead of flags.
template <class Derived, class InputIt, class IndexIt, class Heads, class OutputIt>
OutputIt permute(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, IndexIt indices, Heads heads, OutputIt out)
{
  const index_type n = adaptor::length(first, last);
  using move = functor::scatter_in_segment<
    decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(indices)), decltype(adaptor::unwrap(out))>;
  detail::run(
    policy, "permute", n, sizeof(adaptor::value_of<InputIt>),
    [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::for_each_with_head(
        storage, bytes, adaptor::heads_of(heads), n,
        move{adaptor::unwrap(first), adaptor::unwrap(indices), adaptor::unwrap(out)}, stream);
    });
  return out + n;
}

/// out[i] = x[h + indices[i]] for the indices [indices_first, indices_last), h being 0: each slot takes the item that
/// its index names. Returns the end of the output.
///
/// Indices, of any integer type, may repeat; `out` may be `indices_first`, but does not overlap the items. It is one
/// launch, which reads each index once, an item for each, wherever it is, and writes each result once; no storage.
/// Thesis: Permute, line 506, as formula, and line 235 (there: the book's page 40).
template <class Derived, class IndexIt, class InputIt, class OutputIt>
OutputIt back_permute(
  const execution_policy<Derived>& policy, IndexIt indices_first, IndexIt indices_last, InputIt first, OutputIt out)
{
  return detail::copy_items(
    policy, "back_permute", thrust::make_permutation_iterator(adaptor::unwrap(first), adaptor::unwrap(indices_first)),
    adaptor::length(indices_first, indices_last), out);
}

/// The same within segments: h is the head of i's segment, and indices count from it. Launches are as for permute.
template <class Derived, class IndexIt, class InputIt, class Heads, class OutputIt>
OutputIt back_permute(
  const execution_policy<Derived>& policy, IndexIt indices_first, IndexIt indices_last, InputIt first, Heads heads,
  OutputIt out)
{
  const index_type n = adaptor::length(indices_first, indices_last);
  using move = functor::gather_in_segment<
    decltype(adaptor::unwrap(indices_first)), decltype(adaptor::unwrap(first)), decltype(adaptor::unwrap(out))>;
  detail::run(
    policy, "back_permute", n, sizeof(adaptor::value_of<InputIt>),
    [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
      return algorithm::for_each_with_head(
        storage, bytes, adaptor::heads_of(heads), n,
        move{adaptor::unwrap(indices_first), adaptor::unwrap(first), adaptor::unwrap(out)}, stream);
    });
  return out + n;
}

/// out[i] = flags[i] ? trues[i] : falses[i]. Returns the end of the output.
///
/// Flags are of any type convertible to bool. Items of two types become what `?:` makes of them or, where `out` holds
/// numbers, such. `out` may be any of the inputs. It is one launch, which reads each flag and the item that it selects
/// once; no storage. This is the book's p-select.
template <class Derived, class FlagIt, class TrueIt, class FalseIt, class OutputIt>
OutputIt select(
  const execution_policy<Derived>& policy, FlagIt flags_first, FlagIt flags_last, TrueIt trues, FalseIt falses,
  OutputIt out)
{
  using value = detail::one_of<OutputIt, adaptor::value_of<TrueIt>, adaptor::value_of<FalseIt>>;
  using function = functor::select_at<
    value, decltype(adaptor::unwrap(flags_first)), decltype(adaptor::unwrap(trues)), decltype(adaptor::unwrap(falses))>;
  return detail::copy_items(
    policy, "select",
    algorithm::detail::made_at<value>(
      function{adaptor::unwrap(flags_first), adaptor::unwrap(trues), adaptor::unwrap(falses)}),
    adaptor::length(flags_first, flags_last), out);
}

/// out[i] = x[i - distance] where there is such an item, else `fill`: to the right by a positive distance, to the left
/// by a negative one. Returns the end of the output.
///
/// Any distance. `out` does not overlap the items; its values are as in select. One launch, which reads and writes each
/// item once; no storage.
template <class Derived, class InputIt, class OutputIt, class T>
OutputIt shift(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, OutputIt out, index_type distance,
  const T& fill)
{
  using value = detail::one_of<OutputIt, adaptor::value_of<InputIt>, T>;
  const index_type n = adaptor::length(first, last);
  const index_type moved = distance > n ? n : distance < -n ? -n : distance;
  using function = functor::shifted_at<value, decltype(adaptor::unwrap(first)), T>;
  return detail::copy_items(
    policy, "shift", algorithm::detail::made_at<value>(function{adaptor::unwrap(first), n, moved, fill}), n, out);
}

/// The same within segments: `fill` where x[i - distance] is of another segment than x[i].
///
/// By flags it is a scan of positions, from the last item on where the distance is negative: one launch, which reads
/// flags and items once; by offsets it is one that reads them instead of flags.
template <class Derived, class InputIt, class Heads, class OutputIt, class T>
OutputIt shift(
  const execution_policy<Derived>& policy, InputIt first, InputIt last, Heads heads, OutputIt out, index_type distance,
  const T& fill)
{
  using value = adaptor::value_of<InputIt>;
  const index_type n = adaptor::length(first, last);
  const index_type moved = distance > n ? n : distance < -n ? -n : distance;
  const auto run = [&](auto in, auto results, auto all_heads, index_type steps) {
    using move = functor::shift_in_segment<decltype(in), decltype(results), T>;
    detail::run(
      policy, "shift", n, sizeof(value), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
        return algorithm::for_each_with_head(storage, bytes, all_heads, n, move{in, results, steps, fill}, stream);
      });
  };
  if (moved >= 0) {
    run(adaptor::unwrap(first), adaptor::unwrap(out), adaptor::heads_of(heads), moved);
  } else {
    run(
      detail::from_end(last), detail::written_from_end(out, n), adaptor::heads_of(detail::heads_from_end(heads, n)),
      -moved);
  }
  return out + n;
}

}  // namespace vectors

GIMBAL_NAMESPACE_END
