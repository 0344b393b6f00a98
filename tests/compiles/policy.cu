// Compiles a call of each family under the policy, and of those that Thrust does not have.
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/find.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "operators.h"

namespace {

// Whether items may be loaded as vectors hangs on this, whatever compiler looks at the function.
struct square_of_int {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return x * x; }
};
struct square {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(T x) const
  {
    return x * x;
  }
};
struct square_of_reference {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& x) const
  {
    return x * x;
  }
};
static_assert(gimbal::block::takes_copies<square_of_int, int>::value);
static_assert(gimbal::block::takes_copies<square, int>::value);
static_assert(!gimbal::block::takes_copies<square_of_reference, int>::value);

}  // namespace

int policy_calls(int* first, int* last, int* out, unsigned char* keys, unsigned char* keys_out, float* values)
{
  using compiles::is_odd;
  using compiles::less;
  using gimbal::par;
  const auto n = last - first;
  int result = thrust::reduce(par, first, last);
  result += *thrust::find_if(par, first, last, is_odd{});
  result += *thrust::max_element(par, first, last);
  thrust::exclusive_scan(par, first, last, out);
  thrust::inclusive_scan_by_key(par, keys, keys + n, first, out);
  thrust::reduce_by_key(par, keys, keys + n, first, keys_out, out);
  thrust::copy_if(par, first, last, out, is_odd{});
  thrust::stable_partition(par, first, last, is_odd{});
  thrust::unique_by_key(par, keys, keys + n, first);
  thrust::sort(par, first, last);
  thrust::sort(par, first, last, less{});
  thrust::sort_by_key(par, keys, keys + n, values);
  gimbal::exclusive_segmented_scan(par, first, last, keys, out);
  gimbal::inclusive_segmented_scan(
    par, first, last, gimbal::segment_offsets<int*>(out, out + n),
    gimbal::with_totals<float*, float*>(values, values + n));
  gimbal::inclusive_segmented_scan(par, first, last, gimbal::segment_offsets<int*>(out, out + n), values);
  gimbal::radix_sort(par, first, last, compiles::low_byte{});
  gimbal::argsort(par, keys, keys + n, out);
  result += gimbal::vectors::scan(par, first, last, gimbal::vectors::with_total(out), gimbal::vectors::plus<int>());
  gimbal::vectors::distribute(par, first, last, keys, out, gimbal::vectors::max<int>());
  gimbal::vectors::split(par, first, last, keys, out);
  return result;
}
