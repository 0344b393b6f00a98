// Drawing a distribution, and describing it. Host code alone.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <utility>

#include "generator.h"

namespace perf {

namespace {

std::uint64_t low_bits(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

unsigned count_of(std::uint64_t mask)
{
  unsigned bits = 0;
  for (; mask != 0; mask &= mask - 1) {
    ++bits;
  }
  return bits;
}

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

/// Bits in which a number stays a number of its own.
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

/// Whether keys are made of words, and not as floating-point numbers of a value.
bool is_of_bits(const distribution& d, const key_kind& kind)
{
  return !kind.is_real || d.number == real::bits || d.number == real::denormal;
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
  switch (made.order) {
    case arrangement::swapped:
      made.length = std::uint64_t{1} << d.below(static_cast<std::uint64_t>(std::log2(size)));
      made.moved_below = d.share();
      break;
    case arrangement::replaced:
      made.moved_below = d.share();
      break;
    case arrangement::block_moved:
      made.length = d.by_magnitude(1, size / 2);
      made.first = d.below(n - made.length + 1);
      made.target = d.below(n - made.length + 1);
      break;
    case arrangement::tail:
      made.length = d.by_magnitude(1, size / 2);
      break;
    case arrangement::runs:
    case arrangement::alternating_runs:
    case arrangement::sawtooth:
    case arrangement::interleaved:
      made.length = d.by_magnitude(2, size / 2);
      break;
    default:
      break;
  }
}

std::string formatted(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string formatted(const char* format, ...)
{
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return text;
}

std::string count_text(std::uint64_t count)
{
  const bool is_power = (count & (count - 1)) == 0;
  return count == 0                        ? "2^64"
         : is_power && count >= (1u << 16) ? formatted("2^%u", count_of(count - 1))
                                           : formatted("%llu", static_cast<unsigned long long>(count));
}

double as_share(std::uint64_t below) { return std::ldexp(static_cast<double>(below), -64); }

std::string text_of_word(const word_bits& word)
{
  using ull = unsigned long long;
  switch (word.form) {
    case layout::added:
      return formatted("added(base %llx, shift %u)", static_cast<ull>(word.base), word.shift);
    case layout::deposited:
      return formatted("deposited(mask %llx, base %llx)", static_cast<ull>(word.mask), static_cast<ull>(word.base));
    default:
      return formatted("masked(mask %llx, base %llx)", static_cast<ull>(word.mask), static_cast<ull>(word.base));
  }
}

std::string text_of_values(const distribution& d)
{
  std::string text;
  switch (d.chosen) {
    case choice::zipf:
      text = formatted("zipf %.3f", d.exponent);
      break;
    case choice::normal:
      text = "normal";
      break;
    case choice::clusters:
      text = formatted("%llu clusters of 2^-%u", static_cast<unsigned long long>(d.clusters), 64 - d.spread);
      break;
    case choice::anded:
      text = formatted("%u words and-ed", d.anded);
      break;
    default:
      text = "uniform";
  }
  text += " of " + count_text(d.values) + " values";
  if (d.hot_below != 0) {
    text += formatted(", %.3g hot in %llu", as_share(d.hot_below), static_cast<unsigned long long>(d.hot_values));
  }
  if (d.repeat != 0) {
    text += formatted(", equal runs of %llu", static_cast<unsigned long long>(d.repeat));
  }
  return text;
}

std::string text_of_number(const distribution& d)
{
  std::string text;
  const char* const sign = d.negative ? ", either sign" : "";
  switch (d.number) {
    case real::range:
      text = formatted("from %.6g to %.6g%s", d.low, d.high, d.word[0].form == layout::masked ? ", hashed" : "");
      break;
    case real::exponents:
      text = formatted("2^%.4g to 2^%.4g%s", d.low, d.high, sign);
      break;
    case real::whole:
      text = "whole numbers";
      break;
    case real::denormal:
      text = std::string("denormal") + sign;
      break;
    default:
      text = "any bits";
  }
  for (const auto& [name, below] :
       {std::pair{"zeros", d.zeros_below}, std::pair{"NaN", d.nans_below},
        std::pair{"infinities", d.infinities_below}}) {
    if (below != 0) {
      text += formatted(", %.3g %s", as_share(below), name);
    }
  }
  return text;
}

std::string text_of_order(const distribution& d)
{
  using ull = unsigned long long;
  const auto length = static_cast<ull>(d.length);
  switch (d.order) {
    case arrangement::sorted:
      return "sorted";
    case arrangement::reversed:
      return "reversed";
    case arrangement::replaced:
      return formatted("sorted but for %.3g replaced", as_share(d.moved_below));
    case arrangement::swapped:
      return formatted("sorted but for %.3g swapped %llu apart", as_share(d.moved_below), length);
    case arrangement::block_moved:
      return formatted(
        "sorted, %llu moved from %llu to %llu", length, static_cast<ull>(d.first), static_cast<ull>(d.target));
    case arrangement::tail:
      return formatted("sorted, a tail of %llu", length);
    case arrangement::runs:
      return formatted("sorted runs of %llu", length);
    case arrangement::alternating_runs:
      return formatted("runs of %llu up and down", length);
    case arrangement::sawtooth:
      return formatted("teeth of %llu", length);
    case arrangement::interleaved:
      return formatted("%llu sorted sequences interleaved", length);
    default:
      return "random order";
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
  return made;
}

std::string text_of(const distribution& d, const key_kind& kind)
{
  std::string text = text_of_values(d);
  for (unsigned w = 0; w < kind.words && is_of_bits(d, kind); ++w) {
    text += "; " + text_of_word(d.word[w]);
    if (kind.words > 1) {
      text += " of " + (d.word[w].values == 0 ? std::string("all") : count_text(d.word[w].values));
    }
  }
  if (kind.is_real) {
    text += "; " + text_of_number(d);
  }
  return text + "; " + text_of_order(d);
}

}  // namespace perf
