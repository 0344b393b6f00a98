// Measures sorts of inputs whose distribution, size, types and call are drawn at random, gimbal beside stock: where a
// fixed list of distributions has a gap, a draw may fall into it.
//
//   perf_draws [--draws N] [--seed S] [--first I] [--only TEXT] [--seconds T] [--output FILE]
//   perf_draws --seed S --draw I        measures one draw again
//
// Prints each draw in which gimbal is slower by more than five percent, and at the end their number. FILE gets a record
// of each, like that of a cell of the comparison (perf/records.py). Exit status: 0; 1 if a result differs from stock's
// or a call failed; 3 if a failure left the device unusable; 64 wrong usage.
#include <chrono>
#include <cinttypes>
#include <cstdlib>

#include "../compare/arguments.h"
#include "draws.h"

namespace perf {

namespace {

std::vector<subject>& registry()
{
  static std::vector<subject> all;
  return all;
}

}  // namespace

drawn_subject::drawn_subject(subject made) { registry().push_back(std::move(made)); }

namespace {

enum exit_status { all_equal = 0, some_failed = 1, device_lost = 3, wrong_usage = 64 };

constexpr double slower = 1.05, much_slower = 1.15;
// Of a time of few microseconds five percent are less than a step of the clock (perf/gate.py): such draws are counted
// once more.
constexpr double least_microseconds = 0.8;
constexpr budget first_look = {5, 5, 0};
constexpr budget second_look = {15, 15, 0};  // before a draw counts as slower
constexpr double least_logarithm = 8, most_logarithm = 26;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 29;  // of keys and values; so 2000 draws take a few minutes
constexpr double report_seconds = 5;

struct arguments {
  std::uint64_t draws, seed, first;
  std::string only, output;
  std::uint64_t seconds;
  bool is_single;
};

/// The subjects in an order that does not depend on the linker.
const std::vector<subject>& subjects()
{
  static const std::vector<subject> all = [] {
    std::vector<subject> sorted = registry();
    std::sort(sorted.begin(), sorted.end(), [](const subject& a, const subject& b) { return a.name < b.name; });
    return sorted;
  }();
  return all;
}

draw make_draw(std::uint64_t seed, std::uint64_t index)
{
  dice d(mixed(mixed(seed, 0), index));
  draw made{};
  made.seed = seed;
  made.index = index;
  made.what = &subjects()[d.below(subjects().size())];
  made.call = static_cast<call_kind>(d.below(3));
  auto n = static_cast<std::uint64_t>(std::exp2(d.between(least_logarithm, most_logarithm)));
  if (d.chance(0.125)) {
    n = std::uint64_t{1} << static_cast<unsigned>(std::log2(static_cast<double>(n)));
  }
  n = std::min(n, most_bytes / made.what->item_bytes);
  made.keys = draw_distribution(d, made.what->kind, n);
  return made;
}

std::string call_of(const draw& d)
{
  const bool has_values = d.what->name.find('+') != std::string::npos;
  if (d.call == call_kind::device) {
    return std::string(d.what->is_merge_sort ? "DeviceMergeSort::StableSort" : "DeviceRadixSort::Sort")
           + (has_values ? "Pairs" : "Keys");
  }
  return std::string(d.call == call_kind::thrust ? "sort" : "stable_sort") + (has_values ? "_by_key" : "");
}

/// Everything that was drawn, and how to draw it again.
cell cell_of(const draw& d)
{
  const std::string again = "--seed " + std::to_string(d.seed) + " --draw " + std::to_string(d.index);
  return {{call_of(d), d.what->name, again + ": " + text_of(d.keys, d.what->kind), d.what->item_bytes}, d.keys.n};
}
std::string line_of(const cell& c)
{
  return c.what.algorithm + " " + c.what.type + ", " + std::to_string(c.n) + " items, " + c.what.distribution;
}

/// The device's own time where it can be had, for there no gap is the host's; else that of the wall clock.
const std::pair<const std::string, timing>& taken(const record& r) { return *r.clocks.rbegin(); }
double ratio_of(const record& r) { return taken(r).second.gimbal.median / taken(r).second.stock.median; }
bool is_measured(const record& r) { return r.error.empty() && r.skipped.empty(); }

record measure(const draw& d, const cell& what, stopwatch& watch, device_memory& memory, const budget& samples)
{
  memory.give_back_all();
  comparison c(what, watch, memory, plan::quick);
  c.allow(samples);
  return recorded(c, [&](comparison&) { d.what->compare(c, d); });
}

std::string line_of(const record& r)
{
  char times[160] = "FAILED";
  if (!r.skipped.empty()) {
    std::snprintf(times, sizeof(times), "no room for it");
  } else if (r.error.empty()) {
    const auto& [clock, time] = taken(r);
    std::snprintf(
      times, sizeof(times), "%.2f (%s, %.1f us beside %.1f us)", ratio_of(r), clock.c_str(), time.gimbal.median,
      time.stock.median);
  }
  return times + ("  " + line_of(r.what)) + (r.error.empty() ? "" : "  [" + r.error + "]");
}

class summary {
public:
  void add(const record& r)
  {
    if (!is_measured(r)) {
      ++(r.skipped.empty() ? failed_ : without_room_);
      return;
    }
    const double ratio = ratio_of(r);
    const quartiles& stock = taken(r).second.stock;
    ++measured_;
    logarithms_ += std::log(ratio);
    slower_ += ratio > slower ? 1 : 0;
    slower_and_near_ += ratio > slower && (ratio - 1) * stock.median < least_microseconds ? 1 : 0;
    much_slower_ += ratio > much_slower ? 1 : 0;
    worst_.emplace(-ratio, line_of(r));
    if (worst_.size() > listed) {
      worst_.erase(std::prev(worst_.end()));
    }
  }

