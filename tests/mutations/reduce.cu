#include <thrust/iterator/transform_iterator.h>

#include <gimbal/algorithm/reduce/reduce.cuh>

#include "check.h"

struct small_blocks {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned single_items_per_thread = 3;
  static constexpr unsigned mapped_rows = 2;
  static constexpr std::int64_t more_rows_from_items = 5000;
  static constexpr unsigned tile_threads = 64;
  static constexpr unsigned blocks = 6;
  static constexpr unsigned many_blocks = 6;
  static constexpr unsigned ordered_blocks(std::size_t) { return 6; }
  static constexpr unsigned spread_blocks = 3;
  static constexpr unsigned warp_aggregates = 2;
};

bool check(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  affine expected{3, 5};
  for (const affine& map : in) {
    expected = compose{}(expected, map);
  }
  std::vector<affine> out(1);  // on the heap, where ThreadSanitizer looks
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<small_blocks>(
      storage, bytes, in.data(), static_cast<gimbal::index_type>(size), out.data(), compose{}, affine{3, 5}, nullptr);
  });
  return ran && out[0] == expected;
}

// As above, of items that an iterator makes and that are too large for rows of them.
struct wide {
  affine map;
  std::uint64_t beside[2];
};
struct widen {
  wide operator()(const affine& map) const { return {map, {map.a, 1}}; }
};
struct compose_wide {
  wide operator()(const wide& first, const wide& second) const
  {
    return {compose{}(first.map, second.map), {second.beside[0], first.beside[1] + second.beside[1]}};
  }
};

/// The same for a function that can be given copies, so that the array is read by vectors.
struct widen_copy {
  wide operator()(affine map) const { return widen{}(map); }
};

template <class Widen>
bool check_wide(std::size_t size)
{
  const std::vector<affine> in = affine_maps(size);
  const wide init{{3, 5}, {7, 0}};
  wide expected = init;
  for (const affine& map : in) {
    expected = compose_wide{}(expected, widen{}(map));
  }
  std::vector<wide> out(1);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<small_blocks>(
      storage, bytes, thrust::make_transform_iterator(in.data(), Widen{}), static_cast<gimbal::index_type>(size),
      out.data(), compose_wide{}, init, nullptr);
  });
  return ran && out[0].map == expected.map && out[0].beside[0] == expected.beside[0]
         && out[0].beside[1] == expected.beside[1];
}

/// Items of which four fill three vectors, from the array's begin and from its second item on.
struct three_words {
  std::uint32_t word[3];
};
struct map_of_three {
  affine operator()(three_words item) const { return {item.word[0] | 1u, item.word[1] ^ item.word[2]}; }
};

bool check_three_words(std::size_t size)
{
  std::vector<three_words> in(size + 1);
  for (std::size_t i = 0; i <= size; ++i) {
    in[i] = {{noise(3 * i), noise(3 * i + 1), noise(3 * i + 2)}};
  }
  for (const std::size_t first : {0, 1}) {
    affine expected{3, 5};
    for (std::size_t i = first; i < first + size; ++i) {
      expected = compose{}(expected, map_of_three{}(in[i]));
    }
    std::vector<affine> out(1);
    const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::reduce<small_blocks>(
        storage, bytes, thrust::make_transform_iterator(in.data() + first, map_of_three{}),
        static_cast<gimbal::index_type>(size), out.data(), compose{}, affine{3, 5}, nullptr);
    });
    if (!ran || !(out[0] == expected)) {
      return false;
    }
  }
  return true;
}

/// A function that finds out an item's number.
struct number_of {
  const std::uint32_t* first;
  std::int64_t operator()(const std::uint32_t& item) const { return &item - first; }
};

bool check_numbers(std::size_t size)
{
  const std::vector<std::uint32_t> in(size);
  const auto n = static_cast<std::int64_t>(size);
  std::vector<std::int64_t> out(1);
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<small_blocks>(
      storage, bytes, thrust::make_transform_iterator(in.data(), number_of{in.data()}), n, out.data(),
      thrust::plus<std::int64_t>{}, std::int64_t{0}, nullptr);
  });
  return ran && out[0] == n * (n - 1) / 2;
}

int main()
{
  return run_schedules({1, 95, 96, 97, 193, 700, 1700}, check, 200)
         || run_schedules({1, 63, 64, 65, 130, 700, 6144, 7001}, check_wide<widen>, 200)
         || run_schedules({1, 127, 128, 129, 701, 4990, 5001}, check_wide<widen_copy>, 40)
         || run_schedules({3, 129, 701}, check_three_words, 5) || run_schedules({2, 700}, check_numbers, 5);
}
