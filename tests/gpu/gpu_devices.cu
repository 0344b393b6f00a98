// Tests several GPUs: one thread that goes from one to the next, threads with one each, memory of one that another's
// calls read and write, what each keeps, and what a reset takes away. With one GPU the same calls run on that one.
#include <atomic>
#include <memory>
#include <thread>

#include "gpu_calls.h"
#include "gpu_stream.h"

namespace devices {

int count()
{
  int devices = 0;
  test::check_cuda(cudaGetDeviceCount(&devices));
  return devices;
}

/// The current device of this thread, until the end of the scope.
class scoped_device {
public:
  explicit scoped_device(int device)
  {
    test::check_cuda(cudaGetDevice(&before_));
    test::check_cuda(cudaSetDevice(device));
  }
  scoped_device(const scoped_device&) = delete;
  scoped_device& operator=(const scoped_device&) = delete;
  ~scoped_device() { cudaSetDevice(before_); }

private:
  int before_ = 0;
};

/// One launch, several blocks, a stream of tiles.
constexpr std::size_t sizes[] = {1000, 70001, 3000017};

}  // namespace devices

TEST_CASE("a thread goes from device to device")
{
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t n : devices::sizes) {
      for (int device = 0; device < devices::count(); ++device) {
        INFO("round " << round << ", n = " << n << ", device " << device);
        const devices::scoped_device scope(device);
        const test::stream own;
        CHECK(test::calls_are_right(own.get(), n, 10 * round + device));
        CHECK(test::calls_are_right(cudaStreamLegacy, n, 10 * round + device + 5));
        int current = -1;
        test::check_cuda(cudaGetDevice(&current));
        CHECK(current == device);
      }
    }
  }
}

TEST_CASE("threads with a device each call at the same time")
{
  std::atomic<int> wrong{0};
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  const int devices = devices::count();
  for (int t = 0; t < 2 * devices; ++t) {
    threads.emplace_back([&, t] {
      try {
        const devices::scoped_device scope(t % devices);
        const test::stream own;
        for (const std::size_t n : devices::sizes) {
          ++(test::calls_are_right(own.get(), n, 100 * t + n) ? right : wrong);
        }
      } catch (const std::exception&) {
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
  CHECK(right == 6 * devices);
}

TEST_CASE("a call is the first that a thread asks of the device")
{
  const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(70001, 1);
  test::device_array<std::uint32_t> data(values);
  std::uint32_t sum = 0;
  std::thread([&] {
    sum = thrust::reduce(gimbal::par, data.data(), data.data() + data.size(), std::uint32_t{0});
  }).join();
  CHECK(sum == std::accumulate(values.begin(), values.end(), std::uint32_t{0}));
}

TEST_CASE("calls on memory of another device")
{
  const int devices = devices::count();
  for (int device = 0; device < devices; ++device) {
    const int other = (device + 1) % devices;
    int can_access = device == other ? 1 : 0;
    if (device != other) {
      test::check_cuda(cudaDeviceCanAccessPeer(&can_access, device, other));
    }
    if (can_access == 0) {
      WARN("device " << device << " cannot access the memory of device " << other);
      continue;
    }
    constexpr std::size_t n = 3000017;
    const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n, device);
    std::unique_ptr<test::device_array<std::uint32_t>> there;
    {
      const devices::scoped_device scope(other);
      there = std::make_unique<test::device_array<std::uint32_t>>(values);
    }
    const devices::scoped_device scope(device);
    if (device != other) {
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
      if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
      } else {
        test::check_cuda(enabled);
      }
    }
    INFO("device " << device << ", memory of device " << other);
    std::vector<std::uint32_t> wanted(n);
    thrust::inclusive_scan(gimbal::par, there->data(), there->data() + n, there->data());
    std::partial_sum(values.begin(), values.end(), wanted.begin());
    CHECK(there->to_host() == wanted);
    thrust::stable_partition(gimbal::par, there->data(), there->data() + n, test::is_odd{});
    std::stable_partition(wanted.begin(), wanted.end(), test::is_odd{});
    CHECK(there->to_host() == wanted);
    thrust::sort(gimbal::par, there->data(), there->data() + n);
    std::sort(wanted.begin(), wanted.end());
    CHECK(there->to_host() == wanted);
  }
}

TEST_CASE("calls go on after a device was reset")
{
  for (int device = 0; device < devices::count(); ++device) {
    INFO("device " << device);
    const devices::scoped_device scope(device);
    for (int life = 0; life < 3; ++life) {
      for (const std::size_t n : devices::sizes) {
        const test::stream own;
        CHECK(test::calls_are_right(own.get(), n, life));
        CHECK(test::calls_are_right(cudaStreamLegacy, n, life + 3));
      }
      CHECK(gimbal::memory_held().used == 0);
      test::check_cuda(cudaDeviceReset());
    }
    CHECK(gimbal::memory_held().held == 0);
  }
}

TEST_CASE("each device keeps and gives back memory of its own")
{
  constexpr std::size_t n = 3000017;
  std::vector<std::size_t> held;
  for (int device = 0; device < devices::count(); ++device) {
    const devices::scoped_device scope(device);
    CHECK(test::calls_are_right(cudaStreamLegacy, n, device));
    test::check_cuda(cudaDeviceSynchronize());
    CHECK(gimbal::memory_held().used == 0);
    held.push_back(gimbal::memory_held().held);
    CHECK(held.back() > 0);
  }
  for (int device = 0; device < devices::count(); ++device) {
    INFO("device " << device);
    const devices::scoped_device scope(device);
    CHECK(gimbal::memory_held().held == held[device]);
    gimbal::release_memory();
    CHECK(gimbal::memory_held().held < held[device]);
    CHECK(test::calls_are_right(cudaStreamLegacy, n, device + 7));
  }
}
