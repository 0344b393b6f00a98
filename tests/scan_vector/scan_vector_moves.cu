// Tests the scan-vector calls that move items, against a serial program: map, copy, permute, back_permute, select,
// shift, split, unsplit, flag_merge, pack, allocate, expand and head_flags.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/zip_function.h>

#include <gimbal/algorithm/scan/expand.cuh>
#include <numeric>

#include "scan_vector_support.h"

namespace vector_test {

struct twice {
  GIMBAL_HOST_DEVICE std::int64_t operator()(unsigned x) const { return 2 * std::int64_t{x}; }
};
struct linear {
  GIMBAL_HOST_DEVICE unsigned operator()(unsigned x, unsigned y) const { return 3 * x + y; }
  GIMBAL_HOST_DEVICE unsigned operator()(unsigned x, unsigned y, unsigned z) const { return 3 * x + y * z; }
};
struct is_large {
  GIMBAL_HOST_DEVICE bool operator()(unsigned x) const { return x >= 60; }
};
struct mix {
  GIMBAL_HOST_DEVICE unsigned operator()(index_type segment, index_type place) const
  {
    return static_cast<unsigned>(7 * segment + place * place);
  }
};

TEST_CASE("map, copy of a value, select, shift")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const std::vector<unsigned> x = values<unsigned>(n, 1), y = values<unsigned>(n, 2), z = values<unsigned>(n, 3);
    const std::vector<unsigned char> f = random_flags(n, 4);
    array<unsigned> xs(x), ys(y), zs(z), out(n);
    array<std::int64_t> wide(n);
    array<unsigned char> flags(f);
    std::vector<std::int64_t> doubled;
    std::vector<unsigned> two, three, chosen;
    for (std::size_t i = 0; i < n; ++i) {
      doubled.push_back(2 * std::int64_t{x[i]});
      two.push_back(3 * x[i] + y[i]);
      three.push_back(3 * x[i] + y[i] * z[i]);
      chosen.push_back(f[i] ? x[i] : y[i]);
    }
    const unsigned* const first = xs.data();
    CHECK(v::map(par, first, first + n, wide.data(), twice{}) == wide.data() + n);
    test::require_equal(wide.to_host(), doubled);
    v::map(par, first, first + n, ys.data(), out.data(), linear{});
    test::require_equal(out.to_host(), two);
    v::map(par, first, first + n, ys.data(), zs.data(), out.data(), linear{});
    test::require_equal(out.to_host(), three);
    const auto pairs = thrust::make_zip_iterator(first, static_cast<const unsigned*>(ys.data()));
    v::map(par, pairs, pairs + static_cast<std::ptrdiff_t>(n), out.data(), thrust::make_zip_function(linear{}));
    test::require_equal(out.to_host(), two);
    v::map(par, first, first + n, thrust::discard_iterator<>{}, twice{});

    CHECK(v::select(par, flags.data(), flags.data() + n, first, ys.data(), out.data()) == out.data() + n);
    test::require_equal(out.to_host(), chosen);
    CHECK(v::copy(par, out.data(), out.data() + n, 5u) == out.data() + n);
    test::require_equal(out.to_host(), std::vector<unsigned>(n, 5));

    for (const index_type distance : {0, 1, -1, 40, -40, 1000000, -1000000}) {
      std::vector<unsigned> shifted;
      for (std::size_t i = 0; i < n; ++i) {
        const index_type from = static_cast<index_type>(i) - distance;
        const bool exists = 0 <= from && from < static_cast<index_type>(n);
        shifted.push_back(exists ? x[static_cast<std::size_t>(from)] : 9);
      }
      CHECK(v::shift(par, first, first + n, out.data(), distance, 9u) == out.data() + n);
      test::require_equal(out.to_host(), shifted);
    }

    v::map(par, first, first + n, ys.data(), xs.data(), linear{});  // in place
    test::require_equal(xs.to_host(), two);
  }
}

TEST_CASE("permute and back_permute are each other's inverse")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    const std::vector<record> x = values<record>(n, 1);
    std::vector<record> scattered(x);
    for (std::size_t i = 0; i < n; ++i) {
      scattered[static_cast<std::size_t>(order[i])] = x[i];
    }
    array<record> in(x), out(n), back(n);
    array<int> indices(order);
    CHECK(v::permute(par, in.data(), in.data() + n, indices.data(), out.data()) == out.data() + n);
    test::require_equal(out.to_host(), scattered);
    CHECK(v::back_permute(par, indices.data(), indices.data() + n, out.data(), back.data()) == back.data() + n);
    test::require_equal(back.to_host(), x);
  }
}

