// Tunes scans of what comes through iterators that are no arrays, with various shapes of the persistent kernel.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "scan_variants.h"
#include "segmented_variants.h"

namespace perf {

namespace {

using gimbal::index_type;

template <unsigned Folders, unsigned Scanners, unsigned Servers, std::size_t RingKilobytes, std::size_t LaneBytes = 80>
using of = shape<Scanners, Servers, LaneBytes, RingKilobytes, 20, Folders>;

template <class T, class In>
void scan(tuning_run& r, In in)
{
  T* const out = exclusive_sums<T>(r, in, 2 * sizeof(T));
  scan_calls(r, in, out);
  persistent_scans<of<2, 8, 6, 226>, of<2, 8, 6, 160>, of<2, 8, 6, 128>, of<3, 6, 6, 160>, of<4, 5, 5, 160>>(
    r, in, out);
}
template <class T>
void scan_squares(tuning_run& r)
{
  scan<T>(r, thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(r.n())), square{}));
}
struct widened {
  __host__ __device__ int operator()(std::int8_t x) const { return x; }
};
const tuning_subject widened_i8("scan widened i8", [](tuning_run& r) {
  const auto in = static_cast<const std::int8_t*>(r.random_array<std::int8_t>(r.n()));
  scan<int>(r, thrust::make_transform_iterator(in, widened{}));
});
const tuning_subject permutation_i32("scan permutation i32", [](tuning_run& r) {
  const auto place = thrust::make_transform_iterator(
    thrust::make_counting_iterator(0u), scattered_place{static_cast<std::uint32_t>(r.n())});
  scan<int>(r, thrust::make_permutation_iterator(static_cast<const int*>(r.random_array<int>(r.n())), place));
});

/// Stock's call, and the heads for the variants.
template <class T, class InputIt>
auto scan_by_key(tuning_run& r, InputIt in, T*& out)
{
  const int* const keys = r.filled<int>(r.n(), run_key<int>{{256}});
  r.moves((2 * sizeof(T) + sizeof(int)) * r.n());
  out = sums_by_key<T>(r, keys, in, std::is_integral_v<T>).gimbal;
  return gimbal::heads_from_keys<const int*, cuda::std::equal_to<>>{keys, {}};
}

template <class T>
void squares_by_key(tuning_run& r)
{
  const auto in = thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(r.n())), square{});
  T* out = nullptr;
  const auto heads = scan_by_key(r, in, out);
  persistent_segmented_scans<of<2, 6, 5, 220>, of<2, 6, 5, 200>, of<2, 6, 5, 160>, of<3, 5, 5, 160>>(
    r, inclusive_scan_tag{}, heads, in, out);
  if (r.n() <= std::size_t{1} << 22) {
    persistent_segmented_scans<of<2, 4, 8, 190>, of<2, 6, 8, 160, 48>>(r, inclusive_scan_tag{}, heads, in, out);
  }
}

template <class T>
void arrays_by_key(tuning_run& r)
{
  const T* const in = r.random_array<T>(r.n());
  T* out = nullptr;
  const auto heads = scan_by_key(r, in, out);
  persistent_segmented_scans<of<1, 8, 8, 220, 48>, of<1, 8, 8, 220>>(r, inclusive_scan_tag{}, heads, in, out);
}

template <class T>
void by_rows(tuning_run& r)
{
  const auto keys = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int32_t{0}), row_of{256});
  const T* const in = r.random_array<T>(r.n());
  r.moves(2 * sizeof(T) * r.n());
  T* const out = sums_by_key<T>(r, keys, in, std::is_integral_v<T>).gimbal;
  using key_it = std::remove_const_t<decltype(keys)>;
  const gimbal::heads_from_keys<key_it, cuda::std::equal_to<>> heads{keys, {}};
  segmented_scan_calls(r, inclusive_scan_tag{}, heads, in, out);
  persistent_segmented_scans<of<1, 8, 8, 220, 48>, of<2, 8, 5, 220, 48>, of<1, 8, 8, 220>>(
    r, inclusive_scan_tag{}, heads, in, out);
}

const tuning_subject rows_i32{"by rows i32", by_rows<std::int32_t>};
const tuning_subject rows_f64{"by rows f64", by_rows<double>};
const tuning_subject squares_i32{"scan squares i32", scan_squares<std::int32_t>};
const tuning_subject by_key_i32{"by key squares i32", squares_by_key<std::int32_t>};
const tuning_subject arrays_i32{"by key arrays i32", arrays_by_key<std::int32_t>};
const tuning_subject arrays_f64{"by key arrays f64", arrays_by_key<double>};
const tuning_subject by_key_f64{"by key squares f64", squares_by_key<double>};

}  // namespace

}  // namespace perf
