// Tests what blocks do together: atomics, and blocks that wait for each other, on the GPU and on the host executor.
#include <gimbal/simt/simt.cuh>
#include <string>
#include <utility>
#include <vector>

#include "simt_support.h"

using namespace gimbal;
using test::block_size;
using test::launch;
using test::zeros;
namespace order = cuda::std;

namespace {

// ---- atomics

template <unsigned BlockThreads, class Word>
struct atomic_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {
    Word count;
  };
  Word* out;  // 6 words

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const Word me = ctx.block() * BlockThreads + ctx.thread();
    ctx.atomic(out[0]).fetch_add(Word{1}, order::memory_order_relaxed);
    ctx.atomic(out[1]).fetch_or(Word{1} << me % 31, order::memory_order_acq_rel);
    ctx.atomic(out[2]).fetch_max(me, order::memory_order_relaxed);
    Word seen = ctx.atomic(out[3]).load(order::memory_order_acquire);
    while (!ctx.atomic(out[3]).compare_exchange_strong(
      seen, seen + 2, order::memory_order_acq_rel, order::memory_order_relaxed)) {
      ctx.spin_wait();
    }
    if (ctx.thread() == 0) {
      ctx.atomic_shared(smem.count).store(Word{0}, order::memory_order_relaxed);
    }
    ctx.sync_block();
    ctx.atomic_shared(smem.count).fetch_add(Word{3}, order::memory_order_relaxed);
    ctx.sync_block();
    if (ctx.thread() == 0) {
      ctx.atomic(out[4]).fetch_add(ctx.atomic_shared(smem.count).load(order::memory_order_relaxed));
      if (ctx.block() == 0) {
        ctx.atomic(out[5]).exchange(Word{5});
      }
    }
  }
};

// ---- launches that start early

/// Copies all items to where another block will read them next, plus 1; a few blocks take long.
struct early_kernel {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned most_early_blocks = 150;
  struct shared {};
  const unsigned* in;
  unsigned* out;
  unsigned turns;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    ctx.let_next_launch_start();
    const unsigned items = ctx.blocks() * block_threads;
    const unsigned me = ctx.block() * block_threads + ctx.thread();
    unsigned item = in[(me + block_threads * 3 + 1) % items];
    for (unsigned i = 0; ctx.block() % 7 == 3 && i < turns; ++i) {
      item *= 5;
    }
    out[me] = item + 1;
  }
};

// ---- blocks wait for each other: a chain in ticket order, and a single-pass scan

template <unsigned BlockThreads>
struct chain_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {
    unsigned ticket;
  };
  unsigned* ticket;
  unsigned* done;     // number of tickets that have finished
  unsigned* message;  // plain memory, handed from each ticket to the next

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.ticket = ctx.atomic(*ticket).fetch_add(1u, order::memory_order_relaxed);
    }
    ctx.sync_block();
    if (ctx.thread() == BlockThreads - 1) {
      while (ctx.atomic(*done).load(order::memory_order_acquire) != smem.ticket) {
        ctx.spin_wait();
      }
      *message = *message * 3 + smem.ticket;
      ctx.atomic(*done).store(smem.ticket + 1, order::memory_order_release);
    }
  }
};

template <unsigned BlockThreads>
struct scan_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  static constexpr unsigned warps = BlockThreads / simt::warp_threads;
  struct shared {
    unsigned tile;
    unsigned totals[warps];
    unsigned before;
  };
  const unsigned* in;
  unsigned* out;
  unsigned n;
  unsigned* ticket;
  unsigned* state;  // per tile 0: nothing, 1: aggregate is there, 2: prefix is there
  unsigned* aggregate;
  unsigned* prefix;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.tile = ctx.atomic(*ticket).fetch_add(1u, order::memory_order_relaxed);
    }
    ctx.sync_block();
    const unsigned tile = smem.tile;
    const unsigned i = tile * BlockThreads + ctx.thread();
    unsigned sum = i < n ? in[i] : 0;
    for (unsigned d = 1; d < simt::warp_threads; d *= 2) {
      const unsigned below = ctx.shfl_up(sum, d);
      if (ctx.lane() >= d) {
        sum += below;
      }
    }
    if (ctx.lane() == simt::warp_threads - 1) {
      smem.totals[ctx.warp()] = sum;
    }
    ctx.sync_block();
    if (ctx.thread() == 0) {
      unsigned total = 0;
      for (unsigned w = 0; w < warps; ++w) {
        total += smem.totals[w];
      }
      smem.before = look_back(ctx, tile, total);
    }
    ctx.sync_block();
    for (unsigned w = 0; w < ctx.warp(); ++w) {
      sum += smem.totals[w];
    }
    if (i < n) {
      out[i] = smem.before + sum;
    }
  }

  template <class Context>
  GIMBAL_DEVICE unsigned look_back(Context& ctx, unsigned tile, unsigned total) const
  {
    aggregate[tile] = total;
    ctx.atomic(state[tile]).store(1u, order::memory_order_release);
    unsigned before = 0;
    for (unsigned t = tile; t-- > 0;) {
      unsigned seen = 0;
      while ((seen = ctx.atomic(state[t]).load(order::memory_order_acquire)) == 0) {
        ctx.spin_wait();
      }
      before += seen == 2 ? prefix[t] : aggregate[t];
      if (seen == 2) {
        break;
      }
    }
    prefix[tile] = before + total;
    ctx.atomic(state[tile]).store(2u, order::memory_order_release);
    return before;
  }
};

}  // namespace

