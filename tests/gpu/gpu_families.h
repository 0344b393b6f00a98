// A device-wide call of each family, with what has to hold of its results: checked on the GPU, place by place.
#pragma once

#include <gimbal/device.h>
#include <thrust/iterator/transform_iterator.h>

#include <gimbal/algorithm/select/partition.cuh>
#include <numeric>

#include "support.h"

namespace families {

struct arrays {
  unsigned* in;
  unsigned* positions;  // 0, 1, ...
  unsigned* out;
  unsigned* positions_out;
  long long* count;  // and one behind it
  long long n;
};

/// Counts what is wrong, and adds up what must cancel out over all items.
struct findings {
  unsigned long long wrong;
  unsigned balance;

  __device__ void expect(bool is_right) { atomicAdd(&wrong, is_right ? 0ull : 1ull); }
  __device__ void add(unsigned amount) { atomicAdd(&balance, amount); }
};

struct is_odd {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};
struct is_less {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l < r; }
};
struct same_run {
  __host__ __device__ bool operator()(unsigned l, unsigned r) const { return l >> 8 == r >> 8; }
};

// Of each family the call, and what has to hold of its results at place i.

struct reduce {
  static constexpr bool grows = false;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceReduce::Sum(storage, bytes, a.in, a.out, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.add(a.in[i] - (i == 0 ? a.out[0] : 0));
  }
};

struct scan {
  static constexpr bool grows = false;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceScan::ExclusiveSum(storage, bytes, a.in, a.out, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(a.out[i] == (i == 0 ? 0 : a.out[i - 1] + a.in[i - 1]));
  }
};

struct scan_by_key {
  static constexpr bool grows = true;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceScan::ExclusiveSumByKey(storage, bytes, a.in, a.in, a.out, a.n, same_run{}, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    const bool is_head = i == 0 || !same_run{}(a.in[i - 1], a.in[i]);
    found.expect(a.out[i] == (is_head ? 0 : a.out[i - 1] + a.in[i - 1]));
  }
};

// Items grow with their place: what grows in the output, too, and is as many of a kind as there are, is all of that
// kind, in order.

struct select {
  static constexpr bool grows = true;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceSelect::If(storage, bytes, a.in, a.out, a.count, a.n, is_odd{}, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    if (i < *a.count) {
      found.expect(a.out[i] % 2 != 0 && (i == 0 || a.out[i - 1] < a.out[i]));
      found.add(0u - 1u);
    }
    found.add(a.in[i] % 2);
  }
};

struct partition {
  static constexpr bool grows = true;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DevicePartition::If(storage, bytes, a.in, a.out, a.count, a.n, is_odd{}, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    select::check(a, i, found);
    if (i >= *a.count) {  // rejected items, from the end backwards
      found.expect(a.out[i] % 2 == 0 && (i == *a.count || a.out[i - 1] > a.out[i]));
    }
  }
};

struct sort {
  static constexpr bool grows = false;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceRadixSort::SortKeys(storage, bytes, a.in, a.out, a.n, 0, 32, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(i == 0 || a.out[i - 1] <= a.out[i]);
    found.add(a.out[i] - a.in[i]);
  }
};

struct sort_pairs {
  static constexpr bool grows = false;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceRadixSort::SortPairs(
      storage, bytes, a.in, a.out, a.positions, a.positions_out, a.n, 0, 32, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    sort::check(a, i, found);
    const unsigned position = a.positions_out[i];
    found.expect(position < a.n && a.in[position] == a.out[i]);
    found.expect(i == 0 || a.out[i - 1] < a.out[i] || a.positions_out[i - 1] < position);
  }
};

struct merge_sort : sort {
  static constexpr bool grows = false;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceMergeSort::SortKeysCopy(storage, bytes, a.in, a.out, a.n, is_less{}, on);
  }
};

