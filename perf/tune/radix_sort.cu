// Keys and pairs in random order: the radix engine with various shapes of its passes.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;
namespace tuning = gimbal::tuning;

/// A pass with these numbers, the rest as `Row` has it.
template <class Row, class Shape, unsigned Resident>
struct pass : Shape {
  static constexpr unsigned resident_blocks = Resident;
  static constexpr unsigned early_blocks = Row::early_blocks;
  static constexpr unsigned histogram_threads = Row::histogram_threads;
  static constexpr unsigned histogram_items_per_thread = Row::histogram_items_per_thread;
  static constexpr unsigned histogram_copies = Row::histogram_copies;
  static constexpr unsigned histogram_blocks = Row::histogram_blocks;

  static std::string name(unsigned threads, std::size_t kilobytes)
  {
    return name_of(
      threads, " threads of ", Shape::items_per_thread, " in ", Shape::batches, ", ", kilobytes, " KB x", Resident);
  }
};
/// All sizes above those of one block in one shape. Values have no bytes if there are none.
template <
  std::size_t KeyBytes, std::size_t ValueBytes, unsigned Threads, std::size_t Kilobytes, unsigned MostItems,
  unsigned Resident>
struct engine : tuning::radix_engine<KeyBytes, ValueBytes> {
  static constexpr std::size_t item_registers = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  using large = pass<
    typename tuning::radix_engine<KeyBytes, ValueBytes>::large,
    tuning::radix_engine_shape<KeyBytes, ValueBytes, Threads, Kilobytes * 1024, MostItems * 4 * item_registers>,
    Resident>;
  static std::string name() { return large::name(Threads, Kilobytes); }
};
/// The same for the values of one-byte keys, which are not moved.
template <std::size_t ValueBytes, unsigned Threads, std::size_t Kilobytes, unsigned MostItems, unsigned Resident>
struct value_engine : tuning::radix_engine<1, ValueBytes> {
  static constexpr std::size_t item_registers = 1 + (ValueBytes + 3) / 4;
  static constexpr index_type most_resident_items(bool) { return 0; }
  using unmoved = pass<
    typename tuning::radix_engine<1, ValueBytes>::unmoved,
    tuning::radix_engine_shape<1, ValueBytes, Threads, Kilobytes * 1024, MostItems * 4 * item_registers, false>,
    Resident>;
  static std::string name() { return unmoved::name(Threads, Kilobytes); }
};
/// match_any in place of atomics.
template <class Engine>
struct voting : Engine {
  struct large : Engine::large {
    static constexpr bool ranks_by_atomics = false;
  };
  static std::string name() { return Engine::name() + " by match_any"; }
};
template <class Engine>
struct batched_values : Engine {
  struct unmoved : Engine::unmoved {
    static constexpr unsigned write_batch = 2;
  };
  static std::string name() { return Engine::name() + " writes two"; }
};

template <class Key>
void keys(tuning_run& r)
{
  constexpr std::size_t size = sizeof(Key);
  sort_keys<Key>(r, [&](auto... arrays) {
    engine_variants<
      engine<size, 0, 576, 226, size <= 4 ? 56 : 32, 1>, engine<size, 0, 512, 226, size <= 4 ? 64 : 40, 1>,
      engine<size, 0, 768, 226, size <= 4 ? 40 : 24, 1>, engine<size, 0, 256, 112, size <= 4 ? 32 : 16, 2>,
      engine<size, 0, 384, 112, size <= 4 ? 40 : 24, 2>>(r, arrays...);
    if constexpr (size == 4) {
      engine_variants<voting<engine<size, 0, 576, 226, 56, 1>>>(r, arrays...);
    }
  });
}

template <class Key, class Value>
void pairs(tuning_run& r)
{
  constexpr std::size_t size = sizeof(Key);
  constexpr std::size_t value = sizeof(Value);
  sort_pairs<Key, Value>(r, [&](auto... arrays) {
    engine_variants<
      engine<size, value, 576, 226, 28, 1>, engine<size, value, 480, 226, 36, 1>, engine<size, value, 448, 226, 40, 1>,
      engine<size, value, 448, 226, 42, 1>>(r, arrays...);
  });
}

