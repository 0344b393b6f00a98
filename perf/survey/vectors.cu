// Measures the scan-vector calls, each beside what is written for it in stock Thrust; those of the thesis's table
// (scan, segmented scan, split, permute, map, copy, radix) for its sizes and any other: `./dev survey --form vectors 5
// 6 ... 28`.
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
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const { return i == 0 || mixed(i + 99) % Length == 0; }
};
/// Of n numbers and their exclusive sums.
int total_of(const int* sums, const int* x, std::ptrdiff_t n) { return download(sums + n - 1) + download(x + n - 1); }

/// What most of the calls work on.
struct arrays {
  std::ptrdiff_t n;
  const int* x;
  twin<int> out;

  explicit arrays(comparison& c) : n(c.size()), x(numbers<int>(c)), out(c.output<int>(n)) {}
};
/// Beside them heads, and for stock, whose segments have keys, their numbers from 1 on.
template <std::uint64_t Length>
struct segmented_arrays : arrays {
  const std::uint8_t* heads;
  int* keys;

  explicit segmented_arrays(comparison& c) : arrays(c), heads(items(c, head<Length>{})), keys(c.array<int>(n)) {}

  void number_keys() const
  {
    thrust::transform_inclusive_scan(stock_policy(), heads, heads + n, keys, as_int{}, thrust::plus<int>());
  }
};
/// The number of segments' items.
struct length_to_60 {
  __host__ __device__ int operator()(std::uint64_t i) const { return static_cast<int>(mixed(i + 7) % 60); }
};

const implementation map_int("vectors", "map, int", [](comparison& c) {
  const arrays a(c);
  c.wall(
    [=] { thrust::transform(stock_policy(), a.x, a.x + a.n, a.out.stock, add_one{}); },
    [=] { v::map(par, a.x, a.x + a.n, a.out.gimbal, add_one{}); });
});

const implementation copy_value("vectors", "copy of a value, int", [](comparison& c) {
  const std::ptrdiff_t n = c.size();
  const auto out = c.output<int>(n);
  c.wall(
    [=] { thrust::fill(stock_policy(), out.stock, out.stock + n, 7); },
    [=] { v::copy(par, out.gimbal, out.gimbal + n, 7); });
});

const implementation permute_int("vectors", "permute, int", [](comparison& c) {
  const arrays a(c);
  unsigned* const order = c.array<unsigned>(a.n);
  std::uint64_t* const words = items(c, random_word{});
  thrust::sequence(thrust::device, order, order + a.n);
  thrust::sort_by_key(thrust::device, words, words + a.n, order);
  c.wall(
    [=] { thrust::scatter(stock_policy(), a.x, a.x + a.n, order, a.out.stock); },
    [=] { v::permute(par, a.x, a.x + a.n, order, a.out.gimbal); });
});

const implementation scan_int("vectors", "scan, int", [](comparison& c) {
  const arrays a(c);
  c.wall(
    [=] { thrust::exclusive_scan(stock_policy(), a.x, a.x + a.n, a.out.stock); },
    [=] { v::scan(par, a.x, a.x + a.n, a.out.gimbal, v::plus<int>()); });
});

const implementation scan_with_total("vectors", "scan with total, int", [](comparison& c) {
  const arrays a(c);
  const auto total = c.returned<int>();
  c.wall(
    [=] {
      thrust::exclusive_scan(stock_policy(), a.x, a.x + a.n, a.out.stock);
      *total.stock = total_of(a.out.stock, a.x, a.n);
    },
    [=] { *total.gimbal = v::scan(par, a.x, a.x + a.n, v::with_total(a.out.gimbal), v::plus<int>()); });
});

template <std::uint64_t Length>
void segmented_scan(comparison& c)
{
  const segmented_arrays<Length> a(c);
  c.wall(
    [=] {
      a.number_keys();
      thrust::exclusive_scan_by_key(stock_policy(), a.keys, a.keys + a.n, a.x, a.out.stock);
    },
    [=] { v::scan(par, a.x, a.x + a.n, a.heads, a.out.gimbal, v::plus<int>()); });
}

template <std::uint64_t Length>
void segmented_copy(comparison& c)
{
  const segmented_arrays<Length> a(c);
  c.wall(
    [=] {
      a.number_keys();
      thrust::inclusive_scan_by_key(
        stock_policy(), a.keys, a.keys + a.n, a.x, a.out.stock, thrust::equal_to<int>(), keep_left{});
    },
    [=] { v::copy(par, a.x, a.x + a.n, a.heads, a.out.gimbal); });
}

template <std::uint64_t Length>
void segmented_distribute(comparison& c)
{
  const segmented_arrays<Length> a(c);
  int* const sums = c.array<int>(a.n);
  c.wall(
    [=] {
      a.number_keys();
      thrust::reduce_by_key(stock_policy(), a.keys, a.keys + a.n, a.x, thrust::discard_iterator<>(), sums);
      const auto segment = thrust::make_transform_iterator(a.keys, one_less{});
      thrust::gather(stock_policy(), segment, segment + a.n, sums, a.out.stock);
    },
    [=] { v::distribute(par, a.x, a.x + a.n, a.heads, a.out.gimbal, v::plus<int>()); });
}

