// Forms of calls as users write them, each beside stock: more of them than the comparison can have cells, in a line or a few.
//
// A form is a function that makes its arrays and gives a call for both sides. It is measured by the wall clock, the L2
// flushed, and its outputs are compared byte for byte, as a cell of the comparison is (measure.h). Stock is given an allocator that keeps its
// memory, so that what is seen is not cudaMalloc.
#pragma once

#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>

#include <map>

#include "../compare/comparison.h"

namespace perf {

/// Keeps what it is given back, for the next request of as many bytes.
class kept_memory {
public:
  using value_type = char;

  char* allocate(std::ptrdiff_t bytes);
  void deallocate(char* memory, std::size_t bytes);
  void release();

private:
  std::multimap<std::size_t, char*> unused_;
};

/// What stock's calls allocate from.
kept_memory& memory_of_stock();

/// An array of either side.
struct side {
  bool is_gimbal;

  template <class T>
  T* operator()(const twin<T>& both) const
  {
    return is_gimbal ? both.gimbal : both.stock;
  }
};

/// `call(policy, of)` on both sides, where `of(twin)` is the side's own.
template <class Call>
void call_both(comparison& c, Call call)
{
  c.wall([=] { call(thrust::device(memory_of_stock()), side{false}); }, [=] { call(gimbal::par, side{true}); });
}

/// A well mixed word for each number.
struct mixed_word {
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const
  {
    i = (i ^ i >> 33) * 0xff51afd7ed558ccdu;
    i = (i ^ i >> 29) * 0xc4ceb9fe1a85ec53u;
    return i ^ i >> 32;
  }
};

template <class T>
struct whole_number {
  std::uint64_t range;
  std::int64_t least;
  __host__ __device__ T operator()(std::uint64_t i) const
  {
    return static_cast<T>(static_cast<std::int64_t>(mixed_word{}(i + 1) % range) + least);
  }
};

/// `count` independent whole numbers from `least` on. Of few bits, so that sums of them are exact in any order.
template <class T>
T* numbers(comparison& c, std::size_t count, std::uint64_t range = 17, std::int64_t least = -8)
{
  T* const made = c.array<T>(count);
  thrust::tabulate(thrust::device, made, made + count, whole_number<T>{range, std::is_unsigned_v<T> ? 0 : least});
  return made;
}

template <class Make>
struct numbered {
  Make make;
  __host__ __device__ auto operator()(std::uint64_t i) const { return make(i); }
};

/// `count` items, the i-th of them make(i).
template <class Make>
auto items(comparison& c, std::size_t count, Make make)
{
  using item = decltype(make(std::uint64_t{0}));
  item* const made = c.array<item>(count);
  thrust::tabulate(thrust::device, made, made + count, numbered<Make>{make});
  return made;
}

/// Both sides' own copy of `source`, made before each call.
template <class T>
twin<T> changed_in_place(comparison& c, const T* source, std::size_t count, std::function<std::size_t()> compared = {})
{
  const twin<T> both{c.array<T>(count), c.array<T>(count)};
  c.in_place(both, source, count, std::move(compared));
  return both;
}

}  // namespace perf
