// Keys a radix sort can order, as unsigned integers: `ordered_bits` maps a key to bits whose unsigned order is the
// key's order, so that the sort only ever compares digits of those bits.
//
//   unsigned, bool   as they are
//   signed           sign bit flipped
//   floating point   negative: all bits flipped; others: sign bit flipped. Zeros of both signs become the same bits, so
//                    they compare equal and keep their order; a NaN takes the place of its bit pattern (positive ones
//                    behind infinity, negative ones before minus infinity).
// Descending order complements the bits. Both directions treat zeros and bit ranges exactly as CUB does.
#pragma once

#include <gimbal/simt/simt.cuh>

#if GIMBAL_HAS_HALF
#include <cuda_fp16.h>
#endif
#if GIMBAL_HAS_BFLOAT16
#include <cuda_bf16.h>
#endif

#include <cstring>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

struct ascending {};
struct descending {};

}  // namespace algorithm

namespace block {

enum class radix_key_kind { none, unsigned_integer, signed_integer, floating_point };

template <class Key>
constexpr radix_key_kind find_radix_key_kind()
{
  using ::cuda::std::is_same_v;
#if GIMBAL_HAS_INT128
  if (is_same_v<Key, __int128_t>) {
    return radix_key_kind::signed_integer;
  }
  if (is_same_v<Key, __uint128_t>) {
    return radix_key_kind::unsigned_integer;
  }
#endif
#if GIMBAL_HAS_HALF
  if (is_same_v<Key, __half>) {
    return radix_key_kind::floating_point;
  }
#endif
#if GIMBAL_HAS_BFLOAT16
  if (is_same_v<Key, __nv_bfloat16>) {
    return radix_key_kind::floating_point;
  }
#endif
  if (is_same_v<Key, float> || is_same_v<Key, double>) {
    return radix_key_kind::floating_point;
  }
  if (!::cuda::std::is_integral<Key>::value) {
    return radix_key_kind::none;
  }
  return ::cuda::std::is_signed<Key>::value ? radix_key_kind::signed_integer : radix_key_kind::unsigned_integer;
}

template <class Key>
inline constexpr radix_key_kind radix_key_kind_v = block::find_radix_key_kind<Key>();

/// True for every type `algorithm::radix_sort` takes as a key.
template <class Key>
inline constexpr bool is_radix_key_v = radix_key_kind_v<Key> != radix_key_kind::none;

template <std::size_t Bytes>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};
#if GIMBAL_HAS_INT128
template <>
struct unsigned_of_size<16> {
  using type = __uint128_t;
};
#endif

template <class Key>
using radix_key_bits = typename unsigned_of_size<sizeof(Key)>::type;

/// Bits whose unsigned order is the order of the keys, except that the two zeros of a floating-point type stay apart;
/// from the key's own bits.
template <class Order, class Key>
GIMBAL_HOST_DEVICE radix_key_bits<Key> distinct_bits_of_own(radix_key_bits<Key> bits)
{
  using bits_type = radix_key_bits<Key>;
  constexpr radix_key_kind kind = radix_key_kind_v<Key>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (8 * sizeof(Key) - 1));
  constexpr bits_type ones = static_cast<bits_type>(~bits_type{0});
  if constexpr (kind == radix_key_kind::signed_integer) {
    bits ^= sign;
  }
  if constexpr (kind == radix_key_kind::floating_point) {
    bits ^= (bits & sign) != 0 ? ones : sign;
  }
  if constexpr (::cuda::std::is_same_v<Order, algorithm::descending>) {
    bits ^= ones;
  }
  return bits;
}
template <class Order, class Key>
GIMBAL_HOST_DEVICE radix_key_bits<Key> distinct_bits(const Key& key)
{
  radix_key_bits<Key> bits;
  std::memcpy(&bits, &key, sizeof(Key));
  return block::distinct_bits_of_own<Order, Key>(bits);
}

/// The key's own bits from its distinct_bits.
template <class Order, class Key>
GIMBAL_HOST_DEVICE radix_key_bits<Key> own_bits(radix_key_bits<Key> bits)
{
  using bits_type = radix_key_bits<Key>;
  constexpr radix_key_kind kind = radix_key_kind_v<Key>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (8 * sizeof(Key) - 1));
  constexpr bits_type ones = static_cast<bits_type>(~bits_type{0});
  if constexpr (::cuda::std::is_same_v<Order, algorithm::descending>) {
    bits ^= ones;
  }
  if constexpr (kind == radix_key_kind::signed_integer) {
    bits ^= sign;
  }
  if constexpr (kind == radix_key_kind::floating_point) {
    bits ^= (bits & sign) != 0 ? sign : ones;
  }
  return bits;
}

/// distinct_bits of the zero that is ordered first become those of the other, for sorts by some of the bits as with stock.
template <class Key>
GIMBAL_HOST_DEVICE radix_key_bits<Key> join_zeros(radix_key_bits<Key> bits)
{
  using bits_type = radix_key_bits<Key>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (8 * sizeof(Key) - 1));
  if constexpr (radix_key_kind_v<Key> == radix_key_kind::floating_point) {
    bits = bits == static_cast<bits_type>(sign - 1) ? sign : bits;
  }
  return bits;
}

/// Bits whose unsigned order is the order of the keys.
template <class Order, class Key>
GIMBAL_HOST_DEVICE radix_key_bits<Key> ordered_bits(const Key& key)
{
  return block::join_zeros<Key>(block::distinct_bits<Order>(key));
}

