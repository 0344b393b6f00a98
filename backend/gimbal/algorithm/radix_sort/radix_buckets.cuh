// Buckets of a radix sort (a most significant digit first step): keys that share their leading digits. Where every
// bucket fits into a block's shared memory, passes by the leading digits are enough, and blocks sort the buckets
// (radix_bucket_sort.cuh). This serves 8-byte keys.
//
// Leading digits are the last ones of those in which keys differ. Whether buckets will be small enough is judged by a
// sample, taken during the counting of all keys (radix_histogram.cuh), as a launch of its own would take longer than
// the sampling. Which digits lead is not known before all keys are counted; it is guessed from 32 keys, as the bits
// above some digit. Above it may be other digits in which hardly any keys differ, such as the exponents of small
// numbers among those between 0 and 1: they lead, too. If that makes too many leading digits, buckets are not used.
//
// Where buckets begin, and whether each of them does fit, is found out after the last pass. If a bucket does not fit,
// or too many of its keys are alike, which the sample makes unlikely, the sort falls back to passes by all digits, from
// its present state: all that was done so far has kept the order of equal keys.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_bucket_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Passes that buckets must save, as sorting them takes longer than one pass.
inline constexpr unsigned least_saved_by_buckets = 2;

/// The size of the sample, its tables, and its limits.
struct radix_sample {
  unsigned leading_digits;      ///< 0: no sample is taken
  unsigned most_leading;        ///< limit of leading digits
  unsigned period;              ///< one key in this many is in the sample,
  unsigned runs;                ///< in runs
  unsigned run_items;           ///< of this many keys
  unsigned tag_period;          ///< one run in this many has a tagged key
  unsigned row_bits;            ///< log2 of the number of counts
  unsigned tag_row_bits;        ///< log2 of the number of tags
  unsigned most_in_bucket;      ///< limit of sampled keys with the same leading digits
  unsigned cell_bits;           ///< below the leading digits: a bucket's keys should differ in them
  unsigned most_equal;          ///< limit of pairs of tagged keys that do not
  std::uint64_t most_of_digit;  ///< keys with one value of a leading digit, so that buckets can be expected to fit
  unsigned* counts;             ///< of keys, by their leading digits; all zero
  unsigned* tags;               ///< all zero

  /// Bytes of the tables.
  const void* end() const { return tags + (std::size_t{1} << tag_row_bits); }
};

/// What the sample shows; all zero before.
struct radix_sample_flags {
  unsigned has_overflow_bucket;
  unsigned equal_pairs;  ///< of tagged keys
};

// All accesses are relaxed: counts, tags and flags are independent of one another; the flags are read after the arrival
// of all blocks.

/// Samples short runs of keys at pseudo-random positions, and tests whether a bucket is too large, by counting keys
/// with the same leading digits; and whether a bucket's keys are clustered, by how often two are almost equal.
template <class Keys>
struct radix_sampler {
  using key_type = typename Keys::value_type;
  static constexpr unsigned batch = 4;  // loads in flight

  Keys keys;
  block::radix_order<key_type> order;
  index_type n;
  radix_sample sample;
  radix_sample_flags* flags;

  /// Number of bits below the leading digits, guessed from those in which 32 keys differ; 0: there are too few digits.
  /// The same in all threads.
  template <class Context>
  GIMBAL_DEVICE unsigned guess_shift(Context& ctx, const block::digit_plan& plan) const
  {
    const key_type own = load(ctx.lane() * ((n - 1) / (simt::warp_threads - 1)));
    key_type different = own ^ ctx.shfl(own, 0);
    for (unsigned lanes = simt::warp_threads / 2; lanes != 0; lanes /= 2) {
      different |= ctx.shfl(different, ctx.lane() ^ lanes);
    }
    unsigned found = 0;
    for (unsigned pass = plan.passes; pass != 0; --pass) {
      const block::digit_range range = plan.range(pass - 1);
      found += range.digit(different) != 0 ? 1u : 0u;
      if (found == sample.leading_digits) {
        return range.shift;
      }
    }
    return 0;
  }

