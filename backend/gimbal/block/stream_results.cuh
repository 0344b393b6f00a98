// Where the results of a stream go: memory, by whole vectors wherever they are aligned, or any other iterator.
#pragma once

#include <gimbal/block/stream_source.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Results of type T on their way out; `result` is what stands in shared memory.
template <class T, class OutputIt, bool IsArray>
struct stream_results;

template <class T, class OutputIt>
struct stream_results<T, OutputIt, false> {
  using result = T;

  OutputIt out;
  index_type shift;  // position of the first result

  /// Write out the valid positions of `chunk`, which starts at position `first`. By a whole warp.
  template <class Context, class Tiles>
  GIMBAL_DEVICE void store(Context& ctx, const Tiles& tiles, index_type first, const unsigned char* chunk) const
  {
    store_items(ctx, tiles, out, first - shift, tiles.valid(first, Tiles::chunk_items), chunk);
  }

  template <class Context, class Tiles, class To>
  static GIMBAL_DEVICE void store_items(
    Context& ctx, const Tiles&, const To& out, index_type first, valid_range valid, const unsigned char* chunk)
  {
    const uninit<result>* const source = reinterpret_cast<const uninit<result>*>(chunk) + ctx.lane();
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Tiles::segment_items; ++i) {
      const unsigned k = i * simt::warp_threads + ctx.lane();
      if (k >= valid.lo && k < valid.hi) {
        *(out + (first + k)) = source[i * simt::warp_threads].get();
      }
    }
  }
};

template <class T, class OutputIt>
struct stream_results<T, OutputIt, true> {
  using result = value_type_of<OutputIt>;

  OutputIt out;
  index_type shift;

  template <class Context, class Tiles>
  GIMBAL_DEVICE void store(Context& ctx, const Tiles& tiles, index_type first, const unsigned char* chunk) const
  {
    const valid_range valid = tiles.valid(first, Tiles::chunk_items);
    // As a number: of the first chunk of all it may lie in front of the array.
    const std::uintptr_t target =
      reinterpret_cast<std::uintptr_t>(thrust::try_unwrap_contiguous_iterator(out))
      + static_cast<std::uintptr_t>((first - shift) * static_cast<index_type>(sizeof(result)));
    if (valid.lo == 0 && valid.hi == Tiles::chunk_items && target % 16 == 0) {
      constexpr unsigned vectors = Tiles::chunk_items * sizeof(result) / sizeof(simt::vector16);
      const auto* const source = reinterpret_cast<const simt::vector16*>(chunk);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < vectors; v += simt::warp_threads) {
        if (v + ctx.lane() < vectors) {
          ctx.store_vector(reinterpret_cast<simt::vector16*>(target) + v + ctx.lane(), source[v + ctx.lane()]);
        }
      }
    } else {
      stream_results<result, OutputIt, false>::store_items(ctx, tiles, out, first - shift, valid, chunk);
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
