// Measures the sections about scans, histograms and sorts, and the scan-vector model's table of 2009.
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <gimbal/segmented_scan.h>
#include <perf/ladder/bench.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scatter.h>
#include <thrust/transform.h>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <perf/ladder/histogram.cuh>
#include <perf/ladder/look_back.cuh>

namespace ladder {

namespace {

using word = std::uint32_t;

constexpr std::size_t bytes_of(index_type words) { return static_cast<std::size_t>(words) * sizeof(word); }

/// Words in, n words out, and what should come out.
struct word_task {
  bench& run;
  int n;
  const word* in;
  word* expected;

  word_task(bench& run, index_type n, const word* in)
      : run(run), n(static_cast<int>(n)), in(in), expected(run.array<word>(n))
  {
    // Another pattern than that of outputs: an item that nobody writes is not right.
    PERF_CHECK(cudaMemset(expected, 0x5a, bytes_of(n)));
  }

  /// `call(storage, storage_bytes)` writes the expected result.
  template <class Call>
  void expect_of(Call call) const
  {
    perf::with_storage(run.memory(), call)();
  }

  std::function<bool()> is_right(const word* out) const
  {
    return [out, right = expected, bytes = bytes_of(n)] { return perf::count_differences(out, right, bytes) == 0; };
  }
  std::function<void()> reset(word* out) const
  {
    return [out, bytes = bytes_of(n)] { perf::poison(out, bytes); };
  }

  /// `call(out, storage, storage_bytes)`
  template <class Call>
  contender make(const char* name, side whose, word* out, Call call) const
  {
    return two_phase(
      run, name, whose, reset(out), [=](void* storage, std::size_t& bytes) { return call(out, storage, bytes); },
      is_right(out));
  }
  template <class Call>
  contender make(const char* name, side whose, Call call) const
  {
    return make(name, whose, run.array<word>(n), call);
  }
  /// `work(out)`, which needs no storage.
  template <class Work>
  contender single(const char* name, side whose, Work work) const
  {
    word* const out = run.array<word>(n);
    return {{reset(out), [=] { work(out); }}, name, whose, is_right(out)};
  }

