// Radix sort in passes: several launches of as many persistent blocks as are resident at a time, which work through few
// large tiles.
//
// Algorithm: one sweep counts the digits of all passes (radix_histogram.cuh), then each digit in which keys differ
// takes a launch, which moves keys, and values with them, to their positions by that digit: onesweep (Adinets &
// Merrill, arXiv 2206.01784) with whole-vector writes, atomic ranking that is verified, and look-back that overlaps
// writing out. Keys that the sweep finds sorted are not moved. Keys of 8 bytes, if they are distributed evenly enough,
// take passes by their two to four leading digits alone, and are then sorted bucket by bucket (radix_bucket_sort.cuh):
// after Stehle & Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs" (SIGMOD 2017), but without
// recursion. What a launch does is decided on the device (radix_step.cuh).
//
// A block claims tiles as large as its shared memory, or smaller ones if each block has few, one after the other. Main
// warps hold the keys of one tile in registers; a few helper warps do the work that mostly waits. Tile k and the
// block's next tile, k+1, overlap:
//
//   main      rank k, put it into slots, load k+1 | count k+1 | publish k+1 | write k out      | starts of k+1
//   helpers                                       |           |             | look back of k+1 |
//
// Ranks of a tile come from atomics whose order is verified (radix_scatter.cuh); a helper warp ranks a tile that fails
// again. Tiles that fit into any GPU (tuning.h) are ranked by match_any alone and written item by item.
//
// Traffic for p digits in which keys differ: keys (2p + 1) times, values 2p times; in place and p odd, once more.
// Sorted input: as if p were 0; in buckets p is 1 more than the leading digits.
// Launches: 1 fill, 1 histogram, and one per digit, of which those without a digit to sort by end at once; in place
//   their number is even. Where digits may lead: 2, and one per leading digit, more. Of more than 9 * 2^26 items, each
//   of these passes takes two launches or more, of as many tiles.
// Storage: n keys and n values, but none for a single digit out of place or for buffers that the caller gives; 1 KB per
//   tile of a launch, and 8.5 KB per digit.
// Order, aliasing, determinism: as radix_sort.
// Memory order: descriptors carry status and count in one word (radix_step.cuh). Everything else is shared memory,
// ordered by the block's barriers; a warp's own counters by sync_warp().
// Progress: tiles are claimed in order by running blocks. A tile publishes its counts after waiting for nothing but
// earlier tiles (its block's tile before), so the earliest tile that waits can always proceed; no block needs another
// to be resident.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/grid/launch_plan.h>

#include <cuda/functional>
#include <gimbal/algorithm/radix_sort/radix_bucket_sort.cuh>
#include <gimbal/algorithm/radix_sort/radix_scatter.cuh>
#include <gimbal/tile/copy_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class BucketShape, class Keys, class Values>
struct radix_pass_kernel : radix_tiles {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned main_threads = Shape::main_threads;
  static constexpr unsigned main_warps = main_threads / simt::warp_threads;
  static constexpr unsigned helper_warps = Shape::helper_warps;
  static constexpr unsigned block_threads = main_threads + helper_warps * simt::warp_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned items = Shape::items_per_thread;
  static constexpr unsigned batch = Shape::batch;
  static constexpr unsigned tile_items = main_threads * items;
  static constexpr unsigned digit_groups = block::radix_size / simt::warp_threads;
  static constexpr unsigned digits_per_lane = digit_groups / helper_warps;
  static_assert(main_threads % simt::warp_threads == 0 && digit_groups % helper_warps == 0, "whole warps");
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool has_even_shares = Shape::has_even_shares;
  static constexpr bool ranks_by_atomics = Shape::ranks_by_atomics;
  static_assert(items % batch == 0, "whole batches");
  static_assert(!has_values || tile_items <= 1u << 16, "positions in a tile have 16 bits");
  static_assert(tile_items <= ~0u / block::radix_size, "frequencies have 32 bits");
  using thread_items = radix_thread_items<Keys, Values, items, batch>;
  using slots_type = block::radix_slots<key_type, bytes_of_values<Values>, tile_items, Shape::has_units>;
  using descriptors_type = block::radix_tile_descriptors<digits_per_lane, Shape::look_back_window>;
  using state_type = radix_state<block::most_radix_passes<key_type>>;
  /// Most tiles of a launch: a descriptor can hold the number of all its items, and launches share the descriptors.
  static constexpr index_type countable_tiles = tuning::most_radix_launch_items / tile_items;
  static_assert(tuning::most_radix_launch_items <= descriptors_type::count_mask, "a descriptor holds such a number");
  static constexpr index_type most_tiles = Shape::most_tiles < countable_tiles ? Shape::most_tiles : countable_tiles;

