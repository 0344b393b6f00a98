// Scans of what comes through iterators that are no arrays, with various shapes of the stream.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/segmented/segmented_scan.cuh>
#include <vector>

#include "stream_shape.h"

namespace perf {

namespace {

using gimbal::index_type;

template <
  unsigned Folders, unsigned ScannerGroups, unsigned Scanners, unsigned Servers, std::size_t RingKilobytes,
  std::size_t LaneBytes = 80>
using of = shape<Scanners, Servers, LaneBytes, RingKilobytes, 20, Folders, ScannerGroups>;

struct row_of {
  std::int32_t row_items;
  __host__ __device__ std::int32_t operator()(std::int32_t i) const { return i / row_items; }
};
struct scattered {
  std::uint32_t n;
  __host__ __device__ std::uint32_t operator()(std::uint32_t i) const
  {
    return static_cast<std::uint32_t>(std::uint64_t{i} * 40503 % n);
  }
};

template <class T, class Shape, class In>
void scan_variant(tuning_run& r, In in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return run_plan(
      gimbal::algorithm::plan_stream_scan<Shape>(
        gimbal::algorithm::exclusive_scan_tag{}, in, out, n, cuda::std::plus<>{}, T{0}),
      storage, bytes);
  });
}

template <class T, class In>
void scan(tuning_run& r, In in)
{
  const std::size_t n = r.n();
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  r.output(expected, out, n * sizeof(T));
  r.moves(2 * n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, in, expected, static_cast<int>(n));
  });
  const auto call = [&](auto tuning, const char* name) {
    r.variant(name, [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::scan<typename decltype(tuning)::type>(
               storage, bytes, gimbal::algorithm::exclusive_scan_tag{}, in, out, static_cast<index_type>(n),
               cuda::std::plus<>{}, T{0}, nullptr)
        .code;
    });
  };
  call(cuda::std::type_identity<void>{}, "call");
  call(cuda::std::type_identity<gimbal::tuning::scan<sizeof(T)>>{}, "look-back");
  if (n <= std::size_t{1} << 20) {
    scan_variant<T, of<2, 1, 4, 4, 160, 48>>(r, in, out);
    scan_variant<T, of<2, 1, 6, 4, 160, 48>>(r, in, out);
    scan_variant<T, of<2, 1, 6, 4, 160>>(r, in, out);
  }
  scan_variant<T, of<2, 1, 8, 6, 226>>(r, in, out);
  scan_variant<T, of<2, 1, 8, 6, 160>>(r, in, out);
  scan_variant<T, of<2, 1, 8, 6, 128>>(r, in, out);
  scan_variant<T, of<3, 1, 6, 6, 160>>(r, in, out);
  scan_variant<T, of<3, 1, 6, 6, 128>>(r, in, out);
  scan_variant<T, of<4, 1, 4, 8, 128>>(r, in, out);
  scan_variant<T, of<4, 1, 5, 5, 160>>(r, in, out);
  scan_variant<T, of<5, 1, 4, 6, 160>>(r, in, out);
}
template <class T>
void scan_squares(tuning_run& r)
{
  scan<T>(r, thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(r.n())), square{}));
}
struct widened {
  __host__ __device__ int operator()(std::int8_t x) const { return x; }
};
void scan_widened(tuning_run& r)
{
  const auto in = static_cast<const std::int8_t*>(r.random_array<std::int8_t>(r.n()));
  scan<int>(r, thrust::make_transform_iterator(in, widened{}));
}
void scan_permutation(tuning_run& r)
{
  const auto place =
    thrust::make_transform_iterator(thrust::make_counting_iterator(0u), scattered{static_cast<std::uint32_t>(r.n())});
  scan<int>(r, thrust::make_permutation_iterator(static_cast<const int*>(r.random_array<int>(r.n())), place));
}

template <class T, class Shape, class Heads, class In>
void by_key_variant(tuning_run& r, Heads heads, In in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return run_plan(
      gimbal::algorithm::plan_stream_segmented_scan<Shape>(
        gimbal::algorithm::inclusive_scan_tag{}, heads, in, out, n, cuda::std::plus<>{}, gimbal::no_init{}),
      storage, bytes);
  });
}
int* make_keys(tuning_run& r)
{
  const std::size_t n = r.n();
  std::vector<int> host(n);
  unsigned random = 12345;
  int key = 0;
  for (auto& k : host) {
    random = random * 1664525u + 1013904223u;
    key += (random >> 12) % 256 == 0;
    k = key;
  }
  int* const keys = r.array<int>(n);
  PERF_CHECK(cudaMemcpy(keys, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  return keys;
}
/// `measure(heads, out)`: the variants.
template <class T, class InputIt, class Measure>
void scan_by_key(tuning_run& r, InputIt in, Measure measure)
{
  const std::size_t n = r.n();
  int* const keys = make_keys(r);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  if constexpr (std::is_integral_v<T>) {
    r.output(expected, out, n * sizeof(T));
  }
  r.moves((2 * sizeof(T) + sizeof(int)) * n);
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, expected, static_cast<int>(n));
  });
  measure(gimbal::heads_from_keys<const int*, cuda::std::equal_to<>>{keys, {}}, out);
}

