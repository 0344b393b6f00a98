// Tests what threads of one block do together: barriers, shuffles and votes, on the GPU and on the host executor.
#include <cstdint>
#include <gimbal/simt/simt.cuh>
#include <vector>

#include "simt_support.h"

using namespace gimbal;
using test::block_size;
using test::launch;
using test::zeros;
namespace order = cuda::std;

namespace {

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
    for (unsigned r = 0; r < rounds; ++r) {
      smem.warp_values[thread] = in_warp;
      ctx.sync_warp();
      in_warp = smem.warp_values[first + (ctx.lane() + 1) % simt::warp_threads];
      ctx.sync_warp();
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
    constexpr unsigned lanes = simt::warp_threads;
    const Value value(ctx.thread());
    unsigned wrong = 0;
    for (unsigned d = 0; d < lanes; ++d) {
      wrong += !ctx.shfl(value, d).is(first + d);
      wrong += !ctx.shfl(value, (lane + d) % lanes + lanes).is(first + (lane + d) % lanes);
      wrong += !ctx.shfl_up(value, d).is(lane >= d ? first + lane - d : first + lane);
      wrong += !ctx.shfl_down(value, d).is(lane + d < lanes ? first + lane + d : first + lane);
    }
    uninit<Value> stored;
    stored.set(value);
    wrong += !ctx.shfl(stored, 0).get().is(first);
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
    unsigned wrong = ctx.ballot(lane % 3 == 0) != 0x49249249u;
    wrong += ctx.ballot(false) != 0;
    unsigned same = 0;
    for (unsigned l = lane % 5; l < simt::warp_threads; l += 5) {
      same |= 1u << l;
    }
    wrong += ctx.match_any(lane % 5) != same;
    // Eight bytes that differ only in the upper four.
    const std::uint64_t wide = std::uint64_t{lane % 5} << 32 | 1u;
    wrong += ctx.match_any(wide) != same;
    if (wrong != 0) {
      ctx.atomic(*errors).fetch_add(wrong, order::memory_order_relaxed);
    }
  }
};

}  // namespace

#define GIMBAL_BLOCK_SIZES block_size<32>, block_size<64>, block_size<96>, block_size<256>

TEMPLATE_TEST_CASE("threads know their place", "[simt]", GIMBAL_BLOCK_SIZES, block_size<40>)
{
  constexpr unsigned threads = TestType::value;
  constexpr unsigned blocks = 3;
  zeros<unsigned> out(blocks * threads * 6);
  launch(identity_kernel<threads>{out.data()}, blocks);
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
  launch(kernel{out.data()}, blocks);
  std::vector<unsigned> expected;
  for (unsigned i = 0; i < blocks * threads; ++i) {
    const unsigned t = i % threads;
    expected.push_back((t + kernel::rounds) % threads);
    expected.push_back((t + kernel::rounds) % 32);
  }
  CHECK(out.to_host() == expected);
}

TEMPLATE_TEST_CASE("shuffles move values of any size", "[simt]", GIMBAL_BLOCK_SIZES)
{
  constexpr unsigned threads = TestType::value;
  zeros<unsigned> errors(1);
  launch(shuffle_kernel<threads, plain_value<1>>{errors.data()}, 1);
  launch(shuffle_kernel<threads, plain_value<2>>{errors.data()}, 1);
  launch(shuffle_kernel<threads, plain_value<3>>{errors.data()}, 1);
  launch(shuffle_kernel<threads, plain_value<4>>{errors.data()}, 1);
  launch(shuffle_kernel<threads, plain_value<8>>{errors.data()}, 1);
  launch(shuffle_kernel<threads, plain_value<16>>{errors.data()}, 1);
  launch(shuffle_kernel<threads, plain_value<24>>{errors.data()}, 1);
  CHECK(errors.to_host()[0] == 0);
}

TEMPLATE_TEST_CASE("votes", "[simt]", GIMBAL_BLOCK_SIZES)
{
  zeros<unsigned> errors(1);
  launch(vote_kernel<TestType::value>{errors.data()}, 2);
  CHECK(errors.to_host()[0] == 0);
}