  using scatter = radix_scatter<radix_pass_kernel>;
  using bucket_shape = BucketShape;
  static constexpr bool makes_buckets = BucketShape::most_items != 0 && sizeof(key_type) == 8;
  using histogram_kernel = radix_histogram_kernel<typename Shape::histogram, Keys, sizeof(key_type) == 8>;

  struct shared : slots_type::template arrays<value_type, has_values> {
    block::radix_run runs[2][block::radix_size];  ///< of the next tile and of the tile in its slots
    block::radix_counters<main_warps> counts;     ///< keys of each warp, later its next free slots
    unsigned totals[block::radix_size];           ///< keys of the tile
    unsigned reserved[block::radix_size];         ///< slots for the digits of the group before this one
    unsigned group_reserved[digit_groups];
    unsigned group_most[digit_groups];  ///< frequency of the most frequent digit of the group
    unsigned used[2];                   ///< slots, as runs
    unsigned claimed;
    unsigned is_unstable;
    bool joins_zeros;
  };

  Keys keys;
  Values values;
  block::radix_order<key_type> order;
  block::digit_plan plan;
  state_type* state;
  sort_aliasing aliasing;
  bool is_by_range;  ///< by a range of bits: equal keys may differ
  // These are this launch's own:
  unsigned step = 0;
  unsigned* words = nullptr;  ///< of the descriptors
  unsigned first_steps = 0;   ///< for leading digits

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    const radix_decision decision = state->decision;
    const radix_step now = algorithm::find_radix_step<makes_buckets>(decision, plan, step, aliasing, first_steps);
    switch (now.action) {
      case radix_action::none:
        if (makes_buckets && step < first_steps) {
          prepare_next_launch(ctx);
        }
        return;
      case radix_action::sort:
        return sort_tiles(ctx, smem, now);
      case radix_action::copy:
        prepare_next_launch(ctx);
        constexpr bool by_vectors = Shape::has_units && sizeof(key_type) <= 4;  // else passes would spill 8 bytes
        return algorithm::copy_items<batch, by_vectors>(
          ctx, {ctx.block(), ctx.blocks()}, keys, values, now.source, now.target, begin(), end());
    }
  }

  /// Items of a lane that has a full share; a compile-time constant where shares are not made even.
  GIMBAL_DEVICE unsigned held() const { return has_even_shares ? lane_items : items; }
  GIMBAL_DEVICE unsigned warp_items() const { return held() * simt::warp_threads; }
  /// True if the warp loads its share of the tile, which is a full one, while it scatters that of the tile before.
  /// Positions that replace values are generated in one place only: more code would take registers from the keys.
  template <class Context>
  GIMBAL_DEVICE bool loads_ahead(const Context& ctx, const radix_step& now, unsigned tile) const
  {
    return ranks_by_atomics && !values.are_positions(now.source) && has_share(ctx, warp_items(), tile);
  }

