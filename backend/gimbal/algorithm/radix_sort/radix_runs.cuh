// Where the items of a tile are in shared memory between ranking by a digit and writing out in whole units: memory sectors of 32 bytes,
// or vectors of 16.
//
// The items with one digit are a run: neighbours in shared memory as in the output. A run has the same offset from a unit's boundary
// in both, so a unit of shared memory is one of global memory, and all but the two ends of a run are written by 16-byte
// accesses that fill whole units. Sectors written in pieces, by different instructions, reach about half the throughput.
//
// Slots can be reserved before the place in the output is known: a run of c items takes c + alignment - 1 slots, rounded up, which
// suffices at every offset from a boundary. Slots between runs hold stale data. The sweeps that write a tile out read them, too: a
// unit is written only if it lies inside the run of the digit of one of its items; then all of its items belong to that run.
#pragma once

#include <gimbal/collective/radix_key.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The items of a tile that have one digit: they are in slots [first, end).
struct alignas(16) radix_run {
  index_type shift;  ///< place in the output = slot + shift
  unsigned first;
  unsigned end;
};

struct alignas(16) radix_vector {
  std::uint32_t word[4];
};

inline constexpr unsigned sector_bytes = 32;  ///< of memory

/// Items in a unit of 16 or 32 bytes, 1 where items do not divide a vector.
constexpr unsigned unit_items(std::size_t unit, std::size_t item)
{
  return item == 1 || item == 2 || item == 4 || item == 8 || item == 16 ? static_cast<unsigned>(unit / item) : 1u;
}

/// The slots of a tile whose runs are aligned to `Alignment` slots, a multiple of a unit of `UnitBytes`.
template <unsigned TileItems, unsigned Alignment, unsigned UnitBytes>
struct radix_run_slots {
  static constexpr unsigned alignment = Alignment;
  static constexpr unsigned most_runs = TileItems < radix_size ? TileItems : radix_size;
  /// Every so many digits, `alignment` slots stay free against bank conflicts: runs of equally frequent digits could otherwise begin in
  /// the same bank. If all runs exist, two slots of each that are never needed make up for them.
  static constexpr unsigned padding_digits = alignment / 2 > UnitBytes / 4 ? alignment / 2 : UnitBytes / 4;
  static constexpr unsigned padding_slots = most_runs < radix_size ? radix_size / padding_digits * alignment : 0;
  static constexpr unsigned count =
    (TileItems + alignment - 1) / alignment * alignment + most_runs * 2 * alignment + padding_slots;

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
      const auto place = reinterpret_cast<std::uintptr_t>(out) / sizeof(*out) + static_cast<std::uintptr_t>(position);
      return static_cast<unsigned>(place % alignment);
    }
    return 0;
  }

  static GIMBAL_DEVICE bool is_inside(const radix_run& run, unsigned slot, unsigned unit_size)
  {
    const unsigned first = slot / unit_size * unit_size;
    return first >= run.first && first + unit_size <= run.end;
  }

  /// Calls f(run, slot) for the slots of each run that are not in a whole unit of `unit_size` slots, at its two ends. A separate sweep:
  /// inside the sweep of the units nearly every warp would diverge.
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
};

}  // namespace block

GIMBAL_NAMESPACE_END
