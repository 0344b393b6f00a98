// Makes randomised Thrust calls, each beside the same call run sequentially on the host: algorithm, size, kind of
// input, where arrays begin, what they hold; on a GPU also the stream, on the host executor how many blocks run and in
// which order. It finds cases that nobody thought of. In the environment, GIMBAL_RANDOMISED_CALLS is the number of
// calls of each type, GIMBAL_RANDOMISED_FROM the first seed.
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "thrust_support.h"

#if GIMBAL_GPU
#include "gpu/gpu_stream.h"
#endif

namespace randomised_calls {

using key = std::uint32_t;

struct equal_keys {
  GIMBAL_HOST_DEVICE bool operator()(key l, key r) const { return l == r; }
};

template <class T>
GIMBAL_HOST_DEVICE std::uint32_t hash(const T& item)
{
  unsigned char bytes[sizeof(T)];
  memcpy(bytes, &item, sizeof(T));
  std::uint32_t mixed = 2166136261u;
  for (const unsigned char byte : bytes) {
    mixed = (mixed ^ byte) * 16777619u;
  }
  return mixed ^ mixed >> 15;
}

/// By what they hash to, so that every type has an order.
struct less {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& l, const T& r) const
  {
    return hash(l) < hash(r);
  }
};

struct chosen {
  unsigned percent;
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& item) const
  {
    return hash(item) % 100 < percent;
  }
};

/// Of numbers the sum, of structs what does not commute.
struct combine {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& l, const T& r) const
  {
    if constexpr (std::is_same_v<T, test::matrix>) {
      return test::matrix_product{}(l, r);
    } else if constexpr (std::is_same_v<T, test::bytes3>) {
      return {l.x, r.y, static_cast<unsigned char>(l.z + r.z)};
    } else {
      return static_cast<T>(l + r);
    }
  }
};

/// An array for the call under test, some places behind where aligned memory begins, between items that it must not
/// touch.
template <class T>
class guarded_array {
public:
  guarded_array(const std::vector<T>& items, std::size_t shift)
      : n_(items.size()), memory_(shift + n_ + guard, 0), shift_(shift)
  {
    test::raw_copy(begin(), items.data(), n_ * sizeof(T));
  }
  T* begin() { return memory_.data() + shift_; }

  /// The items, and whether those around them are as they were.
  std::vector<T> items(bool& is_intact)
  {
    const std::vector<T> all = memory_.to_host();
    const auto is_poison = [](const T& item) {
      unsigned char poison[sizeof(T)];
      std::memset(poison, 0xcd, sizeof(T));
      return std::memcmp(&item, poison, sizeof(T)) == 0;
    };
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(shift_);
    const auto last = first + static_cast<std::ptrdiff_t>(n_);
    is_intact = is_intact && std::all_of(all.begin(), first, is_poison) && std::all_of(last, all.end(), is_poison);
    return std::vector<T>(first, last);
  }

private:
  static constexpr std::size_t guard = 40;
  std::size_t n_;
  test::device_array<T> memory_;
  std::size_t shift_;
};

template <class T>
struct random_input {
  std::vector<T> items;
  std::vector<key> keys;
  std::vector<std::uint32_t> places;
  T init;
  chosen choice;
};

/// What a call reads and writes.
template <class T>
struct arguments {
  const T* items;
  const key* keys;
  const std::uint32_t* places;
  T* first;
  T* second;
  key* out_keys;
  std::ptrdiff_t n;
  T init;
  chosen choice;
};

/// What a call returns, and how many items of what it wrote mean anything.
template <class T>
struct returned {
  std::vector<std::ptrdiff_t> counts{};
  std::vector<T> totals{};
  std::ptrdiff_t first_items;
  std::ptrdiff_t key_items;

  void count(std::ptrdiff_t n) { counts.push_back(n); }
  friend bool operator==(const returned& l, const returned& r)
  {
    return l.counts == r.counts && l.totals == r.totals && l.first_items == r.first_items && l.key_items == r.key_items;
  }
};

