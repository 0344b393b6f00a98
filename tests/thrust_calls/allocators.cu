// Tests allocators that fail in their own ways, memory that runs out, and the limit on what the pool keeps.
#include <thrust/partition.h>
#include <thrust/sort.h>

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>
#include <string>

#include "thrust_support.h"

namespace allocators_test {

using gimbal::par;
using gimbal::par_nosync;
using test::fat;

enum class mode { sound, gives_null, throws_when_freed };

/// In units of `Unit`; copies share the log.
template <class Unit>
struct odd_allocator {
  using value_type = Unit;

  struct log {
    mode fails = mode::sound;
    std::map<void*, std::size_t> live = {};  // with the units asked for
    int allocations = 0;
  };
  log* noted;

  Unit* allocate(std::ptrdiff_t units)
  {
    ++noted->allocations;
    if (noted->fails == mode::gives_null) {
      return nullptr;
    }
    void* const memory = test::raw_allocate(static_cast<std::size_t>(units) * sizeof(Unit));
    noted->live[memory] = static_cast<std::size_t>(units);
    return static_cast<Unit*>(memory);
  }
  void deallocate(Unit* memory, std::size_t units)
  {
    REQUIRE(noted->live.count(memory) == 1);
    CHECK(units == noted->live[memory]);
    noted->live.erase(memory);
    test::raw_free(memory);
    if (noted->fails == mode::throws_when_freed) {
      throw std::runtime_error("deallocate");
    }
  }
};

constexpr std::size_t n = 30000;

std::vector<int> sorted(std::vector<int> values)
{
  std::sort(values.begin(), values.end());
  return values;
}

struct is_even {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 == 0; }
};
struct descending {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return l > r; }
};

/// Calls that take storage, each with its name, under `policy`.
template <class Policy, class Check>
void each_call(Policy policy, Check check)
{
  using vector = thrust::device_vector<int>;
  check("sort", [=](vector& x) { thrust::sort(policy, x.begin(), x.end()); });
  check("stable_sort", [=](vector& x) { thrust::stable_sort(policy, x.begin(), x.end(), descending{}); });
  check("sort_by_key", [=](vector& x) { thrust::sort_by_key(policy, x.begin(), x.end() - n / 2, x.begin() + n / 2); });
  check("stable_partition", [=](vector& x) { thrust::stable_partition(policy, x.begin(), x.end(), is_even{}); });
}

template <class Call>
std::string message_of_bad_alloc(Call call)
{
  try {
    call();
  } catch (const std::bad_alloc& error) {
    return error.what();
  }
  return "no std::bad_alloc";
}

std::size_t occurrences(const std::string& text, const std::string& word)
{
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEMPLATE_TEST_CASE("an allocator that returns null has failed", "", char, test::wide)
{
  using allocator = odd_allocator<TestType>;
  typename allocator::log log;
  allocator mine{&log};
  const auto values = test::random_values<int>(n, 1);
  const auto fails = [&](const std::string& name, auto call) {
    INFO(name);
    auto x = test::to_device(values);
    log.fails = mode::gives_null;
    const int allocations = log.allocations;
    const std::string text = message_of_bad_alloc([&] { call(x); });
    INFO(text);
    CHECK(log.allocations == allocations + 1);
    CHECK(text.find("gimbal " + name + " of ") != std::string::npos);
    CHECK(text.find("allocation of temporary storage by the policy's allocator (") != std::string::npos);
    CHECK(occurrences(text, gimbal::simt::error_name(gimbal::simt::error_memory_allocation)) == 1);
    CHECK(log.live.empty());
    test::require_equal(test::to_host(x), values);  // nothing has run
    log.fails = mode::sound;
    CHECK_NOTHROW(call(x));
    CHECK(log.live.empty());
  };
  SECTION("par") { each_call(par(mine), fails); }
  SECTION("par_nosync") { each_call(par_nosync(mine), fails); }
}

TEMPLATE_TEST_CASE("what deallocate throws is dropped", "", char, test::wide)
{
  using allocator = odd_allocator<TestType>;
  typename allocator::log log;
  allocator mine{&log};
  const auto values = test::random_values<int>(n, 2);
  each_call(par(mine), [&](const std::string& name, auto call) {
    INFO(name);
    auto wanted = test::to_device(values);
    call(wanted);
    log.fails = mode::throws_when_freed;
    auto x = test::to_device(values);
    const int allocations = log.allocations;
    CHECK_NOTHROW(call(x));
    CHECK(log.allocations == allocations + 1);
    log.fails = mode::sound;
    test::require_equal(test::to_host(x), test::to_host(wanted));
  });
}

TEST_CASE("stock gets no null for memory, nor what deallocate throws")
{
  using allocator = odd_allocator<char>;
  allocator::log log;
  allocator mine{&log};
  std::vector<fat> values(500);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].key = static_cast<int>(i * 7919 % 101);
  }
  const auto sorts = [&](auto policy) {
    auto x = test::to_device(values);
    thrust::stable_sort(policy, x.begin(), x.end());
    return test::to_host(x);
  };
  const long fallbacks = gimbal::route::fallbacks();
  const std::vector<fat> wanted = sorts(par);
  CHECK(gimbal::route::fallbacks() > fallbacks);
  const auto check = [&](auto policy) {
    log.fails = mode::gives_null;
    const std::string text = message_of_bad_alloc([&] { sorts(policy); });
    INFO(text);
    CHECK(text.find("by the policy's allocator (") != std::string::npos);
    log.fails = mode::throws_when_freed;
    const int allocations = log.allocations;
    test::require_equal(sorts(policy), wanted);
    CHECK(log.allocations > allocations);
    CHECK(log.live.empty());
  };
  check(par(mine));
  check(par_nosync(mine));
}

