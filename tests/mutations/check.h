// What the quick checks of the mutation tests share: schedules, values and an operator that depends on order.
// A check is a program of its own: it exits with 0 if the kernel gave the right results under every schedule.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <cstdint>
#include <cstdio>
#include <vector>

/// A map x -> a*x + b modulo 2^32. Composition is associative and not commutative.
struct affine {
  std::uint32_t a;
  std::uint32_t b;
  friend bool operator==(const affine& x, const affine& y) { return x.a == y.a && x.b == y.b; }
};

struct compose {
  affine operator()(const affine& first, const affine& second) const
  {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};

/// Of a block for each tile: few items, so that a few hundred of them take several blocks.
struct small_tiles {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
  static constexpr unsigned resident_threads = 0;
};

/// Well-mixed numbers that depend on the position alone.
inline std::uint32_t noise(std::uint64_t position)
{
  std::uint64_t x = position * 0x9e3779b97f4a7c15u + 0x1234567u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return static_cast<std::uint32_t>(x >> 32);
}

inline std::vector<affine> affine_maps(std::size_t size)
{
  std::vector<affine> maps(size);
  for (std::size_t i = 0; i < size; ++i) {
    maps[i] = {noise(i) | 1u, noise(i + size)};
  }
  return maps;
}

/// Storage for a two-phase call: `call(storage, bytes)` asks for the size, then runs. True if both succeeded.
template <class Call>
bool run_with_storage(Call call)
{
  std::size_t bytes = 0;
  if (gimbal::status state = call(nullptr, bytes)) {
    std::printf("size query failed: %s\n", state.step);
    return false;
  }
  std::vector<unsigned char> storage(bytes, 0xa5);
  if (gimbal::status state = call(storage.data(), bytes)) {
    std::printf("%s failed: %s\n", state.step, gimbal::simt::error_string(state.code));
    return false;
  }
  return true;
}

/// Launches the kernel of a row without storage. True if that succeeded.
template <class Row>
bool run_row(Row row)
{
  gimbal::launch_words words(nullptr);
  std::vector<char> arrays(row.array_bytes() + 16);
  words.own().arrays = arrays.data() + (16 - reinterpret_cast<std::uintptr_t>(arrays.data()) % 16);
  gimbal::status state;
  if (row.takes(words, state)) {
    state = row.launch(words);
  } else if (!state) {
    std::printf("the row does not apply\n");
    return false;
  }
  if (state) {
    std::printf("%s failed: %s\n", state.step, gimbal::simt::error_string(state.code));
  }
  return !state;
}

/// Whether `is_right(kind)` for the kind of input that the schedule chooses, all in turn; for all of them in the few
/// schedules under ThreadSanitizer.
template <class IsRight>
bool check_kinds(unsigned kinds, IsRight is_right)
{
#ifdef __SANITIZE_THREAD__
  bool all_right = true;
  for (unsigned kind = 0; kind < kinds; ++kind) {
    all_right = is_right(kind) && all_right;
  }
  return all_right;
#else
  return is_right(static_cast<unsigned>(gimbal::simt::get_executor_options().seed % kinds));
#endif
}

/// How many blocks run at the same time: as many as launches expect, or fewer in every second schedule, as if other
/// kernels held the rest of the GPU.
enum class blocks_that_run { all, fewer_in_turn };

/// Runs `check(size)` for each size under `seeds` schedules of each mode; stops at the first wrong result.
template <class Check>
int run_schedules(
  const std::vector<std::size_t>& sizes, Check check, std::uint64_t seeds = 60,
  blocks_that_run blocks = blocks_that_run::all)
{
#ifdef __SANITIZE_THREAD__
  seeds = blocks == blocks_that_run::all ? 2 : 4;  // the sanitizer sees races that did not happen to change a result
#endif
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const auto mode : {gimbal::simt::schedule::random, gimbal::simt::schedule::priority}) {
      gimbal::simt::executor_options options;
      options.mode = mode;
      options.seed = seed;
      if (blocks == blocks_that_run::fewer_in_turn && seed % 2 == 0) {
        options.resident_blocks = static_cast<unsigned>(1 + seed / 2 % 3);
        options.expected_blocks = 7;
      }
      const gimbal::simt::scoped_executor_options scope(options);
      for (const std::size_t size : sizes) {
        if (!check(size)) {
          std::printf(
            "wrong for %zu items, %s schedule %llu\n", size,
            mode == gimbal::simt::schedule::random ? "random" : "priority", static_cast<unsigned long long>(seed));
          return 1;
        }
      }
    }
  }
  std::printf("right under all schedules\n");
  return 0;
}