constexpr unsigned calls_of_inputs = 14;
constexpr unsigned calls_in_place = 12;

/// A call that reads its items from `in`.
template <class T, class Policy, class In>
void call_with(unsigned call, const Policy& policy, In in, const arguments<T>& of, returned<T>& back)
{
  const auto end = in + of.n;
  const key* const keys = of.keys;
  const key* const keys_end = of.keys + of.n;
  switch (call) {
    case 0:
      return back.count(thrust::inclusive_scan(policy, in, end, of.first, combine{}) - of.first);
    case 1:
      return back.count(thrust::exclusive_scan(policy, in, end, of.first, of.init, combine{}) - of.first);
    case 2:
      thrust::inclusive_scan_by_key(policy, keys, keys_end, in, of.first, equal_keys{}, combine{});
      return;
    case 3:
      thrust::exclusive_scan_by_key(policy, keys, keys_end, in, of.first, of.init, equal_keys{}, combine{});
      return;
    case 4:
      return back.totals.push_back(thrust::reduce(policy, in, end, of.init, combine{}));
    case 5: {
      const auto ends =
        thrust::reduce_by_key(policy, keys, keys_end, in, of.out_keys, of.first, equal_keys{}, combine{});
      back.count(ends.first - of.out_keys);
      return back.count(ends.second - of.first);
    }
    case 6:
      return back.count(thrust::copy_if(policy, in, end, of.first, of.choice) - of.first);
    case 7:
      return back.count(thrust::copy_if(policy, in, end, keys, of.first, of.choice) - of.first);
    case 8: {
      const auto ends = thrust::stable_partition_copy(policy, in, end, of.first, of.second, of.choice);
      back.count(ends.first - of.first);
      return back.count(ends.second - of.second);
    }
    case 9:
      back.count(thrust::unique_count(policy, in, end));
      return back.count(thrust::unique_copy(policy, in, end, of.first) - of.first);
    case 10: {
      const auto ends = thrust::unique_by_key_copy(policy, keys, keys_end, in, of.out_keys, of.first);
      back.count(ends.first - of.out_keys);
      return back.count(ends.second - of.first);
    }
    case 11:
      back.count(thrust::count_if(policy, in, end, of.choice));
      back.count(thrust::min_element(policy, in, end, less{}) - in);
      return back.count(thrust::max_element(policy, in, end, less{}) - in);
    case 12:
      back.count(thrust::find_if(policy, in, end, of.choice) - in);
      back.count(thrust::partition_point(policy, in, end, of.choice) - in);
      return back.count(thrust::is_sorted_until(policy, in, end, less{}) - in);
    default: {
      const auto pairs = thrust::make_zip_iterator(in, keys);
      const auto out_pairs = thrust::make_zip_iterator(of.first, of.out_keys);
      return back.count(thrust::copy_if(policy, pairs, pairs + of.n, keys, out_pairs, of.choice) - out_pairs);
    }
  }
}

