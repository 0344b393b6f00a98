#include <gimbal/algorithm/scan_vector/scan_vector.cuh>

#include "check.h"

using gimbal::index_type;

struct small_tiles {
  static constexpr unsigned block_threads = 64;
  static constexpr unsigned items_per_thread = 3;
};

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
  const gimbal::status ran = gimbal::algorithm::expand<small_tiles>(
    offsets.data(), static_cast<index_type>(offsets.size()), static_cast<index_type>(size), keep_segment{out.data()},
    nullptr);
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
  using move = gimbal::functor::move_to<const std::uint32_t*, std::uint32_t*>;
  const bool ran = run_with_storage([&](void* storage, std::size_t& bytes) {
    return gimbal::algorithm::segmented_split(
      storage, bytes, gimbal::heads_from_flags<const unsigned char*>{head.data()},
      gimbal::heads_from_flags<const unsigned char*>{back_head.data()}, static_cast<const unsigned char*>(flag.data()),
      static_cast<index_type>(size), move{in.data(), out.data()}, nullptr);
  });
  return ran && out == right;
}

bool check(std::size_t size) { return expands(size) && splits(size); }

int main() { return run_schedules({1, 191, 192, 193, 1530}, check, 20); }
