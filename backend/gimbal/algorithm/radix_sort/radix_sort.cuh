// Radix sort: keys, or keys and values, by the bits [begin_bit, end_bit) of the key. The entry, which chooses the
// kernels by size and type; the numbers are in tuning.h:
//
//   keys      values    items                          kernels
//   to 8      to 16     to 8192, of 1 byte to 4864     every key compared with every other:
//                                                      grid/all_pairs_launch.cuh
//   to 8      to 16     as resident blocks hold, some  one launch: radix_resident_sort.cuh; beside other busy streams,
//                       millions                       as many as half of the blocks hold
//   to 8      to 16     more                           in passes by digits: radix_pass.cuh; 8-byte integers that are
//                                                      distributed evenly, in buckets after two to five passes
//   any       above 16  any                            as above, for keys with positions; each value is fetched once,
//                                                      in place twice: position_sort.cuh (also 9 to 16 bytes, where
//                                                      passes by more than three digits would move them)
//   16 bytes  any       any                            as above, for each half of a key with positions; keys and values
//                                                      are fetched: position_sort.cuh
//
// Devices that lack the shared memory for the second and third row take passes in small tiles, and so do more than 2^32
// positions. Keys that are not written to plain memory are sorted in the storage and then copied.
//
// Order: stable; equal bits, and -0.0 and +0.0, keep their order (radix_words.h).
// Traffic, launches, progress: see there. Storage: at most n keys and n values and small tables, and tables alone
//   between two buffers (radix_sort_between); by positions as in position_sort.cuh; n keys more for an output that is
//   no memory.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: positions follow from counts alone, so the result is the same bits in every run.
#pragma once

#include <gimbal/grid/launch_plan.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/radix_sort/position_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_pass.cuh>
#include <gimbal/algorithm/radix_sort/radix_resident_sort.cuh>
#include <gimbal/grid/all_pairs_launch.cuh>
#include <gimbal/simt/count_less.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Counts smaller keys, of `KeyBytes` bytes: 32 of them in shared memory, of which every lane reads all, a vector at a
/// time.
template <std::size_t KeyBytes>
struct smaller_keys {
  /// The bits to be compared.
  using word = ::cuda::std::conditional_t<KeyBytes <= 4, std::uint32_t, std::uint64_t>;
  static constexpr word last = static_cast<word>(~word{0});  ///< no bits exceed these
  static constexpr unsigned vector_items = 16 / sizeof(word);
  struct alignas(16) vector {
    word of[vector_items];
  };

  vector vectors[simt::warp_threads / vector_items];

  GIMBAL_DEVICE void set(unsigned lane, word bits) { vectors[lane / vector_items].of[lane % vector_items] = bits; }

  GIMBAL_DEVICE unsigned count(word bits) const
  {
    float counts[2] = {};
    GIMBAL_UNROLL
    for (unsigned v = 0; v < simt::warp_threads / vector_items; ++v) {
      const vector others = vectors[v];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        simt::count_less(counts[i % 2], others.of[i], bits);
      }
    }
    return static_cast<unsigned>(counts[0] + counts[1]);
  }
};

}  // namespace block

namespace algorithm {

/// Compares by the bits that a plan selects.
template <class Bits>
struct order_of_bits {
  using group = block::smaller_keys<sizeof(Bits)>;
  using word = typename group::word;  ///< the bits sorted by
  static constexpr bool fills_output = false;

  block::radix_order<Bits> order;
  block::digit_plan plan;

  GIMBAL_DEVICE word compared(Bits own) const { return plan.sorted_bits(order.ordered(own)); }

  /// Bits are complemented for groups before the block's own. Slots after the last key get the greatest bits.
  GIMBAL_DEVICE void stage(group& to, unsigned lane, const uninit<Bits>& key, bool is_present, bool is_earlier) const
  {
    const word bits = is_present ? compared(key.get()) : group::last;
    to.set(lane, is_earlier ? bits ^ group::last : bits);
  }

