// The base class of gimbal's execution policies, and what the routed calls query of a policy: its stream, whether to
// wait, and whether it carries the user's allocator.
#pragma once

#include <thrust/detail/execute_with_allocator_fwd.h>
#include <thrust/execution_policy.h>

#include <gimbal/simt/simt.cuh>
#include <type_traits>

#if GIMBAL_GPU
#include <thrust/system/cuda/detail/util.h>
#endif

GIMBAL_NAMESPACE_BEGIN

/// Base class of every policy whose routed algorithms run on gimbal's kernels. Derive your own policy from it (CRTP) as
/// you would from `thrust::device_execution_policy`, of which it is one: whatever is not routed runs on stock Thrust.
template <class Derived>
struct execution_policy : thrust::device_execution_policy<Derived> {
};

namespace adaptor {

/// Returns the stream of a policy that names none.
inline _CCCL_HOST_DEVICE simt::stream_type default_stream()
{
#if GIMBAL_GPU
  return thrust::cuda_cub::default_stream();
#else
  return simt::stream_type{};
#endif
}

}  // namespace adaptor

#if !GIMBAL_GPU
// The hooks that Thrust's CUDA system calls; its host systems have no streams, so the defaults are here.
template <class Derived>
simt::stream_type get_stream(execution_policy<Derived>&)
{
  return adaptor::default_stream();
}
template <class Derived>
bool must_perform_optional_stream_synchronization(execution_policy<Derived>&)
{
  return true;
}
#endif

namespace adaptor {

/// The stream that a policy names; the default stream (legacy or per-thread, as compiled) if it names none.
template <class Derived>
simt::stream_type stream_of(execution_policy<Derived>& policy)
{
#if GIMBAL_GPU
  return thrust::cuda_cub::stream(policy);
#else
  return get_stream(thrust::detail::derived_cast(policy));
#endif
}

/// False for the nosync policies: a call that returns nothing need not wait for its kernels.
template <class Derived>
bool waits(execution_policy<Derived>& policy)
{
#if GIMBAL_GPU
  return thrust::cuda_cub::must_perform_optional_synchronization(policy);
#else
  return must_perform_optional_stream_synchronization(thrust::detail::derived_cast(policy));
#endif
}

template <class Allocator, template <class> class Base>
std::true_type find_allocator(const volatile thrust::detail::execute_with_allocator<Allocator, Base>*);
std::false_type find_allocator(const volatile void*);

/// True for policies made with `par(allocator)`: temporary storage comes from that allocator.
template <class Derived>
inline constexpr bool has_allocator_v = decltype(adaptor::find_allocator(static_cast<Derived*>(nullptr)))::value;

}  // namespace adaptor

GIMBAL_NAMESPACE_END
