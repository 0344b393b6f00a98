// Whether the keys of a radix sort are suited for buckets (radix_buckets.cuh), or else for passes by a prefix
// (radix_prefix_check.cuh): judged by a sample of them, beside the counting of all (radix_histogram.cuh), as a launch of its
// own would take longer than looking does.
//
// Which digits lead is not known before all are counted; it is guessed from a few keys, as the bits above some digit. Above
// it may be other digits that hardly any key has, as the exponents of small numbers among those between 0 and 1: they lead,
// too. If they are too many, there are neither buckets nor prefixes.
#pragma once

#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Which keys are looked at, and what may be seen there.
struct radix_sample {
  unsigned leading_digits;  ///< by which there may be buckets; 0: no key is looked at
  unsigned period;          ///< one in so many keys is in the sample,
  unsigned runs;            ///< in runs
  unsigned run_items;       ///< of so many keys
  unsigned tag_period;      ///< one in so many runs has a key with a tag
  unsigned row_bits;        ///< of the number of counts
  unsigned tag_row_bits;    ///< of the number of tags
  unsigned most_in_bucket;  ///< keys of the sample
  unsigned cell_bits;       ///< below the leading digits, with which a bucket's keys should be different ones
  unsigned most_equal;      ///< pairs of tagged keys that are not
  unsigned* counts;         ///< of keys, by their leading digits; all zero
  unsigned* tags;           ///< all zero
  unsigned prefix_digits;   ///< that may lead where there are no buckets; 0: none
  unsigned most_leading;    ///< digits that there are passes for
  unsigned* prefix_tags;    ///< as many as tags; all zero
};

/// What blocks see there. All zero before.
struct radix_sample_notes {
  unsigned has_crowded_bucket;
  unsigned equal_pairs;       ///< of tagged keys
  unsigned has_mixed_prefix;  ///< tagged keys have a prefix in common and are not the same
};

/// Bits of a key below the digits that may lead, as guessed; 0: there are too few.
struct radix_sample_shifts {
  unsigned of_buckets;
  unsigned of_prefix;
};

// All accesses relaxed: counts, tags and notes are for themselves; the notes are read behind the arrival of all blocks.

/// Looks at the sample's short runs, at places that depend on nothing regular: whether a bucket is too large, by counting keys
/// with the same leading digits; whether a bucket's keys are crowded, by how often two are almost equal; and whether keys with
/// the same prefix are the same.
template <class Order, class Keys>
struct radix_sampler {
  using key_type = typename Keys::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr unsigned batch = 4;  // trips to memory at a time

  Keys keys;
  index_type n;
  radix_sample sample;
  radix_sample_notes* notes;

  /// By the digits that are not the same in 32 keys. The same in all threads.
  template <class Context>
  GIMBAL_DEVICE radix_sample_shifts guess_shifts(Context& ctx, const block::digit_plan& plan) const
  {
    const bits_type own = load(ctx.lane() * ((n - 1) / (simt::warp_threads - 1)));
    bits_type different = own ^ ctx.shfl(own, 0);
    for (unsigned lanes = simt::warp_threads / 2; lanes != 0; lanes /= 2) {
      different |= ctx.shfl(different, ctx.lane() ^ lanes);
    }
    radix_sample_shifts shifts{};
    unsigned found = 0;
    for (unsigned pass = plan.passes; pass != 0; --pass) {
      const block::digit_range range = plan.range(pass - 1);
      if (range.digit_of_ordered(different) != 0) {
        ++found;
        shifts.of_buckets = found == sample.leading_digits ? range.shift : shifts.of_buckets;
        shifts.of_prefix = found == sample.prefix_digits ? range.shift : shifts.of_prefix;
      }
    }
    return shifts;
  }

  /// A few keys, by one warp of each block: enough to see that many are the same, which all threads together would go on to
  /// count at one address.
  template <class Context>
  GIMBAL_DEVICE void look_first(Context& ctx, const radix_sample_shifts& shifts) const
  {
    look(ctx, shifts, ctx.block() * simt::warp_threads + ctx.lane(), few(ctx), few(ctx));
  }
  /// All others, by all threads of all blocks.
  template <class Context>
  GIMBAL_DEVICE void look_further(Context& ctx, const radix_sample_shifts& shifts) const
  {
    const unsigned first = few(ctx) + ctx.block() * Context::block_threads + ctx.thread();
    look(ctx, shifts, first, sample.runs * sample.run_items, ctx.blocks() * Context::block_threads);
  }

private:
  template <class Context>
  GIMBAL_DEVICE unsigned few(const Context& ctx) const
  {
    const unsigned all = sample.runs * sample.run_items;
    const unsigned lanes = ctx.blocks() * simt::warp_threads;
    return lanes < all ? lanes : all;
  }

