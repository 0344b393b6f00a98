// Sorts as users write them.
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cuda/std/functional>

#include "survey.h"

namespace perf {

namespace {

/// Keys of many bits.
constexpr std::uint64_t many = std::uint64_t{1} << 40;

template <class Key>
const Key* random_keys(comparison& c)
{
  return numbers<Key>(c, c.n(), many, -static_cast<std::int64_t>(many / 2));
}

template <class Key>
void keys_alone(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, random_keys<Key>(c), n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(x), of(x) + n); });
}

template <class Key>
void keys_descending(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, random_keys<Key>(c), n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(x), of(x) + n, thrust::greater<Key>()); });
}

void bools(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, reinterpret_cast<const bool*>(numbers<std::uint8_t>(c, n, 2)), n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(x), of(x) + n); });
}

template <class Key, class Value>
void with_values(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, random_keys<Key>(c), n);
  const auto values = changed_in_place(c, static_cast<const Value*>(numbers<Value>(c, n, 200, 0)), n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(values)); });
}

template <class Key, class Value>
void with_values_descending(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, random_keys<Key>(c), n);
  const auto values = changed_in_place(c, static_cast<const Value*>(numbers<Value>(c, n, 200, 0)), n);
  call_both(c, [=](auto policy, side of) {
    thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(values), thrust::greater<Key>());
  });
}

/// Positions made, then sorted by the keys.
void argsort(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, random_keys<float>(c), n);
  const auto places = c.output<int>(n);
  call_both(c, [=](auto policy, side of) {
    thrust::sequence(policy, of(places), of(places) + n);
    thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(places));
  });
}

/// Positions sorted by what they name.
struct by_named_key {
  const float* keys;
  __host__ __device__ bool operator()(int a, int b) const { return keys[a] < keys[b]; }
};
void positions_by_comparisons(comparison& c)
{
  const int n = c.n();
  const by_named_key less{random_keys<float>(c)};
  int* const places = c.array<int>(n);
  thrust::sequence(thrust::device, places, places + n);
  const auto x = changed_in_place(c, static_cast<const int*>(places), n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort(policy, of(x), of(x) + n, less); });
}

struct by_magnitude {
  __host__ __device__ bool operator()(int a, int b) const { return (a < 0 ? -a : a) < (b < 0 ? -b : b); }
};
void ints_by_magnitude(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, random_keys<int>(c), n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort(policy, of(x), of(x) + n, by_magnitude{}); });
}

template <unsigned Words>
struct record_of {
  int word[Words];
  friend __host__ __device__ bool operator<(const record_of& a, const record_of& b) { return a.word[0] < b.word[0]; }
};
template <unsigned Words>
struct by_two_words {
  __host__ __device__ bool operator()(const record_of<Words>& a, const record_of<Words>& b) const
  {
    return a.word[0] != b.word[0] ? a.word[0] < b.word[0] : a.word[1] < b.word[1];
  }
};
template <unsigned Words>
void records(comparison& c)
{
  const int n = c.n();
  const auto* const source =
    reinterpret_cast<const record_of<Words>*>(numbers<int>(c, std::size_t{Words} * n, 1 << 30));
  const auto x = changed_in_place(c, source, n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort(policy, of(x), of(x) + n); });
}
template <unsigned Words>
void records_by_two_words(comparison& c)
{
  const int n = c.n();
  const auto* const source =
    reinterpret_cast<const record_of<Words>*>(numbers<int>(c, std::size_t{Words} * n, 1 << 10));
  const auto x = changed_in_place(c, source, n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort(policy, of(x), of(x) + n, by_two_words<Words>{}); });
}

void pairs(comparison& c)
{
  using pair = thrust::pair<int, int>;
  const int n = c.n();
  const auto x = changed_in_place(c, reinterpret_cast<const pair*>(numbers<int>(c, std::size_t{2} * n, 1 << 16)), n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(x), of(x) + n); });
}

/// Two arrays at once, by both.
void zipped(comparison& c)
{
  const int n = c.n();
  const auto from = changed_in_place(c, static_cast<const int*>(numbers<int>(c, n, 1 << 20, 0)), n);
  const auto to = changed_in_place(c, static_cast<const int*>(numbers<int>(c, n, 1 << 20, 0)), n);
  call_both(c, [=](auto policy, side of) {
    const auto edges = thrust::make_zip_iterator(of(from), of(to));
    thrust::sort(policy, edges, edges + n);
  });
}

