// Scans, scans by key and adjacent_difference over a communicator.
//
// Results are those of one call on the ranks' parts, one after another; each rank writes those of its own items. There
// are two passes: each rank folds its part or, of runs, its last one; the folds are gathered; each scans its part after
// what came before. `out` may equal `first`. Operators need be associative, not commutative; init is the same on all
// ranks. Floating-point results are the same bits in every run with as many ranks and as many items on each. A run of
// equal keys may span ranks.
#pragma once

#include <gimbal/distributed/reduce.h>
#include <gimbal/distributed/runs.h>
#include <gimbal/thrust/scan.h>
#include <gimbal/thrust/scan_by_key.h>
#include <thrust/adjacent_difference.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Kind, class InputIt, class Op, class Init>
using distributed_accumulator =
  ::cuda::std::conditional_t<Kind::value == algorithm::scan_kind::exclusive, Init, accumulator_t<Op, InputIt, Init>>;

/// The initial value, as folds take it.
inline ranks::nothing fold_init(no_init) { return {}; }
template <class T>
T fold_init(T init)
{
  return init;
}

/// This rank's scan after `carry`, or after nothing.
template <class Kind, class Local, class InputIt, class OutputIt, class Op, class T>
void scan_part(
  Local& local, const char* name, Kind kind, InputIt first, index_type n, OutputIt out, Op op,
  const std::optional<T>& carry)
{
  if (n == 0) {
    return;
  }
  if (carry) {
    adaptor::scan(local, name, kind, first, first + n, out, op, *carry);
  } else if constexpr (Kind::value == algorithm::scan_kind::inclusive) {
    adaptor::scan(local, name, kind, first, first + n, out, op, no_init{});
  }
}

template <class Local, class Kind, class InputIt, class OutputIt, class Op, class Init>
OutputIt distributed_scan(
  distributed_policy<Local>& policy, const char* name, Kind kind, InputIt first, InputIt last, OutputIt out, Op op,
  Init init)
{
  using accumulator = distributed_accumulator<Kind, InputIt, Op, Init>;
  check_passed<iterators<InputIt, OutputIt>, values<accumulator>>();
  const index_type n = adaptor::length(first, last);
  distributed_call<Local> call(policy, name, n, sizeof(value_of<InputIt>));
  const auto carry =
    adaptor::gather_folds<accumulator, accumulator>(call, first, n, op, adaptor::fold_init(init), true);
  call.step([&] { adaptor::scan_part(call.local(), name, kind, first, n, out, op, carry); });
  call.finish();
  return out + n;
}

/// What is before this rank's items of the run that they continue.
template <class T>
struct run_carry {
  std::optional<T> value;
  index_type continued;  ///< so many of the first items are of that run
};

template <class Key, class T, class Local, class KeyIt, class InputIt, class HeadAt, class Joins, class Op, class Init>
run_carry<T> gather_carry(
  distributed_call<Local>& call, KeyIt keys, InputIt first, index_type n, HeadAt head_at, Joins joins, Op op, Init init)
{
  using summary = ranks::run_summary<Key, T>;
  run_carry<T> carry{{}, 0};
  carry.value = call.template gather<summary, T>(
    n > 0,
    [&](uninit<summary>* place) {
      summary* const to = &place->get();
      const index_type begin = adaptor::last_run_begin(call.local(), n, head_at);
      call.once(ranks::put_run_ends<KeyIt, Key, T>{keys, n, begin == 0, to});
      adaptor::fold_part(call.local(), first + begin, n - begin, &to->last.get(), op);
    },
    ranks::fold_to_carry<Joins, Op, Init>{joins, op, init});
  call.step([&] { carry.continued = carry.value ? adaptor::first_run_end(call.local(), n, head_at) : 0; });
  return carry;
}

template <class Local, class Kind, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op, class Init>
OutputIt distributed_scan_by_key(
  distributed_policy<Local>& policy, const char* name, Kind kind, KeyIt keys_first, KeyIt keys_last,
  ValueIt values_first, OutputIt out, Equal pred, Op op, Init init)
{
  using key = value_of<KeyIt>;
  using accumulator = distributed_accumulator<Kind, ValueIt, Op, Init>;
  check_passed<iterators<KeyIt, ValueIt, OutputIt>, values<key, accumulator>>();
  const index_type n = adaptor::length(keys_first, keys_last);
  const auto keys = adaptor::unwrap(keys_first);
  const ranks::head_by_keys<std::remove_const_t<decltype(keys)>, Equal> head_at{keys, pred};
  distributed_call<Local> call(policy, name, n, sizeof(value_of<ValueIt>));
  const auto carry =
    adaptor::gather_carry<key, accumulator>(call, keys, values_first, n, head_at, pred, op, adaptor::fold_init(init));
  const index_type rest = carry.continued;
  call.step([&] {
    adaptor::scan_part(call.local(), name, kind, values_first, rest, out, op, carry.value);
    adaptor::scan_by_key(
      call.local(), name, kind, keys_first + rest, keys_last, values_first + rest, out + rest, pred, op, init);
  });
  call.finish();
  return out + n;
}

}  // namespace adaptor

template <class Local, class InputIt, class OutputIt, class Op>
OutputIt inclusive_scan(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Op op)
{
  return adaptor::distributed_scan(
    policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, first, last, out, op, no_init{});
}

template <class Local, class InputIt, class OutputIt>
OutputIt inclusive_scan(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out)
{
  return gimbal::inclusive_scan(policy, first, last, out, ::cuda::std::plus<>{});
}

template <class Local, class InputIt, class OutputIt, class Init, class Op>
OutputIt inclusive_scan(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Init init, Op op)
{
  return adaptor::distributed_scan(
    policy, "inclusive_scan", algorithm::inclusive_scan_tag{}, first, last, out, op, init);
}

