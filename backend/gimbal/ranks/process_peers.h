// Ranks as processes of one host, each with a GPU that reaches the others' memory: what peer_communicator.h does for
// threads, of messages, numbers of the hosts and pieces of what is sorted.
//
// Others can be shown whole allocations of this library alone, for as long as they live. So each rank has memory of its
// own for messages, 2 MB, and for what it sends, as much as its largest sort took, until the communicator ends. Memory
// that grows is replaced, and freed when all have closed it. Pieces that lie elsewhere go over NCCL.
#pragma once

#include <gimbal/ranks/communicator.h>
#include <gimbal/ranks/message_slots.h>
#include <gimbal/ranks/process_group.h>
#include <gimbal/simt/cuda/processes.h>

#include <memory>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

class process_peers {
public:
  process_peers(int rank, int size) : rank_(rank), group_(rank, size), imported_(static_cast<std::size_t>(size)) {}

  /// What ranks tell each other first, by other means.
  struct introduction {
    int has_memory;  ///< which others can open, for messages
    int process;
    process_group::address shared;  ///< of the first rank
    simt::device_name device;
    simt::exported_memory::handle slots;
  };
  introduction introduce(simt::stream_type stream)
  {
    introduction own{};
    own.process = static_cast<int>(getpid());
    const bool is_made = (rank_ > 0 || group_.create(own.shared)) && !simt::current_device_name(own.device)
                         && !slots_memory_.allocate(message_slots::bytes(group_.size()))
                         && !message_slots::clear(slots_memory_.get(), group_.size(), stream);
    own.has_memory = is_made ? 1 : 0;
    own.slots = slots_memory_.to_open();
    return own;
  }
  /// Whether this rank reaches all others. They are to agree on it before anything else.
  bool connect(const std::vector<introduction>& all, simt::stream_type stream)
  {
    bool can = true;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const bool is_own = r == static_cast<std::size_t>(rank_);
      can =
        can && all[r].has_memory != 0
        && (is_own || (all[r].process != all[static_cast<std::size_t>(rank_)].process && simt::may_reach(all[r].device)));
    }
    can = can && group_.join(all[0].shared) && !page_.take(group_.page(), process_group::page_bytes);
    std::vector<void*> slots(all.size(), slots_memory_.get());
    for (std::size_t r = 0; r < all.size() && can; ++r) {
      if (r != static_cast<std::size_t>(rank_)) {
        can = !imported_[r].slots.open(all[r].slots);
        slots[r] = imported_[r].slots.get();
      }
    }
    return can && !slots_.take(rank_, slots, static_cast<const unsigned*>(page_.get()), stream);
  }
  /// When all have agreed: leaves no name of what they share.
  void forget() { group_.forget(); }

  // As of a communicator.

  status gather_messages(message_header header, void* own_message, std::size_t bytes, message_exchange& messages)
  {
    GIMBAL_TRY(lost_unless(group_.meet(nullptr, 0, [](auto) {})));
    messages = slots_.gather(header, own_message, bytes);
    return {};
  }
  static bool can_show(std::size_t bytes) { return bytes <= process_group::most_shown_bytes; }
  status gather_bytes(const void* mine, std::size_t bytes, void* all)
  {
    return lost_unless(group_.meet(mine, bytes, [&](auto shown_by) {
      for (int r = 0; r < group_.size(); ++r) {
        std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(r) * bytes, shown_by(r), bytes);
      }
    }));
  }

  /// sums[i] = the sum of the ranks' mine[i], modulo 2^64.
  status sum(const std::uint64_t* mine, std::uint64_t* sums, std::size_t count)
  {
    std::memset(sums, 0, count * sizeof(*sums));
    return lost_unless(group_.meet(mine, count * sizeof(*mine), [&](auto shown_by) {
      for (int r = 0; r < group_.size(); ++r) {
        for (std::size_t i = 0; i < count; ++i) {
          sums[i] += static_cast<const std::uint64_t*>(shown_by(r))[i];
        }
      }
    }));
  }

  status exchange_memory(void*& memory, std::size_t bytes)
  {
    if (exported_.get() == nullptr || exported_.bytes() < bytes) {
      simt::exported_memory larger;
      status failed = larger.allocate(bytes);
      if (failed.code == simt::error_memory_allocation) {
        GIMBAL_TRY(simt::pool_release());
        failed = larger.allocate(bytes);
      }
      GIMBAL_TRY(failed);
      replaced_.push_back(std::move(exported_));
      exported_ = std::move(larger);
      ++exported_number_;
    }
    memory = exported_.get();
    return {};
  }
  /// `is_done` is false, on all ranks, if a piece of any rank lies elsewhere; then nothing was exchanged.
  status exchange(
    const communicator::piece* pieces, std::size_t rounds, simt::stream_type stream,
    const std::function<status(std::size_t)>& then, bool& is_done)
  {
    const int ranks = group_.size();
    const std::size_t count = rounds * static_cast<std::size_t>(ranks);
    std::vector<source> from(count);
    status failed;
    is_done = count <= shown_pieces::most;
    const shown_pieces own = show(pieces, is_done ? count : 0);
    GIMBAL_TRY(lost_unless(group_.meet(&own, sizeof(own), [&](auto shown_by) {
      for (int r = 0; r < ranks; ++r) {
        const auto& shown = *static_cast<const shown_pieces*>(shown_by(r));
        is_done = is_done && shown.are_inside != 0;
        for (std::size_t round = 0; round < rounds && is_done; ++round) {
          const std::size_t first = round * static_cast<std::size_t>(ranks);
          from[first + static_cast<std::size_t>(r)] = shown.to[first + static_cast<std::size_t>(rank_)];
        }
      }
      for (int r = 0; r < ranks && is_done; ++r) {
        failed = failed || r == rank_ ? failed : open(r, *static_cast<const shown_pieces*>(shown_by(r)));
      }
    })));
    if (!is_done) {
      return {};
    }
    GIMBAL_TRY(failed);
    replaced_.clear();  // all have closed it
    GIMBAL_TRY(slots_.join(stream));
    for (std::size_t round = 0; round < rounds; ++round) {
      for (int i = 0; i < ranks; ++i) {  // each beginning with its own: no rank is everybody's first
        const int r = (rank_ + i) % ranks;
        const std::size_t at = round * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(r);
        if (from[at].bytes != pieces[at].received_bytes) {
          return simt::failure(simt::error_invalid_value, "exchange of pieces of the same size");
        }
        const void* const there = static_cast<const char*>(base_of(r)) + from[at].offset;
        if (from[at].bytes != 0 && there != pieces[at].received) {
          GIMBAL_TRY(simt::copy_bytes(pieces[at].received, there, from[at].bytes, stream, "copy from a rank"));
        }
      }
      GIMBAL_TRY(then(round));
    }
    GIMBAL_TRY(lost_unless(group_.meet(nullptr, 0, [](auto) {})));
    return slots_.join(stream);
  }

  bool is_lost() { return group_.is_lost_now(); }
  void abandon(const std::string& cause) { group_.abandon(rank_, cause); }
  const rank_failure* failure() { return group_.failure(); }

