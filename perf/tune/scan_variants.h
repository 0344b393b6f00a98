// Variants of scans: the persistent kernel with various shapes, and the look-back kernel.
#pragma once

#include <cub/device/device_scan.cuh>
#include <cuda/std/iterator>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/scan/segmented_scan.cuh>

#include "tune.h"

namespace perf {

namespace algorithm = gimbal::algorithm;

/// What the rows of persistent scans in tuning.h say.
template <
  unsigned Scanners, unsigned Servers, std::size_t LaneBytes, std::size_t RingKilobytes, unsigned Stages,
  unsigned ReduceGroups = 1>
struct shape {
  static constexpr gimbal::tuning::scan_row row{Scanners, Servers, ReduceGroups, LaneBytes, RingKilobytes, Stages};

  static std::string name()
  {
    return name_of(
      ReduceGroups, " x ", Scanners, " scanners ", Servers, " servers ", LaneBytes, " B/lane ", RingKilobytes, " KB ",
      Stages, " stages");
  }
};
/// Of input that lanes load themselves.
template <
  unsigned ReduceGroups, unsigned Scanners, unsigned Servers, std::size_t RingKilobytes, std::size_t LaneBytes = 80>
using loaded = shape<Scanners, Servers, LaneBytes, RingKilobytes, 20, ReduceGroups>;

/// Exclusive sums of a type from 0, beside stock's.
template <class T, class In, class Op>
struct sums {
  static constexpr algorithm::exclusive_scan_tag tag{};

  tuning_run& r;
  In in;
  T* out;
  gimbal::index_type n;

  sums(tuning_run& r, In in, std::size_t item_bytes, bool is_compared)
      : r(r), in(in), n(static_cast<gimbal::index_type>(r.n()))
  {
    const twin<T> both = r.output<T>(r.n(), is_compared);
    out = both.gimbal;
    r.moves(r.n() * item_bytes);
    r.stock([=, n = static_cast<int>(n)](auto&&... storage) {
      return cub::DeviceScan::ExclusiveScan(storage..., in, both.stock, cuda::std::plus<>{}, T{0}, n);
    });
  }

  template <class... Shapes>
  void persistent() const
  {
    r.variants<Shapes...>([self = *this](auto shape, void* storage, std::size_t& bytes) {
      return run_row(
        algorithm::persistent_scan_row<decltype(shape)>(true, tag, self.in, self.out, self.n, Op{}, T{0}), storage,
        bytes);
    });
  }
  /// `Tuning` void: as every call, with the rows of tuning.h; else the look-back scan with these numbers.
  template <class Tuning>
  void call(const char* name) const
  {
    r.variant(name, [self = *this](void* storage, std::size_t& bytes) {
      return algorithm::scan_plan<Tuning>(tag, self.in, self.out, self.n, Op{}, T{0}).run(storage, bytes, nullptr).code;
    });
  }
  void calls() const
  {
    call<void>("call");
    call<gimbal::tuning::scan<sizeof(T)>>("look-back");
  }
};

template <class T, class Op = cuda::std::plus<>, class In>
sums<T, In, Op> exclusive_sums(tuning_run& r, In in, std::size_t item_bytes, bool is_compared = true)
{
  return {r, in, item_bytes, is_compared};
}

/// Sums of segments, for which stock is its scan by key: exclusive ones from 0, or inclusive ones without a start.
template <class Tag, class Heads, class In, class Init>
struct segmented_sums {
  using value = typename ::cuda::std::iterator_traits<In>::value_type;

  tuning_run& r;
  Heads heads;
  In in;
  value* out;
  Init init;

  template <class... Shapes>
  void persistent() const
  {
    r.variants<Shapes...>([self = *this, n = size()](auto shape, void* storage, std::size_t& bytes) {
      return run_row(
        algorithm::persistent_segmented_scan_row<decltype(shape)>(
          true, Tag{}, self.heads, self.in, self.out, n, cuda::std::plus<>{}, self.init),
        storage, bytes);
    });
  }
  template <class Tuning>
  void call(const char* name) const
  {
    r.variant(name, [self = *this, n = size()](void* storage, std::size_t& bytes) {
      return algorithm::segmented_scan_plan<Tuning>(
               Tag{}, self.heads, self.in, self.out, n, cuda::std::plus<>{}, self.init, gimbal::no_totals{})
        .run(storage, bytes, nullptr)
        .code;
    });
  }
  void calls() const
  {
    call<void>("call");
    call<gimbal::tuning::segmented_scan<sizeof(value)>>("look-back");
  }

private:
  gimbal::index_type size() const { return static_cast<gimbal::index_type>(r.n()); }
};

/// Inclusive sums by key; key and value take so many bytes of memory.
template <class Keys, class In, class Equal = cuda::std::equal_to<>>
auto sums_by_key(tuning_run& r, Keys keys, In in, std::size_t bytes_each, Equal equal = {})
{
  using value = typename ::cuda::std::iterator_traits<In>::value_type;
  using heads = gimbal::heads_from_keys<Keys, Equal>;
  const twin<value> out = r.output<value>(r.n(), !std::is_floating_point_v<value>);
  r.moves(r.n() * (bytes_each + sizeof(value)));
  r.stock([=, n = static_cast<int>(r.n())](auto&&... storage) {
    return cub::DeviceScan::InclusiveSumByKey(storage..., keys, in, out.stock, n, equal);
  });
  return segmented_sums<algorithm::inclusive_scan_tag, heads, In, gimbal::no_init>{
    r, {keys, equal}, in, out.gimbal, {}};
}

}  // namespace perf
