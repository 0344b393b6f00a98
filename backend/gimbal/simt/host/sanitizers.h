// Whether AddressSanitizer watches this translation unit, and what it is told.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define GIMBAL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GIMBAL_ASAN 1
#endif
#endif

#ifdef GIMBAL_ASAN
#include <sanitizer/asan_interface.h>
#else
#define GIMBAL_ASAN 0
#endif

#include <gimbal/simt/config.h>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// Nobody may touch these bytes until they are released.
inline void poison([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes)
{
#if GIMBAL_ASAN
  __asan_poison_memory_region(address, bytes);
#endif
}
inline void unpoison([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes)
{
#if GIMBAL_ASAN
  __asan_unpoison_memory_region(address, bytes);
#endif
}

}  // namespace simt

GIMBAL_NAMESPACE_END
