// Ranks as GPUs of one or several hosts, with NCCL between them.
//
// NCCL chooses the transport: stores to the peer's memory over NVLink on one host, network cards between hosts. A peer
// that fails shows in ncclCommGetAsyncError, so this waits by polling both the stream and the communicator.
//
// Ranks that are processes of one host, and reach each other's memory, agree in their first call to go on without NCCL
// where that is faster:
//
//   what                        between processes of one host        otherwise
//   messages, numbers of hosts  process_peers.h                      ncclAllGather
//   sums of counts              process_peers.h, up to 2^14 counts   ncclAllReduce
//   exchange of sorted parts    process_peers.h                      ncclSend, ncclRecv
//   of other memory             ncclSend, ncclRecv                   the same
//   all_gather                  ncclAllGather                        the same
#pragma once

#include <gimbal/ranks/process_peers.h>
#include <nccl.h>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

struct put_header_kernel {
  static constexpr unsigned block_threads = 1;
  struct shared {};

  message_header header;
  message_header* to;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, shared&) const
  {
    *to = header;
  }
};

}  // namespace ranks

/// Wraps an ncclComm_t with one rank per GPU, made by ncclCommInitAll, ncclCommInitRank or a library; it stays the
/// caller's, who destroys it after this object unless is_abandoned(). To be made and destroyed with the communicator's
/// device as the current one. It keeps `most_message_bytes * (size + 1)` bytes of the device's pool; between processes
/// of one host also the memory of process_peers.h.
class nccl_communicator : public communicator {
public:
  /// `shared`, of ranks that are threads of one process, outlives this object.
  explicit nccl_communicator(ncclComm_t comm, rank_failure* shared = nullptr)
      : communicator(rank_of(comm), size_of(comm)), comm_(comm), shared_(shared), taken_(take_own())
  {
  }
  ~nccl_communicator() override { give_back_own(); }

  /// The status of the construction.
  status taken() const { return taken_; }
  /// After a failure NCCL's communicator is gone: it must not be destroyed again.
  bool is_abandoned() const { return comm_ == nullptr; }
  /// Whether ranks read each other's memory, which is known after the first call.
  bool is_direct() const { return peers_ != nullptr; }

  status connect(simt::stream_type stream) override
  {
    if (is_connected_ || size() == 1 || shared_ != nullptr) {
      return {};
    }
    is_connected_ = true;
    auto peers = std::make_unique<ranks::process_peers>(rank(), size());
    const auto ranks = static_cast<std::size_t>(size());
    const ranks::process_peers::introduction own = peers->introduce(stream);
    std::vector<ranks::process_peers::introduction> all(ranks);
    GIMBAL_TRY(gather_bytes(&own, sizeof(own), all.data(), stream));
    const int can = peers->connect(all, stream) ? 1 : 0;
    std::vector<int> all_can(ranks);
    GIMBAL_TRY(gather_bytes(&can, sizeof(can), all_can.data(), stream));
    peers->forget();
    if (std::find(all_can.begin(), all_can.end(), 0) == all_can.end()) {
      peers_ = std::move(peers);
    }
    return {};
  }

  status gather_messages(
    ranks::message_header header, std::size_t bytes, ranks::message_exchange& messages,
    simt::stream_type stream) override
  {
    if (peers_ != nullptr) {
      return peers_->gather_messages(header, message(), bytes, messages);
    }
    messages = {all_messages(), bytes};
    const ranks::put_header_kernel kernel{header, static_cast<ranks::message_header*>(message())};
    GIMBAL_TRY(simt::launch(kernel, 1, stream, "header of a message"));
    return all_gather(message(), all_messages(), bytes, stream);
  }

  status all_gather(const void* mine, void* all, std::size_t bytes, simt::stream_type stream) override
  {
    return status_of(
      comm_ == nullptr ? ncclInvalidUsage : ncclAllGather(mine, all, bytes, ncclUint8, comm_, stream), "ncclAllGather");
  }

  status gather_numbers(const index_type* mine, std::size_t count, index_type* all, simt::stream_type stream) override
  {
    const std::size_t bytes = count * sizeof(index_type);
    return peers_ != nullptr && ranks::process_peers::can_show(bytes) ? peers_->gather_bytes(mine, bytes, all)
                                                                      : gather_bytes(mine, bytes, all, stream);
  }

  status sum_counts(
    std::uint64_t* counts, std::uint64_t* own, std::uint64_t* sums, std::size_t count,
    simt::stream_type stream) override
  {
    const std::size_t bytes = count * sizeof(std::uint64_t);
    GIMBAL_TRY(simt::copy_bytes(own, counts, bytes, stream, "copy of a rank's counts"));
    if (peers_ != nullptr && ranks::process_peers::can_show(bytes)) {
      GIMBAL_TRY(wait(stream));
      return peers_->sum(own, sums, count);
    }
    GIMBAL_TRY(status_of(
      comm_ == nullptr ? ncclInvalidUsage : ncclAllReduce(counts, counts, count, ncclUint64, ncclSum, comm_, stream),
      "ncclAllReduce"));
    GIMBAL_TRY(simt::copy_bytes(sums, counts, bytes, stream, "copy of the counts of all ranks"));
    return wait(stream);
  }

