// The sections about scans, histograms and sorts, and the scan-vector model's table of 2009.
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/scan.h>
#include <gimbal/gimbal.h>
#include <gimbal/segmented_scan.h>
#include <perf/ladder/stock.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include <perf/ladder/histogram.cuh>
#include <perf/ladder/look_back.cuh>

namespace ladder {

namespace {

using word = std::uint32_t;

constexpr int rung_poison = 0xa5;
constexpr int expected_poison = 0x5a;

/// n words in, n words out, and what should come out.
struct word_task {
  index_type n;
  array<word> in, out, expected;

  /// `expect(out)` writes the expected result.
  template <class Expect>
  word_task(index_type n, const array<word>& in, Expect expect) : n(n), in(in), out(n), expected(n)
  {
    poison(expected.get(), n, expected_poison);  // an item that nobody writes is not right
    expect(expected.get());
    must(simt::wait({}, "expected result"));
  }

  /// `call(storage, bytes, in, out)`
  template <class Call>
  contender make(const char* name, side whose, Call call) const
  {
    const auto self = *this;
    return two_phase(
      name, whose, [self] { poison(self.out.get(), self.n, rung_poison); },
      [self, call](void* storage, std::size_t& bytes) {
        const word* const from = self.in.get();
        return call(storage, bytes, from, self.out.get());
      },
      [self] { return same(self.out.get(), self.expected.get(), self.n); });
  }
};

/// Runs a two-phase call once.
template <class Call>
void run_once(Call call)
{
  two_phase("", side::stock, [] {}, call, {}).run();
}

array<word> random_words(index_type n, word below, word seed)
{
  const array<word> words(n);
  fill_random(words.get(), n, below, seed);
  return words;
}

// ---- scans

word_task scan_task(index_type n)
{
  const array<word> in = random_words(n, 0, 3);
  return word_task(n, in, [=](word* out) {
    run_once([=](void* storage, std::size_t& bytes) { return stock::exclusive_sum(storage, bytes, in.get(), out, n); });
  });
}

template <class Rung>
contender scan_rung(const word_task& task)
{
  const index_type n = task.n;
  return task.make(Rung::name, side::rung, [n](void* storage, std::size_t& bytes, const word* in, word* out) {
    return Rung::run(storage, bytes, in, n, out, {});
  });
}

contender stock_scan(const word_task& task)
{
  const index_type n = task.n;
  return task.make("stock", side::stock, [n](void* storage, std::size_t& bytes, const word* in, word* out) {
    return stock::exclusive_sum(storage, bytes, in, out, n);
  });
}

contender gimbal_scan(const word_task& task)
{
  const index_type n = task.n;
  return task.make("gimbal", side::gimbal, [n](void* storage, std::size_t& bytes, const word* in, word* out) {
    return gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out, n);
  });
}

// ---- segmented scans

/// Heads as flags for rung and gimbal, as keys for stock, which has no other form.
struct number_segments {
  const word* random;
  std::uint8_t* heads;
  word* is_head;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    heads[i] = random[i] == 0 ? 1 : 0;
    is_head[i] = random[i] == 0 ? 1 : 0;
  }
};
/// The exclusive scan of heads, made inclusive: equal within a segment.
struct close_segments {
  word* segment;
  const word* is_head;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    segment[i] += is_head[i];
  }
};

void measure_segmented_scan(bench& run, index_type n)
{
  const array<word> in = random_words(n, 0, 7);
  const array<word> random = random_words(n, 256, 8), is_head(n), keys(n);
  const array<std::uint8_t> heads(n);
  must(for_each_position(number_segments{random.get(), heads.get(), is_head.get()}, n, {}, "heads"));
  run_once([=](void* storage, std::size_t& bytes) {
    return stock::exclusive_sum(storage, bytes, is_head.get(), keys.get(), n);
  });
  must(for_each_position(close_segments{keys.get(), is_head.get()}, n, {}, "keys of the segments"));
  const auto by_key = [keys, n](void* storage, std::size_t& bytes, const word* from, word* out) {
    return stock::exclusive_sum_by_key(storage, bytes, keys.get(), from, out, n);
  };
  const word_task task(n, in, [=](word* out) {
    run_once([=](void* storage, std::size_t& bytes) { return by_key(storage, bytes, in.get(), out); });
  });
  const contender rung = task.make(
    segmented_scan<>::name, side::rung, [heads, n](void* storage, std::size_t& bytes, const word* from, word* out) {
      return segmented_scan<>::run(storage, bytes, from, heads.get(), n, out, {});
    });
  contender gimbal = rung;
  gimbal.name = "gimbal";
  gimbal.whose = side::gimbal;
  gimbal.run = [task, heads, n] {
    const word* const from = task.in.get();
    const std::uint8_t* const flags = heads.get();
    gimbal::exclusive_segmented_scan(gimbal::par_nosync, from, from + n, flags, task.out.get());
  };
  run.measure(
    {"vector-model", "segmented scan", n, 9.0 * n, bound::copy},
    {rung, task.make("stock", side::stock, by_key), gimbal});
}

