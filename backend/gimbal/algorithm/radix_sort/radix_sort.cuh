// Radix sort: keys, or keys and values, by the bits [begin_bit, end_bit) of the key. The entry, which chooses the
// kernels by size and type; the numbers are in tuning.h:
//
//   keys      values    items                          kernels
//   to 8      to 16     to 8192, of 1 byte to 4864     every key compared with every other:
//                                                      grid/all_pairs_launch.cuh; beside other busy streams, fewer
//   to 8      to 16     as resident blocks hold, some  one launch: radix_resident_sort.cuh; beside other busy streams,
//                       millions                       as many as half of the blocks hold
//   to 8      to 16     more                           in passes by digits: radix_pass.cuh; 8-byte integers that are
//                                                      distributed evenly, in buckets after two to five passes
//   any       above 16  any                            as above, for keys with positions; each value is fetched once,
//                                                      in place twice (also 9 to 16 bytes, where passes by more than
//                                                      three digits would move them)
//   16 bytes  any       any                            as above, for the 8 bytes of the lower half of a key with
//                                                      positions and then, stably, for the upper half; keys and values
//                                                      are fetched
//
// Devices that lack the shared memory for the second and third row take passes in small tiles, and so do more than 2^32
// positions. Keys that are not written to plain memory are sorted in the storage and then copied.
//
// Order: stable; equal bits, and -0.0 and +0.0, keep their order (radix_words.h).
// Traffic, launches, progress: see there; where items are fetched, also the position of each and twice its size and, in
//   place, twice its size again, in 1 launch or, in place, 2. Halves are read from the keys just before, in 1 launch.
// Storage: at most n keys and n values and small tables, and tables alone between two buffers (radix_sort_between); n
//   keys more for an output that is no memory. By positions: n of these, of 16-byte keys n halves, and what the sort
//   takes or, in place, n items if that is more.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: positions follow from counts alone, so the result is the same bits in every run.
#pragma once