TEST_CASE("permute, back_permute and shift within segments")
{
  for_segments(sizes(), [](auto heads, const segments& made, bool) {
    const std::size_t n = made.flags.size();
    std::vector<int> order(n);
    for (std::size_t i = 0; i < n; ++i) {
      order[i] = static_cast<int>(i - made.head[i]);
    }
    for (std::size_t i = 0; i < n; i = made.end[i]) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(i);
      std::shuffle(first, order.begin() + static_cast<std::ptrdiff_t>(made.end[i]), std::mt19937(1));
    }
    const std::vector<record> x = values<record>(n, 1);
    std::vector<record> scattered(x);
    for (std::size_t i = 0; i < n; ++i) {
      scattered[made.head[i] + static_cast<std::size_t>(order[i])] = x[i];
    }
    array<record> in(x), out(n), back(n);
    array<int> indices(order);
    CHECK(v::permute(par, in.data(), in.data() + n, indices.data(), heads, out.data()) == out.data() + n);
    test::require_equal(out.to_host(), scattered);
    CHECK(v::back_permute(par, indices.data(), indices.data() + n, out.data(), heads, back.data()) == back.data() + n);
    test::require_equal(back.to_host(), x);

    for (const index_type distance : {1, 30, -1, -30, -1000000}) {
      std::vector<record> shifted;
      for (std::size_t i = 0; i < n; ++i) {
        const index_type from = static_cast<index_type>(i) - distance;
        const bool exists =
          static_cast<index_type>(made.head[i]) <= from && from < static_cast<index_type>(made.end[i]);
        shifted.push_back(exists ? x[static_cast<std::size_t>(from)] : record{1, 2, 3});
      }
      CHECK(v::shift(par, in.data(), in.data() + n, heads, out.data(), distance, record{1, 2, 3}) == out.data() + n);
      test::require_equal(out.to_host(), shifted);
    }
  });
}

template <class T>
std::vector<T> split_of(
  const std::vector<T>& x, const std::vector<unsigned char>& f, std::size_t first, std::size_t last)
{
  std::vector<T> result;
  for (const bool flag : {false, true}) {
    for (std::size_t i = first; i < last; ++i) {
      if ((f[i] != 0) == flag) {
        result.push_back(x[i]);
      }
    }
  }
  return result;
}

TEMPLATE_TEST_CASE("split, flag_merge and pack", "[scan_vector]", unsigned GIMBAL_MORE(float, std::int64_t, record))
{
  for (const std::size_t n : sizes()) {
    for (const unsigned of : {1u, 2u, 1000u}) {
      INFO("n = " << n << ", one of " << of);
      const std::vector<TestType> x = values<TestType>(n, n);
      const std::vector<unsigned char> f = random_flags(n, n + of, of);
      const std::vector<TestType> wanted = split_of(x, f, 0, n);
      const auto falses = static_cast<std::size_t>(std::count(f.begin(), f.end(), 0));
      array<TestType> in(x), out(n), merged(n), packed(n - falses);
      array<unsigned char> flags(f);
      array<index_type> count(1);
      CHECK(v::split(par, in.data(), in.data() + n, flags.data(), out.data()) == out.data() + falses);
      test::require_equal(out.to_host(), wanted);
      v::flag_merge(par, flags.data(), flags.data() + n, out.data(), out.data() + falses, merged.data());
      test::require_equal(merged.to_host(), x);
      v::split(par, in.data(), in.data() + n, flags.data(), v::with_total(merged.data(), count.data()));
      test::require_equal(merged.to_host(), wanted);
      CHECK(count.to_host()[0] == static_cast<index_type>(falses));

      CHECK(v::pack(par, in.data(), in.data() + n, flags.data(), packed.data()) == packed.data() + packed.size());
      const std::vector<TestType> kept(wanted.begin() + static_cast<std::ptrdiff_t>(falses), wanted.end());
      test::require_equal(packed.to_host(), kept);
      array<TestType> again(kept.size());
      v::pack(par, in.data(), in.data() + n, flags.data(), v::with_total(again.data(), count.data()));
      test::require_equal(again.to_host(), kept);
      CHECK(count.to_host()[0] == static_cast<index_type>(kept.size()));
    }
  }
}

