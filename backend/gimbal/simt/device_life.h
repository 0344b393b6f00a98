// Which memory belongs together: that of a device, until it is reset.
#pragma once

#include <gimbal/simt/config.h>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// A device, and which of its lives: cudaDeviceReset() ends one, and all memory of it is gone. The host executor has
/// one.
struct device_life {
  int device = 0;
  unsigned long long number = 0;  // of its context

  friend bool operator==(const device_life& l, const device_life& r)
  {
    return l.device == r.device && l.number == r.number;
  }
};

}  // namespace simt

GIMBAL_NAMESPACE_END
