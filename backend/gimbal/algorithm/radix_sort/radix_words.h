// Keys as words: the kernels of radix sort see an array of keys as their own bits and take, as a kernel argument, the
// order that these represent (`radix_order`): how they become bits whose unsigned order is the keys' order, and whose
// digits are compared. So one set of kernels sorts keys of every type of a size.
//
//   unsigned, bool   as they are
//   signed           sign bit flipped
//   floating point   negative: all bits flipped; others: sign bit flipped. Zeros of both signs become the same bits, so
//                    they compare equal and keep their order; a NaN is ordered by its bit pattern (positive ones
//                    after infinity, negative ones before minus infinity).
// Descending order complements the bits. Both directions treat zeros and bit ranges exactly as CUB does.
#pragma once

#include <cstring>
#include <gimbal/simt/count_less.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <iterator>
#if GIMBAL_HAS_HALF
#include <cuda_fp16.h>
#endif
#if GIMBAL_HAS_BFLOAT16
#include <cuda_bf16.h>
#endif

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

template <class Key>
using radix_key_bits = simt::unsigned_of_size<sizeof(Key)>;

/// How keys of one type, in one direction, become bits whose unsigned order is theirs, and keys again. It is data, not
/// a type: one kernel sorts the keys of every type of a size, in either direction. Keys are given by their own bits.
template <class Bits>
struct radix_order {
  static constexpr unsigned key_bits = 8 * sizeof(Bits);
  static constexpr auto sign = static_cast<Bits>(Bits{1} << (key_bits - 1));
  static constexpr auto ones = static_cast<Bits>(~Bits{0});
  static constexpr bool may_be_floating = sizeof(Bits) == 2 || sizeof(Bits) == 4 || sizeof(Bits) == 8;

  Bits flipped;    ///< in every key
  Bits if_signed;  ///< flipped also in keys whose highest bit is set: of floating-point keys all others, else none
  Bits joined;     ///< distinct bits of the zero that join() changes; of integers bits that it leaves as they are

  template <class Key>
  static radix_order of(bool is_descending)
  {
    constexpr radix_key_kind kind = radix_key_kind_v<Key>;
    static_assert(sizeof(Key) == sizeof(Bits) && kind != radix_key_kind::none);
    constexpr bool is_real = kind == radix_key_kind::floating_point;
    constexpr Bits up = kind == radix_key_kind::unsigned_integer ? Bits{0} : sign;
    return {
      static_cast<Bits>(is_descending ? up ^ ones : up), static_cast<Bits>(is_real ? ones ^ sign : 0),
      static_cast<Bits>(is_real ? sign - 1 : sign)};
  }

  GIMBAL_HOST_DEVICE bool is_floating() const { return may_be_floating && if_signed != 0; }

  /// In the order of the keys, except that the two zeros of a floating-point type stay apart.
  GIMBAL_HOST_DEVICE Bits distinct(Bits own) const { return static_cast<Bits>(flip_signed(own) ^ flipped); }
  /// The key's own bits from its distinct ones.
  GIMBAL_HOST_DEVICE Bits own(Bits distinct) const { return flip_signed(static_cast<Bits>(distinct ^ flipped)); }
  /// Distinct bits of the zero that is ordered first become those of the other, for sorts by some of the bits as with
  /// stock.
  GIMBAL_HOST_DEVICE Bits join(Bits distinct) const { return may_be_floating && distinct == joined ? sign : distinct; }
  /// The key's bits, in the order of the keys.
  GIMBAL_HOST_DEVICE Bits ordered(Bits own) const { return join(distinct(own)); }

  /// The same as distinct(), ordered() and own() of integers.
  GIMBAL_HOST_DEVICE Bits flip(Bits bits) const { return static_cast<Bits>(bits ^ flipped); }

  // The same for several keys: whether they are floating-point is tested once.
  template <unsigned Count>
  GIMBAL_HOST_DEVICE void distinct(const Bits (&own)[Count], Bits (&found)[Count]) const
  {
    for_all(own, found, [&](Bits bits) { return distinct(bits); });
  }
  template <unsigned Count>
  GIMBAL_HOST_DEVICE void ordered(const Bits (&own)[Count], Bits (&found)[Count]) const
  {
    for_all(own, found, [&](Bits bits) { return ordered(bits); });
  }
  template <unsigned Count>
  GIMBAL_HOST_DEVICE void own(const Bits (&distinct)[Count], Bits (&found)[Count]) const
  {
    for_all(distinct, found, [&](Bits bits) { return own(bits); });
  }

