// Reduce and find_if at kernel level: sizes, types, operators, iterators, schedules and reproducibility.
#if __has_include(<cuda_fp16.h>)  // part of the CUDA toolkit, not of CCCL
#include <cuda_fp16.h>
#define GIMBAL_TEST_HALF
#endif
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <gimbal/kernel/find_if.cuh>
#include <gimbal/kernel/reduce.cuh>
#include <numeric>

#include "support.h"

namespace {

using gimbal::index_type;
using gimbal::no_init;

struct small_tuning {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned single_items_per_thread = 2;
  static constexpr unsigned mapped_rows = 2;
  static constexpr std::int64_t more_rows_from_items = 5000;
  static constexpr unsigned tile_threads = 64;
  static constexpr unsigned blocks = 7;
  static constexpr unsigned many_blocks = 7;
  static constexpr unsigned ordered_blocks(std::size_t) { return 7; }
  static constexpr unsigned spread_blocks = 3;
  static constexpr unsigned warp_posts = 3;
  static constexpr unsigned first_blocks = 3;
};

template <class Tuning, class T, class InputIt, class Op, class Init>
T reduced(InputIt in, std::size_t n, Op op, Init init)
{
  test::device_array<T> out(1);
  test::run([&](void* storage, std::size_t& bytes) {
    return gimbal::kernel::reduce<Tuning>(storage, bytes, in, static_cast<index_type>(n), out.data(), op, init, 0);
  });
  return out.to_host()[0];
}

template <class T, class Value, class Op>
T reference(const std::vector<Value>& values, Op op, T init)
{
  for (const Value& value : values) {
    init = static_cast<T>(op(init, value));
  }
  return init;
}

struct add {
  template <class L, class R>
  GIMBAL_HOST_DEVICE auto operator()(const L& l, const R& r) const
  {
    return l + r;
  }
};

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
  check_sizes<small_tuning, test::bytes3>(add{}, test::bytes3{1, 2, 3}, small_sizes);
  check_sizes<void, odd_bytes<6>>(add{}, odd_bytes<6>{}, default_sizes);
  check_sizes<small_tuning, odd_bytes<7>>(add{}, odd_bytes<7>{}, small_sizes);
  check_sizes<void, odd_bytes<18>>(add{}, odd_bytes<18>{}, default_sizes);
  check_sizes<small_tuning, odd_bytes<11>>(add{}, odd_bytes<11>{}, small_sizes);
  check_sizes<void, test::wide>(add{}, test::wide{1, 2}, default_sizes);
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
        reduced<void, float>(in.data(), n, add{}, 0.0f),
        reduced<small_tuning, float>(in.data(), n, thrust::plus<float>{}, 0.0f),
        reduced<small_tuning, float>(in.data(), n, add{}, 0.0f)};
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
         {0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1024, 2047, 2048, 2049, 7167, 7168, 7169, 30011},
         {33, 257, 2049, 7169})) {
    check(::cuda::std::type_identity<small_tuning>{}, n);
  }
  for (const std::size_t n : test::all_or_few({1, 4095, 4096, 4097, 70001, 300007}, {4097, 70001})) {
    check(::cuda::std::type_identity<void>{}, n);
  }
}

/// A matrix made of a number, whose product keeps the order; by value, and by reference.
template <class T>
struct make_matrix {
  GIMBAL_HOST_DEVICE test::matrix operator()(T x) const { return {static_cast<std::uint32_t>(x), 1, 1, 0}; }
};
template <class T>
struct make_matrix_of_reference {
  GIMBAL_HOST_DEVICE test::matrix operator()(const T& x) const { return make_matrix<T>{}(x); }
};
/// The item's number, which copies do not have.
struct number_of {
  const std::uint16_t* first;
  GIMBAL_HOST_DEVICE index_type operator()(const std::uint16_t& item) const { return &item - first; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const noexcept { return 2 * x; }
};
struct generic_value {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(T x) const
  {
    return x;
  }
};
struct generic_reference {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& x) const
  {
    return x;
  }
};
struct overloaded {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return x; }
  GIMBAL_HOST_DEVICE int operator()(double x) const { return static_cast<int>(x); }
};

template <class InputIt>
inline constexpr bool reads_vectors_v = gimbal::block::is_packed_v<InputIt>;
template <class F, class T = int>
using made_of = thrust::transform_iterator<F, const T*>;

