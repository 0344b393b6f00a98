// The streaming scan at kernel level, with small stages and few blocks: sizes, types, operators, iterators, alignment,
// in place, schedules and reproducibility.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/persistent_scan.cuh>

#include "support.h"

namespace {

using gimbal::index_type;
using gimbal::no_init;
using inclusive = gimbal::algorithm::inclusive_scan_tag;
using exclusive = gimbal::algorithm::exclusive_scan_tag;

template <unsigned Warps, unsigned Servers, unsigned Stages, unsigned LaneBytes, unsigned Groups = 1>
struct ring_of {
  static constexpr unsigned scanner_warps = Warps;
  static constexpr unsigned server_warps = Servers;
  static constexpr unsigned reduce_groups = Groups;
  static constexpr unsigned scanner_groups = Groups;
  static constexpr std::size_t lane_bytes = LaneBytes;
  static constexpr std::size_t ring_bytes = 100 * 1024;
  static constexpr unsigned most_stages = Stages;
};
using tiny_ring = ring_of<1, 2, 2, 16, 1>;
using small_ring = ring_of<2, 3, 3, 48, 2>;

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

/// False if this device cannot run the kernel.
template <class Tuning, class Kind, class InputIt, class OutputIt, class Op, class Init>
bool scan(Kind kind, InputIt in, OutputIt out, std::size_t n, Op op, Init init)
{
  if (n == 0) {
    return true;
  }
  auto row = gimbal::algorithm::persistent_scan_row<Tuning>(true, kind, in, out, static_cast<index_type>(n), op, init);
  REQUIRE_FALSE(row.find_room());
  if (row.blocks == 0) {
    return false;
  }
  REQUIRE(row.is_possible);
  gimbal::launch_words words(nullptr);
  const gimbal::status state = row.launch(words);
  INFO(gimbal::simt::error_string(state.code));
  REQUIRE_FALSE(state);
  REQUIRE_FALSE(gimbal::simt::wait(nullptr, "test"));
  return true;
}

template <class Out, class Kind, class Value, class Op, class Init>
std::vector<Out> reference(Kind, const std::vector<Value>& values, Op op, Init init)
{
  std::vector<Out> results;
  if constexpr (std::is_same_v<Init, no_init>) {
    std::vector<Value> running;  // at most one: the type may have no default constructor
    for (const Value& value : values) {
      running.assign(1, running.empty() ? value : static_cast<Value>(op(running[0], value)));
      results.push_back(static_cast<Out>(running[0]));
    }
  } else {
    using accumulator = std::decay_t<decltype(op(init, values[0]))>;
    accumulator running = static_cast<accumulator>(init);
    for (const Value& value : values) {
      const accumulator next = static_cast<accumulator>(op(running, value));
      results.push_back(static_cast<Out>(std::is_same_v<Kind, inclusive> ? next : running));
      running = next;
    }
  }
  return results;
}

template <class Tuning, class Out, class Kind, class Value, class Op, class Init>
void check(
  Kind kind, const std::vector<Value>& values, Op op, Init init, std::size_t in_shift = 0, std::size_t out_shift = 0)
{
  test::device_array<Value> in(values, in_shift);
  test::device_array<Out> out(values.size(), out_shift);
  if (scan<Tuning>(kind, in.data(), out.data(), values.size(), op, init)) {
    test::require_equal(out.to_host(), reference<Out>(kind, values, op, init));
  }
}

template <class Tuning, class T, class Op>
void check_in_place(const std::vector<T>& values, Op op, T init, std::size_t shift)
{
  test::device_array<T> data(values, shift);
  if (scan<Tuning>(exclusive{}, data.data(), data.data(), values.size(), op, init)) {
    test::require_equal(data.to_host(), reference<T>(exclusive{}, values, op, init));
  }
}

/// Around the edges of segments, chunks and tiles of `tile` items, several rounds of the ring, several rows of the
/// server.
std::vector<std::size_t> sizes_for(std::size_t tile)
{
  return {1, 2, 5, 31, 33, tile - 1, tile, tile + 1, 3 * tile + 7, 33 * tile - 1, 70 * tile + tile / 2};
}

template <class T, class Op>
void check_sizes(Op op, T init)
{
  using kernel = typename decltype(gimbal::algorithm::persistent_scan_row<small_ring>(
                                     true, exclusive{}, static_cast<T*>(nullptr), static_cast<T*>(nullptr), 1, op, init)
                                     .policy)::tiles_type;
  for (std::size_t n : sizes_for(kernel::tile_items)) {
    INFO("n = " << n);
    const std::vector<T> values = test::random_values<T>(n, n + 1);
    check<small_ring, T>(inclusive{}, values, op, no_init{});
    check<small_ring, T>(exclusive{}, values, op, init, 1, 1);
    check_in_place<small_ring>(values, op, init, n % 5);
  }
}

struct add {
  template <class L, class R>
  GIMBAL_HOST_DEVICE auto operator()(const L& l, const R& r) const
  {
    return l + r;
  }
};

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
  "streaming scan adds", "[stream_scan]", double GIMBAL_MORE(std::int8_t, std::int16_t, std::int32_t, std::int64_t))
{
  check_sizes<TestType>(cuda::std::plus<TestType>{}, TestType(3));
}

