// copy_if, remove, remove_if, remove_copy, remove_copy_if, partition_copy, unique, unique_copy, unique_count,
// unique_by_key, unique_by_key_copy and reduce_by_key over a communicator.
//
// Each rank gets what its own items give: the ranks' results, one after another, are those of one call on their parts,
// one after another. Of a run of equals that spans ranks the first item, or the one result, is on the rank where the
// run begins; a rank within it gets none. Ends of outputs are returned as by the same call on a part. Aliasing is as
// for one GPU. unique and unique_by_key work in place with a buffer of a part's size where their first run continues
// another rank's. gimbal::rebalance (partition.h) evens counts out.
#pragma once

#include <gimbal/distributed/runs.h>
#include <gimbal/thrust/reduce.h>
#include <gimbal/thrust/reduce_by_key.h>
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// What f(local policy) returns, when all ranks' have returned.
template <class Local, class InputIt, class F>
auto on_each_part(distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, F f)
{
  check_passed<iterators<InputIt>, values<>>();
  distributed_call<Local> call(policy, name, adaptor::length(first, last), sizeof(value_of<InputIt>));
  std::optional<decltype(f(call.local()))> result;
  call.step([&] { result = f(call.local()); });
  call.finish();
  return *result;
}

/// Where a rank's runs meet those of others.
struct run_bounds {
  index_type continued;  ///< that many of its first items continue a run of earlier ranks
  bool goes_on;          ///< its last run goes on, on later ranks
};
template <class Local, class KeyIt, class Equal>
run_bounds find_run_bounds(distributed_call<Local>& call, KeyIt first, index_type n, Equal pred)
{
  using key = value_of<KeyIt>;
  const auto keys = adaptor::unwrap(first);
  using iterator = std::remove_const_t<decltype(keys)>;
  const auto joins = call.template gather<ranks::ends<key>, ranks::run_joins>(
    n > 0,
    [&](uninit<ranks::ends<key>>* out) {
      call.once(ranks::put_ends<iterator, key>{keys, n, out});
    },
    ranks::fold_to_joins<Equal>{pred});
  run_bounds bounds{0, joins && joins->goes_on != 0};
  if (joins && joins->continues != 0) {
    call.step([&] {
      bounds.continued = adaptor::first_run_end(call.local(), n, ranks::head_by_keys<iterator, Equal>{keys, pred});
    });
  }
  return bounds;
}

template <class Local, class InputIt, class OutputIt, class Equal>
OutputIt distributed_unique_copy(
  distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, OutputIt out, Equal pred)
{
  check_passed<iterators<InputIt, OutputIt>, values<value_of<InputIt>>>();
  const index_type n = adaptor::length(first, last);
  distributed_call<Local> call(policy, name, n, sizeof(value_of<InputIt>));
  const index_type continued = adaptor::find_run_bounds(call, first, n, pred).continued;
  call.step([&] { out = adaptor::unique_copy(call.local(), name, first + continued, last, out, pred); });
  call.finish();
  return out;
}

template <class Local, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
thrust::pair<KeyOut, ValueOut> distributed_unique_by_key_copy(
  distributed_policy<Local>& policy, const char* name, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
  KeyOut keys_out, ValueOut values_out, Equal pred)
{
  check_passed<
    iterators<KeyIt, ValueIt, KeyOut, ValueOut>, values<thrust::tuple<value_of<KeyIt>, value_of<ValueIt>>>>();
  const index_type n = adaptor::length(keys_first, keys_last);
  distributed_call<Local> call(policy, name, n, sizeof(value_of<KeyIt>));
  const index_type continued = adaptor::find_run_bounds(call, keys_first, n, pred).continued;
  thrust::pair<KeyOut, ValueOut> ends(keys_out, values_out);
  call.step([&] {
    ends = adaptor::unique_by_key_copy(
      call.local(), name, keys_first + continued, keys_last, values_first + continued, keys_out, values_out, pred);
  });
  call.finish();
  return ends;
}

}  // namespace adaptor

