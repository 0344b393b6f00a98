// Tests the scan-vector calls that combine items, against a serial program: scans forwards and backwards with totals,
// reduce, distribute, enumerate and the segmented copy; monoids; what the calls launch, and how they fail.
#include <thrust/iterator/zip_iterator.h>
#include <thrust/system_error.h>

#include <numeric>

#include "scan_vector_support.h"

namespace vector_test {

using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::fail_next;
using gimbal::simt::instrument::point;

template <class T>
struct scanned {
  std::vector<T> exclusive, inclusive, back, inclusive_back, reduced;  // of each item's segment
};

template <class T, class Monoid>
scanned<T> reference(
  const std::vector<T>& x, const std::vector<std::size_t>& head, const std::vector<std::size_t>& end,
  const Monoid& monoid)
{
  const std::size_t n = x.size();
  scanned<T> r{std::vector<T>(n, monoid.identity), x, std::vector<T>(n, monoid.identity), x, x};
  for (std::size_t i = 0; i < n; ++i) {
    r.exclusive[i] = i == head[i] ? monoid.identity : r.inclusive[i - 1];
    r.inclusive[i] = monoid.op(r.exclusive[i], x[i]);
  }
  for (std::size_t i = n; i-- > 0;) {
    r.back[i] = i + 1 == end[i] ? monoid.identity : r.inclusive_back[i + 1];
    r.inclusive_back[i] = monoid.op(r.back[i], x[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    r.reduced[i] = r.inclusive[end[i] - 1];
  }
  return r;
}

/// Plain scans of one vector: with all forms of totals, in place, backwards.
template <class T>
void check_scans(std::size_t n)
{
  INFO("n = " << n);
  const auto monoid = monoid_of<T>();
  const std::vector<T> x = values<T>(n, n + 1);
  const scanned<T> wanted = reference(x, std::vector<std::size_t>(n, 0), std::vector<std::size_t>(n, n), monoid);
  const T sum = n == 0 ? monoid.identity : wanted.inclusive.back();
  const T back_sum = n == 0 ? monoid.identity : wanted.inclusive_back.front();
  array<T> in(x), out(n), total(1);
  T* const first = in.data();
  T* const last = first + n;

  CHECK(v::scan(par, first, last, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), wanted.exclusive);
  CHECK(v::scan(par, first, last, v::with_total(out.data()), monoid) == sum);
  test::require_equal(out.to_host(), wanted.exclusive);
  CHECK(v::scan(par, first, last, v::with_total(out.data(), total.data()), monoid) == out.data() + n);
  CHECK(total.to_host()[0] == sum);
  CHECK(v::inclusive_scan(par, first, last, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), wanted.inclusive);
  CHECK(v::inclusive_scan(par, first, last, v::with_total(out.data()), monoid) == sum);
  test::require_equal(out.to_host(), wanted.inclusive);

  CHECK(v::back_scan(par, first, last, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), wanted.back);
  CHECK(v::back_scan(par, first, last, v::with_total(out.data()), monoid) == back_sum);
  CHECK(v::inclusive_back_scan(par, first, last, v::with_total(out.data(), total.data()), monoid) == out.data() + n);
  CHECK(total.to_host()[0] == back_sum);
  test::require_equal(out.to_host(), wanted.inclusive_back);
  v::inclusive_back_scan(par, first, last, out.data(), monoid);
  test::require_equal(out.to_host(), wanted.inclusive_back);

  CHECK(v::reduce(par, first, last, monoid) == sum);
  v::reduce(gimbal::par_nosync, first, last, total.data(), monoid);
  CHECK(total.to_host()[0] == sum);
  CHECK(v::distribute(par, first, last, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), std::vector<T>(n, sum));

  array<T> inside(x);  // in place
  CHECK(v::scan(par, inside.data(), inside.data() + n, v::with_total(inside.data()), monoid) == sum);
  test::require_equal(inside.to_host(), wanted.exclusive);
  array<T> backwards(x);
  v::back_scan(par, backwards.data(), backwards.data() + n, backwards.data(), monoid);
  test::require_equal(backwards.to_host(), wanted.back);
  array<T> distributed(x);
  v::distribute(par, distributed.data(), distributed.data() + n, distributed.data(), monoid);
  test::require_equal(distributed.to_host(), std::vector<T>(n, sum));
}

/// The same of segments, whose totals are numbered by flags or by offsets.
template <class T, class Heads>
void check_segmented_scans(Heads heads, const segments& made, bool by_offsets)
{
  const std::size_t n = made.flags.size();
  const auto monoid = monoid_of<T>();
  const std::vector<T> x = values<T>(n, n + 7);
  const scanned<T> wanted = reference(x, made.head, made.end, monoid);
  const auto& numbers = by_offsets ? made.by_offsets : made.by_flags;
  std::vector<T> sums(by_offsets ? made.offsets.size() : made.flagged, monoid.identity);
  for (std::size_t i = 0; i < n; ++i) {
    if (numbers[i] >= 0) {
      sums[static_cast<std::size_t>(numbers[i])] = wanted.reduced[i];
    }
  }
  array<T> in(x), out(n), totals(sums.size());
  T* const first = in.data();
  T* const last = first + n;

  CHECK(v::scan(par, first, last, heads, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), wanted.exclusive);
  v::scan(par, first, last, heads, gimbal::with_totals(out.data(), totals.data()), monoid);
  test::require_equal(out.to_host(), wanted.exclusive);
  test::require_equal(totals.to_host(), sums);
  v::inclusive_scan(par, first, last, heads, out.data(), monoid);
  test::require_equal(out.to_host(), wanted.inclusive);
  array<T> again(sums.size());
  v::inclusive_scan(par, first, last, heads, gimbal::with_totals(out.data(), again.data()), monoid);
  test::require_equal(out.to_host(), wanted.inclusive);
  test::require_equal(again.to_host(), sums);

  CHECK(v::back_scan(par, first, last, heads, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), wanted.back);
  v::inclusive_back_scan(par, first, last, heads, out.data(), monoid);
  test::require_equal(out.to_host(), wanted.inclusive_back);

  array<T> reduced(sums.size());
  v::reduce(par, first, last, heads, reduced.data(), monoid);
  test::require_equal(reduced.to_host(), sums);
  CHECK(v::distribute(par, first, last, heads, out.data(), monoid) == out.data() + n);
  test::require_equal(out.to_host(), wanted.reduced);
  array<T> inside(x);
  v::distribute(par, inside.data(), inside.data() + n, heads, inside.data(), monoid);
  test::require_equal(inside.to_host(), wanted.reduced);
}

TEMPLATE_TEST_CASE("scans of vectors", "[scan_vector]", unsigned GIMBAL_MORE(float, std::int64_t, record))
{
  for (const std::size_t n : sizes()) {
    check_scans<TestType>(n);
  }
}

TEMPLATE_TEST_CASE("scans of segments", "[scan_vector]", unsigned GIMBAL_MORE(float, std::int64_t, record))
{
  for_segments(sizes(), [](auto heads, const segments& made, bool by_offsets) {
    check_segmented_scans<TestType>(heads, made, by_offsets);
  });
}

TEST_CASE("scans by an operator that does not commute")
{
  for (const std::size_t n : test::all_or_few({0, 1, 33, 2047, 9000, 40000}, {1, 33, 9000})) {
    check_scans<map_type>(n);
  }
  for_segments(
    test::all_or_few({0, 1, 33, 2047, 9000, 40000}, {1, 33, 9000}),
    [](auto heads, const segments& made, bool by_offsets) {
      check_segmented_scans<map_type>(heads, made, by_offsets);
    });
}

TEST_CASE("enumerate, and the copy of segments")
{
  for_segments(sizes(), [](auto heads, const segments& made, bool by_offsets) {
    const std::size_t n = made.flags.size();
    const std::vector<unsigned char> f = random_flags(n, n);
    const std::vector<record> x = values<record>(n, n);
    std::vector<int> all(n), own(n);
    std::vector<record> copied(x);
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      all[i] = count;
      count += f[i] != 0;
      own[i] = i == made.head[i] ? 0 : own[i - 1] + (f[i - 1] != 0);
      copied[i] = x[made.head[i]];
    }
    array<unsigned char> flags(f);
    array<record> in(x), out(n);
    array<int> places(n);
    const auto* const first = flags.data();
    CHECK(v::enumerate(par, first, first + n, places.data()) == places.data() + n);
    test::require_equal(places.to_host(), all);
    CHECK(v::enumerate(par, first, first + n, v::with_total(places.data())) == count);
    test::require_equal(places.to_host(), all);
    CHECK(v::enumerate(par, first, first + n, heads, places.data()) == places.data() + n);
    test::require_equal(places.to_host(), own);
    CHECK(v::copy(par, in.data(), in.data() + n, heads, out.data()) == out.data() + n);
    test::require_equal(out.to_host(), copied);
    if (!by_offsets) {
      v::copy(par, in.data(), in.data() + n, heads, in.data());
      test::require_equal(in.to_host(), copied);
    }
  });
}

TEST_CASE("structures of arrays, field by field")
{
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
    const std::vector<int> x = values<int>(n, 1);
    const std::vector<float> y = values<float>(n, 2);
    array<int> xs(x), sums(n);
    array<float> ys(y), greatest(n);
    const auto in = thrust::make_zip_iterator(xs.data(), ys.data());
    const auto out = thrust::make_zip_iterator(sums.data(), greatest.data());
    const auto monoid = v::fields(v::plus<int>(), v::max<float>());
    const auto both = v::scan(par, in, in + static_cast<std::ptrdiff_t>(n), v::with_total(out), monoid);
    std::vector<int> wanted_sums;
    std::vector<float> wanted_greatest;
    int sum = 0;
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      wanted_sums.push_back(sum);
      wanted_greatest.push_back(most);
      sum += x[i];
      most = std::max(most, y[i]);
    }
    test::require_equal(sums.to_host(), wanted_sums);
    test::require_equal(greatest.to_host(), wanted_greatest);
    CHECK(thrust::get<0>(both) == sum);
    CHECK(thrust::get<1>(both) == most);
  }
}