template <class T>
void squares_by_key(tuning_run& r)
{
  const auto in = thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(r.n())), square{});
  scan_by_key<T>(r, in, [&](auto heads, T* out) {
    by_key_variant<T, of<2, 1, 6, 5, 200>>(r, heads, in, out);
    by_key_variant<T, of<2, 1, 6, 5, 220>>(r, heads, in, out);
    by_key_variant<T, of<2, 1, 6, 7, 200>>(r, heads, in, out);
    by_key_variant<T, of<2, 1, 6, 8, 200>>(r, heads, in, out);
    by_key_variant<T, of<2, 1, 7, 4, 200>>(r, heads, in, out);
    by_key_variant<T, of<3, 1, 5, 5, 160>>(r, heads, in, out);
    if (r.n() <= std::size_t{1} << 22) {
      by_key_variant<T, of<2, 1, 4, 8, 190>>(r, heads, in, out);
      by_key_variant<T, of<2, 1, 6, 8, 160, 48>>(r, heads, in, out);
    }
  });
}

template <class T>
void arrays_by_key(tuning_run& r)
{
  const T* const in = r.random_array<T>(r.n());
  scan_by_key<T>(r, in, [&](auto heads, T* out) {
    by_key_variant<T, of<1, 1, 8, 8, 220>>(r, heads, in, out);
    by_key_variant<T, of<1, 1, 8, 4, 220>>(r, heads, in, out);
    by_key_variant<T, of<2, 2, 5, 6, 220>>(r, heads, in, out);
    by_key_variant<T, of<2, 2, 5, 8, 220>>(r, heads, in, out);
    by_key_variant<T, of<2, 2, 4, 8, 220>>(r, heads, in, out);
  });
}

template <class T>
void by_rows(tuning_run& r)
{
  using namespace gimbal;
  const std::size_t n = r.n();
  const auto keys = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int32_t{0}), row_of{256});
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  if constexpr (std::is_integral_v<T>) {
    r.output(expected, out, n * sizeof(T));
  }
  r.moves(2 * sizeof(T) * n);
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, expected, static_cast<int>(n));
  });
  using key_it = std::remove_const_t<decltype(keys)>;
  const heads_from_keys<key_it, cuda::std::equal_to<>> heads{keys, {}};
  const auto call = [&](auto tuning, const char* name) {
    r.variant(name, [=](void* storage, std::size_t& bytes) {
      return algorithm::segmented_scan<typename decltype(tuning)::type>(
               storage, bytes, algorithm::inclusive_scan_tag{}, heads, in, out, static_cast<index_type>(n),
               cuda::std::plus<>{}, no_init{}, no_totals{}, nullptr)
        .code;
    });
  };
  call(cuda::std::type_identity<void>{}, "call");
  call(cuda::std::type_identity<gimbal::tuning::segmented_scan<sizeof(T)>>{}, "look-back");
  by_key_variant<T, of<2, 1, 4, 4, 220, 16>>(r, heads, in, out);
  by_key_variant<T, of<2, 1, 8, 5, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<2, 1, 6, 8, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<2, 1, 6, 6, 220, 64>>(r, heads, in, out);
  by_key_variant<T, of<2, 1, 8, 5, 220, 64>>(r, heads, in, out);
  by_key_variant<T, of<2, 1, 8, 5, 220, 32>>(r, heads, in, out);
  by_key_variant<T, of<3, 1, 6, 5, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<3, 1, 5, 8, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<4, 1, 4, 8, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 8, 8, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 8, 4, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 8, 6, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 6, 6, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 6, 6, 220, 64>>(r, heads, in, out);
  by_key_variant<T, of<2, 2, 5, 6, 220, 48>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 8, 8, 220>>(r, heads, in, out);
  by_key_variant<T, of<1, 1, 8, 4, 220>>(r, heads, in, out);
  by_key_variant<T, of<2, 2, 5, 6, 220>>(r, heads, in, out);
  by_key_variant<T, of<2, 2, 5, 8, 220>>(r, heads, in, out);
  by_key_variant<T, of<2, 1, 6, 6, 220>>(r, heads, in, out);
}

const tuning_subject rows_u8{"by rows u8", by_rows<std::uint8_t>};
const tuning_subject rows_i32{"by rows i32", by_rows<std::int32_t>};
const tuning_subject rows_f64{"by rows f64", by_rows<double>};
const tuning_subject squares_i32{"scan squares i32", scan_squares<std::int32_t>};
const tuning_subject widened_i8{"scan widened i8", scan_widened};
const tuning_subject permutation_i32{"scan permutation i32", scan_permutation};
const tuning_subject by_key_i32{"by key squares i32", squares_by_key<std::int32_t>};
const tuning_subject arrays_i32{"by key arrays i32", arrays_by_key<std::int32_t>};
const tuning_subject arrays_f64{"by key arrays f64", arrays_by_key<double>};
const tuning_subject by_key_f64{"by key squares f64", squares_by_key<double>};

}  // namespace

}  // namespace perf
