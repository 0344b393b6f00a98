// Tests merge sort by ranks with small tiles, so that short inputs take several sweeps, and by comparing all pairs.
// merge_sort.cu has what the table chooses, with keys and values of every type.
#include "merge_sort_reference.h"
#include "simt/simt_support.h"

using namespace merge_sort_reference;

namespace {

/// All pairs, in batches of few keys.
struct small_pairs : by_all_pairs<small_pairs> {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned resident_blocks = 0;
  static constexpr unsigned batch = 2;
};
constexpr std::size_t most_pairs = 32 * 4;  // of as many blocks as run at once where races are hunted

}  // namespace

TEST_CASE("merge sort by all pairs")
{
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33}, std::size_t{64},
        std::size_t{65}, std::size_t{97}, most_pairs - 1, most_pairs}) {
    for (const shape s : every_shape) {
      check_pairs<small_pairs, std::uint32_t>(make_keys<unsigned>(n, s, n), less{});
    }
    check_pairs<small_pairs, test::matrix>(make_keys<test::bytes3>(n, shape::few, n), greater{});
    check_pairs<small_pairs, char>(make_keys<large>(n, shape::few, n), less{});
  }
  for (const std::size_t n : {1, 50, 64, 65, 128}) {
    check_compared_keys<small_pairs>(n, true);
    if (!test::hunts_races) {
      check_compared_keys<small_pairs>(n, false);
    }
  }
  test::under_schedules([&] {
    check_pairs<small_pairs, std::uint32_t>(make_keys<unsigned>(most_pairs - 5, shape::few, 3), less{});
    check_compared_keys<small_pairs>(100, true);
  });
}

TEST_CASE("merge sort by all pairs where not all blocks can be resident")
{
  test::with_few_blocks([] {
    check_pairs<small_pairs, std::uint32_t>(make_keys<unsigned>(most_pairs - 5, shape::few, 3), less{});
    check_pairs<small_pairs, test::matrix>(make_keys<test::bytes3>(70, shape::few, 5), greater{});
    check_pairs<small_pairs, char>(make_keys<large>(40, shape::few, 7), less{});
  });
}

TEST_CASE("merge sort by all pairs: a copy by no ordering holds keys of the input")
{
  const std::vector<unsigned> keys = make_values<unsigned>(100);
  test::device_array<unsigned> in(keys);
  test::device_array<unsigned> out(keys.size());
  const by_table compare{in.data(), 100, in.data(), false};
  if (!test::hunts_races) {  // items that find the same place are both written there
    test::run([&](void* storage, std::size_t& bytes) {
      return merge_sort<small_pairs>(
        storage, bytes, static_cast<const unsigned*>(in.data()), out.data(), no_values{}, no_values{}, index_type{100},
        compare);
    });
    for (const unsigned key : out.to_host()) {
      REQUIRE(key < 100);
    }
  }
}

TEST_CASE("merge sort by ranks of every size")
{
  for (const std::size_t n : test::edge_sizes(64, 17)) {
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(n, shape::few, n), less{});
  }
  for (const std::size_t n : {255, 256, 257, 1023, 1024, 1025, 1100, 3000, 16384, 16385, 20000}) {
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(n, shape::random, n), less{});
  }
  for (const std::size_t n : {65, 1024, 1100}) {
    check_pairs<small_ranks, char>(make_keys<large>(n, shape::few, n), less{});
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
  for (const std::size_t n : {50, 64, 65, 200, 1024, 2000}) {
    check_compared_keys<small_ranks>(n, true);
    if (!test::hunts_races) {  // items that find the same place are both written there, and one of them stays
      check_compared_keys<small_ranks>(n, false);
    }
  }
  test::under_schedules([&] { check_compared_keys<small_ranks>(3 * 64 + 50, true); });  // these poison shared memory
}

TEST_CASE("merge sort by ranks under schedules")
{
  test::under_schedules([&] {
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(60, shape::few, 3), less{});
    check_pairs<small_ranks, std::uint32_t>(make_keys<unsigned>(7 * 64 + 50, shape::few, 3), less{});
  });
}

#ifdef GIMBAL_INSTRUMENT
TEST_CASE("merge sort by ranks: launches")
{
  CHECK(launches_of<small_ranks>(64) == 1);
  CHECK(launches_of<small_ranks>(16 * 64) == 2);
  CHECK(launches_of<small_ranks>(17 * 64) == 3);
}
#endif