/// Few tiles of few items in few shares, and more items in two launches.
struct small_split {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned shares = 3;
  static constexpr unsigned share_tiles = 2;
  static constexpr std::int64_t most_items = 1100;
};

template <class T>
void check_small_split(std::size_t n, unsigned of)
{
  INFO("n = " << n << ", one of " << of);
  using selector = gimbal::algorithm::select_if_stencil<const unsigned char*, gimbal::functor::clear_as<bool>>;
  const std::vector<T> x = values<T>(n, n);
  const std::vector<unsigned char> f = random_flags(n, n + of, of);
  array<T> in(x), out(n);
  array<unsigned char> flags(f);
  array<index_type> count(1);
  const unsigned char* const flag = flags.data();
  const auto counted = thrust::make_transform_iterator(flag, gimbal::functor::clear_as<index_type>{});
  const long before = gimbal::simt::instrument::counted(gimbal::simt::instrument::point::launch);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::split<small_split>(
      storage, bytes, static_cast<const T*>(in.data()), out.data(), static_cast<index_type>(n), counted,
      selector{flag, {}}, count.data(), nullptr);
  });
  const long launches = gimbal::simt::instrument::counted(gimbal::simt::instrument::point::launch) - before;
  CHECK(launches == (n <= 1100 ? 1 : 2));
  test::require_equal(out.to_host(), split_of(x, f, 0, n));
  CHECK(count.to_host()[0] == static_cast<index_type>(std::count(f.begin(), f.end(), 0)));
}

using three_bytes = ordered<unsigned char, 3>;
using three_long = ordered<std::uint64_t, 3>;
using largest = ordered<std::uint32_t, 32>;

TEMPLATE_TEST_CASE(
  "split of few and of many tiles", "[scan_vector]", unsigned GIMBAL_MORE(three_bytes, record, three_long, largest))
{
  for (const std::size_t n : {0, 1, 191, 192, 193, 384, 385, 577, 960, 1100, 1101, 3000}) {
    for (const unsigned of : {1u, 2u, 1000u}) {
      check_small_split<TestType>(n, of);
    }
  }
  const std::size_t n = 5000;
  const std::vector<TestType> x = values<TestType>(n, n);
  const std::vector<unsigned char> f = random_flags(n, 7);
  array<TestType> in(x), out(n);
  array<unsigned char> flags(f);
  v::split(par, in.data(), in.data() + n, flags.data(), out.data());
  test::require_equal(out.to_host(), split_of(x, f, 0, n));
}

TEST_CASE("split_if asks the items")
{
  for (const std::size_t n : sizes()) {
    INFO("n = " << n);
    const std::vector<unsigned> x = values<unsigned>(n, n);
    array<unsigned> in(x), out(n);
    std::vector<unsigned> wanted(x);
    const auto middle = std::stable_partition(wanted.begin(), wanted.end(), [](unsigned u) { return u < 60; });
    CHECK(v::split_if(par, in.data(), in.data() + n, out.data(), is_large{}) == out.data() + (middle - wanted.begin()));
    test::require_equal(out.to_host(), wanted);
    for (const unsigned bit : {0u, 5u, 31u}) {
      wanted = x;
      std::stable_partition(wanted.begin(), wanted.end(), [=](unsigned u) { return (u >> bit & 1) == 0; });
      v::split_if(par, in.data(), in.data() + n, out.data(), v::bit_is_set{bit});
      test::require_equal(out.to_host(), wanted);
    }
  }
}

