// The command line of programs that take sizes, and options with a text each.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace perf {

/// By their names; an option may be given several times.
using text_options = std::map<std::string, std::vector<std::string>>;

/// False if the command line has anything but sizes, which up to 32 are their logarithms to base 2, and the options
/// that `texts` has.
inline bool parse(int argc, char** argv, text_options& texts, std::vector<std::size_t>& sizes)
{
  for (int a = 1; a < argc; ++a) {
    const auto option = texts.find(argv[a]);
    if (option != texts.end() && a + 1 < argc) {
      option->second.emplace_back(argv[++a]);
      continue;
    }
    char* end = nullptr;
    const long size = std::strtol(argv[a], &end, 10);
    if (end == argv[a] || *end != '\0' || size < 0) {
      return false;
    }
    sizes.push_back(size <= 32 ? std::size_t{1} << size : static_cast<std::size_t>(size));
  }
  return true;
}

/// The last text of an option; empty if there is none.
inline std::string text_of(const text_options& texts, const char* option)
{
  const std::vector<std::string>& given = texts.at(option);
  return given.empty() ? "" : given.back();
}

}  // namespace perf
