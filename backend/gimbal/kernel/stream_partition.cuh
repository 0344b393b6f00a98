// Select and partition as a stream: for large arrays in memory, what partition.cuh does for any sequence.
//
// Algorithm: as many blocks as can be resident at once, tile t for block t modulo their number. Each block loads its
// tiles by bulk copies into a ring of stages. Roles of warps, joined by phase barriers:
//
//   load      one thread    fills a stage as soon as its last tile is gone
//   count     some warps    ask the selector about each item of a tile that has landed: flags, and how many
//   publish   one thread    tells the server the tile's number of selected items
//   serve     in block 0    the server: turns these into numbers of items selected before
//   receive   one warp      waits for the numbers of items selected before the tiles
//   scatter   most warps    bring the selected and the rejected items of a tile together, store both runs by vectors
//
// Counting runs ahead of scattering by as many tiles as the ring has stages, so the way to the server and back (see
// block/prefix_server.cuh) takes no time of its own.
//
// Bytes moved and results: as partition.cuh says. Launches: one, and of a partition in place perhaps a second. Storage:
// none; 32 bytes per stage of every block are retained for the stream (retained_words.h). A partition in place lets the
// last tiles, as many as all rings hold, wait for the number of all selected items: their rejected items go where they
// belong, once. Only the rejected items of the tiles before go through a buffer and the second kernel; none if all
// wait. Selector: asked once per item. Determinism: the result is a function of the input. Progress: all blocks are
// resident at the same time (cooperative launch), and warps of a block keep being scheduled.
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

#include <gimbal/block/prefix_server.cuh>
#include <gimbal/block/segments.cuh>
#include <gimbal/kernel/stream_partition_source.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// Where the rejected items of a streamed tile go: target(tile, before, count, total) is where the run of `count` items
/// begins, `before` items being rejected before the tile. Only what `may_wait` reads the number of all selected items,
/// for tiles that it waits with.
struct stream_no_rejected {
  static constexpr auto order = block::others::dropped;
  static constexpr bool may_wait = false;
};
template <class Value>
struct stream_rejected_to {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = false;
  Value* out;

  GIMBAL_DEVICE Value* target(unsigned, index_type before, unsigned, const index_type&) const { return out + before; }
};
/// The first of all in front of `end`, those that follow in front of it.
template <class Value>
struct stream_rejected_before {
  static constexpr auto order = block::others::reversed;
  static constexpr bool may_wait = false;
  Value* end;

  GIMBAL_DEVICE Value* target(unsigned, index_type before, unsigned count, const index_type&) const
  {
    return end - before - count;
  }
};
/// Behind the selected ones. The last tiles, all that the rings hold at the same time, wait there until the number of
/// selected items is known; the rejected items of the tiles before go into a buffer, and their number to `*buffered`.
template <class Value>
struct stream_rejected_behind {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = true;
  Value* buffer;         // null if all tiles wait
  index_type* buffered;  // null if all tiles wait
  Value* data = nullptr;
  unsigned first_waiting = 0;

  GIMBAL_DEVICE bool waits(unsigned tile) const { return tile >= first_waiting; }
  GIMBAL_DEVICE Value* target(unsigned tile, index_type before, unsigned, const index_type& total) const
  {
    return waits(tile) ? data + total + before : buffer + before;
  }
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
  static constexpr bool keeps_rejected = Rejected::order != block::others::dropped;
  static constexpr unsigned resident_blocks = Tuning::resident_blocks;
  static constexpr bool copies_in_bulk = true;
  static_assert(scatter_warps % count_warps == 0, "each counting warp has as many shares");

