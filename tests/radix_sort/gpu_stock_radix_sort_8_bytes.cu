#include "stock_radix_sort.h"

namespace stock_radix_sort {

TEST_CASE("DeviceRadixSort: randomised sorts of eight-byte keys as by stock") { check_sorts<std::int64_t, void>(); }

TEST_CASE("DeviceRadixSort: for eight-byte keys no more storage than stock, but for words of one launch")
{
  check_storage<std::int64_t, void>();
  check_storage<double, three_words>();
}

}  // namespace stock_radix_sort
