#include <perf/ladder/look_back.cuh>
#include <perf/ladder/one_pass.cuh>

#include "check.h"

using few_threads = ladder::shape<64, 6>;
using words = std::vector<std::uint32_t>;

template <class Rung>
bool check_sum(const words& in, std::uint32_t expected)
{
  words out(1);  // on the heap, where ThreadSanitizer looks
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return Rung::run(storage, bytes, in.data(), static_cast<ladder::index_type>(in.size()), out.data(), nullptr);
  });
  return ran && out[0] == expected;
}

template <class Rung>
bool check_scan(const words& in, const words& expected)
{
  words out(in.size());
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return Rung::run(storage, bytes, in.data(), static_cast<ladder::index_type>(in.size()), out.data(), nullptr);
  });
  return ran && out == expected;
}

bool check(std::size_t size)
{
  words in(size), before(size);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    in[i] = noise(i);
    before[i] = sum;
    sum += in[i];
  }
  return check_sum<ladder::reduction_v5<few_threads>>(in, sum) && check_sum<ladder::ticket<few_threads>>(in, sum)
         && check_scan<ladder::scan_then_propagate<few_threads>>(in, before)
         && check_scan<ladder::look_back_scan<few_threads>>(in, before);
}

int main() { return run_schedules({1, 100, 384, 1800}, check); }
