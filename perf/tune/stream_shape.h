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
  static constexpr unsigned reduce_groups = FolderGroups;
  static constexpr unsigned scanner_groups = ScannerGroups;
  static constexpr std::size_t lane_bytes = LaneBytes;
  static constexpr std::size_t ring_bytes = RingKilobytes * 1024;
  static constexpr unsigned most_stages = Stages;

  static std::string name()
  {
    return name_of(
      FolderGroups, "+", ScannerGroups, " x ", Scanners, " scanners ", Servers, " servers ", LaneBytes, " B/lane ",
      RingKilobytes, " KB ", Stages, " stages");
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
