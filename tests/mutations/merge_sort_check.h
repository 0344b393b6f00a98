// Keys and values for checks of merge sorts: keys of which several are equivalent, and the order that std::stable_sort
// gives.
#pragma once

#include <algorithm>
#include <gimbal/algorithm/merge_sort/merge_sort.cuh>
#include <numeric>

#include "check.h"

namespace algorithm = gimbal::algorithm;

struct by_high_half {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a >> 16 < b >> 16; }
};

/// `is_in_place`: the outputs are the inputs.
struct pairs_to_sort {
  using words = std::vector<std::uint32_t>;

  explicit pairs_to_sort(std::size_t size, bool is_in_place = false)
      : keys(size),
        values(size),
        keys_buffer(size),
        values_buffer(size),
        keys_out_(is_in_place ? 0 : size),
        values_out_(is_in_place ? 0 : size)
  {
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = (noise(i) % 300) << 16 | (noise(i + size) & 0xffff);
    }
    std::iota(values.begin(), values.end(), 0u);
    sorted_values_ = values;
    std::stable_sort(sorted_values_.begin(), sorted_values_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return by_high_half{}(keys[a], keys[b]);
    });
    for (const std::uint32_t from : sorted_values_) {
      sorted_keys_.push_back(keys[from]);
    }
  }

  auto key_array()
  {
    return algorithm::make_sort_array(keys.data(), out_of(keys_out_, keys).data(), keys_buffer.data());
  }
  auto value_array()
  {
    return algorithm::make_sort_array(values.data(), out_of(values_out_, values).data(), values_buffer.data());
  }
  bool are_sorted() { return out_of(keys_out_, keys) == sorted_keys_ && out_of(values_out_, values) == sorted_values_; }

  words keys, values, keys_buffer, values_buffer;

private:
  static words& out_of(words& out, words& in) { return out.empty() ? in : out; }

  words keys_out_, values_out_, sorted_keys_, sorted_values_;
};