  status exchange(
    const piece* pieces, std::size_t rounds, simt::stream_type stream,
    const std::function<status(std::size_t)>& then) override
  {
    if (comm_ == nullptr) {
      return status_of(ncclInvalidUsage, "exchange");
    }
    if (peers_ != nullptr) {
      bool is_done = false;
      GIMBAL_TRY(peers_->exchange(pieces, rounds, stream, then, is_done));
      if (is_done) {
        return {};
      }
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      GIMBAL_TRY(exchange_by_nccl(pieces + round * static_cast<std::size_t>(size()), stream));
      GIMBAL_TRY(then(round));
    }
    return {};
  }

  /// NCCL's are kernels: beside merges the exchange of a sort took 4 ms longer than alone (perf/distributed/MODEL.md).
  /// Copies are none.
  bool exchanges_beside_kernels(bool from_exchange_memory) const override
  {
    return peers_ != nullptr && from_exchange_memory;
  }
  status exchange_memory(void*& memory, std::size_t bytes) override
  {
    return peers_ != nullptr ? peers_->exchange_memory(memory, bytes) : communicator::exchange_memory(memory, bytes);
  }

  status wait(simt::stream_type stream) override
  {
    for (bool is_done = false;;) {
      GIMBAL_TRY(simt::query(stream, is_done, "wait for the ranks"));
      if (is_done) {
        return {};
      }
      ncclResult_t failed = ncclInvalidUsage;
      const bool is_sound = comm_ != nullptr && ncclCommGetAsyncError(comm_, &failed) == ncclSuccess
                            && (failed == ncclSuccess || failed == ncclInProgress) && failure() == nullptr
                            && !(peers_ != nullptr && peers_->is_lost());
      if (!is_sound) {
        abandon("NCCL's communicator has failed");  // its kernels end, and the stream drains
        return simt::failure(simt::error_communication, "work of a communicator that has failed");
      }
    }
  }

  void abandon(const std::string& cause) override
  {
    if (shared_ != nullptr) {
      shared_->set(rank(), cause);
    }
    if (peers_ != nullptr) {
      peers_->abandon(cause);
    }
    if (comm_ != nullptr) {
      static_cast<void>(ncclCommAbort(comm_));
      comm_ = nullptr;
    }
  }

  const rank_failure* failure() const override
  {
    const rank_failure* const of_threads = shared_ != nullptr && shared_->is_set() ? shared_ : nullptr;
    return peers_ != nullptr ? peers_->failure() : of_threads;
  }

private:
  /// all + r * bytes = the `bytes` that rank r has at `mine`, in the hosts' memory. Waits.
  status gather_bytes(const void* mine, std::size_t bytes, void* all, simt::stream_type stream)
  {
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(size());
    void* memory = nullptr;
    GIMBAL_TRY(simt::pool_allocate(memory, bytes + all_bytes, stream, "allocation for numbers of all ranks"));
    char* const gathered = static_cast<char*>(memory) + bytes;
    status failed = simt::copy_bytes(memory, mine, bytes, stream, "copy of a rank's numbers");
    failed = failed ? failed : all_gather(memory, gathered, bytes, stream);
    failed = failed ? failed : simt::copy_bytes(all, gathered, all_bytes, stream, "copy of all ranks' numbers");
    failed = failed ? failed : wait(stream);
    simt::pool_free(memory, stream);
    return failed;
  }

  /// One round of exchange(). The own piece is a copy in device memory: NCCL would pass it through its buffers.
  status exchange_by_nccl(const piece* pieces, simt::stream_type stream)
  {
    const piece& own = pieces[rank()];
    if (own.sent_bytes != 0 && own.sent != own.received) {
      GIMBAL_TRY(simt::copy_bytes(own.received, own.sent, own.sent_bytes, stream, "copy of the own piece"));
    }
    GIMBAL_TRY(status_of(ncclGroupStart(), "ncclGroupStart"));
    status first;
    for (int r = 0; r < size() && !first; ++r) {
      // Each rank begins with its next: no rank is everybody's first peer.
      const int to = (rank() + r) % size();
      const int from = (rank() + size() - r) % size();
      if (to != rank() && pieces[to].sent_bytes != 0) {
        first = status_of(ncclSend(pieces[to].sent, pieces[to].sent_bytes, ncclUint8, to, comm_, stream), "ncclSend");
      }
      if (!first && from != rank() && pieces[from].received_bytes != 0) {
        first = status_of(
          ncclRecv(pieces[from].received, pieces[from].received_bytes, ncclUint8, from, comm_, stream), "ncclRecv");
      }
    }
    const status ended = status_of(ncclGroupEnd(), "ncclGroupEnd");
    return first ? first : ended;
  }

  static int rank_of(ncclComm_t comm)
  {
    int rank = 0;
    static_cast<void>(ncclCommUserRank(comm, &rank));
    return rank;
  }
  static int size_of(ncclComm_t comm)
  {
    int size = 1;
    static_cast<void>(ncclCommCount(comm, &size));
    return size;
  }
  static status status_of(ncclResult_t result, const char* step)
  {
    return simt::failure(
      result == ncclSuccess || result == ncclInProgress ? simt::success : simt::error_communication, step);
  }

  ncclComm_t comm_;
  rank_failure* shared_;
  status taken_;
  bool is_connected_ = false;
  std::unique_ptr<ranks::process_peers> peers_;
};

GIMBAL_NAMESPACE_END
