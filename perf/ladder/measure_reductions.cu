// Measures the sections about sums: the eight steps, how results of blocks come together, and five float matrices.
#include <gimbal/cub/reduce.h>
#include <gimbal/gimbal.h>
#include <perf/ladder/bench.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#include <perf/ladder/one_pass.cuh>

namespace ladder {

namespace {

/// From -32 to 32, zero on average: sums of 2^28 of them are exact in 32 bits, and their partial sums in any order stay
/// below 2^24, where floats are exact too.
struct small_value {
  __host__ __device__ int operator()(std::size_t i) const { return static_cast<int>(random_word{65, 5}(i)) - 32; }
};

/// Items to sum, a second copy for rungs that overwrite theirs, and the expected sum.
template <class T>
struct sum_task {
  bench& run;
  int n;
  const T* in;
  T* spare;
  T expected;

  sum_task(bench& run, index_type n)
      : run(run), n(static_cast<int>(n)), in(run.filled<T>(n, small_value{})), spare(run.array<T>(n))
  {
    // Summed in 64-bit integers, by nobody who is measured.
    std::int64_t sum = 0;
    for (index_type i = 0; i < n; ++i) {
      sum += small_value{}(static_cast<std::size_t>(i));
    }
    expected = static_cast<T>(sum);
  }

  /// `call(storage, storage_bytes)` writes the sum to `out`; `restore` renews an input that it overwrites.
  template <class Call>
  contender make(
    const char* name, side whose, T* out, Call call, std::function<void()> restore = [] {}) const
  {
    const auto reset = [=] {
      perf::poison(out, sizeof(T));
      restore();
    };
    return two_phase(run, name, whose, reset, call, [out, right = expected] { return perf::download(out) == right; });
  }

  /// `Overwrites`: as it says itself; forms in one_pass.cuh never do.
  template <class Rung, bool Overwrites = Rung::overwrites_input>
  contender rung(T* out) const
  {
    const T* const items = in;
    T* const copied = spare;
    const index_type count = n;
    const auto restore = [=] {
      if (Overwrites) {
        perf::copy(copied, items, static_cast<std::size_t>(count) * sizeof(T));
      }
    };
    const auto call = [=](void* storage, std::size_t& bytes) {
      if constexpr (Overwrites) {
        return Rung::run(storage, bytes, copied, count, out, {});
      } else {
        return Rung::run(storage, bytes, items, count, out, {});
      }
    };
    return make(Rung::name, side::rung, out, call, restore);
  }
  template <class... Rungs>
  std::vector<contender> steps() const
  {
    return with_libraries({rung<Rungs>(run.array<T>(1))...});
  }
  template <class... Rungs>
  std::vector<contender> forms() const
  {
    return with_libraries({rung<Rungs, false>(run.array<T>(1))...});
  }

  template <class Reduce>
  contender library(const char* name, side whose) const
  {
    T* const out = run.array<T>(1);
    return make(name, whose, out, [out, items = in, count = n](void* storage, std::size_t& bytes) {
      return Reduce::Sum(storage, bytes, items, out, count);
    });
  }
  std::vector<contender> with_libraries(std::vector<contender> rungs) const
  {
    rungs.push_back(library<cub::DeviceReduce>("stock", side::stock));
    rungs.push_back(library<gimbal::DeviceReduce>("gimbal", side::gimbal));
    return rungs;
  }

  /// A contender measured as a call: what `sum(first, last)` returns is on the host when the sample ends.
  template <class Sum>
  contender as_call(
    const char* name, side whose, Sum sum, std::function<void()> reset = [] {}) const
  {
    const auto result = std::make_shared<T>();
    const auto reset_both = [=] {
      reset();
      *result = T{-1};
    };
    const auto run_sum = [=, items = in, count = n] { *result = sum(items, items + count); };
    return {{reset_both, run_sum}, name, whose, [=, right = expected] { return *result == right; }};
  }
  template <class Rung>
  contender rung_as_call() const
  {
    T* const out = run.array<T>(1);
    const contender c = rung<Rung>(out);
    const auto sum = [=](const T*, const T*) {
      c.run();
      return perf::download(out);
    };
    return as_call(Rung::name, side::rung, sum, c.reset);
  }
  template <class Policy>
  contender thrust_call(const char* name, side whose, Policy policy) const
  {
    return as_call(name, whose, [=](const T* first, const T* last) {
      return thrust::reduce(policy, first, last, T{}, thrust::plus<T>{});
    });
  }
};

}  // namespace

void measure_reductions(bench& run)
{
  const index_type n = run.at_most(index_type{1} << 28);
  const sum_task<std::int32_t> task(run, n);
  run.measure(
    {"reductions", "sum of i32", n, 4.0 * n}, task.steps<
                                                reduction_v0<>, reduction_v1<>, reduction_v2<>, reduction_v3<>,
                                                reduction_v4<>, reduction_v5<>, reduction_v6<>, reduction_v7<>>());
}

void measure_results(bench& run)
{
  const index_type n = run.at_most(index_type{1} << 20);
  const sum_task<std::int32_t> task(run, n);
  run.measure(
    {"results", "100 sums of i32", n, 4.0 * n, bound::read, 100, perf::clock_kind::warm},
    task.forms<
      two_pass_looped<>, two_pass_unrolled<>, atomic_each_thread<>, atomic_looped<>, atomic_unrolled<>, ticket_looped<>,
      ticket_unrolled<>>());
}

void measure_matrices(bench& run)
{
  index_type before = 0;
  for (const index_type rows : {1000, 2000, 4000, 6000, 11000}) {
    const index_type n = run.at_most(rows * rows);
    if (n == before) {
      break;
    }  // cut off: the same size again
    before = n;
    const sum_task<float> task(run, n);
    const std::string edge = std::to_string(rows);
    const std::string name = n == rows * rows ? edge + " x " + edge : std::to_string(n) + " items";
    run.measure(
      {"matrices", name, n, 4.0 * n, bound::read, 1, perf::clock_kind::wall},
      {task.rung_as_call<reduction_v0<>>(), task.rung_as_call<reduction_v1<>>(), task.rung_as_call<reduction_v2<>>(),
       task.rung_as_call<reduction_v3<>>(), task.rung_as_call<reduction_v4<>>(), task.rung_as_call<reduction_v7<>>(),
       task.thrust_call("stock", side::stock, thrust::device), task.thrust_call("gimbal", side::gimbal, gimbal::par)});
  }
}

}  // namespace ladder
