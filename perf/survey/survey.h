// Forms of calls as users write them, each beside stock: more of them than the comparison can have cells, in a line or
// a few.
//
// A form is a function that makes its arrays and gives a call for both sides. It is measured by the wall clock, the L2
// flushed, and its outputs are compared byte for byte, as a cell of the comparison is (measure.h). Stock is given an
// allocator that keeps its memory, so that what is seen is not cudaMalloc.
#pragma once

#include <gimbal/gimbal.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include <tuple>

#include "../compare/comparison.h"

namespace perf {

/// `call(policy, of)` on both sides, where `of(twin)` is the side's own.
template <class Call>
void call_both(comparison& c, Call call)
{
  c.wall(thrust::device(memory_of_stock()), gimbal::par, call);
}

/// A form of n items that returns a T to the host: `call(policy, n)`.
template <class T, class Call>
void returns(comparison& c, Call call)
{
  const twin<T> result = c.returned<T>();
  call_both(c, [=, n = c.n()](auto policy, side of) { *of(result) = call(policy, n); });
}

/// One that writes n items of each type: `call(policy, n, out...)`.
template <class... T, class Call>
void writes(comparison& c, Call call)
{
  const int n = c.n();
  const std::tuple<twin<T>...> outputs{c.output<T>(n)...};
  call_both(c, [=](auto policy, side of) { std::apply([&](auto... out) { call(policy, n, of(out)...); }, outputs); });
}

inline std::ptrdiff_t written(std::ptrdiff_t count, const void*) { return count; }
template <class T>
std::ptrdiff_t written(T* end, T* begin)
{
  return end - begin;
}
/// Likewise, of a call that returns how many items it wrote, or where the first of its outputs ends.
template <class... T, class Call>
void writes_some(comparison& c, Call call)
{
  const twin<std::ptrdiff_t> count = c.returned<std::ptrdiff_t>();
  const int n = c.n();
  const std::tuple<twin<T>...> outputs{c.output<T>(n)...};
  call_both(c, [=](auto policy, side of) {
    *of(count) =
      std::apply([&](auto... out) { return written(call(policy, n, of(out)...), of(std::get<0>(outputs))); }, outputs);
  });
}

/// One that changes a copy of n items in place: `call(policy, n, x)`.
template <class T, class Call>
void changes(comparison& c, const T* source, Call call)
{
  const int n = c.n();
  const twin<T> x = c.changed_in_place(source, n);
  call_both(c, [=](auto policy, side of) { call(policy, n, of(x)); });
}
template <class T, class U, class Call>
void changes(comparison& c, const T* first, const U* second, Call call)
{
  const int n = c.n();
  const twin<T> x = c.changed_in_place(first, n);
  const twin<U> y = c.changed_in_place(second, n);
  call_both(c, [=](auto policy, side of) { call(policy, n, of(x), of(y)); });
}

/// Likewise, of a call that returns a place in `x`; where it `Shrinks`, what lies behind that is not specified.
template <bool Shrinks = false, class T, class Call>
void partitions(comparison& c, const T* source, Call call)
{
  const int n = c.n();
  const twin<std::ptrdiff_t> place = c.returned<std::ptrdiff_t>();
  const auto compared = [=] { return static_cast<std::size_t>(Shrinks ? *place.stock : n); };
  const twin<T> x = c.changed_in_place(source, n, compared);
  call_both(c, [=](auto policy, side of) { *of(place) = call(policy, n, of(x)) - of(x); });
}
template <class T, class Call>
void shrinks(comparison& c, const T* source, Call call)
{
  partitions<true>(c, source, call);
}

template <class T>
struct whole_number {
  std::uint64_t range;
  std::int64_t least;
  __host__ __device__ T operator()(std::uint64_t i) const
  {
    return static_cast<T>(static_cast<std::int64_t>(mixed(i) % range) + least);
  }
};

// Items of small types.
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using u16 = std::uint16_t;

/// `count` independent whole numbers from `least` on. Of few bits, so that sums of them are exact in any order.
template <class T>
T* some_numbers(comparison& c, std::size_t count, std::uint64_t range = 17, std::int64_t least = -8)
{
  return c.filled<T>(count, whole_number<T>{range, std::is_unsigned_v<T> ? 0 : least});
}
/// As many as the form has items.
template <class T>
T* numbers(comparison& c, std::uint64_t range = 17, std::int64_t least = -8)
{
  return some_numbers<T>(c, c.size(), range, least);
}
/// Items that are made of one number or several.
template <class Item, class Number>
const Item* made_of(comparison& c, std::uint64_t range = 17)
{
  return reinterpret_cast<const Item*>(some_numbers<Number>(c, sizeof(Item) / sizeof(Number) * c.size(), range));
}

/// `count` items, the i-th of them make(i).
template <class Make>
auto items(comparison& c, std::size_t count, Make make)
{
  return c.filled<decltype(make(std::uint64_t{0}))>(count, make);
}
template <class Make>
auto items(comparison& c, Make make)
{
  return items(c, c.size(), make);
}

/// 0, 1, 2, ...
template <class T>
T* ascending(comparison& c)
{
  T* const made = c.array<T>(c.size());
  thrust::sequence(thrust::device, made, made + c.size());
  return made;
}

}  // namespace perf
