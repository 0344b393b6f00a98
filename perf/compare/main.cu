// gimbal beside stock CUB and stock Thrust, in one process: the plan's cells (matrix.h) one after the other, a line of
// JSON on standard output for each (record.h). measure.h describes the method. perf/bench.py drives this program, which
// is perf_compare, or perf_survey, perf_draws, perf_concurrent, perf_tune or perf_ladder by the rows that it is linked
// with.
//
// Exit status: 0 all cells equal to stock; 1 some failed or differ (their records say so); 3 a failure left the device
// unusable to this process: it was the last record's, and a new process may go on with the next cell; 64 wrong usage.
#include <gimbal/gimbal.h>

#include <chrono>
#include <cstdio>
#include <new>

#include "comparison.h"

namespace perf {

namespace {

enum exit_status { all_equal = 0, some_failed = 1, device_lost = 3, wrong_usage = 64 };

/// Stock's calls allocate for themselves: at large sizes they need what earlier cells keep.
void make_room(device_memory& memory, std::uint64_t n)
{
  constexpr std::uint64_t large = std::uint64_t{1} << 26;
  constexpr std::size_t worth_it = std::size_t{64} << 20;
  memory.give_back_all();
  memory_of_stock().release();
  if (n >= large) {
    memory.release_unused(worth_it);
    ::gimbal::release_memory();
  }
}

/// What was measured, or why it was not.
record measure_cell(const cell& what, stopwatch& watch, device_memory& memory, plan size)
{
  const auto begin = std::chrono::steady_clock::now();
  comparison c(what, watch, memory, size);
  record result;
  try {
    make_room(memory, what.n);
    implementation_of(what.what)(c);
    result = c.finish();
  } catch (const device_memory::exhausted& full) {
    result = c.result();
    result.skipped = full.what();
  } catch (const std::bad_alloc& full) {
    result = c.result();
    // Where stock finds no room, no comparison can be made; gimbal has to make do with what stock has.
    (c.doing().rfind("gimbal", 0) == 0 ? result.error : result.skipped) = c.doing() + ": " + full.what();
  } catch (const std::exception& failed) {
    result = c.result();
    result.error = c.doing() + ": " + failed.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

exit_status run(const options& chosen)
{
  const setting where = where_am_i(chosen.commit);
  stopwatch watch;
  device_memory memory;
  exit_status status = all_equal;
  for (const cell& what : cells(chosen)) {
    const record result = measure_cell(what, watch, memory, chosen.size);
    std::printf("%s\n", to_json(result, where).c_str());
    std::fflush(stdout);
    if (result.error.empty()) {
      continue;
    }
    status = some_failed;
    if (!device_is_usable()) {
      std::fprintf(stderr, "the device is lost to this process after %s\n", what.name().c_str());
      // Not by way of destructors: each of them would fail.
      std::fflush(nullptr);
      std::_Exit(device_lost);
    }
  }
  return status;
}

}  // namespace

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  options chosen;
  try {
    chosen = parse(argc, argv);
  } catch (const std::invalid_argument& wrong) {
    std::fprintf(stderr, "%s\n%s", wrong.what(), usage);
    return wrong_usage;
  }
  if (chosen.list) {
    for (const cell& what : cells(chosen)) {
      std::printf("%s\n", what.name().c_str());
    }
    return all_equal;
  }
  try {
    return run(chosen);
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return device_lost;
  }
}
