// Compares calls over a communicator with the same call on one GPU, and a sort with a rival made of stock parts, in one
// run.
//
//   perf_distributed [log2 of the items a GPU, default 28] [GPUs, default all]
//
// It prints one line per call: microseconds (median of 11, the slowest rank) on one GPU without a communicator, with
// all GPUs as run_on_devices chooses, with a process for each, and with all over NCCL; one / all, the share of that
// many GPUs' rate that is kept; for sorts the rival's time, too. Inputs are random, fresh for each run, results checked
// once. Needs NCCL.
#include <gimbal/communicator.h>
#include <gimbal/segmented_scan.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "processes.h"
#include "rival.h"

namespace {

constexpr int runs = 11;

template <class T>
struct random_item {
  std::uint64_t seed;
  __host__ __device__ T operator()(long long i) const
  {
    std::uint64_t z = (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<T>(z ^ (z >> 31));
  }
};
struct is_odd {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x % 2 != 0; }
};
/// Keys of runs of `length` items.
struct run_number {
  long long length;
  __host__ __device__ std::uint32_t operator()(long long i) const { return static_cast<std::uint32_t>(i / length); }
};
struct begins_run {
  long long length;
  __host__ __device__ bool operator()(long long i) const { return i % length == 0; }
};
/// Keys that are no random words: 2^20 values, the k-th as frequent as 1 / k; in order from the least or the greatest.
struct zipf_key {
  __host__ __device__ std::uint32_t operator()(long long i) const
  {
    const auto random = static_cast<float>(random_item<std::uint32_t>{11}(i)) / 4294967296.0f;
    return static_cast<std::uint32_t>(exp2f(20 * random)) * 2654435761u;
  }
};
struct key_in_order {
  std::uint32_t direction;  // 1 or -1
  __host__ __device__ std::uint32_t operator()(long long i) const { return direction * static_cast<std::uint32_t>(i); }
};

/// Times of the slowest rank, by call.
struct table {
  std::mutex mutex;
  std::map<std::string, double> times;

  void add(const std::string& name, double microseconds)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    double& slowest = times[name];
    slowest = (std::max)(slowest, microseconds);
  }
};

