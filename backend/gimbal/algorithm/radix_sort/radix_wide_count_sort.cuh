// Counting sort of many two-byte integer keys alone, by all their bits: no key is moved, as the output follows from the counts.
//
// Algorithm: each block counts all 2^16 keys of its share in a table of its own in shared memory, two 16-bit counts in a word
// (radix_wide_count.cuh). A second launch sums the tables and finds where each key begins in the output, which a third writes. A
// count that reaches half of its capacity carries that half to a global counter.
//
// Order: keys with the same bits are the same keys. Traffic: the keys once in and once out, and the tables. Launches: 1
// fill and 3. Storage: a table of 128 KB for each block that counts, of which there are few enough not to exceed the size of the
// keys, and 0.8 MB. In place: the third launch writes when the first has read. No block waits for another.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/workspace.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/radix_sort/radix_wide_count.cuh>
#include <gimbal/collective/scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// Where each key begins in the output: each block has a slice of the key values, and finds the places within it and its total.
template <class Shape, class Order, class Key>
struct radix_wide_sum_kernel {
  static constexpr unsigned block_threads = Shape::slice_threads;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned slice_keys = 2 * block_threads;
  static constexpr unsigned slices = wide_counts::keys / slice_keys;
  static constexpr unsigned batch = Shape::slice_batch;  // tables of a thread in flight
  using slice_scan = block::scan<index_type, block_threads>;
  using shared = typename slice_scan::shared;

  wide_counts counts;
  index_type* places;
  index_type* slice_counts;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    ctx.let_next_launch_start();
    const unsigned key = 2 * (ctx.block() * block_threads + ctx.thread());  // and the next, by their distinct_bits
    const unsigned own = block::own_bits<Order, Key>(static_cast<std::uint16_t>(key));
    index_type sums[2];  // of the word that has both
    add_tables(own / 2, sums);
    const index_type first = sums[own % 2];
    const index_type both = sums[0] + sums[1];
    uninit<index_type> before;
    before.set(both);
    slice_scan::scan_warps(ctx, smem, before, block_threads, ::cuda::std::plus<index_type>{});
    ctx.sync_block();  // the sums of all warps are there
    const bool is_first = !slice_scan::prefix(ctx, smem, before, ::cuda::std::plus<index_type>{});
    const index_type place = is_first ? 0 : before.get();
    places[key] = place;
    places[key + 1] = place + first;
    if (ctx.thread() == block_threads - 1) {
      slice_counts[ctx.block()] = place + both;
    }
  }

private:
  GIMBAL_DEVICE void add_tables(unsigned word, index_type (&sums)[2]) const
  {
    unsigned low = 0;
    unsigned high = 0;
    for (unsigned table = 0; table < counts.tables; table += batch) {
      std::uint32_t read[batch];
      GIMBAL_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        read[j] = table + j < counts.tables
                    ? counts.word[(table + j) * std::size_t{wide_counts::words} + wide_counts::place_of(word)]
                    : 0;
      }
      GIMBAL_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        low += read[j] & 0xffff;
        high += read[j] >> 16;
      }
    }
    sums[0] = low + wide_counts::carry * static_cast<index_type>(counts.carries[2 * word]);
    sums[1] = high + wide_counts::carry * static_cast<index_type>(counts.carries[2 * word + 1]);
  }
};

/// Writes the output: each block a part, slice by slice.
template <class Shape, class Order, class Keys, unsigned Slices>
struct radix_wide_fill_kernel {
  using key_type = typename Keys::value_type;
  static constexpr unsigned block_threads = Shape::fill_threads;
  static constexpr unsigned most_early_blocks = Shape::early_blocks;
  static constexpr unsigned slice_keys = wide_counts::keys / Slices;
  static constexpr index_type chunk = wide_counts::chunk;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  using slice_scan = block::scan<index_type, block_threads>;
  static_assert(Slices <= block_threads && (Slices & (Slices - 1)) == 0, "a thread has a slice at most");

  struct shared {
    index_type slice_begin[Slices + 1];
    index_type key_begin[slice_keys + 1];  ///< of the slice that is written
    typename slice_scan::shared scan;
  };

