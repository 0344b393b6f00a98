// Tunes scans by key and runs of what is gathered, in the order of a random list, with various shapes of the persistent
// kernel.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/unique.h>

#include "runs_shape.h"
#include "scan_variants.h"
#include "segmented_variants.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;

template <unsigned Folders, unsigned Warps, unsigned Servers, std::size_t RingKilobytes, std::size_t LaneBytes = 80>
using of = shape<Warps, Servers, LaneBytes, RingKilobytes, 20, Folders>;
template <unsigned Fold, unsigned Groups, unsigned Store, unsigned LaneBytes, unsigned RingKilobytes>
using runs = runs_shape<Fold, Groups, Store, LaneBytes, RingKilobytes>;

template <class T>
void scan_permuted(tuning_run& r)
{
  const T* const values = r.random_array<T>(r.n());
  const auto in = thrust::make_permutation_iterator(values, make_scattered(r).list);
  T* const out = exclusive_sums<T>(r, in, 2 * sizeof(T) + sizeof(std::uint32_t), std::is_integral_v<T>);
  persistent_scans<
    of<4, 5, 5, 160, 48>, of<4, 5, 5, 160>, of<2, 6, 5, 96, 48>, of<2, 8, 5, 62, 48>, of<1, 8, 8, 62, 48>>(r, in, out);
}

/// `Shapes`: the variants.
template <class... Shapes, class T, class KeyIt, class Equal, class InputIt>
void scan_by_key(tuning_run& r, const T*, KeyIt keys, Equal equal, InputIt in)
{
  r.moves(4 * sizeof(T) * r.n());
  T* const out = sums_by_key<T>(r, keys, in, std::is_integral_v<T>, equal).gimbal;
  persistent_segmented_scans<Shapes...>(
    r, inclusive_scan_tag{}, gimbal::heads_from_keys<KeyIt, Equal>{keys, equal}, in, out);
}

template <class T>
void permuted(tuning_run& r)
{
  const scattered_items s = make_scattered(r);
  const T* const values = r.random_array<T>(r.n());
  const auto in = thrust::make_permutation_iterator(values, s.list);
  scan_by_key<of<4, 4, 5, 160, 48>, of<4, 4, 5, 160>, of<2, 6, 5, 96, 48>, of<2, 5, 5, 96>, of<2, 6, 5, 62, 48>>(
    r, values, s.kinds, cuda::std::equal_to<>{}, in);
}
template <class T>
void names(tuning_run& r)
{
  const scattered_items s = make_scattered(r);
  const T* const in = r.random_array<T>(r.n());
  scan_by_key<of<1, 8, 8, 160, 48>, of<1, 6, 8, 62, 48>, of<1, 6, 8, 96, 48>, of<2, 5, 4, 128, 112>>(
    r, in, s.list, names_equal{s.kinds}, in);
}
template <class T>
void looked_up(tuning_run& r)
{
  const auto keys =
    thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint32_t{0}), kind_at{make_scattered(r)});
  const T* const in = r.random_array<T>(r.n());
  scan_by_key<of<3, 6, 5, 160, 48>, of<2, 6, 5, 96, 48>, of<2, 6, 5, 62, 48>, of<2, 8, 5, 62, 48>>(
    r, in, keys, cuda::std::equal_to<>{}, in);
}

const tuning_subject sums_by("sums by permuted keys", [](tuning_run& r) {
  const scattered_items s = make_scattered(r);
  const std::int32_t* const in = r.random_array<std::int32_t>(r.n());
  const auto keys = thrust::make_permutation_iterator(s.kinds, s.list);
  make_run_sums<std::int32_t, std::int32_t>(r, keys, in, 4 * r.n() * sizeof(std::int32_t))
    .stream<runs<8, 2, 8, 48, 160>, runs<8, 2, 8, 48, 96>>();
});
const tuning_subject sums_of("sums of permuted", [](tuning_run& r) {
  const scattered_items s = make_scattered(r);
  const auto in =
    thrust::make_permutation_iterator(static_cast<const std::int32_t*>(r.random_array<std::int32_t>(r.n())), s.list);
  make_run_sums<std::int32_t, std::int32_t>(r, s.kinds, in, 4 * r.n() * sizeof(std::int32_t))
    .stream<runs<8, 2, 8, 48, 160>, runs<8, 2, 8, 48, 96>>();
});
const tuning_subject unique("unique names", [](tuning_run& r) {
  const std::size_t n = r.n();
  const scattered_items s = make_scattered(r);
  const std::uint32_t* const list = s.list;
  const names_equal equal{s.kinds};
  const twin<std::uint32_t> out = r.output<std::uint32_t>(n);
  std::int64_t* const count = r.array<std::int64_t>(1);
  r.moves(3 * n * sizeof(std::uint32_t));
  // CUB's own compares what lies behind the last key, which names nothing.
  r.stock([=](void*, std::size_t& bytes) {
    bytes = 1;
    thrust::unique_copy(thrust::cuda::par_nosync, list, list + n, out.stock, equal);
    return cudaSuccess;
  });
  persistent_variants<runs<8, 2, 4, 80, 160>, runs<8, 2, 4, 80, 96>, runs<8, 1, 4, 80, 160>, runs<8, 1, 4, 80, 62>>(
    r, list, out.gimbal, algorithm::no_run_values{}, count, equal);
});

const tuning_subject scan_i32{"scan permuted i32", scan_permuted<std::int32_t>};
const tuning_subject scan_f64{"scan permuted f64", scan_permuted<double>};
const tuning_subject permuted_i32{"by key permuted i32", permuted<std::int32_t>};
const tuning_subject permuted_f64{"by key permuted f64", permuted<double>};
const tuning_subject by_names{"by keys of names i32", names<std::int32_t>};
const tuning_subject f64_by_names{"by keys of names f64", names<double>};
const tuning_subject by_looked_up{"by keys looked up i32", looked_up<std::int32_t>};
const tuning_subject f64_looked_up{"by keys looked up f64", looked_up<double>};

}  // namespace

}  // namespace perf
