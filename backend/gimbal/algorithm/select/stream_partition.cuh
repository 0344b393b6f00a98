// Select and partition as a stream: what partition.cuh does for any sequence, for many items.
//
// Algorithm: as many blocks as can be resident at once, of which those that have begun soon are a team (grid/team.cuh). Its
// member 0 is the server (grid/prefix_server.cuh), which turns the numbers of selected items of the tiles into numbers of items
// selected before; with tiles of its own, which would be late as its warps look at memory without a pause, it would hold up all
// blocks. The tiles are dealt out to the other members in turn; a block that is alone has all of them, and adds up by itself.
// Each loads its tiles by bulk copies into a ring of stages. Roles of warps, joined by phase barriers:
//
//   load      one thread    fills a stage as soon as its last tile is gone, as far as arrays go
//   loaders   warps         do so with items that come through an iterator
//   count     groups        ask the selector about each item of a tile that has landed: flags, and how many
//   publish   one thread    tells the server the tile's number of selected items
//   receive   one warp      waits for the numbers of items selected before the tiles, plans their runs
//   scatter   groups        bring the selected and the rejected items of a tile together
//   store     one warp      stores both runs by bulk copies
//
// Counting runs ahead of scattering by as many tiles as the ring has stages, so the way to the server and back takes no time
// of its own. Scattering is what bounds the kernel (chains of waits, instructions, shared memory), so all that others can do,
// others do; groups of warps take the tiles in turn, as what a tile takes hardly depends on its size.
//
// A partition in place lets the last tiles, as many as all rings hold, wait for the number of all selected items: their rejected
// items go where they belong, once. Those of the tiles before go through a buffer, from where the members bring them there when all
// tiles are stored (stream_partition_append.cuh). A block that is alone puts all of them into the buffer.
//
// Bytes moved and results: as partition.cuh says. Launches: one. Storage: words (retained_words.h), 32 bytes per stage of every
//   block; of a partition in place n items.
// Selector: asked once per item. Determinism: the result is a function of the input.
// Progress: blocks wait for members of the team alone, which have begun; warps of a block keep being scheduled. Each counts all its
//   tiles before it waits with the last ones for tiles behind them.
//
// Memory order. Within a block every hand-over is an arrival at a phase barrier (release) and a wait for it (acquire):
//   loaded    the bulk copies have landed, the loaders' items are stored; the stage's flags and counts may be overwritten
//   counted   flags and counts of the stage are written, and so are the items loaded one by one; nobody reads any more
//             what stands beside the tile's items, whose place another tile may have
//   published the counts of the shares before each share are written
//   placed    the plan of the tile's runs is written
//   free      nobody reads the stage, its flags, its counts or its plan any more
// Each stage passes through them in this order, and every group takes its tiles in order, so no barrier is ever two
// phases ahead of one who waits. So do the places where runs are built, through `built` and `stored`. Nor is one who waits
// two phases ahead of a barrier, though a group passes over phases that are other groups': the tile before it in the stage has
// landed, as at most `most_loads` are under way (loaders store tiles in order), and been placed, as a later one was stored
// before the group's last tile. The words exchanged with the server carry their own validity (relaxed accesses).
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile, over
// items of tiles before it, and of itself. A tile's number is published after a wait for `counted`, which comes after a wait
// for `loaded`: all that is ever loaded of the tile has been. A tile is stored where a prefix says that was made of the
// numbers of all tiles before it. So no item is overwritten before it has been loaded, as simt::reuse_needs_order has it: on
// the GPU without releases, which cost a quarter of the time. Bulk copies are complete, reads included, when `loaded` says so.
#pragma once

