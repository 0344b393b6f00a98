// Thrust's algorithms over several GPUs of one host or of many.
//
//   gimbal::run_on_devices([&](gimbal::communicator& ranks) {               // one thread a GPU
//     thrust::device_vector<float> part = ...;                              // this rank's part of one sequence
//     thrust::sort(gimbal::par.over(ranks), part.begin(), part.end());      // the whole sequence is sorted
//   });
//
// Every rank calls, with its part of one sequence; the parts may differ in size or be empty, and the whole may have
// more than 2^32 items. Results are as if the parts, in the order of the ranks, had been one sequence of one call:
//
//   calls (in gimbal/distributed)                                    what a rank gets
//   reduce, transform_reduce, inner_product, counts (reduce.h),      the result, as all ranks
//   all_of, any_of, none_of, equal, is_sorted, is_partitioned,
//   unique_count
//   find, mismatch, min_element, partition_point, is_sorted_until    an iterator, if it has the item, else `last`
//   and their relatives (find.h)
//   scans, by key, of segments (scan.h, segmented_scan.h),           as many items as it has
//   adjacent_difference, sorts, argsort (sort.h), partition,
//   stable_partition (partition.h)
//   copy_if, remove, unique and their relatives, partition_copy,     what its own items give; of a run that spans
//   reduce_by_key (select.h)                                         ranks, the one where it begins
//   rebalance (partition.h)                                          as many items as it asks for
//   copy, fill, for_each, generate, replace, transform, sequence,    what its own items give
//   tabulate and their relatives (elementwise.h)
//   merge, set operations, searches in sorted sequences, gather,     an error of the compiler (refused.h)
//   scatter, reverse, shuffle
//
// A nccl_communicator wraps an ncclComm_t, one rank per GPU, however it was made (ncclCommInitAll in one process,
// ncclCommInitRank after MPI or a file has passed the id on). A peer_communicator is for threads of one process whose
// GPUs reach each other's memory, and for the host executor. run_on_devices makes what suits this host.
//
//   ranks are                                                how sorted items and messages go
//   threads, GPUs reach each other's memory, or one GPU      straight into place (peer_communicator.h)
//   processes of one host, GPUs reach each other's memory    straight into place (process_peers.h): nccl_communicator
//                                                            finds out in its first call
//   others                                                   NCCL
//
//   gimbal::par.over(ranks), gimbal::par.over(ranks).on(stream), gimbal::par.over(ranks)(allocator),
//   gimbal::par.over(ranks)(allocator).on(stream)
//
// Iterators are random access; values are copied bytewise and have at most 128 bytes. Operators, predicates and
// comparisons are known on the device. Calls wait for their end.
//
// Errors: if a call fails on one rank (out of memory, an allocator that throws, a fault on the device), every rank's
// call throws gimbal::rank_error, which names the rank and the cause, and the next call works. If a rank cannot take
// part any more (NCCL's or the device's failure, a stream that is being captured), the group is lost: its calls throw,
// and a new communicator is needed.
#pragma once

#include <gimbal/distributed/elementwise.h>
#include <gimbal/distributed/find.h>
#include <gimbal/distributed/partition.h>
#include <gimbal/distributed/reduce.h>
#include <gimbal/distributed/refused.h>
#include <gimbal/distributed/scan.h>
#include <gimbal/distributed/segmented_scan.h>
#include <gimbal/distributed/select.h>
#include <gimbal/distributed/sort.h>
#include <gimbal/ranks/peer_communicator.h>

#include <exception>
#include <thread>
#include <vector>
#if GIMBAL_GPU
#include <gimbal/ranks/nccl_communicator.h>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Calls work(r) for each of the ranks, in a thread each, and throws what the first to fail has thrown.
template <class Work, class Abandon>
void run_on_threads(int ranks, Work work, Abandon abandon)
{
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        work(r);
      } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        {
          const std::lock_guard<std::mutex> lock(mutex);
          first = first ? first : thrown;
        }
        std::string cause = "an exception that is no std::exception";
        try {
          std::rethrow_exception(thrown);
        } catch (const std::exception& known) {
          cause = known.what();
        } catch (...) {
        }
        abandon(r, cause);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

