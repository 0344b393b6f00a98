#include "matrix.h"

#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace perf {

const char* const usage =
  "options: [--quick | --full] [--algorithm A,..] [--type T,..] [--distribution D,..] [--size N,..] [--cell C]\n"
  "         [--done FILE] [--only FILE] [--rows TEXT] [--commit TEXT] [--list]\n"
  "Writes one JSON record per cell to standard output. A, T, D and C, which is of the cell's whole name, are shell\n"
  "patterns; N is a number or 2^k. FILE holds names of cells, one a line: those that are not measured again, or the\n"
  "only ones that are. --list prints the names.\n";

namespace {

constexpr std::uint64_t largest_input = std::uint64_t{8} << 30;  // bytes

std::uint64_t parse_size(const std::string& text)
{
  try {
    std::size_t end = 0;
    std::uint64_t value = 0;
    if (text.rfind("2^", 0) == 0) {
      const int log2 = std::stoi(text.substr(2), &end);
      end += 2;
      value = log2 >= 0 && log2 < 63 ? std::uint64_t{1} << log2 : 0;
    } else {
      value = std::stoull(text, &end);
    }
    // A sort of one item launches nothing.
    if (end == text.size() && value >= 2 && value <= largest_size) {
      return value;
    }
  } catch (const std::exception&) {
  }
  throw std::invalid_argument("not a size from 2 to " + std::to_string(largest_size) + ": " + text);
}

std::set<std::string> read_names(const std::string& path)
{
  std::ifstream in(path);
  if (!in) {
    throw std::invalid_argument("cannot read " + path);
  }
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) {
      names.insert(line);
    }
  }
  return names;
}

bool matches(const std::vector<std::string>& patterns, const std::string& text)
{
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
         });
}

bool wants(const options& chosen, const cell& candidate)
{
  const row& what = candidate.what;
  const std::string name = candidate.name();
  if (candidate.n * what.item_bytes > largest_input || chosen.done.count(name) != 0) {
    return false;
  }
  if (!chosen.only.empty() && chosen.only.count(name) == 0) {
    return false;
  }
  return what.algorithm == ceiling_algorithm
         || (matches(chosen.algorithms, what.algorithm) && matches(chosen.types, what.type)
             && matches(chosen.distributions, what.distribution) && matches(chosen.names, name));
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator)
{
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) {
      parts.push_back(part);
    }
  }
  return parts;
}

std::vector<std::uint64_t> powers_of_two(const std::vector<int>& logarithms)
{
  std::vector<std::uint64_t> sizes;
  for (const int log2 : logarithms) {
    sizes.push_back(std::uint64_t{1} << log2);
  }
  return sizes;
}

options parse(int argc, const char* const* argv)
{
  options chosen;
  using text = const std::string&;
  const std::map<std::string, std::function<void()>> alone = {
    {"--quick", [&] { chosen.size = plan::quick; }},
    {"--full", [&] { chosen.size = plan::full; }},
    {"--list", [&] { chosen.list = true; }},
  };
  const std::map<std::string, std::function<void(text)>> with_value = {
    {"--algorithm", [&](text value) { chosen.algorithms = split(value, ','); }},
    {"--type", [&](text value) { chosen.types = split(value, ','); }},
    {"--distribution", [&](text value) { chosen.distributions = split(value, ','); }},
    {"--size",
     [&](text value) {
       for (const std::string& size : split(value, ',')) {
         chosen.sizes.push_back(parse_size(size));
       }
     }},
    {"--cell", [&](text value) { chosen.names = {value}; }},
    {"--done", [&](text value) { chosen.done = read_names(value); }},
    {"--only", [&](text value) { chosen.only = read_names(value); }},
    {"--rows", [&](text value) { chosen.rows = value; }},
    {"--commit", [&](text value) { chosen.commit = value; }},
  };
  for (int a = 1; a < argc; ++a) {
    const std::string name = argv[a];
    if (alone.count(name) != 0) {
      alone.at(name)();
    } else if (with_value.count(name) != 0 && a + 1 < argc) {
      with_value.at(name)(argv[++a]);
    } else {
      throw std::invalid_argument("unknown option, or its value is missing: " + name);
    }
  }
  return chosen;
}

std::vector<cell> cells(const options& chosen)
{
  std::vector<cell> found;
  for (const row& what : rows(chosen)) {
    for (const std::uint64_t n : chosen.sizes.empty() ? what.sizes : chosen.sizes) {
      const cell candidate{what, n};
      if (wants(chosen, candidate)) {
        found.push_back(candidate);
      }
    }
  }
  return found;
}

}  // namespace perf
