// Scan: out[i] = x[0] op ... op x[i] (inclusive) or init op x[0] op ... op x[i-1] (exclusive), in a single pass.
//
// Algorithm: one tile per block. Each thread folds its consecutive items, the block scans the threads' results, one
// warp looks back for the prefix of the tile (grid/look_back.cuh; Merrill & Garland 2016), and every thread folds its
// items once more, this time behind everything before them.
//
// Bytes moved: each item is read once and each result written once; beside them some 24 bytes per tile.
//
// Launches: one.
//
// Storage: words (retained_words.h), 8 * ceil(sizeof(accumulator) / 4) * (1 + 1/32 + 1/1024) bytes per tile.
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
#include <gimbal/collective/scan_kind.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/scan/resident_scan.cuh>
#include <gimbal/algorithm/scan/scan_total.cuh>
#include <gimbal/algorithm/scan/stream_scan.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/look_back.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Init` is `T`, or `no_init` where the scan starts with the first item.
template <class Tuning, scan_kind Kind, class T, class InputIt, class OutputIt, class Op, class Init>
struct scan_kernel {
  static constexpr simt::start starts = simt::start::in_order;
  static constexpr const char* step = "scan";
  static constexpr const char* clearing = "clearing of the look-back state of a scan";
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items_per_thread = Tuning::items_per_thread;
  static constexpr unsigned resident_blocks = tuning::scan_resident_threads(sizeof(T)) / block_threads;
  static constexpr bool has_init = !::cuda::std::is_same<Init, no_init>::value;

  using tile = block::tile<T, block_threads, items_per_thread>;
  using threads = block::scan<T, block_threads>;

  struct shared {
    typename tile::shared items;
    typename threads::shared totals;
    uninit<T> tile_prefix;
  };

  InputIt in;
  OutputIt out;
  index_type n;
  block::combine<T, Op> op;
  Init init;
  block::look_back<T> before;

  void take(const launch_words& held) { before.take(held); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned number = ctx.block();
    const index_type first = static_cast<index_type>(number) * tile::items;
    const unsigned valid = n - first < tile::items ? static_cast<unsigned>(n - first) : tile::items;
    const unsigned active = tile::active_threads(valid);
    const unsigned count = tile::thread_valid(ctx, valid);

    tile::load(ctx, smem.items, in + first, valid);
    ctx.sync_block();  // the tile is in shared memory

    uninit<T> value[items_per_thread];
    tile::read(ctx, smem.items, value);
    uninit<T> running = value[0];
    GIMBAL_UNROLL
    for (unsigned i = 1; i < items_per_thread; ++i) {
      if (i < count) {
        running.set(op(running.get(), value[i].get()));
      }
    }
    threads::scan_warps(ctx, smem.totals, running, active, op);
    ctx.sync_block();  // the warps' totals are written

    if (ctx.warp() == 0) {
      uninit<T> prefix;
      const bool exists = before.exclusive_prefix(ctx, number, threads::total(smem.totals, active, op), op, prefix);
      if (ctx.lane() == 0) {
        if constexpr (has_init) {
          prefix.set(exists ? op(init, prefix.get()) : init);
        }
        smem.tile_prefix = prefix;
      }
    }
    ctx.sync_block();  // the tile's prefix is written

    tile::read(ctx, smem.items, value);  // once more: kept in registers across the look-back they cost 19 registers
    if (count > 0) {
      scan_items(ctx, smem, number, count, running, value);
    }
    tile::write(ctx, smem.items, value);  // each thread where it alone has read
    ctx.sync_block();                     // the results are in shared memory
    tile::store(ctx, smem.items, out + first, valid);
  }

private:
  /// Replace the thread's items by their results. `running` holds the lanes' below this one in its warp.
  template <class Context>
  GIMBAL_DEVICE void scan_items(
    Context& ctx, const shared& smem, unsigned number, unsigned count, uninit<T>& running,
    uninit<T> (&value)[items_per_thread]) const
  {
    bool exists = threads::prefix(ctx, smem.totals, running, op);
    if (has_init || number > 0) {
      running.set(exists ? op(smem.tile_prefix.get(), running.get()) : smem.tile_prefix.get());
      exists = true;
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items_per_thread; ++i) {
      if (i < count) {
        if constexpr (Kind == scan_kind::inclusive) {
          running.set(exists || i > 0 ? op(running.get(), value[i].get()) : value[i].get());
          value[i] = running;
        } else {
          const uninit<T> item = value[i];
          value[i] = running;
          if (i + 1 < count) {
            running.set(op(running.get(), item.get()));
          }
        }
      }
    }
  }
};