  /// Equal keys of earlier groups precede, too: these are all but the greater ones, whose complements are smaller.
  template <class Context>
  GIMBAL_DEVICE unsigned count(Context& ctx, const group& other, unsigned number, unsigned, word bits) const
  {
    const bool is_earlier = number < ctx.block();
    const unsigned less = other.count(is_earlier ? bits ^ group::last : bits);
    unsigned before = is_earlier ? simt::warp_threads - less : less;
    if (number == ctx.block()) {
      before += simt::popcount(ctx.match_any(bits) & ((1u << ctx.lane()) - 1));
    }
    return before;
  }
};

template <class Shape, class Keys, class Values>
using all_pairs_sort_kernel = all_pairs_kernel<Shape, order_of_bits<typename Keys::value_type>, Keys, Values>;

/// A sort in one launch (radix_resident_sort.cuh) has as many blocks as keep the work of each small, up to
/// `most_blocks`, or to this stream's share of them if they suffice.
template <class Kernel, class Keys, class Values>
status radix_resident_sort(
  temporary_storage storage, std::size_t& storage_bytes, const radix_call<Keys, Values>& call, unsigned most_blocks)
{
  Keys keys = call.keys;
  Values values = call.values;
  const auto n = static_cast<unsigned>(call.n);
  const block::digit_plan plan = call.plan;
  using histograms_type = typename Kernel::histograms_type;
  using key_ranges_type = typename Kernel::key_ranges_type;
  const auto launches = [&](launch_words& words) -> status {
    if (n == 0) {
      return {};
    }
    constexpr unsigned most_shared = Kernel::tile_items < tuning::most_shared_items
                                       ? Kernel::tile_items
                                       : static_cast<unsigned>(tuning::most_shared_items);
    const unsigned held = Kernel::held_of((n - 1) / words.share_of(most_blocks, (n - 1) / most_shared + 1) + 1);
    const unsigned blocks = (n - 1) / (held * Kernel::block_threads) + 1;
    const std::size_t count = histograms_type::word_count(blocks) + key_ranges_type::word_count(blocks);
    GIMBAL_TRY(words.take(count, plan.passes + 1, "clearing of the states of a radix sort"));
    const typename Kernel::pass pass{
      keys,
      values,
      call.order,
      plan,
      {words.words(), words.first_tag()},
      {words.words() + histograms_type::word_count(blocks), words.first_tag()},
      n,
      call.is_by_range()};
    const block::team team{words.team_state(), words.most_looks(tuning::most_sort_team_looks)};
    const Kernel kernel{{pass, Kernel::rounds_of(n, blocks)}, held, algorithm::find_aliasing(keys, values), team};
    return words.launch(kernel, blocks, "radix sort in one launch");
  };
  launch_words words(call.stream);
  storage_layout layout;
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  GIMBAL_TRY(words.reserve(layout, storage, launches));
  status placed;
  if (!layout.place(storage, storage_bytes, placed)) {
    return placed;
  }
  return launches(words);
}

/// `most_blocks`: those that are resident at a time.
template <class Kernel, class Keys, class Values>
status radix_sort_in_passes(
  temporary_storage storage, std::size_t& storage_bytes, const radix_call<Keys, Values>& call, unsigned most_blocks)
{
  using histogram_kernel = typename Kernel::histogram_kernel;
  auto [keys, values, n, order, plan, stream] = call;
  const radix_tiles shape = algorithm::radix_tiles_of<Kernel>(n, most_blocks);
  const index_type tiles = (n + shape.tile_size - 1) / shape.tile_size;
  const index_type parts = (tiles + Kernel::most_tiles - 1) / Kernel::most_tiles;
  const index_type part_tiles = parts <= 1 ? tiles : (tiles + parts - 1) / parts;
  typename Kernel::state_type* state = nullptr;
  unsigned* words = nullptr;
  storage_layout layout;
  layout.add(&state, 1);
  layout.add(&words, static_cast<std::size_t>(part_tiles) * block::radix_size);
  const sort_aliasing aliasing = algorithm::find_aliasing(keys, values);
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }

