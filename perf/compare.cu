// gimbal beside stock CUB and stock Thrust, in one process: see measure.h for the method.
//
//   perf_compare [--quick] [--max-log2 N] [--filter family] [--json FILE] [--csv FILE]
#include <thrust/version.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "measure.h"

namespace perf {

namespace {

struct family {
  const char* name;
  void (*compare)(session&);
};

// --filter takes every family whose name contains what it is given: "scan" takes three of them.
constexpr family families[] = {
  {"ceilings", compare_ceilings},
  {"reduce", compare_reduce},
  {"exclusive_scan", compare_scan},
  {"scan_by_key", compare_scan_by_key},
  {"segmented_scan", compare_segmented_scan},
  {"partition_copy", compare_partition},
  {"stable_partition", compare_stable_partition},
  {"copy_if", compare_select},
  {"unique_copy", compare_unique},
  {"reduce_by_key", compare_reduce_by_key},
  {"radix_sort", compare_radix_sort},
  {"pairs_sort", compare_radix_sort_pairs},
  {"merge_sort", compare_merge_sort},
};

[[noreturn]] void usage(const char* complaint)
{
  std::fprintf(
    stderr, "%s\nusage: perf_compare [--quick] [--max-log2 N] [--filter family] [--json FILE] [--csv FILE]\nfamilies:",
    complaint);
  for (const family& f : families) {
    std::fprintf(stderr, " %s", f.name);
  }
  std::fprintf(stderr, "\n");
  std::exit(64);
}

options parse(int argc, char** argv)
{
  options chosen;
  for (int a = 1; a < argc; ++a) {
    const std::string name = argv[a];
    if (name == "--quick") {
      chosen.quick = true;
      continue;
    }
    if (a + 1 == argc) {
      usage(("unknown option, or its value is missing: " + name).c_str());
    }
    const char* const value = argv[++a];
    if (name == "--max-log2") {
      chosen.max_log2 = std::atoi(value);
      if (chosen.max_log2 < 10 || chosen.max_log2 > 28) {
        usage("--max-log2 takes 10 to 28");
      }
    } else if (name == "--filter") {
      chosen.filter = value;
    } else if (name == "--json") {
      chosen.json = value;
    } else if (name == "--csv") {
      chosen.csv = value;
    } else {
      usage(("unknown option: " + name).c_str());
    }
  }
  return chosen;
}

struct machine {
  cudaDeviceProp device = {};
  int driver = 0, runtime = 0;

