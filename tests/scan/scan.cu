// Tests scan at kernel level: sizes, types, operators, iterators, in place, schedules and reproducibility.
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define HAS_HALF 1
#else
#define HAS_HALF 0
#endif
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <cuda/functional>

#include "scan_checks.h"

namespace {

using namespace scans;

/// A block for each tile; `Tuning` void: as the table says.
template <class Tuning>
struct tile_driver {
  template <class Kind, class InputIt, class OutputIt, class Op, class Init>
  static bool scan(Kind kind, InputIt in, OutputIt out, std::size_t n, Op op, Init init)
  {
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::scan_plan<Tuning>(kind, in, out, static_cast<index_type>(n), op, init)
        .run(storage, bytes, 0);
    });
    return true;
  }
};
using small_tuning = test::tiles_of<64, 3>;
using small_tiles = tile_driver<small_tuning>;
using tiny_tiles = tile_driver<test::tiles_of<32, 1>>;  // a row of look-back descriptors covers 32768 items
using default_call = tile_driver<void>;

/// Of the kernel whose blocks run at once: `LaneItems` in each lane, in `Spread` blocks before lanes take more.
template <unsigned Threads, unsigned LaneItems, unsigned Spread, unsigned Most>
struct resident_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned lane_items = LaneItems;
  static constexpr index_type single_rows = 2;
  static constexpr index_type spread_blocks = Spread;
  static constexpr index_type most_blocks = Most;
};
using many_blocks = resident_of<32, 1, 80, 80>;  // of 32 items of 16 bytes, or of 128 of 4

/// All blocks at once.
template <class Tuning>
struct resident_driver {
  template <class Kind, class InputIt, class OutputIt, class Op, class Init>
  static bool scan(Kind, InputIt in, OutputIt out, std::size_t n, Op op, Init init)
  {
    using kernel = gimbal::algorithm::resident_scan_kernel_for<Tuning, Kind, InputIt, OutputIt, Op, Init>;
    REQUIRE(static_cast<index_type>(n) <= kernel::most_items);
    test::run([&](void* storage, std::size_t& bytes) {
      const gimbal::kernel_row<kernel> row(n > 0, {in, out, static_cast<unsigned>(n), 0, {op}, init, {}, 0});
      return gimbal::plan_of(row).run(storage, bytes, nullptr);
    });
    return true;
  }
};
using resident_blocks = resident_driver<resident_of<64, 8, 2, 4>>;

const std::vector<std::size_t> small_sizes = test::edge_sizes(64 * 3);
const std::vector<std::size_t> few_sizes = test::all_or_few({0, 1, 64, 65, 191, 193, 6243}, {65, 193, 2243});
/// Around the edges of vectors, rows, warps and blocks of resident_blocks, with one row and with more.
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
    check_sizes<small_tiles, T>(cuda::std::plus<T>{}, T(3), few_sizes);
  }
  check_sizes<default_call, T>(cuda::std::plus<T>{}, T(3), default_sizes);
  check_sizes<resident_blocks, T>(cuda::std::plus<T>{}, T(3), resident_sizes);
}

TEST_CASE("scan keeps the order of operands", "[scan]")
{
  check_sizes<resident_blocks, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, resident_sizes);
  check_sizes<small_tiles, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, small_sizes);
  check_sizes<default_call, test::matrix>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, default_sizes);
}

TEST_CASE("scan takes types without a default constructor and of odd sizes", "[scan]")
{
  check_sizes<small_tiles, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, few_sizes);
  check_sizes<default_call, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, default_sizes);
  check_sizes<small_tiles, test::bytes3>(test::add{}, test::bytes3{1, 2, 3}, few_sizes);
  check_sizes<small_tiles, test::wide>(test::add{}, test::wide{1, 2}, few_sizes);
  check_sizes<resident_blocks, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, resident_sizes);
  check_sizes<resident_blocks, test::bytes3>(test::add{}, test::bytes3{1, 2, 3}, resident_sizes);
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
  check<small_tiles, largest>(exclusive{}, values, add_words{}, values[7]);
  check<default_call, largest>(inclusive{}, values, add_words{}, no_init{});
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
  small_tiles::scan(inclusive{}, in.data(), out.data(), values.size(), half_sum{}, __float2half(2.0f));
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
  check_accumulators<small_tiles>(5000);
  check_accumulators<resident_blocks>(2045);
  const std::vector<std::uint8_t> values(5000, 255);
  check<default_call, std::int64_t>(inclusive{}, values, cuda::std::plus<>{}, std::int64_t{1} << 40);
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
  small_tiles::scan(exclusive{}, in.data(), out.data(), 500, counted_add{}, 1);
  CHECK(out.to_host()[499] == 999);
  resident_blocks::scan(exclusive{}, in.data(), out.data(), 499, counted_add{}, 3);
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
      resident_blocks::scan(exclusive{}, data.data(), data.data(), n, add, 5u);
      CHECK(data.to_host()[n - 1] == (5 + 999 * (n - 1)) % 1000);
      small_tiles::scan(inclusive{}, data.data(), data.data(), n, add, no_init{});
      resident_blocks::scan(inclusive{}, data.data(), data.data(), n, add, no_init{});
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
    check<tiny_tiles, test::matrix>(exclusive{}, values, test::matrix_product{}, test::matrix{1, 2, 3, 4});
  }
}

