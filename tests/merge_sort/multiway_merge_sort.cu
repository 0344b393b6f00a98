// Tests merge sort in few sweeps: the split of several runs by itself, then whole sorts with small tiles, so that short
// inputs take many sweeps. merge_sort.cu has the default tuning, with keys and values of every type.
#include "merge_sort_reference.h"
#include "simt/simt_support.h"
#include "split_all_kernel.h"

using namespace merge_sort_reference;

namespace {

using four_ways = small_multiway<4, 64, 3>;
using sixteen_ways = small_multiway<16, 64, 3>;  // the last 7 threads of 64 for pairs of pieces
using two_ways = small_multiway<2, 96, 2>;
using one_warp = small_multiway<4, 32, 1>;  // searches both ends of a tile

template <unsigned Runs>
void check_splits(const std::vector<std::size_t>& counts, unsigned distinct, unsigned unit_bits = 30)
{
  std::vector<unsigned> keys;
  std::vector<index_type> edge{0};
  for (const std::size_t count : counts) {
    std::vector<unsigned> run = make_keys<unsigned>(count, shape::random, keys.size() + distinct);
    for (unsigned& key : run) {
      key %= distinct;
    }
    std::sort(run.begin(), run.end());
    keys.insert(keys.end(), run.begin(), run.end());
    edge.push_back(static_cast<index_type>(keys.size()));
  }
  std::vector<index_type> wanted(Runs, 0);
  for (const std::uint32_t next : sorted_order(keys, less{})) {
    wanted.insert(wanted.end(), wanted.end() - Runs, wanted.end());
    unsigned run = 0;
    while (edge[run + 1] <= static_cast<index_type>(next)) {
      ++run;
    }
    ++*(wanted.end() - Runs + run);
  }
  test::device_array<unsigned> device_keys(keys);
  test::device_array<index_type> device_edge(edge);
  test::device_array<index_type> split(wanted.size());
  const test::split_all_kernel<Runs> kernel{device_keys.data(), device_edge.data(), split.data(), unit_bits};
  test::launch(kernel, kernel.blocks(keys.size()));
  test::require_equal(split.to_host(), wanted);
}

}  // namespace

TEST_CASE("split of sorted runs at every place of their merge")
{
  for (const unsigned distinct : {1u, 2u, 50u, 1u << 30}) {
    INFO(distinct << " different keys");
    check_splits<2>({100, 133}, distinct);
    check_splits<4>({90, 90, 90, 90}, distinct);
    check_splits<4>({0, 7, 300, 1}, distinct);
    check_splits<4>({400, 0, 0, 0}, distinct);
    check_splits<4>({1, 0, 1, 200}, distinct);
    check_splits<8>({30, 31, 0, 200, 5, 32, 1, 77}, distinct);
    check_splits<16>({30, 31, 0, 200, 5, 32, 1, 77, 0, 0, 8, 9, 10, 11, 0, 3}, distinct);
    check_splits<16>({0, 0, 0, 0, 0, 0, 400, 0, 0, 0, 0, 0, 0, 0, 0, 1}, distinct);
  }
}

TEST_CASE("split of more items than are counted one by one")
{
  constexpr unsigned unit_bits = 7;  // 128 units in place of 2^30
  for (const unsigned distinct :
       test::hunts_races ? std::vector<unsigned>{50} : std::vector<unsigned>{1, 2, 50, 1u << 30}) {
    INFO(distinct << " different keys");
    check_splits<2>({1700, 900}, distinct, unit_bits);
    check_splits<4>({0, 1500, 7, 1501}, distinct, unit_bits);
    check_splits<16>({300, 31, 0, 200, 5, 32, 1, 77, 0, 0, 800, 9, 10, 11, 0, 333}, distinct, unit_bits);
  }
}

