// What a stable partition in place (partition.cuh) does in the end: the rejected items, which stand in a buffer, go behind the
// selected ones. Bytes moved: each of them once.
#pragma once

#include <gimbal/algorithm/select/tuning.h>
#include <gimbal/tile/contiguous_iterator.h>

#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// How far the items of an array lie behind the begin of a line of memory.
template <class OutputIt>
GIMBAL_DEVICE index_type items_into_line(OutputIt out)
{
  constexpr unsigned line_bytes = 128;
  constexpr unsigned value_bytes = sizeof(value_type_of<OutputIt>);
  using raw = block::raw_iterator_t<OutputIt>;
  if constexpr (::cuda::std::is_pointer<raw>::value && line_bytes % value_bytes == 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(block::raw_iterator(out));
    return static_cast<index_type>(address % line_bytes / value_bytes);
  } else {
    return 0;
  }
}

/// The share of one of `blocks` blocks. `Copies`: copy_kernel.
template <class Copies, class Context, class Value, class OutputIt>
GIMBAL_DEVICE void append_share(
  Context& ctx, unsigned block, unsigned blocks, const Value* buffer, OutputIt out, index_type count)
{
  constexpr index_type tile_items = Copies::tile_items;
  // Tiles end where lines of memory do, so that warps store whole ones.
  index_type end = (index_type{block} + 1) * tile_items - algorithm::items_into_line(out);
  for (; end - tile_items < count; end += index_type{blocks} * tile_items) {
    const index_type begin = end > tile_items ? end - tile_items : 0;
    Copies::copy_tile(ctx, buffer + begin, out + begin, (end < count ? end : count) - begin);
  }
}

/// As a launch of its own, behind the one that writes the count.
template <class Tuning, class Value, class OutputIt>
struct append_kernel {
  static constexpr const char* step = "stable partition: rejected items to the end";
  using copies = copy_kernel<tuning::copy<sizeof(Value)>, const Value*, OutputIt>;
  static constexpr unsigned block_threads = copies::block_threads;

  struct shared {};

  const Value* buffer;
  OutputIt data;
  index_type n;
  const index_type* kept_count;
  index_type* selected_count;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type selected = *kept_count;
    algorithm::append_share<copies>(
      ctx, static_cast<unsigned>(ctx.block()), static_cast<unsigned>(ctx.blocks()), buffer, data + selected,
      n - selected);
    if (ctx.block() == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, selected);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