private:
  /// Where in a rank's exchange memory a piece is.
  struct source {
    std::size_t offset;
    std::size_t bytes;
  };
  struct shown_pieces {
    static constexpr std::size_t most = 1000;
    simt::exported_memory::handle memory;
    unsigned number;  ///< of the memory, as it is replaced
    int are_inside;
    source to[most];  // as the pieces
  };
  static_assert(sizeof(shown_pieces) <= process_group::most_shown_bytes, "pieces can be shown");

  struct imported {
    simt::imported_memory slots;
    simt::imported_memory memory;
    unsigned number = 0;
  };

  static status lost_unless(bool met)
  {
    return simt::failure(met ? simt::success : simt::error_communication, "meeting of ranks, of which one has left,");
  }

  shown_pieces show(const communicator::piece* pieces, std::size_t count) const
  {
    shown_pieces own{exported_.to_open(), exported_number_, 1, {}};
    const auto begin = reinterpret_cast<std::uintptr_t>(exported_.get());
    for (std::size_t at = 0; at < count; ++at) {
      const bool is_any = pieces[at].sent_bytes != 0;
      const std::size_t offset = is_any ? reinterpret_cast<std::uintptr_t>(pieces[at].sent) - begin : 0;
      own.are_inside = own.are_inside != 0 && (!is_any || offset < exported_.bytes()) ? 1 : 0;
      own.to[at] = {offset, pieces[at].sent_bytes};
    }
    return own;
  }
  status open(int rank, const shown_pieces& shown)
  {
    imported& of = imported_[static_cast<std::size_t>(rank)];
    if (of.number != shown.number) {
      GIMBAL_TRY(of.memory.open(shown.memory));
      of.number = shown.number;
    }
    return {};
  }
  const void* base_of(int rank) const
  {
    return rank == rank_ ? exported_.get() : imported_[static_cast<std::size_t>(rank)].memory.get();
  }

  int rank_;
  process_group group_;
  simt::registered_memory page_;
  simt::exported_memory slots_memory_;
  message_slots slots_;
  simt::exported_memory exported_;
  unsigned exported_number_ = 0;
  std::vector<simt::exported_memory> replaced_;
  std::vector<imported> imported_;
};

}  // namespace ranks

GIMBAL_NAMESPACE_END
