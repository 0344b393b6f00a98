// What the files of sorts write against: a draw, and the code that compares one combination of keys and values.
#pragma once

#include <gimbal/cub/merge_sort.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <map>
#include <vector>

#include "../compare/comparison.h"
#include "generator.h"

namespace perf {

/// How a sort is called: CUB's call by device time, or Thrust's by the wall clock.
enum class call_kind { device, thrust, thrust_stable };

struct draw;

/// One combination of types, known to main() by its name. Its kernels are compiled once for all draws.
struct subject {
  std::string name;
  key_kind kind;
  unsigned item_bytes;  ///< of key and value
  bool is_merge_sort;
  void (*compare)(comparison&, const draw&);
  /// Prints what the host makes of the first keys, and what all of them are like. Needs no GPU.
  void (*show)(const draw&);
};

struct draw {
  std::uint64_t seed, index;
  const subject* what;
  call_kind call;
  distribution keys;
};

/// Adds a subject to those that are drawn.
struct drawn_subject {
  explicit drawn_subject(subject made);
};

/// What stock's calls allocate from, so that what is seen is not cudaMalloc: it keeps what it is given back for the next request of
/// about as many bytes. Counts are drawn, so that two requests are hardly ever equal.
class kept_memory {
public:
  using value_type = char;

  char* allocate(std::ptrdiff_t bytes);
  void deallocate(char* memory, std::size_t bytes);

private:
  std::multimap<std::size_t, char*> unused_;
  std::map<char*, std::size_t> used_;
};
kept_memory& memory_of_stock();

/// A record of several words. Its order looks at the first of them alone if `Compared` says so; then items of equal keys differ, and a
/// sort that is not stable gives other bytes.
template <class Word, unsigned Words, unsigned Compared = Words>
struct record_of {
  Word word[Words];
};

template <class Key>
struct less_of {
  using type = thrust::less<Key>;
};

/// Lexicographic, as users write it.
struct by_words {
  template <class Word, unsigned Words, unsigned Compared>
  __host__ __device__ bool operator()(
    const record_of<Word, Words, Compared>& a, const record_of<Word, Words, Compared>& b) const
  {
    for (unsigned w = 0; w + 1 < Compared; ++w) {
      if (a.word[w] != b.word[w]) {
        return a.word[w] < b.word[w];
      }
    }
    return a.word[Compared - 1] < b.word[Compared - 1];
  }
};

template <class Word, unsigned Words, unsigned Compared>
struct less_of<record_of<Word, Words, Compared>> {
  using type = by_words;
};

template <class Word, unsigned Words, unsigned Compared>
struct key_maker<record_of<Word, Words, Compared>> {
  static constexpr unsigned bits = 8 * sizeof(Word);
  static constexpr unsigned words = Compared;
  static constexpr bool is_real = false;
  static_assert(Words <= most_words);

  __host__ __device__ static record_of<Word, Words, Compared> make(
    const distribution& d, std::uint64_t j, std::uint64_t value)
  {
    record_of<Word, Words, Compared> key;
    for (unsigned w = 0; w < Words; ++w) {
      key.word[w] = static_cast<Word>(w < Compared ? word_of(d, w, value) : mixed(j, w));
    }
    return key;
  }
};

/// A value of 16 bytes.
struct alignas(16) wide_value {
  std::uint64_t word[2];
};

/// The number of its item, by which stability is seen.
template <class Value>
__host__ __device__ Value value_of_number(std::uint64_t i)
{
  if constexpr (std::is_integral<Value>::value) {
    return static_cast<Value>(i);
  } else {
    return {{i, ~i}};
  }
}

namespace draw_kernels {

constexpr unsigned threads = 256;

template <class Key>
__global__ void __launch_bounds__(threads) make_items(Key* keys, distribution d)
{
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < d.n;
       i += std::uint64_t{gridDim.x} * threads) {
    keys[i] = key_of_item<Key>(d, i);
  }
}

template <class Key>
__global__ void __launch_bounds__(threads) arrange(const Key* sorted, Key* keys, distribution d)
{
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < d.n;
       i += std::uint64_t{gridDim.x} * threads) {
    keys[i] = sorted[source_of(d, i)];
  }
}

template <class Value>
__global__ void __launch_bounds__(threads) number_items(Value* values, std::uint64_t n)
{
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * threads) {
    values[i] = value_of_number<Value>(i);
  }
}

inline unsigned blocks_for(std::uint64_t n)
{
  constexpr std::uint64_t most_blocks = 4096;
  return static_cast<unsigned>(std::min(most_blocks, (n + threads - 1) / threads));
}

}  // namespace draw_kernels

template <class Key>
const Key* make_keys(comparison& c, const distribution& d)
{
  using namespace draw_kernels;
  Key* const items = c.array<Key>(d.n);
  make_items<<<blocks_for(d.n), threads>>>(items, d);
  PERF_CHECK(cudaGetLastError());
  if (d.order == arrangement::random) {
    return items;
  }
  thrust::stable_sort(thrust::device(memory_of_stock()), items, items + d.n, typename less_of<Key>::type{});
  Key* const keys = c.array<Key>(d.n);
  arrange<<<blocks_for(d.n), threads>>>(static_cast<const Key*>(items), keys, d);
  PERF_CHECK(cudaGetLastError());
  return keys;
}

