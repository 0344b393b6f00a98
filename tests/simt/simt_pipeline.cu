// Tests what warps of a block hand to each other without a block barrier: phase barriers, bulk copies, barriers of some
// warps, accesses of 16 bytes; blocks that start together. On the GPU and on the host executor.
#include <gimbal/simt/simt.cuh>
#include <string>
#include <vector>

#include "simt_support.h"

using namespace gimbal;
using test::zeros;
namespace order = cuda::std;

namespace {

/// out[i] = 3 * in[i] + i, by a producer warp that loads chunks into a ring and consumer warps that share each chunk.
template <unsigned Stages, unsigned Consumers>
struct ring_kernel {
  static constexpr unsigned block_threads = (1 + Consumers) * simt::warp_threads;
  static constexpr bool copies_in_bulk = true;
  static constexpr unsigned chunk = Consumers * simt::warp_threads * 4;
  struct shared {
    alignas(16) unsigned stage[Stages][chunk];
    simt::phase_barrier full[Stages];
    simt::phase_barrier empty[Stages];
  };
  const unsigned* in;
  unsigned* out;
  unsigned chunks;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      for (unsigned s = 0; s < Stages; ++s) {
        ctx.init(smem.full[s], 1);
        ctx.init(smem.empty[s], Consumers);
      }
    }
    ctx.sync_block();
    if (ctx.warp() == 0) {
      if (ctx.lane() == 0) {
        produce(ctx, smem);
      }
    } else {
      consume(ctx, smem);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void produce(Context& ctx, shared& smem) const
  {
    unsigned turn = 0;
    for (unsigned c = ctx.block(); c < chunks; c += ctx.blocks(), ++turn) {
      const unsigned s = turn % Stages;
      ctx.wait(smem.empty[s], turn / Stages % 2 ^ 1);
      ctx.arrive_expecting(smem.full[s], sizeof(smem.stage[s]));
      ctx.bulk_load(smem.stage[s], in + c * chunk, sizeof(smem.stage[s]) / 2, smem.full[s]);
      ctx.bulk_load(smem.stage[s] + chunk / 2, in + c * chunk + chunk / 2, sizeof(smem.stage[s]) / 2, smem.full[s]);
    }
  }

  template <class Context>
  GIMBAL_DEVICE void consume(Context& ctx, shared& smem) const
  {
    const unsigned mine = ((ctx.warp() - 1) * simt::warp_threads + ctx.lane()) * 4;
    unsigned turn = 0;
    for (unsigned c = ctx.block(); c < chunks; c += ctx.blocks(), ++turn) {
      const unsigned s = turn % Stages;
      if (ctx.warp() % 2 == 0) {
        ctx.wait(smem.full[s], turn / Stages % 2);
      } else {
        while (!ctx.is_complete(smem.full[s], turn / Stages % 2)) {
          ctx.spin_wait();
        }
      }
      simt::vector16 v;
      for (unsigned k = 0; k < 4; ++k) {
        v.word[k] = 3 * smem.stage[s][mine + k] + c * chunk + mine + k;
      }
      ctx.sync_warp();  // all lanes have read
      if (ctx.lane() == 0) {
        ctx.arrive(smem.empty[s]);
      }
      ctx.store_vector(out + c * chunk + mine, v);
    }
  }
};

template <class Kernel>
void check_ring(unsigned blocks, unsigned chunks)
{
  std::vector<unsigned> values(chunks * Kernel::chunk);
  std::vector<unsigned> expected(values.size());
  for (unsigned i = 0; i < values.size(); ++i) {
    values[i] = i * 2654435761u;
    expected[i] = 3 * values[i] + i;
  }
  test::device_array<unsigned> in(values);
  zeros<unsigned> out(values.size());
  unsigned most = 0;
  REQUIRE_FALSE(simt::expected_blocks<Kernel>(most));
  if (most == 0) {
    return;  // this device does not copy in bulk
  }
  REQUIRE_FALSE(simt::launch(Kernel{in.data(), out.data(), chunks}, blocks < most ? blocks : most, nullptr, "ring"));
  REQUIRE_FALSE(simt::wait(nullptr, "ring"));
  test::require_equal(out.to_host(), expected);
}

/// Every block waits for all others.
struct meeting_kernel {
  static constexpr unsigned block_threads = 32;
  struct shared {};
  unsigned* arrived;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    if (ctx.lane() == 0) {
      ctx.atomic(*arrived).fetch_add(1u, order::memory_order_relaxed);
      while (ctx.atomic(*arrived).load(order::memory_order_relaxed) < ctx.blocks()) {
        ctx.spin_wait();
      }
    }
  }
};

}  // namespace

