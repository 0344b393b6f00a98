#include <gimbal/simt/instrument.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "measure.h"

namespace perf {

namespace {

/// A bijective mix of the position: every word of the sequence is independent of its neighbours.
struct random_word {
  std::uint32_t seed;

  __host__ __device__ std::uint32_t operator()(std::size_t position) const
  {
    std::uint64_t z = (static_cast<std::uint64_t>(seed) << 32) + position + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>(z >> 32);
  }
};

struct random_small {
  random_word random;

  __host__ __device__ std::int32_t operator()(std::size_t position) const
  {
    return static_cast<std::int32_t>(random(position) >> 16) - 0x8000;
  }
};

quartiles quartiles_of(std::vector<double> samples)
{
  std::sort(samples.begin(), samples.end());
  const std::size_t count = samples.size();
  return {samples[count / 4], samples[count / 2], samples[count - 1 - count / 4]};
}

void print_side(const timing& t)
{
  if (t.measured) {
    std::printf(" %10.1f %10.1f %6.2f", t.stock.median, t.gimbal.median, t.ratio());
  } else {
    std::printf(" %10s %10s %6s", "-", "-", "-");
  }
}

}  // namespace

std::vector<int> session::sizes(int limit) const
{
  std::vector<int> all;
  for (int log2 = 10; log2 <= std::min(limit, chosen_.max_log2); log2 += chosen_.quick ? 6 : 2) {
    all.push_back(log2);
  }
  return all;
}

std::size_t session::largest_size(int limit) const
{
  const std::vector<int> all = sizes(limit);
  return all.empty() ? 0 : std::size_t{1} << all.back();
}

int session::samples(int log2) const
{
  if (chosen_.quick) {
    return 7;
  }
  return log2 <= 20 ? 31 : log2 <= 24 ? 21 : 11;
}

double session::sample(clock_kind clock, const contender& side)
{
  side.reset();
  PERF_CHECK(cudaMemsetAsync(flush_buffer_.get(), 0x33, flush_bytes));
  if (clock == clock_kind::device) {
    PERF_CHECK(cudaEventRecord(start_));
    side.run();
    PERF_CHECK(cudaEventRecord(stop_));
    PERF_CHECK(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    PERF_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return 1e3 * milliseconds;
  }
  PERF_CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  side.run();
  PERF_CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

timing session::measure(clock_kind clock, const duel& both, int log2)
{
  std::vector<double> stock, gimbal;
  for (int s = 0; s < samples(log2); ++s) {
    // Whoever goes first may find the machine in another state: take turns.
    if (s % 2 == 0) {
      stock.push_back(sample(clock, both.stock));
    }
    gimbal.push_back(sample(clock, both.gimbal));
    if (s % 2 != 0) {
      stock.push_back(sample(clock, both.stock));
    }
  }
  return {true, quartiles_of(stock), quartiles_of(gimbal)};
}

/// One untimed run of each side (which also loads the kernels and fills the pools), compared.
bool session::agrees(const duel& both)
{
  namespace instrument = gimbal::simt::instrument;
  both.stock.reset();
  both.stock.run();
  both.gimbal.reset();
  const long launches = instrument::counted(instrument::point::launch);
  both.gimbal.run();
  const bool is_own = instrument::counted(instrument::point::launch) > launches;
  PERF_CHECK(cudaDeviceSynchronize());
  PERF_CHECK(cudaGetLastError());
  if (!is_own) {
    std::printf("not on gimbal's kernels:\n");
  }
  return both.agree() && is_own;
}

void session::compare(
  const std::string& family, const std::string& items, int log2, const duel& device, const duel& wall)
{
  cell result{family, items, log2, {}, {}, true};
  const auto run = [&](clock_kind clock, const duel& both) {
    if (!both.exists()) {
      return timing{};
    }
    result.equal = agrees(both) && result.equal;
    const timing measured = measure(clock, both, log2);
    // Every timed run started from poisoned outputs too: the last ones must be equal as well.
    result.equal = both.agree() && result.equal;
    return measured;
  };
  result.device = run(clock_kind::device, device);
  result.wall = run(clock_kind::wall, wall);
  std::printf("%-24s %-8s 2^%-2d", family.c_str(), items.c_str(), log2);
  print_side(result.device);
  std::printf("  |");
  print_side(result.wall);
  std::printf("  %s\n", result.equal ? "equal" : "DIFFERENT");
  std::fflush(stdout);
  cells.push_back(result);
}

double session::rate(std::size_t bytes, int log2, const std::function<void()>& run)
{
  const contender side{[] {}, run};
  sample(clock_kind::device, side);
  std::vector<double> taken;
  for (int s = 0; s < samples(log2); ++s) {
    taken.push_back(sample(clock_kind::device, side));
  }
  return bytes / quartiles_of(taken).median * 1e-3;
}

void poison(void* memory, int pattern, std::size_t bytes) { PERF_CHECK(cudaMemsetAsync(memory, pattern, bytes)); }

void copy(void* target, const void* source, std::size_t bytes)
{
  PERF_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice));
}

bool same_words(const void* a, const void* b, std::size_t words)
{
  const auto first = static_cast<const std::uint32_t*>(a);
  return thrust::equal(thrust::device, first, first + words, static_cast<const std::uint32_t*>(b));
}

bool is_poison(const void* memory, int pattern, std::size_t words)
{
  const auto first = static_cast<const std::uint32_t*>(memory);
  const auto expected = thrust::make_constant_iterator(0x01010101u * static_cast<std::uint32_t>(pattern));
  return thrust::equal(thrust::device, first, first + words, expected);
}

void fill_random(std::uint32_t* memory, std::size_t count, std::uint32_t seed)
{
  thrust::tabulate(thrust::device, memory, memory + count, random_word{seed});
}

void fill_small(std::int32_t* memory, std::size_t count, std::uint32_t seed)
{
  thrust::tabulate(thrust::device, memory, memory + count, random_small{{seed}});
}

void fill_runs(std::int32_t* keys, std::uint8_t* flags, std::size_t count, unsigned longest, std::uint32_t seed)
{
  std::vector<std::int32_t> run_of(count);
  std::vector<std::uint8_t> is_head(count, 0);
  std::mt19937 random(seed);
  std::int32_t run = 0;
  for (std::size_t first = 0; first < count; ++run) {
    const std::size_t last = std::min(count, first + 1 + random() % longest);
    is_head[first] = 1;
    std::fill(run_of.begin() + first, run_of.begin() + last, run);
    first = last;
  }
  PERF_CHECK(cudaMemcpy(keys, run_of.data(), count * sizeof(std::int32_t), cudaMemcpyHostToDevice));
  if (flags != nullptr) {
    PERF_CHECK(cudaMemcpy(flags, is_head.data(), count, cudaMemcpyHostToDevice));
  }
}

}  // namespace perf
