// Sums, of squares too, with various shapes of the blocks, and reductions by an operator that may not commute.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <gimbal/algorithm/reduce/reduce.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;

template <class T, unsigned Threads, unsigned Vectors, unsigned Blocks>
struct shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Vectors * 16 / sizeof(T);
  static constexpr unsigned single_items_per_thread = items_per_thread;
  static constexpr unsigned mapped_rows = Vectors;
  static constexpr std::int64_t more_rows_from_items = std::int64_t{1} << 62;
  static constexpr unsigned tile_threads = 1024;
  static constexpr unsigned small_tile_threads = 256;
  static constexpr unsigned blocks = Blocks;
  static constexpr unsigned many_blocks = Blocks;
  static constexpr unsigned ordered_blocks(std::size_t) { return Blocks; }
  static constexpr unsigned spread_blocks = multiprocessors;
  static constexpr unsigned warp_aggregates = 64;

  static std::string name() { return name_of(Blocks, " blocks of ", Threads, " threads of ", Vectors, " vectors"); }
};

template <class Tuning, class InputIt, class T, class Op = cuda::std::plus<T>>
void variant(tuning_run& r, const std::string& name, InputIt in, T* out, Op op = {})
{
  r.variant(name, [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<Tuning>(storage, bytes, in, n, out, op, T{0}, nullptr).code;
  });
}
template <class... Shapes, class InputIt, class T>
void variants(tuning_run& r, InputIt in, T* out)
{
  (variant<Shapes>(r, Shapes::name(), in, out), ...);
}

/// Beside stock's sum; what gimbal writes.
template <class T, class InputIt>
T* sum_of(tuning_run& r, InputIt in, bool is_compared = true)
{
  const twin<T> out = r.output<T>(1, is_compared);
  r.moves(r.n() * sizeof(T));
  r.stock([=, n = static_cast<std::int64_t>(r.n())](auto&&... storage) {
    return cub::DeviceReduce::Sum(storage..., in, out.stock, n);
  });
  return out.gimbal;
}

template <class T>
void sum(tuning_run& r)
{
  const T* const in = r.random_array<T>(r.n());
  T* const out = sum_of<T>(r, in);
  variants<shape<T, 512, 4, multiprocessors * 4>>(r, in, out);
  if (r.n() <= 1 << 22) {
    variants<
      shape<T, 256, 4, multiprocessors * 4>, shape<T, 512, 2, multiprocessors * 4>,
      shape<T, 1024, 2, multiprocessors * 2>>(r, in, out);
  }
}

/// Sums of what comes through an iterator, item by item.
template <class T>
void sum_of_squares(tuning_run& r)
{
  const auto in = thrust::make_transform_iterator(static_cast<const T*>(r.random_array<T>(r.n())), square{});
  T* const out = sum_of<T>(r, in, std::is_integral_v<T>);
  variant<gimbal::tuning::reduce<sizeof(T)>>(r, "call", in, out);
  variants<
    shape<T, 512, 4, multiprocessors * 4>, shape<T, 512, 8, multiprocessors * 16>,
    shape<T, 256, 4, multiprocessors * 16>, shape<T, 256, 2, multiprocessors * 8>>(r, in, out);
}

/// An operator of which nobody knows that it commutes.
struct larger {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const
  {
    return a < b ? b : a;
  }
};
template <class T>
void ordered(tuning_run& r)
{
  const T* const in = r.random_array<T>(r.n());
  const twin<T> out = r.output<T>(1);
  r.moves(r.n() * sizeof(T));
  r.stock([=, n = static_cast<std::int64_t>(r.n())](auto&&... storage) {
    return cub::DeviceReduce::Reduce(storage..., in, out.stock, n, larger{}, T{0});
  });
  variant<gimbal::tuning::reduce<sizeof(T)>>(r, "as it is", in, out.gimbal, larger{});
}

const tuning_subject i8{"reduce i8", sum<std::int8_t>};
const tuning_subject i32{"reduce i32", sum<std::int32_t>};
const tuning_subject i64{"reduce i64", sum<std::int64_t>};
const tuning_subject f64{"reduce f64", sum<double>};
const tuning_subject f32{"reduce f32", sum<float>};
const tuning_subject squares_i8{"reduce squares i8", sum_of_squares<std::int8_t>};
const tuning_subject squares_i32{"reduce squares i32", sum_of_squares<std::int32_t>};
const tuning_subject squares_f64{"reduce squares f64", sum_of_squares<double>};
const tuning_subject ordered_i8{"ordered i8", ordered<std::int8_t>};
const tuning_subject ordered_i32{"ordered i32", ordered<std::int32_t>};
const tuning_subject ordered_i64{"ordered i64", ordered<std::int64_t>};

}  // namespace

}  // namespace perf