template <class Local, class InputIt, class OutputIt, class Predicate>
OutputIt copy_if(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Predicate pred)
{
  return adaptor::on_each_part(
    policy, "copy_if", first, last, [&](Local& local) { return thrust::copy_if(local, first, last, out, pred); });
}

template <class Local, class InputIt, class StencilIt, class OutputIt, class Predicate>
OutputIt copy_if(
  distributed_policy<Local>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt out, Predicate pred)
{
  return adaptor::on_each_part(policy, "copy_if", first, last, [&](Local& local) {
    return thrust::copy_if(local, first, last, stencil, out, pred);
  });
}

template <class Local, class ForwardIt, class T>
ForwardIt remove(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, const T& value)
{
  return adaptor::on_each_part(
    policy, "remove", first, last, [&](Local& local) { return thrust::remove(local, first, last, value); });
}

template <class Local, class ForwardIt, class Predicate>
ForwardIt remove_if(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  return adaptor::on_each_part(
    policy, "remove_if", first, last, [&](Local& local) { return thrust::remove_if(local, first, last, pred); });
}

template <class Local, class ForwardIt, class StencilIt, class Predicate>
ForwardIt remove_if(
  distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, StencilIt stencil, Predicate pred)
{
  return adaptor::on_each_part(policy, "remove_if", first, last, [&](Local& local) {
    return thrust::remove_if(local, first, last, stencil, pred);
  });
}

template <class Local, class InputIt, class OutputIt, class T>
OutputIt remove_copy(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, const T& value)
{
  return adaptor::on_each_part(policy, "remove_copy", first, last, [&](Local& local) {
    return thrust::remove_copy(local, first, last, out, value);
  });
}

template <class Local, class InputIt, class OutputIt, class Predicate>
OutputIt remove_copy_if(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Predicate pred)
{
  return adaptor::on_each_part(policy, "remove_copy_if", first, last, [&](Local& local) {
    return thrust::remove_copy_if(local, first, last, out, pred);
  });
}

template <class Local, class InputIt, class StencilIt, class OutputIt, class Predicate>
OutputIt remove_copy_if(
  distributed_policy<Local>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt out, Predicate pred)
{
  return adaptor::on_each_part(policy, "remove_copy_if", first, last, [&](Local& local) {
    return thrust::remove_copy_if(local, first, last, stencil, out, pred);
  });
}

template <class Local, class InputIt, class OutputIt1, class OutputIt2, class Predicate>
thrust::pair<OutputIt1, OutputIt2> stable_partition_copy(
  distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt1 out_true, OutputIt2 out_false,
  Predicate pred)
{
  return adaptor::on_each_part(policy, "stable_partition_copy", first, last, [&](Local& local) {
    return thrust::stable_partition_copy(local, first, last, out_true, out_false, pred);
  });
}

template <class Local, class InputIt, class StencilIt, class OutputIt1, class OutputIt2, class Predicate>
thrust::pair<OutputIt1, OutputIt2> stable_partition_copy(
  distributed_policy<Local>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt1 out_true,
  OutputIt2 out_false, Predicate pred)
{
  return adaptor::on_each_part(policy, "stable_partition_copy", first, last, [&](Local& local) {
    return thrust::stable_partition_copy(local, first, last, stencil, out_true, out_false, pred);
  });
}

template <class Local, class InputIt, class OutputIt1, class OutputIt2, class Predicate>
thrust::pair<OutputIt1, OutputIt2> partition_copy(
  distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt1 out_true, OutputIt2 out_false,
  Predicate pred)
{
  return gimbal::stable_partition_copy(policy, first, last, out_true, out_false, pred);
}

