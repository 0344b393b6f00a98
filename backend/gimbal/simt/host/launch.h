// Launching a kernel struct on the host executor. A launch returns when the kernel has run.
#pragma once

#include <gimbal/simt/host/context.h>
#include <gimbal/simt/instrument.h>
#include <gimbal/simt/status.h>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Streams order nothing here, as every step is synchronous; the handle exists so that callers need no second code
/// path.
struct host_stream {};
using stream_type = host_stream*;

/// A handle that every step refuses, for tests of what a policy with a bad stream does.
inline stream_type invalid_stream()
{
  static host_stream stream;
  return &stream;
}

/// A handle that counts as being captured, for tests of what calls refuse then. What is enqueued runs at once.
inline stream_type capturing_stream()
{
  static host_stream stream;
  return &stream;
}

/// How many blocks of the kernel would run at the same time if nothing else did; 0 if it cannot run there.
template <class Kernel>
status expected_blocks(unsigned& blocks)
{
  blocks = executor::expected_blocks(Kernel::block_threads);
  return {};
}

namespace executor {

template <class Kernel>
void invoke(const void* kernel, thread_record& self, void* shared)
{
  host_context<Kernel::block_threads> ctx(self);
  (*static_cast<const Kernel*>(kernel))(ctx, *static_cast<typename Kernel::shared*>(shared));
}

template <class Kernel>
const char* type_text()
{
  return __PRETTY_FUNCTION__;
}

}  // namespace executor

template <start Start = start::any, class Kernel>
status launch(const Kernel& kernel, index_type blocks, stream_type stream, const char* step)
{
  using shared = typename Kernel::shared;
  static_assert(sizeof(shared) <= largest_shared_bytes, "the kernel's shared memory exceeds what a block can have");
  static_assert(Kernel::block_threads >= 1 && Kernel::block_threads <= 1024, "a block has 1 to 1024 threads");
  if (blocks <= 0 || blocks > 0x7fffffff) {
    return failure(error_invalid_configuration, step);
  }
  if (stream == invalid_stream()) {
    return failure(error_invalid_resource_handle, step);
  }
  GIMBAL_TRY(instrument::begin(instrument::point::launch, step));
  const executor::kernel_call call{
    &kernel,        &executor::invoke<Kernel>, static_cast<unsigned>(blocks), Kernel::block_threads,
    sizeof(shared), alignof(shared),           Start == start::in_order,      executor::type_text<Kernel>()};
  return failure(executor::run(call), step);
}

}  // namespace simt

GIMBAL_NAMESPACE_END

#ifndef GIMBAL_SEPARATE_EXECUTOR
#include <gimbal/simt/host/executor_impl.h>
#endif
