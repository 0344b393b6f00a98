// Several host threads call at the same time, each on its own stream with its own storage: this counts how many calls
// end in a millisecond, gimbal's beside stock's. The two libraries take turns, round by round, and so does which goes
// first; the output is the median of the rounds' ratios (above 1 gimbal is faster), its quartiles, and whether the
// results are stock's, byte for byte.
//
//   perf_concurrent [--family NAME] [--threads COUNT] [SIZE, up to 32 its logarithm to base 2...]
//
// `mix`: thread t makes calls of family t, t + 1 and so on in turn.
//
// A call that fails ends the program, which names the library: merge sorts of CCCL 3.0.1, where several run, sometimes
// fail with an illegal address or instruction (a race that later versions do not have: github.com/NVIDIA/cccl, issue
// 5297). What is left is then selected by family, threads and size.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../compare/arguments.h"
#include "../compare/fill.h"
#include "calls.h"

namespace perf {
namespace {

constexpr int rounds = 9;
constexpr double round_seconds = 0.004;  // of the slower side, so long that the start of threads is small beside it
constexpr unsigned most_calls = 400;     // of a thread in a round
constexpr int mix = family_count;

/// Different numbers for each thread's arrays.
struct number_of_thread {
  unsigned seed;
  __host__ __device__ unsigned operator()(std::size_t i) const
  {
    return static_cast<unsigned>(mixed((std::uint64_t{seed} << 32) + i));
  }
};

/// The stream of the host thread with this number: the same for all cells, as threads of a program keep theirs.
cudaStream_t stream_of(unsigned number)
{
  static std::vector<cudaStream_t> streams;
  while (streams.size() <= number) {
    PERF_CHECK(cudaStreamCreateWithFlags(&streams.emplace_back(), cudaStreamNonBlocking));
  }
  return streams[number];
}

/// A host thread's stream, arrays and storage; outputs of either side.
class caller {
public:
  caller(long long n, unsigned number, const std::vector<int>& made) : stream(stream_of(number)), families_(made)
  {
    const auto items = static_cast<std::size_t>(n);
    const std::size_t bytes = items * sizeof(unsigned);
    auto* const in = take<unsigned>(bytes);
    auto* const values = take<unsigned>(bytes);
    fill(in, items, number_of_thread{number});
    fill(values, items, number_of_thread{number + 1000});
    std::size_t storage_bytes = 1;
    for (int side = 0; side < 2; ++side) {
      arrays[side] = {in, take<unsigned>(bytes), values, take<unsigned>(bytes), take<long long>(8), nullptr, 0, n};
      for (const int family : families_) {
        call_arrays asked = arrays[side];
        PERF_CHECK(call_of(family, side)(asked, stream));
        storage_bytes = std::max(storage_bytes, asked.storage_bytes);
      }
    }
    void* const storage = take<unsigned char>(storage_bytes);
    for (call_arrays& of_side : arrays) {
      of_side.storage = storage;
      of_side.storage_bytes = storage_bytes;
    }
    PERF_CHECK(cudaDeviceSynchronize());
  }

  /// So many calls, one after the other; waits for the last.
  void call(int side, unsigned calls)
  {
    for (unsigned c = 0; c < calls; ++c) {
      const int family = families_[c % families_.size()];
      PERF_CHECK(call_of(family, side)(arrays[side], stream));
    }
    PERF_CHECK(cudaStreamSynchronize(stream));
  }

  /// Whether each family's results are stock's.
  bool is_right()
  {
    const auto bytes = static_cast<std::size_t>(arrays[0].items) * sizeof(unsigned);
    for (const int family : families_) {
      for (int side = 0; side < 2; ++side) {
        poison(arrays[side].out, bytes);
        poison(arrays[side].values_out, bytes);
        poison(arrays[side].count, sizeof(long long));
        PERF_CHECK(cudaDeviceSynchronize());
        PERF_CHECK(call_of(family, side)(arrays[side], stream));
        PERF_CHECK(cudaStreamSynchronize(stream));
      }
      long long count = arrays[0].items;
      const std::string name = families[family].name;
      if (name == "select") {  // what follows is poison
        PERF_CHECK(cudaMemcpy(&count, arrays[1].count, sizeof(count), cudaMemcpyDeviceToHost));
      } else if (name == "reduce") {
        count = 1;
      }
      if (
        count_differences(arrays[0].out, arrays[1].out, static_cast<std::size_t>(count) * sizeof(unsigned)) != 0
        || count_differences(arrays[0].values_out, arrays[1].values_out, bytes) != 0
        || count_differences(arrays[0].count, arrays[1].count, sizeof(long long)) != 0) {
        return false;
      }
    }
    return true;
  }

  cudaStream_t stream;
  call_arrays arrays[2];

private:
  static device_call call_of(int family, int side)
  {
    return side == 0 ? families[family].gimbal : families[family].stock;
  }

  template <class T>
  T* take(std::size_t bytes)
  {
    return static_cast<T*>(memory_.take(bytes));
  }

