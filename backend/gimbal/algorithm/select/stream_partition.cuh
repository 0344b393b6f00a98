// Select and partition as a stream: what partition.cuh does for any sequence, for many items.
//
// Algorithm: as many blocks as can be resident at once, of which those that have begun soon are a team (grid/team.cuh). Its
// member 0 is the server (grid/count_server.cuh), which turns the numbers of selected items of the tiles into numbers of items
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
// Bytes moved and results: as partition.cuh says. Launches: one, and of a partition in place perhaps a second.
// Storage: words (retained_words.h), 32 bytes per stage of every block. A partition in place lets
//   the last tiles, as many as all rings hold, wait for the number of all selected items: their rejected items go where they
//   belong, once. Only those of the tiles before go through a buffer and the second kernel; none if all wait.
// Selector: asked once per item. Determinism: the result is a function of the input.
// Progress: blocks wait for members of the team alone, which have begun; warps of a block keep being scheduled. A partition in
//   place, whose last tiles wait for tiles behind them, has all blocks resident at the same time (cooperative launch).
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
#include <gimbal/algorithm/select/stream_partition_places.cuh>
#include <gimbal/algorithm/select/stream_partition_source.cuh>
#include <gimbal/grid/count_server.cuh>
#include <gimbal/pipeline/begin.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `InputIt`: a pointer, or any iterator that is none.
template <class Tuning, class InputIt, class Selector, class Rejected, class CountIt>
struct stream_select_kernel {
  using input = InputIt;
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
  using server = block::count_server;

  // Warps by role, in this order.
  static constexpr unsigned count_begin = scatter_groups * scatter_warps;
  static constexpr unsigned load_warp = count_begin + count_groups * count_warps;
  static constexpr unsigned publish_warp = load_warp + 1;
  static constexpr unsigned receive_warp = load_warp + 2;
  static constexpr unsigned store_warp = load_warp + 3;
  static constexpr unsigned first_loader = load_warp + 4;
  static constexpr unsigned block_warps = first_loader + loaders;
  static constexpr unsigned block_threads = block_warps * simt::warp_threads;
  static constexpr bool has_team = !Rejected::may_wait;  // otherwise all blocks start together
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
  static_assert(Tuning::serve_warps <= block_warps, "the server is a block like the others");

  struct shared {
    typename source_type::stage ring[stages];
    typename source_type::side_stage side_ring[source_type::side_stages];
    simt::vector16 runs[places][tile::run_vectors];
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
    typename server::shared served;
    block::team_place place;
  };

  /// What a block that belongs to the team works with: its first tile, from which on the others are before.blocks apart, and whether
  /// it serves, or is alone.
  struct deal {
    unsigned first_tile;
    bool serves;
    bool is_alone;
    server before;
  };