/// The table of scans, first row that takes the call first; of accumulators, where `Tuning` is void and the output loads nothing:
///
///   items, bytes                                    kernel
///   at most resident_scan::most_bytes()             resident_scan.cuh
///   gathered, few_gathered_scan's range of bytes    stream_scan.cuh, small tiles
///   at least stream_scan::from_bytes()              stream_scan.cuh
///   any                                             scan_kernel
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
  using kernel_type = scan_kernel<chosen, Kind::value, accumulator, InputIt, written_type, Op, kernel_init>;

  constexpr index_type tile_items = kernel_type::tile::items;
  const index_type tiles = n / tile_items + (n % tile_items != 0);
  const kernel_type kernel{
    in, written, n, {op}, static_cast<kernel_init>(init), block::look_back<accumulator>::of(tiles)};
  const kernel_row<kernel_type> tile_row(n > 0, kernel, tiles, kernel.before.words_needed());
  // Outputs that load go by many blocks, which hide what each waits for.
  if constexpr (::cuda::std::is_void<Tuning>::value && !fetches_v<OutputIt, accumulator>) {
    constexpr tuning::input input = block::input_of_v<InputIt>;
    using resident = tuning::resident_scan<sizeof(accumulator), input>;
    using stream = tuning::stream_scan<sizeof(accumulator), input>;
    using few_gathered = tuning::few_gathered_scan<sizeof(accumulator), input>;
    constexpr bool is_plain =
      input == tuning::input::array && ::cuda::std::is_same<value_type_of<InputIt>, accumulator>::value;
    constexpr bool adds_words = block::packed_sums<Op, accumulator, value_type_of<InputIt>, 4>::can_fold;
    constexpr index_type from_bytes =
      stream::from_bytes(is_plain, ::cuda::std::is_integral<accumulator>::value, adds_words);
    const index_type bytes = n * static_cast<index_type>(sizeof(accumulator));
    constexpr auto most_resident_bytes = static_cast<index_type>(resident::most_bytes(is_plain));
    return gimbal::plan_of(
      algorithm::resident_scan_row<resident, (most_resident_bytes > 0)>(
        n > 0 && bytes <= most_resident_bytes, Kind{}, in, written, n, op, init),
      algorithm::stream_scan_row < few_gathered,
      stream::gathers
        || stream::computes
             > (bytes >= few_gathered::least_bytes && bytes < few_gathered::end_bytes, Kind{}, in, out, n, op, init),
      algorithm::stream_scan_row<stream>(bytes >= from_bytes, Kind{}, in, out, n, op, init), tile_row);
  } else {
    return gimbal::plan_of(tile_row);
  }
}

/// `Kind` is inclusive_scan_tag, with or without an initial value, or exclusive_scan_tag with one. `init` is combined
/// in front of the first item. `Tuning` void: chosen by the size of the accumulator. `out` may be output_and_total.
template <class Tuning = void, class Kind, class InputIt, class OutputIt, class Op, class Init>
status scan(
  const temporary_storage& storage, std::size_t& storage_bytes, Kind, InputIt in, OutputIt out, index_type n, Op op,
  Init init, simt::stream_type stream)
{
  return algorithm::scan_plan<Tuning>(Kind{}, in, out, n, op, init).run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
