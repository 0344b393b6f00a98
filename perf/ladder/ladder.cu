// The ladder of classical kernels beside stock and gimbal: see bench.h for the method, perf/LADDER.md for what it
// shows.
//
//   perf_ladder [--filter section] [--max-log2 N] [--samples N] [--json FILE]
#include <perf/ladder/bench.h>
#include <thrust/version.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#if GIMBAL_GPU
#include <cuda_runtime.h>
#endif
#ifndef GIMBAL_INSTRUMENT
#error "build with GIMBAL_INSTRUMENT defined: launches are counted"
#endif

namespace ladder {

namespace {

constexpr std::size_t flush_bytes = on_gpu ? std::size_t{512} << 20 : 1024;

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

// ---- clocks

#if GIMBAL_GPU

void must_cuda(cudaError_t code, const char* step)
{
  if (code != cudaSuccess) {
    stop(step, code);
  }
}

/// Microseconds between two points of the default stream.
template <class Work>
double device_time(Work work)
{
  static const auto make = [] {
    cudaEvent_t event = nullptr;
    must_cuda(cudaEventCreate(&event), "creation of an event");
    return event;
  };
  static const cudaEvent_t begin = make(), end = make();  // live as long as the program
  must_cuda(cudaEventRecord(begin), "start of a sample");
  work();
  must_cuda(cudaEventRecord(end), "end of a sample");
  must_cuda(cudaEventSynchronize(end), "wait for a sample");
  float milliseconds = 0;
  must_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "time of a sample");
  return 1e3 * milliseconds;
}

/// CUDA's own number: 1000 times the major plus 10 times the minor version.
int runtime_version()
{
  int version = 0;
  must_cuda(cudaRuntimeGetVersion(&version), "query of the runtime");
  return version;
}
int driver_version()
{
  int version = 0;
  must_cuda(cudaDriverGetVersion(&version), "query of the driver");
  return version;
}

std::string device_name()
{
  cudaDeviceProp properties = {};
  must_cuda(cudaGetDeviceProperties(&properties, 0), "query of the device");
  return properties.name;
}

#endif

template <class Work>
double call_time(Work work)
{
  must(simt::wait({}, "wait before a sample"));
  const auto begin = std::chrono::steady_clock::now();
  work();
  must(simt::wait({}, "wait for a sample"));
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

#if !GIMBAL_GPU
template <class Work>
double device_time(Work work)
{
  return call_time(work);
}
std::string device_name() { return "host executor"; }
int runtime_version() { return 0; }
int driver_version() { return 0; }
#endif

// ---- kernels of the bench itself

struct random_words {
  std::uint32_t* out;
  std::uint32_t below;
  std::uint32_t seed;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context&, index_type i) const
  {
    std::uint64_t z = (std::uint64_t{seed} << 32) + static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    const std::uint32_t word = static_cast<std::uint32_t>(z >> 32);
    out[i] = below == 0 ? word : word % below;
  }
};

struct count_differences {
  const std::uint32_t* a;
  const std::uint32_t* b;
  unsigned* different;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, index_type i) const
  {
    if (a[i] != b[i]) {
      ctx.atomic(*different).fetch_add(1u, order::memory_order_relaxed);
    }
  }
};

struct alignas(16) four_words {
  std::uint32_t word[4];
};

/// Reads every vector once and writes nothing unless all bits of a thread's words are set, which the input excludes.
struct read_kernel {
  static constexpr unsigned block_threads = 512;
  static constexpr unsigned in_flight = 4;
  struct shared {};

  const four_words* in;
  index_type n;
  std::uint32_t* out;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type stride = all_threads(ctx);
    std::uint32_t bits = 0;
    index_type i = global_thread(ctx);
    for (; i + (in_flight - 1) * stride < n; i += in_flight * stride) {
      four_words loaded[in_flight];
      GIMBAL_UNROLL
      for (unsigned u = 0; u < in_flight; ++u) {
        loaded[u] = in[i + u * stride];
      }
      GIMBAL_UNROLL
      for (unsigned u = 0; u < in_flight; ++u) {
        bits |= loaded[u].word[0] | loaded[u].word[1] | loaded[u].word[2] | loaded[u].word[3];
      }
    }
    for (; i < n; i += stride) {
      bits |= in[i].word[0] | in[i].word[1] | in[i].word[2] | in[i].word[3];
    }
    if (bits == ~0u) {
      *out = bits;
    }
  }
};
constexpr index_type read_blocks =
  528;  // four for each multiprocessor of an H200; where it was swept: compare_ceilings.cu

