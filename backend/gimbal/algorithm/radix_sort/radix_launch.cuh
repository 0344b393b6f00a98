// Radix sort in passes: several launches of as many persistent blocks as are resident at a time, which work through few large tiles.
//
// Algorithm: one sweep counts the digits of all passes (radix_histogram.cuh), then each digit in which keys differ takes a
// pass (radix_pass.cuh): onesweep (Adinets & Merrill, arXiv 2206.01784) with whole-vector writes, atomic ranking that is verified, and
// look-back beside writing out. Keys that the sweep finds sorted are not moved. Keys of 8 bytes, if they are distributed evenly enough,
// take passes by their two to four leading digits alone, and are then sorted bucket by bucket (radix_buckets.cuh): after Stehle &
// Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs" (SIGMOD 2017), but without recursion. What a launch does is decided
// on the device (radix_step.cuh).
//
// Traffic for p digits in which keys differ: keys (2p + 1) times, values 2p times; in place and p odd, once more. Sorted input: as if
// p were 0; in buckets p is 1 more than the leading digits.
// Launches: 1 fill, 1 histogram, and one per digit, of which those without a digit to sort by end at once; in place their
//   number is even. Where digits may lead: 2, and one per leading digit, more. Of more than 9 * 2^26 items, each of these passes
//   takes two launches or more, of as many tiles.
// Storage: n keys and n values, but not for one digit out of place, nor for buffers that were given; 1 KB per tile of a launch,
//   and 8.5 KB per digit.
// Order, aliasing, determinism: as radix_sort. Progress: no block waits for one that does not run (radix_pass.cuh).
#pragma once

#include <gimbal/grid/launch_plan.h>
#include <gimbal/workspace.h>

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

  using bucket_steps = radix_bucket_steps<BucketShape, Keys, Values, typename pass::state_type>;
  static constexpr bool makes_buckets = bucket_steps::makes_buckets;
  using histogram_kernel = radix_histogram_kernel<typename histogram_of_shape<Shape>::type, Keys, true, makes_buckets>;

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

/// The size of the tiles. If there are few, they are made smaller so that each block has the same number, as the next pass waits for
/// the last block; the warps' shares are made equal, in whole batches of a lane, or else some warps have none. If there are many,
/// blocks finish at different times anyway, and full tiles are the most efficient.
template <class Kernel>
radix_tiles radix_tiles_of(index_type n, unsigned blocks)
{
  const index_type rounds = (n - 1) / (index_type{Kernel::tile_items} * blocks) + 1;
  if (rounds > (Kernel::has_even_shares ? tuning::few_even_radix_tiles : tuning::few_radix_tiles)) {
    return {n, Kernel::tile_items, Kernel::items};
  }
  const index_type share = (n - 1) / (rounds * blocks) + 1;
  constexpr index_type batch_of_all = Kernel::main_threads * Kernel::batch;
  const unsigned lane_items =
    Kernel::has_even_shares ? static_cast<unsigned>((share - 1) / batch_of_all + 1) * Kernel::batch : Kernel::items;
  const unsigned warp_items = lane_items * simt::warp_threads;
  return {n, static_cast<unsigned>((share - 1) / warp_items + 1) * warp_items, lane_items};
}

inline status clear_through(void* first, const void* end, simt::stream_type stream)
{
  const auto bytes = static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<char*>(first));
  return bytes == 0 ? status{} : simt::fill_bytes(first, 0, bytes, stream, "radix sort: clearing");
}

/// `most_blocks`: that are resident at a time.
template <class Kernel, class Keys, class Values>
status radix_sort_in_passes(
  temporary_storage storage, std::size_t& storage_bytes, const radix_call<Keys, Values>& call, unsigned most_blocks)
{
  using histogram_kernel = typename Kernel::histogram_kernel;
  auto [keys, values, n, order, plan, stream] = call;
  const radix_tiles shape = algorithm::radix_tiles_of<Kernel>(n, most_blocks);
  const index_type tiles = (n + shape.tile_size - 1) / shape.tile_size;
  const index_type parts = (tiles + Kernel::most_tiles - 1) / Kernel::most_tiles;
  const index_type part_tiles = parts <= 1 ? tiles : (tiles + parts - 1) / parts;
  typename Kernel::state_type* state = nullptr;
  unsigned* words = nullptr;
  storage_layout layout;
  layout.add(&state, 1);
  layout.add(&words, static_cast<std::size_t>(part_tiles) * block::radix_size);
  const sort_aliasing aliasing = algorithm::find_aliasing(keys, values);
  const bool is_buffer_given = keys.buffer != nullptr;
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }

  // Tables in the buffer need it before the first pass, and the alignment of their words, which a given buffer may lack.
  const bool can_hold_tables =
    !aliasing.overwrites && reinterpret_cast<std::uintptr_t>(keys.buffer) % sizeof(block::radix_vector) == 0;
  typename Kernel::bucket_steps bucket_steps(n, !call.is_by_range() && !order.is_floating() && can_hold_tables);
  // State, descriptors and the buffer's begin are adjacent: one fill clears them. A buffer that was given takes another.
  const void* cleared_end = bucket_steps.place(state, keys.buffer);
  if (is_buffer_given) {
    GIMBAL_TRY(algorithm::clear_through(keys.buffer, cleared_end, stream));
    cleared_end = words + static_cast<std::size_t>(part_tiles) * block::radix_size;
  }
  GIMBAL_TRY(algorithm::clear_through(state, cleared_end, stream));
  const index_type histogram_tiles = (n + histogram_kernel::tile_items - 1) / histogram_kernel::tile_items;
  GIMBAL_TRY(simt::launch(
    histogram_kernel{keys, order, n, histogram_tiles, plan, state, bucket_steps.sample()},
    histogram_kernel::blocks(histogram_tiles), stream, "radix sort: histogram"));

  Kernel kernel{{shape, keys, values, order, plan, state, aliasing, call.is_by_range()}};
  kernel.words = words;
  kernel.parts = static_cast<unsigned>((tiles + part_tiles - 1) / part_tiles);
  kernel.part_tiles = static_cast<unsigned>(part_tiles);
  // If the leading digits turn out not to be enough, passes by all digits follow, in place.
  const unsigned leading = bucket_steps.digits();
  const unsigned first_steps = leading == 0 ? 0 : moves_of_passes(leading, aliasing.moves());
  kernel.first_steps = first_steps;
  const unsigned steps = first_steps + moves_of_passes(plan.passes, leading == 0 ? aliasing.moves() : sort_moves::even);
  const unsigned room = share_of_gpu(most_blocks, stream);
  unsigned launches = 0;
  for (kernel.step = 0; kernel.step < steps; ++kernel.step) {
    kernel.first_tile = 0;
    for (kernel.part = 0; kernel.part < kernel.parts; ++kernel.part, ++launches) {
      const index_type left = tiles - kernel.first_tile;
      kernel.tiles = static_cast<unsigned>(left < part_tiles ? left : part_tiles);
      kernel.ticket = &state->tickets[launches % 2];
      kernel.next_ticket = &state->tickets[(launches + 1) % 2];
      const index_type blocks = kernel.tiles < room ? kernel.tiles : room;
      GIMBAL_TRY(simt::launch(kernel, blocks, stream, "radix sort: pass"));
      kernel.first_tile += kernel.tiles;
    }
    if (kernel.step + 1 == first_steps) {
      GIMBAL_TRY(bucket_steps.sort(keys, values, order, stream));
    }
  }
  return {};
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
