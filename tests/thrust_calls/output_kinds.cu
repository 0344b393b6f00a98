// Tests outputs that make something of what they are given: the value is what the function or the input gives, not that
// of the output's base array, and nothing depends on the output's type. Every call that writes through an iterator and
// is not Thrust's is made with each kind of output that CCCL has.
#include <gimbal/argsort.h>
#include <gimbal/radix_sort.h>
#include <gimbal/scan_vector.h>
#include <gimbal/segmented_scan.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#if THRUST_VERSION >= 300200
#include <cuda/iterator>
#endif

#include "support.h"
#include "thrust_support.h"

namespace output_kinds_test {

namespace v = gimbal::vectors;
using gimbal::index_type;
using gimbal::par;

/// What stands beneath the outputs: a byte, which holds neither halves nor the counts that occur, and of each value
/// another.
using byte = unsigned char;
struct coarse {
  GIMBAL_HOST_DEVICE byte operator()(double x) const { return static_cast<byte>(static_cast<long long>(x * 2) % 251); }
};
struct fine {
  GIMBAL_HOST_DEVICE double operator()(byte x) const { return x / 2.0; }
};
struct put_coarse {
  byte* out;
  GIMBAL_HOST_DEVICE void operator()(index_type i, double x) const { out[i] = coarse{}(x); }
};

/// An output as a user may write it: it names no value, and its references take numbers.
class coarse_places {
public:
  class reference {
  public:
    GIMBAL_HOST_DEVICE explicit reference(byte* out) : out_(out) {}
    GIMBAL_HOST_DEVICE const reference& operator=(double x) const
    {
      *out_ = coarse{}(x);
      return *this;
    }

