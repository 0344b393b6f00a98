#include <thrust/version.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

#include "measure.h"

namespace perf {

namespace {

// Both sides' outputs hold the same pattern before a call: what neither writes is equal, what one of them leaves out or
// writes beyond its end is not.
constexpr int poison_byte = 0xa5;

constexpr std::size_t least_flush = 512u << 20;  // 0.1 ms on an H200: the launches of a call queue up meanwhile
constexpr int flush_factor = 4;                  // times the L2, at least
constexpr long long first_spin_cycles = 100000;  // 50 us at 2 GHz
constexpr long long most_spin_cycles = 10000000;
constexpr unsigned threads = 512;
constexpr unsigned unroll = 4;

using seconds = std::chrono::duration<double>;
using microseconds = std::chrono::duration<double, std::micro>;

/// The next kernel of the stream waits for this many cycles.
__global__ void spin(long long cycles)
{
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Reads every word once and writes nothing unless a sum that never occurs does.
__global__ void __launch_bounds__(threads) read_kernel(const uint4* in, std::size_t count, unsigned* never)
{
  const std::size_t stride = std::size_t{gridDim.x} * threads;
  std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  unsigned sum = 0;
  for (; i + (unroll - 1) * stride < count; i += unroll * stride) {
    uint4 words[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) {
      words[u] = in[i + u * stride];
    }
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) {
      sum |= words[u].x | words[u].y | words[u].z | words[u].w;
    }
  }
  for (; i < count; i += stride) {
    sum |= in[i].x | in[i].y | in[i].z | in[i].w;
  }
  if (sum == 0xffffffffu && count == 0) {
    *never = sum;
  }
}

__global__ void __launch_bounds__(threads)
  difference_kernel(const unsigned char* a, const unsigned char* b, std::size_t bytes, unsigned long long* differences)
{
  const std::size_t stride = std::size_t{gridDim.x} * threads;
  const std::size_t first = std::size_t{blockIdx.x} * threads + threadIdx.x;
  const std::size_t words = bytes / sizeof(std::uint64_t);
  unsigned long long found = 0;
  for (std::size_t i = first; i < words; i += stride) {
    std::uint64_t unequal = reinterpret_cast<const std::uint64_t*>(a)[i] ^ reinterpret_cast<const std::uint64_t*>(b)[i];
    for (; unequal != 0; unequal >>= 8) {
      found += (unequal & 0xff) != 0 ? 1 : 0;
    }
  }
  for (std::size_t i = words * sizeof(std::uint64_t) + first; i < bytes; i += stride) {
    found += a[i] != b[i] ? 1 : 0;
  }
  if (found != 0) {
    atomicAdd(differences, found);
  }
}

/// As many blocks as are resident at once, or fewer for few items: a second, partial wave would lower a ceiling.
unsigned grid_for(std::size_t items)
{
  static const std::size_t resident = [] {
    int device = 0, processors = 0;
    PERF_CHECK(cudaGetDevice(&device));
    PERF_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    constexpr unsigned blocks_of_processor = 2048 / threads;
    return std::size_t{blocks_of_processor} * static_cast<unsigned>(processors);
  }();
  return static_cast<unsigned>(std::min(resident, std::max<std::size_t>(1, (items + threads - 1) / threads)));
}

/// One word of device memory, kept for the whole run.
unsigned long long* device_word()
{
  static unsigned long long* const word = [] {
    void* memory = nullptr;
    PERF_CHECK(cudaMalloc(&memory, sizeof(unsigned long long)));
    return static_cast<unsigned long long*>(memory);
  }();
  return word;
}

quartiles quartiles_of(std::vector<double> samples)
{
  std::sort(samples.begin(), samples.end());
  const std::size_t count = samples.size();
  return {samples[count / 4], samples[count / 2], samples[count - 1 - count / 4]};
}

}  // namespace

stopwatch::stopwatch()
{
  int device = 0, l2_bytes = 0;
  PERF_CHECK(cudaGetDevice(&device));
  PERF_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  flush_bytes_ = std::max<std::size_t>(least_flush, std::size_t{flush_factor} * static_cast<unsigned>(l2_bytes));
  PERF_CHECK(cudaMalloc(&flush_buffer_, flush_bytes_));
  PERF_CHECK(cudaEventCreate(&start_));
  PERF_CHECK(cudaEventCreate(&stop_));
}

stopwatch::~stopwatch()
{
  // After an error of the device these fail too, and there is nothing left to free.
  static_cast<void>(cudaFree(flush_buffer_));
  static_cast<void>(cudaEventDestroy(start_));
  static_cast<void>(cudaEventDestroy(stop_));
}

void stopwatch::flush() { PERF_CHECK(cudaMemsetAsync(flush_buffer_, 0x33, flush_bytes_)); }

double stopwatch::elapsed()
{
  PERF_CHECK(cudaEventSynchronize(stop_));
  float milliseconds = 0;
  PERF_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop_));
  return 1e3 * milliseconds;
}

double stopwatch::sample_queued(const contender& side)
{
  for (; spin_cycles_ <= most_spin_cycles; spin_cycles_ *= 2) {
    side.reset();
    flush();
    spin<<<1, 1>>>(spin_cycles_);
    PERF_CHECK(cudaGetLastError());
    PERF_CHECK(cudaEventRecord(start_));
    side.run();
    PERF_CHECK(cudaEventRecord(stop_));
    const cudaError_t begun = cudaEventQuery(start_);
    const double microseconds_taken = elapsed();
    if (begun == cudaErrorNotReady) {
      // Not an error, but it is kept like one.
      static_cast<void>(cudaGetLastError());
      return microseconds_taken;
    }
    PERF_CHECK(begun);
  }
  return -1;
}

