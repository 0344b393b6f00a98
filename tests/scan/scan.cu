// Scan at kernel level: sizes, types, operators, iterators, in place, schedules and reproducibility.
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define HAS_HALF 1
#else
#define HAS_HALF 0
#endif
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <cuda/functional>
#include <cuda/std/functional>
#include <gimbal/algorithm/scan/scan.cuh>

#include "support.h"

namespace {

using gimbal::index_type;
using gimbal::no_init;
using inclusive = gimbal::algorithm::inclusive_scan_tag;
using exclusive = gimbal::algorithm::exclusive_scan_tag;

template <unsigned Threads, unsigned Items>
struct tiles_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
};
using small_tuning = tiles_of<64, 3>;
using tiny_tuning = tiles_of<32, 1>;  // a row of look-back descriptors covers 32768 items

/// Of the kernel whose blocks run at once: `LaneItems` in each lane, in `Spread` blocks before lanes take more.
template <unsigned Threads, unsigned LaneItems, unsigned Spread, unsigned Most>
struct resident_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned lane_items = LaneItems;
  static constexpr index_type lone_rows = 2;
  static constexpr index_type spread_blocks = Spread;
  static constexpr index_type most_blocks = Most;
};
using resident_tuning = resident_of<64, 8, 2, 4>;
using many_blocks = resident_of<32, 1, 80, 80>;  // of 32 items of 16 bytes, or of 128 of 4

template <class Tuning>
inline constexpr bool is_resident = false;
template <unsigned Threads, unsigned LaneItems, unsigned Spread, unsigned Most>
inline constexpr bool is_resident<resident_of<Threads, LaneItems, Spread, Most>> = true;

template <class Tuning, class Kind, class InputIt, class OutputIt, class Op, class Init>
void scan(Kind kind, InputIt in, OutputIt out, std::size_t n, Op op, Init init)
{
  test::run([&](void* storage, std::size_t& bytes) {
    if constexpr (is_resident<Tuning>) {
      using kernel = gimbal::algorithm::resident_scan_kernel_for<Tuning, Kind, InputIt, OutputIt, Op, Init>;
      REQUIRE(static_cast<index_type>(n) <= kernel::most_items);
      const gimbal::kernel_row<kernel> row(n > 0, {in, out, static_cast<unsigned>(n), 0, {op}, init, {}, 0});
      return gimbal::plan_of(row).run(storage, bytes, nullptr);
    } else {
      return gimbal::algorithm::scan<Tuning>(storage, bytes, kind, in, out, static_cast<index_type>(n), op, init, 0);
    }
  });
}

template <class Out, class Value, class Op>
std::vector<Out> reference(inclusive, const std::vector<Value>& values, Op op, no_init)
{
  using accumulator = Value;
  std::vector<Out> results;
  std::vector<accumulator> running;  // at most one: the type may have no default constructor
  for (const Value& value : values) {
    const accumulator next = running.empty() ? value : static_cast<accumulator>(op(running[0], value));
    running.assign(1, next);
    results.push_back(static_cast<Out>(next));
  }
  return results;
}

template <class Out, class Kind, class Value, class Op, class Init>
std::vector<Out> reference(Kind, const std::vector<Value>& values, Op op, Init init)
{
  using accumulator = std::decay_t<decltype(op(init, values[0]))>;
  std::vector<Out> results;
  std::vector<accumulator> running(1, static_cast<accumulator>(init));
  for (const Value& value : values) {
    const accumulator next = static_cast<accumulator>(op(running[0], value));
    results.push_back(static_cast<Out>(std::is_same_v<Kind, inclusive> ? next : running[0]));
    running.assign(1, next);
  }
  return results;
}

template <class Tuning, class Out, class Kind, class Value, class Op, class Init>
void check(Kind kind, const std::vector<Value>& values, Op op, Init init, std::size_t shift = 0)
{
  test::device_array<Value> in(values, shift);
  test::device_array<Out> out(values.size(), shift);
  scan<Tuning>(kind, in.data(), out.data(), values.size(), op, init);
  test::require_equal(out.to_host(), reference<Out>(kind, values, op, init));
}

