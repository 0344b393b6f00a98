// Radix sort of at most one tile, in one launch of one block: every pass ranks the tile and passes it through shared
// memory.
//
// Values do not take part: each key carries the position it came from, and at the end every value is fetched
// from there. Traffic: keys and values twice. Works in place: all keys, and later all values, are read before one is
// written.
#pragma once

#include <gimbal/collective/radix_rank.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class Order, class Keys, class Values>
struct radix_tile_sort_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Tuning::small_threads;
  static constexpr unsigned items = Tuning::small_items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static_assert(tile_items <= 1u << 16, "positions in a tile have 16 bits");
  using ranking = block::radix_rank<block_threads, items>;

  struct shared {
    typename ranking::shared rank;
    uninit<key_type> keys[tile_items];
    std::uint16_t origins[has_values ? tile_items : 1];  ///< where the keys came from
  };

  Keys keys;
  Values values;
  block::digit_plan plan;
  unsigned count;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    key_type key[items];
    std::uint16_t origin[items];
    load_keys(ctx, key, origin);
    const unsigned first = ranking::position(ctx, 0) - ctx.lane();
    const unsigned held = first < count ? (count - first + simt::warp_threads - 1) / simt::warp_threads : 0;
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      const block::digit_range range = plan.range(pass);
      const auto digit_of = [&](unsigned i) { return range.digit<Order>(key[i]); };
      unsigned ranks[items] = {};
      unsigned totals[ranking::digits_per_thread];
      unsigned starts[ranking::digits_per_thread] = {};
      ranking::rank_in_warp(ctx, smem.rank, digit_of, held, ranks);
      ctx.sync_block();  // the counts of all warps are there, and every key has left shared memory
      ranking::sum_warps(ctx, smem.rank, totals);
      const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
      ctx.sync_block();  // the sums of all warps' digits are there
      ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
      ctx.sync_block();  // every digit's start is there for every warp
      ranking::rank_in_tile(ctx, smem.rank, digit_of, ranks);
      scatter(ctx, smem, ranks, key, origin);
      ctx.sync_block();  // the tile is there in its new order
      gather(ctx, smem, key, origin);
    }
    store_keys(ctx, key);
    if constexpr (has_values) {
      uninit<value_type> value[items];
      load_values(ctx, origin, value);
      ctx.sync_block();  // in place, all values are read before the first is overwritten
      store_values(ctx, value);
    }
  }

private:
  /// Where a warp's last items are fewer than its lanes, the rest is padding: the key that is ordered last, which also stays behind keys
  /// that equal it. Padding is ranked but not scattered.
  template <class Context>
  GIMBAL_DEVICE void load_keys(Context& ctx, key_type (&key)[items], std::uint16_t (&origin)[items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const unsigned position = ranking::position(ctx, i);
      key[i] = position < count ? block::load_as<key_type>(keys.input + position) : block::last_key<Order, key_type>();
      origin[i] = static_cast<std::uint16_t>(position);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void scatter(
    Context& ctx, shared& smem, const unsigned (&ranks)[items], const key_type (&key)[items],
    const std::uint16_t (&origin)[items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (ranking::position(ctx, i) < count) {
        smem.keys[ranks[i]].set(key[i]);
        if constexpr (has_values) {
          smem.origins[ranks[i]] = origin[i];
        }
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void gather(
    Context& ctx, const shared& smem, key_type (&key)[items], std::uint16_t (&origin)[items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const unsigned position = ranking::position(ctx, i);
      if (position < count) {
        key[i] = smem.keys[position].get();
        if constexpr (has_values) {
          origin[i] = smem.origins[position];
        }
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store_keys(Context& ctx, const key_type (&key)[items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const unsigned position = ranking::position(ctx, i);
      if (position < count) {
        *(keys.output + position) = key[i];
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void load_values(
    Context& ctx, const std::uint16_t (&origin)[items], uninit<value_type> (&value)[items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      if (ranking::position(ctx, i) < count) {
        value[i].set(block::load_as<value_type>(values.input + origin[i]));
      }
    }
  }

  template <class Context>
  GIMBAL_DEVICE void store_values(Context& ctx, const uninit<value_type> (&value)[items]) const
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const unsigned position = ranking::position(ctx, i);
      if (position < count) {
        *(values.output + position) = value[i].get();
      }
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
