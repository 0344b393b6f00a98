// Memory and waiting on the host executor: the functions of cuda/memory.h over the heap.
#pragma once

#include <gimbal/simt/device_life.h>
#include <gimbal/simt/host/launch.h>
#include <gimbal/simt/host/sanitizers.h>
#include <gimbal/simt/instrument.h>
#include <gimbal/simt/status.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

inline error_code check_stream(stream_type stream)
{
  return stream == invalid_stream() ? error_invalid_resource_handle : success;
}

inline status fill_bytes(void* memory, int value, std::size_t bytes, stream_type stream, const char* step)
{
  GIMBAL_TRY(instrument::begin(instrument::point::fill, step));
  const error_code code = check_stream(stream);
  if (code == success && bytes != 0) {
    std::memset(memory, value, bytes);
  }
  return failure(code, step);
}

inline status copy_bytes(void* target, const void* source, std::size_t bytes, stream_type stream, const char* step)
{
  const error_code code = check_stream(stream);
  if (code == success && bytes != 0) {
    std::memmove(target, source, bytes);
  }
  return failure(code, step);
}

inline status wait(stream_type stream, const char* step)
{
  GIMBAL_TRY(instrument::begin(instrument::point::wait, step));
  return failure(check_stream(stream), step);
}

inline status current_life(device_life&) { return {}; }

struct outside_capture {
  outside_capture() {}  // nothing is captured
};

inline status query_capture(stream_type stream, bool& is_capturing)
{
  is_capturing = stream == capturing_stream();
  return failure(check_stream(stream), "query whether the stream is being captured");
}

/// Every step is over when it returns, so all streams are one.
struct stream_identity {
  int device = 0;
  unsigned long long id = 0;
  bool is_lasting = false;
};
inline status identify(stream_type stream, stream_identity& identity)
{
  identity.is_lasting = get_executor_options().streams_last;
  return failure(check_stream(stream), "query of a stream's identity");
}

/// How many streams of this process work on the current device about now.
inline unsigned active_streams(stream_type, std::int64_t = 0) { return get_executor_options().active_streams; }

inline constexpr std::size_t static_words_count = std::size_t{7} << 15;  // as on the GPU
inline status static_words(std::uint64_t*& words)
{
  static auto* const memory = static_cast<std::uint64_t*>(std::memset(
    std::aligned_alloc(256, static_words_count * sizeof(std::uint64_t)), 0,
    static_words_count * sizeof(std::uint64_t)));
  words = memory;
  return {};
}

/// Bytes after an array of a layout that nobody may touch.
inline constexpr std::size_t guard_bytes = GIMBAL_ASAN ? 256 : 0;
/// An array of `bytes` bytes may be used, and `guard` bytes after it may not.
inline void guard(void* array, std::size_t bytes, std::size_t guard)
{
  simt::unpoison(array, bytes);
  simt::poison(static_cast<char*>(array) + bytes, guard);
}

/// What a block_cache needs of the driver, over the heap.
struct block_driver {
  using stream = stream_type;
  struct event {};

  /// The memory that the device has left: less for tests of what happens then. For more, sanitizers end the program.
  static std::atomic<std::size_t>& room()
  {
    static std::atomic<std::size_t> bytes{std::size_t{1} << 39};
    return bytes;
  }

  static error_code allocate(void*& memory, std::size_t bytes)
  {
    const error_code code = allocate_in_order(memory, bytes, nullptr);
    room() -= code == success ? bytes : 0;
    return code;
  }
  static void free(void* memory, std::size_t bytes)
  {
    room() += bytes;
    std::free(memory);
  }
  static error_code create(event&) { return success; }
  static void destroy(event) {}
  static error_code record(event, stream) { return success; }
  static bool has_happened(event) { return true; }
  static void wait_for_event(event) {}
  static void wait_for_stream(stream) {}
  static error_code wait_for_device() { return success; }
  static void guard(void* memory, std::size_t bytes, std::size_t guard) { simt::guard(memory, bytes, guard); }

  static error_code allocate_in_order(void*& memory, std::size_t bytes, stream)
  {
    constexpr std::size_t alignment = 256;  // as of the GPU's allocator
    const std::size_t whole = (bytes / alignment + 1) * alignment;
    memory = bytes <= room() ? std::aligned_alloc(alignment, whole) : nullptr;
    if (memory == nullptr) {
      return error_memory_allocation;
    }
    simt::guard(memory, bytes, whole - bytes);
    return success;
  }
  static void free_in_order(void* memory, stream) { std::free(memory); }
};

inline status pinned_allocate(void*& memory, std::size_t bytes, const char* step)
{
  memory = nullptr;
  GIMBAL_TRY(instrument::begin(instrument::point::pinned_allocate, step, bytes));
  memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return failure(memory == nullptr ? error_memory_allocation : success, step, bytes);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
