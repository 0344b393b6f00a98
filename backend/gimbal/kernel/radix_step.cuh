// Which digit a launch of the radix engine sorts by, and from where to where: found out on the device.
//
// Which digits need no pass is known when the histogram is: the n-th launch sorts by the n-th digit that remains.
// Launches beyond the last end at once.
#pragma once

#include <gimbal/block/tile.cuh>
#include <gimbal/kernel/radix_histogram.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

struct radix_step {
  bool exists = false;
  bool is_copy = false;  ///< no digit is left, but the items are in the wrong array
  block::digit_range range = {};
  unsigned pass = 0;
  sort_place source = sort_place::input;
  sort_place target = sort_place::output;
};

template <class State>
GIMBAL_DEVICE radix_step
find_radix_step(const State& state, const block::digit_plan& plan, unsigned step, bool is_in_place)
{
  radix_step found;
  unsigned sorting = 0;
  for (unsigned p = 0; p < plan.passes; ++p) {
    if (state.is_skipped[p] == 0) {
      found.pass = sorting == step ? p : found.pass;
      ++sorting;
    }
  }
  // Two steps end where they began, so in place there is an even number of them; elsewhere at least one.
  const unsigned steps = is_in_place ? (sorting + 1) / 2 * 2 : sorting == 0 ? 1 : sorting;
  found.exists = step < steps;
  found.is_copy = found.exists && step >= sorting;
  found.range = plan.range(found.pass);
  found.source = source_of_pass(step, steps);
  found.target = target_of_pass(step, steps);
  return found;
}

/// Sends items that are read soon on their way to the L2.
template <class Context, class Array>
GIMBAL_DEVICE void fetch_step(
  Context& ctx, const radix_step& now, const Array& array, index_type first, index_type count)
{
  if constexpr (bytes_of_values<Array> != 0) {
    array.read(now.source, [&](auto source) {
      if constexpr (::cuda::std::is_pointer_v<decltype(source)>) {
        ctx.fetch_ahead(source + first, static_cast<std::size_t>(count) * sizeof(*source));
      }
    });
  }
}

/// Items [first, end) from one of the step's arrays to the other, `Batch` loads of a thread at a time.
template <unsigned Batch, class Context, class Array>
GIMBAL_DEVICE void copy_step(Context& ctx, const radix_step& now, const Array& array, index_type first, index_type end)
{
  using type = typename Array::value_type;
  const index_type stride = static_cast<index_type>(ctx.blocks()) * Context::block_threads;
  array.read(now.source, [&](auto source) {
    array.write(now.target, [&](auto target) {
      index_type i = first + static_cast<index_type>(ctx.block()) * Context::block_threads + ctx.thread();
      while (i < end) {
        uninit<type> item[Batch];
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Batch; ++j) {
          if (i + j * stride < end) {
            item[j].set(block::load_as<type>(source + (i + j * stride)));
          }
        }
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Batch; ++j, i += stride) {
          if (i < end) {
            *(target + i) = item[j].get();
          }
        }
      }
    });
  });
}

}  // namespace kernel

GIMBAL_NAMESPACE_END
