// The plan of tuning: a row's algorithm is a subject, its distribution a variant. A variant that there is for some
// sizes only has records without times for the others.
#include <map>

#include "tune.h"

namespace perf {

namespace {

using subject_table = std::map<std::string, void (*)(tuning_run&)>;
subject_table& known_subjects()
{
  static subject_table table;
  return table;
}

void compare_variant(comparison& c)
{
  tuning_run current(c);
  known_subjects().at(c.result().what.what.algorithm)(current);
}

}  // namespace

tuning_subject::tuning_subject(const char* name, void (*run)(tuning_run&))
{
  known_subjects()[name] = run;
  const implementation known(name, "", compare_variant);
}

const std::uint64_t largest_size = std::uint64_t{1} << 32;

std::vector<row> rows(const options& chosen)
{
  const std::vector<std::uint64_t> sizes = chosen.sizes.empty() ? powers_of_two({28}) : chosen.sizes;
  std::vector<row> found;
  for (const auto& [subject, run] : known_subjects()) {
    std::vector<std::string> names;
    for (const std::uint64_t n : sizes) {
      tuning_run listing(n, names);
      run(listing);
    }
    for (const std::string& name : names) {
      found.push_back({subject, "", name, 0, sizes});
    }
  }
  return found;
}

}  // namespace perf
