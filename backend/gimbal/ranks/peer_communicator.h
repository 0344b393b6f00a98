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
// GPUs one block of each rank stores its message and a flag into all others' memory, and waits for their flags. It is
// launched when all ranks' threads have met, so that none waits for a rank that does not come; should one be lost all
// the same, abandoning the group ends it. Ranks that share a device, where one's block may be queued after another's,
// send messages like everything else.
//
// Copies reach more of a link's rate than stores by kernels or NCCL do (perf/distributed/MODEL.md).
#pragma once

#include <gimbal/ranks/communicator.h>
#include <gimbal/workspace.h>

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
    if (is_abandoned_.get() != nullptr) {
      *static_cast<volatile unsigned*>(is_abandoned_.get()) = 1;
    }
    wake();
  }
  const rank_failure& failure() const { return failure_; }
  /// Becomes 1 when a rank abandons the group; readable by all devices.
  const unsigned* abandoned() const { return static_cast<const unsigned*>(is_abandoned_.get()); }

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
  std::vector<member> members_;     // by rank
  std::atomic<std::uint64_t> meeting_{0};
  std::atomic<int> arrived_{0};
  std::atomic<int> reading_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  rank_failure failure_;
  pinned_slot is_abandoned_;
  status taken_;
};

#if GIMBAL_GPU

namespace ranks {

/// A rank's memory into which others store their messages. A rank that has gone on to the next but one gathering has
/// got the others' messages of the next, which they sent after reading those of this: two sets of slots suffice.
struct message_slot {
  alignas(16) char message[communicator::most_message_bytes];
  unsigned number;  ///< of the gathering, written last
};

/// One block. Stores the own message into the slots of all ranks, and returns when all of theirs are in the own.
struct exchange_messages_kernel {
  static constexpr unsigned block_threads = 256;
  struct shared {};
  using flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_system>;

  communicator::message_header header;
  char* own_message;
  unsigned words;              ///< of a message, of 4 bytes
  message_slot* const* slots;  ///< [rank]: its slots of this gathering, one for each rank
  unsigned number;             ///< of the gathering, not 0
  unsigned rank;
  unsigned size;
  const unsigned* is_abandoned;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    if (ctx.thread() == 0) {
      *reinterpret_cast<communicator::message_header*>(own_message) = header;
    }
    ctx.sync_block();  // the message is whole
    for (unsigned i = ctx.thread(); i < size * words; i += block_threads) {
      const unsigned word = i % words;
      reinterpret_cast<unsigned*>(slots[i / words][rank].message)[word] =
        reinterpret_cast<const unsigned*>(own_message)[word];
    }
    ctx.sync_block();  // it is stored in all slots, which the releases below order before the flags
    for (unsigned r = ctx.thread(); r < size; r += block_threads) {
      flag(slots[r][rank].number).store(number, ::cuda::std::memory_order_release);
    }
    for (unsigned r = ctx.thread(); r < size; r += block_threads) {
      message_slot& from = slots[rank][r];
      for (unsigned looks = 0; flag(from.number).load(::cuda::std::memory_order_acquire) != number; ++looks) {
        if (looks % 1024 == 1023 && *const_cast<const volatile unsigned*>(is_abandoned) != 0) {
          // Nothing came: this looks like a failure of that rank, and the next meeting tells of the group's.
          *reinterpret_cast<communicator::message_header*>(from.message) = {simt::error_communication, 0};
          break;
        }
      }
    }
  }
};

}  // namespace ranks

