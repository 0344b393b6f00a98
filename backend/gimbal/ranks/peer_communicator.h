// Ranks as threads of one process whose devices reach each other's memory: GPUs of one host with links between all of
// them, several ranks on one GPU, or threads on the host executor. Memory goes straight to where it belongs, without
// NCCL and its buffers.
//
// A collective operation is a meeting of the threads. At its first barrier all have shown where their memory is, and an
// event after which it is ready; then each enqueues copies out of the others' memory into its own, and an event after
// them; at the second barrier all have done so, and each lets its stream wait until the others have read. So no kernel
// waits for another rank, and a rank that fails or leaves holds nobody up.
//
// Rates between GPUs by NVLink: copies reach 385 of the 450 GB/s out of a GPU, stores by kernels 348, NCCL's all-to-all
// 323 (four H100, 2^28 words each).
#pragma once

#include <gimbal/ranks/communicator.h>

#include <condition_variable>
#include <thread>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

/// What the threads of a group share.
class peer_group {
public:
  explicit peer_group(int size) : shown_(static_cast<std::size_t>(size)), points_(shown_.size())
  {
#if !GIMBAL_GPU
    static_cast<void>(simt::get_executor_options());  // the executor begins before its ranks do
#endif
  }

  int size() const { return static_cast<int>(shown_.size()); }

  /// What a rank's stream has reached. Ranks leave a meeting one by one, and the last still needs the events of one that
  /// is gone: they are the group's.
  struct points {
    simt::event is_ready;  ///< the rank's memory may be read
    simt::event has_read;  ///< it has read the others'
  };
  points& points_of(int rank) { return points_[static_cast<std::size_t>(rank)]; }

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
    if (reading_.fetch_sub(1) == 1) {
      wake();
    } else {
      wait_until([&] { return reading_ == 0; });
    }
    return true;
  }

  void abandon(int rank, const std::string& cause)
  {
    failure_.set(rank, cause);
    wake();
  }
  const rank_failure& failure() const { return failure_; }

private:
  bool arrive()
  {
    if (failure_.is_set()) {
      return false;
    }
    const std::uint64_t meeting = meeting_;
    if (arrived_.fetch_add(1) + 1 == size()) {
      arrived_ = 0;
      reading_ = size();
      ++meeting_;
      wake();
      return true;
    }
    wait_until([&] { return failure_.is_set() || meeting_ != meeting; });
    return meeting_ != meeting;
  }

  void wake()
  {
    const std::lock_guard<std::mutex> lock(mutex_);  // none is between checking and waiting
    changed_.notify_all();
  }

  /// Ranks mostly arrive within microseconds of each other, in which no thread can be put to sleep and woken up.
  template <class Condition>
  void wait_until(Condition is_met)
  {
    for (int i = 0; i < looks_before_sleep; ++i) {
      if (is_met()) {
        return;
      }
      std::this_thread::yield();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, is_met);
  }

  static constexpr int looks_before_sleep = 500;

  std::vector<const void*> shown_;  // by rank
  std::vector<points> points_;      // by rank
  std::atomic<std::uint64_t> meeting_{0};
  std::atomic<int> arrived_{0};
  std::atomic<int> reading_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  rank_failure failure_;
};

namespace ranks {

/// sums[i] = the sum over r of counts[r * count + i].
struct sum_counts_kernel {
  static constexpr unsigned block_threads = 256;
  struct shared {};

  const std::uint64_t* counts;
  std::uint64_t* sums;
  std::size_t count;
  int ranks;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const std::size_t i = std::size_t{ctx.block()} * block_threads + ctx.thread();
    if (i < count) {
      std::uint64_t sum = 0;
      for (int r = 0; r < ranks; ++r) {
        sum += counts[static_cast<std::size_t>(r) * count + i];
      }
      sums[i] = sum;
    }
  }
};

}  // namespace ranks

class peer_communicator : public communicator {
public:
  /// `group` outlives this object. All ranks of the group make theirs at the same time, each in its thread, with its
  /// device as the current one.
  peer_communicator(peer_group& group, int rank) : communicator(rank, group.size()), group_(group)
  {
    taken_ = take();
    if (taken_) {
      abandon(taken_.step);
    }
  }
  ~peer_communicator() override { give_back_own(); }

