// Scan: out[i] = x[0] op ... op x[i] (inclusive) or init op x[0] op ... op x[i-1] (exclusive), in a single pass.
//
// Algorithm: one tile per block (pipeline/tile_kernel.cuh). Each thread folds its consecutive items, the block scans
// the threads' results, one warp looks back for the prefix of the tile, and every thread folds its items once more,
// this time after everything before them.
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
#include <gimbal/collective/scan.cuh>
#include <gimbal/pipeline/tile_kernel.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// The policy of the tile driver. `Init` is `T`, or `no_init` where the scan starts with the first item.
template <class Tuning, scan_kind Kind, class T, class InputIt, class OutputIt, class Op, class Init>
struct scan_tile_policy {
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the look-back state of a scan";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr bool orders_tiles = false;
  static constexpr unsigned resident_blocks = tuning::scan_resident_threads(sizeof(T)) / block_threads;
  static constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;

  using total = T;
  using tile = block::tile<T, block_threads, items_per_thread>;
  using threads = block::scan<T, block_threads>;
  static constexpr unsigned tile_items = tile::items;

  struct shared {
    typename tile::shared items;
    typename threads::shared totals;
  };
  struct held {
    uninit<T> running;  // fold of the lanes below in the warp
  };

  InputIt in;
  OutputIt out;
  block::combine<T, Op> op;
  Init init;

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, const tile_extent& of, held&) const
  {
    tile::load(ctx, smem.items, in + of.first, of.valid);
  }

  template <class Context>
  GIMBAL_DEVICE void fold(Context& ctx, shared& smem, const tile_extent& of, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    uninit<T> value[items_per_thread];
    tile::read(ctx, smem.items, value);
    own.running = block::fold_items(count, value, op);
    threads::scan_warps(ctx, smem.totals, own.running, tile::active_threads(of.valid), op);
  }

  GIMBAL_DEVICE T total_of(const shared& smem, const tile_extent& of) const
  {
    return threads::total(smem.totals, tile::active_threads(of.valid), op);
  }
  GIMBAL_DEVICE const block::combine<T, Op>& combine() const { return op; }
  GIMBAL_DEVICE void start(bool exists, uninit<T>& before) const
  {
    if constexpr (has_init) {
      before.set(exists ? op(init, before.get()) : init);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const tile_extent& of, const uninit<T>& before, held& own) const
  {
    const unsigned count = tile::thread_valid(ctx, of.valid);
    uninit<T> value[items_per_thread];
    tile::read(ctx, smem.items, value);  // once more: kept in registers across the look-back they cost 19 registers
    if (count > 0) {
      bool exists = threads::prefix(ctx, smem.totals, own.running, op);
      if (has_init || of.number > 0) {
        own.running.set(exists ? op(before.get(), own.running.get()) : before.get());
        exists = true;
      }
      block::scan_items<Kind>(count, exists, own.running, value, op);
    }
    tile::write(ctx, smem.items, value);  // each thread where it alone has read
    ctx.sync_block();                     // the results are in shared memory
    tile::store(ctx, smem.items, out + of.first, of.valid);
  }
};

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
  using tiles = scan_tile_policy<chosen, Kind::value, accumulator, InputIt, written_type, Op, kernel_init>;
  const kernel_row<tile_kernel<tiles>> tile_row(
    n > 0, {{in, written, {op}, static_cast<kernel_init>(init)}, n, {gimbal::tiles_of(n, tiles::tile_items)}});
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
