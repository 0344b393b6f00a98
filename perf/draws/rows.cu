// The plan of the draws: sorts of inputs whose distribution, size, types and call are drawn at random. Where a fixed
// list of distributions has a gap, a draw may fall into it. --rows "SEED FIRST COUNT" says which.
//
// A row's algorithm is the call, its type the keys and values; its distribution says all that was drawn, and first how
// to draw it again.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <sstream>

#include "draws.h"

namespace perf {

namespace {

constexpr double least_logarithm = 8, most_logarithm = 26;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 29;  // of keys and values; so 2000 draws take a few minutes

/// By their names, in an order that does not depend on the linker.
std::map<std::string, subject>& registry()
{
  static std::map<std::string, subject> all;
  return all;
}

draw make_draw(std::uint64_t seed, std::uint64_t index)
{
  dice d(mixed(mixed(seed, 0), index));
  draw made{};
  made.what = &std::next(registry().begin(), static_cast<std::ptrdiff_t>(d.below(registry().size())))->second;
  made.call = static_cast<call_kind>(d.below(3));
  auto n = static_cast<std::uint64_t>(std::exp2(d.between(least_logarithm, most_logarithm)));
  if (d.chance(0.125)) {
    n = std::uint64_t{1} << static_cast<unsigned>(std::log2(static_cast<double>(n)));
  }
  n = std::min(n, most_bytes / made.what->item_bytes);
  made.keys = draw_distribution(d, made.what->kind, n);
  return made;
}

std::string name_of(const subject& what, call_kind call)
{
  const bool has_values = what.name.find('+') != std::string::npos;
  if (call == call_kind::device) {
    return std::string(what.is_merge_sort ? "DeviceMergeSort::StableSort" : "DeviceRadixSort::Sort")
           + (has_values ? "Pairs" : "Keys");
  }
  return std::string(call == call_kind::thrust ? "sort" : "stable_sort") + (has_values ? "_by_key" : "");
}

void compare_draw(comparison& c)
{
  std::istringstream text(c.distribution());
  std::string option;
  std::uint64_t seed = 0, index = 0;
  text >> option >> seed >> option >> index;
  const draw again = make_draw(seed, index);
  again.what->compare(c, again);
}

}  // namespace

drawn_subject::drawn_subject(subject made)
{
  for (const call_kind call : {call_kind::device, call_kind::thrust, call_kind::thrust_stable}) {
    const implementation known(name_of(made, call).c_str(), made.name.c_str(), compare_draw);
  }
  registry().emplace(made.name, made);
}

const std::uint64_t largest_size = std::uint64_t{1} << 26;

std::vector<row> rows(const options& chosen)
{
  std::istringstream text(chosen.rows.empty() ? "1 0 2000" : chosen.rows);
  std::uint64_t seed = 0, first = 0, count = 0;
  if (!(text >> seed >> first >> count)) {
    throw std::invalid_argument("--rows takes a seed, the first draw and how many");
  }
  std::vector<row> found;
  for (std::uint64_t index = first; index < first + count; ++index) {
    const draw d = make_draw(seed, index);
    const std::string again = "--seed " + std::to_string(seed) + " --draw " + std::to_string(index);
    found.push_back(
      {name_of(*d.what, d.call),
       d.what->name,
       again + ": " + text_of(d.keys, d.what->kind),
       d.what->item_bytes,
       {d.keys.n}});
  }
  return found;
}

}  // namespace perf
