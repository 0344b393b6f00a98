// Inputs of sorts whose distribution is itself drawn at random: numbers (distribution.h), all of them from a hash of
// the run's seed and the draw's number, so that these two repeat a draw. Keys are made in three steps:
//   an item      has the number of one of the distinct values: uniform, skewed, clustered; some values hot, some in runs of equal ones;
//                from random words, or from a sequence that is more even than those
//   a value      has the bits that its number gives: consecutive, strided, or in the places of a mask; or is a floating-point number; or
//                either by a curve, as a power
//   an order     names for each place the item that stands there, of items sorted by stock
// The first two are functions of the seed and an item's number alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "distribution.h"

namespace perf {

/// Run k + 1 starts at a place of its own in the k-th stretch of `mean` items; so runs have 1 to 2 mean - 1 items.
__host__ __device__ inline std::uint64_t run_start(
  const distribution& d, stream which, std::uint64_t mean, std::uint64_t k)
{
  return k * mean + scaled(drawn(d, which, k), mean);
}
__host__ __device__ inline std::uint64_t run_of(
  const distribution& d, stream which, std::uint64_t mean, std::uint64_t i)
{
  const std::uint64_t k = i / mean;
  return k + (i >= run_start(d, which, mean, k) ? 1 : 0);
}

/// The mean of four uniform words, which is nearly normal.
__host__ __device__ inline std::uint64_t bell(const distribution& d, std::uint64_t j)
{
  std::uint64_t sum = 0;
  for (unsigned part = 0; part < 4; ++part) {
    sum += drawn(d, stream::normal, 4 * j + part) >> 2;
  }
  return sum;
}

__host__ __device__ inline std::uint64_t zipf_number(const distribution& d, double uniform)
{
  // The continuous distribution of the same density, whose quantiles have a closed form.
  const auto most = static_cast<double>(d.values);
  const double rest = 1 - d.exponent;
  const double rank =
    fabs(rest) < 1e-3 ? exp(uniform * log(most + 1)) : pow(1 + uniform * (pow(most + 1, rest) - 1), 1 / rest);
  const double number = rank - 1 < 0 ? 0 : rank - 1;
  return number < most - 1 ? static_cast<std::uint64_t>(number) : d.values - 1;
}

__host__ __device__ inline std::uint64_t upper_product(std::uint64_t a, std::uint64_t b)
{
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

__host__ __device__ inline std::uint64_t bits_reversed(std::uint64_t word)
{
  std::uint64_t mask = ~std::uint64_t{0};
  for (unsigned half = 32; half != 0; half /= 2) {
    mask ^= mask << half;
    word = (word >> half & mask) | (word & mask) << half;
  }
  return word;
}

/// A permutation of the places below n: bijective steps on the bits of `place_mask`, until the result is one of them.
__host__ __device__ inline std::uint64_t shuffled(const distribution& d, std::uint64_t place)
{
  unsigned half = 1;
  while (d.place_mask >> (2 * half) != 0) {
    ++half;
  }
  do {
    for (unsigned round = 0; round < 4; ++round) {
      const std::uint64_t word = drawn(d, stream::places, round);
      place ^= place >> half;
      place = (place * (word | 1) + (word >> 32)) & d.place_mask;
    }
    place ^= place >> half;
  } while (place >= d.n);
  return place;
}

/// The uniform word that chooses the j-th item's value.
__host__ __device__ inline std::uint64_t uniform_word(const distribution& d, std::uint64_t j)
{
  if (d.drawn_from == sequence::hashed) {
    return drawn(d, stream::values, j);
  }
  const std::uint64_t place = d.place_mask != 0 ? shuffled(d, j) : j;
  switch (d.drawn_from) {
    case sequence::golden:
      return d.start + place * 0x9e3779b97f4a7c15u;
    case sequence::reversed:
      return d.start ^ bits_reversed(place);
    default:
      return d.start + place * (~std::uint64_t{0} / d.n);
  }
}

/// The number of the j-th item's value.
__host__ __device__ inline std::uint64_t value_of_item(const distribution& d, std::uint64_t j)
{
  if (d.hot_below != 0 && drawn(d, stream::hot, j) < d.hot_below) {
    return scaled(drawn(d, stream::hot_values, scaled(drawn(d, stream::hot, ~j), d.hot_values)), d.values);
  }
  const std::uint64_t uniform = uniform_word(d, j);
  switch (d.chosen) {
    case choice::zipf:
      return zipf_number(d, fraction(uniform));
    case choice::normal:
      return scaled(bell(d, j), d.values);
    case choice::clusters: {
      const std::uint64_t centre = drawn(d, stream::centres, scaled(uniform, d.clusters));
      return scaled(centre + (bell(d, j) >> (64 - d.spread)), d.values);
    }
    case choice::anded: {
      std::uint64_t word = uniform;
      for (unsigned a = 1; a < d.anded; ++a) {
        word &= drawn(d, stream::normal, j * d.anded + a);
      }
      return scaled(word, d.values);
    }
    default:
      return scaled(uniform, d.values);
  }
}

/// The low bits of a number in the places of a mask, in their order.
__host__ __device__ inline std::uint64_t deposited(std::uint64_t number, std::uint64_t mask)
{
  std::uint64_t result = 0;
  for (; mask != 0; mask &= mask - 1, number >>= 1) {
    result |= (number & 1) != 0 ? mask & (~mask + 1) : 0;
  }
  return result;
}

/// The curve of a uniform word, as a word. `value` has the other factors.
__host__ __device__ inline std::uint64_t bent_word(const distribution& d, std::uint64_t x, std::uint64_t value)
{
  std::uint64_t result = x;
  if (d.bend == curve::root) {
    // Of 52 bits, whose root rounds to less than 2^26.
    result = static_cast<std::uint64_t>(sqrt(static_cast<double>(x >> 12)) * 274877906944.0);
  } else {
    for (unsigned f = 1; f < d.factors; ++f) {
      result = upper_product(result, d.bend == curve::product ? drawn(d, stream::factors, 4 * value + f) : x);
    }
  }
  constexpr std::uint64_t middle = std::uint64_t{1} << 63;
  return !d.is_mirrored                                    ? result
         : (drawn(d, stream::factors, 4 * value) & 1) != 0 ? middle + (result >> 1)
                                                           : middle - 1 - (result >> 1);
}

/// The same of a number of [0, 1).
__host__ __device__ inline double bent_number(const distribution& d, double x, std::uint64_t value)
{
  double result = x;
  if (d.bend == curve::root) {
    result = sqrt(x);
  } else if (d.bend == curve::inverse) {
    result = 1 / fmax(1 - x, 1.0 / 9007199254740992.0);
  } else {
    for (unsigned f = 1; f < d.factors; ++f) {
      result *= d.bend == curve::product ? fraction(drawn(d, stream::factors, 4 * value + f)) : x;
    }
  }
  return d.is_mirrored && (drawn(d, stream::factors, 4 * value) & 1) != 0 ? -result : result;
}

/// Word w of the keys of a value.
__host__ __device__ inline std::uint64_t word_of(const distribution& d, unsigned w, std::uint64_t value)
{
  const word_bits& word = d.word[w];
  std::uint64_t values = d.values;
  if (word.values != 0) {
    value = scaled(drawn(d, stream::words, most_words * value + w), word.values);
    values = word.values;
  }
  switch (word.form) {
    case layout::added:
      return word.base + (value << word.shift);
    case layout::deposited:
      return (word.base & ~word.mask) | deposited(value, word.mask);
    case layout::curved:
      return word.base
             + scaled(bent_word(d, values == 0 ? value : value * (~std::uint64_t{0} / values), value), word.reach);
    default:
      return (word.base & ~word.mask) | (drawn(d, stream::bits, value) & word.mask);
  }
}

template <class To, class From>
__host__ __device__ To same_bits(From from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

/// The floating-point number of a value.
template <class Key>
__host__ __device__ Key number_of(const distribution& d, std::uint64_t value)
{
  using word = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  constexpr int mantissa = sizeof(Key) == 4 ? 23 : 52;
  constexpr word sign = word{1} << (8 * sizeof(Key) - 1);
  constexpr word exponents = (sign - 1) & ~((word{1} << mantissa) - 1);
  const std::uint64_t noise = drawn(d, stream::bits, ~value);
  const bool is_negative = d.negative && (noise & 1) != 0;
  switch (d.number) {
    case real::range: {
      const double part = d.word[0].form == layout::masked ? fraction(drawn(d, stream::bits, value))
                          : d.values == 0                  ? fraction(value)
                                          : (static_cast<double>(value) + 0.5) / static_cast<double>(d.values);
      // One rounding, on the host as well as on the device.
      return static_cast<Key>(fma(d.high - d.low, d.bend == curve::none ? part : bent_number(d, part, value), d.low));
    }
    case real::exponents: {
      const double magnitude = exp2(d.low + (d.high - d.low) * fraction(noise));
      return static_cast<Key>(is_negative ? -magnitude : magnitude);
    }
    case real::whole:
      return d.values == 0 ? static_cast<Key>(static_cast<std::int64_t>(value))
                           : static_cast<Key>(static_cast<double>(value) - static_cast<double>(d.values / 2));
    case real::denormal: {
      const word below = static_cast<word>(word_of(d, 0, value)) & ((word{1} << mantissa) - 1);
      return same_bits<Key>(static_cast<word>(is_negative ? below | sign : below));
    }
    default: {
      word bits = static_cast<word>(word_of(d, 0, value));
      if ((bits & exponents) == exponents) {
        bits &= ~(word{1} << (mantissa + 1));  // neither infinite nor NaN: these are items of their own
      }
      return same_bits<Key>(bits);
    }
  }
}

/// Zeros of either sign, NaNs of either sign and infinities among the numbers.
template <class Key>
__host__ __device__ Key special_or(const distribution& d, std::uint64_t j, Key number)
{
  using word = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  constexpr word sign = word{1} << (8 * sizeof(Key) - 1);
  constexpr word infinity = sizeof(Key) == 4 ? word{0x7f800000u} : static_cast<word>(0x7ff0000000000000u);
  constexpr word nan = infinity | infinity >> 1;
  std::uint64_t share = drawn(d, stream::shares, j);
  const word signs = (drawn(d, stream::shares, ~j) & 1) != 0 ? sign : 0;
  if (share < d.zeros_below) {
    return same_bits<Key>(signs);
  }
  share -= d.zeros_below;
  if (share < d.nans_below) {
    return same_bits<Key>(static_cast<word>(nan | signs));
  }
  share -= d.nans_below;
  return share < d.infinities_below ? same_bits<Key>(static_cast<word>(infinity | signs)) : number;
}

/// How a type's keys are made of words; the types of several words say it for themselves.
template <class Key>
struct key_maker {
  static constexpr unsigned bits = 8 * sizeof(Key);
  static constexpr unsigned words = 1;
  static constexpr bool is_real = std::is_floating_point<Key>::value;

  __host__ __device__ static Key make(const distribution& d, std::uint64_t j, std::uint64_t value)
  {
    if constexpr (is_real) {
      return special_or(d, j, number_of<Key>(d, value));
    } else {
      return static_cast<Key>(word_of(d, 0, value));
    }
  }
};

/// The key of item i, before items are put in order.
template <class Key>
__host__ __device__ Key key_of_item(const distribution& d, std::uint64_t i)
{
  const std::uint64_t j = d.repeat == 0 ? i : run_of(d, stream::repeat, d.repeat, i);
  return key_maker<Key>::make(d, j, value_of_item(d, j));
}

/// Which of the sorted items stands at place i: some more than once and others never where runs are samples of all.
__host__ __device__ inline std::uint64_t source_of(const distribution& d, std::uint64_t i)
{
  const std::uint64_t n = d.n;
  const std::uint64_t word = drawn(d, stream::order, i);
  switch (d.order) {
    case arrangement::reversed:
      return n - 1 - i;
    case arrangement::replaced:  // by any other
      return word < d.moved_below ? scaled(drawn(d, stream::order_targets, i), n) : i;
    case arrangement::swapped: {  // with the place `length`, a power of two, away
      const std::uint64_t other = i ^ d.length;
      return other < n && drawn(d, stream::order, i & ~d.length) < d.moved_below ? other : i;
    }
    case arrangement::block_moved: {  // `length` items from `first` to `target`
      if (i - d.target < d.length) {
        return d.first + (i - d.target);
      }
      const std::uint64_t other = i < d.target ? i : i - d.length;
      return other < d.first ? other : other + d.length;
    }
    case arrangement::tail:  // of `length` items in random order
      return i < n - d.length ? i * n / (n - d.length) : scaled(word, n);
    case arrangement::runs:
    case arrangement::alternating_runs:
    case arrangement::sawtooth: {  // runs of mean, or equal, `length`, each over the whole range
      const bool is_regular = d.order == arrangement::sawtooth;
      const std::uint64_t run = is_regular ? i / d.length : run_of(d, stream::order_targets, d.length, i);
      const std::uint64_t begin = is_regular ? run * d.length
                                  : run == 0 ? 0
                                             : run_start(d, stream::order_targets, d.length, run - 1);
      std::uint64_t end = is_regular ? begin + d.length : run_start(d, stream::order_targets, d.length, run);
      end = end < n ? end : n;
      std::uint64_t place = i - begin;
      if (d.order == arrangement::alternating_runs && run % 2 == 1) {
        place = end - 1 - i;
      }
      return (place * n + scaled(word, n)) / (end - begin);
    }
    case arrangement::interleaved: {  // `length` sorted sequences, each an own part of the range
      const std::uint64_t part = (n + d.length - 1) / d.length;
      const std::uint64_t source = (i % d.length) * part + i / d.length;
      return source < n ? source : n - 1;
    }
    default:
      return i;
  }
}

template <class Key>
inline constexpr key_kind kind_of{key_maker<Key>::bits, key_maker<Key>::words, key_maker<Key>::is_real};

/// Numbers drawn one after the other from one stream.
class dice {
public:
  explicit dice(std::uint64_t stream) : stream_(stream) {}

  std::uint64_t word() { return mixed(stream_, count_++); }
  std::uint64_t below(std::uint64_t count) { return scaled(word(), count); }
  double between(double low, double high) { return low + (high - low) * fraction(word()); }
  bool chance(double share) { return fraction(word()) < share; }
  /// A whole number from `low` to `high`, whose logarithm is uniform.
  std::uint64_t by_magnitude(double low, double high);
  /// A share of items, of 2^64: as often small as of any size.
  std::uint64_t share();

private:
  std::uint64_t stream_;
  std::uint64_t count_ = 0;
};

distribution draw_distribution(dice& d, const key_kind& kind, std::uint64_t n);

}  // namespace perf
