// Tests segmented scan at kernel level and under a policy: heads from keys, flags and offsets, totals, aliasing,
// schedules.
#include <gimbal/policy.h>
#include <gimbal/segmented_scan.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <cuda/functional>

#include "segments_checks.h"

namespace {

using gimbal::no_totals;
using namespace segments_checks;

using small_tuning = test::tiles_of<64, 3>;
using tiny_tuning = test::tiles_of<32, 1>;  // a row of look-back descriptors covers 32768 items

template <class Tuning, class Kind, class Heads, class InputIt, class OutputIt, class Op, class Init, class TotalIt>
void scan(Kind kind, Heads heads, InputIt in, OutputIt out, std::size_t n, Op op, Init init, TotalIt totals)
{
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_scan_plan<Tuning>(
             kind, heads, in, out, static_cast<index_type>(n), op, init, totals)
      .run(storage, bytes, 0);
  });
}

/// Totals by offset: what `of_flags` says of segments that have items, `empty` for the others.
template <class T>
std::vector<T> totals_by_offset(const segments& made, const std::vector<T>& of_flags, T empty)
{
  std::vector<T> totals;
  const std::size_t n = made.flags.size();
  std::size_t next = n > 0 && !made.flags[0] ? 1 : 0;  // a leading segment has no offset
  for (std::size_t s = 0; s < made.offsets.size(); ++s) {
    const std::size_t end = s + 1 < made.offsets.size() ? made.offsets[s + 1] : n;
    totals.push_back(made.offsets[s] < end ? of_flags[next++] : empty);
  }
  return totals;
}

/// Each form is a kernel of its own. The host executor runs all of them with every type; the GPU, for which they take
/// minutes to compile, with int, and a third of them with other types.
template <class T>
inline constexpr bool takes_all_forms = !GIMBAL_GPU || std::is_same_v<T, int>;

/// One form over all descriptions of the same segments, with and without totals where they can have them.
template <class Tuning, class Kind, class T, class Op, class Init>
void check(Kind kind, const segments& made, const std::vector<T>& values, Op op, Init init, T untouched)
{
  constexpr bool has_init = !std::is_same_v<Init, no_init>;
  const std::size_t n = values.size();
  const scanned<T> wanted = reference(kind, made.flags, values, op, init);
  test::device_array<T> in(values, 1);
  test::device_array<T> out(n);
  test::device_array<unsigned char> flags(made.flags);
  test::device_array<int> keys(made.keys<int>());
  test::device_array<std::uint32_t> offsets(made.offsets);
  const auto heads = by_offsets(offsets.data(), made.offsets.size());
  {
    INFO("flags");
    if constexpr (takes_all_forms<T>) {
      scan<Tuning>(kind, by_flags(flags.data()), in.data(), out.data(), n, op, init, no_totals{});
      test::require_equal(out.to_host(), wanted.out);
    }
    test::device_array<T> totals(wanted.totals.size());
    scan<Tuning>(kind, by_flags(flags.data()), in.data(), out.data(), n, op, init, totals.data());
    test::require_equal(out.to_host(), wanted.out);
    test::require_equal(totals.to_host(), wanted.totals);
  }
  {
    INFO("keys");
    scan<Tuning>(kind, by_keys(keys.data()), in.data(), out.data(), n, op, init, no_totals{});
    test::require_equal(out.to_host(), wanted.out);
    if constexpr (takes_all_forms<T>) {
      scan<Tuning>(
        kind, by_keys(thrust::make_reverse_iterator(thrust::make_reverse_iterator(keys.data()))), in.data(), out.data(),
        n, op, init, no_totals{});
      test::require_equal(out.to_host(), wanted.out);
    }
  }
  {
    INFO("offsets");
    if constexpr (takes_all_forms<T>) {
      scan<Tuning>(kind, heads, in.data(), out.data(), n, op, init, no_totals{});
      test::require_equal(out.to_host(), wanted.out);
    }
    test::device_array<T> totals(std::vector<T>(made.offsets.size(), untouched));
    scan<Tuning>(kind, heads, in.data(), out.data(), n, op, init, totals.data());
    test::require_equal(out.to_host(), wanted.out);
    if constexpr (has_init) {
      test::require_equal(totals.to_host(), totals_by_offset<T>(made, wanted.totals, init));
    } else {
      test::require_equal(totals.to_host(), totals_by_offset(made, wanted.totals, untouched));
    }
  }
}