  // State and descriptors are adjacent: one fill clears them.
  const void* const end = words + static_cast<std::size_t>(part_tiles) * block::radix_size;
  const auto cleared_bytes =
    static_cast<std::size_t>(static_cast<const char*>(end) - reinterpret_cast<const char*>(state));
  GIMBAL_TRY(simt::fill_bytes(state, 0, cleared_bytes, stream, "radix sort: clearing"));
  const index_type histogram_tiles = (n + histogram_kernel::tile_items - 1) / histogram_kernel::tile_items;
  const index_type histogram_blocks = histogram_kernel::blocks(histogram_tiles);
  radix_bucket_limits limits{};
  if constexpr (Kernel::makes_buckets) {
    // The buffer has room for where buckets begin, unless it is the input.
    if (!aliasing.overwrites && !call.is_by_range() && !order.is_floating()) {
      limits = Kernel::bucket_steps::limits(n, histogram_blocks * histogram_kernel::compared_pairs);
    }
  }
  GIMBAL_TRY(simt::launch(
    histogram_kernel{keys, order, n, histogram_tiles, plan, state, limits}, histogram_blocks, stream,
    "radix sort: histogram"));

  Kernel kernel{shape, keys, values, order, plan, state, aliasing, call.is_by_range()};
  kernel.words = words;
  kernel.parts = static_cast<unsigned>((tiles + part_tiles - 1) / part_tiles);
  kernel.part_tiles = static_cast<unsigned>(part_tiles);
  // If the leading digits turn out not to be enough, passes by all digits follow, in place.
  const unsigned leading = limits.most_leading;
  const unsigned first_steps = leading == 0 ? 0 : moves_of_passes(leading, aliasing.moves());
  kernel.first_steps = first_steps;
  const unsigned steps = first_steps + moves_of_passes(plan.passes, leading == 0 ? aliasing.moves() : sort_moves::even);
  const unsigned room = simt::share_of_gpu(most_blocks, stream);
  unsigned launches = 0;
  for (kernel.step = 0; kernel.step < steps; ++kernel.step) {
    kernel.first_tile = 0;
    for (kernel.part = 0; kernel.part < kernel.parts; ++kernel.part, ++launches) {
      const index_type left = tiles - kernel.first_tile;
      kernel.tiles = static_cast<unsigned>(left < part_tiles ? left : part_tiles);
      kernel.ticket = &state->tickets[launches % 2];
      kernel.next_ticket = &state->tickets[(launches + 1) % 2];
      const index_type blocks = kernel.tiles < room ? kernel.tiles : room;
      GIMBAL_TRY(simt::launch(kernel, blocks, stream, "radix sort: pass"));
      kernel.first_tile += kernel.tiles;
    }
    if constexpr (Kernel::makes_buckets) {
      if (kernel.step + 1 == first_steps) {
        GIMBAL_TRY(Kernel::bucket_steps::sort(keys, values, order, state, n, stream));
      }
    }
  }
  return {};
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

  // Compares every key with every other.
  if constexpr (rows::most_all_pairs_items > 0) {
    if (n <= rows::most_all_pairs_items) {
      using kernel_type = all_pairs_sort_kernel<typename rows::all_pairs, Keys, Values>;
      const all_pairs_row<kernel_type> row{
        {}, n > 0, any_streams, true, {call.keys, call.values, {call.order, call.plan}, static_cast<unsigned>(n), {}}};
      return gimbal::plan_of(row).run(storage, storage_bytes, call.stream);
    }
  }

