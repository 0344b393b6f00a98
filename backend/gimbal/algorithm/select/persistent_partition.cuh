// Select and partition of many items as a policy of the persistent engine (pipeline/persistent_kernel.cuh): what
// partition.cuh says of results and bytes moved holds here. Its member 0 serves and has no tiles of its own.
//
//   reduce warps      call the selector on each item of a tile that has landed: flags, and their count
//   prefix-wait warp  plans the runs of a tile whose number of items selected before is known
//   store warps       compact the selected and the rejected items of a tile into one of a few buffers beside the ring
//   helpers           the first stores both runs from there; the others load items that come through an iterator
//
// Storing is what bounds the kernel (chains of waits, instructions, shared memory), so all that others can do, others
// do; groups of warps take the tiles in turn, as what a tile takes hardly depends on its size.
//
// A stable partition in place lets the last tiles, as many as all rings hold, wait for the number of all selected
// items: their rejected items go where they belong, once. Those of the tiles before go through a buffer, from where the
// members bring them there when all tiles are stored. A block that is alone puts all of them into the buffer.
//
// Storage beside the engine's: of a partition in place n items.
// Progress: each block counts all its tiles before it waits with the last ones for tiles after them.
//
// Memory order: after `reduced` nobody reads the tile's stencil any more, whose slot another tile may have. The
// buffers where runs are built pass from store warps to the helper and back through `built` and `stored`. At the end of
// a partition in place a member arrives at the grid barrier (grid/team.cuh) when its stores are complete, and reads the
// buffer, and overwrites what others have loaded, when all have arrived.
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile,
// over items of tiles before it, and of itself. A tile's number is published after a wait for `reduced`, which comes
// after a wait for `full`: all that is ever loaded of the tile has been. A tile is stored where a prefix says that was
// made of the numbers of all tiles before it. So no item is overwritten before it has been loaded, as
// simt::reuse_needs_order has it: on the GPU without releases, which cost a quarter of the time. Bulk copies are
// complete, reads included, when `full` says so.
#pragma once

#include <cuda/std/functional>
#include <gimbal/algorithm/select/persistent_partition_tiles.cuh>
#include <gimbal/grid/team.cuh>
#include <gimbal/pipeline/persistent_kernel.cuh>
#include <gimbal/simt/warp_sum.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Rejected items of a stable partition in place: after the selected ones, those of the first tiles through a buffer.
template <class Value>
struct rejected_in_place {
  static constexpr auto order = rejected_order::kept;
  Value* buffer = nullptr;
  block::grid_barrier all_stored = {};

  GIMBAL_DEVICE Value* begin(index_type before) const { return buffer + before; }
};

/// `Source`: as persistent_partition_tiles has it.
template <class Tuning, class Source, class Selector, class Rejected, class CountIt>
struct persistent_select_policy : persistent_policy {
  using tiles_type = persistent_partition_tiles<Source, Selector, Tuning::scatter_warps, Tuning::rows, Tuning::stages>;
  using value = typename tiles_type::value;
  using run_plan = typename tiles_type::run_plan;
  using flags_type = typename tiles_type::flags_type;
  /// Of numbers of selected items: those of a tile, and of a row of tiles, fit into 4 bytes.
  using server = block::prefix_server<index_type, simt::reuse_needs_order, std::uint32_t>;
  static constexpr const char* step = "select as a stream";
  static constexpr const char* clearing = "clearing of the words of a select";
  static constexpr bool serves_apart = true;
  static constexpr bool is_exact = true;
  static constexpr unsigned stages = Tuning::stages;
  static constexpr unsigned buffers = Tuning::buffers;
  static constexpr unsigned reduce_warps = Tuning::count_warps;
  static constexpr unsigned reduce_groups = Tuning::count_groups;
  static constexpr unsigned store_warps = Tuning::scatter_warps;  // each has a share of the tile
  static constexpr unsigned store_groups = Tuning::scatter_groups;
  static constexpr unsigned loaders = tiles_type::is_loaded ? Tuning::loader_warps : 0;
  static constexpr unsigned helpers = 1 + loaders;
  static constexpr unsigned copies = tiles_type::copies;
  static constexpr bool keeps_rejected = Rejected::order != rejected_order::dropped;
  static constexpr bool is_in_place = ::cuda::std::is_same<Rejected, rejected_in_place<value>>::value;
  static constexpr unsigned tiles_after = is_in_place ? 1 : 0;
  static constexpr unsigned append_items = tuning::items_for_bytes(64, sizeof(value), 16);  // of a thread under way
  static constexpr unsigned resident_blocks = Tuning::resident_blocks;
  static constexpr unsigned stencil_stages = tiles_type::stencil_stages;
  static constexpr unsigned loads_ahead = tuning::persistent_loads_ahead(
    sizeof(typename tiles_type::stage) + (tiles_type::has_stencil ? sizeof(typename tiles_type::stencil_stage) : 0),
    resident_blocks);
  static constexpr unsigned possible_loads = reduce_groups == 1 ? stages : stages - reduce_groups;
  static constexpr unsigned most_loads = loads_ahead < possible_loads ? loads_ahead : possible_loads;
  static constexpr unsigned first_loads =
    tiles_type::has_stencil && stencil_stages < most_loads ? stencil_stages : most_loads;
  static_assert(reduce_groups == 1 || reduce_groups < stages, "loads go on while all groups count");
  static_assert(store_groups == 1 || stages >= store_groups + buffers, "no group overtakes another by a ring");
  static_assert(store_warps % reduce_warps == 0, "each counting warp has as many shares");
  static_assert(store_groups <= buffers, "each group has a buffer for its tile");
  static_assert(!tiles_type::has_stencil || reduce_groups <= stencil_stages, "so for what stands beside");

