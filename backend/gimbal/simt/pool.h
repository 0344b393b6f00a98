// The pool: temporary storage that is kept between calls, of all devices.
#pragma once

#include <gimbal/simt/block_cache.h>
#include <gimbal/simt/instrument.h>

#if GIMBAL_GPU
#include <gimbal/simt/cuda/memory.h>
#else
#include <gimbal/simt/host/memory.h>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace simt {

inline block_cache<block_driver>& pool()
{
  static auto* const blocks = new block_cache<block_driver>;  // never destroyed: streams may outlive static objects
  return *blocks;
}

/// Where a stream's work may run again at any time, being captured into a graph, its storage is no block of the pool.
inline status pool_allocate(void*& memory, std::size_t bytes, block_driver::stream stream, const char* step)
{
  memory = nullptr;
  GIMBAL_TRY(instrument::begin(instrument::point::allocate, step, bytes));
  stream_identity identity;
  device_life life;
  GIMBAL_TRY(identify(stream, identity));
  GIMBAL_TRY(current_life(life));
  const outside_capture outside;  // on a stream that is captured it is recorded all the same
  const error_code code = identity.is_lasting ? pool().take(memory, bytes, life, identity.id, stream)
                                              : block_driver::allocate_in_order(memory, bytes, stream);
  return failure(code, step, code == error_memory_allocation ? bytes : 0);
}

/// Returns a block in order of the stream it was taken for: work enqueued there before may still use it, unless the
/// caller has waited for it (`is_done`).
inline void pool_free(void* memory, block_driver::stream stream, bool is_done = false) noexcept
{
  if (memory == nullptr) {
    return;
  }
  const outside_capture outside;
  if (!pool().give_back(memory, stream, is_done)) {
    block_driver::free_in_order(memory, stream);
  }
}

/// Bytes the current device's pool holds from the driver (`held`), and of these the bytes of calls that have not
/// returned (`used`).
inline status pool_usage(std::size_t& held, std::size_t& used)
{
  device_life life;
  GIMBAL_TRY(current_life(life));
  pool().usage(life, held, used);
  return {};
}

/// Gives everything that the current device's pool does not use back to the driver.
inline status pool_release()
{
  device_life life;
  GIMBAL_TRY(current_life(life));
  const outside_capture outside;
  return failure(pool().release(life), "release of the memory pool");
}

/// From now on the current device's pool holds no more than `bytes`, those in use counted, unless more are in use.
/// `previous` is the limit there was.
inline status pool_limit(std::size_t bytes, std::size_t& previous)
{
  device_life life;
  GIMBAL_TRY(current_life(life));
  const outside_capture outside;
  return failure(pool().limit(life, bytes, previous), "limit of the memory pool");
}

}  // namespace simt

GIMBAL_NAMESPACE_END
