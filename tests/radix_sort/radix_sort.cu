// Tests radix sort against std::stable_sort by an order written down independently of the kernels' own.
#include <thrust/iterator/reverse_iterator.h>

#include <array>
#include <limits>

#include "radix_checks.h"
#include "sort_iterators.h"

/// Copies read what they must not write.
template <class Tuning>
struct driver {
  static constexpr std::size_t values_shift = 0;

  template <class Order, class Key, class ValuesIn, class ValuesOut>
  static void sort(
    Key* keys_in, Key* keys_out, ValuesIn values_in, ValuesOut values_out, std::size_t n, int begin, int end)
  {
    const auto from_to = [=](auto keys, auto values) {
      test::run([=](void* storage, std::size_t& bytes) {
        return algorithm::radix_sort<Tuning>(
          storage, bytes, Order{}, keys, keys_out, values, values_out, static_cast<index_type>(n), begin, end, 0);
      });
    };
    if (keys_in == keys_out) {
      from_to(keys_in, values_in);
    } else if constexpr (std::is_pointer_v<ValuesIn>) {
      from_to(
        static_cast<const Key*>(keys_in), static_cast<std::add_const_t<std::remove_pointer_t<ValuesIn>>*>(values_in));
    } else {
      from_to(keys_in, values_in);
    }
  }
};

namespace {

/// Tiles so small, and launches of so few of them, that short inputs take every path of the passes for any GPU.
struct small_tiles {
  static constexpr unsigned main_threads = 64;
  static constexpr unsigned helper_warps = 1;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned batch = 1;
  static constexpr unsigned contention_divisor = 8;
  static constexpr unsigned look_back_window = 2;
  static constexpr bool has_units = false;
  static constexpr bool ranks_by_atomics = false;
  static constexpr bool has_even_shares = false;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned early_blocks = 0;
  static constexpr index_type most_tiles = 5;
  using histogram = small_tiles;
  static constexpr unsigned histogram_threads = 64;
  static constexpr unsigned histogram_items_per_thread = 2;
  static constexpr unsigned histogram_copies = 2;
  static constexpr unsigned histogram_blocks = 3;
};
constexpr std::size_t small_tile = 128;

/// A number of warps that is no power of two, one tile per launch, and threads that hold three digits of the histogram.
struct odd_tiles : small_tiles {
  static constexpr unsigned main_threads = 96;
  static constexpr unsigned helper_warps = 2;
  static constexpr unsigned items_per_thread = 1;
  static constexpr unsigned look_back_window = 1;
  static constexpr index_type most_tiles = 1;
  using histogram = odd_tiles;
  static constexpr unsigned histogram_threads = 96;
  static constexpr unsigned histogram_copies = 1;
};

/// What a GPU takes for the default tuning that lacks the shared memory for everything else.
template <std::size_t KeyBytes, std::size_t ValueBytes>
using any_gpu = gimbal::tuning::small_radix_engine<KeyBytes, ValueBytes>;

template <std::size_t KeyBytes, class Value>
constexpr bool fits_any_gpu()
{
  using bits = gimbal::simt::unsigned_of_size<KeyBytes>;
  using values = decltype(algorithm::make_sort_array(static_cast<const Value*>(nullptr), static_cast<Value*>(nullptr)));
  using shape = typename any_gpu<KeyBytes, sizeof(Value)>::any_gpu_shape;
  using kernel = algorithm::radix_pass_kernel<
    shape, gimbal::tuning::no_radix_buckets, algorithm::sort_array<const bits*, bits*>, values>;
  return sizeof(typename kernel::shared) <= 48 * 1024 && sizeof(typename kernel::histogram_kernel::shared) <= 48 * 1024;
}
template <class Value>
constexpr bool fit_any_gpu = fits_any_gpu<1, Value>() && fits_any_gpu<2, Value>() && fits_any_gpu<4, Value>()
                             && fits_any_gpu<8, Value>();
static_assert(fit_any_gpu<char> && fit_any_gpu<short> && fit_any_gpu<int>);
static_assert(fit_any_gpu<double> && fit_any_gpu<std::array<char, 11>> && fit_any_gpu<std::array<double, 2>>);

template <class Shape>
struct in_passes : any_gpu<4, 4> {
  using large = Shape;
};
using small = in_passes<small_tiles>;
using odd = in_passes<odd_tiles>;

/// 128 bytes, the largest value.
struct large {
  std::uint32_t word[32];
  large() = delete;
  explicit large(std::uint32_t i)
  {
    for (std::uint32_t w = 0; w < 32; ++w) {
      word[w] = i * 32 + w;
    }
  }
  friend bool operator==(const large& l, const large& r) { return std::memcmp(&l, &r, sizeof(large)) == 0; }
  friend std::ostream& operator<<(std::ostream& out, const large& v) { return out << v.word[0] / 32; }
};

}  // namespace

