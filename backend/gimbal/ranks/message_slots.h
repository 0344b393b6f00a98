// A rank's memory for the messages of others, where GPUs reach each other's memory (message_exchange.h).
#pragma once

#include <gimbal/ranks/message_exchange.h>

#include <vector>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

struct do_nothing {
  GIMBAL_DEVICE void operator()(int) const {}
};

/// The memory, which is the owner's, has bytes() bytes and begins with the slots.
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
  message_exchange gather(message_header header, void* own_message, std::size_t bytes)
  {
    const std::size_t set = ++gatherings_ % 2;
    return {
      slots_[set * size_].message,
      sizeof(message_slot),
      slots_of_all_ + set * size_,
      header,
      static_cast<char*>(own_message),
      static_cast<unsigned>((bytes + 3) / 4),
      gatherings_,
      rank_,
      size_,
      is_abandoned_};
  }
  /// What `stream` is given from now on begins after what all ranks' were given so far; for ranks that have met.
  status join(simt::stream_type stream)
  {
    return ranks::exchange_messages(gather({0, 0}, nothing_, sizeof(message_header)), do_nothing{}, stream);
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
