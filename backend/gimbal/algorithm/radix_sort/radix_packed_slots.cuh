// The items of a tile of a radix pass with keys of one or two bytes and values, in the slots of their digits' runs (radix_runs.cuh), and
// the sweeps that write them out in whole units.
//
// A word holds a key and, above it, the position in the tile that it came from: one store puts both into a slot, and neighbours in a
// run are in stable order if their words ascend. Values have the slots of the same numbers in an array of their own. As many
// items as a vector of values holds are written together: one lookup of their run, one store of values, and one of keys.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_runs.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <std::size_t KeyBytes, std::size_t ValueBytes>
struct radix_packed_units {
  static constexpr unsigned unit_bytes = ValueBytes <= 2 ? 16 : sector_bytes;
  static constexpr unsigned value_unit = unit_items(unit_bytes, ValueBytes);
  /// A vector, if its values take at most two sectors.
  static constexpr unsigned key_vector = 16 * ValueBytes <= 64 * KeyBytes ? 16 / KeyBytes : 64 / ValueBytes;
  static constexpr unsigned key_unit = value_unit > 1 ? key_vector : 1;
  static constexpr unsigned unit = value_unit > key_unit ? value_unit : key_unit;
};

template <
  class Key, std::size_t ValueBytes, unsigned TileItems, class Units = radix_packed_units<sizeof(Key), ValueBytes>>
struct radix_packed_slots : radix_run_slots<TileItems, Units::unit, Units::unit_bytes> {
  using run_slots = radix_run_slots<TileItems, Units::unit, Units::unit_bytes>;
  using run_slots::count;
  using run_slots::is_inside;
  using run_slots::phase;
  using bits_type = radix_key_bits<Key>;
  static constexpr bool are_packed = true;
  static constexpr unsigned unit = Units::unit;
  static constexpr unsigned group_items = unit_items(16, ValueBytes);  ///< written together
  static_assert(sizeof(Key) <= 2 && TileItems <= 1u << 16, "a word holds a key and a position");

  struct alignas(4 * group_items < 16 ? 4 * group_items : 16) word_group {
    std::uint32_t word[group_items];
  };
  struct alignas(sizeof(Key) * group_items < 16 ? sizeof(Key) * group_items : 16) key_group {
    bits_type key[group_items];
  };

  template <class Value, bool HasValues, bool HasOrigins>
  struct arrays {
    union {
      radix_vector vector[group_items == 1 ? 1 : count / group_items];
      uninit<Value> value[count];
    };
    union {
      word_group words[count / group_items];
      std::uint32_t word[count];
    };

    /// Stores the item from `position` of the tile.
    GIMBAL_DEVICE void put(unsigned slot, bits_type key, unsigned position, uninit<Value> item)
    {
      word[slot] = position << 16 | key;
      value[slot] = item;
    }
  };

  /// Writes all items, `Batch` groups of a thread in flight. False if they are not in a stable order.
  template <unsigned Threads, unsigned Batch, class Order, class Context, class Arrays, class DigitOf, class ValuesOut>
  static GIMBAL_DEVICE bool write(
    Context& ctx, const Arrays& from, const radix_run* runs, unsigned used, DigitOf digit_of, Key* keys_out,
    ValuesOut values_out)
  {
    const auto write_one = [&](const radix_run& run, unsigned slot) {
      *(values_out + (run.shift + slot)) = from.value[slot].get();
      keys_out[run.shift + slot] = key_of<Order>(from.word[slot]);
      return slot + 1 >= run.end || from.word[slot] <= from.word[slot + 1];
    };
    bool is_ordered = true;
    bool is_done = false;
    if constexpr (::cuda::std::is_pointer_v<ValuesOut> && group_items > 1) {
      is_done = are_units(keys_out, values_out);
      if (is_done) {
        is_ordered = write_units<Threads, Batch, Order>(ctx, from, runs, used, digit_of, keys_out, values_out);
      }
    }
    if (!is_done) {
      for (unsigned slot = ctx.thread(); slot < used; slot += Threads) {
        const radix_run run = runs[digit_of(bits_of(from.word[slot]))];
        if (is_inside(run, slot, unit)) {
          is_ordered = is_ordered & write_one(run, slot);
        }
      }
    }
    if constexpr (unit > 1) {
      run_slots::template for_each_at_ends<Threads, unit>(
        ctx, runs, [&](const radix_run& run, unsigned slot) { is_ordered = is_ordered & write_one(run, slot); });
    }
    return is_ordered;
  }

private:
  static GIMBAL_DEVICE bits_type bits_of(std::uint32_t word) { return static_cast<bits_type>(word); }

  template <class Order>
  static GIMBAL_DEVICE Key key_of(std::uint32_t word)
  {
    const bits_type own = block::own_bits<Order, Key>(bits_of(word));
    Key key;
    std::memcpy(static_cast<void*>(&key), &own, sizeof(own));
    return key;
  }

  /// True if units of slots are units of memory: slots are aligned as the keys' output.
  template <class Value>
  static GIMBAL_DEVICE bool are_units(const Key* keys_out, const Value* values_out)
  {
    const unsigned before = phase(keys_out, 0);
    const auto address = reinterpret_cast<std::uintptr_t>(values_out);
    return (address - before * ValueBytes) % (Units::value_unit * ValueBytes) == 0;
  }

  /// Writes the units that lie inside a run. False if their words descend, the run's next slot included.
  template <unsigned Threads, unsigned Batch, class Order, class Context, class Arrays, class DigitOf, class Value>
  static GIMBAL_DEVICE bool write_units(
    Context& ctx, const Arrays& from, const radix_run* runs, unsigned used, DigitOf digit_of, Key* keys_out,
    Value* values_out)
  {
    bool is_ordered = true;
    const unsigned groups = used / group_items;
    for (unsigned first = ctx.thread(); first < groups; first += Batch * Threads) {
      unsigned slot[Batch];
      word_group words[Batch];
      radix_vector vector[Batch];
      std::uint32_t next[Batch];
      radix_run run[Batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        const unsigned g = first + j * Threads < groups ? first + j * Threads : first;
        slot[j] = g * group_items;
        words[j] = from.words[g];
        vector[j] = from.vector[g];
        next[j] = from.word[slot[j] + group_items < count ? slot[j] + group_items : 0];
      }
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        run[j] = runs[digit_of(bits_of(words[j].word[0]))];
      }
      GIMBAL_UNROLL
      for (unsigned j = 0; j < Batch; ++j) {
        if (is_inside(run[j], slot[j], unit)) {
          const index_type place = run[j].shift + slot[j];
          *reinterpret_cast<radix_vector*>(values_out + place) = vector[j];
          bool ascends = slot[j] + group_items >= run[j].end || words[j].word[group_items - 1] <= next[j];
          key_group keys;
          GIMBAL_UNROLL
          for (unsigned i = 0; i < group_items; ++i) {
            keys.key[i] = block::own_bits<Order, Key>(bits_of(words[j].word[i]));
            ascends = ascends & (i == 0 || words[j].word[i == 0 ? 0 : i - 1] <= words[j].word[i]);
          }
          *reinterpret_cast<key_group*>(keys_out + place) = keys;
          is_ordered = is_ordered & ascends;
        }
      }
    }
    return is_ordered;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
