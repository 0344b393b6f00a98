// A radix sort of keys that are in reverse order: they are turned round, in one launch and without a look at any digit.
//
// Keys that are equal in order must not be turned round among themselves, unless they are equal in all bits and have no
// values. They stand side by side, in runs. A warp sees where runs begin among the items that it has; how far those at its
// ends reach beyond, all lanes find out together: 32 neighbours first, then by steps that double and then divide what is
// left by 32.
//
// Traffic: keys and values once in and once out.
#pragma once

#include <cuda/std/bit>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `n` keys of which none comes before one that is ordered behind it.
template <class Order, class Source, class Bits>
struct reversed_keys {
  using key_type = value_type_of<Source>;

  Source source;
  index_type n;
  Bits sorted;  ///< the bits that are sorted by

  GIMBAL_DEVICE Bits bits(index_type i) const
  {
    return block::ordered_bits<Order>(block::load_as<key_type>(source + i)) & sorted;
  }

  /// How many of the keys next to that at `i` in one direction, of which there are `room`, equal it. By a whole warp, all of
  /// whose lanes ask for the same.
  template <class Context>
  GIMBAL_DEVICE index_type equals_beside(Context& ctx, index_type i, bool is_behind, index_type room) const
  {
    const Bits own = bits(i);
    const auto equal_lanes = [&](index_type distance) {
      const bool is_equal = distance <= room && bits(is_behind ? i + distance : i - distance) == own;
      return static_cast<unsigned>(::cuda::std::countr_one(ctx.ballot(is_equal)));
    };
    if (room == 0 || bits(is_behind ? i + 1 : i - 1) != own) {
      return 0;
    }
    const unsigned near = equal_lanes(ctx.lane() + 1);
    if (near < simt::warp_threads) {
      return near;
    }
    const unsigned doubled = equal_lanes(index_type{1} << ctx.lane());
    index_type equals = index_type{1} << (doubled - 1);
    index_type others = room + 1;  // at that distance and more
    if (doubled < simt::warp_threads && (index_type{1} << doubled) < others) {
      others = index_type{1} << doubled;
    }
    while (others - equals > 1) {
      const index_type step = (others - equals + simt::warp_threads - 1) / simt::warp_threads;
      equals += step * equal_lanes(equals + step * (ctx.lane() + 1));
      others = others < equals + step ? others : equals + step;
    }
    return equals;
  }
};

/// The run that the last item of a warp belongs to, when it goes on to the items behind: they may belong to it, too.
template <class Bits>
struct reversed_run {
  bool is_known = false;
  Bits bits{};
  index_type begin = 0;
  index_type end = 0;
};

/// Rows of 32 items side by side, an item of each in a lane: places of those whose equals keep their order. `at_end` is the run
/// that the item before them belongs to, and then that of the last of them.
template <unsigned Rows, class Context, class Reversed, class Bits>
GIMBAL_DEVICE void find_reversed_places(
  Context& ctx, const Reversed& reversed, index_type first, const Bits (&bits)[Rows], reversed_run<Bits>& at_end,
  index_type (&place)[Rows])
{
  const index_type n = reversed.n;
  const index_type left = n - first;
  const unsigned count =
    left < index_type{Rows} * simt::warp_threads ? static_cast<unsigned>(left) : Rows * simt::warp_threads;
  // Whether a run begins with the item, or the items are at an end.
  unsigned begins[Rows];
  Bits last_before{};
  GIMBAL_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    const Bits before = ctx.shfl_up(bits[r], 1);
    const bool differs = ctx.lane() == 0 ? r == 0 || last_before != bits[r] : before != bits[r];
    begins[r] = ctx.ballot(differs || r * simt::warp_threads + ctx.lane() >= count);
    last_before = ctx.shfl(bits[r], simt::warp_threads - 1);
  }
  const bool goes_on = at_end.is_known && ctx.shfl(bits[0], 0) == at_end.bits;
  index_type run =
    goes_on ? at_end.begin : first - (at_end.is_known ? 0 : reversed.equals_beside(ctx, first, false, first));
  GIMBAL_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    const index_type row = first + r * simt::warp_threads;
    const unsigned here = begins[r] & ~(r == 0 ? 1u : 0u);  // the first run may begin before
    const unsigned up_to_own = here & (simt::full_mask >> (simt::warp_threads - 1 - ctx.lane()));
    place[r] = row + ctx.lane() - (up_to_own == 0 ? run : row + 31 - simt::countl_zero(up_to_own));
    const unsigned items = count < r * simt::warp_threads ? 0 : count - r * simt::warp_threads;
    const unsigned begun = items < simt::warp_threads ? here & ((1u << items) - 1) : here;
    run = begun == 0 ? run : row + 31 - simt::countl_zero(begun);
  }
  const index_type last = first + count - 1;
  const bool is_same_run = goes_on && run == at_end.begin;
  const index_type last_run_end =
    is_same_run ? at_end.end : last + 1 + reversed.equals_beside(ctx, last, true, n - 1 - last);
  at_end = {true, reversed.bits(last), run, last_run_end};
  index_type end = last_run_end;
  GIMBAL_UNROLL
  for (unsigned r = Rows; r-- > 0;) {
    const index_type row = first + r * simt::warp_threads;
    const index_type items_end = first + count;
    const auto end_at = [&](unsigned begun) {
      const index_type at = row + simt::countr_zero(begun);
      return begun == 0 ? end : at < items_end ? at : last_run_end;
    };
    const unsigned behind_own = begins[r] & ~(simt::full_mask >> (simt::warp_threads - 1 - ctx.lane()));
    place[r] += n - end_at(behind_own);
    end = end_at(begins[r]);
  }
}

