// Describes a distribution. This is host code only.
#include <cmath>
#include <sstream>
#include <utility>

#include "distribution.h"

namespace perf {

namespace {

template <class... Part>
std::string joined(const Part&... parts)
{
  std::ostringstream text;
  text.precision(4);
  (text << ... << parts);
  return text.str();
}

/// The name of an enumerator.
template <class Enum, std::size_t Count>
const char* name_of(Enum value, const char* const (&names)[Count])
{
  return names[static_cast<unsigned>(value)];
}

std::string hexadecimal(std::uint64_t word) { return joined(std::hex, word); }

std::string count_text(std::uint64_t count)
{
  const bool is_power = (count & (count - 1)) == 0;
  return count == 0 ? "2^64" : is_power && count >= (1u << 16) ? joined("2^", count_of(count - 1)) : joined(count);
}

double as_share(std::uint64_t below) { return std::ldexp(static_cast<double>(below), -64); }

std::string text_of_word(const word_bits& word)
{
  const std::string form = name_of(word.form, {"added", "deposited", "masked", "curved"});
  const std::string rest = word.form == layout::added    ? joined("shift ", word.shift)
                           : word.form == layout::curved ? count_text(word.reach) + " keys"
                                                         : "mask " + hexadecimal(word.mask);
  return form + "(base " + hexadecimal(word.base) + ", " + rest + ")";
}

std::string text_of_sequence(const distribution& d)
{
  const std::string name =
    name_of(d.drawn_from, {"", " by multiples of the golden ratio", " by reversed bits", " by even steps"});
  return name.empty() ? name : name + " from " + hexadecimal(d.start) + (d.place_mask != 0 ? " in random order" : "");
}

std::string text_of_curve(const distribution& d)
{
  const bool has_factors = d.bend == curve::power || d.bend == curve::product;
  return name_of(d.bend, {"", "; x^", "; sqrt(x)", "; product of ", "; 1/x"})
         + (has_factors ? std::to_string(d.factors) : std::string())
         + (d.bend != curve::none && d.is_mirrored ? ", to either side" : "");
}

std::string text_of_values(const distribution& d)
{
  std::string text = name_of(d.chosen, {"uniform", "zipf ", "normal", "clusters ", "words and-ed "});
  text += d.chosen == choice::zipf       ? joined(d.exponent)
          : d.chosen == choice::clusters ? joined(d.clusters, " of 2^-", 64 - d.spread)
          : d.chosen == choice::anded    ? joined(d.anded)
                                         : "";
  text += " of " + count_text(d.values) + " values" + text_of_sequence(d);
  if (d.hot_below != 0) {
    text += joined(", ", as_share(d.hot_below), " hot in ", d.hot_values);
  }
  return d.repeat == 0 ? text : text + joined(", equal runs of ", d.repeat);
}

std::string text_of_number(const distribution& d)
{
  std::string text = name_of(d.number, {"any bits", "from ", "2^", "whole numbers", "denormal"});
  if (d.number == real::range) {
    text += joined(d.low, " to ", d.high, d.word[0].form == layout::masked ? ", hashed" : "");
  } else if (d.number == real::exponents) {
    text += joined(d.low, " to 2^", d.high);
  }
  text += d.negative && (d.number == real::exponents || d.number == real::denormal) ? ", either sign" : "";
  for (const auto& [name, below] :
       {std::pair{"zeros", d.zeros_below}, std::pair{"NaN", d.nans_below},
        std::pair{"infinities", d.infinities_below}}) {
    text += below != 0 ? joined(", ", as_share(below), " ", name) : "";
  }
  return text;
}

std::string text_of_order(const distribution& d)
{
  std::string text = name_of(
    d.order, {"random order", "sorted", "reversed", "sorted, replaced", "sorted, swapped", "sorted, a block moved",
              "sorted, a tail", "sorted runs", "runs up and down", "teeth", "interleaved sequences"});
  text += d.length > 1 ? joined(", ", d.length) : "";
  text += d.order == arrangement::block_moved ? joined(" from ", d.first, " to ", d.target) : "";
  return text + (d.moved_below != 0 ? joined(", ", as_share(d.moved_below), " of them") : "");
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
  return text + (kind.is_real ? "; " + text_of_number(d) : "") + text_of_curve(d) + "; " + text_of_order(d);
}

}  // namespace perf
