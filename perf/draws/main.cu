// Sorts of inputs whose distribution, size, types and call are drawn at random, gimbal beside stock: where a fixed list of distributions
// has a gap, a draw may fall into it.
//
//   perf_draws [--draws N] [--seed S] [--first I] [--only TEXT] [--seconds T] [--output FILE]
//   perf_draws --seed S --draw I        measures one draw again
//   perf_draws --seed S --print I       prints what the host makes of its first keys; needs no GPU
//
// Prints each draw in which gimbal is slower by more than five percent, and at the end how many they were. Exit status: 0; 1 if a result
// differs from stock's or a call failed; 3 if a failure left the device unusable; 64 wrong usage.
#include <chrono>
#include <cinttypes>
#include <cstdlib>

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
// Of a time of few microseconds five percent are less than a step of the clock (perf/gate.py): such draws are counted once more.
constexpr double least_microseconds = 0.8;
constexpr budget first_look = {5, 5, 0};
constexpr budget second_look = {15, 15, 0};  // before a draw counts as slower
constexpr double least_logarithm = 8, most_logarithm = 26;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 29;  // of keys and values; so 2000 draws take a few minutes
constexpr double report_seconds = 5;

struct arguments {
  std::uint64_t draws = 2000, seed = 1, first = 0;
  std::string only, output;
  double seconds = 1e9;
  bool is_single = false, is_shown = false;
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

draw make_draw(std::uint64_t seed, std::uint64_t index, std::uint64_t most_items)
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
  n = std::min({n, most_bytes / made.what->item_bytes, most_items});
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

/// Everything that was drawn, in one line.
std::string text_of(const draw& d)
{
  return call_of(d) + " " + d.what->name + ", " + std::to_string(d.keys.n) + " items: " + text_of(d.keys, d.what->kind);
}

struct result {
  std::string clock, error;
  bool has_no_room = false;
  timing taken;

