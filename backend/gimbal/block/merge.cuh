// Merging sorted runs, and cutting a merge into equal pieces by merge path.
//
// After Green, McColl & Bader, "GPU merge path: a GPU merging algorithm" (2012). Of the first `diagonal` items of the
// merge of runs a and b, a certain number comes from a and the rest from b; that number is found by bisection without
// merging anything, so every thread, and every block, can produce its own piece of the output. Equal items: those of a
// come first.
//
// The comparator is called on items of the runs only. It need not be more than a strict weak ordering.
#pragma once

#include <cuda/std/bit>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Two neighbouring runs in one array: [begin, middle) and [middle, end).
struct run_pair {
  unsigned begin;
  unsigned middle;
  unsigned end;
};

/// Barrier for aligned groups of `threads` threads, a power of two, that merge each other's runs.
template <class Context>
GIMBAL_DEVICE void sync_threads(Context& ctx, unsigned threads)
{
  if (threads <= simt::warp_threads) {
    ctx.sync_warp();
  } else {
    ctx.sync_block();
  }
}

/// How many of the first `diagonal` items of the merge come from the first run. For one thread.
template <class Key, class Compare>
GIMBAL_DEVICE unsigned merge_path(const uninit<Key>* keys, run_pair runs, unsigned diagonal, Compare& compare)
{
  const unsigned a_count = runs.middle - runs.begin;
  const unsigned b_count = runs.end - runs.middle;
  const uninit<Key>* const a = keys + runs.begin;
  const uninit<Key>* const b = keys + runs.middle;
  unsigned low = diagonal > b_count ? diagonal - b_count : 0;
  unsigned high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (compare(b[diagonal - 1 - middle].get(), a[middle].get())) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The same for runs anywhere, `a_at(i)` and `b_at(i)` being their items; by a whole warp, 32 probes at a time.
template <class Context, class ItemOfA, class ItemOfB, class Compare>
GIMBAL_DEVICE index_type warp_merge_path(
  Context& ctx, ItemOfA a_at, index_type a_count, ItemOfB b_at, index_type b_count, index_type diagonal,
  Compare& compare)
{
  index_type low = diagonal > b_count ? diagonal - b_count : 0;
  index_type high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    // Probes end the first 32 of 33 parts of [low, high); they hold up to some lane and fail from there on.
    const index_type step = (high - low + simt::warp_threads) / (simt::warp_threads + 1);
    const index_type probe = low + step * (ctx.lane() + 1) - 1;
    const bool holds = probe < high && !compare(b_at(diagonal - 1 - probe), a_at(probe));
    const unsigned held = ::cuda::std::popcount(ctx.ballot(holds));
    if (held < simt::warp_threads) {
      const index_type failed = low + step * (held + 1) - 1;
      high = failed < high ? failed : high;
    }
    low += step * held;
  }
  return low;
}

/// The merge of two runs from items `a` and `b` of them on: at least `most` keys, and their indices in `keys`. Where
/// there are fewer, what follows is some key of the runs and no index; the comparator is not asked about it.
template <unsigned Items, class Key, class Compare>
GIMBAL_DEVICE void merge_on(
  const uninit<Key>* keys, run_pair runs, unsigned a, unsigned b, unsigned most, Compare& compare,
  uninit<Key> (&key)[Items], unsigned (&index)[Items])
{
  constexpr unsigned steps = 4;  // between questions for `most`
  constexpr unsigned size = sizeof(uninit<Key>);
  // Places are counted in bytes, and b is what a leaves of their sum: two instructions less a step.
  const unsigned last = (runs.end - 1) * size;
  const auto key_at = [=](unsigned place) -> const uninit<Key>& {
    return *reinterpret_cast<const uninit<Key>*>(
      reinterpret_cast<const unsigned char*>(keys) + (place < last ? place : last));
  };
  const unsigned sum = (a + b) * size;
  a *= size;
  b *= size;
  uninit<Key> a_key = key_at(a);
  uninit<Key> b_key = key_at(b);
  GIMBAL_UNROLL
  for (unsigned first = 0; first < Items; first += steps) {
    if (first < most) {
      GIMBAL_UNROLL
      for (unsigned i = first; i < first + steps && i < Items; ++i) {
        const bool takes_b = b < runs.end * size && (a >= runs.middle * size || compare(b_key.get(), a_key.get()));
        key[i] = choose(takes_b, b_key, a_key);
        index[i] = (takes_b ? b : a) / size;
        // Selects, not one branch per run: shorter, and ptxas 13.0 miscompiles the branches (it adds 1 to b twice).
        a = takes_b ? a : a + size;
        b = sum + (i + 1) * size - a;
        const uninit<Key> loaded = key_at(takes_b ? b : a);
        a_key = choose(takes_b, a_key, loaded);
        b_key = choose(takes_b, loaded, b_key);
      }
    }
  }
}

/// Items `diagonal`, `diagonal` + 1, ... of the merge of two runs, as many as there are and at most `Items`: the keys
/// themselves, and their indices in `keys`.
template <unsigned Items, class Key, class Compare>
GIMBAL_DEVICE void merge_piece(
  const uninit<Key>* keys, run_pair runs, unsigned diagonal, Compare& compare, uninit<Key> (&key)[Items],
  unsigned (&index)[Items])
{
  if (diagonal >= runs.end - runs.begin) {
    return;
  }
  const unsigned a = runs.begin + merge_path(keys, runs, diagonal, compare);
  merge_on(keys, runs, a, runs.middle + diagonal - (a - runs.begin), Items, compare, key, index);
}

/// Stable sort of the first `count` of a thread's own items, by odd-even transposition; `index` moves along.
template <unsigned Items, class Key, class Compare>
GIMBAL_DEVICE void sort_thread(uninit<Key> (&key)[Items], unsigned (&index)[Items], unsigned count, Compare& compare)
{
  GIMBAL_UNROLL
  for (unsigned round = 0; round < Items; ++round) {
    GIMBAL_UNROLL
    for (unsigned i = round % 2; i + 1 < Items; i += 2) {
      if (i + 1 < count && compare(key[i + 1].get(), key[i].get())) {
        const uninit<Key> swapped_key = key[i];
        const unsigned swapped_index = index[i];
        key[i] = key[i + 1];
        index[i] = index[i + 1];
        key[i + 1] = swapped_key;
        index[i + 1] = swapped_index;
      }
    }
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
