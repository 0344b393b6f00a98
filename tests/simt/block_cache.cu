// Tests the blocks that gimbal keeps between calls, over a mock driver. gpu_blocks.cu is about the true one.
#include <gimbal/simt/block_cache.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "pretended_driver.h"

namespace block_cache_test {

namespace simt = gimbal::simt;

constexpr std::size_t kilobyte = std::size_t{1} << 10;
constexpr std::size_t megabyte = std::size_t{1} << 20;
constexpr std::size_t gigabyte = std::size_t{1} << 30;

using driver = test::pretended_driver;

/// A cache, whose streams have their handles for numbers.
class cache {
public:
  cache() { driver::begin_anew(); }

  /// Null if memory has run out.
  void* take(std::size_t bytes, int stream)
  {
    void* memory = nullptr;
    const simt::error_code code = blocks_.take(memory, bytes, life, static_cast<unsigned long long>(stream), stream);
    REQUIRE((code == simt::success || code == simt::error_memory_allocation));
    REQUIRE((memory != nullptr) == (code == simt::success));
    if (memory != nullptr) {
      REQUIRE(driver::may_use(memory, stream));
      driver::use(memory, stream);
    }
    return memory;
  }
  void give_back(void* memory, int stream, bool is_done = false)
  {
    if (is_done) {
      driver::wait_for_stream(stream);
    }
    REQUIRE(blocks_.give_back(memory, stream, is_done));
  }
  /// A call: takes, uses, gives back.
  void* call(std::size_t bytes, int stream, bool waits = false)
  {
    void* const memory = take(bytes, stream);
    REQUIRE(memory != nullptr);
    give_back(memory, stream, waits);
    return memory;
  }

  std::size_t held()
  {
    usage();
    return held_;
  }
  std::size_t used()
  {
    usage();
    return used_;
  }
  void release() { REQUIRE(blocks_.release(life) == simt::success); }
  std::size_t limit(std::size_t bytes)
  {
    std::size_t previous = 0;
    REQUIRE(blocks_.limit(life, bytes, previous) == simt::success);
    return previous;
  }

  simt::device_life life;

private:
  void usage()
  {
    blocks_.usage(life, held_, used_);
    if (life == simt::device_life{}) {
      REQUIRE(held_ == driver::now().taken);
    }
  }

