// Tests reduce and find_if at kernel level: sizes, types, operators, iterators, schedules and reproducibility.
#if __has_include(<cuda_fp16.h>)  // part of the CUDA toolkit, not of CCCL
#include <cuda_fp16.h>
#define GIMBAL_TEST_HALF
#endif
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gimbal/algorithm/find/find_if.cuh>
#include <numeric>

#include "reduce_checks.h"

namespace {

using gimbal::index_type;
using gimbal::no_init;
using test::reduced;
using test::small_tuning;

template <class T, class Value, class Op>
T reference(const std::vector<Value>& values, Op op, T init)
{
  for (const Value& value : values) {
    init = static_cast<T>(op(init, value));
  }
  return init;
}

struct add_pairs {
  using pair = thrust::tuple<int, int>;
  GIMBAL_HOST_DEVICE pair operator()(const pair& l, const pair& r) const
  {
    return {thrust::get<0>(l) + thrust::get<0>(r), thrust::get<1>(l) + thrust::get<1>(r)};
  }
};

struct is_one {
  GIMBAL_HOST_DEVICE bool operator()(int value) const { return value == 1; }
};

template <class Tuning, class T, class Op>
void check_sizes(Op op, T init, const std::vector<std::size_t>& sizes)
{
  for (std::size_t n : sizes) {
    for (std::size_t shift : {0, 1}) {
      INFO("n = " << n << ", shifted by " << shift);
      const std::vector<T> values = test::random_values<T>(n, n + 1);
      test::device_array<T> in(values, shift);
      CHECK(reduced<Tuning, T>(in.data(), n, op, init) == reference(values, op, init));
    }
  }
}

const std::vector<std::size_t> small_sizes = test::edge_sizes(128);
const std::vector<std::size_t> default_sizes = {0, 1, 33, 4095, 4096, 4097, 8191, 8193, 70001};

}  // namespace

TEMPLATE_TEST_CASE(
  "reduce adds every type", "[reduce]",
  double GIMBAL_MORE(std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::uint32_t, std::uint64_t, float))
{
  using T = TestType;
  check_sizes<small_tuning, T>(thrust::plus<T>{}, T(3), small_sizes);
  check_sizes<void, T>(thrust::plus<T>{}, T(3), default_sizes);
}

TEST_CASE("reduce keeps the order of operands", "[reduce]")
{
  const test::matrix init{1, 2, 3, 4};
  check_sizes<small_tuning, test::matrix>(test::matrix_product{}, init, small_sizes);
  check_sizes<void, test::matrix>(test::matrix_product{}, init, default_sizes);
  check_sizes<small_tuning, test::tagged>(test::add_keep_left{}, test::tagged{5, -1}, small_sizes);
}

/// Of a number of bytes that is no multiple of a word's.
template <std::size_t Bytes>
struct odd_bytes {
  unsigned char byte[Bytes];

  odd_bytes() = default;
  explicit odd_bytes(float value)
  {
    for (std::size_t i = 0; i < Bytes; ++i) {
      byte[i] = static_cast<unsigned char>(static_cast<int>(value) * 37 + 11 * static_cast<int>(i));
    }
  }
  friend bool operator==(const odd_bytes& a, const odd_bytes& b) { return std::memcmp(a.byte, b.byte, Bytes) == 0; }
  friend GIMBAL_HOST_DEVICE odd_bytes operator+(const odd_bytes& a, const odd_bytes& b)
  {
    odd_bytes sum;
    for (std::size_t i = 0; i < Bytes; ++i) {
      sum.byte[i] = static_cast<unsigned char>(a.byte[i] + b.byte[i]);
    }
    return sum;
  }
};

