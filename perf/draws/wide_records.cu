// Draws sorts of records of 16 bytes and more, by comparisons.
#include "draws.h"

namespace perf {

namespace {

using two_words = record_of<std::uint64_t, 2>;
using three_by_two = record_of<std::uint64_t, 3, 2>;
using four_words = record_of<std::uint64_t, 4>;
using four_by_one = record_of<std::uint64_t, 4, 1>;

const drawn_subject two_u32{merge<two_words, std::uint32_t>("2 words of 64 bits+u32")};
const drawn_subject three{merge<three_by_two>("3 words of 64 bits by 2")};
const drawn_subject four{merge<four_words>("4 words of 64 bits")};
const drawn_subject four_first{merge<four_by_one>("4 words of 64 bits by 1")};
const drawn_subject four_u32{merge<four_words, std::uint32_t>("4 words of 64 bits+u32")};

}  // namespace

}  // namespace perf
