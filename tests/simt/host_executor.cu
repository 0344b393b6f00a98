// Tests the host executor itself: what it reports, that it goes on after each report, and that its schedules repeat and
// find races. ThreadSanitizer's part is in mutations/simt_races.cu.
#include <gimbal/simt/simt.cuh>

#if !GIMBAL_GPU

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mutations/simt_kernels.h"
#include "support.h"

using namespace gimbal;
namespace order = cuda::std;

namespace {

simt::executor_options with(simt::schedule mode, std::uint64_t seed = 1, unsigned resident_blocks = 8)
{
  simt::executor_options options;
  options.mode = mode;
  options.seed = seed;
  options.resident_blocks = resident_blocks;
  options.livelock_spins = 20000;
  return options;
}

constexpr simt::schedule all_modes[] = {simt::schedule::fifo, simt::schedule::random, simt::schedule::priority};

/// A kernel whose body is one function, of `BlockThreads` threads.
template <unsigned BlockThreads, class Body>
struct body_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {
    unsigned words[64];
  };
  Body body;

  template <class Context>
  void operator()(Context& ctx, shared& smem) const
  {
    body(ctx, smem.words);
  }
};

template <unsigned BlockThreads = 64, class Body>
status launch_body(Body body, std::size_t blocks = 1)
{
  return simt::launch(body_kernel<BlockThreads, Body>{body}, blocks, nullptr, "body");
}

/// The launch fails in every mode with a report that contains each of `parts`, and the next launch works.
template <unsigned BlockThreads = 64, class Body>
void check_reported(Body body, std::vector<std::string> parts, std::size_t blocks = 3)
{
  for (const simt::schedule mode : all_modes) {
    const simt::scoped_executor_options scope(with(mode, 7));
    const status state = launch_body<BlockThreads>(body, blocks);
    CHECK(state.code == simt::error_launch_failure);
    CHECK(std::string(state.step) == "body");
    const std::string report = simt::error_string(state.code);
    parts.insert(parts.end(), {"body_kernel", ", block ", ", thread "});
    if (mode != simt::schedule::fifo) {
      parts.push_back("GIMBAL_SEED=7");
    }
    for (const std::string& part : parts) {
      CHECK_THAT(report, Catch::Contains(part));
    }
    CHECK(run_scan<mutation::none>(12) == outcome::right);
  }
}

}  // namespace

TEST_CASE("a deadlock is reported", "[executor]")
{
  check_reported(
    [](auto& ctx, unsigned*) {
      if (ctx.thread() < 32) {
        ctx.sync_block();
      } else if (ctx.thread() == 40) {
        ctx.sync_block();
      } else {
        ctx.sync_warp();
      }
    },
    {"deadlock", "33 wait in sync_block", "31 in warp collectives", "waits in sync_warp"});
}

TEST_CASE("a collective without a lane that has exited is reported", "[executor]")
{
  check_reported<32>(
    [](auto& ctx, unsigned*) {
      if (ctx.lane() != 5) {
        ctx.shfl(1, 0);
      }
    },
    {"exit"});
}

TEST_CASE("mismatched collectives are reported", "[executor]")
{
  check_reported<32>(
    [](auto& ctx, unsigned*) {
      if (ctx.lane() % 2 == 0) {
        ctx.ballot(true);
      } else {
        ctx.shfl(1, 0);
      }
    },
    {"mismatched collectives", "ballot", "shfl"});
  check_reported<32>(
    [](auto& ctx, unsigned*) {
      if (ctx.lane() % 2 == 0) {
        ctx.shfl(1, 0);
      } else {
        ctx.shfl(1.0, 0);
      }
    },
    {"mismatched collectives", "shfl of 4 bytes", "shfl of 8 bytes"});
}

TEST_CASE("a barrier with an exited thread is reported", "[executor]")
{
  check_reported(
    [](auto& ctx, unsigned*) {
      if (ctx.thread() != 17) {
        ctx.sync_block();
      }
    },
    {"exit", "sync_block"});
}