#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_pass.cuh>
#include <gimbal/algorithm/radix_sort/radix_resident_sort.cuh>
#include <gimbal/algorithm/transform/transform.cuh>
#include <gimbal/grid/all_pairs_launch.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The two phases of a call that needs an array of n items besides what it calls: call(storage, bytes, array).
template <class T, class Call>
status call_with_array(temporary_storage storage, std::size_t& storage_bytes, index_type n, Call call)
{
  auto* array = reinterpret_cast<T*>(alignof(T));  // not null, as an input would be; a query follows it nowhere
  unsigned char* room = nullptr;
  std::size_t room_bytes = 0;
  GIMBAL_TRY(call(temporary_storage(nullptr), room_bytes, array));
  storage_layout layout;
  layout.add(&array, static_cast<std::size_t>(n));
  layout.add(&room, room_bytes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  return call(temporary_storage(room), room_bytes, array);
}

/// An input whose items are f(0), f(1), ...
template <class Value, class F>
struct made_items {
  using value_type = Value;
  using difference_type = index_type;
  using pointer = void;
  using reference = Value;
  using iterator_category = std::random_access_iterator_tag;

  F f;
  index_type at = 0;

  GIMBAL_HOST_DEVICE made_items operator+(index_type n) const { return {f, at + n}; }
  GIMBAL_DEVICE Value operator*() const { return f(at); }
};

/// The position that a value comes from, where there are at most 2^32.
using sort_position = std::uint32_t;

/// Words of items that are fetched from their positions.
template <class Word, unsigned ItemWords, class Words, class Position>
struct words_at_positions {
  Words words;
  const Position* positions;

  GIMBAL_DEVICE Word operator()(index_type at) const
  {
    const auto w = static_cast<std::uint64_t>(at);
    const auto item = static_cast<index_type>(positions[w / ItemWords]);
    return block::load_as<Word>(words + (item * ItemWords + static_cast<index_type>(w % ItemWords)));
  }
};

/// to[i] = from[positions[i]] for n items. Arrays are moved in the largest words that their items are aligned to,
/// neighbouring words by neighbouring threads.
template <class From, class To, class Position>
status gather(From from, To to, const Position* positions, index_type n, simt::stream_type stream)
{
  using value_type = value_type_of<From>;
  const auto move = [&](auto words, auto to_words, auto item_words) {
    using word = value_type_of<decltype(words)>;
    using fetched = words_at_positions<word, item_words.value, decltype(words), Position>;
    return algorithm::copy<tuning::gather<sizeof(word)>>(
      made_items<word, fetched>{{words, positions}}, to_words, n * item_words.value, stream);
  };
  if constexpr (::cuda::std::is_same_v<From, const value_type*> && ::cuda::std::is_same_v<To, value_type*>) {
    constexpr std::size_t alignment = alignof(value_type);
    using word = ::cuda::std::conditional_t<
      alignment >= 16, simt::vector16, simt::unsigned_of_size<(alignment < 16 ? alignment : 8)>>;
    return move(
      reinterpret_cast<const word*>(from), reinterpret_cast<word*>(to),
      ::cuda::std::integral_constant<unsigned, sizeof(value_type) / sizeof(word)>{});
  } else {
    return move(from, to, ::cuda::std::integral_constant<unsigned, 1>{});
  }
}

/// Moves n items from their positions to the output; in place, they are copied to `room` first, and fetched from there:
/// each is contiguous there, which those of several arrays (a zip iterator's) are not. Of an input that is null, the
/// items are the positions.
template <class Position, class Array>
status move_from_positions(
  const Array& items, const Position* positions, void* room, index_type n, simt::stream_type stream)
{
  if constexpr (bytes_of_values<Array> != 0) {
    using value_type = typename Array::value_type;
    if constexpr (Array::may_be_positions) {
      if (items.input == nullptr) {
        return algorithm::copy(positions, items.output, n, stream);
      }
    }
    if (items.is_copy()) {
      return algorithm::gather(items.input, items.output, positions, n, stream);
    }
    auto* const moved = static_cast<value_type*>(room);
    simt::guard(moved, static_cast<std::size_t>(n) * sizeof(value_type), 0);  // where the sort had its tables
    GIMBAL_TRY(algorithm::copy(items.input, moved, n, stream));
    return algorithm::gather(static_cast<const value_type*>(moved), items.output, positions, n, stream);
  }
  return {};
}

/// Sorts n positions by `sort_keys(storage, bytes, positions)`, in the two phases of a call, and moves the items of
/// each array from their positions. A Position holds n - 1.
template <class Position, class SortKeys, class... Arrays>
status position_sort(
  temporary_storage storage, std::size_t& storage_bytes, SortKeys sort_keys, index_type n, simt::stream_type stream,
  const Arrays&... moved)
{
  const auto sort_and_move = [&](const temporary_storage& given, std::size_t& bytes, Position* positions) -> status {
    GIMBAL_TRY(sort_keys(given, bytes, positions));
    if (given.asks()) {
      bytes = (std::max)({bytes, (moved.is_copy() ? 0 : static_cast<std::size_t>(n) * bytes_of_values<Arrays>)...});
      return {};
    }
    const Position* const found = positions;
    status done;
    ((done = done ? done : algorithm::move_from_positions(moved, found, given.memory(), n, stream)), ...);
    return done;
  };
  return algorithm::call_with_array<Position>(storage, storage_bytes, n, sort_and_move);
}

/// One half of the ordered bits of a 16-byte key, of item number `at` in the order of `positions` or, if that is null,
/// of the keys.
template <class Position, class KeyIt, class Bits>
struct key_half {
  KeyIt keys;
  block::radix_order<Bits> order;
  const Position* positions;
  unsigned shift;

  GIMBAL_DEVICE std::uint64_t operator()(index_type at) const
  {
    const index_type from = positions == nullptr ? at : static_cast<index_type>(positions[at]);
    return static_cast<std::uint64_t>(order.ordered(block::load_as<Bits>(keys + from)) >> shift);
  }
};

/// Sorts the positions of 16-byte keys by the lower and then by the upper half of the keys. `sort(storage, bytes,
/// order, halves, from, positions, begin_bit, end_bit)` sorts halves with positions; those of a null `from` are made.
template <class Position, class Sort, class Keys, class Values>
status sort_by_halves(
  temporary_storage storage, std::size_t& storage_bytes, Sort sort, const radix_call<Keys, Values>& call,
  Position* positions)
{
  using half = key_half<Position, decltype(call.keys.input), typename Keys::value_type>;
  constexpr int half_bits = 64;
  const auto sort_halves = [&](const temporary_storage& given, std::size_t& bytes, std::uint64_t* halves) -> status {
    const sort_array<const std::uint64_t*, std::uint64_t*> in_place{halves, halves, nullptr};
    const Position* from = nullptr;
    std::size_t most_bytes = 0;
    for (int lower = 0; lower <= half_bits; lower += half_bits) {
      const auto within = [&](unsigned bit) {
        return (std::min)((std::max)(static_cast<int>(bit) - lower, 0), half_bits);
      };
      const int begin = within(call.plan.begin_bit);
      const int end = within(call.plan.begin_bit + call.plan.bits);
      if (begin == end && (lower == 0 || from != nullptr)) {
        continue;
      }
      if (!given.asks()) {
        const made_items<std::uint64_t, half> in{{call.keys.input, call.order, from, static_cast<unsigned>(lower)}};
        GIMBAL_TRY(algorithm::copy(in, halves, call.n, call.stream));
      }
      std::size_t half_bytes = bytes;
      GIMBAL_TRY(sort(given, half_bytes, ascending{}, in_place, from, positions, begin, end));
      most_bytes = (std::max)(most_bytes, half_bytes);
      from = positions;
    }
    bytes = most_bytes;
    return {};
  };
  return algorithm::call_with_array<std::uint64_t>(storage, storage_bytes, call.n, sort_halves);
}

template <class Keys, class Values>
using position_sort_tuning = tuning::position_sort<sizeof(typename Keys::value_type), bytes_of_values<Values>>;
/// True if n values are fetched from their positions.
template <class Keys, class Values>
bool is_sorted_by_position(index_type n, unsigned digits)
{
  using tuned = position_sort_tuning<Keys, Values>;
  return tuned::is_possible && static_cast<int>(digits) > tuned::most_moved_digits && tuned::least_items <= n
         && n <= tuned::most_items;
}

/// The row of a call in one launch, if it has so many items and they fit the blocks that the device runs at a time.
template <class Rows, class Keys, class Values>
auto one_launch_row(const radix_call<Keys, Values>& call, index_type least_items = 1)
{
  if constexpr (Rows::most_resident_items > 0 && Keys::is_plain_output) {
    using kernel = radix_resident_sort_kernel<typename Rows::resident, Keys, Values>;
    const index_type most = call.order.is_floating() ? Rows::most_resident_floats : Rows::most_resident_items;
    const bool may_fit = least_items <= call.n && call.n <= most;
    const unsigned blocks =
      may_fit ? (std::min)(algorithm::radix_engine_blocks<kernel>(), Rows::resident::most_blocks) : 0;
    // While other streams are busy, a launch that needs more than half of the GPU would wait for them, and they for it.
    // record: half_of_the_gpu (2^19 from 4 threads 1.96 of stock's rate, in passes 0.80).
    const bool yields = call.n > (std::max)(index_type{1}, index_type{blocks / 2}) * kernel::shared_items;
    // Where another kernel leaves few blocks, a quarter of these items take less time in passes. record: small_teams
    const bool may_have_other = call.n > (std::max)(index_type{1}, index_type{blocks / 8}) * kernel::shared_items;
    return radix_resident_row<kernel, Keys, Values>{
      {may_fit && call.n <= index_type{blocks} * kernel::tile_items}, yields, may_have_other, call, blocks};
  } else {
    struct none : no_row {
      bool has_other = false;
    };
    return none{};
  }
}

/// Keys of at most 8 bytes, and values of at most 16.
template <class Rows, class Keys, class Values>
status radix_sort_words(temporary_storage storage, std::size_t& storage_bytes, const radix_call<Keys, Values>& call)
{
  using key_type = typename Keys::value_type;
  constexpr std::size_t value_bytes = bytes_of_values<Values>;
  using rows =
    ::cuda::std::conditional_t<::cuda::std::is_void_v<Rows>, tuning::radix_engine<sizeof(key_type), value_bytes>, Rows>;
  const index_type n = call.n;
  if (Keys::is_plain_output && !storage.asks()) {
    simt::active_streams(call.stream, call.nanoseconds());
  }

  if constexpr (rows::most_all_pairs_items > 0) {
    if (n <= rows::most_all_pairs_items) {
      using kernel_type = all_pairs_kernel<typename rows::all_pairs, order_of_bits<key_type>, Keys, Values>;
      const order_of_bits<key_type> order{call.order, call.plan.template sorted_mask<key_type>()};
      all_pairs_row<kernel_type> all_pairs(n > 0, {call.keys, call.values, order, static_cast<unsigned>(n)});
      const auto one_launch = algorithm::one_launch_row<rows>(call, rows::all_pairs::least_shared_items);
      all_pairs.most_streams =
        one_launch.fits ? static_cast<unsigned>(rows::all_pairs::most_shared_pairs / (n * n)) : any_streams;
      return gimbal::plan_of(all_pairs, one_launch).run(storage, storage_bytes, call.stream);
    }
  }
  if constexpr (!Keys::is_plain_output) {
    const auto sort_and_copy = [&](const temporary_storage& given, std::size_t& bytes, key_type* sorted) -> status {
      using sorted_keys = sort_array<decltype(call.keys.input), key_type*>;
      const radix_call<sorted_keys, Values> to_memory{
        {call.keys.input, sorted, nullptr}, call.values, n, call.order, call.plan, call.stream};
      GIMBAL_TRY(algorithm::radix_sort_words<Rows>(given, bytes, to_memory));
      return given.asks() ? status{} : algorithm::copy(sorted, call.keys.output, n, call.stream);
    };
    return algorithm::call_with_array<key_type>(storage, storage_bytes, n, sort_and_copy);
  } else {
    using large_kernel = radix_pass_kernel<typename rows::large, typename rows::buckets, Keys, Values>;
    using small_kernel = radix_pass_kernel<typename rows::any_gpu_shape, tuning::no_radix_buckets, Keys, Values>;
    auto one_launch = algorithm::one_launch_row<rows>(call);
    const bool needs_passes = n > 0 && (!one_launch.fits || one_launch.has_other);
    const unsigned large_blocks = needs_passes ? algorithm::radix_engine_blocks<large_kernel>() : 0;
    const bool needs_small = needs_passes && !one_launch.fits && large_blocks == 0;
    const unsigned small_blocks = needs_small ? algorithm::radix_engine_blocks<small_kernel>() : 0;
    if (needs_small && small_blocks == 0) {
      return simt::failure(simt::error_invalid_value, "radix sort: shared memory");
    }
    one_launch.has_other = large_blocks != 0;
    const radix_pass_row<large_kernel, Keys, Values> in_large_tiles{{large_blocks != 0}, call, large_blocks};
    const radix_pass_row<small_kernel, Keys, Values> in_small_tiles{{small_blocks != 0}, call, small_blocks};
    return gimbal::plan_of(one_launch, in_large_tiles, in_small_tiles).run(storage, storage_bytes, call.stream);
  }
}

/// Takes arrays made by make_sort_array, some of which may have been given buffers; else as radix_sort. `Rows` are rows
/// of tuning, by default those of the types.
template <class Rows = void, class Order, class Keys, class Values>
[[nodiscard]] status radix_sort_arrays(
  temporary_storage storage, std::size_t& storage_bytes, Order, Keys keys, Values values, index_type n, int begin_bit,
  int end_bit, simt::stream_type stream)
{
  using key_type = typename Keys::value_type;
  static_assert(block::is_radix_key_v<key_type>, "radix_sort takes integers, bool and IEEE floating-point keys");
  if (begin_bit < 0 || end_bit < begin_bit || end_bit > static_cast<int>(8 * sizeof(key_type))) {
    return simt::failure(simt::error_invalid_value, "radix sort: bit range");
  }
  using words = decltype(algorithm::as_words(keys));
  const radix_call<words, Values> call{
    algorithm::as_words(keys),
    values,
    n,
    algorithm::radix_order_for<key_type>(Order{}),
    block::digit_plan::of_bits(begin_bit, end_bit),
    stream};
  constexpr bool is_wide = sizeof(key_type) > 8;
  constexpr std::size_t value_bytes = bytes_of_values<Values>;
  // Sorts with positions; `rows` is a null pointer to the rows for them.
  const auto by_position = [&](auto position, auto* rows) -> status {
    using position_type = decltype(position);
    const auto sort = [=](
                        const temporary_storage& given, std::size_t& bytes, auto order, auto sorted,
                        const position_type* from, position_type* positions, int begin, int end) {
      return algorithm::radix_sort_arrays<::cuda::std::remove_pointer_t<decltype(rows)>>(
        given, bytes, order, sorted, sort_array<const position_type*, position_type*>{from, positions, nullptr}, n,
        begin, end, stream);
    };
    const auto sort_keys = [=](const temporary_storage& given, std::size_t& bytes, position_type* positions) {
      if constexpr (is_wide) {
        return algorithm::sort_by_halves(given, bytes, sort, call, positions);
      } else {
        return sort(given, bytes, Order{}, keys, nullptr, positions, begin_bit, end_bit);
      }
    };
    if constexpr (is_wide) {
      return algorithm::position_sort<position_type>(storage, storage_bytes, sort_keys, n, stream, call.keys, values);
    } else {
      return algorithm::position_sort<position_type>(storage, storage_bytes, sort_keys, n, stream, values);
    }
  };
  if constexpr (is_wide || value_bytes > 16) {
    using many_rows = ::cuda::std::conditional_t<
      ::cuda::std::is_void_v<Rows>, tuning::small_radix_engine<(is_wide ? 8 : sizeof(key_type)), 8>, Rows>;
    return n <= index_type{1} << 32 ? by_position(sort_position{}, static_cast<Rows*>(nullptr))
                                    : by_position(std::uint64_t{}, static_cast<many_rows*>(nullptr));
  } else {
    if constexpr (::cuda::std::is_void_v<Rows> && position_sort_tuning<Keys, Values>::is_possible) {
      if (algorithm::is_sorted_by_position<Keys, Values>(n, call.plan.passes)) {
        return by_position(sort_position{}, static_cast<Rows*>(nullptr));
      }
    }
    return algorithm::radix_sort_words<Rows>(storage, storage_bytes, call);
  }
}

/// keys_out = the n keys of keys_in ordered by their bits [begin_bit, end_bit), values_out = values_in moved in the
/// same way. `Order` is ascending or descending. A null values_in of integers of 4 or 8 bytes means the positions of
/// the keys. The head of this file describes the order of equals, aliasing and storage.
template <class Rows = void, class Order, class KeyIn, class KeyOut, class ValueIn, class ValueOut>
[[nodiscard]] status radix_sort(
  temporary_storage storage, std::size_t& storage_bytes, Order, KeyIn keys_in, KeyOut keys_out, ValueIn values_in,
  ValueOut values_out, index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  return algorithm::radix_sort_arrays<Rows>(
    storage, storage_bytes, Order{}, algorithm::make_sort_array(keys_in, keys_out),
    algorithm::as_moved(algorithm::make_sort_array(values_in, values_out)), n, begin_bit, end_bit, stream);
}

/// The n items of `current`, and a buffer of the same size.
template <class T>
struct sort_buffers {
  T* current;
  T* other;
  bool ends_in_other;  ///< where the sorted items are: set by the sort

  auto array(bool moves_once) const
  {
    // A size query may come without pointers; none is followed.
    T* const first = current == nullptr ? reinterpret_cast<T*>(sizeof(simt::vector16)) : current;
    T* const second = other == nullptr ? reinterpret_cast<T*>(2 * sizeof(simt::vector16)) : other;
    const T* const from = first;
    return moves_once      ? algorithm::make_sort_array(from, second)
           : ends_in_other ? algorithm::make_sort_array(from, second, first)
                           : algorithm::make_sort_array(from, first, second);
  }
};
template <>
struct sort_buffers<no_values> {
  bool ends_in_other;

  auto array(bool) const { return make_sort_array(no_values{}, no_values{}); }
};

/// Up to this many items are sorted in one launch, whose blocks may write before others have read.
template <class Key, std::size_t ValueBytes>
constexpr index_type most_items_of_one_launch()
{
  constexpr bool is_floating = block::radix_key_kind_v<Key> == block::radix_key_kind::floating_point;
  using rows = tuning::radix_engine<sizeof(Key), ValueBytes>;
  return is_floating ? rows::most_resident_floats : rows::most_resident_items;
}

/// Sorts between two buffers, with no storage but for positions of large values and 16-byte keys. An odd number of
/// digits ends in the other buffer, unless one launch sorts by all; an even number ends where it began, as in place.
/// Large values and 16-byte keys move once, to the other buffer.
template <class Order, class Key, class Value>
[[nodiscard]] status radix_sort_between(
  temporary_storage storage, std::size_t& storage_bytes, Order, sort_buffers<Key>& keys, sort_buffers<Value>& values,
  index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  using key_array = decltype(keys.array(true));
  using value_array = decltype(algorithm::as_moved(values.array(true)));
  constexpr std::size_t value_bytes = bytes_of_values<value_array>;
  const unsigned digits = block::digit_plan::of_bits(begin_bit, end_bit).passes;
  const bool is_once = digits <= 1 || sizeof(Key) > 8;
  const bool is_by_position = algorithm::is_sorted_by_position<key_array, value_array>(n, digits);
  const index_type most_in_one_launch =
    is_by_position
      ? algorithm::most_items_of_one_launch<Key, sizeof(sort_position)>()
      : algorithm::most_items_of_one_launch<Key, (value_bytes <= 16 ? value_bytes : sizeof(sort_position))>();
  keys.ends_in_other = is_once || (digits % 2 != 0 && n > most_in_one_launch);
  values.ends_in_other = keys.ends_in_other || is_by_position;
  return algorithm::radix_sort_arrays(
    storage, storage_bytes, Order{}, keys.array(is_once), algorithm::as_moved(values.array(is_once || is_by_position)),
    n, begin_bit, end_bit, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
