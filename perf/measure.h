// Measuring two implementations beside each other: the method, in one place.
//
// Every sample is taken alone: outputs are poisoned and inputs restored, a buffer several times the size of the L2 is
// written, then the call is timed, either by CUDA events around it (device time; the launches queue up behind the
// flush, so the host's launch latency does not show) or by the host's clock from the call to an idle device (wall
// time). Samples of the two sides alternate. The reported figure is the median.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#ifndef GIMBAL_INSTRUMENT
#error "build with GIMBAL_INSTRUMENT defined: by the count of its launches a call is known to run on gimbal's kernels"
#endif

#define PERF_CHECK(call) ::perf::check((call), #call, __FILE__, __LINE__)

namespace perf {

inline void check(cudaError_t code, const char* what, const char* file, int line)
{
  if (code != cudaSuccess) {
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(code));
    std::exit(2);
  }
}

/// Device memory, freed with its last owner.
template <class T>
class buffer {
public:
  explicit buffer(std::size_t count)
  {
    T* memory = nullptr;
    PERF_CHECK(cudaMalloc(&memory, count * sizeof(T) + 1));
    memory_ = std::shared_ptr<T>(memory, [](T* p) { cudaFree(p); });
  }
  T* get() const { return memory_.get(); }

private:
  std::shared_ptr<T> memory_;
};

/// One side of a comparison. `reset` poisons outputs and restores inputs that `run` changes; it is never timed.
struct contender {
  std::function<void()> reset;
  std::function<void()> run;
};

/// Two implementations of one call, and whether what they wrote is equal. `run` may be empty: no such call exists.
struct duel {
  contender stock;
  contender gimbal;
  std::function<bool()> agree;

  bool exists() const { return static_cast<bool>(gimbal.run); }
};

enum class clock_kind { device, wall };

/// Microseconds: quartiles of the samples of one side.
struct quartiles {
  double low = 0, median = 0, high = 0;
};

struct timing {
  bool measured = false;
  quartiles stock, gimbal;
  double ratio() const { return gimbal.median / stock.median; }
};

/// One row of the result.
struct cell {
  std::string family;
  std::string items;
  int log2 = 0;
  timing device, wall;
  bool equal = true;
};

/// Rates that bound every kernel, in GB/s: device-to-device copy (bytes read plus written) and read.
struct ceiling {
  int log2 = 0;  // of the number of 4-byte items
  double copy = 0, read = 0;
};

struct options {
  bool quick = false;
  int max_log2 = 28;
  std::string filter;
  std::string json;
  std::string csv;
};

/// The state of a run.
class session {
public:
  explicit session(options chosen) : chosen_(std::move(chosen)), flush_buffer_(flush_bytes)
  {
    PERF_CHECK(cudaEventCreate(&start_));
    PERF_CHECK(cudaEventCreate(&stop_));
  }

  const options& chosen() const { return chosen_; }
  bool wants(const std::string& family) const { return family.find(chosen_.filter) != std::string::npos; }

  /// Exponents of the sizes to measure, none above `limit`.
  std::vector<int> sizes(int limit = 28) const;
  std::size_t largest_size(int limit = 28) const;
  int samples(int log2) const;

  /// Check both sides, then measure. A family calls this once per size.
  void compare(const std::string& family, const std::string& items, int log2, const duel& device, const duel& wall);

  /// Median rate of `run`, which moves `bytes`.
  double rate(std::size_t bytes, int log2, const std::function<void()>& run);

  std::vector<cell> cells;
  std::vector<ceiling> ceilings;

private:
  static constexpr std::size_t flush_bytes = std::size_t{512} << 20;

  double sample(clock_kind clock, const contender& side);
  timing measure(clock_kind clock, const duel& both, int log2);
  bool agrees(const duel& both);

  options chosen_;
  buffer<unsigned char> flush_buffer_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// What fills outputs before a call. The two sides get different patterns, so that bytes nobody wrote are never equal.
inline constexpr int stock_poison = 0xa5;
inline constexpr int gimbal_poison = 0x5a;

void poison(void* memory, int pattern, std::size_t bytes);
void copy(void* target, const void* source, std::size_t bytes);
bool same_words(const void* a, const void* b, std::size_t words);
/// True if all `words` still hold `pattern`.
bool is_poison(const void* memory, int pattern, std::size_t words);

/// Uniform 32-bit words.
void fill_random(std::uint32_t* memory, std::size_t count, std::uint32_t seed);
/// Uniform in [-2^15, 2^15), so that sums of 2^28 of them fit into 32 bits.
void fill_small(std::int32_t* memory, std::size_t count, std::uint32_t seed);
/// Runs of equal keys, each of 1 to `longest` items (uniform). `flags`, if given, are 1 on the first item of each run.
void fill_runs(std::int32_t* keys, std::uint8_t* flags, std::size_t count, unsigned longest, std::uint32_t seed);

/// Results that calls return to the host, shared by the closures of a duel.
template <class T>
std::shared_ptr<T[]> host_array(std::size_t count)
{
  return std::shared_ptr<T[]>(new T[count]());
}

/// Device to host.
template <class T>
std::vector<T> download(const T* memory, std::size_t count)
{
  std::vector<T> values(count);
  PERF_CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

template <class T>
T download_one(const T* memory)
{
  T value;
  PERF_CHECK(cudaMemcpy(&value, memory, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

/// A two-phase call `call(storage, storage_bytes)` with its storage allocated once, outside every timed region.
template <class Call>
std::function<void()> with_storage(Call call)
{
  std::size_t bytes = 0;
  PERF_CHECK(call(static_cast<void*>(nullptr), bytes));
  const buffer<unsigned char> storage(bytes);
  return [call, bytes, storage]() {
    std::size_t available = bytes;
    PERF_CHECK(call(static_cast<void*>(storage.get()), available));
  };
}

// The families, one translation unit each.
void compare_ceilings(session& run);
void compare_reduce(session& run);
void compare_scan(session& run);
void compare_scan_by_key(session& run);
void compare_segmented_scan(session& run);
void compare_partition(session& run);
void compare_stable_partition(session& run);
void compare_select(session& run);
void compare_unique(session& run);
void compare_reduce_by_key(session& run);
void compare_radix_sort(session& run);
void compare_radix_sort_pairs(session& run);
void compare_merge_sort(session& run);

}  // namespace perf
