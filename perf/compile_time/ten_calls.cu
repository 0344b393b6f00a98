// This program makes ten calls, as a program of some size does.
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "policy.h"

struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

int calls(int* first, int* last, int* out, unsigned* keys, float* values, float* values_out)
{
  const auto n = last - first;
  int result = thrust::reduce(policy, first, last);
  result += static_cast<int>(thrust::count_if(policy, first, last, is_odd{}));
  result += *thrust::max_element(policy, first, last);
  thrust::exclusive_scan(policy, first, last, out);
  thrust::inclusive_scan_by_key(policy, keys, keys + n, values, values_out);
  result += static_cast<int>(thrust::copy_if(policy, first, last, out, is_odd{}) - out);
  thrust::stable_partition(policy, first, last, is_odd{});
  thrust::sort(policy, first, last);
  thrust::sort_by_key(policy, keys, keys + n, values);
  result += static_cast<int>(thrust::unique(policy, first, last) - first);
  return result;
}