TEST_CASE("a ring of bulk loads", "[simt]")
{
  test::under_schedules(
    [] {
      check_ring<ring_kernel<1, 1>>(1, 5);
      check_ring<ring_kernel<2, 2>>(2, 13);
      check_ring<ring_kernel<4, 3>>(3, 30);
    },
    12);
}

TEST_CASE("as many blocks run at the same time as are expected", "[simt]")
{
  unsigned most = 0;
  REQUIRE_FALSE(simt::expected_blocks<meeting_kernel>(most));
  REQUIRE(most > 0);
  test::under_schedules([&] {
    zeros<unsigned> arrived(1);
    REQUIRE_FALSE(simt::launch(meeting_kernel{arrived.data()}, most, nullptr, "meeting"));
    REQUIRE_FALSE(simt::wait(nullptr, "meeting"));
    CHECK(arrived.to_host()[0] == most);
  });
}

#if !GIMBAL_GPU

namespace {

template <class Body>
struct body_kernel {
  static constexpr unsigned block_threads = 64;
  struct shared {
    alignas(16) unsigned words[64];
    simt::phase_barrier barrier;
  };
  Body body;

  template <class Context>
  void operator()(Context& ctx, shared& smem) const
  {
    body(ctx, smem);
  }
};

/// The launch fails with a report that contains `part`, and the next one works.
template <class Body>
void check_reported(const char* part, Body body)
{
  test::under_schedules(
    [&] {
      const status state = simt::launch(body_kernel<Body>{body}, 2, nullptr, "body");
      CHECK(state.code == simt::error_launch_failure);
      CHECK_THAT(simt::error_string(state.code), Catch::Contains(part));
      check_ring<ring_kernel<2, 1>>(2, 5);
    },
    2);
}

}  // namespace

TEST_CASE("what is wrong with a phase barrier is reported", "[executor]")
{
  const auto init = [](auto& ctx, auto& smem, unsigned arrivals) {
    if (ctx.thread() == 0) {
      ctx.init(smem.barrier, arrivals);
    }
    ctx.sync_block();
  };
  check_reported(
    "deadlock: no thread of the block can run; 0 wait in sync_block, 0 in warp collectives, 64 at phase",
    [=](auto& ctx, auto& smem) {
      init(ctx, smem, 65);
      ctx.arrive(smem.barrier);
      ctx.wait(smem.barrier, 0);
    });
  check_reported("has not been initialised", [=](auto& ctx, auto& smem) {
    smem.barrier.self = nullptr;
    ctx.arrive(smem.barrier);
  });
  check_reported("more threads arrive", [=](auto& ctx, auto& smem) {
    init(ctx, smem, 32);
    ctx.arrive_expecting(smem.barrier, 16);
  });
  check_reported("multiples of 16", [=](auto& ctx, auto& smem) {
    init(ctx, smem, 64);
    ctx.bulk_load(smem.words + 1, smem.words + 32, 16, smem.barrier);
  });
  check_reported("not the block's shared memory", [=](auto& ctx, auto& smem) {
    init(ctx, smem, 64);
    alignas(16) unsigned local[4] = {};
    ctx.bulk_load(local, smem.words, 16, smem.barrier);
  });
  check_reported("16 bytes at an address", [=](auto& ctx, auto& smem) {
    init(ctx, smem, 64);
    ctx.store_vector(smem.words + 1, {});
  });
}

#if !defined(__SANITIZE_THREAD__)  // under which bulk copies are never late

TEST_CASE("a late bulk copy shows who does not wait for it", "[executor]")
{
  unsigned early = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    simt::executor_options options;
    options.mode = simt::schedule::random;
    options.seed = seed;
    const simt::scoped_executor_options scope(options);
    alignas(16) unsigned source[64] = {};
    const auto body = [&](auto& ctx, auto& smem) {
      if (ctx.thread() == 0) {
        ctx.init(smem.barrier, 1);
        smem.words[5] = 7;
        ctx.arrive_expecting(smem.barrier, sizeof source);
        ctx.bulk_load(smem.words, source, sizeof source, smem.barrier);
        early += smem.words[5] == 7;
      }
      ctx.sync_block();
      ctx.wait(smem.barrier, 0);
      CHECK(smem.words[5] == 0);
    };
    REQUIRE_FALSE(simt::launch(body_kernel<decltype(body)>{body}, 1, nullptr, "late copy"));
  }
  CHECK(early > 0);
}

#endif

#endif
