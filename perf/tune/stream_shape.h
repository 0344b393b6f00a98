// Tuning rows of the streaming scans, as variants.
#pragma once

#include <string>

#include "tune.h"

namespace perf {

/// What the rows of streaming scans in tuning.h say.
template <
  unsigned Scanners, unsigned Servers, std::size_t LaneBytes, std::size_t RingKilobytes, unsigned Stages,
  unsigned FolderGroups = 1, unsigned ScannerGroups = 1>
struct shape {
  static constexpr unsigned scanner_warps = Scanners;
  static constexpr unsigned server_warps = Servers;
  static constexpr unsigned folder_groups = FolderGroups;
  static constexpr unsigned scanner_groups = ScannerGroups;
  static constexpr std::size_t lane_bytes = LaneBytes;
  static constexpr std::size_t ring_bytes = RingKilobytes * 1024;
  static constexpr unsigned most_stages = Stages;

  static std::string name()
  {
    return std::to_string(FolderGroups) + "+" + std::to_string(ScannerGroups) + " x " + std::to_string(Scanners)
           + " scanners " + std::to_string(Servers) + " servers " + std::to_string(LaneBytes) + " B/lane "
           + std::to_string(RingKilobytes) + " KB " + std::to_string(Stages) + " stages";
  }
};

/// A two-phase call without storage.
template <class Plan>
cudaError_t run_plan(Plan plan, void* storage, std::size_t& bytes)
{
  PERF_CHECK(plan.find_room().code);
  if (storage == nullptr) {
    bytes = 1;
    return plan.blocks > 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
  }
  return plan.launch(nullptr).code;
}

}  // namespace perf
