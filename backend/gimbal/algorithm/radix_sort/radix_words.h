// Keys as words: what the kernels of radix sort see of an array of keys is their own bits, and in kernel arguments what order these stand
// for (radix_order). So one set of kernels sorts keys of every type of a size.
#pragma once

#include <cstring>
#include <gimbal/collective/radix_key.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <iterator>

GIMBAL_NAMESPACE_BEGIN

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

/// That of `Key` in the direction that `Order` says.
template <class Key, class Order>
auto radix_order_for(Order)
{
  constexpr bool is_descending = ::cuda::std::is_same_v<Order, descending>;
  static_assert(is_descending || ::cuda::std::is_same_v<Order, ascending>);
  return block::radix_order<block::radix_key_bits<Key>>::template of<Key>(is_descending);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
