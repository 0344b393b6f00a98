// gimbal::par and gimbal::par_nosync: Thrust's execution policies, running on gimbal's kernels.
//
//   thrust::sort(thrust::device, first, last);    // stock
//   thrust::sort(gimbal::par, first, last);       // the same call on gimbal
//
// Eight forms, each as the stock policy of the same name and form behaves:
//
//   par, par.on(stream), par(allocator), par(allocator).on(stream)
//   par_nosync, par_nosync.on(stream), par_nosync(allocator), par_nosync(allocator).on(stream)
//
// Stream: work is enqueued on `stream`, else on the default stream (per-thread with --default-stream per-thread). `par`
// returns when the work is done; `par_nosync` may return before, except from calls that return a value computed by a
// kernel. Temporary storage comes from `allocator`, else from a pool that each device retains (memory.h); it is
// returned in stream order, so an allocator given to par_nosync must itself be stream-ordered. Routed algorithms run on
// gimbal's kernels for the value types and iterators listed in gimbal/thrust/fallback.h; these and every algorithm that
// is not routed run on stock Thrust otherwise, on the same stream and with the same allocator. Called from device code,
// every algorithm runs sequentially in the calling thread, as with stock.
//
// Errors: thrust::system_error names the call, the step, the element count, the value size and the CUDA error. If
// memory ran out, or the allocator returned null, an exception derived from std::bad_alloc gives the same and the
// number of bytes requested; before that the pool has given back to the driver what it does not use, and tried again.
// What the allocator throws from allocate is passed on as it is; what it throws from deallocate is dropped. Stock's own
// exceptions come from calls that fell back. After a failure nothing is leaked and the next call works.
//
// Streams that are being captured into a graph: a call that would have to wait throws
// (cudaErrorStreamCaptureUnsupported) before it does anything, and the capture goes on: every call under `par`, and
// under `par_nosync` those that return a value computed by a kernel. The others are recorded, with nodes that allocate
// and free their storage, and may be replayed; an allocator given to par_nosync must then take its memory from the
// stream that is captured, as cudaMallocAsync does, or keep it as long as the graph.
#pragma once

#include <gimbal/thrust/policy_base.h>
#include <gimbal/thrust/temporary_buffer.h>
#include <thrust/detail/allocator_aware_execution_policy.h>

GIMBAL_NAMESPACE_BEGIN

class communicator;
template <class Local>
class distributed_policy;

/// A policy on a stream; `Derived` is the complete policy type.
template <class Derived>
struct execute_on_stream_base : execution_policy<Derived> {
  _CCCL_HOST_DEVICE execute_on_stream_base(simt::stream_type stream = adaptor::default_stream()) : stream_(stream) {}

  /// The same policy on `stream`.
  _CCCL_HOST_DEVICE Derived on(simt::stream_type stream) const
  {
    Derived result = thrust::detail::derived_cast(*this);
    result.stream_ = stream;
    return result;
  }

private:
  simt::stream_type stream_;

  friend _CCCL_HOST_DEVICE simt::stream_type get_stream(const execute_on_stream_base& policy) { return policy.stream_; }
};

/// The same, without waiting where nothing is returned.
template <class Derived>
struct execute_on_stream_nosync_base : execution_policy<Derived> {
  _CCCL_HOST_DEVICE execute_on_stream_nosync_base(simt::stream_type stream = adaptor::default_stream())
      : stream_(stream)
  {
  }

  /// The same policy on `stream`.
  _CCCL_HOST_DEVICE Derived on(simt::stream_type stream) const
  {
    Derived result = thrust::detail::derived_cast(*this);
    result.stream_ = stream;
    return result;
  }

private:
  simt::stream_type stream_;

  friend _CCCL_HOST_DEVICE simt::stream_type get_stream(const execute_on_stream_nosync_base& policy)
  {
    return policy.stream_;
  }
  friend _CCCL_HOST_DEVICE bool must_perform_optional_stream_synchronization(const execute_on_stream_nosync_base&)
  {
    return false;
  }
};

struct execute_on_stream : execute_on_stream_base<execute_on_stream> {
  using execute_on_stream_base::execute_on_stream_base;
};

struct execute_on_stream_nosync : execute_on_stream_nosync_base<execute_on_stream_nosync> {
  using execute_on_stream_nosync_base::execute_on_stream_nosync_base;
};

/// Type of gimbal::par.
struct par_policy : execution_policy<par_policy>,
                    thrust::detail::allocator_aware_execution_policy<execute_on_stream_base> {
  _CCCL_HOST_DEVICE constexpr par_policy() {}

  _CCCL_HOST_DEVICE execute_on_stream on(simt::stream_type stream) const { return execute_on_stream(stream); }

  /// A policy over all ranks of a group, of which this is one: communicator.h.
  distributed_policy<execute_on_stream_nosync> over(communicator& ranks) const;
};

/// Type of gimbal::par_nosync.
struct par_nosync_policy : execution_policy<par_nosync_policy>,
                           thrust::detail::allocator_aware_execution_policy<execute_on_stream_nosync_base> {
  _CCCL_HOST_DEVICE constexpr par_nosync_policy() {}

  _CCCL_HOST_DEVICE execute_on_stream_nosync on(simt::stream_type stream) const
  {
    return execute_on_stream_nosync(stream);
  }

private:
  friend _CCCL_HOST_DEVICE bool must_perform_optional_stream_synchronization(const par_nosync_policy&) { return false; }
};

/// Runs on gimbal's kernels and waits for them.
_CCCL_GLOBAL_CONSTANT par_policy par;

/// Runs on gimbal's kernels; waits only where a result is returned.
_CCCL_GLOBAL_CONSTANT par_nosync_policy par_nosync;

GIMBAL_NAMESPACE_END

#include <gimbal/thrust/routes.h>