  Keys keys;
  index_type n;
  index_type part;  ///< keys of a block
  const index_type* places;
  const index_type* slice_counts;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    find_slices(ctx, smem);
    const index_type first = static_cast<index_type>(ctx.block()) * part;
    const index_type end = first + part < n ? first + part : n;
    unsigned slice = 0;  // the last that does not begin behind the first place
    GIMBAL_UNROLL
    for (unsigned step = Slices / 2; step != 0; step /= 2) {
      slice += smem.slice_begin[slice + step] <= first ? step : 0;
    }
    for (; slice < Slices && smem.slice_begin[slice] < end; ++slice) {
      const index_type slice_first = smem.slice_begin[slice];
      const index_type slice_end = smem.slice_begin[slice + 1];
      if (slice_end > slice_first) {
        for (unsigned k = ctx.thread(); k <= slice_keys; k += block_threads) {
          smem.key_begin[k] = k == slice_keys ? slice_end : slice_first + places[slice * slice_keys + k];
        }
        ctx.sync_block();  // the begins of the slice's keys are there
        const index_type from = first < slice_first ? slice_first : first;
        fill(ctx, smem, slice, from, slice_end < end ? slice_end : end);
        ctx.sync_block();  // they are no longer needed
      }
    }
  }

private:
  /// A run of equal keys in the output, up to place `end`.
  struct run_of_keys {
    unsigned key;  ///< in the slice, by its distinct_bits
    index_type end;
  };

  template <class Context>
  GIMBAL_DEVICE void find_slices(Context& ctx, shared& smem) const
  {
    uninit<index_type> before;
    before.set(ctx.thread() < Slices ? slice_counts[ctx.thread()] : 0);
    slice_scan::scan_warps(ctx, smem.scan, before, block_threads, ::cuda::std::plus<index_type>{});
    ctx.sync_block();  // the sums of all warps are there
    const bool is_first = !slice_scan::prefix(ctx, smem.scan, before, ::cuda::std::plus<index_type>{});
    if (ctx.thread() < Slices) {
      smem.slice_begin[ctx.thread()] = is_first ? 0 : before.get();
    }
    if (ctx.thread() == 0) {
      smem.slice_begin[Slices] = n;
    }
    ctx.sync_block();  // every slice's begin is there
  }

  /// Places [from, end), all of one slice: consecutive chunks for each warp, so that a lane's next chunk seldom has another key.
  template <class Context>
  GIMBAL_DEVICE void fill(Context& ctx, const shared& smem, unsigned slice, index_type from, index_type end) const
  {
    const auto place = static_cast<index_type>(reinterpret_cast<std::uintptr_t>(keys.output) / sizeof(key_type));
    const index_type before = (place + from) % chunk;  // places of the first chunk before `from`
    const index_type chunks = (end - from + before + chunk - 1) / chunk;
    const index_type rows = (chunks - 1) / block_threads + 1;  // of a warp
    const index_type first = static_cast<index_type>(ctx.warp()) * rows * simt::warp_threads;
    const index_type last = first + rows * simt::warp_threads < chunks ? first + rows * simt::warp_threads : chunks;
    run_of_keys run{0, smem.key_begin[1]};
    for (index_type c = first + ctx.lane(); c < last; c += simt::warp_threads) {
      fill_chunk(ctx, smem, slice, from - before + c * chunk, from, end, run);
    }
  }

  /// Advances to the run that has `place`: the next one, or found by binary search.
  static GIMBAL_DEVICE void advance(const shared& smem, index_type place, run_of_keys& run)
  {
    ++run.key;
    run.end = smem.key_begin[run.key + 1];
    if (run.end <= place) {
      unsigned key = 0;  // the last that does not begin behind the place
      GIMBAL_UNROLL
      for (unsigned step = slice_keys / 2; step != 0; step /= 2) {
        key += smem.key_begin[key + step] <= place ? step : 0;
      }
      run = {key, smem.key_begin[key + 1]};
    }
  }

  /// The chunk at `place`, as far as it is in [from, end).
  template <class Context>
  GIMBAL_DEVICE void fill_chunk(
    Context& ctx, const shared& smem, unsigned slice, index_type place, index_type from, index_type end,
    run_of_keys& run) const
  {
    const unsigned first = place < from ? static_cast<unsigned>(from - place) : 0;
    const unsigned last = place + chunk < end ? wide_counts::chunk : static_cast<unsigned>(end - place);
    if (run.end <= place + first) {
      advance(smem, place + first, run);
    }
    const auto own = [&] {
      return block::own_bits<Order, key_type>(static_cast<std::uint16_t>(slice * slice_keys + run.key));
    };
    std::uint32_t words[wide_counts::chunk / 2];  // two keys each
    GIMBAL_UNROLL
    for (std::uint32_t& word : words) {
      word = own() * 0x00010001u;
    }
    while (run.end < place + last) {  // more runs follow
      const auto begin = static_cast<unsigned>(run.end - place);
      advance(smem, run.end, run);
      GIMBAL_UNROLL
      for (unsigned i = 0; i < wide_counts::chunk; ++i) {
        const std::uint32_t half = 0xffffu << i % 2 * 16;
        words[i / 2] = i >= begin ? (words[i / 2] & ~half) | (own() * 0x00010001u & half) : words[i / 2];
      }
    }
    auto* const out = reinterpret_cast<std::uint16_t*>(keys.output) + place;
    if (first == 0 && last == wide_counts::chunk) {
      simt::vector16 vector;
      std::memcpy(&vector, words, sizeof(vector));
      ctx.store_vector(out, vector);
      return;
    }
    GIMBAL_UNROLL
    for (unsigned i = 0; i < wide_counts::chunk; ++i) {
      if (first <= i && i < last) {
        out[i] = static_cast<std::uint16_t>(words[i / 2] >> i % 2 * 16);
      }
    }
  }
};