template <class Local, class InputIt, class OutputIt, class Init, class Op>
OutputIt exclusive_scan(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Init init, Op op)
{
  return adaptor::distributed_scan(
    policy, "exclusive_scan", algorithm::exclusive_scan_tag{}, first, last, out, op, init);
}

template <class Local, class InputIt, class OutputIt, class Init>
OutputIt exclusive_scan(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Init init)
{
  return gimbal::exclusive_scan(policy, first, last, out, init, ::cuda::std::plus<>{});
}

template <class Local, class InputIt, class OutputIt>
OutputIt exclusive_scan(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out)
{
  return gimbal::exclusive_scan(policy, first, last, out, value_type_of<InputIt>{}, ::cuda::std::plus<>{});
}

template <class Local, class InputIt, class OutputIt, class F, class Op>
OutputIt transform_inclusive_scan(
  distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, F f, Op op)
{
  using value = adaptor::result_value<F, InputIt>;
  return adaptor::distributed_scan(
    policy, "transform_inclusive_scan", algorithm::inclusive_scan_tag{}, adaptor::transformed<value>(first, f),
    adaptor::transformed<value>(last, f), out, op, no_init{});
}

template <class Local, class InputIt, class OutputIt, class F, class Init, class Op>
OutputIt transform_inclusive_scan(
  distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, F f, Init init, Op op)
{
  using value = adaptor::result_value<F, InputIt>;
  return adaptor::distributed_scan(
    policy, "transform_inclusive_scan", algorithm::inclusive_scan_tag{}, adaptor::transformed<value>(first, f),
    adaptor::transformed<value>(last, f), out, op, init);
}

template <class Local, class InputIt, class OutputIt, class F, class Init, class Op>
OutputIt transform_exclusive_scan(
  distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, F f, Init init, Op op)
{
  return adaptor::distributed_scan(
    policy, "transform_exclusive_scan", algorithm::exclusive_scan_tag{}, adaptor::transformed<Init>(first, f),
    adaptor::transformed<Init>(last, f), out, op, init);
}

template <class Local, class KeyIt, class ValueIt, class OutputIt, class Equal, class Op>
OutputIt inclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Equal pred,
  Op op)
{
  return adaptor::distributed_scan_by_key(
    policy, "inclusive_scan_by_key", algorithm::inclusive_scan_tag{}, keys_first, keys_last, values_first, out, pred,
    op, no_init{});
}

template <class Local, class KeyIt, class ValueIt, class OutputIt, class Equal>
OutputIt inclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Equal pred)
{
  return gimbal::inclusive_scan_by_key(policy, keys_first, keys_last, values_first, out, pred, ::cuda::std::plus<>{});
}

template <class Local, class KeyIt, class ValueIt, class OutputIt>
OutputIt inclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out)
{
  return gimbal::inclusive_scan_by_key(policy, keys_first, keys_last, values_first, out, ::cuda::std::equal_to<>{});
}

template <class Local, class KeyIt, class ValueIt, class OutputIt, class Init, class Equal, class Op>
OutputIt exclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Init init,
  Equal pred, Op op)
{
  return adaptor::distributed_scan_by_key(
    policy, "exclusive_scan_by_key", algorithm::exclusive_scan_tag{}, keys_first, keys_last, values_first, out, pred,
    op, init);
}

template <class Local, class KeyIt, class ValueIt, class OutputIt, class Init, class Equal>
OutputIt exclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Init init,
  Equal pred)
{
  return gimbal::exclusive_scan_by_key(
    policy, keys_first, keys_last, values_first, out, init, pred, ::cuda::std::plus<>{});
}

template <class Local, class KeyIt, class ValueIt, class OutputIt, class Init>
OutputIt exclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out, Init init)
{
  return gimbal::exclusive_scan_by_key(
    policy, keys_first, keys_last, values_first, out, init, ::cuda::std::equal_to<>{});
}

template <class Local, class KeyIt, class ValueIt, class OutputIt>
OutputIt exclusive_scan_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, OutputIt out)
{
  return gimbal::exclusive_scan_by_key(policy, keys_first, keys_last, values_first, out, value_type_of<ValueIt>{});
}

template <class Local, class InputIt, class OutputIt, class Op>
OutputIt adjacent_difference(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Op op)
{
  using value = value_type_of<InputIt>;
  adaptor::check_passed<adaptor::iterators<InputIt, OutputIt>, adaptor::values<value>>();
  const index_type n = adaptor::length(first, last);
  const auto in = adaptor::unwrap(first);
  const auto to = adaptor::unwrap(out);
  using input = std::remove_const_t<decltype(in)>;
  using output = std::remove_const_t<decltype(to)>;
  adaptor::distributed_call<Local> call(policy, "adjacent_difference", n, sizeof(value));
  const auto before = call.template gather<ranks::ends<value>, value>(
    n > 0,
    [&](uninit<ranks::ends<value>>* ends) {
      call.once(ranks::put_ends<input, value>{in, n, ends});
    },
    ranks::fold_to_item_before{});
  call.step([&] {
    thrust::adjacent_difference(call.local(), first, last, out, op);  // the first item stays
    if (before) {
      call.once(ranks::store_difference<input, output, value, Op>{in, to, *before, op});
    }
  });
  call.finish();
  return out + n;
}

template <class Local, class InputIt, class OutputIt>
OutputIt adjacent_difference(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out)
{
  return gimbal::adjacent_difference(policy, first, last, out, ::cuda::std::minus<>{});
}

GIMBAL_NAMESPACE_END
