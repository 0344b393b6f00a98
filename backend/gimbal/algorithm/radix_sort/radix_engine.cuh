// The radix engine, the first three rows of the table in radix_sort.cuh: few keys in one launch that compares all of them, what as many
// blocks as are resident at a time can hold in one launch that sorts uniformly distributed keys with one pass, and more in few large
// tiles by persistent blocks.
//
// Algorithm of the last: one sweep counts the digits of all passes (radix_histogram.cuh), then each digit in which keys differ takes a
// pass (radix_pass.cuh): onesweep (Adinets & Merrill, arXiv 2206.01784) with whole-vector writes, atomic ranking that is verified, and
// look-back beside writing out. Keys that the sweep finds sorted are not moved. Keys of 8 bytes, if they are distributed evenly enough,
// take passes by their two to four leading digits alone, and are then sorted bucket by bucket (radix_buckets.cuh): after Stehle &
// Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs" (SIGMOD 2017), but without recursion.
//
// Order: stable; equal bits, and -0.0 and +0.0, keep their order (collective/radix_key.cuh).
// Traffic for p digits in which keys differ: keys (2p + 1) times, values 2p times; in place and p odd, once more. Sorted input: as if
// p were 0; in buckets p is 1 more than the leading digits.
// Launches: 1 fill, 1 histogram, and one per digit, of which those without a digit to sort by end at once; in place their
//   number is even. Where digits may lead: 2, and one per leading digit, more. Of more than 9 * 2^26 items, each of these passes
//   takes two launches or more, of as many tiles.
// Few keys: one launch, no storage. What all resident blocks hold: one launch, n keys and n values.
// Storage: n keys and n values, but not for one digit out of place, nor for buffers that were given; 1 KB per tile of a launch,
//   and 8.5 KB per digit.
// Aliasing, determinism: as radix_sort. Progress: no block waits for one that does not run (radix_pass.cuh).
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>
#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/grid/retained_words.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/radix_sort/all_pairs_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_launch.cuh>
#include <gimbal/algorithm/radix_sort/radix_resident_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Words of up to 8 bytes in plain memory (radix_words.h), with values of up to 16 bytes.
template <class Keys, class Values>
inline constexpr bool is_radix_engine_taken = Keys::is_plain_output && sizeof(typename Keys::value_type) <= 8
                                              && bytes_of_values<Values> <= 16;

template <class Keys>
using radix_order_of = block::radix_order<typename Keys::value_type>;

/// The size of the tiles. If there are few, they are made smaller so that each block has the same number, as the next pass waits for
/// the last block; the warps' shares are made equal, in whole batches of a lane, or else some warps have none. If there are many,
/// blocks finish at different times anyway, and full tiles are the most efficient.
template <class Kernel>
radix_tiles radix_tiles_of(index_type n, unsigned blocks)
{
  const index_type rounds = (n - 1) / (index_type{Kernel::tile_items} * blocks) + 1;
  if (rounds > (Kernel::has_even_shares ? tuning::few_even_radix_tiles : tuning::few_radix_tiles)) {
    return {n, Kernel::tile_items, Kernel::items};
  }
  const index_type share = (n - 1) / (rounds * blocks) + 1;
  constexpr index_type batch_of_all = Kernel::main_threads * Kernel::batch;
  const unsigned lane_items =
    Kernel::has_even_shares ? static_cast<unsigned>((share - 1) / batch_of_all + 1) * Kernel::batch : Kernel::items;
  const unsigned warp_items = lane_items * simt::warp_threads;
  return {n, static_cast<unsigned>((share - 1) / warp_items + 1) * warp_items, lane_items};
}

inline status clear_through(void* first, const void* end, simt::stream_type stream)
{
  const auto bytes = static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<char*>(first));
  return bytes == 0 ? status{} : simt::fill_bytes(first, 0, bytes, stream, "radix sort: clearing");
}

