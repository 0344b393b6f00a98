#include <algorithm>
#include <gimbal/algorithm/argsort/argsort.cuh>
#include <numeric>
#include <tuple>

#include "check.h"

namespace algorithm = gimbal::algorithm;

bool check(std::size_t size)
{
  std::vector<unsigned char> first(size);
  std::vector<short> second(size);
  std::vector<unsigned> third(size);
  std::vector<unsigned> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    first[i] = static_cast<unsigned char>(noise(i) % 3);
    second[i] = static_cast<short>(static_cast<int>(noise(i + size) % 5) - 2);
    third[i] = noise(i + 2 * size) % 4;
  }
  std::iota(values.begin(), values.end(), 0u);
  std::vector<unsigned> wanted = values;
  const auto key = [&](unsigned i) { return std::make_tuple(first[i], second[i], third[i]); };
  std::stable_sort(wanted.begin(), wanted.end(), [&](unsigned a, unsigned b) { return key(a) < key(b); });
  return run_with_storage([&](void* storage, std::size_t& bytes) {
           return algorithm::lexicographic_radix_sort(
             storage, bytes, algorithm::ascending{},
             thrust::make_zip_iterator(first.data(), second.data(), third.data()), values.data(),
             static_cast<gimbal::index_type>(size), nullptr);
         })
         && values == wanted;
}

int main() { return run_schedules({1, 100, 333}, check, 3); }
