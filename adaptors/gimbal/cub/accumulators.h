// The types in which CUB accumulates, where gimbal's accumulations differ.
#pragma once

#include <gimbal/cub/call.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

template <class T>
struct convert_to {
  template <class Value>
  GIMBAL_HOST_DEVICE T operator()(const Value& value) const
  {
    return static_cast<T>(value);
  }
};

/// What op(item, item) returns, which CUB accumulates in where there is no initial value: sums of 8-bit integers are
/// ints.
template <class Op, class InputIt>
using accumulator_of_items =
  ::cuda::std::decay_t<::cuda::std::invoke_result_t<Op, value_of<InputIt>, value_of<InputIt>>>;

/// The items' own type.
template <class Op, class InputIt>
auto as_accumulators(InputIt in)
{
  using accumulator = accumulator_of_items<Op, InputIt>;
  if constexpr (::cuda::std::is_same<accumulator, value_of<InputIt>>::value) {
    return device_wide::described(in);
  } else {
    return thrust::make_transform_iterator(device_wide::described(in), convert_to<accumulator>{});
  }
}

namespace detail {

template <class Op, class InputIt, class Init>
struct accumulator_of {
  using type = accumulator_t<Op, InputIt, Init>;
};
template <class Op, class InputIt>
struct accumulator_of<Op, InputIt, no_init> {
  using type = accumulator_of_items<Op, InputIt>;
};

}  // namespace detail

/// op(init, item), or without an initial value op(item, item).
template <class Op, class InputIt, class Init>
using accumulator_of = typename detail::accumulator_of<Op, InputIt, Init>::type;

/// For takes_v: true if the kernels can hold the accumulators.
template <class Op, class InputIt, class Init>
struct accumulates : holds<accumulator_of<Op, InputIt, Init>> {
};

}  // namespace device_wide

GIMBAL_NAMESPACE_END