  struct shared {
    typename source_type::stage ring[stages];
    simt::vector16 runs[2][tile::run_vectors];
    index_type selected_before[stages];
    index_type selected_total[stages];  // known to tiles that wait for it
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
    // An empty tile behind the last one: its prefix is the number of all selected items.
    if (Rejected::may_wait && ctx.block() == tiles % ctx.blocks()) {
      in_order().publish(ctx, tiles, 0);
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

  /// A lane for each stage: one after the other, the way to the server and back would bound how many tiles a block can
  /// take. All lanes look in one loop, so that none waits for another's prefix.
  template <class Context>
  GIMBAL_DEVICE void receive(Context& ctx, shared& smem) const
  {
    static_assert(stages <= simt::warp_threads, "the receiver has a lane for each stage");
    const unsigned stage = ctx.lane();
    if (stage >= stages) {
      return;
    }
    unsigned parity = 0;
    bool is_counted = false;
    for (index_type t = ctx.block() + index_type{stage} * ctx.blocks(); t < tiles;) {
      is_counted = is_counted || ctx.is_complete(smem.counted[stage], parity);  // before, looking is in vain
      if (is_counted && is_placed(ctx, smem, stage, static_cast<unsigned>(t))) {
        ctx.arrive(smem.placed[stage]);
        t += index_type{stages} * ctx.blocks();
        parity ^= 1;
        is_counted = false;
      } else {
        ctx.spin_wait();
      }
    }
  }

  /// Whether all is known that the tile's place depends on; if so, it is written down.
  template <class Context>
  GIMBAL_DEVICE bool is_placed(Context& ctx, shared& smem, unsigned stage, unsigned t) const
  {
    bool is_known = find_prefix(ctx, t, smem.selected_before[stage]);
    if constexpr (Rejected::may_wait) {
      if (is_known && rejected.waits(t)) {
        is_known = find_prefix(ctx, tiles, smem.selected_total[stage]);
      }
    }
    return is_known;
  }

  template <class Context>
  GIMBAL_DEVICE bool find_prefix(Context& ctx, unsigned t, index_type& prefix) const
  {
    uninit<index_type> found;
    const bool is_known = is_in_place ? in_order().find_prefix(ctx, t, found) : before.find_prefix(ctx, t, found);
    if (is_known) {
      prefix = t > 0 ? found.get() : 0;
    }
    return is_known;
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

  /// The runs of a tile: where they stand in shared memory, where they go and their number of items.
  struct runs {
    unsigned char* selected;
    unsigned char* rejected;
    Value* selected_to;
    Value* rejected_to;
    unsigned selected_items;
    unsigned rejected_items;
    index_type selected_through;
    index_type rejected_before;
  };

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
      if (ctx.thread() == 0) {
        tell_counts(t, to);
      }
      place ^= 1;
    }
  }

  GIMBAL_DEVICE void tell_counts(unsigned t, const runs& of_tile) const
  {
    if (t + 1 == tiles) {
      *selected_count = of_tile.selected_through;
    }
    if constexpr (Rejected::may_wait) {
      if (t == rejected.first_waiting && rejected.buffered != nullptr) {
        *rejected.buffered = of_tile.rejected_before;
      }
    }
  }

  GIMBAL_DEVICE runs
  plan_runs(const shared& smem, unsigned stage, unsigned t, const extent& valid, simt::vector16* place) const
  {
    runs to;
    const index_type selected_before = smem.selected_before[stage];
    to.selected_items = sum_of_shares(smem, stage, scatter_warps);
    to.rejected_items = keeps_rejected ? valid.count() - to.selected_items : 0;
    to.selected_through = selected_before + to.selected_items;
    to.selected_to = selected_out + selected_before;
    to.selected = reinterpret_cast<unsigned char*>(place) + block::phase_of(to.selected_to);
    to.rejected_to = nullptr;
    to.rejected = nullptr;
    to.rejected_before = source.first_index(t) + valid.first - selected_before;
    if constexpr (keeps_rejected) {
      to.rejected_to = rejected.target(t, to.rejected_before, to.rejected_items, smem.selected_total[stage]);
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
    constexpr bool is_reversed = Rejected::order == block::others::reversed;
    auto* const first_rejected =
      reinterpret_cast<uninit<Value>*>(to.rejected) + (is_reversed ? to.rejected_items - 1 : 0);
    tile::template gather_flagged<Rejected::order>(
      ctx, smem.ring[stage].items, valid, ctx.warp(), flags, selected_before,
      reinterpret_cast<uninit<Value>*>(to.selected), first_rejected);
    return to;
  }

  template <class Context>
  GIMBAL_DEVICE void store_runs(Context& ctx, const runs& to) const
  {
    constexpr unsigned threads = scatter_warps * simt::warp_threads;
    const unsigned rank = ctx.thread();
    block::store_run(
      ctx, rank, threads, to.selected, to.selected_to, to.selected_items * static_cast<unsigned>(sizeof(Value)));
    if constexpr (keeps_rejected) {
      block::store_run(
        ctx, rank, threads, to.rejected, to.rejected_to, to.rejected_items * static_cast<unsigned>(sizeof(Value)));
    }
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
