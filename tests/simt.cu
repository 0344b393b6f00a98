// Every member of the SIMT context, on the GPU and on the host executor, and two small kernels built from them.
#include <cstdint>
#include <cuda/std/bit>
#include <gimbal/simt/simt.cuh>
#include <string>
#include <utility>
#include <vector>

#include "support.h"

using namespace gimbal;
namespace order = cuda::std;

namespace {

/// An array of zeros on the device.
template <class T>
struct zeros : test::device_array<T> {
  explicit zeros(std::size_t size) : test::device_array<T>(std::vector<T>(size)) {}
};

template <class Kernel>
void run(const Kernel& kernel, std::size_t blocks)
{
  const status state = simt::launch(kernel, blocks, nullptr, "test kernel");
  INFO(simt::error_string(state.code));
  REQUIRE(state.code == simt::success);
  REQUIRE_FALSE(simt::wait(nullptr, "test kernel"));
}

// ---- who am I

template <unsigned BlockThreads>
struct identity_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {};
  unsigned* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    unsigned* const mine = out + (ctx.block() * BlockThreads + ctx.thread()) * 6;
    mine[0] = ctx.thread();
    mine[1] = ctx.lane();
    mine[2] = ctx.warp();
    mine[3] = ctx.block();
    mine[4] = ctx.blocks();
    mine[5] = Context::block_threads;
  }
};

// ---- sync_block and sync_warp: values rotate through shared memory

template <unsigned BlockThreads>
struct rotate_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  static constexpr unsigned rounds = 5;
  struct shared {
    unsigned block_values[BlockThreads];
    unsigned warp_values[BlockThreads];
  };
  unsigned* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned thread = ctx.thread();
    unsigned value = thread;
    for (unsigned r = 0; r < rounds; ++r) {
      smem.block_values[thread] = value;
      ctx.sync_block();
      value = smem.block_values[(thread + 1) % BlockThreads];
      ctx.sync_block();
    }
    unsigned in_warp = ctx.lane();
    const unsigned first = ctx.warp() * simt::warp_threads;
    const unsigned lanes = BlockThreads - first < simt::warp_threads ? BlockThreads - first : simt::warp_threads;
    for (unsigned r = 0; r < rounds; ++r) {
      smem.warp_values[thread] = in_warp;
      ctx.sync_warp(simt::full_mask >> (simt::warp_threads - lanes));
      in_warp = smem.warp_values[first + (ctx.lane() + 1) % lanes];
      ctx.sync_warp(simt::full_mask >> (simt::warp_threads - lanes));
    }
    out[(ctx.block() * BlockThreads + thread) * 2] = value;
    out[(ctx.block() * BlockThreads + thread) * 2 + 1] = in_warp;
  }
};

// ---- shuffles

template <unsigned Bytes>
struct plain_value {  // no default constructor
  unsigned char bytes[Bytes];

  GIMBAL_HOST_DEVICE explicit plain_value(unsigned seed) : bytes{}
  {
    for (unsigned b = 0; b < Bytes; ++b) {
      bytes[b] = static_cast<unsigned char>(seed * 7 + b * 13);
    }
  }
  GIMBAL_HOST_DEVICE bool is(unsigned seed) const
  {
    for (unsigned b = 0; b < Bytes; ++b) {
      if (bytes[b] != static_cast<unsigned char>(seed * 7 + b * 13)) {
        return false;
      }
    }
    return true;
  }
};

