// Measuring the rungs of the ladder beside stock and gimbal, in one process, by the harness of the comparison
// (perf/compare/measure.h): its clocks, its flush of the L2, its memory, its poisoning and comparing of outputs.
//
// A comparison is one task for several contenders. Each is run once and checked; then samples are taken in turn,
// whoever was first going last in the next round. Times are medians; after the last sample the results are checked
// again.
#pragma once

#include <perf/compare/comparison.h>
#include <perf/compare/fill.h>
#include <perf/ladder/rung.h>

#include <cstdio>

namespace ladder {

enum class side { rung, stock, gimbal };

/// Each has outputs of its own.
struct contender : perf::contender {
  std::string name;
  side whose;
  std::function<bool()> is_right;
};

/// What a rate is a percentage of: reading, or reading and writing, as many bytes.
enum class bound { read, copy };

struct comparison {
  std::string section;  // as --filter takes it and LADDER.md names it
  std::string task;
  index_type n = 0;
  double bytes = 0;  // that any contender must move
  bound limit = bound::read;
  unsigned repeats = 1;  // runs in one sample
  perf::clock_kind clock = perf::clock_kind::device;
};

struct options {
  std::string filter, json;
  int max_log2, samples;
};

class bench {
public:
  explicit bench(options chosen);
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  ~bench();

  bool wants(const char* section) const { return std::string(section).find(chosen_.filter) != std::string::npos; }
  index_type at_most(index_type n) const
  {
    return n < index_type{1} << chosen_.max_log2 ? n : index_type{1} << chosen_.max_log2;
  }

  /// Device memory of this section.
  template <class T>
  T* array(index_type count)
  {
    return static_cast<T*>(memory_.take(static_cast<std::size_t>(count) * sizeof(T)));
  }
  /// The same, with f(i) at each place i.
  template <class T, class F>
  T* filled(index_type count, F f)
  {
    T* const made = array<T>(count);
    perf::fill(made, static_cast<std::size_t>(count), f);
    return made;
  }
  perf::device_memory& memory() { return memory_; }

  void measure(const comparison& what, const std::vector<contender>& contenders);

  /// How many contenders gave a wrong result.
  int wrong() const { return wrong_; }

private:
  struct ceiling {
    bound limit;
    std::size_t bytes;
    double gbs;
  };

  double rate_of(bound limit, double bytes);
  void report(const comparison& what, const contender& c, const perf::quartiles& microseconds, bool is_right);

  options chosen_;
  perf::budget samples_;
  perf::stopwatch watch_;
  perf::device_memory memory_;
  std::vector<ceiling> ceilings_;
  std::FILE* json_ = nullptr;
  int wrong_ = 0;
};

/// Well-mixed words that depend on the position alone; `below` 0: all 32 bits.
struct random_word {
  std::uint32_t below;
  std::uint32_t seed;

  __host__ __device__ std::uint32_t operator()(std::size_t i) const
  {
    const auto word = static_cast<std::uint32_t>(perf::mixed((std::uint64_t{seed} << 32) + i) >> 32);
    return below == 0 ? word : word % below;
  }
};

inline cudaError_t code_of(cudaError_t code) { return code; }
inline cudaError_t code_of(const status& of_rung) { return of_rung.code; }

/// A contender whose `call(storage, storage_bytes)` has two phases. Its storage is allocated once, outside every
/// sample.
template <class Call>
contender two_phase(
  bench& run, std::string name, side whose, std::function<void()> reset, Call call, std::function<bool()> is_right)
{
  const auto work = perf::with_storage(
    run.memory(), [call](void* storage, std::size_t& bytes) { return code_of(call(storage, bytes)); });
  return {{std::move(reset), work}, std::move(name), whose, std::move(is_right)};
}

// The sections, in the order of the page.
void measure_reductions(bench& run);
void measure_results(bench& run);
void measure_matrices(bench& run);
void measure_scans(bench& run);
void measure_histograms(bench& run);
void measure_sorts(bench& run);
void measure_vector_model(bench& run);

}  // namespace ladder
