// Tunes reduce by key of runs of random lengths: the persistent kernel with various shapes, and the tile kernel.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <gimbal/algorithm/scan/reduce_by_key.cuh>

#include "../compare/inputs.h"
#include "runs_shape.h"

namespace perf {

namespace {

template <class Key>
const Key* keys_in_runs(tuning_run& r, unsigned run)
{
  return r.filled<Key>(r.n(), run_key<Key>{{run}});
}

/// Odd numbers of items, which no bank conflicts.
template <class Sums>
void item_variants(const Sums& sums)
{
  sums.template stream<
    items_shape<8, 2, 4, 9, 200>, items_shape<8, 2, 4, 11, 200>, items_shape<6, 2, 6, 9, 200>,
    items_shape<6, 2, 6, 7, 200>, items_shape<6, 3, 6, 9, 200>>();
}

/// Of keys in runs.
template <class Key, class Value, unsigned Run, class InputIt>
auto sums_in_runs(tuning_run& r, InputIt in)
{
  return make_run_sums<Key, Value>(
    r, keys_in_runs<Key>(r, Run), in, (r.n() + r.n() / Run) * (sizeof(Key) + sizeof(Value)));
}

template <class Key, class Value, unsigned Run>
void reduce_by_key(tuning_run& r)
{
  const Value* const in = r.random_array<Value>();
  const auto sums = sums_in_runs<Key, Value, Run>(r, in);
  if constexpr (sizeof(Value) > 32) {
    sums.template stream<
      items_shape<8, 1, 4, 3, 200>, items_shape<4, 1, 4, 3, 80>, items_shape<2, 1, 4, 3, 80>,
      items_shape<4, 1, 4, 1, 80>>();
  } else if constexpr (sizeof(Value) > 16) {
    constexpr unsigned lane = 4 * sizeof(Value);
    sums.template stream<
      runs_shape<8, 1, 4, lane, 200>, runs_shape<4, 1, 4, lane, 80>, runs_shape<2, 1, 4, lane, 80>,
      runs_shape<2, 1, 2, lane, 80>, runs_shape<3, 1, 6, lane, 80>>();
  } else {
    constexpr unsigned lane = sizeof(Value) == 8 ? 64 : 48;
    sums.template stream<
      runs_shape<8, 1, 8, lane, 200>, runs_shape<8, 2, 8, lane, 200>, runs_shape<8, 2, 4, lane, 200>,
      runs_shape<6, 2, 6, lane, 200>>();
    item_variants(sums);
  }
  sums.template blocks<gimbal::tuning::segmented_scan<sizeof(Value)>>("tiles as blocks");
}

/// Of what comes through an iterator.
const tuning_subject squares_f64("reduce squares by key f64 runs 256", [](tuning_run& r) {
  const auto sums = sums_in_runs<std::int32_t, double, 256>(r, squares(r.random_array<double>()));
  sums.stream<runs_shape<6, 2, 6, 64, 200>>();
  item_variants(sums);
});

/// Squares in rows that are computed.
const tuning_subject rows_f64("reduce squares by row f64", [](tuning_run& r) {
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0), row_of{1000});
  const auto sums =
    make_run_sums<std::int32_t, double>(r, rows, squares(r.random_array<double>()), r.n() * sizeof(double));
  sums.stream<runs_shape<6, 2, 6, 64, 200>>();
  item_variants(sums);
});

/// How many items each run has.
template <class Key, class Count, unsigned Run>
void count_by_key(tuning_run& r)
{
  const auto sums = sums_in_runs<Key, Count, Run>(r, thrust::make_constant_iterator(Count{1}));
  if constexpr (sizeof(Key) == 1) {
    sums.template stream<
      runs_shape<8, 1, 8, 16 * sizeof(Count), 64>, items_shape<4, 1, 4, 5, 64>, items_shape<6, 3, 6, 9, 200>,
      items_shape<6, 3, 6, 17, 200>, items_shape<6, 3, 6, 19, 200>, items_shape<6, 3, 6, 21, 200>>();
    sums.template blocks<blocks_of<256, 11, 1280>>("tiles as blocks");
  } else {
    sums.template stream<runs_shape<8, 2, 4, 64, 200>>();
    item_variants(sums);
  }
}

const tuning_subject reduce_256{"reduce_by_key i32 runs 256", reduce_by_key<std::int32_t, std::int32_t, 256>};
const tuning_subject reduce_2{"reduce_by_key i32 runs 2", reduce_by_key<std::int32_t, std::int32_t, 2>};
const tuning_subject reduce_f64{"reduce_by_key i32+f64 runs 256", reduce_by_key<std::int32_t, double, 256>};
const tuning_subject reduce_i64{"reduce_by_key i64 runs 16", reduce_by_key<std::int64_t, std::int64_t, 16>};
const tuning_subject counts_u64{"count by key u64 runs 16", count_by_key<std::uint64_t, std::int32_t, 16>};
const tuning_subject counts_u8{"count by key u8 runs 256", count_by_key<std::uint8_t, std::uint64_t, 256>};
const tuning_subject reduce_structs{"reduce_by_key i32+u64x4 runs 2", reduce_by_key<std::int32_t, u64s<4>, 2>};
const tuning_subject reduce_u64x5{"reduce_by_key i32+u64x5 runs 256", reduce_by_key<std::int32_t, u64s<5>, 256>};

}  // namespace

}  // namespace perf
