// Reduce by key, unique by key and unique of keys in runs of random lengths: the stream with various shapes, and tiles
// as blocks.
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>
#include <gimbal/algorithm/select/partition.cuh>

#include "../compare/inputs.h"
#include "runs_shape.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;

/// Starts runs: one item in about `run`. Equal neighbouring keys are the same bits.
template <class Key>
__global__ void make_runs(Key* keys, std::size_t n, unsigned run)
{
  constexpr unsigned stretch = 4096;
  const std::size_t begin = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * stretch;
  unsigned random = static_cast<unsigned>(begin) * 2654435761u + 12345u;
  Key key = static_cast<Key>(random);
  for (std::size_t i = begin; i < begin + stretch && i < n; ++i) {
    random = random * 1664525u + 1013904223u;
    key = (random >> 12) % run == 0 ? static_cast<Key>(key + 1 + (random >> 30)) : key;
    keys[i] = key;
  }
}

template <class Key>
const Key* keys_in_runs(tuning_run& r, unsigned run)
{
  Key* const keys = r.array<Key>(r.n());
  make_runs<<<static_cast<unsigned>(r.n() / 4096 / 128 + 1), 128>>>(keys, r.n(), run);
  return keys;
}

struct blocks_of_11 {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = 11;
};
/// Keys in runs, and what both sides make of them.
template <class Key, class Value>
struct by_key_arrays {
  const Key* keys;
  twin<Key> keys_out;
  twin<Value> out;
  twin<std::int64_t> count;

  /// `is_exact`: false where squares are rounded otherwise.
  by_key_arrays(tuning_run& r, unsigned run, bool is_exact = true)
      : keys(keys_in_runs<Key>(r, run)),
        keys_out(r.output<Key>(r.n())),
        out(r.output<Value>(r.n(), is_exact)),
        count(r.output<std::int64_t>(1))
  {
    r.moves((r.n() + r.n() / run) * (sizeof(Key) + sizeof(Value)));
  }
};
/// `measure(keys, keys_out, out, count)`: the variants.
template <class Key, class Value, unsigned Run, class InputIt, class Measure>
void sum_by_key(tuning_run& r, InputIt in, Measure measure)
{
  const by_key_arrays<Key, Value> a(r, Run, !std::is_floating_point_v<Value> || std::is_pointer_v<InputIt>);
  r.stock([=, n = static_cast<int>(r.n())](auto&&... storage) {
    return cub::DeviceReduce::ReduceByKey(
      storage..., a.keys, a.keys_out.stock, in, a.out.stock, a.count.stock, ::cuda::std::plus<>{}, n);
  });
  measure(a.keys, a.keys_out.gimbal, a.out.gimbal, a.count.gimbal);
}

/// Odd numbers of items, which no bank conflicts.
template <class KeyIn, class Key, class Values>
void item_variants(tuning_run& r, KeyIn keys, Key* keys_out, Values values, std::int64_t* count)
{
  stream_variants<
    items_shape<8, 2, 4, 7, 200>, items_shape<8, 2, 4, 9, 200>, items_shape<8, 2, 4, 11, 200>,
    items_shape<6, 2, 6, 9, 200>, items_shape<6, 2, 6, 7, 200>, items_shape<6, 3, 6, 9, 200>,
    items_shape<6, 3, 6, 7, 160>>(r, keys, keys_out, values, count);
}

template <class Key, class Value, unsigned Run>
void reduce_by_key(tuning_run& r)
{
  using plus = ::cuda::std::plus<>;
  const Value* const in = r.random_array<Value>(r.n());
  sum_by_key<Key, Value, Run>(r, in, [&](const Key* keys, Key* keys_out, Value* out, std::int64_t* count) {
    using values = algorithm::folded_run_values<const Value*, Value*, plus>;
    const values folded{values::source::of(in, 0), out, {}};
    if constexpr (sizeof(Value) > 32) {
      stream_variants<
        items_shape<8, 1, 4, 3, 200>, items_shape<4, 1, 4, 3, 80>, items_shape<2, 1, 4, 3, 80>,
        items_shape<4, 1, 4, 1, 80>, items_shape<2, 1, 4, 1, 80>, items_shape<2, 1, 2, 1, 80>>(
        r, keys, keys_out, folded, count);
    } else if constexpr (sizeof(Value) > 16) {
      stream_variants<
        runs_shape<8, 1, 4, 4 * sizeof(Value), 200, 1>, runs_shape<4, 1, 4, 4 * sizeof(Value), 80, 1>,
        runs_shape<2, 1, 4, 4 * sizeof(Value), 80, 1>, runs_shape<2, 1, 2, 4 * sizeof(Value), 80, 1>,
        runs_shape<2, 1, 8, 4 * sizeof(Value), 80, 1>, runs_shape<3, 1, 6, 4 * sizeof(Value), 80, 1>>(
        r, keys, keys_out, folded, count);
    } else {
      constexpr unsigned lane = sizeof(Value) == 8 ? 64 : 48;
      stream_variants<
        runs_shape<8, 1, 8, lane, 200, 1>, runs_shape<8, 2, 8, lane, 200, 1>, runs_shape<8, 2, 4, lane, 200, 1>,
        runs_shape<6, 2, 6, lane, 200, 1>, runs_shape<5, 3, 8, lane, 200, 1>>(r, keys, keys_out, folded, count);
      item_variants(r, keys, keys_out, folded, count);
    }
    const auto by_blocks = [&](auto tuning, const char* name) {
      r.variant(name, [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
        return algorithm::reduce_by_key<decltype(tuning)>(
                 storage, bytes, keys, in, keys_out, out, count, n, ::cuda::std::equal_to<>{}, plus{}, nullptr)
          .code;
      });
    };
    by_blocks(gimbal::tuning::reduce_by_key<sizeof(Key), sizeof(Value)>{}, "tiles as blocks");
    by_blocks(blocks_of_11{}, "256 threads of 11");
  });
}

