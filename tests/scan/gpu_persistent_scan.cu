// Tests the persistent scans with their default tuning on a GPU, against the host's results.
#include <gimbal/gimbal.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <functional>
#include <numeric>

#include "gpu/gpu_stream.h"
#include "support.h"

namespace {

/// Below and at the size from which the kernel is used, several rounds of its ring, and no multiple of a tile.
constexpr std::size_t sizes[] = {(1 << 20) / 8 - 1, (1 << 20) + 3, 30000001};

template <class T>
void check_scans(std::size_t shift)
{
  for (const std::size_t n : sizes) {
    INFO("n = " << n << ", " << sizeof(T) << " bytes, shift " << shift);
    const std::vector<T> values = test::random_values<T>(n, n);
    test::device_array<T> x(values, shift);
    test::device_array<T> out(n, shift / 2);
    std::vector<T> wanted(n);
    std::exclusive_scan(values.begin(), values.end(), wanted.begin(), T(5), std::plus<T>{});
    thrust::exclusive_scan(gimbal::par, x.data(), x.data() + n, out.data(), T(5));
    test::require_equal(out.to_host(), wanted);
    std::inclusive_scan(values.begin(), values.end(), wanted.begin(), std::plus<T>{});
    thrust::inclusive_scan(gimbal::par, x.data(), x.data() + n, x.data());
    test::require_equal(x.to_host(), wanted);
  }
}

struct halve {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return x / 2; }
};

}  // namespace

TEST_CASE("persistent scans of integers", "[gpu]")
{
  for (const std::size_t shift : {0, 1, 2}) {
    check_scans<std::int8_t>(shift);
    check_scans<std::int16_t>(shift);
    check_scans<std::int32_t>(shift);
    check_scans<std::int64_t>(shift);
  }
}

TEMPLATE_TEST_CASE("scans of floating-point numbers are the same bits wherever they lie", "[gpu]", float, double)
{
  for (const std::size_t n : {std::size_t{1000}, std::size_t{300007}}) {  // of one tile, and persistent
    const std::vector<TestType> values = test::random_fractions<TestType>(n, n);
    std::vector<TestType> including;
    std::vector<TestType> excluding;
    for (std::size_t in_shift = 0; in_shift < 4; ++in_shift) {
      test::device_array<TestType> in(values, in_shift);
      for (std::size_t out_shift = 0; out_shift < 4; ++out_shift) {
        INFO("n = " << n << ", input at item " << in_shift << ", output at item " << out_shift);
        test::device_array<TestType> out(n, out_shift);
        thrust::inclusive_scan(gimbal::par, in.data(), in.data() + n, out.data());
        including = including.empty() ? out.to_host() : including;
        test::require_equal(out.to_host(), including);
        thrust::exclusive_scan(gimbal::par, in.data(), in.data() + n, out.data(), TestType(0.3));
        excluding = excluding.empty() ? out.to_host() : excluding;
        test::require_equal(out.to_host(), excluding);
      }
      thrust::inclusive_scan(gimbal::par, in.data(), in.data() + n, in.data());
      test::require_equal(in.to_host(), including);
    }
  }
}

TEST_CASE("persistent scans of structs, and through iterators", "[gpu]")
{
  const std::size_t n = 3000001;
  const std::vector<test::matrix> matrices = test::random_values<test::matrix>(n, 3);
  test::device_array<test::matrix> products(matrices);
  thrust::inclusive_scan(gimbal::par, products.data(), products.data() + n, products.data(), test::matrix_product{});
  std::vector<test::matrix> wanted(n);
  std::inclusive_scan(matrices.begin(), matrices.end(), wanted.begin(), test::matrix_product{});
  test::require_equal(products.to_host(), wanted);

  const std::vector<int> numbers = test::random_values<int>(n, 4);
  std::vector<int> sums(n);
  std::transform_exclusive_scan(numbers.begin(), numbers.end(), sums.begin(), 0, std::plus<int>{}, halve{});
  test::device_array<int> in(numbers);
  test::device_array<int> out(n);
  const auto halves = thrust::make_transform_iterator(in.data(), halve{});
  thrust::exclusive_scan(gimbal::par, halves, halves + n, out.data());
  test::require_equal(out.to_host(), sums);
}

TEST_CASE("persistent scans by key", "[gpu]")
{
  for (const std::size_t n : sizes) {
    INFO("n = " << n);
    const std::vector<int> values = test::random_values<int>(n, n);
    std::vector<std::uint32_t> runs(n);
    std::vector<int> sums(values);
    for (std::size_t i = 1; i < n; ++i) {
      runs[i] = runs[i - 1] + (values[i] % 100 == 0);
      sums[i] = runs[i] == runs[i - 1] ? static_cast<int>(static_cast<unsigned>(sums[i - 1]) + values[i]) : values[i];
    }
    test::device_array<int> x(values);
    test::device_array<std::uint32_t> keys(runs);
    test::device_array<int> out(n);
    thrust::inclusive_scan_by_key(gimbal::par, keys.data(), keys.data() + n, x.data(), out.data());
    test::require_equal(out.to_host(), sums);
  }
}

TEST_CASE("persistent float scans are the same bits in every run", "[gpu]")
{
  const std::size_t n = 5000000;
  const std::vector<float> values = test::random_fractions<float>(n, 4);
  test::device_array<float> x(values);
  test::device_array<float> out(n);
  std::vector<float> first;
  for (int run = 0; run < 20; ++run) {
    thrust::inclusive_scan(gimbal::par, x.data(), x.data() + n, out.data());
    const std::vector<float> got = out.to_host();
    first = run == 0 ? got : first;
    test::require_equal(got, first);
  }
}

TEST_CASE("a captured persistent scan may be replayed", "[gpu]")
{
  const std::size_t n = 2000003;
  const std::vector<int> values = test::random_values<int>(n, 5);
  std::vector<int> wanted(n);
  std::inclusive_scan(values.begin(), values.end(), wanted.begin(), std::plus<int>{});
  test::device_array<int> x(values);
  test::device_array<int> out(n);
  const test::stream own;
  test::capture graph(own.get(), cudaStreamCaptureModeThreadLocal, [&] {
    thrust::inclusive_scan(gimbal::par_nosync.on(own.get()), x.data(), x.data() + n, out.data());
  });
  for (int replay = 0; replay < 5; ++replay) {
    test::raw_fill(out.data(), 0, n * sizeof(int));
    graph.launch(own.get());
    // Between replays, not captured.
    thrust::inclusive_scan(gimbal::par.on(own.get()), x.data(), x.data() + n, out.data());
    graph.replay(own.get());
    test::require_equal(out.to_host(), wanted);
  }
}
