// Select and partition as a stream: what partition.cuh does for any sequence, for many items.
//
// Algorithm: a policy of the engine (pipeline/persistent_kernel.cuh). Its member 0 serves and has no tiles of its own.
//
//   reduce warps      call the selector on each item of a tile that has landed: flags, and their count
//   prefix-wait warp  plans the runs of a tile whose number of items selected before is known
//   store warps       compact the selected and the rejected items of a tile into one of a few buffers beside the ring
//   helpers           the first stores both runs from there by bulk copies; the others load items that come through an iterator
//
// Storing is what bounds the kernel (chains of waits, instructions, shared memory), so all that others can do, others
// do; groups of warps take the tiles in turn, as what a tile takes hardly depends on its size.
//
// A partition in place lets the last tiles, as many as all rings hold, wait for the number of all selected items: their
// rejected items go where they belong, once. Those of the tiles before go through a buffer, from where the members
// bring them there when all tiles are stored (partition_in_place.cuh). A block that is alone puts all of them into the
// buffer.
//
// Bytes moved and results: as partition.cuh says. Storage beside the engine's: of a partition in place n items.
// Selector: called once per item. Determinism: the result is a function of the input.
// Progress: each block counts all its tiles before it waits with the last ones for tiles after them.
//
// Memory order: after `reduced` nobody reads the tile's stencil any more, whose slot another tile may have. The
// buffers where runs are built pass from store warps to the helper and back through `built` and `stored`.
//
// In place (the selected items go where the items come from): a tile's selected items are stored at or before the tile,
// over items of tiles before it, and of itself. A tile's number is published after a wait for `reduced`, which comes
// after a wait for `full`: all that is ever loaded of the tile has been. A tile is stored where a prefix says that was
// made of the numbers of all tiles before it. So no item is overwritten before it has been loaded, as
// simt::reuse_needs_order has it: on the GPU without releases, which cost a quarter of the time. Bulk copies are
// complete, reads included, when `full` says so.
#pragma once

#include <gimbal/algorithm/select/persistent_partition_source.cuh>
#include <gimbal/algorithm/select/segments.cuh>
#include <gimbal/pipeline/persistent_kernel.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Numbers of items of a tile or a row of tiles, or one of them to the number of all before.
struct add_counts {
  template <class Count>
  GIMBAL_DEVICE Count operator()(const Count& before, const std::uint32_t& count) const
  {
    return before + count;
  }
};

/// `InputIt`: a pointer, or any iterator that is none.
template <class Tuning, class InputIt, class Selector, class Rejected, class CountIt>
struct persistent_select_policy : persistent_policy {
  using input = InputIt;
  using value = ::cuda::std::remove_cv_t<value_type_of<InputIt>>;
  using tile = block::segments<value, Tuning::scatter_warps, Tuning::rows>;
  using extent = typename tile::extent;
  using source_type = persistent_partition_source<tile, InputIt, Selector, Tuning::stages>;
  using plan = block::run_plan<tile>;
  /// Of numbers of selected items: those of a tile, and of a row of tiles, fit into 4 bytes.
  using server = block::prefix_server<index_type, simt::reuse_needs_order, std::uint32_t>;
  static constexpr const char* step = "select as a stream";
  static constexpr const char* clearing = "clearing of the words of a select";
  static constexpr bool serves_apart = true;
  static constexpr unsigned stages = Tuning::stages;
  static constexpr unsigned buffers = Tuning::buffers;
  static constexpr unsigned reduce_warps = Tuning::count_warps;
  static constexpr unsigned reduce_groups = Tuning::count_groups;
  static constexpr unsigned store_warps = Tuning::scatter_warps;  // each has a share of the tile
  static constexpr unsigned store_groups = Tuning::scatter_groups;
  static constexpr unsigned loaders = source_type::is_loaded ? Tuning::loader_warps : 0;
  static constexpr unsigned helpers = 1 + loaders;
  static constexpr unsigned copies = !source_type::is_loaded || source_type::has_stencil ? 1 : 0;
  static constexpr bool keeps_rejected = Rejected::order != block::others::dropped;
  static constexpr unsigned tiles_after = Rejected::may_wait ? 1 : 0;
  static constexpr unsigned resident_blocks = Tuning::resident_blocks;
  static constexpr unsigned stencil_stages = source_type::stencil_stages;
  static constexpr unsigned loads_ahead = tuning::stream_loads_ahead(
    sizeof(typename source_type::stage) + (source_type::has_stencil ? sizeof(typename source_type::stencil_stage) : 0),
    resident_blocks);
  static constexpr unsigned possible_loads = reduce_groups == 1 ? stages : stages - reduce_groups;
  static constexpr unsigned most_loads = loads_ahead + 1 < possible_loads ? loads_ahead + 1 : possible_loads;
  static constexpr unsigned first_loads =
    source_type::has_stencil && stencil_stages < most_loads ? stencil_stages : most_loads;
  static_assert(reduce_groups == 1 || reduce_groups < stages, "loads go on while all groups count");
  static_assert(store_groups == 1 || stages >= store_groups + buffers, "no group overtakes another by a ring");
  static_assert(store_warps % reduce_warps == 0, "each counting warp has as many shares");
  static_assert(store_groups <= buffers, "each group has a buffer for its tile");
  static_assert(!source_type::has_stencil || reduce_groups <= stencil_stages, "so for what stands beside");

