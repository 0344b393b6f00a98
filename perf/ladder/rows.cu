// The plan of the ladder: its tasks, and the ceilings that their shares are of.
#include <perf/ladder/ladder.h>

namespace ladder {

namespace {

std::vector<perf::row>& planned()
{
  static std::vector<perf::row> rows = {
    {perf::ceiling_algorithm, "bytes", "read", sizeof(std::uint32_t), perf::powers_of_two({28})},
    {perf::ceiling_algorithm, "bytes", "copy", sizeof(std::uint32_t), perf::powers_of_two({24, 26})}};
  return rows;
}

}  // namespace

task::task(
  const char* section, const std::string& name, const std::vector<std::uint64_t>& sizes,
  const std::vector<contender>& contenders)
{
  for (const contender& c : contenders) {
    planned().push_back({section, c.name, name, sizeof(std::uint32_t), sizes});
    const perf::implementation known(section, c.name.c_str(), c.compare);
  }
}

}  // namespace ladder

namespace perf {

const std::uint64_t largest_size = std::uint64_t{1} << 28;

std::vector<row> rows(const options&) { return ladder::planned(); }

}  // namespace perf
