// Numbers of find if.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Find if. More blocks read more tiles after the first match; fewer leave memory idle: with these a call without a match runs at the speed
/// of a read. record: find_if. Other sizes untuned.
template <std::size_t ValueBytes>
struct find_if {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(64, ValueBytes, 16);
  static constexpr unsigned blocks = multiprocessors * 16;
  static constexpr unsigned first_blocks = multiprocessors * 8;  // that start at once
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