/// Each form is a kernel of its own, in two where calls are streamed: with an init, the host executor runs inclusive
/// scans of every type, the GPU those of one and of structs.
template <class T>
inline constexpr bool takes_all_forms = !GIMBAL_GPU || std::is_same_v<T, std::int32_t> || !std::is_arithmetic_v<T>;

/// All three forms at all sizes, on memory aligned and not, and in place.
template <class Tuning, class T, class Op>
void check_sizes(Op op, T init, const std::vector<std::size_t>& sizes)
{
  for (std::size_t n : sizes) {
    INFO("n = " << n);
    const std::vector<T> values = test::random_values<T>(n, n + 1);
    check<Tuning, T>(inclusive{}, values, op, no_init{});
    if constexpr (takes_all_forms<T>) {
      check<Tuning, T>(inclusive{}, values, op, init);
    }
    check<Tuning, T>(exclusive{}, values, op, init, 1);
    test::device_array<T> data(values, 1);
    scan<Tuning>(exclusive{}, data.data(), data.data(), n, op, init);
    test::require_equal(data.to_host(), reference<T>(exclusive{}, values, op, init));
  }
}

struct add {
  template <class L, class R>
  GIMBAL_HOST_DEVICE auto operator()(const L& l, const R& r) const
  {
    return l + r;
  }
};

const std::vector<std::size_t> small_sizes = test::edge_sizes(64 * 3);
const std::vector<std::size_t> few_sizes = test::all_or_few({0, 1, 64, 65, 191, 193, 6243}, {65, 193, 2243});
/// Around the edges of vectors, rows, warps and blocks of resident_tuning, with one row and with more.
const std::vector<std::size_t> resident_sizes = test::all_or_few(
  {0, 1, 3, 4, 5, 31, 32, 33, 127, 128, 129, 255, 256, 257, 511, 512, 513, 767, 1023, 1025, 1535, 1537, 2047, 2048},
  {1, 5, 129, 257, 511, 513, 1537, 2047});
const std::vector<std::size_t> default_sizes = test::all_or_few({0, 1, 33, 3839, 3840, 3841, 7681, 30001}, {33, 7681});

}  // namespace

TEMPLATE_TEST_CASE(
  "scan adds every type", "[scan]",
  double GIMBAL_MORE(
    std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
    float))
{
  using T = TestType;
  if constexpr (takes_all_forms<T>) {
    check_sizes<small_tuning, T>(cuda::std::plus<T>{}, T(3), few_sizes);
  }
  check_sizes<void, T>(cuda::std::plus<T>{}, T(3), default_sizes);
  check_sizes<resident_tuning, T>(cuda::std::plus<T>{}, T(3), resident_sizes);
}

TEST_CASE("scan keeps the order of operands", "[scan]")
{
  check_sizes<resident_tuning, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, resident_sizes);
  check_sizes<small_tuning, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, small_sizes);
  check_sizes<void, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, default_sizes);
}

TEST_CASE("scan takes types without a default constructor and of odd sizes", "[scan]")
{
  check_sizes<small_tuning, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, few_sizes);
  check_sizes<void, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, default_sizes);
  check_sizes<small_tuning, test::bytes3>(add{}, test::bytes3{1, 2, 3}, few_sizes);
  check_sizes<small_tuning, test::wide>(add{}, test::wide{1, 2}, few_sizes);
  check_sizes<resident_tuning, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, resident_sizes);
  check_sizes<resident_tuning, test::bytes3>(add{}, test::bytes3{1, 2, 3}, resident_sizes);
}

namespace {

struct largest {
  std::uint32_t words[32];
  friend bool operator==(const largest& l, const largest& r) { return std::equal(l.words, l.words + 32, r.words); }
  friend std::ostream& operator<<(std::ostream& out, const largest& v) { return out << v.words[0] << "..."; }
};
/// Adds word w and multiplies the last one, so that every word counts.
struct add_words {
  GIMBAL_HOST_DEVICE largest operator()(const largest& l, const largest& r) const
  {
    largest sum = l;
    for (unsigned w = 0; w < 31; ++w) {
      sum.words[w] += r.words[w];
    }
    sum.words[31] *= r.words[31];
    return sum;
  }
};

}  // namespace

