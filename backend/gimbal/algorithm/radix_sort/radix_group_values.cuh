// The values of a group of buckets (radix_buckets.cuh), in shared memory while their keys are sorted.
#pragma once

#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Values, unsigned TileItems>
struct radix_group_values {
  using value_type = typename Values::value_type;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool copies_vectors = [] {
    if constexpr (has_values) {
      return Values::is_plain_output && block::copies_by_vectors_v<value_type>;
    }
    return false;
  }();
  static constexpr unsigned vector_items = copies_vectors ? sizeof(simt::vector16) / sizeof(value_type) : 1;

  struct shared {
    /// In the order in which they came, from begin() on.
    alignas(16) uninit<value_type> value[has_values ? TileItems + vector_items - 1 : 1];
  };

  /// Index of the first value of a group that begins at item `first`.
  static GIMBAL_DEVICE unsigned begin(const Values& values, unsigned first)
  {
    if constexpr (copies_vectors) {
      return block::vector_phase(values.output + first);
    }
    return 0;
  }

  /// Starts the asynchronous copies, which each thread waits for itself.
  template <class Context>
  static GIMBAL_DEVICE void start(Context& ctx, shared& smem, const Values& values, unsigned first, unsigned count)
  {
    if constexpr (has_values) {
      values.read(sort_place::output, [&](auto source) {
        const auto of_group = source + static_cast<index_type>(first);
        if constexpr (!::cuda::std::is_same_v<decltype(source), const value_type*>) {
          for (unsigned p = ctx.thread(); p < count; p += Context::block_threads) {
            smem.value[begin(values, first) + p].set(block::load_as<value_type>(of_group + p));
          }
        } else if constexpr (copies_vectors) {
          block::copy_run_by_vectors(ctx, smem.value, of_group, count);
        } else {
          block::copy_run(ctx, smem.value, of_group, count);
        }
      });
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
