// First launch of a radix sort: for every pass and digit, the position in the output of the first key with that digit
// (an upsweep).
//
// One sweep over the keys counts the digits of all passes, as passes permute the keys but never change how many have a
// digit. Traffic: the keys once. Counts are integers, so the result does not depend on the order of additions. No block
// waits for another.
//
// The last block also chooses the strategy (radix_strategy), from three tests made on the way: whether the keys are
// sorted already (a block that has seen two neighbours out of order stops testing, so this costs unsorted input next to
// nothing); in which digits keys differ; and, with `MayBucket`, whether the last ones of these digits lead to buckets
// that will be small enough (radix_bucket_sort.cuh). That is judged as if digits did not depend on one another: then
// the fullest bucket has as large a share of the keys as the product of those that the most frequent values of its
// digits have. So digits in which hardly any keys differ, such as the exponents of small numbers, do not count. Many
// equal keys, which crowd in their bucket, are noticed by comparing some keys of each block with one another.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_words.h>

#include <cuda/std/functional>
#include <gimbal/collective/scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// How a sort proceeds.
enum class radix_strategy : unsigned {
  by_digits,       ///< a pass for each digit in which keys differ
  already_sorted,  ///< nothing to sort
  by_bucket,       ///< passes for the leading digits, then buckets (radix_bucket_sort.cuh)
  buckets_failed   ///< found after those passes: now a pass for each digit
};

/// Passes that buckets must save, as sorting them takes longer than one pass.
inline constexpr unsigned least_saved_by_buckets = 2;

/// Which digits may lead, and what their buckets may hold.
struct radix_bucket_limits {
  unsigned least_leading;  ///< for uniformly distributed keys
  unsigned most_leading;   ///< 0: no buckets
  unsigned most_expected;  ///< keys of the fullest bucket
  unsigned most_load;      ///< keys of a bucket that share the two digits below
  unsigned most_equal;     ///< keys that equal another one, among those that are compared

  /// For n keys of `digits` digits that are sorted by all their bits, of which `compared` pairs are compared.
  template <class Shape>
  static radix_bucket_limits of(index_type n, unsigned digits, index_type compared)
  {
    unsigned leading = Shape::least_digits;
    while ((n + n / 16) >> (leading * block::radix_bits) > Shape::most_bucket_items) {
      ++leading;
    }
    if (leading + least_saved_by_buckets > digits || n < Shape::least_items || Shape::most_items < n) {
      return {};
    }
    return {
      leading, leading + Shape::spare_digits, Shape::most_expected, Shape::most_load,
      static_cast<unsigned>(4 + Shape::most_copies * compared / n)};
  }
};

/// The strategy and its parameters, in one vector: a pass loads it at once.
struct alignas(16) radix_decision {
  radix_strategy strategy;
  std::uint16_t differing;  ///< number of digits in which keys differ
  std::uint16_t leading;    ///< how many of them lead, by buckets
  unsigned passes;          ///< the passes of those digits, four bits each, the first one's lowest
  unsigned bits;            ///< by buckets: of a key, below the leading digits

  GIMBAL_DEVICE unsigned pass(unsigned k) const { return passes >> 4 * k & 0xf; }
};

/// What the kernels of one radix sort share, besides the look-back descriptors. It is cleared before the histogram.
template <unsigned MostPasses>
struct radix_state {
  /// Per pass and digit: keys that have it; zero again after the histogram.
  std::uint64_t bins[MostPasses][block::radix_size];
  unsigned arrived_blocks;  ///< that have added to all bins
  unsigned tickets[2];      ///< tiles claimed, in launches of even and odd number
  /// Per pass and digit: position of the next such key. Each launch of a pass reads one row and writes another. The
  /// first row stays as it is: a pass may have to be taken again.
  index_type bases[MostPasses][3][block::radix_size];
  radix_decision decision;
  unsigned has_joined_zero;  ///< a key is the zero that counts as the other one
  unsigned is_out_of_order;  ///< some key is greater than the next
  unsigned equal_keys;       ///< that equal another one, among those that were compared

  /// The row of `bases` that launch `part` of a pass reads; it writes that of the next.
  static GIMBAL_HOST_DEVICE unsigned base_row(unsigned part) { return part == 0 ? 0 : 2 - part % 2; }
};

