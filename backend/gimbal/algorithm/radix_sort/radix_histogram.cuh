// First step of a radix sort: for every pass and digit, where in the output the first key with that digit belongs.
//
// One sweep over the keys counts the digits of all passes (algorithm/radix_sort/radix_bins.cuh). Traffic: the keys once. Counts are
// integers, so the result does not depend on the order of additions. No block waits for another.
//
// If asked to, it also finds out in which way the keys are best sorted (radix_way): whether they are in order already,
// which costs nothing where they are not: a block that has seen two neighbours out of order looks at no others; which digits keys have, so that keys with few of them can be sorted by short codes
// (radix_code.cuh); and whether a sample of the keys promises small buckets (radix_sample.cuh).
#pragma once

#include <gimbal/algorithm/radix_sort/radix_bins.cuh>
#include <gimbal/algorithm/radix_sort/radix_order.cuh>
#include <gimbal/algorithm/radix_sort/radix_sample.cuh>
#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What a sort has to do.
enum class radix_way : unsigned {
  by_digits,  ///< a pass for each digit that is not the same in all keys
  in_order,   ///< nothing
  by_code,    ///< keys become codes, passes for the digits of those, and codes become keys
  by_bucket,  ///< passes for the leading digits, then buckets (radix_buckets.cuh)
  by_prefix,  ///< passes for so many leading digits that keys which have them in common are, but for few, the same
  in_vain     ///< either, as it turned out behind these passes: then one for each digit
};

/// Passes that buckets must save, as putting them in order takes longer than one; a prefix, too, which may be in vain.
inline constexpr unsigned least_saved_by_buckets = 2;

/// Codes of keys: those digits of a pass that some key has are numbered in order, and the numbers of all passes, in as
/// few bits as hold them, stand side by side. So codes are in the order of the keys.
template <unsigned MostPasses>
struct radix_codes {
  unsigned used[MostPasses];  ///< different digits
  unsigned char number[MostPasses][block::radix_size];
  unsigned char digit[MostPasses][block::radix_size];  ///< with that number

  /// Bits of the numbers of so many different digits.
  static GIMBAL_DEVICE unsigned width_of(unsigned used) { return simt::bit_width(used - 1); }
  GIMBAL_DEVICE unsigned width(unsigned pass) const { return width_of(used[pass]); }
};

/// What a sort has to do, so small that a pass has it after one trip to memory.
struct alignas(16) radix_course {
  radix_way way;
  std::uint16_t differing;  ///< digits that are not the same in all keys
  std::uint16_t leading;    ///< of them, by buckets or by a prefix
  unsigned passes;          ///< that have them, four bits each, the first one's lowest
  unsigned bits;            ///< by codes: of a code; by buckets or by a prefix: of a key, below the leading digits

  GIMBAL_DEVICE unsigned pass(unsigned k) const { return passes >> 4 * k & 0xf; }
  /// How a sort by codes cuts them into digits.
  GIMBAL_DEVICE block::digit_plan code_plan() const
  {
    return {0, bits, (bits + block::radix_bits - 1) / block::radix_bits};
  }
};

/// What the kernels of one radix sort share, beside the look-back descriptors. Cleared before the histogram.
template <unsigned MostPasses>
struct radix_state {
  block::radix_bin_row bins[MostPasses];
  unsigned arrived_blocks;  ///< that have added to all bins
  unsigned tickets[2];      ///< tiles claimed, in launches of even and odd number
  /// Per pass and digit: position of the next such key. Each launch of a pass reads one row and writes another. The first
  /// row stays as it is: a pass may have to be taken again.
  index_type bases[MostPasses][3][block::radix_size];
  // If noted:
  radix_course course;
  radix_codes<MostPasses> codes;
  unsigned has_joined_zero;  ///< a key is the zero that counts as the other one
  unsigned is_out_of_order;  ///< some key comes before one that is ordered before it
  // Of buckets (radix_buckets.cuh), and of prefixes:
  radix_sample_notes sample;
  unsigned crowded_groups;  ///< that are left to another launch
  unsigned small_groups;    ///< that are left to it, too

