// Counting sort of one-byte keys alone, by all their bits, in one launch: each block counts a share of the keys, the blocks exchange
// their histograms (radix_histogram_exchange.cuh), and each writes its part of the output, which follows from the counts
// (radix_fill.cuh). Where some blocks have not begun, as other kernels hold a part of the GPU, those that have do their shares, too.
//
// Order: keys with the same bits are the same keys. Traffic: the keys once in and once out. Launches: 1. Storage: words kept
// for the stream. Progress: blocks wait for members of a team (grid/team.cuh) alone, which have begun. In place: a block writes when it
// has the counts of all shares, which are published after these have been read.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/grid/retained_words.h>
#include <gimbal/workspace.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/radix_sort/radix_fill.cuh>
#include <gimbal/algorithm/radix_sort/radix_histogram_exchange.cuh>
#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/team.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Order, class Keys>
struct radix_count_sort_kernel {
  using key_type = typename Keys::value_type;
  static_assert(sizeof(key_type) == 1, "a digit is the whole key");
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned chunk = Shape::chunk_items;
  static constexpr unsigned copies = 8;  ///< of each counter, as atomics to one address serialise
  static constexpr unsigned digits_per_thread = (block::radix_size + block_threads - 1) / block_threads;
  using histograms_type = block::radix_histogram_exchange<block_threads>;
  static constexpr unsigned most_block_items =
    histograms_type::max_count / (block_threads * chunk) * block_threads * chunk;
  using digit_scan = block::scan<unsigned, block_threads>;
  using filler = radix_filler<Order, Keys>;

  struct shared {
    unsigned counts[block::radix_size][copies];
    typename histograms_type::shared histograms;
    typename digit_scan::shared scan;
    typename filler::table table;
    block::team_place place;
  };

  Keys keys;
  unsigned count;
  unsigned held;  ///< keys of a thread, whole chunks
  bool in_place;  ///< the output may be the input
  histograms_type histograms;
  block::team team = {};

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned order = ctx.thread() == 0 ? team.join(ctx) : 0;
    const bool guesses = simt::may_load_on_a_guess && Keys::is_plain_input;
    if (guesses) {
      count_share(ctx, smem, static_cast<unsigned>(ctx.block()));  // while the team is found
    }
    if (ctx.thread() == 0) {
      smem.place = team.wait(ctx, order);
    }
    ctx.sync_block();  // the team is known
    const block::team_place place = smem.place;
    if (place.members == 0) {
      return;
    }
    if (in_place) {  // a block writes where others have read
      exchange_counts<true>(ctx, smem, place, guesses);
    } else {
      exchange_counts<false>(ctx, smem, place, guesses);
    }
    ctx.sync_block();  // the counts of all shares are there
    if (place.number == 0 && ctx.thread() == 0) {
      team.reopen(ctx, place);
    }
    set_table(ctx, smem);
    ctx.sync_block();  // the table is there
    filler::fill(ctx, smem.table, keys, count, place);
  }