/// With `MayBucket` it may choose buckets.
template <class Tuning, class Keys, bool MayBucket>
struct radix_histogram_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = Tuning::histogram_threads;
  static constexpr unsigned items = Tuning::histogram_items_per_thread;
  static constexpr unsigned tile_items = block_threads * items;
  static constexpr unsigned most_passes = block::most_radix_passes<key_type>;
  static constexpr unsigned resident_blocks = block_threads == 1024 ? 1 : 0;
  /// Of a row of keys in each warp, for a block.
  static constexpr index_type compared_pairs = block_threads * (simt::warp_threads - 1) / 2;
  static constexpr unsigned copies = Tuning::histogram_copies;  ///< of each count, against conflicts of lanes
  static constexpr unsigned bin_threads = block_threads < block::radix_size ? block_threads : block::radix_size;
  using bin_scan = block::scan<std::uint64_t, bin_threads>;

  struct shared {
    unsigned counts[most_passes][block::radix_size][copies];
    typename bin_scan::shared scan;
    bool is_last;                         ///< of the blocks to arrive
    unsigned out_of_order;                ///< some thread has seen neighbours out of order
    unsigned joined_zero;                 ///< some thread has seen a joined zero
    bool is_constant[most_passes];        ///< all keys have the same digit; in the last block
    unsigned most_of_digit[most_passes];  ///< keys with the most frequent digit; in the last block
  };

  Keys keys;
  block::radix_order<key_type> order;
  index_type n;
  index_type tiles;
  block::digit_plan plan;
  radix_state<most_passes>* state;
  radix_bucket_limits limits = {};

  /// As many as fill a device. Of what fits into its memory none counts 2^32 keys.
  static index_type blocks(index_type tiles)
  {
    constexpr index_type most = Tuning::histogram_blocks;
    return tiles < most ? tiles : most;
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    GIMBAL_NO_UNROLL
    for (unsigned c = ctx.thread(); c < plan.passes * block::radix_size * copies; c += block_threads) {
      (&smem.counts[0][0][0])[c] = 0;
    }
    if (ctx.thread() == 0) {
      smem.out_of_order = 0;
      smem.joined_zero = 0;
    }
    if (ctx.thread() < most_passes) {
      smem.is_constant[ctx.thread()] = false;
      smem.most_of_digit[ctx.thread()] = 0;
    }
    ctx.sync_block();  // all counts are zero
    index_type tile = ctx.block();
    for (; tile < tiles; tile += ctx.blocks()) {
      count_tile(ctx, smem, tile);
    }
    ctx.sync_block();  // all counts of this block are complete
    add_counts(ctx, smem, tile - ctx.blocks() == tiles - 1);
    if (is_last_block(ctx, smem)) {
      for (unsigned pass = 0; pass < plan.passes; ++pass) {
        store_bases(ctx, smem, pass);
      }
      if (ctx.thread() == 0) {
        decide(ctx, smem);
      }
    }
  }