private:
  using radix_rank_method = block::radix_rank_method;
  using radix_tile_ranking = block::radix_tile_ranking;

  /// Replaces a pass that claims no tiles: resets the next launch's ticket.
  template <class Context>
  GIMBAL_DEVICE void prepare_next_launch(Context& ctx) const
  {
    if (ctx.block() == 0 && ctx.thread() == 0) {
      *next_ticket = 0;
    }
  }

  /// Sorts the launch's tiles by the step's digit.
  template <class Context>
  GIMBAL_DEVICE void sort_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    if (ctx.thread() == 0) {
      smem.claimed = claim_tile(ctx);
      smem.is_unstable = 0;
      smem.joins_zeros = state->has_joined_zero != 0;
      if (smem.claimed == 0) {
        *next_ticket = 0;  // for the next launch
      }
    }
    ctx.sync_block();  // the first tile's number is known to every thread
    if (ctx.warp() < main_warps) {
      move_tiles(ctx, smem, now);
    } else {
      look_back_for_tiles(ctx, smem, now);
    }
  }

  /// What the main warps do. `next` is the tile in registers, `tile` the one in its slots, if they exist. Both roles
  /// pass the same four barriers for each pair.
  template <class Context>
  GIMBAL_DEVICE void move_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    const bool needs_match_any = (!has_values && is_by_range) || smem.joins_zeros;
    radix_tile_ranking ranking(radix_rank_method::by_match_any, 0, 0);
    unsigned tile = tiles;
    unsigned next = smem.claimed;
    thread_items mine;
    smem.counts.clear(ctx);
    for (unsigned side = 0; next < tiles || tile < tiles; side ^= 1) {
      if (next < tiles) {
        if (tile == tiles || !loads_ahead(ctx, now, next)) {  // else loaded while `tile` was scattered
          mine.load(ctx, now, keys, values, order.last(), first_of(next), valid_of(next), held());
        }
        if (has_items(ctx, warp_items(), next)) {
          mine.count(ctx, smem.counts, now, order, held(), smem.joins_zeros);
        }
      }
      ctx.sync_block();  // next: the counts of all warps are there; tile: so are keys, origins and values
      if (next < tiles) {
        sum_and_publish(ctx, smem, now, next);
      }
      ctx.sync_block();  // next: totals and reservations are there
      if (
        tile < tiles
        && !algorithm::write_radix_tile<slots_type, main_threads>(ctx, smem, now, order, side ^ 1, keys, values)
        && ranks_by_atomics && ranking.needs_verification()) {
        ctx.atomic_shared(smem.is_unstable).store(1u, ::cuda::std::memory_order_relaxed);
      }
      ctx.sync_block();  // next: its runs are known; tile: has been written out and verified
      if (next < tiles) {
        block::for_each_digit<main_threads>(
          ctx, [&](unsigned digit) { smem.counts.start(digit, smem.runs[side][digit].first); });
      }
      tile = next;
      next = tile < tiles ? smem.claimed : tiles;
      ctx.sync_block();  // every warp knows its slots; the slots of the tile before are free
      if (tile < tiles) {
        const bool by_match_any = !ranks_by_atomics || needs_match_any;
        ranking = block::choose_ranking<Shape::contention_divisor>(smem.group_most, tile_size, by_match_any);
        scatter{*this}.move(ctx, smem, now, tile, next, side, ranking, mine);
      }
    }
  }

  /// What the helper warps do: a separate loop, which needs no registers for keys.
  template <class Context>
  GIMBAL_DEVICE void look_back_for_tiles(Context& ctx, shared& smem, const radix_step& now) const
  {
    unsigned tile = tiles;
    unsigned next = smem.claimed;
    if (next == 0) {  // one block
      descriptors(now).publish_empty(ctx, tiles, part_tiles, ctx.thread() - main_threads, block_threads - main_threads);
    }
    for (unsigned side = 0; next < tiles || tile < tiles; side ^= 1) {
      ctx.sync_block();  // counts
      ctx.sync_block();  // totals and reservations
      if (next < tiles) {
        look_back(ctx, smem, now, next, side);
      }
      ctx.sync_block();                                                             // runs
      if (ranks_by_atomics && ctx.warp() == main_warps && smem.is_unstable != 0) {  // the other helper warps go on
        scatter{*this}.rerank(ctx, smem, now, tile, smem.runs[side ^ 1]);
        if (ctx.lane() == 0) {
          smem.is_unstable = 0;
        }
      }
      tile = next;
      next = tile < tiles ? smem.claimed : tiles;
      ctx.sync_block();  // slots
    }
  }

  /// Sums the digit counts over the warps, publishes them, and reserves slots for each digit.
  template <class Context>
  GIMBAL_DEVICE void sum_and_publish(Context& ctx, shared& smem, const radix_step& now, unsigned tile) const
  {
    const unsigned fill = (warp_items() - valid_of(tile) % warp_items()) % warp_items();
    const unsigned fill_digit = now.range.digit(order.ordered(order.last()));
    block::for_each_digit<main_threads>(ctx, [&](unsigned digit) {
      const unsigned total = smem.counts.total(digit);
      const unsigned real = digit == fill_digit ? total - fill : total;
      if (tile == 0) {
        descriptors(now).publish_inclusive_prefix(ctx, 0, digit, real);
      } else {
        descriptors(now).publish_aggregate(ctx, tile, digit, real);
      }
      uninit<unsigned> through;
      uninit<unsigned> most;
      const unsigned own = slots_type::reserve(digit, total);
      through.set(own);
      most.set(block::radix_frequency(digit, real));
      block::warp_inclusive_scan(ctx, through, simt::warp_threads, ::cuda::std::plus<unsigned>{});
      block::warp_fold(ctx, most, simt::warp_threads, ::cuda::maximum<unsigned>{});
      smem.totals[digit] = real;
      smem.reserved[digit] = through.get() - own;
      if (ctx.lane() == simt::warp_threads - 1) {
        smem.group_reserved[digit / simt::warp_threads] = through.get();
      }
      if (ctx.lane() == 0) {
        smem.group_most[digit / simt::warp_threads] = most.get();
      }
    });
  }

  GIMBAL_DEVICE descriptors_type descriptors(const radix_step& now) const
  {
    return {words, ((now.passes_before & parts) ^ part) % 2u};  // parity of passes_before * parts + part
  }

  /// Looks back, which gives the start of each run in the output and hence in shared memory. Claims the block's next
  /// tile.
  template <class Context>
  GIMBAL_DEVICE void look_back(Context& ctx, shared& smem, const radix_step& now, unsigned tile, unsigned side) const
  {
    const unsigned group = (ctx.warp() - main_warps) * digits_per_lane;
    const unsigned digit = group * simt::warp_threads + ctx.lane();
    index_type* const base = state->bases[now.pass][state_type::base_row(part)];
    index_type* const next_base = state->bases[now.pass][state_type::base_row(part + 1)];
    index_type position[digits_per_lane];  // loaded while waiting
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_lane; ++k) {
      position[k] = base[digit + k * simt::warp_threads];
    }
    unsigned before[digits_per_lane];
    descriptors(now).look_back(ctx, tile, digit, before);
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_lane; ++k) {
      const unsigned d = digit + k * simt::warp_threads;
      if (tile != 0) {
        descriptors(now).publish_inclusive_prefix(ctx, tile, d, before[k] + smem.totals[d]);
      }
      position[k] += before[k];
    }
    const bool claims = group == 0 && ctx.lane() == 0;
    const unsigned claimed = claims ? claim_tile(ctx) : tiles;  // completes while the runs are laid out
    unsigned start = 0;
    for (unsigned g = 0; g < group; ++g) {
      start += smem.group_reserved[g];
    }
    const auto lay_out = [&](auto out) {
      GIMBAL_UNROLL
      for (unsigned k = 0; k < digits_per_lane; ++k) {
        const unsigned d = digit + k * simt::warp_threads;
        const unsigned total = smem.totals[d];
        if (tile == tiles - 1) {
          next_base[d] = position[k] + total;
        }
        const unsigned first = start + smem.reserved[d] + slots_type::phase(out, position[k]);
        smem.runs[side][d] = {position[k] - first, first, first + total};
        start += smem.group_reserved[group + k];
      }
    };
    keys.write(now.target, lay_out);
    if (group + digits_per_lane == digit_groups && ctx.lane() == 0) {
      smem.used[side] = start;
    }
    if (claims) {
      smem.claimed = claimed;
    }
    if (claimed < tiles) {
      algorithm::fetch_items(ctx, now.source, keys, first_of(claimed), valid_of(claimed));
      if (!values.are_positions(now.source)) {
        algorithm::fetch_items(ctx, now.source, values, first_of(claimed), valid_of(claimed));
      }
    }
  }
};