  /// One warp of each block samples a few keys: enough to detect many equal ones, before all threads add to the same
  /// counter.
  template <class Context>
  GIMBAL_DEVICE void sample_first(Context& ctx, unsigned shift) const
  {
    sample_keys(ctx, shift, ctx.block() * simt::warp_threads + ctx.lane(), few(ctx), few(ctx));
  }
  /// All threads of all blocks sample the rest.
  template <class Context>
  GIMBAL_DEVICE void sample_rest(Context& ctx, unsigned shift) const
  {
    const unsigned first = few(ctx) + ctx.block() * Context::block_threads + ctx.thread();
    sample_keys(ctx, shift, first, sample.runs * sample.run_items, ctx.blocks() * Context::block_threads);
  }

private:
  template <class Context>
  GIMBAL_DEVICE unsigned few(const Context& ctx) const
  {
    const unsigned all = sample.runs * sample.run_items;
    const unsigned lanes = ctx.blocks() * simt::warp_threads;
    return lanes < all ? lanes : all;
  }

  /// The sample's keys i, i + stride, ... before `end`. Inlined twice: as a function it takes longer (perf/LOG.md).
  template <class Context>
  GIMBAL_DEVICE void sample_keys(Context& ctx, unsigned shift, unsigned i, unsigned end, unsigned stride) const
  {
    const auto has_failed = ctx.atomic(flags->has_overflow_bucket);
    GIMBAL_NO_UNROLL
    for (; i < end && has_failed.load(::cuda::std::memory_order_relaxed) == 0; i += batch * stride) {
      key_type bits[batch];
      bool is_tagged[batch];
      bool is_there[batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        const unsigned number = i + j * stride;
        is_there[j] = number < end;
        is_tagged[j] = is_there[j] && number % (sample.tag_period * sample.run_items) == 0;
        bits[j] = is_there[j] ? load(position(number)) : key_type{0};
      }
      if (has_overflow(ctx, shift, bits, is_there, is_tagged)) {
        has_failed.store(1u, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Whether one of the keys exceeds the limit of its bucket, or that of almost equal pairs.
  template <class Context>
  GIMBAL_DEVICE bool has_overflow(
    Context& ctx, unsigned shift, const key_type (&bits)[batch], const bool (&is_there)[batch],
    const bool (&is_tagged)[batch]) const
  {
    const unsigned cell_shift = shift > sample.cell_bits ? shift - sample.cell_bits : 0;
    // A load comes first, so that no atomic goes to a contended counter that is already above the limit.
    unsigned count[batch];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      count[j] = is_there[j] ? count_of(ctx, bits[j] >> shift).load(::cuda::std::memory_order_relaxed)
                             : sample.most_in_bucket + 1;
    }
    bool overflows = false;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if (count[j] <= sample.most_in_bucket) {
        count[j] = count_of(ctx, bits[j] >> shift).fetch_add(1u, ::cuda::std::memory_order_relaxed);
        overflows = overflows || count[j] == sample.most_in_bucket;
      }
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      overflows = overflows || (is_tagged[j] && makes_too_many_pairs(ctx, bits[j] >> cell_shift));
    }
    return overflows;
  }

  GIMBAL_DEVICE key_type load(index_type at) const
  {
    key_type bits = 0;
    keys.read(sort_place::input, [&](auto source) { bits = order.ordered(block::load_as<key_type>(source + at)); });
    return bits;
  }

  /// Position of the sample's i-th key.
  GIMBAL_DEVICE index_type position(unsigned i) const
  {
    const unsigned run = i / sample.run_items;
    const index_type among_runs =
      index_type{run} * sample.period + static_cast<unsigned>(hash(run + 1)) % sample.period;
    return among_runs * sample.run_items + i % sample.run_items;
  }

  /// The finaliser of SplitMix64.
  static GIMBAL_DEVICE std::uint64_t hash(std::uint64_t value)
  {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
  }

  /// A counter for each value of the leading digits if there are enough; else consecutive values share them evenly.
  template <class Context>
  GIMBAL_DEVICE auto count_of(Context& ctx, std::uint64_t leading) const
  {
    const auto hashed = static_cast<unsigned>(leading + (leading >> sample.row_bits) * 0x9e3779b1u);
    return ctx.atomic(sample.counts[hashed & ((1u << sample.row_bits) - 1)]);
  }

  /// A pair: the key's tag, a hash of its upper bits, replaces the same tag in its row.
  template <class Context>
  GIMBAL_DEVICE bool makes_too_many_pairs(Context& ctx, std::uint64_t cell) const
  {
    const std::uint64_t hashed = hash(cell + 1);
    const unsigned tag = static_cast<unsigned>(hashed) | 1;
    const auto row = static_cast<std::size_t>(hashed >> (64 - sample.tag_row_bits));
    return ctx.atomic(sample.tags[row]).exchange(tag, ::cuda::std::memory_order_relaxed) == tag
           && ctx.atomic(flags->equal_pairs).fetch_add(1u, ::cuda::std::memory_order_relaxed) == sample.most_equal;
  }
};

/// Finds where buckets begin, for every unit of items.
template <class Shape, class Keys, class State>
struct radix_bucket_start_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks =
    0;  // else all blocks would start on the few multiprocessors that are free first
  static constexpr unsigned unit = Shape::unit_items;
  static constexpr unsigned reach = Shape::most_bucket_items;
  struct shared {};

  Keys keys;
  block::radix_order<key_type> order;
  unsigned n;
  radix_buckets<State> buckets;

  /// One for every unit, and one for the end.
  static unsigned starts(index_type n) { return static_cast<unsigned>((n + unit - 1) / unit) + 1; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const index_type position = (static_cast<index_type>(ctx.block()) * block_threads + ctx.thread()) * unit;
    const unsigned shift = buckets.shift();
    if (!buckets.are_taken(ctx) || position >= static_cast<index_type>(n) + unit) {
      return;
    }
    const unsigned nominal = position < n ? static_cast<unsigned>(position) : n;
    const unsigned start = nominal == 0 ? 0 : find_start(nominal, shift);
    if (start - nominal > reach) {
      buckets.give_up(ctx);
    }
    buckets.starts[position / unit] = start;
  }

private:
  /// Binary search for the first bucket that begins at or after `from`; something beyond `reach` if there is none
  /// within it.
  GIMBAL_DEVICE unsigned find_start(unsigned from, unsigned shift) const
  {
    unsigned found = from;
    keys.read(sort_place::output, [&](auto source) {
      const auto leading = [&](unsigned i) { return order.ordered(block::load_as<key_type>(source + i)) >> shift; };
      const auto before = leading(from - 1);
      unsigned end = n - from <= reach ? n : from + reach + 1;  // not before the start, or beyond reach
      while (found < end) {
        const unsigned middle = found + (end - found) / 2;
        if (leading(middle) == before) {
          found = middle + 1;
        } else {
          end = middle;
        }
      }
    });
    return found;
  }
};

/// What the host does for buckets.
template <class Shape, class Keys, class Values, class State>
class radix_bucket_steps {
  using key_type = typename Keys::value_type;
  using start_kernel = radix_bucket_start_kernel<Shape, Keys, State>;
  using sort_kernel = radix_bucket_sort_kernel<Shape, Keys, Values, State>;

public:
  /// This is for n keys, sorted by all their bits; the tables are in the buffer that passes move keys to, while it
  /// holds no keys. There are no leading digits if the sort takes passes by all digits.
  static radix_sample choose_sample(index_type n, key_type* buffer)
  {
    const unsigned digits = Shape::least_items <= n && n <= Shape::most_items ? leading_digits(n) : 0;
    return digits == 0 ? radix_sample{} : choose_sample(n, digits, reinterpret_cast<unsigned*>(buffer));
  }

