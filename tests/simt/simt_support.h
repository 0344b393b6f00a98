// What the tests of the SIMT layer share.
#pragma once

#include <gimbal/simt/simt.cuh>
#include <vector>

#include "support.h"

namespace test {

/// An array of zeros on the device.
template <class T>
struct zeros : device_array<T> {
  explicit zeros(std::size_t size) : device_array<T>(std::vector<T>(size)) {}
};

template <class Kernel>
void launch(const Kernel& kernel, std::size_t blocks)
{
  const gimbal::status state = gimbal::simt::launch(kernel, blocks, nullptr, "test kernel");
  INFO(gimbal::simt::error_string(state.code));
  REQUIRE(state.code == gimbal::simt::success);
  REQUIRE_FALSE(gimbal::simt::wait(nullptr, "test kernel"));
}

template <unsigned BlockThreads>
using block_size = std::integral_constant<unsigned, BlockThreads>;

}  // namespace test