  /// The sample's keys from number `i` on, each `stride` behind the last, if they are before `end`.
  template <class Context>
  GIMBAL_DEVICE void look(
    Context& ctx, const radix_sample_shifts& shifts, unsigned i, unsigned end, unsigned stride) const
  {
    const auto is_noted = [&](unsigned& note) { return ctx.atomic(note).load(::cuda::std::memory_order_relaxed) != 0; };
    GIMBAL_NO_UNROLL
    for (; i < end; i += batch * stride) {
      const bool seeks_buckets = !is_noted(notes->has_crowded_bucket);
      const bool seeks_prefix = shifts.of_prefix != 0 && !is_noted(notes->has_mixed_prefix);
      if (!seeks_buckets && !seeks_prefix) {
        return;
      }
      bits_type bits[batch];
      bool is_tagged[batch];
      bool is_there[batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        const unsigned number = i + j * stride;
        is_tagged[j] = number < end && number % (sample.tag_period * sample.run_items) == 0;
        is_there[j] = seeks_buckets ? number < end : is_tagged[j];
        bits[j] = is_there[j] ? load(place(number)) : bits_type{0};
      }
      if (seeks_buckets && are_crowded(ctx, shifts.of_buckets, bits, is_there, is_tagged)) {
        ctx.atomic(notes->has_crowded_bucket).store(1u, ::cuda::std::memory_order_relaxed);
      }
      if (seeks_prefix && are_mixed(ctx, shifts.of_prefix, bits, is_tagged)) {
        ctx.atomic(notes->has_mixed_prefix).store(1u, ::cuda::std::memory_order_relaxed);
      }
    }
  }

  /// Whether one of the keys is too many in its bucket or among those almost equal to another.
  template <class Context>
  GIMBAL_DEVICE bool are_crowded(
    Context& ctx, unsigned shift, const bits_type (&bits)[batch], const bool (&is_there)[batch],
    const bool (&is_tagged)[batch]) const
  {
    const unsigned cell_shift = shift > sample.cell_bits ? shift - sample.cell_bits : 0;
    // Of many it is known without adding, at an address that all want, that they are too many.
    unsigned count[batch];
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      count[j] = is_there[j] ? count_of(ctx, bits[j] >> shift).load(::cuda::std::memory_order_relaxed)
                             : sample.most_in_bucket + 1;
    }
    bool is_crowded = false;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if (count[j] <= sample.most_in_bucket) {
        count[j] = count_of(ctx, bits[j] >> shift).fetch_add(1u, ::cuda::std::memory_order_relaxed);
        is_crowded = is_crowded || count[j] == sample.most_in_bucket;
      }
    }
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      is_crowded = is_crowded || (is_tagged[j] && makes_too_many_pairs(ctx, bits[j] >> cell_shift));
    }
    return is_crowded;
  }

  /// Whether one of the tagged keys has a prefix in common with another that is not the same. A tag tells most of the prefix,
  /// beside its row, and a little of what is below.
  template <class Context>
  GIMBAL_DEVICE bool are_mixed(
    Context& ctx, unsigned shift, const bits_type (&bits)[batch], const bool (&is_tagged)[batch]) const
  {
    constexpr unsigned lower = 0xff, is_tag = 0x100;
    bool is_mixed = false;
    GIMBAL_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if (is_tagged[j]) {
        const std::uint64_t prefix = mix((static_cast<std::uint64_t>(bits[j]) >> shift) + 1);
        const unsigned tag =
          (static_cast<unsigned>(prefix) & ~lower) | is_tag | (static_cast<unsigned>(mix(bits[j])) & lower);
        const auto row = ctx.atomic(sample.prefix_tags[prefix >> (64 - sample.tag_row_bits)]);
        unsigned before =
          row.load(::cuda::std::memory_order_relaxed);  // most often of a frequent key, which all would store
        before = before == tag ? tag : row.exchange(tag, ::cuda::std::memory_order_relaxed);
        is_mixed = is_mixed || (before != 0 && before != tag && (before | lower) == (tag | lower));
      }
    }
    return is_mixed;
  }

  GIMBAL_DEVICE bits_type load(index_type at) const
  {
    bits_type bits = 0;
    keys.read(sort_place::input, [&](auto source) {
      bits = block::ordered_bits<Order>(block::load_as<key_type>(source + at));
    });
    return bits;
  }

  /// Of the sample's i-th key.
  GIMBAL_DEVICE index_type place(unsigned i) const
  {
    const unsigned run = i / sample.run_items;
    const index_type among_runs = index_type{run} * sample.period + static_cast<unsigned>(mix(run + 1)) % sample.period;
    return among_runs * sample.run_items + i % sample.run_items;
  }

  /// Without a pattern that keys could share. (The constants are those of SplitMix64.)
  static GIMBAL_DEVICE std::uint64_t mix(std::uint64_t value)
  {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
  }

  /// Different ones have rows of their own while there are as many rows; beyond, dense ones are spread evenly.
  template <class Context>
  GIMBAL_DEVICE auto count_of(Context& ctx, std::uint64_t leading) const
  {
    const auto mixed = static_cast<unsigned>(leading + (leading >> sample.row_bits) * 0x9e3779b1u);
    return ctx.atomic(sample.counts[mixed & ((1u << sample.row_bits) - 1)]);
  }

  /// A pair: one key's tag is there right before that of another with the same bits above some.
  template <class Context>
  GIMBAL_DEVICE bool makes_too_many_pairs(Context& ctx, std::uint64_t cell) const
  {
    const std::uint64_t mixed = mix(cell + 1);
    const unsigned tag = static_cast<unsigned>(mixed) | 1;
    const auto row = static_cast<std::size_t>(mixed >> (64 - sample.tag_row_bits));
    return ctx.atomic(sample.tags[row]).exchange(tag, ::cuda::std::memory_order_relaxed) == tag
           && ctx.atomic(notes->equal_pairs).fetch_add(1u, ::cuda::std::memory_order_relaxed) == sample.most_equal;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