template <class T, class Heads>
void check_segmented_split(Heads heads, const segments& made, bool by_offsets)
{
  const std::size_t n = made.flags.size();
  const std::vector<T> x = values<T>(n, n);
  const std::vector<unsigned char> f = random_flags(n, n + 5, 3);
  const auto& numbers = by_offsets ? made.by_offsets : made.by_flags;
  std::vector<T> wanted, kept;
  std::vector<int> lengths(by_offsets ? made.offsets.size() : made.flagged, 0);
  for (std::size_t i = 0; i < n; i = made.end[i]) {
    const std::vector<T> part = split_of(x, f, i, made.end[i]);
    wanted.insert(wanted.end(), part.begin(), part.end());
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (f[i]) {
      kept.push_back(x[i]);
      if (numbers[i] >= 0) {
        ++lengths[static_cast<std::size_t>(numbers[i])];
      }
    }
  }
  array<T> in(x), out(n), back(n), packed(kept.size());
  array<unsigned char> flags(f);
  array<int> counts(lengths.size());
  CHECK(v::split(par, in.data(), in.data() + n, flags.data(), heads, out.data()) == out.data() + n);
  test::require_equal(out.to_host(), wanted);
  CHECK(v::unsplit(par, flags.data(), flags.data() + n, heads, out.data(), back.data()) == back.data() + n);
  test::require_equal(back.to_host(), x);
  CHECK(
    v::pack(par, in.data(), in.data() + n, flags.data(), heads, packed.data(), counts.data())
    == packed.data() + kept.size());
  test::require_equal(packed.to_host(), kept);
  test::require_equal(counts.to_host(), lengths);
}

TEMPLATE_TEST_CASE("split and pack of segments", "[scan_vector]", unsigned GIMBAL_MORE(float, std::int64_t, record))
{
  for_segments(sizes(), [](auto heads, const segments& made, bool by_offsets) {
    check_segmented_split<TestType>(heads, made, by_offsets);
  });
}

/// With the counts of more items than there are here.
TEST_CASE("split of segments counts in 64 bits, too")
{
  for_segments(sizes(), [](auto heads, const segments& made, bool) {
    const std::size_t n = made.flags.size();
    const std::vector<int> x = values<int>(n, n);
    const std::vector<unsigned char> f = random_flags(n, n + 5, 3);
    array<int> in(x), out(n), wanted(n);
    array<unsigned char> flags(f);
    v::split(par, in.data(), in.data() + n, flags.data(), heads, wanted.data());
    const auto split = [&](gimbal::temporary_storage storage, std::size_t& bytes) {
      return gimbal::algorithm::segmented_split<index_type>(
        storage, bytes, gimbal::adaptor::heads_of(heads),
        gimbal::adaptor::heads_of(v::detail::heads_from_end(heads, static_cast<index_type>(n))),
        static_cast<const unsigned char*>(flags.data()), static_cast<index_type>(n),
        gimbal::functor::split_move<const int*, int*, false>{in.data(), out.data()}, nullptr);
    };
    std::size_t bytes = 0;
    REQUIRE_FALSE(split(gimbal::temporary_storage::question_beside_pool(), bytes));
    array<unsigned char> storage(bytes);
    REQUIRE_FALSE(split(gimbal::temporary_storage::beside_pool(storage.data()), bytes));
    REQUIRE_FALSE(gimbal::simt::wait(nullptr, "test"));
    test::require_equal(out.to_host(), wanted.to_host());
  });
}

TEST_CASE("structures of arrays are moved whole")
{
  const std::size_t n = 5000;
  const std::vector<int> x = values<int>(n, 1);
  const std::vector<double> y = values<double>(n, 2);
  const std::vector<unsigned char> f = random_flags(n, 3);
  array<int> xs(x), xs_out(n);
  array<double> ys(y), ys_out(n);
  array<unsigned char> flags(f);
  const auto in = thrust::make_zip_iterator(xs.data(), ys.data());
  const auto out = thrust::make_zip_iterator(xs_out.data(), ys_out.data());
  v::split(par, in, in + static_cast<std::ptrdiff_t>(n), flags.data(), out);
  test::require_equal(xs_out.to_host(), split_of(x, f, 0, n));
  test::require_equal(ys_out.to_host(), split_of(y, f, 0, n));
  std::vector<int> reversed(n);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  array<int> indices(reversed);
  v::permute(par, in, in + static_cast<std::ptrdiff_t>(n), indices.data(), out);
  test::require_equal(ys_out.to_host(), std::vector<double>(y.rbegin(), y.rend()));
}