  /// Whether join() changes the key: -0.0 ascending, +0.0 descending.
  GIMBAL_HOST_DEVICE bool is_joined_zero(Bits bits) const { return is_floating() && bits == own(joined); }
  /// Own bits of the key that is ordered last, for padding.
  GIMBAL_HOST_DEVICE Bits last() const { return own(ones); }

private:
  template <unsigned Count, class OfFloating>
  GIMBAL_HOST_DEVICE void for_all(const Bits (&from)[Count], Bits (&to)[Count], OfFloating of_floating) const
  {
    if (is_floating()) {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Count; ++i) {
        to[i] = of_floating(from[i]);
      }
    } else {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < Count; ++i) {
        to[i] = flip(from[i]);
      }
    }
  }

  // The highest bit itself is in `flipped` alone, so that it is the key's own in both directions.
  GIMBAL_HOST_DEVICE Bits flip_signed(Bits bits) const
  {
    if constexpr (may_be_floating) {
      using signed_bits = ::cuda::std::make_signed_t<Bits>;
      const auto all_if_signed = static_cast<Bits>(static_cast<signed_bits>(bits) >> (key_bits - 1));
      return static_cast<Bits>(bits ^ (all_if_signed & if_signed));
    } else {
      return bits;
    }
  }
};

inline constexpr unsigned radix_bits = 8;
inline constexpr unsigned radix_size = 1u << radix_bits;

/// The most passes that a sort of this key makes: one per 8 bits, and an even number where it sorts in place.
template <class Key>
inline constexpr unsigned most_radix_passes = sizeof(Key) < 2 ? 2 : static_cast<unsigned>(sizeof(Key));

/// The bits that one pass sorts by: `bits` of them (0 to 8) from bit `shift` on. The digit of a key is their value in
/// its ordered bits.
struct digit_range {
  unsigned shift;
  unsigned bits;

  template <class Bits>
  GIMBAL_HOST_DEVICE unsigned digit(Bits ordered) const
  {
    return static_cast<unsigned>(ordered >> shift) & ((1u << bits) - 1);
  }
};

/// The bits [begin_bit, end_bit) of a key, cut into `passes` digits of nearly equal width; trailing ones may be empty.
struct digit_plan {
  unsigned begin_bit;
  unsigned bits;
  unsigned passes;

  /// As few digits as have those bits, at least one.
  static digit_plan of_bits(int begin_bit, int end_bit)
  {
    const auto bits = static_cast<unsigned>(end_bit - begin_bit);
    return {static_cast<unsigned>(begin_bit), bits, bits == 0 ? 1 : (bits + radix_bits - 1) / radix_bits};
  }

  /// The mask of the bits that all passes together look at, among the ordered bits.
  template <class Bits>
  GIMBAL_HOST_DEVICE Bits sorted_mask() const
  {
    constexpr auto ones = static_cast<Bits>(~Bits{0});
    return bits == 0 ? Bits{0} : static_cast<Bits>(static_cast<Bits>(ones >> (8 * sizeof(Bits) - bits)) << begin_bit);
  }

  /// Bits of every digit but the last ones, which may have fewer.
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

/// Counts smaller keys, of `KeyBytes` bytes: 32 of them in shared memory, of which every lane reads all, a vector at a
/// time.
template <std::size_t KeyBytes>
struct smaller_keys {
  /// The bits to be compared.
  using word = ::cuda::std::conditional_t<KeyBytes <= 4, std::uint32_t, std::uint64_t>;
  static constexpr word last = static_cast<word>(~word{0});  ///< no bits exceed these
  static constexpr unsigned vector_items = 16 / sizeof(word);
  struct alignas(16) vector {
    word of[vector_items];
  };

  vector vectors[simt::warp_threads / vector_items];

  GIMBAL_DEVICE void set(unsigned lane, word bits) { vectors[lane / vector_items].of[lane % vector_items] = bits; }

  GIMBAL_DEVICE unsigned count(word bits) const
  {
    float counts[2] = {};
    GIMBAL_UNROLL
    for (unsigned v = 0; v < simt::warp_threads / vector_items; ++v) {
      const vector others = vectors[v];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        simt::count_less(counts[i % 2], others.of[i], bits);
      }
    }
    return static_cast<unsigned>(counts[0] + counts[1]);
  }
};

}  // namespace block

namespace algorithm {

/// An iterator over keys, or to where keys go, as one over their own bits.
template <class Key, class Iterator>
struct radix_bits_iterator {
  using value_type = block::radix_key_bits<Key>;
  using difference_type = index_type;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  struct reference {
    Iterator at;

    GIMBAL_DEVICE operator value_type() const
    {
      const Key key = block::load_as<Key>(at);
      value_type bits;
      std::memcpy(&bits, &key, sizeof(bits));
      return bits;
    }
    GIMBAL_DEVICE void operator=(value_type bits) const
    {
      Key key;
      std::memcpy(static_cast<void*>(&key), &bits, sizeof(bits));
      *at = key;
    }
  };

