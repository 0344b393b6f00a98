// The persistent driver, of scans, segmented scans, selects, partitions and runs of many items: blocks that keep a ring
// of tiles in flight. What is computed of a tile is a policy: persistent_scan_policy.cuh and persistent_runs.cuh in
// algorithm/scan, persistent_partition.cuh in algorithm/select.
//
// Algorithm: one block or two per multiprocessor. Those that begin soon form a team (grid/team.cuh), to which a tile
// scheduler assigns tiles in turn (persistent_tiles.cuh). Warps have roles and hand tiles on through phase barriers,
// without a barrier of the block:
//
//   producer          fills the ring's stages by bulk copies, as they become free
//   reduce warps      compute a tile's aggregate: the fold of its items, its number of selected items, its heads
//   publisher         publishes that
//   server warps      of member 0, compute every tile's exclusive prefix (grid/prefix_server.cuh)
//   prefix-wait warp  waits for that, for all tiles in the ring at once
//   store warps       compute and store the results of a tile, whose prefix is known now
//   helpers           what else a policy has
//
// Reduce warps run ahead of store warps by as many tiles as the ring has stages, which hides the latency of the server.
// Both may be several groups that take the tiles in turn. After the decoupled look-back scan of Merrill & Garland
// (2016), with a server in place of the look-back.
//
// With `serves_apart` a policy leaves its member 0 without tiles: beside other work in the same block the server's many
// polls would hold that up, and so all blocks. A block that is alone has all tiles and scans their totals by itself.
//
// Launches: one; before it a fill, but only where the CUDA stream can keep no tagged words.
//
// Storage: tagged words (launch_plan.h), 8 bytes per stage of every block for every 4 bytes of a total, and as many of
// a prefix.
//
// Progress: blocks wait for members of the team alone, which have begun; every warp of a block keeps being scheduled.
//
// Memory order: all that goes through shared memory is ordered by a stage's phase barriers, at which lanes arrive
// (release), after a barrier of the warp, and for which they wait (acquire):
//   full     what is loaded has landed
//   reduced  all reduce warps of the tile have written, and read what they read once
//   ready    the prefix-wait warp has written what is before the tile
//   empty    store warps and publisher have read: nobody looks at the stage any more
// A stage passes through them in this order, and every group takes its tiles in order. No barrier is ever two phases
// ahead of one who waits, though a group passes over phases that are other groups': a stage belongs to one group alone,
// or the tile before it in the stage has been stored before the group's last tile was. Between blocks only tagged words
// pass, which carry their own validity; where the server orders memory, what is read before a tile is published comes
// before what is done with the prefix of a later one.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/prefix_server.cuh>
#include <gimbal/grid/team.cuh>
#include <gimbal/pipeline/persistent_tiles.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What policies have, unless they say otherwise. Beside it a policy has:
///
///   step, clearing              names of the launch and of what clears its words, for errors
///   server                      the prefix_server of its totals and prefixes
///   stage_memory                with the barriers full, reduced, ready and empty
///   shared                      with stage[stages], `served` of the server and `place` of the team
///   stages                      of the ring
///   copies                      lanes of the producer, each of which loads a part of a tile; 0: there is no producer
///   most_loads, first_loads     tiles in flight, at most, and loaded into so many empty stages at the beginning
///   reduce_warps, reduce_groups reduce warps of a tile, and how many such groups there are
///   store_warps, store_groups   likewise
///   reduce(ctx, smem, own, w)   the role of the w-th reduce warp; it arrives at `reduced`
///   store(ctx, smem, own, w)    the role of the w-th store warp; it arrives at `empty`
///   total_of(stage, tile)       the aggregate of a tile that is reduced
///   set_prefix(ctx, smem, own, stage, tile, prefix, begun)   write what store warps need; false: try again, as something else is missing
///   combine()                   the operator of totals and prefixes
///   load(ctx, smem, stage, tile, k)   load the block's k-th tile, by each lane of the producer
struct persistent_policy {
  static constexpr bool serves_apart = false;
  /// Rows of other kernels give the same results, bit for bit: no floating-point sums.
  static constexpr bool is_exact = false;
  static constexpr unsigned servers = 0;  // warps that serve beside the others
  static constexpr unsigned helpers = 0;  // warps
  /// Blocks that a multiprocessor must have registers for; 0: not said.
  static constexpr unsigned resident_blocks = 0;
  /// Empty tiles after the last one, whose prefix is the aggregate of all tiles.
  static constexpr unsigned tiles_after = 0;
  /// Who arrives at `full` beside the producer.
  static constexpr unsigned loaders = 0;

