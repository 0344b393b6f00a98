// Select and partition as a stream: for large arrays in memory, what partition.cuh does for any sequence.
//
// Algorithm: as many blocks as can be resident at once, tile t for block t modulo their number. Each block loads its
// tiles by bulk copies into a ring of stages. Roles of warps, joined by phase barriers:
//
//   load      one thread    fills a stage as soon as its last tile is gone
//   count     some warps    ask the selector about each item of a tile that has landed: flags, and their number per
//   share publish   one thread    the tile's number of selected items, to the server serve     in block 0    the
//   server: turns numbers of selected items into numbers of items selected before receive   one thread    waits for the
//   number of items selected before a tile scatter   most warps    bring the selected and the rejected items of a tile
//   together and store both runs by vectors
//
// Counting runs ahead of scattering by as many tiles as the ring has stages, so the way to the server and back (see
// block/prefix_server.cuh) takes no time of its own.
//
// Bytes moved and results: as partition.cuh says. Launches: one, beside a fill where the exchange with the server takes
// words of the call's own storage (retained_words.h). Storage: 32 bytes per stage of every block for that case.
// Selector: asked once per item. Determinism: the result is a function of the input. Progress: all blocks are resident
// at the same time (cooperative launch), and warps of a block keep being scheduled.
//
// Memory order. Within a block every hand-over is an arrival at a phase barrier (release) and a wait for it (acquire):
//   loaded    the bulk copies have landed; the stage's flags and counts may be overwritten
//   counted   flags and counts of the stage are written, and so are the items loaded one by one
//   placed    the number of items selected before the tile is written
//   free      nobody reads the stage, its flags or its counts any more
// Each stage passes through them in this order, and every role takes the tiles in order, so no barrier is ever two
// phases ahead of one who waits. The words exchanged with the server carry their own validity (relaxed accesses).
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile,
// over items of tiles before it, and of itself. A tile's number is published with release after a wait for `counted`,
// which comes after a wait for `loaded`: all that is ever loaded of the tile has been. The server acquires it and
// releases prefixes; who acquires the prefix of a tile thus comes after the loads of all tiles before it, and of its
// own. So no item is overwritten before it has been loaded. Bulk copies are complete, their reads included, when
// `loaded` says so.
#pragma once

#include <gimbal/retained_words.h>
#include <gimbal/tuning.h>

#include <gimbal/block/prefix_server.cuh>
#include <gimbal/block/segments.cuh>
#include <gimbal/kernel/stream_partition_source.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// Where the rejected items of a streamed tile go: target(before) is the place of the first of them, `before` items
/// being rejected before the tile.
template <class Value>
struct stream_rejected_to {
  static constexpr bool keeps = true;
  Value* out;

  GIMBAL_DEVICE Value* target(index_type before) const { return out + before; }
};
struct stream_no_rejected {
  static constexpr bool keeps = false;
};

template <class Tuning, class Value, class Selector, class Rejected, class CountIt>
struct stream_select_kernel {
  using value = Value;
  static constexpr unsigned stages = Tuning::stages;
  static constexpr unsigned scatter_warps = Tuning::scatter_warps;
  static constexpr unsigned count_warps = Tuning::count_warps;

  using tile = block::segments<Value, scatter_warps, Tuning::rows>;
  using extent = typename tile::extent;
  using source_type = stream_partition_source<tile, Value, Selector>;
  using turn = block::ring_turn<stages>;
  using server = block::prefix_server<index_type>;
  using ordered_server = block::prefix_server<index_type, true>;

  // Warps by role, in this order.
  static constexpr unsigned count_begin = scatter_warps;
  static constexpr unsigned load_warp = count_begin + count_warps;
  static constexpr unsigned publish_warp = load_warp + 1;
  static constexpr unsigned receive_warp = load_warp + 2;
  static constexpr unsigned serve_begin = load_warp + 3;
  static constexpr unsigned block_threads = (serve_begin + Tuning::serve_warps) * simt::warp_threads;
  static constexpr unsigned resident_blocks = Tuning::resident_blocks;
  static constexpr bool copies_in_bulk = true;
  static_assert(scatter_warps % count_warps == 0, "each counting warp has as many shares");

