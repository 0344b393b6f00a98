// Numbers of copies item by item.
#pragma once

#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace tuning {

/// Element-wise copy. All rows untuned.
template <std::size_t ValueBytes>
struct copy {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = items_for_bytes(32, ValueBytes, 8);
};

}  // namespace tuning

GIMBAL_NAMESPACE_END
