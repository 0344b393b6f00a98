// The keys and values of a tile that one thread of a radix pass (radix_pass.cuh) holds in registers.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_rank_methods.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Up to `Items` keys and their values, in whole batches of `Batch`. A warp has consecutive positions of the tile, striped over its lanes.
/// How many items a lane holds (`lane_items`) is the same in all lanes of a launch.
template <class Keys, class Values, unsigned Items, unsigned Batch>
struct radix_thread_items {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  using bits_type = key_type;
  using order_type = block::radix_order<bits_type>;
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;

  bits_type key[Items];  ///< own bits when loaded, distinct after count(): converting at once would wait for each load
  uninit<value_type> value[has_values ? Items : 1];

  /// Position in the tile of a thread's i-th item.
  template <class Context>
  static GIMBAL_DEVICE unsigned position(const Context& ctx, unsigned lane_items, unsigned i)
  {
    return (ctx.warp() * lane_items + i) * simt::warp_threads + ctx.lane();
  }

  /// After count(). `joins`: some key may be a joined zero.
  GIMBAL_DEVICE unsigned digit(const radix_step& now, const order_type& order, bool joins, unsigned i) const
  {
    return now.range.digit(joins ? order.join(key[i]) : key[i]);
  }

  /// Loads from the tile that begins at item `first` and has `valid` items. Positions behind those get
  /// `filling`, a key that no other is ordered behind; as the sort is stable, it also stays behind keys that equal it.
  template <class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, key_type filling, index_type first,
    unsigned valid, unsigned lane_items)
  {
    load_if<Items>(ctx, now, keys, values, filling, first, lane_items, 0, 0, [&](unsigned i) {
      return i < lane_items && position(ctx, lane_items, i) < valid;
    });
  }

  /// Loads `Count` items from the `from`-th on, all of which exist, into registers from `place` on.
  template <unsigned Count, class Context>
  GIMBAL_DEVICE void load(
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, index_type first, unsigned lane_items,
    unsigned from, unsigned place)
  {
    load_if<Count>(ctx, now, keys, values, key_type{}, first, lane_items, from, place, [](unsigned) { return true; });
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

  /// Adds the keys to the warp's counters and makes their bits distinct.
  template <class Context, class Counters>
  GIMBAL_DEVICE void count(
    Context& ctx, Counters& counts, const radix_step& now, const order_type& order, unsigned lane_items, bool joins)
  {
    if (order.is_floating()) {
      for_each(lane_items, [&](unsigned i) { key[i] = order.distinct(key[i]); });
    } else {
      for_each(lane_items, [&](unsigned i) { key[i] = order.flip(key[i]); });
    }
    const auto add_all = [&](auto joining) {
      for_each(lane_items, [&](unsigned i) { counts.add(ctx, digit(now, order, joining.value, i)); });
    };
    if (joins) {
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
    Context& ctx, const radix_step& now, const Keys& keys, const Values& values, key_type filling, index_type first,
    unsigned lane_items, unsigned from, unsigned place, Exists exists)
  {
    keys.read(now.source, [&](auto source) {
      const auto mine = source + (first + position(ctx, lane_items, from));
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Count; ++j) {
        key[place + j] = exists(from + j) ? block::load_as<key_type>(mine + j * simt::warp_threads) : filling;
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
