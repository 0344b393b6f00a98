// What perf_compare measures: the cells of algorithm x type x distribution x size, and the choice among them. Nothing
// here touches CUDA, so that a machine without it can list and test the plan.
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
};

struct cell {
  row what;
  std::uint64_t n;

  std::string name() const;  // algorithm/type/distribution/n
};

struct options {
  plan size = plan::standard;
  // Shell patterns, any of which must match; empty: everything.
  std::vector<std::string> algorithms, types, distributions;
  std::vector<std::uint64_t> sizes;  // empty: the plan's
  std::set<std::string> done;        // names of cells to leave out
  std::set<std::string> only;        // empty: all; names of the only cells to measure
  std::string commit = "unknown";
  bool list = false;
};

/// What the command line says. Throws std::invalid_argument with a text for the user.
options parse(int argc, const char* const* argv);
extern const char* const usage;

/// The ceilings' rows are in every choice: without them no share of a ceiling can be given.
inline constexpr const char* ceiling_algorithm = "ceiling";

std::vector<row> rows(plan size);
std::vector<cell> cells(const options& chosen);

/// Algorithm and type, which say what code measures a row.
std::string subject_of(const row& what);
/// Those of everything in the full plan.
std::set<std::string> subjects();

}  // namespace perf
