// Draws a distribution. This is host code only.
#include <algorithm>
#include <iterator>

#include "generator.h"

namespace perf {

namespace {

std::uint64_t low_bits(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

/// As many values as `bits` bits tell apart, at most; 0 is 2^64.
std::uint64_t at_most(std::uint64_t values, unsigned bits)
{
  if (bits >= 64) {
    return values;
  }
  const std::uint64_t most = std::uint64_t{1} << bits;
  return values == 0 ? most : std::min(values, most);
}

std::uint64_t draw_count_of_values(dice& d, unsigned bits)
{
  const double kind = d.between(0, 1);
  std::uint64_t values = 0;
  if (kind < 0.05) {
    values = 1;
  } else if (kind < 0.12) {
    values = 2;
  } else if (kind < 0.3) {
    values = d.by_magnitude(3, 300);
  } else if (kind < 0.75) {
    values = d.by_magnitude(2, std::ldexp(1.0, static_cast<int>(std::min(bits, 63u))));
  }
  return at_most(values, bits);
}

/// Contiguous bits somewhere, single ones anywhere, or whole bytes.
std::uint64_t draw_mask(dice& d, unsigned bits)
{
  std::uint64_t mask = 0;
  switch (d.below(4)) {
    case 0:
      return low_bits(bits);
    case 1: {
      const auto width = static_cast<unsigned>(1 + d.below(bits));
      return low_bits(width) << d.below(bits - width + 1);
    }
    case 2: {
      const double share = d.between(0, 1);
      for (unsigned bit = 0; bit < bits; ++bit) {
        mask |= d.chance(share) ? std::uint64_t{1} << bit : 0;
      }
      break;
    }
    default:
      for (unsigned bit = 0; bit < bits; bit += 8) {
        mask |= d.chance(0.5) ? std::uint64_t{0xff} << bit : 0;
      }
  }
  return mask != 0 ? mask : std::uint64_t{1} << d.below(bits);
}

word_bits draw_word(dice& d, unsigned bits)
{
  word_bits word{};
  word.form = static_cast<layout>(d.below(3));
  word.mask = draw_mask(d, bits);
  word.base = d.word() & low_bits(bits);
  if (word.form == layout::added) {
    word.mask = 0;
    word.shift = d.chance(0.5) ? 0 : static_cast<unsigned>(d.below(bits));
    if (d.chance(0.5)) {
      word.base = 0;
    }
  }
  return word;
}

/// Bits in which a number stays a number of its own, or all that a curve begins with.
unsigned room_of(const word_bits& word, unsigned bits)
{
  return word.form == layout::added ? bits - word.shift : word.form == layout::deposited ? count_of(word.mask) : 64;
}

void draw_values(dice& d, distribution& made, const key_kind& kind)
{
  const double form = d.between(0, 1);
  made.chosen = form < 0.5    ? choice::uniform
                : form < 0.65 ? choice::zipf
                : form < 0.75 ? choice::normal
                : form < 0.9  ? choice::clusters
                              : choice::anded;
  if (made.chosen == choice::zipf) {
    constexpr std::uint64_t most_ranks = std::uint64_t{1} << 32;
    made.values = made.values == 0 ? most_ranks : std::min(made.values, most_ranks);
    made.exponent = d.between(0.3, 2);
  } else if (made.chosen == choice::clusters) {
    made.clusters = d.by_magnitude(1, 1000);
    // From one value wide to a quarter of all; a shift by 64 bits has no meaning.
    made.spread = static_cast<unsigned>(d.below(std::min(kind.bits, 62u)) + 63 - std::min(kind.bits, 62u));
    made.spread = std::max(made.spread, 1u);
  } else if (made.chosen == choice::anded) {
    made.anded = static_cast<unsigned>(2 + d.below(6));
  }
  if (d.chance(0.25)) {
    made.hot_below = d.share();
    made.hot_values = d.by_magnitude(1, 8);
  }
  if (d.chance(0.125)) {
    made.repeat = d.by_magnitude(2, std::max(2.0, static_cast<double>(made.n) / 2));
  }
}

void draw_words(dice& d, distribution& made, const key_kind& kind)
{
  made.word[0] = draw_word(d, kind.bits);
  if (kind.words == 1) {
    if (is_of_bits(made, kind)) {
      made.values = at_most(made.values, room_of(made.word[0], kind.bits));
    }
    return;
  }
  // Each word has values of its own: the leading ones often few, so that the words behind decide.
  for (unsigned w = 0; w < kind.words; ++w) {
    word_bits& word = made.word[w];
    word = draw_word(d, kind.bits);
    const unsigned room = room_of(word, kind.bits);
    word.values = draw_count_of_values(d, std::min(room, 63u));
    if (room >= 32 && d.chance(0.4)) {
      word.values = 0;
    }
  }
}

void draw_number(dice& d, distribution& made, const key_kind& kind)
{
  const bool is_single = kind.bits == 32;
  const double form = d.between(0, 1);
  made.number = form < 0.25   ? real::bits
                : form < 0.55 ? real::range
                : form < 0.75 ? real::exponents
                : form < 0.93 ? real::whole
                              : real::denormal;
  made.negative = d.chance(0.5);
  if (made.number == real::range) {
    const double width = std::ldexp(1.0, static_cast<int>(d.below(60)) - 30);
    made.low = d.chance(0.3) ? 0 : width * d.between(-2, 2);
    made.high = made.low + width;
  } else if (made.number == real::exponents) {
    const double least = is_single ? -126 : -1022;
    const double most = is_single ? 127 : 1023;
    made.low = d.between(least, most);
    made.high = d.chance(0.5) ? std::min(most, made.low + d.between(0, 30)) : d.between(made.low, most);
  }
  if (d.chance(0.25)) {
    made.zeros_below = d.share() / 2;
  }
  if (d.chance(0.1)) {
    made.nans_below = d.share() / 4;
  }
  if (d.chance(0.1)) {
    made.infinities_below = d.share() / 4;
  }
}

void draw_order(dice& d, distribution& made)
{
  const std::uint64_t n = made.n;
  const auto size = static_cast<double>(n);
  const double form = d.between(0, 1);
  constexpr arrangement others[] = {arrangement::sorted,     arrangement::reversed,         arrangement::replaced,
                                    arrangement::swapped,    arrangement::block_moved,      arrangement::tail,
                                    arrangement::runs,       arrangement::alternating_runs, arrangement::sawtooth,
                                    arrangement::interleaved};
  made.order = form < 0.45 ? arrangement::random : others[d.below(std::size(others))];
  made.length = 1;
  if (made.order == arrangement::swapped) {
    made.length = std::uint64_t{1} << d.below(static_cast<std::uint64_t>(std::log2(size)));
  } else if (made.order == arrangement::block_moved || made.order == arrangement::tail) {
    made.length = d.by_magnitude(1, size / 2);
  } else if (made.order > arrangement::tail) {  // runs and sequences
    made.length = d.by_magnitude(2, size / 2);
  }
  if (made.order == arrangement::swapped || made.order == arrangement::replaced) {
    made.moved_below = d.share();
  } else if (made.order == arrangement::block_moved) {
    made.first = d.below(n - made.length + 1);
    made.target = d.below(n - made.length + 1);
  }
}

void take_range(dice& d, distribution& made)
{
  if (made.number != real::range) {
    made.number = real::range;
    made.low = 0;
    made.high = d.chance(0.5) ? 1 : std::ldexp(1.0, static_cast<int>(d.below(60)) - 30);
  }
}

/// Keys that show the curve and the sequence: uniform, and numbers of values are not hashed again.
void draw_plain_keys(dice& d, distribution& made, const key_kind& kind)
{
  made.chosen = choice::uniform;
  made.values = kind.is_real ? 0 : at_most(0, kind.bits);
  made.word[0] = word_bits{};
  if (kind.is_real) {
    take_range(d, made);
  }
}

void draw_sequence(dice& d, distribution& made)
{
  made.drawn_from = static_cast<sequence>(1 + d.below(3));
  made.start = d.chance(0.5) ? 0 : d.word();
  made.chosen = made.chosen == choice::normal ? choice::uniform : made.chosen;  // which has several words
  if (made.drawn_from == sequence::steps || d.chance(0.5)) {
    made.place_mask = 1;
    while (made.place_mask < made.n - 1) {
      made.place_mask = 2 * made.place_mask + 1;
    }
  }
}

void draw_curve(dice& d, distribution& made, const key_kind& kind)
{
  constexpr curve curves[] = {curve::power, curve::power, curve::root, curve::product, curve::product, curve::inverse};
  made.bend = curves[d.below(std::size(curves) - (kind.is_real ? 0 : 1))];
  made.factors = made.bend == curve::power || made.bend == curve::product ? static_cast<unsigned>(2 + d.below(3)) : 1;
  made.is_mirrored = d.chance(0.4);
  if (kind.is_real) {
    return take_range(d, made);
  }
  for (unsigned w = 0; w < kind.words; ++w) {
    word_bits& word = made.word[w];
    if (w > 0 && d.chance(0.5)) {
      continue;
    }
    // Of all keys, of half of them, as those that are not negative, or of fewer.
    const std::uint64_t all = at_most(0, kind.bits);
    const double part = d.between(0, 1);
    word.form = layout::curved;
    word.reach = part < 0.4   ? all
                 : part < 0.6 ? std::uint64_t{1} << (kind.bits - 1)
                              : d.by_magnitude(2, std::ldexp(1.0, static_cast<int>(std::min(kind.bits, 63u))));
    word.reach = kind.bits < 64 ? std::min(word.reach, all) : word.reach;
    // From zero or the least signed key on, or, to either side, about zero.
    const std::uint64_t sign = std::uint64_t{1} << (kind.bits - 1);
    const std::uint64_t middle = word.reach == 0 ? sign : word.reach / 2;
    const double from = d.between(0, 1);
    word.base = from < 0.5 ? (made.is_mirrored ? 0 - middle : 0) : from < 0.7 ? 0 : from < 0.85 ? sign : d.word();
    word.base &= low_bits(kind.bits);
  }
  // A curve begins with all bits, not with those of a key.
  if (made.chosen != choice::zipf && made.values == at_most(0, kind.bits)) {
    made.values = 0;
  }
}

/// Sequences and curves, by numbers of their own: other draws are what they would be without.
void draw_shape(distribution& made, const key_kind& kind)
{
  dice d(drawn(made, stream::shape, 0));
  const bool has_sequence = d.chance(0.1);
  const bool has_curve = d.chance(0.15);
  if (!has_sequence && !has_curve) {
    return;
  }
  if (d.chance(0.75)) {
    draw_plain_keys(d, made, kind);
  }
  if (has_sequence) {
    draw_sequence(d, made);
  }
  if (has_curve) {
    draw_curve(d, made, kind);
  }
}

}  // namespace

std::uint64_t dice::by_magnitude(double low, double high)
{
  return static_cast<std::uint64_t>(std::exp2(between(std::log2(low), std::log2(std::max(low, high) + 1))));
}

std::uint64_t dice::share()
{
  constexpr double least_logarithm = -18;
  const double part = chance(0.5) ? between(0, 1) : std::exp2(between(least_logarithm, 0));
  return static_cast<std::uint64_t>(std::ldexp(part, 63)) * 2;
}

distribution draw_distribution(dice& d, const key_kind& kind, std::uint64_t n)
{
  distribution made{};
  made.n = n;
  made.seed = d.word();
  // A record's words have their own numbers of values; this many differ as a whole.
  made.values = draw_count_of_values(d, kind.words > 1 ? 64 : kind.bits);
  if (kind.is_real) {
    draw_number(d, made, kind);
  }
  draw_words(d, made, kind);
  draw_values(d, made, kind);
  draw_order(d, made);
  draw_shape(made, kind);
  return made;
}

}  // namespace perf
