// This program sorts six types, as a library of arrays compiles them: keys, keys with values, and positions by a
// comparator of what they point to.
#include <cuda_fp16.h>
#include <thrust/complex.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <cstddef>
#include <cstdint>

#include "policy.h"

struct by_parts {
  __host__ __device__ bool operator()(const thrust::complex<float>& a, const thrust::complex<float>& b) const
  {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  }
};

template <class T, class Less>
struct less_at {
  const T* items;
  __device__ bool operator()(std::size_t a, std::size_t b) const { return Less{}(items[a], items[b]); }
};

template <class T, class Less = thrust::less<T>>
void sorts(T* first, T* last, std::size_t* positions, std::size_t* order)
{
  thrust::stable_sort(policy, first, last, Less{});
  thrust::stable_sort_by_key(policy, first, last, positions, Less{});
  thrust::stable_sort(policy, order, order + (last - first), less_at<T, Less>{first});
}

void sorts_of_all(void* memory, int n, std::size_t* positions, std::size_t* order)
{
  const auto of = [&](auto* first) { sorts(first, first + n, positions, order); };
  of(static_cast<std::int32_t*>(memory));
  of(static_cast<std::int64_t*>(memory));
  of(static_cast<__half*>(memory));
  of(static_cast<float*>(memory));
  of(static_cast<double*>(memory));
  auto* const complex = static_cast<thrust::complex<float>*>(memory);
  sorts<thrust::complex<float>, by_parts>(complex, complex + n, positions, order);
}
