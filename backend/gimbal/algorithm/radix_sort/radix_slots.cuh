// The keys of a tile of a radix pass, and their values, in shared memory between ranking by a digit and writing out,
// and the sweeps that write them in whole units: 32-byte sectors of memory or, for keys alone and keys of one or two
// bytes, 16-byte vectors. With values, runs are short, so partial sectors at their ends matter; without, a sweep of the
// ends over half as many slots is worth more.
//
// The items with one digit are a run: neighbours in shared memory as in the output. A run has the same offset from a
// unit's boundary in both, so a unit of shared memory is one of global memory, and all but the two ends of a run are
// written by 16-byte accesses that fill whole units. Sectors written in pieces, by different instructions, reach about
// half the throughput.
//
// Slots can be reserved before the position in the output is known: a run of c items takes c + alignment - 1 slots,
// rounded up, which suffices at every offset from a boundary. Slots between runs hold stale data. The sweeps that write
// a tile out read them, too: a unit is written only if it lies inside the run of the digit of one of its items; then
// all of its items belong to that run.
//
// Keys are stored as their distinct_bits, which are cheap to extract digits from and to compare; they become keys again
// on the way out. A key's value has the slot of the same number in an array of its own or, where the padding between
// runs would take too much memory, the key's position in the tile, which each slot keeps anyway.
//
// Small tiles, whose runs are short anyway, have no room for units: their slots are written one by one, without
// alignment.
//
// A sweep also verifies the order within the runs: each slot has a witness, and witnesses must not descend along a run.
// Two vectors of a thread in flight spill. record: radix_engine_write_batch.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The items of a tile that have one digit: they are in slots [first, end).
struct alignas(16) radix_run {
  index_type shift;  ///< index in the output = slot + shift
  unsigned first;
  unsigned end;
};

inline constexpr unsigned sector_bytes = 32;  ///< of memory

/// Items in a unit of 16 or 32 bytes, 1 where items do not divide a vector.
constexpr unsigned unit_items(std::size_t unit, std::size_t item)
{
  return item == 1 || item == 2 || item == 4 || item == 8 || item == 16 ? static_cast<unsigned>(unit / item) : 1u;
}

/// The slots of a tile of `TileItems` items. `ValueBytes` is 0 for keys alone. Without `HasUnits` a unit is one item.
template <class Bits, std::size_t ValueBytes, unsigned TileItems, bool HasUnits>
struct radix_slots {
  using bits_type = Bits;
  using order_type = radix_order<Bits>;
  static constexpr std::size_t key_bytes = sizeof(Bits);
  static_assert(key_bytes <= 8 && (key_bytes & (key_bytes - 1)) == 0, "a vector holds whole keys");
  static constexpr unsigned unit_bytes = ValueBytes == 0 || key_bytes <= 2 ? 16 : sector_bytes;
  static constexpr unsigned unit = HasUnits ? unit_items(unit_bytes, key_bytes) : 1;
  static constexpr unsigned vector_items = HasUnits ? unit_items(16, key_bytes) : 1;
  /// Runs are aligned to units of keys, and to those of values (sectors, else vectors) if that takes at most twice the
  /// padding.
  static constexpr unsigned value_vector = !HasUnits || ValueBytes == 0 ? 1 : unit_items(16, ValueBytes);
  static constexpr unsigned value_sector = !HasUnits || ValueBytes == 0 ? 1 : unit_items(sector_bytes, ValueBytes);
  static constexpr unsigned value_unit = value_sector <= 2 * unit ? value_sector : value_vector;
  static constexpr unsigned alignment = value_unit <= unit ? unit : 2 * unit;
  static constexpr unsigned most_runs = TileItems < radix_size ? TileItems : radix_size;
  /// After every few digits, `alignment` slots stay free against bank conflicts: runs of equally frequent digits could
  /// otherwise begin in the same bank. If all runs exist, two slots of each that are never needed make up for them.
  static constexpr unsigned padding_digits = alignment / 2 > unit_bytes / 4 ? alignment / 2 : unit_bytes / 4;
  static constexpr unsigned gap_slots = HasUnits ? most_runs * 2 * alignment : 0;
  static constexpr unsigned padding_slots =
    HasUnits && most_runs == radix_size ? 0 : radix_size / padding_digits * alignment;
  static constexpr unsigned count = (TileItems + alignment - 1) / alignment * alignment + gap_slots + padding_slots;
  static constexpr bool has_value_slots = 2 * radix_size * alignment * ValueBytes <= std::size_t{32} * 1024;
  static constexpr bool has_value_vectors = has_value_slots && value_unit > 1 && value_unit <= alignment;
  static constexpr unsigned value_vector_items = has_value_vectors ? value_vector : 1;
  /// A vector of values has the same items as one of keys, so that they are written together.
  static constexpr bool has_equal_vectors = has_value_vectors && value_vector_items == vector_items;

