// Records, and what items that come through iterators are computed by.
#pragma once

#include <thrust/iterator/transform_iterator.h>

#include <cstdint>

#include "fill.h"

namespace perf {

/// A record of several words, in the order of the first `Compared` of them. If those are not all, records of equal keys
/// differ, and a sort that is not stable gives other bytes.
template <class Word, unsigned Words, unsigned Compared = Words>
struct record_of {
  Word word[Words];

  friend __host__ __device__ bool operator<(const record_of& a, const record_of& b)
  {
    for (unsigned w = 0; w + 1 < Compared; ++w) {
      if (a.word[w] != b.word[w]) {
        return a.word[w] < b.word[w];
      }
    }
    return a.word[Compared - 1] < b.word[Compared - 1];
  }
};

/// Runs of items. Run k + 1 starts at a place of its own in the k-th stretch of `mean` items; so runs have 1 to 2 mean
/// - 1 items.
struct run_starts {
  std::uint64_t mean;  // 0: one run

  __host__ __device__ std::uint64_t start(std::uint64_t k) const { return k * mean + mixed(k) % mean; }
  __host__ __device__ std::uint64_t run(std::size_t i) const
  {
    if (mean == 0) {
      return 0;
    }
    const std::uint64_t k = i / mean;
    return k + (i >= start(k) ? 1 : 0);
  }
  /// How many runs the first n items have, if the first run may be empty.
  std::uint64_t count(std::size_t n) const { return run(n - 1) + 1; }
};

template <class Key>
struct run_key {
  run_starts runs;
  __host__ __device__ Key operator()(std::size_t i) const { return static_cast<Key>(runs.run(i)); }
};
struct run_flag {
  run_starts runs;
  __host__ __device__ std::uint8_t operator()(std::size_t i) const { return i == 0 || runs.run(i) != runs.run(i - 1); }
};
/// Whether a run of equal keys begins at a place.
struct begins_run {
  const std::int32_t* keys;
  __host__ __device__ bool operator()(std::int32_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
};
struct run_offset {
  run_starts runs;
  __host__ __device__ std::uint32_t operator()(std::size_t s) const
  {
    return s == 0 ? 0 : static_cast<std::uint32_t>(runs.start(s - 1));
  }
};

/// Places in no order, and the kinds, 0 or 1, of the items there.
struct scattered_items {
  const std::uint32_t* list;
  const std::int32_t* kinds;
};
struct random_place {
  std::uint32_t n;
  __host__ __device__ std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(mixed(i)) % n; }
};
struct random_kind {
  __host__ __device__ std::int32_t operator()(std::size_t i) const { return mixed(i) >> 30 & 1; }
};
/// Of as many as the cell has items.
template <class Cell>
scattered_items make_scattered(Cell& c)
{
  const auto n = static_cast<std::uint32_t>(c.n());
  return {c.template filled<std::uint32_t>(n, random_place{n}), c.template filled<std::int32_t>(n, random_kind{})};
}

/// Places are equal if items of the same kind are there.
struct names_equal {
  const std::int32_t* kinds;
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return kinds[a] == kinds[b]; }
};
struct kind_at {
  scattered_items in;
  __host__ __device__ std::int32_t operator()(std::uint32_t i) const { return in.kinds[in.list[i]]; }
};

/// How many numbers, their sum and that of their squares.
template <class Number>
struct moments {
  Number count, sum, squares;

  static __host__ __device__ moments of(Number x) { return {1, x, x * x}; }
};
struct add_moments {
  template <class Number>
  __host__ __device__ moments<Number> operator()(const moments<Number>& a, const moments<Number>& b) const
  {
    return {a.count + b.count, a.sum + b.sum, a.squares + b.squares};
  }
};

/// Takes a computation, which waits for what is loaded.
struct square {
  template <class T>
  __host__ __device__ T operator()(T x) const
  {
    return static_cast<T>(x * x);
  }
};

template <class T>
auto squares(const T* in)
{
  return thrust::make_transform_iterator(in, square{});
}

/// The number of the row in which an item stands.
struct row_of {
  std::int32_t row_items;
  __host__ __device__ std::int32_t operator()(std::int32_t i) const { return i / row_items; }
};

/// Places far from each other; each one once where `n` has no prime factor but 2 and 3.
struct scattered_place {
  std::uint32_t n;
  __host__ __device__ std::uint32_t operator()(std::uint32_t i) const
  {
    return static_cast<std::uint32_t>(std::uint64_t{i} * 40503 % n);
  }
};

}  // namespace perf