double median(std::vector<double> samples)
{
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

std::string today()
{
  const std::time_t now = std::time(nullptr);
  char date[sizeof("2026-01-31")] = "";
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  return date;
}

}  // namespace

void stop(const char* step, simt::error_code code)
{
  std::fprintf(stderr, "%s: %s\n", step, simt::error_string(code));
  std::exit(2);
}

bool same(const std::uint32_t* a, const std::uint32_t* b, index_type count)
{
  const array<unsigned> different(1);
  must(simt::fill_bytes(different.get(), 0, sizeof(unsigned), {}, "clearing of a counter"));
  must(for_each_position(count_differences{a, b, different.get()}, count, {}, "comparison of results"));
  return download(different.get(), 1)[0] == 0;
}

void fill_random(std::uint32_t* out, index_type count, std::uint32_t below, std::uint32_t seed)
{
  must(for_each_position(random_words{out, below, seed}, count, {}, "random words"));
}

bench::bench(options chosen) : chosen_(std::move(chosen)), flush_(flush_bytes)
{
  if (!chosen_.json.empty()) {
    json_ = std::fopen(chosen_.json.c_str(), "w");
    if (json_ == nullptr) {
      std::perror(chosen_.json.c_str());
      std::exit(2);
    }
    std::fprintf(
      json_,
      "{\"kind\": \"machine\", \"device\": \"%s\", \"driver\": %d, \"runtime\": %d, \"thrust\": %d, "
      "\"date\": \"%s\", \"samples\": %u}\n",
      device_name().c_str(), driver_version(), runtime_version(), THRUST_VERSION, today().c_str(), chosen_.samples);
  }
  std::printf("%s, Thrust %d, medians of %u samples\n", device_name().c_str(), THRUST_VERSION, chosen_.samples);
}

bench::~bench()
{
  if (json_ != nullptr) {
    std::fclose(json_);
  }
}

double bench::sample(const comparison& what, const contender& c)
{
  c.reset();
  if (what.is_cold) {
    must(simt::fill_bytes(flush_.get(), 0x33, flush_bytes, {}, "flush of the L2"));
  }
  const auto work = [&] {
    for (unsigned r = 0; r < what.repeats; ++r) {
      c.run();
    }
  };
  return what.is_call ? call_time(work) : device_time(work);
}

double bench::rate_of(bound limit, double bytes)
{
  // Of a copy half of the bytes are read.
  const index_type words =
    std::max<index_type>(4, static_cast<index_type>(bytes / (limit == bound::copy ? 8 : 4)) / 4 * 4);
  for (const ceiling& known : ceilings_) {
    if (known.limit == limit && known.words == words) {
      return known.gbs;
    }
  }
  const array<std::uint32_t> in(words), out(limit == bound::copy ? words : 1);
  fill_random(in.get(), words, 0x40000000u, 99);
  contender c{"", side::stock, [] {}, {}, {}};
  if (limit == bound::copy) {
    c.run = [=] { copy(out.get(), in.get(), words); };
  } else {
    c.run = [=] {
      const read_kernel kernel{reinterpret_cast<const four_words*>(in.get()), words / 4, out.get()};
      const index_type vectors = index_type{read_kernel::block_threads} * read_kernel::in_flight;
      must(simt::launch(kernel, bounded_grid(words / 4, vectors, read_blocks), {}, "read for the ceiling"));
    };
  }
  std::vector<double> taken;
  sample({}, c);
  for (unsigned s = 0; s < chosen_.samples; ++s) {
    taken.push_back(sample({}, c));
  }
  const double gbs = words * (limit == bound::copy ? 8e-3 : 4e-3) / median(taken);
  ceilings_.push_back({limit, words, gbs});
  if (json_ != nullptr) {
    std::fprintf(
      json_, "{\"kind\": \"ceiling\", \"what\": \"%s\", \"bytes\": %.0f, \"gbs\": %.6g}\n", text_of(limit),
      words * (limit == bound::copy ? 8.0 : 4.0), gbs);
  }
  return gbs;
}