  Iterator keys;

  GIMBAL_HOST_DEVICE radix_bits_iterator operator+(index_type n) const { return {keys + n}; }
  GIMBAL_DEVICE reference operator*() const { return {keys}; }
};

template <class Key, class Iterator>
inline constexpr bool is_generator<radix_bits_iterator<Key, Iterator>> = is_generator<Iterator>;

template <class In, class Out>
auto as_words(const sort_array<In, Out>& keys)
{
  using array = sort_array<In, Out>;
  using key = typename array::value_type;
  using word = block::radix_key_bits<key>;
  const auto of = [](auto it) {
    if constexpr (::cuda::std::is_same_v<decltype(it), const key*>) {
      return reinterpret_cast<const word*>(it);
    } else if constexpr (::cuda::std::is_same_v<decltype(it), key*>) {
      return reinterpret_cast<word*>(it);
    } else {
      return radix_bits_iterator<key, decltype(it)>{it};
    }
  };
  return sort_array<decltype(of(keys.input)), decltype(of(keys.output))>{
    of(keys.input), of(keys.output), reinterpret_cast<word*>(keys.buffer)};
}

/// The order of `Key` in the direction of `Order`.
template <class Key, class Order>
auto radix_order_for(Order)
{
  constexpr bool is_descending = ::cuda::std::is_same_v<Order, descending>;
  static_assert(is_descending || ::cuda::std::is_same_v<Order, ascending>);
  return block::radix_order<block::radix_key_bits<Key>>::template of<Key>(is_descending);
}

/// The arguments of a sort, after they were checked: keys as words, values, their number, and by what to sort.
template <class Keys, class Values>
struct radix_call {
  using key_type = typename Keys::value_type;

  Keys keys;
  Values values;
  index_type n;
  block::radix_order<key_type> order;
  block::digit_plan plan;
  simt::stream_type stream;

  /// About what the sort takes alone, as an estimate for other streams: the launch, and the reads and writes of each
  /// pass at some 2 TB/s.
  std::int64_t nanoseconds() const
  {
    return 10000 + n * static_cast<index_type>(plan.passes * (sizeof(key_type) + bytes_of_values<Values>)) / 1000;
  }
  /// What the arrays lack of buffers.
  storage_layout buffers()
  {
    storage_layout layout;
    algorithm::add_sort_buffers(layout, keys, values, n, plan.passes);
    return layout;
  }
  /// True if the sort is by a range of bits, so that equal keys may differ.
  bool is_by_range() const { return plan.bits < 8 * sizeof(key_type); }
};

/// How many blocks of the kernel the current device runs at a time; 0 if it has too little shared memory for one.
template <class Kernel>
unsigned radix_engine_blocks()
{
  unsigned blocks = 0;
  return simt::expected_blocks<Kernel>(blocks) ? 0 : blocks;
}

/// 1 for each lane whose key a lower lane has, too. `exists` is false in lanes without a key.
template <class Context, class Bits>
GIMBAL_DEVICE unsigned count_duplicates(Context& ctx, Bits ordered, bool exists)
{
  const unsigned peers = ctx.match_any(ordered) & ctx.ballot(exists);
  return exists && (peers & ((1u << ctx.lane()) - 1)) != 0 ? 1 : 0;
}

/// Compares by some of the ordered bits.
template <class Bits>
struct order_of_bits {
  using group = block::smaller_keys<sizeof(Bits)>;
  using word = typename group::word;  ///< the bits sorted by
  static constexpr bool fills_output = false;

  block::radix_order<Bits> order;
  Bits sorted;

  GIMBAL_DEVICE word compared(Bits own) const { return static_cast<word>(order.ordered(own) & sorted); }

  /// Bits are complemented for groups before the block's own. Slots after the last key get the greatest bits.
  GIMBAL_DEVICE void stage(group& to, unsigned lane, const uninit<Bits>& key, bool is_present, bool is_earlier) const
  {
    const word bits = is_present ? compared(key.get()) : group::last;
    to.set(lane, is_earlier ? bits ^ group::last : bits);
  }

  /// Equal keys of earlier groups precede, too: these are all but the greater ones, whose complements are smaller.
  template <class Context>
  GIMBAL_DEVICE unsigned count(Context& ctx, const group& other, unsigned number, unsigned, word bits) const
  {
    const bool is_earlier = number < ctx.block();
    const unsigned less = other.count(is_earlier ? bits ^ group::last : bits);
    unsigned before = is_earlier ? simt::warp_threads - less : less;
    if (number == ctx.block()) {
      before += simt::popcount(ctx.match_any(bits) & ((1u << ctx.lane()) - 1));
    }
    return before;
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