  struct stage_memory {
    typename tiles_type::stage items;
    typename tiles_type::flags_word flags[store_warps * simt::warp_threads];
    alignas(16) unsigned selected[store_warps];         // by share
    alignas(16) unsigned selected_before[store_warps];  // in the tile
    run_plan planned;
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
  /// Where the runs of a tile are built.
  struct run_buffer {
    run_plan planned;
    simt::phase_barrier built;
    simt::phase_barrier stored;
  };
  struct shared {
    stage_memory stage[stages];
    typename tiles_type::stencil_stage stencil_ring[stencil_stages];
    union {
      simt::vector16 runs[buffers][tiles_type::run_vectors];
      typename server::shared served;  // of the block that serves, which builds no runs
    };
    run_buffer run_buffers[buffers];
    block::team_member place;
    struct {
      index_type selected;
      index_type buffered;
    } counts;  // of a partition in place
  };

  tiles_type tiles;
  value* selected_out;
  Rejected rejected;
  CountIt selected_count;

  static constexpr std::size_t word_count(unsigned blocks) { return is_in_place ? blocks + 1 : 0; }
  void take([[maybe_unused]] const launch_words& held, [[maybe_unused]] std::size_t served)
  {
    if constexpr (is_in_place) {
      rejected.all_stored = {held.words() + served, held.first_tag()};
      rejected.buffer = held.arrays<value>();
    }
  }
  std::size_t array_bytes() const { return is_in_place ? static_cast<std::size_t>(tiles.n()) * sizeof(value) : 0; }

  GIMBAL_DEVICE ::cuda::std::plus<> combine() const { return {}; }

  /// The first of the tiles whose rejected items wait for the number of all selected items.
  template <class Scheduler>
  static GIMBAL_DEVICE unsigned first_waiting(const Scheduler& own)
  {
    const unsigned held = own.server.blocks * stages;
    return own.is_alone ? own.tiles : own.tiles > held ? own.tiles - held : 0;
  }

  // ---- loads

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void init(Context& ctx, shared& smem, const Scheduler&, unsigned first_helper, bool again) const
  {
    block::for_stages_of_warp(ctx, buffers, first_helper, 1, [&](unsigned p) {
      block::init_barrier(ctx, smem.run_buffers[p].built, store_warps, again);
      block::init_barrier(ctx, smem.run_buffers[p].stored, 1, again);
    });
  }

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, stage_memory& stage, unsigned t, unsigned k) const
  {
    tiles.load(ctx, stage.items, smem.stencil_ring[k % stencil_stages], stage.full, t);
  }