private:
  /// `is_counted`: the share of the block's own index is counted already; it is the only one if all blocks are members.
  template <bool OrdersMemory, class Context>
  GIMBAL_DEVICE void exchange_counts(Context& ctx, shared& smem, const block::team_place& place, bool is_counted) const
  {
    for (unsigned share = place.number; share < ctx.blocks(); share += place.members) {
      if (!is_counted || place.members < ctx.blocks()) {
        ctx.sync_block();  // the counts of the share before have been read
        count_share(ctx, smem, share);
      }
      histograms.template publish<OrdersMemory>(ctx, smem.histograms, 0, share);
    }
    histograms.template collect<OrdersMemory>(ctx, smem.histograms, 0, 0);
  }

  /// The histogram of a share, after a barrier.
  template <class Context>
  GIMBAL_DEVICE void count_share(Context& ctx, shared& smem, unsigned share) const
  {
    for (unsigned c = ctx.thread(); c < block::radix_size * copies; c += block_threads) {
      smem.counts[c / copies][c % copies] = 0;
    }
    ctx.sync_block();  // all counters are zero
    count_keys(ctx, smem, share);
    ctx.sync_block();  // the share's keys are counted
    for (unsigned digit = ctx.thread(); digit < block::radix_size; digit += block_threads) {
      unsigned sum = 0;
      GIMBAL_UNROLL
      for (unsigned c = 0; c < copies; ++c) {
        sum += smem.counts[digit][(c + ctx.lane()) % copies];
      }
      smem.histograms.own[digit] = sum;
    }
    ctx.sync_block();  // so are those of each digit
  }

  template <class Context>
  GIMBAL_DEVICE void count_keys(Context& ctx, shared& smem, unsigned share) const
  {
    const unsigned first = share * held * block_threads;
    const unsigned end = count - first < held * block_threads ? count : first + held * block_threads;
    keys.read(sort_place::input, [&](auto from) {
      GIMBAL_NO_UNROLL
      for (unsigned mine = first + ctx.thread(); mine < end; mine += chunk * block_threads) {
        key_type key[chunk];
        GIMBAL_UNROLL
        for (unsigned i = 0; i < chunk; ++i) {
          if (mine + i * block_threads < end) {
            key[i] = block::load_as<key_type>(from + static_cast<index_type>(mine + i * block_threads));
          }
        }
        GIMBAL_UNROLL
        for (unsigned i = 0; i < chunk; ++i) {
          if (mine + i * block_threads < end) {
            unsigned& counter = smem.counts[block::ordered_bits<Order>(key[i])][ctx.lane() % copies];
            ctx.atomic_shared(counter).fetch_add(1u, ::cuda::std::memory_order_relaxed);
          }
        }
      }
    });
  }

  template <class Context>
  GIMBAL_DEVICE void set_table(Context& ctx, shared& smem) const
  {
    unsigned totals[digits_per_thread] = {};
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_thread; ++k) {
      const unsigned digit = ctx.thread() * digits_per_thread + k;
      if (digit < block::radix_size) {
        totals[k] = histograms_type::sum(smem.histograms.all, digit);
        sum += totals[k];
      }
    }
    uninit<unsigned> before;
    before.set(sum);
    digit_scan::scan_warps(ctx, smem.scan, before, block_threads, ::cuda::std::plus<unsigned>{});
    ctx.sync_block();  // the sums of all warps' digits are there
    const bool is_first = !digit_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<unsigned>{});
    unsigned place = is_first ? 0 : before.get();
    GIMBAL_UNROLL
    for (unsigned k = 0; k < digits_per_thread; ++k) {
      const unsigned digit = ctx.thread() * digits_per_thread + k;
      if (digit < block::radix_size) {
        smem.table.first[digit] = place;
        filler::set_key(smem.table, digit);
        place += totals[k];
      }
    }
    if (ctx.thread() == 0) {
      smem.table.first[block::radix_size] = count;
    }
  }
};

/// n is at least 1, and no more than blocks can count, of which there are up to `most_blocks`.
template <class Kernel, class Keys>
status radix_count_sort(Keys keys, unsigned n, unsigned most_blocks, launch_words& words)
{
  constexpr unsigned row = Kernel::block_threads * Kernel::chunk;
  const unsigned least_blocks = (n - 1) / Kernel::most_block_items + 1;
  const unsigned held = (n - 1) / (words.share_of(most_blocks, least_blocks) * row) + 1;  // rows of a block
  const unsigned blocks = (n - 1) / (held * row) + 1;
  const std::size_t count = Kernel::histograms_type::word_count(blocks);
  GIMBAL_TRY(words.take(count, 1, "clearing of the words of a counting sort"));
  const Kernel kernel{
    keys,
    n,
    held * Kernel::chunk,
    !keys.is_copy(),
    {words.words(), words.first_tag()},
    {words.team_state(), words.patience(tuning::sort_team_patience)}};
  return words.launch(kernel, blocks, "counting sort");
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
