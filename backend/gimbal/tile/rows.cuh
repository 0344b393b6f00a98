// A tile as rows of 32 items, for kernels that move flagged items together (partition, unique, reduce by key).
//
// Each warp holds as many consecutive rows as a thread holds items; lane l holds item l of each. A row is loaded as one
// coalesced access, and one ballot ranks the flagged items of a row, so neither loading nor ranking needs shared
// memory. A thread's flags are the bits of one word, bit i for its item in the warp's row i. In the kernel's body:
//
//   rows::load(ctx, in + base, valid, item);               global to registers
//   flags = rows::flags<loads>(ctx, valid, [&](i, index) {...});  one question per valid item
//   rows::count(ctx, smem.counts, flags);
//   ctx.sync_block();                                      every warp's count is written
//   total = rows::total(smem.counts);
//   rows::gather_flagged(ctx, smem.counts, ...);           registers to shared: flagged items together
//   ctx.sync_block();                                      the items are in shared memory
//   rows::store_run(ctx, smem.item, out, total);           shared to global, coalesced
#pragma once

#include <gimbal/tile/accumulator.h>

#include <gimbal/simt/simt.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <unsigned BlockThreads, unsigned Items>
struct rows : striped_items<BlockThreads, Items> {
  static_assert(BlockThreads % simt::warp_threads == 0, "blocks consist of whole warps");
  static_assert(Items <= 32, "the flags of a thread fit into a word");

  static constexpr unsigned items = BlockThreads * Items;
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;

  struct shared {
    unsigned warp_count[warps];
  };

  /// Index in the tile of this thread's item in its warp's row 0; those in the rows after follow 32 apart.
  template <class Context>
  static GIMBAL_DEVICE unsigned first_index(Context& ctx)
  {
    return ctx.warp() * (simt::warp_threads * Items) + ctx.lane();
  }

  template <class T, class Context, class InputIt>
  static GIMBAL_DEVICE void load(Context& ctx, InputIt in, unsigned valid, uninit<T> (&item)[Items])
  {
    const unsigned left = block::left_from(first_index(ctx), valid);
    const InputIt mine = in + first_index(ctx);  // the rest of each address is a constant
    block::for_left<!::cuda::std::is_pointer_v<InputIt>, Items, simt::warp_threads>(
      left, [&](unsigned i) { item[i].set(block::load_as<T>(mine + i * simt::warp_threads)); });
  }

  /// Asks is_flagged(i, index in the tile) once for each valid item of this thread. `Loads`: to answer takes loads.
  template <bool Loads, class Context, class IsFlagged>
  static GIMBAL_DEVICE std::uint32_t flags(Context& ctx, unsigned valid, IsFlagged is_flagged)
  {
    const unsigned left = block::left_from(first_index(ctx), valid);
    const unsigned first = first_index(ctx);
    std::uint32_t flags = 0;
    block::for_left<Loads, Items, simt::warp_threads>(left, [&](unsigned i) {
      if (is_flagged(i, first + i * simt::warp_threads)) {
        flags |= std::uint32_t{1} << i;
      }
    });
    return flags;
  }

  template <class Context>
  static GIMBAL_DEVICE void count(Context& ctx, shared& smem, std::uint32_t flags)
  {
    unsigned count = 0;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      count += simt::popcount(ctx.ballot((flags >> i & 1) != 0));
    }
    if (ctx.lane() == 0) {
      smem.warp_count[ctx.warp()] = count;
    }
  }

  /// Number of flagged items of the tile.
  static GIMBAL_DEVICE unsigned total(const shared& smem)
  {
    unsigned total = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      total += smem.warp_count[w];
    }
    return total;
  }

  /// The flagged items to target[0...], in order; the others to target[total...], in order, unless they are dropped.
  template <bool KeepsOthers, class T, class Context>
  static GIMBAL_DEVICE void gather_flagged(
    Context& ctx, const shared& smem, std::uint32_t flags, unsigned valid, unsigned total,
    const uninit<T> (&item)[Items], uninit<T>* target)
  {
    unsigned flagged_before = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      flagged_before += w < ctx.warp() ? smem.warp_count[w] : 0;
    }
    const unsigned left = block::left_from(first_index(ctx), valid);
    const unsigned first = first_index(ctx);
    const std::uint32_t lanes_below = (std::uint32_t{1} << ctx.lane()) - 1;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      const bool is_flagged = (flags >> i & 1) != 0;
      const std::uint32_t row = ctx.ballot(is_flagged);
      const unsigned rank = flagged_before + simt::popcount(row & lanes_below);
      // One store for either, so that no lane waits for another's.
      const unsigned at = is_flagged ? rank : total + first + i * simt::warp_threads - rank;
      if (KeepsOthers ? i * simt::warp_threads < left : is_flagged) {
        target[at] = item[i];
      }
      flagged_before += simt::popcount(row);
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
