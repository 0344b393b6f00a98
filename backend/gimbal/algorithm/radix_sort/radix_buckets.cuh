// Buckets of a radix sort (a most significant digit first step): keys that share their leading digits. Where every bucket fits into a
// block's shared memory, passes by the leading digits are enough, and blocks sort the buckets (radix_bucket_sort.cuh). Of 8-byte keys.
//
// Leading digits are the last ones of those in which keys differ. Whether buckets will be small enough is estimated before the
// first pass (radix_sample.cuh); where they begin, and whether each of them does fit, is found out behind the last. If a bucket
// does not fit, or too many of its keys are alike, which the sample makes unlikely, the sort falls back to passes by all digits,
// from its present state: all that was done so far has kept the order of equal keys.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_bucket_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

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

  /// One for every unit, and one behind the last item.
  static unsigned starts(index_type n) { return static_cast<unsigned>((n + unit - 1) / unit) + 1; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const index_type place = (static_cast<index_type>(ctx.block()) * block_threads + ctx.thread()) * unit;
    const unsigned shift = buckets.shift();
    if (!buckets.are_taken(ctx) || place >= static_cast<index_type>(n) + unit) {
      return;
    }
    const unsigned nominal = place < n ? static_cast<unsigned>(place) : n;
    const unsigned start = nominal == 0 ? 0 : find_start(nominal, shift);
    if (start - nominal > reach) {
      buckets.give_up(ctx);
    }
    buckets.starts[place / unit] = start;
  }

private:
  /// Binary search for the first bucket that begins at or behind `from`; something beyond `reach` if there is none within it.
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

/// How many blocks of the kernel the current device runs at a time; 0 if it has too little shared memory for one.
template <class Kernel>
unsigned radix_engine_blocks()
{
  unsigned blocks = 0;
  return simt::expected_blocks<Kernel>(blocks) ? 0 : blocks;
}

template <class Shape, class Keys, class Values, class State>
class radix_bucket_steps {
  using key_type = typename Keys::value_type;
  using start_kernel = radix_bucket_start_kernel<Shape, Keys, State>;
  using sort_kernel = radix_bucket_sort_kernel<Shape, Keys, Values, State>;

public:
  /// For n keys, sorted by all their bits.
  radix_bucket_steps(index_type n, bool is_possible) : n_(n)
  {
    if (is_possible && Shape::least_items <= n && n <= Shape::most_items) {
      const unsigned digits = leading_digits(n);
      if (digits != 0) {
        choose_sample(digits);
      }
    }
  }

  /// The most digits that may lead; 0: none, the sort takes passes by all digits.
  unsigned digits() const { return sample_.most_leading; }
  /// Taken by the histogram.
  const radix_sample& sample() const { return sample_; }

  /// Places the tables in the buffer that passes move keys to, while it holds no keys. Returns the end of what is to be cleared before
  /// the first launch, from the buffer's begin on.
  const void* place(State* state, key_type* buffer)
  {
    if (digits() == 0) {
      return buffer;
    }
    buckets_.state = state;
    sample_.counts = reinterpret_cast<unsigned*>(buffer);
    sample_.tags = sample_.counts + (std::size_t{1} << Shape::sample_row_bits);
    buckets_.starts = reinterpret_cast<unsigned*>(buffer);
    return sample_.tags + (std::size_t{1} << Shape::tag_row_bits);
  }

  /// Behind the passes by the leading digits: sorts the buckets.
  status sort(
    const Keys& keys, const Values& values, const block::radix_order<key_type>& order, simt::stream_type stream) const
  {
    const unsigned starts = start_kernel::starts(n_);
    GIMBAL_TRY(simt::launch(
      start_kernel{keys, order, static_cast<unsigned>(n_), buckets_}, starts / start_kernel::block_threads + 1, stream,
      "radix sort: starts of buckets"));
    return simt::launch(
      sort_kernel{keys, values, order, buckets_, starts - 1}, algorithm::radix_engine_blocks<sort_kernel>(), stream,
      "radix sort: buckets");
  }

private:
  /// Expected size, with a margin, for uniformly distributed keys.
  static index_type bucket_items(index_type n, unsigned digits) { return (n + n / 16) >> (digits * block::radix_bits); }

  /// One key in `period`: seldom, if the sample is large even so and the buckets are expected to be far from too large.
  void choose_sample(unsigned digits)
  {
    constexpr unsigned most_tagged = 1u << (Shape::tag_row_bits - 1);
    constexpr unsigned run_items = Shape::sample_run_bytes / sizeof(key_type);
    const auto runs = [&](unsigned period) { return n_ / (index_type{period} * run_items); };
    unsigned period = Shape::sample_period;
    while (2 * period <= Shape::most_sample_period && runs(2 * period) >= most_tagged
           && 4 * bucket_items(n_, digits) <= Shape::most_bucket_items) {
      period *= 2;
    }
    sample_.leading_digits = digits;
    sample_.most_leading = digits + Shape::spare_digits;
    sample_.row_bits = Shape::sample_row_bits;
    sample_.tag_row_bits = Shape::tag_row_bits;
    sample_.period = period;
    sample_.run_items = run_items;
    sample_.runs = static_cast<unsigned>(runs(period));
    sample_.tag_period = 1 + sample_.runs / (most_tagged + 1);
    // Of uniformly distributed keys a bucket has so many in the sample, or as many as the buckets that share a count.
    const auto of_bucket = static_cast<unsigned>(bucket_items(n_, digits) / period);
    const unsigned of_count = (sample_.runs * run_items) >> Shape::sample_row_bits;
    sample_.most_in_bucket =
      most_in_sample(of_bucket > of_count ? of_bucket : of_count, Shape::most_bucket_items / period);
    // Of buckets with so many keys on the average the largest fit.
    constexpr unsigned most = Shape::most_bucket_items;
    sample_.most_of_digit = static_cast<std::uint64_t>(most - 5 * root_of(most)) << block::radix_bits * (digits - 1);
    // About eight cells for each uniformly distributed key. The limit is the number of pairs expected if each bin of a bucket held
    // `most_load` keys.
    const unsigned leading_bits = digits * block::radix_bits;
    const unsigned cell_bits = simt::bit_width(static_cast<std::uint64_t>(n_)) + 2;
    sample_.cell_bits = cell_bits > leading_bits + 8 ? cell_bits - leading_bits : 8;
    const index_type tagged = sample_.runs / sample_.tag_period;
    sample_.most_equal = static_cast<unsigned>(tagged * tagged / 2 * Shape::most_load / n_) + 4;
  }

  /// The limit for a bucket's keys in the sample: those of a bucket that just fits. But uniformly distributed keys have to pass, and of many
  /// buckets the largest has four or five standard deviations more than is expected.
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

  /// As few as make buckets fit; none if that saves too few passes.
  static unsigned leading_digits(index_type n)
  {
    unsigned digits = Shape::least_digits;
    while (bucket_items(n, digits) > Shape::most_bucket_items) {
      ++digits;
    }
    return digits + least_saved_by_buckets <= sizeof(key_type) ? digits : 0;
  }

  index_type n_;
  radix_buckets<State> buckets_{};
  radix_sample sample_{};
};

/// For sorts that never make buckets.
struct no_bucket_steps {
  no_bucket_steps(index_type, bool) {}
  static constexpr unsigned digits() { return 0; }
  static radix_sample sample() { return {}; }
  template <class State, class Key>
  static const void* place(State*, Key* buffer)
  {
    return buffer;
  }
  template <class... Arguments>
  static status sort(const Arguments&...)
  {
    return {};
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
