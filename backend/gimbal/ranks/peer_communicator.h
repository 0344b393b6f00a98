// Ranks as threads of one process whose devices reach each other's memory: GPUs of one host with links between all of
// them, several ranks on one GPU, or threads on the host executor. Memory goes straight to where it belongs, without
// NCCL and its buffers.
//
// In a collective operation the threads meet at two barriers. At the first one all have shown where their memory is,
// and an event after which it is ready; then each enqueues copies out of the others' memory into its own, and an event
// after them; at the second barrier all have done so, and each lets its stream wait until the others have read. A rank
// that fails or leaves holds nobody up.
//
// Messages, of which each call has one or two, would wait for these events longer than for their few bytes: between
// GPUs they are stored where they are read (message_slots.h). Ranks that share a device, where one's block may wait in
// a stream behind another's, send messages like everything else.
//
// Copies reach more of a link's rate than stores by kernels or NCCL do (perf/distributed/MODEL.md).
#pragma once

#include <gimbal/ranks/communicator.h>
#include <gimbal/workspace.h>
#if GIMBAL_GPU
#include <gimbal/ranks/message_slots.h>
#endif

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

/// What the threads of a group share.
class peer_group {
public:
  explicit peer_group(int size) : shown_(static_cast<std::size_t>(size)), members_(shown_.size())
  {
#if GIMBAL_GPU
    taken_ = is_abandoned_.take();
    if (!taken_) {
      *static_cast<unsigned*>(is_abandoned_.get()) = 0;
    }
#else
    static_cast<void>(simt::get_executor_options());  // the executor begins before its ranks do
#endif
  }
  peer_group(const peer_group&) = delete;
  peer_group& operator=(const peer_group&) = delete;
  ~peer_group()
  {
    for (const member& rank : members_) {
      simt::pool_free(rank.memory, simt::stream_type{}, true);
    }
  }

  /// The status of the construction.
  status taken() const { return taken_; }
  int size() const { return static_cast<int>(shown_.size()); }

  /// What others use of a rank, also when it is gone: ranks leave a meeting one by one.
  struct member {
    simt::event is_ready;    ///< its memory may be read
    simt::event has_read;    ///< it has read the others'
    void* memory = nullptr;  ///< of its device, from the pool
  };
  member& member_of(int rank) { return members_[static_cast<std::size_t>(rank)]; }

  /// Shows `mine` to all ranks, calls `read` with what all ranks have shown, and returns when all have read. False, and
  /// nothing was read, if a rank has abandoned the group. Those that are reading finish, whoever abandons it: no rank's
  /// memory is freed before.
  template <class Read>
  bool meet(int rank, const void* mine, Read read)
  {
    shown_[static_cast<std::size_t>(rank)] = mine;
    return meeting_.attend(*this, [&] { read(shown_); });
  }

  void abandon(int rank, const std::string& cause)
  {
    failure_.set(rank, cause);
    if (is_abandoned_.get() != nullptr) {
      *static_cast<volatile unsigned*>(is_abandoned_.get()) = 1;
    }
    wake();
  }
  const rank_failure& failure() const { return failure_; }
  /// Becomes 1 when a rank abandons the group; readable by all devices.
  const unsigned* abandoned() const { return static_cast<const unsigned*>(is_abandoned_.get()); }

private:
  friend meeting;