template <unsigned BlockThreads, class Value>
struct shuffle_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {};
  unsigned* errors;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const unsigned lane = ctx.lane();
    const unsigned first = ctx.warp() * simt::warp_threads;
    const unsigned lanes = BlockThreads - first < simt::warp_threads ? BlockThreads - first : simt::warp_threads;
    const unsigned mask = simt::full_mask >> (simt::warp_threads - lanes);
    const Value value(ctx.thread());
    unsigned wrong = 0;
    for (unsigned d = 0; d < lanes; ++d) {
      wrong += !ctx.shfl(value, d, mask).is(first + d);
      wrong += !ctx.shfl(value, (lane + d) % lanes + simt::warp_threads, mask).is(first + (lane + d) % lanes);
      wrong += !ctx.shfl_up(value, d, mask).is(lane >= d ? first + lane - d : first + lane);
      const Value above = ctx.shfl_down(value, d, mask);
      if (lane + d < lanes) {
        wrong += !above.is(first + lane + d);
      }
      if (lane + d >= simt::warp_threads) {
        wrong += !above.is(first + lane);
      }
    }
    uninit<Value> stored;
    stored.set(value);
    wrong += !ctx.shfl(stored, 0, mask).get().is(first);
    // Halves of the warp that each work alone, then with one more lane.
    const unsigned half = (lane < 16 ? 0x0000ffffu : 0xffff0000u) & mask;
    const unsigned top = simt::warp_threads - 1 - static_cast<unsigned>(order::countl_zero(half));
    if (lane < 16) {
      wrong += !ctx.shfl(value, top, half).is(first + top);
    } else {
      wrong += !ctx.shfl(value, 16, half).is(first + 16);
      wrong += !ctx.shfl(value, top, half).is(first + top);
    }
    if (wrong != 0) {
      ctx.atomic(*errors).fetch_add(wrong, order::memory_order_relaxed);
    }
  }
};

// ---- votes

template <unsigned BlockThreads>
struct vote_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {};
  unsigned* errors;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const unsigned lane = ctx.lane();
    const unsigned left = BlockThreads - ctx.warp() * simt::warp_threads;
    const unsigned mask = left < simt::warp_threads ? simt::full_mask >> (simt::warp_threads - left) : simt::full_mask;
    unsigned wrong = ctx.ballot(lane % 3 == 0, mask) != (0x49249249u & mask);
    wrong += ctx.ballot(false, mask) != 0;
    unsigned same = 0;
    for (unsigned l = lane % 5; l < simt::warp_threads; l += 5) {
      same |= 1u << l;
    }
    wrong += ctx.match_any(lane % 5, mask) != (same & mask);
    // Eight bytes that differ only in the upper four.
    const std::uint64_t wide = std::uint64_t{lane % 5} << 32 | 1u;
    wrong += ctx.match_any(wide, mask) != (same & mask);
    const unsigned odd = 0xaaaaaaaau & mask;
    if (lane % 2 == 1) {
      wrong += ctx.ballot(lane < 8, odd) != (0x000000aau & odd);
    } else {
      wrong += ctx.match_any(7, mask & ~odd) != (mask & ~odd);
    }
    if (wrong != 0) {
      ctx.atomic(*errors).fetch_add(wrong, order::memory_order_relaxed);
    }
  }
};

// ---- atomics

template <unsigned BlockThreads, class Word>
struct atomic_kernel {
  static constexpr unsigned block_threads = BlockThreads;
  struct shared {
    Word count;
  };
  Word* out;  // 7 words, the last two start as all ones and 0

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const Word me = ctx.block() * BlockThreads + ctx.thread();
    ctx.atomic(out[0]).fetch_add(Word{1}, order::memory_order_relaxed);
    ctx.atomic(out[1]).fetch_or(Word{1} << me % 31, order::memory_order_acq_rel);
    ctx.atomic(out[2]).fetch_max(me, order::memory_order_relaxed);
    Word seen = ctx.atomic(out[3]).load(order::memory_order_acquire);
    while (!ctx.atomic(out[3]).compare_exchange_strong(seen, seen + 2, order::memory_order_acq_rel)) {
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
      ctx.atomic(out[5]).fetch_and(~(Word{1} << ctx.block() % 31));
      if (ctx.block() == 0) {
        ctx.atomic(out[6]).exchange(Word{5});
      }
    }
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

template <unsigned BlockThreads>
using block_size = std::integral_constant<unsigned, BlockThreads>;

}  // namespace

#define GIMBAL_BLOCK_SIZES block_size<32>, block_size<64>, block_size<96>, block_size<256>, block_size<40>

