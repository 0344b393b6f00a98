// What a lane writes of a row of results: vectors of 16 bytes where an array takes them, single results where not.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/contiguous_iterator.h>

#include <cstring>
#include <gimbal/pipeline/persistent_io.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `Neighbours` results of each lane, from position `first` on, accumulated in type T.
template <class T, class OutputIt, unsigned Neighbours>
struct row_results {
  /// What an array holds, where numbers are converted when stored.
  using stored = ::cuda::std::conditional_t<
    is_array_v<OutputIt>&& ::cuda::std::is_arithmetic<T>::value&& ::cuda::std::is_arithmetic<
      value_type_of<OutputIt>>::value,
    value_type_of<OutputIt>, T>;
  static constexpr bool are_vectors =
    is_array_v<OutputIt> && ::cuda::std::is_same<value_type_of<OutputIt>, stored>::value && Neighbours > 1
    && Neighbours * sizeof(stored) % sizeof(simt::vector16) == 0
    && (4 % sizeof(stored) == 0 || sizeof(stored) % 4 == 0);

  template <class Context>
  static GIMBAL_DEVICE void store(Context& ctx, OutputIt out, index_type first, const uninit<T> (&value)[Neighbours])
  {
    if constexpr (are_vectors) {
      stored* const target = block::raw_iterator(out) + first;
      if (reinterpret_cast<std::uintptr_t>(target) % sizeof(simt::vector16) == 0) {
        GIMBAL_UNROLL
        for (unsigned v = 0; v < Neighbours * sizeof(stored) / sizeof(simt::vector16); ++v) {
          ctx.store_vector(reinterpret_cast<simt::vector16*>(target) + v, vector(value, v));
        }
        return;
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Neighbours; ++i) {
      block::store_as(out + (first + i), value[i].get());
    }
  }

private:
  static GIMBAL_DEVICE uninit<stored> convert(const uninit<T>& value)
  {
    uninit<stored> converted;
    converted.set(static_cast<stored>(value.get()));
    return converted;
  }

  static GIMBAL_DEVICE simt::vector16 vector(const uninit<T> (&value)[Neighbours], unsigned v)
  {
    simt::vector16 packed = {};
    GIMBAL_UNROLL
    for (unsigned w = 0; w < 4; ++w) {
      const unsigned word = v * 4 + w;
      if constexpr (sizeof(stored) < 4) {
        constexpr unsigned in_word = 4 / sizeof(stored);
        GIMBAL_UNROLL
        for (unsigned i = 0; i < in_word; ++i) {
          const uninit<stored> item = convert(value[word * in_word + i]);
          std::uint32_t bits = 0;
          std::memcpy(&bits, item.bytes, sizeof(stored));
          packed.word[w] |= bits << i * sizeof(stored) * 8;
        }
      } else {
        constexpr unsigned words = sizeof(stored) / 4;
        const uninit<stored> item = convert(value[word / words]);
        std::memcpy(packed.word + w, item.bytes + word % words * 4, 4);
      }
    }
    return packed;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