TEST_CASE("out of memory: the cause once, with the bytes asked for")
{
  auto x = test::to_device(test::random_values<int>(n, 3));
  gimbal::simt::instrument::fail_next(gimbal::simt::instrument::point::allocate);
  const std::string text = message_of_bad_alloc([&] { thrust::sort(par, x.begin(), x.end()); });
  INFO(text);
  CHECK(text.find("gimbal sort of 30000 elements of 4 bytes: allocation of temporary storage (") != std::string::npos);
  CHECK(text.find(" bytes) failed with ") != std::string::npos);
  CHECK(occurrences(text, gimbal::simt::error_name(gimbal::simt::error_memory_allocation)) == 1);
}

/// The bytes that may still be allocated.
std::size_t free_memory()
{
#if GIMBAL_GPU
  std::size_t free = 0;
  std::size_t total = 0;
  test::check_cuda(cudaDeviceSynchronize());
  test::check_cuda(cudaMemGetInfo(&free, &total));
  return free;
#else
  return std::size_t{64} << 20;
#endif
}

struct pool_memory {
  void* memory = nullptr;

  explicit pool_memory(std::size_t bytes) { failed = gimbal::simt::pool_allocate(memory, bytes, {}, "test"); }
  ~pool_memory() { gimbal::simt::pool_free(memory, {}); }
  pool_memory(const pool_memory&) = delete;

  gimbal::status failed;
};

TEST_CASE("what the pool does not use is given back before an allocation fails")
{
  gimbal::release_memory();
  const std::size_t all = free_memory();
#if !GIMBAL_GPU
  const std::size_t plenty = gimbal::simt::block_driver::room().exchange(all);
#endif
  {
    const pool_memory first(all / 20 * 9);
    const pool_memory second(all / 20 * 9);
    REQUIRE_FALSE(first.failed);
    REQUIRE_FALSE(second.failed);
    const pool_memory third(all / 5);
    CHECK(third.failed.code == gimbal::simt::error_memory_allocation);
    CHECK(third.failed.bytes == all / 5);
  }
  CHECK(gimbal::memory_held().held >= all / 20 * 18);  // in two pieces, each too small for what follows
  CHECK_FALSE(pool_memory(all / 5 * 4).failed);
  {
    const pool_memory too_much(all / 2 * 3);
    CHECK(too_much.failed.code == gimbal::simt::error_memory_allocation);
    CHECK(too_much.failed.bytes == all / 2 * 3);
  }
  auto x = test::to_device(test::random_values<int>(n, 4));
  CHECK_NOTHROW(thrust::sort(par, x.begin(), x.end()));
#if !GIMBAL_GPU
  gimbal::simt::block_driver::room() += plenty - all;
#endif
  gimbal::release_memory();
}

TEST_CASE("a limit on what the pool keeps")
{
  constexpr std::size_t no_limit = ~std::size_t{0};
  constexpr std::size_t large = std::size_t{256} << 20;
  constexpr std::size_t small = std::size_t{32} << 20;
  const auto lend = [](std::size_t bytes) {
    {
      const pool_memory lent(bytes);
      CHECK_FALSE(lent.failed);
      CHECK(gimbal::memory_held().held >= bytes);
    }
    CHECK_FALSE(gimbal::simt::wait({}, "test"));
  };
  gimbal::release_memory();
  const std::size_t least = gimbal::memory_held().held;

  lend(large);
  CHECK(gimbal::memory_held().held >= large);  // no limit: it is kept
  CHECK(gimbal::limit_memory(least + small) == no_limit);
  CHECK(gimbal::memory_held().held <= least + small);  // given back at once
  lend(large);                                         // more than the limit is lent all the same
  CHECK(gimbal::memory_held().held <= least + small);
  lend(small / 2);
  CHECK(gimbal::memory_held().held >= small / 2);  // below the limit it is kept
  {
    const pool_memory used(small / 4);
    CHECK(gimbal::limit_memory(0) == least + small);
    CHECK(gimbal::memory_held().held >= small / 4);  // what is in use stays
  }
  CHECK_FALSE(gimbal::simt::wait({}, "test"));
  CHECK(gimbal::memory_held().held <= least);

  const auto values = test::random_values<int>(n, 5);
  auto x = test::to_device(values);
  thrust::sort(par, x.begin(), x.end());
  test::require_equal(test::to_host(x), sorted(values));
  CHECK(gimbal::limit_memory(no_limit) == 0);
}

}  // namespace allocators_test
