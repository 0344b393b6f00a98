// Compiles every method of CUB's device-wide calls, once for each overload, by one text that compiles in both
// namespaces: CALLS is gimbal or cub.
#include <gimbal/device.h>

#include <cub/cub.cuh>
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/tuple>

#include "operators.h"

#ifndef CALLS
#define CALLS gimbal
#endif

namespace surface {

using compiles::is_odd;
using compiles::less;

struct plus {
  GIMBAL_HOST_DEVICE int operator()(int x, int y) const { return x + y; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return 2 * x; }
};
struct ignores {
  template <class... All>
  GIMBAL_HOST_DEVICE void operator()(All&&...) const
  {
  }
};
struct record {
  short group;
  short rank;
};
struct members {
  GIMBAL_HOST_DEVICE ::cuda::std::tuple<short&, short&> operator()(record& r) const { return {r.group, r.rank}; }
};

/// What calls are given: memory, counts, and where segments begin and end.
struct given {
  void* storage;
  std::size_t bytes;
  int* in;
  int* out;
  int* values_in;
  int* values_out;
  int* number;
  int* begins;
  int* ends;
  record* records;
  record* records_out;
  int** arrays;
  CALLS::KeyValuePair<int, int>* place;
  int n;
  int segments;
  cudaStream_t stream;
};

cudaError_t element_wise(given& g)
{
  using namespace CALLS;
  using ::cuda::std::tuple;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  cudaError_t all[] = {
    DeviceAdjacentDifference::SubtractLeft(s, b, g.in, g.n),
    DeviceAdjacentDifference::SubtractLeftCopy(s, b, g.in, g.out, g.n),
    DeviceAdjacentDifference::SubtractRight(s, b, g.in, g.n, plus{}, g.stream),
    DeviceAdjacentDifference::SubtractRightCopy(s, b, g.in, g.out, g.n),
    DeviceCopy::Batched(s, b, g.arrays, g.arrays, g.number, 3),
    DeviceMemcpy::Batched(s, b, g.arrays, g.arrays, g.number, 3),
    DeviceFor::Bulk(g.n, ignores{}),
    DeviceFor::Bulk(s, b, g.n, ignores{}),
    DeviceFor::ForEach(g.in, g.in + g.n, ignores{}),
    DeviceFor::ForEach(s, b, g.in, g.in + g.n, ignores{}),
    DeviceFor::ForEachCopy(g.in, g.in + g.n, ignores{}),
    DeviceFor::ForEachCopy(s, b, g.in, g.in + g.n, ignores{}),
    DeviceFor::ForEachCopyN(g.in, g.n, ignores{}),
    DeviceFor::ForEachCopyN(s, b, g.in, g.n, ignores{}),
    DeviceFor::ForEachN(g.in, g.n, ignores{}, g.stream),
    DeviceFor::ForEachN(s, b, g.in, g.n, ignores{}),
    DeviceFor::ForEachInExtents(::cuda::std::extents<int, 2, 3>{}, ignores{}),
    DeviceFor::ForEachInExtents(s, b, ::cuda::std::extents<int, 2, 3>{}, ignores{}),
    DeviceTransform::Transform(g.in, g.out, g.n, twice{}),
    DeviceTransform::Transform(s, b, g.in, g.out, g.n, twice{}),
    DeviceTransform::Transform(tuple<int*, int*>{g.in, g.in}, g.out, g.n, plus{}),
    DeviceTransform::Transform(s, b, tuple<int*, int*>{g.in, g.in}, g.out, g.n, plus{}),
    DeviceTransform::TransformStableArgumentAddresses(g.in, g.out, g.n, twice{}),
    DeviceTransform::TransformStableArgumentAddresses(s, b, g.in, g.out, g.n, twice{}),
    DeviceTransform::TransformStableArgumentAddresses(tuple<int*, int*>{g.in, g.in}, g.out, g.n, plus{}),
    DeviceTransform::TransformStableArgumentAddresses(s, b, tuple<int*, int*>{g.in, g.in}, g.out, g.n, plus{})};
  return all[0];
}

cudaError_t histograms_and_merges(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  const ::cuda::std::array<int*, 3> counts{g.out, g.out, g.out};
  const ::cuda::std::array<int, 3> levels{5, 5, 5};
  const ::cuda::std::array<int, 3> bounds{0, 0, 9};
  const ::cuda::std::array<const int*, 3> steps{g.number, g.number, g.number};
  const std::size_t row = 4 * static_cast<std::size_t>(g.n);
  cudaError_t all[] = {
    DeviceHistogram::HistogramEven(s, b, g.in, g.out, 5, 0, 9, g.n),
    DeviceHistogram::HistogramEven(s, b, g.in, g.out, 5, 0, 9, g.n, 1, row),
    DeviceHistogram::HistogramRange(s, b, g.in, g.out, 5, g.number, g.n),
    DeviceHistogram::HistogramRange(s, b, g.in, g.out, 5, g.number, g.n, 1, row),
    DeviceHistogram::MultiHistogramEven<4, 3>(s, b, g.in, counts, levels, bounds, bounds, g.n),
    DeviceHistogram::MultiHistogramEven<4, 3>(s, b, g.in, counts, levels, bounds, bounds, g.n, 1, row),
    DeviceHistogram::MultiHistogramRange<4, 3>(s, b, g.in, counts, levels, steps, g.n),
    DeviceHistogram::MultiHistogramRange<4, 3>(s, b, g.in, counts, levels, steps, g.n, 1, row),
    DeviceMerge::MergeKeys(s, b, g.in, g.n, g.values_in, g.n, g.out),
    DeviceMerge::MergePairs(s, b, g.in, g.in, g.n, g.in, g.in, g.n, g.out, g.values_out, less{}, g.stream)};
  return all[0];
}

cudaError_t reductions(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  cudaError_t all[] = {
    DeviceReduce::Reduce(s, b, g.in, g.out, g.n, plus{}, 1),
    DeviceReduce::Sum(s, b, g.in, g.out, g.n, g.stream),
    DeviceReduce::Min(s, b, g.in, g.out, g.n),
    DeviceReduce::Max(s, b, g.in, g.out, g.n),
    DeviceReduce::ArgMin(s, b, g.in, g.out, g.number, g.n),
    DeviceReduce::ArgMax(s, b, g.in, g.out, g.number, g.n),
    DeviceReduce::TransformReduce(s, b, g.in, g.out, g.n, plus{}, twice{}, 1),
    DeviceReduce::ReduceByKey(s, b, g.in, g.out, g.values_in, g.values_out, g.number, plus{}, g.n),
    DeviceRunLengthEncode::Encode(s, b, g.in, g.out, g.values_out, g.number, g.n),
    DeviceRunLengthEncode::NonTrivialRuns(s, b, g.in, g.out, g.values_out, g.number, g.n, g.stream),
    DeviceSegmentedReduce::Reduce(s, b, g.in, g.out, g.segments, g.begins, g.ends, plus{}, 1),
    DeviceSegmentedReduce::Sum(s, b, g.in, g.out, g.segments, g.begins, g.ends),
    DeviceSegmentedReduce::Min(s, b, g.in, g.out, g.segments, g.begins, g.ends),
    DeviceSegmentedReduce::Max(s, b, g.in, g.out, g.segments, g.begins, g.ends),
    DeviceSegmentedReduce::ArgMin(s, b, g.in, g.place, g.segments, g.begins, g.ends),
    DeviceSegmentedReduce::ArgMax(s, b, g.in, g.place, g.segments, g.begins, g.ends)};
  return all[0];
}

cudaError_t scans(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  const FutureValue<int> later(g.number);
  cudaError_t all[] = {
    DeviceScan::ExclusiveSum(s, b, g.in, g.out, g.n),
    DeviceScan::ExclusiveSum(s, b, g.in, g.n, g.stream),
    DeviceScan::ExclusiveScan(s, b, g.in, g.out, plus{}, 1, g.n),
    DeviceScan::ExclusiveScan(s, b, g.in, plus{}, 1, g.n),
    DeviceScan::ExclusiveScan(s, b, g.in, g.out, plus{}, later, g.n),
    DeviceScan::ExclusiveScan(s, b, g.in, plus{}, later, g.n),
    DeviceScan::InclusiveSum(s, b, g.in, g.out, g.n),
    DeviceScan::InclusiveSum(s, b, g.in, g.n),
    DeviceScan::InclusiveScan(s, b, g.in, g.out, plus{}, g.n),
    DeviceScan::InclusiveScan(s, b, g.in, plus{}, g.n),
    DeviceScan::InclusiveScanInit(s, b, g.in, g.out, plus{}, 1, g.n),
    DeviceScan::ExclusiveSumByKey(s, b, g.in, g.values_in, g.out, g.n),
    DeviceScan::ExclusiveScanByKey(s, b, g.in, g.values_in, g.out, plus{}, 1, g.n),
    DeviceScan::InclusiveSumByKey(s, b, g.in, g.values_in, g.out, g.n),
    DeviceScan::InclusiveScanByKey(s, b, g.in, g.values_in, g.out, plus{}, g.n)};
  return all[0];
}

cudaError_t selections(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  cudaError_t all[] = {
    DeviceSelect::Flagged(s, b, g.in, g.values_in, g.out, g.number, g.n),
    DeviceSelect::Flagged(s, b, g.in, g.values_in, g.number, g.n),
    DeviceSelect::If(s, b, g.in, g.out, g.number, g.n, is_odd{}),
    DeviceSelect::If(s, b, g.in, g.number, g.n, is_odd{}, g.stream),
    DeviceSelect::FlaggedIf(s, b, g.in, g.values_in, g.out, g.number, g.n, is_odd{}),
    DeviceSelect::FlaggedIf(s, b, g.in, g.values_in, g.number, g.n, is_odd{}),
    DeviceSelect::Unique(s, b, g.in, g.out, g.number, g.n),
    DeviceSelect::UniqueByKey(s, b, g.in, g.values_in, g.out, g.values_out, g.number, g.n),
    DeviceSelect::UniqueByKey(s, b, g.in, g.values_in, g.out, g.values_out, g.number, g.n, ::cuda::std::equal_to<>{}),
    DevicePartition::Flagged(s, b, g.in, g.values_in, g.out, g.number, g.n),
    DevicePartition::If(s, b, g.in, g.out, g.number, g.n, is_odd{}),
    DevicePartition::If(s, b, g.in, g.out, g.values_out, g.values_in, g.number, g.n, is_odd{}, is_odd{})};
  return all[0];
}

cudaError_t merge_sorts(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  cudaError_t all[] = {
    DeviceMergeSort::SortKeys(s, b, g.in, g.n, less{}),
    DeviceMergeSort::SortKeysCopy(s, b, g.in, g.out, g.n, less{}),
    DeviceMergeSort::SortPairs(s, b, g.in, g.values_in, g.n, less{}, g.stream),
    DeviceMergeSort::SortPairsCopy(s, b, g.in, g.values_in, g.out, g.values_out, g.n, less{}),
    DeviceMergeSort::StableSortKeys(s, b, g.in, g.n, less{}),
    DeviceMergeSort::StableSortKeysCopy(s, b, g.in, g.out, g.n, less{}),
    DeviceMergeSort::StableSortPairs(s, b, g.in, g.values_in, g.n, less{})};
  return all[0];
}

cudaError_t radix_sorts(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  DoubleBuffer keys(g.in, g.out);
  DoubleBuffer values(g.values_in, g.values_out);
  DoubleBuffer records(g.records, g.records_out);
  const members of{};
  cudaError_t all[] = {
    DeviceRadixSort::SortKeys(s, b, g.in, g.out, g.n),
    DeviceRadixSort::SortKeys(s, b, keys, g.n, 0, 8),
    DeviceRadixSort::SortKeys(s, b, g.records, g.records_out, g.n, of),
    DeviceRadixSort::SortKeys(s, b, g.records, g.records_out, g.n, of, 0, 20),
    DeviceRadixSort::SortKeys(s, b, records, g.n, of),
    DeviceRadixSort::SortKeys(s, b, records, g.n, of, 0, 20),
    DeviceRadixSort::SortKeysDescending(s, b, g.in, g.out, g.n, 0, 8, g.stream),
    DeviceRadixSort::SortKeysDescending(s, b, keys, g.n),
    DeviceRadixSort::SortKeysDescending(s, b, g.records, g.records_out, g.n, of),
    DeviceRadixSort::SortKeysDescending(s, b, g.records, g.records_out, g.n, of, 0, 20),
    DeviceRadixSort::SortKeysDescending(s, b, records, g.n, of),
    DeviceRadixSort::SortKeysDescending(s, b, records, g.n, of, 0, 20),
    DeviceRadixSort::SortPairs(s, b, g.in, g.out, g.values_in, g.values_out, g.n),
    DeviceRadixSort::SortPairs<int, int, int>(s, b, g.in, g.out, g.values_in, g.values_out, g.n),
    DeviceRadixSort::SortPairs(s, b, keys, values, g.n),
    DeviceRadixSort::SortPairs(s, b, g.records, g.records_out, g.values_in, g.values_out, g.n, of),
    DeviceRadixSort::SortPairs(s, b, g.records, g.records_out, g.values_in, g.values_out, g.n, of, 0, 20, g.stream),
    DeviceRadixSort::SortPairs(s, b, records, values, g.n, of),
    DeviceRadixSort::SortPairs(s, b, records, values, g.n, of, 0, 20),
    DeviceRadixSort::SortPairsDescending(s, b, g.in, g.out, g.values_in, g.values_out, g.n),
    DeviceRadixSort::SortPairsDescending(s, b, keys, values, g.n, 0, 8),
    DeviceRadixSort::SortPairsDescending(s, b, g.records, g.records_out, g.values_in, g.values_out, g.n, of),
    DeviceRadixSort::SortPairsDescending(s, b, g.records, g.records_out, g.values_in, g.values_out, g.n, of, 0, 20),
    DeviceRadixSort::SortPairsDescending(s, b, records, values, g.n, of),
    DeviceRadixSort::SortPairsDescending(s, b, records, values, g.n, of, 0, 20)};
  return all[0];
}

/// The sorts of segments, which are of one form.
template <class Calls>
cudaError_t segmented(given& g, Calls, CALLS::DoubleBuffer<int>& keys, CALLS::DoubleBuffer<int>& values)
{
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  cudaError_t all[] = {
    Calls::SortKeys(s, b, g.in, g.out, g.n, g.segments, g.begins, g.ends),
    Calls::SortKeys(s, b, keys, g.n, g.segments, g.begins, g.ends),
    Calls::SortKeysDescending(s, b, g.in, g.out, g.n, g.segments, g.begins, g.ends),
    Calls::SortKeysDescending(s, b, keys, g.n, g.segments, g.begins, g.ends),
    Calls::SortPairs(s, b, g.in, g.out, g.values_in, g.values_out, g.n, g.segments, g.begins, g.ends),
    Calls::SortPairs(s, b, keys, values, g.n, g.segments, g.begins, g.ends),
    Calls::SortPairsDescending(s, b, g.in, g.out, g.values_in, g.values_out, g.n, g.segments, g.begins, g.ends),
    Calls::SortPairsDescending(s, b, keys, values, g.n, g.segments, g.begins, g.ends)};
  return all[0];
}

cudaError_t segmented_sorts(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  DoubleBuffer keys(g.in, g.out);
  DoubleBuffer values(g.values_in, g.values_out);
  cudaError_t all[] = {
    segmented(g, DeviceSegmentedRadixSort{}, keys, values),
    segmented(g, DeviceSegmentedSort{}, keys, values),
    DeviceSegmentedSort::StableSortKeys(s, b, g.in, g.out, g.n, g.segments, g.begins, g.ends),
    DeviceSegmentedSort::StableSortKeysDescending(s, b, keys, g.n, g.segments, g.begins, g.ends),
    DeviceSegmentedSort::StableSortPairs(
      s, b, g.in, g.out, g.values_in, g.values_out, g.n, g.segments, g.begins, g.ends),
    DeviceSegmentedSort::StableSortPairsDescending(s, b, keys, values, g.n, g.segments, g.begins, g.ends)};
  return all[0];
}

#if __has_include(<cub/device/device_segmented_scan.cuh>)
cudaError_t newer(given& g)
{
  using namespace CALLS;
  void* const s = g.storage;
  std::size_t& b = g.bytes;
  cudaError_t all[] = {
    DeviceSegmentedScan::ExclusiveSegmentedSum(s, b, g.in, g.out, g.begins, g.ends, g.segments),
    DeviceSegmentedScan::InclusiveSegmentedSum(s, b, g.in, g.out, g.begins, g.ends, g.begins, g.segments),
    DeviceSegmentedScan::ExclusiveSegmentedScan(s, b, g.in, g.out, g.begins, g.ends, g.segments, plus{}, 1),
    DeviceSegmentedScan::InclusiveSegmentedScan(s, b, g.in, g.out, g.begins, g.ends, g.begins, g.segments, plus{}),
    DeviceSegmentedScan::InclusiveSegmentedScanInit(s, b, g.in, g.out, g.begins, g.ends, g.segments, plus{}, 1),
    DeviceFind::FindIf(s, b, g.in, g.number, is_odd{}, g.n),
    DeviceFind::LowerBound(s, b, g.in, g.n, g.values_in, g.n, g.out, less{}),
    DeviceFind::UpperBound(s, b, g.in, g.n, g.values_in, g.n, g.out, less{}),
    DeviceMergeSort::SortKeys(g.in, g.n, less{}),
    DeviceRadixSort::SortPairs(g.in, g.out, g.values_in, g.values_out, g.n),
    DeviceRadixSort::SortKeys(g.records, g.records_out, g.n, members{}),
    DeviceRunLengthEncode::Encode(g.in, g.out, g.values_out, g.number, g.n),
    DeviceReduce::Sum(g.in, g.out, g.n),
    DeviceScan::ExclusiveSum(g.in, g.out, g.n),
    DeviceSelect::Unique(g.in, g.out, g.number, g.n),
    DeviceTransform::Fill(g.out, g.n, 1)};
  return all[0];
}
#endif

}  // namespace surface
