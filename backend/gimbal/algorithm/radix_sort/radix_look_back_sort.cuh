// Radix sort of what the other kernels do not take (radix_sort.cuh): keys, or keys and values, by the bits [begin_bit,
// end_bit) of the key, least significant digit first.
//
// Algorithm: Adinets & Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (arXiv 2206.01784). A
// histogram of all digits (radix_histogram.cuh), then one launch per 8 bits: a tile per block is ranked by a digit
// (collective/radix_rank.cuh), gets by decoupled look-back how many keys with each digit the tiles before hold, and is
// written digit by digit to where those keys belong.
//
// Traffic for p passes: keys (2p + 1) times, values 2p times.
// Launches: 1 fill, 1 histogram, p passes (times one per 2^30 items). p = ceil(bits / 8); in place p is rounded up to
//   an even number and the digits are narrower, because two passes end where they began. No bits at all: one pass, a
//   copy.
// Storage: n keys and n values, but for one pass that is not in place; 2 KB per tile, and 14 KB per byte of the key.
// Order, aliasing and determinism: as radix_sort. Progress: a tile waits only for tiles with lower tickets, whose
// blocks are already running.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/workspace.h>

#include <gimbal/algorithm/radix_sort/radix_histogram.cuh>
#include <gimbal/collective/radix_rank.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A tile's descriptor for one digit: invalid (0), its aggregate, or its inclusive prefix. Status and count share a
/// word.
struct radix_descriptor {
  static constexpr unsigned count_bits = 30;
  static constexpr unsigned aggregate = 1u << count_bits;
  static constexpr unsigned inclusive_prefix = 2u << count_bits;

  static GIMBAL_DEVICE unsigned status(unsigned word) { return word & ~((1u << count_bits) - 1); }
  static GIMBAL_DEVICE unsigned count(unsigned word) { return word & ((1u << count_bits) - 1); }
};

template <class Tuning, class Keys, class Values>
struct radix_look_back_pass_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Tuning::block_threads;
  static constexpr unsigned items = Tuning::items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  /// Values of up to half a memory sector are staged in shared memory, larger ones are written straight to the output.
  static constexpr bool stages_values = has_values && sizeof(value_type) <= 16;
  /// Most tiles of a launch: a descriptor can hold the number of all its items.
  static constexpr index_type countable_tiles = ((index_type{1} << radix_descriptor::count_bits) - 1) / tile_items;
  static constexpr index_type most_tiles = Tuning::most_tiles < countable_tiles ? Tuning::most_tiles : countable_tiles;
  using ranking = block::radix_rank<block_threads, items>;
  static constexpr unsigned digits_per_thread = ranking::digits_per_thread;
  using digit_bytes = unsigned[(items + 3) / 4];  ///< digits of the items a thread writes, four to a word

  struct shared {
    typename ranking::shared rank;
    union {  // the tile in sorted order
      uninit<key_type> keys[tile_items];
      uninit<value_type> values[stages_values ? tile_items : 1];
    };
    index_type targets[block::radix_size];  ///< output position of a digit's first key, minus its position in the tile
    unsigned tile;
  };

  Keys keys;
  Values values;
  block::radix_order<key_type> order;
  // These are this launch's own:
  sort_place source = sort_place::input;
  sort_place target = sort_place::output;
  block::digit_range range = {};
  index_type first = 0;              ///< of the launch's items
  index_type count = 0;              ///< of them
  unsigned next_tiles = 0;           ///< tiles whose descriptors the next launch needs cleared
  const index_type* base = nullptr;  ///< per digit: output position of this launch's first such key
  index_type* next_base = nullptr;   ///< the same for the next launch of this pass
  unsigned* ticket = nullptr;
  unsigned* next_ticket = nullptr;
  unsigned* descriptors = nullptr;  ///< [tile][digit], all zero
  unsigned* next_descriptors = nullptr;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.tile = ctx.atomic(*ticket).fetch_add(1, ::cuda::std::memory_order_relaxed);  // orders nothing but itself
    }
    ctx.sync_block();  // the tile's number is known to every thread
    const unsigned tile = smem.tile;
    const index_type tile_first = first + static_cast<index_type>(tile) * tile_items;
    const index_type left = first + count - tile_first;
    const unsigned valid = left < tile_items ? static_cast<unsigned>(left) : tile_items;

    key_type key[items];
    unsigned ranks[items];
    load_keys(ctx, tile_first, valid, key);
    const auto digit_of = [&](unsigned i) { return range.digit(order.ordered(key[i])); };
    ranking::clear_counts(ctx, smem.rank);
    ranking::rank_more(ctx, smem.rank, digit_of, ranks);
    clear_next(ctx, tile);
    ctx.sync_block();  // the counts of all warps are there

    unsigned totals[digits_per_thread];
    unsigned starts[digits_per_thread] = {};
    ranking::sum_warps(ctx, smem.rank, totals);
    publish(ctx, tile, valid, totals);
    const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
    ctx.sync_block();  // the sums of all warps' digits are there
    ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
    ctx.sync_block();  // every digit's start is there for every warp

    ranking::rank_in_tile(ctx, smem.rank, digit_of, ranks);
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      smem.keys[ranks[i]].set(key[i]);
    }
    uninit<value_type> value[items];
    if constexpr (stages_values) {
      load_values(ctx, tile_first, valid, value);
    }  // arrive during the look-back
    look_back(ctx, smem, tile, valid, totals, starts);
    ctx.sync_block();  // sorted keys and targets are there

    digit_bytes digits = {};
    store_keys(ctx, smem, valid, digits);
    if constexpr (stages_values) {
      ctx.sync_block();  // all keys have been read: their memory takes the values
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        smem.values[ranks[i]] = value[i];
      }
      ctx.sync_block();  // sorted values are there
      store_values(ctx, smem, valid, digits);
    } else if constexpr (has_values) {
      scatter_values(ctx, smem, tile_first, valid, digit_of, ranks);
    }
  }