template <class Value>
const Value* make_values(comparison& c, std::uint64_t n)
{
  using namespace draw_kernels;
  Value* const values = c.array<Value>(n);
  number_items<<<blocks_for(n), threads>>>(values, n);
  PERF_CHECK(cudaGetLastError());
  return values;
}

/// Thrust's calls in place, by the wall clock.
template <class Key>
void compare_thrust(comparison& c, call_kind call, twin<Key> keys, int n)
{
  const typename less_of<Key>::type less{};
  if (call == call_kind::thrust) {
    c.wall(
      [=] { thrust::sort(thrust::device(memory_of_stock()), keys.stock, keys.stock + n, less); },
      [=] { thrust::sort(gimbal::par, keys.gimbal, keys.gimbal + n, less); });
  } else {
    c.wall(
      [=] { thrust::stable_sort(thrust::device(memory_of_stock()), keys.stock, keys.stock + n, less); },
      [=] { thrust::stable_sort(gimbal::par, keys.gimbal, keys.gimbal + n, less); });
  }
}

template <class Key, class Value>
void compare_thrust(comparison& c, call_kind call, twin<Key> keys, twin<Value> values, int n)
{
  const typename less_of<Key>::type less{};
  if (call == call_kind::thrust) {
    c.wall(
      [=] { thrust::sort_by_key(thrust::device(memory_of_stock()), keys.stock, keys.stock + n, values.stock, less); },
      [=] { thrust::sort_by_key(gimbal::par, keys.gimbal, keys.gimbal + n, values.gimbal, less); });
  } else {
    c.wall(
      [=] {
        thrust::stable_sort_by_key(thrust::device(memory_of_stock()), keys.stock, keys.stock + n, values.stock, less);
      },
      [=] { thrust::stable_sort_by_key(gimbal::par, keys.gimbal, keys.gimbal + n, values.gimbal, less); });
  }
}

template <class Key>
void compare_radix(comparison& c, const draw& drawn)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c, drawn.keys);
  if (drawn.call == call_kind::device) {
    const twin<Key> out = c.output<Key>(n);
    c.device(
      [=](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(storage, bytes, in, out.stock, n);
      },
      [=](void* storage, std::size_t& bytes) {
        return gimbal::DeviceRadixSort::SortKeys(storage, bytes, in, out.gimbal, n);
      });
    return;
  }
  const twin<Key> keys{c.array<Key>(n), c.array<Key>(n)};
  c.in_place(keys, in, n);
  compare_thrust(c, drawn.call, keys, n);
}

template <class Key, class Value>
void compare_radix_pairs(comparison& c, const draw& drawn)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c, drawn.keys);
  const Value* const values_in = make_values<Value>(c, n);
  if (drawn.call == call_kind::device) {
    const twin<Key> out = c.output<Key>(n);
    const twin<Value> values_out = c.output<Value>(n);
    c.device(
      [=](void* storage, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, in, out.stock, values_in, values_out.stock, n);
      },
      [=](void* storage, std::size_t& bytes) {
        return gimbal::DeviceRadixSort::SortPairs(storage, bytes, in, out.gimbal, values_in, values_out.gimbal, n);
      });
    return;
  }
  const twin<Key> keys{c.array<Key>(n), c.array<Key>(n)};
  const twin<Value> values{c.array<Value>(n), c.array<Value>(n)};
  c.in_place(keys, in, n);
  c.in_place(values, values_in, n);
  compare_thrust(c, drawn.call, keys, values, n);
}

/// By comparisons, in place by either call.
template <class Key>
void compare_merge(comparison& c, const draw& drawn)
{
  const int n = c.n();
  const typename less_of<Key>::type less{};
  const Key* const in = make_keys<Key>(c, drawn.keys);
  const twin<Key> keys{c.array<Key>(n), c.array<Key>(n)};
  c.in_place(keys, in, n);
  if (drawn.call != call_kind::device) {
    compare_thrust(c, drawn.call, keys, n);
    return;
  }
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceMergeSort::StableSortKeys(storage, bytes, keys.stock, n, less);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceMergeSort::StableSortKeys(storage, bytes, keys.gimbal, n, less);
    });
}

template <class Key, class Value>
void compare_merge_pairs(comparison& c, const draw& drawn)
{
  const int n = c.n();
  const typename less_of<Key>::type less{};
  const Key* const in = make_keys<Key>(c, drawn.keys);
  const Value* const values_in = make_values<Value>(c, n);
  const twin<Key> keys{c.array<Key>(n), c.array<Key>(n)};
  const twin<Value> values{c.array<Value>(n), c.array<Value>(n)};
  c.in_place(keys, in, n);
  c.in_place(values, values_in, n);
  if (drawn.call != call_kind::device) {
    compare_thrust(c, drawn.call, keys, values, n);
    return;
  }
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceMergeSort::StableSortPairs(storage, bytes, keys.stock, values.stock, n, less);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceMergeSort::StableSortPairs(storage, bytes, keys.gimbal, values.gimbal, n, less);
    });
}

}  // namespace perf
