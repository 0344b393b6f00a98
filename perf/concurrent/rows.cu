// Calls of several host threads at the same time, as rows of the comparison's program: a row's algorithm is a family of
// device-wide calls, its distribution how many threads make them, each on a stream of its own with its own arrays and
// storage. A sample is a round of calls, by the wall clock until the last thread's last call is done.
//
// `mix`: thread t makes calls of family t, t + 1 and so on in turn.
//
// Merge sorts of CCCL 3.0.1, where several run, sometimes fail with an illegal address or instruction (a race that
// later versions do not have: github.com/NVIDIA/cccl, issue 5297). Such a cell fails alone.
#include <gimbal/device.h>

#include <algorithm>
#include <cub/cub.cuh>
#include <future>

#include "../compare/comparison.h"

namespace perf {

namespace {

/// What a thread's calls work on: arrays of `items` items.
struct call_arrays {
  const unsigned *in, *values;
  twin<unsigned> out, values_out;
  twin<long long> count;
  long long items;
};

/// Calls of both sides: `enqueue` puts one on a stream; without storage it says how much it needs.
struct call_family {
  const char* name;
  std::function<cudaError_t(side, const call_arrays&, cudaStream_t, void* storage, std::size_t& bytes)> enqueue;
};

/// `call(calls, of, arrays, stream, storage...)`, where `calls` has the side's device-wide calls.
template <class Stock, class Gimbal, class Call>
call_family family(const char* name, Call call)
{
  return {name, [call](side of, const call_arrays& a, cudaStream_t on, void* storage, std::size_t& bytes) {
            return of.is_gimbal ? call(Gimbal{}, of, a, on, storage, bytes) : call(Stock{}, of, a, on, storage, bytes);
          }};
}

struct is_even {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 == 0; }
};
struct is_less {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l < r; }
};
struct same_run {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l >> 20 == r >> 20; }
};

const std::vector<call_family>& families()
{
  static const std::vector<call_family> all = {
    family<cub::DeviceReduce, gimbal::DeviceReduce>(
      "reduce",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.Sum(storage..., a.in, of(a.out), a.items, on);
      }),
    family<cub::DeviceScan, gimbal::DeviceScan>(
      "scan",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.ExclusiveSum(storage..., a.in, of(a.out), a.items, on);
      }),
    family<cub::DeviceScan, gimbal::DeviceScan>(
      "scan_by_key",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.ExclusiveSumByKey(
          storage..., a.in, a.values, of(a.out), static_cast<int>(a.items), same_run{}, on);
      }),
    family<cub::DeviceSelect, gimbal::DeviceSelect>(
      "select",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.If(storage..., a.in, of(a.out), of(a.count), a.items, is_even{}, on);
      }),
    family<cub::DevicePartition, gimbal::DevicePartition>(
      "partition",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.If(storage..., a.in, of(a.out), of(a.count), a.items, is_even{}, on);
      }),
    family<cub::DeviceRadixSort, gimbal::DeviceRadixSort>(
      "sort",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.SortKeys(storage..., a.in, of(a.out), a.items, 0, 32, on);
      }),
    family<cub::DeviceRadixSort, gimbal::DeviceRadixSort>(
      "sort_pairs",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.SortPairs(storage..., a.in, of(a.out), a.values, of(a.values_out), a.items, 0, 32, on);
      }),
    family<cub::DeviceMergeSort, gimbal::DeviceMergeSort>(
      "merge_sort",
      [](auto calls, side of, auto& a, auto on, auto&&... storage) {
        return calls.SortKeysCopy(storage..., a.in, of(a.out), a.items, is_less{}, on);
      }),
  };
  return all;
}

/// The stream of the host thread with this number: the same for all cells, as threads of a program keep theirs.
cudaStream_t stream_of(unsigned number)
{
  static std::vector<cudaStream_t> streams;
  while (streams.size() <= number) {
    PERF_CHECK(cudaStreamCreateWithFlags(&streams.emplace_back(), cudaStreamNonBlocking));
  }
  return streams[number];
}

/// Different numbers for each thread's arrays.
struct number_of_thread {
  unsigned seed;
  __host__ __device__ unsigned operator()(std::size_t i) const
  {
    return static_cast<unsigned>(mixed((std::uint64_t{seed} << 32) + i));
  }
};

