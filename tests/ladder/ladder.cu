// Tests the rungs of the ladder of classical kernels (perf/ladder): each is right for every n, and free of races.
#include <gimbal/simt/instrument.h>

#include <algorithm>
#include <numeric>
#include <perf/ladder/histogram.cuh>
#include <perf/ladder/look_back.cuh>
#include <perf/ladder/one_pass.cuh>
#include <perf/ladder/split.cuh>

#include "support.h"

namespace {

using ladder::index_type;

// Few threads, so that many blocks take part; 3 blocks where a grid is fixed. 96 threads are no power of two.
using small = ladder::shape<64, 3>;
using one_warp = ladder::shape<32, 5>;
using uneven = ladder::shape<96, 3>;

#ifdef __SANITIZE_THREAD__  // sees races that did not happen to change a result: one size of each kind will do
const std::vector<std::size_t> sizes = {1, 33, 193, 577};
constexpr unsigned seeds = 1;
#else
const std::vector<std::size_t> sizes = {0,   1,    2,    3,    31,   32,   33,   63,   64,   65,   95,  96,
                                        97,  127,  128,  129,  191,  192,  193,  255,  256,  257,  575, 576,
                                        577, 1023, 1024, 1025, 2047, 2049, 4097, 8191, 8193, 12345};
constexpr unsigned seeds = 2;
#endif
const std::vector<std::size_t> few_sizes = {0, 1, 33, 129, 577, 1200};

/// Small enough for sums of all sizes above to be exact in every type and order.
template <class T>
std::vector<T> small_values(std::size_t n)
{
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  std::vector<T> values(n);
  for (T& value : values) {
    value = static_cast<T>(static_cast<int>(random() % 1000) - 300);
  }
  return values;
}

std::vector<std::uint32_t> words(std::size_t n, std::uint32_t below)
{
  std::mt19937 random(static_cast<unsigned>(n) + 7);
  std::vector<std::uint32_t> values(n);
  for (std::uint32_t& value : values) {
    value = below == 0 ? random() : random() % below;
  }
  return values;
}

template <class T>
std::vector<T> exclusive_sums(const std::vector<T>& in)
{
  std::vector<T> out(in.size());
  T sum{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = sum;
    sum += in[i];
  }
  return out;
}

// ---- reductions

template <class Rung, class T>
void check_sum(std::size_t n, std::size_t shift)
{
  INFO(Rung::name << ", n = " << n << ", shifted by " << shift);
  const std::vector<T> values = small_values<T>(n);
  test::device_array<T> in(values, shift);
  test::device_array<T> out(1);
  test::run([&](void* storage, std::size_t& bytes) {
    return Rung::run(storage, bytes, in.data(), static_cast<index_type>(n), out.data(), nullptr);
  });
  CHECK(out.to_host()[0] == std::accumulate(values.begin(), values.end(), T{}));
}

template <class Rung, class T>
void check_sums()
{
  for (const std::size_t n : sizes) {
    check_sum<Rung, T>(n, 0);
    check_sum<Rung, T>(n, 1);
  }
  test::under_schedules(
    [] {
      for (const std::size_t n : few_sizes) {
        check_sum<Rung, T>(n, 3);
      }
    },
    seeds);
}

template <class T>
void check_small_reductions()
{
  check_sums<ladder::reduction_v0<small>, T>();
  check_sums<ladder::reduction_v1<small>, T>();
  check_sums<ladder::reduction_v2<small>, T>();
  check_sums<ladder::reduction_v3<small>, T>();
  check_sums<ladder::reduction_v4<small>, T>();
  check_sums<ladder::reduction_v5<small>, T>();
  check_sums<ladder::reduction_v6<small>, T>();
  check_sums<ladder::reduction_v7<small>, T>();
}

// ---- scans

template <class Rung>
void check_scan(std::size_t n)
{
  INFO(Rung::name << ", n = " << n);
  const std::vector<std::uint32_t> values = words(n, 0);
  test::device_array<std::uint32_t> in(values, 1);
  test::device_array<std::uint32_t> out(n);
  test::run([&](void* storage, std::size_t& bytes) {
    return Rung::run(storage, bytes, in.data(), static_cast<index_type>(n), out.data(), nullptr);
  });
  test::require_equal(out.to_host(), exclusive_sums(values));
}

template <class Rung>
void check_scans()
{
  for (const std::size_t n : sizes) {
    check_scan<Rung>(n);
  }
  test::under_schedules(
    [] {
      for (const std::size_t n : few_sizes) {
        check_scan<Rung>(n);
      }
    },
    seeds);
}

// ---- the scan-vector model

std::vector<std::uint8_t> some_heads(std::size_t n)
{
  std::mt19937 random(static_cast<unsigned>(n) + 3);
  std::vector<std::uint8_t> heads(n);
  for (std::uint8_t& head : heads) {
    head = random() % 100 == 0 ? 1 + random() % 2 : 0;
  }
  return heads;
}

void check_segmented_scan(std::size_t n)
{
  INFO("segmented scan, n = " << n);
  const std::vector<std::uint32_t> values = words(n, 0);
  const std::vector<std::uint8_t> heads = some_heads(n);
  std::vector<std::uint32_t> expected(n);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum = heads[i] != 0 ? 0 : sum;
    expected[i] = sum;
    sum += values[i];
  }
  test::device_array<std::uint32_t> in(values), out(n);
  test::device_array<std::uint8_t> flags(heads);
  test::run([&](void* storage, std::size_t& bytes) {
    return ladder::segmented_scan<small>::run(
      storage, bytes, in.data(), flags.data(), static_cast<index_type>(n), out.data(), nullptr);
  });
  test::require_equal(out.to_host(), expected);
}

