// Merge sort by ranks with small tiles, so that short inputs take several sweeps. merge_sort.cu has the default tuning,
// with keys and values of every type.
#include "merge_sort_reference.h"
#include "simt_support.h"

using namespace merge_sort_reference;

namespace {

/// Looks its keys up, then orders by them or by no ordering at all.
struct by_table_or_none {
  by_table table;
  bool is_ordering;
  GIMBAL_DEVICE bool operator()(unsigned l, unsigned r) const
  {
    const bool is_less = table(l, r);
    return is_ordering ? is_less : ((l * 2654435761u ^ r * 40503u) >> 7 & 1) != 0;
  }
};

}  // namespace

TEST_CASE("merge sort by ranks of every size")
{
  for (const std::size_t n : test::edge_sizes(64, 17)) {
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  for (const std::size_t n : {255, 256, 257, 1023, 1024, 1025, 1100, 3000, 16384, 16385, 20000}) {
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), less{});
  }
}

TEST_CASE("merge sort by ranks of every shape")
{
  for (const std::size_t n : {std::size_t{100}, std::size_t{1024}, std::size_t{17 * 64 + 40}}) {
    for (const shape s : every_shape) {
      check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(n, s, n), less{});
    }
  }
}

TEST_CASE("merge sort by ranks calls the comparator with keys of the input only")
{
  const auto check = [](std::size_t n, bool is_ordering) {
    INFO("n = " << n);
    const std::vector<unsigned> table = make_keys<unsigned>(n, shape::few, n);
    test::device_array<unsigned> device_table(table);
    test::device_array<unsigned> foreign(std::vector<unsigned>{0});
    test::device_array<unsigned> indices(make_values<unsigned>(n));
    const by_table_or_none compare{{device_table.data(), static_cast<unsigned>(n), foreign.data()}, is_ordering};
    test::run([&](void* storage, std::size_t& bytes) {
      return kernel::merge_sort<small_ranks>(
        storage, bytes, indices.data(), indices.data(), no_values{}, no_values{}, static_cast<index_type>(n), compare,
        0);
    });
    REQUIRE(foreign.to_host()[0] == 0);
    if (is_ordering) {
      test::require_equal(indices.to_host(), sorted_order(table, less{}));
    }
  };
  for (const std::size_t n : {50, 64, 65, 200, 1024, 2000}) {
    check(n, true);
    if (!test::hunts_races) {  // items that find the same place are both written there, and one of them stays
      check(n, false);
    }
  }
  test::under_schedules([&] { check(3 * 64 + 50, true); });  // these poison shared memory
}

TEST_CASE("merge sort by ranks under schedules")
{
  test::under_schedules([&] {
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(60, shape::few, 3), less{});
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(7 * 64 + 50, shape::few, 3), less{});
  });
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("merge sort by ranks: launches and storage")
{
  namespace instrument = gimbal::simt::instrument;
  const auto launches_of = [](std::size_t n, std::size_t most_bytes) {
    test::device_array<unsigned> data(make_keys<unsigned>(n, shape::random, 1));
    const long before = instrument::counted(instrument::point::launch);
    test::run([&](void* storage, std::size_t& bytes) {
      const gimbal::status state = kernel::merge_sort<small_ranks>(
        storage, bytes, data.data(), data.data(), no_values{}, no_values{}, static_cast<index_type>(n), less{}, 0);
      CHECK(bytes <= most_bytes);
      return state;
    });
    return instrument::counted(instrument::point::launch) - before;
  };
  CHECK(launches_of(64, 1) == 1);
  CHECK(launches_of(16 * 64, 4 * 1024 + 512) == 2);
  CHECK(launches_of(17 * 64, 4 * 1088 + 512) == 3);
}
#endif
