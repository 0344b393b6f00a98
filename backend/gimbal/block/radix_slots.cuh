// Where the keys of a tile stand in shared memory between being ranked by a digit and being written out, and the sweeps
// that write them out in whole memory sectors.
//
// The keys with one digit are a run: neighbours in shared memory as in the output. A run stands at the same distance
// from a sector boundary as its place in the output does, so a sector of shared memory is a sector of global memory,
// and all but the two ends of a run leave by 16-byte accesses that fill whole sectors. Memory that gets a sector in
// pieces, from different instructions, takes them at about half the rate. The ends go in a sweep of their own, as a
// branch for them within the first sweep would be taken in nearly every warp.
//
// For the room between runs the place in the output need not be known: a run of c keys reserves c + alignment - 1
// slots, rounded up, which suffices at every distance from a boundary. Slots that nobody owns hold whatever was there
// before. The sweeps read them, too: a sector belongs to the run that the digit of its first key names if, by the
// bounds of that run, it lies inside, and that is so if and only if the first key is one of the run, hence was written.
#pragma once

#include <gimbal/block/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The keys of a tile that have one digit: they are in slots [first, end).
struct alignas(16) radix_run {
  index_type shift;  ///< place in the output = slot + shift
  unsigned first;
  unsigned end;
};

struct alignas(16) radix_vector {
  std::uint32_t word[4];
};

/// Items in a sector, 1 where items do not divide it.
constexpr unsigned sector_items(std::size_t bytes)
{
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 ? static_cast<unsigned>(32 / bytes) : 1u;
}

/// `ValueBytes` is 0 for keys alone.
template <class Key, std::size_t ValueBytes, unsigned TileItems>
struct radix_slots {
  static_assert(sizeof(Key) <= 8 && (sizeof(Key) & (sizeof(Key) - 1)) == 0, "a sector holds whole vectors of keys");
  static constexpr unsigned sector = sector_items(sizeof(Key));
  static constexpr unsigned vector_items = sector / 2;
  /// Runs are aligned to sectors of keys, and to those of values if that takes at most twice the room.
  static constexpr unsigned value_sector = ValueBytes == 0 ? 1 : sector_items(ValueBytes);
  static constexpr unsigned alignment = value_sector <= sector ? sector : 2 * sector;
  static constexpr unsigned most_runs = TileItems < radix_size ? TileItems : radix_size;
  static constexpr unsigned count = (TileItems + alignment - 1) / alignment * alignment + most_runs * 2 * alignment;

  union keys_type {
    radix_vector vector[count / vector_items];
    uninit<Key> key[count];
  };

  /// Slots for `items` keys with one digit, wherever they go.
  static GIMBAL_DEVICE unsigned reserve(unsigned items)
  {
    return items == 0 ? 0 : (items + 2 * (alignment - 1)) / alignment * alignment;
  }

  /// Distance of the place `position` in `out` from the boundary before it.
  static GIMBAL_DEVICE unsigned phase(const Key* out, index_type position)
  {
    const auto place = reinterpret_cast<std::uintptr_t>(out) / sizeof(Key) + static_cast<std::uintptr_t>(position);
    return static_cast<unsigned>(place % alignment);
  }

  /// Writes the sectors that lie inside a run. False if `in_order(key, next)` is false for a key in one of them and the
  /// next key of its run.
  template <unsigned Threads, class Context, class DigitOf, class InOrder>
  static GIMBAL_DEVICE bool write_sectors(
    Context& ctx, const keys_type& keys, const radix_run* runs, unsigned used, DigitOf digit_of, Key* out,
    InOrder in_order)
  {
    bool is_ordered = true;
    for (unsigned v = ctx.thread(); v < used / vector_items; v += Threads) {
      const radix_vector vector = keys.vector[v];
      Key key[vector_items];
      std::memcpy(static_cast<void*>(key), &vector, sizeof(vector));
      const radix_run run = runs[digit_of(key[0])];
      const unsigned slot = v * vector_items;
      const unsigned first = slot / sector * sector;
      if (first >= run.first && first + sector <= run.end) {
        GIMBAL_UNROLL
        for (unsigned i = 1; i < vector_items; ++i) {
          is_ordered = is_ordered && in_order(key[i - 1], key[i]);
        }
        const unsigned next = slot + vector_items;
        is_ordered = is_ordered && (next >= run.end || in_order(key[vector_items - 1], keys.key[next].get()));
        *reinterpret_cast<radix_vector*>(out + (run.shift + slot)) = vector;
      }
    }
    return is_ordered;
  }

  /// Writes the rest: the sectors at the ends of the runs, as far as they belong to them.
  template <unsigned Threads, class Context, class InOrder>
  static GIMBAL_DEVICE bool write_ends(
    Context& ctx, const keys_type& keys, const radix_run* runs, Key* out, InOrder in_order)
  {
    bool is_ordered = true;
    for (unsigned e = ctx.thread(); e < radix_size * 2 * sector; e += Threads) {
      const radix_run run = runs[e / (2 * sector)];
      const bool is_tail = e / sector % 2 != 0;
      const unsigned head = run.first / sector * sector;
      const unsigned tail = run.end / sector * sector;
      const bool has_head = run.first != head;
      const bool is_partial = is_tail ? run.end != tail && !(has_head && head == tail) : has_head;
      const unsigned slot = (is_tail ? tail : head) + e % sector;
      if (is_partial && slot >= run.first && slot < run.end) {
        const Key key = keys.key[slot].get();
        is_ordered = is_ordered && (slot + 1 >= run.end || in_order(key, keys.key[slot + 1].get()));
        out[run.shift + slot] = key;
      }
    }
    return is_ordered;
  }

  /// Writes for every slot the value at the position its key came from. False if these do not ascend along every run.
  template <unsigned Threads, class Context, class DigitOf, class Value, class OutputIt>
  static GIMBAL_DEVICE bool write_values(
    Context& ctx, const keys_type& keys, const radix_run* runs, unsigned used, DigitOf digit_of,
    const std::uint16_t* origins, const uninit<Value>* values, OutputIt out)
  {
    bool is_ordered = true;
    for (unsigned slot = ctx.thread(); slot < used; slot += Threads) {
      const radix_run run = runs[digit_of(keys.key[slot].get())];
      if (slot >= run.first && slot < run.end) {
        const unsigned origin = origins[slot];
        is_ordered = is_ordered && (slot + 1 >= run.end || origin < origins[slot + 1]);
        *(out + (run.shift + slot)) = values[origin].get();
      }
    }
    return is_ordered;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
