#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/segmented_scan.cuh>
#include <type_traits>

#include "check.h"

template <unsigned Stages>
struct ring_of {
  static constexpr gimbal::tuning::scan_row row{2, 2, 2, 16, 100, Stages};
};
using small_ring = ring_of<3>;
using deep_ring = ring_of<7>;  // with fewer slots of head flags than stages

struct same_key {
  bool operator()(std::uint32_t l, std::uint32_t r) const { return l == r; }
};

template <class Ring, class Heads>
bool scan(const Heads& heads, const std::vector<affine>& in, std::vector<affine>& out)
{
  return run_row(gimbal::algorithm::persistent_segmented_scan_row<Ring>(
    true, gimbal::algorithm::inclusive_scan_tag{}, heads, in.data(), out.data(),
    static_cast<gimbal::index_type>(in.size()), compose{}, gimbal::no_init{}));
}

// By keys, in runs of about 40 and up to every second tile, in place; and the same by offsets.
bool check(std::size_t size)
{
  std::vector<affine> data = affine_maps(size);
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> offsets(1);
  std::vector<affine> expected = data;
  for (std::size_t i = 1; i < size; ++i) {
    keys[i] = keys[i - 1] + (noise(i) % 40 == 0 || i % 256 == 0);
    if (keys[i] == keys[i - 1]) {
      expected[i] = compose{}(expected[i - 1], data[i]);
    } else {
      offsets.push_back(static_cast<std::uint32_t>(i));
      expected[i] = data[i];
    }
  }
  std::vector<affine> by_offsets(size);
  const gimbal::heads_from_offsets<const std::uint32_t*> starts{
    offsets.data(), static_cast<gimbal::index_type>(offsets.size())};
  return scan<small_ring>(starts, data, by_offsets) && by_offsets == expected
         && scan<deep_ring>(gimbal::heads_from_keys<const std::uint32_t*, same_key>{keys.data(), {}}, data, data)
         && data == expected;
}

// By offsets that lie unevenly: in the first third none, in the second all items are heads, in the last half of them,
// and now and then one is so again and again, so that a chunk has more offsets than are loaded together.
bool check_uneven(std::size_t size)
{
  const std::vector<affine> data = affine_maps(size);
  std::vector<std::uint32_t> offsets;
  std::vector<affine> expected = data;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t times = i < size / 3 ? 0 : i < 2 * size / 3 ? 1 : i % 640 == 9 ? 900 : noise(i) % 2;
    offsets.insert(offsets.end(), times, static_cast<std::uint32_t>(i));
    expected[i] = times > 0 || i == 0 ? data[i] : compose{}(expected[i - 1], data[i]);
  }
  std::vector<affine> out(size);
  const gimbal::heads_from_offsets<const std::uint32_t*> starts{
    offsets.data(), static_cast<gimbal::index_type>(offsets.size())};
  return scan<small_ring>(starts, data, out) && out == expected;
}

struct unchanged {
  std::uint32_t operator()(std::uint32_t x) const { return x; }
};

// By keys that come through an iterator, in runs of about 40, over the array that they are read from. Every other tile
// begins with a head.
bool check_loaded(std::size_t size)
{
  using equal = ::cuda::std::equal_to<>;
  using plus = ::cuda::std::plus<std::uint32_t>;
  using key_it = thrust::transform_iterator<unchanged, const std::uint32_t*>;
  using heads_type = gimbal::heads_from_keys<key_it, equal>;
  std::vector<std::uint32_t> keys(size);
  std::vector<std::uint32_t> values(size, 3);
  std::vector<std::uint32_t> expected(size, 3);
  const heads_type heads{key_it(keys.data(), unchanged{}), {}};
  const auto row = gimbal::algorithm::persistent_segmented_scan_row<small_ring>(
    true, gimbal::algorithm::inclusive_scan_tag{}, heads, static_cast<const std::uint32_t*>(values.data()), keys.data(),
    static_cast<gimbal::index_type>(size), plus{}, gimbal::no_init{});
  constexpr gimbal::index_type tile_items = decltype(row.policy)::tiles_type::tile_items;
  for (std::size_t i = 1; i < size; ++i) {
    const bool is_head = i % tile_items == 0 ? i / tile_items % 2 == 0 : noise(i) % 40 == 0;
    keys[i] = keys[i - 1] + is_head;
    expected[i] += is_head ? 0 : expected[i - 1];
  }
  return run_row(row) && keys == expected;
}

int main()
{
  int failed = run_schedules({1, 127, 129, 1300, 4500}, check, 60, blocks_that_run::fewer_in_turn);
  failed = failed ? failed : run_schedules({20000}, check, 10);  // slots of head flags are used again
  failed = failed ? failed : run_schedules({127, 4500}, check_uneven);
  return failed ? failed : run_schedules({127, 4500}, check_loaded);
}
