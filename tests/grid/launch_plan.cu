// Tests plans of rows: the first row that takes a call launches it, storage is that of any row that fits, and a query
// that the device fails to answer is the call's failure.
#include <gimbal/grid/launch_plan.h>

#include "support.h"

using namespace gimbal;

namespace {

/// Writes its number, by as many blocks and with as many words as it is told.
struct numbered_kernel {
  static constexpr const char* step = "numbered kernel";
  static constexpr const char* clearing = "clearing of the words of a numbered kernel";
  static constexpr unsigned block_threads = 32;
  struct shared {};

  int* out;
  int number;
  index_type words;
  std::uint64_t* taken = nullptr;

  index_type blocks() const { return 1; }
  index_type words_needed() const { return words; }
  void take(const launch_words& held) { taken = held.words(); }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    if (ctx.thread() == 0) {
      *out = taken == nullptr ? number : -number;
    }
  }
};
using numbered_row = kernel_row<numbered_kernel>;

/// Asks the device in vain, or has an array; never takes a call by itself.
struct failing_row : no_row {
  failing_row() : no_row{true} {}
  std::size_t room(status& state)
  {
    state = simt::failure(simt::error_invalid_value, "question");
    return 0;
  }
};
struct array_row : no_row {
  array_row() : no_row{true} {}
  std::size_t array_bytes() { return 1000; }
};

/// Takes every call unless it expects a small team; counts how often it is to have its kernels loaded, which may fail.
struct asking_row : no_row {
  asking_row() : no_row{true} {}
  bool takes(launch_words& words, status&) { return !words.expects_small_team(); }
};
struct counting_row : no_row {
  counting_row(bool fits_here, int* to, bool has_failed = false) : no_row{fits_here}, loads(to), fails(has_failed) {}
  int* loads;
  bool fails;
  bool takes(launch_words&, status&) { return true; }
  status load()
  {
    ++*loads;
    return fails ? simt::failure(simt::error_invalid_value, "loading") : status{};
  }
};

/// Has an array beside its words, and finds both apart.
struct array_and_words_row : numbered_row {
  static constexpr std::size_t own_bytes = 1000;

  using numbered_row::numbered_row;
  std::size_t array_bytes() { return own_bytes; }
  status launch(launch_words& words)
  {
    CHECK(words.arrays<char>() + own_bytes <= reinterpret_cast<char*>(words.own().words));
    return numbered_row::launch(words);
  }
};

template <class Plan>
int number_of(Plan plan, int* out, const temporary_storage& storage)
{
  REQUIRE_FALSE(plan.launch(storage, nullptr));
  REQUIRE_FALSE(simt::wait(nullptr, "test"));
  int number = 0;
  REQUIRE_FALSE(simt::copy_bytes(&number, out, sizeof number, nullptr, "test"));
  REQUIRE_FALSE(simt::wait(nullptr, "test"));
  return number;
}

}  // namespace

TEST_CASE("the first row that takes a call launches it", "[launch_plan]")
{
  test::device_array<int> out(1);
  int* const to = out.data();
  const temporary_storage pool = temporary_storage::beside_pool(nullptr);
  const numbered_row excluded(false, {to, 1, no_words});
  const numbered_row second(true, {to, 2, no_words});
  const numbered_row third(true, {to, 3, 5});
  CHECK(number_of(plan_of(no_row{}, excluded, second, third), to, pool) == 2);
  CHECK(number_of(plan_of(third, second), to, pool) == -3);
  CHECK(number_of(plan_of(kernel_row<numbered_kernel, false>(true, {to, 1, no_words}), second), to, pool) == 2);
  CHECK(number_of(plan_of(second), to, pool) == 2);
  REQUIRE_FALSE(plan_of(excluded).launch(pool, nullptr));  // nothing takes it
}