  /// The status of the construction.
  status taken() const { return taken_; }

  status all_gather(const void* mine, void* all, std::size_t bytes, simt::stream_type stream) override
  {
    return meet(mine, stream, [&](const peer& shown, std::size_t r) {
      return copy(static_cast<char*>(all) + r * bytes, shown.memory, bytes, stream);
    });
  }

  status all_sum(std::uint64_t* counts, std::size_t count, simt::stream_type stream) override
  {
    const std::size_t bytes = count * sizeof(std::uint64_t);
    void* all = nullptr;
    const auto ranks = static_cast<std::size_t>(size());
    GIMBAL_TRY(simt::pool_allocate(all, bytes * ranks, stream, "allocation for the counts of all ranks"));
    status failed = all_gather(counts, all, bytes, stream);
    if (!failed) {
      const ranks::sum_counts_kernel kernel{static_cast<const std::uint64_t*>(all), counts, count, size()};
      const auto blocks = static_cast<index_type>((count + kernel.block_threads - 1) / kernel.block_threads);
      failed = simt::launch(kernel, blocks, stream, "sum of the counts of all ranks");
    }
    simt::pool_free(all, stream);
    return failed;
  }

  status exchange(const piece* pieces, simt::stream_type stream) override
  {
    return meet(pieces, stream, [&](const peer& shown, std::size_t r) {
      const piece& from = static_cast<const piece*>(shown.memory)[rank()];
      return from.sent_bytes == pieces[r].received_bytes
               ? copy(pieces[r].received, from.sent, from.sent_bytes, stream)
               : simt::failure(simt::error_invalid_value, "exchange of pieces of the same size");
    });
  }

  status wait(simt::stream_type stream) override { return simt::wait(stream, "wait for the ranks"); }
  void abandon(const std::string& cause) override { group_.abandon(rank(), cause); }
  const rank_failure* failure() const override { return group_.failure().is_set() ? &group_.failure() : nullptr; }

private:
  /// What a rank shows.
  struct peer {
    const void* memory;
    int device;
  };

  status take()
  {
    GIMBAL_TRY(own_points().is_ready.create());
    GIMBAL_TRY(own_points().has_read.create());
    GIMBAL_TRY(simt::current_device(device_));
    GIMBAL_TRY(take_own());
    return meet(nullptr, simt::stream_type{}, [&](const peer& shown, std::size_t) {
      // Copies between devices that do not reach each other are made all the same, through the host.
      static_cast<void>(simt::reach(shown.device));
      return status{};
    });
  }

  /// read(shown, r) for each rank, each beginning with its own: no rank is everybody's first.
  template <class Read>
  status meet(const void* mine, simt::stream_type stream, Read read)
  {
    GIMBAL_TRY(own_points().is_ready.record(stream));
    const peer own{mine, device_};
    status failed;
    const bool met = group_.meet(rank(), &own, [&](const std::vector<const void*>& shown) {
      for (int i = 0; i < size(); ++i) {
        const int r = (rank() + i) % size();
        failed = failed || i == 0 ? failed : group_.points_of(r).is_ready.hold(stream);
        failed = failed
                   ? failed
                   : read(*static_cast<const peer*>(shown[static_cast<std::size_t>(r)]), static_cast<std::size_t>(r));
      }
      failed = failed ? failed : own_points().has_read.record(stream);
    });
    GIMBAL_TRY(
      simt::failure(met ? simt::success : simt::error_communication, "meeting of ranks, of which one has left,"));
    for (int r = 0; r < size() && !failed; ++r) {
      failed = r == rank() ? failed : group_.points_of(r).has_read.hold(stream);
    }
    return failed;
  }

  peer_group::points& own_points() { return group_.points_of(rank()); }
  static status copy(void* target, const void* source, std::size_t bytes, simt::stream_type stream)
  {
    return bytes == 0 || target == source ? status{}
                                          : simt::copy_bytes(target, source, bytes, stream, "copy from a rank");
  }

  peer_group& group_;
  int device_ = 0;
  status taken_;
};

GIMBAL_NAMESPACE_END
