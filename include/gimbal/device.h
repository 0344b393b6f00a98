// The device-wide calls: CUB's names, parameters and two phases on gimbal's kernels. They share one backend entry per
// algorithm with the Thrust policy.
//
//   std::size_t bytes = 0;
//   gimbal::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count);
//   cudaMalloc(&storage, bytes);
//   gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out, count, stream);
//
// A call returns error_invalid_value, has launched and written nothing and leaves `bytes` as it was, for
//
//   num_items       below zero; of an unsigned type, 2^63 or more; so many that what a pointer names, or a sort stores, would have
//                   more than 2^60 bytes
//   bits            begin_bit < 0, end_bit < begin_bit, or end_bit beyond the key's bits; also where there are no items
//   pointers        null, to items that are read or written if num_items > 0, or to a result (`out` of a reduction,
//                   num_selected_out) that is written in any case. Not in a size query, and not of iterators that are no pointers
//   storage_bytes   less than the size query of the same call asked for
//
// Of these CUB checks the bytes of storage alone. A size query that returns success asks for at least one byte, so that storage for it
// is never null. Storage may have any alignment.
//
// A call uses its storage and no other memory: no pool, no pinned memory. So any may be the first of its process, and be captured
// into a graph, in every mode; the graph has kernels and memsets alone. Values that blocks of one launch exchange take words of 8
// bytes for each 4 of a value ("words" below): of each block where items are few, of each tile that the device has in flight where
// they are many, and of each tile on devices without bulk copies. Storage has room for them and is cleared before a launch that
// uses it. Streams that are not captured keep theirs, without clearing, in 1.75 MB of static device memory, which every module of
// the program that makes such calls has, as long as it lasts.
//
// What the kernels do not take is given to CUB's class of the same name, after the same checks: values above 128 bytes or not copied
// bytewise, and initial values that are a cub::FutureValue. Then storage, determinism, and what may overlap are as CUB says. For that
// include <cub/cub.cuh>, or CUB's header of that class: gimbal's includes none, as they take the compiler seconds. Without it, and on
// the host executor, which has no CUB, such a call does not compile.
#pragma once

#include <gimbal/cub/merge_sort.h>
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/scan.h>
#include <gimbal/cub/select.h>