TEST_CASE("allocate, expand and head_flags")
{
  for (const std::size_t segment_count : test::all_or_few({0, 1, 2, 33, 1000, 6000}, {1, 33, 1000})) {
    for (const unsigned longest : {1u, 2u, 60u}) {
      INFO("segments: " << segment_count << ", longest: " << longest);
      std::mt19937 random(longest);
      std::vector<int> lengths(segment_count);
      std::vector<int> wanted_offsets, segment, flag;
      std::vector<unsigned> made;
      for (std::size_t s = 0; s < segment_count; ++s) {
        lengths[s] = static_cast<int>(random() % (longest + 1));
        wanted_offsets.push_back(static_cast<int>(segment.size()));
        for (int i = 0; i < lengths[s]; ++i) {
          segment.push_back(static_cast<int>(s));
          flag.push_back(i == 0);
          made.push_back(mix{}(static_cast<index_type>(s), i));
        }
      }
      const std::size_t n = segment.size();
      array<int> in(lengths), offsets(segment_count), out(n), total(1);
      array<unsigned> mixed(n);
      const int places = v::allocate(par, in.data(), in.data() + segment_count, v::with_total(offsets.data()));
      CHECK(places == static_cast<int>(n));
      test::require_equal(offsets.to_host(), wanted_offsets);
      v::allocate(par, in.data(), in.data() + segment_count, v::with_total(in.data(), total.data()));  // in place
      test::require_equal(in.to_host(), wanted_offsets);
      CHECK(total.to_host()[0] == places);
      const gimbal::segment_offsets heads(offsets.data(), offsets.data() + segment_count);
      CHECK(v::expand(par, heads, out.data(), out.data() + n) == out.data() + n);
      test::require_equal(out.to_host(), segment);
      CHECK(v::head_flags(par, heads, out.data(), out.data() + n) == out.data() + n);
      test::require_equal(out.to_host(), flag);
      v::expand(par, heads, mixed.data(), mixed.data() + n, mix{});
      test::require_equal(mixed.to_host(), made);
    }
  }
}

TEST_CASE("expand before the first offset, and of few segments for many places")
{
  for (const std::size_t n : sizes()) {
    for (const std::size_t length : {std::size_t{3}, std::size_t{9000}}) {
      const segments made = random_segments(n, length, n + 1, true, true);
      INFO("n = " << n << ", length = " << length);
      array<std::uint32_t> offsets(made.offsets);
      array<index_type> out(n);
      v::expand(
        par, gimbal::segment_offsets(offsets.data(), offsets.data() + offsets.size()), out.data(), out.data() + n);
      test::require_equal(out.to_host(), made.by_offsets);
      const std::uint32_t* none = nullptr;
      v::expand(par, gimbal::segment_offsets(none, none), out.data(), out.data() + n);
      test::require_equal(out.to_host(), std::vector<index_type>(n, -1));
    }
  }
}

TEST_CASE("shifts by any distance")
{
  const std::size_t n = 100;
  array<int> in(std::vector<int>(n, 1)), out(n);
  array<unsigned char> flags(random_flags(n, 1, 10));
  using limits = std::numeric_limits<index_type>;
  for (const index_type distance : {limits::min(), limits::min() + 1, limits::max()}) {
    v::shift(par, in.data(), in.data() + n, out.data(), distance, 3);
    test::require_equal(out.to_host(), std::vector<int>(n, 3));
    v::shift(par, in.data(), in.data() + n, flags.data(), out.data(), distance, 4);
    test::require_equal(out.to_host(), std::vector<int>(n, 4));
  }
}

using small_tuning = test::tiles_of<64, 3>;

TEST_CASE("expand in small tiles under schedules")
{
  const segments made = random_segments(5000, 20, 3, true, true);
  array<std::uint32_t> offsets(made.offsets);
  const auto into = [](index_type* places) {
    return gimbal::functor::make_from_place<gimbal::functor::segment_of_place, index_type*>{{}, places};
  };
  test::under_schedules([&] {
    array<index_type> out(5000);
    auto plan = gimbal::algorithm::expand_plan<small_tuning>(
      offsets.data(), static_cast<index_type>(offsets.size()), 5000, into(out.data()));
    const gimbal::status ran = plan.launch(gimbal::temporary_storage::beside_pool(nullptr), nullptr);
    REQUIRE(ran.code == gimbal::simt::success);
    REQUIRE(gimbal::simt::wait(0, "test").code == gimbal::simt::success);
    test::require_equal(out.to_host(), made.by_offsets);
  });
}

TEST_CASE("the split of segments under schedules")
{
  test::under_schedules(
    [] {
      for_segments({9000}, [](auto heads, const segments& made, bool by_offsets) {
        check_segmented_split<unsigned>(heads, made, by_offsets);
      });
    },
    1);
}

}  // namespace vector_test
