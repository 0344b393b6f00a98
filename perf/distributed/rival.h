// The obvious sort over several GPUs from stock parts, to compare with: CUB's radix sort of each part, splitters from a
// sample, one exchange by NCCL, Thrust's merges. It is not stable between ranks and does not keep counts: what it does
// less is in its favour.
#pragma once

#include <nccl.h>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>

#include <algorithm>
#include <cstddef>
#include <cub/device/device_radix_sort.cuh>
#include <stdexcept>
#include <vector>

namespace rival {

inline void check(cudaError_t code)
{
  if (code != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(code));
  }
}
inline void check(ncclResult_t code)
{
  if (code != ncclSuccess) {
    throw std::runtime_error(ncclGetErrorString(code));
  }
}

/// Memory that calls of one size share.
template <class Key>
class sample_sort {
public:
  static constexpr int samples = 256;  // a rank

  sample_sort(ncclComm_t comm, std::size_t n, cudaStream_t stream) : comm_(comm), n_(n), stream_(stream)
  {
    check(ncclCommCount(comm, &size_));
    check(ncclCommUserRank(comm, &rank_));
    sorted_.resize(n);
    received_.resize(n + n / 2 + 4096);  // splitters are not exact
    merged_.resize(received_.size());
    sample_.resize(samples);
    all_samples_.resize(static_cast<std::size_t>(samples * size_));
    counts_.resize(static_cast<std::size_t>(size_));
    all_counts_.resize(counts_.size() * counts_.size());
    check(cub::DeviceRadixSort::SortKeys(nullptr, bytes_, raw(sorted_), raw(sorted_), static_cast<long long>(n)));
    storage_.resize(bytes_);
  }

  /// Returns how many keys this rank has then.
  std::size_t operator()(const Key* keys)
  {
    const auto on_stream = thrust::cuda::par_nosync.on(stream_);
    check(cub::DeviceRadixSort::SortKeys(
      raw(storage_), bytes_, keys, raw(sorted_), static_cast<long long>(n_), 0, static_cast<int>(sizeof(Key) * 8),
      stream_));
    check(cudaMemcpy2DAsync(
      raw(sample_), sizeof(Key), raw(sorted_), n_ / samples * sizeof(Key), sizeof(Key), samples,
      cudaMemcpyDeviceToDevice, stream_));
    check(ncclAllGather(raw(sample_), raw(all_samples_), samples * sizeof(Key), ncclUint8, comm_, stream_));
    std::vector<Key> of_all(all_samples_.size());
    check(
      cudaMemcpyAsync(of_all.data(), raw(all_samples_), of_all.size() * sizeof(Key), cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    std::sort(of_all.begin(), of_all.end());

    std::vector<std::size_t> cuts = {0};
    std::vector<std::size_t> own_counts;
    for (int r = 1; r < size_; ++r) {
      const Key splitter = of_all[static_cast<std::size_t>(samples * r)];
      cuts.push_back(static_cast<std::size_t>(
        thrust::lower_bound(thrust::cuda::par.on(stream_), sorted_.begin(), sorted_.end(), splitter)
        - sorted_.begin()));
    }
    cuts.push_back(n_);
    for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
      own_counts.push_back(cuts[r + 1] - cuts[r]);
    }
    check(cudaMemcpyAsync(
      raw(counts_), own_counts.data(), own_counts.size() * sizeof(std::size_t), cudaMemcpyHostToDevice, stream_));
    check(
      ncclAllGather(raw(counts_), raw(all_counts_), counts_.size() * sizeof(std::size_t), ncclUint8, comm_, stream_));
    std::vector<std::size_t> counts(all_counts_.size());
    check(cudaMemcpyAsync(
      counts.data(), raw(all_counts_), counts.size() * sizeof(std::size_t), cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));

    std::vector<std::size_t> ends;
    std::size_t end = 0;
    check(ncclGroupStart());
    for (int r = 0; r < size_; ++r) {
      const auto peer = static_cast<std::size_t>(r);
      const std::size_t received = counts[peer * counts_.size() + static_cast<std::size_t>(rank_)];
      if (end + received > received_.size()) {
        throw std::runtime_error("the rival's sample has left one rank with too many keys");
      }
      check(ncclSend(raw(sorted_) + cuts[peer], own_counts[peer] * sizeof(Key), ncclUint8, r, comm_, stream_));
      check(ncclRecv(raw(received_) + end, received * sizeof(Key), ncclUint8, r, comm_, stream_));
      ends.push_back(end += received);
    }
    check(ncclGroupEnd());

    // Pairs of runs, from one array to the other.
    Key* from = raw(received_);
    Key* to = raw(merged_);
    while (ends.size() > 1) {
      std::vector<std::size_t> merged;
      std::size_t begin = 0;
      for (std::size_t r = 0; r < ends.size(); r += 2) {
        const std::size_t middle = ends[r];
        const std::size_t last = ends[(std::min)(r + 1, ends.size() - 1)];
        thrust::merge(on_stream, from + begin, from + middle, from + middle, from + last, to + begin);
        merged.push_back(begin = last);
      }
      ends = merged;
      std::swap(from, to);
    }
    check(cudaStreamSynchronize(stream_));
    return end;
  }

private:
  template <class T>
  static T* raw(thrust::device_vector<T>& vector)
  {
    return thrust::raw_pointer_cast(vector.data());
  }

  ncclComm_t comm_;
  std::size_t n_;
  cudaStream_t stream_;
  int size_ = 1;
  int rank_ = 0;
  std::size_t bytes_ = 0;
  thrust::device_vector<Key> sorted_;
  thrust::device_vector<Key> received_;
  thrust::device_vector<Key> merged_;
  thrust::device_vector<Key> sample_;
  thrust::device_vector<Key> all_samples_;
  thrust::device_vector<std::size_t> counts_;
  thrust::device_vector<std::size_t> all_counts_;
  thrust::device_vector<char> storage_;
};

}  // namespace rival