TEST_CASE("scan takes values of 128 bytes", "[scan]")
{
  std::mt19937_64 random(3);
  std::vector<largest> values(3000);
  for (largest& value : values) {
    for (std::uint32_t& word : value.words) {
      word = static_cast<std::uint32_t>(random()) | 1;
    }
  }
  check<small_tuning, largest>(exclusive{}, values, add_words{}, values[7]);
  check<void, largest>(inclusive{}, values, add_words{}, no_init{});
}

#if HAS_HALF
namespace {

struct half_sum {
  GIMBAL_HOST_DEVICE __half operator()(const __half& l, const __half& r) const
  {
    return __float2half(__half2float(l) + __half2float(r));
  }
};

}  // namespace

TEST_CASE("scan takes half", "[scan]")
{
  std::vector<__half> values(1500);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = __float2half(static_cast<float>(i % 3) - 1.0f);
  }
  test::device_array<__half> in(values);
  test::device_array<__half> out(values.size());
  scan<small_tuning>(inclusive{}, in.data(), out.data(), values.size(), half_sum{}, __float2half(2.0f));
  const std::vector<__half> got = out.to_host();
  float running = 2.0f;  // every sum is a small integer, hence exact
  for (std::size_t i = 0; i < values.size(); ++i) {
    running += __half2float(values[i]);
    REQUIRE(__half2float(got[i]) == running);
  }
}
#endif

TEST_CASE("scan accumulates in the type the operator returns and converts at the end", "[scan]")
{
  const std::vector<std::uint8_t> values(5000, 255);
  check<small_tuning, std::int32_t>(exclusive{}, values, cuda::std::plus<>{}, 0);
  check<void, std::int64_t>(inclusive{}, values, cuda::std::plus<>{}, std::int64_t{1} << 40);
  check<small_tuning, double>(exclusive{}, values, cuda::std::plus<double>{}, 0.25);
  check<small_tuning, std::int16_t>(exclusive{}, values, cuda::std::plus<>{}, 0);
  check<small_tuning, std::int32_t>(inclusive{}, values, cuda::std::plus<std::uint8_t>{}, no_init{});
  const std::vector<std::uint8_t> few(values.begin(), values.begin() + 2045);
  check<resident_tuning, std::int64_t>(inclusive{}, few, cuda::std::plus<>{}, std::int64_t{1} << 40);
  check<resident_tuning, std::int16_t>(exclusive{}, few, cuda::std::plus<>{}, 0);
  check<resident_tuning, std::int32_t>(inclusive{}, few, cuda::std::plus<std::uint8_t>{}, no_init{});
}

namespace {

struct counted_add {
  int calls = 0;
  GIMBAL_HOST_DEVICE int operator()(int l, int r)
  {
    ++calls;
    return l + r;
  }
};

}  // namespace

TEST_CASE("scan calls operators that are not const", "[scan]")
{
  test::device_array<int> in(std::vector<int>(500, 2));
  test::device_array<int> out(500);
  scan<small_tuning>(exclusive{}, in.data(), out.data(), 500, counted_add{}, 1);
  CHECK(out.to_host()[499] == 999);
  scan<resident_tuning>(exclusive{}, in.data(), out.data(), 499, counted_add{}, 3);
  CHECK(out.to_host()[498] == 999);
}

namespace {

/// Sums modulo 1000 of items and sums of them; says if it is given anything else.
struct add_known {
  unsigned* foreign;
  GIMBAL_DEVICE unsigned operator()(unsigned l, unsigned r) const
  {
    if (l >= 1000 || r >= 1000) {
      *foreign = 1;
    }
    return (l + r) % 1000;
  }
};

}  // namespace