template <class Monoid, class T>
void check_identity(const Monoid& monoid, const std::vector<T>& items)
{
  for (const T& x : items) {
    CHECK(monoid.op(monoid.identity, x) == x);
    CHECK(monoid.op(x, monoid.identity) == x);
  }
}

TEST_CASE("identities of the named monoids")
{
  const float most = std::numeric_limits<float>::infinity();
  const std::vector<int> ints{0, 1, -7, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
  const std::vector<float> floats{0.f, -1.5f, most, -most};
  check_identity(v::plus<int>(), ints);
  check_identity(v::times<int>(), ints);
  check_identity(v::max<int>(), ints);
  check_identity(v::min<int>(), ints);
  check_identity(v::bit_or<int>(), ints);
  check_identity(v::bit_and<int>(), ints);
  check_identity(v::max<float>(), floats);
  check_identity(v::min<float>(), floats);
  check_identity(v::logical_or(), std::vector<bool>{false, true});
  check_identity(v::logical_and(), std::vector<bool>{false, true});
  check_identity(v::compose<std::uint32_t>(), values<map_type>(3, 3));
  CHECK(v::first<int>().op(3, 4) == 3);
  CHECK(v::last<int>().op(3, 4) == 4);
  const map_type a{3, 4}, b{5, 6};
  CHECK(v::compose<std::uint32_t>().op(a, b)(7) == b(a(7)));
}

TEST_CASE("items are converted to the monoid's type, and last makes a shift")
{
  const std::size_t n = 4000;
  array<unsigned char> in(std::vector<unsigned char>(n, 200));
  array<int> out(n);
  CHECK(v::inclusive_scan(par, in.data(), in.data() + n, v::with_total(out.data()), v::plus<int>()) == 200 * 4000);
  CHECK(v::reduce(par, in.data(), in.data() + n, v::plus<std::int64_t>()) == 200 * 4000);
  CHECK(v::reduce(par, in.data(), in.data() + n, v::make_monoid(v::first<int>().op, -1)) == -1);
  const std::vector<int> x = values<int>(n, 5);
  array<int> numbers(x);
  v::scan(par, numbers.data(), numbers.data() + n, out.data(), v::make_monoid(v::last<int>().op, -1));
  std::vector<int> wanted(x);
  wanted.insert(wanted.begin(), -1);
  wanted.pop_back();
  test::require_equal(out.to_host(), wanted);
}

TEST_CASE("segments under schedules")
{
  const std::size_t n = 9000;
  test::under_schedules(
    [&] {
      for_segments({n}, [](auto heads, const segments& made, bool by_offsets) {
        check_segmented_scans<unsigned>(heads, made, by_offsets);
      });
      check_scans<unsigned>(n);
    },
    1);
}

/// Few items in one block, more in blocks with few tiles each.
struct small_reduction {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned single_items_per_thread = 3;
  static constexpr unsigned mapped_rows = 2;
  static constexpr std::int64_t more_rows_from_items = 5000;
  static constexpr unsigned tile_threads = 64;
  static constexpr unsigned blocks = 40;
  static constexpr unsigned many_blocks = 40;
  static constexpr unsigned ordered_blocks(std::size_t) { return 40; }
  static constexpr unsigned spread_blocks = 3;
  static constexpr unsigned warp_aggregates = 2;
};

using three_bytes = ordered<unsigned char, 3>;
using three_words = ordered<std::uint32_t, 3>;
using three_long = ordered<std::uint64_t, 3>;
using largest = ordered<std::uint32_t, 32>;

/// From the item `from` of an array to that of another, beside which nothing is written.
template <class T>
void check_distribute(std::size_t n, std::size_t from, std::size_t to)
{
  INFO("n = " << n << ", from " << from << " to " << to);
  const std::vector<T> x = values<T>(from + n, n + 3);
  T total = x[from];
  for (std::size_t i = from + 1; i < from + n; ++i) {
    total = combine_ordered{}(total, x[i]);
  }
  const T beside = x[0];
  const std::size_t behind = 20;
  std::vector<T> wanted(to + n + behind, beside);
  std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(to), n, total);
  array<T> in(x), out(std::vector<T>(wanted.size(), beside)), again(std::vector<T>(wanted.size(), beside));
  v::distribute(par, in.data() + from, in.data() + from + n, out.data() + to, v::make_semigroup<T>(combine_ordered{}));
  test::require_equal(out.to_host(), wanted);
  if constexpr (std::is_same_v<T, three_words>) {
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::distribute<small_reduction>(
        storage, bytes, static_cast<const T*>(in.data() + from), again.data() + to, static_cast<index_type>(n),
        combine_ordered{}, nullptr);
    });
    test::require_equal(again.to_host(), wanted);
  }
}