private:
  /// Positions after the last valid item get the key that is ordered last; as the sort is stable, it also stays after
  /// keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, index_type tile_first, unsigned valid, key_type (&key)[items]) const
  {
    keys.read(source, [&](auto from) {
      const auto mine = from + (tile_first + ranking::position(ctx, 0));
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        const bool is_valid = ranking::position(ctx, i) < valid;
        key[i] = is_valid ? block::load_as<key_type>(mine + i * simt::warp_threads) : order.last();
      }
    });
  }

  template <class Context>
  GIMBAL_DEVICE void load_values(
    Context& ctx, index_type tile_first, unsigned valid, uninit<value_type> (&value)[items]) const
  {
    const bool are_positions = values.are_positions(source);
    if constexpr (Values::may_be_positions) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        value[i].set(static_cast<value_type>(tile_first + ranking::position(ctx, i)));
      }
    }
    values.read(source, [&](auto from) {
      const auto mine = from + (tile_first + ranking::position(ctx, 0));
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        if (!are_positions && ranking::position(ctx, i) < valid) {
          value[i].set(block::load_as<value_type>(mine + i * simt::warp_threads));
        }
      }
    });
  }

  /// Clears the descriptors and the ticket that the next launch works with; nobody else uses them now.
  template <class Context>
  GIMBAL_DEVICE void clear_next(Context& ctx, unsigned tile) const
  {
    const unsigned tiles = ctx.blocks();
    for (std::size_t row = tile; row < next_tiles; row += tiles) {
      ranking::for_each_digit(
        ctx, [&](unsigned, unsigned digit) { next_descriptors[row * block::radix_size + digit] = 0; });
    }
    if (tile == 0 && ctx.thread() == 0) {
      *next_ticket = 0;
    }
  }

  template <class Context>
  GIMBAL_DEVICE auto descriptor(Context& ctx, unsigned tile, unsigned digit) const
  {
    return ctx.atomic(descriptors[static_cast<std::size_t>(tile) * block::radix_size + digit]);
  }

  /// Number of items of this tile with the digit, without padding.
  GIMBAL_DEVICE unsigned real_total(unsigned total, unsigned digit, unsigned valid) const
  {
    return digit == range.digit(order.ordered(order.last())) ? total - (tile_items - valid) : total;
  }

  // Relaxed: a descriptor is one word; no other memory is read because of it.
  template <class Context>
  GIMBAL_DEVICE void publish(
    Context& ctx, unsigned tile, unsigned valid, const unsigned (&totals)[digits_per_thread]) const
  {
    const unsigned status = tile == 0 ? radix_descriptor::inclusive_prefix : radix_descriptor::aggregate;
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      descriptor(ctx, tile, digit)
        .store(status | real_total(totals[k], digit, valid), ::cuda::std::memory_order_relaxed);
    });
  }

  /// Looks back, publishes the inclusive prefix, and sets the targets.
  template <class Context>
  GIMBAL_DEVICE void look_back(
    Context& ctx, shared& smem, unsigned tile, unsigned valid, const unsigned (&totals)[digits_per_thread],
    const unsigned (&starts)[digits_per_thread]) const
  {
    ranking::for_each_digit(ctx, [&](unsigned k, unsigned digit) {
      const unsigned before = count_before(ctx, tile, digit);
      const unsigned through = before + real_total(totals[k], digit, valid);
      if (tile != 0) {
        descriptor(ctx, tile, digit)
          .store(radix_descriptor::inclusive_prefix | through, ::cuda::std::memory_order_relaxed);
      }
      const index_type digit_base = base[digit];
      smem.targets[digit] = digit_base + before - starts[k];
      if (tile == ctx.blocks() - 1) {
        next_base[digit] = digit_base + through;
      }
    });
  }

  /// Number of items with the digit in the tiles before; reads several tiles at a time, nearest first.
  template <class Context>
  GIMBAL_DEVICE unsigned count_before(Context& ctx, unsigned tile, unsigned digit) const
  {
    constexpr unsigned window = Tuning::look_back_window;
    unsigned sum = 0;
    unsigned left = tile;  // tiles not yet added
    while (left > 0) {
      unsigned words[window];
      GIMBAL_UNROLL
      for (unsigned w = 0; w < window; ++w) {
        words[w] = w < left ? descriptor(ctx, left - 1 - w, digit).load(::cuda::std::memory_order_relaxed)
                            : radix_descriptor::inclusive_prefix;
      }
      bool is_known = true;
      GIMBAL_UNROLL
      for (unsigned w = 0; w < window; ++w) {
        const unsigned status = radix_descriptor::status(words[w]);
        is_known = is_known && status != 0;
        if (is_known) {
          sum += radix_descriptor::count(words[w]);
          left = status == radix_descriptor::inclusive_prefix ? 0 : left - 1;
          is_known = left != 0;
        }
      }
      if (left != 0) {
        ctx.spin_wait();
      }
    }
    return sum;
  }

  template <class Context>
  GIMBAL_DEVICE void store_keys(Context& ctx, const shared& smem, unsigned valid, digit_bytes& digits) const
  {
    keys.write(target, [&](auto to) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        const unsigned position = i * block_threads + ctx.thread();
        if (position < valid) {
          const key_type key = smem.keys[position].get();
          const unsigned digit = range.digit(order.ordered(key));
          digits[i / 4] |= digit << 8 * (i % 4);
          *(to + (smem.targets[digit] + position)) = key;
        }
      }
    });
  }

  template <class Context>
  GIMBAL_DEVICE void store_values(Context& ctx, const shared& smem, unsigned valid, const digit_bytes& digits) const
  {
    values.write(target, [&](auto to) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        const unsigned position = i * block_threads + ctx.thread();
        if (position < valid) {
          *(to + (smem.targets[digits[i / 4] >> 8 * (i % 4) & 0xff] + position)) = smem.values[position].get();
        }
      }
    });
  }

  template <class Context, class DigitOf>
  GIMBAL_DEVICE void scatter_values(
    Context& ctx, const shared& smem, index_type tile_first, unsigned valid, DigitOf digit_of,
    const unsigned (&ranks)[items]) const
  {
    values.read(source, [&](auto from) {
      values.write(target, [&](auto to) {
        for (unsigned i = 0; i < items; ++i) {
          const unsigned position = ranking::position(ctx, i);
          if (position < valid) {
            const value_type value = block::load_as<value_type>(from + (tile_first + position));
            *(to + (smem.targets[digit_of(i)] + ranks[i])) = value;
          }
        }
      });
    });
  }
};