template <class Local, class InputIt, class StencilIt, class OutputIt1, class OutputIt2, class Predicate>
thrust::pair<OutputIt1, OutputIt2> partition_copy(
  distributed_policy<Local>& policy, InputIt first, InputIt last, StencilIt stencil, OutputIt1 out_true,
  OutputIt2 out_false, Predicate pred)
{
  return gimbal::stable_partition_copy(policy, first, last, stencil, out_true, out_false, pred);
}

template <class Local, class InputIt, class OutputIt, class Equal>
OutputIt unique_copy(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out, Equal pred)
{
  return adaptor::distributed_unique_copy(policy, "unique_copy", first, last, out, pred);
}

template <class Local, class InputIt, class OutputIt>
OutputIt unique_copy(distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out)
{
  return gimbal::unique_copy(policy, first, last, out, ::cuda::std::equal_to<value_type_of<InputIt>>{});
}

template <class Local, class ForwardIt, class Equal>
ForwardIt unique(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Equal pred)
{
  using value = value_type_of<ForwardIt>;
  adaptor::check_passed<adaptor::iterators<ForwardIt>, adaptor::values<value>>();
  const index_type n = adaptor::length(first, last);
  adaptor::distributed_call<Local> call(policy, "unique", n, sizeof(value));
  const index_type continued = adaptor::find_run_bounds(call, first, n, pred).continued;
  adaptor::rank_buffer<Local, value> buffer(call);
  ForwardIt end = first;
  call.step([&] {
    if (continued == 0) {
      end = adaptor::unique_copy(call.local(), "unique", first, last, first, pred);
    } else {
      buffer.allocate(n - continued);
      const auto kept = adaptor::unique_copy(call.local(), "unique", first + continued, last, buffer.get(), pred);
      end = thrust::copy(call.local(), buffer.get(), kept, first);
    }
  });
  call.finish();
  return end;
}

template <class Local, class ForwardIt>
ForwardIt unique(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::unique(policy, first, last, ::cuda::std::equal_to<value_type_of<ForwardIt>>{});
}

/// The number for all ranks together, on every rank.
template <class Local, class ForwardIt, class Equal>
typename thrust::iterator_traits<ForwardIt>::difference_type unique_count(
  distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Equal pred)
{
  using value = value_type_of<ForwardIt>;
  adaptor::check_passed<adaptor::iterators<ForwardIt>, adaptor::values<value>>();
  const index_type n = adaptor::length(first, last);
  adaptor::distributed_call<Local> call(policy, "unique_count", n, sizeof(value));
  const index_type continued = adaptor::find_run_bounds(call, first, n, pred).continued;
  index_type own = 0;
  call.step([&] { own = adaptor::unique_count(call.local(), first + continued, last, pred); });
  return call.part_of(own).total;
}

template <class Local, class ForwardIt>
typename thrust::iterator_traits<ForwardIt>::difference_type unique_count(
  distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::unique_count(policy, first, last, ::cuda::std::equal_to<value_type_of<ForwardIt>>{});
}

template <class Local, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
thrust::pair<KeyOut, ValueOut> unique_by_key_copy(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred)
{
  return adaptor::distributed_unique_by_key_copy(
    policy, "unique_by_key_copy", keys_first, keys_last, values_first, keys_out, values_out, pred);
}

template <class Local, class KeyIt, class ValueIt, class KeyOut, class ValueOut>
thrust::pair<KeyOut, ValueOut> unique_by_key_copy(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out)
{
  return gimbal::unique_by_key_copy(
    policy, keys_first, keys_last, values_first, keys_out, values_out, ::cuda::std::equal_to<value_type_of<KeyIt>>{});
}

