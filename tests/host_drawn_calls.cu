// Thrust calls that are drawn, each beside the same call run sequentially: algorithm, size, kind of input, where arrays
// begin, what stands in them, how many blocks run and in which order. For what nobody thought of.
#include <thrust/count.h>
#include <thrust/extrema.h>
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
#include <cstring>

#include "thrust_support.h"

namespace drawn_calls {

using key = std::uint32_t;

struct equal_keys {
  bool operator()(key l, key r) const { return l == r; }
};

template <class T>
std::uint32_t hash(const T& item)
{
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &item, sizeof(T));
  std::uint32_t mixed = 2166136261u;
  for (const unsigned char byte : bytes) {
    mixed = (mixed ^ byte) * 16777619u;
  }
  return mixed ^ mixed >> 15;
}

/// By what they hash to, so that every type has an order.
struct less {
  template <class T>
  bool operator()(const T& l, const T& r) const
  {
    return hash(l) < hash(r);
  }
};

struct chosen {
  unsigned percent;
  template <class T>
  bool operator()(const T& item) const
  {
    return hash(item) % 100 < percent;
  }
};

/// Of numbers the sum, of structs what does not commute.
struct combine {
  template <class T>
  T operator()(const T& l, const T& r) const
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

struct same {
  template <class T>
  T operator()(const T& item) const
  {
    return item;
  }
};

/// Items that begin some places behind where memory that is aligned does.
template <class T>
class array {
public:
  array(std::size_t n, std::size_t shift) : memory_(n + shift), shift_(shift) {}
  T* begin() { return memory_.data() + shift_; }
  T* end() { return memory_.data() + memory_.size(); }
  std::size_t size() const { return memory_.size() - shift_; }
  void fill(const T& item) { std::fill(begin(), end(), item); }
  void shrink(std::ptrdiff_t n) { memory_.resize(shift_ + static_cast<std::size_t>(n)); }
  friend bool operator==(const array& l, const array& r) { return l.memory_ == r.memory_; }

private:
  std::vector<T> memory_;
  std::size_t shift_;
};

template <class T>
struct drawn_input {
  array<T> items;
  array<key> keys;
  std::vector<std::uint32_t> places;
  T init;
  chosen choice;
};

/// What a call writes and returns.
template <class T>
struct outcome {
  array<T> first;
  array<T> second;
  array<key> keys;
  std::vector<std::ptrdiff_t> counts{};
  std::vector<T> totals{};