template <class Tuning, class T, class Op>
void check_forms(const segments& made, const std::vector<T>& values, Op op, T init)
{
  const T untouched = test::random_values<T>(1, 99)[0];
  check<Tuning>(inclusive{}, made, values, op, no_init{}, untouched);
  if constexpr (takes_all_forms<T>) {
    check<Tuning>(inclusive{}, made, values, op, init, untouched);
  }
  check<Tuning>(exclusive{}, made, values, op, init, untouched);
}

template <class Tuning, class T, class Op>
void check_sizes(Op op, T init, const std::vector<std::size_t>& sizes)
{
  for (std::size_t n : sizes) {
    for (std::size_t length : {std::size_t{10}, n + 1}) {
      INFO("n = " << n << ", segments of about " << length);
      check_forms<Tuning>(random_segments(n, length, n, n % 2), test::random_values<T>(n, n + 1), op, init);
    }
  }
}

const std::vector<std::size_t> edge_sizes = test::all_or_few(
  {0, 1, 2, 31, 32, 33, 63, 64, 65, 128, 191, 192, 193, 383, 384, 385, 6143, 6144, 6145, 6200}, {33, 193, 6145});
const std::vector<std::size_t> few_sizes = test::all_or_few({0, 1, 64, 65, 191, 193, 6243}, {65, 193, 2243});
const std::vector<std::size_t> default_sizes = test::all_or_few({0, 1, 33, 3840, 3841, 9001}, {33, 3841});

}  // namespace

TEMPLATE_TEST_CASE(
  "segmented scan adds every type", "[segmented_scan]",
  std::int8_t GIMBAL_MORE(std::uint16_t, std::int32_t, std::uint64_t, float))
{
  using T = TestType;
  check_sizes<small_tuning, T>(cuda::std::plus<T>{}, T(3), few_sizes);
}

TEST_CASE("segmented scan keeps the order of operands", "[segmented_scan]")
{
  check_sizes<small_tuning>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, edge_sizes);
  check_sizes<void>(test::matrix_product{}, test::matrix{1, 2, 3, 4}, default_sizes);
}

TEST_CASE("segmented scan takes types without a default constructor and of odd sizes", "[segmented_scan]")
{
  check_sizes<small_tuning>(test::add_keep_left{}, test::tagged{5, -1}, few_sizes);
  check_sizes<small_tuning>(test::add{}, test::bytes3{1, 2, 3}, few_sizes);
  check_sizes<small_tuning>(test::add{}, test::wide{1, 2}, few_sizes);
}

// As many as the kernel takes that makes head flags of offsets; from an array, and through an iterator.
TEST_CASE("segmented scan by many offsets", "[segmented_scan]")
{
  const std::size_t n = (GIMBAL_GPU ? std::size_t{1} << 19 : std::size_t{1} << 14) + 777;
  for (const std::size_t length : {1, 2, 9}) {
    INFO("segments of about " << length);
    const segments made = random_segments(n, length, n);
    const std::vector<int> values = test::random_values<int>(n, n);
    const std::vector<int> wanted = reference(exclusive{}, made.flags, values, cuda::std::plus<int>{}, 7).out;
    test::device_array<int> in(values);
    test::device_array<int> out(n);
    test::device_array<std::uint32_t> offsets(made.offsets, 1);
    const auto check_from = [&](auto first) {
      scan<void>(
        exclusive{}, by_offsets(first, made.offsets.size()), in.data(), out.data(), n, cuda::std::plus<int>{}, 7,
        no_totals{});
      test::require_equal(out.to_host(), wanted);
    };
    check_from(offsets.data());
    check_from(thrust::make_reverse_iterator(thrust::make_reverse_iterator(offsets.data())));
  }
}

TEST_CASE("segmented scan crosses groups and rows of tiles", "[segmented_scan]")
{
  for (std::size_t n : {1025, 33000}) {
    for (std::size_t length : test::all_or_few({10, 100000}, {10})) {
      INFO("n = " << n << ", segments of about " << length);
      const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
      check<tiny_tuning>(
        exclusive{}, random_segments(n, length, n), values, test::matrix_product{}, test::matrix{1, 2, 3, 4},
        values[0]);
    }
  }
}

