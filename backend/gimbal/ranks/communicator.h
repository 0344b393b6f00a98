// What the ranks of one call need of each other. A rank is one GPU with the host thread that calls; a communicator is
// one rank's end of the group. There are two kinds: peer_communicator.h between threads of one process whose devices
// reach each other's memory, and on the host executor; nccl_communicator.h between any GPUs, which between processes of
// one host goes by process_peers.h where it can.
#pragma once

#include <gimbal/ranks/meeting.h>
#include <gimbal/ranks/message_exchange.h>
#include <gimbal/simt/streams.h>

#include <functional>

GIMBAL_NAMESPACE_BEGIN

/// One rank's end of a group of `size()` ranks. Every rank makes the same collective calls in the same order. At most
/// one call over it at a time; it lives as long as calls over it run.
class communicator {
public:
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  virtual ~communicator() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// What one rank sends to a peer and gets from it: memory of the device. The peer's numbers of bytes agree.
  struct piece {
    const void* sent = nullptr;
    std::size_t sent_bytes = 0;
    void* received = nullptr;
    std::size_t received_bytes = 0;
  };

  // Collective operations are enqueued in `stream`. If one fails, so does the communicator: no further call succeeds.

  /// Comes before all others of a call. In the first, ranks may find out how they reach each other.
  virtual status connect(simt::stream_type) { return {}; }
  /// Begins to gather all ranks' messages, which are there for a kernel that begins with `messages`. This rank's is
  /// `header` and what the rest of message() is set to, `bytes` in all.
  virtual status gather_messages(
    ranks::message_header header, std::size_t bytes, ranks::message_exchange& messages, simt::stream_type stream) = 0;
  /// all[r] = the `bytes` that rank r has at `mine`, for all r.
  virtual status all_gather(const void* mine, void* all, std::size_t bytes, simt::stream_type stream) = 0;
  /// all[r * count + i] = the mine[i] of rank r: numbers in the hosts' memory. May wait for `stream`.
  virtual status gather_numbers(
    const index_type* mine, std::size_t count, index_type* all, simt::stream_type stream) = 0;
  /// own[i] = counts[i], which is in the device's memory and undefined afterwards, and sums[i] = its sum over the
  /// ranks, modulo 2^64. Waits.
  virtual status sum_counts(
    std::uint64_t* counts, std::uint64_t* own, std::uint64_t* sums, std::size_t count, simt::stream_type stream) = 0;
  /// pieces[i * size() + r] describes what goes to rank r in the i-th of `rounds`, the same number on all ranks, and
  /// what comes from it; what goes to the own rank is copied. then(i) is called when the i-th is enqueued: what it
  /// enqueues does not change what is sent. It throws nothing.
  virtual status exchange(
    const piece* pieces, std::size_t rounds, simt::stream_type stream,
    const std::function<status(std::size_t)>& then) = 0;
  /// Whether exchanges, of what lies in exchange_memory() or anywhere, take hardly longer beside kernels.
  virtual bool exchanges_beside_kernels(bool from_exchange_memory) const = 0;
  /// Memory of the device that other ranks read faster than any other, until it is asked for again; null where all
  /// memory is as good.
  virtual status exchange_memory(void*& memory, std::size_t)
  {
    memory = nullptr;
    return {};
  }

  /// A stream of this rank's own, in which an exchange runs beside the work of a call's stream.
  simt::stream_type side_stream() const { return side_.get(); }
  /// What `stream` is given from now on begins after what `other`, of the same rank, was given so far.
  status follow(simt::stream_type stream, simt::stream_type other) const
  {
    GIMBAL_TRY(reached_.record(other));
    return reached_.hold(stream);
  }

  /// Blocks the host until all that was enqueued in `stream` is done, or the communicator has failed.
  virtual status wait(simt::stream_type stream) = 0;
  /// Makes the calls of all ranks fail, those that wait now, too: this rank cannot take part any more.
  virtual void abandon(const std::string& cause) = 0;
  /// Why the group was abandoned, where ranks can pass that on to each other; else null.
  virtual const rank_failure* failure() const = 0;

  /// Device memory of `most_message_bytes` for this rank's message, which is available when everything else has failed.
  void* message() const { return messages_; }

protected:
  communicator(int rank, int size) : rank_(rank), size_(size) {}

  /// Room for the messages of all ranks.
  char* all_messages() const { return static_cast<char*>(messages_) + ranks::most_message_bytes; }

  /// Takes what a rank keeps. To be called with its device as the current one.
  status take_own()
  {
    GIMBAL_TRY(side_.create());
    GIMBAL_TRY(reached_.create());
    const std::size_t bytes = ranks::most_message_bytes * (static_cast<std::size_t>(size_) + 1);
    const simt::stream_type stream{};
    GIMBAL_TRY(simt::pool_allocate(messages_, bytes, stream, "allocation of the messages of a communicator"));
    return simt::wait(stream, "wait for the communicator's memory");
  }
  /// To be called when nothing uses it any more.
  void give_back_own() noexcept
  {
    if (messages_ != nullptr) {
      simt::pool_free(messages_, simt::stream_type{}, true);
      messages_ = nullptr;
    }
  }

private:
  int rank_;
  int size_;
  void* messages_ = nullptr;
  simt::own_stream side_;
  simt::event reached_;
};

GIMBAL_NAMESPACE_END
