// Scan: out[i] = x[0] op ... op x[i] (inclusive) or init op x[0] op ... op x[i-1] (exclusive), in a single pass.
//
// Algorithm: one tile per block, with look-back (scan_tile_policy.cuh); other rows of the table have theirs.
//
// Bytes moved: each item is read once and each result written once; beside them some 24 bytes per tile.
//
// Launches: one.
//
// Storage: words (launch_plan.h), 8 * ceil(sizeof(accumulator) / 4) * (1 + 1/32 + 1/1024) bytes per tile.
//
// Operator: associative; operands are combined in order, so it need not be commutative. Called on valid items only.
//
// Determinism: the tree depends on the number of items alone; floating-point results are the same bits in every run.
//
// Progress: see look_back.cuh.
//
// Aliasing: out may equal in, because a tile is written by the block that has read it, after a barrier.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/persistent_scan.cuh>
#include <gimbal/algorithm/scan/resident_scan.cuh>
#include <gimbal/algorithm/scan/scan_tile_policy.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The table of scans, first row that takes the call first; of accumulators, where `Tuning` is void and the output
/// loads nothing:
///
///   items, bytes                                    kernel
///   at most resident_scan::most_bytes()             resident_scan.cuh
///   at least stream_scan_from_bytes()              persistent_scan.cuh
///   any                                             tile_kernel.cuh
///
/// The arguments are those of scan().
template <class Tuning = void, class Kind, class InputIt, class OutputIt, class Op, class Init>
auto scan_plan(Kind, InputIt in, OutputIt out, index_type n, Op op, Init init)
{
  constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;
  static_assert(Kind::value == scan_kind::inclusive || has_init, "an exclusive scan starts with an initial value");
  using accumulator = accumulator_t<Op, InputIt, Init>;
  static_assert(simt::is_supported_value_v<accumulator>, "kernels hold values of at most 128 bytes, copied bytewise");
  using chosen =
    ::cuda::std::conditional_t<::cuda::std::is_void<Tuning>::value, tuning::scan<sizeof(accumulator)>, Tuning>;
  using kernel_init = ::cuda::std::conditional_t<has_init, accumulator, no_init>;
  const auto written = detail::one_by_one<accumulator>(Kind{}, in, out, n, op);
  using written_type = ::cuda::std::remove_const_t<decltype(written)>;
  using lanes = plain_lanes<Kind::value, accumulator, Op, kernel_init>;
  using tiles = scan_tile_policy<
    chosen, tuning::scan_resident_threads(sizeof(accumulator)), lanes, no_tile_heads, InputIt, written_type>;
  const kernel_row<tile_kernel<tiles>> tile_row(
    n > 0,
    {{{}, in, written, n, {{op}, static_cast<kernel_init>(init)}, {}}, n, {gimbal::tiles_of(n, tiles::tile_items)}});
  // Outputs that load go by many blocks, which hide what each waits for.
  if constexpr (::cuda::std::is_void<Tuning>::value && !fetches_v<OutputIt, accumulator>) {
    constexpr tuning::input input = block::input_of_v<InputIt>;
    using resident = tuning::resident_scan<sizeof(accumulator), input>;
    using stream = tuning::stream_scan<sizeof(accumulator), input>;
    constexpr bool is_plain =
      input == tuning::input::array && ::cuda::std::is_same<value_type_of<InputIt>, accumulator>::value;
    constexpr bool adds_words = block::packed_sums<Op, accumulator, value_type_of<InputIt>, 4>::can_fold;
    constexpr index_type from_bytes = tuning::stream_scan_from_bytes(
      sizeof(accumulator), input, is_plain, ::cuda::std::is_integral<accumulator>::value, adds_words);
    const index_type bytes = n * static_cast<index_type>(sizeof(accumulator));
    constexpr auto most_resident_bytes = static_cast<index_type>(resident::most_bytes(is_plain));
    using resident_kernel = resident_scan_kernel_for<resident, Kind, InputIt, written_type, Op, Init>;
    return gimbal::plan_of(
      kernel_row<resident_kernel, (most_resident_bytes > 0)>(
        n > 0 && bytes <= most_resident_bytes && n <= resident_kernel::most_items,
        {in, written, static_cast<unsigned>(n), 0, {op}, static_cast<kernel_init>(init), {}, 0}),
      algorithm::persistent_scan_row<stream>(bytes >= from_bytes, Kind{}, in, out, n, op, init), tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

/// `Kind` is inclusive_scan_tag, with or without an initial value, or exclusive_scan_tag with one. `init` is combined
/// before the first item. `Tuning` void: chosen by the size of the accumulator. `out` may be output_and_total.
template <class Tuning = void, class Kind, class InputIt, class OutputIt, class Op, class Init>
status scan(
  const temporary_storage& storage, std::size_t& storage_bytes, Kind, InputIt in, OutputIt out, index_type n, Op op,
  Init init, simt::stream_type stream)
{
  return algorithm::scan_plan<Tuning>(Kind{}, in, out, n, op, init).run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
