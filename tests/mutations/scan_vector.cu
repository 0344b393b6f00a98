#include <algorithm>
#include <gimbal/algorithm/scan_vector/scan_vector.cuh>

#include "check.h"

using gimbal::index_type;

struct keep_segment {
  std::uint32_t* out;
  void operator()(index_type i, index_type segment, index_type) const { out[i] = static_cast<std::uint32_t>(segment); }
};

/// Segments of up to 40 items, of which some have none, behind a few items without a segment.
std::vector<std::uint32_t> segment_offsets(std::size_t size)
{
  std::vector<std::uint32_t> offsets;
  for (std::size_t begin = noise(size) % 5; begin <= size; begin += noise(offsets.size() + size) % 41) {
    offsets.push_back(static_cast<std::uint32_t>(begin));
  }
  return offsets;
}

bool expands(std::size_t size)
{
  const std::vector<std::uint32_t> offsets = segment_offsets(size);
  std::vector<std::uint32_t> out(size);
  auto plan = gimbal::algorithm::expand_plan<small_tiles>(
    offsets.data(), static_cast<index_type>(offsets.size()), static_cast<index_type>(size), keep_segment{out.data()});
  const gimbal::status ran = plan.launch(gimbal::temporary_storage::beside_pool(nullptr), nullptr);
  if (ran) {
    return false;
  }
  std::uint32_t segment = 0xffffffffu;  // before the first offset
  std::size_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (; next < offsets.size() && offsets[next] <= i; ++next) {
      ++segment;
    }
    if (out[i] != segment) {
      return false;
    }
  }
  return true;
}

bool splits(std::size_t size)
{
  std::vector<unsigned char> head(size), back_head(size), flag(size);
  std::vector<std::uint32_t> in(size), out(size), right;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < size; ++i) {
    head[i] = noise(3 * i) % 30 == 0;
    flag[i] = noise(5 * i) % 3 == 0;
    in[i] = noise(i);
  }
  for (std::size_t i = 0; i <= size; ++i) {
    if (i == size || (i > 0 && head[i])) {
      for (const bool has_flag : {false, true}) {
        for (std::size_t k = begin; k < i; ++k) {
          if ((flag[k] != 0) == has_flag) {
            right.push_back(in[k]);
          }
        }
      }
      begin = i;
    }
  }
  for (std::size_t i = 1; i < size; ++i) {
    back_head[i] = head[size - i];  // of the sequence read backwards
  }
  using move = gimbal::functor::split_move<const std::uint32_t*, std::uint32_t*, false>;
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_split(
      storage, bytes, gimbal::heads_from_flags<const unsigned char*>{head.data()},
      gimbal::heads_from_flags<const unsigned char*>{back_head.data()}, static_cast<const unsigned char*>(flag.data()),
      static_cast<index_type>(size), move{in.data(), out.data()}, nullptr);
  });
  return ran && out == right;
}

/// Blocks of a warp that reduces a tile of 64 items or several.
struct small_reduction {
  static constexpr unsigned block_threads = 32;
  static constexpr unsigned items_per_thread = 1;
  static constexpr unsigned single_items_per_thread = 1;
  static constexpr unsigned mapped_rows = 1;
  static constexpr std::int64_t more_rows_from_items = 1 << 20;
  static constexpr unsigned ordered_blocks(std::size_t) { return 40; }
  static constexpr unsigned warp_aggregates = 2;
};

/// In place, and to other places.
bool distributes(std::size_t size)
{
  std::vector<affine> in = affine_maps(size), out(size);
  affine total = in[0];
  for (std::size_t i = 1; i < size; ++i) {
    total = compose{}(total, in[i]);
  }
  bool is_right = true;
  for (affine* const to : {out.data(), in.data()}) {
    const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::distribute<small_reduction>(
        storage, bytes, static_cast<const affine*>(in.data()), to, static_cast<index_type>(size), compose{}, nullptr);
    });
    is_right = is_right && ran && std::count(to, to + size, total) == static_cast<std::ptrdiff_t>(size);
  }
  return is_right;
}

/// Shares of up to two tiles.
struct small_split : small_tiles {
  static constexpr unsigned shares = 5;
  static constexpr unsigned share_tiles = 2;
  static constexpr std::int64_t most_items = 4000;
};

bool splits_all(std::size_t size)
{
  std::vector<unsigned char> flag(size);
  std::vector<std::uint32_t> in(size), out(size), right;
  for (std::size_t i = 0; i < size; ++i) {
    flag[i] = noise(7 * i) % 3 == 0;
    in[i] = noise(i);
  }
  for (const bool has_flag : {false, true}) {
    for (std::size_t i = 0; i < size; ++i) {
      if ((flag[i] != 0) == has_flag) {
        right.push_back(in[i]);
      }
    }
  }
  const unsigned char* const flags = flag.data();
  const auto counted = thrust::make_transform_iterator(flags, gimbal::functor::clear_as<index_type>{});
  const gimbal::algorithm::select_if_stencil<const unsigned char*, gimbal::functor::clear_as<bool>> falses{flags, {}};
  index_type count = 0;
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::split<small_split>(
      storage, bytes, static_cast<const std::uint32_t*>(in.data()), out.data(), static_cast<index_type>(size), counted,
      falses, &count, nullptr);
  });
  return ran && out == right && count == std::count(flags, flags + size, 0);
}

bool check(std::size_t size) { return expands(size) && splits(size) && distributes(2 * size) && splits_all(size); }

int main() { return run_schedules({1, 191, 192, 193, 1530}, check, 20); }
