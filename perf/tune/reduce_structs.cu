// Tunes reductions of structs, by an operator that no library knows, with various shapes of the blocks.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <gimbal/algorithm/reduce/reduce.cuh>

#include "tune.h"

namespace perf {

namespace {

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

// Items that a function makes of numbers.
struct moments {
  float count;
  float sum;
  float squares;
};
struct to_moments {
  __host__ __device__ moments operator()(std::uint32_t bits) const
  {
    const auto x = static_cast<float>(bits & 1);
    return {1, x, x * x};
  }
};
struct add_moments {
  __host__ __device__ moments operator()(const moments& a, const moments& b) const
  {
    return {a.count + b.count, a.sum + b.sum, a.squares + b.squares};
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

template <class T, class In, class Op>
void sum_made(tuning_run& r, In in, std::size_t read_bytes, Op op, T init)
{
  const twin<T> out = r.output<T>(1);
  r.moves(r.n() * read_bytes);
  r.stock([=, n = static_cast<std::int32_t>(r.n())](auto&&... storage) {
    return cub::DeviceReduce::Reduce(storage..., in, out.stock, n, op, init);
  });
  constexpr std::size_t bytes = sizeof(T);
  using default_tuning = by_default<sizeof(typename gimbal::block::array_items<In>::item)>;
  r.variants<default_tuning, by_rows<bytes, 2>, by_rows<bytes, 4>, by_rows<bytes, 8>, by_rows<bytes, 16>>(
    [=, n = static_cast<gimbal::index_type>(r.n())](auto shape, void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce<decltype(shape)>(storage, bytes, in, n, out.gimbal, op, init, nullptr).code;
    });
}
/// A function that is not given copies.
template <class F>
struct of_reference {
  template <class T>
  __host__ __device__ auto operator()(const T& x) const
  {
    return F{}(x);
  }
};
template <class F>
void sum_moments(tuning_run& r)
{
  const auto made = thrust::make_transform_iterator(r.random_array<std::uint32_t>(r.n()), F{});
  sum_made(r, made, 4, add_moments{}, moments{});
}
template <class F>
void sum_spreads(tuning_run& r)
{
  const auto made = thrust::make_transform_iterator(r.random_array<std::uint64_t>(r.n()), F{});
  sum_made(r, made, 8, join_spreads{}, spread{1, 0, 0});
}
const tuning_subject made_moments{"reduce moments", sum_moments<to_moments>};
const tuning_subject referred_moments{"reduce moments of references", sum_moments<of_reference<to_moments>>};
const tuning_subject referred_spreads{"reduce spreads of references", sum_spreads<of_reference<to_spread>>};
const tuning_subject made_spreads{"reduce spreads", sum_spreads<to_spread>};

}  // namespace

}  // namespace perf
