// Tunes partition_copy and copy_if with a predicate that selects half or few: the persistent kernel with various
// shapes, and the tile kernel.
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
  static constexpr unsigned buffers = 2;
  static constexpr unsigned resident_blocks = Resident;

  static std::string name()
  {
    return name_of(
      Scatter, "x", ScatterGroups, " scatter ", Count, "x", CountGroups, " count ", Rows, " rows ", Stages, " stages x",
      Resident);
  }
};

template <class... Shapes, class T, class Rejected>
void persistent_variants(
  tuning_run& r, const T* in, T* out, Rejected rejected, std::int64_t* count, is_some predicate = {})
{
  using selector = algorithm::select_if<is_some>;
  const auto n = static_cast<index_type>(r.n());
  r.variants<Shapes...>([=](auto shape, void* storage, std::size_t& bytes) {
    auto row = algorithm::persistent_select_row<decltype(shape)>(in, n, selector{predicate}, out, rejected, count);
    row.fits = true;
    return run_row(row, storage, bytes);
  });
}

/// Tiles as blocks.
template <unsigned Threads, unsigned Items>
struct tile_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;

  static std::string name() { return name_of(Threads, " x ", Items); }
};

template <class... Shapes, class T, class RejectedIt>
void tile_variants(tuning_run& r, const T* in, T* out, RejectedIt rejected, std::int64_t* count)
{
  const auto n = static_cast<index_type>(r.n());
  if (n <= index_type{1} << 20) {
    r.variants<Shapes...>([=](auto shape, void* storage, std::size_t& bytes) {
      return algorithm::select_plan<decltype(shape)>(in, n, algorithm::select_if<is_some>{{}}, out, rejected, count)
        .run(storage, bytes, nullptr)
        .code;
    });
  }
}

template <class T>
void partition_copy(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  const twin<T> results = r.output<T>(n);
  const twin<std::int64_t> count = r.output<std::int64_t>(1);
  T* const out = results.gimbal;
  r.moves(2 * n * sizeof(T));
  r.stock([=](auto&&... storage) {
    return cub::DevicePartition::If(
      storage..., in, results.stock, count.stock, static_cast<std::int64_t>(n), is_some{});
  });
  const auto rejected_from = thrust::make_reverse_iterator(out + n);
  const algorithm::rejected_to<thrust::reverse_iterator<T*>> rejected{rejected_from};
  if constexpr (sizeof(T) > 1) {
    persistent_variants<shape<6, 1, 3, 1, 4, 7, 2>>(r, in, out, rejected, count.gimbal);
  } else {
    persistent_variants<shape<12, 1, 6, 1, 2, 6, 2>>(r, in, out, rejected, count.gimbal);
  }
  if constexpr (sizeof(T) <= 2) {
    persistent_variants<shape<8, 2, 8, 1, 4, 10, 1>>(r, in, out, rejected, count.gimbal);
  }
  if constexpr (sizeof(T) == 4) {
    tile_variants<tile_shape<256, 16>, tile_shape<256, 8>, tile_shape<256, 4>, tile_shape<512, 8>>(
      r, in, out, rejected_from, count.gimbal);
  } else if constexpr (sizeof(T) == 8) {
    tile_variants<tile_shape<256, 8>, tile_shape<256, 4>>(r, in, out, rejected_from, count.gimbal);
  } else {
    tile_variants<tile_shape<512, 16>, tile_shape<512, 8>, tile_shape<256, 16>, tile_shape<256, 8>>(
      r, in, out, rejected_from, count.gimbal);
  }
}

template <class T, unsigned Of256>
void copy_if(tuning_run& r)
{
  const is_some predicate{Of256};
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  const twin<T> results = r.output<T>(n);
  const twin<std::int64_t> count = r.output<std::int64_t>(1);
  T* const out = results.gimbal;
  r.moves((n + n * Of256 / 256) * sizeof(T));
  r.stock([=](auto&&... storage) {
    return cub::DeviceSelect::If(storage..., in, results.stock, count.stock, static_cast<std::int64_t>(n), predicate);
  });
  const algorithm::discard_rejected rejected{};
  if constexpr (sizeof(T) == 1) {
    persistent_variants<shape<8, 2, 8, 1, 4, 10, 1>, shape<12, 1, 6, 1, 2, 6, 2>>(
      r, in, out, rejected, count.gimbal, predicate);
  } else {
    persistent_variants<shape<6, 1, 3, 1, 4, 7, 2>, shape<8, 2, 8, 1, 4, 11, 1>>(
      r, in, out, rejected, count.gimbal, predicate);
  }
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

}  // namespace

}  // namespace perf