/// Adds the median microseconds of `call`, before each of which `prepare` runs and all ranks meet.
template <class Prepare, class Call>
void time_call(table& found, const std::string& name, gimbal::communicator& ranks, Prepare prepare, Call call)
{
  std::vector<double> times;
  thrust::device_vector<int> one(1, 1);
  for (int run = 0; run <= runs; ++run) {
    prepare(static_cast<std::uint64_t>(run));
    thrust::reduce(gimbal::par.over(ranks), one.begin(), one.end());
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    if (run > 0) {
      times.push_back(took.count());
    }
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  found.add(name, times[runs / 2]);
}

/// With the rival's sorts if `comm` is not null.
template <class Key, class Policy>
void measure_sorts(
  const Policy& all, gimbal::communicator& ranks, long long n, const char* name, table& times, ncclComm_t comm)
{
  thrust::device_vector<Key> keys(static_cast<std::size_t>(n));
  const auto fill = [&](std::uint64_t run) {
    thrust::tabulate(all, keys.begin(), keys.end(), random_item<Key>{run << 40});
  };
  const std::string sort = std::string("sort ") + name;
  time_call(times, sort, ranks, fill, [&] { thrust::sort(all, keys.begin(), keys.end()); });
  if (!thrust::is_sorted(all, keys.begin(), keys.end())) {
    throw std::runtime_error(sort + " is wrong");
  }
  if (comm != nullptr) {
    cudaStream_t stream = nullptr;
    rival::check(cudaStreamCreate(&stream));
    rival::sample_sort<Key> other(comm, static_cast<std::size_t>(n), stream);
    time_call(times, "rival's " + sort, ranks, fill, [&] { other(thrust::raw_pointer_cast(keys.data())); });
    rival::check(cudaStreamDestroy(stream));
  }
  if constexpr (sizeof(Key) == 4) {
    thrust::device_vector<std::uint32_t> values(keys.size());
    time_call(times, std::string("sort_by_key ") + name + "+u32", ranks, fill, [&] {
      thrust::sort_by_key(all, keys.begin(), keys.end(), values.begin());
    });
  }
}

/// u32 keys whose parts are to go to few ranks, or to none.
template <class Policy>
void measure_skewed_sorts(const Policy& all, gimbal::communicator& ranks, long long n, table& times)
{
  thrust::device_vector<std::uint32_t> keys(static_cast<std::size_t>(n));
  const auto measure = [&](const char* name, auto key_at) {
    const auto fill = [&](std::uint64_t) { thrust::tabulate(all, keys.begin(), keys.end(), key_at); };
    time_call(
      times, std::string("sort u32, ") + name, ranks, fill, [&] { thrust::sort(all, keys.begin(), keys.end()); });
  };
  measure("equal", run_number{1LL << 62});
  measure("zipf", zipf_key{});
  measure("sorted", key_in_order{1});
  measure("reversed", key_in_order{~0u});
}

/// Segments of 256 items, by flags and by offsets, of which each rank has its part. `time(name, call)` takes a call's.
template <class Policy, class Time>
void measure_segments(
  const Policy& all, long long n, const thrust::device_vector<std::uint32_t>& x,
  thrust::device_vector<std::uint32_t>& out, Time time)
{
  constexpr long long length = 256;
  thrust::device_vector<bool> flags(x.size());
  thrust::tabulate(all, flags.begin(), flags.end(), begins_run{length});
  time("segmented scan, flags", [&] {
    gimbal::exclusive_segmented_scan(all, x.begin(), x.end(), flags.begin(), out.begin(), 0u);
  });
  thrust::device_vector<long long> offsets(static_cast<std::size_t>(n / length));
  thrust::tabulate(all, offsets.begin(), offsets.end(), thrust::placeholders::_1 * length);
  const gimbal::segment_offsets segments(offsets.begin(), offsets.end());
  time("segmented scan, offsets", [&] {
    gimbal::exclusive_segmented_scan(all, x.begin(), x.end(), segments, out.begin(), 0u);
  });
}

template <class Policy>
void measure(const Policy& all, gimbal::communicator& ranks, long long n, table& times, ncclComm_t comm)
{
  const auto time = [&](const char* name, auto call) {
    time_call(
      times, name, ranks, [](std::uint64_t) {}, call);
  };
  {
    thrust::device_vector<std::uint32_t> x(static_cast<std::size_t>(n));
    thrust::device_vector<std::uint32_t> out(x.size());
    thrust::device_vector<std::uint32_t> keys(x.size());
    thrust::device_vector<std::uint32_t> keys_out(x.size());
    thrust::tabulate(all, x.begin(), x.end(), random_item<std::uint32_t>{7});
    thrust::tabulate(all, keys.begin(), keys.end(), run_number{8});
    time("reduce u32", [&] { thrust::reduce(all, x.begin(), x.end()); });
    time("exclusive_scan u32", [&] { thrust::exclusive_scan(all, x.begin(), x.end(), out.begin()); });
    time("copy_if u32", [&] { thrust::copy_if(all, x.begin(), x.end(), out.begin(), is_odd{}); });
    time("reduce_by_key u32", [&] {
      thrust::reduce_by_key(all, keys.begin(), keys.end(), x.begin(), keys_out.begin(), out.begin());
    });
    measure_segments(all, n, x, out, time);
    time("reduce u32 of 2^10", [&] { thrust::reduce(all, x.begin(), x.begin() + 1024); });
  }
  measure_sorts<std::uint32_t>(all, ranks, n, "u32", times, comm);
  measure_sorts<std::uint64_t>(all, ranks, n, "u64", times, comm);
  measure_skewed_sorts(all, ranks, n, times);
}

/// In a process for each rank, which leaves its times in a file.
void measure_own(const processes::rank& own, long long n)
{
  ncclComm_t comm = processes::connect(own);
  {
    gimbal::nccl_communicator ranks(comm);
    table times;
    measure(gimbal::par.over(ranks), ranks, n, times, nullptr);
    std::ofstream file(own.folder + "/" + std::to_string(own.number));
    for (const auto& [name, time] : times.times) {
      file << time << " " << name << "\n";
    }
    if (own.number == 0) {
      std::printf("processes %s each other's memory\n", ranks.is_direct() ? "read" : "do not read");
    }
  }
  rival::check(ncclCommDestroy(comm));
}
void measure_processes(int size, const char* log2_of_items, table& times)
{
  const processes::folder folder;
  for (const int result : processes::run(size, "times", folder.path(), {log2_of_items}, 600)) {
    if (result != 0) {
      throw std::runtime_error("a rank's process has failed");
    }
  }
  for (int r = 0; r < size; ++r) {
    std::ifstream file(folder.path() + "/" + std::to_string(r));
    double time = 0;
    for (std::string name; file >> time && file.get() == ' ' && std::getline(file, name);) {
      times.add(name, time);
    }
  }
}

}  // namespace

int main(int count, char** arguments)
{
  const char* const log2_of_items = count > 1 ? arguments[1] : "28";
  const long long n = 1LL << std::atoi(log2_of_items);
  const int devices = count > 2 ? std::atoi(arguments[2]) : 0;
  if (const processes::rank own = processes::own_rank(); own.number >= 0) {
    measure_own(own, n);
    return 0;
  }
  table one;
  table all;
  table apart;
  table nccl;
  int size = 0;
  gimbal::run_on_devices([&](gimbal::communicator& ranks) { measure(gimbal::par, ranks, n, one, nullptr); }, 1);
  gimbal::run_on_devices(
    [&](gimbal::communicator& ranks) {
      size = ranks.rank() == 0 ? ranks.size() : size;
      measure(gimbal::par.over(ranks), ranks, n, all, nullptr);
    },
    devices);
  measure_processes(size, log2_of_items, apart);
  std::vector<ncclComm_t> rivals(static_cast<std::size_t>(size));
  rival::check(ncclCommInitAll(rivals.data(), size, nullptr));
  gimbal::adaptor::run_on_nccl(size, [&](gimbal::communicator& ranks) {
    measure(gimbal::par.over(ranks), ranks, n, nccl, rivals[static_cast<std::size_t>(ranks.rank())]);
  });
  for (ncclComm_t comm : rivals) {
    rival::check(ncclCommDestroy(comm));
  }
  std::printf("%lld items a GPU, %d GPUs\n", n, size);
  std::printf(
    "%-24s %12s %12s %8s %12s %8s %12s %8s %12s\n", "call", "one GPU us", "all us", "of rate", "processes us",
    "of rate", "NCCL us", "of rate", "rival us");
  for (const auto& [name, time] : one.times) {
    std::printf("%-24s %12.1f", name.c_str(), time);
    for (table* const others : {&all, &apart, &nccl}) {
      std::printf(" %12.1f %8.3f", others->times[name], time / others->times[name]);
    }
    const double of_rival = nccl.times["rival's " + name];
    std::printf(of_rival > 0 ? " %12.1f\n" : "\n", of_rival);
  }
  return 0;
}