private:
  /// Counting goes pass by pass, as all of a thread's keys keep enough atomics in flight. Padding of the last tile is
  /// counted, too, and subtracted by add_counts().
  template <class Context>
  GIMBAL_DEVICE void count_tile(Context& ctx, shared& smem, index_type tile) const
  {
    const index_type first = tile * tile_items + ctx.thread();
    const index_type left = n - first;  // from this thread's first key on
    const int room = left < static_cast<index_type>(tile_items) ? static_cast<int>(left) : static_cast<int>(tile_items);
    key_type loaded[items];
    load_tile(first, room, loaded);
    key_type bits[items];
    order.ordered(loaded, bits);
    analyze(ctx, smem, first, loaded, bits);
    if constexpr (MayBucket) {
      if (limits.most_leading != 0 && tile == static_cast<index_type>(ctx.block())) {
        count_equal_keys(ctx, bits[0], room > 0);
      }
    }
    const unsigned width = plan.width();
    GIMBAL_NO_UNROLL
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      const block::digit_range range = plan.range(pass, width);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        auto* const counts = reinterpret_cast<unsigned char*>(smem.counts[pass]);
        const unsigned own = offset_of(range, bits[i]) | ctx.lane() % copies * unsigned{sizeof(unsigned)};
        ctx.atomic_shared(*reinterpret_cast<unsigned*>(counts + own)).fetch_add(1, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Byte offset of a digit's counts within a pass. The key is rotated so that its digit becomes the offset, which
  /// takes an instruction less than shifting down and up again: a histogram is bound by instructions.
  static GIMBAL_DEVICE unsigned offset_of(const block::digit_range& range, key_type ordered)
  {
    constexpr unsigned lowest_bit = 2 + simt::bit_width(copies) - 1;
    static_assert(copies == 1u << (lowest_bit - 2), "the offsets of digits and of copies have bits of their own");
    const unsigned mask = ((1u << range.bits) - 1) << lowest_bit;
    if constexpr (sizeof(key_type) <= sizeof(std::uint32_t)) {
      const std::uint32_t bits = ordered;
      const unsigned right = (range.shift - lowest_bit) % 32;
      return (bits >> right | bits << (32 - right) % 32) & mask;
    } else {
      return static_cast<unsigned>(ordered >> range.shift) << lowest_bit & mask;
    }
  }

  /// Loads the thread's keys from `first` on and, from `room` on, the key that is ordered last.
  GIMBAL_DEVICE void load_tile(index_type first, int room, key_type (&loaded)[items]) const
  {
    keys.read(sort_buffer::input, [&](auto source) {
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
          loaded[i] = exists ? block::load_as<key_type>(mine + i * block_threads) : order.last();
        }
      }
    });
  }

  // Relaxed: has_joined_zero is read by later launches, is_out_of_order after the block's arrival, as its counts are.
  template <class Context>
  GIMBAL_DEVICE void analyze(
    Context& ctx, shared& smem, index_type first, const key_type (&loaded)[items], const key_type (&bits)[items]) const
  {
    if (order.is_floating()) {
      bool is_found = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < items; ++i) {
        is_found = is_found || order.is_joined_zero(loaded[i]);
      }
      raise_flag(ctx, is_found, smem.joined_zero, state->has_joined_zero);
    }
    const bool is_seen = ctx.atomic_shared(smem.out_of_order).load(::cuda::std::memory_order_relaxed) != 0;
    if (ctx.ballot(!is_seen) != 0) {
      raise_flag(ctx, are_out_of_order(ctx, first, bits), smem.out_of_order, state->is_out_of_order);
    }
  }

  /// Compares a row of keys in each warp, with one another.
  // Relaxed: it is read after the block's arrival, as its counts are.
  template <class Context>
  GIMBAL_DEVICE void count_equal_keys(Context& ctx, key_type bits, bool exists) const
  {
    const unsigned equal = simt::popcount(ctx.ballot(algorithm::count_duplicates(ctx, bits, exists) != 0));
    if (ctx.lane() == 0 && equal != 0) {
      ctx.atomic(state->equal_keys).fetch_add(equal, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Sets the block's and the global flag, once, if it is so in any lane.
  template <class Context>
  static GIMBAL_DEVICE void raise_flag(Context& ctx, bool is_so, unsigned& of_block, unsigned& of_all)
  {
    const bool is_found = ctx.ballot(is_so) != 0;
    if (
      is_found && ctx.lane() == 0 && ctx.atomic_shared(of_block).exchange(1u, ::cuda::std::memory_order_relaxed) == 0) {
      ctx.atomic(of_all).store(1u, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Whether some key of the warp's rows of 32 is greater than the next key. Padding is ordered after all keys.
  template <class Context>
  GIMBAL_DEVICE bool are_out_of_order(Context& ctx, index_type first, const key_type (&bits)[items]) const
  {
    static_assert(items <= simt::warp_threads, "a lane for each row");
    const key_type sorted = plan.template sorted_mask<key_type>();
    const auto descends = [&](key_type one, key_type next) { return (one & sorted) > (next & sorted); };
    bool found = false;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const key_type next = ctx.shfl_down(bits[i], 1);
      found = found | (ctx.lane() + 1 < simt::warp_threads && descends(bits[i], next));
    }
    // The last key of each row and the next warp's first: each lane compares those of one row.
    const index_type end = first - ctx.lane() + ctx.lane() * block_threads + simt::warp_threads;
    if (ctx.lane() < items && end < n) {
      keys.read(sort_buffer::input, [&](auto source) {
        const auto bits_at = [&](index_type i) { return order.ordered(block::load_as<key_type>(source + i)); };
        found = found | descends(bits_at(end - 1), bits_at(end));
      });
    }
    return found;
  }

  /// Adds the block's counts, without the padding of the last tile, to those of all blocks.
  // Relaxed: the additions are ordered before the reading of the sums by the arrival.
  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, const shared& smem, bool has_last) const
  {
    constexpr unsigned at_once = copies < 8 ? copies : 8;
    const unsigned fill = has_last ? static_cast<unsigned>(tiles * tile_items - n) : 0;
    for (unsigned bin = ctx.thread(); bin < plan.passes * block::radix_size; bin += block_threads) {
      const unsigned pass = bin / block::radix_size;
      const unsigned digit = bin % block::radix_size;
      unsigned count = 0;
      GIMBAL_NO_UNROLL
      for (unsigned from = 0; from < copies; from += at_once) {
        GIMBAL_UNROLL
        for (unsigned c = 0; c < at_once; ++c) {
          count += smem.counts[pass][digit][(from + c + ctx.lane()) % copies];
        }
      }
      count -= digit == plan.range(pass).digit(order.ordered(order.last())) ? fill : 0;
      if (count != 0) {
        ctx.atomic(state->bins[pass][digit]).fetch_add(count, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Whether this block is the last to arrive.
  // Release: this block's additions come first. Acquire: the last to arrive sees those of all others.
  template <class Context>
  GIMBAL_DEVICE bool is_last_block(Context& ctx, shared& smem) const
  {
    ctx.sync_block();  // all additions of this block come before its arrival
    if (ctx.thread() == 0) {
      smem.is_last =
        ctx.atomic(state->arrived_blocks).fetch_add(1, ::cuda::std::memory_order_acq_rel) == ctx.blocks() - 1;
      if (smem.is_last) {
        ctx.atomic(state->arrived_blocks).store(0u, ::cuda::std::memory_order_relaxed);
      }
    }
    ctx.sync_block();  // every thread knows whether the counts of all blocks are complete
    return smem.is_last;
  }

  /// Where the keys with each digit begin in the output, and how many there are.
  template <class Context>
  GIMBAL_DEVICE void store_bases(Context& ctx, shared& smem, unsigned pass) const
  {
    constexpr unsigned bins_per_thread = (block::radix_size + bin_threads - 1) / bin_threads;
    auto& bins = state->bins[pass];
    const bool has_bins = ctx.warp() * simt::warp_threads < bin_threads;
    const unsigned first = ctx.thread() * bins_per_thread;
    std::uint64_t own[bins_per_thread];
    uninit<std::uint64_t> before;
    if (has_bins) {
      std::uint64_t sum = 0;
      GIMBAL_UNROLL
      for (unsigned k = 0; k < bins_per_thread; ++k) {
        const unsigned digit = first + k;
        own[k] = digit < block::radix_size ? ctx.atomic(bins[digit]).load(::cuda::std::memory_order_relaxed) : 0;
        sum += own[k];
      }
      before.set(sum);
      bin_scan::scan_warps(ctx, smem.scan, before, bin_threads, ::cuda::std::plus<std::uint64_t>{});
    }
    ctx.sync_block();  // the totals of all warps are there
    if (has_bins) {
      const bool is_first = !bin_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<std::uint64_t>{});
      std::uint64_t through = is_first ? 0 : before.get();
      GIMBAL_UNROLL
      for (unsigned k = 0; k < bins_per_thread && first + k < block::radix_size; ++k) {
        const unsigned digit = first + k;
        ctx.atomic(bins[digit]).store(std::uint64_t{0}, ::cuda::std::memory_order_relaxed);
        state->bases[pass][0][digit] = static_cast<index_type>(through);
        if (static_cast<index_type>(own[k]) == n) {
          smem.is_constant[pass] = true;
        }
        if (MayBucket) {
          ctx.atomic_shared(smem.most_of_digit[pass])
            .fetch_max(static_cast<unsigned>(own[k]), ::cuda::std::memory_order_relaxed);
        }
        through += own[k];
      }
    }
    ctx.sync_block();  // the totals have been read: the next call may write its own
  }

  /// Called by one thread, when the bins of all passes are stored.
  // Relaxed: the flags are set before the blocks arrive, as the counts are.
  template <class Context>
  GIMBAL_DEVICE void decide(Context& ctx, const shared& smem) const
  {
    const unsigned out_of_order = ctx.atomic(state->is_out_of_order).load(::cuda::std::memory_order_relaxed);
    radix_decision decision{};
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      if (!smem.is_constant[pass]) {
        decision.passes |= pass << 4 * decision.differing;
        ++decision.differing;
      }
    }
    decision.strategy = out_of_order == 0 ? radix_strategy::already_sorted : radix_strategy::by_digits;
    const unsigned leading = MayBucket && out_of_order != 0 ? leading_digits(ctx, smem, decision) : 0;
    if (leading != 0) {
      decision.strategy = radix_strategy::by_bucket;
      decision.leading = static_cast<std::uint16_t>(leading);
      decision.bits = plan.range(decision.pass(decision.differing - leading)).shift;
    }
    state->decision = decision;
  }

  /// As few of the digits in which keys differ as lead to small buckets, the last ones; 0 if none do or too few passes
  /// are saved.
  template <class Context>
  GIMBAL_DEVICE unsigned leading_digits(Context& ctx, const shared& smem, const radix_decision& decision) const
  {
    if (ctx.atomic(state->equal_keys).load(::cuda::std::memory_order_relaxed) > limits.most_equal) {
      return 0;
    }
    const auto expect = [&](float keys_before, unsigned digit) {  // from the last one on
      const unsigned most = smem.most_of_digit[decision.pass(decision.differing - digit)];
      return keys_before * (static_cast<float>(most) / static_cast<float>(n));
    };
    auto keys_of_bucket = static_cast<float>(n);
    for (unsigned digit = 1; digit <= limits.most_leading && digit + least_saved_by_buckets <= decision.differing;
         ++digit) {
      keys_of_bucket = expect(keys_of_bucket, digit);
      const float load = expect(expect(keys_of_bucket, digit + 1), digit + 2);
      if (
        digit >= limits.least_leading && keys_of_bucket <= static_cast<float>(limits.most_expected)
        && load <= static_cast<float>(limits.most_load)) {
        return digit;
      }
    }
    return 0;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
