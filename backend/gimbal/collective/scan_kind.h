// Which of the two scans: item i of the result includes item i of the input, or stops before it.
#pragma once

#include <gimbal/simt/config.h>

#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

enum class scan_kind { inclusive, exclusive };
using inclusive_scan_tag = ::cuda::std::integral_constant<scan_kind, scan_kind::inclusive>;
using exclusive_scan_tag = ::cuda::std::integral_constant<scan_kind, scan_kind::exclusive>;

}  // namespace algorithm

GIMBAL_NAMESPACE_END
