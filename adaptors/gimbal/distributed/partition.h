// partition and stable_partition over a communicator, and gimbal::rebalance.
#pragma once

#include <gimbal/distributed/exchange.h>
#include <gimbal/thrust/partition.h>

GIMBAL_NAMESPACE_BEGIN

/// Moves items between ranks so that each has as many as its output takes: the outputs of all ranks, one after another,
/// are the inputs of all ranks, one after another. The outputs' sizes must add up to the inputs', else every rank
/// throws. Returns out_last.
///
///   auto kept = thrust::copy_if(policy, x, x + n, y, pred);                  // as many as a rank's own items give
///   gimbal::rebalance(policy, y, kept, z, z + share);                        // as many as it wants
///
/// Input and output are random access iterators to values that are copied bytewise and do not overlap. It takes one
/// exchange, and no memory where both are contiguous. Waits.
template <class Local, class InputIt, class OutputIt>
OutputIt rebalance(
  const distributed_policy<Local>& policy, InputIt first, InputIt last, OutputIt out_first, OutputIt out_last)
{
  using value = adaptor::value_of<InputIt>;
  static_assert(
    ::cuda::std::is_same_v<value, adaptor::value_of<OutputIt>>, "rebalance moves items to outputs of the same type");
  adaptor::check_passed<adaptor::iterators<InputIt, OutputIt>, adaptor::values<value>>();
  const index_type n = adaptor::length(first, last);
  const index_type wanted = adaptor::length(out_first, out_last);
  adaptor::distributed_call<Local> call(const_cast<distributed_policy<Local>&>(policy), "rebalance", n, sizeof(value));
  adaptor::rank_array<Local, InputIt> items(call, first, n);
  adaptor::rank_array<Local, OutputIt> out(call, out_first, wanted);
  call.step([&] {
    items.load();
    out.allocate();
  });
  const std::vector<index_type> all = call.gather_numbers({n, wanted});
  const adaptor::rank_ranges from(adaptor::numbers_of_ranks(all, 2, 0));
  const adaptor::rank_ranges to(adaptor::numbers_of_ranks(all, 2, 1));
  if (from.end.back() != to.end.back()) {
    call.note(
      simt::failure(simt::error_invalid_value, "sizes of the outputs, which do not add up to those of the inputs,"));
    call.finish();
  }
  adaptor::exchange_ranges(call, items.get(), from, out.get(), to);
  call.step([&] { out.store(); });
  call.finish();
  return out_last;
}

namespace adaptor {

/// `partition_part(local)` partitions this rank's items stably and returns the end of those for which the predicate
/// holds.
template <class Local, class ForwardIt, class PartitionPart>
ForwardIt distributed_partition(
  distributed_policy<Local>& policy, const char* name, ForwardIt first, ForwardIt last, PartitionPart partition_part)
{
  using value = value_of<ForwardIt>;
  check_passed<iterators<ForwardIt>, values<value>>();
  const index_type n = adaptor::length(first, last);
  distributed_call<Local> call(policy, name, n, sizeof(value));
  rank_array<Local, ForwardIt> items(call, first, n);
  rank_buffer<Local, value> received(call);
  index_type selected = 0;
  call.step([&] {
    selected = partition_part(call.local()) - first;
    items.load();
    received.allocate(n);
  });
  const std::vector<index_type> all = call.gather_numbers({n, selected, n - selected});
  const rank_ranges to(adaptor::numbers_of_ranks(all, 3, 0));
  const rank_ranges accepted(adaptor::numbers_of_ranks(all, 3, 1));
  const index_type point = accepted.end.back();
  const rank_ranges rejected(adaptor::numbers_of_ranks(all, 3, 2), point);
  adaptor::exchange_ranges(call, items.get(), accepted, received.get(), to);
  adaptor::exchange_ranges(call, items.get() + selected, rejected, received.get(), to);
  call.step([&] { thrust::copy_n(call.local(), received.get(), n, first); });
  call.finish();
  return first + (std::min)((std::max)(point - to.begin[static_cast<std::size_t>(call.rank())], index_type{0}), n);
}

}  // namespace adaptor

// The whole sequence is partitioned stably, and each rank keeps its count. Each rank is returned the end of those of
// its items for which the predicate holds: its `last`, or its `first`, or on one rank a position between. It takes two
// exchanges and a buffer of a part's size.

template <class Local, class ForwardIt, class Predicate>
ForwardIt stable_partition(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  return adaptor::distributed_partition(policy, "stable_partition", first, last, [&](Local& local) {
    return thrust::stable_partition(local, first, last, pred);
  });
}

template <class Local, class ForwardIt, class StencilIt, class Predicate>
ForwardIt stable_partition(
  distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, StencilIt stencil, Predicate pred)
{
  return adaptor::distributed_partition(policy, "stable_partition", first, last, [&](Local& local) {
    return thrust::stable_partition(local, first, last, stencil, pred);
  });
}

template <class Local, class ForwardIt, class Predicate>
ForwardIt partition(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  return gimbal::stable_partition(policy, first, last, pred);
}

template <class Local, class ForwardIt, class StencilIt, class Predicate>
ForwardIt partition(
  distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, StencilIt stencil, Predicate pred)
{
  return gimbal::stable_partition(policy, first, last, stencil, pred);
}

GIMBAL_NAMESPACE_END
