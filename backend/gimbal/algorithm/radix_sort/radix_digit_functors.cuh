// What a pass of the radix sort in one launch (radix_resident_pass.cuh) ranks keys by.
#pragma once

#include <cstring>
#include <gimbal/algorithm/radix_sort/linear_binning.cuh>
#include <gimbal/collective/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// A digit of the key's ordered_bits, from which those of the least key may be subtracted.
template <class Order, class Key>
struct radix_digit_of_bits {
  using bits_type = block::radix_key_bits<Key>;
  block::digit_range range;
  bits_type least = 0;

  GIMBAL_DEVICE unsigned operator()(const Key& key) const { return range.digit_of_ordered(bits(key)); }
  /// The bits from which all digits are taken.
  GIMBAL_DEVICE bits_type bits(const Key& key) const
  {
    return static_cast<bits_type>(block::ordered_bits<Order>(key) - least);
  }
  /// The key that no other is ordered behind, for padding.
  GIMBAL_DEVICE Key last() const
  {
    const bits_type own = block::own_bits<Order, Key>(static_cast<bits_type>(least - 1));
    Key key;
    std::memcpy(static_cast<void*>(&key), &own, sizeof(key));
    return key;
  }
};

/// The linear bin of the key.
template <class Order, class Key>
struct radix_linear_bin {
  using binning_type = ::cuda::std::conditional_t<
    block::can_bin_keys_linearly<Key>, block::linear_binning<Order, Key>, block::no_linear_binning>;
  static constexpr unsigned bin_shift = 32 - block::radix_bits;

  binning_type binning;
  Key first_key;
  Key last_key;

  GIMBAL_DEVICE unsigned operator()(const Key& key) const { return binning.scaled(key) >> bin_shift; }
  GIMBAL_DEVICE Key last() const { return last_key; }
};

/// The one or the other. Which, is asked once for several keys: a pass by either is the same code.
template <class Order, class Key, bool MayBin>
struct radix_digit_or_bin {
  radix_digit_of_bits<Order, Key> bits;
  radix_linear_bin<Order, Key> bin = {};
  bool bins = false;

  GIMBAL_DEVICE bool is_linear_bin() const { return MayBin && bins; }

  template <unsigned Count>
  GIMBAL_DEVICE void find(const Key (&key)[Count], unsigned (&digit)[Count]) const
  {
    if constexpr (MayBin) {
      if (bins) {
        GIMBAL_UNROLL
        for (unsigned i = 0; i < Count; ++i) {
          digit[i] = bin(key[i]);
        }
        return;
      }
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < Count; ++i) {
      digit[i] = bits(key[i]);
    }
  }

  GIMBAL_DEVICE Key last() const
  {
    if constexpr (MayBin) {
      if (bins) {
        return bin.last();
      }
    }
    return bits.last();
  }
  /// Of that key.
  GIMBAL_DEVICE unsigned last_digit() const
  {
    const Key key[1] = {last()};
    unsigned digit[1];
    find(key, digit);
    return digit[0];
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