/// The row of a sort in passes, of up to `most_blocks`: those that are resident at a time.
template <class Kernel, class Keys, class Values>
struct radix_pass_row : no_row {
  using histogram_kernel = typename Kernel::histogram_kernel;

  radix_call<Keys, Values> call;
  unsigned most_blocks;

  std::size_t array_bytes() { return in_storage(*this).layout.aligned_bytes(); }
  bool takes(launch_words&, status&) { return true; }
  status launch(launch_words& held)
  {
    in_storage own(*this);
    own.layout.place(held.arrays<char>());
    auto& [keys, values, n, order, plan, stream] = call;
    const sort_aliasing aliasing = algorithm::find_aliasing(keys, values);

    // State and descriptors are adjacent: one fill clears them.
    const auto cleared_bytes = static_cast<std::size_t>(
      reinterpret_cast<const char*>(own.words + own.word_count()) - reinterpret_cast<const char*>(own.state));
    GIMBAL_TRY(simt::fill_bytes(own.state, 0, cleared_bytes, stream, "radix sort: clearing"));
    const index_type histogram_tiles = (n + histogram_kernel::tile_items - 1) / histogram_kernel::tile_items;
    const index_type histogram_blocks = histogram_kernel::blocks(histogram_tiles);
    radix_bucket_limits limits{};
    if constexpr (Kernel::makes_buckets) {
      // The buffer has room for where buckets begin, unless it is the input.
      if (!aliasing.overwrites && !call.is_by_range() && !order.is_floating()) {
        limits = radix_bucket_limits::of<typename Kernel::bucket_shape>(
          n, sizeof(typename Keys::value_type), histogram_blocks * histogram_kernel::compared_pairs);
      }
    }
    GIMBAL_TRY(simt::launch(
      histogram_kernel{keys, order, n, histogram_tiles, plan, own.state, limits}, histogram_blocks, stream,
      "radix sort: histogram"));

    Kernel kernel{own.shape, keys, values, order, plan, own.state, aliasing, call.is_by_range()};
    kernel.words = own.words;
    kernel.parts = static_cast<unsigned>((own.tiles + own.part_tiles - 1) / own.part_tiles);
    kernel.part_tiles = static_cast<unsigned>(own.part_tiles);
    // If the leading digits turn out not to be enough, passes by all digits follow, in place.
    const unsigned leading = limits.most_leading;
    const unsigned first_steps = leading == 0 ? 0 : moves_of_passes(leading, aliasing.moves());
    kernel.first_steps = first_steps;
    const unsigned steps =
      first_steps + moves_of_passes(plan.passes, leading == 0 ? aliasing.moves() : sort_moves::even);
    const unsigned room = simt::share_of_gpu(most_blocks, stream);
    unsigned launches = 0;
    for (kernel.step = 0; kernel.step < steps; ++kernel.step) {
      kernel.first_tile = 0;
      for (kernel.part = 0; kernel.part < kernel.parts; ++kernel.part, ++launches) {
        const index_type left = own.tiles - kernel.first_tile;
        kernel.tiles = static_cast<unsigned>(left < own.part_tiles ? left : own.part_tiles);
        kernel.ticket = &own.state->tickets[launches % 2];
        kernel.next_ticket = &own.state->tickets[(launches + 1) % 2];
        GIMBAL_TRY(simt::launch(kernel, (std::min)(kernel.tiles, room), stream, "radix sort: pass"));
        kernel.first_tile += kernel.tiles;
      }
      if constexpr (Kernel::makes_buckets) {
        if (kernel.step + 1 == first_steps) {
          GIMBAL_TRY(algorithm::sort_buckets<typename Kernel::bucket_shape>(keys, values, order, own.state, n, stream));
        }
      }
    }
    return {};
  }

