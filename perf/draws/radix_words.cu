// Draws sorts of keys of four bytes.
#include "draws.h"

using namespace perf;

const drawn_subject u32{radix<std::uint32_t>("u32")};
const drawn_subject u32_u32{radix<std::uint32_t, std::uint32_t>("u32+u32")};
const drawn_subject u32_wide{radix<std::uint32_t, wide_value>("u32+16 bytes")};
const drawn_subject i32_u64{radix<std::int32_t, std::uint64_t>("i32+u64")};
