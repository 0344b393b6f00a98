// What the tests of functors' operands share: self-checking items (self_checking_items.h) in memory that holds none
// beside them, and iterators over them.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include "self_checking_items.h"
#include "thrust_support.h"

namespace operands {

/// The next number; the argument by value lets kernels read vectors of the array.
template <class T>
struct next_of_copy {
  strays log;
  GIMBAL_HOST_DEVICE T operator()(T item) const { return make_item<T>(log.number_of(item) % most_v<T> + 1); }
};
template <class T>
struct next {
  strays log;
  GIMBAL_HOST_DEVICE T operator()(const T& item) const { return make_item<T>(log.number_of(item) % most_v<T> + 1); }
};
/// Item i of n, which must be one of them.
template <class T>
struct item_at {
  strays log;
  gimbal::index_type n;
  GIMBAL_HOST_DEVICE T operator()(gimbal::index_type i) const
  {
    return make_item<T>(log.checked(0 <= i && i < n) ? static_cast<unsigned>(i % most_v<T>) + 1 : 1);
  }
};

/// The sizes at which kernels have edges, and such that make many tiles.
inline std::vector<std::size_t> sizes()
{
  return
  {
    0, 1, 2, 3, 7, 30, 31, 32, 33, 63, 127, 128, 129, 255, 256, 257, 511, 1023, 1024, 1025, 2049, 4095, 4096, 4097,
      20011, 70001,
#if GIMBAL_GPU
      300007, 1048583, 5000011,
#endif
  };
}

/// n items, in runs of up to seven, with what is no item before and behind them.
template <class T>
class items {
public:
  explicit items(std::size_t n) : array_(n + beside, n % 4)
  {
    std::vector<T> made(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t run = i / (1 + i / 64 % 7);
      made[i] = make_item<T>(static_cast<unsigned>(run * 0x9e3779b97f4a7c15u >> 40) % most_v<T> + 1);
    }
    test::raw_copy(array_.data(), made.data(), n * sizeof(T));
  }
  T* data() { return array_.data(); }

private:
  static constexpr std::size_t beside = 64;
  test::device_array<T> array_;
};

/// Calls `body(log)`, whose functors must find no stray.
template <class Body>
void check(const char* name, Body body)
{
  INFO(name);
  test::device_array<unsigned> found(std::vector<unsigned>{0});
  body(strays{found.data()});
  CHECK(found.to_host()[0] == 0);
}

/// `body(n)` for all sizes and `more`, on the host executor with blocks that find shared memory overwritten.
template <class Body>
void for_sizes(Body body, const std::vector<std::size_t>& more = {})
{
#if !GIMBAL_GPU
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  options.mode = gimbal::simt::schedule::random;
  const gimbal::simt::scoped_executor_options scope(options);
#endif
  std::vector<std::size_t> all = sizes();
  all.insert(all.end(), more.begin(), more.end());
  for (const std::size_t n : all) {
    INFO("n = " << n);
    body(n);
  }
}

/// `body(name, first)` for iterators of different kinds over n items from `in` on.
template <class T, class Body>
void for_iterators(T* in, std::size_t n, strays log, Body body)
{
  test::device_array<int> places(n);
  std::vector<int> reversed(n);
  for (std::size_t i = 0; i < n; ++i) {
    reversed[i] = static_cast<int>(n - 1 - i);
  }
  test::raw_copy(places.data(), reversed.data(), n * sizeof(int));
  body("made of copies", thrust::make_transform_iterator(in, next_of_copy<T>{log}));
  body("made of items", thrust::make_transform_iterator(in, next<T>{log}));
  body("permuted", thrust::make_permutation_iterator(in, places.data()));
  body(
    "made of numbers",
    thrust::make_transform_iterator(
      thrust::make_counting_iterator(gimbal::index_type{0}), item_at<T>{log, static_cast<gimbal::index_type>(n)}));
}

}  // namespace operands