/// Of floating-point keys; equal to +0.0 in order, though not in bits.
template <class Key>
GIMBAL_HOST_DEVICE bool is_negative_zero(const Key& key)
{
  using bits_type = radix_key_bits<Key>;
  bits_type bits;
  std::memcpy(&bits, &key, sizeof(Key));
  return bits == static_cast<bits_type>(bits_type{1} << (8 * sizeof(Key) - 1));
}

/// The floating-point zero that join_zeros changes: -0.0 ascending, +0.0 descending.
template <class Order, class Key>
GIMBAL_HOST_DEVICE bool is_joined_zero(const Key& key)
{
  return radix_key_kind_v<Key> == radix_key_kind::floating_point
         && block::join_zeros<Key>(block::distinct_bits<Order>(key)) != block::distinct_bits<Order>(key);
}

/// A key that no other key is ordered behind.
template <class Order, class Key>
GIMBAL_HOST_DEVICE Key last_key()
{
  constexpr radix_key_kind kind = radix_key_kind_v<Key>;
  constexpr bool is_ascending = ::cuda::std::is_same_v<Order, algorithm::ascending>;
  if constexpr (::cuda::std::is_same_v<Key, bool>) {
    return is_ascending;
  } else {
    using bits_type = radix_key_bits<Key>;
    constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (8 * sizeof(Key) - 1));
    constexpr bits_type ones = static_cast<bits_type>(~bits_type{0});
    constexpr bits_type bits = kind == radix_key_kind::unsigned_integer ? (is_ascending ? ones : bits_type{0})
                               : kind == radix_key_kind::signed_integer ? (is_ascending ? ones ^ sign : sign)
                                                                        : (is_ascending ? ones ^ sign : ones);
    Key key;
    std::memcpy(static_cast<void*>(&key), &bits, sizeof(Key));
    return key;
  }
}

/// A key that no other key is ordered before.
template <class Order, class Key>
GIMBAL_HOST_DEVICE Key first_key()
{
  constexpr bool is_ascending = ::cuda::std::is_same_v<Order, algorithm::ascending>;
  return block::last_key<::cuda::std::conditional_t<is_ascending, algorithm::descending, algorithm::ascending>, Key>();
}

inline constexpr unsigned radix_bits = 8;
inline constexpr unsigned radix_size = 1u << radix_bits;

/// Most passes a sort of this key makes: one per 8 bits, and an even number where it sorts in place.
template <class Key>
inline constexpr unsigned most_radix_passes = sizeof(Key) < 2 ? 2 : static_cast<unsigned>(sizeof(Key));

/// The bits one pass sorts by: `bits` of them (0 to 8) from bit `shift` on. The digit of a key is their value.
struct digit_range {
  unsigned shift;
  unsigned bits;

  template <class Order, class Key>
  GIMBAL_HOST_DEVICE unsigned digit(const Key& key) const
  {
    return digit_of_bits<Key>(block::distinct_bits<Order>(key));
  }
  /// Of the key with these distinct_bits.
  template <class Key>
  GIMBAL_HOST_DEVICE unsigned digit_of_bits(radix_key_bits<Key> distinct) const
  {
    return digit_of_ordered(block::join_zeros<Key>(distinct));
  }
  /// Of the key with these ordered_bits.
  template <class Bits>
  GIMBAL_HOST_DEVICE unsigned digit_of_ordered(Bits ordered) const
  {
    return static_cast<unsigned>(ordered >> shift) & ((1u << bits) - 1);
  }
};

/// The bits [begin_bit, end_bit) of a key, cut into `passes` digits of nearly equal width; trailing ones may be empty.
struct digit_plan {
  unsigned begin_bit;
  unsigned bits;
  unsigned passes;

  /// As few as have those bits, at least one.
  static digit_plan of_bits(int begin_bit, int end_bit)
  {
    const auto bits = static_cast<unsigned>(end_bit - begin_bit);
    return {static_cast<unsigned>(begin_bit), bits, bits == 0 ? 1 : (bits + radix_bits - 1) / radix_bits};
  }

  /// What the key is sorted by: the ordered bits that all passes together look at.
  template <class Order, class Key>
  GIMBAL_HOST_DEVICE radix_key_bits<Key> sorted_bits(const Key& key) const
  {
    using bits_type = radix_key_bits<Key>;
    constexpr unsigned all = 8 * sizeof(Key);
    if (bits == 0) {
      return 0;
    }
    const auto from_the_top = static_cast<bits_type>(block::ordered_bits<Order>(key) << (all - bits - begin_bit));
    return static_cast<bits_type>(from_the_top >> (all - bits));
  }

  /// Those ordered bits, in their places.
  template <class Bits>
  GIMBAL_HOST_DEVICE Bits sorted_mask() const
  {
    constexpr auto ones = static_cast<Bits>(~Bits{0});
    return bits == 0 ? Bits{0} : static_cast<Bits>(static_cast<Bits>(ones >> (8 * sizeof(Bits) - bits)) << begin_bit);
  }

  /// Of all digits but the last ones.
  GIMBAL_HOST_DEVICE unsigned width() const { return (bits + passes - 1) / passes; }
  GIMBAL_HOST_DEVICE digit_range range(unsigned pass) const { return range(pass, width()); }
  GIMBAL_HOST_DEVICE digit_range range(unsigned pass, unsigned width) const
  {
    const unsigned from = pass * width;
    if (from >= bits) {
      return {begin_bit, 0};
    }
    return {begin_bit + from, bits - from < width ? bits - from : width};
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
