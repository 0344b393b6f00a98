// The types that CUB's device-wide calls take or return, under gimbal's namespace: CUB's own, so that both namespaces
// can be mixed.
#pragma once

#include <gimbal/simt/config.h>

#include <cuda/functional>
#include <cuda/std/functional>

#if GIMBAL_GPU
#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/iterator/cache_modified_output_iterator.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_allocator.cuh>
#include <cub/util_type.cuh>
#endif

GIMBAL_NAMESPACE_BEGIN

#if GIMBAL_GPU
using CUB_NS_QUALIFIER::ArgIndexInputIterator;
using CUB_NS_QUALIFIER::ArgMax;
using CUB_NS_QUALIFIER::ArgMin;
using CUB_NS_QUALIFIER::CacheModifiedInputIterator;
using CUB_NS_QUALIFIER::CacheModifiedOutputIterator;
using CUB_NS_QUALIFIER::CachingDeviceAllocator;
using CUB_NS_QUALIFIER::DoubleBuffer;
using CUB_NS_QUALIFIER::FutureValue;
using CUB_NS_QUALIFIER::KeyValuePair;
using CUB_NS_QUALIFIER::NullType;
#else
// CUB's headers need a CUDA toolkit, which the host executor does not: these are the types that gimbal's own calls
// take, with CUB's member names.

/// Two buffers of equal size, one of which holds the data.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

/// A value that a kernel reads when it runs.
template <class T, class It = T*>
struct FutureValue {
  using value_type = T;
  using iterator_type = It;

  explicit FutureValue(It it) : it_(it) {}
  operator T() const { return *it_; }

private:
  It it_;
};

/// A position and the item there.
template <class KeyType, class ValueType>
struct KeyValuePair {
  using Key = KeyType;
  using Value = ValueType;

  Key key;
  Value value;

  KeyValuePair() = default;
  KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  bool operator==(const KeyValuePair& other) const { return key == other.key && value == other.value; }
  bool operator!=(const KeyValuePair& other) const { return !(*this == other); }
};
#endif

#if THRUST_MAJOR_VERSION < 3
// Names that CUB 2 has for functors of libcu++.
using Difference = ::cuda::std::minus<>;
using Division = ::cuda::std::divides<>;
using Equality = ::cuda::std::equal_to<>;
using Inequality = ::cuda::std::not_equal_to<>;
using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;
using Sum = ::cuda::std::plus<>;
#endif

GIMBAL_NAMESPACE_END