  unsigned long slower_draws() const { return slower_; }
  bool has_failures() const { return failed_ != 0; }

  void print() const
  {
    std::printf("\nthe worst:\n");
    for (const auto& each : worst_) {
      std::printf("%s\n", each.second.c_str());
    }
    std::printf(
      "\n%lu draws, %lu slower than stock by more than %.0f %% (%lu of them by less than %.1f us), %lu by more than "
      "%.0f %%\n"
      "geometric mean of gimbal/stock %.3f; %lu failed, %lu found no room\n",
      measured_, slower_, 100 * (slower - 1), slower_and_near_, least_microseconds, much_slower_,
      100 * (much_slower - 1), measured_ == 0 ? 1.0 : std::exp(logarithms_ / static_cast<double>(measured_)), failed_,
      without_room_);
  }

private:
  static constexpr std::size_t listed = 10;
  unsigned long measured_ = 0, slower_ = 0, slower_and_near_ = 0, much_slower_ = 0, failed_ = 0, without_room_ = 0;
  double logarithms_ = 0;
  std::multimap<double, std::string> worst_;
};

exit_status run(const arguments& chosen)
{
  std::FILE* const output = chosen.output.empty() ? nullptr : std::fopen(chosen.output.c_str(), "a");
  if (!chosen.output.empty() && output == nullptr) {
    std::fprintf(stderr, "perf_draws: cannot write %s\n", chosen.output.c_str());
    return wrong_usage;
  }
  const setting where = where_am_i("");
  stopwatch watch;
  device_memory memory;
  summary all;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double reported = 0;
  for (std::uint64_t index = chosen.first;
       index < chosen.first + chosen.draws && elapsed() < static_cast<double>(chosen.seconds); ++index) {
    const draw d = make_draw(chosen.seed, index);
    const cell what = cell_of(d);
    if (line_of(what).find(chosen.only) == std::string::npos) {
      continue;
    }
    record measured = measure(d, what, watch, memory, first_look);
    if (is_measured(measured) && ratio_of(measured) > slower) {
      measured = measure(d, what, watch, memory, second_look);
    }
    all.add(measured);
    const bool has_result = measured.skipped.empty();
    if (chosen.is_single || (has_result && !(is_measured(measured) && ratio_of(measured) <= slower))) {
      std::printf("%s\n", line_of(measured).c_str());
      std::fflush(stdout);
    }
    if (output != nullptr && has_result) {
      std::fprintf(output, "%s\n", to_json(measured, where).c_str());
      std::fflush(output);
    }
    if (!measured.error.empty() && !device_is_usable()) {
      std::fprintf(stderr, "perf_draws: the device is lost to this process; --first %" PRIu64 " goes on\n", index + 1);
      // Not by way of destructors: each of them would fail.
      std::fflush(nullptr);
      std::_Exit(device_lost);
    }
    if (elapsed() - reported > report_seconds) {
      reported = elapsed();
      std::fprintf(
        stderr, "%" PRIu64 " of %" PRIu64 " draws, %.0f s, %lu slower\n", index + 1 - chosen.first, chosen.draws,
        reported, all.slower_draws());
    }
  }
  if (output != nullptr) {
    std::fclose(output);
  }
  if (!chosen.is_single) {
    all.print();
  }
  return all.has_failures() ? some_failed : all_equal;
}

/// Throws std::logic_error if it cannot be meant.
arguments parsed(int argc, char** argv)
{
  text_options texts;
  for (const char* const option : {"--draws", "--seed", "--first", "--only", "--seconds", "--output", "--draw"}) {
    texts[option];
  }
  std::vector<std::size_t> none;
  if (!parse(argc, argv, texts, none) || !none.empty()) {
    throw std::invalid_argument("unknown option");
  }
  const bool is_single = !texts["--draw"].empty();
  return {
    is_single ? 1 : as_number(texts, "--draws", 2000),
    as_number(texts, "--seed", 1),
    as_number(texts, is_single ? "--draw" : "--first", 0),
    text_of(texts, "--only"),
    text_of(texts, "--output"),
    as_number(texts, "--seconds", 1'000'000'000),
    is_single};
}

}  // namespace

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  try {
    return run(parsed(argc, argv));
  } catch (const std::logic_error&) {
    std::fprintf(
      stderr,
      "usage: perf_draws [--draws N] [--seed S] [--first I] [--only TEXT] [--seconds T] [--output FILE]\n"
      "       perf_draws [--seed S] --draw I\n");
    return wrong_usage;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "perf_draws: %s\n", failed.what());
    return device_lost;
  }
}
