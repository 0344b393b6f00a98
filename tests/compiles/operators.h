// Operators of the programs in this folder.
#pragma once

#include <gimbal/simt/config.h>

namespace compiles {

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct less {
  GIMBAL_HOST_DEVICE bool operator()(int x, int y) const { return x < y; }
};
struct low_byte {
  GIMBAL_HOST_DEVICE unsigned char operator()(int x) const { return static_cast<unsigned char>(x & 0xff); }
};

}  // namespace compiles
