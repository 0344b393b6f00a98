#include <algorithm>
#include <gimbal/algorithm/radix_sort/radix_count_sort.cuh>

#include "check.h"

namespace algorithm = gimbal::algorithm;

struct small_shape {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned chunk_items = 2;
};

/// In place: no block may write before all have read.
bool check(std::size_t size)
{
  std::vector<unsigned char> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = static_cast<unsigned char>(noise(i) % (size % 2 == 0 ? 256 : 3));
  }
  std::vector<unsigned char> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  const auto array = algorithm::make_sort_array(keys.data(), keys.data());
  using kernel_type =
    algorithm::radix_count_sort_kernel<small_shape, algorithm::ascending, std::decay_t<decltype(array)>>;
  gimbal::launch_words words(nullptr);
  return !algorithm::radix_count_sort<kernel_type>(array, static_cast<unsigned>(size), 3, words) && keys == wanted;
}

int main() { return run_schedules({1, 127, 300, 901}, check, 60, blocks_that_run::fewer_in_turn); }
