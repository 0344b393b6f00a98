// The numbers that make an input of sorts: what generator.h makes keys of. All of them are drawn (generator.cu).
#pragma once

#include <string>

#include "../compare/fill.h"

namespace perf {

/// A uniform word as a number below `count`, where 0 means 2^64. Keeps the order of words.
__host__ __device__ inline std::uint64_t scaled(std::uint64_t word, std::uint64_t count)
{
  return count == 0 ? word : static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * count) >> 64);
}

/// A uniform word as a number of [0, 1).
__host__ __device__ inline double fraction(std::uint64_t word)
{
  return static_cast<double>(word >> 11) * (1.0 / 9007199254740992.0);
}

/// Where the uniform words come from that choose values: hashes, or the place in a sequence of low discrepancy.
enum class sequence {
  hashed,
  golden,    ///< multiples of the golden ratio, modulo 1
  reversed,  ///< bits of the place, the last one leading: van der Corput's
  steps      ///< multiples of 1 / n: with the places in random order only
};
/// How frequent a value is.
enum class choice { uniform, zipf, normal, clusters, anded };
/// What bits the number of a value becomes.
enum class layout { added, deposited, masked, curved };
/// What a value becomes that is uniform in [0, 1): x^2 to x^4, the square root, x y to x y z w, 1 / x (numbers alone).
enum class curve { none, power, root, product, inverse };
/// What floating-point number it becomes.
enum class real { bits, range, exponents, whole, denormal };
/// Where items stand.
enum class arrangement {
  random,
  sorted,
  reversed,
  replaced,
  swapped,
  block_moved,
  tail,
  runs,
  alternating_runs,
  sawtooth,
  interleaved
};

inline constexpr unsigned most_words = 4;

/// One word of a key: a scalar's only one.
struct word_bits {
  layout form;
  std::uint64_t values;  ///< one of so many, which the item's value chooses by a hash; 0: the item's value decides
  std::uint64_t mask;    ///< bits that differ, if `deposited` (the value's in their order) or `masked` (hashed)
  std::uint64_t base;    ///< the other bits, or if `added` what the value's number is added to
  unsigned shift;        ///< of the number added
  std::uint64_t reach;   ///< if `curved`: so many consecutive keys from `base` on; 0: 2^64
};

struct distribution {
  std::uint64_t seed;
  std::uint64_t n;

  sequence drawn_from;
  std::uint64_t start;       ///< of the sequence
  std::uint64_t place_mask;  ///< of all bits of its places, which are taken in random order; 0: one after the other

  choice chosen;
  std::uint64_t values;     ///< distinct ones, at most; 0: 2^64
  double exponent;          ///< zipf: the k-th value is as frequent as k^-exponent
  std::uint64_t clusters;   ///< how many centres
  unsigned spread;          ///< the logarithm of a cluster's width in 2^64
  unsigned anded;           ///< words that are and-ed
  std::uint64_t hot_below;  ///< the share of items with a hot value, of 2^64
  std::uint64_t hot_values;
  std::uint64_t repeat;  ///< mean length of runs of equal items, made before items are put in order; 0: none

  word_bits word[most_words];

  curve bend;        ///< of words that are `curved` and numbers of a range
  unsigned factors;  ///< power, product
  bool is_mirrored;  ///< on either side of the middle, or of `low`

  real number;
  double low, high;                                         ///< of a range, or of exponents to base 2
  std::uint64_t zeros_below, nans_below, infinities_below;  ///< shares, of 2^64
  bool negative;  ///< numbers drawn by exponents and denormals have either sign

  arrangement order;
  std::uint64_t length, first, target;  ///< what the order makes of them: see source_of()
  std::uint64_t moved_below;            ///< a share, of 2^64
};

/// Streams of words of one draw.
enum class stream : std::uint64_t {
  values = 1,
  normal,
  centres,
  hot,
  hot_values,
  repeat,
  bits,
  words,
  shares,
  order,
  order_targets,
  shape,
  places,
  factors
};

__host__ __device__ inline std::uint64_t drawn(const distribution& d, stream which, std::uint64_t place)
{
  return mixed(mixed(d.seed, static_cast<std::uint64_t>(which)), place);
}

/// What the generator must know of a type of keys.
struct key_kind {
  unsigned bits;   ///< of a word
  unsigned words;  ///< of a key
  bool is_real;
};

/// Whether keys are made of words, and not as floating-point numbers of a value.
inline bool is_of_bits(const distribution& d, const key_kind& kind)
{
  return !kind.is_real || d.number == real::bits || d.number == real::denormal;
}

/// How many bits are set.
inline unsigned count_of(std::uint64_t mask)
{
  unsigned bits = 0;
  for (; mask != 0; mask &= mask - 1) {
    ++bits;
  }
  return bits;
}

/// All that it was drawn to be, in words and numbers.
std::string text_of(const distribution& d, const key_kind& kind);

}  // namespace perf