TEST_CASE("reduce takes structs of odd and large sizes", "[reduce]")
{
  check_sizes<small_tuning, test::bytes3>(test::add{}, test::bytes3{1, 2, 3}, small_sizes);
  check_sizes<void, odd_bytes<6>>(test::add{}, odd_bytes<6>{}, default_sizes);
  check_sizes<small_tuning, odd_bytes<7>>(test::add{}, odd_bytes<7>{}, small_sizes);
  check_sizes<void, odd_bytes<18>>(test::add{}, odd_bytes<18>{}, default_sizes);
  check_sizes<small_tuning, odd_bytes<11>>(test::add{}, odd_bytes<11>{}, small_sizes);
  check_sizes<void, test::wide>(test::add{}, test::wide{1, 2}, default_sizes);
}

TEST_CASE("reduce of floating-point items is the same bits wherever they lie", "[reduce]")
{
  for (const std::size_t n : {1, 5, 1027, 16387, 40011}) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = 1.0f / static_cast<float>(i + 1);  // every order of additions rounds differently
    }
    const auto sums = [&](std::size_t shift) {
      test::device_array<float> in(values, shift);
      return std::vector<float>{
        reduced<void, float>(in.data(), n, thrust::plus<float>{}, 0.0f),
        reduced<void, float>(in.data(), n, test::add{}, 0.0f),
        reduced<small_tuning, float>(in.data(), n, thrust::plus<float>{}, 0.0f),
        reduced<small_tuning, float>(in.data(), n, test::add{}, 0.0f)};
    };
    const std::vector<float> wanted = sums(0);
    for (const std::size_t shift : {1, 2, 3}) {
      INFO("n = " << n << ", shifted by " << shift);
      CHECK(sums(shift) == wanted);
    }
  }
}

#ifdef GIMBAL_TEST_HALF
TEST_CASE("reduce takes half", "[reduce]")
{
  test::device_array<__half> in(std::vector<__half>(1000, __float2half(1.0f)));
  test::device_array<float> out(1);
  // float accumulator: the initial value's type and the operator decide
  CHECK(reduced<small_tuning, float>(in.data(), 1000, thrust::plus<float>{}, 0.0f) == 1000.0f);
}
#endif

TEST_CASE("reduce accumulates in the type the operator returns", "[reduce]")
{
  const std::vector<std::uint8_t> values(1000, 255);
  test::device_array<std::uint8_t> in(values);
  CHECK(reduced<small_tuning, int>(in.data(), 1000, thrust::plus<int>{}, 0) == 255000);
  CHECK(
    reduced<void, std::int64_t>(in.data(), 1000, thrust::plus<>{}, std::int64_t{1} << 40)
    == (std::int64_t{1} << 40) + 255000);
}

TEST_CASE("reduce without an initial value starts with the first item", "[reduce]")
{
  for (std::size_t n : {1, 2, 33, 129, 5000}) {
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n);
    test::device_array<test::matrix> in(values);
    test::matrix wanted = values[0];
    for (std::size_t i = 1; i < n; ++i) {
      wanted = test::matrix_product{}(wanted, values[i]);
    }
    CHECK(reduced<small_tuning, test::matrix>(in.data(), n, test::matrix_product{}, no_init{}) == wanted);
  }
}

TEST_CASE("reduce reads through iterators", "[reduce]")
{
  const std::size_t n = 3001;
  thrust::counting_iterator<int> count(1);
  CHECK(reduced<small_tuning, int>(count, n, thrust::plus<int>{}, 0) == 3001 * 3002 / 2);

  const std::vector<int> values = test::random_values<int>(n, 7);
  test::device_array<int> in(values);
  const int sum = reference(values, thrust::plus<int>{}, 0);
  auto negated = thrust::make_transform_iterator(in.data(), thrust::negate<int>{});
  CHECK(reduced<small_tuning, int>(negated, n, thrust::plus<int>{}, 0) == -sum);
  auto reversed = thrust::make_reverse_iterator(in.data() + n);
  CHECK(reduced<small_tuning, int>(reversed, n, thrust::plus<int>{}, 0) == sum);
  auto permuted = thrust::make_permutation_iterator(in.data(), thrust::make_counting_iterator(0));
  CHECK(reduced<small_tuning, int>(permuted, n, thrust::plus<int>{}, 0) == sum);
  using pair = thrust::tuple<int, int>;
  auto zipped = thrust::make_zip_iterator(thrust::make_tuple(in.data(), count));
  const pair both = reduced<small_tuning, pair>(zipped, n, add_pairs{}, pair(0, 0));
  CHECK(thrust::get<0>(both) == sum);
  CHECK(thrust::get<1>(both) == 3001 * 3002 / 2);
}

