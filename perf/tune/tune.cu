// perf_tune SUBJECT VARIANT SIZE...: measures all variants whose names contain the texts, which may be empty, with so
// many items. perf/tuning.py drives it.
#include <cstdio>
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
  if (argc < 4) {
    std::fprintf(stderr, "usage: perf_tune SUBJECT VARIANT SIZE...\n");
    return 2;
  }
  const std::string subject = argv[1], variant = argv[2];
  stopwatch watch;
  device_memory memory;
  for (const auto& [name, run] : known_subjects()) {
    if (name.find(subject) == std::string::npos) {
      continue;
    }
    for (int a = 3; a < argc; ++a) {
      const std::size_t n = std::stoull(argv[a]);
      try {
        tuning_run current(name, n, variant, watch, memory);
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
