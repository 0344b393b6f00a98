// Counts what each family of kernels costs through its public call, exactly, on the host executor: prints one JSON
// record for each call and size. tests/cost.py holds the records to the budgets. See count.cpp for how it counts.
#include <gimbal/gimbal.h>
#include <gimbal/segmented_scan.h>
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <type_traits>
#include <vector>

#include "count.h"
#include "mutations/check.h"

namespace {

using gimbal::par;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;

/// An array of noise in counted memory; `bound` 0: any value.
template <class T>
T* noise_array(std::size_t n, std::uint32_t bound = 0)
{
  T* const values = static_cast<T*>(cost::array(n * sizeof(T)));
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t word = noise(i);
    if (sizeof(T) == 8 && bound == 0) {
      word = word << 32 | noise(i + n);
    }
    values[i] = static_cast<T>(bound == 0 ? word : word % bound);
  }
  return values;
}

/// The steady state: what the second of two calls does.
void record(const char* name, std::size_t n, const std::function<void()>& prepare, const std::function<void()>& call)
{
  prepare();
  call();
  prepare();
  long before[5];
  const point points[5] = {point::launch, point::fill, point::allocate, point::wait, point::pinned_allocate};
  for (int p = 0; p < 5; ++p) {
    before[p] = counted(points[p]);
  }
  cost::start();
  call();
  const cost::counts c = cost::stop();
  long steps[5];
  for (int p = 0; p < 5; ++p) {
    steps[p] = counted(points[p]) - before[p];
  }
  std::printf(
    "{\"call\": \"%s\", \"n\": %zu, \"read\": %.0f, \"written\": %.0f, \"bulk\": %.0f, \"looked_at\": %.0f, "
    "\"shared\": %.0f, "
    "\"looks\": %.0f, \"atomics\": %.0f, \"shared_atomics\": %.0f, \"barriers\": %.0f, \"warp_barriers\": %.0f, "
    "\"shuffles\": %.0f, "
    "\"votes\": %.0f, \"launches\": %ld, \"fills\": %ld, \"blocks_of_the_pool\": %ld, \"waits\": %ld, "
    "\"never_read\": %.0f, \"allocations\": %.0f}\n",
    name, n, c.read, c.written, c.bulk_bytes, c.looked_at, c.shared, c.looks, c.atomics, c.shared_atomics, c.barriers,
    c.warp_barriers, c.shuffles, c.votes, steps[0], steps[1], steps[2], steps[3], c.never_read,
    c.allocations + static_cast<double>(steps[4]));
  std::fflush(stdout);
}
void record(const char* name, std::size_t n, const std::function<void()>& call)
{
  record(
    name, n, [] {}, call);
}

struct is_odd {
  template <class T>
  bool operator()(T x) const
  {
    return x % 2 != 0;
  }
};
struct half {
  std::int32_t operator()(std::int32_t x) const { return x / 2; }
};
struct by_high_half {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 16 < b >> 16; }
};

// ---- a kernel whose cost is known, to see that the counting counts

template <unsigned Reads>
struct known_kernel {
  static constexpr unsigned block_threads = 64;
  struct shared {
    unsigned word[64];
    unsigned sum;
  };
  const std::uint32_t* in;
  std::uint32_t* out;
  unsigned* total;

  template <class Context>
  void operator()(Context& ctx, shared& smem) const
  {
    const unsigned i = ctx.block() * block_threads + ctx.thread();
    const volatile std::uint32_t* const item = in + i;  // each of the reads happens
    std::uint32_t x = 0;
    for (unsigned r = 0; r < Reads; ++r) {
      x += *item;
    }
    smem.word[ctx.thread()] = x;
    ctx.sync_block();
    x = smem.word[ctx.thread() ^ 1];
    x += ctx.shfl_down(x, 1);
    x += ctx.ballot(x != 0);
    ctx.sync_warp();
    ctx.atomic_shared(smem.sum).store(x, ::cuda::std::memory_order_relaxed);
    ctx.atomic(*total).fetch_add(x, ::cuda::std::memory_order_relaxed);
    out[i] = x;
  }
};