#if GIMBAL_HAS_HALF && GIMBAL_HAS_BFLOAT16
#define GIMBAL_TEST_HALVES , __half, __nv_bfloat16
#else
#define GIMBAL_TEST_HALVES
#endif

TEMPLATE_TEST_CASE(
  "radix sort orders every key type", "", unsigned,
  double GIMBAL_MORE(
    bool, signed char, unsigned char, char, short, unsigned short, int, long long, unsigned long long, __int128,
    unsigned __int128, float GIMBAL_TEST_HALVES))
{
  for (const std::size_t n : {std::size_t{50}, 3 * small_tile + 7, 12 * small_tile + 1}) {
    for (const shape s : every_shape) {
      check_pairs<small, ascending, TestType, std::uint32_t>(make_keys<TestType>(n, s, n));
    }
  }
}

TEST_CASE("radix sort of every size")
{
  for (const std::size_t n : test::edge_sizes(small_tile, 20)) {
    check_keys<small, ascending, unsigned>(make_keys<unsigned>(n, shape::random, n));
    check_pairs<small, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::few, n));
  }
  for (const std::size_t n : test::edge_sizes(96, 10)) {
    check_pairs<odd, ascending, short, std::uint32_t>(make_keys<short>(n, shape::random, n));
  }
}

TEST_CASE("radix sort with the default tuning")
{
  using tuning = any_gpu<4, 4>::any_gpu_shape;
  const std::size_t one_launch = gimbal::tuning::radix_engine<4, 4>::most_all_pairs_items;
  const std::size_t tile = tuning::main_threads * tuning::items_per_thread;
  for (const std::size_t n : {one_launch, one_launch + 1, 2 * tile, 2 * tile + 1}) {
    check_pairs<void, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::random, n));
    check_pairs<any_gpu<4, 4>, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::random, n));
  }
  check_keys<any_gpu<8, 0>, descending, double>(make_keys<double>(20000, shape::special, 1));
  check_keys<void, descending, double>(make_keys<double>(20000, shape::random, 1));
  check_pairs<void, ascending, unsigned char, std::uint32_t>(make_keys<unsigned char>(20000, shape::random, 2));
}

TEST_CASE("radix sort by a range of bits")
{
  const std::pair<int, int> ranges[] = {{0, 0}, {7, 7}, {0, 1}, {31, 32}, {3, 20}, {8, 16}, {5, 30}, {32, 32}};
  for (const std::size_t n : {std::size_t{40}, 6 * small_tile + 3}) {
    for (const auto& [begin, end] : ranges) {
      check_pairs<small, ascending, unsigned, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), begin, end);
      check_pairs<small, descending, float, std::uint32_t>(make_keys<float>(n, shape::special, n), begin, end);
    }
    check_keys<small, ascending, unsigned long long>(make_keys<unsigned long long>(n, shape::random, n), 1, 64);
    check_keys<small, ascending, unsigned long long>(make_keys<unsigned long long>(n, shape::random, n), 30, 47);
    check_keys<small, ascending, unsigned char>(make_keys<unsigned char>(n, shape::random, n), 2, 7);
  }
}

