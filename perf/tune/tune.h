// Variants of one kernel, each with tuning numbers of its own, beside stock: what the rows of tuning.h are chosen by.
#pragma once

#include <gimbal/grid/launch_plan.h>
#include <gimbal/tuning.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>

#include "../compare/comparison.h"
#include "../compare/functors.h"

namespace perf {

using gimbal::tuning::multiprocessors;

/// What a variant is called: texts and numbers, one after the other.
template <class... Part>
std::string name_of(const Part&... parts)
{
  std::ostringstream name;
  (name << ... << parts);
  return name.str();
}

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
  /// The same with memory for them. Sums that are rounded in another order than stock's are not compared.
  template <class T>
  twin<T> output(std::size_t count, bool is_compared = true)
  {
    const twin<T> made{array<T>(count), array<T>(count)};
    if (is_compared) {
      output(made.stock, made.gimbal, count * sizeof(T));
    }
    return made;
  }
  template <class T>
  twin<T> in_place(const T* source, std::size_t count)
  {
    const twin<T> made{array<T>(count), array<T>(count)};
    in_place(made.stock, made.gimbal, source, count * sizeof(T));
    return made;
  }
  /// The least that any implementation moves.
  void moves(std::size_t bytes) { bytes_ = bytes; }

  /// The reference: a two-phase call.
  template <class Call>
  void stock(Call call)
  {
    stock_ = with_storage(memory_, call);
  }
  template <class Call>
  void variant(const std::string& name, Call call)
  {
    if (is_chosen(name)) {
      measure(name, with_storage(memory_, call));
    }
  }

private:
  struct compared {
    void* stock;
    void* gimbal;
    const void* source;  // null: poisoned
    std::size_t bytes;
  };

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

/// A two-phase call without storage of a kernel's row.
template <class Row>
cudaError_t run_row(Row row, void* storage, std::size_t& bytes)
{
  gimbal::launch_words words(nullptr);
  gimbal::status state;
  bytes = 1;
  if (!row.takes(words, state)) {
    return state ? state.code : cudaErrorInvalidConfiguration;
  }
  return storage == nullptr ? cudaSuccess : row.launch(words).code;
}

}  // namespace perf
