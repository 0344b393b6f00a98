// What the tests share: memory on the device under test, sizes at edges, value types and operators, schedules.
#pragma once

#include <gimbal/workspace.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#if GIMBAL_GPU
#include <cuda_runtime.h>
#endif

namespace test {

#if GIMBAL_GPU
inline void check_cuda(cudaError_t code)
{
  if (code != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(code));
  }
}
inline void* raw_allocate(std::size_t bytes)
{
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes == 0 ? 1 : bytes));
  return memory;
}
inline void raw_free(void* memory) { cudaFree(memory); }
// Both are complete on return, also for streams that do not wait for the default stream.
inline void raw_copy(void* target, const void* source, std::size_t bytes)
{
  check_cuda(cudaMemcpy(target, source, bytes, cudaMemcpyDefault));
  check_cuda(cudaStreamSynchronize(cudaStreamLegacy));
}
inline void raw_fill(void* target, int byte, std::size_t bytes)
{
  check_cuda(cudaMemsetAsync(target, byte, bytes, cudaStreamLegacy));
  check_cuda(cudaStreamSynchronize(cudaStreamLegacy));
}
#else
inline void* raw_allocate(std::size_t bytes) { return ::operator new(bytes == 0 ? 1 : bytes); }
inline void raw_free(void* memory) { ::operator delete(memory); }
inline void raw_copy(void* target, const void* source, std::size_t bytes)
{
  if (bytes != 0) {
    std::memcpy(target, source, bytes);
  }
}
inline void raw_fill(void* target, int byte, std::size_t bytes)
{
  if (bytes != 0) {
    std::memset(target, byte, bytes);
  }
}
#endif

