// perf_tune [--subject TEXT] [--variant TEXT] [LOG2_OF_SIZE...]: measures all variants whose names contain the texts.
#include <cstdio>
#include <map>

#include "../compare/arguments.h"
#include "tune.h"

namespace perf {

namespace {

using subject_table = std::map<std::string, void (*)(tuning_run&)>;
subject_table& known_subjects()
{
  static subject_table table;
  return table;
}

}  // namespace

tuning_subject::tuning_subject(const char* name, void (*run)(tuning_run&)) { known_subjects()[name] = run; }

void tuning_run::measure_variant(const std::string& name, std::function<void()> run)
{
  std::printf("%-24s %11zu %-44s ", result().what.what.algorithm.c_str(), n(), name.c_str());
  auto& clocks = result().clocks;
  clocks.clear();  // those of the variant before
  try {
    measure(clock_kind::device, stock_, std::move(run));
  } catch (const wrong_result& wrong) {
    std::printf("WRONG: %s\n", wrong.what());
    return;
  }
  const timing& device = clocks["device"];
  std::printf(
    "%9.1f us  %5.3f of stock  %6.0f GB/s", device.gimbal.median, device.gimbal.median / device.stock.median,
    1e-3 * static_cast<double>(bytes_) / device.gimbal.median);
  if (const auto found = clocks.find("queued"); found != clocks.end()) {
    const timing& queued = found->second;
    std::printf("  queued %7.1f us %5.3f", queued.gimbal.median, queued.gimbal.median / queued.stock.median);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  text_options texts{{"--subject", {}}, {"--variant", {}}};
  std::vector<std::size_t> sizes;
  if (!parse(argc, argv, texts, sizes)) {
    std::fprintf(
      stderr, "usage: perf_tune [--subject TEXT] [--variant TEXT] [SIZE, up to 32 its logarithm to base 2...]\n");
    return 2;
  }
  if (sizes.empty()) {
    sizes.push_back(std::size_t{1} << 28);
  }
  stopwatch watch;
  device_memory memory;
  for (const auto& [name, run] : known_subjects()) {
    if (name.find(text_of(texts, "--subject")) == std::string::npos) {
      continue;
    }
    for (const std::size_t n : sizes) {
      try {
        tuning_run current(name, n, text_of(texts, "--variant"), watch, memory);
        run(current);
      } catch (const std::exception& failed) {
        std::printf("%-24s %11zu failed: %s\n", name.c_str(), n, failed.what());
        if (!device_is_usable()) {
          return 1;
        }
      }
      memory.give_back_all();
    }
  }
}