TEMPLATE_TEST_CASE("scan through iterators", "[scan]", small_tiles, resident_blocks)
{
  check_iterators<TestType>(2045);
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

TEMPLATE_TEST_CASE("scan of tuples, and of what nobody keeps", "[scan]", small_tiles, resident_blocks)
{
  const std::size_t n = 2045;
  const std::vector<int> values = test::random_values<int>(n, 8);
  const cuda::std::plus<int> plus;
  test::device_array<int> in(values);
  test::device_array<int> out(n);
  test::device_array<std::int64_t> wide_out(n);
  TestType::scan(exclusive{}, in.data(), thrust::make_discard_iterator(), n, plus, 9);

  const auto zipped_in =
    thrust::make_zip_iterator(thrust::make_tuple(in.data(), thrust::counting_iterator<std::int64_t>(0)));
  const auto zipped_out = thrust::make_zip_iterator(thrust::make_tuple(out.data(), wide_out.data()));
  TestType::scan(exclusive{}, zipped_in, zipped_out, n, add_pairs{}, pair(9, 1));
  test::require_equal(out.to_host(), reference<int>(exclusive{}, values, plus, 9));
  CHECK(wide_out.to_host()[n - 1] == 1 + 2043 * 2044 / 2);

  TestType::scan(inclusive{}, zipped_in, zipped_out, n, add_pairs{}, no_init{});
  test::require_equal(out.to_host(), reference<int>(inclusive{}, values, plus, no_init{}));
}

TEST_CASE("scan is right under every schedule", "[scan]")
{
  const std::vector<test::matrix> values = test::random_values<test::matrix>(2500, 11);
  const std::vector<int> integers = test::random_values<int>(2500, 12);
  const std::vector<test::matrix> few_values(values.begin(), values.begin() + 1700);
  const std::vector<int> few_integers(integers.begin(), integers.begin() + 2039);
  test::under_schedules([&] {
    check<small_tiles, test::matrix>(exclusive{}, values, test::matrix_product{}, test::matrix{1, 2, 3, 4});
    check<tiny_tiles, int>(inclusive{}, integers, cuda::std::plus<int>{}, no_init{});
    check<resident_blocks, test::matrix>(inclusive{}, few_values, test::matrix_product{}, no_init{});
    check<resident_blocks, int>(exclusive{}, few_integers, cuda::std::plus<int>{}, 7, 1, 1);
    check_in_place<small_tiles>(integers, cuda::std::plus<int>{}, 4, 0);
  });
}

TEST_CASE("float scans are the same bits in every run", "[scan]")
{
  const std::vector<float> of_rows = sums_of_fractions<tiny_tiles>(34000);
  const std::vector<float> of_groups = sums_of_fractions<tiny_tiles>(3000);
  const std::vector<float> of_tiles = sums_of_fractions<small_tiles>(10000);
  const std::vector<float> of_blocks = sums_of_fractions<resident_blocks>(1799);
  for (unsigned resident : {2u, 5u, 16u}) {
#if !GIMBAL_GPU
    INFO("resident blocks: " << resident);
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.resident_blocks = resident;
    gimbal::simt::scoped_executor_options scope(options);
#endif
    test::require_equal(sums_of_fractions<tiny_tiles>(34000), of_rows);
    test::under_schedules(
      [&] {
        test::require_equal(sums_of_fractions<tiny_tiles>(3000), of_groups);
        test::require_equal(sums_of_fractions<small_tiles>(10000), of_tiles);
        if (resident >= 4) {
          test::require_equal(sums_of_fractions<resident_blocks>(1799), of_blocks);
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
    return gimbal::algorithm::scan_plan<small_tuning>(
             inclusive{}, data.data(), data.data(), n, cuda::std::plus<int>{}, no_init{})
      .run(memory, bytes, 0);
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
      check<resident_driver<many_blocks>, test::matrix>(
        exclusive{}, values, test::matrix_product{}, test::matrix{1, 2, 3, 4});
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
    return gimbal::algorithm::scan_plan<small_tuning>(
             inclusive{}, data.data(), data.data(), index_type{5000}, cuda::std::plus<int>{}, no_init{})
      .run(storage, bytes, 0);
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
  default_call::scan(
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