TEST_CASE("a livelock is reported", "[executor]")
{
  unsigned never = 0;
  check_reported(
    [&](auto& ctx, unsigned*) {
      while (ctx.atomic(never).load(order::memory_order_acquire) == 0) {
        ctx.spin_wait();
      }
    },
    {"livelock"}, 20);
  check_reported<32>(  // and where the loop forgets spin_wait
    [&](auto& ctx, unsigned*) {
      while (ctx.atomic(never).load(order::memory_order_acquire) == 0) {
      }
    },
    {"livelock"}, 1);
}

TEST_CASE("an exception of an operator is reported", "[executor]")
{
  check_reported(
    [](auto& ctx, unsigned*) {
      ctx.sync_block();
      if (ctx.thread() == 9) {
        throw std::runtime_error("the operator is out of order");
      }
      ctx.sync_block();
    },
    {"exception", "the operator is out of order", "thread 9:"});
  check_reported([](auto& ctx, unsigned*) { throw ctx.thread(); }, {"exception"});
}

TEST_CASE("a launch from inside a kernel is reported", "[executor]")
{
  int failures = 0;
  CHECK_FALSE(
    launch_body<1>([&](auto&, unsigned*) { failures += static_cast<bool>(launch_body<1>([](auto&, unsigned*) {})); }));
  CHECK(failures == 1);
}

TEST_CASE("an invalid stream is refused", "[executor]")
{
  const simt::stream_type bad = simt::invalid_stream();
  const auto nothing = [](auto&, unsigned*) {};
  CHECK(
    simt::launch(body_kernel<32, decltype(nothing)>{nothing}, 1, bad, "x").code == simt::error_invalid_resource_handle);
  CHECK(simt::wait(bad, "x").code == simt::error_invalid_resource_handle);
  char byte = 0;
  CHECK(simt::fill_bytes(&byte, 1, 1, bad, "x").code == simt::error_invalid_resource_handle);
  CHECK(simt::copy_bytes(&byte, &byte, 1, bad, "x").code == simt::error_invalid_resource_handle);
  void* memory = nullptr;
  CHECK(simt::pool_allocate(memory, 1, bad, "x").code == simt::error_invalid_resource_handle);
  CHECK(memory == nullptr);
}

TEST_CASE("the pool counts and keeps its memory", "[executor]")
{
  const test::streams_last kept(true);  // others' memory is not kept
  REQUIRE_FALSE(simt::pool_release());
  std::size_t reserved = 0;
  std::size_t used = 0;
  REQUIRE_FALSE(simt::pool_usage(reserved, used));
  constexpr std::size_t block = 64 << 10;
  const std::size_t reserved_before = reserved;
  const std::size_t used_before = used;
  void* first = nullptr;
  void* second = nullptr;
  REQUIRE_FALSE(simt::pool_allocate(first, 1000, nullptr, "x"));
  REQUIRE_FALSE(simt::pool_allocate(second, 0, nullptr, "x"));
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 256 == 0);
  std::memset(first, 1, 1000);
  REQUIRE_FALSE(simt::pool_usage(reserved, used));
  CHECK(used == used_before + 2 * block);
  CHECK(reserved == reserved_before + 2 * block);
  simt::pool_free(first, nullptr);
  REQUIRE_FALSE(simt::pool_usage(reserved, used));
  CHECK(used == used_before + block);
  CHECK(reserved == reserved_before + 2 * block);
  void* again = nullptr;
  REQUIRE_FALSE(simt::pool_allocate(again, 900, nullptr, "x"));
  CHECK(again == first);
  simt::pool_free(again, nullptr);
  simt::pool_free(second, nullptr);
  simt::pool_free(nullptr, nullptr);
  REQUIRE_FALSE(simt::pool_release());
  REQUIRE_FALSE(simt::pool_usage(reserved, used));
  CHECK(reserved == reserved_before);
  CHECK(used == used_before);
  CHECK(simt::pool_allocate(first, ~std::size_t{0} / 4, nullptr, "x").code == simt::error_memory_allocation);
}