  machine()
  {
    PERF_CHECK(cudaGetDeviceProperties(&device, 0));
    PERF_CHECK(cudaDriverGetVersion(&driver));
    PERF_CHECK(cudaRuntimeGetVersion(&runtime));
  }
};

std::FILE* open_for_writing(const std::string& path)
{
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::perror(path.c_str());
    std::exit(2);
  }
  return file;
}

void write_side(std::FILE* file, const char* name, const timing& t)
{
  if (!t.measured) {
    std::fprintf(file, ", \"%s\": null", name);
    return;
  }
  std::fprintf(
    file, ", \"%s\": {\"stock\": [%.3f, %.3f, %.3f], \"gimbal\": [%.3f, %.3f, %.3f]}", name, t.stock.low,
    t.stock.median, t.stock.high, t.gimbal.low, t.gimbal.median, t.gimbal.high);
}

void write_json(const session& run, const machine& where)
{
  std::FILE* const file = open_for_writing(run.chosen().json);
  const std::time_t now = std::time(nullptr);
  char date[sizeof("2026-01-31")] = "";
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  std::fprintf(
    file, "{\n\"device\": \"%s\", \"compute_capability\": \"%d.%d\", \"multiprocessors\": %d,\n", where.device.name,
    where.device.major, where.device.minor, where.device.multiProcessorCount);
  std::fprintf(
    file, "\"l2_bytes\": %d, \"driver\": %d, \"runtime\": %d, \"thrust\": %d, \"quick\": %s, \"date\": \"%s\",\n",
    where.device.l2CacheSize, where.driver, where.runtime, THRUST_VERSION, run.chosen().quick ? "true" : "false", date);
  std::fprintf(file, "\"unit\": \"microseconds: lower quartile, median, upper quartile\",\n\"ceilings\": [");
  const char* separator = "\n";
  for (const ceiling& c : run.ceilings) {
    std::fprintf(file, "%s{\"log2\": %d, \"copy_gbs\": %.1f, \"read_gbs\": %.1f}", separator, c.log2, c.copy, c.read);
    separator = ",\n";
  }
  std::fprintf(file, "],\n\"cells\": [");
  separator = "\n";
  for (const cell& c : run.cells) {
    std::fprintf(
      file, "%s{\"family\": \"%s\", \"items\": \"%s\", \"log2\": %d, \"equal\": %s", separator, c.family.c_str(),
      c.items.c_str(), c.log2, c.equal ? "true" : "false");
    write_side(file, "device", c.device);
    write_side(file, "wall", c.wall);
    std::fprintf(file, "}");
    separator = ",\n";
  }
  std::fprintf(file, "]\n}\n");
  std::fclose(file);
}

void write_csv(const session& run)
{
  std::FILE* const file = open_for_writing(run.chosen().csv);
  std::fprintf(file, "family,items,log2,clock,stock_us,gimbal_us,ratio,equal\n");
  for (const cell& c : run.cells) {
    for (const auto& side : {std::make_pair("device", c.device), std::make_pair("wall", c.wall)}) {
      if (!side.second.measured) {
        continue;
      }
      std::fprintf(
        file, "%s,\"%s\",%d,%s,%.3f,%.3f,%.4f,%d\n", c.family.c_str(), c.items.c_str(), c.log2, side.first,
        side.second.stock.median, side.second.gimbal.median, side.second.ratio(), c.equal ? 1 : 0);
    }
  }
  std::fclose(file);
}

/// Per family and clock: the worst, median and geometric mean of gimbal/stock, and the sizes where gimbal is slower.
void print_summary(const session& run)
{
  std::printf("\ngimbal/stock, below 1 is faster      clock    worst  median geomean  slower at\n");
  std::vector<std::string> done;
  for (const cell& first : run.cells) {
    const std::string name = first.family + " " + first.items;
    if (std::find(done.begin(), done.end(), name) != done.end()) {
      continue;
    }
    done.push_back(name);
    for (const bool is_device : {true, false}) {
      std::vector<double> ratios;
      std::string losses;
      for (const cell& c : run.cells) {
        const timing& t = is_device ? c.device : c.wall;
        if (c.family != first.family || c.items != first.items || !t.measured) {
          continue;
        }
        ratios.push_back(t.ratio());
        if (t.ratio() > 1) {
          losses += " 2^" + std::to_string(c.log2);
        }
      }
      if (ratios.empty()) {
        continue;
      }
      std::sort(ratios.begin(), ratios.end());
      double logarithms = 0;
      for (const double r : ratios) {
        logarithms += std::log(r);
      }
      std::printf(
        "%-36s %-7s %6.2f  %6.2f  %6.2f %s\n", name.c_str(), is_device ? "device" : "wall", ratios.back(),
        ratios[ratios.size() / 2], std::exp(logarithms / ratios.size()), losses.empty() ? " -" : losses.c_str());
    }
  }
}

}  // namespace

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  session run(parse(argc, argv));
  const machine where;
  const auto begin = std::chrono::steady_clock::now();
  std::printf(
    "%s, CUDA %d, Thrust %d. Medians in microseconds; stock is CUB (device clock) and Thrust (wall clock).\n\n",
    where.device.name, where.runtime, THRUST_VERSION);
  std::printf(
    "%-24s %-8s %-4s %10s %10s %6s  |%11s %10s %6s\n", "", "", "", "device:CUB", "gimbal", "ratio", "wall:Thrust",
    "gimbal", "ratio");
  for (const family& f : families) {
    if (run.wants(f.name)) {
      f.compare(run);
    }
  }
  print_summary(run);
  int different = 0;
  for (const cell& c : run.cells) {
    different += c.equal ? 0 : 1;
  }
  std::printf(
    "\n%d of %d cells with equal results; %.0f s\n", static_cast<int>(run.cells.size()) - different,
    static_cast<int>(run.cells.size()),
    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!run.chosen().json.empty()) {
    write_json(run, where);
  }
  if (!run.chosen().csv.empty()) {
    write_csv(run);
  }
  return different == 0 ? 0 : 1;
}
