// Which blocks of a launch work together: those that have begun when the team closes.
//
// Kernels whose blocks keep their tiles to themselves, and wait for what others make of theirs, must know who takes part: a block
// that has not begun may not begin before others have ended, where other kernels hold a part of the GPU. Each block joins by one
// atomic addition. If all of a launch join, as they do on a GPU that nothing else uses, the last one closes the team; else the first
// one does when it has looked `patience` times. Blocks that begin later find it closed and have nothing to do.
//
// Progress: waits for the first block to join and for no other; that one has begun.
//
// Memory order: the number of members is all that passes, in a tagged word (exchange.cuh); nothing else depends on it.
#pragma once

#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// A member's number among them. No members: the block is none of them.
struct team_place {
  unsigned number;
  unsigned members;

  /// That of a block where all blocks of the launch are members.
  template <class Context>
  static GIMBAL_DEVICE team_place of_all(const Context& ctx)
  {
    return {static_cast<unsigned>(ctx.block()), static_cast<unsigned>(ctx.blocks())};
  }
};

struct team {
  unsigned* joined = nullptr;        ///< zero between launches
  std::uint64_t* closing = nullptr;  ///< a word of this launch's
  std::uint32_t tag = 0;
  unsigned patience = 0;

  /// By one thread of each block. Returns what meet() asks for, when it is needed: memory answers late.
  template <class Context>
  GIMBAL_DEVICE unsigned join(Context& ctx) const
  {
    return ctx.atomic(*joined).fetch_add(1u, ::cuda::std::memory_order_relaxed);
  }

  /// By the same thread: waits until the team has closed. If all blocks are members each has its index for a number.
  template <class Context>
  GIMBAL_DEVICE team_place meet(Context& ctx, unsigned order) const
  {
    const unsigned all = ctx.blocks();
    const bool is_late = (order & closed) != 0;
    const bool is_last = (order & ~closed) + 1 == all;
    if (is_last) {
      ctx.atomic(*joined).store(0u, ::cuda::std::memory_order_relaxed);  // nobody joins any more
    }
    if (is_late) {
      return {0, 0};
    }
    uninit<unsigned> members;
    if (is_last) {
      members.set(all);
      tell(ctx, all);
    } else {
      for (unsigned looks = 0; !has_closed(ctx, members); ++looks) {
        if (order == 0 && looks >= patience && close(ctx, all, members)) {
          break;
        }
        ctx.spin_wait();
      }
    }
    return {members.get() == all ? static_cast<unsigned>(ctx.block()) : order, members.get()};
  }

private:
  static constexpr unsigned closed = 1u << 31;
  using word = tagged_value<unsigned>;

  template <class Context>
  GIMBAL_DEVICE void tell(Context& ctx, unsigned members) const
  {
    word::write(tag, members, [&](unsigned, std::uint64_t value) {
      ctx.atomic(*closing).store(value, ::cuda::std::memory_order_relaxed);
    });
  }
  template <class Context>
  GIMBAL_DEVICE bool has_closed(Context& ctx, uninit<unsigned>& members) const
  {
    return word::read(
      tag, members, [&](unsigned) { return ctx.atomic(*closing).load(::cuda::std::memory_order_relaxed); });
  }

  /// False if another block has joined meanwhile. Once the last one has, the count is all or has been cleared.
  template <class Context>
  GIMBAL_DEVICE bool close(Context& ctx, unsigned all, uninit<unsigned>& members) const
  {
    unsigned count = ctx.atomic(*joined).load(::cuda::std::memory_order_relaxed);
    if (
      count == 0 || count == all
      || !ctx.atomic(*joined).compare_exchange_strong(
        count, count | closed, ::cuda::std::memory_order_relaxed, ::cuda::std::memory_order_relaxed)) {
      return false;
    }
    members.set(count);
    tell(ctx, count);
    return true;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