/// A host thread's stream, arrays and storage, and the families of its calls in turn.
class caller {
public:
  caller(comparison& c, unsigned number, std::vector<const call_family*> made)
      : made_(std::move(made)), stream_(stream_of(number))
  {
    const auto n = static_cast<std::size_t>(c.n());
    const unsigned* const in = c.filled<unsigned>(n, number_of_thread{number});
    const unsigned* const values = c.filled<unsigned>(n, number_of_thread{number + 1000});
    arrays_ = {in, values, c.output<unsigned>(n), c.output<unsigned>(n), c.output<long long>(1), c.n()};
    for (const call_family* one : made_) {
      for (const bool is_gimbal : {false, true}) {
        std::size_t bytes = 0;
        PERF_CHECK(one->enqueue(side{is_gimbal}, arrays_, stream_, nullptr, bytes));
        storage_bytes_ = std::max(storage_bytes_, bytes);
      }
    }
    storage_ = c.array<char>(storage_bytes_);
  }

  /// So many calls, one after the other; waits for the last.
  void call(side of, unsigned calls) const
  {
    for (unsigned k = 0; k < calls; ++k) {
      std::size_t bytes = storage_bytes_;
      PERF_CHECK(made_[k % made_.size()]->enqueue(of, arrays_, stream_, storage_, bytes));
    }
    PERF_CHECK(cudaStreamSynchronize(stream_));
  }

private:
  std::vector<const call_family*> made_;
  cudaStream_t stream_;
  call_arrays arrays_{};
  void* storage_ = nullptr;
  std::size_t storage_bytes_ = 1;
};

/// A round: so many calls of each caller, each in a host thread of its own.
void call_at_once(const std::vector<caller>& callers, side of, unsigned calls)
{
  // Streams of callers do not wait for the one that inputs and outputs are made on.
  PERF_CHECK(cudaDeviceSynchronize());
  std::vector<std::future<void>> threads;
  for (const caller& one : callers) {
    threads.push_back(std::async(std::launch::async, [&, of, calls] { one.call(of, calls); }));
  }
  for (std::future<void>& thread : threads) {
    thread.get();
  }
}

/// So many calls of each thread that a round takes some milliseconds: the threads' start is small beside it.
unsigned calls_of_round(std::uint64_t n, unsigned threads)
{
  constexpr std::uint64_t items = std::uint64_t{1} << 30, most_calls = 800;
  const std::uint64_t each = families().size();  // a round of `mix` has as many calls of each family
  return static_cast<unsigned>(std::clamp(items / n / threads / each * each, each, most_calls));
}

void compare_concurrent(comparison& c)
{
  constexpr int rounds = 9;
  const auto threads = static_cast<unsigned>(std::stoul(c.distribution()));
  const std::string& wanted = c.result().what.what.algorithm;
  std::vector<caller> callers;
  for (unsigned t = 0; t < threads; ++t) {
    std::vector<const call_family*> made;
    for (std::size_t f = 0; f < families().size(); ++f) {
      const call_family& next = families()[(t + f) % families().size()];
      if (wanted == "mix" || wanted == next.name) {
        made.push_back(&next);
      }
    }
    callers.emplace_back(c, t, std::move(made));
  }
  const unsigned calls = calls_of_round(c.size(), threads);
  c.allow({rounds, rounds, 0});
  c.wall([&] { call_at_once(callers, side{false}, calls); }, [&] { call_at_once(callers, side{true}, calls); });
}

const implementation here[] = {
  {"reduce", "u32", compare_concurrent},      {"scan", "u32", compare_concurrent},
  {"scan_by_key", "u32", compare_concurrent}, {"select", "u32", compare_concurrent},
  {"partition", "u32", compare_concurrent},   {"sort", "u32", compare_concurrent},
  {"sort_pairs", "u32", compare_concurrent},  {"merge_sort", "u32", compare_concurrent},
  {"mix", "u32", compare_concurrent},
};

}  // namespace

const std::uint64_t largest_size = std::uint64_t{1} << 26;

std::vector<row> rows(const options&)
{
  std::vector<row> found;
  for (row calls : implemented()) {
    for (const unsigned threads : {1, 2, 4, 8, 16, 32}) {
      calls.distribution = std::to_string(threads) + (threads == 1 ? " thread" : " threads");
      calls.item_bytes = sizeof(unsigned);
      calls.sizes = powers_of_two({10, 12, 14, 16, 18, 20, 22, 24});
      found.push_back(calls);
    }
  }
  return found;
}

}  // namespace perf