const implementation distribute("vectors", "distribute, int", [](comparison& c) {
  const arrays a(c);
  c.wall(
    [=] {
      thrust::fill(stock_policy(), a.out.stock, a.out.stock + a.n, thrust::reduce(stock_policy(), a.x, a.x + a.n));
    },
    [=] { v::distribute(par, a.x, a.x + a.n, a.out.gimbal, v::plus<int>()); });
});

const implementation enumerate("vectors", "enumerate", [](comparison& c) {
  const std::ptrdiff_t n = c.size();
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, 2);
  const auto out = c.output<int>(n);
  c.wall(
    [=] {
      thrust::transform_exclusive_scan(stock_policy(), flags, flags + n, out.stock, as_int{}, 0, thrust::plus<int>());
    },
    [=] { v::enumerate(par, flags, flags + n, out.gimbal); });
});

const implementation split("vectors", "split, int", [](comparison& c) {
  const arrays a(c);
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, 2);
  c.wall(
    [=] {
      const auto falses = thrust::count_if(stock_policy(), flags, flags + a.n, is_clear{});
      thrust::stable_partition_copy(
        stock_policy(), a.x, a.x + a.n, flags, a.out.stock, a.out.stock + falses, is_clear{});
    },
    [=] { v::split(par, a.x, a.x + a.n, flags, a.out.gimbal); });
});

template <std::uint64_t Length>
void segmented_split(comparison& c)
{
  const segmented_arrays<Length> a(c);
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, 2);
  c.wall(
    [=] {
      a.number_keys();
      thrust::transform(stock_policy(), a.keys, a.keys + a.n, flags, a.keys, segment_and_flag{});
      thrust::copy(stock_policy(), a.x, a.x + a.n, a.out.stock);
      thrust::stable_sort_by_key(stock_policy(), a.keys, a.keys + a.n, a.out.stock);
    },
    [=] { v::split(par, a.x, a.x + a.n, flags, a.heads, a.out.gimbal); });
}

const implementation pack("vectors", "pack, int", [](comparison& c) {
  const arrays a(c);
  const std::uint8_t* const flags = numbers<std::uint8_t>(c, 2);
  const auto count = c.returned<std::ptrdiff_t>();
  c.wall(
    [=] { *count.stock = thrust::copy_if(stock_policy(), a.x, a.x + a.n, flags, a.out.stock, is_set{}) - a.out.stock; },
    [=] { *count.gimbal = v::pack(par, a.x, a.x + a.n, flags, a.out.gimbal) - a.out.gimbal; });
});

/// About 30 places for each length, n places or fewer.
const implementation allocate_and_expand("vectors", "allocate and expand", [](comparison& c) {
  const std::ptrdiff_t n = c.size();
  const std::ptrdiff_t segments = n / 60 + 1;
  const int* const lengths = items(c, segments, length_to_60{});
  int* const offsets = c.array<int>(segments);
  int* const behind = c.array<int>(60 * static_cast<std::size_t>(segments));
  const auto out = c.output<int>(60 * static_cast<std::size_t>(segments));
  c.wall(
    [=] {
      thrust::exclusive_scan(stock_policy(), lengths, lengths + segments, offsets);
      const int places = total_of(offsets, lengths, segments);
      const thrust::counting_iterator<int> all(0);
      thrust::upper_bound(stock_policy(), offsets, offsets + segments, all, all + places, behind);
      thrust::transform(stock_policy(), behind, behind + places, out.stock, one_less{});
    },
    [=] {
      const int places = v::allocate(par, lengths, lengths + segments, v::with_total(offsets));
      v::expand(par, gimbal::segment_offsets(offsets, offsets + segments), out.gimbal, out.gimbal + places);
    });
});

const implementation radix("vectors", "split-radix sort, unsigned", [](comparison& c) {
  const std::ptrdiff_t n = c.size();
  const unsigned* const x = numbers<unsigned>(c, std::uint64_t{1} << 32);
  const auto keys = c.changed_in_place(x, n);
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
});

const implementation forms[] = {
  {"vectors", "segmented scan, int, 256", segmented_scan<256>},
  {"vectors", "segmented scan, int, 4", segmented_scan<4>},
  {"vectors", "segmented copy, int, 256", segmented_copy<256>},
  {"vectors", "segmented copy, int, 4", segmented_copy<4>},
  {"vectors", "segmented distribute, int, 256", segmented_distribute<256>},
  {"vectors", "segmented distribute, int, 4", segmented_distribute<4>},
  {"vectors", "segmented split, int, 256", segmented_split<256>},
  {"vectors", "segmented split, int, 4", segmented_split<4>},
};

}  // namespace

}  // namespace perf