  template <class Context>
  GIMBAL_DEVICE void wait_for_space(Context& ctx, shared& smem, unsigned k) const
  {
    if (tiles_type::has_stencil && k >= stencil_stages) {
      const unsigned earlier = k - stencil_stages;  // the tile that had the slot of the stencil
      ctx.wait(smem.stage[earlier % stages].reduced, earlier / stages % 2);
    }
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void begin_helping(Context& ctx, shared&, const Scheduler& own, unsigned helper) const
  {
    if constexpr (loaders > 0) {
      if (helper > 0 && ctx.lane() == 0) {
        tiles.template fetch_items<loaders>(ctx, own.first_tile, helper - 1);
      }
    }
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const Scheduler&, unsigned helper, unsigned issued) const
  {
    if (helper > 0 && ctx.lane() == 0) {
      for (unsigned k = 0; k < issued; ++k) {
        ctx.arrive(smem.stage[k].full);  // with nothing
      }
    }
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void help(Context& ctx, shared& smem, const Scheduler& own, unsigned helper) const
  {
    if (helper == 0) {
      store_runs(ctx, smem, own);
    } else if constexpr (loaders > 0) {
      own.for_tiles(smem.stage, [&](unsigned t, stage_memory& stage, unsigned parity) {
        tiles.template load_items<loaders>(
          ctx, stage.items, t, t + own.server.blocks, helper - 1, [&] { ctx.wait(stage.empty, parity ^ 1); });
        ctx.sync_warp();  // the warp's items are in the stage
        if (ctx.lane() == 0) {
          ctx.arrive(stage.full);
        }
      });
    }
  }

  // ---- count

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void reduce(Context& ctx, shared& smem, const Scheduler& own, unsigned reduce_warp) const
  {
    const unsigned group = reduce_warp / reduce_warps;
    block::ring_position<stencil_stages> side;
    side.advance(group);
    own.for_tiles_of_group(smem.stage, group, reduce_groups, [&](unsigned t, stage_memory& stage, unsigned parity) {
      ctx.wait(stage.full, parity);
      for (unsigned share = reduce_warp % reduce_warps; share < store_warps; share += reduce_warps) {
        const flags_type flags = tiles.flags_of(ctx, stage.items, smem.stencil_ring[side.stage], t, share);
        stage.flags[share * simt::warp_threads + ctx.lane()] = static_cast<typename tiles_type::flags_word>(flags);
        const unsigned selected = simt::warp_sum(ctx, static_cast<std::uint32_t>(simt::popcount(flags)));
        if (ctx.lane() == 0) {
          stage.selected[share] = selected;
        }
      }
      ctx.sync_warp();  // the warp's flags and items are written
      if (ctx.lane() == 0) {
        ctx.arrive(stage.reduced);
      }
      side.advance(reduce_groups);
    });
  }

  // ---- what a tile amounts to, and what is before it

  GIMBAL_DEVICE uninit<std::uint32_t> total_of(const stage_memory& stage, unsigned) const
  {
    uninit<std::uint32_t> total;
    total.set(0);
    GIMBAL_UNROLL
    for (unsigned w = 0; w < store_warps; ++w) {
      total.set(total.get() + stage.selected[w]);
    }
    return total;
  }

  /// An empty tile after the last one: its prefix is the number of all selected items.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE void publish_after(Context& ctx, const Scheduler& own) const
  {
    if (is_in_place && own.first_tile == own.tiles % own.server.blocks) {
      own.server.publish(ctx, own.server.slot_of(own.tiles), 0);
    }
  }

  struct range_and_count {
    block::valid_range valid;
    index_type begin;  // index of the first item
    unsigned selected;
  };
  GIMBAL_DEVICE range_and_count begin_prefix(stage_memory& stage, unsigned t) const
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < store_warps; ++w) {
      const unsigned selected = stage.selected[w];
      stage.selected_before[w] = sum;
      sum += selected;
    }
    return {tiles.valid_of(t), tiles.first_index(t), sum};
  }

  /// False while the number of all selected items is missing, on which depends where the tile goes.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE bool set_prefix(
    Context& ctx, shared& smem, const Scheduler& own, stage_memory& stage, unsigned t, const uninit<index_type>& prefix,
    const range_and_count& of_tile) const
  {
    const index_type before = t > 0 ? prefix.get() : 0;
    value* rejected_to = nullptr;
    unsigned rejected_count = 0;
    if constexpr (keeps_rejected) {
      rejected_count = of_tile.valid.hi - of_tile.valid.lo - of_tile.selected;
      const auto to = rejected.begin(of_tile.begin - before);
      if constexpr (Rejected::order == rejected_order::reversed) {
        rejected_to = block::raw_iterator((to + rejected_count).base());
      } else {
        rejected_to = to;
      }
    }
    if constexpr (is_in_place) {
      uninit<index_type> total;
      if (t >= first_waiting(own)) {
        if (!own.server.find_prefix(ctx, own.server.slot_of(own.tiles), total)) {
          return false;
        }
        rejected_to = selected_out + (total.get() + (of_tile.begin - before));
      }
    }
    stage.planned = tiles_type::template plan_runs<Rejected::order>(
      of_tile.valid, of_tile.selected, selected_out + before, rejected_count, rejected_to);
    if (t + 1 == own.tiles) {
      const index_type selected = before + of_tile.selected;
      block::store_as(selected_count, selected);
      smem.counts = {selected, tiles.n() - selected};  // as a block that is alone has them
    }
    return true;
  }

  // ---- scatter, store

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const Scheduler& own, unsigned store_warp) const
  {
    const unsigned group = store_warp / store_warps;
    const unsigned share = store_warp % store_warps;
    buffer_turn to;
    to.advance(group);
    own.for_tiles_of_group(smem.stage, group, store_groups, [&](unsigned t, stage_memory& stage, unsigned parity) {
      ctx.wait(stage.ready, parity);
      const flags_type flags = stage.flags[share * simt::warp_threads + ctx.lane()];
      const unsigned rank = stage.selected_before[share];
      const run_plan planned = stage.planned;
      const bool has_any = keeps_rejected || ctx.ballot(flags != 0) != 0;
      typename tiles_type::share items;
      if (has_any) {
        tiles_type::read_share(ctx, stage.items, share, flags, items);
      }
      run_buffer& buffer = smem.run_buffers[to.stage];
      ctx.wait(buffer.stored, to.parity ^ 1);
      if (share == 0 && ctx.lane() == 0) {
        buffer.planned = planned;
      }
      if (has_any) {
        tiles_type::template scatter_share<Rejected::order>(
          ctx, items, tiles.valid_of(t), share, flags, rank, smem.runs[to.stage], planned);
      }
      // A warp's loads from the stage may still be in flight when it goes on: without a fence the next bulk copy into
      // the stage could overwrite what they are to read. One fence serves that copy and the one out of the buffer.
      ctx.bulk_fence();
      ctx.sync_warp();  // the warp has read the stage, and its items are written
      if (ctx.lane() == 0) {
        ctx.arrive(stage.empty);
        ctx.arrive(buffer.built);
      }
      to.advance(store_groups);
    });
  }

  /// By all threads of a member at the end.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE void end(Context& ctx, shared& smem, const Scheduler& own) const
  {
    if constexpr (is_in_place) {
      append(ctx, smem, own);
    }
  }

