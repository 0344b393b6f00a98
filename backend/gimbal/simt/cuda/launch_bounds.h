// How many blocks a kernel may request to be resident on a multiprocessor.
#pragma once

#include <gimbal/simt/config.h>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// What a multiprocessor of an architecture holds (CUDA programming guide, technical specifications per compute
/// capability), or less where an architecture is not known here.
constexpr unsigned most_resident_threads(int architecture)
{
  const bool is_large = architecture == 800 || architecture == 900 || architecture == 1000 || architecture == 1030;
  return architecture < 800 ? 1024 : is_large ? 2048 : 1536;
}
constexpr unsigned most_resident_blocks(int architecture)
{
  const bool is_small = architecture < 800 || (architecture > 800 && architecture < 890);
  return most_resident_threads(architecture) == 2048 ? 32 : is_small ? 16 : 24;
}

/// The resident blocks that a kernel requests of the assembler: not more than there can be, which it would ignore with
/// a warning.
constexpr unsigned bounded_resident_blocks(unsigned blocks, unsigned block_threads, int architecture)
{
  const unsigned of_threads = most_resident_threads(architecture) / block_threads;
  const unsigned most =
    of_threads < most_resident_blocks(architecture) ? of_threads : most_resident_blocks(architecture);
  return blocks < most ? blocks : most;
}

#ifdef __CUDA_ARCH__
inline constexpr int this_architecture = __CUDA_ARCH__;
#else
inline constexpr int this_architecture = 0;  // bounds are for the device alone
#endif

}  // namespace simt

GIMBAL_NAMESPACE_END