// ---- splits

struct clear_flag {
  const word* in;
  std::uint8_t* flags;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    flags[i] = (in[i] & 1) == 0 ? 1 : 0;
  }
};

/// CUB and gimbal write the rejected in reverse, a split in order: turned round for the comparison.
struct reverse_rejected {
  const word* in;
  index_type n;
  const int* selected;
  word* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    out[i] = i < *selected ? in[i] : in[n - 1 - (i - *selected)];
  }
};

void measure_split(bench& run, index_type n)
{
  const array<word> in = random_words(n, 0, 9);
  const array<std::uint8_t> flags(n);
  const array<int> selected(1);
  must(for_each_position(clear_flag{in.get(), flags.get()}, n, {}, "flags"));
  const word_task task(n, in, [=](word* out) {
    run_once([=](void* storage, std::size_t& bytes) { return stock::sort(storage, bytes, in.get(), out, n, 1); });
  });
  const auto is_right_reversed = [task, selected, n] {
    const array<word> in_order(n);
    must(for_each_position(
      reverse_rejected{task.out.get(), n, selected.get(), in_order.get()}, n, {}, "turning of the rejected"));
    return same(in_order.get(), task.expected.get(), n);
  };
  contender stock =
    task.make("stock", side::stock, [=](void* storage, std::size_t& bytes, const word* from, word* out) {
      return stock::partition(storage, bytes, from, flags.get(), out, selected.get(), n);
    });
  stock.is_right = is_right_reversed;
  contender gimbal =
    task.make("gimbal", side::gimbal, [=](void* storage, std::size_t& bytes, const word* from, word* out) {
      const std::uint8_t* const chosen = flags.get();
      return gimbal::DevicePartition::Flagged(storage, bytes, from, chosen, out, selected.get(), n);
    });
  gimbal.is_right = is_right_reversed;
  const contender rung =
    task.make(split_by_bit<>::name, side::rung, [n](void* storage, std::size_t& bytes, const word* from, word* out) {
      return split_by_bit<>::run(storage, bytes, from, n, out, 0, {});
    });
  run.measure({"vector-model", "split", n, 8.0 * n, bound::copy}, {rung, stock, gimbal});
}

// ---- sorts

void measure_sort(bench& run, const char* section, index_type n)
{
  const array<word> in = random_words(n, 0, 11);
  const auto by_stock = [n](void* storage, std::size_t& bytes, const word* from, word* out) {
    return stock::sort(storage, bytes, from, out, n, 32);
  };
  const word_task task(n, in, [=](word* out) {
    run_once([=](void* storage, std::size_t& bytes) { return by_stock(storage, bytes, in.get(), out); });
  });
  const contender rung = task.make(
    split_radix_sort<>::name, side::rung, [n](void* storage, std::size_t& bytes, const word* from, word* out) {
      return split_radix_sort<>::run(storage, bytes, from, n, out, 32, {});
    });
  const contender gimbal =
    task.make("gimbal", side::gimbal, [n](void* storage, std::size_t& bytes, const word* from, word* out) {
      return gimbal::DeviceRadixSort::SortKeys(storage, bytes, from, out, n);
    });
  run.measure(
    {section, "radix sort", n, 8.0 * n, bound::copy}, {rung, task.make("stock", side::stock, by_stock), gimbal});
}

// ---- element by element

struct twice_plus_one {
  GIMBAL_HOST_DEVICE word operator()(word x) const { return 2 * x + 1; }
};

/// A bijection of the positions: consecutive reads are far apart.
struct scatter_positions {
  word* out;
  index_type n;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    out[i] = static_cast<word>(static_cast<std::uint64_t>(i) * 2654435761u % static_cast<std::uint64_t>(n));
  }
};

/// A rung that needs no storage.
template <class At>
contender each_rung(const word_task& task, const char* name, const At& at)
{
  const index_type n = task.n;
  return task.make(name, side::rung, [n, at](void* storage, std::size_t& bytes, const word*, word*) {
    bytes = 1;
    return storage == nullptr ? status{} : for_each_position(at, n, {}, "element by element");
  });
}

/// The same task by a call of stock's.
contender as_stock(contender c, std::function<void()> run)
{
  c.name = "stock";
  c.whose = side::stock;
  c.run = std::move(run);
  return c;
}

#if GIMBAL_GPU
const auto stock_policy = thrust::cuda::par_nosync;  // device time: the host need not wait
#else
const auto stock_policy = thrust::device;
#endif

