// Draws sorts of records of two words, by comparisons.
#include <thrust/pair.h>
#include <thrust/tuple.h>

#include "draws.h"

namespace perf {

/// Thrust's pairs and tuples of two words have the order of their own.
template <class Pair, class First, class Second>
struct pair_maker {
  static constexpr unsigned bits = 8 * sizeof(First);
  static constexpr unsigned words = 2;
  static constexpr bool is_real = false;

  __host__ __device__ static Pair make(const distribution& d, std::uint64_t, std::uint64_t value)
  {
    return {static_cast<First>(word_of(d, 0, value)), static_cast<Second>(word_of(d, 1, value))};
  }
};
template <class First, class Second>
struct key_maker<thrust::pair<First, Second>> : pair_maker<thrust::pair<First, Second>, First, Second> {
};
template <class First, class Second>
struct key_maker<thrust::tuple<First, Second>> : pair_maker<thrust::tuple<First, Second>, First, Second> {
};

namespace {

using two_words = record_of<std::uint32_t, 2>;
using pair = thrust::pair<std::uint32_t, std::int32_t>;
using tuple = thrust::tuple<std::uint64_t, std::uint64_t>;

const drawn_subject words{merge<two_words>("2 words of 32 bits")};
const drawn_subject pair_u32{merge<pair, std::uint32_t>("pair(u32, i32)+u32")};
const drawn_subject tuples{merge<tuple>("tuple(u64, u64)")};

}  // namespace

}  // namespace perf