struct transform_reduce {
  static constexpr bool grows = false;  // items, with their place
  struct thrice {
    __host__ __device__ unsigned operator()(unsigned x) const { return 3 * x; }
  };
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceReduce::TransformReduce(
      storage, bytes, a.in, a.out, a.n, ::cuda::std::plus<>{}, thrice{}, 5u, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.add(3 * a.in[i] - (i == 0 ? a.out[0] - 5 : 0));
  }
};

struct arg_max {
  static constexpr bool grows = false;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceReduce::ArgMax(storage, bytes, a.in, a.out, a.count, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(a.in[i] < *a.out || (a.in[i] == *a.out && i >= *a.count));
    found.expect(*a.count < a.n && a.in[*a.count] == *a.out);
  }
};

struct reduce_by_key {
  static constexpr bool grows = true;  // items, with their place
  struct run_of {
    __host__ __device__ unsigned operator()(unsigned x) const { return x >> 8; }
  };
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceReduce::ReduceByKey(
      storage, bytes, thrust::make_transform_iterator(a.in, run_of{}), a.out, a.in, a.positions_out, a.count,
      ::cuda::std::plus<>{}, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.add(a.in[i]);
    if (i < *a.count) {
      found.expect(a.out[i] == i);  // runs are of 128 items
      found.add(0u - a.positions_out[i]);
    }
    found.expect(*a.count == (a.n + 127) / 128);
  }
};

struct run_length_encode {
  static constexpr bool grows = true;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    const auto runs = thrust::make_transform_iterator(a.in, reduce_by_key::run_of{});
    return gimbal::DeviceRunLengthEncode::Encode(storage, bytes, runs, a.out, a.positions_out, a.count, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    const long long runs = (a.n + 127) / 128;  // runs are of 128 items
    found.expect(*a.count == runs);
    if (i < runs) {
      found.expect(a.out[i] == i && a.positions_out[i] == (i + 1 < runs ? 128 : a.n - 128 * i));
    }
  }
};

struct nontrivial_runs {
  static constexpr bool grows = true;  // items, with their place
  struct halves_alone {                // the first half of each run of 128 items are single items
    __host__ __device__ unsigned operator()(unsigned x) const { return (x >> 7) % 2 == 0 ? x >> 1 : x | 127; }
  };
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    const auto runs = thrust::make_transform_iterator(a.in, halves_alone{});
    return gimbal::DeviceRunLengthEncode::NonTrivialRuns(
      storage, bytes, runs, a.out, a.positions_out, a.count, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    const long long in_full = a.n / 128, left = a.n % 128;  // runs begin in the middle of each 128
    const long long runs = in_full + (left > 64 + 1);
    found.expect(*a.count == runs);
    if (i < runs) {
      found.expect(a.out[i] == 128 * i + 64 && a.positions_out[i] == (i < in_full ? 64 : left - 64));
    }
  }
};

/// Segments of 100 items.
struct segmented_scan {
  static constexpr bool grows = false;  // items, with their place
  struct begin_of {
    __host__ __device__ long long operator()(long long segment) const { return 100 * segment; }
  };
  struct end_of {
    long long n;
    __host__ __device__ long long operator()(long long segment) const
    {
      const long long end = 100 * (segment + 1);
      return end < n ? end : n;
    }
  };
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    const thrust::counting_iterator<long long> segments(0);
    return gimbal::DeviceSegmentedScan::ExclusiveSegmentedSum(
      storage, bytes, a.in, a.out, thrust::make_transform_iterator(segments, begin_of{}),
      thrust::make_transform_iterator(segments, end_of{a.n}), (a.n + 99) / 100, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(a.out[i] == (i % 100 == 0 ? 0 : a.out[i - 1] + a.in[i - 1]));
  }
};

struct find_if {
  static constexpr bool grows = true;  // items, with their place
  struct is_late {
    long long n;
    __host__ __device__ bool operator()(unsigned x) const { return is_odd{}(x) && x >= n; }
  };
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceFind::FindIf(storage, bytes, a.in, a.count, is_late{a.n}, a.n, on);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    const is_late holds{a.n};
    found.expect(i < *a.count ? !holds(a.in[i]) : i > *a.count || holds(a.in[i]));
  }
};

