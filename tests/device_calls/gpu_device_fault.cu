// Tests a fault inside a kernel, on a GPU: an operator that stops the kernel. Such an error stays with the process
// ("sticky"), so this is a program of its own with a single test case.
#include <gimbal/gimbal.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/system_error.h>

#include "support.h"

namespace faults {

struct stops_the_kernel {
  __host__ __device__ int operator()(int left, int right) const
  {
#ifdef __CUDA_ARCH__
    if (left == -1 || right == -1) {
      __trap();
    }
#endif
    return left + right;
  }
};

template <class Call>
std::string message_of(Call call)
{
  try {
    call();
  } catch (const thrust::system_error& error) {
    CHECK(error.code().category() == thrust::cuda_category());
    CHECK(error.code().value() != 0);
    return error.what();
  }
  return "no exception";
}

}  // namespace faults

TEST_CASE("a fault in a kernel is reported by its own call, and by every later one")
{
  const std::size_t n = 100000;
  std::vector<int> values(n, 1);
  test::device_array<int> healthy(values);
  values[n / 2] = -1;
  test::device_array<int> data(values);
  test::device_array<int> out(n);

  CHECK(thrust::reduce(gimbal::par, healthy.data(), healthy.data() + n, 0, faults::stops_the_kernel{}) == int{n});

  const std::string own = faults::message_of(
    [&] { thrust::reduce(gimbal::par, data.data(), data.data() + n, 0, faults::stops_the_kernel{}); });
  INFO(own);
  CHECK(own.find("gimbal reduce of 100000 elements of 4 bytes") != std::string::npos);
  CHECK(own.find("cudaError") != std::string::npos);

  const std::string scan =
    faults::message_of([&] { thrust::inclusive_scan(gimbal::par, data.data(), data.data() + n, out.data()); });
  INFO(scan);
  CHECK(scan.find("scan of 100000 elements of 4 bytes") != std::string::npos);
  CHECK(scan.find("cudaError") != std::string::npos);

  const std::string sort = faults::message_of([&] { thrust::sort(gimbal::par, data.data(), data.data() + n); });
  INFO(sort);
  CHECK(sort.find("sort of 100000 elements of 4 bytes") != std::string::npos);
}