template <class Kernel, class Keys, class Values>
status radix_engine_passes(
  temporary_storage storage, std::size_t& storage_bytes, const radix_order_of<Keys>& order, Keys keys, Values values,
  index_type n, block::digit_plan plan, unsigned most_blocks, simt::stream_type stream)
{
  using histogram_kernel = typename Kernel::histogram_kernel;
  const bool is_by_range = plan.bits < 8 * sizeof(typename Keys::value_type);
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
  const bool is_buffer_given = keys.buffer != nullptr;
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }

  // Tables in the buffer need it before the first pass, and the alignment of their words, which a given buffer may lack.
  const bool can_hold_tables =
    !aliasing.overwrites && reinterpret_cast<std::uintptr_t>(keys.buffer) % sizeof(block::radix_vector) == 0;
  typename Kernel::bucket_steps bucket_steps(n, !is_by_range && !order.is_floating() && can_hold_tables);
  // State, descriptors and the buffer's begin are adjacent: one fill clears them. A buffer that was given takes another.
  const void* cleared_end = bucket_steps.place(state, keys.buffer);
  if (is_buffer_given) {
    GIMBAL_TRY(algorithm::clear_through(keys.buffer, cleared_end, stream));
    cleared_end = words + static_cast<std::size_t>(part_tiles) * block::radix_size;
  }
  GIMBAL_TRY(algorithm::clear_through(state, cleared_end, stream));
  const index_type histogram_tiles = (n + histogram_kernel::tile_items - 1) / histogram_kernel::tile_items;
  GIMBAL_TRY(simt::launch(
    histogram_kernel{keys, order, n, histogram_tiles, plan, state, bucket_steps.sample()},
    algorithm::radix_histogram_blocks<histogram_kernel>(histogram_tiles, Kernel::histogram_blocks), stream,
    "radix sort: histogram"));

  Kernel kernel{{shape, keys, values, order, plan, state, aliasing, is_by_range}};
  kernel.words = words;
  kernel.parts = static_cast<unsigned>((tiles + part_tiles - 1) / part_tiles);
  kernel.part_tiles = static_cast<unsigned>(part_tiles);
  // If the leading digits turn out not to be enough, passes by all digits follow, in place.
  const unsigned leading = bucket_steps.digits();
  const unsigned first_steps = leading == 0 ? 0 : moves_of_passes(leading, aliasing.moves());
  kernel.first_steps = first_steps;
  const unsigned steps = first_steps + moves_of_passes(plan.passes, leading == 0 ? aliasing.moves() : sort_moves::even);
  const unsigned room = share_of_gpu(most_blocks, stream);
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
    if (kernel.step + 1 == first_steps) {
      GIMBAL_TRY(bucket_steps.sort(keys, values, order, stream));
    }
  }
  return {};
}

/// In several launches, of as many blocks as are resident at a time. False, and nothing is done, if the device cannot run any.
template <class Tuning, class Keys, class Values>
[[nodiscard]] bool radix_engine_in_passes(
  status& result, temporary_storage storage, std::size_t& storage_bytes, const radix_order_of<Keys>& order, Keys keys,
  Values values, index_type n, block::digit_plan plan, simt::stream_type stream)
{
  using kernel_type = radix_launch_kernel<typename Tuning::large, typename Tuning::buckets, Keys, Values>;
  const unsigned blocks = algorithm::radix_engine_blocks<kernel_type>();
  if (blocks != 0) {
    result =
      algorithm::radix_engine_passes<kernel_type>(storage, storage_bytes, order, keys, values, n, plan, blocks, stream);
  }
  return blocks != 0;
}

/// In one launch (radix_resident_sort.cuh), of as many blocks as keep the work of each small, up to `most_blocks`, or to this stream's
/// share of them if they suffice.
template <class Kernel, class Keys, class Values>
status radix_resident_sort(
  temporary_storage storage, std::size_t& storage_bytes, const radix_order_of<Keys>& order, Keys keys, Values values,
  unsigned n, block::digit_plan plan, unsigned most_blocks, simt::stream_type stream)
{
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
    GIMBAL_TRY(words.take(count, plan.passes + 1, "clearing of the words of a radix sort"));
    const typename Kernel::pass pass{
      keys,
      values,
      order,
      plan,
      {words.words(), words.first_tag()},
      {words.words() + histograms_type::word_count(blocks), words.first_tag()},
      n,
      plan.bits < 8 * sizeof(typename Keys::value_type)};
    const sort_aliasing aliasing = algorithm::find_aliasing(keys, values);
    const bool gains_by_order =
      Kernel::can_bin_linearly || plan.passes > 1 || aliasing.in_place;  // else all items move once anyway
    const Kernel kernel{
      {pass, Kernel::buckets::rounds_of(n, blocks)},
      held,
      aliasing,
      gains_by_order && n >= Kernel::least_range_test_items,
      {words.team_state(), words.patience(tuning::sort_team_patience)}};
    return words.launch(kernel, blocks, "radix sort in one launch");
  };
  launch_words words(stream);
  storage_layout layout;
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  GIMBAL_TRY(words.reserve(layout, storage, launches));
  status placed;
  if (!layout.place(storage, storage_bytes, placed)) {
    return placed;
  }
  return launches(words);
}