/// Keys of two fields.
struct sort_decomposed {
  static constexpr bool grows = false;  // items, with their place
  struct fields {
    unsigned short low, high;
  };
  struct low_first {
    __host__ __device__ ::cuda::std::tuple<unsigned short&, unsigned short&> operator()(fields& f) const
    {
      return {f.low, f.high};
    }
  };
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    return gimbal::DeviceRadixSort::SortKeys(
      storage, bytes, reinterpret_cast<const fields*>(a.in), reinterpret_cast<fields*>(a.out), a.n, low_first{}, on);
  }
  __device__ static unsigned in_order(unsigned x) { return x << 16 | x >> 16; }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    found.expect(i == 0 || in_order(a.out[i - 1]) <= in_order(a.out[i]));
    found.add(a.out[i] - a.in[i]);
  }
};

// In place: a copy first.

struct partition_in_place {
  static constexpr bool grows = true;  // items, with their place
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    if (storage != nullptr) {
      test::check_cuda(cudaMemcpyAsync(a.out, a.in, a.n * sizeof(unsigned), cudaMemcpyDeviceToDevice, on));
    }
    using selector = gimbal::algorithm::select_if<is_odd>;
    auto plan = gimbal::algorithm::stable_partition_plan(
      a.out, static_cast<gimbal::index_type>(a.n), selector{is_odd{}}, reinterpret_cast<gimbal::index_type*>(a.count));
    return static_cast<cudaError_t>(plan.run(storage, bytes, on).code);
  }
  __device__ static void check(const arrays& a, long long i, findings& found)
  {
    select::check(a, i, found);
    if (i >= *a.count) {
      found.expect(a.out[i] % 2 == 0 && (i == *a.count || a.out[i - 1] < a.out[i]));
    }
  }
};

struct sort_in_place : sort {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    if (storage != nullptr) {
      test::check_cuda(cudaMemcpyAsync(a.out, a.in, a.n * sizeof(unsigned), cudaMemcpyDeviceToDevice, on));
    }
    return gimbal::DeviceRadixSort::SortKeys(storage, bytes, a.out, a.out, a.n, 0, 32, on);
  }
};

struct merge_sort_in_place : sort {
  static cudaError_t call(void* storage, std::size_t& bytes, const arrays& a, cudaStream_t on)
  {
    if (storage != nullptr) {
      test::check_cuda(cudaMemcpyAsync(a.out, a.in, a.n * sizeof(unsigned), cudaMemcpyDeviceToDevice, on));
    }
    return gimbal::DeviceMergeSort::SortKeys(storage, bytes, a.out, a.n, is_less{}, on);
  }
};

/// Of the given step. `grows`: with the place.
__global__ void change_items(const unsigned* step, unsigned* in, long long n, bool grows)
{
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + *step * 40503u;
    x = (x ^ x >> 15) * 2246822519u;
    in[i] = grows ? 2 * static_cast<unsigned>(i) + x % 2 : x;
  }
}

template <class Family>
__global__ void check_items(arrays a, findings* found)
{
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * blockDim.x) {
    Family::check(a, i, *found);
  }
}

/// The arrays of a call, with its storage.
struct memory {
  explicit memory(std::size_t n) : in(n), positions(n), out(n), positions_out(n), count(2)
  {
    std::vector<unsigned> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    test::raw_copy(positions.data(), numbers.data(), n * sizeof(unsigned));
  }
  arrays all()
  {
    return {
      in.data(), positions.data(), out.data(), positions_out.data(), count.data(), static_cast<long long>(in.size())};
  }

  test::device_array<unsigned> in;
  test::device_array<unsigned> positions;
  test::device_array<unsigned> out;
  test::device_array<unsigned> positions_out;
  test::device_array<long long> count;
};

}  // namespace families
