// Tests reduce of what a function makes of an array's items, or of two arrays': which of them are read by vectors, and
// the results.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <numeric>

#include "reduce_checks.h"

namespace {

using gimbal::index_type;
using test::reduced;
using test::small_tuning;

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

}  // namespace
