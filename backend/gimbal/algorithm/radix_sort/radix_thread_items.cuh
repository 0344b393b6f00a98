// The keys and values of a tile that one thread of a radix pass (radix_pass.cuh) holds in registers.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_rank_methods.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Up to `Items` keys and their values, in whole batches of `Batch`. A warp has consecutive positions of the tile, striped over its lanes.
/// How many items a lane holds (`lane_items`) is the same in all lanes of a launch.
template <class Order, class Keys, class Values, unsigned Items, unsigned Batch>
struct radix_thread_items {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;

  bits_type
    key[Items];  ///< own bits when loaded, distinct_bits after count(): converting at once would wait for each load
  uninit<value_type> value[has_values ? Items : 1];

  /// Position in the tile of a thread's i-th item.
  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned lane_items, unsigned i)
  {
    return (ctx.warp() * lane_items + i) * simt::warp_threads + ctx.lane();
  }

  /// `JoinsZeros` costs some instructions and may be false where no key is a joined zero.
  template <bool JoinsZeros>
  GIMBAL_DEVICE unsigned digit(const radix_step& now, unsigned i) const
  {
    return JoinsZeros ? now.range.template digit_of_bits<key_type>(key[i]) : now.range.digit_of_ordered(key[i]);
  }

  /// Whether a key of the warp is a joined zero; after count(), of a warp that holds all its items.
  template <class Context>
  GIMBAL_DEVICE bool has_joined_zero(Context& ctx) const
  {
    bool is_found = false;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      is_found = is_found || block::join_zeros<key_type>(key[i]) != key[i];
    }
    return ctx.ballot(is_found) != 0;
  }

  /// Loads from the tile that begins at item `first` and has `valid` items. Positions behind those get the key that is ordered last;
  /// as the sort is stable, it also stays behind keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, index_type first, unsigned valid,
    unsigned lane_items)
  {
    load_if<Items>(ctx, now, keys, values, first, lane_items, 0, 0, [&](unsigned i) {
      return i < lane_items && position(ctx, lane_items, i) < valid;
    });
  }

  /// Loads `Count` items from the `from`-th on, all of which exist, into registers from `place` on.
  template <unsigned Count, class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, index_type first, unsigned lane_items,
    unsigned from, unsigned place)
  {
    load_if<Count>(ctx, now, keys, values, first, lane_items, from, place, [](unsigned) { return true; });
  }

  /// Shifts items down by `Count`, which makes room behind the last.
  template <unsigned Count>
  GIMBAL_DEVICE void move_up()
  {
    GIMBAL_UNROLL
    for (unsigned i = Count; i < Items; ++i) {
      key[i - Count] = key[i];
      if constexpr (has_values) {
        value[i - Count] = value[i];
      }
    }
  }

  /// Adds the keys to the warp's counters and converts them to distinct_bits.
  template <class Context, class Counters>
  GIMBAL_DEVICE void count(Context& ctx, Counters& counts, const radix_step& now, unsigned lane_items, bool joins_zeros)
  {
    for_each(lane_items, [&](unsigned i) { key[i] = block::distinct_bits_of_own<Order, key_type>(key[i]); });
    const auto add_all = [&](auto joins) {
      for_each(lane_items, [&](unsigned i) { counts.add(ctx, digit<joins.value>(now, i)); });
    };
    if (block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point && joins_zeros) {
      add_all(::cuda::std::true_type{});
    } else {
      add_all(::cuda::std::false_type{});
    }
  }

private:
  /// f(i) for the items that a lane has.
  template <class F>
  static GIMBAL_DEVICE void for_each(unsigned lane_items, F f)
  {
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      if (i / Batch * Batch < lane_items) {
        f(i);
      }
    }
  }

  template <unsigned Count, class Context, class Exists>
  GIMBAL_DEVICE void load_if(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, index_type first, unsigned lane_items,
    unsigned from, unsigned place, Exists exists)
  {
    keys.read(now.source, [&](auto source) {
      const auto mine = source + (first + position(ctx, lane_items, from));
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Count; ++j) {
        key_type loaded = block::last_key<Order, key_type>();
        if (exists(from + j)) {
          loaded = block::load_as<key_type>(mine + j * simt::warp_threads);
        }
        std::memcpy(&key[place + j], &loaded, sizeof(loaded));
      }
    });
    if constexpr (has_values) {
      values.read(now.source, [&](auto source) {
        const auto mine = source + (first + position(ctx, lane_items, from));
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Count; ++j) {
          if (exists(from + j)) {
            value[place + j].set(block::load_as<value_type>(mine + j * simt::warp_threads));
          }
        }
      });
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
