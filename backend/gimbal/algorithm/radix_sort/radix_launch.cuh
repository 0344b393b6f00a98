// A launch of the radix engine (radix_engine.cuh), by persistent blocks: does one step (radix_step.cuh) of a sort, most often a pass by
// a digit (radix_pass.cuh).
#pragma once

#include <gimbal/algorithm/radix_sort/radix_bucket_steps.cuh>
#include <gimbal/algorithm/radix_sort/radix_pass.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class BucketShape, class Keys, class Values>
struct radix_launch_kernel : radix_pass<Shape, Keys, Values> {
  using pass = radix_pass<Shape, Keys, Values>;
  using pass::batch;
  using pass::block_threads;
  using pass::has_values;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned histogram_blocks = Shape::histogram_blocks;

  static constexpr bool makes_buckets = BucketShape::most_items != 0 && sizeof(typename Keys::value_type) == 8;
  using histogram_kernel = radix_histogram_kernel<Shape, Keys, true, makes_buckets>;
  using bucket_steps = ::cuda::std::conditional_t<
    makes_buckets, radix_bucket_steps<BucketShape, Keys, Values, typename pass::state_type>, no_bucket_steps>;

  unsigned first_steps = 0;  ///< for leading digits

  using shared = typename pass::shared;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    const radix_decision decision = this->state->decision;
    const radix_step now =
      algorithm::find_radix_step(decision, this->plan, this->step, this->aliasing, makes_buckets ? first_steps : 0);
    switch (now.action) {
      case radix_action::none:
        if (makes_buckets && this->step < first_steps) {
          prepare_next_launch(ctx);
        }
        return;
      case radix_action::sort:
        return this->sort_tiles(ctx, smem, now);
      case radix_action::copy:
        prepare_next_launch(ctx);
        copy(ctx, this->keys, now.source, now.target);
        return copy(ctx, this->values, now.source, now.target);
    }
  }

private:
  /// In place of a pass that claims no tiles: resets the next launch's ticket.
  template <class Context>
  GIMBAL_DEVICE void prepare_next_launch(Context& ctx) const
  {
    if (ctx.block() == 0 && ctx.thread() == 0) {
      *this->next_ticket = 0;
    }
  }

  template <class Context, class Array>
  GIMBAL_DEVICE void copy(Context& ctx, const Array& array, sort_place from, sort_place to) const
  {
    if constexpr (bytes_of_values<Array> != 0) {
      constexpr bool by_vectors =
        sizeof(typename Keys::value_type) <= 4;  // beside larger keys passes would spill 8 bytes
      algorithm::copy_items<batch, by_vectors>(
        ctx, block::team_place::of_all(ctx), array, from, to, this->begin(), this->end());
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
