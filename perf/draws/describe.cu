// Describes a distribution. This is host code only.
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "distribution.h"

namespace perf {

namespace {

using ull = unsigned long long;

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
                                           : formatted("%llu", ull{count});
}

double as_share(std::uint64_t below) { return std::ldexp(static_cast<double>(below), -64); }

std::string text_of_word(const word_bits& word)
{
  constexpr const char* names[] = {"added", "deposited", "masked", "curved"};
  std::string text = formatted("%s(base %llx", names[static_cast<unsigned>(word.form)], ull{word.base});
  if (word.form == layout::added) {
    text += formatted(", shift %u", word.shift);
  } else if (word.form == layout::curved) {
    text += ", " + count_text(word.reach) + " keys";
  } else {
    text += formatted(", mask %llx", ull{word.mask});
  }
  return text + ")";
}

std::string text_of_sequence(const distribution& d)
{
  constexpr const char* names[] = {"", "multiples of the golden ratio", "reversed bits", "even steps"};
  return d.drawn_from == sequence::hashed ? std::string()
                                          : formatted(
                                            " by %s from %llx%s", names[static_cast<unsigned>(d.drawn_from)],
                                            ull{d.start}, d.place_mask != 0 ? " in random order" : "");
}

std::string text_of_curve(const distribution& d)
{
  constexpr const char* names[] = {"", "; x^", "; sqrt(x)", "; product of ", "; 1/x"};
  const bool has_factors = d.bend == curve::power || d.bend == curve::product;
  return names[static_cast<unsigned>(d.bend)] + (has_factors ? std::to_string(d.factors) : std::string())
         + (d.bend != curve::none && d.is_mirrored ? ", to either side" : "");
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
      text = formatted("%llu clusters of 2^-%u", ull{d.clusters}, 64 - d.spread);
      break;
    case choice::anded:
      text = formatted("%u words and-ed", d.anded);
      break;
    default:
      text = "uniform";
  }
  text += " of " + count_text(d.values) + " values" + text_of_sequence(d);
  if (d.hot_below != 0) {
    text += formatted(", %.3g hot in %llu", as_share(d.hot_below), ull{d.hot_values});
  }
  if (d.repeat != 0) {
    text += formatted(", equal runs of %llu", ull{d.repeat});
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
  constexpr const char* names[] = {
    "random order",          "sorted",         "reversed",    "sorted, replaced", "sorted, swapped",
    "sorted, a block moved", "sorted, a tail", "sorted runs", "runs up and down", "teeth",
    "interleaved sequences"};
  std::string text = names[static_cast<unsigned>(d.order)];
  if (d.length > 1) {
    text += formatted(", %llu", ull{d.length});
  }
  if (d.order == arrangement::block_moved) {
    text += formatted(" from %llu to %llu", ull{d.first}, ull{d.target});
  }
  if (d.moved_below != 0) {
    text += formatted(", %.3g of them", as_share(d.moved_below));
  }
  return text;
}

}  // namespace

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
  text += text_of_curve(d);
  return text + "; " + text_of_order(d);
}

}  // namespace perf