TEST_CASE("segmented scan takes many empty segments", "[segmented_scan]")
{
  const std::size_t n = 1000;
  std::vector<std::uint32_t> starts(3000, 0);  // before, between and after the items
  starts.insert(starts.end(), 3000, 500);
  starts.insert(starts.end(), 3000, 1000);
  test::device_array<std::uint32_t> offsets(starts);
  test::device_array<int> data(std::vector<int>(n, 1));
  for (std::size_t items : {n, std::size_t{0}}) {  // without items every segment is empty
    INFO("n = " << items);
    if (items == 0) {
      std::fill(starts.begin(), starts.end(), 0u);
    }
    test::device_array<std::uint32_t> used(starts);
    test::device_array<int> totals(std::vector<int>(9000, -1));
    scan<small_tuning>(
      inclusive{}, by_offsets(used.data(), 9000), thrust::constant_iterator<int>(1), data.data(), items,
      cuda::std::plus<int>{}, 7, totals.data());
    std::vector<int> wanted(9000, 7);
    if (items > 0) {
      wanted[2999] = wanted[5999] = 507;
    }
    test::require_equal(totals.to_host(), wanted);
  }
  // No init: nothing to write for empty segments; no segments: all items are one.
  test::device_array<int> totals(std::vector<int>(9000, -1));
  scan<small_tuning>(
    inclusive{}, by_offsets(offsets.data(), 9000), data.data(), data.data(), 0, cuda::std::plus<int>{}, no_init{},
    totals.data());
  CHECK(totals.to_host() == std::vector<int>(9000, -1));
  scan<small_tuning>(
    inclusive{}, by_offsets(offsets.data(), 0), thrust::constant_iterator<int>(1), data.data(), n,
    cuda::std::plus<int>{}, no_init{}, totals.data());
  CHECK(data.to_host()[n - 1] == int(n));
  CHECK(totals.to_host() == std::vector<int>(9000, -1));
}

TEST_CASE("segmented scan may overwrite its values, keys or flags", "[segmented_scan]")
{
  const std::size_t n = 5000;
  const segments made = random_segments(n, 30, 1);
  const std::vector<int> values = test::random_values<int>(n, 2);
  const cuda::std::plus<int> plus;
  const std::vector<int> wanted = reference(exclusive{}, made.flags, values, plus, 3).out;
  const std::vector<int> flags_as_int(made.flags.begin(), made.flags.end());
  test::under_schedules([&] {
    test::device_array<int> in(values);
    test::device_array<int> keys(made.keys<int>());
    test::device_array<int> flags(flags_as_int);
    scan<small_tuning>(exclusive{}, by_keys(keys.data()), in.data(), keys.data(), n, plus, 3, no_totals{});
    test::require_equal(keys.to_host(), wanted);
    scan<small_tuning>(exclusive{}, by_flags(flags.data()), in.data(), flags.data(), n, plus, 3, no_totals{});
    test::require_equal(flags.to_host(), wanted);
    test::device_array<int> again(made.keys<int>());
    scan<small_tuning>(exclusive{}, by_keys(again.data()), in.data(), in.data(), n, plus, 3, no_totals{});
    test::require_equal(in.to_host(), wanted);
    test::device_array<int> same(made.keys<int>());  // keys, values and results in one place
    scan<small_tuning>(exclusive{}, by_keys(same.data()), same.data(), same.data(), n, plus, 3, no_totals{});
    test::require_equal(same.to_host(), reference(exclusive{}, made.flags, made.keys<int>(), plus, 3).out);
  });
}

namespace {

/// Neither symmetric nor const: a segment ends where a key falls by more than a step.
struct not_fallen {
  GIMBAL_HOST_DEVICE bool operator()(int previous, int key) { return key + step >= previous; }
  int step = 1;
};

struct is_multiple {
  int of;
  GIMBAL_HOST_DEVICE bool operator()(std::int64_t i) const { return i % of == 0; }
};

struct times_seven {
  GIMBAL_HOST_DEVICE std::int64_t operator()(int i) const { return 7 * i; }
};

struct convertible {
  int number;
  GIMBAL_HOST_DEVICE operator bool() const { return number != 0; }
};

}  // namespace

