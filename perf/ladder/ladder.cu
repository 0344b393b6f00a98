// Measures the ladder of classical kernels beside stock and gimbal: see bench.h for the method, perf/LADDER.md for what
// it shows.
//
//   perf_ladder [--filter section] [--max-log2 N] [--samples N] [--json FILE]
#include <gimbal/simt/instrument.h>
#include <perf/compare/arguments.h>
#include <perf/ladder/bench.h>
#include <thrust/version.h>

#include <algorithm>

namespace ladder {

namespace {

struct section {
  const char* name;
  void (*measure)(bench&);
};
constexpr section sections[] = {
  {"reductions", measure_reductions},     {"results", measure_results},
  {"matrices", measure_matrices},         {"scans", measure_scans},
  {"histograms", measure_histograms},     {"sorts", measure_sorts},
  {"vector-model", measure_vector_model},
};

const char* text_of(side whose) { return whose == side::rung ? "rung" : whose == side::stock ? "stock" : "gimbal"; }
const char* text_of(bound limit) { return limit == bound::read ? "read" : "copy"; }

}  // namespace

bench::bench(options chosen) : chosen_(std::move(chosen)), samples_{chosen_.samples, chosen_.samples, 0}
{
  const perf::setting where = perf::where_am_i("");
  if (!chosen_.json.empty()) {
    json_ = std::fopen(chosen_.json.c_str(), "w");
    if (json_ == nullptr) {
      throw std::runtime_error("cannot write " + chosen_.json);
    }
    std::fprintf(
      json_,
      "{\"kind\": \"machine\", \"device\": \"%s\", \"driver\": %d, \"runtime\": %d, \"thrust\": %d, "
      "\"date\": \"%s\", \"samples\": %d}\n",
      where.device.c_str(), where.driver, where.cuda, THRUST_VERSION, where.date.c_str(), chosen_.samples);
  }
  std::printf("%s, Thrust %d, medians of %d samples\n", where.device.c_str(), THRUST_VERSION, chosen_.samples);
}

bench::~bench()
{
  if (json_ != nullptr) {
    std::fclose(json_);
  }
}

double bench::rate_of(bound limit, double bytes)
{
  // Of a copy half of the bytes are read. What is read is read by vectors of 16 bytes.
  constexpr std::size_t vector = 16;
  const double parts = limit == bound::copy ? 2 : 1;
  const std::size_t each = std::max<std::size_t>(vector, static_cast<std::size_t>(bytes / parts) / vector * vector);
  for (const ceiling& known : ceilings_) {
    if (known.limit == limit && known.bytes == each) {
      return known.gbs;
    }
  }
  void* const in = array<unsigned char>(each);
  void* const out = limit == bound::copy ? array<unsigned char>(each) : nullptr;
  perf::poison(in, each);
  const perf::contender only{
    [] {}, [=] { limit == bound::copy ? perf::copy(out, in, each) : perf::read_all(in, each); }};
  only.run();
  const double median = watch_.measure(perf::clock_kind::device, {only}, samples_).sides[0].median;
  const double gbs = parts * each * 1e-3 / median;
  ceilings_.push_back({limit, each, gbs});
  if (json_ != nullptr) {
    std::fprintf(
      json_, "{\"kind\": \"ceiling\", \"what\": \"%s\", \"bytes\": %.0f, \"gbs\": %.6g}\n", text_of(limit),
      parts * each, gbs);
  }
  return gbs;
}

void bench::report(const comparison& what, const contender& c, const perf::quartiles& microseconds, bool is_right)
{
  const double gbs = what.bytes * what.repeats / microseconds.median * 1e-3;
  const double limit = rate_of(what.limit, what.bytes);
  std::printf(
    "%-14s %-22s %10lld  %-32s %12.1f us %8.0f GB/s %5.1f %%  %s\n", what.section.c_str(), what.task.c_str(),
    static_cast<long long>(what.n), c.name.c_str(), microseconds.median, gbs, 100 * gbs / limit,
    is_right ? "right" : "WRONG");
  std::fflush(stdout);
  if (json_ != nullptr) {
    std::fprintf(
      json_,
      "{\"kind\": \"cell\", \"section\": \"%s\", \"task\": \"%s\", \"n\": %lld, \"contender\": \"%s\", \"side\": "
      "\"%s\", "
      "\"us\": [%.3f, %.3f, %.3f], \"repeats\": %u, \"clock\": \"%s\", \"gbs\": %.6g, \"bound\": \"%s\", "
      "\"bound_gbs\": %.6g, \"right\": %s}\n",
      what.section.c_str(), what.task.c_str(), static_cast<long long>(what.n), c.name.c_str(), text_of(c.whose),
      microseconds.low, microseconds.median, microseconds.high, what.repeats,
      what.clock == perf::clock_kind::wall ? "call" : "device", gbs, text_of(what.limit), limit,
      is_right ? "true" : "false");
    std::fflush(json_);
  }
}

void bench::measure(const comparison& what, const std::vector<contender>& contenders)
{
  using namespace simt::instrument;  // by the count of its launches a call is known to run on gimbal's kernels
  std::vector<bool> is_right;
  std::vector<perf::contender> repeated;
  for (const contender& c : contenders) {
    c.reset();
    const long launches = counted(point::launch);
    c.run();
    const bool is_own = c.whose != side::gimbal || counted(point::launch) > launches;
    PERF_CHECK(cudaDeviceSynchronize());
    if (!is_own) {
      std::printf("not on gimbal's kernels: %s\n", what.task.c_str());
    }
    is_right.push_back(c.is_right() && is_own);
    repeated.push_back({c.reset, [&c, &what] {
                          for (unsigned r = 0; r < what.repeats; ++r) {
                            c.run();
                          }
                        }});
  }
  const std::vector<perf::quartiles> taken = watch_.measure(what.clock, repeated, samples_).sides;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    const bool stays_right = contenders[c].is_right() && is_right[c];
    wrong_ += stays_right ? 0 : 1;
    report(what, contenders[c], taken[c], stays_right);
  }
}

}  // namespace ladder