  simt::block_cache<driver> blocks_;
  std::size_t held_ = 0;
  std::size_t used_ = 0;
};

TEST_CASE("a stream uses its block again at once, and nothing is asked of the driver", "[block_cache]")
{
  cache c;
  void* const first = c.call(100000, 1);
  for (int i = 0; i < 10; ++i) {
    CHECK(c.call(100000 - static_cast<std::size_t>(i), 1) == first);
  }
  CHECK(driver::now().allocations == 1);
  CHECK(driver::now().records == 0);
  CHECK(driver::now().queries == 0);
  CHECK(c.used() == 0);
  CHECK(c.held() >= 100000);
}

TEST_CASE("what is in use is given to nobody", "[block_cache]")
{
  cache c;
  void* const first = c.take(1000, 1);
  void* const second = c.take(1000, 1);
  CHECK(first != second);
  CHECK(c.used() == c.held());
  c.give_back(first, 1);
  c.give_back(second, 1);
  CHECK(c.used() == 0);
  const void* const again = c.take(1000, 1);
  CHECK((again == first || again == second));
}

TEST_CASE("another stream has a block when the work with it has ended", "[block_cache]")
{
  cache c;
  c.call(1000, 1);
  c.call(1000, 2);  // from now on events are recorded
  CHECK(driver::now().records == 1);
  void* const first = c.call(1000, 1);
  void* const second = c.call(1000, 2);
  CHECK(first != second);
  CHECK(driver::now().allocations == 2);
  void* const third = c.call(1000, 3);  // both still at work
  CHECK(third != first);
  CHECK(third != second);
  driver::wait_for_stream(1);
  CHECK(c.call(1000, 4) == first);
  CHECK(driver::now().allocations == 3);
}

TEST_CASE("where no event could be recorded the block remains its stream's", "[block_cache]")
{
  cache c;
  c.call(1000, 1);
  void* const second = c.call(1000, 2);
  driver::wait_for_device();
  driver::now().cannot_record = true;
  CHECK(c.call(1000, 2) == second);  // which had an event before
  CHECK(c.call(1000, 3) != second);
  driver::now().cannot_record = false;
  CHECK(c.call(1000, 2) == second);
  driver::wait_for_device();
  CHECK(c.call(1000, 4) == second);
}

TEST_CASE("a stream takes its own block first, and the smallest of several", "[block_cache]")
{
  cache c;
  void* const large = c.call(38 * megabyte, 1);
  void* const medium = c.call(100 * megabyte, 1);  // as large would have served 30 MB
  void* const others = c.call(20 * megabyte, 2, true);
  CHECK(c.call(18 * megabyte, 1) == large);
  CHECK(c.call(26 * megabyte, 1) == large);
  CHECK(c.call(42 * megabyte, 1) == medium);
  CHECK(c.call(18 * megabyte, 3, true) == others);
  void* const first = c.take(18 * megabyte, 1);
  CHECK(first == large);
  CHECK(c.call(18 * megabyte, 1) == others);
}

TEST_CASE("what a call has waited for is anybody's, without an event", "[block_cache]")
{
  cache c;
  void* const first = c.call(1000, 1, true);
  for (int stream = 2; stream < 20; ++stream) {
    CHECK(c.call(1000, stream, true) == first);
  }
  CHECK(driver::now().records == 0);
  CHECK(driver::now().queries == 0);
}

TEST_CASE("streams that come and go leave one set of blocks", "[block_cache]")
{
  cache c;
  for (int stream = 1; stream < 1000; ++stream) {
    for (int i = 0; i < 3; ++i) {
      c.call(100000, stream);
      c.call(3 * megabyte, stream);
    }
    driver::wait_for_stream(stream);
  }
  CHECK(driver::now().allocations <= 4);  // those of the first, without events, and another set
}

TEST_CASE("a block is not much larger than what is asked for", "[block_cache]")
{
  cache c;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, 64 * kilobyte, megabyte - 1, megabyte, megabyte + 1, 32 * megabyte - 1,
        32 * megabyte, 33 * megabyte, gigabyte + 1, 70 * gigabyte}) {
    c.call(bytes, 1);
    INFO(bytes << " bytes: " << c.held());
    CHECK(c.held() >= bytes);
    CHECK(c.held() <= std::max({bytes + bytes / 8, 64 * kilobyte, bytes <= megabyte ? 0 : bytes + 2 * megabyte}));
    c.release();
    CHECK(c.held() == 0);
  }
  CHECK(c.take(~std::size_t{0}, 1) != nullptr);  // whether there is so much the driver knows
}

TEST_CASE("a large block does not serve a small request", "[block_cache]")
{
  cache c;
  void* const large = c.call(100 * megabyte, 1);
  CHECK(c.call(20 * megabyte, 1) != large);
  CHECK(c.call(30 * megabyte, 1) == large);
}

TEST_CASE("sizes that grow leave no more than twice what was in use", "[block_cache]")
{
  cache c;
  const bool waits = GENERATE(false, true);
  std::size_t largest = 0;
  for (std::size_t bytes = 1000; bytes < 100 * gigabyte; bytes += bytes / 20 + 1) {
    c.call(bytes, 1, waits);
    largest = std::max(largest, bytes + bytes / 8);
    REQUIRE(c.held() <= std::max(256 * megabyte, 2 * largest));
  }
  const long allocations = driver::now().allocations;
  for (std::size_t bytes = gigabyte; bytes < 100 * gigabyte; bytes += bytes / 20 + 1) {
    c.call(bytes, 1, waits);
  }
  const long once = driver::now().allocations - allocations;
  CHECK(once <= 20);
  for (std::size_t bytes = gigabyte; bytes < 100 * gigabyte; bytes += bytes / 20 + 1) {
    c.call(bytes, 1, waits);
  }
  CHECK(driver::now().allocations == allocations + once);  // steady
}

TEST_CASE("streams at work at the same time keep their blocks, however large", "[block_cache]")
{
  cache c;
  for (int round = 0; round < 10; ++round) {
    for (int stream = 1; stream <= 8; ++stream) {
      c.call(gigabyte, stream);
    }
    if (round % 2 == 1) {
      driver::wait_for_device();
    }
  }
  CHECK(driver::now().allocations == 8);
  const long queries = driver::now().queries;
  for (int stream = 1; stream <= 8; ++stream) {
    c.call(gigabyte, stream);
  }
  CHECK(driver::now().queries == queries);  // each has its own
  driver::wait_for_device();
  c.call(10 * megabyte, 9);
  CHECK(c.held() > 8 * gigabyte);
  CHECK(driver::now().frees_in_use == 0);
}

