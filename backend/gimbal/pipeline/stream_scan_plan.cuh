// A call of the kernel of stream_engine.cuh.
#pragma once

#include <gimbal/grid/retained_words.h>
#include <gimbal/tuning.h>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// One call of the kernel.
template <class Kernel>
struct stream_scan_plan {
  Kernel kernel;
  bool is_aligned;      // false: no item of the input starts at a multiple of 16 bytes, and the kernel cannot take it
  unsigned blocks = 0;  // 0: the device cannot run the kernel

  status find_room()
  {
    GIMBAL_TRY(simt::expected_blocks<Kernel>(blocks));
    return {};
  }

  /// Sets `is_taken` where the kernel takes such arguments and the device can run it.
  status launch_if_possible(launch_words& words, bool& is_taken)
  {
    GIMBAL_TRY(find_room());
    if (blocks == 0 || !(is_aligned || words.measures())) {
      return {};
    }
    is_taken = !words.measures();
    return launch(words);
  }

  /// After find_room(), which has found some.
  status launch(launch_words& words)
  {
    const unsigned shared = words.share_of(blocks, 1);
    blocks = shared < kernel.prefixes.tiles ? shared : kernel.prefixes.tiles;
    const std::size_t count = Kernel::server_type::word_count(blocks, Kernel::stages);
    kernel.prefixes.blocks = blocks;
    GIMBAL_TRY(words.take(count, kernel.prefixes.tag_count(1), "clearing of the words of a scan"));
    kernel.prefixes.words = words.words();
    kernel.prefixes.first_tag = words.first_tag();
    const unsigned patience = words.patience(tuning::team_patience(kernel.prefixes.tiles / blocks));
    kernel.team = {words.team_state(), patience};
    return words.launch(kernel, blocks, "scan");
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
