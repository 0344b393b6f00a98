// Ranks as threads of one process on the host executor: the algorithms over a communicator run, and are checked, on a
// machine without a GPU. Memory is shared, so a collective operation is two barriers of the threads: at the first, all
// have shown where their memory is; at the second, all have read what they wanted.
#pragma once

#include <gimbal/ranks/communicator.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

/// What the threads of a group share.
class thread_group {
public:
  explicit thread_group(int size) : shown_(static_cast<std::size_t>(size))
  {
    static_cast<void>(simt::get_executor_options());  // the executor begins before its ranks do
  }

  int size() const { return static_cast<int>(shown_.size()); }

  /// Shows `mine` to all ranks, calls `read` with what all ranks have shown, and returns when all have read. False, and
  /// nothing was read, if a rank has abandoned the group.
  template <class Read>
  bool meet(int rank, const void* mine, Read read)
  {
    shown_[static_cast<std::size_t>(rank)] = mine;
    if (!arrive()) {
      return false;
    }
    read(shown_);
    // Those that are reading finish, whoever abandons the group: no rank's memory is freed before.
    std::unique_lock<std::mutex> lock(mutex_);
    if (--reading_ == 0) {
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return reading_ == 0; });
    }
    return true;
  }

  void abandon(int rank, const std::string& cause)
  {
    failure_.set(rank, cause);
    const std::lock_guard<std::mutex> lock(mutex_);  // none is between checking and waiting
    changed_.notify_all();
  }
  const rank_failure& failure() const { return failure_; }

private:
  bool arrive()
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (failure_.is_set()) {
      return false;
    }
    const std::uint64_t meeting = meeting_;
    if (++arrived_ == shown_.size()) {
      arrived_ = 0;
      reading_ = shown_.size();
      ++meeting_;
      changed_.notify_all();
      return true;
    }
    changed_.wait(lock, [&] { return failure_.is_set() || meeting_ != meeting; });
    return meeting_ != meeting;
  }

  std::vector<const void*> shown_;  // by rank
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t meeting_ = 0;
  std::size_t arrived_ = 0;
  std::size_t reading_ = 0;
  rank_failure failure_;
};

class thread_communicator : public communicator {
public:
  /// `group` outlives this object.
  thread_communicator(thread_group& group, int rank) : communicator(rank, group.size()), group_(group)
  {
    taken_ = take_messages(simt::stream_type{});
  }
  ~thread_communicator() override { give_back_messages(simt::stream_type{}); }

  /// The status of the construction.
  status taken() const { return taken_; }

  status all_gather(const void* mine, void* all, std::size_t bytes, simt::stream_type) override
  {
    return meet(mine, [&](const std::vector<const void*>& shown) {
      for (std::size_t r = 0; r < shown.size(); ++r) {
        copy(static_cast<char*>(all) + r * bytes, shown[r], bytes);
      }
    });
  }

  status all_sum(std::uint64_t* counts, std::size_t count, simt::stream_type) override
  {
    std::vector<std::uint64_t> sums(count);
    GIMBAL_TRY(meet(counts, [&](const std::vector<const void*>& shown) {
      for (const void* of_rank : shown) {
        for (std::size_t i = 0; i < count; ++i) {
          sums[i] += static_cast<const std::uint64_t*>(of_rank)[i];
        }
      }
    }));
    copy(counts, sums.data(), count * sizeof(std::uint64_t));
    return {};
  }

  status exchange(const piece* pieces, simt::stream_type) override
  {
    bool agree = true;
    GIMBAL_TRY(meet(pieces, [&](const std::vector<const void*>& shown) {
      for (std::size_t r = 0; r < shown.size(); ++r) {
        const piece& from = static_cast<const piece*>(shown[r])[rank()];
        agree = agree && from.sent_bytes == pieces[r].received_bytes;
        if (agree) {
          copy(pieces[r].received, from.sent, from.sent_bytes);
        }
      }
    }));
    return simt::failure(agree ? simt::success : simt::error_invalid_value, "exchange of pieces of the same size");
  }

  status wait(simt::stream_type stream) override { return simt::wait(stream, "wait for the ranks"); }
  void abandon(const std::string& cause) override { group_.abandon(rank(), cause); }
  const rank_failure* failure() const override { return group_.failure().is_set() ? &group_.failure() : nullptr; }

private:
  template <class Read>
  status meet(const void* mine, Read read)
  {
    const bool met = group_.meet(rank(), mine, read);
    return simt::failure(met ? simt::success : simt::error_communication, "meeting of ranks, of which one has left,");
  }
  static void copy(void* target, const void* source, std::size_t bytes)
  {
    if (bytes != 0) {
      std::memmove(target, source, bytes);
    }
  }

  thread_group& group_;
  status taken_;
};

GIMBAL_NAMESPACE_END
