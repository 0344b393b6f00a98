// Element-wise copies: out[i] = in[i], each item read and written once.
//
// One tile per block; bytes moved: those of the items. Launches: one, none for no items. Storage: none. A copy between
// arrays of the same type is left to the runtime, which copies bytes a little faster than a kernel does. Forward
// progress: none is assumed. Input and output must not overlap.
#pragma once

#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/iterators.h>
#include <gimbal/tuning.h>

#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Element-wise copy. All rows untuned.
template <std::size_t ValueBytes>
struct copy {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(32, ValueBytes, 8);
};

}  // namespace tuning

namespace algorithm {

template <class Tuning, class InputIt, class OutputIt>
struct copy_kernel {
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr index_type tile_items = index_type{block_threads} * items_per_thread;

  struct shared {};

  InputIt in;
  OutputIt out;
  index_type n;

  /// All loads are issued before the first store.
  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    using value = value_type_of<InputIt>;
    const index_type first = ctx.block() * tile_items;
    const InputIt source = in + first;
    const OutputIt target = out + first;
    const unsigned valid = static_cast<unsigned>(n - first < tile_items ? n - first : tile_items);
    const unsigned mine = block::left_from(ctx.thread(), valid);
    uninit<value> item[items_per_thread];
    block::for_left<false, items_per_thread, block_threads>(
      mine, [&](unsigned i) { item[i].set(block::load_as<value>(source + ctx.thread() + i * block_threads)); });
    block::for_left<false, items_per_thread, block_threads>(
      mine, [&](unsigned i) { block::store_as(target + ctx.thread() + i * block_threads, item[i].get()); });
  }
};

/// `Tuning` void: chosen by the size of the items.
template <class Tuning = void, class InputIt, class OutputIt>
status copy(InputIt in, OutputIt out, index_type n, simt::stream_type stream)
{
  using value = value_type_of<InputIt>;
  static_assert(simt::is_supported_value_v<value>, "kernels hold values of at most 128 bytes, copied bytewise");
  if (n == 0) {
    return {};
  }
  if constexpr (block::is_array_v<InputIt> && block::is_array_of_v<OutputIt, value>) {
    return simt::copy_bytes(
      block::raw_iterator(out), block::raw_iterator(in), static_cast<std::size_t>(n) * sizeof(value), stream, "copy");
  } else {
    using chosen = ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, tuning::copy<sizeof(value)>, Tuning>;
    using kernel_type = copy_kernel<chosen, InputIt, OutputIt>;
    const index_type tiles = n / kernel_type::tile_items + (n % kernel_type::tile_items != 0);
    return simt::launch(kernel_type{in, out, n}, tiles, stream, "copy");
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