private:
  using buffer_turn = block::ring_position<buffers>;

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void store_runs(Context& ctx, shared& smem, const Scheduler& own) const
  {
    buffer_turn from;
    for (unsigned t = own.first_tile; t < own.tiles; t += own.server.blocks, from.advance()) {
      run_buffer& buffer = smem.run_buffers[from.stage];
      ctx.wait(buffer.built, from.parity);
      tiles_type::template store_runs<Rejected::order>(ctx, smem.runs[from.stage], buffer.planned);
      if (ctx.lane() == 0) {
        ctx.arrive(buffer.stored);
      }
    }
    ctx.wait_for_bulk_stores();
  }

  /// The end of a partition in place, when the member's tiles are stored: the rejected items in the buffer go where
  /// they belong.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE_NOINLINE void append(Context ctx, shared& smem, const Scheduler& own) const
  {
    const unsigned first = first_waiting(own);
    if (first == 0) {
      return;  // nothing is in the buffer
    }
    rejected.all_stored.arrive(ctx, smem.place);
    rejected.all_stored.wait(ctx, smem.place);
    if (!own.is_alone && ctx.thread() == 0) {
      uninit<index_type> selected;
      uninit<index_type> selected_before;
      while (
        !(own.server.find_prefix(ctx, own.server.slot_of(own.tiles), selected)
          && own.server.find_prefix(ctx, own.server.slot_of(first), selected_before))) {
        ctx.spin_wait();
      }
      smem.counts = {selected.get(), tiles.first_index(first) - selected_before.get()};
    }
    ctx.sync_block();  // the counts are there
    append_share(ctx, smem.place, selected_out + smem.counts.selected, smem.counts.buffered);
  }

  /// A member's share of `count` items that go from the buffer to `out`.
  template <class Context>
  GIMBAL_DEVICE void append_share(Context& ctx, const block::team_member& place, value* out, index_type count) const
  {
    constexpr unsigned threads = Context::block_threads;
    constexpr index_type share_items = index_type{threads} * append_items;
    // Shares end where lines of memory do, so that warps store whole ones.
    const index_type into_line =
      128 % sizeof(value) == 0 ? reinterpret_cast<std::uintptr_t>(out) % 128 / sizeof(value) : 0;
    index_type end = (index_type{place.number} + 1) * share_items - into_line;
    for (; end - share_items < count; end += index_type{place.members} * share_items) {
      const index_type begin = end > share_items ? end - share_items : 0;
      const auto valid = static_cast<unsigned>((end < count ? end : count) - begin);
      const unsigned left = block::left_from(ctx.thread(), valid);
      const value* const from = rejected.buffer + (begin + ctx.thread());
      value* const to = out + (begin + ctx.thread());
      uninit<value> item[append_items];  // all of it is in flight at the same time
      block::for_left<false, append_items, threads>(left, [&](unsigned i) { item[i].set(from[i * threads]); });
      block::for_left<false, append_items, threads>(
        left, [&](unsigned i) { block::store_as(to + i * threads, item[i].get()); });
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