TEST_CASE("scan calls the operator on items alone", "[scan]")
{
  test::device_array<unsigned> foreign(std::vector<unsigned>{0});
  const add_known add{foreign.data()};
  const auto check = [&] {
    for (std::size_t n : {1, 3, 4, 130, 257, 511, 1500}) {
      INFO("n = " << n);
      test::device_array<unsigned> data(std::vector<unsigned>(n, 999));
      scan<resident_tuning>(exclusive{}, data.data(), data.data(), n, add, 5u);
      CHECK(data.to_host()[n - 1] == (5 + 999 * (n - 1)) % 1000);
      scan<small_tuning>(inclusive{}, data.data(), data.data(), n, add, no_init{});
      scan<resident_tuning>(inclusive{}, data.data(), data.data(), n, add, no_init{});
      REQUIRE(foreign.to_host()[0] == 0);
    }
  };
  check();
  if (!test::hunts_races) {
    test::under_schedules(check);  // these poison shared memory
  }
}

TEST_CASE("scan crosses groups and rows of tiles", "[scan]")
{
  for (std::size_t n : {1023, 1024, 1025, 32767, 32769, 66000}) {
    INFO("n = " << n);
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
    check<tiny_tuning, test::matrix>(exclusive{}, values, test::matrix_product{}, test::matrix{1, 2, 3, 4});
  }
}

TEMPLATE_TEST_CASE("scan reads through iterators", "[scan]", small_tuning, resident_tuning)
{
  const std::size_t n = 2045;
  const std::vector<int> values = test::random_values<int>(n, 7);
  const std::vector<int> sums = reference<int>(inclusive{}, values, cuda::std::plus<int>{}, no_init{});
  test::device_array<int> in(values);
  test::device_array<int> out(n);
  const cuda::std::plus<int> plus;

  thrust::counting_iterator<int> count(1);
  scan<TestType>(exclusive{}, count, out.data(), n, plus, 0);
  const std::vector<int> triangles = out.to_host();
  for (int i = 0; i < static_cast<int>(n); ++i) {
    REQUIRE(triangles[i] == i * (i + 1) / 2);
  }

  scan<TestType>(
    inclusive{}, thrust::make_transform_iterator(in.data(), cuda::std::negate<int>{}), out.data(), n, plus, no_init{});
  std::vector<int> wanted = sums;
  for (int& sum : wanted) {
    sum = -sum;
  }
  test::require_equal(out.to_host(), wanted);

  scan<TestType>(inclusive{}, thrust::make_reverse_iterator(in.data() + n), out.data(), n, plus, no_init{});
  const std::vector<int> reversed(values.rbegin(), values.rend());
  test::require_equal(out.to_host(), reference<int>(inclusive{}, reversed, plus, no_init{}));

  std::vector<int> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = static_cast<int>((i * 1000) % n);
  }
  test::device_array<int> indices(order);
  std::vector<int> permuted(n);
  for (std::size_t i = 0; i < n; ++i) {
    permuted[i] = values[order[i]];
  }
  scan<TestType>(
    inclusive{}, thrust::make_permutation_iterator(in.data(), indices.data()), out.data(), n, plus, no_init{});
  test::require_equal(out.to_host(), reference<int>(inclusive{}, permuted, plus, no_init{}));
}

namespace {

using pair = thrust::tuple<int, std::int64_t>;
struct add_pairs {
  GIMBAL_HOST_DEVICE pair operator()(const pair& l, const pair& r) const
  {
    return {thrust::get<0>(l) + thrust::get<0>(r), thrust::get<1>(l) + thrust::get<1>(r)};
  }
};

}  // namespace

