// A shared library with gimbal inside. MARK represents all that a version or an architecture changes: versions.cu
// checks whose code runs.
#include <gimbal/memory.h>

GIMBAL_NAMESPACE_BEGIN

struct mark_kernel {
  static constexpr unsigned block_threads = 32;
  struct shared {};
  int* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    if (ctx.thread() == 0) {
      *out = MARK;
    }
  }
};

inline int mark() { return MARK; }

inline int mark_by_kernel()
{
  int result = -1;
  void* memory = nullptr;
  if (simt::pool_allocate(memory, sizeof(int), {}, "memory for a mark")) {
    return -1;
  }
  const bool failed = simt::launch(mark_kernel{static_cast<int*>(memory)}, 1, {}, "mark")
                      || simt::copy_bytes(&result, memory, sizeof(int), {}, "copy of a mark")
                      || simt::wait({}, "wait for a mark");
  simt::pool_free(memory, {});
  return failed ? -1 : result;
}

GIMBAL_NAMESPACE_END

extern "C" {

int library_mark() { return gimbal::mark(); }
int library_mark_by_kernel() { return gimbal::mark_by_kernel(); }
std::size_t library_memory_held() { return gimbal::memory_held().held; }

void* library_allocate(std::size_t bytes)
{
  void* memory = nullptr;
  return gimbal::simt::pool_allocate(memory, bytes, {}, "memory of a library") ? nullptr : memory;
}
void library_free(void* memory) { gimbal::simt::pool_free(memory, {}); }
}
