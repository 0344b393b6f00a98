// Memory and waiting on the host executor: the functions of cuda/memory.h over the heap.
#pragma once

#include <gimbal/simt/device_life.h>
#include <gimbal/simt/host/launch.h>
#include <gimbal/simt/instrument.h>
#include <gimbal/simt/status.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

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

inline status wait_for_device(const char*) { return {}; }

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
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::size_t guard_bytes = 256;
#else
inline constexpr std::size_t guard_bytes = 0;
#endif
/// An array of `bytes` bytes may be used, and `guard` bytes after it may not.
inline void guard(void* array, std::size_t bytes, std::size_t guard)
{
  ASAN_UNPOISON_MEMORY_REGION(array, bytes);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(array) + bytes, guard);
}

/// Blocks by size, kept when freed. Bytes beyond the request are poisoned for AddressSanitizer.
class host_pool {
public:
  static host_pool& instance()
  {
    static host_pool* const pool = new host_pool;  // never destroyed: static objects may still free into it
    return *pool;
  }

  void* allocate(std::size_t bytes)
  {
    if (bytes > largest_block) {
      return nullptr;
    }
    const std::size_t size = (bytes + granule - 1) / granule * granule + (bytes == 0 ? granule : 0);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<void*>& free = free_[size];
    void* memory = nullptr;
    if (!free.empty()) {
      memory = free.back();
      free.pop_back();
    } else {
      memory = reserve(size);
      if (memory == nullptr) {
        trim(0);
        memory = reserve(size);
      }
      if (memory == nullptr) {
        return nullptr;
      }
    }
    used_ += size;
    sizes_[memory] = size;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    ASAN_POISON_MEMORY_REGION(static_cast<char*>(memory) + bytes, size - bytes);
    return memory;
  }

  void free(void* memory)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = sizes_.find(memory);
    if (found == sizes_.end()) {
      return;
    }
    used_ -= found->second;
    ASAN_POISON_MEMORY_REGION(memory, found->second);
    free_[found->second].push_back(memory);
    sizes_.erase(found);
    trim(limit_);
  }

  void usage(std::size_t& reserved, std::size_t& used)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reserved = reserved_;
    used = used_;
  }

  void release()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    trim(0);
  }

  /// Holds no more than so many bytes, those in use counted, unless more are in use. Returns the limit there was.
  std::size_t limit(std::size_t bytes)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t before = limit_;
    limit_ = bytes;
    trim(limit_);
    return before;
  }

  /// The memory that the device has, for tests of what happens when none is left.
  void set_capacity(std::size_t bytes)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    capacity_ = bytes;
  }

private:
  void* reserve(std::size_t size)
  {
    void* const memory =
      size <= capacity_ && reserved_ <= capacity_ - size ? std::aligned_alloc(granule, size) : nullptr;
    reserved_ += memory == nullptr ? 0 : size;
    return memory;
  }

  /// Gives free blocks back until no more than `keep` bytes are reserved, or all others are in use.
  void trim(std::size_t keep)
  {
    for (auto& [size, blocks] : free_) {
      while (!blocks.empty() && reserved_ > keep) {
        ASAN_UNPOISON_MEMORY_REGION(blocks.back(), size);
        std::free(blocks.back());
        blocks.pop_back();
        reserved_ -= size;
      }
    }
  }

  static constexpr std::size_t largest_block = std::size_t{1} << 39;  // for more, sanitizers end the program
  static constexpr std::size_t granule = 256;                         // alignment of a block, as of the GPU's allocator

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
  std::unordered_map<void*, std::size_t> sizes_;  // of the blocks in use
  std::size_t reserved_ = 0;
  std::size_t used_ = 0;
  std::size_t limit_ = ~std::size_t{0};
  std::size_t capacity_ = ~std::size_t{0};
};

inline status pool_allocate(void*& memory, std::size_t bytes, stream_type stream, const char* step)
{
  memory = nullptr;
  GIMBAL_TRY(instrument::begin(instrument::point::allocate, step, bytes));
  if (const error_code code = check_stream(stream)) {
    return failure(code, step);
  }
  memory = host_pool::instance().allocate(bytes);
  return failure(memory == nullptr ? error_memory_allocation : success, step, bytes);
}

inline void pool_free(void* memory, stream_type, bool = false) noexcept
{
  if (memory != nullptr) {
    host_pool::instance().free(memory);
  }
}

inline status pool_usage(std::size_t& reserved, std::size_t& used)
{
  host_pool::instance().usage(reserved, used);
  return {};
}

inline status pool_release()
{
  host_pool::instance().release();
  return {};
}

inline status pool_limit(std::size_t bytes, std::size_t& previous)
{
  previous = host_pool::instance().limit(bytes);
  return {};
}

inline status pinned_allocate(void*& memory, std::size_t bytes, const char* step)
{
  memory = nullptr;
  GIMBAL_TRY(instrument::begin(instrument::point::pinned_allocate, step, bytes));
  memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return failure(memory == nullptr ? error_memory_allocation : success, step, bytes);
}

}  // namespace simt

GIMBAL_NAMESPACE_END