TEMPLATE_TEST_CASE("threads know their place", "[simt]", GIMBAL_BLOCK_SIZES)
{
  constexpr unsigned threads = TestType::value;
  constexpr unsigned blocks = 3;
  zeros<unsigned> out(blocks * threads * 6);
  run(identity_kernel<threads>{out.data()}, blocks);
  std::vector<unsigned> expected;
  for (unsigned b = 0; b < blocks; ++b) {
    for (unsigned t = 0; t < threads; ++t) {
      for (const unsigned value : {t, t % 32, t / 32, b, blocks, threads}) {
        expected.push_back(value);
      }
    }
  }
  CHECK(out.to_host() == expected);
}

TEMPLATE_TEST_CASE("barriers order shared memory", "[simt]", GIMBAL_BLOCK_SIZES)
{
  constexpr unsigned threads = TestType::value;
  constexpr unsigned blocks = 2;
  using kernel = rotate_kernel<threads>;
  zeros<unsigned> out(blocks * threads * 2);
  run(kernel{out.data()}, blocks);
  std::vector<unsigned> expected;
  for (unsigned i = 0; i < blocks * threads; ++i) {
    const unsigned t = i % threads;
    const unsigned lanes = std::min(threads - t / 32 * 32, 32u);
    expected.push_back((t + kernel::rounds) % threads);
    expected.push_back((t % 32 + kernel::rounds) % lanes);
  }
  CHECK(out.to_host() == expected);
}

TEMPLATE_TEST_CASE("shuffles move values of any size", "[simt]", GIMBAL_BLOCK_SIZES)
{
  constexpr unsigned threads = TestType::value;
  zeros<unsigned> errors(1);
  run(shuffle_kernel<threads, plain_value<1>>{errors.data()}, 1);
  run(shuffle_kernel<threads, plain_value<2>>{errors.data()}, 1);
  run(shuffle_kernel<threads, plain_value<3>>{errors.data()}, 1);
  run(shuffle_kernel<threads, plain_value<4>>{errors.data()}, 1);
  run(shuffle_kernel<threads, plain_value<8>>{errors.data()}, 1);
  run(shuffle_kernel<threads, plain_value<16>>{errors.data()}, 1);
  run(shuffle_kernel<threads, plain_value<24>>{errors.data()}, 1);
  CHECK(errors.to_host()[0] == 0);
}

TEMPLATE_TEST_CASE("votes", "[simt]", GIMBAL_BLOCK_SIZES)
{
  zeros<unsigned> errors(1);
  run(vote_kernel<TestType::value>{errors.data()}, 2);
  CHECK(errors.to_host()[0] == 0);
}

TEMPLATE_PRODUCT_TEST_CASE(
  "atomics across blocks", "[simt]", std::pair,
  ((block_size<64>, unsigned), (block_size<96>, unsigned), (block_size<256>, unsigned),
   (block_size<64>, unsigned long long)))
{
  constexpr unsigned threads = TestType::first_type::value;
  using word = typename TestType::second_type;
  constexpr unsigned blocks = 6;
  zeros<word> out(7);
  test::raw_fill(out.data() + 5, 0xff, sizeof(word));
  run(atomic_kernel<threads, word>{out.data()}, blocks);
  const std::vector<word> expected = {
    blocks * threads,
    (word{1} << 31) - 1,
    blocks * threads - 1,
    2 * blocks * threads,
    3 * blocks * threads,
    static_cast<word>(~word{0} - ((word{1} << blocks) - 1)),
    5};
  CHECK(out.to_host() == expected);
}

TEMPLATE_TEST_CASE("blocks hand a message on in ticket order", "[simt]", block_size<32>, block_size<96>)
{
  constexpr unsigned blocks = 50;
  zeros<unsigned> words(3);
  run(chain_kernel<TestType::value>{words.data(), words.data() + 1, words.data() + 2}, blocks);
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
    run(
      scan_kernel<threads>{items.data(), items.data(), n, words.data(), state, state + tiles, state + 2 * tiles},
      tiles);
    CHECK(items.to_host() == expected);
  }
}

TEST_CASE("a launch of no blocks is refused", "[simt]")
{
  const status state = simt::launch(identity_kernel<32>{nullptr}, 0, nullptr, "empty launch");
  CHECK(state.code == simt::error_invalid_configuration);
  CHECK(std::string(state.step) == "empty launch");
}