  struct shared {
    typename source_type::stage ring[stages];
    simt::vector16 runs[2][tile::run_vectors];
    index_type selected_before[stages];
    std::uint32_t flags[stages][scatter_warps * simt::warp_threads];
    unsigned selected[stages][scatter_warps];  // by share
    simt::phase_barrier loaded[stages];
    simt::phase_barrier counted[stages];
    simt::phase_barrier placed[stages];
    simt::phase_barrier free[stages];
    typename server::shared served;
    typename ordered_server::shared served_in_order;
  };

  source_type source;
  unsigned tiles;
  Value* selected_out;
  Rejected rejected;
  CountIt selected_count;
  bool is_in_place;
  server before;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      prepare(ctx, smem);
    }
    ctx.sync_block();  // the barriers and the server's memory are initialised
    const unsigned warp = ctx.warp();
    if (warp < count_begin) {
      scatter(ctx, smem);
    } else if (warp < load_warp) {
      count(ctx, smem);
    } else if (warp == load_warp) {
      load(ctx, smem);
    } else if (warp == publish_warp) {
      publish(ctx, smem);
    } else if (warp == receive_warp) {
      receive(ctx, smem);
    } else {
      serve(ctx, smem);
    }
  }

private:
  struct add {
    GIMBAL_DEVICE index_type operator()(index_type a, index_type b) const { return a + b; }
  };

  /// The server whose words order memory, too.
  GIMBAL_DEVICE ordered_server in_order() const
  {
    return {before.words, before.first_tag, before.tiles, before.blocks, before.rounds};
  }

  template <class Context>
  GIMBAL_DEVICE void prepare(Context& ctx, shared& smem) const
  {
    before.init(smem.served);
    in_order().init(smem.served_in_order);
    for (unsigned s = 0; s < stages; ++s) {
      ctx.init(smem.loaded[s], 1);
      ctx.init(smem.counted[s], count_warps);
      ctx.init(smem.placed[s], 1);
      ctx.init(smem.free[s], scatter_warps + 1);
    }
  }

  // ---- load

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    for (unsigned t = ctx.block(); t < tiles; t += ctx.blocks(), now.advance()) {
      ctx.wait(smem.free[now.stage], now.parity ^ 1);
      source.load(ctx, smem.ring[now.stage], smem.loaded[now.stage], t);
    }
  }

  // ---- count

  template <class Context>
  GIMBAL_DEVICE void count(Context& ctx, shared& smem) const
  {
    turn now;
    for (unsigned t = ctx.block(); t < tiles; t += ctx.blocks(), now.advance()) {
      ctx.wait(smem.loaded[now.stage], now.parity);
      for (unsigned share = ctx.warp() - count_begin; share < scatter_warps; share += count_warps) {
        const std::uint32_t flags = source.flags_of(ctx, smem.ring[now.stage], t, share);
        smem.flags[now.stage][share * simt::warp_threads + ctx.lane()] = flags;
        const unsigned selected = tile::count(ctx, flags);
        if (ctx.lane() == 0) {
          smem.selected[now.stage][share] = selected;
        }
      }
      ctx.bulk_fence();  // items stored here one by one come before the next bulk copy into the stage
      ctx.sync_warp();   // the warp's flags and items are written
      if (ctx.lane() == 0) {
        ctx.arrive(smem.counted[now.stage]);
      }
    }
  }

  // ---- publish, serve, receive

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, shared& smem) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    for (unsigned t = ctx.block(); t < tiles; t += ctx.blocks(), now.advance()) {
      ctx.wait(smem.counted[now.stage], now.parity);
      const unsigned selected = sum_of_shares(smem, now.stage, scatter_warps);
      ctx.arrive(smem.free[now.stage]);
      if (is_in_place) {
        in_order().publish(ctx, t, selected);
      } else {
        before.publish(ctx, t, selected);
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void serve(Context& ctx, shared& smem) const
  {
    const unsigned own = ctx.warp() - serve_begin;
    if (ctx.block() == 0 && is_in_place) {
      in_order().serve(ctx, smem.served_in_order, own, Tuning::serve_warps, add{});
    } else if (ctx.block() == 0) {
      before.serve(ctx, smem.served, own, Tuning::serve_warps, add{});
    }
  }

  /// Waiting for `counted` first keeps it from asking long before there can be an answer.
  template <class Context>
  GIMBAL_DEVICE void receive(Context& ctx, shared& smem) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    for (unsigned t = ctx.block(); t < tiles; t += ctx.blocks(), now.advance()) {
      ctx.wait(smem.counted[now.stage], now.parity);
      uninit<index_type> prefix;
      const bool exists =
        is_in_place ? in_order().exclusive_prefix(ctx, t, prefix) : before.exclusive_prefix(ctx, t, prefix);
      smem.selected_before[now.stage] = exists ? prefix.get() : 0;
      ctx.arrive(smem.placed[now.stage]);
    }
  }

  /// Number of items selected in the first `shares` shares of the tile.
  static GIMBAL_DEVICE unsigned sum_of_shares(const shared& smem, unsigned stage, unsigned shares)
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < scatter_warps; ++w) {
      sum += w < shares ? smem.selected[stage][w] : 0;
    }
    return sum;
  }

  // ---- scatter

  /// Runs are built in two places in turn: one barrier of the scattering warps per tile orders their use.
  template <class Context>
  GIMBAL_DEVICE void scatter(Context& ctx, shared& smem) const
  {
    turn now;
    unsigned place = 0;
    for (unsigned t = ctx.block(); t < tiles; t += ctx.blocks(), now.advance()) {
      ctx.wait(smem.counted[now.stage], now.parity);
      ctx.wait(smem.placed[now.stage], now.parity);
      const runs to = build_runs(ctx, smem, now.stage, t, smem.runs[place]);
      ctx.sync_warp();  // the warp has read the stage
      if (ctx.lane() == 0) {
        ctx.arrive(smem.free[now.stage]);
      }
      ctx.sync_group(1, scatter_warps * simt::warp_threads);  // the runs are complete
      store_runs(ctx, to);
      if (t + 1 == tiles && ctx.thread() == 0) {
        *selected_count = to.selected_through;
      }
      place ^= 1;
    }
  }

  /// The runs of a tile: where they stand in shared memory, where they go and their number of items.
  struct runs {
    unsigned char* selected;
    unsigned char* rejected;
    Value* selected_to;
    Value* rejected_to;
    unsigned selected_items;
    unsigned rejected_items;
    index_type selected_through;
  };

  GIMBAL_DEVICE runs
  plan_runs(const shared& smem, unsigned stage, unsigned t, const extent& valid, simt::vector16* place) const
  {
    runs to;
    const index_type selected_before = smem.selected_before[stage];
    to.selected_items = sum_of_shares(smem, stage, scatter_warps);
    to.rejected_items = Rejected::keeps ? valid.count() - to.selected_items : 0;
    to.selected_through = selected_before + to.selected_items;
    to.selected_to = selected_out + selected_before;
    to.selected = reinterpret_cast<unsigned char*>(place) + block::phase_of(to.selected_to);
    to.rejected_to = nullptr;
    to.rejected = nullptr;
    if constexpr (Rejected::keeps) {
      to.rejected_to = rejected.target(source.first_index(t) + valid.first - selected_before);
      const unsigned used = block::phase_of(to.selected_to) + to.selected_items * sizeof(Value);
      const unsigned vectors = (used + block::vector_bytes - 1) / block::vector_bytes;
      to.rejected = reinterpret_cast<unsigned char*>(place + vectors) + block::phase_of(to.rejected_to);
    }
    return to;
  }

  /// This warp's share of the tile to its places in the runs.
  template <class Context>
  GIMBAL_DEVICE runs build_runs(Context& ctx, shared& smem, unsigned stage, unsigned t, simt::vector16* place) const
  {
    const extent valid = source.extent_of(t);
    const runs to = plan_runs(smem, stage, t, valid, place);
    const std::uint32_t flags = smem.flags[stage][ctx.thread()];
    const unsigned selected_before = sum_of_shares(smem, stage, ctx.warp());
    tile::template gather_flagged<Rejected::keeps>(
      ctx, smem.ring[stage].items, valid, ctx.warp(), flags, selected_before,
      reinterpret_cast<uninit<Value>*>(to.selected), reinterpret_cast<uninit<Value>*>(to.rejected));
    return to;
  }

  template <class Context>
  GIMBAL_DEVICE void store_runs(Context& ctx, const runs& to) const
  {
    constexpr unsigned threads = scatter_warps * simt::warp_threads;
    const unsigned rank = ctx.thread();
    block::store_run(
      ctx, rank, threads, to.selected, to.selected_to, to.selected_items * static_cast<unsigned>(sizeof(Value)));
    if constexpr (Rejected::keeps) {
      block::store_run(
        ctx, rank, threads, to.rejected, to.rejected_to, to.rejected_items * static_cast<unsigned>(sizeof(Value)));
    }
  }
};

