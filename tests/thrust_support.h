// What the tests of the public Thrust interface share.
#pragma once

#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include "support.h"

namespace test {

template <class T>
thrust::device_vector<T> to_device(const std::vector<T>& values)
{
  return thrust::device_vector<T>(values.begin(), values.end());
}

template <class T>
std::vector<T> to_host(const thrust::device_vector<T>& values)
{
  std::vector<T> host;
  host.reserve(values.size());
  const std::vector<unsigned char> bytes = [&] {
    std::vector<unsigned char> copied(values.size() * sizeof(T) + 1);
    raw_copy(copied.data(), thrust::raw_pointer_cast(values.data()), values.size() * sizeof(T));
    return copied;
  }();
  const T* first = reinterpret_cast<const T*>(bytes.data());
  return std::vector<T>(first, first + values.size());
}

/// Sizes for tests that make many calls each: around warp, block and tile edges, and many tiles.
inline std::vector<std::size_t> call_sizes() { return {0, 1, 2, 31, 33, 255, 257, 1000, 4097, 20000}; }

/// The bytes that the pool of the current device lends out, once all its work is done.
inline std::size_t pool_used()
{
#if GIMBAL_GPU
  check_cuda(cudaDeviceSynchronize());
#endif
  return gimbal::memory_held().used;
}

/// An allocator for gimbal::par(allocator) that counts; copies share the count.
struct counting_allocator {
  using value_type = char;

  struct counts {
    int allocated = 0;
    int live = 0;
    std::size_t bytes = 0;
  };
  counts* count;

  char* allocate(std::ptrdiff_t n)
  {
    ++count->allocated;
    ++count->live;
    count->bytes += static_cast<std::size_t>(n);
    return static_cast<char*>(raw_allocate(static_cast<std::size_t>(n)));
  }
  void deallocate(char* memory, std::size_t)
  {
    --count->live;
    raw_free(memory);
  }
};

/// Too large for the kernels, hence left to stock.
struct fat {
  int key;
  int padding[40];

  friend GIMBAL_HOST_DEVICE bool operator==(const fat& l, const fat& r) { return l.key == r.key; }
  friend GIMBAL_HOST_DEVICE bool operator<(const fat& l, const fat& r) { return l.key < r.key; }
  friend GIMBAL_HOST_DEVICE fat operator+(const fat& l, const fat& r)
  {
    fat sum = l;
    sum.key += r.key;
    return sum;
  }
  friend std::ostream& operator<<(std::ostream& out, const fat& f) { return out << f.key; }
};
static_assert(!gimbal::simt::is_supported_value_v<fat>, "fat must be one of the values that fall back");

}  // namespace test
