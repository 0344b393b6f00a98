// Keys in random order: passes by leading digits and buckets of various shapes, and passes alone.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;
namespace tuning = gimbal::tuning;

template <std::size_t KeyBytes, std::size_t ValueBytes>
struct passes_alone : tuning::radix_engine<KeyBytes, ValueBytes> {
  using buckets = tuning::no_radix_buckets;
  static std::string name() { return "passes alone"; }
};

template <
  std::size_t KeyBytes, std::size_t ValueBytes, unsigned Threads, unsigned Items, unsigned Resident, unsigned Unit,
  unsigned Bins>
struct in_buckets : tuning::radix_engine<KeyBytes, ValueBytes> {
  struct buckets : tuning::radix_engine<KeyBytes, ValueBytes>::buckets {
    static constexpr unsigned block_threads = Threads;
    static constexpr unsigned items_per_thread = Items;
    static constexpr unsigned resident_blocks = Resident;
    static constexpr unsigned unit_items = Unit;
    static constexpr unsigned most_bucket_items = Threads * Items - Unit;
    static constexpr unsigned bins = Bins;
    static constexpr index_type least_items = index_type{1} << 20;
    static constexpr index_type most_items = index_type{1} << 30;
  };
  static std::string name() { return name_of(Threads, " threads of ", Items, " x", Resident, ", ", Bins, " bins"); }
};

template <class Key>
void keys(tuning_run& r)
{
  sort_keys<Key>(r, [&](auto... arrays) {
    engine_variants<
      passes_alone<4, 0>, in_buckets<4, 0, 448, 12, 3, 512, 8192>, in_buckets<4, 0, 512, 11, 3, 512, 8192>>(
      r, arrays...);
  });
}

template <class Value>
void pairs(tuning_run& r)
{
  constexpr std::size_t value = sizeof(Value);
  sort_pairs<std::uint32_t, Value>(r, [&](auto... arrays) {
    engine_variants<passes_alone<4, value>>(r, arrays...);
    if constexpr (value == 4) {
      engine_variants<in_buckets<4, value, 512, 11, 3, 512, 8192>, in_buckets<4, value, 256, 22, 4, 512, 8192>>(
        r, arrays...);
    } else {
      engine_variants<in_buckets<4, value, 384, 13, 3, 320, 8192>, in_buckets<4, value, 512, 14, 2, 512, 8192>>(
        r, arrays...);
    }
  });
}

template <std::size_t KeyBytes, std::size_t ValueBytes>
struct by_default : tuning::radix_engine<KeyBytes, ValueBytes> {
  static std::string name() { return "default"; }
};

template <class Key>
void wide_keys(tuning_run& r)
{
  sort_keys<Key>(r, [&](auto... arrays) { engine_variants<by_default<sizeof(Key), 0>>(r, arrays...); });
}
template <class Key, class Value>
void wide_pairs(tuning_run& r)
{
  sort_pairs<Key, Value>(
    r, [&](auto... arrays) { engine_variants<by_default<sizeof(Key), sizeof(Value)>>(r, arrays...); });
}

const tuning_subject u64{"radix_buckets u64", wide_keys<std::uint64_t>};
const tuning_subject i64{"radix_buckets i64", wide_keys<std::int64_t>};
const tuning_subject f64{"radix_buckets f64", wide_keys<double>};
const tuning_subject u64_u32{"radix_buckets u64+u32", wide_pairs<std::uint64_t, std::uint32_t>};
const tuning_subject u64_u64{"radix_buckets u64+u64", wide_pairs<std::uint64_t, std::uint64_t>};
const tuning_subject f32_u32{"radix_buckets f32+u32", wide_pairs<float, std::uint32_t>};
const tuning_subject u32{"radix_buckets u32", keys<std::uint32_t>};
const tuning_subject i32{"radix_buckets i32", keys<std::int32_t>};
const tuning_subject f32{"radix_buckets f32", keys<float>};
const tuning_subject u32_u32{"radix_buckets u32+u32", pairs<std::uint32_t>};
const tuning_subject u32_u64{"radix_buckets u32+u64", pairs<std::uint64_t>};

}  // namespace

}  // namespace perf
