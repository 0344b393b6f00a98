// How the radix sort in one launch (radix_resident_sort.cuh) sorts 4- and 8-byte keys: found out from the range of all keys, whether they are
// sorted, and how many are equal, before any key is moved.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_resident_buckets.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What the keys are sorted by.
enum class resident_strategy {
  digits,
  buckets,  ///< linear bins, and then bucket by bucket
  two_keys  ///< linear bins, if only the least and the greatest key occur
};

template <class Shape, class Keys, class Values>
struct radix_resident_strategies : radix_resident_buckets<Shape, Keys, Values> {
  using buckets = radix_resident_buckets<Shape, Keys, Values>;
  using pass = typename buckets::pass;
  using typename pass::key_type;
  using typename pass::linear_bin_type;
  using typename pass::share;
  using typename pass::shared;
  using key_range = typename pass::key_ranges_type::key_range;
  using pass::block_threads;
  using pass::chunk;
  using pass::count;
  using pass::keys;
  using pass::order;
  using pass::plan;

  /// Range, flags and duplicates of the block's own keys.
  template <class Context>
  GIMBAL_DEVICE key_range inspect_keys(Context& ctx, const share& own) const
  {
    key_range found;
    unsigned flags = 0;
    key_type row[chunk];
    this->load_keys(ctx, own, sort_place::input, 0, key_type{}, row);
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < own.held; item += chunk) {
      const unsigned mine = this->position(ctx, own, item);
      key_type key[chunk];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        key[i] = row[i];
      }
      if (item + chunk < own.held) {
        this->load_keys(ctx, own, sort_place::input, item + chunk, key_type{}, row);
      }
      key_type bits[chunk];
      order.ordered(key, bits);
      bool has_joined_zero = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        if (mine + i * simt::warp_threads < own.count) {
          found.include(bits[i]);
          has_joined_zero = has_joined_zero || order.is_joined_zero(key[i]);
        }
      }
      flags |= has_joined_zero ? flag_joined_zero : 0;
      if (item == 0) {
        found.duplicates = algorithm::count_duplicates(ctx, bits[0], mine < own.count);
      }
      if ((flags & flag_out_of_order) == 0) {
        keys.read(sort_place::input, [&](auto from) {
          flags |= algorithm::test_order(ctx, order, from, static_cast<index_type>(own.first) + mine, count, plan, key);
        });
      }
    }
    found.flags = flags;
    return found;
  }

  /// Drops leading bits that all keys share from `left`. Returns what is to be subtracted from each key before.
  GIMBAL_DEVICE key_type drop_common_bits(const key_range& found, block::digit_plan& left) const
  {
    const key_type least = this->is_by_range || order.is_floating() ? 0 : found.least();
    const auto end = simt::bit_width(static_cast<key_type>(least != 0 ? found.max - least : found.least() ^ found.max));
    const unsigned bits = end > left.begin_bit ? end - left.begin_bit : 0;
    if (bits < left.bits) {
      left.bits = bits;
      left.passes = bits == 0 ? 1 : (bits + block::radix_bits - 1) / block::radix_bits;
    }
    return least;
  }

  /// Linear bins pay only if few keys are equal, or if there are two keys only.
  template <class Context>
  GIMBAL_DEVICE resident_strategy choose_strategy(Context& ctx, shared& smem, const key_range& found) const
  {
    // Each warp has compared a row of 32 keys, 496 pairs. The limit is the number of equal pairs if each key occurs `most_copies`
    // times, and a few by chance. With two keys in all, nearly every key has a duplicate.
    constexpr unsigned pairs = simt::warp_threads * (simt::warp_threads - 1) / 2;
    constexpr unsigned warps = block_threads / simt::warp_threads;
    const unsigned most_duplicates = 4 + Shape::most_copies * pairs * warps * smem.place.members / count;
    const bool has_duplicates = found.duplicates > most_duplicates;
    const bool has_two = found.duplicates >= (smem.place.members - 1) * warps * (simt::warp_threads - 3);
    const bool has_zeros = (found.flags & flag_joined_zero) != 0;
    linear_bin_type linear_bin{};
    const bool is_binnable = linear_bin_type::binning_type::of(order, found.least(), found.max, linear_bin.binning);
    linear_bin.last_key = order.own(found.max);
    linear_bin.first_key = order.own(found.least());
    if (ctx.thread() == 0) {
      smem.linear_bin = linear_bin;
      smem.first_places[block::radix_size] = count;
      for (unsigned& bin : smem.first_bins) {
        bin = block::radix_size;
      }
    }
    ctx.sync_block();  // the linear binning is there
    if (!is_binnable || this->is_by_range || has_zeros) {
      return resident_strategy::digits;
    }
    return !has_duplicates && smem.rounds != 0 ? resident_strategy::buckets
           : has_duplicates && has_two         ? resident_strategy::two_keys
                                               : resident_strategy::digits;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
