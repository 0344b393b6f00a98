// Sums of squares with various shapes of the blocks.
#include <gimbal/gimbal.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>

#include "tune.h"
namespace perf {
namespace {
using gimbal::index_type;
struct square {
  template <class T>
  __host__ __device__ T operator()(T x) const
  {
    return static_cast<T>(x * x);
  }
};
template <class T, unsigned Threads, unsigned Items, unsigned Blocks>
struct shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static constexpr unsigned single_items_per_thread = Items;
  static constexpr unsigned tile_threads = 1024;
  static constexpr unsigned blocks = Blocks;
  static constexpr unsigned many_blocks = Blocks;
  static constexpr unsigned ordered_blocks = Blocks;
  static constexpr unsigned warp_posts = 64;
  static std::string name()
  {
    return std::to_string(Blocks) + " blocks of " + std::to_string(Threads) + " threads of " + std::to_string(Items);
  }
};
template <class Shape, class In, class T>
void variant(tuning_run& r, In in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::kernel::reduce<Shape>(storage, bytes, in, n, out, cuda::std::plus<T>{}, T{0}, nullptr).code;
  });
}
template <class T>
void sum(tuning_run& r)
{
  const std::size_t n = r.n();
  const auto in = thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(n)), square{});
  T* const out = r.array<T>(2);
  if constexpr (std::is_integral_v<T>) r.output(out, out + 1, sizeof(T));
  r.moves(n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in, out, static_cast<std::int64_t>(n));
  });
  r.variant("call", [=](void* storage, std::size_t& bytes) {
    return gimbal::kernel::reduce(
             storage, bytes, in, static_cast<index_type>(n), out + 1, cuda::std::plus<T>{}, T{0}, nullptr)
      .code;
  });
  variant<shape<T, 512, 64 / sizeof(T), 132 * 4>>(r, in, out + 1);
  variant<shape<T, 512, 64 / sizeof(T), 132 * 3>>(r, in, out + 1);
  variant<shape<T, 512, 128 / sizeof(T), 132 * 2>>(r, in, out + 1);
  variant<shape<T, 512, 128 / sizeof(T), 132 * 16>>(r, in, out + 1);
  variant<shape<T, 256, 128 / sizeof(T), 132 * 4>>(r, in, out + 1);
  variant<shape<T, 256, 64 / sizeof(T), 132 * 16>>(r, in, out + 1);
  variant<shape<T, 256, 32 / sizeof(T), 132 * 8>>(r, in, out + 1);
}
const tuning_subject i32{"squares i32", sum<std::int32_t>};
const tuning_subject f64{"squares f64", sum<double>};
const tuning_subject i8{"squares i8", sum<std::int8_t>};
}  // namespace
}  // namespace perf
