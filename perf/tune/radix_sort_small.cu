// Tunes sorts of a modest number of keys and pairs: more than a block holds and less than fills a device.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;
namespace tuning = gimbal::tuning;

/// In one launch, whatever the size, with linear binning or by digits alone.
template <std::size_t KeyBytes, std::size_t ValueBytes, unsigned Threads, unsigned Chunk, bool BinsLinearly>
struct resident_engine : tuning::radix_engine<KeyBytes, ValueBytes> {
  using base = typename tuning::radix_engine<KeyBytes, ValueBytes>::resident;
  struct resident : base {
    static constexpr unsigned block_threads = Threads;
    static constexpr unsigned chunk_items = Chunk;
    static constexpr unsigned row_places = block_threads + block_threads / 32 + 1;
    static constexpr unsigned chunks = 200 * 1024 / ((2 * block_threads + base::item_bytes * row_places) * chunk_items);
    static constexpr unsigned bins = BinsLinearly ? base::bins : 0;
  };
  static constexpr index_type most_all_pairs_items = 0;
  static constexpr index_type most_resident_items = index_type{1} << 30;
  static constexpr index_type most_resident_floats = index_type{1} << 30;
  static std::string name()
  {
    return name_of(
      "one launch, ", Threads, " threads, chunks of ", Chunk, (BinsLinearly ? ", by linear bins" : ", by digits"));
  }
};

template <class Key, class Value = no_value>
void small(tuning_run& r)
{
  constexpr std::size_t size = sizeof(Key);
  constexpr std::size_t value = bytes_of<Value>;
  sort_arrays<Key, Value>(r, [&](auto... arrays) {
    engine_variants<
      resident_engine<size, value, 512, 4, false>, resident_engine<size, value, 512, 4, true>,
      resident_engine<size, value, 512, 2, true>>(r, arrays...);
  });
}

const tuning_subject u32{"radix_sort small u32", small<std::uint32_t>};
const tuning_subject f32{"radix_sort small f32", small<float>};
const tuning_subject u64{"radix_sort small u64", small<std::uint64_t>};
const tuning_subject u32_u32{"radix_sort small u32+u32", small<std::uint32_t, std::uint32_t>};
const tuning_subject u64_u64{"radix_sort small u64+u64", small<std::uint64_t, std::uint64_t>};

}  // namespace

}  // namespace perf
