// What the scan-vector calls share: outputs with a total, and the one call that runs a backend entry.
#pragma once

#include <gimbal/policy.h>
#include <gimbal/scan_vector/monoid.h>
#include <gimbal/segmented_scan.h>
#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <thrust/iterator/reverse_iterator.h>

#include <gimbal/algorithm/scan_vector/scan_vector.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace vectors {

/// The total is what the call returns: the host waits for it, with par_nosync too.
struct to_host {};

/// An output with a total: with_total(out) has the call return it, with_total(out, where) has it written to `*where`,
/// in device memory or wherever else an iterator leads, so that the next call can use it and nobody waits.
template <class OutputIt, class TotalIt = to_host>
struct with_total {
  explicit with_total(OutputIt results) : out(results), total() {}
  with_total(OutputIt results, TotalIt where) : out(results), total(where) {}

  OutputIt out;
  TotalIt total;
};
template <class OutputIt>
with_total(OutputIt) -> with_total<OutputIt>;

namespace detail {

template <class Derived>
execution_policy<Derived>& mutable_policy(const execution_policy<Derived>& policy)
{
  return const_cast<execution_policy<Derived>&>(policy);
}

/// The type of counts: the integers that the output holds, else index_type, which the output converts.
template <class OutputIt>
struct count_type {
  using held = adaptor::held_value<OutputIt>;
  using type = ::cuda::std::conditional_t<adaptor::is_count_v<held>, held, index_type>;
};
template <class OutputIt, class TotalIt>
struct count_type<with_total<OutputIt, TotalIt>> : count_type<OutputIt> {
};
template <class OutputIt, class TotalIt>
struct count_type<with_totals<OutputIt, TotalIt>> : count_type<OutputIt> {
};
template <class Out>
using count_of = typename count_type<Out>::type;

/// What one of two items becomes: the number that the output holds, where all are numbers, else what `?:` gives.
template <class OutputIt, class First, class Second>
using one_of = ::cuda::std::conditional_t<
  ::cuda::std::is_arithmetic_v<First>&& ::cuda::std::is_arithmetic_v<
    Second> && !::cuda::std::is_void_v<adaptor::held_value<OutputIt>>,
  adaptor::held_value<OutputIt>, ::cuda::std::common_type_t<First, Second>>;

/// The items as values of T, untouched where they are.
template <class T, class InputIt>
auto items(InputIt first)
{
  if constexpr (::cuda::std::is_same<adaptor::value_of<InputIt>, T>::value) {
    return adaptor::unwrap(first);
  } else {
    return adaptor::transformed<T>(first, functor::convert_to<T>{});
  }
}

/// Runs `entry(storage, bytes, stream)` through its two phases; does nothing for no items.
template <class Derived, class Entry>
void run(const execution_policy<Derived>& policy, const char* name, index_type n, std::size_t value_bytes, Entry entry)
{
  adaptor::call<Derived> step(detail::mutable_policy(policy), name, n, value_bytes);
  while (n > 0 && step.next()) {
    step.report(entry(step.storage(), step.bytes(), step.stream()));
  }
  step.finish();
}

/// Launches a plan; without items it launches nothing.
template <class Derived, class Plan>
void run_plan(
  const execution_policy<Derived>& policy, const char* name, index_type n, std::size_t value_bytes, Plan plan)
{
  adaptor::call<Derived> step(detail::mutable_policy(policy), name, n, value_bytes);
  step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
  step.finish();
}

/// run() for an entry that writes a T to `entry(storage, bytes, result, stream)`, which is returned; `of_nothing` for
/// no items.
template <class T, class Derived, class Entry>
T run_for_result(
  const execution_policy<Derived>& policy, const char* name, index_type n, std::size_t value_bytes, const T& of_nothing,
  Entry entry)
{
  if (n == 0) {
    return of_nothing;
  }
  adaptor::call<Derived> step(detail::mutable_policy(policy), name, n, value_bytes, adaptor::returns::a_result);
  result_slot<T> result;
  step.throw_if(result.take());
  while (step.next()) {
    step.report(entry(step.storage(), step.bytes(), result.device_pointer(), step.stream()));
  }
  step.wait();
  return result.value();
}

/// Runs an entry of one launch that takes no storage.
template <class Launch>
status without_storage(temporary_storage storage, std::size_t& bytes, Launch launch)
{
  if (storage.asks()) {
    bytes = 1;
    return {};
  }
  return launch();
}

/// out[i] = in[i] by one launch; by stock's copy where the kernels cannot hold the values. `Tuning`: as of
/// algorithm::copy.
template <class Tuning = void, class Derived, class InputIt, class OutputIt>
OutputIt copy_items(const execution_policy<Derived>& policy, const char* name, InputIt in, index_type n, OutputIt out)
{
  using value = value_type_of<InputIt>;
  if constexpr (adaptor::is_taken_v<adaptor::iterators<InputIt, OutputIt>, adaptor::values<value>>) {
    detail::run(
      policy, name, n, sizeof(value), [&](temporary_storage storage, std::size_t& bytes, simt::stream_type stream) {
        return detail::without_storage(
          storage, bytes, [&] { return algorithm::copy<Tuning>(in, adaptor::unwrap(out), n, stream); });
      });
    return out + n;
  } else {
    route::fell_back();
    return thrust::copy(policy, in, in + n, out);
  }
}

/// Heads of the sequence of n that is read backwards.
template <class FlagIt>
auto heads_from_end(FlagIt flags, index_type n)
{
  const auto rest = thrust::make_reverse_iterator(adaptor::unwrap(flags) + n);
  return algorithm::detail::made_at<bool>(functor::head_at<bool, std::remove_const_t<decltype(rest)>>{rest});
}
template <class OffsetIt>
auto heads_from_end(const segment_offsets<OffsetIt>& offsets, index_type n)
{
  using functor_type = functor::offset_from_end<decltype(adaptor::unwrap(offsets.first))>;
  const index_type segments = adaptor::length(offsets.first, offsets.last);
  const auto from_end =
    algorithm::detail::made_at<index_type>(functor_type{adaptor::unwrap(offsets.first), segments, n});
  return segment_offsets<std::remove_const_t<decltype(from_end)>>(from_end, from_end + (segments + 1));
}

/// Reads what precedes `end`, from the last item on.
template <class InputIt>
auto from_end(InputIt end)
{
  return thrust::make_reverse_iterator(adaptor::unwrap(end));
}

/// Writes n results from the last slot on. (A proxy may refer to its iterator, of which Thrust's adaptor has but a
/// copy.)
template <class OutputIt>
auto written_from_end(OutputIt out, index_type n)
{
  using output = decltype(adaptor::unwrap(out));
  if constexpr (::cuda::std::is_lvalue_reference_v<decltype(*adaptor::unwrap(out))>) {
    return detail::from_end(out + n);
  } else {
    return gimbal::written_by(functor::put_from_end<output>{adaptor::unwrap(out), n});
  }
}

}  // namespace detail

}  // namespace vectors

GIMBAL_NAMESPACE_END