  private:
    byte* out_;
  };
  using value_type = void;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  coarse_places() = default;
  GIMBAL_HOST_DEVICE explicit coarse_places(byte* out) : out_(out) {}
  GIMBAL_HOST_DEVICE reference operator*() const { return reference(out_); }
  GIMBAL_HOST_DEVICE reference operator[](difference_type i) const { return reference(out_ + i); }
  GIMBAL_HOST_DEVICE coarse_places& operator+=(difference_type i)
  {
    out_ += i;
    return *this;
  }
  friend GIMBAL_HOST_DEVICE coarse_places operator+(coarse_places it, difference_type i) { return it += i; }
  friend GIMBAL_HOST_DEVICE coarse_places operator-(coarse_places it, difference_type i) { return it += -i; }
  friend GIMBAL_HOST_DEVICE difference_type operator-(coarse_places a, coarse_places b) { return a.out_ - b.out_; }
  friend GIMBAL_HOST_DEVICE bool operator==(coarse_places a, coarse_places b) { return a.out_ == b.out_; }
  friend GIMBAL_HOST_DEVICE bool operator!=(coarse_places a, coarse_places b) { return a.out_ != b.out_; }
  friend GIMBAL_HOST_DEVICE bool operator<(coarse_places a, coarse_places b) { return a.out_ < b.out_; }

private:
  byte* out_ = nullptr;
};

// Each kind: an output over bytes.
struct transformed {
  static auto over(byte* out) { return thrust::make_transform_output_iterator(out, coarse{}); }
};
struct written_by_user {
  static auto over(byte* out) { return coarse_places(out); }
};
struct read_and_transformed {
  static auto over(byte* out) { return thrust::make_transform_input_output_iterator(out, fine{}, coarse{}); }
};
struct in_other_order {
  static auto over(byte* out)
  {
    return thrust::make_permutation_iterator(
      thrust::make_transform_output_iterator(out, coarse{}), thrust::counting_iterator<int>(0));
  }
};
#if THRUST_VERSION >= 300000
struct tabulated {
  static auto over(byte* out) { return thrust::make_tabulate_output_iterator(put_coarse{out}); }
};
#else
using tabulated = written_by_user;
#endif
#if THRUST_VERSION >= 300200
struct transformed_by_cuda {
  static auto over(byte* out) { return ::cuda::transform_output_iterator{out, coarse{}}; }
};
struct tabulated_by_cuda {
  static auto over(byte* out) { return ::cuda::tabulate_output_iterator{put_coarse{out}}; }
};
struct read_and_transformed_by_cuda {
  static auto over(byte* out) { return ::cuda::transform_input_output_iterator{out, fine{}, coarse{}}; }
};
#define OUTPUT_KINDS transformed_by_cuda, tabulated_by_cuda, read_and_transformed_by_cuda
#else
#define OUTPUT_KINDS transformed, tabulated GIMBAL_MORE(written_by_user, read_and_transformed, in_other_order)
#endif

constexpr int n = 1000;

struct halved {
  GIMBAL_HOST_DEVICE double operator()(int x) const { return x * 0.5; }
};
struct mean {
  GIMBAL_HOST_DEVICE double operator()(int x, float y) const { return (x + y) * 0.5; }
};
struct mean_of_three {
  GIMBAL_HOST_DEVICE double operator()(int x, float y, long long z) const
  {
    return (x + y + static_cast<double>(z)) * 0.5;
  }
};
struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct greater {
  GIMBAL_HOST_DEVICE bool operator()(float l, float r) const { return l > r; }
};
struct itself {
  GIMBAL_HOST_DEVICE double operator()(double x) const { return x; }
};
struct halved_and_doubled {
  GIMBAL_HOST_DEVICE thrust::tuple<double, int> operator()(int x) const { return {x * 0.5, 2 * x}; }
};
struct half_place {
  GIMBAL_HOST_DEVICE double operator()(index_type segment, index_type place) const
  {
    return static_cast<double>(segment) + static_cast<double>(place) * 0.5;
  }
};

struct arrays {
  thrust::device_vector<int> x = made<int>([](int i) { return i * 7 % 331; });
  thrust::device_vector<float> halves = made<float>([](int i) { return static_cast<float>(i % 97) * 0.5f; });
  thrust::device_vector<long long> large = made<long long>([](int i) { return 3000LL + i % 13; });
  thrust::device_vector<bool> flags = made<bool>([](int i) { return i % 5 != 0; });
  thrust::device_vector<bool> heads = made<bool>([](int i) { return i == 0 || i == 400 || i == 401; });
  thrust::device_vector<int> offsets = std::vector<int>{0, 400, 401};
  thrust::device_vector<int> places = made<int>([](int i) { return i * 3 % n; });
  thrust::device_vector<int> in_segment = made<int>([](int i) { return i < 400 ? 399 - i : i == 400 ? 0 : n - 1 - i; });