/// Two matrices and a number that counts: 40 bytes, whose product keeps the order.
struct large_product {
  test::matrix left;
  test::matrix right;
  std::uint64_t count;
};
struct make_large {
  GIMBAL_HOST_DEVICE large_product operator()(const test::matrix& m) const { return {m, m, 1}; }
};
struct multiply_large {
  GIMBAL_HOST_DEVICE large_product operator()(const large_product& a, const large_product& b) const
  {
    const test::matrix_product product{};
    return {product(a.left, b.left), product(b.right, a.right), a.count + b.count};
  }
};

/// Few blocks to spread what comes one by one to: tiles of two rows, of five, and whole ones.
struct tall_tuning : small_tuning {
  static constexpr unsigned single_items_per_thread = 7;
};

TEST_CASE("reduce gives few items that come one by one to more blocks", "[reduce]")
{
  const thrust::counting_iterator<std::int64_t> count(1);
  for (const std::size_t n :
       test::all_or_few({1, 63, 64, 65, 128, 129, 575, 576, 960, 1000, 1151, 1152, 1400, 9000}, {64, 65, 576, 1151})) {
    INFO("n = " << n);
    const auto sum = static_cast<std::int64_t>(n * (n + 1) / 2);
    CHECK(reduced<tall_tuning, std::int64_t>(count, n, thrust::plus<std::int64_t>{}, std::int64_t{5}) == sum + 5);
    CHECK(
      reduced<void, std::int64_t>(count, 100 * n, thrust::maximum<std::int64_t>{}, std::int64_t{5})
      == std::max<std::int64_t>(100 * static_cast<std::int64_t>(n), 5));
  }
}

TEST_CASE("reduce keeps the order of large operands that an iterator makes", "[reduce]")
{
  const large_product one{{1, 0, 0, 1}, {1, 0, 0, 1}, 0};
  const auto check = [&](auto tuning, std::size_t n) {
    INFO("n = " << n);
    const std::vector<test::matrix> values = test::random_values<test::matrix>(n, n + 1);
    test::device_array<test::matrix> in(values);
    large_product wanted = one;
    for (const test::matrix& value : values) {
      wanted = multiply_large{}(wanted, make_large{}(value));
    }
    const auto made = thrust::make_transform_iterator(in.data(), make_large{});
    const auto product = reduced<typename decltype(tuning)::type, large_product>(made, n, multiply_large{}, one);
    CHECK(product.left == wanted.left);
    CHECK(product.right == wanted.right);
    CHECK(product.count == n);
  };
  for (const std::size_t n : test::all_or_few(
         {0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1024, 2047, 2048, 2049, 14335, 14336, 14337, 30011},
         {33, 257, 2049, 14337})) {
    check(::cuda::std::type_identity<small_tuning>{}, n);
  }
  for (const std::size_t n : test::all_or_few({1, 4095, 4096, 4097, 70001, 300007}, {4097, 70001})) {
    check(::cuda::std::type_identity<void>{}, n);
  }
}

