// The scan-vector calls, each beside what is written for it in stock Thrust; those of the thesis's table (scan, segmented scan,
// split, permute, map, copy, radix) for its sizes and any other: `./dev survey --form vectors 5 6 ... 28`.
#include <gimbal/scan_vector.h>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/fill.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>

#include "survey.h"

namespace perf {

namespace {

namespace v = gimbal::vectors;
using gimbal::par;

auto stock_policy() { return thrust::device(memory_of_stock()); }

struct add_one {
  __host__ __device__ int operator()(int x) const { return x + 1; }
};
struct as_int {
  __host__ __device__ int operator()(std::uint8_t flag) const { return flag != 0; }
};
struct one_less {
  __host__ __device__ int operator()(int x) const { return x - 1; }
};
struct is_clear {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag == 0; }
};
struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};
struct keep_left {
  __host__ __device__ int operator()(int left, int) const { return left; }
};
struct segment_and_flag {
  __host__ __device__ int operator()(int segment, std::uint8_t flag) const { return 2 * segment + (flag != 0); }
};
struct bit_is_clear {
  unsigned bit;
  __host__ __device__ bool operator()(unsigned x) const { return (x >> bit & 1) == 0; }
};

/// Heads of segments of `Length` items on average.
template <std::uint64_t Length>
struct head {
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const
  {
    return i == 0 || mixed_word{}(i + 99) % Length == 0;
  }
};
/// The number of segments' items.
struct length_to_60 {
  __host__ __device__ int operator()(std::uint64_t i) const { return static_cast<int>(mixed_word{}(i + 7) % 60); }
};

void map_int(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] { thrust::transform(stock_policy(), x, x + n, out.stock, add_one{}); },
    [=] { v::map(par, x, x + n, out.gimbal, add_one{}); });
}

void copy_value(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const auto out = c.output<int>(n);
  c.wall(
    [=] { thrust::fill(stock_policy(), out.stock, out.stock + n, 7); },
    [=] { v::copy(par, out.gimbal, out.gimbal + n, 7); });
}

void permute_int(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  unsigned* const order = c.array<unsigned>(n);
  std::uint64_t* const words = items(c, n, mixed_word{});
  thrust::sequence(thrust::device, order, order + n);
  thrust::sort_by_key(thrust::device, words, words + n, order);
  const auto out = c.output<int>(n);
  c.wall(
    [=] { thrust::scatter(stock_policy(), x, x + n, order, out.stock); },
    [=] { v::permute(par, x, x + n, order, out.gimbal); });
}

void scan_int(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] { thrust::exclusive_scan(stock_policy(), x, x + n, out.stock); },
    [=] { v::scan(par, x, x + n, out.gimbal, v::plus<int>()); });
}

void scan_with_total(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const auto out = c.output<int>(n);
  const auto total = c.returned<int>();
  c.wall(
    [=] {
      thrust::exclusive_scan(stock_policy(), x, x + n, out.stock);
      int last[2];
      PERF_CHECK(cudaMemcpy(last, out.stock + (n - 1), sizeof(int), cudaMemcpyDeviceToHost));
      PERF_CHECK(cudaMemcpy(last + 1, x + (n - 1), sizeof(int), cudaMemcpyDeviceToHost));
      *total.stock = last[0] + last[1];
    },
    [=] { *total.gimbal = v::scan(par, x, x + n, v::with_total(out.gimbal), v::plus<int>()); });
}

/// Stock's segments have keys, which are counted heads.
int* keys_of(const std::uint8_t* heads, std::ptrdiff_t n, int* keys)
{
  thrust::transform_inclusive_scan(stock_policy(), heads, heads + n, keys, as_int{}, thrust::plus<int>());
  return keys;
}

template <std::uint64_t Length>
void segmented_scan(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const std::uint8_t* const heads = items(c, n, head<Length>{});
  int* const keys = c.array<int>(n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      keys_of(heads, n, keys);
      thrust::exclusive_scan_by_key(stock_policy(), keys, keys + n, x, out.stock);
    },
    [=] { v::scan(par, x, x + n, heads, out.gimbal, v::plus<int>()); });
}

template <std::uint64_t Length>
void segmented_copy(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const std::uint8_t* const heads = items(c, n, head<Length>{});
  int* const keys = c.array<int>(n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      keys_of(heads, n, keys);
      thrust::inclusive_scan_by_key(stock_policy(), keys, keys + n, x, out.stock, thrust::equal_to<int>(), keep_left{});
    },
    [=] { v::copy(par, x, x + n, heads, out.gimbal); });
}

template <std::uint64_t Length>
void segmented_distribute(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const std::uint8_t* const heads = items(c, n, head<Length>{});
  int* const keys = c.array<int>(n);
  int* const sums = c.array<int>(n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      keys_of(heads, n, keys);
      thrust::reduce_by_key(stock_policy(), keys, keys + n, x, thrust::discard_iterator<>(), sums);
      const auto segment = thrust::make_transform_iterator(keys, one_less{});
      thrust::gather(stock_policy(), segment, segment + n, sums, out.stock);
    },
    [=] { v::distribute(par, x, x + n, heads, out.gimbal, v::plus<int>()); });
}

void distribute(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] { thrust::fill(stock_policy(), out.stock, out.stock + n, thrust::reduce(stock_policy(), x, x + n)); },
    [=] { v::distribute(par, x, x + n, out.gimbal, v::plus<int>()); });
}

