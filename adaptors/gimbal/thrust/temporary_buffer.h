// Temporary storage for stock algorithms that a gimbal policy falls back to: it comes from the retained pool in stream
// order, as for the routed ones. Without these overloads stock's own apply, which know stock's nosync policies by exact
// type and would use the synchronous cudaMalloc for ours. Policies with a user allocator keep Thrust's overloads.
#pragma once

#include <gimbal/thrust/error.h>
#include <gimbal/thrust/policy_base.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/pair.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Derived>
using if_no_allocator = std::enable_if_t<!has_allocator_v<Derived>, int>;

}  // namespace adaptor

template <class T, class Derived, adaptor::if_no_allocator<Derived> = 0>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(execution_policy<Derived>& policy, std::ptrdiff_t n)
{
  void* memory = nullptr;
  const status failed = simt::pool_allocate(
    memory, static_cast<std::size_t>(n) * sizeof(T), adaptor::stream_of(policy), "allocation of temporary storage");
  if (failed) {
    adaptor::throw_failure(
      failed,
      "gimbal fallback with a buffer of " + std::to_string(n) + " elements of " + std::to_string(sizeof(T)) + " bytes");
  }
  return {static_cast<T*>(memory), n};
}

template <class Derived, class Pointer, adaptor::if_no_allocator<Derived> = 0>
void return_temporary_buffer(execution_policy<Derived>& policy, Pointer memory, std::ptrdiff_t)
{
  simt::pool_free(thrust::raw_pointer_cast(memory), adaptor::stream_of(policy));
}

GIMBAL_NAMESPACE_END