TEST_CASE("what a function may be given copies of", "[reduce]")
{
  STATIC_REQUIRE(reads_vectors_v<const int*>);
  STATIC_REQUIRE(reads_vectors_v<made_of<twice>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<twice, std::int8_t>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<make_matrix<double>, double>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<thrust::negate<int>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<gimbal::block::of_copies<number_of>, std::uint16_t>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of<number_of, std::uint16_t>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of<make_matrix_of_reference<int>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<generic_value>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of<generic_reference>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of<overloaded>>);
  STATIC_REQUIRE(!reads_vectors_v<thrust::transform_iterator<twice, thrust::counting_iterator<int>>>);
}

template <class Tuple>
struct sum_of_pair {
  GIMBAL_HOST_DEVICE auto operator()(Tuple pair) const { return thrust::get<0>(pair) + thrust::get<1>(pair); }
};
struct sum_of_any_pair {
  template <class Tuple>
  GIMBAL_HOST_DEVICE int operator()(Tuple pair) const
  {
    return thrust::get<0>(pair) + thrust::get<1>(pair);
  }
};
struct sum_of_values {
  GIMBAL_HOST_DEVICE double operator()(float a, double b) const { return a + b; }
};
struct sum_of_references {
  GIMBAL_HOST_DEVICE int operator()(const int& a, const int& b) const { return a + b; }
};
template <class F, class First = int, class Second = int>
using made_of_pairs =
  thrust::transform_iterator<F, thrust::zip_iterator<::cuda::std::tuple<const First*, const Second*>>>;
template <class F>
using apply_pair = gimbal::functor::apply_pair<int, F>;

TEST_CASE("what a function of two arrays' items may be given copies of", "[reduce]")
{
  using pair = thrust::tuple<int, int>;
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<sum_of_pair<pair>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<sum_of_pair<const pair&>>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of_pairs<sum_of_pair<thrust::tuple<const int&, const int&>>>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of_pairs<sum_of_any_pair>>);
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<gimbal::block::of_copies<sum_of_any_pair>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<thrust::zip_function<sum_of_values>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<apply_pair<sum_of_values>, float, unsigned>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of_pairs<apply_pair<sum_of_values>, float, double>>);  // of two sizes
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<apply_pair<thrust::multiplies<int>>>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of_pairs<apply_pair<sum_of_references>>>);
  STATIC_REQUIRE(!reads_vectors_v<made_of_pairs<thrust::zip_function<sum_of_references>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of_pairs<gimbal::block::of_copies<apply_pair<sum_of_references>>>>);
}

template <class First, class Second>
struct make_matrix_of_pair {
  GIMBAL_HOST_DEVICE test::matrix operator()(thrust::tuple<First, Second> pair) const
  {
    return test::matrix_product{}(
      make_matrix<First>{}(thrust::get<0>(pair)), make_matrix<Second>{}(thrust::get<1>(pair)));
  }
};

TEMPLATE_TEST_CASE(
  "reduce folds what a function makes of two arrays' items", "[reduce]",
  (std::pair<float, std::int32_t>)
    GIMBAL_MORE((std::pair<std::int8_t, std::uint8_t>), (std::pair<double, std::int64_t>)))
{
  using First = typename TestType::first_type;
  using Second = typename TestType::second_type;
  using make = make_matrix_of_pair<First, Second>;
  const auto check = [](auto tuning, std::size_t n, std::size_t shift, std::size_t second_shift) {
    using chosen = typename decltype(tuning)::type;
    INFO("n = " << n << ", shifted by " << shift << " and " << second_shift);
    std::vector<First> values(n);
    std::vector<Second> seconds(n);
    test::matrix wanted{1, 0, 0, 1};
    std::int64_t wanted_sum = 3;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<First>((i * 2654435761u) >> 26 & 15);
      seconds[i] = static_cast<Second>((i * 2246822519u) >> 27 & 7);
      wanted = test::matrix_product{}(wanted, make{}({values[i], seconds[i]}));
      wanted_sum += static_cast<std::int64_t>(values[i]) + static_cast<std::int64_t>(seconds[i]);
    }
    test::device_array<First> in(values, shift);
    test::device_array<Second> second_in(seconds, second_shift);
    const auto pairs = thrust::make_zip_iterator(in.data(), second_in.data());
    const auto product = reduced<chosen, test::matrix>(
      thrust::make_transform_iterator(pairs, make{}), n, test::matrix_product{}, test::matrix{1, 0, 0, 1});
    CHECK(product == wanted);
    const auto sums = thrust::make_transform_iterator(pairs, thrust::zip_function<sum_of_values>{});
    CHECK(reduced<chosen, double>(sums, n, thrust::plus<double>{}, 3.0) == static_cast<double>(wanted_sum));
  };
  for (const std::size_t n : test::all_or_few(
         {0, 1, 3, 17, 31, 33, 63, 64, 65, 127, 128, 129, 511, 513, 2047, 2048, 2049, 30011}, {33, 2049})) {
    check(::cuda::std::type_identity<small_tuning>{}, n, 0, 0);
    check(::cuda::std::type_identity<small_tuning>{}, n, 0, 1);
    check(::cuda::std::type_identity<small_tuning>{}, n, 1, 3);
  }
  for (const std::size_t n : test::all_or_few({1, 4095, 4096, 4097, 70001, 300007}, {4097})) {
    check(::cuda::std::type_identity<void>{}, n, n % 3, n % 2);
  }
}