/// Of what comes through an iterator.
template <class Key, class Value, unsigned Run>
void reduce_squares_by_key(tuning_run& r)
{
  const auto in = thrust::make_transform_iterator(static_cast<const Value*>(r.random_array<Value>(r.n())), square{});
  sum_by_key<Key, Value, Run>(r, in, [&](const Key* keys, Key* keys_out, Value* out, std::int64_t* count) {
    using values = algorithm::folded_run_values<std::remove_const_t<decltype(in)>, Value*, ::cuda::std::plus<>, false>;
    const values folded{values::source::of(in, 0), out, {}};
    constexpr unsigned lane = sizeof(Value) == 8 ? 64 : 48;
    constexpr unsigned fold = sizeof(Value) == 8 ? 6 : 8;
    stream_variants<
      runs_shape<fold, 2, fold, lane, 200, 1>, runs_shape<fold, 2, fold, lane, 160, 1>,
      runs_shape<8, 2, 4, lane, 160, 1>, runs_shape<6, 3, 6, lane, 160, 1>>(r, keys, keys_out, folded, count);
    item_variants(r, keys, keys_out, folded, count);
  });
}

struct row_of {
  __host__ __device__ unsigned operator()(unsigned i) const { return i / 1000; }
};
/// Squares in rows that are computed.
const tuning_subject rows_f64("reduce squares by row f64", [](tuning_run& r) {
  const std::size_t n = r.n();
  const auto in = thrust::make_transform_iterator(static_cast<const double*>(r.random_array<double>(n)), square{});
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), row_of{});
  const twin<unsigned> keys_out = r.output<unsigned>(n);
  const twin<double> out = r.output<double>(n, false);
  const twin<std::int64_t> count = r.output<std::int64_t>(1);
  r.moves(n * sizeof(double));
  r.stock([=](auto&&... storage) {
    return cub::DeviceReduce::ReduceByKey(
      storage..., rows, keys_out.stock, in, out.stock, count.stock, ::cuda::std::plus<>{}, static_cast<int>(n));
  });
  using values = algorithm::folded_run_values<std::remove_const_t<decltype(in)>, double*, ::cuda::std::plus<>, false>;
  const values folded{values::source::of(in, 0), out.gimbal, {}};
  stream_variants<runs_shape<6, 2, 6, 64, 200, 1>>(r, rows, keys_out.gimbal, folded, count.gimbal);
  item_variants(r, rows, keys_out.gimbal, folded, count.gimbal);
});

/// How many items each run has.
template <class Key, class Count, unsigned Run>
void count_by_key(tuning_run& r)
{
  const auto ones = thrust::make_constant_iterator(Count{1});
  sum_by_key<Key, Count, Run>(r, ones, [&](const Key* keys, Key* keys_out, Count* out, std::int64_t* count) {
    using values =
      algorithm::folded_run_values<std::remove_const_t<decltype(ones)>, Count*, ::cuda::std::plus<>, false>;
    const values folded{values::source::of(ones, 0), out, {}};
    if constexpr (sizeof(Key) == 1) {
      stream_variants<
        runs_shape<8, 1, 8, 16 * sizeof(Count), 64, 1>, items_shape<4, 1, 4, 5, 64>, items_shape<8, 1, 8, 5, 64>,
        items_shape<4, 1, 4, 9, 64>, items_shape<8, 1, 4, 9, 64>, items_shape<6, 2, 6, 9, 200>,
        items_shape<6, 3, 6, 9, 200>, items_shape<6, 3, 6, 19, 200>, items_shape<6, 3, 6, 7, 200>,
        items_shape<6, 3, 6, 11, 200>, items_shape<6, 3, 6, 9, 100>, items_shape<6, 2, 6, 11, 200>,
        items_shape<8, 2, 4, 9, 200>, items_shape<8, 3, 4, 7, 200>, items_shape<4, 4, 6, 9, 200>,
        items_shape<4, 2, 4, 9, 200>>(r, keys, keys_out, folded, count);
      r.variant("tiles as blocks", [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
        return algorithm::reduce_by_key<blocks_of_11>(
                 storage, bytes, static_cast<const Key*>(keys), ones, keys_out, out, count, n,
                 ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{}, nullptr)
          .code;
      });
    } else {
      stream_variants<runs_shape<8, 2, 4, 64, 200, 1>>(r, keys, keys_out, folded, count);
      item_variants(r, keys, keys_out, folded, count);
    }
  });
}

