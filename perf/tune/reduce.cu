// Tunes sums with various shapes of the blocks, and reductions of structs by an operator that no library knows.
#include <thrust/iterator/transform_iterator.h>

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

template <std::size_t ValueBytes, unsigned Rows>
struct by_rows : gimbal::tuning::reduce<ValueBytes> {
  static constexpr unsigned block_threads = 512;
  static constexpr unsigned ordered_blocks(std::size_t) { return multiprocessors * 2; }
  static constexpr unsigned single_items_per_thread = Rows;
  static constexpr unsigned mapped_rows = Rows;
  static constexpr std::int64_t more_rows_from_items = std::int64_t{1} << 62;
  static std::string name() { return name_of("512 x 2, rows ", Rows); }
};
template <std::size_t ValueBytes>
struct by_default : gimbal::tuning::reduce<ValueBytes> {
  static std::string name() { return "default"; }
};

/// Beside stock's reduction, of which each item takes so many bytes of memory.
template <class T, class In, class Op>
struct reductions {
  tuning_run& r;
  In in;
  Op op;
  T init;
  T* out;

  reductions(tuning_run& r, In in, std::size_t item_bytes, Op op, T init) : r(r), in(in), op(op), init(init)
  {
    const twin<T> both = r.output<T>(1);
    out = both.gimbal;
    r.moves(r.n() * item_bytes);
    r.stock([=, n = static_cast<std::int64_t>(r.n())](auto&&... storage) {
      return cub::DeviceReduce::Reduce(storage..., in, both.stock, n, op, init);
    });
  }

  template <class... Shapes>
  void variants() const
  {
    r.variants<Shapes...>(
      [self = *this, n = static_cast<gimbal::index_type>(r.n())](auto shape, void* storage, std::size_t& bytes) {
        return gimbal::algorithm::reduce<decltype(shape)>(
                 storage, bytes, self.in, n, self.out, self.op, self.init, nullptr)
          .code;
      });
  }
};

template <class T>
void sum(tuning_run& r)
{
  const reductions sums(r, r.random_array<T>(), sizeof(T), cuda::std::plus<T>{}, T{0});
  sums.template variants<shape<T, 512, 4, multiprocessors * 4>>();
  if (r.n() <= 1 << 22) {
    sums.template variants<
      shape<T, 256, 4, multiprocessors * 4>, shape<T, 512, 2, multiprocessors * 4>,
      shape<T, 1024, 2, multiprocessors * 2>>();
  }
}

const tuning_subject i8{"reduce i8", sum<std::int8_t>};
const tuning_subject i32{"reduce i32", sum<std::int32_t>};
const tuning_subject i64{"reduce i64", sum<std::int64_t>};

// Items that a function makes of numbers.
struct to_moments {
  __host__ __device__ moments<float> operator()(std::uint32_t bits) const
  {
    return moments<float>::of(static_cast<float>(bits & 1));
  }
};
struct spread {
  double count;
  double mean;
  double squares;
};
struct to_spread {
  __host__ __device__ spread operator()(std::uint64_t bits) const { return {1, static_cast<double>(bits & 0), 0}; }
};
struct join_spreads {
  __host__ __device__ spread operator()(const spread& a, const spread& b) const
  {
    const double count = a.count + b.count;
    const double apart = b.mean - a.mean;
    return {count, a.mean + apart * b.count / count, a.squares + b.squares + apart * apart * a.count * b.count / count};
  }
};

/// A function that is not given copies.
template <class F>
struct of_reference {
  template <class T>
  __host__ __device__ auto operator()(const T& x) const
  {
    return F{}(x);
  }
};
/// Of what F makes of numbers.
template <class Number, class F, class T, class Op>
void sum_made(tuning_run& r, Op op, T init)
{
  const auto made = thrust::make_transform_iterator(r.random_array<Number>(), F{});
  constexpr std::size_t bytes = sizeof(T);
  reductions(r, made, sizeof(Number), op, init)
    .template variants<
      by_default<sizeof(typename gimbal::block::array_items<decltype(made)>::item)>, by_rows<bytes, 2>,
      by_rows<bytes, 4>, by_rows<bytes, 8>, by_rows<bytes, 16>>();
}
template <class F>
void sum_moments(tuning_run& r)
{
  sum_made<std::uint32_t, F>(r, add_moments{}, moments<float>{});
}
template <class F>
void sum_spreads(tuning_run& r)
{
  sum_made<std::uint64_t, F>(r, join_spreads{}, spread{1, 0, 0});
}
const tuning_subject made_moments{"reduce moments", sum_moments<to_moments>};
const tuning_subject referred_moments{"reduce moments of references", sum_moments<of_reference<to_moments>>};
const tuning_subject referred_spreads{"reduce spreads of references", sum_spreads<of_reference<to_spread>>};
const tuning_subject made_spreads{"reduce spreads", sum_spreads<to_spread>};

}  // namespace

}  // namespace perf