  /// Follows the passes by the leading digits and sorts the buckets. The buffer holds where they start.
  static status sort(
    const Keys& keys, const Values& values, const block::radix_order<key_type>& order, State* state, index_type n,
    simt::stream_type stream)
  {
    const radix_buckets<State> buckets{state, reinterpret_cast<unsigned*>(keys.buffer)};
    const unsigned starts = start_kernel::starts(n);
    GIMBAL_TRY(simt::launch(
      start_kernel{keys, order, static_cast<unsigned>(n), buckets}, starts / start_kernel::block_threads + 1, stream,
      "radix sort: starts of buckets"));
    return simt::launch(
      sort_kernel{keys, values, order, buckets, starts - 1}, algorithm::radix_engine_blocks<sort_kernel>(), stream,
      "radix sort: buckets");
  }

private:
  /// Expected size, with a margin, for uniformly distributed keys.
  static index_type bucket_items(index_type n, unsigned digits) { return (n + n / 16) >> (digits * block::radix_bits); }

  /// One key in `period`: seldom, if the sample is large even so and the buckets are expected to be far from too large.
  static radix_sample choose_sample(index_type n, unsigned digits, unsigned* tables)
  {
    constexpr unsigned most_tagged = 1u << (Shape::tag_row_bits - 1);
    constexpr unsigned run_items = Shape::sample_run_bytes / sizeof(key_type);
    const auto runs = [&](unsigned period) { return n / (index_type{period} * run_items); };
    unsigned period = Shape::sample_period;
    while (2 * period <= Shape::most_sample_period && runs(2 * period) >= most_tagged
           && 4 * bucket_items(n, digits) <= Shape::most_bucket_items) {
      period *= 2;
    }
    radix_sample sample{};
    sample.leading_digits = digits;
    sample.most_leading = digits + Shape::spare_digits;
    sample.row_bits = Shape::sample_row_bits;
    sample.tag_row_bits = Shape::tag_row_bits;
    sample.period = period;
    sample.run_items = run_items;
    sample.runs = static_cast<unsigned>(runs(period));
    sample.tag_period = 1 + sample.runs / (most_tagged + 1);
    // Keys of the sample in a bucket of uniformly distributed keys, or in the buckets that share a count.
    const auto of_bucket = static_cast<unsigned>(bucket_items(n, digits) / period);
    const unsigned of_count = (sample.runs * run_items) >> Shape::sample_row_bits;
    sample.most_in_bucket =
      most_in_sample(of_bucket > of_count ? of_bucket : of_count, Shape::most_bucket_items / period);
    // The limit is where, for this average number of keys in a bucket, the largest buckets still fit.
    constexpr unsigned most = Shape::most_bucket_items;
    sample.most_of_digit = static_cast<std::uint64_t>(most - 5 * root_of(most)) << block::radix_bits * (digits - 1);
    // About eight cells for each uniformly distributed key. The limit is the number of pairs expected if each bin of a
    // bucket held `most_load` keys.
    const unsigned leading_bits = digits * block::radix_bits;
    const unsigned cell_bits = simt::bit_width(static_cast<std::uint64_t>(n)) + 2;
    sample.cell_bits = cell_bits > leading_bits + 8 ? cell_bits - leading_bits : 8;
    const index_type tagged = sample.runs / sample.tag_period;
    sample.most_equal = static_cast<unsigned>(tagged * tagged / 2 * Shape::most_load / n) + 4;
    sample.counts = tables;
    sample.tags = tables + (std::size_t{1} << sample.row_bits);
    return sample;
  }

  /// The limit for a bucket's keys in the sample is what a bucket that just fits has. But uniformly distributed keys
  /// have to pass, and of many buckets the largest has four or five standard deviations more than expected.
  static unsigned most_in_sample(unsigned expected, unsigned fitting)
  {
    const unsigned largest = expected + 6 * root_of(expected);
    return largest > fitting ? largest : fitting;
  }
  static unsigned root_of(unsigned square)
  {
    unsigned root = 0;
    while (root * root < square) {
      ++root;
    }
    return root;
  }

  /// As few leading digits as make buckets fit; none if that saves too few passes.
  static unsigned leading_digits(index_type n)
  {
    unsigned digits = Shape::least_digits;
    while (bucket_items(n, digits) > Shape::most_bucket_items) {
      ++digits;
    }
    return digits + least_saved_by_buckets <= sizeof(key_type) ? digits : 0;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