double stopwatch::sample_wall(const contender& side)
{
  side.reset();
  flush();
  PERF_CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  side.run();  // returns when its result is there
  const auto end = std::chrono::steady_clock::now();
  PERF_CHECK(cudaDeviceSynchronize());
  return microseconds(end - begin).count();
}

double stopwatch::sample(clock_kind clock, const contender& side)
{
  if (clock == clock_kind::wall) {
    return sample_wall(side);
  }
  if (clock == clock_kind::queued) {
    return sample_queued(side);
  }
  side.reset();
  flush();
  PERF_CHECK(cudaEventRecord(start_));
  side.run();
  PERF_CHECK(cudaEventRecord(stop_));
  return elapsed();
}

measured stopwatch::measure(clock_kind clock, const std::vector<contender>& sides, const budget& allowed)
{
  const std::size_t count = sides.size();
  std::vector<std::vector<double>> taken(count);
  spin_cycles_ = first_spin_cycles;
  const auto begin = std::chrono::steady_clock::now();
  for (int s = 0; s < allowed.most; ++s) {
    if (s >= allowed.least && seconds(std::chrono::steady_clock::now() - begin).count() > allowed.seconds) {
      break;
    }
    for (std::size_t c = 0; c < count; ++c) {
      // Whoever goes first may find the machine in another state: take turns.
      const std::size_t turn = (c + static_cast<std::size_t>(s)) % count;
      const double microseconds_taken = sample(clock, sides[turn]);
      if (microseconds_taken < 0) {
        return {};
      }
      taken[turn].push_back(microseconds_taken);
    }
  }
  measured result{static_cast<int>(taken[0].size()), {}};
  for (const std::vector<double>& of_side : taken) {
    result.sides.push_back(quartiles_of(of_side));
  }
  return result;
}

void* device_memory::take(std::size_t bytes)
{
  bytes = std::max<std::size_t>(bytes, 1);
  block* best = nullptr;
  for (block& b : blocks_) {
    if (!b.used && b.bytes >= bytes && b.bytes / 2 <= bytes && (best == nullptr || b.bytes < best->bytes)) {
      best = &b;
    }
  }
  if (best != nullptr) {
    best->used = true;
    return best->memory;
  }
  void* memory = nullptr;
  cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    release_unused(0);
    code = cudaMalloc(&memory, bytes);
  }
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    throw exhausted("no room for " + std::to_string(bytes) + " bytes of device memory");
  }
  PERF_CHECK(code);
  blocks_.push_back({memory, bytes, true});
  return memory;
}

void device_memory::give_back(const void* memory)
{
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [=](const block& b) { return b.memory == memory; });
  found->used = false;
}

void device_memory::give_back_all()
{
  for (block& b : blocks_) {
    b.used = false;
  }
}

void device_memory::release_unused(std::size_t least)
{
  const auto unused =
    std::stable_partition(blocks_.begin(), blocks_.end(), [=](const block& b) { return b.used || b.bytes < least; });
  for (auto b = unused; b != blocks_.end(); ++b) {
    static_cast<void>(cudaFree(b->memory));
  }
  blocks_.erase(unused, blocks_.end());
}

kept_memory& memory_of_stock()
{
  static kept_memory& memory = *new kept_memory;  // for as long as the program lives: afterwards there is no device
  return memory;
}

setting where_am_i(const std::string& commit)
{
  int device = 0;
  cudaDeviceProp properties{};
  setting where;
  PERF_CHECK(cudaGetDevice(&device));
  PERF_CHECK(cudaGetDeviceProperties(&properties, device));
  PERF_CHECK(cudaDriverGetVersion(&where.driver));
  PERF_CHECK(cudaRuntimeGetVersion(&where.cuda));
  where.device = properties.name;
  where.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  where.multiprocessors = properties.multiProcessorCount;
  where.l2_bytes = properties.l2CacheSize;
  where.cccl = std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION) + "."
               + std::to_string(THRUST_SUBMINOR_VERSION);
  where.commit = commit;
  const std::time_t now = std::time(nullptr);
  char date[sizeof("2026-01-31")] = "";
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  where.date = date;
  return where;
}

bool device_is_usable()
{
  static_cast<void>(cudaGetLastError());
  return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
}

void poison(void* memory, std::size_t bytes) { PERF_CHECK(cudaMemsetAsync(memory, poison_byte, bytes)); }

void copy(void* target, const void* source, std::size_t bytes)
{
  PERF_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice));
}

std::size_t count_differences(const void* a, const void* b, std::size_t bytes)
{
  unsigned long long differences = 0;
  PERF_CHECK(cudaMemset(device_word(), 0, sizeof(differences)));
  difference_kernel<<<grid_for(bytes / sizeof(std::uint64_t)), threads>>>(
    static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b), bytes, device_word());
  PERF_CHECK(cudaGetLastError());
  PERF_CHECK(cudaMemcpy(&differences, device_word(), sizeof(differences), cudaMemcpyDeviceToHost));
  return differences;
}

void read_all(const void* memory, std::size_t bytes)
{
  const std::size_t count = bytes / sizeof(uint4);
  read_kernel<<<grid_for((count + unroll - 1) / unroll), threads>>>(
    static_cast<const uint4*>(memory), count, reinterpret_cast<unsigned*>(device_word()));
  PERF_CHECK(cudaGetLastError());
}

}  // namespace perf
