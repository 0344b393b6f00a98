// Keys as places on a line of 2^32 that keep their order: evenly distributed keys become evenly distributed places. Bins
// of equal width on that line have as many keys each then, whatever the range of the keys.
//
// Integers are scaled by their upper 32 bits, from the first one that differs on. Floating-point keys are scaled by
// their value, since evenly distributed values are anything but that in their bits: a difference and a product, each of
// which is rounded in a way that keeps the order.
#pragma once

#include <cuda/std/limits>
#include <gimbal/collective/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class Key>
inline constexpr bool can_spread_keys =
  (sizeof(Key) == 4 || sizeof(Key) == 8)
  && (radix_key_kind_v<Key> != radix_key_kind::floating_point || ::cuda::std::is_floating_point<Key>::value);

template <class Order, class Key, radix_key_kind Kind = radix_key_kind_v<Key>>
struct key_spread {
  using bits_type = radix_key_bits<Key>;
  static constexpr unsigned bits = 8 * sizeof(Key);

  bits_type least;  ///< ordered_bits of the first key
  unsigned shift;   ///< to the left, of a key less that: until the last key's highest bit is set
  unsigned factor;  ///< of the upper 32 bits, over 2^31

  /// Of keys from `first` to `last`, by ordered_bits, of which neither is beyond the other's. False if there is no such line.
  static GIMBAL_DEVICE bool of(bits_type first, bits_type last, key_spread& found)
  {
    const auto span = static_cast<bits_type>(last - first);
    if (span == 0) {
      return false;
    }
    found.least = first;
    found.shift = simt::countl_zero(span);
    // Less than 2^63 / (1 + upper bits of the span), by more than a float is off.
    const auto upper = static_cast<float>(found.upper_bits(span));
    found.factor = static_cast<unsigned>(9.2233e18f / (upper + 512.0f));
    return true;
  }

  GIMBAL_DEVICE unsigned place(const Key& key) const
  {
    const unsigned upper = upper_bits(static_cast<bits_type>(ordered_bits<Order>(key) - least));
    return static_cast<unsigned>(std::uint64_t{upper} * factor >> 31);
  }

private:
  GIMBAL_DEVICE unsigned upper_bits(bits_type difference) const
  {
    return static_cast<unsigned>(static_cast<bits_type>(difference << shift) >> (bits - 32));
  }
};

template <class Order, class Key>
struct key_spread<Order, Key, radix_key_kind::floating_point> {
  using bits_type = radix_key_bits<Key>;

  Key origin;  ///< the first key
  Key scale;   ///< negative in descending order

  /// Neither NaN nor infinity, nor what is too far apart or too close to be told by numbers, has a place.
  static GIMBAL_DEVICE bool of(bits_type first, bits_type last, key_spread& found)
  {
    constexpr Key most = ::cuda::std::numeric_limits<Key>::max();
    constexpr Key places = static_cast<Key>(4.29e9);  // less than 2^32, by more than rounding adds
    found.origin = value_of(first);
    const Key span = value_of(last) - found.origin;
    found.scale = places / span;
    return magnitude(span) <= most && magnitude(found.scale) <= most;
  }

  GIMBAL_DEVICE unsigned place(const Key& key) const { return static_cast<unsigned>((key - origin) * scale); }

private:
  static GIMBAL_DEVICE Key magnitude(Key value) { return value < 0 ? -value : value; }
  static GIMBAL_DEVICE Key value_of(bits_type ordered)
  {
    const bits_type own = own_bits<Order, Key>(ordered);
    Key value;
    std::memcpy(&value, &own, sizeof(value));
    return value;
  }
};

/// Of keys that have no places.
struct no_key_spread {};

}  // namespace block

GIMBAL_NAMESPACE_END
