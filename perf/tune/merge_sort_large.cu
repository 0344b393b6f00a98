// Tunes sorts of large keys in random order, by a comparator of their first word and by one of all words, one after the
// other.
#include "merge_variants.h"

namespace perf {

namespace {

template <class Key>
constexpr void (*all)(tuning_run&) = keys<
  Key, by_default, in_pairs<256, 3>, in_pairs<128, 7>, shape<8, 256, 5>, shape<16, 128, 7>, by_ranks<512>,
  by_ranks<256>>;

const tuning_subject by_first_32{"merge_sort 32 bytes by the first word", all<words<4, 1>>};
const tuning_subject by_all_32{"merge_sort 32 bytes by all words", all<words<4, 4>>};
const tuning_subject by_first_24{"merge_sort 24 bytes by the first word", all<words<3, 1>>};
const tuning_subject by_all_24{"merge_sort 24 bytes by all words", all<words<3, 3>>};

}  // namespace

}  // namespace perf
