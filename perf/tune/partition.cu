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

/// Beside stock's call: `stock(storage, storage_bytes, in, out, count, n, predicate)`.
template <class T>
struct selections {
  tuning_run& r;
  is_some predicate;
  const T* in;
  T* out;
  std::int64_t* count;

  template <class Stock>
  selections(tuning_run& r, is_some predicate, std::size_t bytes, Stock stock)
      : r(r), predicate(predicate), in(r.random_array<T>())
  {
    const twin<T> results = r.output<T>(r.n());
    const twin<std::int64_t> counts = r.output<std::int64_t>(1);
    out = results.gimbal;
    count = counts.gimbal;
    r.moves(bytes);
    r.stock([=, in = in, n = static_cast<std::int64_t>(r.n())](auto&&... storage) {
      return stock(storage..., in, results.stock, counts.stock, n, predicate);
    });
  }

  template <class... Shapes, class Rejected>
  void persistent(Rejected rejected) const
  {
    r.kernels<Shapes...>([self = *this, rejected, n = size()](auto shape) {
      auto row = algorithm::persistent_select_row<decltype(shape)>(
        self.in, n, algorithm::select_if<is_some>{self.predicate}, self.out, rejected, self.count);
      row.fits = true;
      return row;
    });
  }
  /// Tiles as blocks.
  template <class... Shapes, class RejectedIt>
  void tiles(RejectedIt rejected) const
  {
    if (size() > index_type{1} << 20) {
      return;
    }
    r.variants<Shapes...>([self = *this, rejected, n = size()](auto shape, void* storage, std::size_t& bytes) {
      return algorithm::select_plan<decltype(shape)>(
               self.in, n, algorithm::select_if<is_some>{self.predicate}, self.out, rejected, self.count)
        .run(storage, bytes, nullptr)
        .code;
    });
  }
  index_type size() const { return static_cast<index_type>(r.n()); }
};

template <class T>
void partition_copy(tuning_run& r)
{
  const selections<T> s(
    r, {}, 2 * r.n() * sizeof(T), [](auto&&... of_call) { return cub::DevicePartition::If(of_call...); });
  const auto rejected_from = thrust::make_reverse_iterator(s.out + r.n());
  const algorithm::rejected_to<thrust::reverse_iterator<T*>> rejected{rejected_from};
  if constexpr (sizeof(T) > 1) {
    s.template persistent<shape<6, 1, 3, 1, 4, 7, 2>>(rejected);
  } else {
    s.template persistent<shape<12, 1, 6, 1, 2, 6, 2>>(rejected);
  }
  if constexpr (sizeof(T) <= 2) {
    s.template persistent<shape<8, 2, 8, 1, 4, 10, 1>>(rejected);
  }
  if constexpr (sizeof(T) == 4) {
    s.template tiles<blocks_of<256, 16>, blocks_of<256, 8>, blocks_of<256, 4>, blocks_of<512, 8>>(rejected_from);
  } else if constexpr (sizeof(T) == 8) {
    s.template tiles<blocks_of<256, 8>, blocks_of<256, 4>>(rejected_from);
  } else {
    s.template tiles<blocks_of<512, 16>, blocks_of<512, 8>, blocks_of<256, 16>, blocks_of<256, 8>>(rejected_from);
  }
}

template <class T, unsigned Of256>
void copy_if(tuning_run& r)
{
  const selections<T> s(r, {Of256}, (r.n() + r.n() * Of256 / 256) * sizeof(T), [](auto&&... of_call) {
    return cub::DeviceSelect::If(of_call...);
  });
  const algorithm::discard_rejected rejected{};
  if constexpr (sizeof(T) == 1) {
    s.template persistent<shape<8, 2, 8, 1, 4, 10, 1>, shape<12, 1, 6, 1, 2, 6, 2>>(rejected);
  } else {
    s.template persistent<shape<6, 1, 3, 1, 4, 7, 2>, shape<8, 2, 8, 1, 4, 11, 1>>(rejected);
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