  template <class T, class F>
  static std::vector<T> made(F f)
  {
    std::vector<T> all(n);
    for (int i = 0; i < n; ++i) {
      all[static_cast<std::size_t>(i)] = f(i);
    }
    return all;
  }
  auto by_offsets() const { return gimbal::segment_offsets(offsets.begin(), offsets.end()); }
};

/// `call` once with an array of double, which holds all that it is given, and once with the kind of output: must be the
/// same.
template <class Kind, class Call>
void check(const char* name, Call call)
{
  INFO(name);
  thrust::device_vector<double> wanted(n, 0.0);
  call(wanted.begin());
  thrust::device_vector<byte> got(n, coarse{}(0.0));
  call(Kind::over(thrust::raw_pointer_cast(got.data())));
  std::vector<byte> coarse_wanted;
  for (const double x : test::to_host(wanted)) {
    coarse_wanted.push_back(coarse{}(x));
  }
  test::require_equal(test::to_host(got), coarse_wanted);
  call(thrust::make_discard_iterator());
}

TEMPLATE_TEST_CASE("outputs of calls that make each item by itself", "", OUTPUT_KINDS)
{
  const arrays a;
  const auto x = a.x.begin();
  const auto made = [](const char* name, auto call) { check<TestType>(name, call); };
  made("map", [=](auto out) { v::map(par, x, x + n, out, halved{}); });
  made("map of two", [&](auto out) { v::map(par, x, x + n, a.halves.begin(), out, mean{}); });
  made(
    "map of three", [&](auto out) { v::map(par, x, x + n, a.halves.begin(), a.large.begin(), out, mean_of_three{}); });
  made("copy", [](auto out) { v::copy(par, out, out + n, 120.5); });
  made("permute", [&](auto out) { v::permute(par, a.halves.begin(), a.halves.end(), a.places.begin(), out); });
  made("permute in segments", [&](auto out) {
    v::permute(par, a.halves.begin(), a.halves.end(), a.in_segment.begin(), a.heads.begin(), out);
  });
  made(
    "back_permute", [&](auto out) { v::back_permute(par, a.places.begin(), a.places.end(), a.halves.begin(), out); });
  made("back_permute in segments", [&](auto out) {
    v::back_permute(par, a.in_segment.begin(), a.in_segment.end(), a.halves.begin(), a.by_offsets(), out);
  });
  made("select", [&](auto out) {
    v::select(par, a.flags.begin(), a.flags.end(), a.halves.begin(), a.large.begin(), out);
  });
  made("select of one type", [&](auto out) {
    v::select(par, a.flags.begin(), a.flags.end(), a.halves.begin(), a.halves.begin() + 0, out);
  });
  made("shift", [=](auto out) { v::shift(par, x, x + n, out, 3, 0.5); });
  made("shift in segments", [&](auto out) { v::shift(par, x, x + n, a.heads.begin(), out, -3, 0.5); });
}

TEMPLATE_TEST_CASE("outputs of counts", "", OUTPUT_KINDS)
{
  const arrays a;
  const auto made = [](const char* name, auto call) { check<TestType>(name, call); };
  thrust::device_vector<int> total(1);
  made("enumerate", [&](auto out) { v::enumerate(par, a.flags.begin(), a.flags.end(), out); });
  made("enumerate with a total", [&](auto out) {
    CHECK(v::enumerate(par, a.flags.begin(), a.flags.end(), v::with_total(out)) == 800);
  });
  made(
    "enumerate in segments", [&](auto out) { v::enumerate(par, a.flags.begin(), a.flags.end(), a.by_offsets(), out); });
  made("allocate", [&](auto out) { v::allocate(par, a.x.begin(), a.x.end(), out); });
  made("allocate with a total", [&](auto out) {
    v::allocate(par, a.x.begin(), a.x.end(), v::with_total(out, total.begin()));
  });
  made("expand", [&](auto out) { v::expand(par, a.by_offsets(), out, out + n); });
  made("expand by a function", [&](auto out) { v::expand(par, a.by_offsets(), out, out + n, half_place{}); });
  made("head_flags", [&](auto out) { v::head_flags(par, a.by_offsets(), out, out + n); });
  thrust::device_vector<int> kept(n);
  made("lengths of pack", [&](auto out) {
    v::pack(par, a.x.begin(), a.x.end(), a.flags.begin(), a.heads.begin(), kept.begin(), out);
  });
  made("argsort", [&](auto out) { gimbal::argsort(par, a.x.begin(), a.x.end(), out); });
  made("argsort by a comparison", [&](auto out) {
    gimbal::argsort(par, a.halves.begin(), a.halves.end(), out, greater{});
  });
}

TEMPLATE_TEST_CASE("outputs of calls that move", "", OUTPUT_KINDS)
{
  const arrays a;
  const auto first = a.halves.begin();
  const auto last = a.halves.end();
  const auto made = [](const char* name, auto call) { check<TestType>(name, call); };
  made("split", [&](auto out) { v::split(par, first, last, a.flags.begin(), out); });
  made("split_if", [&](auto out) { v::split_if(par, a.x.begin(), a.x.end(), out, is_odd{}); });
  made("split in segments", [&](auto out) { v::split(par, first, last, a.flags.begin(), a.heads.begin(), out); });
  made("unsplit", [&](auto out) { v::unsplit(par, a.flags.begin(), a.flags.end(), a.by_offsets(), first, out); });
  made("flag_merge", [&](auto out) { v::flag_merge(par, a.flags.begin(), a.flags.end(), a.x.begin(), first, out); });
  made("pack", [&](auto out) { v::pack(par, first, last, a.flags.begin(), out); });
  thrust::device_vector<int> number(1);
  made("pack with a total", [&](auto out) {
    v::pack(par, first, last, a.flags.begin(), v::with_total(out, number.begin()));
  });
  made("copy of heads", [&](auto out) { v::copy(par, first, last, a.by_offsets(), out); });
  made("copy of flagged heads", [&](auto out) { v::copy(par, first, last, a.heads.begin(), out); });
}

TEMPLATE_TEST_CASE("outputs of scans and reductions", "", OUTPUT_KINDS)
{
  const arrays a;
  const auto first = a.halves.begin();
  const auto last = a.halves.end();
  const auto sum = v::plus<double>();
  const auto made = [](const char* name, auto call) { check<TestType>(name, call); };
  thrust::device_vector<double> sums(n);
  made("scan", [&](auto out) { v::scan(par, first, last, out, sum); });
  made("inclusive_scan with a total", [&](auto out) { v::inclusive_scan(par, first, last, v::with_total(out), sum); });
  made("scan to a total", [&](auto out) { v::scan(par, first, last, v::with_total(sums.begin(), out), sum); });
  made("scan of segments", [&](auto out) { v::scan(par, first, last, a.heads.begin(), out, sum); });
  made("totals of segments", [&](auto out) {
    v::inclusive_scan(par, first, last, a.by_offsets(), gimbal::with_totals(sums.begin(), out), sum);
  });
  made("back_scan", [&](auto out) { v::back_scan(par, first, last, out, sum); });
  made("inclusive_back_scan of segments", [&](auto out) {
    v::inclusive_back_scan(par, first, last, a.by_offsets(), out, sum);
  });
  made("reduce", [&](auto out) { v::reduce(par, first, last, out, sum); });
  made("reduce of segments", [&](auto out) { v::reduce(par, first, last, a.by_offsets(), out, sum); });
  made("distribute", [&](auto out) { v::distribute(par, first, last, out, sum); });
  made("distribute in segments", [&](auto out) { v::distribute(par, first, last, a.by_offsets(), out, sum); });
  made("inclusive_segmented_scan", [&](auto out) {
    gimbal::inclusive_segmented_scan(par, first, last, a.heads.begin(), out);
  });
  made("exclusive_segmented_scan", [&](auto out) {
    gimbal::exclusive_segmented_scan(par, first, last, a.by_offsets(), out, 0.5);
  });
}

TEST_CASE("radix_sort of what is read and written through functions")
{
  const auto keys = arrays::made<byte>([](int i) { return static_cast<byte>(i * 37 % 251); });
  thrust::device_vector<byte> x = keys;
  const auto first = thrust::make_transform_input_output_iterator(x.begin(), fine{}, coarse{});
  gimbal::radix_sort(par, first, first + n, itself{});
  std::vector<byte> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  test::require_equal(test::to_host(x), wanted);
}

TEST_CASE("outputs take what a function returns whatever its type")
{
  const arrays a;
  thrust::device_vector<double> lower(n);
  thrust::device_vector<int> upper(n);
  const auto pairs = thrust::make_zip_iterator(lower.begin(), upper.begin());
  v::map(par, a.x.begin(), a.x.end(), pairs, halved_and_doubled{});
  CHECK(lower[7] == 24.5);
  CHECK(upper[7] == 98);
}

}  // namespace output_kinds_test
