// Scans that keep their total: the streaming kernel has it in a lane, the others store it with the last result.
#pragma once

#include <gimbal/collective/scan_kind.h>
#include <gimbal/tile/accumulator.h>
#include <gimbal/tile/written_by.h>

#include <gimbal/collective/scan.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// In place of the output of scan(): the results to `out`, and x[0] op ... op x[n - 1], behind an initial value, to `*total`.
template <class OutputIt, class TotalIt>
struct output_and_total {
  OutputIt out;
  TotalIt total;
};

template <class OutputIt, class TotalIt>
output_and_total<OutputIt, TotalIt> keep_total(OutputIt out, TotalIt total)
{
  return {out, total};
}

/// Nobody asks for the total.
struct no_total {};

namespace detail {

/// out[i] = result, and behind the last result the total: with the last item where results lack their own (LacksOwn).
template <bool LacksOwn, class T, class InputIt, class OutputIt, class Op, class TotalIt>
struct store_with_total {
  InputIt first;
  OutputIt out;
  index_type last;
  Op op;
  TotalIt total;

  GIMBAL_DEVICE void operator()(index_type i, const T& result) const
  {
    if (i == last) {  // the item is read before `out`, which may be the input, has the result
      if constexpr (LacksOwn) {
        block::store_as(total, block::combine<T, Op>{op}(result, block::load_as<T>(first + i)));
      } else {
        block::store_as(total, result);
      }
    }
    block::store_as(out + i, result);
  }
};

/// The output of kernels that store results one by one.
template <class T, class Kind, class InputIt, class OutputIt, class Op>
OutputIt one_by_one(Kind, InputIt, OutputIt out, index_type, Op)
{
  return out;
}
template <class T, class Kind, class InputIt, class OutputIt, class TotalIt, class Op>
auto one_by_one(Kind, InputIt in, const output_and_total<OutputIt, TotalIt>& to, index_type n, Op op)
{
  constexpr bool lacks_own = Kind::value == scan_kind::exclusive;
  return gimbal::written_by(
    store_with_total<lacks_own, T, InputIt, OutputIt, Op, TotalIt>{in, to.out, n - 1, op, to.total});
}

/// Results and total apart.
template <class OutputIt>
OutputIt results_of(OutputIt out)
{
  return out;
}
template <class OutputIt, class TotalIt>
OutputIt results_of(const output_and_total<OutputIt, TotalIt>& to)
{
  return to.out;
}
template <class OutputIt>
no_total total_of(const OutputIt&)
{
  return {};
}
template <class OutputIt, class TotalIt>
TotalIt total_of(const output_and_total<OutputIt, TotalIt>& to)
{
  return to.total;
}

}  // namespace detail

}  // namespace algorithm

GIMBAL_NAMESPACE_END
