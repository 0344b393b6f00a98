// Tests the persistent scan at kernel level, with small stages and few blocks: sizes, types, operators, iterators,
// alignment, in place, schedules and reproducibility.
#include <gimbal/algorithm/scan/scan.cuh>

#include "persistent_row.h"
#include "scan_checks.h"

namespace {

using namespace scans;

template <unsigned Warps, unsigned Servers, unsigned Stages, unsigned LaneBytes, unsigned Groups = 1>
struct ring_of {
  static constexpr gimbal::tuning::scan_row row{Warps, Servers, Groups, LaneBytes, 100, Stages};
};

/// Persistent blocks; `scan` returns false if this device cannot run the kernel.
template <class Tuning>
struct ring_driver {
  template <class Kind, class InputIt, class OutputIt, class Op, class Init>
  static bool scan(Kind kind, InputIt in, OutputIt out, std::size_t n, Op op, Init init)
  {
    if (n == 0) {
      return true;
    }
    const auto row =
      gimbal::algorithm::persistent_scan_row<Tuning>(true, kind, in, out, static_cast<index_type>(n), op, init);
    REQUIRE(row.is_possible);
    return test::run_row(row);
  }
};
using tiny_ring = ring_driver<ring_of<1, 2, 2, 16, 1>>;
using small_tuning = ring_of<2, 3, 3, 48, 2>;
using small_ring = ring_driver<small_tuning>;

struct in_range {
  int n;
  GIMBAL_HOST_DEVICE int operator()(int x) const
  {
    return static_cast<int>(static_cast<unsigned>(x) % static_cast<unsigned>(n));
  }
};

/// Of an item in an array, by its address.
struct number_of {
  const int* begin;
  GIMBAL_HOST_DEVICE int operator()(const int& item) const { return static_cast<int>(&item - begin); }
};

/// Around the edges of segments, chunks and tiles, several rounds of the ring, several rows of the server.
template <class T, class Op, class Init>
std::vector<std::size_t> sizes_for(Op op, Init init)
{
  using tiles = typename decltype(gimbal::algorithm::persistent_scan_row<small_tuning>(
                                    true, exclusive{}, static_cast<T*>(nullptr), static_cast<T*>(nullptr), 1, op, init)
                                    .policy)::tiles_type;
  const std::size_t tile = tiles::tile_items;
  return {1, 2, 5, 31, 33, tile - 1, tile, tile + 1, 3 * tile + 7, 33 * tile - 1, 70 * tile + tile / 2};
}

template <class T, class Op>
void check_all_sizes(Op op, T init)
{
  check_sizes<small_ring, T>(op, init, sizes_for<T>(op, init));
}

/// 12 bytes: neither a segment's share of vectors nor a bank's share of items comes out even.
struct triple {
  std::int32_t x, y, z;
  friend GIMBAL_HOST_DEVICE bool operator==(const triple& l, const triple& r)
  {
    return l.x == r.x && l.y == r.y && l.z == r.z;
  }
  friend std::ostream& operator<<(std::ostream& out, const triple& v) { return out << v.x << " " << v.y << " " << v.z; }
};
/// Keeps the right z and mixes it into y: associative and not commutative.
struct triple_sum {
  GIMBAL_HOST_DEVICE triple operator()(const triple& l, const triple& r) const { return {l.x + r.x, l.y ^ r.y, r.z}; }
};

std::vector<triple> triples(std::size_t n)
{
  std::vector<triple> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = {static_cast<int>(i % 7), static_cast<int>(i * 2654435761u >> 3), static_cast<int>(i)};
  }
  return values;
}

}  // namespace

TEMPLATE_TEST_CASE(
  "persistent scan adds", "[persistent_scan]",
  double GIMBAL_MORE(std::int8_t, std::int16_t, std::int32_t, std::int64_t))
{
  check_all_sizes(cuda::std::plus<TestType>{}, TestType(3));
}

TEST_CASE("persistent scan keeps the order of operands", "[persistent_scan]")
{
  check_all_sizes(test::matrix_product{}, test::matrix{1, 2, 3, 4});
}