  struct stage_memory {
    typename source_type::stage items;
    typename tile::flags_word flags[store_warps * simt::warp_threads];
    alignas(16) unsigned selected[store_warps];         // by share
    alignas(16) unsigned selected_before[store_warps];  // in the tile
    plan planned;
    simt::phase_barrier full;
    simt::phase_barrier reduced;
    simt::phase_barrier ready;
    simt::phase_barrier empty;
  };
  /// Where the runs of a tile are built.
  struct run_buffer {
    plan planned;
    simt::phase_barrier built;
    simt::phase_barrier stored;
  };
  struct shared {
    stage_memory stage[stages];
    typename source_type::stencil_stage stencil_ring[stencil_stages];
    union {
      simt::vector16 runs[buffers][tile::run_vectors];
      typename server::shared served;  // of the block that serves, which builds no runs
    };
    run_buffer run_buffers[buffers];
    block::team_member place;
    index_type selected_by_single_block;
    struct {
      index_type selected;
      index_type buffered;
    } appended;  // the counts of the items that Rejected::append brings back
  };

  source_type source;
  value* selected_out;
  Rejected rejected;
  CountIt selected_count;

  static constexpr std::size_t word_count(unsigned blocks) { return Rejected::may_wait ? blocks + 1 : 0; }
  void take([[maybe_unused]] const launch_words& held, [[maybe_unused]] std::size_t served)
  {
    if constexpr (Rejected::may_wait) {
      rejected.all_stored = {held.words() + served, held.first_tag()};
      rejected.buffer = rejected.buffer == nullptr ? held.arrays<value>() : rejected.buffer;
    }
  }
  /// A buffer for the rejected items, unless there is one.
  std::size_t array_bytes() const
  {
    if constexpr (Rejected::may_wait) {
      return rejected.buffer == nullptr ? static_cast<std::size_t>(source.n) * sizeof(value) : 0;
    } else {
      return 0;
    }
  }

  GIMBAL_DEVICE add_counts combine() const { return {}; }

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