TEMPLATE_TEST_CASE(
  "radix sort carries values of any type", "", double,
  test::bytes3 GIMBAL_MORE(char, unsigned short, test::matrix, test::tagged, (thrust::tuple<int, double>), large))
{
  for (const std::size_t n : {std::size_t{33}, 5 * small_tile + 9}) {
    check_pairs<small, ascending, unsigned char, TestType>(make_keys<unsigned char>(n, shape::random, n));
  }
}

TEST_CASE("radix sort of large values with the default tuning")
{
  for (const std::size_t n : {std::size_t{300}, std::size_t{9000}}) {
    check_pairs<void, ascending, unsigned short, large>(make_keys<unsigned short>(n, shape::random, n));
  }
}

TEST_CASE("radix sort through iterators")
{
  const std::size_t n = GENERATE(std::size_t{60}, 4 * small_tile + 5);
  INFO("n = " << n);
  const std::vector<unsigned> keys = make_keys<unsigned>(n, shape::few, n);
  const auto sort_by = [n](auto order) {
    return [n, order](auto... arrays) {
      test::run([&](void* storage, std::size_t& bytes) {
        return algorithm::radix_sort<small>(storage, bytes, order, arrays..., static_cast<index_type>(n), 0, 32, 0);
      });
    };
  };
  sort_iterators::check_zipped_values_in_place(keys, std::less<>{}, sort_by(ascending{}));
  sort_iterators::check_computed_keys(keys, std::greater<>{}, sort_by(descending{}));
  sort_iterators::check_reversed_in_place(keys, std::less<>{}, sort_by(ascending{}));
}

TEST_CASE("radix sort under schedules")
{
  const std::vector<unsigned short> keys = make_keys<unsigned short>(7 * small_tile + 50, shape::random, 3);
  const std::vector<unsigned> wide_keys = make_keys<unsigned>(2 * small_tile + 50, shape::few, 3);
  test::under_schedules([&] {
    check_pairs<small, ascending, unsigned short, std::uint32_t>(keys);
    check_pairs<small, descending, unsigned, std::uint32_t>(wide_keys);
  });
}

TEST_CASE("radix sort refuses what it cannot do")
{
  test::device_array<unsigned> data(1000);
  std::size_t bytes = 0;
  const auto sort = [&](void* storage, int begin, int end) {
    return algorithm::radix_sort<small>(
             storage, bytes, ascending{}, data.data(), data.data(), no_values{}, no_values{}, 1000, begin, end, 0)
      .code;
  };
  CHECK(sort(nullptr, -1, 32) == gimbal::simt::error_invalid_value);
  CHECK(sort(nullptr, 9, 8) == gimbal::simt::error_invalid_value);
  CHECK(sort(nullptr, 0, 33) == gimbal::simt::error_invalid_value);
  CHECK(sort(nullptr, 0, 32) == gimbal::simt::success);
  CHECK(bytes > 4000);
  --bytes;
  CHECK(sort(data.data(), 0, 32) == gimbal::simt::error_invalid_value);
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("radix sort of few keys through iterators takes one launch")
{
  namespace instrument = gimbal::simt::instrument;
  const std::vector<unsigned> keys = make_keys<unsigned>(60, shape::few, 1);
  test::device_array<unsigned> data(keys);
  const auto backward = thrust::make_reverse_iterator(data.data() + 60);
  const long launches = instrument::counted(instrument::point::launch);
  test::run([&](void* storage, std::size_t& bytes) {
    return algorithm::radix_sort(
      storage, bytes, ascending{}, backward, backward, no_values{}, no_values{}, 60, 0, 32, 0);
  });
  CHECK(instrument::counted(instrument::point::launch) == launches + 1);
  std::vector<unsigned> wanted = keys;
  std::sort(wanted.rbegin(), wanted.rend());
  test::require_equal(data.to_host(), wanted);
}
#endif
