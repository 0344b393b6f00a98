// Sorts nearly sorted words by warps in registers: windows of 128 words, four to a lane, by odd-even transposition sort.
//
// If the words are short unsorted groups in ascending order, as many rounds as the largest group has words sort each. At the ends of a
// window, words get lost, one slot further in by every round, and groups are cut off: the window is right but for halo(rounds)
// slots at either side. So the windows that cover an array overlap.
#pragma once

#include <cuda/functional>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

struct window_sort {
  static constexpr unsigned lane_words = 4;
  static constexpr unsigned words = simt::warp_threads * lane_words;

  /// Slots at either side that are wrong after sorting groups of up to `most` words.
  static GIMBAL_HOST_DEVICE constexpr unsigned halo(unsigned most)
  {
    return (most + lane_words - 1) / lane_words * lane_words;
  }

  /// Whether the lane's words are right.
  template <class Context>
  static GIMBAL_DEVICE bool is_inside(const Context& ctx, unsigned halo)
  {
    return halo / lane_words <= ctx.lane() && ctx.lane() < simt::warp_threads - halo / lane_words;
  }

  template <class Context>
  static GIMBAL_DEVICE void sort(Context& ctx, simt::vector16& mine, unsigned most)
  {
    const auto order = [](unsigned& a, unsigned& b) {
      const unsigned least = ::cuda::minimum<unsigned>{}(a, b);
      b = ::cuda::maximum<unsigned>{}(a, b);
      a = least;
    };
    GIMBAL_NO_UNROLL
    for (unsigned round = 0; round < most; round += 2) {
      order(mine.word[0], mine.word[1]);
      order(mine.word[2], mine.word[3]);
      order(mine.word[1], mine.word[2]);
      const unsigned below = ctx.shfl_up(mine.word[3], 1);
      const unsigned above = ctx.shfl_down(mine.word[0], 1);
      mine.word[0] = ::cuda::maximum<unsigned>{}(mine.word[0], below);
      mine.word[3] = ::cuda::minimum<unsigned>{}(mine.word[3], above);
    }
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
