// Messages of GPUs that reach each other's memory: one block of each rank stores its message and a flag into the memory
// of all others, and waits for their flags. It is launched when the hosts of all ranks have met, so that none waits for
// a rank that does not come; should one be lost all the same, abandoning the group ends it.
#pragma once

#include <gimbal/ranks/communicator.h>

#include <cuda/atomic>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

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

/// A rank's end of it. The memory, which is the owner's, has bytes() bytes and begins with the slots.
class message_slots {
public:
  static std::size_t bytes(int ranks)
  {
    return 2 * static_cast<std::size_t>(ranks) * (sizeof(message_slot) + sizeof(message_slot*)) + own_bytes;
  }
  /// To be called by each rank before any takes its end.
  static status clear(void* memory, int ranks, simt::stream_type stream)
  {
    GIMBAL_TRY(simt::fill_bytes(memory, 0, bytes(ranks), stream, "clearing of a communicator's slots"));
    return simt::wait(stream, "wait for the communicator's memory");
  }

  /// of_rank[r] is rank r's memory, as this device knows it; `is_abandoned` becomes 1 when the ranks are lost.
  status take(int rank, const std::vector<void*>& of_rank, const unsigned* is_abandoned, simt::stream_type stream)
  {
    const std::size_t ranks = of_rank.size();
    rank_ = static_cast<unsigned>(rank);
    size_ = static_cast<unsigned>(ranks);
    is_abandoned_ = is_abandoned;
    slots_ = static_cast<message_slot*>(of_rank[rank_]);
    slots_of_all_ = reinterpret_cast<message_slot**>(slots_ + 2 * ranks);
    nothing_ = reinterpret_cast<char*>(slots_of_all_ + 2 * ranks);
    std::vector<message_slot*> table(2 * ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      table[r] = static_cast<message_slot*>(of_rank[r]);
      table[ranks + r] = table[r] + ranks;
    }
    GIMBAL_TRY(simt::copy_bytes(
      slots_of_all_, table.data(), table.size() * sizeof(table[0]), stream, "addresses of the ranks' slots"));
    return simt::wait(stream, "wait for the communicator's memory");
  }

  /// communicator::gather_messages for ranks that have met.
  status gather(
    communicator::message_header header, void* own_message, std::size_t bytes, const char*& all, std::size_t& stride,
    simt::stream_type stream)
  {
    const std::size_t set = ++gatherings_ % 2;
    all = slots_[set * size_].message;
    stride = sizeof(message_slot);
    const exchange_messages_kernel kernel{
      header,
      static_cast<char*>(own_message),
      static_cast<unsigned>((bytes + 3) / 4),
      slots_of_all_ + set * size_,
      gatherings_,
      rank_,
      size_,
      is_abandoned_};
    return simt::launch(kernel, 1, stream, "exchange of messages");
  }
  /// What `stream` is given from now on begins after what all ranks' were given so far; for ranks that have met.
  status join(simt::stream_type stream)
  {
    const char* all = nullptr;
    std::size_t stride = 0;
    return gather({0, 0}, nothing_, sizeof(communicator::message_header), all, stride, stream);
  }

private:
  static constexpr std::size_t own_bytes = 16;

  message_slot* slots_ = nullptr;          // [gathering % 2][rank that sends]
  message_slot** slots_of_all_ = nullptr;  // [gathering % 2][rank that receives]
  char* nothing_ = nullptr;                // a message of `own_bytes` bytes
  unsigned gatherings_ = 0;
  unsigned rank_ = 0;
  unsigned size_ = 0;
  const unsigned* is_abandoned_ = nullptr;
};

}  // namespace ranks

GIMBAL_NAMESPACE_END