  void count(std::ptrdiff_t n) { counts.push_back(n); }
  friend bool operator==(const outcome& l, const outcome& r)
  {
    return l.first == r.first && l.second == r.second && l.keys == r.keys && l.counts == r.counts
           && l.totals == r.totals;
  }
};

constexpr unsigned calls_of_inputs = 13;
constexpr unsigned calls_in_place = 11;

/// A call that reads n items from `in` and writes to arrays.
template <class T, class Policy, class In>
void call_with(unsigned call, const Policy& policy, In in, std::size_t n, drawn_input<T>& drawn, outcome<T>& out)
{
  const auto end = in + static_cast<std::ptrdiff_t>(n);
  key* const keys = drawn.keys.begin();
  key* const keys_end = drawn.keys.end();
  T* const first = out.first.begin();
  T* const second = out.second.begin();
  key* const out_keys = out.keys.begin();
  switch (call) {
    case 0:
      return out.count(thrust::inclusive_scan(policy, in, end, first, combine{}) - first);
    case 1:
      return out.count(thrust::exclusive_scan(policy, in, end, first, drawn.init, combine{}) - first);
    case 2:
      thrust::inclusive_scan_by_key(policy, keys, keys_end, in, first, equal_keys{}, combine{});
      return;
    case 3:
      thrust::exclusive_scan_by_key(policy, keys, keys_end, in, first, drawn.init, equal_keys{}, combine{});
      return;
    case 4:
      return out.totals.push_back(thrust::reduce(policy, in, end, drawn.init, combine{}));
    case 5: {
      const auto ends = thrust::reduce_by_key(policy, keys, keys_end, in, out_keys, first, equal_keys{}, combine{});
      out.count(ends.first - out_keys);
      return out.count(ends.second - first);
    }
    case 6:
      return out.count(thrust::copy_if(policy, in, end, first, drawn.choice) - first);
    case 7:
      return out.count(thrust::copy_if(policy, in, end, keys, first, drawn.choice) - first);
    case 8: {
      const auto ends = thrust::stable_partition_copy(policy, in, end, first, second, drawn.choice);
      out.count(ends.first - first);
      return out.count(ends.second - second);
    }
    case 9:
      return out.count(thrust::unique_copy(policy, in, end, first) - first);
    case 10: {
      const auto ends = thrust::unique_by_key_copy(policy, keys, keys_end, in, out_keys, first);
      return out.count(ends.second - first);
    }
    case 11:
      out.count(thrust::count_if(policy, in, end, drawn.choice));
      out.count(thrust::min_element(policy, in, end, less{}) - in);
      return out.count(thrust::max_element(policy, in, end, less{}) - in);
    default: {
      const auto pairs = thrust::make_zip_iterator(in, keys);
      const auto out_pairs = thrust::make_zip_iterator(first, out_keys);
      return out.count(
        thrust::copy_if(policy, pairs, pairs + static_cast<std::ptrdiff_t>(n), keys, out_pairs, drawn.choice)
        - out_pairs);
    }
  }
}

/// A call that overwrites the items, which `out` has. Behind the end that it returns anything may stand.
template <class T, class Policy>
void call_in_place(unsigned call, const Policy& policy, drawn_input<T>& drawn, outcome<T>& out)
{
  T* const first = out.first.begin();
  T* const last = out.first.end();
  key* const keys = drawn.keys.begin();
  key* const out_keys = out.keys.begin();
  const auto shrink = [&](const T* end) {
    out.count(end - first);
    out.first.shrink(end - first);
  };
  switch (call) {
    case 0:
      thrust::exclusive_scan(policy, first, last, first, drawn.init, combine{});
      return;
    case 1:
      thrust::inclusive_scan_by_key(policy, keys, drawn.keys.end(), first, first, equal_keys{}, combine{});
      return;
    case 2:
      return shrink(thrust::remove_if(policy, first, last, drawn.choice));
    case 3:
      return shrink(thrust::remove_if(policy, first, last, keys, drawn.choice));
    case 4:
      return out.count(thrust::stable_partition(policy, first, last, drawn.choice) - first);
    case 5:
      return out.count(thrust::stable_partition(policy, first, last, keys, drawn.choice) - first);
    case 6:
      return shrink(thrust::unique(policy, first, last));
    case 7: {
      const auto ends = thrust::unique_by_key(policy, out_keys, out.keys.end(), first);
      out.keys.shrink(ends.first - out_keys);
      return shrink(ends.second);
    }
    case 8:
      thrust::stable_sort(policy, first, last, less{});
      return;
    case 9:
      thrust::stable_sort_by_key(policy, out_keys, out.keys.end(), first);
      return;
    default:
      thrust::stable_sort_by_key(policy, first, last, out_keys, less{});
      return;
  }
}

/// Items and keys in runs, of few or of many values.
template <class T>
drawn_input<T> draw_input(std::mt19937_64& random, std::size_t n)
{
  const auto shift = [&] { return random() % 3 == 0 ? 0 : random() % 17; };
  const auto up_to = [&](std::size_t most) { return 1 + random() % most; };  // draws stand in an order that C++ defines
  constexpr unsigned percents[] = {0, 3, 50, 97, 100};
  drawn_input<T> drawn{
    array<T>(n, shift()), array<key>(n, shift()), {}, test::random_value<T>(random), {percents[random() % 5]}};
  const std::size_t distinct = up_to(random() % 2 == 0 ? 4 : 1000);
  const std::vector<T> values = test::random_values<T>(distinct, random());
  const std::size_t run = up_to(random() % 3 == 0 ? 300 : 4);
  const key most_keys = random() % 2 == 0 ? 3 : ~0u;
  T item = values[0];
  key of_run = 0;
  for (std::size_t i = 0; i < n; ++i) {
    item = random() % run == 0 ? values[random() % values.size()] : item;
    of_run = random() % run == 0 ? static_cast<key>(random() % most_keys) : of_run;
    drawn.items.begin()[i] = item;
    drawn.keys.begin()[i] = of_run;
    drawn.places.push_back(static_cast<std::uint32_t>(random() % n));
  }
  return drawn;
}

/// `run(in)` with one of several kinds of iterators over the items.
template <class T, class Run>
void with_iterator(unsigned kind, drawn_input<T>& drawn, Run run)
{
  T* const items = drawn.items.begin();
  switch (kind) {
    case 0:
      return run(thrust::make_transform_iterator(items, same{}));
    case 1:
      return run(thrust::make_reverse_iterator(drawn.items.end()));
    case 2:
      return run(thrust::make_permutation_iterator(items, drawn.places.begin()));
    default:
      return run(items);
  }
}

template <class T>
void check_drawn(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
  constexpr gimbal::simt::schedule modes[] = {
    gimbal::simt::schedule::fifo, gimbal::simt::schedule::random, gimbal::simt::schedule::priority};
  options.mode = modes[random() % 3];
  options.seed = random();
  options.resident_blocks = static_cast<unsigned>(1 + random() % 6);
  options.shuffle_lanes = random() % 2 == 0;
  const gimbal::simt::scoped_executor_options scope(options);

  const auto n = static_cast<std::size_t>(std::exp2(std::uniform_real_distribution<>(0, 14.3)(random))) - 1;
  drawn_input<T> drawn = draw_input<T>(random, n);
  const unsigned call = static_cast<unsigned>(random() % (calls_of_inputs + calls_in_place));
  const unsigned kind = static_cast<unsigned>(random() % 4);
  INFO("seed " << seed << ", call " << call << ", kind of input " << kind << ", " << n << " items");
  outcome<T> wanted{array<T>(n, random() % 17), array<T>(n, random() % 17), array<key>(n, random() % 17)};
  wanted.first.fill(drawn.init);
  wanted.second.fill(drawn.init);
  if (call >= calls_of_inputs) {
    std::copy(drawn.items.begin(), drawn.items.end(), wanted.first.begin());
    std::copy(drawn.keys.begin(), drawn.keys.end(), wanted.keys.begin());
  }
  outcome<T> got = wanted;
  const auto run = [&](const auto& policy, outcome<T>& out) {
    if (call >= calls_of_inputs) {
      return call_in_place(call - calls_of_inputs, policy, drawn, out);
    }
    with_iterator(kind, drawn, [&](auto in) { call_with(call, policy, in, n, drawn, out); });
  };
  run(gimbal::par, got);
  run(thrust::seq, wanted);
  CHECK(got == wanted);
}

TEMPLATE_TEST_CASE("drawn calls as sequential ones", "", std::int8_t, test::bytes3, test::matrix)
{
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    check_drawn<TestType>(seed);
  }
}

}  // namespace drawn_calls