  /// Tiles in flight of such a schedule, if fewer than most_loads.
  template <class Scheduler>
  static GIMBAL_DEVICE unsigned loads_of(const Scheduler&)
  {
    return ~0u;
  }

  /// How many words of its own a launch has after those of the server, and where they are.
  static constexpr std::size_t word_count(unsigned) { return 0; }
  void take(const launch_words&, std::size_t) {}
  /// Of arrays that it has in the storage (launch_words::arrays), and what is launched beforehand to fill them.
  std::size_t array_bytes() const { return 0; }
  status prepare(const launch_words&) { return {}; }

  /// By all warps at the beginning; helpers' warps begin at `first_helper`. Again, `again`, where another schedule of
  /// the tiles needs it.
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void init(Context&, Shared&, const Scheduler&, unsigned, bool) const
  {
  }
  /// What a reduce warp, or a helper, can load before any tile.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE void begin_reducing(Context&, const Scheduler&, unsigned) const
  {
  }
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void begin_helping(Context&, Shared&, const Scheduler&, unsigned) const
  {
  }
  /// By helpers: wait for that. Loads of the first `issued` tiles have been issued.
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void settle(Context&, Shared&, const Scheduler&, unsigned, unsigned) const
  {
  }

  /// Wait until there is space for the block's k-th tile beside its stage.
  template <class Context, class Shared>
  GIMBAL_DEVICE void wait_for_space(Context&, Shared&, unsigned) const
  {
  }

  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void help(Context&, Shared&, const Scheduler&, unsigned) const
  {
  }
  /// What can be found before a tile's prefix is: set_prefix() gets what this returns.
  struct nothing {};
  template <class Stage>
  static GIMBAL_DEVICE nothing begin_prefix(const Stage&, unsigned)
  {
    return {};
  }
  /// By the publisher, after its last tile; by all threads of a member at the end.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE void publish_after(Context&, const Scheduler&) const
  {
  }
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void end(Context&, Shared&, const Scheduler&) const
  {
  }
};

template <class Policy>
struct persistent_kernel {
  using server = typename Policy::server;
  using stage_memory = typename Policy::stage_memory;
  using shared = typename Policy::shared;
  using scheduler = block::tile_scheduler<server>;
  static constexpr unsigned stages = Policy::stages;

  // Warps by role, in this order.
  static constexpr unsigned publisher_warp = 0;
  static constexpr unsigned prefix_wait_warp = 1;
  static constexpr unsigned first_reduce_warp = 2;
  static constexpr unsigned first_store_warp = first_reduce_warp + Policy::reduce_groups * Policy::reduce_warps;
  static constexpr unsigned first_server = first_store_warp + Policy::store_groups * Policy::store_warps;
  static constexpr unsigned first_helper = first_server + Policy::servers;
  static constexpr unsigned producer_warp = first_helper + Policy::helpers;
  static constexpr unsigned block_warps = producer_warp + (Policy::copies > 0 ? 1 : 0);
  static constexpr unsigned block_threads = block_warps * simt::warp_threads;
  /// Warps that serve where nothing else is done.
  static constexpr unsigned servers_apart = block_warps < server::links ? block_warps : server::links;
  static constexpr unsigned resident_blocks = Policy::resident_blocks;
  static constexpr bool copies_in_bulk = true;