  /// The row of `bases` that launch `part` of a pass reads; it writes that of the next.
  static GIMBAL_HOST_DEVICE unsigned base_row(unsigned part) { return part == 0 ? 0 : 2 - part % 2; }
};

/// `Notes`: also note what else a sort may make use of. `Samples`: buckets included.
template <class Tuning, class Order, class Keys, bool Notes = false, bool Samples = false>
struct radix_histogram_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = Tuning::histogram_threads;
  static constexpr unsigned items = Tuning::histogram_items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned most_passes = block::most_radix_passes<key_type>;
  static constexpr unsigned resident_blocks = block_threads == 1024 ? 1 : 0;
  static constexpr bool is_floating = block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point;
  using bits_type = block::radix_key_bits<key_type>;
  using bins = block::radix_bins<block_threads, most_passes, Tuning::histogram_copies>;

  struct shared : bins::shared {
    unsigned out_of_order;        ///< whether some thread has seen two neighbours that are
    unsigned joined_zero;         ///< whether some thread has seen one
    unsigned used[most_passes];   ///< different digits, known to the last block
    radix_sample_shifts sampled;  ///< as guessed
  };

  Keys keys;
  index_type n;
  index_type tiles;
  block::digit_plan plan;
  radix_state<most_passes>* state;
  /// Passes that must be saved for codes to be taken, which is what making them costs.
  unsigned code_passes = 0;
  bool may_take_codes = false;
  radix_sample sample = {};

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    bins::clear(ctx, smem, plan.passes);
    if (ctx.thread() == 0) {
      smem.out_of_order = 0;
      smem.joined_zero = 0;
    }
    if (looks_at_sample() && ctx.warp() == 0) {
      const radix_sample_shifts shifts = sampler().guess_shifts(ctx, plan);
      if (ctx.lane() == 0) {
        smem.sampled = shifts;
      }
    }
    ctx.sync_block();  // all counts are zero, and every warp knows the guess
    if (looks_at_sample() && ctx.warp() == 0) {
      sampler().look_first(ctx, smem.sampled);
    }
    for (index_type tile = ctx.block(); tile < tiles; tile += ctx.blocks()) {
      count_tile(ctx, smem, tile);
    }
    if (looks_at_sample()) {
      sampler().look_further(ctx, smem.sampled);
    }
    ctx.sync_block();  // all counts of this block are complete
    add_counts(ctx, smem);
    if (bins::is_last(ctx, smem, state->arrived_blocks)) {
      for (unsigned pass = 0; pass < plan.passes; ++pass) {
        bins::for_each(ctx, smem, state->bins[pass], [&](const block::radix_bin& bin) { note_bin(smem, pass, bin); });
      }
      if (Notes && ctx.thread() == 0) {
        choose_course(ctx, smem);
      }
    }
  }

