// Where the results of a stream go: memory, by whole vectors wherever they are aligned, or any other iterator.
#pragma once

#include <gimbal/pipeline/stream_source.cuh>

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
    constexpr unsigned batch = 8;  // that have registers at the same time
    GIMBAL_NO_UNROLL
    for (unsigned begin = 0; begin < Tiles::segment_items; begin += batch) {
      GIMBAL_UNROLL
      for (unsigned i = begin; i < begin + batch; ++i) {
        const unsigned k = i * simt::warp_threads + ctx.lane();
        if (i < Tiles::segment_items && k >= valid.lo && k < valid.hi) {
          store_as(out + (first + k), source[i * simt::warp_threads].get());
        }
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
    const bool is_full = valid.lo == 0 && valid.hi == Tiles::chunk_items;
    const bool is_aligned = (target | reinterpret_cast<std::uintptr_t>(chunk)) % 16 == 0;
    if (is_aligned && (is_full || vector_bytes % result_bytes == 0)) {
      constexpr unsigned vectors = Tiles::chunk_items * sizeof(result) / sizeof(simt::vector16);
      const auto* const source = reinterpret_cast<const simt::vector16*>(chunk);
      GIMBAL_UNROLL
      for (unsigned v = 0; v < vectors; v += simt::warp_threads) {
        const unsigned own = v + ctx.lane();
        if (own < vectors && (is_full || holds_all(valid, own))) {
          ctx.store_vector(reinterpret_cast<simt::vector16*>(target) + own, source[own]);
        }
      }
      if (!is_full) {
        store_ends(ctx, first - shift, valid, chunk);
      }
    } else {
      stream_results<result, OutputIt, false>::store_items(ctx, tiles, out, first - shift, valid, chunk);
    }
  }

private:
  static constexpr unsigned vector_bytes = sizeof(simt::vector16);
  static constexpr unsigned result_bytes = sizeof(result);

  static GIMBAL_DEVICE bool holds_all(valid_range valid, unsigned vector)
  {
    return vector * vector_bytes >= valid.lo * result_bytes && (vector + 1) * vector_bytes <= valid.hi * result_bytes;
  }

  /// The valid results in front of the first vector that is valid as a whole, and those behind the last one: fewer than
  /// a warp has lanes, on either side. No result is in part of a vector.
  template <class Context>
  GIMBAL_DEVICE void store_ends(Context& ctx, index_type first, valid_range valid, const unsigned char* chunk) const
  {
    const unsigned vectors_begin = (valid.lo * result_bytes + vector_bytes - 1) / vector_bytes;
    const unsigned vectors_end = valid.hi * result_bytes / vector_bytes;
    const bool has_vectors = vectors_begin < vectors_end;
    const unsigned front_end = has_vectors ? vectors_begin * vector_bytes / result_bytes : valid.hi;
    const unsigned back = (has_vectors ? vectors_end * vector_bytes / result_bytes : valid.hi) + ctx.lane();
    const unsigned front = valid.lo + ctx.lane();
    const uninit<result>* const source = reinterpret_cast<const uninit<result>*>(chunk);
    if (front < front_end) {
      store_as(out + (first + front), source[front].get());
    }
    if (back < valid.hi) {
      store_as(out + (first + back), source[back].get());
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