TEST_CASE("streaming scan keeps the order of operands", "[stream_scan]")
{
  check_sizes<test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4});
}

TEST_CASE("streaming scan takes odd types", "[stream_scan]")
{
  for (std::size_t n : {std::size_t{1}, std::size_t{500}, std::size_t{5000}}) {
    check<small_ring, triple>(exclusive{}, triples(n), triple_sum{}, triple{1, 2, 3}, 3, 2);
    check_in_place<small_ring>(triples(n), triple_sum{}, triple{1, 2, 3}, 1);
    check<small_ring, test::bytes3>(
      inclusive{}, test::random_values<test::bytes3>(n, 1), add{}, test::bytes3{1, 2, 3}, 5, 1);
    check<small_ring, test::tagged>(
      exclusive{}, test::random_values<test::tagged>(n, 1), test::add_keep_left{}, test::tagged{5, -1}, 1);
    check<small_ring, test::wide>(inclusive{}, test::random_values<test::wide>(n, 1), add{}, no_init{});
  }
}

TEST_CASE("streaming scan at every alignment", "[stream_scan]")
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

TEST_CASE("streaming scan accumulates in the type the operator returns and converts at the end", "[stream_scan]")
{
  const std::vector<std::uint8_t> values(5000, 255);
  check<small_ring, std::int32_t>(exclusive{}, values, cuda::std::plus<>{}, 0, 3);
  check<small_ring, std::int64_t>(inclusive{}, values, cuda::std::plus<>{}, std::int64_t{1} << 40);
  check<small_ring, std::int16_t>(exclusive{}, values, cuda::std::plus<>{}, 0, 1, 1);
  check<small_ring, std::uint8_t>(exclusive{}, std::vector<std::int64_t>(3000, 3), cuda::std::plus<>{}, 0);
}

TEST_CASE("streaming scan adds small integers a word at a time", "[stream_scan]")
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

