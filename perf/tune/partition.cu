// partition_copy and copy_if of a predicate that selects half or few, and a stable partition in place: the stream with
// various shapes, and tiles as blocks.
#include <thrust/iterator/reverse_iterator.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <gimbal/algorithm/select/partition.cuh>

#include "tune.h"

namespace perf {

namespace {

using gimbal::index_type;
namespace algorithm = gimbal::algorithm;

/// True for `of_256` items out of 256.
struct is_some {
  unsigned of_256 = 128;
  template <class T>
  __host__ __device__ bool operator()(const T& item) const
  {
    return (static_cast<unsigned>(item) & 0xff) < of_256;
  }
};

/// Warps of a tile and groups of them, that scatter and that count.
template <
  unsigned Scatter, unsigned ScatterGroups, unsigned Count, unsigned CountGroups, unsigned Rows, unsigned Stages,
  unsigned Resident>
struct shape {
  static constexpr unsigned rows = Rows;
  static constexpr unsigned scatter_warps = Scatter;
  static constexpr unsigned scatter_groups = ScatterGroups;
  static constexpr unsigned count_warps = Count;
  static constexpr unsigned count_groups = CountGroups;
  static constexpr unsigned loader_warps = scatter_warps;
  static constexpr unsigned stages = Stages;
  static constexpr unsigned places = 2;
  static constexpr unsigned resident_blocks = Resident;

  static std::string name()
  {
    return std::to_string(Scatter) + "x" + std::to_string(ScatterGroups) + " scatter " + std::to_string(Count) + "x"
           + std::to_string(CountGroups) + " count " + std::to_string(Rows) + " rows " + std::to_string(Stages)
           + " stages x" + std::to_string(Resident);
  }
};

template <class Shape, class T, class Rejected>
void stream_variant(tuning_run& r, const T* in, T* out, Rejected rejected, std::int64_t* count, is_some predicate = {})
{
  using selector = algorithm::select_if<is_some>;
  using stream_kernel = algorithm::stream_select_policy<
    Shape, const T*, typename algorithm::side_of<selector>::selector, Rejected, std::int64_t*>;
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    algorithm::detail::stream_call<stream_kernel> call;
    PERF_CHECK(call.prepare(n).code);
    bytes = 1;
    bool ran = true;
    gimbal::launch_words words(nullptr);
    const cudaError_t code =
      storage == nullptr ? cudaSuccess : call.run(in, n, selector{predicate}, out, rejected, count, words, ran).code;
    return ran ? code : cudaErrorInvalidConfiguration;
  });
}

/// Tiles as blocks.
template <unsigned Threads, unsigned Items>
struct tile_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static constexpr unsigned append_blocks = 132;
};

template <class Shape, class T, class RejectedIt>
void tile_variant(tuning_run& r, const T* in, T* out, RejectedIt rejected, std::int64_t* count)
{
  if (r.n() > (std::size_t{1} << 20)) {
    return;
  }
  r.variant(
    std::to_string(Shape::block_threads) + " x " + std::to_string(Shape::items_per_thread),
    [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
      return algorithm::select<Shape>(
               storage, bytes, in, n, algorithm::select_if<is_some>{{}}, out, rejected, count, nullptr)
        .code;
    });
}

template <class T>
void partition_copy(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  std::int64_t* const counts = r.array<std::int64_t>(2);
  r.output(expected, out, n * sizeof(T));
  r.output(counts, counts + 1, sizeof *counts);
  r.moves(2 * n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DevicePartition::If(storage, bytes, in, expected, counts, static_cast<std::int64_t>(n), is_some{});
  });
  const algorithm::stream_rejected_before<T> rejected{out + n};
  if constexpr (sizeof(T) > 1) {
    stream_variant<shape<6, 1, 3, 1, 4, 7, 2>>(r, in, out, rejected, counts + 1);
  } else {
    stream_variant<shape<12, 1, 6, 1, 2, 6, 2>>(r, in, out, rejected, counts + 1);
  }
  if constexpr (sizeof(T) <= 2) {
    stream_variant<shape<8, 2, 8, 1, 4, 10, 1>>(r, in, out, rejected, counts + 1);
  }
  const auto rejected_from = thrust::make_reverse_iterator(out + n);
  if constexpr (sizeof(T) == 4) {
    tile_variant<tile_shape<256, 16>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<256, 8>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<256, 4>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<512, 8>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<512, 16>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<1024, 8>>(r, in, out, rejected_from, counts + 1);
  } else if constexpr (sizeof(T) == 8) {
    tile_variant<tile_shape<256, 8>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<256, 4>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<1024, 8>>(r, in, out, rejected_from, counts + 1);
  } else {
    tile_variant<tile_shape<512, 16>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<256, 16>>(r, in, out, rejected_from, counts + 1);
    tile_variant<tile_shape<1024, 16>>(r, in, out, rejected_from, counts + 1);
  }
}

template <class T, unsigned Of256>
void copy_if(tuning_run& r)
{
  const is_some predicate{Of256};
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  std::int64_t* const counts = r.array<std::int64_t>(2);
  r.output(expected, out, n * sizeof(T));
  r.output(counts, counts + 1, sizeof *counts);
  r.moves((n + n * Of256 / 256) * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in, expected, counts, static_cast<std::int64_t>(n), predicate);
  });
  const algorithm::stream_no_rejected rejected{};
  if constexpr (sizeof(T) == 1) {
    stream_variant<shape<8, 2, 8, 1, 4, 10, 1>>(r, in, out, rejected, counts + 1, predicate);
    stream_variant<shape<12, 1, 6, 1, 2, 6, 2>>(r, in, out, rejected, counts + 1, predicate);
  } else {
    stream_variant<shape<6, 1, 3, 1, 4, 7, 2>>(r, in, out, rejected, counts + 1, predicate);
    stream_variant<shape<8, 2, 8, 1, 4, 11, 1>>(r, in, out, rejected, counts + 1, predicate);
  }
}

/// In place; what stands behind the selected stays as it was.
template <class T>
void remove_if(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const data = r.array<T>(n);
  std::int64_t* const counts = r.array<std::int64_t>(2);
  r.in_place(expected, data, in, n * sizeof(T));
  r.output(counts, counts + 1, sizeof *counts);
  r.moves(3 * n / 2 * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, expected, counts, static_cast<std::int64_t>(n), is_some{});
  });
  stream_variant<shape<8, 2, 8, 1, 4, 11, 1>>(r, data, data, algorithm::stream_no_rejected{}, counts + 1);
}

const tuning_subject partition_i8{"partition_copy i8", partition_copy<std::int8_t>};
const tuning_subject partition_i16{"partition_copy i16", partition_copy<std::int16_t>};
const tuning_subject partition_i32{"partition_copy i32", partition_copy<std::int32_t>};
const tuning_subject partition_i64{"partition_copy i64", partition_copy<std::int64_t>};
const tuning_subject copy_i8{"copy_if i8", copy_if<std::int8_t, 128>};
const tuning_subject copy_few_i8{"copy_if i8 3 %", copy_if<std::int8_t, 8>};
const tuning_subject copy_most_i8{"copy_if i8 97 %", copy_if<std::int8_t, 248>};
const tuning_subject copy_i32{"copy_if i32", copy_if<std::int32_t, 128>};
const tuning_subject copy_few_i32{"copy_if i32 3 %", copy_if<std::int32_t, 8>};
const tuning_subject remove_i32{"remove_if i32", remove_if<std::int32_t>};
const tuning_subject copy_i64{"copy_if i64", copy_if<std::int64_t, 128>};

}  // namespace

}  // namespace perf
