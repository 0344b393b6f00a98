// The thesis's vectors of structures (5.1), each field an array of its own: readings of stations, of which each has a
// running count, the greatest value and the last time so far, by one segmented scan of a structure of three; then the
// warm readings are moved to the front.
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/scan.h>

#include "program.h"

using reading = thrust::tuple<int, float, std::int64_t>;  // count, value, time

struct combine {
  HOST_DEVICE reading operator()(const reading& a, const reading& b) const
  {
    return reading(
      thrust::get<0>(a) + thrust::get<0>(b),
      thrust::get<1>(a) < thrust::get<1>(b) ? thrust::get<1>(b) : thrust::get<1>(a), thrust::get<2>(b));
  }
};
struct is_warm {
  HOST_DEVICE bool operator()(const reading& r) const { return thrust::get<1>(r) >= 20; }
};
struct is_cold {
  HOST_DEVICE bool operator()(const reading& r) const { return thrust::get<1>(r) < 20; }
};

struct readings {
  thrust::device_vector<int> count;
  thrust::device_vector<float> value;
  thrust::device_vector<std::int64_t> time;

  explicit readings(std::size_t n) : count(n), value(n), time(n) {}
  auto begin() { return thrust::make_zip_iterator(count.begin(), value.begin(), time.begin()); }
  auto end() { return begin() + static_cast<std::ptrdiff_t>(count.size()); }
  bool operator==(const readings& other) const
  {
    return count == other.count && value == other.value && time == other.time;
  }
};

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, std::size_t{1} << 24, 5000);
  std::mt19937 random(6);
  std::vector<int> station(o.items), count(o.items, 1);
  std::vector<unsigned char> heads(o.items);
  std::vector<float> value(o.items);
  std::vector<std::int64_t> time(o.items);
  for (std::size_t i = 0; i < o.items; ++i) {
    heads[i] = i == 0 || random() % 100 == 0;
    station[i] = i == 0 ? 0 : station[i - 1] + heads[i];
    value[i] = static_cast<float>(random() % 400) / 10.f;
    time[i] = static_cast<std::int64_t>(i);
  }
  readings in(o.items), so_far(o.items), split(o.items), stock_so_far(o.items), stock_split(o.items), serial(o.items);
  in.count = count;
  in.value = value;
  in.time = time;
  const thrust::device_vector<unsigned char> head(heads.begin(), heads.end());
  const thrust::device_vector<int> key(station.begin(), station.end());

  const auto monoid = v::fields(v::plus<int>(), v::max<float>(), v::last<std::int64_t>());
  const double gimbal_ms = milliseconds([&] {
    v::inclusive_scan(par, in.begin(), in.end(), head.begin(), so_far.begin(), monoid);
    v::split_if(par, in.begin(), in.end(), split.begin(), is_warm{});
  });
  const double stock_ms = milliseconds([&] {
    thrust::inclusive_scan_by_key(
      thrust::device, key.begin(), key.end(), in.begin(), stock_so_far.begin(), thrust::equal_to<int>{}, combine{});
    thrust::copy(thrust::device, in.begin(), in.end(), stock_split.begin());
    thrust::stable_partition(thrust::device, stock_split.begin(), stock_split.end(), is_cold{});
  });
  for (std::size_t i = 0; i < o.items; ++i) {
    if (!heads[i]) {
      count[i] += count[i - 1];
      value[i] = std::max(value[i], value[i - 1]);
    }
  }
  serial.count = count;
  serial.value = value;
  serial.time = time;
  std::vector<std::int64_t> order = on_host(in.time);
  const std::vector<float> values = on_host(in.value);
  std::stable_partition(
    order.begin(), order.end(), [&](std::int64_t i) { return values[static_cast<std::size_t>(i)] < 20; });
  const bool stock_is_right = stock_so_far == serial && on_host(stock_split.time) == order;
  const bool is_right = so_far == serial && on_host(split.time) == order && split == stock_split;
  return report(
    "records of three fields", o.items, "inclusive_scan_by_key, stable_partition", stock_ms, gimbal_ms, stock_is_right,
    is_right);
}
