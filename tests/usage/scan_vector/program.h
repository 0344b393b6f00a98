// What the scan-vector programs share: their size, the times, and one row of the table.
//
//   PROGRAM [--items N] [--image FILE.pgm] [files...]
#pragma once

#include <gimbal/scan_vector.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

namespace v = gimbal::vectors;
using gimbal::index_type;
using gimbal::par;

struct options {
  std::size_t items = 0;
  const char* image = nullptr;
  std::vector<const char*> files;
};

/// Sizes that show something on a GPU; on the host executor, which checks results, small ones.
inline options read_options(int argc, char** argv, std::size_t items_of_gpu, std::size_t items_of_host)
{
  options read;
  read.items = GIMBAL_GPU ? items_of_gpu : items_of_host;
  for (int a = 1; a < argc; ++a) {
    if (std::strcmp(argv[a], "--items") == 0 && a + 1 < argc) {
      read.items = std::strtoull(argv[++a], nullptr, 10);
    } else if (std::strcmp(argv[a], "--image") == 0 && a + 1 < argc) {
      read.image = argv[++a];
    } else {
      read.files.push_back(argv[a]);
    }
  }
  return read;
}

/// The median of several runs, after one that is not timed.
template <class Call>
double milliseconds(Call call)
{
  std::vector<double> times;
  for (int r = 0; r < (GIMBAL_GPU ? 12 : 2); ++r) {
    const auto wait = [] {
#if GIMBAL_GPU
      cudaDeviceSynchronize();
#endif
    };
    wait();
    const auto start = std::chrono::steady_clock::now();
    call();
    wait();
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (r > 0) {
      times.push_back(elapsed.count());
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

template <class T>
std::vector<T> on_host(const thrust::device_vector<T>& values)
{
  std::vector<T> copied(values.size());
  thrust::copy(values.begin(), values.end(), copied.begin());
  return copied;
}

/// One row of the table; the program's exit status. Both results must be the serial program's.
inline int report(
  const char* name, std::size_t items, const char* stock, double stock_ms, double gimbal_ms, bool stock_is_right,
  bool gimbal_is_right)
{
  std::printf(
    "%-26s %11zu  %-38s %10.3f %10.3f %7.2f  %s\n", name, items, stock, stock_ms, gimbal_ms, gimbal_ms / stock_ms,
    stock_is_right && gimbal_is_right ? "yes"
    : stock_is_right                  ? "gimbal NO"
                                      : "stock NO");
  return stock_is_right && gimbal_is_right ? 0 : 1;
}

/// A grey picture.
inline void write_image(const char* file, std::size_t width, std::size_t height, const std::vector<unsigned char>& grey)
{
  std::ofstream stream(file, std::ios::binary);
  stream << "P5\n" << width << " " << height << "\n255\n";
  stream.write(reinterpret_cast<const char*>(grey.data()), static_cast<std::streamsize>(grey.size()));
}
