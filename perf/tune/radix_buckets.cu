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

template <class Value>
void buckets(tuning_run& r)
{
  constexpr std::size_t value = bytes_of<Value>;
  sort_arrays<std::uint64_t, Value>(
    r, [&](auto... arrays) { engine_variants<by_default<8, value>, passes_alone<8, value>>(r, arrays...); });
}

const tuning_subject u64{"radix_buckets u64", buckets<no_value>};
const tuning_subject u64_u32{"radix_buckets u64+u32", buckets<std::uint32_t>};
const tuning_subject u64_u64{"radix_buckets u64+u64", buckets<std::uint64_t>};

}  // namespace

}  // namespace perf