  double ratio() const { return taken.gimbal.median / taken.stock.median; }
  bool is_slower_than(double limit) const { return ratio() > limit; }
  bool is_near() const { return taken.gimbal.median - taken.stock.median < least_microseconds; }
};

result measure(const draw& d, stopwatch& watch, device_memory& memory, const budget& samples)
{
  memory.give_back_all();
  comparison c({{call_of(d), d.what->name, "", d.what->item_bytes}, d.keys.n}, watch, memory, plan::quick);
  c.allow(samples);
  const record made = recorded(c, [&](comparison&) { d.what->compare(c, d); });
  result measured{"", made.error, !made.skipped.empty(), {}};
  // The device's own time where it can be had, for there no gap is the host's.
  for (const char* const clock : {"wall", "device", "queued"}) {
    const auto taken = made.clocks.find(clock);
    if (taken != made.clocks.end()) {
      measured.clock = clock;
      measured.taken = taken->second;
    }
  }
  return measured;
}

void write_json(std::FILE* file, const draw& d, const result& r)
{
  std::fprintf(
    file,
    "{\"seed\": %" PRIu64 ", \"draw\": %" PRIu64 ", \"call\": %s, \"type\": %s, \"n\": %" PRIu64
    ", \"distribution\": %s",
    d.seed, d.index, json_text(call_of(d)).c_str(), json_text(d.what->name).c_str(), d.keys.n,
    json_text(text_of(d.keys, d.what->kind)).c_str());
  if (!r.error.empty()) {
    std::fprintf(file, ", \"error\": %s}\n", json_text(r.error).c_str());
    return;
  }
  const quartiles& s = r.taken.stock;
  const quartiles& g = r.taken.gimbal;
  std::fprintf(
    file,
    ", \"clock\": \"%s\", \"stock\": [%.6g, %.6g, %.6g], \"gimbal\": [%.6g, %.6g, %.6g], \"ratio\": %.6g, \"samples\": "
    "%d}\n",
    r.clock.c_str(), s.low, s.median, s.high, g.low, g.median, g.high, r.ratio(), r.taken.samples);
}

std::string line_of(const draw& d, const result& r)
{
  char times[160];
  if (r.has_no_room) {
    std::snprintf(times, sizeof(times), "no room for it");
  } else if (!r.error.empty()) {
    std::snprintf(times, sizeof(times), "FAILED");
  } else {
    std::snprintf(
      times, sizeof(times), "%.2f (%s, %.1f us beside %.1f us)", r.ratio(), r.clock.c_str(), r.taken.gimbal.median,
      r.taken.stock.median);
  }
  return "--seed " + std::to_string(d.seed) + " --draw " + std::to_string(d.index) + "  " + times + "  " + text_of(d)
         + (r.error.empty() ? "" : "  [" + r.error + "]");
}

class summary {
public:
  void add(const draw& d, const result& r)
  {
    ++measured_;
    logarithms_ += std::log(r.ratio());
    slower_ += r.is_slower_than(slower) ? 1 : 0;
    slower_and_near_ += r.is_slower_than(slower) && r.is_near() ? 1 : 0;
    much_slower_ += r.is_slower_than(much_slower) ? 1 : 0;
    worst_.emplace(-r.ratio(), line_of(d, r));
    if (worst_.size() > listed) {
      worst_.erase(std::prev(worst_.end()));
    }
  }
  void add_failure() { ++failed_; }
  void add_without_room() { ++without_room_; }

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
  stopwatch watch;
  device_memory memory;
  summary all;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double reported = 0;
  for (std::uint64_t index = chosen.first; index < chosen.first + chosen.draws && elapsed() < chosen.seconds; ++index) {
    const draw d = make_draw(chosen.seed, index, ~std::uint64_t{0});
    if (text_of(d).find(chosen.only) == std::string::npos) {
      continue;
    }
    result measured = measure(d, watch, memory, first_look);
    if (measured.error.empty() && !measured.has_no_room && measured.is_slower_than(slower)) {
      measured = measure(d, watch, memory, second_look);
    }
    if (measured.has_no_room) {
      all.add_without_room();
    } else if (!measured.error.empty()) {
      all.add_failure();
    } else {
      all.add(d, measured);
    }
    const bool is_listed = measured.has_no_room ? false : !measured.error.empty() || measured.is_slower_than(slower);
    if (is_listed || chosen.is_single) {
      std::printf("%s\n", line_of(d, measured).c_str());
      std::fflush(stdout);
    }
    if (output != nullptr && !measured.has_no_room) {
      write_json(output, d, measured);
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

void show_draw(const arguments& chosen)
{
  // As many items as the host makes in a moment; with fewer than were drawn, lengths of runs may exceed them.
  constexpr std::uint64_t most_shown = std::uint64_t{1} << 20;
  std::printf("%s\n", text_of(make_draw(chosen.seed, chosen.first, ~std::uint64_t{0})).c_str());
  const draw few = make_draw(chosen.seed, chosen.first, most_shown);
  few.what->show(few);
}

constexpr const char* usage_text =
  "usage: perf_draws [--draws N] [--seed S] [--first I] [--only TEXT] [--seconds T] [--output FILE]\n"
  "       perf_draws [--seed S] --draw I | --print I\n";

bool parse(int argc, char** argv, arguments& chosen)
{
  for (int a = 1; a < argc; a += 2) {
    const std::string name = argv[a];
    if (a + 1 == argc) {
      return false;
    }
    const char* const text = argv[a + 1];
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text, &end, 10);
    const bool is_number = end != text && *end == '\0' && text[0] != '-';
    if (name == "--only") {
      chosen.only = text;
    } else if (name == "--output") {
      chosen.output = text;
    } else if (!is_number) {
      return false;
    } else if (name == "--draws") {
      chosen.draws = number;
    } else if (name == "--seed") {
      chosen.seed = number;
    } else if (name == "--first") {
      chosen.first = number;
    } else if (name == "--seconds") {
      chosen.seconds = static_cast<double>(number);
    } else if (name == "--draw" || name == "--print") {
      chosen.first = number;
      chosen.draws = 1;
      chosen.is_single = true;
      chosen.is_shown = name == "--print";
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  arguments chosen;
  if (!parse(argc, argv, chosen)) {
    std::fprintf(stderr, "%s", usage_text);
    return wrong_usage;
  }
  if (chosen.is_shown) {
    show_draw(chosen);
    return all_equal;
  }
  try {
    return run(chosen);
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "perf_draws: %s\n", failed.what());
    return device_lost;
  }
}
