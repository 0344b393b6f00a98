// Stacks and switches between them (Boost.Context), annotated for the sanitizers. Nothing else names Boost.
#pragma once

#include <gimbal/simt/config.h>
#include <gimbal/simt/host/sanitizers.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>

#if GIMBAL_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__SANITIZE_THREAD__)
#error "gimbal: with -fsanitize=thread define GIMBAL_SEPARATE_EXECUTOR and compile the executor without it"
#endif

extern "C" {
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
__attribute__((weak)) void __tsan_acquire(void* address);
__attribute__((weak)) void __tsan_release(void* address);
}

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace executor {

// The executor is compiled without -fsanitize=thread, so only the linked program shows whether ThreadSanitizer is
// there.
#ifdef GIMBAL_SEPARATE_EXECUTOR
inline bool has_tsan() { return &__tsan_create_fiber != nullptr; }
#else
inline constexpr bool has_tsan() { return false; }
#endif

/// What the calling fiber did before a tsan_release of `tag` happens before what follows a tsan_acquire of it.
inline void tsan_release(char* tag)
{
  if (has_tsan()) {
    __tsan_release(tag);
  }
}
inline void tsan_acquire(char* tag)
{
  if (has_tsan()) {
    __tsan_acquire(tag);
  }
}

/// A suspended or running flow of control: the OS thread's own one, or a fiber with a stack.
class flow {
public:
  flow() = default;
  flow(const flow&) = delete;
  flow& operator=(const flow&) = delete;
  ~flow()
  {
    if (memory_ == nullptr) {
      return;
    }
    destroy_tsan_fiber();
    munmap(memory_, stack_bytes + guard_bytes);
  }

  /// Makes this a fiber that enters `body(argument)` when first switched to; also forgets what it was doing before.
  /// `color` spreads the stacks' hot ends over the cache sets. `body` must not return.
  void reset(void (*body)(void*), void* argument, unsigned color)
  {
    if (memory_ == nullptr) {
      memory_ = mmap(
        nullptr, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory_ == MAP_FAILED || mprotect(memory_, guard_bytes, PROT_NONE) != 0) {
        std::fprintf(stderr, "gimbal: no memory for the stacks of the host executor\n");
        std::abort();
      }
    }
    char* const bottom = static_cast<char*>(memory_) + guard_bytes;
    simt::unpoison(bottom, stack_bytes);
#if GIMBAL_ASAN
    stack_bottom_ = bottom;
    stack_size_ = stack_bytes;
    fake_stack_ = nullptr;
#endif
    destroy_tsan_fiber();
    if (has_tsan()) {
      tsan_fiber_ = __tsan_create_fiber(0);
    }
    body_ = body;
    argument_ = argument;
    const std::size_t shift = color % 64 * 192;
    context_ = boost::context::detail::make_fcontext(bottom + stack_bytes - shift, stack_bytes - shift, &enter);
  }

  /// tsan_release on behalf of this fiber, which is suspended for good.
  void release_for(char* tag)
  {
    if (!has_tsan()) {
      return;
    }
    void* const caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_fiber_, no_sync);
    __tsan_release(tag);
    __tsan_switch_to_fiber(caller, no_sync);
  }

  /// Continues in `next`; returns when control switches back to this flow.
  void switch_to(flow& next)
  {
    if (has_tsan()) {
      if (memory_ == nullptr) {
        tsan_fiber_ = __tsan_get_current_fiber();
      }  // this OS thread's own flow
      __tsan_switch_to_fiber(next.tsan_fiber_, no_sync);
    }
#if GIMBAL_ASAN
    __sanitizer_start_switch_fiber(&fake_stack_, next.stack_bottom_, next.stack_size_);
#endif
    passage way{this, &next};
    arrive(boost::context::detail::jump_fcontext(next.context_, &way));
  }

private:
  static constexpr std::size_t stack_bytes = (GIMBAL_ASAN ? 256 : 128) * 1024;
  static constexpr unsigned no_sync = 1;  // of __tsan_switch_to_fiber: switching orders nothing
  static constexpr std::size_t guard_bytes = 4096;

  struct passage {
    flow* from;
    flow* to;
  };

  // First thing after every switch: keep where the other flow stopped.
  static flow& arrive(boost::context::detail::transfer_t transfer)
  {
    const passage way = *static_cast<passage*>(transfer.data);
    way.from->context_ = transfer.fctx;
#if GIMBAL_ASAN
    __sanitizer_finish_switch_fiber(way.to->fake_stack_, &way.from->stack_bottom_, &way.from->stack_size_);
#endif
    return *way.to;
  }

  static void enter(boost::context::detail::transfer_t transfer)
  {
    flow& self = arrive(transfer);
    self.body_(self.argument_);
  }

  void destroy_tsan_fiber()
  {
    if (has_tsan() && tsan_fiber_ != nullptr) {
      __tsan_destroy_fiber(tsan_fiber_);
    }
  }

  boost::context::detail::fcontext_t context_ = nullptr;
  void* tsan_fiber_ = nullptr;
  void* memory_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
#if GIMBAL_ASAN
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  void* fake_stack_ = nullptr;
#endif
};

}  // namespace executor
}  // namespace simt

GIMBAL_NAMESPACE_END