inline void throw_if_run_fails(status failed, const std::string& what = {})
{
  if (failed) {
    adaptor::throw_failure(failed, "gimbal run_on_devices" + what);
  }
}

/// Calls f(communicator&) in a thread for each rank, which reach each other's memory; rank r is on the r-th device,
/// those beyond the last on the first again.
template <class F>
void run_on_peers(int ranks, int devices, F f)
{
  peer_group group(ranks);
  adaptor::run_on_threads(
    ranks,
    [&](int rank) {
      adaptor::throw_if_run_fails(simt::set_device(rank % devices));
      peer_communicator own(group, rank);
      adaptor::throw_if_run_fails(own.taken());
      f(static_cast<communicator&>(own));
    },
    [&](int rank, const std::string& cause) { group.abandon(rank, cause); });
}

#if GIMBAL_GPU

/// Destroys NCCL's communicator; after an exception, of this rank or another, without waiting for the others.
class owning_nccl_communicator : public nccl_communicator {
public:
  owning_nccl_communicator(ncclComm_t comm, rank_failure& shared) : nccl_communicator(comm, &shared), comm_(comm) {}
  ~owning_nccl_communicator() override
  {
    if (is_abandoned()) {
      return;
    }
    static_cast<void>(
      std::uncaught_exceptions() > 0 || failure() != nullptr ? ncclCommAbort(comm_) : ncclCommDestroy(comm_));
  }

private:
  ncclComm_t comm_;
};

/// The same with NCCL between the first `ranks` devices.
template <class F>
void run_on_nccl(int ranks, F f)
{
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(ranks));
  const bool is_made = ncclCommInitAll(comms.data(), ranks, nullptr) == ncclSuccess;
  adaptor::throw_if_run_fails(simt::failure(is_made ? simt::success : simt::error_communication, "ncclCommInitAll"));
  rank_failure failure;
  adaptor::run_on_threads(
    ranks,
    [&](int rank) {
      const status set = simt::set_device(rank);
      owning_nccl_communicator own(comms[static_cast<std::size_t>(rank)], failure);
      adaptor::throw_if_run_fails(set ? set : own.taken());
      f(static_cast<communicator&>(own));
    },
    [&](int rank, const std::string& cause) { failure.set(rank, cause); });
}

/// Whether each of the first `ranks` devices reaches the memory of all others.
inline bool reach_each_other(int ranks)
{
  bool all = true;
  for (int device = 0; device < ranks; ++device) {
    for (int other = 0; other < ranks; ++other) {
      bool can = false;
      adaptor::throw_if_run_fails(simt::can_reach(device, other, can));
      all = all && can;
    }
  }
  return all;
}

#endif

}  // namespace adaptor

/// Calls f(communicator&) on every GPU of this host, or the first few, in a thread each whose current device it is,
/// with a communicator of all of them; on the host executor in as many threads, default 2. Returns when all have
/// returned. If one throws, the calls of the others over the communicator throw, too, and what the first threw is
/// thrown here.
///
/// What is between them is said above; for NCCL's communicators this takes half a second.
template <class F>
void run_on_devices(F f, int devices = 0)
{
#if GIMBAL_GPU
  int found = 0;
  adaptor::throw_if_run_fails(simt::count_devices(found));
  const int ranks = devices == 0 ? found : devices;
  const bool exist = ranks >= 1 && ranks <= found;
  adaptor::throw_if_run_fails(
    simt::failure(exist ? simt::success : simt::error_invalid_value, "number of devices"),
    " on " + std::to_string(ranks));
  if (adaptor::reach_each_other(ranks)) {
    adaptor::run_on_peers(ranks, found, f);
  } else {
    adaptor::run_on_nccl(ranks, f);
  }
#else
  adaptor::run_on_peers(devices == 0 ? 2 : devices, 1, f);
#endif
}

GIMBAL_NAMESPACE_END
