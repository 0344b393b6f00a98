// Keys in random order by a comparator: sweeps of four runs with various tiles, and merging in pairs.
#include <cub/device/device_merge_sort.cuh>
#include <gimbal/kernel/merge_sort.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace kernel = gimbal::kernel;

struct greater {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const
  {
    return a > b;
  }
};

template <unsigned Ways, unsigned Threads, unsigned Items>
struct shape {
  static constexpr unsigned ways = Ways;
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static constexpr index_type lone_tile_items = 4096;
  static constexpr index_type filling_tiles = 132 * 2;

  static std::string name()
  {
    return std::to_string(Ways) + " ways " + std::to_string(Threads) + " threads of " + std::to_string(Items);
  }
};
struct in_pairs {
  static constexpr unsigned block_threads = 256;
  static constexpr unsigned items_per_thread = 17;
  static std::string name() { return "in pairs"; }
};

template <class Shape, class Key>
void variant(tuning_run& r, const Key* in, Key* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return kernel::merge_sort<Shape>(
             storage, bytes, in, out, kernel::no_values{}, kernel::no_values{}, n, greater{}, nullptr)
      .code;
  });
}

template <class Key>
void keys(tuning_run& r)
{
  const std::size_t n = r.n();
  const Key* const in = r.random_array<Key>(n);
  Key* const expected = r.array<Key>(n);
  Key* const out = r.array<Key>(n);
  r.output(expected, out, n * sizeof(Key));
  r.moves(2 * n * sizeof(Key));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortKeysCopy(storage, bytes, in, expected, static_cast<std::int64_t>(n), greater{});
  });
  variant<in_pairs>(r, in, out);
  variant<shape<4, 512, sizeof(Key) == 4 ? 15 : 11>>(r, in, out);
  variant<shape<4, 512, sizeof(Key) == 4 ? 17 : 9>>(r, in, out);
  variant<shape<4, 512, sizeof(Key) == 4 ? 23 : 13>>(r, in, out);
  variant<shape<4, 256, sizeof(Key) == 4 ? 23 : 11>>(r, in, out);
  variant<shape<2, 512, sizeof(Key) == 4 ? 17 : 11>>(r, in, out);
}

const tuning_subject u32{"merge_sort u32", keys<std::uint32_t>};
const tuning_subject u64{"merge_sort u64", keys<std::uint64_t>};

}  // namespace

}  // namespace perf