namespace detail {

/// True if select() of these types may be streamed: items of an array, whose segments fill at most 64 bytes (1, 2, 3,
/// 4, 6, 8, 12 or 16 bytes each), to arrays of the same type, by a selector that reads nothing but the item and perhaps
/// an array beside it, the stages of which leave room for more than one or two.
template <class InputIt, class Selector, class SelectedIt>
constexpr bool is_streamed()
{
  using value = typename array_of<InputIt>::value;
  if constexpr (
    array_of<InputIt>::is_array && ::cuda::std::is_same<typename array_of<SelectedIt>::pointer, value*>::value
    && side_of<Selector>::is_streamed) {
    return block::segment_items_of(sizeof(value)) * sizeof(value) <= 64
           && tuning::stream_partition<sizeof(value), side_of<Selector>::bytes>::stages >= 3;
  } else {
    return false;
  }
}

/// Fewest items in front of the array that would make it begin at a multiple of 16; false if no number does.
template <class Value>
bool find_skipped(const Value* in, unsigned& skipped)
{
  for (skipped = 0; skipped < block::segment_items_of(sizeof(Value)); ++skipped) {
    if ((reinterpret_cast<std::uintptr_t>(in) - skipped * sizeof(Value)) % block::vector_bytes == 0) {
      return true;
    }
  }
  return false;
}

/// A call as a stream: prepare(), then words for it in the call's storage, then run(). Kernel is stream_select_kernel.
template <class Kernel>
struct stream_call {
  using value = typename Kernel::value;

