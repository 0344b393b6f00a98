// Two kernels with one of several mutations on demand, to see that the host executor's schedules and ThreadSanitizer
// find it.
#pragma once

#include <gimbal/simt/simt.cuh>
#include <vector>

enum class mutation {
  none,
  missing_barrier,        // shared memory is read before all threads have written it
  missing_reuse_barrier,  // shared memory is overwritten before all threads have read it
  flag_before_value,      // published before it is written
  missing_wait,           // the predecessor's value is read without waiting for it
  block_as_tile,          // waits for a block that may not have started
  relaxed_store,          // of the flag
  relaxed_load,           // of the flag
  missing_sync_warp,      // between lanes
  shuffle_as_barrier,     // between lanes
  ballot_as_barrier,      // between lanes
  missing_phase_wait,     // a stage of a ring is read before its bulk copy has landed
  early_stage_release,    // a stage of a ring is filled before it has been read
};

/// Running sum over 64-thread tiles: warp scans, a scan of the warps' sums, and a look-back over the tiles before.
template <mutation Mutation>
struct mutated_scan {
  static constexpr unsigned block_threads = 64;
  struct shared {
    unsigned tile;
    unsigned totals[2];
    unsigned before;
  };
  const unsigned* in;
  unsigned* out;
  unsigned* ticket;
  unsigned* flags;
  unsigned* sums;

  template <class Context>
  void operator()(Context& ctx, shared& smem) const
  {
    namespace order = cuda::std;
    if (ctx.thread() == 0) {
      smem.tile = ctx.atomic(*ticket).fetch_add(1u, order::memory_order_relaxed);
    }
    ctx.sync_block();
    const unsigned tile = Mutation == mutation::block_as_tile ? ctx.block() : smem.tile;
    const unsigned i = tile * block_threads + ctx.thread();
    unsigned sum = in[i];
    for (unsigned d = 1; d < 32; d *= 2) {
      const unsigned below = ctx.shfl_up(sum, d);
      if (ctx.lane() >= d) {
        sum += below;
      }
    }
    if (ctx.lane() == 31) {
      smem.totals[ctx.warp()] = sum;
    }
    if (Mutation != mutation::missing_barrier) {
      ctx.sync_block();
    }
    const unsigned first_warp = smem.totals[0];
    if (ctx.thread() == 0) {
      const unsigned total = first_warp + smem.totals[1];
      if (tile != 0) {
        const auto load =
          Mutation == mutation::relaxed_load ? order::memory_order_relaxed : order::memory_order_acquire;
        while (Mutation != mutation::missing_wait && ctx.atomic(flags[tile - 1]).load(load) == 0) {
          ctx.spin_wait();
        }
        smem.before = sums[tile - 1];
      } else {
        smem.before = 0;
      }
      const auto store =
        Mutation == mutation::relaxed_store ? order::memory_order_relaxed : order::memory_order_release;
      if (Mutation == mutation::flag_before_value) {
        ctx.atomic(flags[tile]).store(1u, store);
      }
      sums[tile] = smem.before + total;
      if (Mutation != mutation::flag_before_value) {
        ctx.atomic(flags[tile]).store(1u, store);
      }
    }
    ctx.sync_block();
    sum += smem.before + (ctx.warp() == 1 ? first_warp : 0);
    if (Mutation != mutation::missing_reuse_barrier) {
      ctx.sync_block();
    }
    if (ctx.thread() == 0) {
      smem.before = 0;
    }  // another use of the same memory
    out[i] = sum;
  }
};

/// Each lane passes its number to the next through shared memory.
template <mutation Mutation>
struct mutated_rotation {
  static constexpr unsigned block_threads = 32;
  struct shared {
    unsigned values[32];
  };
  unsigned* out;

  template <class Context>
  void operator()(Context& ctx, shared& smem) const
  {
    smem.values[ctx.lane()] = ctx.lane();
    if (Mutation == mutation::shuffle_as_barrier) {
      ctx.shfl(1u, 0);
    } else if (Mutation == mutation::ballot_as_barrier) {
      ctx.ballot(true);
    } else if (Mutation != mutation::missing_sync_warp) {
      ctx.sync_warp();
    }
    out[ctx.lane()] = smem.values[(ctx.lane() + 1) % 32];
  }
};