#include <gimbal/algorithm/select/segments.cuh>
#include <gimbal/algorithm/select/stream_partition_append.cuh>
#include <gimbal/algorithm/select/stream_partition_loads.cuh>
#include <gimbal/algorithm/select/stream_partition_places.cuh>
#include <gimbal/algorithm/select/stream_partition_receiver.cuh>
#include <gimbal/algorithm/select/stream_partition_source.cuh>
#include <gimbal/grid/prefix_server.cuh>
#include <gimbal/pipeline/deal.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `InputIt`: a pointer, or any iterator that is none.
template <class Tuning, class InputIt, class Selector, class Rejected, class CountIt>
struct stream_select_kernel {
  using input = InputIt;
  using rejected_type = Rejected;
  using value = ::cuda::std::remove_cv_t<value_type_of<InputIt>>;
  static constexpr unsigned stages = Tuning::stages;
  static constexpr unsigned places = Tuning::places;
  static constexpr unsigned scatter_warps = Tuning::scatter_warps;  // for a tile
  static constexpr unsigned scatter_groups = Tuning::scatter_groups;
  static constexpr unsigned count_warps = Tuning::count_warps;  // for a tile
  static constexpr unsigned count_groups = Tuning::count_groups;

  using tile = block::segments<value, scatter_warps, Tuning::rows>;
  using extent = typename tile::extent;
  using source_type = stream_partition_source<tile, InputIt, Selector, stages>;
  static constexpr bool copies_any = !source_type::is_loaded || source_type::has_side;
  static constexpr unsigned loaders = source_type::is_loaded ? Tuning::loader_warps : 0;
  using plan = stream_partition_plan<tile>;
  using turn = block::ring_position<stages>;
  using side_turn = block::ring_position<source_type::side_stages>;
  using place_turn = block::ring_position<places>;
  /// Of numbers of selected items: those of a tile, and of a row of tiles, fit into 4 bytes.
  using server = block::prefix_server<index_type, simt::reuse_needs_order, std::uint32_t>;
  using append = stream_partition_append<stream_select_kernel>;

  // Warps by role, in this order.
  static constexpr unsigned count_begin = scatter_groups * scatter_warps;
  static constexpr unsigned load_warp = count_begin + count_groups * count_warps;
  static constexpr unsigned publish_warp = load_warp + 1;
  static constexpr unsigned receive_warp = load_warp + 2;
  static constexpr unsigned store_warp = load_warp + 3;
  static constexpr unsigned first_loader = load_warp + 4;
  static constexpr unsigned block_warps = first_loader + loaders;
  static constexpr unsigned block_threads = block_warps * simt::warp_threads;
  static constexpr unsigned servers = block_warps < server::links ? block_warps : server::links;
  static constexpr bool keeps_rejected = Rejected::order != block::others::dropped;
  static constexpr unsigned resident_blocks = Tuning::resident_blocks;
  static constexpr bool copies_in_bulk = true;
  static constexpr unsigned loads_ahead = tuning::stream_loads_ahead(
    sizeof(typename source_type::stage) + (source_type::has_side ? sizeof(typename source_type::side_stage) : 0),
    resident_blocks);
  static constexpr unsigned most_loads = count_groups == 1 ? stages : stages - count_groups;
  static_assert(count_groups == 1 || count_groups < stages, "loads go on while all groups count");
  static_assert(scatter_groups == 1 || stages >= scatter_groups + places, "no group overtakes another by a ring");
  static_assert(scatter_warps % count_warps == 0, "each counting warp has as many shares");
  static_assert(scatter_groups <= places, "each group has a place for its tile");
  static_assert(!source_type::has_side || count_groups <= source_type::side_stages, "so for what stands beside");

  struct shared {
    typename source_type::stage ring[stages];
    typename source_type::side_stage side_ring[source_type::side_stages];
    union {
      simt::vector16 runs[places][tile::run_vectors];
      typename server::shared served;  // of the block that serves, which builds no runs
    };
    plan planned[stages];
    plan built_plan[places];
    typename tile::flags_word flags[stages][scatter_warps * simt::warp_threads];
    unsigned selected[stages][scatter_warps];  // by share; in the shares before, once published
    unsigned selected_in_all[stages];
    simt::phase_barrier loaded[stages];
    simt::phase_barrier counted[stages];
    simt::phase_barrier published[stages];
    simt::phase_barrier placed[stages];
    simt::phase_barrier free[stages];
    simt::phase_barrier built[places];
    simt::phase_barrier stored[places];
    block::team_place place;
    index_type selected_by_lone_block;
    typename append::shared appended;
  };

