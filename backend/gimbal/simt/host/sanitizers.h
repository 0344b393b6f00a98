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
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif
