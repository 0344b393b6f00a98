// Which calls leave gimbal's kernels, decided at compile time, and how they reach stock Thrust. Nothing else falls
// back: sizes, alignments and contents never decide.
//
//   value type   a value the kernels would hold is not copyable bytewise, has a destructor that does something, or is
//                larger than simt::largest_value_bytes (simt::is_supported_value_v); minmax_element holds two values
//                with their indices
//   iterator     an iterator is not random access (std::list, back_inserter, ...; on CUDA stock refuses these itself)
//
// `fallback_rules` below is the same list for the test that enumerates it.
#pragma once

#include <gimbal/described_iterator.h>
#include <gimbal/thrust/policy_base.h>
#include <gimbal/thrust/route.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

enum class fallback_reason { none, value_type, iterator };

struct fallback_rule {
  fallback_reason reason;
  const char* when;
};

inline constexpr fallback_rule fallback_rules[] = {
  {fallback_reason::value_type, "a value the kernels hold is not bytewise copyable or larger than 128 bytes"},
  {fallback_reason::iterator, "an iterator is not random access"},
};

template <class... Iterators>
struct iterators {
};
template <class... Values>
struct values {
};

/// Why a call over these iterators, whose kernels hold these values, goes to stock.
template <class Iterators, class Values>
inline constexpr fallback_reason fallback_reason_v = fallback_reason::none;
template <class... Iterators, class... Values>
inline constexpr fallback_reason fallback_reason_v<iterators<Iterators...>, values<Values...>> =
  !(is_random_access_v<Iterators> && ... && true)        ? fallback_reason::iterator
  : !(simt::is_supported_value_v<Values> && ... && true) ? fallback_reason::value_type
                                                         : fallback_reason::none;

/// True if the kernels take the call.
template <class Iterators, class Values>
inline constexpr bool is_taken_v = fallback_reason_v<Iterators, Values> == fallback_reason::none;

// One function per routed algorithm that calls stock's implementation on the same policy object, so that stream and
// allocator stay. As a device_execution_policy the policy no longer matches gimbal's overloads, so there is no
// recursion.
namespace stock {

#define GIMBAL_STOCK(name)                                                                     \
  template <class Derived, class... Arguments>                                                 \
  auto name(execution_policy<Derived>& policy, const Arguments&... arguments)                  \
  {                                                                                            \
    route::fell_back();                                                                        \
    using thrust::system::detail::generic::name;                                               \
    return name(static_cast<thrust::device_execution_policy<Derived>&>(policy), arguments...); \
  }

#define GIMBAL_STOCK_NAMES(X)                                                                                       \
  X(reduce)                                                                                                         \
  X(min_element)                                                                                                    \
  X(max_element)                                                                                                    \
  X(minmax_element)                                                                                                 \
  X(any_of)                                                                                                         \
  X(find_if)                                                                                                        \
  X(mismatch) X(equal) X(reduce_by_key) X(inclusive_scan) X(exclusive_scan) X(inclusive_scan_by_key)                \
    X(exclusive_scan_by_key) X(stable_partition) X(stable_partition_copy) X(is_partitioned) X(copy_if) X(remove_if) \
      X(unique) X(unique_count) X(unique_copy) X(unique_by_key) X(unique_by_key_copy) X(stable_sort)                \
        X(stable_sort_by_key) X(is_sorted) X(is_sorted_until)

GIMBAL_STOCK_NAMES(GIMBAL_STOCK)
#if GIMBAL_HAS_REDUCE_INTO
GIMBAL_STOCK(reduce_into)
#endif

#undef GIMBAL_STOCK
#undef GIMBAL_STOCK_NAMES

}  // namespace stock

}  // namespace adaptor

GIMBAL_NAMESPACE_END