TEMPLATE_PRODUCT_TEST_CASE(
  "atomics across blocks", "[simt]", std::pair,
  ((block_size<64>, unsigned), (block_size<96>, unsigned), (block_size<256>, unsigned),
   (block_size<64>, unsigned long long)))
{
  constexpr unsigned threads = TestType::first_type::value;
  using word = typename TestType::second_type;
  constexpr unsigned blocks = 6;
  zeros<word> out(6);
  launch(atomic_kernel<threads, word>{out.data()}, blocks);
  const std::vector<word> expected = {blocks * threads,     (word{1} << 31) - 1,  blocks * threads - 1,
                                      2 * blocks * threads, 3 * blocks * threads, 5};
  CHECK(out.to_host() == expected);
}

TEMPLATE_TEST_CASE("blocks hand a message on in ticket order", "[simt]", block_size<32>, block_size<96>)
{
  constexpr unsigned blocks = 50;
  zeros<unsigned> words(3);
  launch(chain_kernel<TestType::value>{words.data(), words.data() + 1, words.data() + 2}, blocks);
  unsigned message = 0;
  for (unsigned t = 0; t < blocks; ++t) {
    message = message * 3 + t;
  }
  CHECK(words.to_host() == std::vector<unsigned>{blocks, blocks, message});
}

TEMPLATE_TEST_CASE("a single-pass scan", "[simt]", block_size<64>, block_size<256>)
{
  constexpr unsigned threads = TestType::value;
  for (const unsigned n : {1u, 63u, 64u, 500u, 3001u}) {
    const unsigned tiles = (n + threads - 1) / threads;
    std::vector<unsigned> in(n);
    std::vector<unsigned> expected(n);
    unsigned sum = 0;
    for (unsigned i = 0; i < n; ++i) {
      expected[i] = sum += in[i] = i * 2654435761u;
    }
    test::device_array<unsigned> items(in);
    zeros<unsigned> words(1 + 3 * tiles);
    unsigned* const state = words.data() + 1;
    launch(
      scan_kernel<threads>{items.data(), items.data(), n, words.data(), state, state + tiles, state + 2 * tiles},
      tiles);
    CHECK(items.to_host() == expected);
  }
}

TEST_CASE("a launch that starts early reads what the one in front has written", "[simt]")
{
  constexpr unsigned blocks = early_kernel::most_early_blocks;
  constexpr unsigned turns = GIMBAL_GPU ? 10000 : 4;  // 5 to the power of either is 1 modulo 16
  zeros<unsigned> one(blocks * early_kernel::block_threads);
  zeros<unsigned> other(blocks * early_kernel::block_threads);
  for (unsigned round = 0; round < 6; ++round) {
    REQUIRE(simt::launch(early_kernel{one.data(), other.data(), turns}, blocks, 0, "test").code == simt::success);
    REQUIRE(simt::launch(early_kernel{other.data(), one.data(), turns}, blocks, 0, "test").code == simt::success);
  }
  REQUIRE(simt::wait(0, "test").code == simt::success);
  std::vector<unsigned> result = one.to_host();
  for (unsigned& item : result) {
    item %= 16;
  }
  REQUIRE(result == std::vector<unsigned>(result.size(), 12));
}

TEST_CASE("a launch of no blocks is refused", "[simt]")
{
  const status state = simt::launch(chain_kernel<32>{nullptr, nullptr, nullptr}, 0, nullptr, "empty launch");
  CHECK(state.code == simt::error_invalid_configuration);
  CHECK(std::string(state.step) == "empty launch");
}
