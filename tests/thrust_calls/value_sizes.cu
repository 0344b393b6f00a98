// Tests values of every size through the calls that lay tiles out by it: that their shapes fit into shared memory, and
// the results of some sizes. Sizes that have kernels of their own elsewhere are tested there.
#include <thrust/copy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/unique.h>

#include "thrust_support.h"

namespace {

using gimbal::index_type;

/// Of words where there is a whole number of them, else of bytes, which compile slowly.
template <std::size_t Bytes>
struct value_of {
  using unit = std::conditional_t<Bytes % 4 == 0, std::uint32_t, std::uint8_t>;
  static constexpr unsigned units = Bytes / sizeof(unit);
  unit part[units];

  [[maybe_unused]] friend bool operator==(const value_of& a, const value_of& b)
  {
    return std::equal(a.part, a.part + units, b.part);
  }
};

struct is_odd {
  template <class Value>
  GIMBAL_HOST_DEVICE bool operator()(const Value& value) const
  {
    return (value.part[0] & 1) != 0;
  }
};
struct begin_alike {
  template <class Value>
  GIMBAL_HOST_DEVICE bool operator()(const Value& a, const Value& b) const
  {
    return a.part[0] % 256 / 64 == b.part[0] % 256 / 64;
  }
};
/// Keeps the order: composes maps x -> (2 * a + 1) * x + b, two units each; what is left over is the last one's.
struct compose {
  template <std::size_t Bytes>
  GIMBAL_HOST_DEVICE value_of<Bytes> operator()(const value_of<Bytes>& f, const value_of<Bytes>& g) const
  {
    using unit = typename value_of<Bytes>::unit;
    value_of<Bytes> both = g;
    for (unsigned i = 0; i + 1 < value_of<Bytes>::units; i += 2) {
      both.part[i] = static_cast<unit>(2 * f.part[i] * g.part[i] + f.part[i] + g.part[i]);
      both.part[i + 1] = static_cast<unit>(f.part[i + 1] * (2 * g.part[i] + 1) + g.part[i + 1]);
    }
    return both;
  }
};

// ---- shapes

constexpr std::size_t most_bytes = gimbal::simt::largest_shared_bytes;

template <class InputIt, class Selector, class RejectedIt>
constexpr bool select_fits()
{
  using namespace gimbal::algorithm;
  using ::cuda::std::declval;
  using value = gimbal::value_type_of<InputIt>;
  using row = decltype(persistent_select_row(
    declval<InputIt>(), 0, declval<Selector>(), declval<value*>(), detail::rejected_of(declval<RejectedIt>()),
    declval<index_type*>()));
  if constexpr (!::cuda::std::is_same<row, gimbal::no_row>::value) {
    using kernel = typename row::kernel_type;
    constexpr unsigned blocks = GIMBAL_GPU ? kernel::resident_blocks : 1;  // the host's barriers take more
    return sizeof(typename kernel::shared) <= most_bytes / blocks;
  }
  return true;
}

template <class Tuning, class Key, std::size_t Bytes>
constexpr bool runs_fit_as()
{
  using namespace gimbal::algorithm;
  using value = value_of<Bytes>;
  using sums = persistent_runs_policy<
    Tuning, Key*, Key*, folded_run_values<value*, value*, compose>, index_type*, thrust::equal_to<Key>>;
  using firsts =
    persistent_runs_policy<Tuning, Key*, Key*, first_run_values<value*, value*>, index_type*, thrust::equal_to<Key>>;
  bool fit = true;
  if constexpr (sums::is_possible) {
    fit = fit && sizeof(typename sums::shared) <= most_bytes;
  }
  if constexpr (firsts::is_possible) {
    fit = fit && sizeof(typename firsts::shared) <= most_bytes;
  }
  return fit;
}

template <class Key, std::size_t Bytes>
constexpr bool runs_fit()
{
  return runs_fit_as<gimbal::tuning::persistent_runs<sizeof(Key), Bytes>, Key, Bytes>()
         && runs_fit_as<gimbal::tuning::persistent_few_runs<sizeof(Key), Bytes>, Key, Bytes>();
}

template <std::size_t Bytes>
constexpr bool shapes_fit()
{
  using namespace gimbal::algorithm;
  using value = value_of<Bytes>;
  using loaded = thrust::transform_iterator<test::same, const value*, value, value>;
  using by_flag = select_if_stencil<const unsigned char*, test::same>;
  using by_number = select_if_stencil<const double*, test::same>;
  bool fit = select_fits<value*, select_if<is_odd>, discard_rejected>()
             && select_fits<value*, select_if<is_odd>, value*>() && select_fits<value*, by_flag, discard_rejected>()
             && select_fits<value*, by_flag, value*>() && select_fits<value*, by_number, discard_rejected>()
             && select_fits<value*, by_number, value*>() && select_fits<loaded, select_if<is_odd>, discard_rejected>()
             && select_fits<loaded, by_flag, value*>();
  using runs = persistent_runs_policy<
    gimbal::tuning::persistent_runs<Bytes, 0>, value*, value*, no_run_values, index_type*, begin_alike>;
  if constexpr (runs::is_possible) {
    fit = fit && sizeof(typename runs::shared) <= most_bytes;
  }
  return fit && runs_fit<unsigned char, Bytes>() && runs_fit<int, Bytes>() && runs_fit<double, Bytes>();
}

template <std::size_t... Less>
constexpr bool all_shapes_fit(std::index_sequence<Less...>)
{
  return (shapes_fit<Less + 1>() && ...);
}

TEST_CASE("tiles of values of every size fit into shared memory")
{
  // While compiling, so that a build for a GPU, whose shapes are other ones, shows it without one.
  STATIC_REQUIRE(all_shapes_fit(std::make_index_sequence<gimbal::simt::largest_value_bytes>{}));
}

// ---- results

template <class Value>
std::vector<Value> some_values(std::size_t n)
{
  std::vector<Value> values(n);
  std::uint32_t state = 12345;
  for (Value& value : values) {
    for (auto& part : value.part) {
      state = state * 1664525u + 1013904223u;
      part = static_cast<typename Value::unit>(state >> 8);
    }
  }
  return values;
}

std::vector<int> some_keys(std::size_t n)
{
  std::vector<int> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(i / 7 * 31 + i / 40);
  }
  return keys;
}

