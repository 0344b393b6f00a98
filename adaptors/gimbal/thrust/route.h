// The list of Thrust signatures that gimbal takes over, and the one macro every overload is written with.
//
// Small arities do not reach the widest one by themselves: Thrust's CUDA backend calls itself by qualified name, so an
// arity without an overload silently runs on stock. Each signature therefore has its own overload and its own counter
// here, and the routing test fails on any counter that stays at zero.
#pragma once

#include <gimbal/simt/config.h>

#ifdef GIMBAL_INSTRUMENT
#include <atomic>
#endif

// name, signature as it is called after the policy
#define GIMBAL_SIGNATURES_REDUCE(X)                                                        \
  X(reduce, "first, last")                                                                 \
  X(reduce_init, "first, last, init")                                                      \
  X(reduce_init_op, "first, last, init, op")                                               \
  X(transform_reduce, "first, last, unary_op, init, op")                                   \
  X(inner_product, "first1, last1, first2, init")                                          \
  X(inner_product_ops, "first1, last1, first2, init, op1, op2")                            \
  X(count, "first, last, value")                                                           \
  X(count_if, "first, last, pred")                                                         \
  X(min_element, "first, last")                                                            \
  X(min_element_comp, "first, last, comp")                                                 \
  X(max_element, "first, last")                                                            \
  X(max_element_comp, "first, last, comp")                                                 \
  X(minmax_element, "first, last")                                                         \
  X(minmax_element_comp, "first, last, comp")                                              \
  X(all_of, "first, last, pred")                                                           \
  X(any_of, "first, last, pred")                                                           \
  X(none_of, "first, last, pred")                                                          \
  X(find, "first, last, value")                                                            \
  X(find_if, "first, last, pred")                                                          \
  X(find_if_not, "first, last, pred")                                                      \
  X(mismatch, "first1, last1, first2")                                                     \
  X(mismatch_pred, "first1, last1, first2, pred")                                          \
  X(equal, "first1, last1, first2")                                                        \
  X(equal_pred, "first1, last1, first2, pred")                                             \
  X(reduce_by_key, "keys_first, keys_last, values_first, keys_out, values_out")            \
  X(reduce_by_key_pred, "keys_first, keys_last, values_first, keys_out, values_out, pred") \
  X(reduce_by_key_pred_op, "keys_first, keys_last, values_first, keys_out, values_out, pred, op")

#define GIMBAL_SIGNATURES_SCAN(X)                                                                   \
  X(inclusive_scan, "first, last, out")                                                             \
  X(inclusive_scan_op, "first, last, out, op")                                                      \
  X(inclusive_scan_init_op, "first, last, out, init, op")                                           \
  X(exclusive_scan, "first, last, out")                                                             \
  X(exclusive_scan_init, "first, last, out, init")                                                  \
  X(exclusive_scan_init_op, "first, last, out, init, op")                                           \
  X(inclusive_scan_by_key, "keys_first, keys_last, values_first, out")                              \
  X(inclusive_scan_by_key_pred, "keys_first, keys_last, values_first, out, pred")                   \
  X(inclusive_scan_by_key_pred_op, "keys_first, keys_last, values_first, out, pred, op")            \
  X(exclusive_scan_by_key, "keys_first, keys_last, values_first, out")                              \
  X(exclusive_scan_by_key_init, "keys_first, keys_last, values_first, out, init")                   \
  X(exclusive_scan_by_key_init_pred, "keys_first, keys_last, values_first, out, init, pred")        \
  X(exclusive_scan_by_key_init_pred_op, "keys_first, keys_last, values_first, out, init, pred, op") \
  X(transform_inclusive_scan, "first, last, out, unary_op, op")                                     \
  X(transform_inclusive_scan_init, "first, last, out, unary_op, init, op")                          \
  X(transform_exclusive_scan, "first, last, out, unary_op, init, op")

#define GIMBAL_SIGNATURES_PARTITION(X)                                                \
  X(partition, "first, last, pred")                                                   \
  X(partition_stencil, "first, last, stencil, pred")                                  \
  X(stable_partition, "first, last, pred")                                            \
  X(stable_partition_stencil, "first, last, stencil, pred")                           \
  X(partition_copy, "first, last, out_true, out_false, pred")                         \
  X(partition_copy_stencil, "first, last, stencil, out_true, out_false, pred")        \
  X(stable_partition_copy, "first, last, out_true, out_false, pred")                  \
  X(stable_partition_copy_stencil, "first, last, stencil, out_true, out_false, pred") \
  X(is_partitioned, "first, last, pred")                                              \
  X(partition_point, "first, last, pred")                                             \
  X(copy_if, "first, last, out, pred")                                                \
  X(copy_if_stencil, "first, last, stencil, out, pred")                               \
  X(remove, "first, last, value")                                                     \
  X(remove_if, "first, last, pred")                                                   \
  X(remove_if_stencil, "first, last, stencil, pred")                                  \
  X(remove_copy, "first, last, out, value")                                           \
  X(remove_copy_if, "first, last, out, pred")                                         \
  X(remove_copy_if_stencil, "first, last, stencil, out, pred")                        \
  X(unique, "first, last")                                                            \
  X(unique_pred, "first, last, pred")                                                 \
  X(unique_count, "first, last")                                                      \
  X(unique_count_pred, "first, last, pred")                                           \
  X(unique_copy, "first, last, out")                                                  \
  X(unique_copy_pred, "first, last, out, pred")                                       \
  X(unique_by_key, "keys_first, keys_last, values_first")                             \
  X(unique_by_key_pred, "keys_first, keys_last, values_first, pred")                  \
  X(unique_by_key_copy, "keys_first, keys_last, values_first, keys_out, values_out")  \
  X(unique_by_key_copy_pred, "keys_first, keys_last, values_first, keys_out, values_out, pred")