  bool is_lost() const { return failure_.is_set(); }
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
  std::vector<member> members_;     // by rank
  meeting meeting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  rank_failure failure_;
  pinned_slot is_abandoned_;
  status taken_;
};

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

  status gather_messages(
    ranks::message_header header, std::size_t bytes, ranks::message_exchange& messages,
    simt::stream_type stream) override
  {
#if GIMBAL_GPU
    if (has_own_device_) {
      GIMBAL_TRY(lost_unless(group_.meet(rank(), nullptr, [](const std::vector<const void*>&){})));
      messages = slots_.gather(header, message(), bytes);
      return {};
    }
#endif
    messages = {all_messages(), bytes};
    GIMBAL_TRY(simt::copy_bytes(message(), &header, sizeof(header), stream, "header of a message"));
    return all_gather(message(), all_messages(), bytes, stream);
  }

  status all_gather(const void* mine, void* all, std::size_t bytes, simt::stream_type stream) override
  {
    return meet(mine, 1, stream, [&](const peer& shown, std::size_t, std::size_t r) {
      return copy(static_cast<char*>(all) + r * bytes, shown.memory, bytes, stream);
    });
  }

  status gather_numbers(const index_type* mine, std::size_t count, index_type* all, simt::stream_type) override
  {
    return lost_unless(group_.meet(rank(), mine, [&](const std::vector<const void*>& shown) {
      for (std::size_t r = 0; r < shown.size(); ++r) {
        std::memcpy(all + r * count, shown[r], count * sizeof(index_type));
      }
    }));
  }

  status sum_counts(
    std::uint64_t* counts, std::uint64_t* own, std::uint64_t* sums, std::size_t count,
    simt::stream_type stream) override
  {
    GIMBAL_TRY(simt::copy_bytes(own, counts, count * sizeof(std::uint64_t), stream, "copy of a rank's counts"));
    GIMBAL_TRY(wait(stream));
    std::fill_n(sums, count, 0);
    return lost_unless(group_.meet(rank(), own, [&](const std::vector<const void*>& shown) {
      for (const void* of_rank : shown) {
        for (std::size_t i = 0; i < count; ++i) {
          sums[i] += static_cast<const std::uint64_t*>(of_rank)[i];
        }
      }
    }));
  }

  status exchange(
    const piece* pieces, std::size_t rounds, simt::stream_type stream,
    const std::function<status(std::size_t)>& then) override
  {
    const auto ranks = static_cast<std::size_t>(size());
    const auto copy_piece = [&](const peer& shown, std::size_t round, std::size_t r) {
      const piece& from = static_cast<const piece*>(shown.memory)[round * ranks + static_cast<std::size_t>(rank())];
      const piece& to = pieces[round * ranks + r];
      return from.sent_bytes == to.received_bytes
               ? copy(to.received, from.sent, from.sent_bytes, stream)
               : simt::failure(simt::error_invalid_value, "exchange of pieces of the same size");
    };
    return meet(pieces, rounds, stream, copy_piece, then);
  }

  /// They are copies, which take no multiprocessor.
  bool exchanges_beside_kernels(bool) const override { return true; }

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
    GIMBAL_TRY(group_.taken());
    GIMBAL_TRY(own().is_ready.create());
    GIMBAL_TRY(own().has_read.create());
    GIMBAL_TRY(simt::current_device(device_));
    GIMBAL_TRY(take_own());
#if GIMBAL_GPU
    const simt::stream_type stream{};
    void*& memory = own().memory;
    GIMBAL_TRY(
      simt::pool_allocate(memory, ranks::message_slots::bytes(size()), stream, "allocation of a communicator's slots"));
    std::vector<void*> of_rank(static_cast<std::size_t>(size()));
    std::set<int> devices;
    GIMBAL_TRY(ranks::message_slots::clear(memory, size(), stream));
    GIMBAL_TRY(meet(memory, 1, stream, [&](const peer& shown, std::size_t, std::size_t r) {
      devices.insert(shown.device);
      of_rank[r] = const_cast<void*>(shown.memory);
      return simt::reach(shown.device);
    }));
    has_own_device_ = devices.size() == of_rank.size();
    return slots_.take(rank(), of_rank, group_.abandoned(), stream);
#else
    return {};
#endif
  }

  static status lost_unless(bool met)
  {
    return simt::failure(met ? simt::success : simt::error_communication, "meeting of ranks, of which one has left,");
  }

  /// read(shown, i, r) for each rank, each beginning with its own, as no rank is to be everybody's first; then then(i);
  /// and all that for each of `rounds`.
  template <class Read>
  status meet(
    const void* mine, std::size_t rounds, simt::stream_type stream, Read read,
    const std::function<status(std::size_t)>& then = [](std::size_t) { return status{}; })
  {
    GIMBAL_TRY(own().is_ready.record(stream));
    const peer shows{mine, device_};
    status failed;
    const bool met = group_.meet(rank(), &shows, [&](const std::vector<const void*>& shown) {
      for (int r = 0; r < size(); ++r) {
        failed = failed || r == rank() ? failed : group_.member_of(r).is_ready.hold(stream);
      }
      for (std::size_t round = 0; round < rounds; ++round) {
        for (int i = 0; i < size(); ++i) {
          const auto r = static_cast<std::size_t>((rank() + i) % size());
          failed = failed ? failed : read(*static_cast<const peer*>(shown[r]), round, r);
        }
        failed = failed ? failed : then(round);
      }
      failed = failed ? failed : own().has_read.record(stream);
    });
    GIMBAL_TRY(lost_unless(met));
    for (int r = 0; r < size() && !failed; ++r) {
      failed = r == rank() ? failed : group_.member_of(r).has_read.hold(stream);
    }
    return failed;
  }

  peer_group::member& own() { return group_.member_of(rank()); }
  static status copy(void* target, const void* source, std::size_t bytes, simt::stream_type stream)
  {
    return bytes == 0 || target == source ? status{}
                                          : simt::copy_bytes(target, source, bytes, stream, "copy from a rank");
  }

  peer_group& group_;
  int device_ = 0;
#if GIMBAL_GPU
  ranks::message_slots slots_;
  bool has_own_device_ = false;  // as all ranks have, or none
#endif
  status taken_;
};

GIMBAL_NAMESPACE_END