TEST_CASE("persistent scan takes odd types", "[persistent_scan]")
{
  for (std::size_t n : {std::size_t{1}, std::size_t{500}, std::size_t{5000}}) {
    check<small_ring, triple>(exclusive{}, triples(n), triple_sum{}, triple{1, 2, 3}, 3, 2);
    check_in_place<small_ring>(triples(n), triple_sum{}, triple{1, 2, 3}, 1);
    check<small_ring, test::bytes3>(
      inclusive{}, test::random_values<test::bytes3>(n, 1), test::add{}, test::bytes3{1, 2, 3}, 5, 1);
    check<small_ring, test::tagged>(
      exclusive{}, test::random_values<test::tagged>(n, 1), test::add_keep_left{}, test::tagged{5, -1}, 1);
    check<small_ring, test::wide>(inclusive{}, test::random_values<test::wide>(n, 1), test::add{}, no_init{});
  }
}

TEST_CASE("persistent scan at every alignment", "[persistent_scan]")
{
  const std::vector<std::int8_t> bytes = test::random_values<std::int8_t>(3000, 5);
  const std::vector<std::int32_t> words = test::random_values<std::int32_t>(3000, 6);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    INFO("shift " << shift);
    check<small_ring, std::int8_t>(
      inclusive{}, bytes, cuda::std::plus<std::int8_t>{}, no_init{}, shift, (3 * shift) % 16);
    check_in_place<small_ring>(bytes, cuda::std::plus<std::int8_t>{}, std::int8_t{1}, shift);
    check<small_ring, std::int32_t>(exclusive{}, words, cuda::std::plus<>{}, 7, shift % 4, shift / 4);
  }
  for (std::size_t n = 1; n < 40; ++n) {
    check<small_ring, std::int8_t>(
      exclusive{}, std::vector<std::int8_t>(n, 1), cuda::std::plus<std::int8_t>{}, std::int8_t{2}, n % 16);
  }
}

TEST_CASE("persistent scan accumulates in the type the operator returns and converts at the end", "[persistent_scan]")
{
  check_accumulators<small_ring>(5000);
  check<small_ring, std::uint8_t>(exclusive{}, std::vector<std::int64_t>(3000, 3), cuda::std::plus<>{}, 0);
}

TEST_CASE("persistent scan adds small integers a word at a time", "[persistent_scan]")
{
  const std::vector<std::int8_t> bytes = test::random_values<std::int8_t>(4000, 8);
  check<small_ring, std::uint8_t>(inclusive{}, bytes, cuda::std::plus<>{}, no_init{}, 5);
  check<small_ring, std::int8_t>(exclusive{}, bytes, cuda::std::plus<>{}, std::int64_t{-1}, 0, 3);
  check<small_ring, std::int64_t>(inclusive{}, bytes, cuda::std::plus<>{}, std::int64_t{1} << 40);
  const std::vector<std::uint8_t> unsigned_bytes(4000, 255);
  check<small_ring, std::uint8_t>(inclusive{}, unsigned_bytes, cuda::std::plus<>{}, 1, 1);
  check<small_ring, std::int8_t>(exclusive{}, unsigned_bytes, cuda::std::plus<std::uint8_t>{}, std::uint8_t{7});
  const std::vector<std::int16_t> halves = test::random_values<std::int16_t>(4000, 9);
  check<small_ring, std::int16_t>(inclusive{}, halves, cuda::std::plus<>{}, no_init{}, 3);
  check<small_ring, std::uint16_t>(exclusive{}, halves, cuda::std::plus<>{}, 1 << 20, 0, 1);
  check<small_ring, std::int64_t>(exclusive{}, halves, cuda::std::plus<>{}, std::int64_t{0});
  const std::vector<std::uint16_t> unsigned_halves(4000, 65535);
  check<small_ring, std::uint16_t>(inclusive{}, unsigned_halves, cuda::std::plus<>{}, 5u, 2);
  check<small_ring, std::int64_t>(inclusive{}, unsigned_halves, cuda::std::plus<>{}, std::int64_t{5});
}