TEST_CASE("a limit on what is kept", "[block_cache]")
{
  cache c;
  const bool waits = GENERATE(false, true);
  c.call(100 * megabyte, 1, waits);
  c.call(10 * megabyte, 1, waits);
  CHECK(c.limit(32 * megabyte) == ~std::size_t{0});
  CHECK(c.held() <= 32 * megabyte);
  CHECK(c.held() >= 10 * megabyte);  // the smaller one stays
  const long allocations = driver::now().allocations;
  for (int i = 0; i < 3; ++i) {
    c.call(100 * megabyte, 1, waits);
    CHECK(c.held() <= 32 * megabyte);
  }
  CHECK(driver::now().allocations == allocations + 3);
  void* const used = c.take(20 * megabyte, 1);
  CHECK(c.limit(0) == 32 * megabyte);
  CHECK(c.held() >= 20 * megabyte);
  CHECK(c.held() == c.used());
  c.give_back(used, 1, waits);
  CHECK(c.held() == 0);
  CHECK(driver::now().frees_in_use == 0);
  CHECK(c.limit(~std::size_t{0}) == 0);
  void* const kept = c.call(100 * megabyte, 1, waits);
  CHECK(c.call(100 * megabyte, 1, waits) == kept);
}

TEST_CASE("a limit, and several streams", "[block_cache]")
{
  cache c;
  c.limit(64 * megabyte);
  for (int round = 0; round < 20; ++round) {
    for (int stream = 1; stream <= 8; ++stream) {
      c.call(static_cast<std::size_t>(stream) * 8 * megabyte, stream, (round + stream) % 3 == 0);
    }
  }
  driver::wait_for_device();
  c.call(1, 1);
  CHECK(c.held() <= 64 * megabyte);
  CHECK(driver::now().frees_in_use == 0);
}

TEST_CASE("release gives back what is not used", "[block_cache]")
{
  cache c;
  void* const used = c.take(megabyte, 1);
  c.call(megabyte, 1);
  c.call(megabyte, 2);
  c.release();
  CHECK(c.held() == c.used());
  CHECK(c.used() >= megabyte);
  CHECK(driver::now().frees_in_use == 0);
  c.give_back(used, 1);
  CHECK(c.call(megabyte, 1) == used);
  c.release();
  CHECK(c.held() == 0);
  CHECK(driver::now().live.empty());
  CHECK(driver::now().events.empty());
}

TEST_CASE("before memory runs out all that is not used is given back", "[block_cache]")
{
  constexpr std::size_t all = gigabyte - 1;
  cache c;
  driver::now().capacity = all;
  void* const first = c.take(all / 100 * 49, 1);
  void* const second = c.take(all / 100 * 49, 1);  // rounded up there would be no room for both
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(c.take(all / 5, 1) == nullptr);
  CHECK(c.used() == c.held());
  c.give_back(first, 1);
  c.give_back(second, 1);
  c.call(all / 5 * 4, 1);  // two pieces, each too small
  CHECK(driver::now().frees_in_use == 0);
  c.call(all - 1, 2);  // the first stream's has no event: the driver waits
  CHECK(driver::now().frees_in_use == 1);
  c.call(all, 3);  // the second's has
  CHECK(driver::now().frees_in_use == 1);
  CHECK(c.take(all + 1, 3) == nullptr);
  CHECK(c.held() == 0);
  c.call(1000, 3);
}

TEST_CASE("devices, and lives of one, have blocks of their own", "[block_cache]")
{
  cache c;
  void* const first = c.call(megabyte, 1, true);
  c.limit(100 * megabyte);
  c.life = {1, 0};
  CHECK(c.held() == 0);
  void* const other = c.call(megabyte, 2, true);
  CHECK(other != first);
  c.life = {0, 7};  // it was reset
  driver::now().next_address = reinterpret_cast<std::uintptr_t>(first);
  CHECK(c.held() == 0);
  CHECK(c.take(megabyte, 3) == first);  // the new life's, at the same address
  CHECK(c.used() > 0);
  c.give_back(first, 3);
  CHECK(c.used() == 0);
  CHECK(c.take(megabyte, 3) == first);
  CHECK(c.limit(5) == ~std::size_t{0});
  driver::wait_for_device();
  c.life = {0, 8};  // while a block was in use
  driver::now().next_address = reinterpret_cast<std::uintptr_t>(first);
  CHECK(c.take(megabyte, 4) == first);
  c.give_back(first, 4);
  CHECK(c.used() == 0);
  c.life = {1, 0};
  CHECK(c.call(megabyte, 5, true) == other);
}

