// The device-wide calls: all of CUB's, by its names, parameters and phases, on gimbal's kernels where it has them. They
// share one backend entry per algorithm with the Thrust policy. Code for CUB's calls runs with `gimbal::` instead of
// `cub::`.
//
//   std::size_t bytes = 0;
//   gimbal::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, count);
//   cudaMalloc(&storage, bytes);
//   gimbal::DeviceScan::ExclusiveSum(storage, bytes, in, out, count, stream);
//
//   gimbal::DeviceScan::ExclusiveSum(in, out, count, stream);  // in one phase: storage from the pool or environment
//
// Where CUB takes a stream, a call takes a cudaStream_t or what converts to a cuda::stream_ref; where it takes an
// environment (CCCL 3.5 and newer), the same: environment.h describes what becomes of what one holds.
//
//   gimbal's kernels     DeviceFind::FindIf, DeviceMergeSort, DevicePartition, DeviceRadixSort, DeviceReduce,
//                        DeviceRunLengthEncode, DeviceScan, DeviceSegmentedScan, DeviceSelect; with every CCCL, and on
//                        the host executor (but not three-way partitions and nontrivial runs, which are CUB's)
//   CUB's own            DeviceAdjacentDifference, DeviceCopy, DeviceFor, DeviceHistogram, DeviceMemcpy, DeviceMerge,
//                        DeviceSegmentedRadixSort, DeviceSegmentedReduce, DeviceSegmentedSort, DeviceTransform,
//                        DevicePartition into three outputs, and where the CCCL in use has them DeviceBatchedTopK,
//                        DeviceTopK and DeviceFind's searches of sorted ranges
//   CUB's types          types.h
//
// Each class has a header of its own, gimbal/cub/<class>.h, named as CUB's; this one includes all. What follows is
// about the calls on gimbal's kernels.
//
// A call returns error_invalid_value, has launched and written nothing and leaves `bytes` as it was, for
//
//   num_items       below zero; of an unsigned type, 2^63 or more; so many that what a pointer names, or a sort stores,
//                   would have more than 2^60 bytes
//   bits            begin_bit < 0, end_bit < begin_bit, or end_bit beyond the key's bits; also where there are no items
//   pointers        null, to items that are read or written if num_items > 0, or to a result (`out` of a reduction,
//                   num_selected_out) that is written in any case. Not in a size query, and not of iterators
//                   that are no pointers
//   storage_bytes   less than the size query of the same call returned
//
// Of these CUB checks only the bytes of storage. A size query that returns success gives at least one byte, so that
// storage for it is never null. Storage may have any alignment.
//
// A call in two phases uses its storage and no other memory: no pool, no pinned memory. So any may be the first of its
// process, and be captured into a graph, in every mode; the graph has only kernels and memsets. Values that blocks of
// one launch exchange take 8 bytes for each 4 of a value ("tile states" below): one state for each block where items
// are few, for each tile that the device has in flight where they are many, and for each tile on devices without bulk
// copies. Storage has room for them and is cleared before a launch that uses it. Streams that are not captured keep
// theirs, without clearing, in 1.75 MB of static device memory, which every module of the program that makes such calls
// has, as long as it lasts.
//
// What the kernels do not take is given to CUB's class of the same name, by the same overload and after the same
// checks: values above 128 bytes or not copied bytewise, iterators without random access, keys of radix sorts that CUB
// knows by its traits, arguments that the host does not know yet, and environments that request tunings or more
// determinism than there is (call.h has the list). Then storage, determinism, and what may overlap are as in CUB. The
// host executor has no CUB: such a call does not compile there.
#pragma once

#include <gimbal/cub/adjacent_difference.h>
#include <gimbal/cub/batched_topk.h>
#include <gimbal/cub/copy.h>
#include <gimbal/cub/environment.h>
#include <gimbal/cub/find.h>
#include <gimbal/cub/for.h>
#include <gimbal/cub/histogram.h>
#include <gimbal/cub/memcpy.h>
#include <gimbal/cub/merge.h>
#include <gimbal/cub/merge_sort.h>
#include <gimbal/cub/partition.h>
#include <gimbal/cub/radix_sort.h>
#include <gimbal/cub/reduce.h>
#include <gimbal/cub/run_length_encode.h>
#include <gimbal/cub/scan.h>
#include <gimbal/cub/segmented_radix_sort.h>
#include <gimbal/cub/segmented_reduce.h>
#include <gimbal/cub/segmented_scan.h>
#include <gimbal/cub/segmented_sort.h>
#include <gimbal/cub/select.h>
#include <gimbal/cub/topk.h>
#include <gimbal/cub/transform.h>
#include <gimbal/cub/types.h>
