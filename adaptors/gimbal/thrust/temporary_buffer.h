// Temporary storage from the allocator that the user gave to the policy; and for stock algorithms that a policy falls
// back to.
//
// Without the overloads below stock's own apply to those. They know stock's nosync policies by exact type and would use
// the synchronous cudaMalloc for ours, and with an allocator they take a null pointer for memory and let the process
// end where deallocate throws.
#pragma once

#include <gimbal/thrust/error.h>
#include <gimbal/thrust/policy_base.h>
#include <thrust/detail/execute_with_allocator.h>
#include <thrust/detail/pointer.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/pair.h>

#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

template <class Derived>
struct execute_on_stream_base;
template <class Derived>
struct execute_on_stream_nosync_base;

namespace adaptor {

/// Memory of a user's allocator, in its own units and pointers.
template <class Allocator>
class allocator_memory {
public:
  using pointer = decltype(::cuda::std::declval<Allocator&>().allocate(1));

  static constexpr const char* step = "allocation of temporary storage by the policy's allocator";

  /// What the allocator throws reaches the user as it is. If it returns null it has failed, too.
  static status allocate(Allocator& allocator, std::size_t bytes, pointer& memory)
  {
    memory = allocator.allocate(units(bytes));
    const bool has_failed = thrust::raw_pointer_cast(memory) == nullptr;
    return simt::failure(has_failed ? simt::error_memory_allocation : simt::success, step, bytes);
  }

  /// What deallocate throws is dropped: the call has done its work, or has an error of its own to report.
  static void deallocate(Allocator& allocator, std::size_t bytes, pointer memory) noexcept
  {
    try {
      allocator.deallocate(memory, units(bytes));
    } catch (...) {
    }
  }

private:
  static std::size_t units(std::size_t bytes)
  {
    constexpr std::size_t unit = sizeof(typename Allocator::value_type);
    return (bytes + unit - 1) / unit;
  }
};

template <class Derived>
using if_no_allocator = std::enable_if_t<!has_allocator_v<Derived>, int>;

[[noreturn]] inline void throw_no_buffer(status failed, std::ptrdiff_t n, std::size_t item_bytes)
{
  throw_failure(
    failed,
    "gimbal fallback with a buffer of " + std::to_string(n) + " elements of " + std::to_string(item_bytes) + " bytes");
}

template <class T, class Policy>
thrust::pair<T*, std::ptrdiff_t> buffer_from_allocator(Policy& policy, std::ptrdiff_t n)
{
  using memory_of = allocator_memory<::cuda::std::remove_reference_t<decltype(policy.get_allocator())>>;
  typename memory_of::pointer memory;
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
  if (const status failed = memory_of::allocate(policy.get_allocator(), bytes, memory)) {
    throw_no_buffer(failed, n, sizeof(T));
  }
  return {static_cast<T*>(static_cast<void*>(thrust::raw_pointer_cast(memory))), n};
}

template <class Policy, class Pointer>
void buffer_to_allocator(Policy& policy, Pointer memory, std::ptrdiff_t n)
{
  using memory_of = allocator_memory<::cuda::std::remove_reference_t<decltype(policy.get_allocator())>>;
  const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(*thrust::raw_pointer_cast(memory));
  memory_of::deallocate(
    policy.get_allocator(), bytes, thrust::reinterpret_pointer_cast<typename memory_of::pointer>(memory));
}

}  // namespace adaptor

template <class T, class Derived, adaptor::if_no_allocator<Derived> = 0>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(execution_policy<Derived>& policy, std::ptrdiff_t n)
{
  void* memory = nullptr;
  const status failed = simt::pool_allocate(
    memory, static_cast<std::size_t>(n) * sizeof(T), adaptor::stream_of(policy), "allocation of temporary storage");
  if (failed) {
    adaptor::throw_no_buffer(failed, n, sizeof(T));
  }
  return {static_cast<T*>(memory), n};
}

template <class Derived, class Pointer, adaptor::if_no_allocator<Derived> = 0>
void return_temporary_buffer(execution_policy<Derived>& policy, Pointer memory, std::ptrdiff_t)
{
  simt::pool_free(thrust::raw_pointer_cast(memory), adaptor::stream_of(policy));
}

// The overloads with an allocator; each is more specialised than Thrust's, which takes any base.
template <class T, class Allocator>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(
  thrust::detail::execute_with_allocator<Allocator, execute_on_stream_base>& policy, std::ptrdiff_t n)
{
  return adaptor::buffer_from_allocator<T>(policy, n);
}
template <class T, class Allocator>
thrust::pair<T*, std::ptrdiff_t> get_temporary_buffer(
  thrust::detail::execute_with_allocator<Allocator, execute_on_stream_nosync_base>& policy, std::ptrdiff_t n)
{
  return adaptor::buffer_from_allocator<T>(policy, n);
}

template <class Pointer, class Allocator>
void return_temporary_buffer(
  thrust::detail::execute_with_allocator<Allocator, execute_on_stream_base>& policy, Pointer memory, std::ptrdiff_t n)
{
  adaptor::buffer_to_allocator(policy, memory, n);
}
template <class Pointer, class Allocator>
void return_temporary_buffer(
  thrust::detail::execute_with_allocator<Allocator, execute_on_stream_nosync_base>& policy, Pointer memory,
  std::ptrdiff_t n)
{
  adaptor::buffer_to_allocator(policy, memory, n);
}

GIMBAL_NAMESPACE_END
