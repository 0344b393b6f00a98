// Histograms three ways: how often each of `Bins` numbers occurs among n items below Bins.
//
//   global atomics   one atomic addition in global memory for each item: no more at a time than there are bins
//   local copies     every thread counts in a histogram of its own, without atomics; a second launch sums the copies
//   sort, reduce     items are sorted by bin, one bit at a time (split.cuh); then each bin is a run, and its count, the
//                    sum of a one for each item, is the distance of the run's ends
//
// Bytes moved: global atomics 4n read, and n additions at the L2; local copies 4n read and twice Bins counts for each
// thread; sort, reduce about 4 x 9n for each bit of the bin number. Counts are integers: every rung gives the same
// result. Memory order: counts are added relaxed and read by the next launch only.
#pragma once

#include <perf/ladder/split.cuh>

namespace ladder {

inline constexpr unsigned bin_bits = 8;
inline constexpr unsigned bins = 1u << bin_bits;

struct global_atomics_histogram {
  static constexpr const char* name = "global atomics";

  static status run(
    void* storage, std::size_t& bytes, const std::uint32_t* in, index_type n, unsigned* counts,
    simt::stream_type stream)
  {
    if (const placement at = place(storage, bytes); !at.is_done) {
      return at.state;
    }
    GIMBAL_TRY(simt::fill_bytes(counts, 0, bins * sizeof(unsigned), stream, "clearing of the histogram"));
    return for_each_position(n, stream, "histogram by atomics", [=] LADDER_LAMBDA(auto& ctx, index_type i) {
      ctx.atomic(counts[in[i]]).fetch_add(1u, order::memory_order_relaxed);
    });
  }
};

/// Each thread's counts are an array of its own, in local memory, as positions in it are known at run time only.
template <unsigned Threads>
struct local_copies_kernel {
  static constexpr unsigned block_threads = Threads;
  struct shared {};

  const std::uint32_t* in;
  index_type n;
  unsigned* copies;  // [bin][thread of the grid]: threads of a warp write side by side

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    unsigned count[bins] = {};
    for (index_type i = global_thread(ctx); i < n; i += all_threads(ctx)) {
      ++count[in[i]];
    }
    for (unsigned b = 0; b < bins; ++b) {
      copies[b * all_threads(ctx) + global_thread(ctx)] = count[b];
    }
  }
};

/// Block b sums the copies of bin b.
template <unsigned Threads>
struct sum_copies_kernel {
  static constexpr unsigned block_threads = Threads;
  using tree = shuffle_tree<unsigned, Threads>;
  using shared = typename tree::shared;

  const unsigned* copies;
  index_type copy_count;
  unsigned* counts;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned* const row = copies + ctx.block() * copy_count;
    unsigned sum = 0;
    for (index_type i = ctx.thread(); i < copy_count; i += Threads) {
      sum += row[i];
    }
    sum = tree::fold(ctx, smem, sum);
    if (ctx.thread() == 0) {
      counts[ctx.block()] = sum;
    }
  }
};

template <class Shape = shape<128, 128>>
struct local_copies_histogram {
  static constexpr const char* name = "local copies";

  static status run(
    void* storage, std::size_t& bytes, const std::uint32_t* in, index_type n, unsigned* counts,
    simt::stream_type stream)
  {
    const index_type blocks = bounded_grid(n, Shape::threads, Shape::blocks);
    const index_type copy_count = blocks * Shape::threads;
    unsigned* copies = nullptr;
    if (const placement at = place(storage, bytes, &copies, bins * copy_count); !at.is_done) {
      return at.state;
    }
    GIMBAL_TRY(
      simt::launch(local_copies_kernel<Shape::threads>{in, n, copies}, blocks, stream, "local copies of a histogram"));
    return simt::launch(
      sum_copies_kernel<Shape::threads>{copies, copy_count, counts}, bins, stream, "sum of a histogram's copies");
  }
};

template <class Shape = classical_shape>
struct sort_reduce_histogram {
  static constexpr const char* name = "sort, reduce by key";

  static status run(
    void* storage, std::size_t& bytes, const std::uint32_t* in, index_type n, unsigned* counts,
    simt::stream_type stream)
  {
    std::size_t sort_bytes = 0;
    GIMBAL_TRY(
      split_radix_sort<Shape>::run(nullptr, sort_bytes, in, n, static_cast<std::uint32_t*>(nullptr), bin_bits, stream));
    std::uint32_t* sorted = nullptr;
    unsigned* runs = nullptr;
    unsigned char* sort_storage = nullptr;
    if (const placement at = place(storage, bytes, &sorted, n, &runs, 2 * bins, &sort_storage, sort_bytes);
        !at.is_done) {
      return at.state;
    }
    GIMBAL_TRY(simt::fill_bytes(runs, 0, 2 * bins * sizeof(unsigned), stream, "clearing of the runs"));
    GIMBAL_TRY(split_radix_sort<Shape>::run(sort_storage, sort_bytes, in, n, sorted, bin_bits, stream));
    // Where the run of each bin begins and ends: bins that do not occur keep zeros.
    unsigned* const begin = runs;
    unsigned* const end = runs + bins;
    GIMBAL_TRY(for_each_position(n, stream, "ends of the runs", [=] LADDER_LAMBDA(auto&, index_type i) {
      const std::uint32_t bin = sorted[i];
      if (i == 0 || sorted[i - 1] != bin) {
        begin[bin] = static_cast<unsigned>(i);
      }
      if (i == n - 1 || sorted[i + 1] != bin) {
        end[bin] = static_cast<unsigned>(i + 1);
      }
    }));
    return for_each_position(bins, stream, "lengths of the runs", [=] LADDER_LAMBDA(auto&, index_type bin) {
      counts[bin] = end[bin] - begin[bin];
    });
  }
};

}  // namespace ladder
