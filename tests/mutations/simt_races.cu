// Runs one mutated kernel, named on the command line, in one launch. It is for ThreadSanitizer, which must report every
// mutation and nothing for "none"; without it most go unnoticed here.
#include <cstdio>
#include <cstring>

#include "simt_kernels.h"

namespace {

template <mutation Mutation>
outcome run()
{
  if (
    Mutation == mutation::missing_sync_warp || Mutation == mutation::shuffle_as_barrier
    || Mutation == mutation::ballot_as_barrier) {
    return run_rotation<Mutation>();
  }
  if (Mutation >= mutation::missing_phase_wait || Mutation == mutation::none) {
    const outcome ring = run_ring<Mutation>();
    if (Mutation != mutation::none || ring != outcome::right) {
      return ring;
    }
  }
  return run_scan<Mutation>(6);  // all resident at once: blocks that follow each other in a slot are ordered
}

constexpr struct {
  const char* name;
  outcome (*run)();
} mutations[] = {
  {"none", run<mutation::none>},
  {"missing_barrier", run<mutation::missing_barrier>},
  {"missing_reuse_barrier", run<mutation::missing_reuse_barrier>},
  {"flag_before_value", run<mutation::flag_before_value>},
  {"missing_wait", run<mutation::missing_wait>},
  {"relaxed_store", run<mutation::relaxed_store>},
  {"relaxed_load", run<mutation::relaxed_load>},
  {"missing_sync_warp", run<mutation::missing_sync_warp>},
  {"shuffle_as_barrier", run<mutation::shuffle_as_barrier>},
  {"ballot_as_barrier", run<mutation::ballot_as_barrier>},
  {"missing_phase_wait", run<mutation::missing_phase_wait>},
  {"early_stage_release", run<mutation::early_stage_release>},
};

}  // namespace

int main(int argc, char** argv)
{
  for (const auto& f : mutations) {
    if (argc == 2 && std::strcmp(argv[1], f.name) == 0) {
      const outcome result = f.run();
      std::printf("%s\n", result == outcome::right ? "right" : result == outcome::wrong ? "wrong" : "failed");
      return 0;
    }
  }
  for (const auto& f : mutations) {
    std::printf("%s\n", f.name);
  }
  return 2;
}