/// An array in device memory of exactly the size asked for, so that a sanitizer sees the first access beyond it. It
/// starts poisoned. `shift` elements of padding in front make its address unaligned for vector accesses.
template <class T>
class device_array {
public:
  explicit device_array(std::size_t size, std::size_t shift = 0) : size_(size), shift_(shift)
  {
    memory_ = raw_allocate((size + shift) * sizeof(T));
    raw_fill(memory_, 0xcd, (size + shift) * sizeof(T));
  }
  device_array(const std::vector<T>& values, std::size_t shift = 0) : device_array(values.size(), shift)
  {
    raw_copy(data(), values.data(), size_ * sizeof(T));
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { raw_free(memory_); }

  T* data() { return static_cast<T*>(memory_) + shift_; }
  std::size_t size() const { return size_; }
  std::vector<T> to_host()
  {
    std::vector<unsigned char> bytes(size_ * sizeof(T) + 1);
    raw_copy(bytes.data(), data(), size_ * sizeof(T));
    const T* first = reinterpret_cast<const T*>(bytes.data());
    return std::vector<T>(first, first + size_);
  }

private:
  std::size_t size_;
  std::size_t shift_;
  void* memory_;
};

/// Runs a two-phase backend call `call(storage, storage_bytes)` with poisoned storage of exactly the size it asks for,
/// and waits for it.
template <class Call>
void run(Call call)
{
  std::size_t bytes = 0;
  gimbal::status queried = call(nullptr, bytes);
  REQUIRE(queried.code == gimbal::simt::success);
  REQUIRE(bytes >= 1);
  device_array<unsigned char> storage(bytes);
  gimbal::status ran = call(storage.data(), bytes);
  INFO((ran.step ? ran.step : "") << ": " << gimbal::simt::error_string(ran.code));
  REQUIRE(ran.code == gimbal::simt::success);
  gimbal::status waited = gimbal::simt::wait(0, "test");
  REQUIRE(waited.code == gimbal::simt::success);
}

/// ThreadSanitizer sees races that did not happen to change a result, and takes its time: few cases of a kind will do.
#ifdef __SANITIZE_THREAD__
inline constexpr bool hunts_races = true;
#else
inline constexpr bool hunts_races = false;
#endif

/// `all`, or with ThreadSanitizer, which takes its time, `few`.
inline std::vector<std::size_t> all_or_few(std::vector<std::size_t> all, std::vector<std::size_t> few)
{
  return hunts_races ? few : all;
}

/// Types of a test case that builds with ThreadSanitizer leave out, as they would not run them (host_checks.cmake:
/// racing_cases), and those that CI compiles with few (CMakeLists.txt: gimbal_share).
#if defined(__SANITIZE_THREAD__) || defined(GIMBAL_FEW_TYPES)
#define GIMBAL_MORE(...)
#else
#define GIMBAL_MORE(...) , __VA_ARGS__
#endif

/// Sizes 0, 1, around warp and block edges, and around the edges of `tile` items: one tile, a few, and many of them.
inline std::vector<std::size_t> edge_sizes(std::size_t tile, std::size_t many_tiles = 70)
{
  if (hunts_races) {
    // Races show between the few blocks that are resident: past the first group of 32, more tiles show nothing new.
    many_tiles = many_tiles < 40 ? many_tiles : 40;
    return {1, 33, 257, tile - 1, tile + 1, 2 * tile, 3 * tile + 1, many_tiles * tile + tile / 2};
  }
  std::vector<std::size_t> sizes = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
  for (std::size_t tiles : {std::size_t{1}, std::size_t{2}, std::size_t{3}, many_tiles}) {
    sizes.push_back(tiles * tile - 1);
    sizes.push_back(tiles * tile);
    sizes.push_back(tiles * tile + 1);
  }
  sizes.push_back(many_tiles * tile + tile / 2);
  return sizes;
}

/// Runs `body` once in order and, on the host executor, under several random and priority schedules, one of each with
/// ThreadSanitizer, whose seeds are printed with a failure.
template <class Body>
void under_schedules(Body body, unsigned seeds = 4)
{
  {
    INFO("schedule: in order");
    body();
  }
#if !GIMBAL_GPU
  seeds = hunts_races ? 1 : seeds;
  for (auto mode : {gimbal::simt::schedule::random, gimbal::simt::schedule::priority}) {
    for (unsigned s = 0; s < seeds; ++s) {
      gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
      options.mode = mode;
      options.seed = 0x9e3779b9u * (s + 1) + Catch::rngSeed();
      gimbal::simt::scoped_executor_options scope(options);
      INFO(
        "schedule: " << (mode == gimbal::simt::schedule::random ? "random" : "priority") << ", seed " << options.seed);
      body();
    }
  }
#else
  (void)seeds;
#endif
}

/// Run `body` with fewer blocks than launches expect, as if other kernels held the rest of the GPU; under a schedule of
/// each kind.
template <class Body>
void with_few_blocks(Body body)
{
#if !GIMBAL_GPU
  for (unsigned resident : {1u, 2u, 3u}) {
    INFO("resident blocks: " << resident);
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.resident_blocks = resident;
    options.expected_blocks = 7;
    gimbal::simt::scoped_executor_options scope(options);
    under_schedules(body, 1);
  }
#else
  body();
#endif
}

/// While it lives the host executor's streams keep words and memory, or not, whatever the environment says.
struct streams_last {
#if GIMBAL_GPU
  explicit streams_last(bool) {}
#else
  explicit streams_last(bool last) : scope(options(last)) {}
  static gimbal::simt::executor_options options(bool last)
  {
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.streams_last = last;
    return options;
  }
  gimbal::simt::scoped_executor_options scope;
#endif
};

// Value types beyond the built-in ones. All compare bytewise and print.

/// 2x2 matrices over integers modulo 2^32: an associative operator that does not commute.
struct matrix {
  std::uint32_t a, b, c, d;
  friend GIMBAL_HOST_DEVICE bool operator==(const matrix& x, const matrix& y)
  {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
  friend std::ostream& operator<<(std::ostream& out, const matrix& m)
  {
    return out << "[" << m.a << " " << m.b << "; " << m.c << " " << m.d << "]";
  }
};
struct matrix_product {
  GIMBAL_HOST_DEVICE matrix operator()(const matrix& x, const matrix& y) const
  {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

/// A struct of 3 bytes, alignment 1. Adding is bytewise.
struct bytes3 {
  unsigned char x, y, z;
  friend GIMBAL_HOST_DEVICE bool operator==(const bytes3& l, const bytes3& r)
  {
    return l.x == r.x && l.y == r.y && l.z == r.z;
  }
  friend GIMBAL_HOST_DEVICE bool operator<(const bytes3& l, const bytes3& r)
  {
    return l.x != r.x ? l.x < r.x : l.y != r.y ? l.y < r.y : l.z < r.z;
  }
  friend GIMBAL_HOST_DEVICE bytes3 operator+(const bytes3& l, const bytes3& r)
  {
    return {
      static_cast<unsigned char>(l.x + r.x), static_cast<unsigned char>(l.y + r.y),
      static_cast<unsigned char>(l.z + r.z)};
  }
  friend std::ostream& operator<<(std::ostream& out, const bytes3& v)
  {
    return out << "(" << int{v.x} << " " << int{v.y} << " " << int{v.z} << ")";
  }
};

/// A struct without a default constructor. "Left" keeps an origin, so that the operator does not commute.
class tagged {
public:
  GIMBAL_HOST_DEVICE tagged(std::int32_t value, std::int32_t origin) : value_(value), origin_(origin) {}
  GIMBAL_HOST_DEVICE std::int32_t value() const { return value_; }
  GIMBAL_HOST_DEVICE std::int32_t origin() const { return origin_; }
  friend GIMBAL_HOST_DEVICE bool operator==(const tagged& l, const tagged& r)
  {
    return l.value_ == r.value_ && l.origin_ == r.origin_;
  }
  friend GIMBAL_HOST_DEVICE bool operator<(const tagged& l, const tagged& r) { return l.value_ < r.value_; }
  friend std::ostream& operator<<(std::ostream& out, const tagged& v)
  {
    return out << "(" << v.value_ << " from " << v.origin_ << ")";
  }

private:
  std::int32_t value_;
  std::int32_t origin_;
};
struct add_keep_left {
  GIMBAL_HOST_DEVICE tagged operator()(const tagged& l, const tagged& r) const
  {
    return {
      static_cast<std::int32_t>(static_cast<std::uint32_t>(l.value()) + static_cast<std::uint32_t>(r.value())),
      l.origin()};
  }
};

/// 16 bytes, alignment 8.
struct wide {
  double x;
  std::int64_t y;
  friend GIMBAL_HOST_DEVICE bool operator==(const wide& l, const wide& r) { return l.x == r.x && l.y == r.y; }
  friend GIMBAL_HOST_DEVICE bool operator<(const wide& l, const wide& r) { return l.y < r.y; }
  friend GIMBAL_HOST_DEVICE wide operator+(const wide& l, const wide& r) { return {l.x + r.x, l.y + r.y}; }
  friend std::ostream& operator<<(std::ostream& out, const wide& v) { return out << "(" << v.x << " " << v.y << ")"; }
};

/// The sum of any two types.
struct add {
  template <class L, class R>
  GIMBAL_HOST_DEVICE auto operator()(const L& l, const R& r) const
  {
    return l + r;
  }
};

/// The numbers of a kernel with a block for each tile.
template <unsigned Threads, unsigned Items>
struct tiles_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
  static constexpr unsigned resident_threads = 0;
};

/// Gives back what it is given: through it an array is an iterator like any other.
struct same {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& x) const
  {
    return x;
  }
};

/// Random values of any of the types above; small integers in floating point, so that sums are exact in any order.
template <class T>
T random_value(std::mt19937_64& random)
{
  if constexpr (std::is_same_v<T, matrix>) {
    return {
      static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
      static_cast<std::uint32_t>(random())};
  } else if constexpr (std::is_same_v<T, bytes3>) {
    return {
      static_cast<unsigned char>(random()), static_cast<unsigned char>(random()), static_cast<unsigned char>(random())};
  } else if constexpr (std::is_same_v<T, tagged>) {
    return {static_cast<std::int32_t>(random()), static_cast<std::int32_t>(random())};
  } else if constexpr (std::is_same_v<T, wide>) {
    return {static_cast<double>(random() % 1000), static_cast<std::int64_t>(random())};
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else {
    return static_cast<T>(static_cast<float>(random() % 32) - 8.0f);
  }
}

template <class T>
std::vector<T> random_values(std::size_t size, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<T> values;
  values.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    values.push_back(random_value<T>(random));
  }
  return values;
}

/// Numbers whose sums are rounded: they tell in which order they were added.
template <class T>
std::vector<T> random_fractions(std::size_t size, std::uint64_t seed)
{
  std::vector<T> values = random_values<T>(size, seed);
  for (T& value : values) {
    value *= T(0.1);
  }
  return values;
}

/// Equality of whole arrays with the first difference in the message (a vector comparison would print both arrays).
template <class T>
void require_equal(const std::vector<T>& got, const std::vector<T>& wanted)
{
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(got[i] == wanted[i])) {
      INFO("first difference at " << i << " of " << got.size());
      if constexpr (sizeof(T) == 1 && std::is_integral_v<T>) {
        REQUIRE(int{got[i]} == int{wanted[i]});
      } else {
        REQUIRE(got[i] == wanted[i]);
      }
    }
  }
}

}  // namespace test