namespace {

/// The order in which threads pass a shared counter: the schedule's trace.
std::vector<unsigned> trace(simt::schedule mode, std::uint64_t seed)
{
  const simt::scoped_executor_options scope(with(mode, seed));
  std::vector<unsigned> passed(2 * 6 * 64);
  unsigned count = 0;
  for (unsigned launches = 0; launches < 2; ++launches) {
    REQUIRE_FALSE(launch_body(
      [&](auto& ctx, unsigned*) {
        passed[ctx.atomic(count).fetch_add(1u, order::memory_order_relaxed)] = ctx.block() * 64 + ctx.thread();
      },
      6));
  }
  return passed;
}

}  // namespace

TEST_CASE("schedules repeat from their seed", "[executor]")
{
  for (const simt::schedule mode : {simt::schedule::random, simt::schedule::priority}) {
    const std::vector<unsigned> first = trace(mode, 11);
    CHECK(first == trace(mode, 11));
    CHECK(first != trace(mode, 12));
    CHECK(
      std::vector<unsigned>(first.begin(), first.begin() + 384)
      != std::vector<unsigned>(first.begin() + 384, first.end()));
  }
}

TEST_CASE("shared memory is overwritten before a block begins", "[executor]")
{
  const simt::scoped_executor_options scope(with(simt::schedule::random));
  for (int launches = 0; launches < 2; ++launches) {
    unsigned small = 0;
    REQUIRE_FALSE(launch_body<1>([&](auto&, unsigned* words) {
      for (unsigned w = 0; w < 64; ++w) {
        small += words[w] < 0x81000000u;
        words[w] = 0;
      }
    }));
    CHECK(small == 0);
  }
}

TEST_CASE("blocks that must be resident together are", "[executor]")
{
  for (const simt::schedule mode : all_modes) {
    for (const unsigned workers : {1u, 2u, 3u}) {
      simt::executor_options options = with(mode);
      options.workers = workers;
      const simt::scoped_executor_options scope(options);
      unsigned arrived = 0;
      CHECK_FALSE(launch_body<32>(
        [&](auto& ctx, unsigned*) {
          if (ctx.thread() == 0) {
            ctx.atomic(arrived).fetch_add(1u, order::memory_order_relaxed);
            while (ctx.atomic(arrived).load(order::memory_order_relaxed) != 8) {
              ctx.spin_wait();
            }
          }
        },
        8));
    }
  }
}

TEST_CASE("host threads may launch at the same time", "[executor]")
{
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&right, t] {
      for (int i = 0; i < 20; ++i) {
        right[t] += run_scan<mutation::none>(20) == outcome::right;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(right == std::vector<int>(4, 20));
}

#if !defined(__SANITIZE_THREAD__)  // which reports the races

namespace {

/// The first seed under which the mutated kernel gives a wrong result or is reported; 0: none of 200.
template <class Run>
std::uint64_t first_caught(simt::schedule mode, Run run, unsigned resident_blocks = 8)
{
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const simt::scoped_executor_options scope(with(mode, seed, resident_blocks));
    if (run() != outcome::right) {
      return seed;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("schedules find the races of mutated kernels", "[executor]")
{
  for (const simt::schedule mode : {simt::schedule::random, simt::schedule::priority}) {
    CAPTURE(static_cast<int>(mode));
    CHECK(first_caught(mode, [] { return run_scan<mutation::none>(16); }) == 0);
    CHECK(first_caught(mode, [] { return run_scan<mutation::missing_barrier>(16); }) != 0);
    CHECK(first_caught(mode, [] { return run_scan<mutation::missing_reuse_barrier>(16); }) != 0);
    CHECK(first_caught(mode, [] { return run_scan<mutation::flag_before_value>(16); }) != 0);
    CHECK(first_caught(mode, [] { return run_scan<mutation::missing_wait>(16); }) != 0);
    CHECK(
      first_caught(
        mode, [] { return run_scan<mutation::block_as_tile>(16); }, 4)
      != 0);
    CHECK(first_caught(mode, run_rotation<mutation::missing_sync_warp>) != 0);
    CHECK(first_caught(mode, run_ring<mutation::none>) == 0);
    CHECK(first_caught(mode, run_ring<mutation::missing_phase_wait>) != 0);
    CHECK(first_caught(mode, run_ring<mutation::early_stage_release>) != 0);
  }
}

#endif

#endif