template <class Local, class KeyIt, class ValueIt, class Equal>
thrust::pair<KeyIt, ValueIt> unique_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, Equal pred)
{
  using key = value_type_of<KeyIt>;
  using value = value_type_of<ValueIt>;
  adaptor::check_passed<adaptor::iterators<KeyIt, ValueIt>, adaptor::values<thrust::tuple<key, value>>>();
  const index_type n = adaptor::length(keys_first, keys_last);
  adaptor::distributed_call<Local> call(policy, "unique_by_key", n, sizeof(key));
  const index_type continued = adaptor::find_run_bounds(call, keys_first, n, pred).continued;
  adaptor::rank_buffer<Local, key> keys(call);
  adaptor::rank_buffer<Local, value> values(call);
  thrust::pair<KeyIt, ValueIt> ends(keys_first, values_first);
  call.step([&] {
    if (continued == 0) {
      ends = adaptor::unique_by_key_copy(
        call.local(), "unique_by_key", keys_first, keys_last, values_first, keys_first, values_first, pred);
    } else {
      keys.allocate(n - continued);
      values.allocate(n - continued);
      const auto kept = adaptor::unique_by_key_copy(
        call.local(), "unique_by_key", keys_first + continued, keys_last, values_first + continued, keys.get(),
        values.get(), pred);
      ends = {
        thrust::copy(call.local(), keys.get(), kept.first, keys_first),
        thrust::copy(call.local(), values.get(), kept.second, values_first)};
    }
  });
  call.finish();
  return ends;
}

template <class Local, class KeyIt, class ValueIt>
thrust::pair<KeyIt, ValueIt> unique_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first)
{
  return gimbal::unique_by_key(
    policy, keys_first, keys_last, values_first, ::cuda::std::equal_to<value_type_of<KeyIt>>{});
}

/// x[h] op ... op x[e-1] of a run that spans ranks is made of the ranks' parts of it, and stored where the run begins.
template <class Local, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal, class Op>
thrust::pair<KeyOut, ValueOut> reduce_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred, Op op)
{
  using key = value_type_of<KeyIt>;
  using value = value_type_of<ValueIt>;
  adaptor::check_passed<adaptor::iterators<KeyIt, ValueIt, KeyOut, ValueOut>, adaptor::values<key, value>>();
  const index_type n = adaptor::length(keys_first, keys_last);
  const auto keys = adaptor::unwrap(keys_first);
  adaptor::distributed_call<Local> call(policy, "reduce_by_key", n, sizeof(value));
  const adaptor::run_bounds bounds = adaptor::find_run_bounds(call, keys_first, n, pred);
  const index_type continued = bounds.continued;
  const bool stores = bounds.goes_on && continued < n;
  thrust::pair<KeyOut, ValueOut> ends(keys_out, values_out);
  call.step([&] {
    if (continued < n) {
      ends = adaptor::reduce_by_key(
        call.local(), keys_first + continued, keys_last, values_first + continued, keys_out, values_out, pred, op);
    }
  });
  const ranks::head_by_keys<std::remove_const_t<decltype(keys)>, Equal> head_at{keys, pred};
  adaptor::fold_last_run<value>(
    call, values_first, n, continued, head_at, stores, adaptor::unwrap(stores ? ends.second - 1 : ends.second), op,
    ranks::nothing{});
  return ends;
}

template <class Local, class KeyIt, class ValueIt, class KeyOut, class ValueOut, class Equal>
thrust::pair<KeyOut, ValueOut> reduce_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out, Equal pred)
{
  using sum = adaptor::summed_by_key<ValueIt, ValueOut>;
  return gimbal::reduce_by_key(
    policy, keys_first, keys_last, values_first, keys_out, values_out, pred, ::cuda::std::plus<sum>{});
}

template <class Local, class KeyIt, class ValueIt, class KeyOut, class ValueOut>
thrust::pair<KeyOut, ValueOut> reduce_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, KeyOut keys_out,
  ValueOut values_out)
{
  return gimbal::reduce_by_key(
    policy, keys_first, keys_last, values_first, keys_out, values_out, ::cuda::std::equal_to<value_type_of<KeyIt>>{});
}

GIMBAL_NAMESPACE_END