void check_sort(std::size_t n, unsigned bits)
{
  INFO("split-radix sort by " << bits << " bits, n = " << n);
  const std::vector<std::uint32_t> keys = words(n, 0);
  std::vector<std::uint32_t> expected = keys;
  const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  std::stable_sort(
    expected.begin(), expected.end(), [=](std::uint32_t a, std::uint32_t b) { return (a & mask) < (b & mask); });
  test::device_array<std::uint32_t> in(keys), out(n);
  test::run([&](void* storage, std::size_t& bytes) {
    return ladder::split_radix_sort<small>::run(
      storage, bytes, in.data(), static_cast<index_type>(n), out.data(), bits, nullptr);
  });
  test::require_equal(out.to_host(), expected);
  test::require_equal(in.to_host(), keys);
}

// ---- histograms

template <class Rung>
void check_histogram(std::size_t n, std::uint32_t below)
{
  INFO(Rung::name << ", n = " << n << ", items below " << below);
  const std::vector<std::uint32_t> items = words(n, below);
  std::vector<unsigned> expected(ladder::bins);
  for (const std::uint32_t item : items) {
    ++expected[item];
  }
  test::device_array<std::uint32_t> in(items);
  test::device_array<unsigned> counts(ladder::bins);
  test::run([&](void* storage, std::size_t& bytes) {
    return Rung::run(storage, bytes, in.data(), static_cast<index_type>(n), counts.data(), nullptr);
  });
  test::require_equal(counts.to_host(), expected);
}

template <class Rung>
void check_histograms()
{
  for (const std::size_t n : seeds == 1 ? std::vector<std::size_t>{577} : few_sizes) {
    for (const std::uint32_t below : {1u, ladder::bins}) {
      check_histogram<Rung>(n, below);
    }
  }
}

}  // namespace

TEST_CASE("reductions v0 to v7 are right for every size", "[ladder]") { check_small_reductions<std::int32_t>(); }

#ifndef __SANITIZE_THREAD__  // a fiber for each of 2048 threads would take it minutes
TEST_CASE("reductions v0 to v7 add floats, in the shapes that are measured", "[ladder]")
{
  check_sum<ladder::reduction_v0<>, float>(70001, 0);
  check_sum<ladder::reduction_v1<>, float>(70001, 0);
  check_sum<ladder::reduction_v2<>, float>(70001, 0);
  check_sum<ladder::reduction_v3<>, float>(70001, 0);
  check_sum<ladder::reduction_v4<>, float>(70001, 0);
  check_sum<ladder::reduction_v5<>, float>(70001, 0);
  check_sum<ladder::reduction_v6<>, float>(70001, 0);
  check_sum<ladder::reduction_v7<>, float>(70001, 1);
}
#endif

TEST_CASE("reductions take one warp, and numbers of warps that are no power of two", "[ladder]")
{
  check_sums<ladder::reduction_v1<uneven>, std::int32_t>();
  check_sums<ladder::reduction_v2<one_warp>, std::int32_t>();
  check_sums<ladder::reduction_v4<uneven>, std::int32_t>();
  check_sums<ladder::reduction_v4<one_warp>, std::int32_t>();
  check_sums<ladder::reduction_v5<uneven>, std::int32_t>();
  check_sums<ladder::reduction_v7<uneven>, std::int32_t>();
}

