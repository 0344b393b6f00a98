// How ranks of one host wait for each other: threads of a process (peer_communicator.h), or processes, in memory that
// they share (process_group.h).
#pragma once

#include <gimbal/simt/config.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

GIMBAL_NAMESPACE_BEGIN

/// Why the ranks of a group cannot go on: set once, by the first that abandons it.
class rank_failure {
public:
  void set(int rank, const std::string& cause)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_set_) {
      rank_ = rank;
      cause_ = cause;
      is_set_ = true;
    }
  }

  bool is_set() const { return is_set_; }
  // To be called once it is set.
  int rank() const { return rank_; }
  const std::string& cause() const { return cause_; }

private:
  std::mutex mutex_;
  std::atomic<bool> is_set_{false};
  int rank_ = -1;
  std::string cause_;
};

/// Ranks come together, read what the others show, and go on when all have read. All zero bytes are its first state.
class meeting {
public:
  /// To be called by each of the ranks of `group`, which has size(), is_lost(), wait_until(condition), which may return
  /// early once the group is lost, and wake() for those that wait. False, and `read` was not called, if it is lost.
  template <class Group, class Read>
  bool attend(Group& group, Read read)
  {
    if (group.is_lost()) {
      return false;
    }
    const std::uint64_t number = number_;
    if (arrived_.fetch_add(1) + 1 == group.size()) {
      arrived_ = 0;
      reading_ = group.size();
      ++number_;
      group.wake();
    } else {
      group.wait_until([&] { return group.is_lost() || number_ != number; });
      if (number_ == number) {
        return false;
      }
    }
    read();
    if (reading_.fetch_sub(1) == 1) {
      group.wake();
    } else {
      group.wait_until([&] { return reading_ == 0; });
    }
    return true;
  }

private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes can share it");
  std::atomic<std::uint64_t> number_{0};
  std::atomic<int> arrived_{0};
  std::atomic<int> reading_{0};
};

GIMBAL_NAMESPACE_END
