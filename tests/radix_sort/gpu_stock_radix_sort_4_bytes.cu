#include "stock_radix_sort.h"

namespace stock_radix_sort {

TEST_CASE("DeviceRadixSort: randomised sorts of four-byte keys as by stock")
{
  check_sorts<float, void>();
  check_sorts<std::uint32_t, std::uint32_t>();
  check_sorts<std::uint32_t, std::uint8_t>();
  check_sorts<std::uint32_t, three_words>();
  check_sorts<float, std::int16_t>();
}

TEST_CASE("DeviceRadixSort: for four-byte keys no more storage than stock, but for words of one launch")
{
  check_storage<float, void>();
  check_storage<std::uint32_t, std::uint32_t>();
  check_storage<std::uint32_t, std::uint8_t>();
  check_storage<std::int32_t, std::uint16_t>();
  check_storage<std::uint32_t, five_words>();
}

}  // namespace stock_radix_sort
