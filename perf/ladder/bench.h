// Measuring the rungs of the ladder beside stock and gimbal, in one process, on a GPU or on the host executor.
//
// A comparison is one task for several contenders. Each is run once and checked; then samples are taken in turn,
// whoever was first going last in the next round. Before each sample the contender's outputs are poisoned, inputs it
// changed are restored and, unless the comparison is about data that stay in the L2, a buffer several times the size of
// the L2 is written. Times are medians; after the last sample the results are checked again.
//
// The host executor runs the same program to test it: its times say nothing about any machine, and ladder_table.py
// refuses to put them into the page.
#pragma once

#include <perf/ladder/rung.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ladder {

inline constexpr bool on_gpu = GIMBAL_GPU;

[[noreturn]] void stop(const char* step, simt::error_code code);

/// Ends the program if a step failed: a ladder with a broken rung is of no use.
inline void must(status s)
{
  if (s) {
    stop(s.step, s.code);
  }
}
inline void must(simt::error_code code)
{
  if (code != simt::success) {
    stop("a device-wide call", code);
  }
}

/// Device memory, given back with its last owner.
template <class T>
class array {
public:
  explicit array(index_type count) : count_(count)
  {
    void* memory = nullptr;
    must(simt::pool_allocate(memory, (count + 1) * sizeof(T), {}, "allocation for the ladder"));
    memory_ = std::shared_ptr<T>(static_cast<T*>(memory), [](T* p) { simt::pool_free(p, {}); });
  }
  T* get() const { return memory_.get(); }
  index_type size() const { return count_; }

private:
  index_type count_;
  std::shared_ptr<T> memory_;
};

template <class T>
void copy(T* target, const T* source, index_type count)
{
  must(simt::copy_bytes(target, source, count * sizeof(T), {}, "copy for the ladder"));
}
template <class T>
void poison(T* target, index_type count, int pattern)
{
  must(simt::fill_bytes(target, pattern, count * sizeof(T), {}, "poisoning of an output"));
}
template <class T>
std::vector<T> download(const T* source, index_type count)
{
  std::vector<T> values(count);
  copy(values.data(), source, count);
  must(simt::wait({}, "download"));
  return values;
}

/// True if both hold the same words. Compared where they are.
bool same(const std::uint32_t* a, const std::uint32_t* b, index_type count);

/// Well-mixed words that depend on the position alone; `below` 0: all 32 bits.
void fill_random(std::uint32_t* out, index_type count, std::uint32_t below, std::uint32_t seed);

enum class side { rung, stock, gimbal };

struct contender {
  std::string name;
  side whose;
  std::function<void()> reset;
  std::function<void()> run;
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
  bool is_cold = true;   // flush the L2 before each sample
  bool is_call = false;  // time the call on the host until the device is idle, not the device alone
};

struct options {
  std::string filter;
  std::string json;
  int max_log2 = 28;
  unsigned samples = 15;
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

  void measure(const comparison& what, const std::vector<contender>& contenders);

  /// How many contenders gave a wrong result.
  int wrong() const { return wrong_; }

private:
  struct ceiling {
    bound limit;
    index_type words;
    double gbs;
  };

  double sample(const comparison& what, const contender& c);
  double rate_of(bound limit, double bytes);
  void report(const comparison& what, const contender& c, std::vector<double> microseconds, bool is_right);

  options chosen_;
  array<unsigned char> flush_;
  std::vector<ceiling> ceilings_;
  std::FILE* json_ = nullptr;
  int wrong_ = 0;
};

/// A contender whose `call(storage, storage_bytes)` has two phases. Its storage is allocated once, outside every
/// sample.
template <class Call>
contender two_phase(
  std::string name, side whose, std::function<void()> reset, Call call, std::function<bool()> is_right)
{
  std::size_t bytes = 0;
  must(call(static_cast<void*>(nullptr), bytes));
  const array<unsigned char> storage(static_cast<index_type>(bytes));
  const auto run = [call, bytes, storage] {
    std::size_t available = bytes;
    must(call(static_cast<void*>(storage.get()), available));
  };
  return {std::move(name), whose, std::move(reset), run, std::move(is_right)};
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