void enumerate(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, n, 2);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      thrust::transform_exclusive_scan(stock_policy(), flags, flags + n, out.stock, as_int{}, 0, thrust::plus<int>());
    },
    [=] { v::enumerate(par, flags, flags + n, out.gimbal); });
}

void split(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, n, 2);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      const auto falses = thrust::count_if(stock_policy(), flags, flags + n, is_clear{});
      thrust::stable_partition_copy(stock_policy(), x, x + n, flags, out.stock, out.stock + falses, is_clear{});
    },
    [=] { v::split(par, x, x + n, flags, out.gimbal); });
}

template <std::uint64_t Length>
void segmented_split(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, n, 2);
  const std::uint8_t* const heads = items(c, n, head<Length>{});
  int* const keys = c.array<int>(n);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      keys_of(heads, n, keys);
      thrust::transform(stock_policy(), keys, keys + n, flags, keys, segment_and_flag{});
      thrust::copy(stock_policy(), x, x + n, out.stock);
      thrust::stable_sort_by_key(stock_policy(), keys, keys + n, out.stock);
    },
    [=] { v::split(par, x, x + n, flags, heads, out.gimbal); });
}

void pack(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const int* const x = numbers<int>(c, n);
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, n, 2);
  const auto out = c.output<int>(n);
  const auto count = c.returned<std::ptrdiff_t>();
  c.wall(
    [=] { *count.stock = thrust::copy_if(stock_policy(), x, x + n, flags, out.stock, is_set{}) - out.stock; },
    [=] { *count.gimbal = v::pack(par, x, x + n, flags, out.gimbal) - out.gimbal; });
}

/// About 30 places for each length, n places or fewer.
void allocate_and_expand(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const std::ptrdiff_t segments = n / 60 + 1;
  const int* const lengths = items(c, segments, length_to_60{});
  int* const offsets = c.array<int>(segments);
  int* const behind = c.array<int>(60 * static_cast<std::size_t>(segments));
  const auto out = c.output<int>(60 * static_cast<std::size_t>(segments));
  c.wall(
    [=] {
      thrust::exclusive_scan(stock_policy(), lengths, lengths + segments, offsets);
      int last[2];
      PERF_CHECK(cudaMemcpy(last, offsets + (segments - 1), sizeof(int), cudaMemcpyDeviceToHost));
      PERF_CHECK(cudaMemcpy(last + 1, lengths + (segments - 1), sizeof(int), cudaMemcpyDeviceToHost));
      const int places = last[0] + last[1];
      const thrust::counting_iterator<int> all(0);
      thrust::upper_bound(stock_policy(), offsets, offsets + segments, all, all + places, behind);
      thrust::transform(stock_policy(), behind, behind + places, out.stock, one_less{});
    },
    [=] {
      const int places = v::allocate(par, lengths, lengths + segments, v::with_total(offsets));
      v::expand(par, gimbal::segment_offsets(offsets, offsets + segments), out.gimbal, out.gimbal + places);
    });
}

void radix(comparison& c)
{
  const std::ptrdiff_t n = c.size();
  const unsigned* const x = numbers<unsigned>(c, n, std::uint64_t{1} << 32);
  const auto keys = changed_in_place(c, x, n);
  unsigned* const other = c.array<unsigned>(n);
  gimbal::index_type* const zeros = c.array<gimbal::index_type>(1);
  c.wall(
    [=] {
      for (unsigned bit = 0; bit < 32; ++bit) {
        thrust::stable_partition(stock_policy(), keys.stock, keys.stock + n, bit_is_clear{bit});
      }
    },
    [=] {
      for (unsigned bit = 0; bit < 32; bit += 2) {  // there and back
        v::split_if(gimbal::par_nosync, keys.gimbal, keys.gimbal + n, v::with_total(other, zeros), v::bit_is_set{bit});
        v::split_if(gimbal::par_nosync, other, other + n, v::with_total(keys.gimbal, zeros), v::bit_is_set{bit + 1});
      }
      PERF_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    });
}

const implementation forms[] = {
  {"vectors", "map, int", map_int},
  {"vectors", "copy of a value, int", copy_value},
  {"vectors", "permute, int", permute_int},
  {"vectors", "scan, int", scan_int},
  {"vectors", "scan with total, int", scan_with_total},
  {"vectors", "segmented scan, int, 256", segmented_scan<256>},
  {"vectors", "segmented scan, int, 4", segmented_scan<4>},
  {"vectors", "segmented copy, int, 256", segmented_copy<256>},
  {"vectors", "segmented copy, int, 4", segmented_copy<4>},
  {"vectors", "segmented distribute, int, 256", segmented_distribute<256>},
  {"vectors", "segmented distribute, int, 4", segmented_distribute<4>},
  {"vectors", "distribute, int", distribute},
  {"vectors", "enumerate", enumerate},
  {"vectors", "split, int", split},
  {"vectors", "segmented split, int, 256", segmented_split<256>},
  {"vectors", "segmented split, int, 4", segmented_split<4>},
  {"vectors", "pack, int", pack},
  {"vectors", "allocate and expand", allocate_and_expand},
  {"vectors", "split-radix sort, unsigned", radix},
};

}  // namespace

}  // namespace perf