TEMPLATE_TEST_CASE(
  "distribute of values of any size, in order", "[scan_vector]",
  three_words GIMBAL_MORE(three_bytes, three_long, largest))
{
  for (const std::size_t n : test::all_or_few({1, 2, 5, 191, 193, 1000, 9001, 40000}, {1, 5, 193, 9001})) {
    for (const std::size_t shift : {0, 1, 3}) {
      check_distribute<TestType>(n, 0, shift);
      check_distribute<TestType>(n, shift, 0);
    }
  }
}

TEST_CASE("distribute to other outputs than arrays of the values")
{
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{30000}}) {
    INFO("n = " << n);
    const std::vector<int> x = values<int>(n, 1);
    const std::vector<float> y = values<float>(n, 2);
    const int sum = std::accumulate(x.begin(), x.end(), 0);
    const float most = *std::max_element(y.begin(), y.end());
    array<int> xs(x), sums(n);
    array<float> ys(y), greatest(n);
    array<double> converted(n);
    v::distribute(par, xs.data(), xs.data() + n, converted.data(), v::plus<int>());
    test::require_equal(converted.to_host(), std::vector<double>(n, sum));
    const auto in = thrust::make_zip_iterator(xs.data(), ys.data());
    const auto out = thrust::make_zip_iterator(sums.data(), greatest.data());
    const auto monoid = v::fields(v::plus<int>(), v::max<float>());
    v::distribute(par, in, in + static_cast<std::ptrdiff_t>(n), out, monoid);
    test::require_equal(sums.to_host(), std::vector<int>(n, sum));
    test::require_equal(greatest.to_host(), std::vector<float>(n, most));
    v::distribute(par, in, in + static_cast<std::ptrdiff_t>(n), in, monoid);  // in place
    test::require_equal(xs.to_host(), std::vector<int>(n, sum));
    test::require_equal(ys.to_host(), std::vector<float>(n, most));
  }
}