template <class Value>
void bytes_with(tuning_run& r)
{
  constexpr std::size_t value = sizeof(Value);
  sort_pairs<std::uint8_t, Value>(r, [&](auto... arrays) {
    engine_variants<
      value_engine<value, 576, 227, value <= 4 ? 28 : 18, 1>, value_engine<value, 480, 227, value <= 4 ? 36 : 22, 1>,
      value_engine<value, 448, 227, value <= 4 ? 40 : 24, 1>, value_engine<value, 448, 227, value <= 4 ? 35 : 21, 1>,
      value_engine<value, 448, 227, value <= 4 ? 42 : 28, 1>,
      batched_values<value_engine<value, 448, 227, value <= 4 ? 40 : 24, 1>>>(r, arrays...);
  });
}

template <class Key>
__global__ void mask_keys(Key* keys, std::size_t n, Key mask)
{
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    keys[i] &= mask;
  }
}

/// Counted, by blocks of so many threads with so many vectors in flight.
template <unsigned Threads, unsigned Batch, unsigned FillThreads, unsigned FillBlocks>
struct counting : tuning::radix_engine<2, 0> {
  static constexpr index_type least_wide_counted_items = 1;
  struct wide_counted : tuning::radix_engine<2, 0>::wide_counted {
    static constexpr unsigned count_threads = Threads;
    static constexpr unsigned count_batch = Batch;
    static constexpr unsigned fill_threads = FillThreads;
    static constexpr unsigned fill_blocks = FillBlocks;
  };
  static std::string name()
  {
    return name_of("counted by ", Threads, " in ", Batch, ", filled by ", FillThreads, " x ", FillBlocks);
  }
};

/// Random keys and, for the cost of atomics to one address, few different ones.
template <class Key, unsigned Mask>
void two_bytes(tuning_run& r)
{
  auto* const in = r.random_array<Key>(r.n());
  mask_keys<Key><<<2048, 256>>>(in, r.n(), static_cast<Key>(Mask));
  sort_keys_of<Key>(r, in, [&](auto... arrays) {
    engine_variants<
      counting<1024, 3, 128, multiprocessors * 16>, counting<1024, 2, 128, multiprocessors * 16>,
      counting<1024, 4, 128, multiprocessors * 16>, counting<1024, 3, 128, multiprocessors * 32>,
      counting<768, 4, 128, multiprocessors * 16>>(r, arrays...);
  });
}

const tuning_subject u16{"radix_sort u16 random", two_bytes<std::uint16_t, 0xffff>};
const tuning_subject u16_two{"radix_sort u16 of two values", two_bytes<std::uint16_t, 0x8000>};
const tuning_subject u16_eight{"radix_sort u16 of eight values", two_bytes<std::uint16_t, 0x8101>};
const tuning_subject u16_four{"radix_sort u16 of four values", two_bytes<std::uint16_t, 0x8100>};
const tuning_subject u16_sixteen{"radix_sort u16 of sixteen values", two_bytes<std::uint16_t, 0x8181>};
const tuning_subject u16_high{"radix_sort u16 of high bits", two_bytes<std::uint16_t, 0xff00>};
const tuning_subject u16_equal{"radix_sort u16 equal", two_bytes<std::uint16_t, 0>};
const tuning_subject u8_u32{"radix_sort u8+u32", bytes_with<std::uint32_t>};
const tuning_subject u8_u8{"radix_sort u8+u8", bytes_with<std::uint8_t>};
const tuning_subject u8_u64{"radix_sort u8+u64", bytes_with<std::uint64_t>};
const tuning_subject u16_u8{"radix_sort u16+u8", pairs<std::uint16_t, std::uint8_t>};
const tuning_subject u16_u64{"radix_sort u16+u64", pairs<std::uint16_t, std::uint64_t>};
const tuning_subject u16_u32{"radix_sort u16+u32", pairs<std::uint16_t, std::uint32_t>};
const tuning_subject u32{"radix_sort u32", keys<std::uint32_t>};
const tuning_subject u64{"radix_sort u64", keys<std::uint64_t>};
const tuning_subject u32_u32{"radix_sort u32+u32", pairs<std::uint32_t, std::uint32_t>};

}  // namespace

}  // namespace perf
