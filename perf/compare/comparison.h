// What the code of one algorithm writes against: its inputs and outputs, and the same call on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fill.h"

namespace perf {

/// An output of both sides.
template <class T>
struct twin {
  T* stock = nullptr;
  T* gimbal = nullptr;
};

/// One side, as a call is given it: of(twin) is its own output.
struct side {
  bool is_gimbal;

  template <class T>
  T* operator()(const twin<T>& both) const
  {
    return is_gimbal ? both.gimbal : both.stock;
  }
};

/// One cell being measured.
class comparison {
public:
  comparison(const cell& what, stopwatch& watch, device_memory& memory, plan size)
      : watch_(watch), memory_(memory), size_(size)
  {
    result_.what = what;
  }

  int n() const { return static_cast<int>(result_.what.n); }
  /// The same, also if an int does not hold it.
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(result_.what.n); }
  const std::string& distribution() const { return result_.what.what.distribution; }

  /// Uninitialised device memory of this cell.
  template <class T>
  T* array(std::size_t count)
  {
    return static_cast<T*>(memory_.take(count * sizeof(T)));
  }

  /// The same, whose i-th item is f(i).
  template <class T, class F>
  T* filled(std::size_t count, F f)
  {
    T* const made = array<T>(count);
    fill(made, count, f);
    return made;
  }

  /// An output on the device: poisoned before each call, and all of it compared after it.
  template <class T>
  twin<T> output(std::size_t count)
  {
    const twin<T> made{array<T>(count), array<T>(count)};
    outputs_.push_back({made.stock, made.gimbal, count * sizeof(T), nullptr, {}});
    return made;
  }

  /// An output that a call changes in place: `source` is copied into it before each call. If `compared` is given, only
  /// so many items are, for what lies behind them is unspecified.
  template <class T>
  void in_place(twin<T> data, const T* source, std::size_t count, std::function<std::size_t()> compared = {})
  {
    if (compared) {
      compared = [compared] { return compared() * sizeof(T); };
    }
    outputs_.push_back({data.stock, data.gimbal, count * sizeof(T), source, compared});
  }
  /// Both sides' own copy of `source`.
  template <class T>
  twin<T> changed_in_place(const T* source, std::size_t count, std::function<std::size_t()> compared = {})
  {
    const twin<T> both{array<T>(count), array<T>(count)};
    in_place(both, source, count, std::move(compared));
    return both;
  }

  /// What a call returns to the host: compared.
  template <class T>
  twin<T> returned()
  {
    const std::shared_ptr<T> both(new T[2](), std::default_delete<T[]>());
    host_results_.push_back({both, both.get(), both.get() + 1, sizeof(T)});
    return {both.get(), both.get() + 1};
  }

  /// The outputs so far belong to the clocks so far.
  void forget_outputs()
  {
    outputs_.clear();
    host_results_.clear();
  }

  /// Bytes that any implementation must read and write, asked for after the calls have run; "read" if it hardly writes.
  void moves(std::function<std::size_t()> bytes, const char* bound = "copy")
  {
    bytes_ = std::move(bytes);
    result_.bound = bound;
  }

  /// Check, then measure, two-phase calls `call(storage, storage_bytes)`, whose storage is kept.
  template <class Stock, class Gimbal>
  void device(Stock stock, Gimbal gimbal)
  {
    doing_ = "stock, device clock";
    const std::function<void()> run_stock = with_storage(memory_, stock);
    doing_ = "gimbal, device clock";
    measure(clock_kind::device, run_stock, with_storage(memory_, gimbal));
  }
  /// `call(calls, of, storage, storage_bytes)`, where `calls` has the side's device-wide calls.
  template <class Stock, class Gimbal, class Call>
  void device(Call call)
  {
    device(
      [=](void* storage, std::size_t& bytes) { return call(Stock{}, side{false}, storage, bytes); },
      [=](void* storage, std::size_t& bytes) { return call(Gimbal{}, side{true}, storage, bytes); });
  }

  /// So many samples, in place of those of the plan.
  void allow(budget samples) { allowed_ = samples; }

  /// As a row of the plan may say.
  void may_fall_back() { result_.what.what.may_fall_back = true; }

  /// Check, then measure, calls as a user makes them.
  void wall(std::function<void()> stock, std::function<void()> gimbal)
  {
    measure(clock_kind::wall, std::move(stock), std::move(gimbal));
  }
  /// `call(policy, of)`, where `policy` is the side's.
  template <class Stock, class Gimbal, class Call>
  void wall(Stock stock, Gimbal gimbal, Call call)
  {
    wall([=] { call(stock, side{false}); }, [=] { call(gimbal, side{true}); });
  }

  /// A ceiling: one side, and nothing to check.
  void ceiling(std::function<void()> run);

  /// The record of what was measured, when it is complete.
  record finish();
  /// What went on when an exception came.
  const std::string& doing() const { return doing_; }
  const record& result() const { return result_; }

  device_memory& memory() { return memory_; }

private:
  /// By this clock; if it is the device's and it makes a difference, with all work queued beforehand, too.
  void measure(clock_kind first, std::function<void()> stock, std::function<void()> gimbal);

  struct output_bytes {
    void* stock;
    void* gimbal;
    std::size_t bytes;
    const void* source;
    std::function<std::size_t()> compared;
  };
  struct host_result {
    std::shared_ptr<void> owner;
    void* stock;
    void* gimbal;
    std::size_t bytes;
  };

  void reset(bool is_stock) const;
  void run_once(const contender& stock, const contender& gimbal);
  void demand_equal();
  void time_all(clock_kind first, const contender& stock, const contender* gimbal);
  void time(clock_kind clock, const contender& stock, const contender* gimbal);
  budget allowed() const;

  stopwatch& watch_;
  device_memory& memory_;
  plan size_;
  record result_;
  std::vector<output_bytes> outputs_;
  std::vector<host_result> host_results_;
  std::function<std::size_t()> bytes_;
  budget allowed_{};
  std::string doing_ = "inputs";
};

/// Outputs differ, or a call did not run on gimbal's kernels.
struct wrong_result : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A function that measures cells of one algorithm and type, known to main() by their names.
using compare_function = void (*)(comparison&);
struct implementation {
  implementation(const char* algorithm, const char* type, compare_function compare);
};
/// Throws if there is none: a program may be linked from some of the files alone.
compare_function implementation_of(const row& what);
/// A row of each algorithm and type that there is code for, in the order of their names.
std::vector<row> implemented();

template <class T>
T download(const T* memory)
{
  T value;
  PERF_CHECK(cudaMemcpy(&value, memory, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace perf
