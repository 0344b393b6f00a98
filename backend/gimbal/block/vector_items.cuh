// What a thread reads of a tile: vectors of 16 bytes where the items lie in an array, single items where not.
//
// All threads read the tile's first row of vectors side by side, then the next. Items of an array stay packed, as they
// were read, so that narrow ones do not take a register each.
#pragma once

#include <cstring>
#include <gimbal/block/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The order in which the items of a tile fall to threads: `vector` neighbours to each, then the next row.
template <unsigned BlockThreads, unsigned ItemsPerThread, unsigned Vector>
struct vector_order {
  static constexpr unsigned vector_items = Vector;
  static constexpr unsigned vectors = (ItemsPerThread + vector_items - 1) / vector_items;
  static constexpr unsigned items = vectors * vector_items;

  /// How far a thread's item i stands behind its first one.
  static GIMBAL_HOST_DEVICE constexpr unsigned offset(unsigned i)
  {
    return i / vector_items * BlockThreads * vector_items + i % vector_items;
  }
  /// Where this thread's item i stands in the tile.
  template <class Context>
  static GIMBAL_DEVICE unsigned position(Context& ctx, unsigned i)
  {
    return ctx.thread() * vector_items + offset(i);
  }
};

/// Items of any kind, read one by one.
template <class InputIt, unsigned BlockThreads, unsigned ItemsPerThread, bool IsPacked>
class lane_items : public vector_order<BlockThreads, ItemsPerThread, 1> {
  using order = vector_order<BlockThreads, ItemsPerThread, 1>;
  using value_type = value_type_of<InputIt>;

public:
  static constexpr bool is_packed = false;

  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, InputIt in, unsigned valid)
  {
    const InputIt mine = in + ctx.thread();
    const bool is_full = valid == order::items * BlockThreads;
    GIMBAL_UNROLL
    for (unsigned i = 0; i < order::items; ++i) {
      if (is_full || order::position(ctx, i) < valid) {
        item_[i].set(load_as<value_type>(mine + order::offset(i)));
      }
    }
  }

  GIMBAL_DEVICE const uninit<value_type>& get(unsigned i) const { return item_[i]; }

private:
  uninit<value_type> item_[order::items];
};

/// Items of an array, of which a whole number makes a vector.
template <class InputIt, unsigned BlockThreads, unsigned ItemsPerThread>
class lane_items<InputIt, BlockThreads, ItemsPerThread, true>
    : public vector_order<BlockThreads, ItemsPerThread, sizeof(simt::vector16) / sizeof(value_type_of<InputIt>)> {
  using value_type = value_type_of<InputIt>;
  using order = vector_order<BlockThreads, ItemsPerThread, sizeof(simt::vector16) / sizeof(value_type)>;

public:
  static constexpr bool is_packed = true;
  static constexpr unsigned words = order::vectors * 4;

  /// Behind the valid items there are zeros.
  template <class Context>
  GIMBAL_DEVICE void load(Context& ctx, InputIt in, unsigned valid)
  {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(simt::vector16) == 0;
    if (is_aligned && valid == order::items * BlockThreads) {
      const auto* const mine = reinterpret_cast<const simt::vector16*>(in) + ctx.thread();
      GIMBAL_UNROLL
      for (unsigned v = 0; v < order::vectors; ++v) {
        vector_[v] = mine[v * BlockThreads];
      }
    } else {
      load_items(in + ctx.thread() * order::vector_items, valid, ctx.thread() * order::vector_items);
    }
  }

  /// As many neighbours from `in` on, which is aligned.
  GIMBAL_DEVICE void load_run(InputIt in)
  {
    const auto* const run = reinterpret_cast<const simt::vector16*>(in);
    GIMBAL_UNROLL
    for (unsigned v = 0; v < order::vectors; ++v) {
      vector_[v] = run[v];
    }
  }

  GIMBAL_DEVICE std::uint32_t word(unsigned w) const { return vector_[w / 4].word[w % 4]; }

  GIMBAL_DEVICE uninit<value_type> get(unsigned i) const
  {
    uninit<value_type> item;
    const std::size_t byte = i * sizeof(value_type);
    if constexpr (sizeof(value_type) < 4) {
      const std::uint32_t shifted = word(static_cast<unsigned>(byte / 4)) >> byte % 4 * 8;
      std::memcpy(item.bytes, &shifted, sizeof(value_type));  // the low bytes come first
    } else {
      const std::uint32_t* const source = vector_[byte / 16].word + byte % 16 / 4;
      std::memcpy(item.bytes, source, sizeof(value_type));
    }
    return item;
  }

private:
  // The same items one by one, for arrays that start anywhere and tiles that end anywhere.
  GIMBAL_DEVICE void load_items(InputIt mine, unsigned valid, unsigned first)
  {
    GIMBAL_UNROLL
    for (unsigned v = 0; v < order::vectors; ++v) {
      vector_[v] = {};
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < order::items; ++i) {
      if (first + order::offset(i) < valid) {
        uninit<value_type> item;
        item.set(mine[order::offset(i)]);
        set(i, item);
      }
    }
  }

  GIMBAL_DEVICE void set(unsigned i, const uninit<value_type>& item)
  {
    const std::size_t byte = i * sizeof(value_type);
    std::uint32_t* const target = vector_[byte / 16].word + byte % 16 / 4;
    if constexpr (sizeof(value_type) < 4) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, item.bytes, sizeof(value_type));
      *target |= bits << byte % 4 * 8;
    } else {
      std::memcpy(target, item.bytes, sizeof(value_type));
    }
  }

  simt::vector16 vector_[order::vectors];
};

template <class InputIt>
inline constexpr bool is_packed_v = ::cuda::std::is_pointer<InputIt>::value
                                    && sizeof(value_type_of<InputIt>) < sizeof(simt::vector16)
                                    && sizeof(simt::vector16) % sizeof(value_type_of<InputIt>) == 0;

}  // namespace block

GIMBAL_NAMESPACE_END