  source_type source;
  unsigned tiles;
  value* selected_out;
  Rejected rejected;
  CountIt selected_count;
  server before;
  block::team team = {};

  using deal = block::tile_deal<server>;
  using loads = stream_partition_loads<stream_select_kernel>;
  using receiver = stream_partition_receiver<stream_select_kernel>;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned warp = ctx.warp();
    if (!block::begin_as_team(ctx, smem, team, loads{*this}, warp == receive_warp && ctx.lane() == 0)) {
      return;
    }
    const deal own = loads{*this}.deal_of(smem.place);
    if (own.serves) {
      if (warp < servers) {
        own.server.template serve<servers>(ctx, smem.served, warp, add_counts{});
      }
    } else if (warp < count_begin) {
      scatter(ctx, smem, own);
    } else if (warp < load_warp) {
      count(ctx, smem, own);
    } else if (warp == load_warp) {
      if constexpr (copies_any) {
        loads{*this}.load(ctx, smem, own);
      }
    } else if (warp >= first_loader) {
      if constexpr (source_type::is_loaded) {
        loads{*this}.load_items(ctx, smem, own, warp - first_loader);
      }
    } else if (warp == publish_warp) {
      publish(ctx, smem, own);
    } else if (warp == receive_warp) {
      if (own.is_alone) {
        receiver{*this}.receive_alone(ctx, smem, own);
      } else {
        receiver{*this}.receive(ctx, smem, own);
      }
    } else if (warp == store_warp) {
      store(ctx, smem, own);
    }
    if constexpr (Rejected::may_wait) {
      append{*this}.run(ctx, smem, own);
    }
  }

  /// The first of the tiles whose rejected items wait for the number of all selected items.
  GIMBAL_DEVICE unsigned first_waiting(const deal& own) const
  {
    const unsigned held = own.server.blocks * stages;
    return own.is_alone ? tiles : tiles > held ? tiles - held : 0;
  }

