// Tunes sorts of 8-byte keys in random order: passes by leading digits and buckets, and passes alone.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

namespace tuning = gimbal::tuning;

template <std::size_t KeyBytes, std::size_t ValueBytes>
struct passes_alone : tuning::radix_engine<KeyBytes, ValueBytes> {
  using buckets = tuning::no_radix_buckets;
  static std::string name() { return "passes alone"; }
};

template <std::size_t KeyBytes, std::size_t ValueBytes>
struct by_default : tuning::radix_engine<KeyBytes, ValueBytes> {
  static std::string name() { return "default"; }
};

template <class Key>
void keys(tuning_run& r)
{
  sort_keys<Key>(r, [&](auto... arrays) { engine_variants<by_default<8, 0>, passes_alone<8, 0>>(r, arrays...); });
}
template <class Key, class Value>
void pairs(tuning_run& r)
{
  sort_pairs<Key, Value>(r, [&](auto... arrays) {
    engine_variants<by_default<8, sizeof(Value)>, passes_alone<8, sizeof(Value)>>(r, arrays...);
  });
}

const tuning_subject u64{"radix_buckets u64", keys<std::uint64_t>};
const tuning_subject u64_u32{"radix_buckets u64+u32", pairs<std::uint64_t, std::uint32_t>};
const tuning_subject u64_u64{"radix_buckets u64+u64", pairs<std::uint64_t, std::uint64_t>};

}  // namespace

}  // namespace perf