  source_type source;
  unsigned tiles;
  value* selected_out;
  Rejected rejected;
  CountIt selected_count;
  server before;
  block::team team = {};

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned warp = ctx.warp();
    deal own;
    if constexpr (has_team) {
      if (!block::begin_as_team(ctx, smem, *this, warp == receive_warp && ctx.lane() == 0, own)) {
        return;
      }
    } else {
      own = deal_of({static_cast<unsigned>(ctx.block()), before.blocks + 1});
      prepare(ctx, smem, own, false);
      ctx.sync_block();  // the barriers and the server's memory are initialised
      ask_for_more(ctx, smem, own);
    }
    if (own.serves) {
      if (warp < Tuning::serve_warps) {
        own.before.serve(ctx, smem.served, warp, Tuning::serve_warps);
      }
    } else if (warp < count_begin) {
      scatter(ctx, smem, own);
    } else if (warp < load_warp) {
      count(ctx, smem, own);
    } else if (warp == load_warp) {
      if constexpr (copies_any) {
        load(ctx, smem, own);
      }
    } else if (warp >= first_loader) {
      if constexpr (source_type::is_loaded) {
        load_items(ctx, smem, own, warp - first_loader);
      }
    } else if (warp == publish_warp) {
      publish(ctx, smem, own);
    } else if (warp == receive_warp) {
      if (own.is_alone) {
        receive_alone(ctx, smem, own);
      } else {
        receive(ctx, smem, own);
      }
    } else if (warp == store_warp) {
      store(ctx, smem, own);
    }
  }

  // ---- the start (pipeline/begin.cuh)

  GIMBAL_DEVICE deal deal_of(const block::team_place& place) const
  {
    const bool is_alone = place.members == 1;
    return {
      is_alone ? 0 : place.number - 1, place.number == 0 && !is_alone, is_alone,
      before.with(is_alone ? 1 : place.members - 1)};
  }

  /// By all warps. The one that loads sees to it that the first tile is on its way while the others come up.
  template <class Context>
  GIMBAL_DEVICE void prepare(Context& ctx, shared& smem, const deal& own, bool anew) const
  {
    const unsigned warp = ctx.warp();
    block::for_stages_of_warp(ctx, stages, load_warp, [&](unsigned s) {
      block::init_barrier(ctx, smem.loaded[s], loaders + (copies_any ? 1 : 0), anew);
      block::init_barrier(ctx, smem.counted[s], count_warps, anew);
      block::init_barrier(ctx, smem.published[s], 1, anew);
      block::init_barrier(ctx, smem.placed[s], 1, anew);
      block::init_barrier(ctx, smem.free[s], scatter_warps, anew);
    });
    block::for_stages_of_warp(ctx, places, store_warp, [&](unsigned p) {
      block::init_barrier(ctx, smem.built[p], scatter_warps, anew);
      block::init_barrier(ctx, smem.stored[p], 1, anew);
    });
    if (own.serves) {
      if (ctx.thread() == 0) {
        before.init(smem.served);
      }
    } else if (copies_any && warp == load_warp && ctx.lane() == 0) {
      source.load(ctx, smem.ring[0], smem.side_ring[0], smem.loaded[0], own.first_tile);
    }
  }

  /// By all warps, when the barriers are initialised: what else is on its way before tiles are waited for.
  template <class Context>
  GIMBAL_DEVICE void ask_for_more(Context& ctx, shared& smem, const deal& own) const
  {
    const unsigned warp = ctx.warp();
    if (own.serves || ctx.lane() != 0) {
      return;
    }
    if (copies_any && warp == load_warp) {
      for (unsigned k = 1; k < asked_of(own); ++k) {
        const unsigned t = own.first_tile + k * own.before.blocks;
        source.load(ctx, smem.ring[k], smem.side_ring[k % source_type::side_stages], smem.loaded[k], t);
      }
    }
    if constexpr (source_type::is_loaded) {
      if (warp >= first_loader) {
        source.template fetch_items<loaders>(ctx, own.first_tile, warp - first_loader);
      }
    }
  }

  /// By all warps: what prepare() and ask_for_more() have asked for has landed.
  template <class Context>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const deal& own) const
  {
    const unsigned warp = ctx.warp();
    if (!copies_any || own.serves || ctx.lane() != 0) {
      return;
    }
    for (unsigned k = 0; k < asked_of(own); ++k) {
      if (warp >= first_loader) {
        ctx.arrive(smem.loaded[k]);  // with nothing
      } else if (warp == load_warp) {
        ctx.wait(smem.loaded[k], 0);
      }
    }
  }

