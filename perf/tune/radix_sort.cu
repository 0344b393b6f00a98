// Tunes sorts of keys and pairs in random order: the radix engine with various shapes of its passes.
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
  using histogram = typename Row::histogram;

  static std::string name(unsigned threads, std::size_t kilobytes)
  {
    return name_of(
      threads, " threads of ", Shape::items_per_thread, " in ", Shape::batches, ", ", kilobytes, " KB x", Resident);
  }
};
/// All sizes above those of one launch in one shape. Values have no bytes if there are none.
template <
  std::size_t KeyBytes, std::size_t ValueBytes, unsigned Threads, std::size_t Kilobytes, unsigned MostItems,
  unsigned Resident>
struct engine : tuning::radix_engine<KeyBytes, ValueBytes> {
  static constexpr std::size_t item_registers = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  using large = pass<
    typename tuning::radix_engine<KeyBytes, ValueBytes>::large,
    tuning::radix_engine_shape<KeyBytes, ValueBytes, Threads, Kilobytes * 1024, MostItems * 4 * item_registers, true>,
    Resident>;
  static std::string name() { return large::name(Threads, Kilobytes); }
};

template <class Key>
void keys(tuning_run& r)
{
  constexpr std::size_t size = sizeof(Key);
  sort_keys<Key>(r, [&](auto... arrays) {
    engine_variants<
      engine<size, 0, 576, 226, size <= 4 ? 56 : 32, 1>, engine<size, 0, 512, 226, size <= 4 ? 64 : 40, 1>,
      engine<size, 0, 768, 226, size <= 4 ? 40 : 24, 1>>(r, arrays...);
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

const tuning_subject u32{"radix_sort u32", keys<std::uint32_t>};
const tuning_subject u64{"radix_sort u64", keys<std::uint64_t>};
const tuning_subject u32_u32{"radix_sort u32+u32", pairs<std::uint32_t, std::uint32_t>};

}  // namespace

}  // namespace perf
