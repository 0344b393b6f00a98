// Merging sorted runs, and cutting a merge into equal pieces by merge path.
//
// After Green, McColl & Bader, "GPU merge path: a GPU merging algorithm" (2012). Of the first `diagonal` items of the
// merge of runs a and b, a certain number comes from a and the rest from b; that number is found by bisection without
// merging anything, so every thread, and every block, can produce its own piece of the output. Equal items: those of a
// come first.
//
// In shared memory the second run follows the first in reverse order. So the items that are not merged yet are always
// contiguous: when one run is used up, its next slot holds an item of the other, and a step of a merge compares one end
// only. And the two slots that a step of a bisection compares are always the same distance apart.
//
// The comparator is called on items of the runs only. It need not be more than a strict weak ordering.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// Two neighbouring runs in one array: [begin, middle), and [middle, end) in reverse order.
struct run_pair {
  unsigned begin;
  unsigned middle;
  unsigned end;
};

/// Items between questions for the end of a merge; so many places in front of the first run and one behind the last may
/// be read, and are given to no comparator that is a strict weak ordering.
inline constexpr unsigned merge_steps = 4;

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

/// The key `sum` - `less` bytes behind the first.
template <class Key>
GIMBAL_DEVICE const uninit<Key>& key_at_bytes(const uninit<Key>* keys, unsigned sum, unsigned less)
{
  return *reinterpret_cast<const uninit<Key>*>(
    reinterpret_cast<const unsigned char*>(keys) + static_cast<int>(sum) - static_cast<int>(less));
}

/// How many of the first `diagonal` items of the merge come from the first run. For one thread.
template <class Key, class Compare>
GIMBAL_DEVICE unsigned merge_path(const uninit<Key>* keys, run_pair runs, unsigned diagonal, Compare& compare)
{
  const unsigned a_count = runs.middle - runs.begin;
  const unsigned b_count = runs.end - runs.middle;
  const unsigned least = diagonal > b_count ? diagonal - b_count : 0;
  const unsigned most = diagonal < a_count ? diagonal : a_count;
  // Places are counted in bytes. The last item from b, if i are from a, lies as far behind item i of a for every i.
  constexpr unsigned size = sizeof(uninit<Key>);
  const unsigned gap = (runs.end - diagonal - runs.begin) * size;
  unsigned a = (runs.begin + least) * size;
  for (unsigned choices = most - least + 1; choices > 1;) {
    const unsigned half = choices / 2;
    const unsigned next = a + half * size;
    const bool is_before = static_cast<bool>(
      compare(block::key_at_bytes(keys, next + gap, size).get(), block::key_at_bytes(keys, next, size).get()));
    a = is_before ? a : next;
    choices -= half;
  }
  return a / size - runs.begin;
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
    const bool holds = probe < high && !static_cast<bool>(compare(b_at(diagonal - 1 - probe), a_at(probe)));
    const unsigned held = simt::popcount(ctx.ballot(holds));
    if (held < simt::warp_threads) {
      const index_type failed = low + step * (held + 1) - 1;
      high = failed < high ? failed : high;
    }
    low += step * held;
  }
  return low;
}

/// The merge of two runs behind its first `diagonal` items, of which those before place `a` come from the first run: at
/// least `count` keys, and their places in `keys`. What follows behind the last is any key.
template <unsigned Items, class Key, class Compare>
GIMBAL_DEVICE void merge_on(
  const uninit<Key>* keys, run_pair runs, unsigned a, unsigned diagonal, unsigned count, Compare& compare,
  uninit<Key> (&key)[Items], unsigned (&place)[Items])
{
  constexpr unsigned size = sizeof(uninit<Key>);
  // Places are counted in bytes. With each item a goes up or b goes down, so b follows from a; of the sum that is a
  // place to load from, the part that depends on the step alone is a constant of the load.
  const unsigned b = runs.end - 1 - (diagonal - (a - runs.begin));
  const unsigned gap = (b - a) * size;
  const unsigned middle = runs.middle * size;
  a *= size;
  uninit<Key> a_key = block::key_at_bytes(keys, a, 0);
  uninit<Key> b_key = block::key_at_bytes(keys, a + gap, 0);
  GIMBAL_UNROLL
  for (unsigned first = 0; first < Items; first += merge_steps) {
    if (first < count) {
      GIMBAL_UNROLL
      for (unsigned i = first; i < first + merge_steps && i < Items; ++i) {
        const bool takes_b = a >= middle || static_cast<bool>(compare(b_key.get(), a_key.get()));
        key[i] = gimbal::choose(takes_b, b_key, a_key);
        place[i] = (takes_b ? a + gap - i * size : a) / size;
        if (i + 1 < Items) {
          // Selects, not one branch per run: shorter, and ptxas 13.0 has miscompiled such branches.
          const uninit<Key> loaded = block::key_at_bytes(keys, a + (takes_b ? gap : (i + 2) * size), (i + 1) * size);
          a = takes_b ? a : a + size;
          a_key = gimbal::choose(takes_b, a_key, loaded);
          b_key = gimbal::choose(takes_b, loaded, b_key);
        }
      }
    }
  }
}

}  // namespace block

GIMBAL_NAMESPACE_END
