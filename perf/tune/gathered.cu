// Scans by key and runs of what is gathered, in the order of a random list, with various shapes of the stream.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <gimbal/kernel/partition.cuh>
#include <gimbal/kernel/reduce_by_key.cuh>
#include <gimbal/kernel/segmented_scan.cuh>

#include "stream_shape.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace kernel = gimbal::kernel;

template <
  unsigned Folders, unsigned Warps, unsigned Servers, std::size_t RingKilobytes, std::size_t LaneBytes = 80,
  bool FetchesAhead = true>
struct of : shape<Warps, Servers, LaneBytes, RingKilobytes, 20, Folders> {
  static constexpr bool fetches_ahead = FetchesAhead;
  static std::string name()
  {
    return shape<Warps, Servers, LaneBytes, RingKilobytes, 20, Folders>::name() + (FetchesAhead ? "" : " not ahead");
  }
};

struct scattered {
  std::uint32_t* list;  // of random places
  std::int32_t* kinds;  // random, 0 or 1
};
__global__ void scatter_kernel(std::uint32_t* list, std::int32_t* kinds, std::size_t n)
{
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) {
    kinds[i] = static_cast<std::int32_t>(list[i] >> 31);
    list[i] = static_cast<std::uint32_t>(list[i] % n);
  }
}
scattered make_scattered(tuning_run& r)
{
  const scattered s{r.random_array<std::uint32_t>(r.n()), r.array<std::int32_t>(r.n())};
  scatter_kernel<<<static_cast<unsigned>((r.n() + 255) / 256), 256>>>(s.list, s.kinds, r.n());
  PERF_CHECK(cudaGetLastError());
  return s;
}

/// Keys are equal if what they name is.
struct names_equal {
  const std::int32_t* kinds;
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return kinds[a] == kinds[b]; }
};
struct kind_at {
  scattered in;
  __host__ __device__ std::int32_t operator()(std::uint32_t i) const { return in.kinds[in.list[i]]; }
};

/// `Shapes`: the variants.
template <class... Shapes, class T, class KeyIt, class Equal, class InputIt>
void scan_by_key(tuning_run& r, const T*, KeyIt keys, Equal equal, InputIt in)
{
  const std::size_t n = r.n();
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  if constexpr (std::is_integral_v<T>) {
    r.output(expected, out, n * sizeof(T));
  }
  r.moves(4 * sizeof(T) * n);
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, expected, static_cast<int>(n), equal);
  });
  const gimbal::heads_from_keys<KeyIt, Equal> heads{keys, equal};
  const auto variant = [&](auto tiles) {
    using shape = decltype(tiles);
    r.variant(shape::name(), [=](void* storage, std::size_t& bytes) {
      return run_plan(
        kernel::plan_stream_segmented_scan<shape>(
          kernel::inclusive_scan_tag{}, heads, in, out, static_cast<index_type>(n), cuda::std::plus<>{},
          gimbal::no_init{}),
        storage, bytes);
    });
  };
  (variant(Shapes{}), ...);
}

template <class T>
void permuted(tuning_run& r)
{
  const scattered s = make_scattered(r);
  const T* const values = r.random_array<T>(r.n());
  const auto in = thrust::make_permutation_iterator(values, static_cast<const std::uint32_t*>(s.list));
  scan_by_key<
    of<4, 4, 5, 160, 48>, of<4, 4, 5, 160, 48, false>, of<4, 4, 5, 128, 48>, of<4, 4, 5, 96, 48>, of<4, 4, 5, 96, 48, false>, of<4, 4, 5, 62, 48>,
    of<4, 4, 5, 160>, of<4, 4, 5, 160, 80, false>, of<4, 4, 5, 128, 80>, of<4, 4, 5, 128, 80, false>, of<4, 4, 5, 96, 80>, of<4, 4, 5, 96, 80, false>,
    of<2, 8, 5, 96, 48>, of<2, 8, 5, 62, 48>, of<3, 6, 5, 96, 48>, of<5, 4, 4, 96, 48>, of<2, 6, 5, 96, 48>, of<2, 6, 5, 96, 80, false>, of<3, 5, 4, 96, 80, false>, of<2, 8, 4, 96, 32>, of<4, 4, 4, 96, 32>>(
    r, values, static_cast<const std::int32_t*>(s.kinds), cuda::std::equal_to<>{}, in);
}
void names(tuning_run& r)
{
  const scattered s = make_scattered(r);
  const std::int32_t* const in = r.random_array<std::int32_t>(r.n());
  scan_by_key<
    of<2, 8, 4, 160, 48>, of<2, 8, 4, 128, 48>, of<2, 8, 4, 96, 48>, of<1, 8, 8, 160, 48>, of<1, 8, 8, 96, 48>, of<1, 8, 8, 62, 48>, of<2, 8, 4, 160>, of<2, 8, 4, 128>,
    of<2, 8, 4, 96>, of<2, 6, 4, 96>, of<2, 6, 4, 128>, of<3, 5, 4, 128>, of<2, 6, 4, 128, 112>, of<2, 5, 4, 160, 112>>(
    r, in, static_cast<const std::uint32_t*>(s.list), names_equal{s.kinds}, in);
}
void looked_up(tuning_run& r)
{
  const auto keys =
    thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint32_t{0}), kind_at{make_scattered(r)});
  const std::int32_t* const in = r.random_array<std::int32_t>(r.n());
  scan_by_key<
    of<3, 6, 5, 160, 48>, of<3, 6, 5, 128, 48>, of<3, 6, 5, 96, 48>, of<3, 6, 5, 62, 48>, of<2, 8, 5, 96, 48>, of<2, 8, 5, 62, 48>, of<4, 4, 5, 96, 48>, of<2, 6, 5, 96, 48>,
    of<3, 6, 5, 160>, of<3, 6, 5, 96>, of<3, 5, 4, 160>, of<3, 5, 4, 128>, of<3, 5, 4, 96>, of<2, 6, 5, 160>, of<2, 6, 5, 128>, of<2, 6, 5, 96>, of<4, 4, 4, 96>, of<4, 4, 4, 128>>(
    r, in, keys, cuda::std::equal_to<>{}, in);
}

const tuning_subject permuted_i32{"by key permuted i32", permuted<std::int32_t>};
const tuning_subject permuted_f64{"by key permuted f64", permuted<double>};
const tuning_subject by_names{"by names", names};
const tuning_subject by_looked_up{"by keys looked up", looked_up};

}  // namespace

}  // namespace perf
