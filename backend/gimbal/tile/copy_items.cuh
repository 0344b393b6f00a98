// Copies from one of a sort's arrays to another, by many blocks together: what is left of a sort of items that are in
// order, or that ends in another array than the output.
#pragma once

#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A block's number among `blocks` that do something together.
struct share_of_blocks {
  unsigned number;
  unsigned blocks;
};

namespace detail {

template <unsigned Batch, class Context, class Source, class Target>
GIMBAL_DEVICE void copy_range(
  Context& ctx, const share_of_blocks& share, Source source, Target target, index_type first, index_type end)
{
  using type = value_type_of<Source>;
  const index_type stride = static_cast<index_type>(share.blocks) * Context::block_threads;
  index_type i = first + static_cast<index_type>(share.number) * Context::block_threads + ctx.thread();
  // A batch is in flight at a time whether the loop is unrolled or not: loads do not pass the stores before them.
  GIMBAL_NO_UNROLL
  for (; i < end; i += Batch * stride) {
    uninit<type> item[Batch];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Batch; ++j) {
      if (i + j * stride < end) {
        item[j].set(block::load_as<type>(source + (i + j * stride)));
      }
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < Batch; ++j) {
      if (i + j * stride < end) {
        *(target + (i + j * stride)) = item[j].get();
      }
    }
  }
}

template <unsigned Batch, bool ByVectors, class Context, class Source, class Target>
GIMBAL_DEVICE void copy_many(Context& ctx, const share_of_blocks& share, Source source, Target target, index_type count)
{
  using type = value_type_of<Source>;
  using vector = simt::vector16;
  constexpr bool are_plain =
    ::cuda::std::is_pointer_v<
      Source> && ::cuda::std::is_pointer_v<Target> && ::cuda::std::is_same_v<type, value_type_of<Target>>;
  constexpr index_type items = sizeof(vector) / sizeof(type);
  index_type copied = 0;
  // Items of more than 4 bytes are copied as fast one by one.
  if constexpr (ByVectors && are_plain && items >= 4 && sizeof(vector) % sizeof(type) == 0) {
    const auto addresses = reinterpret_cast<std::uintptr_t>(source) | reinterpret_cast<std::uintptr_t>(target);
    if (addresses % sizeof(vector) == 0) {
      copied = count / items * items;
      detail::copy_range<4>(
        ctx, share, reinterpret_cast<const vector*>(source), reinterpret_cast<vector*>(target), 0, count / items);
    }
  }
  detail::copy_range<Batch>(ctx, share, source, target, copied, count);
}

}  // namespace detail

/// All of those blocks together copy items [first, end) from one place to another; `ByVectors`: small ones in vectors
/// where both are aligned.
template <unsigned Batch, bool ByVectors = true, class Context, class Keys, class Values>
GIMBAL_DEVICE void copy_items(
  Context& ctx, const share_of_blocks& share, const Keys& keys, const Values& values, sort_buffer from, sort_buffer to,
  index_type first, index_type end)
{
  const auto copy = [&](const auto& array) {
    array.read(from, [&](auto source) {
      array.write(to, [&](auto target) {
        detail::copy_many<Batch, ByVectors>(ctx, share, source + first, target + first, end - first);
      });
    });
  };
  copy(keys);
  if constexpr (Values::may_be_positions) {
    if (values.are_positions(from)) {
      const thrust::counting_iterator<typename Values::value_type> positions(0);
      return values.write(to, [&](auto target) { detail::copy_range<1>(ctx, share, positions, target, first, end); });
    }
  }
  if constexpr (bytes_of_values<Values> != 0) {
    copy(values);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
