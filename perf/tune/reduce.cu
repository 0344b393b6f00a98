// Sums with various shapes of the blocks.
#include <cub/device/device_reduce.cuh>
#include <gimbal/kernel/reduce.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;

template <class T, unsigned Threads, unsigned Vectors, unsigned Blocks>
struct shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Vectors * 16 / sizeof(T);
  static constexpr unsigned ordered_items_per_thread = items_per_thread;
  static constexpr unsigned blocks = Blocks;

  static std::string name()
  {
    return std::to_string(Blocks) + " blocks of " + std::to_string(Threads) + " threads of " + std::to_string(Vectors)
           + " vectors";
  }
};

template <class Shape, class T>
void variant(tuning_run& r, const T* in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::kernel::reduce<Shape>(storage, bytes, in, n, out, cuda::std::plus<T>{}, T{0}, nullptr).code;
  });
}

template <class T>
void sum(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const out = r.array<T>(2);
  r.output(out, out + 1, sizeof(T));
  r.moves(n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in, out, static_cast<std::int64_t>(n));
  });
  variant<shape<T, 256, 4, 132 * 8>>(r, in, out + 1);
  variant<shape<T, 256, 2, 132 * 8>>(r, in, out + 1);
  variant<shape<T, 256, 4, 132 * 32>>(r, in, out + 1);
  variant<shape<T, 512, 2, 132 * 4>>(r, in, out + 1);
  variant<shape<T, 512, 4, 132 * 4>>(r, in, out + 1);
  variant<shape<T, 512, 4, 132 * 16>>(r, in, out + 1);
}

const tuning_subject i8{"reduce i8", sum<std::int8_t>};
const tuning_subject i32{"reduce i32", sum<std::int32_t>};
const tuning_subject i64{"reduce i64", sum<std::int64_t>};

}  // namespace

}  // namespace perf