TEST_CASE("multiway merge sort of every size")
{
  for (const std::size_t n : test::edge_sizes(63 * 3, 20)) {
    check_pairs<four_ways, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  for (const std::size_t n :
       {150, 151, 6 * 189 + 1, 6 * 189 + 17, 6 * 189 + 18, 755, 756, 757, 945, 946, 3023, 3024, 3025, 4 * 3024 - 1,
        4 * 3024 + 1}) {
    check_pairs<four_ways, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), less{});
  }
  for (const std::size_t n : test::edge_sizes(96 * 2, 9)) {
    check_pairs<two_ways, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  for (const std::size_t n : {150, 151, 171, 172, 513, 2736, 2737, 9000}) {  // 57 times 3 a tile
    check_pairs<sixteen_ways, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  for (const std::size_t n : test::edge_sizes(31, 18)) {
    check_pairs<one_warp, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
}

TEST_CASE("multiway merge sort of keys that are too small for asynchronous copies")
{
  for (const std::size_t n : test::all_or_few({150, 151, 757, 3025, 9001}, {757})) {
    check_pairs<four_ways, std::uint8_t>(make_keys<unsigned short>(n, shape::random, n), less{});
    check_pairs<sixteen_ways, std::uint32_t>(make_keys<unsigned char>(n, shape::random, n), less{});
  }
}

TEST_CASE("multiway merge sort of every shape")
{
  for (const std::size_t n : test::all_or_few({100, 4 * 189, 17 * 189 + 40}, {7 * 189 + 40})) {
    for (const shape s : every_shape) {
      check_pairs<four_ways, std::uint32_t>(make_keys<unsigned>(n, s, n), less{});
      check_pairs<one_warp, std::uint32_t>(make_keys<unsigned>(n, s, n), less{});
      check_pairs<sixteen_ways, std::uint32_t>(make_keys<unsigned>(n, s, n), less{});
    }
  }
}

TEST_CASE("multiway merge sort calls the comparator with keys of the input only")
{
  for (const std::size_t n : test::edge_sizes(63 * 3, 9)) {
    check_compared_keys<four_ways>(n);
  }
  test::under_schedules([&] { check_compared_keys<four_ways>(3 * 189 + 50); });  // these poison shared memory
}

TEST_CASE("multiway merge sort under schedules")
{
  test::under_schedules([&] {
    check_pairs<four_ways, std::uint32_t>(make_keys<unsigned>(4 * 189 - 9, shape::few, 3), less{});
    check_pairs<four_ways, std::uint32_t>(make_keys<unsigned>(7 * 189 + 50, shape::few, 3), less{});
    check_pairs<two_ways, std::uint32_t>(make_keys<unsigned>(5 * 192 + 50, shape::random, 3), less{});
    check_pairs<sixteen_ways, std::uint32_t>(make_keys<unsigned>(9 * 171 + 50, shape::random, 3), less{});
  });
}

namespace {

/// No ordering at all. What comes out is anybody's guess, but it has to come, and from the input's memory alone.
struct disorder {
  GIMBAL_HOST_DEVICE bool operator()(unsigned l, unsigned r) const { return (l * 2654435761u ^ r * 40503u) >> 7 & 1; }
};

struct small_in_pairs : in_pairs<small_in_pairs> {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};

}  // namespace

TEST_CASE("merge sort by what is no ordering ends and stays within its arrays")
{
  for (const std::size_t n : {std::size_t{700}, std::size_t{20 * 189 + 5}}) {
    test::device_array<unsigned> keys(make_keys<unsigned>(n, shape::random, n));
    test::device_array<std::uint32_t> values(make_values<std::uint32_t>(n));
    const auto sort = [&](auto tuning) {
      test::run([&](void* storage, std::size_t& bytes) {
        return merge_sort<decltype(tuning)>(
          storage, bytes, keys.data(), keys.data(), values.data(), values.data(), static_cast<index_type>(n),
          disorder{});
      });
    };
    sort(four_ways{});
    sort(sixteen_ways{});
    sort(small_in_pairs{});
  }
}

TEST_CASE("merge sorts take the fewest sweeps")
{
  for (const unsigned most_levels : {1, 2, 4}) {
    for (const index_type runs : {1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1000000}) {
      INFO(runs << " runs, " << most_levels << " levels a sweep");
      const algorithm::merge_sweeps sweeps(runs, most_levels);
      unsigned levels = 0;
      for (unsigned sweep = 0; sweep < sweeps.count; ++sweep) {
        CHECK(sweeps.levels_of(sweep) >= 1);
        CHECK(sweeps.levels_of(sweep) <= most_levels);
        levels += sweeps.levels_of(sweep);
      }
      CHECK(index_type{1} << levels >= runs);
      CHECK(index_type{1} << levels < 2 * runs);
      CHECK((sweeps.count == 0 || index_type{1} << (sweeps.count - 1) * most_levels < runs));
    }
  }
}

#if GIMBAL_GPU
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct chosen : gimbal::tuning::multiway_merge_sort<KeyBytes, ValueBytes>, in_few_sweeps<chosen<KeyBytes, ValueBytes>> {
};

/// On the host executor merge_sort.cu does this: there every long sort takes it.
TEST_CASE("multiway merge sort with its default tuning")
{
  for (const std::size_t n : {1000, 4096, 4097, 70000, 600000, 3000000}) {
    check_pairs<chosen<4, 4>, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), less{});
  }
  check_pairs<chosen<4, 4>, std::uint32_t>(make_keys<unsigned>(3000000, shape::few, 1), less{});
  check_pairs<chosen<16, 8>, double>(make_keys<test::wide>(1000000, shape::random, 2), less{});
  check_pairs<chosen<128, 4>, std::uint32_t>(  // more than 48 KB of shared memory
    make_keys<large>(100000, shape::few, 3), less{});
}
#endif

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("multiway merge sort: launches")
{
  CHECK(launches_of<four_ways>(189) == 1);
  CHECK(launches_of<four_ways>(4 * 189) == 3);
  CHECK(launches_of<four_ways>(5 * 189) == 5);
  CHECK(launches_of<four_ways>(16 * 189) == 5);
}
#endif
