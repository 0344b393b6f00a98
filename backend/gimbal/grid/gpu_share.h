// How much of a GPU a launch should take that could take all of it.
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

/// In how many shares streams that work at the same time divide a GPU. Blocks that fill their multiprocessors, and wait for each
/// other, would have to wait for those of other streams to end. Halves and fourths only: shares of other sizes would leave
/// multiprocessors between them.
inline unsigned gpu_shares(unsigned active_streams) { return active_streams <= 1 ? 1 : active_streams == 2 ? 2 : 4; }

/// Of as many blocks as the device runs at the same time, those of a launch on `stream`.
inline unsigned share_of_gpu(unsigned blocks, simt::stream_type stream)
{
  const unsigned shares = gpu_shares(simt::active_streams(stream));
  return blocks < shares ? blocks : blocks / shares;
}

GIMBAL_NAMESPACE_END