TEST_CASE("segmented scan takes any equality, flag and offset type, and iterators", "[segmented_scan]")
{
  const std::size_t n = 2000;
  const std::vector<int> values = test::random_values<int>(n, 2);
  const cuda::std::plus<int> plus;
  test::device_array<int> in(values);
  test::device_array<int> out(n);

  std::vector<int> keys(n);
  std::vector<unsigned char> flags(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(i * 7 % 50);
    flags[i] = i > 0 && keys[i] + 1 < keys[i - 1];
  }
  test::device_array<int> keys_in(keys);
  scan<small_tuning>(
    inclusive{}, by_keys(keys_in.data(), not_fallen{}), in.data(), out.data(), n, plus, no_init{}, no_totals{});
  test::require_equal(out.to_host(), reference(inclusive{}, flags, values, plus, no_init{}).out);

  for (std::size_t i = 0; i < n; ++i) {
    flags[i] = i % 7 == 0;
  }
  const std::vector<int> sevens = reference(inclusive{}, flags, values, plus, no_init{}).out;
  const thrust::counting_iterator<int> count(0);
  scan<small_tuning>(
    inclusive{}, by_flags(thrust::make_transform_iterator(count, is_multiple{7})), in.data(), out.data(), n, plus,
    no_init{}, no_totals{});
  test::require_equal(out.to_host(), sevens);

  std::vector<convertible> structs(n);
  for (std::size_t i = 0; i < n; ++i) {
    structs[i].number = i % 7 == 0 ? 1 << 20 : 0;
  }
  test::device_array<convertible> struct_flags(structs);
  scan<small_tuning>(
    inclusive{}, by_flags(struct_flags.data()), in.data(), thrust::make_reverse_iterator(out.data() + n), n, plus,
    no_init{}, thrust::make_discard_iterator());
  test::require_equal(out.to_host(), std::vector<int>(sevens.rbegin(), sevens.rend()));

  scan<small_tuning>(
    inclusive{}, by_offsets(thrust::make_transform_iterator(count, times_seven{}), n / 7 + 1), in.data(), out.data(), n,
    plus, no_init{}, no_totals{});
  test::require_equal(out.to_host(), sevens);
}

TEST_CASE("segmented scan is right under every schedule", "[segmented_scan]")
{
  const segments made = random_segments(1500, 40, 3, true);
  const std::vector<test::matrix> values = test::random_values<test::matrix>(1500, 4);
  test::under_schedules([&] {
    check<small_tuning>(exclusive{}, made, values, test::matrix_product{}, test::matrix{1, 2, 3, 4}, values[0]);
    check<tiny_tuning>(inclusive{}, made, values, test::matrix_product{}, no_init{}, values[0]);
  });
}

TEST_CASE("segmented float scans are the same bits in every run", "[segmented_scan]")
{
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(3000);
  for (float& value : values) {
    value = uniform(random);
  }
  const segments made = random_segments(values.size(), 700, 6);
  test::device_array<float> in(values);
  test::device_array<float> out(values.size());
  test::device_array<int> keys(made.keys<int>());
  const auto sums = [&] {
    scan<tiny_tuning>(
      inclusive{}, by_keys(keys.data()), in.data(), out.data(), values.size(), cuda::std::plus<float>{}, 0.5f,
      no_totals{});
    return out.to_host();
  };
  const std::vector<float> first = sums();
  test::under_schedules([&] { test::require_equal(sums(), first); });
}

TEST_CASE("segmented scan of a single tile is one launch", "[segmented_scan]")
{
#ifdef GIMBAL_INSTRUMENT
  test::device_array<int> keys(std::vector<int>(192, 1));
  test::device_array<std::uint32_t> offsets(std::vector<std::uint32_t>(5, 0));
  test::device_array<int> out(192);
  using gimbal::simt::instrument::counted;
  using point = gimbal::simt::instrument::point;
  const long launches = counted(point::launch);
  const long fills = counted(point::fill);
  const cuda::std::plus<int> plus;
  scan<small_tuning>(inclusive{}, by_keys(keys.data()), keys.data(), keys.data(), 192, plus, no_init{}, no_totals{});
  scan<small_tuning>(
    inclusive{}, by_offsets(offsets.data(), 5), keys.data(), out.data(), 192, plus, no_init{}, no_totals{});
  CHECK(counted(point::launch) == launches + 2);
  CHECK(counted(point::fill) == fills);
#endif
}

namespace {

struct bitwise_first {
  GIMBAL_HOST_DEVICE int operator()(int l, int) const { return l; }
};

}  // namespace

