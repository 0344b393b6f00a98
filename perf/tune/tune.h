// Variants of one kernel, each with tuning numbers of its own, beside stock: what the rows of tuning.h are chosen by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "../compare/measure.h"

namespace perf {

/// For transform iterators: computes, and so waits for what is loaded.
struct square {
  template <class T>
  __host__ __device__ T operator()(T x) const
  {
    return static_cast<T>(x * x);
  }
};

/// The same call with different numbers, at one size. Each variant is checked against stock's output, byte for byte,
/// and then measured in turns with it.
class tuning_run {
public:
  tuning_run(std::string subject, std::size_t n, std::string filter, stopwatch& watch, device_memory& memory)
      : subject_(std::move(subject)), n_(n), filter_(std::move(filter)), watch_(watch), memory_(memory)
  {
  }

  std::size_t n() const { return n_; }

  /// Uninitialised device memory, kept until the run is over.
  template <class T>
  T* array(std::size_t count)
  {
    return static_cast<T*>(memory_.take(count * sizeof(T)));
  }
  /// Uniformly random bytes, the same in every run.
  template <class T>
  T* random_array(std::size_t count)
  {
    T* const made = array<T>(count);
    fill_random(made, count * sizeof(T));
    return made;
  }

  /// Of stock and of gimbal, compared after each variant's first call.
  void output(void* stock, void* gimbal, std::size_t bytes);
  /// Restored from `source` before each call.
  void in_place(void* stock, void* gimbal, const void* source, std::size_t bytes);
  /// The least that any implementation moves.
  void moves(std::size_t bytes) { bytes_ = bytes; }

  /// The reference: a two-phase call.
  template <class Call>
  void stock(Call call)
  {
    stock_ = with_storage(call);
  }
  template <class Call>
  void variant(const std::string& name, Call call)
  {
    if (is_chosen(name)) {
      measure(name, with_storage(call));
    }
  }

private:
  struct compared {
    void* stock;
    void* gimbal;
    const void* source;  // null: poisoned
    std::size_t bytes;
  };

  template <class Call>
  std::function<void()> with_storage(Call call)
  {
    std::size_t bytes = 0;
    PERF_CHECK(call(static_cast<void*>(nullptr), bytes));
    void* const storage = memory_.take(bytes);
    return [call, bytes, storage] {
      std::size_t available = bytes;
      PERF_CHECK(call(storage, available));
    };
  }
  static void fill_random(void* memory, std::size_t bytes);
  bool is_chosen(const std::string& name) const;
  void reset(bool is_stock) const;
  void measure(const std::string& name, std::function<void()> run);

  std::string subject_;
  std::size_t n_;
  std::string filter_;
  stopwatch& watch_;
  device_memory& memory_;
  std::size_t bytes_ = 0;
  std::vector<compared> outputs_;
  std::function<void()> stock_;
};

/// A subject known to main() by its name.
struct tuning_subject {
  tuning_subject(const char* name, void (*run)(tuning_run&));
};

}  // namespace perf
