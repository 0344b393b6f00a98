#include <thrust/iterator/transform_iterator.h>

#include <gimbal/algorithm/select/partition.cuh>

#include "check.h"

/// A tile is 64 items of 8 bytes, so a few hundred items take several rounds.
struct small_shape {
  static constexpr unsigned rows = 1;
  static constexpr unsigned scatter_warps = 2;
  static constexpr unsigned scatter_groups = 1;
  static constexpr unsigned count_warps = 1;
  static constexpr unsigned count_groups = 1;
  static constexpr unsigned loader_warps = 2;
  static constexpr unsigned stages = 2;
  static constexpr unsigned buffers = 1;
  static constexpr unsigned resident_blocks = 1;
};

/// Two groups that count in turn, in a ring so short that they pass over phases of its stages.
struct two_groups : small_shape {
  static constexpr unsigned count_groups = 2;
  static constexpr unsigned stages = 3;
};

/// More stages than places for what stands beside the items.
struct long_ring : small_shape {
  static constexpr unsigned stages = 7;
};

struct is_odd {
  bool operator()(std::uint64_t x) const { return x % 2 != 0; }
};

struct same {
  std::uint64_t operator()(std::uint64_t x) const { return x; }
};

using rejected_to = gimbal::algorithm::rejected_to<std::uint64_t*>;
using rejected_in_place = gimbal::algorithm::rejected_in_place<std::uint64_t>;
using selector = gimbal::algorithm::select_if<is_odd>;
using by_stencil = gimbal::algorithm::select_if_stencil<const std::uint64_t*, is_odd>;
using loaded = thrust::transform_iterator<same, const std::uint64_t*>;

template <class Tuning, class InputIt, class Rejected, class Selector = selector>
bool run(
  InputIt in, std::size_t size, std::uint64_t* selected, Rejected others, std::int64_t& count,
  const Selector& selects = {is_odd{}})
{
  auto row = gimbal::algorithm::persistent_select_row<Tuning>(
    in, static_cast<gimbal::index_type>(size), selects, selected, others, &count);
  row.fits = true;
  return run_row(row);
}

// The selected of an iterator elsewhere, then in place: the order between one tile's loads and another's stores
// matters.
bool check(std::size_t size)
{
  std::vector<std::uint64_t> data(size);
  std::vector<std::uint64_t> selected;
  std::vector<std::uint64_t> rejected;
  for (std::size_t i = 0; i < size; ++i) {
    data[i] = noise(i);
    (is_odd{}(data[i]) ? selected : rejected).push_back(data[i]);
  }
  std::vector<std::uint64_t> others(rejected.size());
  std::int64_t count = -1;
  std::vector<std::uint64_t> elsewhere(selected.size());
  if (
    !run<small_shape>(loaded{data.data(), same{}}, size, elsewhere.data(), rejected_to{others.data()}, count)
    || count != static_cast<std::int64_t>(selected.size()) || elsewhere != selected || others != rejected) {
    return false;
  }
  const auto run_alone = [&] {  // one block has all tiles
    gimbal::simt::executor_options options = gimbal::simt::get_executor_options();
    options.resident_blocks = 2;
    options.expected_blocks = 0;
    const gimbal::simt::scoped_executor_options scope(options);
    elsewhere.assign(selected.size(), 0);
    return run<two_groups>(
             static_cast<const std::uint64_t*>(data.data()), size, elsewhere.data(), rejected_to{others.data()}, count)
           && elsewhere == selected && others == rejected;
  };
  if (!run_alone()) {
    return false;
  }
  others.assign(others.size(), 0);
  elsewhere.assign(selected.size(), 0);
  const by_stencil beside{data.data(), is_odd{}};
  const auto* const items = static_cast<const std::uint64_t*>(data.data());
  if (
    !run<long_ring>(items, size, elsewhere.data(), rejected_to{others.data()}, count, beside) || elsewhere != selected
    || others != rejected) {
    return false;
  }
  others.assign(others.size(), 0);
  std::vector<std::uint64_t> both = data;
  const bool partitioned =
    run<small_shape, const std::uint64_t*>(both.data(), size, both.data(), rejected_in_place{}, count);
  others.assign(others.size(), 0);
  const bool ran =
    run<small_shape, const std::uint64_t*>(data.data(), size, data.data(), rejected_to{others.data()}, count);
  data.resize(selected.size());
  const bool is_right =
    ran && count == static_cast<std::int64_t>(selected.size()) && data == selected && others == rejected;
  selected.insert(selected.end(), rejected.begin(), rejected.end());
  return partitioned && is_right && both == selected;
}

int main() { return run_schedules({1, 127, 1930}, check, 60, blocks_that_run::fewer_in_turn); }