void bench::report(const comparison& what, const contender& c, std::vector<double> microseconds, bool is_right)
{
  std::sort(microseconds.begin(), microseconds.end());
  const std::size_t count = microseconds.size();
  const double low = microseconds[count / 4], middle = microseconds[count / 2],
               high = microseconds[count - 1 - count / 4];
  const double gbs = what.bytes * what.repeats / middle * 1e-3;
  const double limit = rate_of(what.limit, what.bytes);
  std::printf(
    "%-14s %-22s %10lld  %-32s %12.1f us %8.0f GB/s %5.1f %%  %s\n", what.section.c_str(), what.task.c_str(),
    static_cast<long long>(what.n), c.name.c_str(), middle, gbs, 100 * gbs / limit, is_right ? "right" : "WRONG");
  std::fflush(stdout);
  if (json_ != nullptr) {
    std::fprintf(
      json_,
      "{\"kind\": \"cell\", \"section\": \"%s\", \"task\": \"%s\", \"n\": %lld, \"contender\": \"%s\", \"side\": "
      "\"%s\", "
      "\"us\": [%.3f, %.3f, %.3f], \"repeats\": %u, \"clock\": \"%s\", \"gbs\": %.6g, \"bound\": \"%s\", "
      "\"bound_gbs\": %.6g, \"right\": %s}\n",
      what.section.c_str(), what.task.c_str(), static_cast<long long>(what.n), c.name.c_str(), text_of(c.whose), low,
      middle, high, what.repeats, what.is_call ? "call" : "device", gbs, text_of(what.limit), limit,
      is_right ? "true" : "false");
    std::fflush(json_);
  }
}

void bench::measure(const comparison& what, const std::vector<contender>& contenders)
{
  using namespace simt::instrument;  // by the count of its launches a call is known to run on gimbal's kernels
  const std::size_t count = contenders.size();
  std::vector<std::vector<double>> taken(count);
  std::vector<bool> is_right(count);
  for (std::size_t c = 0; c < count; ++c) {
    contenders[c].reset();
    const long launches = counted(point::launch);
    contenders[c].run();
    const bool is_own = contenders[c].whose != side::gimbal || counted(point::launch) > launches;
    must(simt::wait({}, "first run of a contender"));
    if (!is_own) {
      std::printf("not on gimbal's kernels: %s\n", what.task.c_str());
    }
    is_right[c] = contenders[c].is_right() && is_own;
  }
  for (unsigned s = 0; s < chosen_.samples; ++s) {
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t turn = (c + s) % count;
      taken[turn].push_back(sample(what, contenders[turn]));
      if (s + 1 == chosen_.samples) {
        is_right[turn] = contenders[turn].is_right() && is_right[turn];
      }
    }
  }
  for (std::size_t c = 0; c < count; ++c) {
    wrong_ += is_right[c] ? 0 : 1;
    report(what, contenders[c], taken[c], is_right[c]);
  }
}

}  // namespace ladder

namespace {

[[noreturn]] void usage(const char* complaint)
{
  std::fprintf(
    stderr,
    "%s\nusage: perf_ladder [--filter section] [--max-log2 N] [--samples N] [--json FILE]\nsections:", complaint);
  for (const ladder::section& s : ladder::sections) {
    std::fprintf(stderr, " %s", s.name);
  }
  std::fprintf(stderr, "\n");
  std::exit(64);
}

ladder::options parse(int argc, char** argv)
{
  ladder::options chosen;
  for (int a = 1; a < argc; a += 2) {
    const std::string name = argv[a];
    if (a + 1 == argc) {
      usage(("unknown option, or its value is missing: " + name).c_str());
    }
    const char* const value = argv[a + 1];
    if (name == "--filter") {
      chosen.filter = value;
    } else if (name == "--max-log2") {
      chosen.max_log2 = std::atoi(value);
    } else if (name == "--samples") {
      chosen.samples = static_cast<unsigned>(std::atoi(value));
    } else if (name == "--json") {
      chosen.json = value;
    } else {
      usage(("unknown option: " + name).c_str());
    }
  }
  if (chosen.max_log2 < 5 || chosen.max_log2 > 28) {
    usage("--max-log2 takes 5 to 28");
  }
  if (chosen.samples < 1 || chosen.samples > 1000) {
    usage("--samples takes 1 to 1000");
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv)
{
  ladder::bench run(parse(argc, argv));
  for (const ladder::section& s : ladder::sections) {
    if (run.wants(s.name)) {
      s.measure(run);
    }
  }
  if (run.wrong() != 0) {
    std::printf("%d contenders gave WRONG results\n", run.wrong());
  }
  return run.wrong() == 0 ? 0 : 1;
}