/// Integers of two bytes in plain memory.
template <class Keys>
inline constexpr bool is_wide_count_possible =
  Keys::is_plain_output && sizeof(typename Keys::value_type) == 2
  && block::radix_key_kind_v<typename Keys::value_type> != block::radix_key_kind::floating_point;

/// n is at least 1. `most_blocks`: resident blocks of the device.
template <class Shape, class Order, class Keys>
status radix_wide_count_sort(
  temporary_storage storage, std::size_t& storage_bytes, Keys keys, index_type n, unsigned most_blocks,
  simt::stream_type stream)
{
  using key_type = typename Keys::value_type;
  using count_kernel = radix_wide_count_kernel<Shape, Keys>;
  using sum_kernel = radix_wide_sum_kernel<Shape, Order, key_type>;
  using fill_kernel = radix_wide_fill_kernel<Shape, Order, Keys, sum_kernel::slices>;
  constexpr index_type table_keys = wide_counts::words * sizeof(std::uint32_t) / sizeof(key_type);
  constexpr index_type other_tables = 7;  // as much storage as all else takes
  const index_type affordable = n / table_keys - other_tables;
  const index_type blocks = affordable < 1 ? 1 : affordable < most_blocks ? affordable : most_blocks;

  wide_counts counts{nullptr, nullptr, static_cast<unsigned>(blocks)};
  index_type* places = nullptr;
  index_type* slice_counts = nullptr;
  storage_layout layout;
  layout.add(&counts.carries, wide_counts::keys);
  layout.add(&counts.word, static_cast<std::size_t>(blocks) * wide_counts::words);
  layout.add(&places, wide_counts::keys);
  layout.add(&slice_counts, sum_kernel::slices);
  status placed;
  if (!layout.place(storage, storage_bytes, placed) || n == 0) {
    return placed;
  }
  GIMBAL_TRY(simt::fill_bytes(
    counts.carries, 0, wide_counts::keys * sizeof(unsigned), stream, "sort by counts of two bytes: clearing"));
  const index_type chunks = count_kernel::chunks(keys, n);
  const index_type share = (chunks - 1) / blocks + 1;
  GIMBAL_TRY(
    simt::launch(count_kernel{keys, n, share, counts}, blocks, stream, "sort by counts of two bytes: counting"));
  GIMBAL_TRY(simt::launch(
    sum_kernel{counts, places, slice_counts}, sum_kernel::slices, stream, "sort by counts of two bytes: sums"));
  constexpr index_type least_part = fill_kernel::chunk * fill_kernel::block_threads;
  const index_type even_part = (n - 1) / Shape::fill_blocks + 1;
  const index_type part = even_part < least_part ? least_part : even_part;
  return simt::launch(
    fill_kernel{keys, n, part, places, slice_counts}, (n - 1) / part + 1, stream,
    "sort by counts of two bytes: filling");
}

/// The same with its tables in the buffer, if one was given and is large enough.
template <class Shape, class Order, class Keys>
status radix_wide_count_sort_in_buffer(
  temporary_storage storage, std::size_t& storage_bytes, Keys keys, index_type n, unsigned most_blocks,
  simt::stream_type stream)
{
  std::size_t bytes = 0;
  GIMBAL_TRY((algorithm::radix_wide_count_sort<Shape, Order>(nullptr, bytes, keys, n, most_blocks, stream)));
  if (keys.buffer == nullptr || bytes > static_cast<std::size_t>(n) * sizeof(*keys.buffer)) {
    return algorithm::radix_wide_count_sort<Shape, Order>(storage, storage_bytes, keys, n, most_blocks, stream);
  }
  status placed;
  if (!storage_layout{}.place(storage, storage_bytes, placed)) {
    return placed;
  }
  return algorithm::radix_wide_count_sort<Shape, Order>(keys.buffer, bytes, keys, n, most_blocks, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
