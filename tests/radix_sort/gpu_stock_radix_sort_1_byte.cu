#include "stock_radix_sort.h"

namespace stock_radix_sort {

TEST_CASE("DeviceRadixSort: randomised sorts of one-byte keys as by stock")
{
  check_sorts<std::uint8_t, void>();
  check_sorts<std::uint8_t, std::uint32_t>();
  check_sorts<std::uint8_t, three_words>();
  check_sorts<std::uint8_t, five_words>();
}

TEST_CASE("DeviceRadixSort: for one-byte keys no more storage than stock, but for words of one launch")
{
  check_storage<std::uint8_t, void>();
  check_storage<std::uint8_t, std::uint32_t>();
  check_storage<std::uint8_t, five_words>();
}

}  // namespace stock_radix_sort
