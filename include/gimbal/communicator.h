// Thrust's algorithms over several GPUs of one host or of many.
//
//   gimbal::run_on_devices([&](gimbal::communicator& ranks) {               // one thread a GPU
//     thrust::device_vector<float> part = ...;                              // this rank's part of one sequence
//     thrust::sort(gimbal::par.over(ranks), part.begin(), part.end());      // the whole sequence is sorted
//   });
//
// Every rank calls, with its part of one sequence; the parts may differ in size or be empty, and the whole may have
// more than 2^32 items. Results are as if the parts, in the order of the ranks, had been one sequence of one call: what
// the call returns, on all ranks; what it writes, each rank's share to that rank. Each algorithm documents how many
// items a rank gets: as many as it has (sorts, scans, partition) or what its own items give (copy_if, unique,
// reduce_by_key), which gimbal::rebalance evens out.
//
// With NCCL, a nccl_communicator wraps an ncclComm_t, one rank per GPU, however it was made (ncclCommInitAll in one
// process, ncclCommInitRank after MPI or a file has passed the id on). On the host executor it is a
// thread_communicator.
//
//   gimbal::par.over(ranks), gimbal::par.over(ranks).on(stream), gimbal::par.over(ranks)(allocator),
//   gimbal::par.over(ranks)(allocator).on(stream)
//
// Algorithms: reduce.h, find.h, scan.h, select.h, partition.h, sort.h and elementwise.h in gimbal/distributed; any
// other does not compile over a communicator. Iterators are random access; values are copied bytewise and have at most
// 128 bytes. Operators, predicates and comparisons are known on the device. Calls wait for their end.
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
#include <gimbal/distributed/select.h>
#include <gimbal/distributed/sort.h>

#include <exception>
#include <thread>
#include <vector>

#if GIMBAL_GPU
#include <gimbal/ranks/nccl_communicator.h>
#else
#include <gimbal/ranks/thread_communicator.h>
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

}  // namespace adaptor

#if GIMBAL_GPU

namespace adaptor {

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

}  // namespace adaptor

/// Calls f(communicator&) on every GPU of this host, or the first few, in a thread each whose current device it is,
/// with a communicator of all of them. Returns when all have returned. If one throws, the calls of the others over the
/// communicator throw, too, and what the first threw is thrown here.
template <class F>
void run_on_devices(F f, int devices = 0)
{
  int found = 0;
  if (const status failed = simt::count_devices(found)) {
    adaptor::throw_failure(failed, "gimbal run_on_devices");
  }
  const int ranks = devices == 0 ? found : devices;
  if (ranks > found || ranks < 1) {
    adaptor::throw_failure(
      simt::failure(simt::error_invalid_value, "number of devices"),
      "gimbal run_on_devices on " + std::to_string(ranks));
  }
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(ranks));
  if (ncclCommInitAll(comms.data(), ranks, nullptr) != ncclSuccess) {
    adaptor::throw_failure(simt::failure(simt::error_communication, "ncclCommInitAll"), "gimbal run_on_devices");
  }
  rank_failure failure;
  adaptor::run_on_threads(
    ranks,
    [&](int rank) {
      const status set = simt::set_device(rank);
      adaptor::owning_nccl_communicator own(comms[static_cast<std::size_t>(rank)], failure);
      if (const status failed = set ? set : own.taken()) {
        adaptor::throw_failure(failed, "gimbal run_on_devices");
      }
      f(static_cast<communicator&>(own));
    },
    [&](int rank, const std::string& cause) { failure.set(rank, cause); });
}

#else

/// Calls f(communicator&) in that many threads, each a rank of one group on the host executor.
template <class F>
void run_on_devices(F f, int devices = 2)
{
  thread_group group(devices);
  adaptor::run_on_threads(
    devices,
    [&](int rank) {
      thread_communicator own(group, rank);
      if (const status failed = own.taken()) {
        adaptor::throw_failure(failed, "gimbal run_on_devices");
      }
      f(static_cast<communicator&>(own));
    },
    [&](int rank, const std::string& cause) { group.abandon(rank, cause); });
}

#endif

GIMBAL_NAMESPACE_END