TEMPLATE_TEST_CASE(
  "reduce folds what a function makes of an array's items", "[reduce]",
  std::uint8_t GIMBAL_MORE(std::int16_t, std::uint32_t, double))
{
  const auto check = [](auto tuning, std::size_t n, std::size_t shift) {
    using chosen = typename decltype(tuning)::type;
    INFO("n = " << n << ", shifted by " << shift);
    std::vector<TestType> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<TestType>((i * 2654435761u) >> 25);
    }
    test::device_array<TestType> in(values, shift);
    const test::matrix one{1, 0, 0, 1};
    test::matrix wanted = one;
    for (const TestType value : values) {
      wanted = test::matrix_product{}(wanted, make_matrix<TestType>{}(value));
    }
    const auto product = [&](auto make) {
      return reduced<chosen, test::matrix>(
        thrust::make_transform_iterator(in.data(), make), n, test::matrix_product{}, one);
    };
    CHECK(product(make_matrix<TestType>{}) == wanted);
    CHECK(product(make_matrix_of_reference<TestType>{}) == wanted);
    CHECK(product(gimbal::block::of_copies<make_matrix_of_reference<TestType>>{}) == wanted);
    const auto doubled = thrust::make_transform_iterator(in.data(), twice{});
    CHECK(
      reduced<chosen, int>(doubled, n, thrust::plus<int>{}, 3)
      == std::accumulate(
        values.begin(), values.end(), 3, [](int sum, TestType x) { return sum + twice{}(static_cast<int>(x)); }));
  };
  for (const std::size_t n : {0, 1, 3, 17, 31, 33, 63, 64, 65, 127, 128, 129, 511, 513, 2047, 2048, 2049, 30011}) {
    for (const std::size_t shift : {0, 1}) {
      check(::cuda::std::type_identity<small_tuning>{}, n, shift);
    }
  }
  for (const std::size_t n : {1, 4095, 4096, 4097, 70001, 300007}) {
    check(::cuda::std::type_identity<void>{}, n, n % 3);
  }
}

/// A product that keeps the order, and a number that counts: 24 bytes.
struct counted_matrix {
  test::matrix product;
  std::uint64_t count;

  friend bool operator==(const counted_matrix& a, const counted_matrix& b)
  {
    return a.product == b.product && a.count == b.count;
  }
};
struct count_matrix {
  GIMBAL_HOST_DEVICE counted_matrix operator()(double x) const { return {make_matrix<double>{}(x), 1}; }
};
struct multiply_counted {
  GIMBAL_HOST_DEVICE counted_matrix operator()(const counted_matrix& a, const counted_matrix& b) const
  {
    return {test::matrix_product{}(a.product, b.product), a.count + b.count};
  }
};

TEST_CASE("reduce keeps the order of large operands that a function makes of an array's items", "[reduce]")
{
  const auto check = [](auto tuning, std::size_t n) {
    INFO("n = " << n);
    std::vector<double> values(n);
    counted_matrix wanted{{1, 0, 0, 1}, 0};
    const counted_matrix one = wanted;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<double>(i % 1013);
      wanted = multiply_counted{}(wanted, count_matrix{}(values[i]));
    }
    test::device_array<double> in(values, n % 2);
    const auto made = thrust::make_transform_iterator(in.data(), count_matrix{});
    const auto product = reduced<typename decltype(tuning)::type, counted_matrix>(made, n, multiply_counted{}, one);
    CHECK(product.product == wanted.product);
    CHECK(product.count == n);
  };
  for (const std::size_t n :
       {1, 127, 128, 129, 255, 256, 257, 383, 384, 385, 1791, 1792, 1793, 3584, 5376, 5377, 30011}) {
    check(::cuda::std::type_identity<small_tuning>{}, n);
  }
  for (const std::size_t n : {1, 4097, 300007}) {
    check(::cuda::std::type_identity<void>{}, n);
  }
}