TEST_CASE("segmented scan under a policy", "[segmented_scan]")
{
  const std::size_t n = 10000;
  const segments made = random_segments(n, 50, 9, true);
  const std::vector<int> values = test::random_values<int>(n, 10);
  const thrust::device_vector<int> in(values.begin(), values.end());
  const thrust::device_vector<unsigned char> flags(made.flags.begin(), made.flags.end());
  const thrust::device_vector<std::uint32_t> starts(made.offsets.begin(), made.offsets.end());
  thrust::device_vector<int> out(n);
  const auto got = [](const thrust::device_vector<int>& v) {
    std::vector<int> host(v.size());
    thrust::copy(v.begin(), v.end(), host.begin());
    return host;
  };
  const cuda::std::plus<int> plus;
  const cuda::maximum<int> maximum;

  SECTION("arities")
  {
    const auto first = in.begin();
    const auto last = in.end();
    CHECK(gimbal::inclusive_segmented_scan(gimbal::par, first, last, flags.begin(), out.begin()) == out.end());
    test::require_equal(got(out), reference(inclusive{}, made.flags, values, plus, no_init{}).out);
    gimbal::inclusive_segmented_scan(gimbal::par, first, last, flags.begin(), out.begin(), maximum);
    test::require_equal(got(out), reference(inclusive{}, made.flags, values, maximum, no_init{}).out);
    gimbal::inclusive_segmented_scan(gimbal::par, first, last, flags.begin(), out.begin(), 5, bitwise_first{});
    test::require_equal(got(out), std::vector<int>(n, 5));
    CHECK(gimbal::exclusive_segmented_scan(gimbal::par, first, last, flags.begin(), out.begin()) == out.end());
    test::require_equal(got(out), reference(exclusive{}, made.flags, values, plus, 0).out);
    gimbal::exclusive_segmented_scan(gimbal::par, first, last, flags.begin(), out.begin(), 7);
    test::require_equal(got(out), reference(exclusive{}, made.flags, values, plus, 7).out);
    gimbal::exclusive_segmented_scan(gimbal::par, first, last, flags.begin(), out.begin(), -1, maximum);
    test::require_equal(got(out), reference(exclusive{}, made.flags, values, maximum, -1).out);
  }
  SECTION("offsets and totals")
  {
    const scanned<int> wanted = reference(exclusive{}, made.flags, values, plus, 7);
    thrust::device_vector<int> totals(starts.size(), -5);
    const auto heads = gimbal::segment_offsets(starts.begin(), starts.end());
    gimbal::exclusive_segmented_scan(
      gimbal::par, in.begin(), in.end(), heads, gimbal::with_totals(out.begin(), totals.begin()), 7);
    test::require_equal(got(out), wanted.out);
    test::require_equal(got(totals), totals_by_offset(made, wanted.totals, 7));

    thrust::device_vector<int> all(wanted.totals.size());
    out.assign(in.begin(), in.end());
    gimbal::exclusive_segmented_scan(
      gimbal::par_nosync, out.begin(), out.end(), flags.begin(), gimbal::with_totals(out.begin(), all.begin()), 7);
    CHECK(gimbal::simt::wait(0, "test").code == gimbal::simt::success);
    test::require_equal(got(out), wanted.out);
    test::require_equal(got(all), wanted.totals);
  }
  SECTION("no items")
  {
    CHECK(
      gimbal::inclusive_segmented_scan(gimbal::par, in.begin(), in.begin(), flags.begin(), out.begin()) == out.begin());
  }
}

#if GIMBAL_GPU
TEST_CASE("segmented scan goes beyond 2^32 items", "[segmented_scan][huge]")
{
  const std::size_t n = (std::size_t{1} << 32) + 12345;
  const std::size_t length = 1000;
  test::device_array<std::uint16_t> out(n);
  const thrust::counting_iterator<std::int64_t> count(0);
  test::device_array<std::uint16_t> totals(n / length + 1);
  scan<void>(
    exclusive{}, by_flags(thrust::make_transform_iterator(count, is_multiple{1000})),
    thrust::constant_iterator<std::uint16_t>(1), out.data(), n, cuda::std::plus<std::uint16_t>{}, std::uint16_t{0},
    totals.data());
  for (std::size_t position : {std::size_t{0}, n / 3, (std::size_t{1} << 32) - 500, n - 1000}) {
    std::vector<std::uint16_t> window(1000);
    test::raw_copy(window.data(), out.data() + position, window.size() * 2);
    for (std::size_t i = 0; i < window.size(); ++i) {
      REQUIRE(window[i] == (position + i) % length);
    }
  }
  std::vector<std::uint16_t> all = totals.to_host();
  CHECK(all.back() == n % length);
  all.pop_back();
  CHECK(std::count(all.begin(), all.end(), 1000) == static_cast<std::ptrdiff_t>(all.size()));
}
#endif
