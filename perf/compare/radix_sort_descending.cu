#include "radix_sort.h"

namespace perf {

namespace {

template <class Key>
void compare_descending(comparison& c)
{
  const int n = c.n();
  const Key* const in = make_keys<Key>(c);
  c.moves([=] { return 2 * sizeof(Key) * n; });

  const twin<Key> out = c.output<Key>(n);
  c.device(
    [=](void* storage, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, in, out.stock, n);
    },
    [=](void* storage, std::size_t& bytes) {
      return gimbal::DeviceRadixSort::SortKeysDescending(storage, bytes, in, out.gimbal, n);
    });

  c.forget_outputs();
  c.in_place(out, in, n);
  c.wall(
    [=] { thrust::sort(thrust::device, out.stock, out.stock + n, thrust::greater<Key>{}); },
    [=] { thrust::sort(gimbal::par, out.gimbal, out.gimbal + n, thrust::greater<Key>{}); });
}

const implementation here[] = {
  {"radix_sort_descending", "u32", compare_descending<std::uint32_t>},
  {"radix_sort_descending", "f32", compare_descending<float>},
};

}  // namespace

}  // namespace perf
