// Tunes reductions of structs, by an operator that no library knows, with various shapes of the blocks.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>
#include <gimbal/algorithm/reduce/reduce.cuh>

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

template <std::size_t ValueBytes, unsigned Threads, unsigned Blocks, unsigned Rows>
struct by_rows : gimbal::tuning::reduce<ValueBytes> {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned ordered_blocks(std::size_t) { return Blocks; }
  static constexpr unsigned single_items_per_thread = Rows;
  static constexpr unsigned mapped_rows = Rows;
  static constexpr std::int64_t more_rows_from_items = std::int64_t{1} << 62;
};

/// Beside stock's reduction; what gimbal writes.
template <class T, class In, class Op>
T* reduced(tuning_run& r, In in, std::size_t read_bytes, Op op, T init)
{
  const twin<T> out = r.output<T>(1);
  r.moves(r.n() * read_bytes);
  r.stock([=, n = static_cast<std::int32_t>(r.n())](auto&&... storage) {
    return cub::DeviceReduce::Reduce(storage..., in, out.stock, n, op, init);
  });
  return out.gimbal;
}
template <class Tuning, class T, class In, class Op>
void variant(tuning_run& r, const char* name, In in, T* out, Op op, T init)
{
  r.variant(name, [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<Tuning>(storage, bytes, in, n, out, op, init, nullptr).code;
  });
}

template <class T>
void sum(tuning_run& r)
{
  const T* const in = r.random_array<T>(r.n());
  variant<gimbal::tuning::reduce<sizeof(T)>>(
    r, "default", in, reduced(r, in, sizeof(T), add_parts{}, T{}), add_parts{}, T{});
}

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
  T* const out = reduced(r, in, read_bytes, op, init);
  const auto with = [&](auto tuning, const char* name) { variant<decltype(tuning)>(r, name, in, out, op, init); };
  constexpr std::size_t bytes = sizeof(T);
  with(gimbal::tuning::reduce<sizeof(typename gimbal::block::array_items<In>::item)>{}, "default");
  with(by_rows<bytes, 512, multiprocessors * 4, 8>{}, "512 x 4, rows 8");
  with(by_rows<bytes, 512, multiprocessors * 2, 2>{}, "512 x 2, rows 2");
  with(by_rows<bytes, 512, multiprocessors * 2, 4>{}, "512 x 2, rows 4");
  with(by_rows<bytes, 512, multiprocessors * 2, 8>{}, "512 x 2, rows 8");
  with(by_rows<bytes, 512, multiprocessors * 2, 16>{}, "512 x 2, rows 16");
  with(by_rows<bytes, 256, multiprocessors * 4, 4>{}, "256 x 4, rows 4");
  with(by_rows<bytes, 256, multiprocessors * 4, 8>{}, "256 x 4, rows 8");
  with(by_rows<bytes, 256, multiprocessors * 8, 4>{}, "256 x 8, rows 4");
  with(by_rows<bytes, 256, multiprocessors * 6, 4>{}, "256 x 6, rows 4");
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
const tuning_subject u32x3{"reduce 12 bytes", sum<parts<std::uint32_t, 3>>};
const tuning_subject u64x4{"reduce 32 bytes", sum<parts<std::uint64_t, 4>>};

}  // namespace

}  // namespace perf
