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

template <class Tuning>
struct numbers {
  using type = Tuning;
};

/// Scans beside stock's: `row_of(shape)` is the persistent kernel's row, `call_of(numbers<Tuning>, storage...)` every
/// call, where `Tuning` is void, or the look-back kernel with these numbers.
template <class T, class LookBack, class RowOf, class Call>
struct scan_variants {
  tuning_run& r;
  T* out;
  RowOf row_of;
  Call call_of;

  template <class... Shapes>
  void persistent() const
  {
    r.kernels<Shapes...>(row_of);
  }
  template <class Tuning>
  void call(const char* name) const
  {
    r.variant(name, [call_of = call_of](auto&&... storage) { return call_of(numbers<Tuning>{}, storage...); });
  }
  void calls() const
  {
    call<void>("call");
    call<LookBack>("look-back");
  }
};
template <class LookBack, class T, class RowOf, class Call>
scan_variants<T, LookBack, RowOf, Call> make_scan_variants(tuning_run& r, T* out, RowOf row_of, Call call_of)
{
  return {r, out, row_of, call_of};
}

/// Exclusive sums of a type from 0; items take so many bytes of memory.
template <class T, class Op = cuda::std::plus<>, class In>
auto exclusive_sums(tuning_run& r, In in, std::size_t item_bytes, bool is_compared = true)
{
  using tag = algorithm::exclusive_scan_tag;
  const auto n = static_cast<gimbal::index_type>(r.n());
  const twin<T> both = r.output<T>(r.n(), is_compared);
  T* const out = both.gimbal;
  r.moves(r.n() * item_bytes);
  r.stock([=](auto&&... storage) {
    return cub::DeviceScan::ExclusiveScan(storage..., in, both.stock, cuda::std::plus<>{}, T{0}, static_cast<int>(n));
  });
  return make_scan_variants<gimbal::tuning::scan<sizeof(T)>>(
    r, out,
    [=](auto shape) { return algorithm::persistent_scan_row<decltype(shape)>(true, tag{}, in, out, n, Op{}, T{0}); },
    [=](auto chosen, auto&&... storage) {
      using tuning = typename decltype(chosen)::type;
      return algorithm::scan_plan<tuning>(tag{}, in, out, n, Op{}, T{0}).run(storage..., nullptr).code;
    });
}

/// Sums of segments: exclusive ones from 0, or inclusive ones without a start.
template <class Tag, class Heads, class In, class T, class Init>
auto segmented_sums(tuning_run& r, Tag tag, Heads heads, In in, T* out, Init init)
{
  const auto n = static_cast<gimbal::index_type>(r.n());
  const cuda::std::plus<> op;
  return make_scan_variants<gimbal::tuning::segmented_scan<sizeof(T)>>(
    r, out,
    [=](auto shape) {
      return algorithm::persistent_segmented_scan_row<decltype(shape)>(true, tag, heads, in, out, n, op, init);
    },
    [=](auto chosen, auto&&... storage) {
      using tuning = typename decltype(chosen)::type;
      return algorithm::segmented_scan_plan<tuning>(tag, heads, in, out, n, op, init, gimbal::no_totals{})
        .run(storage..., nullptr)
        .code;
    });
}

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
  return segmented_sums(r, algorithm::inclusive_scan_tag{}, heads{keys, equal}, in, out.gimbal, gimbal::no_init{});
}

}  // namespace perf
