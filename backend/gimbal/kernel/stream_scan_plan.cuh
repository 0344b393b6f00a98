// A call of the kernel of stream_engine.cuh.
#pragma once

#include <gimbal/retained_words.h>

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// One call: the kernel, and on how many blocks. `blocks` is 0 where the device cannot run it.
template <class Kernel>
struct stream_scan_plan {
  Kernel kernel;
  bool is_aligned;  // false: no item of the input starts at a multiple of 16 bytes, and the kernel cannot take it
  unsigned blocks = 0;

  status find_room()
  {
    GIMBAL_TRY(simt::co_resident_blocks<Kernel>(blocks));
    blocks = blocks < kernel.prefixes.tiles ? blocks : kernel.prefixes.tiles;
    return {};
  }

  bool is_possible() const { return blocks > 0 && is_aligned; }

  status launch(simt::stream_type stream)
  {
    kernel.prefixes.blocks = blocks;
    launch_words words;
    GIMBAL_TRY(words.take(
      stream, Kernel::server_type::word_count(blocks, Kernel::stages), kernel.prefixes.tag_count(),
      "clearing of the words of a scan"));
    kernel.prefixes.words = words.words();
    kernel.prefixes.first_tag = words.first_tag();
    return simt::launch<simt::start::together>(kernel, blocks, stream, "scan");
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