template <class Key, class Value, unsigned Run>
void unique_by_key(tuning_run& r)
{
  const std::size_t n = r.n();
  const Value* const in = r.random_array<Value>(n);
  const by_key_arrays<Key, Value> a(r, Run);
  r.stock([=](auto&&... storage) {
    return cub::DeviceSelect::UniqueByKey(
      storage..., a.keys, in, a.keys_out.stock, a.out.stock, a.count.stock, static_cast<int>(n));
  });
  using values = algorithm::first_run_values<Value, Value*>;
  const values firsts{gimbal::block::memory_source<Value>::of(in, 0), a.out.gimbal};
  stream_variants<runs_shape<8, 2, 4, 48, 200, 1>>(r, a.keys, a.keys_out.gimbal, firsts, a.count.gimbal);
}

template <class Key, unsigned Run>
void unique(tuning_run& r)
{
  const std::size_t n = r.n();
  const Key* const keys = keys_in_runs<Key>(r, Run);
  const twin<Key> out = r.output<Key>(n);
  const twin<std::int64_t> count = r.output<std::int64_t>(1);
  r.moves((n + n / Run) * sizeof(Key));
  r.stock([=](auto&&... storage) {
    return cub::DeviceSelect::Unique(storage..., keys, out.stock, count.stock, static_cast<int>(n));
  });
  stream_variants<runs_shape<8, 2, 4, 80, 200, 1>>(r, keys, out.gimbal, algorithm::no_run_values{}, count.gimbal);
  r.variant("tiles as blocks", [=](void* storage, std::size_t& bytes) {
    return algorithm::select<gimbal::tuning::partition<sizeof(Key)>>(
             storage, bytes, keys, static_cast<index_type>(n), algorithm::select_unique<::cuda::std::equal_to<>>{},
             out.gimbal, algorithm::discard_rejected{}, count.gimbal, nullptr)
      .code;
  });
}

const tuning_subject reduce_256{"reduce_by_key i32 runs 256", reduce_by_key<std::int32_t, std::int32_t, 256>};
const tuning_subject reduce_2{"reduce_by_key i32 runs 2", reduce_by_key<std::int32_t, std::int32_t, 2>};
const tuning_subject reduce_f64{"reduce_by_key i32+f64 runs 256", reduce_by_key<std::int32_t, double, 256>};
const tuning_subject squares_i32{
  "reduce squares by key i32 runs 256", reduce_squares_by_key<std::int32_t, std::int32_t, 256>};
const tuning_subject squares_f64{
  "reduce squares by key f64 runs 256", reduce_squares_by_key<std::int32_t, double, 256>};
const tuning_subject reduce_i64{"reduce_by_key i64 runs 16", reduce_by_key<std::int64_t, std::int64_t, 16>};
const tuning_subject counts_u64{"count by key u64 runs 16", count_by_key<std::uint64_t, std::int32_t, 16>};
const tuning_subject counts_u32{"count by key u32 runs 16", count_by_key<std::uint32_t, std::int32_t, 16>};
const tuning_subject counts_u8{"count by key u8 runs 256", count_by_key<std::uint8_t, std::uint64_t, 256>};
const tuning_subject reduce_structs{"reduce_by_key i32+u64x4 runs 2", reduce_by_key<std::int32_t, u64s<4>, 2>};
const tuning_subject reduce_u64x5{"reduce_by_key i32+u64x5 runs 256", reduce_by_key<std::int32_t, u64s<5>, 256>};
const tuning_subject unique_by_key_2{"unique_by_key i32 runs 2", unique_by_key<std::int32_t, std::int32_t, 2>};
const tuning_subject unique_2{"unique i32 runs 2", unique<std::int32_t, 2>};

}  // namespace

}  // namespace perf
