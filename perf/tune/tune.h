// Variants of one kernel, each with tuning numbers of its own, beside stock: what the rows of tuning.h are chosen by.
#pragma once

#include <gimbal/grid/launch_plan.h>
#include <gimbal/tuning.h>

#include <cstddef>
#include <cstdint>
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

/// The numbers of a kernel whose blocks have a tile each.
template <unsigned Threads, unsigned Items>
struct blocks_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;

  static std::string name() { return name_of(Threads, " x ", Items); }
};

/// The same call with different numbers, at one size: a comparison of each variant, by the device's clock, with the
/// same outputs.
class tuning_run : public comparison {
public:
  tuning_run(const std::string& subject, std::size_t n, std::string filter, stopwatch& watch, device_memory& memory)
      : comparison({{subject, "", "", 0}, n}, watch, memory, plan::quick), filter_(std::move(filter))
  {
    allow({5, 21, 0.06});
  }

  std::size_t n() const { return result().what.n; }

  /// n items of uniformly random bytes, the same in every run.
  template <class T>
  const T* random_array()
  {
    const std::size_t words = (n() * sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    return reinterpret_cast<const T*>(filled<std::uint64_t>(words, random_word{}));
  }

  /// Sums that are rounded in another order than stock's are not compared.
  template <class T>
  twin<T> output(std::size_t count, bool is_compared = true)
  {
    return is_compared ? comparison::output<T>(count) : twin<T>{array<T>(count), array<T>(count)};
  }
  /// The least that any implementation moves.
  void moves(std::size_t bytes) { bytes_ = bytes; }

  /// The reference: a two-phase call.
  template <class Call>
  void stock(Call call)
  {
    stock_ = with_storage(memory(), call);
  }
  template <class Call>
  void variant(const std::string& name, Call call)
  {
    if (name.find(filter_) != std::string::npos) {
      measure_variant(name, with_storage(memory(), call));
    }
  }

  /// `call(shape, storage, storage_bytes)` with each of the shapes, which say their names.
  template <class... Shapes, class Call>
  void variants(Call call)
  {
    const auto with = [&](auto shape) {
      variant(shape.name(), [=](void* storage, std::size_t& bytes) { return call(shape, storage, bytes); });
    };
    (with(Shapes{}), ...);
  }

private:
  void measure_variant(const std::string& name, std::function<void()> run);

  std::string filter_;
  std::size_t bytes_ = 0;
  std::function<void()> stock_;
};

/// A subject known to main() by its name.
struct tuning_subject {
  tuning_subject(const char* name, void (*run)(tuning_run&));
};

/// A two-phase call of a kernel's row, with storage for its arrays.
template <class Row>
cudaError_t run_row(Row row, void* storage, std::size_t& bytes)
{
  gimbal::launch_words words(nullptr);
  gimbal::status state;
  bytes = row.array_bytes() + 1;
  words.own().arrays = static_cast<char*>(storage);
  if (!row.fits || !row.takes(words, state)) {
    return state ? state.code : cudaErrorInvalidConfiguration;
  }
  return storage == nullptr ? cudaSuccess : row.launch(words).code;
}

}  // namespace perf
