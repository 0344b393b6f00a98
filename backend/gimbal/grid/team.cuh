// Which blocks of a launch work together: those that have begun when the team closes.
//
// Kernels whose blocks keep their tiles to themselves, and wait for what others make of theirs, must know who takes
// part: a block that has not begun may not begin before others have ended, where other kernels hold a part of the GPU.
// Each block joins by one atomic addition, and looks at the sum until all of a launch have joined, as they do on a GPU
// that nothing else uses. If some have not when the first block has looked `most_looks` times, it closes the team.
// Blocks that begin later have nothing to do.
//
// Progress: waits for the first block to join and for no other; that one has begun.
//
// Memory order: who belongs to the team is all that passes, in one word; nothing else depends on it, but what the last
// block to leave a closed team does, which comes after all that the others have done before they left: each leaves by
// an addition that releases and acquires, and what else changes the word in between, joining and closing, reads and
// writes it at once, and so hands on what has been released.
#pragma once

#include <gimbal/workspace.h>

#include <algorithm>
#include <cuda/atomic>
#include <mutex>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// How often the first block of a team looks at memory before it goes on without the blocks that have not begun: more
/// often where each block has more tiles, as those that begin later are not used. Untuned.
constexpr unsigned most_team_looks(unsigned block_tiles) { return GIMBAL_GPU ? 6 + block_tiles / 16 : 50; }

/// A team is small that has at most such a part of its launch's blocks.
inline constexpr unsigned small_team_part = 4;

/// How many calls expect a small team after one, and after more of them in a row twice as many each time: a launch on
/// one multiprocessor of 132 may take 25 times as long as small blocks, which on an idle GPU take up to 1.8 times as
/// long as a persistent kernel. On the host executor schedules make teams small, and no call is to avoid them. record:
/// small_teams
inline constexpr unsigned calls_after_small_team = GIMBAL_GPU ? 8 : 0;
inline constexpr unsigned most_calls_after_small_teams = 16 * calls_after_small_team;

}  // namespace tuning

/// What the host learns of teams that stayed small, for the calls that follow.
///
/// A block of a persistent kernel takes most of a multiprocessor's shared memory: where another kernel holds nearly all
/// multiprocessors, such a launch has the few that are left, while small blocks run beside the other kernel's. Nobody
/// knows that before a launch. But a team that closes with a small part of its launch's blocks says so in pinned
/// memory, and the next calls on the device take rows of small blocks, where these give the same results. Then a
/// persistent kernel is tried again.
class small_teams {
public:
  /// 1 if a team was small since the host looked last.
  using report_type = std::uint32_t;
  using report_word = ::cuda::atomic_ref<report_type, ::cuda::thread_scope_system>;

  static small_teams& instance()
  {
    static small_teams* const all = new small_teams;  // never destroyed: kernels may outlive static objects
    return *all;
  }

  /// Where launches on the current device say that their team is small; null where no memory can be had for that.
  report_type* report()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const of_device* const own = find();
    return own != nullptr ? own->report : nullptr;
  }

  /// To be asked once by each call that has rows of small blocks for such a case: whether this is one.
  bool is_expected()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    of_device* const own = find();
    if (own == nullptr) {
      return false;
    }
    const bool is_reported = report_word(*own->report).exchange(0, ::cuda::std::memory_order_relaxed) != 0;
    if (is_reported && own->calls == 0) {
      const bool is_repeated = own->tried < tuning::calls_after_small_team;
      own->period = is_repeated ? (std::min)(2 * own->period, tuning::most_calls_after_small_teams)
                                : tuning::calls_after_small_team;
      own->calls = own->period;
      own->tried = 0;
    }
    const bool is_one = own->calls > 0;
    own->calls -= is_one ? 1 : 0;
    own->tried += is_one || own->tried == never ? 0 : 1;
    return is_one;
  }

  /// No call on the current device expects a small team until one is reported.
  void forget()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (of_device* const own = find(); own != nullptr) {
      report_word(*own->report).store(0, ::cuda::std::memory_order_relaxed);
      own->calls = 0;
      own->tried = never;
    }
  }

private:
  static constexpr unsigned never = ~0u;

  struct of_device {
    report_type* report = nullptr;
    unsigned calls = 0;      // that are still to expect a small team
    unsigned period = 0;     // how many these were
    unsigned tried = never;  // how many have not expected one since
  };

  /// Its slot of pinned memory is kept, as graphs may replay launches that write to it. A device that has none is
  /// without reports: its calls take longer, but nothing fails.
  of_device* find()
  {
    simt::device_life life;
    if (simt::current_life(life)) {
      return nullptr;
    }
    of_device& own = all_[life];
    pinned_slots::slot slot;
    if (own.report == nullptr && !pinned_slots::instance().take(slot)) {
      own.report = static_cast<report_type*>(slot.memory);
      report_word(*own.report).store(0, ::cuda::std::memory_order_relaxed);
    }
    return own.report != nullptr ? &own : nullptr;
  }

  std::mutex mutex_;
  simt::of_each_life<of_device> all_;
};

namespace block {

/// A member's number among them. No members: the block is none of them.
struct team_member {
  unsigned number;
  unsigned members;

  /// That of a block where all blocks of the launch are members.
  template <class Context>
  static GIMBAL_DEVICE team_member of_all(const Context& ctx)
  {
    return {static_cast<unsigned>(ctx.block()), static_cast<unsigned>(ctx.blocks())};
  }
};

struct team {
  static constexpr unsigned late = ~0u;  ///< in place of the order of a block that joins a closed team

