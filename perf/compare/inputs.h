// Inputs of the comparisons, made on the device: the same for a given distribution, size and type, in every run.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "comparison.h"

namespace perf {

/// A 2x2 matrix of unsigned numbers, whose product is associative and not commutative.
struct alignas(16) matrix2 {
  std::uint32_t a, b, c, d;
};

/// A key with what belongs to it, of 16 bytes.
struct alignas(16) u64x2 {
  std::uint64_t key, payload;
};

/// A struct of several words: a value, or a key by its first word.
template <unsigned Words>
struct u64s {
  std::uint64_t word[Words];

  friend __host__ __device__ u64s operator+(const u64s& a, const u64s& b)
  {
    u64s sum;
    for (unsigned w = 0; w < Words; ++w) {
      sum.word[w] = a.word[w] + b.word[w];
    }
    return sum;
  }
};
using u64x4 = u64s<4>;
using u64x5 = u64s<5>;  // of which no whole number but an even one fills vectors of 16 bytes

template <class T>
struct small_number {
  // -8 to 8: the sum of 2^30 of them, and of every part of them, stays far below 2^24, where f32 ends to be exact.
  __host__ __device__ T operator()(std::size_t i) const { return static_cast<T>(static_cast<int>(mixed(i) % 17) - 8); }
};

template <class T>
struct random_item {
  __host__ __device__ T operator()(std::size_t i) const { return static_cast<T>(mixed(i)); }
};

template <>
struct random_item<matrix2> {
  __host__ __device__ matrix2 operator()(std::size_t i) const
  {
    const auto word = [i](unsigned k) { return static_cast<std::uint32_t>(mixed(4 * i + k)); };
    return {word(0), word(1), word(2), word(3)};
  }
};
template <unsigned Words>
struct random_item<u64s<Words>> {
  __host__ __device__ u64s<Words> operator()(std::size_t i) const
  {
    u64s<Words> item;
    for (unsigned w = 0; w < Words; ++w) {
      item.word[w] = mixed(Words * i + w);
    }
    return item;
  }
};

/// Small whole numbers, independent and uniform: of any of the distributions' names, no notice is taken. Sums of 2^30
/// of them are exact in every type that is summed, f32 included, in any order; so results compare byte for byte.
template <class T>
const T* make_values(comparison& c)
{
  using item = std::conditional_t<std::is_arithmetic<T>::value, small_number<T>, random_item<T>>;
  return c.filled<T>(c.n(), item{});
}

/// Uniform in all bits; with selects<T>(percent) as many items are selected.
template <class T>
const T* make_items(comparison& c)
{
  return c.filled<T>(c.n(), random_item<T>{});
}

/// Keys to sort, of a distribution that perf/README.md describes.
template <class T>
const T* make_keys(comparison& c);

/// Runs of equal keys: one_run, or runs_m of mean length m (1 to 2m - 1 items). Any array may be left out by null.
struct runs {
  const std::int32_t* keys;
  const std::uint8_t* flags;     // 1 on the first item of each run
  const std::uint32_t* offsets;  // of each run; the first one may be empty
  std::uint32_t count;           // of offsets
};
enum class runs_as { keys, flags, offsets };
/// Keys, and flags or offsets beside them if asked for.
runs make_runs(comparison& c, runs_as form = runs_as::keys);

template <class T>
__host__ __device__ std::uint8_t low_byte(T item)
{
  return static_cast<std::uint8_t>(item);
}
template <unsigned Words>
__host__ __device__ std::uint8_t low_byte(const u64s<Words>& item)
{
  return static_cast<std::uint8_t>(item.word[0]);
}

/// True for about `percent` (as in "50%") of uniform items: decided by the low byte, of which there are 256 values.
template <class T>
struct selects {
  explicit selects(const std::string& percent) : below(256 * std::stoi(percent) / 100) {}

  __host__ __device__ bool operator()(const T& item) const { return low_byte(item) < below; }

  int below;
};

}  // namespace perf