TEMPLATE_TEST_CASE("scan writes through iterators", "[scan]", small_tuning, resident_tuning)
{
  const std::size_t n = 2045;
  const std::vector<int> values = test::random_values<int>(n, 8);
  const std::vector<int> sums = reference<int>(exclusive{}, values, cuda::std::plus<int>{}, 9);
  test::device_array<int> in(values);
  test::device_array<int> out(n);
  const cuda::std::plus<int> plus;

  scan<TestType>(exclusive{}, in.data(), thrust::make_reverse_iterator(out.data() + n), n, plus, 9);
  test::require_equal(out.to_host(), std::vector<int>(sums.rbegin(), sums.rend()));

  scan<TestType>(
    exclusive{}, in.data(), thrust::make_transform_output_iterator(out.data(), cuda::std::negate<int>{}), n, plus, 9);
  std::vector<int> wanted = sums;
  for (int& sum : wanted) {
    sum = -sum;
  }
  test::require_equal(out.to_host(), wanted);

  scan<TestType>(exclusive{}, in.data(), thrust::make_discard_iterator(), n, plus, 9);

  test::device_array<std::int64_t> wide_out(n);
  const auto zipped_in =
    thrust::make_zip_iterator(thrust::make_tuple(in.data(), thrust::counting_iterator<std::int64_t>(0)));
  const auto zipped_out = thrust::make_zip_iterator(thrust::make_tuple(out.data(), wide_out.data()));
  scan<TestType>(exclusive{}, zipped_in, zipped_out, n, add_pairs{}, pair(9, 1));
  test::require_equal(out.to_host(), sums);
  CHECK(wide_out.to_host()[n - 1] == 1 + 2043 * 2044 / 2);

  scan<TestType>(inclusive{}, zipped_in, zipped_out, n, add_pairs{}, no_init{});
  test::require_equal(out.to_host(), reference<int>(inclusive{}, values, plus, no_init{}));
}

