// One faulty kernel, named on the command line, in one launch. For ThreadSanitizer, which must report every fault and
// nothing for "none"; without it most faults go unnoticed here.
#include <cstdio>
#include <cstring>

#include "simt_kernels.h"

namespace {

template <fault Fault>
outcome run()
{
  if (Fault == fault::missing_sync_warp || Fault == fault::shuffle_as_barrier || Fault == fault::ballot_as_barrier) {
    return run_rotation<Fault>();
  }
  if (Fault >= fault::missing_phase_wait || Fault == fault::none) {
    const outcome ring = run_ring<Fault>();
    if (Fault != fault::none || ring != outcome::right) {
      return ring;
    }
  }
  return run_scan<Fault>(6);  // all resident at once: blocks that follow each other in a slot are ordered
}

constexpr struct {
  const char* name;
  outcome (*run)();
} faults[] = {
  {"none", run<fault::none>},
  {"missing_barrier", run<fault::missing_barrier>},
  {"missing_reuse_barrier", run<fault::missing_reuse_barrier>},
  {"flag_before_value", run<fault::flag_before_value>},
  {"missing_wait", run<fault::missing_wait>},
  {"relaxed_store", run<fault::relaxed_store>},
  {"relaxed_load", run<fault::relaxed_load>},
  {"missing_sync_warp", run<fault::missing_sync_warp>},
  {"shuffle_as_barrier", run<fault::shuffle_as_barrier>},
  {"ballot_as_barrier", run<fault::ballot_as_barrier>},
  {"missing_phase_wait", run<fault::missing_phase_wait>},
  {"early_stage_release", run<fault::early_stage_release>},
  {"missing_group_barrier", run<fault::missing_group_barrier>},
};

}  // namespace

int main(int argc, char** argv)
{
  for (const auto& f : faults) {
    if (argc == 2 && std::strcmp(argv[1], f.name) == 0) {
      const outcome result = f.run();
      std::printf("%s\n", result == outcome::right ? "right" : result == outcome::wrong ? "wrong" : "failed");
      return 0;
    }
  }
  for (const auto& f : faults) {
    std::printf("%s\n", f.name);
  }
  return 2;
}
