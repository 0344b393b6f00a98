// Tunes sorts of keys in random order by a comparator: sweeps of many runs with various tiles, merging in pairs, and by
// ranks.
#include "merge_variants.h"

namespace perf {

namespace {

const tuning_subject u32{
  "merge_sort u32", keys<
                      std::uint32_t, by_default, in_pairs<256, 17>, shape<16, 512, 27>, shape<16, 256, 23>,
                      shape<8, 512, 27>, shape<4, 512, 27>, by_ranks<256>>};
const tuning_subject u64{
  "merge_sort u64", keys<std::uint64_t, by_default, shape<16, 256, 17>, shape<16, 256, 11>, shape<16, 128, 17>>};
const tuning_subject wide{
  "merge_sort 16 bytes", keys<words<2, 1>, by_default, shape<8, 256, 7>, shape<16, 256, 7>, shape<16, 128, 7>>};
const tuning_subject u32_pairs{"merge_sort pairs of u32", pairs<std::uint32_t, by_default, shape<16, 256, 17>>};
const tuning_subject u64_pairs{"merge_sort pairs of u64", pairs<std::uint64_t, by_default>};

}  // namespace

}  // namespace perf
