// Buckets of a radix sort: keys whose leading digits are the same. Where every bucket fits into a block's shared memory,
// passes by those digits alone are enough, and blocks put the buckets in order (radix_bucket_sort.cuh).
//
// Leading digits are those of the last passes, of the digits that are not the same in all keys. Whether buckets will be
// small enough is estimated from a sample, before the first pass; where they begin, and whether each of them does fit, is
// found out behind the last. Buckets that do not fit, which the sample makes unlikely, leave the sort to passes by all
// digits: all that was done until then has kept the order of equal keys.
#pragma once

#include <gimbal/block/radix_key.cuh>
#include <gimbal/block/tile.cuh>
#include <gimbal/kernel/radix_histogram.cuh>
#include <gimbal/kernel/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// Some buckets in order.
struct radix_group {
  unsigned first;  ///< item
  unsigned count;
};

/// How a sort makes buckets of its keys, and what it knows of them.
template <class State>
struct radix_buckets {
  /// Passes that buckets must save, as putting them in order takes longer than one.
  static constexpr unsigned least_saved = 2;

  unsigned digits;  ///< that lead; 0: the sort makes no buckets
  State* state;
  unsigned* starts;      ///< of every unit of items, and of their end: the first bucket that begins there or behind
  radix_group* crowded;  ///< groups of buckets that are left to another launch
  unsigned* samples;     ///< keys of the sample, by their leading digits; all zero
  unsigned* tags;        ///< of keys of the sample; all zero
  unsigned cell_bits;    ///< below the leading digits, with which a bucket's keys should be different ones
  unsigned most_equal;   ///< pairs of the sample that are not

  /// True if the passes are to be by the leading digits.
  GIMBAL_DEVICE bool are_taken(const radix_course& course) const
  {
    return are_possible(course) && state->has_crowded_bucket == 0;
  }
  GIMBAL_DEVICE bool are_possible(const radix_course& course) const
  {
    return digits != 0 && course.way == radix_way::by_digits && course.differing >= digits + least_saved;
  }
  /// Bits of a key below its leading digits.
  GIMBAL_DEVICE unsigned shift(const radix_course& course, const block::digit_plan& plan) const
  {
    return plan.range(course.pass(course.differing - digits)).shift;
  }
};

/// Of a bucket's `items` keys, one in `period` is in the sample; a bucket with more of them there is taken to be larger.
/// Three standard deviations are added, as many buckets are looked at.
constexpr unsigned most_bucket_samples(unsigned items, unsigned period)
{
  const unsigned expected = items / period;
  unsigned root = 0;
  while (root * root < expected) {
    ++root;
  }
  return expected + 3 * root;
}

/// Judges by a sample of the keys, short runs at places that depend on nothing regular: whether a bucket is too large, by
/// counting keys with the same leading digits; and whether a bucket's keys are crowded, by how often two are almost equal.
template <class Shape, class Order, class Keys, class State>
struct radix_bucket_sample_kernel {
  using key_type = typename Keys::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned period = Shape::sample_period;
  static constexpr unsigned run_items = Shape::sample_run_bytes / sizeof(key_type);
  static constexpr unsigned most_samples = most_bucket_samples(Shape::most_bucket_items, period);
  static constexpr unsigned rows = 1u << Shape::sample_row_bits;
  static constexpr unsigned tag_rows = 1u << Shape::tag_row_bits;
  struct shared {};

  Keys keys;
  index_type n;
  block::digit_plan plan;
  radix_buckets<State> buckets;

  GIMBAL_HOST_DEVICE static index_type runs(index_type n) { return n / (period * run_items); }
  /// Of these runs one key gets a tag.
  GIMBAL_HOST_DEVICE static index_type tagged_runs(index_type n)
  {
    return runs(n) < tag_rows / 2 ? runs(n) : tag_rows / 2;
  }
  /// If each bin of a bucket's keys had `load` keys, these many pairs would be in one.
  static unsigned pairs(index_type n, unsigned load)
  {
    return static_cast<unsigned>(tagged_runs(n) * tagged_runs(n) / 2 * load / n);
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const index_type i = static_cast<index_type>(ctx.block()) * block_threads + ctx.thread();
    const index_type run = i / run_items;
    if (run >= runs(n)) {
      return;
    }
    const auto place = static_cast<unsigned>(mix(static_cast<std::uint64_t>(run) + 1)) % period;
    bits_type bits = 0;  // loaded before it is known whether they are wanted, as a trip to memory is most of all this
    keys.read(sort_place::input, [&](auto source) {
      const auto at = source + ((run * period + place) * run_items + i % run_items);
      bits = block::ordered_bits<Order>(block::load_as<key_type>(at));
    });
    const radix_course course = buckets.state->course;
    if (!buckets.are_possible(course)) {
      return;
    }
    const unsigned shift = buckets.shift(course, plan);
    const unsigned cell_shift = shift > buckets.cell_bits ? shift - buckets.cell_bits : 0;
    const bool is_second = i % run_items == 0 && is_tagged(run) && is_known(ctx, bits >> cell_shift);
    if (
      is_too_many(ctx, buckets.samples[row_of(bits >> shift)], most_samples)
      || (is_second && is_too_many(ctx, buckets.state->equal_samples, buckets.most_equal))) {
      ctx.atomic(buckets.state->has_crowded_bucket).store(1u, ::cuda::std::memory_order_relaxed);
    }
  }

private:
  /// Without a pattern that keys could share. (The constants are those of SplitMix64.)
  static GIMBAL_DEVICE std::uint64_t mix(std::uint64_t value)
  {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
  }