/// Two arrays at once, by one of them.
struct by_first {
  template <class A, class B>
  __host__ __device__ bool operator()(const A& a, const B& b) const
  {
    return thrust::get<0>(a) < thrust::get<0>(b);
  }
};
void zipped_by_comparisons(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, random_keys<float>(c), n);
  const auto values = changed_in_place(c, static_cast<const int*>(numbers<int>(c, n)), n);
  call_both(c, [=](auto policy, side of) {
    const auto both = thrust::make_zip_iterator(of(keys), of(values));
    thrust::stable_sort(policy, both, both + n, by_first{});
  });
}

void with_zipped_values(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, random_keys<unsigned>(c), n);
  const auto x = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n)), n);
  const auto y = changed_in_place(c, static_cast<const float*>(numbers<float>(c, n, 5)), n);
  call_both(c, [=](auto policy, side of) {
    thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, thrust::make_zip_iterator(of(x), of(y)));
  });
}

template <class Value>
void with_large_values(comparison& c)
{
  const int n = c.n();
  const auto keys = changed_in_place(c, random_keys<unsigned>(c), n);
  const auto* const source = reinterpret_cast<const Value*>(numbers<int>(c, std::size_t{sizeof(Value) / 4} * n));
  const auto values = changed_in_place(c, source, n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(values)); });
}

void records_with_values(comparison& c)
{
  using key = record_of<3>;
  const int n = c.n();
  const auto keys = changed_in_place(c, reinterpret_cast<const key*>(numbers<int>(c, std::size_t{3} * n, 1 << 30)), n);
  const auto values = changed_in_place(c, static_cast<const int*>(numbers<int>(c, n)), n);
  call_both(c, [=](auto policy, side of) { thrust::stable_sort_by_key(policy, of(keys), of(keys) + n, of(values)); });
}

/// A descending order by going backwards.
void reversed(comparison& c)
{
  const int n = c.n();
  const auto x = changed_in_place(c, random_keys<int>(c), n);
  call_both(c, [=](auto policy, side of) {
    const auto last = thrust::make_reverse_iterator(of(x) + n);
    thrust::sort(policy, last, last + n);
  });
}

const implementation here[] = {
  {"sort", "int", keys_alone<int>},
  {"sort", "char", keys_alone<signed char>},
  {"sort", "unsigned short", keys_alone<unsigned short>},
  {"sort", "double", keys_alone<double>},
  {"sort", "unsigned long long of 40 bits", keys_alone<unsigned long long>},
  {"sort", "float, greater", keys_descending<float>},
  {"sort", "long long, greater", keys_descending<long long>},
  {"sort", "bool", bools},
  {"stable_sort_by_key", "int, int", with_values<int, int>},
  {"stable_sort_by_key", "unsigned, unsigned char", with_values<unsigned, unsigned char>},
  {"stable_sort_by_key", "float, double", with_values<float, double>},
  {"stable_sort_by_key", "double, int", with_values<double, int>},
  {"stable_sort_by_key", "long long, long long", with_values<long long, long long>},
  {"stable_sort_by_key", "unsigned char, int", with_values<unsigned char, int>},
  {"stable_sort_by_key", "float, int, greater", with_values_descending<float, int>},
  {"stable_sort_by_key", "sequence by float", argsort},
  {"stable_sort", "positions by what they name", positions_by_comparisons},
  {"stable_sort", "int by magnitude", ints_by_magnitude},
  {"stable_sort", "records of 8 bytes", records<2>},
  {"stable_sort", "records of 12 bytes", records<3>},
  {"stable_sort", "records of 32 bytes", records<8>},
  {"stable_sort", "records of 64 bytes", records<16>},
  {"stable_sort", "records of 8 bytes by two words", records_by_two_words<2>},
  {"stable_sort", "records of 16 bytes by two words", records_by_two_words<4>},
  {"sort", "pair<int, int>", pairs},
  {"sort", "zip(int, int)", zipped},
  {"stable_sort", "zip(float, int) by the first", zipped_by_comparisons},
  {"stable_sort_by_key", "unsigned, zip(float, float)", with_zipped_values},
  {"stable_sort_by_key", "unsigned, float4", with_large_values<float4>},
  {"stable_sort_by_key", "unsigned, 12 bytes", with_large_values<record_of<3>>},
  {"stable_sort_by_key", "unsigned, 48 bytes", with_large_values<record_of<12>>},
  {"stable_sort_by_key", "records of 12 bytes, int", records_with_values},
  {"sort", "reversed int", reversed},
};

}  // namespace

}  // namespace perf