/// A call that overwrites the items, which stand in `first`, or the keys in `out_keys`. Behind the end that it returns
/// anything may stand.
template <class T, class Policy>
void call_in_place(unsigned call, const Policy& policy, const arguments<T>& of, returned<T>& back)
{
  T* const first = of.first;
  T* const last = first + of.n;
  key* const keys_end = of.out_keys + of.n;
  const auto shrink = [&](const T* end) { back.first_items = end - first; };
  switch (call) {
    case 0:
      thrust::exclusive_scan(policy, first, last, first, of.init, combine{});
      return;
    case 1:
      thrust::inclusive_scan_by_key(policy, of.keys, of.keys + of.n, first, first, equal_keys{}, combine{});
      return;
    case 2:
      return shrink(thrust::remove_if(policy, first, last, of.choice));
    case 3:
      return shrink(thrust::remove_if(policy, first, last, of.keys, of.choice));
    case 4:
      return back.count(thrust::stable_partition(policy, first, last, of.choice) - first);
    case 5:
      return back.count(thrust::stable_partition(policy, first, last, of.keys, of.choice) - first);
    case 6:
      return shrink(thrust::unique(policy, first, last));
    case 7: {
      const auto ends = thrust::unique_by_key(policy, of.out_keys, keys_end, first);
      back.key_items = ends.first - of.out_keys;
      return shrink(ends.second);
    }
    case 8:
      thrust::stable_sort(policy, first, last, less{});
      return;
    case 9:
      thrust::stable_sort_by_key(policy, of.out_keys, keys_end, first);
      return;
    case 10:
      if constexpr (std::is_arithmetic_v<T>) {
        thrust::sort(policy, first, last, thrust::greater<T>{});
      } else {
        thrust::sort(policy, of.out_keys, keys_end);
      }
      return;
    default:
      thrust::stable_sort_by_key(policy, first, last, of.out_keys, less{});
      return;
  }
}

/// Items and keys in runs, of few or of many values.
template <class T>
random_input<T> make_random_input(std::mt19937_64& random, std::size_t n)
{
  const auto up_to = [&](std::size_t most) {
    return 1 + random() % most;
  };  // random numbers are taken in an order that C++ defines
  constexpr unsigned percents[] = {0, 3, 50, 97, 100};
  random_input<T> input{{}, {}, {}, test::random_value<T>(random), {percents[random() % 5]}};
  const std::size_t distinct = up_to(random() % 2 == 0 ? 4 : 1000);
  const std::vector<T> values = test::random_values<T>(distinct, random());
  const std::size_t run = up_to(random() % 3 == 0 ? 300 : 4);
  const key most_keys = random() % 2 == 0 ? 3 : ~0u;
  T item = values[0];
  key of_run = 0;
  for (std::size_t i = 0; i < n; ++i) {
    item = random() % run == 0 ? values[random() % values.size()] : item;
    of_run = random() % run == 0 ? static_cast<key>(random() % most_keys) : of_run;
    input.items.push_back(item);
    input.keys.push_back(of_run);
    input.places.push_back(static_cast<std::uint32_t>(random() % n));
  }
  return input;
}

/// `run(in)` with one of several kinds of iterators over the items.
template <class T, class Run>
void with_iterator(unsigned kind, const arguments<T>& of, Run run)
{
  switch (kind) {
    case 0:
      return run(thrust::make_transform_iterator(of.items, test::same{}));
    case 1:
      return run(thrust::make_reverse_iterator(of.items + of.n));
    case 2:
      return run(thrust::make_permutation_iterator(of.items, of.places));
    default:
      return run(of.items);
  }
}

template <class T, class Policy>
returned<T> run(unsigned call, unsigned kind, const Policy& policy, const arguments<T>& of)
{
  returned<T> back{{}, {}, of.n, of.n};
  if (call >= calls_of_inputs) {
    call_in_place(call - calls_of_inputs, policy, of, back);
  } else {
    with_iterator(kind, of, [&](auto in) { call_with(call, policy, in, of, back); });
  }
  return back;
}

/// Runs the call with gimbal's policy, on a GPU on one of the default stream and streams of its own.
template <class T>
returned<T> run_on_gimbal(std::mt19937_64& random, unsigned call, unsigned kind, const arguments<T>& of)
{
#if GIMBAL_GPU
  static const test::stream own[2];
  const cudaStream_t streams[] = {cudaStreamLegacy, own[0].get(), own[1].get()};
  return run(call, kind, gimbal::par.on(streams[random() % 3]), of);
#else
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  constexpr gimbal::simt::schedule modes[] = {
    gimbal::simt::schedule::fifo, gimbal::simt::schedule::random, gimbal::simt::schedule::priority};
  options.mode = modes[random() % 3];
  options.seed = random();
  options.resident_blocks = static_cast<unsigned>(1 + random() % 6);
  options.shuffle_lanes = random() % 2 == 0;
  const gimbal::simt::scoped_executor_options scope(options);
  return run(call, kind, gimbal::par, of);
#endif
}