private:
  GIMBAL_DEVICE bool looks_at_sample() const { return Samples && sample.leading_digits != 0; }
  GIMBAL_DEVICE radix_sampler<Order, Keys> sampler() const { return {keys, n, sample, &state->sample}; }

  /// One pass after the other, in one piece of code: all of a thread's keys keep the adders busy. What fills up the
  /// last tile is counted, too, and taken off again by add_counts().
  template <class Context>
  GIMBAL_DEVICE void count_tile(Context& ctx, shared& smem, index_type tile) const
  {
    const index_type first = tile * tile_items + ctx.thread();
    const index_type left = n - first;  // from this thread's first key on
    const int room = left < static_cast<index_type>(tile_items) ? static_cast<int>(left) : static_cast<int>(tile_items);
    key_type loaded[items];
    load_tile(first, room, loaded);
    bits_type bits[items];
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      bits[i] = block::ordered_bits<Order>(loaded[i]);
    }
    note(ctx, smem, first, loaded, bits);
    const unsigned width = plan.width();
    GIMBAL_NO_UNROLL
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      const block::digit_range range = plan.range(pass, width);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        bins::add(ctx, smem, pass, range, bits[i]);
      }
    }
  }

  /// The thread's keys from `first` on; those `room` and more behind it do not exist and are ordered behind all others.
  GIMBAL_DEVICE void load_tile(index_type first, int room, key_type (&loaded)[items]) const
  {
    keys.read(sort_place::input, [&](auto source) {
      const auto mine = source + first;
      if (room == static_cast<int>(tile_items)) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          loaded[i] = block::load_as<key_type>(mine + i * block_threads);
        }
      } else {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < items; ++i) {
          const bool exists = static_cast<int>(i * block_threads) < room;
          loaded[i] = exists ? block::load_as<key_type>(mine + i * block_threads) : block::last_key<Order, key_type>();
        }
      }
    });
  }

  // Relaxed: negative zeros are read by later launches, the order after the block's arrival, as its counts are.
  template <class Context>
  GIMBAL_DEVICE void note(
    Context& ctx, shared& smem, index_type first, const key_type (&loaded)[items], const bits_type (&bits)[items]) const
  {
    if constexpr (Notes && is_floating) {
      bool is_found = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        is_found = is_found || block::is_joined_zero<Order>(loaded[i]);
      }
      note_once(ctx, is_found, smem.joined_zero, state->has_joined_zero);
    }
    if constexpr (Notes) {
      const bool is_seen = ctx.atomic_shared(smem.out_of_order).load(::cuda::std::memory_order_relaxed) != 0;
      if (ctx.ballot(!is_seen) != 0) {
        note_once(ctx, are_out_of_order(ctx, first, bits), smem.out_of_order, state->is_out_of_order);
      }
    }
  }

  /// If it is so in any lane.
  template <class Context>
  static GIMBAL_DEVICE void note_once(Context& ctx, bool is_so, unsigned& of_block, unsigned& of_all)
  {
    const bool is_found = ctx.ballot(is_so) != 0;
    if (
      is_found && ctx.lane() == 0 && ctx.atomic_shared(of_block).exchange(1u, ::cuda::std::memory_order_relaxed) == 0) {
      ctx.atomic(of_all).store(1u, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Whether some key of the warp's rows of 32 comes behind the next. What fills up the last tile is ordered behind all keys.
  template <class Context>
  GIMBAL_DEVICE bool are_out_of_order(Context& ctx, index_type first, const bits_type (&bits)[items]) const
  {
    static_assert(items <= simt::warp_threads, "a lane for each row");
    const bits_type sorted = plan.template sorted_mask<bits_type>();
    const auto descends = [&](bits_type one, bits_type next) { return (one & sorted) > (next & sorted); };
    bool found = false;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const bits_type next = ctx.shfl_down(bits[i], 1);
      found = found | (ctx.lane() + 1 < simt::warp_threads && descends(bits[i], next));
    }
    // The last of each row and the first of the next warp's, which a lane reads for all.
    const index_type end = first - ctx.lane() + ctx.lane() * block_threads + simt::warp_threads;
    if (ctx.lane() < items && end < n) {
      keys.read(sort_place::input, [&](auto source) {
        const auto bits_at = [&](index_type i) {
          return block::ordered_bits<Order>(block::load_as<key_type>(source + i));
        };
        found = found | descends(bits_at(end - 1), bits_at(end));
      });
    }
    return found;
  }

  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, const shared& smem) const
  {
    const bool has_last = (tiles - 1) % static_cast<index_type>(ctx.blocks()) == static_cast<index_type>(ctx.block());
    const unsigned fill = has_last ? static_cast<unsigned>(tiles * tile_items - n) : 0;
    bins::add_to(ctx, smem, state->bins, plan.passes, [&](unsigned pass, unsigned digit) {
      return digit == plan.range(pass).template digit<Order>(block::last_key<Order, key_type>()) ? fill : 0;
    });
  }

  GIMBAL_DEVICE void note_bin(shared& smem, unsigned pass, const block::radix_bin& bin) const
  {
    state->bases[pass][0][bin.digit] = bin.before;
    if constexpr (Notes) {
      radix_codes<most_passes>& codes = state->codes;
      if (bin.count != 0) {
        codes.number[pass][bin.digit] = static_cast<unsigned char>(bin.used_before);
        codes.digit[pass][bin.used_before] = static_cast<unsigned char>(bin.digit);
      }
      if (bin.digit == block::radix_size - 1) {
        smem.used[pass] = bin.used_before + (bin.count != 0);
        codes.used[pass] = smem.used[pass];
      }
    }
  }

  /// Of one thread, when the bins of all passes are noted.
  // Relaxed: the order of neighbours is noted before the blocks arrive, as the counts are.
  template <class Context>
  GIMBAL_DEVICE void choose_course(Context& ctx, const shared& smem) const
  {
    const unsigned out_of_order = ctx.atomic(state->is_out_of_order).load(::cuda::std::memory_order_relaxed);
    const unsigned joined_zero = ctx.atomic(state->has_joined_zero).load(::cuda::std::memory_order_relaxed);
    radix_course course{};
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      if (smem.used[pass] > 1) {
        course.passes |= pass << 4 * course.differing;
        ++course.differing;
      }
      course.bits += radix_codes<most_passes>::width_of(smem.used[pass]);
    }
    // Keys that are equal in order may differ in bits, which codes would lose, where zeros of both signs are joined.
    const bool is_by_code =
      may_take_codes && joined_zero == 0 && course.code_plan().passes + code_passes <= course.differing;
    course.way = out_of_order == 0 ? radix_way::in_order : is_by_code ? radix_way::by_code : radix_way::by_digits;
    if (Samples && course.way == radix_way::by_digits) {
      const radix_sample_shifts& shifts = smem.sampled;
      const auto choose = [&](radix_way way, unsigned shift) {
        course.way = way;
        course.leading = static_cast<std::uint16_t>(digits_from(course, shift));
        course.bits = shift;
      };
      if (is_promising(ctx, course, shifts.of_buckets, state->sample.has_crowded_bucket)) {
        choose(radix_way::by_bucket, shifts.of_buckets);
      } else if (is_promising(ctx, course, shifts.of_prefix, state->sample.has_mixed_prefix)) {
        choose(radix_way::by_prefix, shifts.of_prefix);
      }
    }
    state->course = course;
  }

  /// Whether the digits from bit `shift` on should lead: they have been looked at, are few enough, and nothing was noted
  /// against it. Relaxed: as above.
  template <class Context>
  GIMBAL_DEVICE bool is_promising(Context& ctx, const radix_course& course, unsigned shift, unsigned& objection) const
  {
    const unsigned leading = shift == 0 ? 0 : digits_from(course, shift);
    return leading != 0 && leading <= sample.most_leading && leading + least_saved_by_buckets <= course.differing
           && ctx.atomic(objection).load(::cuda::std::memory_order_relaxed) == 0;
  }

  /// How many of the digits that are not the same in all keys begin at bit `shift` or above: those of the guess, and
  /// others that few keys have.
  GIMBAL_DEVICE unsigned digits_from(const radix_course& course, unsigned shift) const
  {
    unsigned digits = 0;
    while (digits < course.differing && plan.range(course.pass(course.differing - 1 - digits)).shift >= shift) {
      ++digits;
    }
    return digits;
  }
};

/// Blocks of the histogram: enough to fill a device, and so many that no block counts 2^32 keys.
template <class Kernel>
index_type radix_histogram_blocks(index_type tiles, index_type preferred)
{
  constexpr index_type most_tiles = (index_type{1} << 31) / Kernel::tile_items;
  const index_type least = (tiles + most_tiles - 1) / most_tiles;
  return tiles < preferred ? tiles : least < preferred ? preferred : least;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
