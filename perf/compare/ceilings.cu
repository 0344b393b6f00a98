// Measures what bounds every kernel: the rates of a copy, of a read and of a write, at each size.
#include "comparison.h"

namespace perf {

namespace {

void compare_ceiling(comparison& c)
{
  const std::size_t bytes = sizeof(std::uint32_t) * static_cast<std::size_t>(c.n());
  void* const first = c.array<unsigned char>(bytes);
  poison(first, bytes);
  if (c.distribution() == "copy") {
    void* const second = c.array<unsigned char>(bytes);
    c.moves([=] { return 2 * bytes; });
    c.ceiling([=] { copy(second, first, bytes); });
  } else if (c.distribution() == "read") {
    c.moves([=] { return bytes; }, "read");
    c.ceiling([=] { read_all(first, bytes); });
  } else {
    c.moves([=] { return bytes; }, "write");
    c.ceiling([=] { poison(first, bytes); });
  }
}

const implementation here(ceiling_algorithm, "bytes", compare_ceiling);

}  // namespace

}  // namespace perf
