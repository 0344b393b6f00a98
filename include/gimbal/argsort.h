// Argsort under a policy: where each key of the sorted sequence is now, without moving a key. With Thrust this takes a
// sequence of positions and a sort by key, and a copy of the keys where they are still needed.
//
//   argsort(policy, keys_first, keys_last, indices_first)
//   argsort(policy, keys_first, keys_last, indices_first, comp)
//
//   thrust::device_vector<int> order(prices.size());
//   gimbal::argsort(gimbal::par, prices.begin(), prices.end(), order.begin());  // prices[order[0]] is the least
#pragma once

#include <gimbal/policy.h>
#include <gimbal/thrust/call.h>
#include <gimbal/thrust/iterators.h>
#include <gimbal/thrust/sort.h>

#include <cuda/std/functional>
#include <cuda/std/limits>
#include <gimbal/algorithm/argsort/argsort.cuh>

GIMBAL_NAMESPACE_BEGIN

/// Writes to the sequence at `indices_first` the positions of the keys [keys_first, keys_last) in the order of `comp`
/// (default: less than): keys_first[indices_first[k]] is the k-th. Equal keys keep their order: their positions ascend.
///
/// Arithmetic keys (with __half and __nv_bfloat16) under less or greater are radix sorted: NaN and -0.0 go where
/// thrust::sort puts them. All other keys and orders are merge sorted; `comp` is a strict weak ordering that is known
/// on the device. Keys are copied bytewise and have at most 128 bytes, otherwise the call does not compile; they come
/// from any random access iterator and stay as they are. Indices are of the integers that `indices_first` holds, a type
/// that holds the last position, in memory that does not overlap the keys'; other outputs convert an index_type. Counts
/// are 64-bit; without keys nothing is done.
///
/// Runs on the policy's stream; `par` waits for the end, `par_nosync` does not. Temporary storage, from the retained
/// pool or the policy's allocator: two copies of the keys and one of the indices, besides some bytes per tile. The
/// first pass generates the positions. The result is a function of the input.
///
/// Throws thrust::system_error naming this call, for a type of index that is too small as well (invalid value), or an
/// exception derived from std::bad_alloc. To be called from host code. Source: algorithm/argsort/argsort.cuh.
template <class Derived, class KeyIt, class IndexIt, class Compare>
void argsort(
  const execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, IndexIt indices_first, Compare comp)
{
  using key = adaptor::value_of<KeyIt>;
  using held = adaptor::held_value<IndexIt>;
  using index = ::cuda::std::conditional_t<adaptor::is_count_v<held>, held, index_type>;
  static_assert(
    adaptor::is_random_access_v<KeyIt> && adaptor::is_random_access_v<IndexIt>,
    "argsort takes random access iterators");
  static_assert(
    simt::is_supported_value_v<key>, "argsort takes keys that are copied bytewise and have at most 128 bytes");
  constexpr bool is_less = adaptor::is_comparison_v<::cuda::std::less, Compare, key>;
  constexpr bool is_greater = adaptor::is_comparison_v<::cuda::std::greater, Compare, key>;

  const index_type n = adaptor::length(keys_first, keys_last);
  adaptor::call<Derived> step(const_cast<execution_policy<Derived>&>(policy), "argsort", n, sizeof(key));
  if (
    n > 0
    && static_cast<std::uint64_t>(n - 1) > static_cast<std::uint64_t>((::cuda::std::numeric_limits<index>::max)())) {
    step.throw_if(simt::failure(simt::error_invalid_value, "positions in the type of the indices"));
  }
  const auto keys = adaptor::unwrap(keys_first);
  const auto indices = adaptor::unwrap(indices_first);
  const auto run = [&](auto order) {
    step.report(algorithm::argsort<index>(step.storage(), step.bytes(), order, keys, indices, n, step.stream()));
  };
  while (n > 0 && step.next()) {
    if constexpr (block::is_radix_key_v<key> && is_less) {
      run(algorithm::ascending{});
    } else if constexpr (block::is_radix_key_v<key> && is_greater) {
      run(algorithm::descending{});
    } else {
      run(comp);
    }
  }
  step.finish();
}

/// The same in ascending order.
template <class Derived, class KeyIt, class IndexIt>
void argsort(const execution_policy<Derived>& policy, KeyIt keys_first, KeyIt keys_last, IndexIt indices_first)
{
  gimbal::argsort(policy, keys_first, keys_last, indices_first, ::cuda::std::less<adaptor::value_of<KeyIt>>{});
}

GIMBAL_NAMESPACE_END