  std::uint64_t* state = nullptr;  ///< zero between launches
  unsigned most_looks = 0;
  small_teams::report_type* report = nullptr;  ///< where it says that it is small

  /// By one thread of each block. Returns how many have joined before, which wait() needs, or `late`; early, as the
  /// result takes a memory latency.
  template <class Context>
  GIMBAL_DEVICE unsigned join(Context& ctx) const
  {
    if (ctx.blocks() == 1) {
      return 0;
    }
    const std::uint64_t before = ctx.atomic(*state).fetch_add(one_joined, ::cuda::std::memory_order_relaxed);
    return members_of(before) != 0 ? late : joined_of(before);
  }

  /// By the same thread: waits until all have joined or the team has closed. If all blocks are members each has its
  /// index for a number.
  template <class Context>
  GIMBAL_DEVICE team_member wait(Context& ctx, unsigned order) const
  {
    const unsigned all = ctx.blocks();
    const unsigned members = order == late ? 0 : order + 1 == all ? all : find_members(ctx, order, all);
    if (members == all) {
      return team_member::of_all(ctx);
    }
    leave(ctx, all);
    return {order == late ? 0 : order, members};
  }

  /// By one thread of one member, which knows that all others have returned from wait(): the next launch finds a word
  /// of zero.
  template <class Context>
  GIMBAL_DEVICE void reopen(Context& ctx, const team_member& place) const
  {
    if (place.members == ctx.blocks()) {  // else the last block to leave does it
      ctx.atomic(*state).store(0u, ::cuda::std::memory_order_relaxed);
    }
  }

  // ---- in place of wait(): by blocks that go on whether the team closes or not

  /// Whether it has closed. If not it is tried to close it, unless all have joined: then they are counted, or the word
  /// has been cleared.
  template <class Context>
  GIMBAL_DEVICE bool is_closed(Context& ctx) const
  {
    const std::uint64_t word = ctx.atomic(*state).load(::cuda::std::memory_order_relaxed);
    if (members_of(word) == 0 && word != 0 && joined_of(word) != ctx.blocks()) {
      close(ctx, word);
    }
    return members_of(word) != 0;
  }

  /// By one thread of each block of a launch whose team has closed, when the block knows that, and has done what is to
  /// come before what the last of them does. True if it is the last.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE bool leave(Context ctx, unsigned all) const
  {
    const std::uint64_t before = ctx.atomic(*state).fetch_add(one_left, ::cuda::std::memory_order_acq_rel);
    const bool is_last = left_of(before) + 1 == all;
    if (is_last) {
      ctx.atomic(*state).store(0u, ::cuda::std::memory_order_relaxed);
    }
    return is_last;
  }

private:
  // From the lowest bits on: how many have joined, how many have left a closed team, and its members.
  static constexpr unsigned count_bits = 21;
  static constexpr std::uint64_t one_joined = 1;
  static constexpr std::uint64_t one_left = std::uint64_t{1} << count_bits;
  static constexpr std::uint64_t one_member = std::uint64_t{1} << (2 * count_bits);

  static GIMBAL_DEVICE unsigned joined_of(std::uint64_t word) { return static_cast<unsigned>(word % one_left); }
  static GIMBAL_DEVICE unsigned left_of(std::uint64_t word)
  {
    return static_cast<unsigned>(word % one_member / one_left);
  }
  static GIMBAL_DEVICE unsigned members_of(std::uint64_t word) { return static_cast<unsigned>(word / one_member); }

  template <class Context>
  GIMBAL_DEVICE unsigned find_members(Context& ctx, unsigned order, unsigned all) const
  {
    for (unsigned looks = 0;; ++looks) {
      const std::uint64_t word = ctx.atomic(*state).load(::cuda::std::memory_order_relaxed);
      if (members_of(word) != 0) {
        return members_of(word);
      }
      if (joined_of(word) == all) {
        return all;
      }
      if (order == 0 && looks >= most_looks) {
        close(ctx, word);
      }
      ctx.spin_wait();
    }
  }

  /// Unless another block has joined meanwhile.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void close(Context ctx, std::uint64_t word) const
  {
    const std::uint64_t closed = word + joined_of(word) * one_member;
    const bool is_closed = ctx.atomic(*state).compare_exchange_strong(
      word, closed, ::cuda::std::memory_order_relaxed, ::cuda::std::memory_order_relaxed);
    const unsigned all = ctx.blocks();
    if (is_closed && report != nullptr && members_of(closed) <= all / tuning::small_team_part) {
      small_teams::report_word(*report).store(1, ::cuda::std::memory_order_relaxed);
    }
  }
};

/// A grid barrier of the members of a team, which may be all blocks of a launch: each publishes that it has arrived and
/// waits for the others. What a block has read and written before it arrived comes before what any block does that has
/// waited: by the barrier before a thread publishes, the release of the block's tagged word (launch_plan.h), the
/// acquire by a thread of each other block, and that block's barrier.
struct grid_barrier {
  std::uint64_t* words;  ///< one for each block
  std::uint64_t tag;

  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx, const team_member& place) const
  {
    ctx.sync_block();  // all warps have done what comes before
    if (ctx.thread() == 0) {
      ctx.atomic(words[place.number]).store(tag, ::cuda::std::memory_order_release);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void wait(Context& ctx, const team_member& place) const
  {
    for (unsigned b = ctx.thread(); b < place.members; b += Context::block_threads) {
      while (ctx.atomic(words[b]).load(::cuda::std::memory_order_acquire) != tag) {
        ctx.spin_wait();
      }
    }
    ctx.sync_block();  // all have arrived
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