  Policy policy;
  server prefixes;
  block::team team = {};

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned warp = ctx.warp();
    if (!block::begin_as_team(ctx, smem, team, *this, warp == prefix_wait_warp && ctx.lane() == 0)) {
      return;
    }
    const scheduler own = scheduler_of(smem.place);
    if (Policy::serves_apart && own.serves) {
      if (warp < servers_apart) {
        own.server.template serve<servers_apart>(ctx, smem.served, warp, policy.combine());
      }
    } else if (warp == publisher_warp) {
      publish(ctx, smem, own);
    } else if (warp == prefix_wait_warp) {
      wait_for_prefixes(ctx, smem, own);
    } else if (warp < first_store_warp) {
      policy.reduce(ctx, smem, own, warp - first_reduce_warp);
    } else if (warp < first_server) {
      policy.store(ctx, smem, own, warp - first_store_warp);
    } else if (warp < first_helper) {
      if constexpr (Policy::servers > 0) {
        if (own.serves) {
          own.server.template serve<Policy::servers>(ctx, smem.served, warp - first_server, policy.combine());
        }
      }
    } else if (warp < producer_warp) {
      policy.help(ctx, smem, own, warp - first_helper);
    } else {
      produce(ctx, smem, own);
    }
    policy.end(ctx, smem, own);
  }

  // ---- the beginning (persistent_tiles.cuh)

  GIMBAL_DEVICE scheduler scheduler_of(const block::team_member& place) const
  {
    const unsigned tiles = prefixes.tiles - Policy::tiles_after;
    return Policy::serves_apart ? scheduler::to_others(place, tiles, prefixes)
                                : scheduler::to_all(place, tiles, prefixes);
  }

  /// By all warps. Those that load see to it that the first tiles are in flight while the others come up.
  template <class Context>
  GIMBAL_DEVICE void prepare(Context& ctx, shared& smem, const scheduler& own, bool again) const
  {
    const unsigned warp = ctx.warp();
    const unsigned first_warp = Policy::copies > 0 ? producer_warp : 0;
    block::for_stages_of_warp(ctx, stages, first_warp, Policy::copies > 0 ? Policy::first_loads : 1, [&](unsigned s) {
      stage_memory& stage = smem.stage[s];
      block::init_barrier(ctx, stage.full, full_arrivals == 0 ? 1 : full_arrivals, again);
      block::init_barrier(ctx, stage.reduced, Policy::reduce_warps, again);
      block::init_barrier(ctx, stage.ready, 1, again);
      block::init_barrier(ctx, stage.empty, Policy::store_warps + 1, again);  // and the publisher
    });
    policy.init(ctx, smem, own, first_helper, again);
    if (warp == (Policy::serves_apart ? 0 : first_server) && (own.serves || !Policy::serves_apart)) {
      prefixes.init(ctx, smem.served);
    }
    if (Policy::serves_apart && own.serves) {
      return;
    }
    if (warp >= first_reduce_warp && warp < first_store_warp) {
      policy.begin_reducing(ctx, own, warp - first_reduce_warp);
    } else if (warp >= first_helper && warp < producer_warp) {
      policy.begin_helping(ctx, smem, own, warp - first_helper);
    }
    if constexpr (Policy::copies > 0) {
      if (warp == producer_warp) {
        ctx.sync_warp();  // the barriers of the first stages are initialised
        if (ctx.lane() < Policy::copies) {
          GIMBAL_NO_UNROLL
          for (unsigned k = 0; k < issued_at_first(own); ++k) {
            policy.load(ctx, smem, smem.stage[k], own.tile(k), k);
          }
        }
      }
    }
  }

  /// By all warps: wait until the loads of prepare() have landed.
  template <class Context>
  GIMBAL_DEVICE void settle(Context& ctx, shared& smem, const scheduler& own) const
  {
    if (Policy::serves_apart && own.serves) {
      return;
    }
    const unsigned warp = ctx.warp();
    if (warp >= first_helper && warp < producer_warp) {
      policy.settle(ctx, smem, own, warp - first_helper, Policy::copies > 0 ? issued_at_first(own) : 0);
    }
    if constexpr (Policy::copies > 0) {
      if (warp == producer_warp) {
        for (unsigned k = 0; k < issued_at_first(own); ++k) {
          ctx.wait(smem.stage[k].full, 0);
        }
      }
    }
  }