TEST_CASE("persistent scan keeps its total", "[persistent_scan]")
{
  for (const std::size_t n : sizes_for<double>(cuda::std::plus<>{}, 0.25)) {
    INFO("n = " << n);
    test::device_array<double> total(1);
    const auto check_sum = [&](auto kind, auto values, auto init, std::size_t shift) {
      using T = typename decltype(values)::value_type;
      test::device_array<T> data(values, shift);
      const auto row = gimbal::algorithm::persistent_scan_row<small_tuning>(
        true, kind, data.data(), data.data(), static_cast<index_type>(n), cuda::std::plus<>{}, init, total.data());
      if (test::run_row(row)) {
        const std::vector<T> results = data.to_host();
        if (std::is_same_v<decltype(kind), inclusive>) {
          CHECK(total.to_host()[0] == static_cast<double>(results.back()));  // the same bits
        } else {
          CHECK(total.to_host()[0] == static_cast<double>(results.back() + values.back()));
        }
      }
    };
    std::vector<double> thirds(n);
    for (std::size_t i = 0; i < n; ++i) {
      thirds[i] = 1.0 / static_cast<double>(3 + i % 7);
    }
    check_sum(inclusive{}, thirds, no_init{}, 1);
    check_sum(exclusive{}, thirds, 0.25, 0);
    const std::vector<int> ints(n, 3);
    check_sum(inclusive{}, ints, no_init{}, n % 4);
    check_sum(exclusive{}, ints, 7, 1);
  }
}

TEST_CASE("persistent scan through iterators", "[persistent_scan]") { check_iterators<small_ring>(3001); }

TEST_CASE("persistent scan through iterators by several groups of reduce warps and scan warps", "[persistent_scan]")
{
  using ring = ring_driver<ring_of<1, 2, 7, 16, 3>>;
  constexpr int n = 5001;
  test::device_array<int> places(test::random_values<int>(n, 21));
  test::device_array<int> in(test::random_values<int>(n, 22));
  test::device_array<int> out(n);
  const auto place = thrust::make_transform_iterator(places.data(), in_range{n});
  const auto gathered = thrust::make_permutation_iterator(in.data(), place);
  if (!ring::scan(exclusive{}, gathered, out.data(), n, cuda::std::plus<int>{}, 3)) {
    return;
  }
  std::vector<int> wanted;
  unsigned running = 3;
  const std::vector<int> values = in.to_host();
  for (const int at : places.to_host()) {
    wanted.push_back(static_cast<int>(running));
    running += static_cast<unsigned>(values[static_cast<std::size_t>(in_range{n}(at))]);
  }
  test::require_equal(out.to_host(), wanted);

  // A function is shown the item in its place, not a copy.
  const auto numbers = thrust::make_transform_iterator(in.data(), number_of{in.data()});
  ring::scan(inclusive{}, numbers, out.data(), n, cuda::std::plus<int>{}, no_init{});
  for (int i = 0, sum = 0; i < n; ++i) {
    sum += i;
    wanted[static_cast<std::size_t>(i)] = sum;
  }
  test::require_equal(out.to_host(), wanted);
}

namespace {

void check_waiting()
{
  const std::vector<test::matrix> matrices = test::random_values<test::matrix>(1500, 11);
  const std::vector<int> integers = test::random_values<int>(5000, 12);
  check<tiny_ring, test::matrix>(exclusive{}, matrices, test::matrix_product{}, test::matrix{1, 2, 3, 4});
  check_in_place<small_ring>(integers, cuda::std::plus<int>{}, 4, 1);
  check<tiny_ring, int>(inclusive{}, integers, cuda::std::plus<int>{}, no_init{}, 1);
  test::device_array<int> out(2000);
  if (tiny_ring::scan(exclusive{}, thrust::counting_iterator<int>(1), out.data(), 2000, cuda::std::plus<int>{}, 0)) {
    std::vector<int> wanted;
    for (int i = 0; i < 2000; ++i) {
      wanted.push_back(i * (i + 1) / 2);
    }
    test::require_equal(out.to_host(), wanted);
  }
}

}  // namespace

TEST_CASE("persistent scan is right under every schedule", "[persistent_scan]")
{
  test::under_schedules(check_waiting);
}

