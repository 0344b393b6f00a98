#include <gimbal/communicator.h>

#include <algorithm>
#include <functional>

#include "check.h"

constexpr int ranks = 3;

/// Few distinct keys, or runs of which the long ones end and begin on the second rank.
std::vector<std::uint32_t> keys_of(std::size_t size, bool in_runs)
{
  std::vector<std::uint32_t> keys(size);
  for (std::size_t i = 0; i < size; ++i) {
    keys[i] = in_runs ? (
                i < 5 || i > size - 5 ? static_cast<std::uint32_t>(i / 2)
                : i < size * 2 / 5    ? 1000
                                      : 2000)
                      : noise(i) % 4;
  }
  return keys;
}

/// Calls f(policy, first, last) on every rank with the bounds of its part of `size` items.
template <class F>
bool on_ranks(std::size_t size, F f)
{
  const std::size_t cuts[] = {0, size / 3, size / 2, size};
  try {
    gimbal::run_on_devices(
      [&](gimbal::communicator& own) { f(gimbal::par.over(own), cuts[own.rank()], cuts[own.rank() + 1], own.rank()); },
      ranks);
  } catch (const std::exception& thrown) {
    std::printf("%s\n", thrown.what());
    return false;
  }
  return true;
}

bool sorts(std::size_t size)
{
  std::vector<std::uint32_t> keys = keys_of(size, false);
  std::vector<std::uint32_t> positions(size);
  std::vector<std::uint32_t> wanted(size);
  for (std::size_t i = 0; i < size; ++i) {
    positions[i] = wanted[i] = static_cast<std::uint32_t>(i);
  }
  std::stable_sort(wanted.begin(), wanted.end(), [&](std::uint32_t l, std::uint32_t r) { return keys[l] < keys[r]; });
  return on_ranks(
           size,
           [&](auto policy, std::size_t first, std::size_t last, int) {
             thrust::stable_sort_by_key(policy, keys.data() + first, keys.data() + last, positions.data() + first);
           })
         && positions == wanted;
}

bool scans(std::size_t size)
{
  const std::vector<std::uint32_t> keys = keys_of(size, true);
  const std::vector<affine> maps = affine_maps(size);
  std::vector<affine> all(size), by_key(size);
  std::vector<affine> wanted(size), wanted_by_key(size);
  for (std::size_t i = 0; i < size; ++i) {
    wanted[i] = i == 0 ? maps[0] : compose{}(wanted[i - 1], maps[i]);
    wanted_by_key[i] = i == 0 || keys[i] != keys[i - 1] ? maps[i] : compose{}(wanted_by_key[i - 1], maps[i]);
  }
  return on_ranks(
           size,
           [&](auto policy, std::size_t first, std::size_t last, int) {
             thrust::inclusive_scan(policy, maps.data() + first, maps.data() + last, all.data() + first, compose{});
             thrust::inclusive_scan_by_key(
               policy, keys.data() + first, keys.data() + last, maps.data() + first, by_key.data() + first,
               std::equal_to<std::uint32_t>(), compose{});
           })
         && all == wanted && by_key == wanted_by_key;
}

bool reduces(std::size_t size)
{
  const std::vector<std::uint32_t> keys = keys_of(size, true);
  const std::vector<affine> maps = affine_maps(size);
  std::vector<affine> wanted;
  for (std::size_t i = 0; i < size; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      wanted.push_back(maps[i]);
    } else {
      wanted.back() = compose{}(wanted.back(), maps[i]);
    }
  }
  std::vector<affine> found[ranks];
  const bool ran = on_ranks(size, [&](auto policy, std::size_t first, std::size_t last, int rank) {
    std::vector<std::uint32_t> out_keys(last - first);
    found[rank].resize(last - first);
    const auto ends = thrust::reduce_by_key(
      policy, keys.data() + first, keys.data() + last, maps.data() + first, out_keys.data(), found[rank].data(),
      std::equal_to<std::uint32_t>(), compose{});
    found[rank].resize(static_cast<std::size_t>(ends.second - found[rank].data()));
  });
  std::vector<affine> all;
  for (const std::vector<affine>& own : found) {
    all.insert(all.end(), own.begin(), own.end());
  }
  return ran && all == wanted;
}

/// By offsets, all of which the first rank passes.
bool scans_segments(std::size_t size)
{
  const std::vector<affine> maps = affine_maps(size);
  const std::vector<std::int64_t> heads = {
    0, 3, static_cast<std::int64_t>(size / 3), static_cast<std::int64_t>(size / 2) + 1};
  const affine init = maps[1];
  std::vector<affine> all(size), totals(heads.size());
  std::vector<affine> wanted(size), wanted_totals(heads.size());
  for (std::size_t i = 0, s = 0; i < size; ++i) {
    const bool is_head = s < heads.size() && heads[s] == static_cast<std::int64_t>(i);
    s += is_head ? 1 : 0;
    wanted[i] = compose{}(is_head ? init : wanted[i - 1], maps[i]);
    wanted_totals[s - 1] = wanted[i];
  }
  return on_ranks(
           size,
           [&](auto policy, std::size_t first, std::size_t last, int rank) {
             const std::int64_t* const end = heads.data() + heads.size();
             gimbal::inclusive_segmented_scan(
               policy, maps.data() + first, maps.data() + last,
               gimbal::segment_offsets(rank == 0 ? heads.data() : end, end),
               gimbal::with_totals(all.data() + first, totals.data()), init, compose{});
           })
         && all == wanted && totals == wanted_totals;
}

bool check(std::size_t size) { return sorts(size) && scans(size) && scans_segments(size) && reduces(size); }

int main() { return run_schedules({20, 3000}, check); }