  if constexpr (!Keys::is_plain_output) {
    const auto sort_keys = [&](const temporary_storage& given, std::size_t& bytes, key_type* sorted) {
      using sorted_keys = sort_array<decltype(call.keys.input), key_type*>;
      return algorithm::radix_sort_words<Rows>(
        given, bytes,
        radix_call<sorted_keys, Values>{
          {call.keys.input, sorted, nullptr}, call.values, n, call.order, call.plan, call.stream});
    };
    return algorithm::sort_through_memory<key_type>(
      storage, storage_bytes, sort_keys, call.keys.output, n, call.stream);
  } else {
    using passes_kernel = radix_pass_kernel<typename rows::large, typename rows::buckets, Keys, Values>;
    using small_kernel = radix_pass_kernel<typename rows::any_gpu_shape, tuning::no_radix_buckets, Keys, Values>;
    // Sorts in one launch.
    if constexpr (rows::most_resident_items(false) > 0) {
      using resident_kernel = radix_resident_sort_kernel<typename rows::resident, Keys, Values>;
      const bool may_fit = n <= rows::most_resident_items(call.order.is_floating());
      const unsigned resident = may_fit ? algorithm::radix_engine_blocks<resident_kernel>() : 0;
      const unsigned blocks = resident < rows::resident::most_blocks ? resident : rows::resident::most_blocks;
      constexpr index_type block_items = resident_kernel::tile_items;
      constexpr index_type shared_items =
        block_items < tuning::most_shared_items ? block_items : tuning::most_shared_items;
      const auto in_one_launch = [&](const temporary_storage& given, std::size_t& bytes) {
        return algorithm::radix_resident_sort<resident_kernel>(given, bytes, call, blocks);
      };
      if (n <= blocks * block_items) {
        if (n <= shared_items) {  // any share of the GPU has a block for them: no storage for passes
          return in_one_launch(storage, storage_bytes);
        }
        // While other streams are busy, a launch that needs more than half of the GPU would wait for them, and they for
        // it. record: half_of_the_gpu (2^19 from 4 threads 1.96 of stock's rate, in passes 0.80).
        const bool takes_others_share =
          simt::share_of_gpu(blocks, call.stream) < blocks && n > blocks / 2 * shared_items;
        const auto in_passes = [&](const temporary_storage& given, std::size_t& bytes) {
          const unsigned most_blocks = algorithm::radix_engine_blocks<passes_kernel>();
          return most_blocks == 0 ? in_one_launch(given, bytes)
                                  : algorithm::radix_sort_in_passes<passes_kernel>(given, bytes, call, most_blocks);
        };
        return gimbal::either_call(storage, storage_bytes, takes_others_share, in_passes, in_one_launch);
      }
    }
    const unsigned most_blocks = algorithm::radix_engine_blocks<passes_kernel>();
    if (most_blocks != 0) {
      return algorithm::radix_sort_in_passes<passes_kernel>(storage, storage_bytes, call, most_blocks);
    }
    const unsigned small_blocks = algorithm::radix_engine_blocks<small_kernel>();
    return small_blocks == 0
             ? simt::failure(simt::error_invalid_value, "radix sort: shared memory")
             : algorithm::radix_sort_in_passes<small_kernel>(storage, storage_bytes, call, small_blocks);
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
    if constexpr (is_wide) {
      const auto sort_keys = [=](const temporary_storage& given, std::size_t& bytes, position_type* positions) {
        return algorithm::sort_by_halves(given, bytes, sort, call, positions);
      };
      return algorithm::position_sort<position_type>(storage, storage_bytes, sort_keys, n, stream, call.keys, values);
    } else {
      const auto sort_keys = [=](const temporary_storage& given, std::size_t& bytes, position_type* positions) {
        return sort(given, bytes, Order{}, keys, nullptr, positions, begin_bit, end_bit);
      };
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
  return tuning::radix_engine<sizeof(Key), ValueBytes>::most_resident_items(is_floating);
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