/// By comparing each key with every other. False, and nothing is done, if there are too many.
template <class Tuning, class Keys, class Values>
[[nodiscard]] bool radix_sort_few(
  status& result, temporary_storage storage, std::size_t& storage_bytes, const radix_order_of<Keys>& order, Keys keys,
  Values values, index_type n, block::digit_plan plan, simt::stream_type stream)
{
  if constexpr (Tuning::most_all_pairs_items(block::most_radix_passes<typename Keys::value_type>) > 0) {
    using all_pairs_kernel = all_pairs_sort_kernel<typename Tuning::all_pairs, Keys, Values>;
    if (n <= Tuning::most_all_pairs_items(plan.passes)) {
      result = algorithm::all_pairs_sort<all_pairs_kernel>(
        storage, storage_bytes, keys, values, static_cast<unsigned>(n),
        order_of_bits<typename Keys::value_type>{order, plan}, stream);
      return true;
    }
  }
  return false;
}

/// As radix_sort, whose arguments it is given after they were checked. False, and nothing is done, if the device cannot run the
/// kernels.
template <class Tuning, class Keys, class Values>
[[nodiscard]] bool radix_engine_sort(
  status& result, temporary_storage storage, std::size_t& storage_bytes, const radix_order_of<Keys>& order, Keys keys,
  Values values, index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  using key_type = typename Keys::value_type;
  using chosen = ::cuda::std::conditional_t<
    ::cuda::std::is_void_v<Tuning>, tuning::radix_engine<sizeof(key_type), bytes_of_values<Values>>, Tuning>;
  const block::digit_plan plan = block::digit_plan::of_bits(begin_bit, end_bit);
  if (!storage.asks()) {
    simt::active_streams(
      stream, tuning::radix_sort_nanoseconds(n, plan.passes, sizeof(key_type) + bytes_of_values<Values>));
  }
  if (algorithm::radix_sort_few<chosen>(result, storage, storage_bytes, order, keys, values, n, plan, stream)) {
    return true;
  }
  const auto in_passes = [&](const temporary_storage& place, std::size_t& bytes) {
    return algorithm::radix_engine_in_passes<chosen>(result, place, bytes, order, keys, values, n, plan, stream);
  };
  if constexpr (chosen::most_resident_items(false) > 0) {
    using resident_kernel = radix_resident_sort_kernel<typename chosen::resident, Keys, Values>;
    const index_type most_resident_items = chosen::most_resident_items(order.is_floating());
    const unsigned resident = n <= most_resident_items ? algorithm::radix_engine_blocks<resident_kernel>() : 0;
    const unsigned blocks = resident < chosen::resident::most_blocks ? resident : chosen::resident::most_blocks;
    constexpr index_type block_items = resident_kernel::tile_items;
    if (n <= blocks * block_items) {
      const auto in_one_launch = [&](const temporary_storage& place, std::size_t& bytes) {
        return algorithm::radix_resident_sort<resident_kernel>(
          place, bytes, order, keys, values, static_cast<unsigned>(n), plan, blocks, stream);
      };
      constexpr index_type shared_items =
        block_items < tuning::most_shared_items ? block_items : tuning::most_shared_items;
      if (n <= shared_items) {  // any share of the GPU has a block for them: no storage for passes
        result = in_one_launch(storage, storage_bytes);
        return true;
      }
      // Beside other streams that work, a launch that needs more than half of the GPU would wait for them, and they for it. record:
      // half_of_the_gpu (2^19 from 4 threads 1.96 of stock's rate, in passes 0.80).
      const bool takes_others_share = share_of_gpu(blocks, stream) < blocks && n > blocks / 2 * shared_items;
      result = gimbal::either_call(
        storage, storage_bytes, takes_others_share,
        [&](const temporary_storage& place, std::size_t& bytes) {
          return in_passes(place, bytes) ? result : in_one_launch(place, bytes);
        },
        in_one_launch);
      return true;
    }
  }
  return in_passes(storage, storage_bytes);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