template <class Value>
bool begins_with(const thrust::device_vector<Value>& found, const std::vector<Value>& wanted, std::size_t count)
{
  const std::vector<Value> all = test::to_host(found);
  return count == wanted.size() && std::equal(wanted.begin(), wanted.end(), all.begin());
}

TEMPLATE_TEST_CASE_SIG("calls with values of any size", "", ((std::size_t Bytes), Bytes), 9 GIMBAL_MORE(36, 64, 128))
{
  using value = value_of<Bytes>;
  const std::size_t n =
    GENERATE(std::size_t{40009}, std::size_t{GIMBAL_GPU ? 150001 : 20011});  // on a GPU, few and many runs
  CAPTURE(n);
  const std::vector<value> values = some_values<value>(n);
  const thrust::device_vector<value> in = test::to_device(values);
  thrust::device_vector<value> out(n);
  thrust::device_vector<value> rejected(n);

  std::vector<value> odd, even;
  std::partition_copy(values.begin(), values.end(), std::back_inserter(odd), std::back_inserter(even), is_odd{});
  const auto copied = thrust::copy_if(gimbal::par, in.begin(), in.end(), out.begin(), is_odd{});
  CHECK(begins_with(out, odd, copied - out.begin()));
  const auto made = thrust::make_transform_iterator(in.begin(), test::same{});
  const auto made_end = thrust::copy_if(gimbal::par, made, made + n, out.begin(), is_odd{});
  CHECK(begins_with(out, odd, made_end - out.begin()));
  std::vector<unsigned char> flags(n);
  std::transform(values.begin(), values.end(), flags.begin(), is_odd{});
  const thrust::device_vector<unsigned char> flag_in = test::to_device(flags);
  const auto by_flag = thrust::copy_if(gimbal::par, in.begin(), in.end(), flag_in.begin(), out.begin(), test::same{});
  CHECK(begins_with(out, odd, by_flag - out.begin()));
  const auto ends = thrust::partition_copy(gimbal::par, in.begin(), in.end(), out.begin(), rejected.begin(), is_odd{});
  CHECK(begins_with(out, odd, ends.first - out.begin()));
  CHECK(begins_with(rejected, even, ends.second - rejected.begin()));
  out = in;
  const auto middle = thrust::stable_partition(gimbal::par, out.begin(), out.end(), is_odd{});
  std::vector<value> both = odd;
  both.insert(both.end(), even.begin(), even.end());
  CHECK(static_cast<std::size_t>(middle - out.begin()) == odd.size());
  CHECK(begins_with(out, both, n));

  std::vector<value> differing;
  std::unique_copy(values.begin(), values.end(), std::back_inserter(differing), begin_alike{});
  const auto unique = thrust::unique_copy(gimbal::par, in.begin(), in.end(), out.begin(), begin_alike{});
  CHECK(begins_with(out, differing, unique - out.begin()));

  std::vector<value> scanned(n);
  std::partial_sum(values.begin(), values.end(), scanned.begin(), compose{});
  thrust::inclusive_scan(gimbal::par, in.begin(), in.end(), out.begin(), compose{});
  CHECK(begins_with(out, scanned, n));
  CHECK(thrust::reduce(gimbal::par, in.begin() + 1, in.end(), values[0], compose{}) == scanned[n - 1]);

  const std::vector<int> keys = some_keys(n);
  const thrust::device_vector<int> key_in = test::to_device(keys);
  thrust::device_vector<int> key_out(n);
  std::vector<value> folded;
  std::vector<value> first_values;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      folded.push_back(values[i]);
      first_values.push_back(values[i]);
    } else {
      folded.back() = compose{}(folded.back(), values[i]);
    }
    scanned[i] = folded.back();
  }
  const auto runs = thrust::reduce_by_key(
    gimbal::par, key_in.begin(), key_in.end(), in.begin(), key_out.begin(), out.begin(), thrust::equal_to<int>{},
    compose{});
  CHECK(begins_with(out, folded, runs.second - out.begin()));
  const auto firsts =
    thrust::unique_by_key_copy(gimbal::par, key_in.begin(), key_in.end(), in.begin(), key_out.begin(), out.begin());
  CHECK(begins_with(out, first_values, firsts.second - out.begin()));
  thrust::device_vector<int> keys_in_place = key_in;
  out = in;
  const auto kept = thrust::unique_by_key(gimbal::par, keys_in_place.begin(), keys_in_place.end(), out.begin());
  CHECK(begins_with(out, first_values, kept.second - out.begin()));
  out = in;
  const auto unique_end = thrust::unique(gimbal::par, out.begin(), out.end(), begin_alike{});
  CHECK(begins_with(out, differing, unique_end - out.begin()));
  thrust::inclusive_scan_by_key(
    gimbal::par, key_in.begin(), key_in.end(), in.begin(), out.begin(), thrust::equal_to<int>{}, compose{});
  CHECK(begins_with(out, scanned, n));
}

}  // namespace
