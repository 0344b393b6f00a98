// The plan of the survey: every form that there is, which is named call/form.
#include "../compare/comparison.h"

namespace perf {

const std::uint64_t largest_size = std::uint64_t{1} << 32;

std::vector<row> rows(const options&)
{
  std::vector<row> found;
  for (const std::string& name : implemented()) {
    const std::size_t bar = name.find('/');
    const std::string call = name.substr(0, bar);
    found.push_back({call, name.substr(bar + 1), "", 0, powers_of_two({10, 14, 18, 22, 26}), call == "left to stock"});
  }
  return found;
}

}  // namespace perf
