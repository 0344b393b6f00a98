// perf_survey [--form TEXT] [SIZE, up to 32 its logarithm to base 2...]: measures every form whose name has TEXT in it,
// gimbal beside stock. Prints a line for each as it is measured, and the slowest of all at the end.
#include <algorithm>
#include <cstdio>

#include "../compare/arguments.h"
#include "survey.h"

namespace perf {

namespace {

struct line {
  std::string text;
  double ratio;
};

/// What a form took, or why it was not measured; those that failed are slowest.
line measure_form(const std::string& name, std::size_t n, stopwatch& watch, device_memory& memory)
{
  constexpr double failed_ratio = 1e9;
  const std::size_t bar = name.find('/');
  const std::string call = name.substr(0, bar);
  const std::string form = call + ", " + name.substr(bar + 1);
  memory.give_back_all();
  comparison c({{call, name.substr(bar + 1), "", 0}, n}, watch, memory, plan::quick);
  if (call == "left to stock") {
    c.may_fall_back();
  }
  const record made = recorded(c, implementation_of(name));
  char text[200];
  if (!made.error.empty()) {
    std::snprintf(text, sizeof(text), "%-52s %10zu %s", form.c_str(), n, made.error.c_str());
    return {text, failed_ratio};
  }
  if (!made.skipped.empty()) {
    return {"", 0};
  }
  const timing& taken = made.clocks.at("wall");
  const double ratio = taken.gimbal.median / taken.stock.median;
  std::snprintf(
    text, sizeof(text), "%-52s %10zu %10.1f us %10.1f us  %5.2f", form.c_str(), n, taken.stock.median,
    taken.gimbal.median, ratio);
  return {text, ratio};
}

}  // namespace

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  constexpr double worth_a_look = 1.02;
  text_options texts{{"--form", {}}};
  std::vector<std::size_t> sizes;
  if (!parse(argc, argv, texts, sizes)) {
    std::fprintf(stderr, "usage: perf_survey [--form TEXT] [SIZE, up to 32 its logarithm to base 2...]\n");
    return 64;
  }
  if (sizes.empty()) {
    sizes = {1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26};
  }
  stopwatch watch;
  device_memory memory;
  std::vector<line> slow;
  for (const std::string& name : implemented()) {
    if (name.find(text_of(texts, "--form")) == std::string::npos) {
      continue;
    }
    for (const std::size_t n : sizes) {
      const line result = measure_form(name, n, watch, memory);
      std::printf("%s\n", result.text.c_str());
      std::fflush(stdout);
      if (result.ratio > worth_a_look) {
        slow.push_back(result);
      }
      if (!device_is_usable()) {
        std::fprintf(stderr, "perf_survey: the device is lost to this process\n");
        std::_Exit(3);
      }
    }
    memory_of_stock().release();
  }
  std::stable_sort(slow.begin(), slow.end(), [](const line& a, const line& b) { return a.ratio > b.ratio; });
  std::printf("\nslower than stock by more than two percent, or failed: %zu\n", slow.size());
  for (const line& each : slow) {
    std::printf("%s\n", each.text.c_str());
  }
}
