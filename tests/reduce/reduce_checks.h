// What the tests of reduce at kernel level have in common.
#pragma once

#include <gimbal/algorithm/reduce/reduce.cuh>

#include "support.h"

namespace test {

/// Small tiles and few blocks.
struct small_tuning {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 2;
  static constexpr unsigned single_items_per_thread = 2;
  static constexpr unsigned mapped_rows = 2;
  static constexpr std::int64_t more_rows_from_items = 5000;
  static constexpr unsigned tile_threads = 64;
  static constexpr unsigned blocks = 7;
  static constexpr unsigned many_blocks = 7;
  static constexpr unsigned ordered_blocks(std::size_t) { return 7; }
  static constexpr unsigned spread_blocks = 3;
  static constexpr unsigned warp_aggregates = 3;
  static constexpr unsigned first_blocks = 3;
};

template <class Tuning, class T, class InputIt, class Op, class Init>
T reduced(InputIt in, std::size_t n, Op op, Init init)
{
  device_array<T> out(1);
  run([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::reduce<Tuning>(
      storage, bytes, in, static_cast<gimbal::index_type>(n), out.data(), op, init, 0);
  });
  return out.to_host()[0];
}

}  // namespace test
