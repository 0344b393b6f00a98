// Radix sort of what the radix engine does not take (radix_sort.cuh): keys, or keys and values, by the bits [begin_bit, end_bit) of the
// key, least significant digit first.
//
// Algorithm: Adinets & Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (arXiv 2206.01784). A histogram of
// all digits (radix_histogram.cuh), then one launch per 8 bits (radix_look_back_pass.cuh).
//
// Order: stable; equal bits, and -0.0 and +0.0, keep their order (collective/radix_key.cuh).
// Traffic for p passes: keys (2p + 1) times, values 2p times.
// Launches: 1 fill, 1 histogram, p passes (times one per 2^30 items). p = ceil(bits / 8); in place p is rounded up to an even
//   number and the digits are narrower, because two passes end where they began. No bits at all: one pass, a copy.
// Storage: n keys and n values, but for one pass that is not in place; 2 KB per tile, and 14 KB per byte of the key.
// Aliasing: keys_out may be keys_in and values_out may be values_in; no other overlap. Otherwise the input stays as it
//   is; the output is also used as a buffer, so it must be readable and of the input's value type.
// Determinism: positions follow from counts alone, so the result is the same bits in every run.
// Progress: a tile waits only for tiles with lower tickets, whose blocks run already.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>
#include <gimbal/algorithm/radix_sort/radix_look_back_pass.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class Keys, class Values>
using radix_sort_tuning = ::cuda::std::conditional_t<
  ::cuda::std::is_void_v<Tuning>, tuning::radix_sort<sizeof(typename Keys::value_type), bytes_of_values<Values>>,
  Tuning>;

/// All passes of a sort, each in as many launches as it takes when one launch makes at most `rows` tiles.
template <class Kernel, class State>
status launch_radix_passes(
  Kernel kernel, block::digit_plan plan, index_type n, index_type rows, State* state, unsigned* descriptors,
  simt::stream_type stream)
{
  const index_type launch_items = rows * Kernel::tile_items;
  const std::size_t half = static_cast<std::size_t>(rows) * block::radix_size;
  unsigned launches = 0;
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    kernel.source = source_of_pass(pass, plan.passes);
    kernel.target = target_of_pass(pass, plan.passes);
    kernel.range = plan.range(pass);
    unsigned part = 0;
    for (kernel.first = 0; kernel.first < n; kernel.first += launch_items, ++part, ++launches) {
      const unsigned now = launches % 2;
      const index_type left = n - kernel.first;
      const bool is_last = pass + 1 == plan.passes && left <= launch_items;
      kernel.count = left < launch_items ? left : launch_items;
      kernel.next_tiles = is_last ? 0 : static_cast<unsigned>(rows);
      kernel.base = state->bases[pass][part % 2];
      kernel.next_base = state->bases[pass][(part + 1) % 2];
      kernel.ticket = &state->tickets[now];
      kernel.next_ticket = &state->tickets[1 - now];
      kernel.descriptors = descriptors + now * half;
      kernel.next_descriptors = descriptors + (1 - now) * half;
      const index_type tiles = (kernel.count + Kernel::tile_items - 1) / Kernel::tile_items;
      GIMBAL_TRY(simt::launch(kernel, tiles, stream, "radix sort: pass"));
    }
  }
  return {};
}

/// As radix_sort (radix_sort.cuh), whose arguments it is given after they were checked.
template <class Tuning, class Keys, class Values>
status radix_sort_in_tiles(
  temporary_storage storage, std::size_t& storage_bytes, const block::radix_order<typename Keys::value_type>& order,
  Keys keys, Values values, index_type n, int begin_bit, int end_bit, simt::stream_type stream)
{
  constexpr unsigned most_passes = block::most_radix_passes<typename Keys::value_type>;
  block::digit_plan plan = block::digit_plan::of_bits(begin_bit, end_bit);
  // Two passes end where they began, so a sort in place makes an even number of them.
  if (algorithm::find_aliasing(keys, values).in_place) {
    plan.passes += plan.passes % 2;
  }

  using pass_kernel = radix_look_back_pass_kernel<Tuning, Keys, Values>;
  using histogram_kernel = radix_histogram_kernel<Tuning, Keys>;
  const index_type tiles = (n + pass_kernel::tile_items - 1) / pass_kernel::tile_items;
  const index_type rows = tiles < pass_kernel::most_tiles ? tiles : pass_kernel::most_tiles;

  radix_state<most_passes>* state = nullptr;
  unsigned* descriptors = nullptr;
  storage_layout layout;
  layout.add(&state, 1);
  layout.add(&descriptors, 2 * static_cast<std::size_t>(rows) * block::radix_size);
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }

  // The state and the first half of the descriptors lie side by side: one fill clears both.
  const std::size_t half = static_cast<std::size_t>(rows) * block::radix_size;
  const auto cleared_bytes =
    static_cast<std::size_t>(reinterpret_cast<char*>(descriptors + half) - reinterpret_cast<char*>(state));
  GIMBAL_TRY(simt::fill_bytes(state, 0, cleared_bytes, stream, "radix sort: clearing"));
  const index_type histogram_tiles = (n + histogram_kernel::tile_items - 1) / histogram_kernel::tile_items;
  GIMBAL_TRY(simt::launch(
    histogram_kernel{keys, order, n, histogram_tiles, plan, state},
    algorithm::radix_histogram_blocks<histogram_kernel>(histogram_tiles, Tuning::histogram_blocks), stream,
    "radix sort: histogram"));
  const pass_kernel kernel{keys, values, order};
  return algorithm::launch_radix_passes(kernel, plan, n, rows, state, descriptors, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
