// Tuning rows of the persistent scans, as variants.
#pragma once

#include <gimbal/algorithm/scan/tuning.h>

#include <string>

#include "tune.h"

namespace perf {

/// What the rows of persistent scans in tuning.h say.
template <
  unsigned Scanners, unsigned Servers, std::size_t LaneBytes, std::size_t RingKilobytes, unsigned Stages,
  unsigned ReduceGroups = 1>
struct shape : gimbal::tuning::scan_shape<Scanners, Servers, ReduceGroups, LaneBytes, RingKilobytes, Stages> {
  static std::string name()
  {
    return name_of(
      ReduceGroups, " x ", Scanners, " scanners ", Servers, " servers ", LaneBytes, " B/lane ", RingKilobytes, " KB ",
      Stages, " stages");
  }
};

/// What the rows of scans of few items by blocks that run at once say.
template <unsigned Threads, unsigned LaneItems, unsigned LoneRows, unsigned SpreadBlocks>
struct resident_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned lane_items = LaneItems;
  static constexpr gimbal::index_type single_rows = LoneRows;
  static constexpr gimbal::index_type spread_blocks = SpreadBlocks;
  static constexpr gimbal::index_type most_blocks = multiprocessors;

  static std::string name()
  {
    return name_of(
      "resident, ", Threads, " threads of ", LaneItems, ", ", LoneRows, " rows alone, spread over ", SpreadBlocks);
  }
};

}  // namespace perf