  std::vector<int> families_;
  device_memory memory_;
};

/// Seconds from when all threads may go until the last is done.
double time_round(std::vector<std::unique_ptr<caller>>& callers, int side, unsigned calls)
{
  using clock = std::chrono::steady_clock;
  std::atomic<std::size_t> ready{0};
  std::atomic<bool> may_go{false};
  std::atomic<bool> has_failed{false};
  std::vector<clock::time_point> ended(callers.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < callers.size(); ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (!may_go) {
      }
      try {
        callers[t]->call(side, calls);
      } catch (const device_error& error) {
        std::fprintf(stderr, "perf_concurrent: %s: %s\n", side == 0 ? "gimbal" : "stock", error.what());
        has_failed = true;
      }
      ended[t] = clock::now();
    });
  }
  while (ready < callers.size()) {
    std::this_thread::yield();
  }
  const auto begin = clock::now();
  may_go = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (has_failed) {
    throw device_error(std::string{side == 0 ? "gimbal" : "stock"} + ": a thread's call failed");
  }
  return std::chrono::duration<double>(*std::max_element(ended.begin(), ended.end()) - begin).count();
}

double quantile(std::vector<double> sorted, double part)
{
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
}

std::string name_of(int family) { return family == mix ? "mix" : families[family].name; }

/// False if a result is wrong.
bool measure(int family, long long n, unsigned threads)
{
  std::vector<std::unique_ptr<caller>> callers;
  for (unsigned t = 0; t < threads; ++t) {
    std::vector<int> made{family};
    if (family == mix) {
      made.clear();
      for (int f = 0; f < family_count; ++f) {
        made.push_back(static_cast<int>((t + static_cast<unsigned>(f)) % family_count));
      }
    }
    callers.push_back(std::make_unique<caller>(n, t, made));
  }
  bool is_right = true;
  for (auto& each : callers) {
    is_right = is_right && each->is_right();
  }
  const unsigned turn = family == mix ? family_count : 1;  // so that a round has as many calls of each
  double slower = 0;
  for (int side = 0; side < 2; ++side) {
    time_round(callers, side, turn);  // first calls
    slower = std::max(slower, time_round(callers, side, 4 * turn) / (4 * turn));
  }
  const auto wanted = static_cast<unsigned>(std::min(round_seconds / slower, double{most_calls}));
  const unsigned calls = std::max(wanted / turn, 2u) * turn;
  std::vector<double> ratios;
  std::vector<double> rates[2];
  for (int round = 0; round < rounds; ++round) {
    double seconds[2];
    for (int k = 0; k < 2; ++k) {
      const int side = (round + k) % 2;
      seconds[side] = time_round(callers, side, calls);
      rates[side].push_back(calls * threads / seconds[side] / 1000);
    }
    ratios.push_back(seconds[1] / seconds[0]);
  }
  for (auto& each : callers) {
    is_right = is_right && each->is_right();
  }
  std::printf(
    "%-12s %9lld %3u   %9.1f %9.1f   %.2f (%.2f to %.2f)%s\n", name_of(family).c_str(), n, threads,
    quantile(rates[0], 0.5), quantile(rates[1], 0.5), quantile(ratios, 0.5), quantile(ratios, 0.25),
    quantile(ratios, 0.75), is_right ? "" : "   WRONG");
  std::fflush(stdout);
  return is_right;
}

/// False if a result is wrong.
bool measure_all(const std::string& wanted, const std::vector<unsigned>& threads, const std::vector<std::size_t>& sizes)
{
  std::printf("%-12s %9s %3s   %9s %9s   %s\n", "family", "items", "thr", "gimbal/ms", "stock/ms", "ratio of rates");
  bool are_right = true;
  for (int family = 0; family <= mix; ++family) {
    if (!wanted.empty() && wanted != name_of(family)) {
      continue;
    }
    for (const std::size_t n : sizes) {
      for (const unsigned count : threads) {
        try {
          are_right = measure(family, static_cast<long long>(n), count) && are_right;
        } catch (const device_error& error) {
          throw device_error(
            name_of(family) + ", " + std::to_string(n) + " items, " + std::to_string(count)
            + " threads: " + error.what());
        }
      }
    }
  }
  return are_right;
}

}  // namespace
}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  constexpr unsigned long most_threads = 256;
  text_options texts{{"--family", {}}, {"--threads", {}}};
  std::vector<std::size_t> sizes;
  bool is_understood = parse(argc, argv, texts, sizes);
  std::vector<unsigned> threads;
  for (const std::string& count : texts["--threads"]) {
    threads.push_back(static_cast<unsigned>(std::strtoul(count.c_str(), nullptr, 10)));
    is_understood = is_understood && threads.back() > 0 && threads.back() <= most_threads;
  }
  if (!is_understood) {
    std::fprintf(
      stderr,
      "usage: perf_concurrent [--family NAME] [--threads COUNT]... [SIZE, up to 32 its logarithm to base 2...]\n");
    return 64;
  }
  if (threads.empty()) {
    threads = {1, 2, 4, 8, 16, 32};
  }
  if (sizes.empty()) {
    sizes = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
  }
  try {
    return measure_all(text_of(texts, "--family"), threads, sizes) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "perf_concurrent: %s\n", error.what());
    return 1;
  }
}