  status load()
  {
    if constexpr (Kernel::makes_buckets) {
      GIMBAL_TRY(
        (simt::load_kernels<
          radix_bucket_start_kernel<typename Kernel::bucket_shape, Keys, typename Kernel::state_type>,
          radix_bucket_sort_kernel<typename Kernel::bucket_shape, Keys, Values, typename Kernel::state_type>>()));
    }
    return simt::load_kernels<histogram_kernel, Kernel>();
  }

private:
  /// What a call has in the storage. The buffers are the arrays'.
  struct in_storage {
    radix_tiles shape;
    index_type tiles;
    index_type part_tiles;  ///< of a launch: more than a launch can have take several
    typename Kernel::state_type* state = nullptr;
    unsigned* words = nullptr;  ///< of descriptors
    storage_layout layout;

    explicit in_storage(radix_pass_row& row)
        : shape(algorithm::radix_tiles_of<Kernel>(row.call.n, row.most_blocks)),
          tiles((row.call.n + shape.tile_size - 1) / shape.tile_size)
    {
      const index_type parts = (tiles + Kernel::most_tiles - 1) / Kernel::most_tiles;
      part_tiles = parts <= 1 ? tiles : (tiles + parts - 1) / parts;
      layout.add(&state, 1);
      layout.add(&words, word_count());
      algorithm::add_sort_buffers(layout, row.call.keys, row.call.values, row.call.n, row.call.plan.passes);
    }
    std::size_t word_count() const { return static_cast<std::size_t>(part_tiles) * block::radix_size; }
  };
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