TEST_CASE("distribute has the bits of reduce")
{
  for (const std::size_t n : {std::size_t{100}, std::size_t{50000}}) {
    std::vector<float> x;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(1.f / static_cast<float>(i + 3));
    }
    array<float> in(x), out(n), total(1);
    v::reduce(par, in.data(), in.data() + n, total.data(), v::plus<float>());
    v::distribute(par, in.data(), in.data() + n, out.data(), v::plus<float>());
    test::require_equal(out.to_host(), std::vector<float>(n, total.to_host()[0]));
  }
}

/// How many launches and waits a call takes, the second time.
template <class Call>
std::pair<long, long> cost_of(Call call)
{
  call();
  const long launches = counted(point::launch);
  const long waits = counted(point::wait);
  call();
  return {counted(point::launch) - launches, counted(point::wait) - waits};
}

TEST_CASE("launches and waits are as the header says")
{
  using cost = std::pair<long, long>;
  const std::size_t n = 30000;
  const segments made = random_segments(n, 40, 3, true, false);
  array<unsigned char> flags(made.flags);
  array<std::uint32_t> offsets(made.offsets);
  const gimbal::segment_offsets by_offsets(offsets.data(), offsets.data() + offsets.size());
  array<unsigned char> by_flags(made.flags);
  array<unsigned> in(values<unsigned>(n, 1)), out(n), more(n);
  const unsigned* const x = in.data();
  const unsigned* const end = x + n;
  unsigned* const y = out.data();
  unsigned* const z = more.data();
  const unsigned char* const f = by_flags.data();
  const auto plus = v::plus<unsigned>();

  CHECK(cost_of([&] { v::scan(par, x, end, y, plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::scan(par, x, end, v::with_total(y), plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::scan(gimbal::par_nosync, x, end, v::with_total(y, z), plus); }) == cost(1, 0));
  CHECK(cost_of([&] { v::scan(par, x, end, f, y, plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::back_scan(par, x, end, f, y, plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::reduce(par, x, end, f, y, plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::reduce(par, x, end, by_offsets, y, plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::enumerate(par, f, f + n, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::enumerate(par, f, f + n, f, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::copy(par, x, end, f, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::copy(par, x, end, by_offsets, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::distribute(par, x, end, y, plus); }) == cost(1, 1));
  CHECK(cost_of([&] { v::distribute(par, x, end, f, y, plus); }) == cost(2, 1));
  CHECK(cost_of([&] { v::distribute(par, x, end, by_offsets, y, plus); }) == cost(2, 1));
  CHECK(cost_of([&] { v::split(par, x, end, f, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::split(gimbal::par_nosync, x, end, f, v::with_total(y, z)); }) == cost(1, 0));
  CHECK(cost_of([&] { v::split(par, x, end, f, f, y); }) == cost(2, 1));
  // Two scans; where the first is persistent, head flags are made of the offsets before it.
  using first_scan = gimbal::tuning::persistent_segmented_scan<sizeof(unsigned), false>;
  const long scans = index_type(n) >= first_scan::flags_from_items ? 3 : 2;
  CHECK(cost_of([&] { v::split(par, x, end, f, by_offsets, y); }) == cost(scans, 1));
  CHECK(cost_of([&] { v::split_if(par, x, end, y, v::bit_is_set{2}); }) == cost(1, 1));
  CHECK(cost_of([&] { v::flag_merge(par, f, f + n, x, x, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::pack(par, x, end, f, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::pack(gimbal::par_nosync, x, end, f, v::with_total(y, z)); }) == cost(1, 0));
  CHECK(cost_of([&] { v::select(par, f, f + n, x, x, y); }) == cost(1, 1));
  CHECK(cost_of([&] { v::shift(par, x, end, y, 3, 0u); }) == cost(1, 1));
  CHECK(cost_of([&] { v::shift(par, x, end, f, y, 3, 0u); }) == cost(1, 1));
  CHECK(cost_of([&] { v::shift(par, x, end, by_offsets, y, 3, 0u); }) == cost(1, 1));
  CHECK(cost_of([&] { v::allocate(par, x, end, v::with_total(y)); }) == cost(1, 1));
  CHECK(cost_of([&] { v::expand(par, by_offsets, y, y + n); }) == cost(1, 1));
  CHECK(cost_of([&] { v::scan(par, x, x, f, y, plus); }).first == 0);
}

TEST_CASE("failures name the call, and the next one works")
{
  const std::size_t n = 20000;
  array<unsigned> in(std::vector<unsigned>(n, 1)), out(n);
  array<unsigned char> flags(random_flags(n, 4));
  const auto scan = [&] {
    return v::scan(par, in.data(), in.data() + n, v::with_total(out.data()), v::plus<unsigned>());
  };
  const auto split = [&] { v::split(par, in.data(), in.data() + n, flags.data(), flags.data(), out.data()); };
  scan();
  split();
  fail_next(point::launch);
  CHECK_THROWS_WITH(scan(), Catch::Contains("gimbal scan of 20000 elements of 4 bytes"));
  CHECK(scan() == n);
  for (const long k : {1, 2}) {
    fail_next(point::launch, k);
    CHECK_THROWS_AS(split(), thrust::system_error);
  }
  fail_next(point::allocate);
  CHECK_THROWS_AS(split(), std::bad_alloc);
  split();
  CHECK(scan() == n);
}

}  // namespace vector_test