/// A producer loads chunks of 32 numbers into a ring of two stages; two consumer warps add them up.
template <mutation Mutation>
struct mutated_ring {
  static constexpr unsigned block_threads = 96;
  struct shared {
    alignas(16) unsigned stage[2][32];
    gimbal::simt::phase_barrier full[2];
    gimbal::simt::phase_barrier empty[2];
  };
  const unsigned* in;
  unsigned* out;
  unsigned chunks;

  template <class Context>
  void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      for (unsigned s = 0; s < 2; ++s) {
        ctx.init(smem.full[s], 1);
        ctx.init(smem.empty[s], 2);
      }
    }
    ctx.sync_block();
    if (ctx.warp() == 0) {
      for (unsigned c = 0; c < chunks && ctx.lane() == 0; ++c) {
        ctx.wait(smem.empty[c % 2], c / 2 % 2 ^ 1);
        ctx.arrive_expecting(smem.full[c % 2], sizeof smem.stage[0]);
        ctx.bulk_load(smem.stage[c % 2], in + c * 32, sizeof smem.stage[0], smem.full[c % 2]);
      }
      return;
    }
    const unsigned me = ctx.warp() - 1;
    unsigned sum = 0;
    for (unsigned c = 0; c < chunks; ++c) {
      if (Mutation != mutation::missing_phase_wait) {
        ctx.wait(smem.full[c % 2], c / 2 % 2);
      }
      if (Mutation == mutation::early_stage_release && ctx.lane() == 0) {
        ctx.arrive(smem.empty[c % 2]);
      }
      sum += smem.stage[c % 2][31 - ctx.lane()];
      ctx.sync_warp();
      if (Mutation != mutation::early_stage_release && ctx.lane() == 0) {
        ctx.arrive(smem.empty[c % 2]);
      }
    }
    out[me * 32 + ctx.lane()] = sum;
  }
};

enum class outcome { right, wrong, failed };

template <mutation Mutation>
outcome run_scan(unsigned tiles)
{
  const unsigned n = tiles * 64;
  std::vector<unsigned> in(n);
  std::vector<unsigned> out(n);
  std::vector<unsigned> expected(n);
  std::vector<unsigned> state(1 + 2 * tiles);
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i) {
    expected[i] = sum += in[i] = i * 2654435761u + 1;
  }
  unsigned* const flags = state.data() + 1;
  const mutated_scan<Mutation> kernel{in.data(), out.data(), state.data(), flags, flags + tiles};
  if (gimbal::simt::launch(kernel, tiles, nullptr, "mutated scan")) {
    return outcome::failed;
  }
  return out == expected ? outcome::right : outcome::wrong;
}

template <mutation Mutation>
outcome run_rotation()
{
  std::vector<unsigned> out(32);
  if (gimbal::simt::launch(mutated_rotation<Mutation>{out.data()}, 1, nullptr, "mutated rotation")) {
    return outcome::failed;
  }
  for (unsigned l = 0; l < 32; ++l) {
    if (out[l] != (l + 1) % 32) {
      return outcome::wrong;
    }
  }
  return outcome::right;
}

template <mutation Mutation>
outcome run_ring()
{
  constexpr unsigned chunks = 9;
  alignas(16) unsigned in[chunks * 32];
  std::vector<unsigned> out(64);
  std::vector<unsigned> expected(64);
  for (unsigned i = 0; i < chunks * 32; ++i) {
    in[i] = i * 2654435761u + 1;
    expected[31 - i % 32] += in[i];
    expected[63 - i % 32] += in[i];
  }
  if (gimbal::simt::launch(mutated_ring<Mutation>{in, out.data(), chunks}, 1, nullptr, "mutated ring")) {
    return outcome::failed;
  }
  return out == expected ? outcome::right : outcome::wrong;
}
