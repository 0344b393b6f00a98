// The plan of the survey: every form that there is, which is named call/form.
#include "../compare/comparison.h"

namespace perf {

const std::uint64_t largest_size = std::uint64_t{1} << 32;

std::vector<row> rows(const options&)
{
  std::vector<row> forms = implemented();
  for (row& form : forms) {
    form.sizes = powers_of_two({10, 14, 18, 22, 26});
    form.may_fall_back = form.algorithm == "left to stock";
  }
  return forms;
}

}  // namespace perf