  using vector_type = ::cuda::std::conditional_t<HasUnits, simt::vector16, bits_type>;
  union keys_type {
    vector_type vector[count / vector_items];
    bits_type key[count];
  };
  template <class Value>
  union values_type {
    simt::vector16 vector[has_value_vectors ? count / value_vector_items : 1];
    uninit<Value> value[has_value_slots ? count : TileItems];
  };
  /// Position in the tile of each slot's key.
  union origins_type {
    struct alignas(2 * vector_items < 16 ? 2 * vector_items : 16) vector_type {
      std::uint16_t origin[vector_items];
    } vector[count / vector_items];
    std::uint16_t origin[count];
  };
  template <class Value, bool HasValues>
  struct arrays {
    values_type<Value> values;
    origins_type origins;
    keys_type keys;

    /// Stores the item from `position` of the tile.
    GIMBAL_DEVICE void put(unsigned slot, bits_type key, unsigned position, uninit<Value> value)
    {
      keys.key[slot] = key;
      origins.origin[slot] = static_cast<std::uint16_t>(position);
      values.value[value_place(slot, position)] = value;
    }
  };
  template <class Value>
  struct arrays<Value, false> {
    keys_type keys;

    GIMBAL_DEVICE void put(unsigned slot, bits_type key, unsigned) { keys.key[slot] = key; }
  };

  /// Witness of keys alone that are sorted by all bits: the bits below the digit.
  struct key_order {
    using type = bits_type;
    const keys_type& keys;
    bits_type lower;