TEST_CASE("streaming scan keeps its total", "[stream_scan]")
{
  using tiles = typename decltype(gimbal::algorithm::persistent_scan_row<small_ring>(
                                    true, inclusive{}, static_cast<double*>(nullptr), static_cast<double*>(nullptr), 1,
                                    cuda::std::plus<>{}, no_init{})
                                    .policy)::tiles_type;
  for (const std::size_t n : sizes_for(tiles::tile_items)) {
    INFO("n = " << n);
    test::device_array<double> total(1);
    const auto check_sum = [&](auto kind, auto values, auto init, std::size_t shift) {
      using T = typename decltype(values)::value_type;
      test::device_array<T> data(values, shift);
      const auto out = gimbal::algorithm::keep_total(data.data(), total.data());
      if (scan<small_ring>(kind, data.data(), out, n, cuda::std::plus<>{}, init)) {
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

TEST_CASE("streaming scan through iterators", "[stream_scan]")
{
  const std::size_t n = 3001;
  const std::vector<int> values = test::random_values<int>(n, 7);
  test::device_array<int> in(values);
  test::device_array<int> out(n);
  const cuda::std::plus<int> plus;
  if (!scan<small_ring>(exclusive{}, thrust::counting_iterator<int>(1), out.data(), n, plus, 0)) {
    return;
  }
  CHECK(out.to_host()[3000] == 3000 * 3001 / 2);

  scan<small_ring>(inclusive{}, thrust::make_reverse_iterator(in.data() + n), out.data(), n, plus, no_init{});
  test::require_equal(
    out.to_host(), reference<int>(inclusive{}, std::vector<int>(values.rbegin(), values.rend()), plus, no_init{}));

  std::vector<int> wanted = reference<int>(exclusive{}, values, plus, 9);
  scan<small_ring>(
    exclusive{}, in.data(), thrust::make_transform_output_iterator(out.data(), cuda::std::negate<int>{}), n, plus, 9);
  for (int& sum : wanted) {
    sum = -sum;
  }
  test::require_equal(out.to_host(), wanted);

  const auto negated = thrust::make_transform_iterator(in.data(), cuda::std::negate<int>{});
  scan<small_ring>(exclusive{}, negated, thrust::make_reverse_iterator(out.data() + n), n, plus, -9);
  test::require_equal(out.to_host(), std::vector<int>(wanted.rbegin(), wanted.rend()));
}

TEST_CASE("streaming scan through iterators by several groups of reduce warps and scan warps", "[stream_scan]")
{
  using ring = ring_of<1, 2, 7, 16, 3>;
  constexpr int n = 5001;
  test::device_array<int> places(test::random_values<int>(n, 21));
  test::device_array<int> in(test::random_values<int>(n, 22));
  test::device_array<int> out(n);
  const auto place = thrust::make_transform_iterator(places.data(), in_range{n});
  const auto gathered = thrust::make_permutation_iterator(in.data(), place);
  if (!scan<ring>(exclusive{}, gathered, out.data(), n, cuda::std::plus<int>{}, 3)) {
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
  scan<ring>(inclusive{}, numbers, out.data(), n, cuda::std::plus<int>{}, no_init{});
  for (int i = 0, sum = 0; i < n; ++i) {
    sum += i;
    wanted[static_cast<std::size_t>(i)] = sum;
  }
  test::require_equal(out.to_host(), wanted);
}

TEST_CASE("streaming scan is right under every schedule", "[stream_scan]")
{
  const std::vector<test::matrix> matrices = test::random_values<test::matrix>(1500, 11);
  const std::vector<int> integers = test::random_values<int>(5000, 12);
  test::under_schedules([&] {
    check<tiny_ring, test::matrix>(exclusive{}, matrices, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    check_in_place<small_ring>(integers, cuda::std::plus<int>{}, 4, 1);
    check<tiny_ring, int>(inclusive{}, integers, cuda::std::plus<int>{}, no_init{}, 1);
    test::device_array<int> out(2000);
    scan<tiny_ring>(exclusive{}, thrust::counting_iterator<int>(1), out.data(), 2000, cuda::std::plus<int>{}, 0);
  });
}

TEST_CASE("streaming scan with the blocks that have begun", "[stream_scan]")
{
  const std::vector<test::matrix> matrices = test::random_values<test::matrix>(1500, 11);
  const std::vector<int> integers = test::random_values<int>(5000, 12);
  test::with_few_blocks([&] {
    check<tiny_ring, test::matrix>(exclusive{}, matrices, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    check_in_place<small_ring>(integers, cuda::std::plus<int>{}, 4, 1);
    test::device_array<int> out(2000);
    scan<tiny_ring>(exclusive{}, thrust::counting_iterator<int>(1), out.data(), 2000, cuda::std::plus<int>{}, 0);
    std::vector<int> wanted;
    for (int i = 0; i < 2000; ++i) {
      wanted.push_back(i * (i + 1) / 2);
    }
    test::require_equal(out.to_host(), wanted);
  });
}

TEST_CASE("streaming float scans are the same bits in every run", "[stream_scan]")
{
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(20000);
  for (float& value : values) {
    value = uniform(random);
  }
  test::device_array<float> in(values);
  test::device_array<float> out(values.size());
  const auto sums = [&](auto tuning) {
    scan<decltype(tuning)>(inclusive{}, in.data(), out.data(), values.size(), cuda::std::plus<float>{}, 0.5f);
    return out.to_host();
  };
  const std::vector<float> first = sums(small_ring{});
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
    test::require_equal(sums(ring_of<2, 2, 7, 48>{}), first);
    test::under_schedules([&] { test::require_equal(sums(small_ring{}), first); }, 1);
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

TEST_CASE("streaming scans of structs whose results are aligned otherwise", "[stream_scan]")
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
      scan<small_ring>(inclusive{}, in, out.data(), values.size(), cuda::std::plus<>{}, no_init{});
      test::require_equal(out.to_host(), wanted);
    });
  }
}

TEMPLATE_TEST_CASE(
  "streaming float scans are the same bits wherever items lie", "[stream_scan]", double GIMBAL_MORE(float))
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
    scan<small_ring>(kind, in.data(), out.data(), n, cuda::std::plus<TestType>{}, TestType(0.3));
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
      scan<small_ring>(
        inclusive{}, both.data(), both.data(), n, cuda::std::plus<TestType>{}, TestType(0.3));  // reads no byte around
      test::require_equal(both.to_host(), including);
    }
  }
}
