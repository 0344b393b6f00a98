// Reductions of structs, by an operator that nobody knows, with various shapes of the blocks.
#include <cub/device/device_reduce.cuh>
#include <gimbal/kernel/reduce.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;

template <class Part, unsigned Parts>
struct parts {
  Part part[Parts];
};
struct add_parts {
  template <class Part, unsigned Parts>
  __host__ __device__ parts<Part, Parts> operator()(const parts<Part, Parts>& a, const parts<Part, Parts>& b) const
  {
    parts<Part, Parts> sum;
    for (unsigned i = 0; i < Parts; ++i) {
      sum.part[i] = a.part[i] + b.part[i];
    }
    return sum;
  }
};

struct by_default {
  static std::string name() { return "default"; }
};
/// `Items` 0: as many as by default.
template <unsigned Threads, unsigned Blocks, unsigned Items = 0>
struct shape {
  static std::string name()
  {
    return std::to_string(Blocks) + " blocks of " + std::to_string(Threads) + " threads"
           + (Items == 0 ? "" : " of " + std::to_string(Items));
  }
};
template <class T, class Shape>
struct tuning_of : gimbal::tuning::reduce<sizeof(T)> {
};
template <class T, unsigned Threads, unsigned Blocks, unsigned Items>
struct tuning_of<T, shape<Threads, Blocks, Items>> : gimbal::tuning::reduce<sizeof(T)> {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned many_blocks = Blocks;
  static constexpr unsigned ordered_blocks = Blocks;
  static constexpr unsigned single_items_per_thread =
    Items == 0 ? gimbal::tuning::reduce<sizeof(T)>::single_items_per_thread : Items;
};

template <class Shape, class T>
void variant(tuning_run& r, const T* in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::kernel::reduce<tuning_of<T, Shape>>(storage, bytes, in, n, out, add_parts{}, T{}, nullptr).code;
  });
}

template <class T>
void sum(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(1);
  T* const out = r.array<T>(1);
  r.output(expected, out, sizeof(T));
  r.moves(n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(storage, bytes, in, expected, static_cast<std::int32_t>(n), add_parts{}, T{});
  });
  variant<by_default>(r, in, out);
  variant<shape<256, 132 * 4>>(r, in, out);
  variant<shape<256, 132 * 8>>(r, in, out);
  variant<shape<512, 132 * 2>>(r, in, out);
  variant<shape<512, 132 * 4>>(r, in, out);
  if constexpr (sizeof(T) >= 32) {
    variant<shape<256, 132 * 2, 256 / sizeof(T)>>(r, in, out);
    variant<shape<256, 132 * 4, 256 / sizeof(T)>>(r, in, out);
    variant<shape<128, 132 * 4, 512 / sizeof(T)>>(r, in, out);
  }
}

const tuning_subject u32x1{"reduce 4 bytes", sum<parts<std::uint32_t, 1>>};
const tuning_subject u64x1{"reduce 8 bytes", sum<parts<std::uint64_t, 1>>};
const tuning_subject u32x3{"reduce 12 bytes", sum<parts<std::uint32_t, 3>>};
const tuning_subject u64x2{"reduce 16 bytes", sum<parts<std::uint64_t, 2>>};
const tuning_subject u64x3{"reduce 24 bytes", sum<parts<std::uint64_t, 3>>};
const tuning_subject u64x4{"reduce 32 bytes", sum<parts<std::uint64_t, 4>>};
const tuning_subject u64x8{"reduce 64 bytes", sum<parts<std::uint64_t, 8>>};

}  // namespace

}  // namespace perf