TEST_CASE("reductions in two passes, by atomics and by ticket", "[ladder]")
{
  check_sums<ladder::two_pass<small>, std::int32_t>();
  check_sums<ladder::atomic_each_thread<small>, std::int32_t>();
  check_sums<ladder::atomic_each_block<uneven>, std::int32_t>();
  check_sums<ladder::ticket<small>, std::int32_t>();
  check_sums<ladder::ticket<uneven>, std::int32_t>();
}

TEST_CASE("scans of every kind", "[ladder]")
{
  check_scans<ladder::hillis_steele_scan>();
  check_scans<ladder::blelloch_scan>();
  check_scans<ladder::scan_then_propagate<one_warp>>();
  check_scans<ladder::scan_then_propagate<small>>();
  check_scans<ladder::look_back_scan<small>>();
}

TEST_CASE("look-back under many schedules", "[ladder]")
{
  test::under_schedules([] { check_scan<ladder::look_back_scan<small>>(64 * 9 * 7 + 5); }, 10 * seeds);
}

TEST_CASE("scan then propagate keeps the order of operands", "[ladder]")
{
  for (const std::size_t n : {1, 33, 200, 1500}) {
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
    std::vector<test::matrix> expected(n);
    test::matrix before{1, 0, 0, 1};
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = before;
      before = test::matrix_product{}(before, values[i]);
    }
    test::device_array<test::matrix> in(values), out(n);
    test::run([&](void* storage, std::size_t& bytes) {
      return ladder::scan_then_propagate<one_warp>::run(
        storage, bytes, in.data(), static_cast<index_type>(n), out.data(), test::matrix_product{},
        test::matrix{1, 0, 0, 1}, nullptr);
    });
    test::require_equal(out.to_host(), expected);
  }
}

TEST_CASE("segmented scan, split and split-radix sort", "[ladder]")
{
  for (const std::size_t n : sizes) {
    check_segmented_scan(n);
    check_sort(n, 1);
  }
  for (const std::size_t n : {0, 1, 33, 300}) {
    check_sort(n, 8);
    check_sort(n, 32);
  }
  test::under_schedules(
    [] {
      check_segmented_scan(1200);
      check_sort(700, 2);
    },
    seeds);
}

TEST_CASE("histograms of every kind", "[ladder]")
{
  check_histograms<ladder::global_atomics_histogram>();
  check_histograms<ladder::local_copies_histogram<small>>();
  check_histograms<ladder::sort_reduce_histogram<small>>();
}

#ifndef __SANITIZE_THREAD__  // counts are the same there
TEST_CASE("rungs take as many launches as the page says", "[ladder]")
{
  using namespace gimbal::simt::instrument;
  const auto launches_of = [](auto call) {
    long before = 0;
    test::run([&](void* storage, std::size_t& bytes) {
      before = counted(point::launch);
      return call(storage, bytes);
    });
    return counted(point::launch) - before;
  };
  // One tile of 128, more than one, and more than 128.
  const std::vector<std::pair<index_type, long>> scans = {{128, 1}, {129, 3}, {128 * 128 + 1, 5}};
  for (const auto& [n, launches] : scans) {
    INFO("n = " << n);
    const index_type count = n;
    test::device_array<std::uint32_t> in(words(n, 0)), out(n);
    CHECK(
      launches_of([&](void* storage, std::size_t& bytes) {
        return ladder::scan_then_propagate<small>::run(storage, bytes, in.data(), count, out.data(), nullptr);
      })
      == launches);
    CHECK(
      launches_of([&](void* storage, std::size_t& bytes) {
        return ladder::split_by_bit<small>::run(storage, bytes, in.data(), count, out.data(), 0, nullptr);
      })
      == launches + 2);
  }
  test::device_array<std::uint32_t> in(words(1000, 0)), out(1000);
  CHECK(
    launches_of([&](void* storage, std::size_t& bytes) {
      return ladder::split_radix_sort<small>::run(storage, bytes, in.data(), 100, out.data(), 32, nullptr);
    })
    == 96);
  CHECK(
    launches_of([&](void* storage, std::size_t& bytes) {
      return ladder::hillis_steele_scan::run(storage, bytes, in.data(), 1000, out.data(), nullptr);
    })
    == 10);
  CHECK(
    launches_of([&](void* storage, std::size_t& bytes) {
      return ladder::blelloch_scan::run(storage, bytes, in.data(), 1000, out.data(), nullptr);
    })
    == 1 + 9 + 10 + 1);
  CHECK(
    launches_of([&](void* storage, std::size_t& bytes) {
      return ladder::look_back_scan<small>::run(storage, bytes, in.data(), 1000, out.data(), nullptr);
    })
    == 1);
}
#endif