template <unsigned Reads>
void known(const char* name)
{
  const std::size_t n = 4096;
  const std::uint32_t* const in = noise_array<std::uint32_t>(n);
  std::uint32_t* const out = noise_array<std::uint32_t>(n);
  unsigned* const total = noise_array<unsigned>(1);
  record(name, n, [=] {
    const gimbal::status state = gimbal::simt::launch(known_kernel<Reads>{in, out, total}, n / 64, nullptr, name);
    if (state) {
      std::printf("%s\n", gimbal::simt::error_string(state.code));
      std::exit(2);
    }
  });
}

// ---- the calls

template <class T>
void scans_and_sums(const char* type, std::size_t n)
{
  const T* const in = noise_array<T>(n, 100);
  T* const out = noise_array<T>(n);
  const std::string suffix = std::string(" ") + type;
  record(("reduce" + suffix).c_str(), n, [=] { (void)thrust::reduce(par, in, in + n); });
  record(("exclusive_scan" + suffix).c_str(), n, [=] { thrust::exclusive_scan(par, in, in + n, out); });
}

/// Runs of up to 200 equal keys.
std::uint32_t* run_keys(std::size_t n)
{
  std::uint32_t* const keys = noise_array<std::uint32_t>(n);
  std::uint32_t key = 0;
  for (std::size_t i = 0, end = 0; i < n; ++i) {
    if (i == end) {
      end += 1 + noise(i) % 200;
      ++key;
    }
    keys[i] = key;
  }
  return keys;
}

struct segment_arrays {
  unsigned char* flags;
  std::uint32_t* offsets;
  std::size_t count;
};

/// The runs as segments.
segment_arrays segments_of(const std::uint32_t* keys, std::size_t n)
{
  auto* const flags = static_cast<unsigned char*>(cost::array(n));
  std::vector<std::uint32_t> heads;
  for (std::size_t i = 0; i < n; ++i) {
    flags[i] = i == 0 || keys[i] != keys[i - 1];
    if (flags[i] != 0) {
      heads.push_back(static_cast<std::uint32_t>(i));
    }
  }
  auto* const offsets = static_cast<std::uint32_t*>(cost::array(heads.size() * sizeof(std::uint32_t)));
  std::copy(heads.begin(), heads.end(), offsets);
  return {flags, offsets, heads.size()};
}

void by_key(std::size_t n)
{
  const std::uint32_t* const keys = run_keys(n);
  const std::int32_t* const in = noise_array<std::int32_t>(n, 100);
  std::int32_t* const out = noise_array<std::int32_t>(n);
  std::uint32_t* const keys_out = noise_array<std::uint32_t>(n);
  const auto [flags, offsets, segments] = segments_of(keys, n);

  record("inclusive_scan_by_key i32 u32", n, [=] { thrust::inclusive_scan_by_key(par, keys, keys + n, in, out); });
  record("segmented_scan by flags i32", n, [=, flags = flags] {
    gimbal::inclusive_segmented_scan(par, in, in + n, flags, out);
  });
  record("segmented_scan by offsets i32", n, [=, offsets = offsets, segments = segments] {
    gimbal::inclusive_segmented_scan(par, in, in + n, gimbal::segment_offsets(offsets, offsets + segments), out);
  });
  record("reduce_by_key i32 u32", n, [=] { thrust::reduce_by_key(par, keys, keys + n, in, keys_out, out); });
  record("unique_copy u32", n, [=] { thrust::unique_copy(par, keys, keys + n, keys_out); });
}

void partitions(std::size_t n)
{
  const std::int32_t* const in = noise_array<std::int32_t>(n);
  std::int32_t* const out = noise_array<std::int32_t>(n);
  std::int32_t* const rejected = noise_array<std::int32_t>(n);
  record("partition_copy i32", n, [=] { thrust::partition_copy(par, in, in + n, out, rejected, is_odd{}); });
  const auto halves = thrust::make_transform_iterator(in, half{});
  record("copy_if of a function of i32", n, [=] { thrust::copy_if(par, halves, halves + n, out, is_odd{}); });
  record("copy_if i32", n, [=] { thrust::copy_if(par, in, in + n, out, is_odd{}); });
  record(
    "stable_partition i32", n, [=] { std::copy(in, in + n, out); },
    [=] { thrust::stable_partition(par, out, out + n, is_odd{}); });
}

