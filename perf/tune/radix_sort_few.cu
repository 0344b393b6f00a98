// Tunes sorts of few keys and pairs, where every key is compared with every other: sizes 2^10 to 2^13.
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

#include "radix_sort_arrays.h"

namespace perf {

namespace {

namespace algorithm = gimbal::algorithm;

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
    using kernel_type =
      algorithm::all_pairs_sort_kernel<decltype(shape), std::decay_t<decltype(keys)>, std::decay_t<decltype(values)>>;
    const algorithm::all_pairs_row<kernel_type> row(
      true,
      {keys, values, {algorithm::radix_order_for<Key>(algorithm::ascending{}), {0, 8 * sizeof(Key), sizeof(Key)}}, n});
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

const tuning_subject u8{"radix_sort few u8", few<std::uint8_t>};
const tuning_subject u16{"radix_sort few u16", few<std::uint16_t>};
const tuning_subject u32{"radix_sort few u32", few<std::uint32_t>};
const tuning_subject u64{"radix_sort few u64", few<std::uint64_t>};
const tuning_subject u32_u32{"radix_sort few u32+u32", few<std::uint32_t, std::uint32_t>};

}  // namespace

}  // namespace perf