private:
  // ---- count

  template <class Context>
  GIMBAL_DEVICE void count(Context& ctx, shared& smem, const deal& own) const
  {
    const unsigned group = (ctx.warp() - count_begin) / count_warps;
    const unsigned first_share = (ctx.warp() - count_begin) % count_warps;
    turn now;
    side_turn side;
    now.advance(group);
    side.advance(group);
    const unsigned blocks = own.server.blocks;
    for (unsigned t = own.first_tile + group * blocks; t < tiles; t += count_groups * blocks) {
      ctx.wait(smem.loaded[now.stage], now.parity);
      for (unsigned share = first_share; share < scatter_warps; share += count_warps) {
        const typename tile::flags_type flags =
          source.flags_of(ctx, smem.ring[now.stage], smem.side_ring[side.stage], t, share);
        smem.flags[now.stage][share * simt::warp_threads + ctx.lane()] = static_cast<typename tile::flags_word>(flags);
        const unsigned selected = tile::count(ctx, flags);
        if (ctx.lane() == 0) {
          smem.selected[now.stage][share] = selected;
        }
      }
      ctx.sync_warp();  // the warp's flags and items are written
      if (ctx.lane() == 0) {
        ctx.arrive(smem.counted[now.stage]);
      }
      now.advance(count_groups);
      side.advance(count_groups);
    }
  }

  // ---- publish

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    for (unsigned t = own.first_tile; t < tiles; t += own.server.blocks, now.advance()) {
      const auto at = own.server.place_of(t);
      ctx.wait(smem.counted[now.stage], now.parity);
      unsigned sums[scatter_warps];
      unsigned sum = 0;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < scatter_warps; ++w) {
        sums[w] = sum;
        sum += smem.selected[now.stage][w];
      }
      own.server.publish(ctx, at, sum);
      GIMBAL_UNROLL
      for (unsigned w = 0; w < scatter_warps; ++w) {
        smem.selected[now.stage][w] = sums[w];
      }
      smem.selected_in_all[now.stage] = sum;
      ctx.arrive(smem.published[now.stage]);
    }
    // An empty tile behind the last one: its prefix is the number of all selected items.
    if (Rejected::may_wait && own.first_tile == tiles % own.server.blocks) {
      own.server.publish(ctx, own.server.place_of(tiles), 0);
    }
  }

  // ---- scatter, store

  template <class Context>
  GIMBAL_DEVICE void scatter(Context& ctx, shared& smem, const deal& dealt) const
  {
    const unsigned group = ctx.warp() / scatter_warps;
    const unsigned share = ctx.warp() % scatter_warps;
    turn now;
    place_turn to;
    now.advance(group);
    to.advance(group);
    const unsigned blocks = dealt.server.blocks;
    for (unsigned t = dealt.first_tile + group * blocks; t < tiles; t += scatter_groups * blocks) {
      ctx.wait(smem.placed[now.stage], now.parity);
      const typename tile::flags_type flags = smem.flags[now.stage][share * simt::warp_threads + ctx.lane()];
      const unsigned rank = smem.selected[now.stage][share];
      const plan planned = smem.planned[now.stage];
      const bool has_any = keeps_rejected || ctx.ballot(flags != 0) != 0;
      typename tile::share own;
      if (has_any) {
        tile::read_share(ctx, smem.ring[now.stage].items, share, flags, own);
      }
      ctx.wait(smem.stored[to.stage], to.parity ^ 1);
      if (share == 0 && ctx.lane() == 0) {
        smem.built_plan[to.stage] = planned;
      }
      if (has_any) {
        auto* const place = reinterpret_cast<unsigned char*>(smem.runs[to.stage]);
        tile::template place_share<Rejected::order>(
          ctx, own, source.extent_of(t), share, flags, rank, place, planned.at);
      }
      // A warp's loads from the stage may still be in flight when it goes on: without a fence the next bulk copy into the stage could
      // overwrite what they are to read. One fence serves that copy and the one out of the place.
      ctx.bulk_fence();
      ctx.sync_warp();  // the warp has read the stage, and its items are written
      if (ctx.lane() == 0) {
        ctx.arrive(smem.free[now.stage]);
        ctx.arrive(smem.built[to.stage]);
      }
      now.advance(scatter_groups);
      to.advance(scatter_groups);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store(Context& ctx, shared& smem, const deal& own) const
  {
    place_turn from;
    for (unsigned t = own.first_tile; t < tiles; t += own.server.blocks, from.advance()) {
      ctx.wait(smem.built[from.stage], from.parity);
      const plan& of_tile = smem.built_plan[from.stage];
      const auto* const place = reinterpret_cast<const unsigned char*>(smem.runs[from.stage]);
      block::store_run(ctx, place + of_tile.at.flagged, of_tile.selected_to, of_tile.selected_bytes);
      if constexpr (keeps_rejected) {
        constexpr bool is_reversed = Rejected::order == block::others::reversed;
        const unsigned back = is_reversed ? of_tile.rejected_bytes - tile::value_bytes : 0;
        block::store_run(ctx, place + (of_tile.at.other - back), of_tile.rejected_to, of_tile.rejected_bytes);
      }
      ctx.sync_warp();  // the warp has read the ends of the runs
      if (ctx.lane() == 0) {
        ctx.wait_for_bulk_reads();
        ctx.arrive(smem.stored[from.stage]);
      }
    }
    ctx.wait_for_bulk_stores();
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