void vectors(std::size_t n)
{
  namespace v = gimbal::vectors;
  const segment_arrays made = segments_of(run_keys(n), n);
  const unsigned char* const heads = made.flags;
  const gimbal::segment_offsets by_offsets(made.offsets, made.offsets + made.count);
  const unsigned char* const flags = noise_array<unsigned char>(n, 2);
  const std::int32_t* const in = noise_array<std::int32_t>(n, 100);
  std::int32_t* const out = noise_array<std::int32_t>(n);
  const auto plus = v::plus<std::int32_t>();
  record("vectors::scan with total i32", n, [=] { (void)v::scan(par, in, in + n, v::with_total(out), plus); });
  record("vectors::enumerate", n, [=] { v::enumerate(par, flags, flags + n, out); });
  record("vectors::copy by flags i32", n, [=] { v::copy(par, in, in + n, heads, out); });
  record("vectors::copy by offsets i32", n, [=] { v::copy(par, in, in + n, by_offsets, out); });
  record("vectors::distribute i32", n, [=] { v::distribute(par, in, in + n, out, plus); });
  record("vectors::distribute by flags i32", n, [=] { v::distribute(par, in, in + n, heads, out, plus); });
  record("vectors::distribute by offsets i32", n, [=] { v::distribute(par, in, in + n, by_offsets, out, plus); });
  record("vectors::split i32", n, [=] { v::split(par, in, in + n, flags, out); });
  record("vectors::split_if i32", n, [=] { v::split_if(par, in, in + n, out, is_odd{}); });
  record("vectors::split by flags i32", n, [=] { v::split(par, in, in + n, flags, heads, out); });
  record("vectors::flag_merge i32", n, [=] { v::flag_merge(par, flags, flags + n, in, in, out); });
  record("vectors::pack i32", n, [=] { v::pack(par, in, in + n, flags, out); });
  record("vectors::allocate", n, [=] { (void)v::allocate(par, in, in + n, v::with_total(out)); });
  record("vectors::expand", n, [=] { v::expand(par, by_offsets, out, out + n); });
}

template <class Key>
void sorts(const char* name, std::size_t n)
{
  const Key* const in = noise_array<Key>(n);
  Key* const keys = noise_array<Key>(n);
  const auto prepare = [=] { std::copy(in, in + n, keys); };
  record((std::string("sort ") + name).c_str(), n, prepare, [=] { thrust::sort(par, keys, keys + n); });
  if constexpr (std::is_same_v<Key, std::uint32_t>) {
    std::uint32_t* const values = noise_array<std::uint32_t>(n);
    record("sort_by_key u32 u32", n, prepare, [=] { thrust::sort_by_key(par, keys, keys + n, values); });
    record("sort (comparator) u32", n, prepare, [=] { thrust::sort(par, keys, keys + n, by_high_half{}); });
  }
}

}  // namespace

/// Without arguments everything, else the sizes of which the base-2 logarithms are given.
int main(int argc, char** argv)
{
  gimbal::simt::executor_options options;
  options.workers = 1;
  gimbal::simt::set_executor_options(options);
  std::printf("{\"compiler\": \"%s\"}\n", __VERSION__);
  known<1>("self-test");
  known<2>("self-test, read twice");
  std::vector<int> sizes;
  for (int a = 1; a < argc; ++a) {
    sizes.push_back(std::atoi(argv[a]));
  }
  for (const int log2 : sizes.empty() ? std::vector<int>{12, 16, 20} : sizes) {
    const std::size_t n = std::size_t{1} << log2;
    scans_and_sums<std::int8_t>("i8", n);
    scans_and_sums<std::int32_t>("i32", n);
    scans_and_sums<std::int64_t>("i64", n);
    by_key(n);
    partitions(n);
    vectors(n);
    sorts<std::uint8_t>("u8", n);
    sorts<std::uint32_t>("u32", n);
    sorts<std::uint64_t>("u64", n);
  }
  return 0;
}
