// Sorts more keys than one GPU holds, over all GPUs of this host, with a thread each, and checks the result.
//
//   sort_all [keys in all]
#include <gimbal/communicator.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
constexpr long long default_items = 10'000'000'000;
#else
#define HOST_DEVICE
constexpr long long default_items = 200'000;
#endif

/// The i-th key of the whole sequence: random (splitmix64).
struct random_key {
  HOST_DEVICE std::uint32_t operator()(long long i) const
  {
    std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>(z ^ (z >> 31));
  }
};

/// Its sum over all keys is the same for every order of the same keys, and for hardly any others.
struct scrambled {
  HOST_DEVICE std::uint64_t operator()(std::uint32_t key) const
  {
    return random_key{}(key) * (2 * std::uint64_t{key} + 1);
  }
};

int main(int count, char** arguments)
{
  const long long items = count > 1 ? std::atoll(arguments[1]) : default_items;
  bool is_right = true;
  gimbal::run_on_devices([&](gimbal::communicator& ranks) {
    const auto all = gimbal::par.over(ranks);
    const long long begin = items * ranks.rank() / ranks.size();
    const long long end = items * (ranks.rank() + 1) / ranks.size();
    thrust::device_vector<std::uint32_t> keys(static_cast<std::size_t>(end - begin));
    thrust::tabulate(all, keys.begin(), keys.end(), random_key{});
    const auto sum = [&] {
      return thrust::transform_reduce(
        all, keys.begin(), keys.end(), scrambled{}, std::uint64_t{0}, thrust::plus<std::uint64_t>());
    };
    const std::uint64_t before = sum();  // and all ranks have their keys now
    const auto start = std::chrono::steady_clock::now();
    thrust::sort(all, keys.begin(), keys.end());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const bool is_sorted = thrust::is_sorted(all, keys.begin(), keys.end());
    const bool has_all = sum() == before;
    if (ranks.rank() == 0) {
      is_right = is_sorted && has_all;
      std::printf(
        "%lld keys of 4 bytes over %d ranks: %.3f s, %.2f billion keys a second, %s\n", items, ranks.size(),
        took.count(), static_cast<double>(items) / took.count() * 1e-9, is_right ? "sorted" : "WRONG");
    }
  });
  return is_right ? 0 : 1;
}