  /// The tagged runs lie evenly among all.
  GIMBAL_DEVICE bool is_tagged(index_type run) const
  {
    const index_type tagged = tagged_runs(n);
    return run * tagged / runs(n) != (run + 1) * tagged / runs(n);
  }

  // All relaxed: counts and tags are for themselves, and what comes of them is read by later launches.

  /// Adds one; true if there are more than `most` then. Of many that is known without adding, at an address that all want.
  template <class Context>
  GIMBAL_DEVICE bool is_too_many(Context& ctx, unsigned& counter, unsigned most) const
  {
    const auto count = ctx.atomic(counter);
    return count.load(::cuda::std::memory_order_relaxed) <= most
           && count.fetch_add(1u, ::cuda::std::memory_order_relaxed) == most;
  }

  /// True if the same was asked of the same row right before.
  template <class Context>
  GIMBAL_DEVICE bool is_known(Context& ctx, std::uint64_t cell) const
  {
    const std::uint64_t mixed = mix(cell + 1);
    const unsigned tag = static_cast<unsigned>(mixed) | 1;
    const auto row = static_cast<std::size_t>(mixed >> (64 - Shape::tag_row_bits));
    return ctx.atomic(buckets.tags[row]).exchange(tag, ::cuda::std::memory_order_relaxed) == tag;
  }

  /// Different ones have rows of their own while there are as many rows; beyond, dense ones are spread evenly.
  static GIMBAL_DEVICE unsigned row_of(std::uint64_t leading)
  {
    return static_cast<unsigned>(leading + (leading >> Shape::sample_row_bits) * 0x9e3779b1u) & (rows - 1);
  }
};

/// Finds where buckets begin, for every unit of items.
template <class Shape, class Order, class Keys, class State>
struct radix_bucket_start_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = 128;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned unit = Shape::unit_items;
  static constexpr unsigned reach = Shape::most_bucket_items;
  struct shared {};

  Keys keys;
  unsigned n;
  block::digit_plan plan;
  radix_buckets<State> buckets;

  /// One for every unit, and one behind the last item.
  static unsigned starts(index_type n) { return static_cast<unsigned>((n + unit - 1) / unit) + 1; }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const radix_course course = buckets.state->course;
    const index_type place = (static_cast<index_type>(ctx.block()) * block_threads + ctx.thread()) * unit;
    if (!buckets.are_taken(course) || place >= static_cast<index_type>(n) + unit) {
      return;
    }
    const unsigned nominal = place < n ? static_cast<unsigned>(place) : n;
    const unsigned start = nominal == 0 ? 0 : find_start(nominal, buckets.shift(course, plan));
    if (start - nominal > reach) {  // relaxed: read by later launches
      ctx.atomic(buckets.state->has_large_bucket).store(1u, ::cuda::std::memory_order_relaxed);
    }
    buckets.starts[place / unit] = start;
  }

private:
  /// The first start of a bucket that is not before `from`, if it is within reach; else something beyond that.
  GIMBAL_DEVICE unsigned find_start(unsigned from, unsigned shift) const
  {
    unsigned found = from;
    keys.read(sort_place::output, [&](auto source) {
      const auto leading = [&](unsigned i) {
        return block::ordered_bits<Order>(block::load_as<key_type>(source + i)) >> shift;
      };
      const auto before = leading(from - 1);
      unsigned end = n - from <= reach ? n : from + reach + 1;  // at or behind the start, or beyond reach
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

}  // namespace kernel

GIMBAL_NAMESPACE_END
