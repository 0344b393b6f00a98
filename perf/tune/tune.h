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

/// The numbers of a kernel whose blocks have a tile each. Scans bound registers by `ResidentThreads`, as tuning.h does.
template <unsigned Threads, unsigned Items, unsigned ResidentThreads = 0>
struct blocks_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static constexpr unsigned resident_threads = ResidentThreads;

  static std::string name() { return name_of(Threads, " x ", Items); }
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

/// The same call with different numbers: a variant is compared with stock in a cell of its own.
class tuning_run {
public:
  /// Measures the variant that the cell's distribution names.
  explicit tuning_run(comparison& c) : cell_(&c) { c.allow({5, 21, 0.06}); }
  /// Measures nothing and has no arrays: `names` gets those of the variants for n items that it does not have yet.
  tuning_run(std::size_t n, std::vector<std::string>& names) : n_(n), names_(&names) {}

  std::size_t n() const { return cell_ == nullptr ? n_ : static_cast<std::size_t>(cell_->size()); }

  template <class T>
  T* array(std::size_t count)
  {
    return cell_ == nullptr ? nullptr : cell_->array<T>(count);
  }
  template <class T, class F>
  T* filled(std::size_t count, F f)
  {
    return cell_ == nullptr ? nullptr : cell_->filled<T>(count, f);
  }
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
    return cell_ == nullptr || !is_compared ? twin<T>{array<T>(count), array<T>(count)} : cell_->output<T>(count);
  }
  template <class T>
  twin<T> changed_in_place(const T* source, std::size_t count)
  {
    return cell_ == nullptr ? twin<T>{} : cell_->changed_in_place(source, count);
  }
  /// The least that any implementation moves.
  void moves(std::size_t bytes)
  {
    if (cell_ != nullptr) {
      cell_->moves([=] { return bytes; });
    }
  }

  /// The reference: a two-phase call.
  template <class Call>
  void stock(Call call)
  {
    stock_ = call;
  }
  template <class Call>
  void variant(const std::string& name, Call call)
  {
    if (cell_ == nullptr) {
      if (std::find(names_->begin(), names_->end(), name) == names_->end()) {
        names_->push_back(name);
      }
    } else if (name == cell_->distribution()) {
      cell_->device(stock_, call);
    }
  }

  /// `call(shape, storage, storage_bytes)` with each of the shapes, which say their names.
  template <class... Shapes, class Call>
  void variants(Call call)
  {
    const auto with = [&](auto shape) {
      variant(shape.name(), [=](auto&&... storage) { return call(shape, storage...); });
    };
    (with(Shapes{}), ...);
  }
  /// Kernels whose row is `row_of(shape)`.
  template <class... Shapes, class RowOf>
  void kernels(RowOf row_of)
  {
    variants<Shapes...>([=](auto shape, auto&&... storage) { return run_row(row_of(shape), storage...); });
  }

private:
  comparison* cell_ = nullptr;
  std::size_t n_ = 0;
  std::vector<std::string>* names_ = nullptr;
  std::function<cudaError_t(void* storage, std::size_t& bytes)> stock_;
};

/// A subject by its name: an algorithm of the plan.
struct tuning_subject {
  tuning_subject(const char* name, void (*run)(tuning_run&));
};

}  // namespace perf
