// The sections about sums: the eight steps, how results of blocks come together, and five float matrices.
#include <gimbal/cub/reduce.h>
#include <gimbal/gimbal.h>
#include <perf/ladder/bench.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>

#include <perf/ladder/one_pass.cuh>

#if GIMBAL_GPU
#include <cub/device/device_reduce.cuh>
#else
#include <numeric>
#endif

namespace ladder {

namespace {

template <class T>
simt::error_code stock_sum(void* storage, std::size_t& bytes, const T* in, T* out, index_type n)
{
#if GIMBAL_GPU
  return cub::DeviceReduce::Sum(storage, bytes, in, out, static_cast<int>(n));
#else
  bytes = 1;
  if (storage != nullptr) {
    *out = std::accumulate(in, in + n, T{});
  }
  return simt::success;
#endif
}

/// Words below 65 made into values from -32 to 32, zero on average: sums of 2^28 of them are exact in 32 bits, and
/// their partial sums in any order stay below 2^24, where floats are exact too.
template <class T>
struct small_values {
  const std::uint32_t* in;
  T* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    out[i] = static_cast<T>(static_cast<std::int32_t>(in[i]) - 32);
  }
};

/// Items to sum, a second copy for rungs that overwrite theirs, and the expected sum.
template <class T>
struct sum_task {
  index_type n;
  array<T> in, spare, out;
  T expected{};

  explicit sum_task(index_type n) : n(n), in(n), spare(n), out(1)
  {
    const array<std::uint32_t> random(n);
    fill_random(random.get(), n, 65, 5);
    must(for_each_position(small_values<T>{random.get(), in.get()}, n, {}, "small values"));
    // Summed in 64-bit integers, by nobody who is measured.
    std::int64_t sum = 0;
    for (const T value : download(in.get(), n)) {
      sum += static_cast<std::int64_t>(value);
    }
    expected = static_cast<T>(sum);
  }

  std::function<void()> reset() const
  {
    return [*this] { poison(out.get(), 1, 0xa5); };
  }
  std::function<bool()> is_right() const
  {
    return [*this] { return download(out.get(), 1)[0] == expected; };
  }

  template <class Rung>
  contender rung() const
  {
    const auto self = *this;
    T* const source = Rung::overwrites_input ? spare.get() : in.get();
    const auto reset = [self] {
      poison(self.out.get(), 1, 0xa5);
      if (Rung::overwrites_input) {
        copy(self.spare.get(), self.in.get(), self.n);
      }
    };
    return two_phase(
      Rung::name, side::rung, reset,
      [=](void* storage, std::size_t& bytes) { return Rung::run(storage, bytes, source, self.n, self.out.get(), {}); },
      is_right());
  }
};

/// Forms in one_pass.cuh never overwrite their input.
template <class Rung>
struct keeps_input : Rung {
  static constexpr bool overwrites_input = false;
};

template <class T>
void add_stock_and_gimbal(const sum_task<T>& task, std::vector<contender>& contenders)
{
  contenders.push_back(two_phase(
    "stock", side::stock, task.reset(),
    [task](void* storage, std::size_t& bytes) {
      return stock_sum(storage, bytes, task.in.get(), task.out.get(), task.n);
    },
    task.is_right()));
  contenders.push_back(two_phase(
    "gimbal", side::gimbal, task.reset(),
    [task](void* storage, std::size_t& bytes) {
      const T* const in = task.in.get();
      return gimbal::DeviceReduce::Sum(storage, bytes, in, task.out.get(), task.n);
    },
    task.is_right()));
}

/// A contender measured as a call: what it sums is on the host when the sample ends.
template <class T>
contender as_call(contender c, const sum_task<T>& task)
{
  const auto sum = std::make_shared<T>();
  const auto reset = c.reset;
  const auto run = c.run;
  c.reset = [=] {
    reset();
    *sum = T{-1};
  };
  c.run = [=] {
    run();
    *sum = download(task.out.get(), 1)[0];
  };
  c.is_right = [=] { return *sum == task.expected; };
  return c;
}

template <class T, class Policy>
contender thrust_call(const char* name, side whose, Policy policy, const sum_task<T>& task)
{
  const auto sum = std::make_shared<T>();
  const auto run = [=] {
    const T* const in = task.in.get();
    *sum = thrust::reduce(policy, in, in + task.n, T{}, thrust::plus<T>{});
  };
  return {name, whose, [=] { *sum = T{-1}; }, run, [=] { return *sum == task.expected; }};
}

}  // namespace

void measure_reductions(bench& run)
{
  const index_type n = run.at_most(index_type{1} << 28);
  const sum_task<std::int32_t> task(n);
  std::vector<contender> contenders = {
    task.rung<reduction_v0<>>(), task.rung<reduction_v1<>>(), task.rung<reduction_v2<>>(), task.rung<reduction_v3<>>(),
    task.rung<reduction_v4<>>(), task.rung<reduction_v5<>>(), task.rung<reduction_v6<>>(), task.rung<reduction_v7<>>()};
  add_stock_and_gimbal(task, contenders);
  run.measure({"reductions", "sum of i32", n, 4.0 * n}, contenders);
}

void measure_results(bench& run)
{
  const index_type n = run.at_most(index_type{1} << 20);
  const sum_task<std::int32_t> task(n);
  std::vector<contender> contenders = {
    task.rung<keeps_input<two_pass_looped<>>>(),    task.rung<keeps_input<two_pass_unrolled<>>>(),
    task.rung<keeps_input<atomic_each_thread<>>>(), task.rung<keeps_input<atomic_looped<>>>(),
    task.rung<keeps_input<atomic_unrolled<>>>(),    task.rung<keeps_input<ticket_looped<>>>(),
    task.rung<keeps_input<ticket_unrolled<>>>()};
  add_stock_and_gimbal(task, contenders);
  comparison what{"results", "100 sums of i32", n, 4.0 * n};
  what.repeats = on_gpu ? 100 : 2;
  what.is_cold = false;
  run.measure(what, contenders);
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
    const sum_task<float> task(n);
    std::vector<contender> contenders;
    for (contender rung :
         {task.rung<reduction_v0<>>(), task.rung<reduction_v1<>>(), task.rung<reduction_v2<>>(),
          task.rung<reduction_v3<>>(), task.rung<reduction_v4<>>(), task.rung<reduction_v7<>>()}) {
      contenders.push_back(as_call(rung, task));
    }
    contenders.push_back(thrust_call("stock", side::stock, thrust::device, task));
    contenders.push_back(thrust_call("gimbal", side::gimbal, gimbal::par, task));
    const std::string side = std::to_string(rows);
    comparison what{"matrices", n == rows * rows ? side + " x " + side : std::to_string(n) + " items", n, 4.0 * n};
    what.is_call = true;
    run.measure(what, contenders);
  }
}

}  // namespace ladder