/// gimbal has no kernels of its own for these: it hands them to stock.
void measure_elementwise(bench& run, index_type n)
{
  const array<word> in = random_words(n, 0, 13), position(n);
  must(for_each_position(scatter_positions{position.get(), n}, n, {}, "positions"));
  std::vector<word> values = download(in.get(), n), positions = download(position.get(), n), mapped(n), permuted(n);
  for (index_type i = 0; i < n; ++i) {
    mapped[i] = 2 * values[i] + 1;
    permuted[i] = values[positions[i]];
  }
  const auto upload = [n](const std::vector<word>& from) {
    return [&from, n](word* to) {
      copy(to, from.data(), n);
      must(simt::wait({}, "upload"));  // `from` may be gone afterwards
    };
  };
  const word_task permute(n, in, upload(permuted)), map(n, in, upload(mapped)), plain(n, in, upload(values));

  const contender permute_rung =
    each_rung(permute, "permute", permute_item<word>{in.get(), position.get(), permute.out.get()});
  const contender map_rung = each_rung(map, "map", map_item<word, twice_plus_one>{in.get(), map.out.get(), {}});
  const contender copy_rung = each_rung(plain, "copy", copy_item<word>{in.get(), plain.out.get()});
  const contender permute_stock = as_stock(permute_rung, [=] {
    thrust::gather(stock_policy, position.get(), position.get() + n, in.get(), permute.out.get());
  });
  const contender map_stock = as_stock(
    map_rung, [=] { thrust::transform(stock_policy, in.get(), in.get() + n, map.out.get(), twice_plus_one{}); });
  const contender copy_stock =
    as_stock(copy_rung, [=] { copy(plain.out.get(), static_cast<const word*>(in.get()), n); });
  run.measure({"vector-model", "permute", n, 12.0 * n, bound::copy}, {permute_rung, permute_stock});
  run.measure({"vector-model", "map", n, 8.0 * n, bound::copy}, {map_rung, map_stock});
  run.measure({"vector-model", "copy", n, 8.0 * n, bound::copy}, {copy_rung, copy_stock});
}

// ---- histograms

template <class Rung>
contender histogram_rung(const word_task& task, index_type n)
{
  const array<word> in = task.in;
  return task.make(Rung::name, side::rung, [=](void* storage, std::size_t& bytes, const word*, word* counts) {
    return Rung::run(storage, bytes, in.get(), n, counts, {});
  });
}

/// gimbal has no histogram call; sorted by the bin's bits and reduced by key it takes two.
contender gimbal_histogram(const word_task& task, index_type n)
{
  const array<word> sorted(n), found(bins);
  const array<unsigned> lengths(bins);
  const auto length = std::make_shared<index_type>();
  contender c = task.make("gimbal", side::gimbal, [=](void* storage, std::size_t& bytes, const word* from, word*) {
    const simt::error_code code =
      gimbal::DeviceRadixSort::SortKeys(storage, bytes, from, sorted.get(), n, 0, static_cast<int>(bin_bits));
    if (storage == nullptr || code != simt::success) {
      return code;
    }
    const word* const first = sorted.get();
    *length = thrust::reduce_by_key(
                gimbal::par, first, first + n, thrust::make_constant_iterator(1u), found.get(), lengths.get())
                .first
              - found.get();
    return code;
  });
  const auto self = task;
  c.is_right = [=] {
    const std::vector<word> keys = download(found.get(), *length), expected = download(self.expected.get(), bins);
    const std::vector<unsigned> counted = download(lengths.get(), *length);
    std::vector<word> counts(bins);
    for (index_type k = 0; k < *length; ++k) {
      counts[keys[k] % bins] += counted[k];
    }
    return counts == expected;
  };
  return c;
}

void measure_histogram(bench& run, const char* name, index_type n, word below)
{
  const array<word> in = random_words(n, below, 15);
  const auto by_stock = [in, n](void* storage, std::size_t& bytes, const word*, word* counts) {
    return stock::histogram(storage, bytes, in.get(), reinterpret_cast<int*>(counts), static_cast<int>(bins), n);
  };
  const word_task task(bins, in, [=](word* counts) {
    std::vector<word> counted(bins);
    for (const word item : download(in.get(), n)) {
      ++counted[item];
    }
    copy(counts, counted.data(), bins);
    must(simt::wait({}, "upload"));  // `counted` goes
  });
  run.measure(
    {"histograms", name, n, 4.0 * n},
    {histogram_rung<global_atomics_histogram>(task, n), histogram_rung<local_copies_histogram<>>(task, n),
     histogram_rung<sort_reduce_histogram<>>(task, n), task.make("stock", side::stock, by_stock),
     gimbal_histogram(task, n)});
}

}  // namespace

void measure_scans(bench& run)
{
  const index_type n = run.at_most(index_type{1} << 26);
  const word_task task = scan_task(n);
  run.measure(
    {"scans", "exclusive sum of u32", n, 8.0 * n, bound::copy},
    {scan_rung<hillis_steele_scan>(task), scan_rung<blelloch_scan>(task), scan_rung<scan_then_propagate<>>(task),
     scan_rung<look_back_scan<>>(task), stock_scan(task), gimbal_scan(task)});
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
    const word_task scan = scan_task(n);
    run.measure(
      {"vector-model", "scan", n, 8.0 * n, bound::copy},
      {scan_rung<scan_then_propagate<>>(scan), stock_scan(scan), gimbal_scan(scan)});
    measure_segmented_scan(run, n);
    measure_split(run, n);
    measure_elementwise(run, n);
    measure_sort(run, "vector-model", n);
  }
}

}  // namespace ladder