TEST_CASE("scan is right under every schedule", "[scan]")
{
  const std::vector<test::matrix> values = test::random_values<test::matrix>(2500, 11);
  const std::vector<int> integers = test::random_values<int>(2500, 12);
  const std::vector<test::matrix> few_values(values.begin(), values.begin() + 1700);
  const std::vector<int> few_integers(integers.begin(), integers.begin() + 2039);
  test::under_schedules([&] {
    check<small_tuning, test::matrix>(exclusive{}, values, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    check<tiny_tuning, int>(inclusive{}, integers, cuda::std::plus<int>{}, no_init{});
    check<resident_tuning, test::matrix>(inclusive{}, few_values, test::matrix_product{}, no_init{});
    check<resident_tuning, int>(exclusive{}, few_integers, cuda::std::plus<int>{}, 7, 1);
    test::device_array<int> data(integers);
    scan<small_tuning>(exclusive{}, data.data(), data.data(), integers.size(), cuda::std::plus<int>{}, 4);
    test::require_equal(data.to_host(), reference<int>(exclusive{}, integers, cuda::std::plus<int>{}, 4));
  });
}

TEST_CASE("float scans are the same bits in every run", "[scan]")
{
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(34000);
  for (float& value : values) {
    value = uniform(random);
  }
  test::device_array<float> in(values);
  test::device_array<float> out(values.size());
  const auto sums = [&](auto tuning, std::size_t n) {
    scan<decltype(tuning)>(inclusive{}, in.data(), out.data(), n, cuda::std::plus<float>{}, 0.5f);
    std::vector<float> results = out.to_host();
    results.resize(n);
    return results;
  };
  const std::vector<float> of_rows = sums(tiny_tuning{}, 34000);
  const std::vector<float> of_groups = sums(tiny_tuning{}, 3000);
  const std::vector<float> of_tiles = sums(small_tuning{}, 10000);
  const std::vector<float> of_blocks = sums(resident_tuning{}, 1799);
  for (unsigned resident : {2u, 5u, 16u}) {
#if !GIMBAL_GPU
    INFO("resident blocks: " << resident);
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.resident_blocks = resident;
    gimbal::simt::scoped_executor_options scope(options);
#endif
    test::require_equal(sums(tiny_tuning{}, 34000), of_rows);
    test::under_schedules(
      [&] {
        test::require_equal(sums(tiny_tuning{}, 3000), of_groups);
        test::require_equal(sums(small_tuning{}, 10000), of_tiles);
        if (resident >= 4) {
          test::require_equal(sums(resident_tuning{}, 1799), of_blocks);
        }
      },
      1);
  }
}

TEST_CASE("scan of a single tile is one launch and needs no storage", "[scan]")
{
  test::device_array<int> data(std::vector<int>(192, 1));
  test::device_array<unsigned char> storage(1);
  const auto call = [&](void* memory, std::size_t& bytes, index_type n) {
    return gimbal::algorithm::scan<small_tuning>(
      memory, bytes, inclusive{}, data.data(), data.data(), n, cuda::std::plus<int>{}, no_init{}, 0);
  };
  std::size_t bytes = 0;
  CHECK(call(nullptr, bytes, 192).code == gimbal::simt::success);
  CHECK(bytes == 1);
#ifdef GIMBAL_INSTRUMENT
  using gimbal::simt::instrument::counted;
  using point = gimbal::simt::instrument::point;
  const long launches = counted(point::launch);
  const long fills = counted(point::fill);
#endif
  CHECK(call(storage.data(), bytes, 0).code == gimbal::simt::success);
  CHECK(call(storage.data(), bytes, 192).code == gimbal::simt::success);
  CHECK(gimbal::simt::wait(0, "test").code == gimbal::simt::success);
#ifdef GIMBAL_INSTRUMENT
  CHECK(counted(point::launch) == launches + 1);
  CHECK(counted(point::fill) == fills);
#endif
  CHECK(data.to_host()[191] == 192);
}

TEST_CASE("scan by more blocks than a warp has lanes, and by none where they are too many", "[scan]")
{
  for (const unsigned resident : {80u, 3u, 2u, 1u}) {
#if !GIMBAL_GPU
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.resident_blocks = resident;
    gimbal::simt::scoped_executor_options scope(options);
#endif
    for (std::size_t n : {32 * 33, 32 * 64 - 1, 32 * 80}) {
      INFO("n = " << n << ", blocks at a time " << resident);
      const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
      check<many_blocks, test::matrix>(exclusive{}, values, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    }
  }
  using kernel =
    gimbal::algorithm::resident_scan_kernel_for<many_blocks, inclusive, int*, int*, cuda::std::plus<int>, no_init>;
  CHECK(kernel::most_items == 128 * 80);
  test::device_array<int> data(std::vector<int>(128 * 80 + 1, 1));
  auto plan =
    gimbal::plan_of(gimbal::kernel_row<kernel>(false, {data.data(), data.data(), 128 * 80 + 1, 0, {{}}, {}, {}, 0}));
  std::size_t bytes = 0;
  CHECK(plan.run(nullptr, bytes, nullptr).code == gimbal::simt::success);
  CHECK(bytes == 1);
  CHECK(plan.launch(data.data(), nullptr).code == gimbal::simt::success);
  CHECK(data.to_host() == std::vector<int>(128 * 80 + 1, 1));
}

TEST_CASE("scan of a call that may use the pool takes no storage", "[scan]")
{
  test::device_array<int> data(std::vector<int>(5000, 1));
  const auto scan = [&](gimbal::temporary_storage storage, std::size_t& bytes) {
    return gimbal::algorithm::scan<small_tuning>(
      storage, bytes, inclusive{}, data.data(), data.data(), index_type{5000}, cuda::std::plus<int>{}, no_init{}, 0);
  };
  std::size_t bytes = 0;
  REQUIRE_FALSE(scan(gimbal::temporary_storage::question_beside_pool(), bytes));
  CHECK(bytes == 1);
  REQUIRE_FALSE(scan(gimbal::temporary_storage::beside_pool(nullptr), bytes));
  CHECK(data.to_host()[4999] == 5000);
}

#if GIMBAL_GPU
TEST_CASE("scan goes beyond 2^32 items", "[scan][huge]")
{
  const std::size_t n = (std::size_t{1} << 32) + 12345;
  test::device_array<unsigned char> out(n);
  scan<void>(
    exclusive{}, thrust::constant_iterator<std::uint64_t>(1), out.data(), n, cuda::std::plus<>{}, std::uint64_t{0});
  for (std::size_t position :
       {std::size_t{0}, n / 3, (std::size_t{1} << 31) - 500, (std::size_t{1} << 32) - 500, n - 1000}) {
    std::vector<unsigned char> window(1000);
    test::raw_copy(window.data(), out.data() + position, window.size());
    for (std::size_t i = 0; i < window.size(); ++i) {
      REQUIRE(int{window[i]} == int((position + i) % 256));
    }
  }
}
#endif
