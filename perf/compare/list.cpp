// The plan of perf_compare on a machine without CUDA: `perf_list` takes its options and prints names of cells;
// `perf_list --examples` prints one record of each form, for the tests of the programs that read them.
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "record.h"

namespace {

void print_examples()
{
  using namespace perf;
  setting where;
  where.device = "Example \"GPU\"";
  where.cccl = "3.0.1";
  where.commit = "0000000";
  where.date = "2026-01-31";
  record measured;
  measured.what = {{"exclusive_scan", "i32", "random", 4}, 1024};
  measured.bytes = 8192;
  measured.clocks["device"] = {{9.5, 10, 11}, {4.5, 5, 5.5}, 7};
  measured.clocks["wall"] = {{19, 20, 21}, {39, 40, 41}, 7};
  record failed = measured;
  failed.what.n = 2048;
  failed.clocks.clear();
  failed.error = "gimbal: \"exclusive_scan\",\n\tstep 1";
  record skipped = failed;
  skipped.what.n = 4096;
  skipped.error.clear();
  skipped.skipped = "needs more memory";
  record ceiling;
  ceiling.what = {{ceiling_algorithm, "bytes", "copy", 4}, 1024};
  ceiling.bytes = 8192;
  ceiling.has_gimbal = false;
  ceiling.clocks["device"] = {{3, 4, 5}, {}, 7};
  for (const record& r : {ceiling, measured, failed, skipped}) {
    std::puts(to_json(r, where).c_str());
  }
}

}  // namespace

int main(int argc, char** argv)
{
  if (argc == 2 && std::strcmp(argv[1], "--examples") == 0) {
    print_examples();
    return 0;
  }
  try {
    for (const perf::cell& c : perf::cells(perf::parse(argc, argv))) {
      std::puts(c.name().c_str());
    }
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "%s\n%s", wrong.what(), perf::usage);
    return 64;
  }
  return 0;
}
