// Tuning rows of the streams of runs, as variants.
#pragma once

#include <gimbal/algorithm/scan/reduce_by_key.cuh>
#include <string>

#include "tune.h"

namespace perf {

template <unsigned Fold, unsigned Groups, unsigned Store, unsigned LaneBytes, unsigned RingKilobytes, unsigned Resident>
struct runs_shape {
  static constexpr unsigned reduce_warps = Fold;
  static constexpr unsigned reduce_groups = Groups;
  static constexpr unsigned store_warps = Store;
  static constexpr std::size_t lane_bytes = LaneBytes;
  static constexpr unsigned lane_items = 0;
  static constexpr std::size_t ring_bytes = std::size_t{RingKilobytes} * 1024;
  static constexpr unsigned most_stages = 12;
  static constexpr unsigned resident_blocks = Resident;

  static std::string name()
  {
    return name_of(
      Groups, " times ", Fold, " fold ", Store, " store ", LaneBytes, " B a lane ", RingKilobytes, " KB x", Resident);
  }
};

/// As many items a lane as said.
template <unsigned Fold, unsigned Groups, unsigned Store, unsigned Items, unsigned RingKilobytes>
struct items_shape : runs_shape<Fold, Groups, Store, 8 * Items, RingKilobytes, 1> {
  static constexpr unsigned lane_items = Items;
  static std::string name()
  {
    return name_of(Groups, " times ", Fold, " fold ", Store, " store ", Items, " items a lane ", RingKilobytes, " KB");
  }
};

/// The stream with these shapes.
template <class... Shapes, class KeyIn, class Key, class Values, class Equal = ::cuda::std::equal_to<>>
void stream_variants(tuning_run& r, KeyIn in, Key* out, Values values, std::int64_t* count, Equal equal = {})
{
  const auto n = static_cast<gimbal::index_type>(r.n());
  const auto variant = [&](auto shape) {
    r.variant(shape.name(), [=](void* storage, std::size_t& bytes) {
      return run_row(
        gimbal::algorithm::persistent_runs_row<decltype(shape)>(true, in, out, values, count, n, equal, false), storage,
        bytes);
    });
  };
  (variant(Shapes{}), ...);
}

}  // namespace perf