TEST_CASE("a plan asks for the storage of every row that fits", "[launch_plan]")
{
  test::device_array<int> out(1);
  int* const to = out.data();
  const index_type many = 1000;
  const numbered_row excluded(false, {to, 1, 100 * many});
  const numbered_row first(true, {to, 1, no_words});
  const numbered_row second(true, {to, 2, many});
  CHECK(plan_of(first, excluded).bytes(false) == 1);
  CHECK(plan_of(first, second).bytes(true) == 1);  // the pool has the words
  const std::size_t of_words = plan_of(first, second).bytes(false);
  CHECK(of_words >= launch_words::room_for(many) * sizeof(std::uint64_t));
  CHECK(plan_of(first, second, second).bytes(false) == of_words);  // only one of them is launched
  CHECK(plan_of(first, array_row{}, second).bytes(false) == of_words);
  CHECK(plan_of(first, array_row{}).bytes(true) >= 1000);
  CHECK(plan_of(array_row{}, array_row{}).bytes(true) == plan_of(array_row{}).bytes(true));
  const array_and_words_row both(true, {to, 3, many});
  const std::size_t of_both = plan_of(second, both, array_row{}).bytes(false);
  CHECK(of_both >= of_words + 1000);
  test::device_array<unsigned char> of_first(of_both);
  CHECK(number_of(plan_of(excluded, both, second), to, of_first.data()) == -3);

  auto plan = plan_of(second);
  std::size_t bytes = 0;
  REQUIRE_FALSE(plan.run(nullptr, bytes, nullptr));
  REQUIRE(bytes == plan.bytes(false));
  test::device_array<unsigned char> storage(bytes);
  CHECK(plan.run(storage.data(), --bytes, nullptr).code == simt::error_invalid_value);
  REQUIRE_FALSE(plan.run(storage.data(), ++bytes, nullptr));
  CHECK(number_of(plan, to, storage.data()) == -2);
}

TEST_CASE("a question that the device does not answer fails the call", "[launch_plan]")
{
  test::device_array<int> out(std::vector<int>{7});
  auto plan = plan_of(failing_row{}, numbered_row(true, {out.data(), 1, 5}));
  std::size_t bytes = 0;
  CHECK(plan.run(nullptr, bytes, nullptr).code == simt::error_invalid_value);
  CHECK(bytes == 0);
  CHECK(out.to_host()[0] == 7);
}

TEST_CASE("calls expect small teams after one that was reported, and after more for longer", "[launch_plan]")
{
  constexpr unsigned period = tuning::calls_after_small_team;
  small_teams& teams = small_teams::instance();
  teams.forget();
  CHECK_FALSE(teams.is_expected());
  small_teams::report_type* const report = teams.report();
  REQUIRE(report != nullptr);
  REQUIRE(report == teams.report());
  const auto count_expected = [&] {
    unsigned calls = 0;
    for (; teams.is_expected(); ++calls) {
      *report = calls == 0 ? 1 : 0;  // of a launch before: nothing new
      REQUIRE(calls < 100 * period);
    }
    return calls;
  };
  unsigned expected = period;
  for (int in_a_row = 0; in_a_row < 7; ++in_a_row) {
    *report = 1;
    CHECK(count_expected() == expected);
    CHECK_FALSE(teams.is_expected());
    expected = (std::min)(2 * expected, tuning::most_calls_after_small_teams);
  }
  for (unsigned calls = 0; calls < period; ++calls) {
    CHECK_FALSE(teams.is_expected());
  }
  *report = 1;  // after so many calls without one
  CHECK(count_expected() == period);
  *report = 1;
  teams.forget();
  CHECK(count_expected() == 0);
}

TEST_CASE("kernels that calls after a small team may take are loaded before", "[launch_plan]")
{
  const temporary_storage pool = temporary_storage::beside_pool(nullptr);
  small_teams::instance().forget();
  int loads = 0;
  const counting_row other(true, &loads);
  REQUIRE_FALSE(plan_of(asking_row{}, counting_row(false, &loads), other).launch(pool, nullptr));
  CHECK(loads == 1);
  REQUIRE_FALSE(plan_of(other, asking_row{}).launch(pool, nullptr));  // nobody asks
  CHECK(loads == 1);
  CHECK(
    plan_of(asking_row{}, counting_row(true, &loads, true)).launch(pool, nullptr).code == simt::error_invalid_value);
}

TEST_CASE("what launches borrow from the pool goes back", "[launch_plan]")
{
  const test::streams_last kept(true);
  const auto used_bytes = [] {
    std::size_t held = 0;
    std::size_t used = 0;
    REQUIRE_FALSE(simt::pool_usage(held, used));
    return used;
  };
  const std::size_t before = used_bytes();
  {
    launch_words words(nullptr);
    REQUIRE_FALSE(words.take(1, 1, "test"));  // the stream keeps them
    CHECK(used_bytes() == before);
    REQUIRE_FALSE(words.take(simt::static_words_count + 1, 1, "test"));
    const std::size_t of_one = used_bytes() - before;
    CHECK(of_one > simt::static_words_count * sizeof(std::uint64_t));
    REQUIRE_FALSE(words.take(simt::static_words_count + 1, 1, "test"));
    CHECK(used_bytes() == before + of_one);
  }
  CHECK(used_bytes() == before);
}