#endif

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
    message_header header, std::size_t bytes, const char*& all, std::size_t& stride, simt::stream_type stream) override
  {
#if GIMBAL_GPU
    if (has_own_device_) {
      const auto ranks = static_cast<std::size_t>(size());
      const std::size_t set = ++gatherings_ % 2;
      all = slots_[set * ranks].message;
      stride = sizeof(ranks::message_slot);
      const ranks::exchange_messages_kernel kernel{
        header,      static_cast<char*>(message()), static_cast<unsigned>((bytes + 3) / 4), slots_of_all_ + set * ranks,
        gatherings_, static_cast<unsigned>(rank()), static_cast<unsigned>(size()),          group_.abandoned()};
      GIMBAL_TRY(lost_unless(group_.meet(rank(), nullptr, [](const std::vector<const void*>&){})));
      return simt::launch(kernel, 1, stream, "exchange of messages");
    }
#endif
    all = messages();
    stride = bytes;
    GIMBAL_TRY(simt::copy_bytes(message(), &header, sizeof(header), stream, "header of a message"));
    return all_gather(message(), messages(), bytes, stream);
  }

  status all_gather(const void* mine, void* all, std::size_t bytes, simt::stream_type stream) override
  {
    return meet(mine, stream, [&](const peer& shown, std::size_t r) {
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

  status exchange(const piece* pieces, simt::stream_type stream) override
  {
    return meet(pieces, stream, [&](const peer& shown, std::size_t r) {
      const piece& from = static_cast<const piece*>(shown.memory)[rank()];
      return from.sent_bytes == pieces[r].received_bytes
               ? copy(pieces[r].received, from.sent, from.sent_bytes, stream)
               : simt::failure(simt::error_invalid_value, "exchange of pieces of the same size");
    });
  }

  /// They are copies, which take no multiprocessor.
  bool exchanges_beside_kernels() const override { return true; }

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
    const std::size_t ranks = static_cast<std::size_t>(size());
    const std::size_t slot_bytes = 2 * ranks * sizeof(ranks::message_slot);
    const std::size_t table_bytes = 2 * ranks * sizeof(ranks::message_slot*);
    void*& memory = own().memory;
    GIMBAL_TRY(simt::pool_allocate(memory, slot_bytes + table_bytes, stream, "allocation of a communicator's slots"));
    slots_ = static_cast<ranks::message_slot*>(memory);
    slots_of_all_ = reinterpret_cast<ranks::message_slot**>(slots_ + 2 * ranks);
    GIMBAL_TRY(simt::fill_bytes(slots_, 0, slot_bytes, stream, "clearing of a communicator's slots"));
    GIMBAL_TRY(simt::wait(stream, "wait for the communicator's memory"));
    std::vector<ranks::message_slot*> table(2 * ranks);
    std::set<int> devices;
    GIMBAL_TRY(meet(slots_, stream, [&](const peer& shown, std::size_t r) {
      devices.insert(shown.device);
      auto* const of_rank = static_cast<ranks::message_slot*>(const_cast<void*>(shown.memory));
      table[r] = of_rank;
      table[ranks + r] = of_rank + ranks;
      return simt::reach(shown.device);
    }));
    has_own_device_ = devices.size() == ranks;
    GIMBAL_TRY(simt::copy_bytes(slots_of_all_, table.data(), table_bytes, stream, "addresses of the ranks' slots"));
    return simt::wait(stream, "wait for the communicator's memory");
#else
    return {};
#endif
  }

  static status lost_unless(bool met)
  {
    return simt::failure(met ? simt::success : simt::error_communication, "meeting of ranks, of which one has left,");
  }

  /// read(shown, r) for each rank, each beginning with its own: no rank is everybody's first.
  template <class Read>
  status meet(const void* mine, simt::stream_type stream, Read read)
  {
    GIMBAL_TRY(own().is_ready.record(stream));
    const peer shows{mine, device_};
    status failed;
    const bool met = group_.meet(rank(), &shows, [&](const std::vector<const void*>& shown) {
      for (int i = 0; i < size(); ++i) {
        const int r = (rank() + i) % size();
        failed = failed || i == 0 ? failed : group_.member_of(r).is_ready.hold(stream);
        failed = failed
                   ? failed
                   : read(*static_cast<const peer*>(shown[static_cast<std::size_t>(r)]), static_cast<std::size_t>(r));
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
  ranks::message_slot* slots_ = nullptr;          // [gathering % 2][rank that sends]
  ranks::message_slot** slots_of_all_ = nullptr;  // [gathering % 2][rank that receives]
  unsigned gatherings_ = 0;
  bool has_own_device_ = false;  // as all ranks have, or none
#endif
  status taken_;
};

GIMBAL_NAMESPACE_END