template <class T>
bool are_equal(const std::vector<T>& l, const std::vector<T>& r, std::ptrdiff_t n)
{
  return std::equal(l.begin(), l.begin() + n, r.begin());
}

template <class T>
void check_random_call(std::uint64_t seed)
{
  const double most_log2 = !GIMBAL_GPU ? 14.3 : seed % 16 == 0 ? 23 : 20.5;
  std::mt19937_64 random(seed);
  const auto n = static_cast<std::size_t>(std::exp2(std::uniform_real_distribution<>(0, most_log2)(random))) - 1;
  const unsigned call = static_cast<unsigned>(random() % (calls_of_inputs + calls_in_place));
  const unsigned kind = static_cast<unsigned>(random() % 4);
  INFO("seed " << seed << ", call " << call << ", kind of input " << kind << ", " << n << " items");

  const random_input<T> input = make_random_input<T>(random, n);
  const bool in_place = call >= calls_of_inputs;
  std::vector<T> first = in_place ? input.items : std::vector<T>(n, input.init);
  std::vector<T> second(n, input.init);
  std::vector<key> out_keys = in_place ? input.keys : std::vector<key>(n);

  const auto shift = [&] { return random() % 3 == 0 ? 0 : random() % 17; };
  guarded_array<T> items_under_test(input.items, shift());
  guarded_array<key> keys_under_test(input.keys, shift());
  guarded_array<std::uint32_t> places_under_test(input.places, 0);
  guarded_array<T> first_under_test(first, shift());
  guarded_array<T> second_under_test(second, shift());
  guarded_array<key> out_keys_under_test(out_keys, shift());

  const auto count = static_cast<std::ptrdiff_t>(n);
  const returned<T> got = run_on_gimbal<T>(
    random, call, kind,
    {items_under_test.begin(), keys_under_test.begin(), places_under_test.begin(), first_under_test.begin(),
     second_under_test.begin(), out_keys_under_test.begin(), count, input.init, input.choice});
  const returned<T> wanted = run<T>(
    call, kind, thrust::seq,
    {input.items.data(), input.keys.data(), input.places.data(), first.data(), second.data(), out_keys.data(), count,
     input.init, input.choice});
  bool is_intact = true;
  const bool is_right = got == wanted && are_equal(first_under_test.items(is_intact), first, wanted.first_items)
                        && are_equal(second_under_test.items(is_intact), second, count)
                        && are_equal(out_keys_under_test.items(is_intact), out_keys, wanted.key_items);
  const bool leaves_inputs =
    items_under_test.items(is_intact) == input.items && keys_under_test.items(is_intact) == input.keys;
  CHECK(is_right);
  CHECK(leaves_inputs);
  CHECK(is_intact);
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise)
{
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// On the host executor fewer types, as each takes the compiler half a minute.
#if GIMBAL_GPU
TEMPLATE_TEST_CASE(
  "randomised calls as sequential ones", "", std::int8_t, test::matrix GIMBAL_MORE(test::bytes3, double))
#else
TEMPLATE_TEST_CASE("randomised calls as sequential ones", "", std::int8_t, test::matrix GIMBAL_MORE(test::bytes3))
#endif
{
  const std::uint64_t from = number_from_environment("GIMBAL_RANDOMISED_FROM", 1);
  const std::uint64_t calls = number_from_environment("GIMBAL_RANDOMISED_CALLS", 1000);
  for (std::uint64_t seed = from; seed < from + calls; ++seed) {
    check_random_call<TestType>(seed);
  }
}

}  // namespace randomised_calls