TEST_CASE("reduce is right under every schedule", "[reduce]")
{
  const std::size_t n = 1500;
  const std::vector<test::matrix> values = test::random_values<test::matrix>(n, 11);
  const std::vector<int> integers = test::random_values<int>(n, 12);
  const test::matrix wanted = reference(values, test::matrix_product{}, test::matrix{1, 0, 0, 1});
  test::device_array<test::matrix> in(values);
  test::device_array<int> integers_in(integers);
  test::under_schedules([&] {
    CHECK(
      reduced<small_tuning, test::matrix>(in.data(), n, test::matrix_product{}, test::matrix{1, 0, 0, 1}) == wanted);
    CHECK(
      reduced<small_tuning, int>(integers_in.data(), n, thrust::plus<int>{}, 0)
      == reference(integers, thrust::plus<int>{}, 0));
  });
}

TEST_CASE("float sums are the same bits in every run, wherever the data lie", "[reduce]")
{
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(20011);
  for (float& value : values) {
    value = uniform(random);
  }
  test::device_array<float> aligned(values);
  const float small = reduced<small_tuning, float>(aligned.data(), values.size(), thrust::plus<float>{}, 0.5f);
  const float full = reduced<void, float>(aligned.data(), values.size(), thrust::plus<float>{}, 0.5f);
  for (std::size_t shift : {1, 2, 3}) {
    test::device_array<float> shifted(values, shift);
    test::under_schedules(
      [&] {
        CHECK(reduced<small_tuning, float>(shifted.data(), values.size(), thrust::plus<float>{}, 0.5f) == small);
        CHECK(reduced<void, float>(shifted.data(), values.size(), thrust::plus<float>{}, 0.5f) == full);
      },
      1);
  }
}

TEST_CASE("find_if finds the first match wherever it is", "[reduce]")
{
  const auto found = [](const std::vector<int>& values) {
    test::device_array<int> in(values);
    test::device_array<index_type> out(1);
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::find_if<small_tuning>(
        storage, bytes, in.data(), static_cast<index_type>(values.size()), is_one{}, out.data(), 0);
    });
    return static_cast<std::size_t>(out.to_host()[0]);
  };
  for (std::size_t n : small_sizes) {
    INFO("n = " << n);
    std::vector<int> values(n, 0);
    CHECK(found(values) == n);
    if (n == 0) {
      continue;
    }
    for (std::size_t position : {std::size_t{0}, n / 3, n / 2, n - 1}) {
      values[position] = 1;
      CHECK(found(values) == position);
      values[n - 1] = 1;
      values[(position + n - 1) / 2] = 1;
      CHECK(found(values) == position);
      values.assign(n, 0);
    }
    CHECK(found(std::vector<int>(n, 1)) == 0);
  }
  test::under_schedules([&] {
    std::vector<int> values(2000, 0);
    CHECK(found(values) == 2000);
    values[1999] = 1;
    CHECK(found(values) == 1999);
    values[1500] = values[1234] = values[1235] = 1;
    CHECK(found(values) == 1234);
  });
}

TEST_CASE("reduce of a call that may use the pool takes no storage", "[reduce]")
{
  test::device_array<int> in(std::vector<int>(5000, 1));
  test::device_array<int> out(1);
  const auto reduce = [&](gimbal::temporary_storage storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<small_tuning>(
      storage, bytes, in.data(), index_type{5000}, out.data(), thrust::plus<int>{}, 0, 0);
  };
  std::size_t bytes = 0;
  REQUIRE_FALSE(reduce(gimbal::temporary_storage::question_beside_pool(), bytes));
  CHECK(bytes == 1);
  REQUIRE_FALSE(reduce(gimbal::temporary_storage::beside_pool(nullptr), bytes));
  CHECK(out.to_host()[0] == 5000);
}

TEST_CASE("reductions that follow one another find the counter at zero", "[reduce]")
{
  test::device_array<int> in(std::vector<int>(5000, 1));
  test::device_array<int> out(1);
  for (int turn = 0; turn < 4; ++turn) {
    const index_type n = turn % 2 == 0 ? 5000 : 700;  // other numbers of blocks
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce<small_tuning>(
        storage, bytes, in.data(), n, out.data(), thrust::plus<int>{}, 3, 0);
    });
    CHECK(out.to_host()[0] == n + 3);
  }
}
