// Second kernel of a stable partition in place (partition.cuh): the rejected items, which the first one left in a
// buffer, go behind the selected ones. Bytes moved: each of them once. Launched behind the kernel that writes the
// counts.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/contiguous_iterator.h>

#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The rejected items from the buffer to behind the selected ones.
template <class Tuning, class Value, class OutputIt>
struct append_kernel {
  using copies = copy_kernel<tuning::copy<sizeof(Value)>, const Value*, OutputIt>;
  static constexpr unsigned block_threads = copies::block_threads;

  struct shared {};

  const Value* buffer;
  OutputIt data;
  index_type n;
  const index_type* kept_count;      // written by the launch before
  const index_type* buffered_count;  // so, too; null: all rejected items are in the buffer
  index_type* selected_count;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type selected = *kept_count;
    const index_type rejected = buffered_count == nullptr ? n - selected : *buffered_count;
    constexpr index_type tile_items = copies::tile_items;
    // Tiles end where lines of memory do, so that warps store whole ones.
    index_type end = (ctx.block() + 1) * tile_items - items_into_line(data + selected);
    for (; end - tile_items < rejected; end += ctx.blocks() * tile_items) {
      const index_type begin = end > tile_items ? end - tile_items : 0;
      copies::copy_tile(ctx, buffer + begin, data + (selected + begin), (end < rejected ? end : rejected) - begin);
    }
    if (ctx.block() == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, selected);
    }
  }

private:
  /// How far the items of an array lie behind the begin of a line of memory.
  static GIMBAL_DEVICE index_type items_into_line(OutputIt out)
  {
    constexpr unsigned line_bytes = 128;
    using raw = thrust::try_unwrap_contiguous_iterator_t<OutputIt>;
    if constexpr (::cuda::std::is_pointer<raw>::value && line_bytes % sizeof(Value) == 0) {
      const auto address = reinterpret_cast<std::uintptr_t>(thrust::try_unwrap_contiguous_iterator(out));
      return static_cast<index_type>(address % line_bytes / sizeof(Value));
    } else {
      return 0;
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
