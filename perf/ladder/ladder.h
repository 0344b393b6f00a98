// The tasks of the ladder, as rows of the comparison's program (perf/compare/main.cu): each rung, and gimbal's call,
// beside stock's, by the comparison's clocks and checked as it checks.
//
// A section of perf/LADDER.md is an algorithm of the plan, a contender its type and a task its distribution.
#pragma once

#include <perf/compare/comparison.h>
#include <perf/ladder/rung.h>

namespace ladder {

using perf::comparison;
using perf::side;
using perf::twin;

struct contender {
  std::string name;
  void (*compare)(comparison&);
};

/// Adds a task to the plan: a row for each contender, in their order.
struct task {
  task(
    const char* section, const std::string& name, const std::vector<std::uint64_t>& sizes,
    const std::vector<contender>& contenders);
};

/// A rung by the names and the arguments of a library's calls.
template <class Rung>
struct calls_of {
  template <class T>
  static cudaError_t Sum(void* storage, std::size_t& bytes, T* in, T* out, int n)
  {
    return Rung::run(storage, bytes, in, n, out, nullptr).code;
  }
  template <class T>
  static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, const T* in, T* out, int n)
  {
    return Rung::run(storage, bytes, in, n, out, nullptr).code;
  }
  template <class T>
  static cudaError_t HistogramEven(void* storage, std::size_t& bytes, const T* in, int* counts, int, int, int, int n)
  {
    return Rung::run(storage, bytes, in, n, reinterpret_cast<T*>(counts), nullptr).code;
  }
};

/// `Measure::compare` of each rung, by its own name, and of gimbal.
template <class Measure, class Gimbal, class... Rungs>
std::vector<contender> contenders()
{
  return {{Rungs::name, Measure::template compare<calls_of<Rungs>>}..., {"gimbal", Measure::template compare<Gimbal>}};
}

}  // namespace ladder
