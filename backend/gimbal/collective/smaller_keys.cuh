// How many of 32 keys are smaller than a lane's own: the 32 lie in shared memory, in a form that is quick to compare,
// and every lane reads them all, a vector at a time.
#pragma once

#include <cstring>
#include <gimbal/simt/count_less.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Of keys with so many bytes.
template <std::size_t KeyBytes>
class smaller_keys {
public:
  /// The bits to be compared.
  using word = ::cuda::std::conditional_t<KeyBytes <= 4, std::uint32_t, std::uint64_t>;
  static constexpr word last = static_cast<word>(~word{0});  ///< no bits exceed these

  GIMBAL_DEVICE void set(unsigned lane, word bits) { vectors_[lane / vector_items].of[lane % vector_items] = bits; }

  GIMBAL_DEVICE unsigned count(word bits) const
  {
    float counts[2] = {};
    GIMBAL_UNROLL
    for (unsigned v = 0; v < simt::warp_threads / vector_items; ++v) {
      const vector others = vectors_[v];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        simt::count_less(counts[i % 2], others.of[i], bits);
      }
    }
    return static_cast<unsigned>(counts[0] + counts[1]);
  }

private:
  static constexpr unsigned vector_items = 16 / sizeof(word);
  struct alignas(16) vector {
    word of[vector_items];
  };
  vector vectors_[simt::warp_threads / vector_items];
};

/// Two at a time.
template <>
class smaller_keys<1> {
public:
  using word = std::uint32_t;
  static constexpr word last = 0xff;

  GIMBAL_DEVICE void set(unsigned lane, word bits)
  {
    vectors_[lane / vector_items].of[lane % vector_items] = static_cast<std::uint16_t>(simt::number_pair::base | bits);
  }

  GIMBAL_DEVICE unsigned count(word bits) const
  {
    const simt::number_pair own = simt::number_pair::both(bits);
    simt::number_pair counts[2] = {simt::number_pair::both(0), simt::number_pair::both(0)};
    GIMBAL_UNROLL
    for (unsigned v = 0; v < simt::warp_threads / vector_items; ++v) {
      const vector others = vectors_[v];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; i += 2) {
        simt::number_pair pair;
        std::memcpy(&pair, &others.of[i], sizeof pair);
        simt::count_less(counts[i / 2 % 2], pair, own);
      }
    }
    return counts[0].sum() + counts[1].sum();
  }

private:
  static constexpr unsigned vector_items = 8;
  struct alignas(16) vector {
    std::uint16_t of[vector_items];
  };
  vector vectors_[simt::warp_threads / vector_items];
};

}  // namespace block

GIMBAL_NAMESPACE_END