#define GIMBAL_SIGNATURES_SORT(X)                                         \
  X(sort, "first, last")                                                  \
  X(sort_comp, "first, last, comp")                                       \
  X(stable_sort, "first, last")                                           \
  X(stable_sort_comp, "first, last, comp")                                \
  X(sort_by_key, "keys_first, keys_last, values_first")                   \
  X(sort_by_key_comp, "keys_first, keys_last, values_first, comp")        \
  X(stable_sort_by_key, "keys_first, keys_last, values_first")            \
  X(stable_sort_by_key_comp, "keys_first, keys_last, values_first, comp") \
  X(is_sorted_until, "first, last")                                       \
  X(is_sorted_until_comp, "first, last, comp")                            \
  X(is_sorted, "first, last")                                             \
  X(is_sorted_comp, "first, last, comp")

// Thrust has reduce_into from 3.1 on.
#define GIMBAL_HAS_REDUCE_INTO (CCCL_VERSION >= 3001000)
#if GIMBAL_HAS_REDUCE_INTO
#define GIMBAL_SIGNATURES_REDUCE_INTO(X)        \
  X(reduce_into, "first, last, out")            \
  X(reduce_into_init, "first, last, out, init") \
  X(reduce_into_init_op, "first, last, out, init, op")
#else
#define GIMBAL_SIGNATURES_REDUCE_INTO(X)
#endif

// Thrust's mismatch takes the end of the second range, too, from 3.4 on. Before, a call of as many arguments gives a
// predicate.
#define GIMBAL_HAS_MISMATCH_OF_RANGES (CCCL_VERSION >= 3004000)
#if GIMBAL_HAS_MISMATCH_OF_RANGES
#define GIMBAL_SIGNATURES_MISMATCH_OF_RANGES(X)         \
  X(mismatch_of_ranges, "first1, last1, first2, last2") \
  X(mismatch_of_ranges_pred, "first1, last1, first2, last2, pred")
#else
#define GIMBAL_SIGNATURES_MISMATCH_OF_RANGES(X)
#endif

#define GIMBAL_SIGNATURES(X)              \
  GIMBAL_SIGNATURES_REDUCE(X)             \
  GIMBAL_SIGNATURES_REDUCE_INTO(X)        \
  GIMBAL_SIGNATURES_MISMATCH_OF_RANGES(X) \
  GIMBAL_SIGNATURES_SCAN(X)               \
  GIMBAL_SIGNATURES_PARTITION(X)          \
  GIMBAL_SIGNATURES_SORT(X)

GIMBAL_NAMESPACE_BEGIN

namespace route {

#define GIMBAL_ENUMERATOR(name, arguments) name,
enum class signature { GIMBAL_SIGNATURES(GIMBAL_ENUMERATOR) count_ };
#undef GIMBAL_ENUMERATOR

inline constexpr int signature_count = static_cast<int>(signature::count_);

struct signature_text {
  const char* name;
  const char* arguments;
};

/// Every routed signature, in the order of the enumeration.
#define GIMBAL_TEXT(name, arguments) {#name, arguments},
inline constexpr signature_text signatures[] = {GIMBAL_SIGNATURES(GIMBAL_TEXT)};
#undef GIMBAL_TEXT

#ifdef GIMBAL_INSTRUMENT

struct counters {
  std::atomic<long> hits[signature_count] = {};
  std::atomic<long> fallbacks = {};
};

inline counters& current()
{
  static counters instance;
  return instance;
}

inline void hit(signature s) { ++current().hits[static_cast<int>(s)]; }
inline long hits(signature s) { return current().hits[static_cast<int>(s)]; }

/// A routed call whose types the kernels cannot take went to stock (fallback.h).
inline void fell_back() { ++current().fallbacks; }
inline long fallbacks() { return current().fallbacks; }

#else

inline constexpr void fell_back() {}

#endif

}  // namespace route

GIMBAL_NAMESPACE_END

// The body of a routed overload: on the host return `on_host`, after counting signature `id` in tests, in device code
// return `on_device` (the sequential algorithm, as stock does). Overloads must be callable from both: a host-only one
// would compile to nothing inside a kernel.
#ifdef __CUDA_ARCH__
// nvcc emits a kernel only if the device pass sees its launch too, so the host path is instantiated there, never run.
#define GIMBAL_ROUTE(id, on_host, on_device) \
  if (false) {                               \
    return on_host;                          \
  }                                          \
  return on_device
#elif defined GIMBAL_INSTRUMENT
#define GIMBAL_ROUTE(id, on_host, on_device) \
  route::hit(route::signature::id);          \
  return on_host
#else
#define GIMBAL_ROUTE(id, on_host, on_device) return on_host
#endif