private:
  // ---- load

  /// How many tiles are asked for in the beginning.
  GIMBAL_DEVICE unsigned asked_of(const deal& own) const
  {
    unsigned most = most_under_way(own);
    if (source_type::has_side && most > source_type::side_stages) {
      most = source_type::side_stages;
    }
    unsigned asked = 0;
    for (unsigned t = own.first_tile; asked < most && t < tiles; t += own.before.blocks) {
      ++asked;
    }
    return asked;
  }
  GIMBAL_DEVICE unsigned most_under_way(const deal& own) const
  {
    const bool are_many = tiles / own.before.blocks > tuning::stream_partition_few_tiles;
    const unsigned wanted = loads_ahead + (are_many ? 1 : 0);
    return wanted < most_loads ? wanted : most_loads;
  }

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    side_turn side;
    const unsigned begun = asked_of(own);
    now.advance(begun);
    side.advance(begun);
    turn asked;  // the stage of the last tile that had the place beside
    unsigned places_left = source_type::side_stages - begun;
    block::load_window<stages> window{most_under_way(own), begun};
    const unsigned blocks = own.before.blocks;
    for (unsigned t = own.first_tile + begun * blocks; t < tiles; t += blocks, now.advance(), side.advance()) {
      ctx.wait(smem.free[now.stage], now.parity ^ 1);
      if (source_type::has_side && places_left > 0) {
        --places_left;
      } else if (source_type::has_side) {
        ctx.wait(smem.counted[asked.stage], asked.parity);
        asked.advance();
      }
      window.make_room(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.loaded[s]; });
      source.load(ctx, smem.ring[now.stage], smem.side_ring[side.stage], smem.loaded[now.stage], t);
    }
  }

  /// By each of the loaders.
  template <class Context>
  GIMBAL_DEVICE void load_items(Context& ctx, shared& smem, const deal& own, unsigned loader) const
  {
    turn now;
    for (unsigned t = own.first_tile; t < tiles; t += own.before.blocks, now.advance()) {
      source.template load_items<loaders>(ctx, smem.ring[now.stage], t, t + own.before.blocks, loader, [&] {
        ctx.wait(smem.free[now.stage], now.parity ^ 1);
      });
      ctx.sync_warp();  // the warp's items are in the stage
      if (ctx.lane() == 0) {
        ctx.arrive(smem.loaded[now.stage]);
      }
    }
  }

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
    const unsigned blocks = own.before.blocks;
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

  // ---- publish, receive

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    for (unsigned t = own.first_tile; t < tiles; t += own.before.blocks, now.advance()) {
      const server::place at = own.before.place_of(t);
      ctx.wait(smem.counted[now.stage], now.parity);
      unsigned sums[scatter_warps];
      unsigned sum = 0;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < scatter_warps; ++w) {
        sums[w] = sum;
        sum += smem.selected[now.stage][w];
      }
      own.before.publish(ctx, at, sum);
      GIMBAL_UNROLL
      for (unsigned w = 0; w < scatter_warps; ++w) {
        smem.selected[now.stage][w] = sums[w];
      }
      smem.selected_in_all[now.stage] = sum;
      ctx.arrive(smem.published[now.stage]);
    }
    // An empty tile behind the last one: its prefix is the number of all selected items.
    if (Rejected::may_wait && own.first_tile == tiles % own.before.blocks) {
      own.before.publish(ctx, own.before.place_of(tiles), 0);
    }
  }

  /// A lane for each stage: one after the other, the way to the server and back would bound how many tiles a block can
  /// take. All lanes look in one loop, so that none waits for another's prefix.
  template <class Context>
  GIMBAL_DEVICE void receive(Context& ctx, shared& smem, const deal& own) const
  {
    static_assert(stages <= simt::warp_threads, "the receiver has a lane for each stage");
    const unsigned stage = ctx.lane();
    if (stage >= stages) {
      return;
    }
    unsigned parity = 0;
    bool is_published = false;
    const unsigned first = own.first_tile + stage * own.before.blocks;
    for (pending next = pending_at(first, own.before.place_of(first)); next.number < tiles;) {
      if (!is_published && ctx.is_complete(smem.published[stage], parity)) {  // before, looking is in vain
        is_published = true;
        next.selected = smem.selected_in_all[stage];
      }
      if (is_published && is_placed(ctx, own, next, smem.planned[stage])) {
        ctx.arrive(smem.placed[stage]);
        next = pending_at(
          next.number + index_type{stages} * own.before.blocks,
          own.before.place_after(next.at, stages * own.before.blocks));
        parity ^= 1;
        is_published = false;
      } else {
        ctx.spin_wait();
      }
    }
  }

  /// By a block that has all tiles: what is selected before each of them it knows from those before.
  template <class Context>
  GIMBAL_DEVICE void receive_alone(Context& ctx, shared& smem, const deal& own) const
  {
    if (ctx.lane() != 0) {
      return;
    }
    turn now;
    index_type selected_before = 0;
    for (unsigned t = 0; t < tiles; ++t, now.advance()) {
      ctx.wait(smem.published[now.stage], now.parity);
      pending of = pending_at(t, own.before.place_of(t));
      of.selected = smem.selected_in_all[now.stage];
      smem.planned[now.stage] = plan_runs(of, selected_before, 0);
      ctx.arrive(smem.placed[now.stage]);
      selected_before += of.selected;
    }
  }

  /// A tile whose prefix is waited for, and what is known of its runs before.
  struct pending {
    index_type number;
    server::place at;
    extent valid;
    index_type begin;  // index of its first item
    unsigned selected;
  };
  GIMBAL_DEVICE pending pending_at(index_type t, const server::place& at) const
  {
    const extent valid = source.extent_of(static_cast<unsigned>(t));
    return {t, at, valid, source.first_index(static_cast<unsigned>(t)) + valid.first, 0};
  }

  /// Whether all is known that the tile's place depends on; if so, its runs are planned.
  template <class Context>
  GIMBAL_DEVICE bool is_placed(Context& ctx, const deal& own, const pending& of, plan& planned) const
  {
    index_type selected_before = 0;
    index_type total = 0;
    if (!own.before.find_sum(ctx, of.at, selected_before)) {
      return false;
    }
    if constexpr (Rejected::may_wait) {
      const server::place behind = own.before.place_of(tiles);
      if (rejected.waits(static_cast<unsigned>(of.number)) && !own.before.find_sum(ctx, behind, total)) {
        return false;
      }
    }
    planned = plan_runs(of, selected_before, total);
    return true;
  }

  GIMBAL_DEVICE plan plan_runs(const pending& of, index_type selected_before, index_type total) const
  {
    const unsigned t = static_cast<unsigned>(of.number);
    const index_type rejected_before = of.begin - selected_before;
    const plan made =
      plan::of(t, of.valid, of.selected, selected_out + selected_before, rejected, rejected_before, total);
    if (t + 1 == tiles) {
      block::store_as(selected_count, selected_before + of.selected);
    }
    if constexpr (Rejected::may_wait) {
      if (t == rejected.first_waiting && rejected.buffered != nullptr) {
        *rejected.buffered = rejected_before;
      }
    }
    return made;
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
    const unsigned blocks = dealt.before.blocks;
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
      ctx.sync_warp();  // the warp has read the stage
      if (ctx.lane() == 0) {
        ctx.arrive(smem.free[now.stage]);
      }
      ctx.wait(smem.stored[to.stage], to.parity ^ 1);
      if (share == 0 && ctx.lane() == 0) {
        smem.built_plan[to.stage] = planned;
      }
      if (has_any) {
        auto* const place = reinterpret_cast<unsigned char*>(smem.runs[to.stage]);
        tile::template place_share<Rejected::order>(
          ctx, own, source.extent_of(t), share, flags, rank, place, planned.at);
        ctx.bulk_fence();  // before the bulk copy out of the place
      }
      ctx.sync_warp();  // the warp's items are written
      if (ctx.lane() == 0) {
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
    for (unsigned t = own.first_tile; t < tiles; t += own.before.blocks, from.advance()) {
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
