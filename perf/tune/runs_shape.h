// Tuning rows of the streams of runs, as variants.
#pragma once

#include <cub/device/device_reduce.cuh>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>
#include <string>

#include "tune.h"

namespace perf {

/// `Items` a lane, or if 0 as many as have so many bytes.
template <
  unsigned Fold, unsigned Groups, unsigned Store, unsigned LaneBytes, unsigned RingKilobytes, unsigned Items = 0>
struct runs_shape {
  static constexpr gimbal::tuning::runs_row row{Fold, Groups, Store, LaneBytes, Items, RingKilobytes};

  static std::string name()
  {
    const std::string lane = Items != 0 ? name_of(Items, " items a lane ") : name_of(LaneBytes, " B a lane ");
    return name_of(Groups, " times ", Fold, " fold ", Store, " store ", lane, RingKilobytes, " KB");
  }
};
template <unsigned Fold, unsigned Groups, unsigned Store, unsigned Items, unsigned RingKilobytes>
using items_shape = runs_shape<Fold, Groups, Store, 8 * Items, RingKilobytes, Items>;

/// The stream with these shapes.
template <class... Shapes, class KeyIn, class Key, class Values, class Equal = ::cuda::std::equal_to<>>
void persistent_variants(tuning_run& r, KeyIn in, Key* out, Values values, std::int64_t* count, Equal equal = {})
{
  const auto n = static_cast<gimbal::index_type>(r.n());
  r.kernels<Shapes...>([=](auto shape) {
    return gimbal::algorithm::persistent_runs_row<decltype(shape)>(true, in, out, values, count, n, equal, false);
  });
}

/// Sums of values by keys: what both sides make of them, beside stock's call.
template <class KeyIt, class Key, class InputIt, class Value>
struct run_sums {
  using plus = ::cuda::std::plus<>;

  tuning_run& r;
  KeyIt keys;
  InputIt in;
  twin<Key> keys_out;
  twin<Value> out;
  twin<std::int64_t> count;

  /// Floating-point items that are computed are rounded otherwise than stock's.
  run_sums(tuning_run& r, KeyIt keys, InputIt in, std::size_t bytes)
      : r(r),
        keys(keys),
        in(in),
        keys_out(r.output<Key>(r.n())),
        out(r.output<Value>(r.n(), !std::is_floating_point_v<Value> || std::is_pointer_v<InputIt>)),
        count(r.output<std::int64_t>(1))
  {
    r.moves(bytes);
    r.stock([self = *this, n = static_cast<int>(r.n())](auto&&... storage) {
      return cub::DeviceReduce::ReduceByKey(
        storage..., self.keys, self.keys_out.stock, self.in, self.out.stock, self.count.stock, plus{}, n);
    });
  }

  template <class... Shapes>
  void stream() const
  {
    using values = gimbal::algorithm::folded_run_values<InputIt, Value*, plus>;
    persistent_variants<Shapes...>(
      r, keys, keys_out.gimbal, values{values::source::of(in, 0), out.gimbal, {}}, count.gimbal);
  }
  /// Tiles as blocks.
  template <class Tuning>
  void blocks(const char* name) const
  {
    r.variant(name, [self = *this, n = static_cast<gimbal::index_type>(r.n())](auto&&... storage) {
      return gimbal::algorithm::reduce_by_key_plan<Tuning>(
               self.keys, self.in, self.keys_out.gimbal, self.out.gimbal, self.count.gimbal, n,
               ::cuda::std::equal_to<>{}, plus{})
        .run(storage..., nullptr)
        .code;
    });
  }
};
template <class Key, class Value, class KeyIt, class InputIt>
run_sums<KeyIt, Key, InputIt, Value> make_run_sums(tuning_run& r, KeyIt keys, InputIt in, std::size_t bytes)
{
  return {r, keys, in, bytes};
}

}  // namespace perf