TEST_CASE("memory of others is not taken back", "[block_cache]")
{
  simt::block_cache<driver> blocks;
  int others = 0;
  CHECK_FALSE(blocks.give_back(&others, 1, false));
}

TEST_CASE(
  "calls drawn at random: no block is used before the work of another stream with it has ended", "[block_cache]")
{
  const unsigned seed = GENERATE(range(1u, 21u));
  cache c;
  std::mt19937 random(seed);
  const auto draw = [&](std::size_t count) { return random() % count; };
  struct lent {
    void* memory;
    int stream;
  };
  std::vector<lent> all_lent;
  if (seed % 3 == 0) {
    driver::now().capacity = 3 * gigabyte;
  }
  if (seed % 4 == 0) {
    c.limit(500 * megabyte);
  }
  for (int step = 0; step < 3000; ++step) {
    driver::now().cannot_record = seed % 5 == 0 && draw(10) == 0;
    const int stream = 1 + static_cast<int>(draw(step < 100 ? 1 : 1 + seed % 7));
    switch (draw(8)) {
      case 0:
      case 1:
      case 2: {
        const std::size_t bytes = draw(std::size_t{1} << (5 + draw(25)));
        if (void* const memory = c.take(bytes, stream)) {  // which checks that it may be used
          REQUIRE(driver::now().live[memory] >= bytes);
          for (const lent& other : all_lent) {
            REQUIRE(other.memory != memory);
          }
          all_lent.push_back({memory, stream});
        }
        break;
      }
      case 3:
      case 4:
      case 5:
        if (!all_lent.empty()) {
          std::swap(all_lent[draw(all_lent.size())], all_lent.back());
          driver::use(all_lent.back().memory, all_lent.back().stream);
          c.give_back(all_lent.back().memory, all_lent.back().stream, draw(3) == 0);
          all_lent.pop_back();
        }
        break;
      case 6: {
        long& ended = driver::now().ended[stream];
        ended += static_cast<long>(draw(static_cast<std::size_t>(driver::now().given[stream] - ended) + 1));
        break;
      }
      case 7:
        if (draw(200) == 0) {
          c.release();
        }
        break;
    }
  }
  for (const lent& l : all_lent) {
    c.give_back(l.memory, l.stream);
  }
  CHECK(c.used() == 0);
  if (seed % 3 != 0) {
    CHECK(driver::now().frees_in_use == 0);
  }
  c.release();
  CHECK(driver::now().live.empty());
  CHECK(driver::now().events.empty());
}

TEST_CASE("threads take and give back at the same time", "[block_cache]")
{
  cache c;
  simt::block_cache<driver> blocks;
  std::atomic<int> wrong{0};
  std::mutex mutex;
  std::set<void*> lent;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      const int stream = 1 + t / 2;  // two on each
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 400; ++i) {
        void* memory = nullptr;
        const std::size_t bytes = random() % (4 * megabyte);
        if (blocks.take(memory, bytes, {}, static_cast<unsigned long long>(stream), stream) != simt::success) {
          ++wrong;
          continue;
        }
        wrong += driver::may_use(memory, stream) ? 0 : 1;
        driver::use(memory, stream);
        {
          const std::lock_guard<std::mutex> lock(mutex);
          wrong += lent.insert(memory).second ? 0 : 1;
        }
        if (i % 3 == 0) {
          driver::wait_for_stream(stream);
        }
        {
          const std::lock_guard<std::mutex> lock(mutex);
          lent.erase(memory);
        }
        wrong += blocks.give_back(memory, stream, false) ? 0 : 1;
        std::size_t previous = 0;
        if (i % 50 == 0) {
          wrong += blocks.limit({}, i % 100 == 0 ? 2 * megabyte : gigabyte, previous) == simt::success ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
  std::size_t held = 0;
  std::size_t used = 0;
  blocks.usage({}, held, used);
  CHECK(used == 0);
  CHECK(held == driver::now().taken);
  CHECK(driver::now().frees_in_use == 0);
}

}  // namespace block_cache_test