    GIMBAL_DEVICE type of(unsigned slot) const { return keys.key[slot] & lower; }
    GIMBAL_DEVICE void of_vector(unsigned, const bits_type (&key)[vector_items], type (&witness)[vector_items]) const
    {
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        witness[i] = key[i] & lower;
      }
    }
  };
  /// Witness of others: the position they came from.
  struct origin_order {
    using type = std::uint16_t;
    const origins_type& origins;

    GIMBAL_DEVICE type of(unsigned slot) const { return origins.origin[slot]; }
    GIMBAL_DEVICE void of_vector(unsigned v, const bits_type (&)[vector_items], type (&witness)[vector_items]) const
    {
      const auto vector = origins.vector[v];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        witness[i] = vector.origin[i];
      }
    }
  };

  /// Slots for `items` items with digit `digit`, wherever they go.
  static GIMBAL_DEVICE unsigned reserve(unsigned digit, unsigned items)
  {
    const unsigned padding = digit % padding_digits == 0 ? alignment : 0;
    return items == 0 ? 0 : (items + 2 * (alignment - 1)) / alignment * alignment + padding;
  }

  /// Offset of `position` in `out` from the alignment boundary before it; 0 for iterators, which have none.
  template <class OutputIt>
  static GIMBAL_DEVICE unsigned phase([[maybe_unused]] OutputIt out, [[maybe_unused]] index_type position)
  {
    if constexpr (::cuda::std::is_pointer_v<OutputIt>) {
      const auto index = reinterpret_cast<std::uintptr_t>(out) / sizeof(*out) + static_cast<std::uintptr_t>(position);
      return static_cast<unsigned>(index % alignment);
    }
    return 0;
  }

  static GIMBAL_DEVICE bool is_inside(const radix_run& run, unsigned slot, unsigned unit_size)
  {
    const unsigned first = slot / unit_size * unit_size;
    return first >= run.first && first + unit_size <= run.end;
  }

  /// Calls f(run, slot) for the slots of each run that are not in a whole unit of `unit_size` slots, at its two ends.
  /// It is a separate sweep: inside the sweep of the units nearly every warp would diverge.
  template <unsigned Threads, unsigned unit_size, class Context, class F>
  static GIMBAL_DEVICE void for_each_at_ends(Context& ctx, const radix_run* runs, F f)
  {
    for (unsigned e = ctx.thread(); e < radix_size * 2 * unit_size; e += Threads) {
      const radix_run run = runs[e / (2 * unit_size)];
      const unsigned inner = (run.first + unit_size - 1) / unit_size * unit_size;  // where whole units begin
      const unsigned head_end = inner < run.end ? inner : run.end;
      const unsigned tail = run.end / unit_size * unit_size;
      const bool is_tail = e / unit_size % 2 != 0;
      const unsigned slot = (is_tail ? (tail > inner ? tail : inner) : run.first) + e % unit_size;
      if (slot < (is_tail ? run.end : head_end)) {
        f(run, slot);
      }
    }
  }

  /// Index of a key's value.
  static GIMBAL_DEVICE unsigned value_place(unsigned slot, unsigned position)
  {
    return has_value_slots ? slot : position;
  }

  /// True if values at a position are aligned to their unit wherever keys at that position are to theirs.
  static GIMBAL_DEVICE bool are_aligned_alike(const Bits* keys, const void* values)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(values);
    return (address - phase(keys, 0) * ValueBytes) % (value_unit * ValueBytes) == 0;
  }

  /// Writes the units that lie inside a run. False if their witnesses descend, the run's next slot included. Calls
  /// follow(run, v) for each vector v, and in write_ends follow_one(run, slot), to write the values of those keys.
  template <unsigned Threads, class Context, class DigitOf, class Witness, class Follow>
  static GIMBAL_DEVICE bool write_units(
    Context& ctx, const order_type& order, const keys_type& keys, const radix_run* runs, unsigned used,
    DigitOf digit_of, Bits* out, const Witness& witness, Follow follow)
  {
    bool is_ordered = true;
    GIMBAL_NO_UNROLL
    for (unsigned v = ctx.thread(); v < used / vector_items; v += Threads) {
      const unsigned slot = v * vector_items;
      bits_type key[vector_items];
      const vector_type vector = keys.vector[v];
      std::memcpy(static_cast<void*>(key), &vector, sizeof(vector));
      const typename Witness::type next = witness.of(v == count / vector_items - 1 ? 0 : slot + vector_items);
      const radix_run run = runs[digit_of(key[0])];
      typename Witness::type seen[vector_items];
      witness.of_vector(v, key, seen);
      bool ascends = slot + vector_items >= run.end || seen[vector_items - 1] <= next;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        ascends = ascends & (i == 0 || seen[i == 0 ? 0 : i - 1] <= seen[i]);
      }
      if (is_inside(run, slot, unit)) {
        is_ordered = is_ordered & ascends;
        *reinterpret_cast<vector_type*>(out + (run.shift + slot)) = own_vector(order, key);
        follow(run, v);
      }
    }
    return is_ordered;
  }

  /// The keys' own bits; for integers word by word.
  static GIMBAL_DEVICE vector_type own_vector(const order_type& order, const bits_type (&key)[vector_items])
  {
    vector_type vector;
    if (!HasUnits || order.is_floating()) {
      bits_type own[vector_items];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < vector_items; ++i) {
        own[i] = order.own(key[i]);
      }
      std::memcpy(&vector, own, sizeof(vector));
      return vector;
    }
    if constexpr (HasUnits) {
      std::memcpy(&vector, key, sizeof(vector));
      constexpr unsigned word_bytes = sizeof(vector.word[0]);
      GIMBAL_UNROLL
      for (unsigned w = 0; w < sizeof(vector) / word_bytes; ++w) {
        if constexpr (sizeof(bits_type) > word_bytes) {
          vector.word[w] ^= static_cast<std::uint32_t>(order.flipped >> 8 * (w * word_bytes % sizeof(bits_type)));
        } else {
          vector.word[w] ^= order.flipped * (~std::uint32_t{0} / radix_order<bits_type>::ones);
        }
      }
    }
    return vector;
  }

  /// Writes the rest of the keys, if a unit has several. False if their witnesses descend.
  template <unsigned Threads, class Context, class Witness, class FollowOne>
  static GIMBAL_DEVICE bool write_ends(
    Context& ctx, const order_type& order, const keys_type& keys, const radix_run* runs, Bits* out,
    const Witness& witness, FollowOne follow_one)
  {
    bool is_ordered = true;
    if constexpr (unit > 1) {
      for_each_at_ends<Threads, unit>(ctx, runs, [&](const radix_run& run, unsigned slot) {
        const bool is_last = slot + 1 >= run.end;
        is_ordered = is_ordered & (witness.of(slot) <= witness.of(is_last ? slot : slot + 1));
        out[run.shift + slot] = order.own(keys.key[slot]);
        follow_one(run, slot);
      });
    }
    return is_ordered;
  }

  /// Writes the values whose units lie inside a run, then the rest, as with keys.
  template <unsigned Threads, class Context, class DigitOf, class Value>
  static GIMBAL_DEVICE void write_value_units(
    Context& ctx, const keys_type& keys, const radix_run* runs, unsigned used, DigitOf digit_of,
    const values_type<Value>& values, Value* out)
  {
    for (unsigned v = ctx.thread(); v < used / value_vector_items; v += Threads) {
      const unsigned slot = v * value_vector_items;
      const simt::vector16 vector = values.vector[v];
      // Any key of a unit inside a run has the run's digit: take one whose bank few other lanes read.
      const unsigned s = slot / value_unit;
      const radix_run run = runs[digit_of(keys.key[s * value_unit + s % value_unit])];
      if (is_inside(run, slot, value_unit)) {
        *reinterpret_cast<simt::vector16*>(out + (run.shift + slot)) = vector;
      }
    }
    for_each_at_ends<Threads, value_unit>(
      ctx, runs, [&](const radix_run& run, unsigned slot) { out[run.shift + slot] = values.value[slot].get(); });
  }

  /// Writes the values one by one.
  template <unsigned Threads, class Context, class DigitOf, class Value, class OutputIt>
  static GIMBAL_DEVICE void write_values(
    Context& ctx, const keys_type& keys, const radix_run* runs, unsigned used, DigitOf digit_of,
    const origins_type& origins, const values_type<Value>& values, OutputIt out)
  {
    for (unsigned slot = ctx.thread(); slot < used; slot += Threads) {
      const radix_run run = runs[digit_of(keys.key[slot])];
      if (slot >= run.first && slot < run.end) {
        *(out + (run.shift + slot)) = values.value[value_place(slot, origins.origin[slot])].get();
      }
    }
  }
};

}  // namespace block

