// The sections about scans, histograms and sorts, and the scan-vector model's table of 2009.
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <gimbal/segmented_scan.h>
#include <perf/ladder/ladder.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <perf/ladder/histogram.cuh>
#include <perf/ladder/look_back.cuh>

namespace ladder {

namespace {

using word = std::uint32_t;

struct random_word {
  word below = 0;  // 0: all 32 bits

  __host__ __device__ word operator()(std::size_t i) const
  {
    const auto random = static_cast<word>(perf::mixed(i) >> 32);
    return below == 0 ? random : random % below;
  }
};
const word* random_words(comparison& c, word below = 0) { return c.filled<word>(c.size(), random_word{below}); }

/// `call(calls, storage..., in, out, n)`, of random words.
template <class Stock, class Calls, class Call>
void compare_words(comparison& c, Call call)
{
  const int n = c.n();
  const word* const in = random_words(c);
  const twin<word> out = c.output<word>(n);
  c.moves([=] { return 2 * sizeof(word) * n; });
  c.device<Stock, Calls>(
    [=](auto calls, side of, auto&&... storage) { return call(calls, storage..., in, of(out), n); });
}

struct scan {
  template <class Calls>
  static void compare(comparison& c)
  {
    compare_words<cub::DeviceScan, Calls>(
      c, [](auto calls, auto&&... of_call) { return calls.ExclusiveSum(of_call...); });
  }
};

struct seldom_head {
  __host__ __device__ std::uint8_t operator()(std::size_t i) const { return perf::mixed(~i) % 256 == 0; }
};
/// Heads as flags for rung and gimbal, as keys for stock, which has no other form.
template <bool IsRung>
void compare_segmented_scan(comparison& c)
{
  const int n = c.n();
  const word* const in = random_words(c);
  const std::uint8_t* const heads = c.filled<std::uint8_t>(c.size(), seldom_head{});
  word* const keys = c.array<word>(n);
  thrust::inclusive_scan(thrust::device, heads, heads + n, keys, thrust::plus<word>{});
  const twin<word> out = c.output<word>(n);
  const auto stock = [=](auto&&... storage) {
    return cub::DeviceScan::ExclusiveSumByKey(storage..., keys, in, out.stock, n);
  };
  if (IsRung) {
    c.device(stock, [=](auto&&... storage) {
      return segmented_scan<>::run(storage..., in, heads, n, out.gimbal, nullptr).code;
    });
  } else {
    c.device(stock, [=](void* storage, std::size_t& bytes) {
      bytes = 1;  // a call of the library's own form, which needs none
      if (storage != nullptr) {
        gimbal::exclusive_segmented_scan(gimbal::par_nosync, in, in + n, heads, out.gimbal);
      }
      return cudaSuccess;
    });
  }
}

/// Splits by one bit at a time by the names of libraries' calls.
struct splits {
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, const word* in, word* out, int n)
  {
    return split_radix_sort<>::run(storage, bytes, in, n, out, 32, nullptr).code;
  }
  static cudaError_t Flagged(
    void* storage, std::size_t& bytes, const word* in, const std::uint8_t*, word* out, int*, int n)
  {
    return split_by_bit<>::run(storage, bytes, in, n, out, 0, nullptr).code;
  }
};

template <class Calls>
void compare_sort(comparison& c)
{
  compare_words<cub::DeviceRadixSort, Calls>(
    c, [](auto calls, auto&&... of_call) { return calls.SortKeys(of_call...); });
}

struct is_even {
  const word* in;
  __host__ __device__ std::uint8_t operator()(std::size_t i) const { return (in[i] & 1) == 0; }
};
template <class Calls>
void compare_split(comparison& c)
{
  const int n = c.n();
  const word* const in = random_words(c);
  const std::uint8_t* const flags = c.filled<std::uint8_t>(c.size(), is_even{in});
  const twin<int> selected{c.array<int>(1), c.array<int>(1)};
  // The libraries write the part behind in reverse: only the part in front is compared.
  const twin<word> out =
    c.changed_in_place(in, n, [=] { return static_cast<std::size_t>(perf::download(selected.stock)); });
  c.device<cub::DevicePartition, Calls>([=](auto calls, side of, auto&&... storage) {
    return calls.Flagged(storage..., in, flags, of(out), of(selected), n);
  });
}

// ---- histograms

/// gimbal has no histogram call; sorted by the bin's bits and reduced by key it takes two, and a third puts the counts
/// of the bins that occur in their places.
struct gimbals_histogram {
  static status run(void* storage, std::size_t& bytes, const word* in, int n, word* counts, simt::stream_type)
  {
    word *sorted = nullptr, *found = nullptr, *lengths = nullptr;
    const auto sort = [&](void* of_sort, std::size_t& sort_bytes) {
      return gimbal::DeviceRadixSort::SortKeys(of_sort, sort_bytes, in, sorted, n, 0, bin_bits);
    };
    std::size_t sort_bytes = 0;
    PERF_CHECK(sort(nullptr, sort_bytes));
    unsigned char* sort_storage = nullptr;
    if (const placement at = place(
          storage, bytes, &sorted, n, &found, bins, &lengths, bins, &sort_storage, static_cast<index_type>(sort_bytes));
        !at.is_done) {
      return at.state;
    }
    PERF_CHECK(sort(sort_storage, sort_bytes));
    const word* const first = sorted;
    const auto ends =
      thrust::reduce_by_key(gimbal::par, first, first + n, thrust::make_constant_iterator(1u), found, lengths);
    PERF_CHECK(cudaMemsetAsync(counts, 0, bins * sizeof(word)));
    thrust::scatter(thrust::cuda::par_nosync, lengths, ends.second, found, counts);
    return {};
  }
};
constexpr const char* one_used = "256 bins, one used";
struct histogram {
  template <class Calls>
  static void compare(comparison& c)
  {
    const int n = c.n();
    const word* const in = random_words(c, c.distribution() == one_used ? 1 : bins);
    const twin<int> counts = c.output<int>(bins);
    c.device<cub::DeviceHistogram, Calls>([=](auto calls, side of, auto&&... storage) {
      constexpr int most = bins;
      return calls.HistogramEven(storage..., in, of(counts), most + 1, 0, most, n);
    });
  }
};

// ---- sections

const task scans(
  "scans", "exclusive sum of u32", perf::powers_of_two({26}),
  contenders<scan, gimbal::DeviceScan, hillis_steele_scan, blelloch_scan, scan_then_propagate<>, look_back_scan<>>());

task histogram_of(const char* items)
{
  return {
    "histograms", items, perf::powers_of_two({24}),
    contenders<
      histogram, calls_of<gimbals_histogram>, global_atomics_histogram, local_copies_histogram<>,
      sort_reduce_histogram<>>()};
}
const task histograms[] = {histogram_of("256 bins, uniform"), histogram_of(one_used)};

const task sorts(
  "sorts", "radix sort", perf::powers_of_two({24}),
  {{split_radix_sort<>::name, compare_sort<splits>}, {"gimbal", compare_sort<gimbal::DeviceRadixSort>}});

task vector_call(const char* name, const std::vector<contender>& contenders)
{
  return {
    "vector-model", name, perf::powers_of_two({5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}),
    contenders};
}
const task vector_model[] = {
  vector_call(
    "scan", {{"scan, rung", scan::compare<calls_of<scan_then_propagate<>>>},
             {"scan, gimbal", scan::compare<gimbal::DeviceScan>}}),
  vector_call(
    "segmented scan", {{"segmented scan, rung", compare_segmented_scan<true>},
                       {"segmented scan, gimbal", compare_segmented_scan<false>}}),
  vector_call(
    "split", {{"split, rung", compare_split<splits>}, {"split, gimbal", compare_split<gimbal::DevicePartition>}}),
  vector_call(
    "radix sort",
    {{"radix sort, rung", compare_sort<splits>}, {"radix sort, gimbal", compare_sort<gimbal::DeviceRadixSort>}}),
};

}  // namespace

}  // namespace ladder
