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
  c.device<cub::DeviceRadixSort, gimbal::DeviceRadixSort>(
    [=](auto calls, side of, auto&&... storage) { return calls.SortKeysDescending(storage..., in, of(out), n); });
  c.forget_outputs();
  c.in_place(out, in, n);
  call_both(c, [=](auto policy, side of) { thrust::sort(policy, of(out), of(out) + n, thrust::greater<Key>{}); });
}

const implementation here[] = {
  {"radix_sort_descending", "u32", compare_descending<std::uint32_t>},
  {"radix_sort_descending", "f32", compare_descending<float>},
};

}  // namespace

}  // namespace perf
