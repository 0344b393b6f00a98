// What the host learns of teams that stayed small (team.cuh), for the calls that follow.
//
// A block of a persistent kernel takes most of a multiprocessor's shared memory: where another kernel holds nearly all
// multiprocessors, such a launch has the few that are left, while small blocks run beside the other kernel's. Nobody
// knows that before a launch. But a team that closes with a small part of its launch's blocks says so in pinned memory,
// and the next calls on the device take rows of small blocks, where these give the same results. Then a persistent
// kernel is tried again.
#pragma once

#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

#include <algorithm>
#include <cuda/atomic>
#include <mutex>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// A team is small that has at most such a part of its launch's blocks.
inline constexpr unsigned small_team_part = 4;

/// How many calls expect a small team after one, and after more of them in a row twice as many each time: a launch on
/// one multiprocessor of 132 may take 25 times as long as small blocks, which on an idle GPU take up to 1.8 times as
/// long as a persistent kernel. On the host executor schedules make teams small, and no call is to avoid them. record:
/// small_teams
inline constexpr unsigned calls_after_small_team = GIMBAL_GPU ? 8 : 0;
inline constexpr unsigned most_calls_after_small_teams = 16 * calls_after_small_team;

}  // namespace tuning

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

GIMBAL_NAMESPACE_END
