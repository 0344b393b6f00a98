// What inputs and keys that come through iterators are computed by.
#pragma once

#include <cstdint>

namespace perf {

/// Takes a computation, which waits for what is loaded.
struct square {
  template <class T>
  __host__ __device__ T operator()(T x) const
  {
    return static_cast<T>(x * x);
  }
};

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