  unsigned resident = 0;  // 0: the call cannot be streamed
  std::uint64_t* own_words = nullptr;

  status prepare(index_type n)
  {
    if (n == 0 || n / Kernel::tile::items >= most_tiles) {
      return {};
    }
    return simt::co_resident_blocks<Kernel>(resident);
  }

  std::size_t word_count() const { return Kernel::server::word_count(resident, Kernel::stages); }

  /// Sets `ran` unless the items of the array never begin at a multiple of 16 or prepare() has found that it cannot be.
  template <class Selector, class Rejected, class CountIt>
  status run(
    const value* in, index_type n, const Selector& selector, value* selected_out, Rejected rejected,
    CountIt selected_count, simt::stream_type stream, bool& ran) const
  {
    using side = side_of<Selector>;
    unsigned skipped = 0;
    ran = resident != 0 && find_skipped(in, skipped);
    if (!ran) {
      return {};
    }
    const unsigned tiles = static_cast<unsigned>((n + skipped - 1) / Kernel::tile::items + 1);
    const unsigned blocks = tiles < resident ? tiles : resident;
    const unsigned char* const beside = side::array(selector);
    Kernel kernel{
      {in, n, skipped, side::over(selector, beside), beside},
      tiles,
      selected_out,
      rejected,
      selected_count,
      in == selected_out,
      {nullptr, 0, tiles, blocks, Kernel::stages}};
    launch_words words;
    GIMBAL_TRY(words.take(stream, own_words, word_count(), kernel.before.tag_count()));
    kernel.before.words = words.words();
    kernel.before.first_tag = words.first_tag();
    return simt::launch<simt::start::together>(kernel, blocks, stream, "select as a stream");
  }

private:
  static constexpr index_type most_tiles = index_type{1} << 31;
};

}  // namespace detail

}  // namespace kernel

GIMBAL_NAMESPACE_END
