// What a pass of the radix sort in one launch (radix_resident_pass.cuh) ranks keys by: a digit of their bits, or a linear bin.
//
// Linear binning: scales keys linearly from their range [min, max] to 32-bit fixed point, monotonically, so that uniformly distributed
// keys fall into equally wide bins (the upper bits of the scaled key) in equal numbers, whatever their range.
//
// Integers are scaled by their upper 32 bits, counted from the highest bit in which minimum and maximum differ. Floating-point keys are
// scaled by value, as uniformly distributed values are far from uniform in their bits: a subtraction and a multiplication, both
// of which round monotonically.
#pragma once

#include <cstring>
#include <cuda/std/limits>
#include <gimbal/collective/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class Key>
inline constexpr bool can_bin_keys_linearly =
  (sizeof(Key) == 4 || sizeof(Key) == 8)
  && (radix_key_kind_v<Key> != radix_key_kind::floating_point || ::cuda::std::is_floating_point<Key>::value);

template <class Order, class Key, radix_key_kind Kind = radix_key_kind_v<Key>>
struct linear_binning {
  using bits_type = radix_key_bits<Key>;
  static constexpr unsigned bits = 8 * sizeof(Key);

  bits_type least;  ///< ordered_bits of the least key
  unsigned shift;   ///< to the left, of a key minus that: so that the greatest key's highest bit is set
  unsigned factor;  ///< of the upper 32 bits, over 2^31

  /// For keys in [first, last], given as ordered_bits. False if they cannot be scaled: all keys are equal.
  static GIMBAL_DEVICE bool of(bits_type first, bits_type last, linear_binning& found)
  {
    const auto span = static_cast<bits_type>(last - first);
    if (span == 0) {
      return false;
    }
    found.least = first;
    found.shift = simt::countl_zero(span);
    // Less than 2^63 / (1 + upper bits of the span) by more than the rounding error of a float.
    const auto upper = static_cast<float>(found.upper_bits(span));
    found.factor = static_cast<unsigned>(9.2233e18f / (upper + 512.0f));
    return true;
  }

  GIMBAL_DEVICE unsigned scaled(const Key& key) const
  {
    const unsigned upper = upper_bits(static_cast<bits_type>(block::ordered_bits<Order>(key) - least));
    return static_cast<unsigned>(std::uint64_t{upper} * factor >> 31);
  }

private:
  GIMBAL_DEVICE unsigned upper_bits(bits_type difference) const
  {
    return static_cast<unsigned>(static_cast<bits_type>(difference << shift) >> (bits - 32));
  }
};

template <class Order, class Key>
struct linear_binning<Order, Key, radix_key_kind::floating_point> {
  using bits_type = radix_key_bits<Key>;

  Key origin;  ///< the least key in order
  Key scale;   ///< negative in descending order

  /// False, too, if a key is NaN or infinite, or if the span or the scale overflows.
  static GIMBAL_DEVICE bool of(bits_type first, bits_type last, linear_binning& found)
  {
    constexpr Key most = (::cuda::std::numeric_limits<Key>::max)();
    constexpr Key bins_end = static_cast<Key>(4.29e9);  // less than 2^32 by more than the rounding error
    found.origin = value_of(first);
    const Key span = value_of(last) - found.origin;
    found.scale = bins_end / span;
    return magnitude(span) <= most && magnitude(found.scale) <= most;
  }

  GIMBAL_DEVICE unsigned scaled(const Key& key) const { return static_cast<unsigned>((key - origin) * scale); }

private:
  static GIMBAL_DEVICE Key magnitude(Key value) { return value < 0 ? -value : value; }
  static GIMBAL_DEVICE Key value_of(bits_type ordered)
  {
    const bits_type own = block::own_bits<Order, Key>(ordered);
    Key value;
    std::memcpy(&value, &own, sizeof(value));
    return value;
  }
};

/// For keys that cannot be binned.
struct no_linear_binning {};

}  // namespace block

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
