// perf_tune [--subject TEXT] [--variant TEXT] [LOG2_OF_SIZE...]: measure all variants whose names contain the texts.
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

__global__ void random_kernel(std::uint64_t* words, std::size_t count)
{
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;  // splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    words[i] = x ^ x >> 31;
  }
}

}  // namespace

tuning_subject::tuning_subject(const char* name, void (*run)(tuning_run&)) { known_subjects()[name] = run; }

void tuning_run::fill_random(void* memory, std::size_t bytes)
{
  const std::size_t words = bytes / sizeof(std::uint64_t);
  random_kernel<<<1024, 256>>>(static_cast<std::uint64_t*>(memory), words);
  PERF_CHECK(cudaGetLastError());
  PERF_CHECK(cudaMemset(static_cast<std::uint64_t*>(memory) + words, 0x5a, bytes % sizeof(std::uint64_t)));
}

void tuning_run::output(void* stock, void* gimbal, std::size_t bytes)
{
  outputs_.push_back({stock, gimbal, nullptr, bytes});
}

void tuning_run::in_place(void* stock, void* gimbal, const void* source, std::size_t bytes)
{
  outputs_.push_back({stock, gimbal, source, bytes});
}

bool tuning_run::is_chosen(const std::string& name) const { return name.find(filter_) != std::string::npos; }

void tuning_run::reset(bool is_stock) const
{
  for (const compared& o : outputs_) {
    void* const target = is_stock ? o.stock : o.gimbal;
    if (o.source == nullptr) {
      poison(target, o.bytes);
    } else {
      copy(target, o.source, o.bytes);
    }
  }
}

void tuning_run::measure(const std::string& name, std::function<void()> run)
{
  const contender stock{[this] { reset(true); }, stock_};
  const contender gimbal{[this] { reset(false); }, run};
  for (const contender* side : {&stock, &gimbal}) {
    side->reset();
    side->run();
  }
  std::size_t wrong = 0;
  for (const compared& o : outputs_) {
    wrong += count_differences(o.stock, o.gimbal, o.bytes);
  }
  const budget allowed{5, 21, 0.06};
  const bool is_small = bytes_ < (std::size_t{1} << 24);
  const timing device = watch_.measure(clock_kind::device, stock, &gimbal, allowed);
  std::printf(
    "%-24s %11zu %-44s %9.1f us  %5.3f of stock  %6.0f GB/s", subject_.c_str(), n_, name.c_str(), device.gimbal.median,
    device.gimbal.median / device.stock.median, 1e-3 * static_cast<double>(bytes_) / device.gimbal.median);
  if (is_small) {
    const timing queued = watch_.measure(clock_kind::queued, stock, &gimbal, allowed);
    std::printf("  queued %7.1f us %5.3f", queued.gimbal.median, queued.gimbal.median / queued.stock.median);
  }
  if (wrong != 0) {
    std::printf("  WRONG in %zu bytes", wrong);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace perf

int main(int argc, char** argv)
{
  using namespace perf;
  std::string subject, variant;
  std::vector<std::size_t> sizes;
  for (int a = 1; a < argc; ++a) {
    if (std::strcmp(argv[a], "--subject") == 0 && a + 1 < argc) {
      subject = argv[++a];
    } else if (std::strcmp(argv[a], "--variant") == 0 && a + 1 < argc) {
      variant = argv[++a];
    } else {
      char* end = nullptr;
      const long size = std::strtol(argv[a], &end, 10);
      if (*end != '\0' || size < 0) {
        std::fprintf(
          stderr, "usage: perf_tune [--subject TEXT] [--variant TEXT] [SIZE, up to 32 its logarithm to base 2...]\n");
        return 2;
      }
      sizes.push_back(size <= 32 ? std::size_t{1} << size : static_cast<std::size_t>(size));
    }
  }
  if (sizes.empty()) {
    sizes.push_back(std::size_t{1} << 28);
  }
  stopwatch watch;
  device_memory memory;
  for (const auto& [name, run] : known_subjects()) {
    if (name.find(subject) == std::string::npos) {
      continue;
    }
    for (const std::size_t n : sizes) {
      try {
        tuning_run current(name, n, variant, watch, memory);
        run(current);
      } catch (const std::exception& failed) {
        std::printf("%-24s %11zu failed: %s\n", name.c_str(), n, failed.what());
        if (cudaDeviceSynchronize() != cudaSuccess) {
          return 1;
        }
      }
      memory.give_back_all();
    }
  }
}
