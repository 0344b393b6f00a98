// What a program measures: the cells of algorithm x type x distribution x size, and the choice among them. Nothing here
// touches CUDA, so that a machine without it can list and test the plan.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace perf {

/// How much is measured; each plan holds the distributions of the smaller ones.
enum class plan { quick, standard, full };

/// One thing to compare over all sizes.
struct row {
  std::string algorithm, type, distribution;
  unsigned item_bytes;  // of one item's input, keys and values together
  std::vector<std::uint64_t> sizes = {};
  bool may_fall_back = false;  // its calls are such as gimbal leaves to stock: they need not run on its kernels
};

struct cell {
  row what;
  std::uint64_t n;

  std::string name() const;  // algorithm/type/distribution/n
};

struct options {
  plan size = plan::standard;
  // Shell patterns, any of which must match; empty: everything.
  std::vector<std::string> algorithms, types, distributions, names;
  std::vector<std::uint64_t> sizes;  // empty: the plan's
  std::set<std::string> done;        // names of cells to leave out
  std::set<std::string> only;        // empty: all; names of the only cells to measure
  std::string rows;                  // what the program makes its rows of, if it has no list
  std::string commit = "unknown";
  bool list = false;
};

/// What the command line says. Throws std::invalid_argument with a text for the user.
options parse(int argc, const char* const* argv);
extern const char* const usage;

/// The ceilings' rows are in every choice: without them no share of a ceiling can be given.
inline constexpr const char* ceiling_algorithm = "ceiling";

/// The program's own: of the comparison in plan.cpp, of the survey, the draws and the ladder in files of theirs.
std::vector<row> rows(const options& chosen);
extern const std::uint64_t largest_size;

std::vector<cell> cells(const options& chosen);

/// The parts that are not empty.
std::vector<std::string> split(const std::string& text, char separator);
std::vector<std::uint64_t> powers_of_two(const std::vector<int>& logarithms);

}  // namespace perf
