// Tunes sums with various shapes of the blocks.
#include <cub/device/device_reduce.cuh>
#include <gimbal/algorithm/reduce/reduce.cuh>

#include "tune.h"

namespace perf {

namespace {

template <class T, unsigned Threads, unsigned Vectors, unsigned Blocks>
struct shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Vectors * 16 / sizeof(T);
  static constexpr unsigned single_items_per_thread = items_per_thread;
  static constexpr unsigned tile_threads = 1024;
  static constexpr unsigned blocks = Blocks;
  static constexpr unsigned many_blocks = Blocks;
  static constexpr unsigned ordered_blocks(std::size_t) { return Blocks; }
  static constexpr unsigned spread_blocks = multiprocessors;
  static constexpr unsigned warp_aggregates = 64;
  static constexpr std::int64_t more_rows_from_items = std::int64_t{1} << 62;

  static std::string name() { return name_of(Blocks, " blocks of ", Threads, " threads of ", Vectors, " vectors"); }
};

template <class... Shapes, class T>
void variants(tuning_run& r, const T* in, T* out)
{
  r.variants<Shapes...>([=, n = static_cast<gimbal::index_type>(r.n())](auto shape, void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<decltype(shape)>(storage, bytes, in, n, out, cuda::std::plus<T>{}, T{0}, nullptr)
      .code;
  });
}

template <class T>
void sum(tuning_run& r)
{
  const T* const in = r.random_array<T>(r.n());
  const twin<T> result = r.output<T>(1);
  T* const out = result.gimbal;
  r.moves(r.n() * sizeof(T));
  r.stock([=, n = static_cast<std::int64_t>(r.n())](auto&&... storage) {
    return cub::DeviceReduce::Sum(storage..., in, result.stock, n);
  });
  variants<shape<T, 512, 4, multiprocessors * 4>>(r, in, out);
  if (r.n() <= 1 << 22) {
    variants<
      shape<T, 256, 4, multiprocessors * 4>, shape<T, 512, 2, multiprocessors * 4>,
      shape<T, 1024, 2, multiprocessors * 2>>(r, in, out);
  }
}

const tuning_subject i8{"reduce i8", sum<std::int8_t>};
const tuning_subject i32{"reduce i32", sum<std::int32_t>};
const tuning_subject i64{"reduce i64", sum<std::int64_t>};

}  // namespace

}  // namespace perf
