// What a lane writes of a row of results: vectors of 16 bytes where an array takes them, single results where not.
#pragma once

#include <gimbal/block/accumulator.h>
#include <gimbal/block/contiguous_iterator.h>

#include <cstring>
#include <gimbal/block/stream_source.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `Neighbours` results of type T of each lane, from position `first` on.
template <class T, class OutputIt, unsigned Neighbours>
struct row_results {
  static constexpr bool are_vectors = is_array_v<OutputIt> && ::cuda::std::is_same<value_type_of<OutputIt>, T>::value
                                      && Neighbours > 1 && Neighbours * sizeof(T) % sizeof(simt::vector16) == 0
                                      && (4 % sizeof(T) == 0 || sizeof(T) % 4 == 0);

  template <class Context>
  static GIMBAL_DEVICE void store(Context& ctx, OutputIt out, index_type first, const uninit<T> (&value)[Neighbours])
  {
    if constexpr (are_vectors) {
      T* const target = thrust::try_unwrap_contiguous_iterator(out) + first;
      if (reinterpret_cast<std::uintptr_t>(target) % sizeof(simt::vector16) == 0) {
        GIMBAL_UNROLL
        for (unsigned v = 0; v < Neighbours * sizeof(T) / sizeof(simt::vector16); ++v) {
          ctx.store_vector(reinterpret_cast<simt::vector16*>(target) + v, vector(value, v));
        }
        return;
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Neighbours; ++i) {
      *(out + (first + i)) = value[i].get();
    }
  }

private:
  static GIMBAL_DEVICE simt::vector16 vector(const uninit<T> (&value)[Neighbours], unsigned v)
  {
    simt::vector16 packed = {};
    GIMBAL_UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      const unsigned word = v * 4 + w;
      if constexpr (sizeof(T) < 4) {
        constexpr unsigned in_word = 4 / sizeof(T);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < in_word; ++i) {
          std::uint32_t bits = 0;
          std::memcpy(&bits, value[word * in_word + i].bytes, sizeof(T));
          packed.word[w] |= bits << i * sizeof(T) * 8;
        }
      } else {
        constexpr unsigned words = sizeof(T) / 4;
        std::memcpy(packed.word + w, value[word / words].bytes + word % words * 4, 4);
      }
    }
    return packed;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
