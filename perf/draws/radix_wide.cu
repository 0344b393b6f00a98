// Draws sorts of keys of eight bytes.
#include "draws.h"

using namespace perf;

const drawn_subject u64{radix<std::uint64_t>("u64")};
const drawn_subject u64_u64{radix<std::uint64_t, std::uint64_t>("u64+u64")};
const drawn_subject i64_u32{radix<std::int64_t, std::uint32_t>("i64+u32")};
