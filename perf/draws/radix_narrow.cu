// Draws sorts of keys of one and two bytes.
#include "draws.h"

using namespace perf;

const drawn_subject u8{radix<std::uint8_t>("u8")};
const drawn_subject u8_u32{radix<std::uint8_t, std::uint32_t>("u8+u32")};
const drawn_subject i16{radix<std::int16_t>("i16")};
const drawn_subject i16_u64{radix<std::int16_t, std::uint64_t>("i16+u64")};
