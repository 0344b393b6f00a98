// Tunes sorts of keys and pairs in random order: the radix engine with various shapes of its passes, and of 8-byte keys
// passes by leading digits and buckets, and passes alone.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

namespace tuning = gimbal::tuning;

/// A pass with these numbers, the rest as `Row` has it.
template <class Row, class Shape>
struct pass : Shape {
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned early_blocks = Row::early_blocks;
  using histogram = typename Row::histogram;

  static std::string name(unsigned threads, std::size_t kilobytes)
  {
    return name_of(threads, " threads of ", Shape::items_per_thread, " in ", Shape::batches, ", ", kilobytes, " KB");
  }
};
/// All sizes above those of one launch in one shape. Values have no bytes if there are none.
template <std::size_t KeyBytes, std::size_t ValueBytes, unsigned Threads, std::size_t Kilobytes, unsigned MostItems>
struct engine : tuning::radix_engine<KeyBytes, ValueBytes> {
  static constexpr std::size_t item_registers = (KeyBytes + 3) / 4 + (ValueBytes + 3) / 4;
  using large = pass<
    typename tuning::radix_engine<KeyBytes, ValueBytes>::large,
    tuning::radix_engine_shape<KeyBytes, ValueBytes, Threads, Kilobytes * 1024, MostItems * 4 * item_registers, true>>;
  static std::string name() { return large::name(Threads, Kilobytes); }
};

template <class Key>
void keys(tuning_run& r)
{
  constexpr std::size_t size = sizeof(Key);
  sort_arrays<Key, no_value>(r, [&](auto... arrays) {
    engine_variants<
      engine<size, 0, 576, 226, size <= 4 ? 56 : 32>, engine<size, 0, 512, 226, size <= 4 ? 64 : 40>,
      engine<size, 0, 768, 226, size <= 4 ? 40 : 24>>(r, arrays...);
  });
}

template <std::size_t ValueBytes>
struct passes_alone : tuning::radix_engine<8, ValueBytes> {
  using buckets = tuning::no_radix_buckets;
  static std::string name() { return "passes alone"; }
};
template <std::size_t ValueBytes>
struct by_default : tuning::radix_engine<8, ValueBytes> {
  static std::string name() { return "default"; }
};

template <class Value>
void buckets(tuning_run& r)
{
  sort_arrays<std::uint64_t, Value>(r, [&](auto... arrays) {
    engine_variants<by_default<bytes_of<Value>>, passes_alone<bytes_of<Value>>>(r, arrays...);
  });
}

const tuning_subject u64_buckets{"radix_buckets u64", buckets<no_value>};
const tuning_subject u64_u32_buckets{"radix_buckets u64+u32", buckets<std::uint32_t>};
const tuning_subject u64_u64_buckets{"radix_buckets u64+u64", buckets<std::uint64_t>};
const tuning_subject u32{"radix_sort u32", keys<std::uint32_t>};
const tuning_subject u64{"radix_sort u64", keys<std::uint64_t>};
const tuning_subject u32_u32("radix_sort u32+u32", [](tuning_run& r) {
  sort_arrays<std::uint32_t, std::uint32_t>(r, [&](auto... arrays) {
    engine_variants<engine<4, 4, 576, 226, 28>, engine<4, 4, 480, 226, 36>, engine<4, 4, 448, 226, 40>>(r, arrays...);
  });
});

}  // namespace

}  // namespace perf