TEST_CASE("persistent scan with the blocks that have begun", "[persistent_scan]")
{
  test::with_few_blocks(check_waiting);
}

TEST_CASE("persistent float scans are the same bits in every run", "[persistent_scan]")
{
  const std::vector<float> first = sums_of_fractions<small_ring>(20000);
  for (unsigned resident : {1u, 2u, 5u}) {
#if !GIMBAL_GPU
    INFO("resident blocks: " << resident);
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.resident_blocks = resident;
    options.expected_blocks = resident < 5 ? 9 : 0;
    gimbal::simt::scoped_executor_options scope(options);
#else
    (void)resident;
#endif
    test::require_equal(sums_of_fractions<ring_driver<ring_of<2, 2, 7, 48>>>(20000), first);
    test::under_schedules([&] { test::require_equal(sums_of_fractions<small_ring>(20000), first); }, 1);
  }
}

namespace {

/// As long as the results it is converted to, which must lie at multiples of 8.
struct two_words {
  std::uint32_t low, high;
  GIMBAL_HOST_DEVICE operator std::uint64_t() const { return low + (std::uint64_t{high} << 32); }
  friend GIMBAL_HOST_DEVICE two_words operator+(two_words a, two_words b) { return {a.low + b.low, a.high + b.high}; }
};

}  // namespace

TEST_CASE("persistent scans of structs whose results are aligned otherwise", "[persistent_scan]")
{
  const std::vector<std::uint64_t> numbers = test::random_values<std::uint64_t>(1500, 13);
  std::vector<two_words> values;
  std::vector<std::uint64_t> wanted;
  two_words sum{0, 0};
  for (const std::uint64_t number : numbers) {
    values.push_back({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)});
    sum = sum + values.back();
    wanted.push_back(sum);
  }
  for (std::size_t shift = 0; shift < 2; ++shift) {
    test::device_array<std::uint32_t> memory(2 * values.size(), shift);
    two_words* const in = reinterpret_cast<two_words*>(memory.data());
    test::raw_copy(in, values.data(), values.size() * sizeof(two_words));
    test::device_array<std::uint64_t> out(values.size());
    test::under_schedules([&] {
      small_ring::scan(inclusive{}, in, out.data(), values.size(), cuda::std::plus<>{}, no_init{});
      test::require_equal(out.to_host(), wanted);
    });
  }
}

TEMPLATE_TEST_CASE(
  "persistent float scans are the same bits wherever items lie", "[persistent_scan]", double GIMBAL_MORE(float))
{
  std::mt19937_64 random(6);
  std::uniform_real_distribution<TestType> uniform(-1, 1);
  std::vector<TestType> values(2777);
  for (TestType& value : values) {
    value = uniform(random);
  }
  const auto sums = [&](auto kind, std::size_t n, std::size_t in_shift, std::size_t out_shift) {
    const std::vector<TestType> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    test::device_array<TestType> in(some, in_shift);
    test::device_array<TestType> out(n, out_shift);
    small_ring::scan(kind, in.data(), out.data(), n, cuda::std::plus<TestType>{}, TestType(0.3));
    return out.to_host();
  };
  for (const std::size_t n : {std::size_t{3}, values.size()}) {
    const auto including = sums(inclusive{}, n, 0, 0);
    const auto excluding = sums(exclusive{}, n, 0, 0);
    for (std::size_t in_shift = 0; in_shift < 4; ++in_shift) {
      for (std::size_t out_shift = 0; out_shift < 4; ++out_shift) {
        INFO("n = " << n << ", input at item " << in_shift << ", output at item " << out_shift);
        test::require_equal(sums(inclusive{}, n, in_shift, out_shift), including);
        test::require_equal(sums(exclusive{}, n, in_shift, out_shift), excluding);
      }
      test::device_array<TestType> both(
        std::vector<TestType>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)), in_shift);
      small_ring::scan(
        inclusive{}, both.data(), both.data(), n, cuda::std::plus<TestType>{}, TestType(0.3));  // reads no byte around
      test::require_equal(both.to_host(), including);
    }
  }
}
