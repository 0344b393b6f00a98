// Measures sorts as users write them.
#include <thrust/functional.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cuda/std/functional>

#include "../compare/functors.h"
#include "survey.h"

namespace perf {

namespace {

/// Keys of many bits.
constexpr std::uint64_t many = std::uint64_t{1} << 40;

template <class Key>
const Key* random_keys(comparison& c)
{
  return numbers<Key>(c, many, -static_cast<std::int64_t>(many / 2));
}

template <class Key, class... Less>
void sorts(comparison& c, const Key* keys, Less... less)
{
  changes(c, keys, [=](auto policy, int n, auto* x) { thrust::sort(policy, x, x + n, less...); });
}
template <class Key, class... Less>
void sorts_stably(comparison& c, const Key* keys, Less... less)
{
  changes(c, keys, [=](auto policy, int n, auto* x) { thrust::stable_sort(policy, x, x + n, less...); });
}
template <class Key, class Value, class... Less>
void sorts_with_values(comparison& c, const Key* first, const Value* second, Less... less)
{
  changes(c, first, second, [=](auto policy, int n, auto* keys, auto* values) {
    thrust::stable_sort_by_key(policy, keys, keys + n, values, less...);
  });
}

template <class Key>
void keys_alone(comparison& c)
{
  sorts(c, random_keys<Key>(c));
}

template <class Key>
void keys_descending(comparison& c)
{
  sorts(c, random_keys<Key>(c), thrust::greater<Key>());
}

const implementation bools("sort", "bool", [](comparison& c) { sorts(c, made_of<bool, std::uint8_t>(c, 2)); });

template <class Key, class Value>
void with_values(comparison& c)
{
  sorts_with_values(c, random_keys<Key>(c), numbers<Value>(c, 200, 0));
}

const implementation with_values_descending("stable_sort_by_key", "float, int, greater", [](comparison& c) {
  sorts_with_values(c, random_keys<float>(c), numbers<int>(c, 200, 0), thrust::greater<float>());
});

/// Positions made, then sorted by the keys.
const implementation argsort("stable_sort_by_key", "sequence by float", [](comparison& c) {
  const int n = c.n();
  const auto keys = c.changed_in_place(random_keys<float>(c), n);
  const auto places = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::sequence(policy, of(places), of(places) + n);
    thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(places));
  });
});

/// Positions sorted by what they name.
struct by_named_key {
  const float* keys;
  __host__ __device__ bool operator()(int a, int b) const { return keys[a] < keys[b]; }
};
const implementation positions_by_comparisons("stable_sort", "positions by what they name", [](comparison& c) {
  const by_named_key less{random_keys<float>(c)};
  sorts_stably(c, ascending<int>(c), less);
});

struct less_magnitude {
  __host__ __device__ bool operator()(int a, int b) const { return (a < 0 ? -a : a) < (b < 0 ? -b : b); }
};
template <class Key>
void by_magnitude(comparison& c)
{
  sorts_stably(c, random_keys<Key>(c), less_magnitude{});
}

/// Compared by their first word, or by two of few values.
template <unsigned Words>
void records(comparison& c)
{
  sorts_stably(c, made_of<record_of<int, Words, 1>, int>(c, 1 << 30));
}
template <unsigned Words>
void records_by_two_words(comparison& c)
{
  sorts_stably(c, made_of<record_of<int, Words, 2>, int>(c, 1 << 10));
}

const implementation pairs("sort", "pair<int, int>", [](comparison& c) {
  sorts(c, made_of<thrust::pair<int, int>, int>(c, 1 << 16));
});

/// Two arrays at once, by one of them.
struct by_first {
  template <class A, class B>
  __host__ __device__ bool operator()(const A& a, const B& b) const
  {
    return thrust::get<0>(a) < thrust::get<0>(b);
  }
};
const implementation zipped_by_comparisons("stable_sort", "zip(float, int) by the first", [](comparison& c) {
  changes(c, random_keys<float>(c), numbers<int>(c), [=](auto policy, int n, auto* keys, auto* values) {
    const auto both = thrust::make_zip_iterator(keys, values);
    thrust::stable_sort(policy, both, both + n, by_first{});
  });
});

template <class Value>
void with_large_values(comparison& c)
{
  sorts_with_values(c, random_keys<unsigned>(c), made_of<Value, int>(c));
}

const implementation records_with_values("stable_sort_by_key", "records of 12 bytes, int", [](comparison& c) {
  sorts_with_values(c, made_of<record_of<int, 3, 1>, int>(c, 1 << 30), numbers<int>(c));
});

/// A descending order by going backwards.
const implementation reversed("sort", "reversed int", [](comparison& c) {
  changes(c, random_keys<int>(c), [=](auto policy, int n, auto* x) {
    const auto last = thrust::make_reverse_iterator(x + n);
    thrust::sort(policy, last, last + n);
  });
});

const implementation here[] = {
  {"sort", "char", keys_alone<signed char>},
  {"sort", "unsigned long long of 40 bits", keys_alone<unsigned long long>},
  {"sort", "long long, greater", keys_descending<long long>},
  {"stable_sort_by_key", "unsigned, unsigned char", with_values<unsigned, unsigned char>},
  {"stable_sort_by_key", "float, double", with_values<float, double>},
  {"stable_sort_by_key", "double, int", with_values<double, int>},
  {"stable_sort_by_key", "unsigned char, int", with_values<unsigned char, int>},
  {"stable_sort", "int by magnitude", by_magnitude<int>},
  {"narrow", "sort, i16", keys_alone<i16>},
  {"narrow", "stable_sort, i16 by magnitude", by_magnitude<i16>},
  {"narrow", "stable_sort_by_key, u8, u8", with_values<u8, u8>},
  {"narrow", "stable_sort_by_key, u16, u16", with_values<u16, u16>},
  {"narrow", "stable_sort_by_key, i16, double", with_values<i16, double>},
  {"narrow", "stable_sort_by_key, int, u8", with_values<int, u8>},
  {"stable_sort", "records of 8 bytes", records<2>},
  {"stable_sort", "records of 12 bytes", records<3>},
  {"stable_sort", "records of 64 bytes", records<16>},
  {"stable_sort", "records of 8 bytes by two words", records_by_two_words<2>},
  {"stable_sort", "records of 16 bytes by two words", records_by_two_words<4>},
  {"stable_sort_by_key", "unsigned, float4", with_large_values<float4>},
  {"stable_sort_by_key", "unsigned, 12 bytes", with_large_values<record_of<int, 3>>},
  {"stable_sort_by_key", "unsigned, 48 bytes", with_large_values<record_of<int, 12>>},
};

}  // namespace

}  // namespace perf