  template <class Scheduler>
  static GIMBAL_DEVICE unsigned loads_of(const Scheduler& own)
  {
    const bool are_many = own.tiles / own.server.blocks > tuning::stream_partition_few_tiles;
    return are_many || most_loads <= loads_ahead ? most_loads : loads_ahead;
  }

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, shared& smem, stage_memory& stage, unsigned t, unsigned k) const
  {
    source.load(ctx, stage.items, smem.stencil_ring[k % stencil_stages], stage.full, t);
  }

  template <class Context>
  GIMBAL_DEVICE void wait_for_space(Context& ctx, shared& smem, unsigned k) const
  {
    if (source_type::has_stencil && k >= stencil_stages) {
      const unsigned earlier = k - stencil_stages;  // the tile that had the slot of the stencil
      ctx.wait(smem.stage[earlier % stages].reduced, earlier / stages % 2);
    }
  }

  template <class Context, class Scheduler>
  GIMBAL_DEVICE void begin_helping(Context& ctx, shared&, const Scheduler& own, unsigned helper) const
  {
    if constexpr (loaders > 0) {
      if (helper > 0 && ctx.lane() == 0) {
        source.template fetch_items<loaders>(ctx, own.first_tile, helper - 1);
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
        source.template load_items<loaders>(
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
        const typename tile::flags_type flags =
          source.flags_of(ctx, stage.items, smem.stencil_ring[side.stage], t, share);
        stage.flags[share * simt::warp_threads + ctx.lane()] = static_cast<typename tile::flags_word>(flags);
        const unsigned selected = tile::count(ctx, flags);
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
    if (Rejected::may_wait && own.first_tile == own.tiles % own.server.blocks) {
      own.server.publish(ctx, own.server.slot_of(own.tiles), 0);
    }
  }

  struct extent_and_count {
    extent valid;
    index_type begin;  // index of the first item
    unsigned selected;
  };
  GIMBAL_DEVICE extent_and_count begin_prefix(stage_memory& stage, unsigned t) const
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < store_warps; ++w) {
      const unsigned selected = stage.selected[w];
      stage.selected_before[w] = sum;
      sum += selected;
    }
    const extent valid = source.extent_of(t);
    return {valid, source.first_index(t) + valid.first, sum};
  }

  /// False while the number of all selected items is missing, on which depends where the tile goes.
  template <class Context, class Scheduler>
  GIMBAL_DEVICE bool set_prefix(
    Context& ctx, shared& smem, const Scheduler& own, stage_memory& stage, unsigned t, const uninit<index_type>& prefix,
    const extent_and_count& of_tile) const
  {
    bool waits = false;
    uninit<index_type> total;
    total.set(0);
    if constexpr (Rejected::may_wait) {
      waits = t >= first_waiting(own);
      if (waits && !own.server.find_prefix(ctx, own.server.slot_of(own.tiles), total)) {
        return false;
      }
    }
    const index_type before = t > 0 ? prefix.get() : 0;
    stage.planned = plan::of(
      waits, of_tile.valid, of_tile.selected, selected_out + before, rejected, of_tile.begin - before, total.get());
    if (t + 1 == own.tiles) {
      block::store_as(selected_count, before + of_tile.selected);
      smem.selected_by_single_block = before + of_tile.selected;
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
      const typename tile::flags_type flags = stage.flags[share * simt::warp_threads + ctx.lane()];
      const unsigned rank = stage.selected_before[share];
      const plan planned = stage.planned;
      const bool has_any = keeps_rejected || ctx.ballot(flags != 0) != 0;
      typename tile::share items;
      if (has_any) {
        tile::read_share(ctx, stage.items.items, share, flags, items);
      }
      run_buffer& buffer = smem.run_buffers[to.stage];
      ctx.wait(buffer.stored, to.parity ^ 1);
      if (share == 0 && ctx.lane() == 0) {
        buffer.planned = planned;
      }
      if (has_any) {
        tile::template scatter_share<Rejected::order>(
          ctx, items, source.extent_of(t), share, flags, rank, reinterpret_cast<unsigned char*>(smem.runs[to.stage]),
          planned.at);
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
    if constexpr (Rejected::may_wait) {
      typename Rejected::template append<persistent_select_policy>{*this}.run(ctx, smem, own);
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
      const plan& of_tile = buffer.planned;
      const auto* const runs = reinterpret_cast<const unsigned char*>(smem.runs[from.stage]);
      block::store_run(ctx, runs + of_tile.at.flagged, of_tile.selected_to, of_tile.selected_bytes);
      if constexpr (keeps_rejected) {
        constexpr bool is_reversed = Rejected::order == block::others::reversed;
        const unsigned back = is_reversed ? of_tile.rejected_bytes - tile::value_bytes : 0;
        block::store_run(ctx, runs + (of_tile.at.other - back), of_tile.rejected_to, of_tile.rejected_bytes);
      }
      ctx.sync_warp();  // the warp has read the ends of the runs
      if (ctx.lane() == 0) {
        ctx.wait_for_bulk_reads();
        ctx.arrive(buffer.stored);
      }
    }
    ctx.wait_for_bulk_stores();
  }
};

/// True if a select by `Policy`, which is a persistent_select_policy, can take arrays wherever they begin: some items
/// begin at a multiple of 16 if all begin at a multiple of this.
template <class Policy>
inline constexpr bool takes_any_address_v =
  Policy::source_type::is_loaded
  || alignof(typename Policy::value) % (block::vector_bytes / simt::items_of_vectors(sizeof(typename Policy::value)))
       == 0;

/// The row of a select() of so many items by `Policy`.
template <class Policy, class Selector, class Rejected, class CountIt>
persistent_row<Policy> persistent_select_row(
  bool fits, typename Policy::input in, index_type n, const Selector& selector, typename Policy::value* selected_out,
  Rejected rejected, CountIt selected_count)
{
  using stencil_type = stencil_of<Selector>;
  unsigned skipped = 0;
  const bool is_possible = detail::find_skipped(in, skipped);
  if constexpr (Rejected::may_wait) {
    rejected.data = selected_out;
  }
  const unsigned char* const beside = stencil_type::array(selector);
  const Policy policy{
    {}, {in, n, skipped, stencil_type::over(selector, beside), beside}, selected_out, rejected, selected_count};
  return {fits && n > 0, policy, (n + skipped - 1) / Policy::tile::items + 1, is_possible};
}

/// The same by the types of the call; none for those that cannot be streamed.
template <class Tuning, class InputIt, class Selector, class SelectedIt, class RejectedIt, class CountIt>
auto persistent_select_row_for(
  InputIt in, index_type n, const Selector& selector, SelectedIt selected_out, RejectedIt rejected_out,
  CountIt selected_count)
{
  if constexpr (!detail::has_stream_form<Tuning, InputIt, Selector, SelectedIt, RejectedIt>()) {
    return no_row{};
  } else {
    using value = value_type_of<InputIt>;
    using numbers = detail::persistent_partition_tuning<InputIt, Selector, RejectedIt>;
    const auto rejected = detail::persistent_rejected<RejectedIt, value>::of(rejected_out);
    using policy = persistent_select_policy<
      numbers, detail::streamed_input<InputIt>, typename stencil_of<Selector>::selector,
      ::cuda::std::remove_const_t<decltype(rejected)>, CountIt>;
    return algorithm::persistent_select_row<policy>(
      n >= static_cast<index_type>(numbers::least_bytes / sizeof(value)), detail::streamed_input_of(in), n, selector,
      block::raw_iterator(selected_out), rejected, selected_count);
  }
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
