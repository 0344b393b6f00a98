// Draws sorts of floating-point keys.
#include "draws.h"

using namespace perf;

const drawn_subject f32{radix<float>("f32")};
const drawn_subject f32_u32{radix<float, std::uint32_t>("f32+u32")};
const drawn_subject f64{radix<double>("f64")};
const drawn_subject f64_u32{radix<double, std::uint32_t>("f64+u32")};
