// Tunes scans of what comes through iterators that are no arrays, with various shapes of the persistent kernel.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "scan_variants.h"

namespace perf {

namespace {

template <class T, class In>
void scan(tuning_run& r, In in)
{
  const auto s = exclusive_sums<T>(r, in, 2 * sizeof(T));
  s.calls();
  s.template persistent<
    loaded<2, 8, 6, 226>, loaded<2, 8, 6, 160>, loaded<2, 8, 6, 128>, loaded<3, 6, 6, 160>, loaded<4, 5, 5, 160>>();
}

const tuning_subject squares_i32("scan squares i32", [](tuning_run& r) {
  scan<int>(r, squares(r.random_array<int>()));
});
const tuning_subject permutation_i32("scan permutation i32", [](tuning_run& r) {
  const auto place = thrust::make_transform_iterator(
    thrust::make_counting_iterator(0u), scattered_place{static_cast<std::uint32_t>(r.n())});
  scan<int>(r, thrust::make_permutation_iterator(r.random_array<int>(), place));
});

const int* keys_in_runs(tuning_run& r) { return r.filled<int>(r.n(), run_key<int>{{256}}); }

template <class T>
void squares_by_key(tuning_run& r)
{
  const auto s = sums_by_key(r, keys_in_runs(r), squares(r.random_array<T>()), sizeof(int) + sizeof(T));
  s.template persistent<loaded<2, 6, 5, 220>, loaded<2, 6, 5, 200>, loaded<2, 6, 5, 160>, loaded<3, 5, 5, 160>>();
  if (r.n() <= std::size_t{1} << 22) {
    s.template persistent<loaded<2, 4, 8, 190>, loaded<2, 6, 8, 160, 48>>();
  }
}

template <class T>
void arrays_by_key(tuning_run& r)
{
  sums_by_key(r, keys_in_runs(r), r.random_array<T>(), sizeof(int) + sizeof(T))
    .template persistent<loaded<1, 8, 8, 220, 48>, loaded<1, 8, 8, 220>>();
}

template <class T>
void by_rows(tuning_run& r)
{
  const auto keys = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int32_t{0}), row_of{256});
  const auto s = sums_by_key(r, keys, r.random_array<T>(), sizeof(T));
  s.calls();
  s.template persistent<loaded<1, 8, 8, 220, 48>, loaded<2, 8, 5, 220, 48>, loaded<1, 8, 8, 220>>();
}

const tuning_subject rows_i32{"by rows i32", by_rows<std::int32_t>};
const tuning_subject rows_f64{"by rows f64", by_rows<double>};
const tuning_subject by_key_i32{"by key squares i32", squares_by_key<std::int32_t>};
const tuning_subject arrays_i32{"by key arrays i32", arrays_by_key<std::int32_t>};
const tuning_subject arrays_f64{"by key arrays f64", arrays_by_key<double>};
const tuning_subject by_key_f64{"by key squares f64", squares_by_key<double>};

}  // namespace

}  // namespace perf