struct first_byte {
  GIMBAL_HOST_DEVICE test::matrix operator()(test::bytes3 x) const { return make_matrix<int>{}(x.x); }
};
template <unsigned Words>
struct numbers {
  std::uint32_t word[Words];
};
template <unsigned Words>
struct multiply_numbers {
  GIMBAL_HOST_DEVICE counted_matrix operator()(numbers<Words> x) const
  {
    counted_matrix product{{1, 0, 0, 1}, 1};
    for (const std::uint32_t word : x.word) {
      product.product = test::matrix_product{}(product.product, make_matrix<std::uint32_t>{}(word));
    }
    return product;
  }
};

TEST_CASE("reduce folds what a function makes of items of any size", "[reduce]")
{
  const auto check = [](const auto& values, auto make, auto op, auto one) {
    using item = typename std::decay_t<decltype(values)>::value_type;
    using fold = decltype(one);
    INFO(values.size() << " items of " << sizeof(item) << " bytes");
    fold wanted = one;
    for (const item& value : values) {
      wanted = op(wanted, make(value));
    }
    for (const std::size_t shift : {0, 1}) {
      test::device_array<item> in(values, shift);
      const auto made = thrust::make_transform_iterator(in.data(), make);
      CHECK(reduced<small_tuning, fold>(made, values.size(), op, one) == wanted);
      CHECK(reduced<void, fold>(made, values.size(), op, one) == wanted);
    }
  };
  const auto check_numbers = [&](auto number, std::size_t n) {
    std::vector<decltype(number)> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (auto& word : values[i].word) {
        word = static_cast<std::uint32_t>((i + 1) * 2654435761u + (&word - values[i].word)) >> 20;
      }
    }
    const counted_matrix one{{1, 0, 0, 1}, 0};
    check(values, multiply_numbers<sizeof(number) / 4>{}, multiply_counted{}, one);
  };
  for (const std::size_t n : {1, 3, 33, 127, 128, 129, 700, 20011}) {
    check(test::random_values<test::bytes3>(n, n), first_byte{}, test::matrix_product{}, test::matrix{1, 0, 0, 1});
    check_numbers(numbers<3>{}, n);
    check_numbers(numbers<4>{}, n);
    check_numbers(numbers<6>{}, n);
    check_numbers(numbers<8>{}, n);
    check_numbers(numbers<5>{}, n);
  }
  STATIC_REQUIRE(reads_vectors_v<made_of<multiply_numbers<3>, numbers<3>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<multiply_numbers<8>, numbers<8>>>);
  STATIC_REQUIRE(reads_vectors_v<made_of<first_byte, test::bytes3>>);
  STATIC_REQUIRE(reads_vectors_v<const test::bytes3*>);
  STATIC_REQUIRE(!reads_vectors_v<made_of<multiply_numbers<5>, numbers<5>>>);
}

TEST_CASE("reduce gives a function that takes references the items themselves", "[reduce]")
{
  for (const index_type n : {1, 1000, 70001}) {
    test::device_array<std::uint16_t> in(std::vector<std::uint16_t>(n, 7), 1);
    const auto numbers = thrust::make_transform_iterator(in.data(), number_of{in.data()});
    CHECK(reduced<void, index_type>(numbers, n, thrust::plus<index_type>{}, index_type{0}) == n * (n - 1) / 2);
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
      return gimbal::kernel::find_if<small_tuning>(
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

TEST_CASE("reduce takes no storage of the call's", "[reduce]")
{
  test::device_array<int> in(std::vector<int>(5000, 1));
  test::device_array<int> out(1);
  std::size_t bytes = 1;
  test::device_array<unsigned char> storage(1);
  gimbal::status state = gimbal::kernel::reduce<small_tuning>(
    storage.data(), bytes, in.data(), index_type{5000}, out.data(), thrust::plus<int>{}, 0, 0);
  CHECK(state.code == gimbal::simt::success);
  CHECK(out.to_host()[0] == 5000);
}

TEST_CASE("reductions that follow one another find the counter at zero", "[reduce]")
{
  test::device_array<int> in(std::vector<int>(5000, 1));
  test::device_array<int> out(1);
  for (int turn = 0; turn < 4; ++turn) {
    const index_type n = turn % 2 == 0 ? 5000 : 700;  // other numbers of blocks
    test::run([&](void* storage, std::size_t& bytes) {
      return gimbal::kernel::reduce<small_tuning>(storage, bytes, in.data(), n, out.data(), thrust::plus<int>{}, 3, 0);
    });
    CHECK(out.to_host()[0] == n + 3);
  }
}
