// A call's launch, chosen before its storage is known.
//
// An entry makes a row for each of its kernels, in the order of its table, and the plan of these rows asks for as much storage as any of
// them might need and launches the first one that takes the call:
//
//   auto plan = algorithm::scan_plan(kind, in, out, n, op, init);
//   const std::size_t bytes = plan.bytes(false);
//   const status state = plan.launch(storage, stream);
//
// "Could not run here" is a row that does not take the call. What a row has, and what it has unless it says otherwise, is in no_row.
// Rows are alternatives: what they have in the storage may lie in the same place.
#pragma once

#include <gimbal/grid/retained_words.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <utility>

GIMBAL_NAMESPACE_BEGIN

/// The row of a kernel that such types exclude.
struct no_row {
  /// Of arrays in the storage, beside words (launch_words::arrays): as many for all addresses that so many items may have.
  std::size_t array_bytes() { return 0; }
  /// Room for the words of the launch (launch_words::room_for), whatever the addresses are; `state`: of questions to the device.
  std::size_t room(status&) { return 0; }
  /// Whether it takes the call that has been made.
  bool takes(const launch_words&, status&) { return false; }
  status launch(launch_words&) { return {}; }
};

/// How the blocks of a kernel begin: as `Kernel::starts` says, if it does.
template <class Kernel, class = void>
inline constexpr simt::start start_of_v = simt::start::any;
template <class Kernel>
inline constexpr simt::start start_of_v<Kernel, ::cuda::std::void_t<decltype(Kernel::starts)>> = Kernel::starts;

/// How many tiles n items make; of more than a launch can have blocks, too many.
constexpr unsigned tiles_of(index_type n, index_type tile_items)
{
  const index_type tiles = n / tile_items + (n % tile_items != 0);
  return tiles < 0xffffffff ? static_cast<unsigned>(tiles) : 0xffffffffu;
}

/// A kernel that takes no words.
inline constexpr index_type no_words = -1;

/// The row of a kernel that every device runs, for as many items as `fits` says; there is no other for types to which it does not apply
/// (Exists). The kernel has
///
///   step, clearing    the names of the launch and of what clears its words
///   blocks()          how many it is launched with, called before
///   words_needed()    how many words it takes, or no_words, and
///   take(words)       which gives it these
template <class Kernel, bool Exists = true>
struct kernel_row : no_row {
  bool fits;
  Kernel kernel;

  kernel_row(bool fits_here, const Kernel& own) : fits(fits_here), kernel(own) {}

  std::size_t room(status&)
  {
    const index_type words = fits ? (static_cast<void>(kernel.blocks()), kernel.words_needed()) : no_words;
    return words != no_words ? launch_words::room_for(words) : 0;
  }
  bool takes(const launch_words&, status&) { return fits; }
  status launch(launch_words& held)
  {
    const index_type blocks = kernel.blocks();
    const index_type words = kernel.words_needed();
    if (words != no_words) {
      GIMBAL_TRY(held.take(static_cast<std::size_t>(words), 1, Kernel::clearing));
      kernel.take(held);
    }
    return simt::launch<start_of_v<Kernel>>(kernel, blocks, held.stream(), Kernel::step);
  }
};
template <class Kernel>
struct kernel_row<Kernel, false> : no_row {
  kernel_row(bool, const Kernel&) {}
};

template <class Numbers, class... Rows>
class plan_of_rows;

template <std::size_t... Number, class... Rows>
class plan_of_rows<std::index_sequence<Number...>, Rows...> {
public:
  explicit plan_of_rows(const Rows&... rows) : rows_(rows...) {}

  /// The storage that the call needs, beside which it may take words from the pool or not.
  std::size_t bytes(bool may_use_pool)
  {
    launch_words::own_storage own;
    return layout(may_use_pool, own).bytes();
  }

  /// Launches the first row that takes the call, if there is one. `storage` has as many bytes as asked for.
  status launch(const temporary_storage& storage, simt::stream_type stream)
  {
    launch_words words(stream, storage.may_use_pool());
    layout(storage.may_use_pool(), words.own()).place(storage.memory());
    status state = state_;
    static_cast<void>(
      (static_cast<bool>(state) || ...
       || (std::get<Number>(rows_).takes(words, state) && (state = std::get<Number>(rows_).launch(words), true))));
    return state;
  }

  /// Both phases of a call as CUB's: the question for its storage, or the launch.
  status run(const temporary_storage& storage, std::size_t& storage_bytes, simt::stream_type stream)
  {
    const std::size_t needed = bytes(storage.may_use_pool());
    if (storage.asks() || state_) {
      storage_bytes = state_ ? storage_bytes : needed;
      return state_;
    }
    return storage_bytes < needed ? too_little_storage() : launch(storage, stream);
  }

private:
  /// Of a call that may use the pool no device is asked about the words of rows that come to nothing.
  storage_layout layout(bool may_use_pool, launch_words::own_storage& own)
  {
    storage_layout made;
    made.add(&own.arrays, largest({std::get<Number>(rows_).array_bytes()...}));
    own.room = may_use_pool ? 0 : largest({std::get<Number>(rows_).room(state_)...});
    made.add_guarded(&own.words, own.room);
    return made;
  }
  static std::size_t largest(std::initializer_list<std::size_t> of_rows) { return (std::max)(of_rows); }

  std::tuple<Rows...> rows_;
  status state_;
};

template <class... Rows>
auto plan_of(const Rows&... rows)
{
  return plan_of_rows<std::index_sequence_for<Rows...>, Rows...>(rows...);
}

GIMBAL_NAMESPACE_END
