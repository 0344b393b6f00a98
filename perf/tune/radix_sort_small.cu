// Tunes sorts of few keys and pairs, sizes 2^10 to 2^13, and of a modest number: more than a block holds and less than
// fills a device.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;
namespace tuning = gimbal::tuning;

// ---- few: every key is compared with every other

template <unsigned Threads, unsigned Resident, unsigned Batch>
struct pairs_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned resident_blocks = Resident;
  static constexpr unsigned batch = Batch;

  static std::string name()
  {
    return name_of(Threads, " threads, batches of ", Batch, ", ", Resident, " blocks resident");
  }
};

template <class... Shapes, class Key, class ValuesIn, class ValuesOut>
void all_pairs_variants(tuning_run& r, const Key* in, Key* out, ValuesIn values_in, ValuesOut values_out)
{
  const auto keys = algorithm::as_words(algorithm::make_sort_array(in, out));
  const auto values = algorithm::make_sort_array(values_in, values_out);
  r.variants<Shapes...>([=, n = static_cast<unsigned>(r.n())](auto shape, void* storage, std::size_t& bytes) {
    using word = typename std::decay_t<decltype(keys)>::value_type;
    using kernel_type = algorithm::all_pairs_kernel<
      decltype(shape), algorithm::order_of_bits<word>, std::decay_t<decltype(keys)>, std::decay_t<decltype(values)>>;
    const auto order = algorithm::radix_order_for<Key>(algorithm::ascending{});
    const algorithm::all_pairs_row<kernel_type> row(true, {keys, values, {order, order.ones}, n});
    return gimbal::plan_of(row).run(storage, bytes, nullptr).code;
  });
}

template <class Key, class Value = no_value>
void few(tuning_run& r)
{
  sort_arrays<Key, Value>(r, [&](auto... arrays) {
    all_pairs_variants<pairs_shape<1024, 2, 4>, pairs_shape<512, 2, 8>, pairs_shape<512, 3, 8>>(r, arrays...);
  });
}

const tuning_subject few_u8{"radix_sort few u8", few<std::uint8_t>};
const tuning_subject few_u16{"radix_sort few u16", few<std::uint16_t>};
const tuning_subject few_u32{"radix_sort few u32", few<std::uint32_t>};
const tuning_subject few_u64{"radix_sort few u64", few<std::uint64_t>};
const tuning_subject few_u32_u32{"radix_sort few u32+u32", few<std::uint32_t, std::uint32_t>};

// ---- a modest number

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