/// Items [first, end) of the n that a step turns round. `keeps_equals`: keys that are equal in order keep theirs.
template <unsigned Batch, class Order, class Context, class Keys, class Values>
GIMBAL_DEVICE void reverse_items(
  Context& ctx, const radix_step& now, const Keys& keys, const Values& values, const block::digit_plan& plan,
  bool keeps_equals, index_type n, index_type first, index_type end)
{
  using key_type = typename Keys::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  using value_type = typename Values::value_type;
  constexpr bool has_values = bytes_of_values<Values> != 0;
  constexpr index_type warp_items = Batch * simt::warp_threads;
  constexpr unsigned warps = Context::block_threads / simt::warp_threads;
  const index_type warps_of_launch = static_cast<index_type>(ctx.blocks()) * warps;
  // A warp takes a stretch of neighbouring items, so that it looks once for the end of a run that is longer than its rows. All
  // warps have as many stretches.
  constexpr index_type most_rows = 64;
  const index_type fair_rows = (end - first - 1) / (warps_of_launch * warp_items) + 1;
  const index_type stretches = (fair_rows - 1) / most_rows + 1;
  const index_type stretch = ((fair_rows - 1) / stretches + 1) * warp_items;
  keys.read(now.source, [&](auto source) {
    const reversed_keys<Order, decltype(source), bits_type> reversed{source, n, plan.template sorted_mask<bits_type>()};
    reversed_run<bits_type> at_end;
    index_type mine = first + (static_cast<index_type>(ctx.block()) * warps + ctx.warp()) * stretch;
    index_type stretch_end = mine + stretch;
    GIMBAL_NO_UNROLL
    while (mine < end) {
      const index_type own = mine + ctx.lane();
      key_type key[Batch];
      bits_type bits[Batch];
      [[maybe_unused]] uninit<value_type> value[Batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        const index_type i = own + j * simt::warp_threads;
        key[j] = i < n ? block::load_as<key_type>(source + i) : block::last_key<Order, key_type>();
        bits[j] = block::ordered_bits<Order>(key[j]) & reversed.sorted;
      }
      if constexpr (has_values) {
        values.read(now.value_source, [&](auto value_source) {
          GIMBAL_UNROLL
          for (unsigned j = 0; j < Batch; ++j) {
            const index_type i = own + j * simt::warp_threads;
            if (i < end) {
              value[j].set(block::load_as<value_type>(value_source + i));
            }
          }
        });
      }
      index_type place[Batch];
      if (keeps_equals) {
        find_reversed_places(ctx, reversed, mine, bits, at_end, place);
      } else {
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Batch; ++j) {
          place[j] = n - 1 - (own + j * simt::warp_threads);
        }
      }
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        if (own + j * simt::warp_threads < end) {
          keys.write(now.target, [&](auto out) { *(out + place[j]) = key[j]; });
          if constexpr (has_values) {
            values.write(now.target, [&](auto out) { *(out + place[j]) = value[j].get(); });
          }
        }
      }
      mine += warp_items;
      if (mine == stretch_end) {
        at_end.is_known = false;
        mine += (warps_of_launch - 1) * stretch;
        stretch_end = mine + stretch;
      }
    }
  });
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