private:
  static constexpr unsigned full_arrivals = Policy::copies + Policy::loaders;

  /// For how many of its tiles prepare() issues loads.
  GIMBAL_DEVICE unsigned issued_at_first(const scheduler& own) const
  {
    const unsigned loads = loads_of(own);
    return own.issued(loads < Policy::first_loads ? loads : Policy::first_loads);
  }
  GIMBAL_DEVICE unsigned loads_of(const scheduler& own) const
  {
    const unsigned loads = policy.loads_of(own);
    return loads < Policy::most_loads ? loads : Policy::most_loads;
  }

  // ---- the roles

  template <class Context>
  GIMBAL_DEVICE void produce(Context& ctx, shared& smem, const scheduler& own) const
  {
    if constexpr (Policy::copies > 0) {
      if (ctx.lane() < Policy::copies) {
        unsigned k = issued_at_first(own);
        block::load_window<stages> window{loads_of(own), k};
        const auto load_next = [&](unsigned tile, stage_memory& stage, unsigned parity) {
          ctx.wait(stage.empty, parity ^ 1);  // the stage has been read
          policy.wait_for_space(ctx, smem, k);
          window.acquire(ctx, [&](unsigned s) -> simt::phase_barrier& { return smem.stage[s].full; });
          policy.load(ctx, smem, stage, tile, k);
          ++k;
        };
        own.for_tiles(smem.stage, load_next, k);
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, shared& smem, const scheduler& own) const
  {
    if (ctx.lane() == 0) {
      own.for_tiles(smem.stage, [&](unsigned tile, stage_memory& stage, unsigned parity) {
        const auto slot = own.server.slot_of(tile);
        ctx.wait(stage.reduced, parity);  // what the reduce warps have found is written
        own.server.publish(ctx, slot, policy.total_of(stage, tile).get());
        ctx.arrive(stage.empty);
      });
      policy.publish_after(ctx, own);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void wait_for_prefixes(Context& ctx, shared& smem, const scheduler& own) const
  {
    const auto begin_prefix = [&](stage_memory& stage, unsigned tile) { return policy.begin_prefix(stage, tile); };
    const auto set_prefix = [&](stage_memory& stage, unsigned tile, const auto& prefix, const auto& begun) {
      if (!policy.set_prefix(ctx, smem, own, stage, tile, prefix, begun)) {
        return false;
      }
      own.reopen_after(ctx, team, smem.place, tile);
      return true;
    };
    if (Policy::serves_apart && own.is_alone) {
      own.server.serve_alone(
        ctx, smem.stage, own.tiles, [&](stage_memory& stage, unsigned tile) { return policy.total_of(stage, tile); },
        policy.combine(),
        [&](stage_memory& stage, unsigned tile, const auto& prefix) {
          set_prefix(stage, tile, prefix, begin_prefix(stage, tile));
        });
    } else {
      own.server.wait_for_prefixes(ctx, smem.stage, own.first_tile, own.tiles, begin_prefix, set_prefix);
    }
  }
};

// ---- launches

/// The row of a kernel of the engine (launch_plan.h), of arguments with at least one item.
template <class Policy>
struct persistent_row : no_row {
  using kernel_type = persistent_kernel<Policy>;
  using server = typename kernel_type::server;

  persistent_row(bool fits_here, const Policy& own, index_type own_tiles, bool is_possible_here = true)
      : no_row{fits_here && own_tiles < most_tiles}, policy(own), tiles(own_tiles), is_possible(is_possible_here)
  {
  }

  Policy policy;
  index_type tiles;
  bool is_possible;                // false: the policy cannot take arrays that begin there
  bool shares_the_device = true;   // false: not where other streams saturate the device
  bool yields = Policy::is_exact;  // to a row of small blocks, where its team would be small
  unsigned blocks = 0;             // that take tiles and run at a time; 0: the device cannot run the kernel

  status find_room()
  {
    GIMBAL_TRY(simt::expected_blocks<kernel_type>(blocks));
    blocks = blocks < 1 + apart ? 0 : blocks - apart;
    return {};
  }

  std::size_t array_bytes() { return policy.array_bytes(); }
  std::size_t room(status& state)
  {
    if (const status asked = find_room()) {
      state = asked;
    }
    if (blocks == 0) {
      return 0;
    }
    const unsigned most = blocks_of(blocks);
    return launch_words::room_for(static_cast<index_type>(server::word_count(most, rounds) + Policy::word_count(most)));
  }
  bool takes(launch_words& words, status& state)
  {
    if (!is_possible || (!shares_the_device && words.is_saturated()) || (yields && words.expects_small_team())) {
      return false;
    }
    state = find_room();
    return !state && blocks > 0;
  }

  /// On as many blocks as find_room() has found, or fewer where there are fewer tiles or other streams work at the same
  /// time.
  status launch(launch_words& words)
  {
    const unsigned own_blocks = blocks_of(words.share_of(blocks + apart, 1 + apart) - apart);
    const auto own_tiles = static_cast<unsigned>(tiles);
    server prefixes{nullptr, 0, own_tiles + Policy::tiles_after, own_blocks, rounds};
    const std::size_t served = server::word_count(own_blocks, rounds);
    GIMBAL_TRY(words.take(served + Policy::word_count(own_blocks), prefixes.tag_count(1), Policy::clearing));
    prefixes.words = words.words();
    prefixes.first_tag = words.first_tag();
    policy.take(words, served);
    GIMBAL_TRY(policy.prepare(words));
    const unsigned most_looks = words.most_looks(tuning::most_team_looks(own_tiles / own_blocks));
    const kernel_type kernel{policy, prefixes, words.team(most_looks)};
    // A single block serves nobody.
    return simt::launch(kernel, own_blocks == 1 ? 1 : own_blocks + apart, words.stream(), Policy::step);
  }

private:
  static constexpr index_type most_tiles = index_type{1} << 31;
  static constexpr unsigned apart = Policy::serves_apart ? 1 : 0;
  /// A block publishes so many tiles before the first of them has its prefix.
  static constexpr unsigned rounds = Policy::stages + Policy::tiles_after;

  unsigned blocks_of(unsigned most) const { return most < tiles ? most : static_cast<unsigned>(tiles); }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