  /// A rung that takes the words, how many they are, and the output.
  template <class Rung>
  contender rung() const
  {
    return make(
      Rung::name, side::rung, [from = in, count = index_type{n}](word* out, void* storage, std::size_t& bytes) {
        return Rung::run(storage, bytes, from, count, out, {});
      });
  }
  /// A thread for each position, by `make_at(out)`.
  template <class MakeAt>
  contender each(const char* name, MakeAt make_at) const
  {
    return single(name, side::rung, [=, count = index_type{n}](word* out) {
      PERF_CHECK(for_each_position(make_at(out), count, {}, "element by element").code);
    });
  }
  /// `call(calls, out, storage, storage_bytes)`, where `calls` has the side's device-wide calls.
  template <class Stock, class Call>
  contender stock(Call call) const
  {
    return make("stock", side::stock, [=](word* out, auto&&... storage) { return call(Stock{}, out, storage...); });
  }
  template <class Gimbal, class Call>
  contender gimbal(Call call) const
  {
    return make("gimbal", side::gimbal, [=](word* out, auto&&... storage) { return call(Gimbal{}, out, storage...); });
  }
};

const word* random_words(bench& run, index_type n, word below, word seed)
{
  return run.filled<word>(n, random_word{below, seed});
}

// ---- scans

template <class... Rungs>
void measure_scan(bench& run, const char* section, const char* name, index_type n)
{
  const word_task task(run, n, random_words(run, n, 0, 3));
  const auto sum = [in = task.in, n = task.n](auto calls, word* out, auto&&... storage) {
    return calls.ExclusiveSum(storage..., in, out, n);
  };
  task.expect_of([&](auto&&... storage) { return sum(cub::DeviceScan{}, task.expected, storage...); });
  run.measure(
    {section, name, n, 8.0 * n, bound::copy},
    {task.rung<Rungs>()..., task.stock<cub::DeviceScan>(sum), task.gimbal<gimbal::DeviceScan>(sum)});
}

// ---- segmented scans

/// Heads as flags for rung and gimbal, as keys for stock, which has no other form.
void measure_segmented_scan(bench& run, index_type n)
{
  const word_task task(run, n, random_words(run, n, 0, 7));
  const random_word random{256, 8};
  const std::uint8_t* const heads =
    run.filled<std::uint8_t>(n, [=] __device__(std::size_t i) { return random(i) == 0 ? 1 : 0; });
  word* const keys = run.array<word>(n);
  task.expect_of(
    [=, count = task.n](auto&&... storage) { return cub::DeviceScan::InclusiveSum(storage..., heads, keys, count); });
  const auto by_key = [=, in = task.in, count = task.n](auto calls, word* out, auto&&... storage) {
    return calls.ExclusiveSumByKey(storage..., keys, in, out, count);
  };
  task.expect_of([&](auto&&... storage) { return by_key(cub::DeviceScan{}, task.expected, storage...); });
  const auto by_flags = [=, in = task.in](word* out, void* storage, std::size_t& bytes) {
    return segmented_scan<>::run(storage, bytes, in, heads, n, out, {});
  };
  const auto gimbals = [=, in = task.in](word* out) {
    gimbal::exclusive_segmented_scan(gimbal::par_nosync, in, in + n, heads, out);
  };
  run.measure(
    {"vector-model", "segmented scan", n, 9.0 * n, bound::copy},
    {task.make(segmented_scan<>::name, side::rung, by_flags), task.stock<cub::DeviceScan>(by_key),
     task.single("gimbal", side::gimbal, gimbals)});
}

// ---- splits

/// Of both sides the same.
template <class Partition>
contender partition_contender(const word_task& task, const char* name, side whose, const std::uint8_t* flags)
{
  const int n = task.n;
  word* const out = task.run.array<word>(n);
  word* const in_order = task.run.array<word>(n);
  int* const selected = task.run.array<int>(1);
  contender c = task.make(name, whose, out, [=, in = task.in](word* to, auto&&... storage) {
    return Partition::Flagged(storage..., in, flags, to, selected, n);
  });
  // The rejected are written in reverse, a split in order: they are turned round for the comparison.
  c.is_right = [=, is_equal = task.is_right(in_order)] {
    perf::fill(in_order, static_cast<std::size_t>(n), [=] __device__(std::size_t i) {
      const auto place = static_cast<int>(i);
      return place < *selected ? out[place] : out[n - 1 - (place - *selected)];
    });
    return is_equal();
  };
  return c;
}

void measure_split(bench& run, index_type n)
{
  const word* const in = random_words(run, n, 0, 9);
  const word_task task(run, n, in);
  const std::uint8_t* const flags =
    run.filled<std::uint8_t>(n, [=] __device__(std::size_t i) { return (in[i] & 1) == 0 ? 1 : 0; });
  task.expect_of(
    [&](auto&&... storage) { return cub::DeviceRadixSort::SortKeys(storage..., in, task.expected, task.n, 0, 1); });
  const auto by_bit = [=](word* out, void* storage, std::size_t& bytes) {
    return split_by_bit<>::run(storage, bytes, in, n, out, 0, {});
  };
  run.measure(
    {"vector-model", "split", n, 8.0 * n, bound::copy},
    {task.make(split_by_bit<>::name, side::rung, by_bit),
     partition_contender<cub::DevicePartition>(task, "stock", side::stock, flags),
     partition_contender<gimbal::DevicePartition>(task, "gimbal", side::gimbal, flags)});
}

// ---- sorts

void measure_sort(bench& run, const char* section, index_type n)
{
  const word_task task(run, n, random_words(run, n, 0, 11));
  const auto sort = [in = task.in, n = task.n](auto calls, word* out, auto&&... storage) {
    return calls.SortKeys(storage..., in, out, n);
  };
  task.expect_of([&](auto&&... storage) { return sort(cub::DeviceRadixSort{}, task.expected, storage...); });
  const auto by_splits = [=, in = task.in](word* out, void* storage, std::size_t& bytes) {
    return split_radix_sort<>::run(storage, bytes, in, n, out, 32, {});
  };
  run.measure(
    {section, "radix sort", n, 8.0 * n, bound::copy},
    {task.make(split_radix_sort<>::name, side::rung, by_splits), task.stock<cub::DeviceRadixSort>(sort),
     task.gimbal<gimbal::DeviceRadixSort>(sort)});
}

// ---- element by element

struct twice_plus_one {
  __host__ __device__ word operator()(word x) const { return 2 * x + 1; }
};

/// gimbal has no kernels of its own for these: it hands them to stock.
void measure_elementwise(bench& run, index_type n)
{
  const word* const in = random_words(run, n, 0, 13);
  // A bijection of the positions: consecutive reads are far apart.
  const word* const position = run.filled<word>(
    n, [=] __device__(std::size_t i) { return static_cast<word>(i * 2654435761u % static_cast<std::size_t>(n)); });
  const word_task permute(run, n, in), map(run, n, in), plain(run, n, in);
  perf::fill(permute.expected, n, [=] __device__(std::size_t i) { return in[position[i]]; });
  perf::fill(map.expected, n, [=] __device__(std::size_t i) { return 2 * in[i] + 1; });
  perf::fill(plain.expected, n, random_word{0, 13});

  const auto device = thrust::cuda::par_nosync;  // device time: the host need not wait
  run.measure(
    {"vector-model", "permute", n, 12.0 * n, bound::copy}, {permute.each(
                                                              "permute",
                                                              [=](word* out) {
                                                                return permute_item<word>{in, position, out};
                                                              }),
                                                            permute.single("stock", side::stock, [=](word* out) {
                                                              thrust::gather(device, position, position + n, in, out);
                                                            })});
  run.measure(
    {"vector-model", "map", n, 8.0 * n, bound::copy}, {map.each(
                                                         "map",
                                                         [=](word* out) {
                                                           return map_item<word, twice_plus_one>{in, out, {}};
                                                         }),
                                                       map.single("stock", side::stock, [=](word* out) {
                                                         thrust::transform(device, in, in + n, out, twice_plus_one{});
                                                       })});
  run.measure(
    {"vector-model", "copy", n, 8.0 * n, bound::copy},
    {plain.each(
       "copy",
       [=](word* out) {
         return copy_item<word>{in, out};
       }),
     plain.single("stock", side::stock, [=](word* out) { perf::copy(out, in, bytes_of(n)); })});
}

// ---- histograms

template <class Rung>
contender histogram_rung(const word_task& task, index_type n)
{
  return task.make(Rung::name, side::rung, [=, in = task.in](word* counts, void* storage, std::size_t& bytes) {
    return Rung::run(storage, bytes, in, n, counts, {});
  });
}

/// gimbal has no histogram call; sorted by the bin's bits and reduced by key it takes two.
contender gimbal_histogram(const word_task& task, index_type n)
{
  word* const sorted = task.run.array<word>(n);
  word* const found = task.run.array<word>(bins);
  word* const lengths = task.run.array<word>(bins);
  word* const counts = task.run.array<word>(bins);
  const auto length = std::make_shared<index_type>();
  contender c =
    task.make("gimbal", side::gimbal, lengths, [=, in = task.in](word* out, void* storage, std::size_t& bytes) {
      const cudaError_t code = gimbal::DeviceRadixSort::SortKeys(storage, bytes, in, sorted, n, 0, bin_bits);
      if (storage == nullptr || code != cudaSuccess) {
        return code;
      }
      const word* const first = sorted;
      const auto ends =
        thrust::reduce_by_key(gimbal::par, first, first + n, thrust::make_constant_iterator(1u), found, out);
      *length = ends.first - found;
      return code;
    });
  c.is_right = [=, is_equal = task.is_right(counts)] {
    PERF_CHECK(cudaMemset(counts, 0, bytes_of(bins)));
    thrust::scatter(thrust::device, lengths, lengths + *length, found, counts);
    return is_equal();
  };
  return c;
}

void measure_histogram(bench& run, const char* name, index_type n, word below)
{
  const random_word item{below, 15};
  const word_task task(run, bins, run.filled<word>(n, item));
  std::vector<word> counted(bins);
  for (index_type i = 0; i < n; ++i) {
    ++counted[item(static_cast<std::size_t>(i))];
  }
  PERF_CHECK(cudaMemcpy(task.expected, counted.data(), bytes_of(bins), cudaMemcpyHostToDevice));
  const auto by_stock = [in = task.in, n = static_cast<int>(n)](auto calls, word* counts, auto&&... storage) {
    constexpr int most = bins;
    return calls.HistogramEven(storage..., in, reinterpret_cast<int*>(counts), most + 1, 0, most, n);
  };
  run.measure(
    {"histograms", name, n, 4.0 * n},
    {histogram_rung<global_atomics_histogram>(task, n), histogram_rung<local_copies_histogram<>>(task, n),
     histogram_rung<sort_reduce_histogram<>>(task, n), task.stock<cub::DeviceHistogram>(by_stock),
     gimbal_histogram(task, n)});
}

}  // namespace

void measure_scans(bench& run)
{
  measure_scan<hillis_steele_scan, blelloch_scan, scan_then_propagate<>, look_back_scan<>>(
    run, "scans", "exclusive sum of u32", run.at_most(index_type{1} << 26));
}

void measure_histograms(bench& run)
{
  const index_type n = run.at_most(index_type{1} << 24);
  measure_histogram(run, "256 bins, uniform", n, bins);
  measure_histogram(run, "256 bins, one used", n, 1);
}

void measure_sorts(bench& run) { measure_sort(run, "sorts", run.at_most(index_type{1} << 24)); }

void measure_vector_model(bench& run)
{
  for (unsigned log2 = 5; log2 <= 23; ++log2) {
    const index_type n = index_type{1} << log2;
    if (run.at_most(n) < n) {
      break;
    }
    measure_scan<scan_then_propagate<>>(run, "vector-model", "scan", n);
    measure_segmented_scan(run, n);
    measure_split(run, n);
    measure_elementwise(run, n);
    measure_sort(run, "vector-model", n);
  }
}

}  // namespace ladder