/// Each pass takes as many launches as it needs when one makes at most `most_tiles` tiles.
template <class Tuning, class Keys, class Values>
status radix_sort_by_look_back(
  temporary_storage storage, std::size_t& storage_bytes, const radix_call<Keys, Values>& call)
{
  constexpr unsigned most_passes = block::most_radix_passes<typename Keys::value_type>;
  auto [keys, values, n, order, plan, stream] = call;
  // Two passes end in the array where they began, so a sort in place makes an even number of them.
  if (algorithm::find_aliasing(keys, values).in_place) {
    plan.passes += plan.passes % 2;
  }

  using pass_kernel = radix_look_back_pass_kernel<Tuning, Keys, Values>;
  using histogram_kernel = radix_histogram_kernel<typename Tuning::histogram, Keys>;
  const index_type tiles = (n + pass_kernel::tile_items - 1) / pass_kernel::tile_items;
  const index_type rows = tiles < pass_kernel::most_tiles ? tiles : pass_kernel::most_tiles;

  radix_state<most_passes>* state = nullptr;
  unsigned* descriptors = nullptr;
  storage_layout layout;
  layout.add(&state, 1);
  layout.add(&descriptors, 2 * static_cast<std::size_t>(rows) * block::radix_size);
  algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }

  // The state and the first half of the descriptors are adjacent: one fill clears both.
  const std::size_t half = static_cast<std::size_t>(rows) * block::radix_size;
  const auto cleared_bytes =
    static_cast<std::size_t>(reinterpret_cast<char*>(descriptors + half) - reinterpret_cast<char*>(state));
  GIMBAL_TRY(simt::fill_bytes(state, 0, cleared_bytes, stream, "radix sort: clearing"));
  const index_type histogram_tiles = (n + histogram_kernel::tile_items - 1) / histogram_kernel::tile_items;
  GIMBAL_TRY(simt::launch(
    histogram_kernel{keys, order, n, histogram_tiles, plan, state}, histogram_kernel::blocks(histogram_tiles), stream,
    "radix sort: histogram"));
  pass_kernel kernel{keys, values, order};
  const index_type launch_items = rows * pass_kernel::tile_items;
  unsigned launches = 0;
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    kernel.source = source_of_pass(pass, plan.passes);
    kernel.target = target_of_pass(pass, plan.passes);
    kernel.range = plan.range(pass);
    unsigned part = 0;
    for (kernel.first = 0; kernel.first < n; kernel.first += launch_items, ++part, ++launches) {
      const unsigned now = launches % 2;
      const index_type left = n - kernel.first;
      const bool is_last = pass + 1 == plan.passes && left <= launch_items;
      kernel.count = left < launch_items ? left : launch_items;
      kernel.next_tiles = is_last ? 0 : static_cast<unsigned>(rows);
      kernel.base = state->bases[pass][part % 2];
      kernel.next_base = state->bases[pass][(part + 1) % 2];
      kernel.ticket = &state->tickets[now];
      kernel.next_ticket = &state->tickets[1 - now];
      kernel.descriptors = descriptors + now * half;
      kernel.next_descriptors = descriptors + (1 - now) * half;
      const index_type launch_tiles = (kernel.count + pass_kernel::tile_items - 1) / pass_kernel::tile_items;
      GIMBAL_TRY(simt::launch(kernel, launch_tiles, stream, "radix sort: pass"));
    }
  }
  return {};
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
