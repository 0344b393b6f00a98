#include <gimbal/argsort.h>
#include <thrust/sequence.h>

#include "radix_sort.h"

namespace perf {

namespace {

/// Stock writes the positions first and sorts them with the keys. By wall time its keys are sorted in place, which
/// spares it a copy of them; gimbal's stay as they are.
template <class Key>
void compare_argsort(comparison& c)
{
  const int n = c.n();
  const Key* const keys = make_keys<Key>(c);
  c.moves([=] { return (sizeof(Key) + sizeof(int)) * n; });

  const twin<int> indices = c.output<int>(n);
  Key* const sorted = c.array<Key>(n);
  int* const positions = c.array<int>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      if (storage != nullptr) {
        thrust::sequence(thrust::cuda::par_nosync, positions, positions + n);
      }
      return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, sorted, positions, indices.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortPairs(
        storage, bytes, keys, sorted, thrust::counting_iterator<int>(0), indices.gimbal, n);
    });

  const twin<Key> in_place{c.array<Key>(n), sorted};
  c.in_place(in_place, keys, n, [] { return std::size_t{0}; });
  c.wall(
    [=] {
      thrust::sequence(thrust::device, indices.stock, indices.stock + n);
      thrust::sort_by_key(thrust::device, in_place.stock, in_place.stock + n, indices.stock);
    },
    [=] { gimbal::argsort(gimbal::par, in_place.gimbal, in_place.gimbal + n, indices.gimbal); });
}

const implementation here[] = {{"argsort", "u32", compare_argsort<std::uint32_t>}};

}  // namespace

}  // namespace perf