namespace {

/// Throws std::logic_error if it cannot be meant.
ladder::options parsed(int argc, char** argv)
{
  perf::text_options texts{{"--filter", {}}, {"--max-log2", {}}, {"--samples", {}}, {"--json", {}}};
  std::vector<std::size_t> none;
  const bool is_understood = perf::parse(argc, argv, texts, none) && none.empty();
  const std::uint64_t max_log2 = perf::as_number(texts, "--max-log2", 28);
  const std::uint64_t samples = perf::as_number(texts, "--samples", 15);
  if (!is_understood || max_log2 < 5 || max_log2 > 28 || samples < 1 || samples > 1000) {
    throw std::invalid_argument("--max-log2 takes 5 to 28, --samples 1 to 1000");
  }
  return {
    perf::text_of(texts, "--filter"), perf::text_of(texts, "--json"), static_cast<int>(max_log2),
    static_cast<int>(samples)};
}

}  // namespace

int main(int argc, char** argv)
{
  try {
    ladder::bench run(parsed(argc, argv));
    for (const ladder::section& s : ladder::sections) {
      if (run.wants(s.name)) {
        s.measure(run);
        run.memory().give_back_all();
      }
    }
    if (run.wrong() != 0) {
      std::printf("%d contenders gave WRONG results\n", run.wrong());
    }
    return run.wrong() == 0 ? 0 : 1;
  } catch (const std::logic_error& wrong) {
    std::fprintf(
      stderr,
      "%s\nusage: perf_ladder [--filter section] [--max-log2 N] [--samples N] [--json FILE]\nsections:", wrong.what());
    for (const ladder::section& s : ladder::sections) {
      std::fprintf(stderr, " %s", s.name);
    }
    std::fprintf(stderr, "\n");
    return 64;
  } catch (const std::exception& failed) {
    // A ladder with a broken rung is of no use.
    std::fprintf(stderr, "perf_ladder: %s\n", failed.what());
    return 2;
  }
}