namespace algorithm {

template <class Slots, unsigned Threads, class Context, class Shared, class Values>
GIMBAL_DEVICE void write_radix_values(
  Context& ctx, const Shared& smem, const radix_step& now, const typename Slots::order_type& order, unsigned side,
  const Values& values, const typename Slots::bits_type* keys_out)
{
  const auto digit = [&](typename Slots::bits_type key) { return now.range.digit(order.join(key)); };
  const block::radix_run* const runs = smem.runs[side];
  const unsigned used = smem.used[side];
  values.write(now.target, [&](auto out) {
    if constexpr (Slots::has_value_vectors && ::cuda::std::is_pointer_v<decltype(out)>) {
      if (Slots::are_aligned_alike(keys_out, out)) {
        return Slots::template write_value_units<Threads>(ctx, smem.keys, runs, used, digit, smem.values, out);
      }
    }
    Slots::template write_values<Threads>(ctx, smem.keys, runs, used, digit, smem.origins, smem.values, out);
  });
}

/// To be called by the first `Threads` threads. False if the tile is not in a stable order.
template <class Slots, unsigned Threads, class Context, class Shared, class Keys, class Values>
GIMBAL_DEVICE bool write_radix_tile(
  Context& ctx, const Shared& smem, const radix_step& now, const typename Slots::order_type& order, unsigned side,
  const Keys& keys, const Values& values)
{
  using bits_type = typename Slots::bits_type;
  const auto digit = [&](bits_type key) { return now.range.digit(order.join(key)); };
  const block::radix_run* const runs = smem.runs[side];
  bool is_stable = true;
  keys.write(now.target, [&](auto out) {
    const auto write_keys = [&](const auto& witness, auto follow, auto follow_one) {
      const bool inside =
        Slots::template write_units<Threads>(ctx, order, smem.keys, runs, smem.used[side], digit, out, witness, follow);
      const bool at_ends = Slots::template write_ends<Threads>(ctx, order, smem.keys, runs, out, witness, follow_one);
      is_stable = inside && at_ends;
    };
    const auto nothing = [](const block::radix_run&, unsigned) {};
    if constexpr (bytes_of_values<Values> == 0) {
      const auto lower = static_cast<bits_type>((bits_type{1} << now.range.shift) - (bits_type{1} << now.sorted_from));
      write_keys(typename Slots::key_order{smem.keys, lower}, nothing, nothing);
    } else {
      const typename Slots::origin_order witness{smem.origins};
      bool is_done = false;
      if constexpr (Slots::has_equal_vectors && Values::is_plain_output) {
        values.write(now.target, [&](auto values_out) {
          if (Slots::are_aligned_alike(out, values_out)) {
            write_keys(
              witness,
              [&](const block::radix_run& run, unsigned v) {
                const auto target = values_out + (run.shift + v * Slots::vector_items);
                *reinterpret_cast<simt::vector16*>(target) = smem.values.vector[v];
              },
              [&](const block::radix_run& run, unsigned slot) {
                values_out[run.shift + slot] = smem.values.value[slot].get();
              });
            is_done = true;
          }
        });
      }
      if (!is_done) {
        write_keys(witness, nothing, nothing);
        algorithm::write_radix_values<Slots, Threads>(ctx, smem, now, order, side, values, out);
      }
    }
  });
  return is_stable;
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
