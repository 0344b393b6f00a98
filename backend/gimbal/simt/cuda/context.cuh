// The CUDA half of the SIMT layer: what a kernel may use of the machine it runs on. Every member is one intrinsic or a
// short sequence of them. host/context.h offers the same members on the host executor.
//
// Votes and shuffles need all lanes at the same instruction. Where ptxas cannot prove that they are, after a branch on
// what may differ between lanes, each vote becomes a test whether they are, and a second copy after the kernel's end
// for when they are not. So one lane broadcasts warp() to all, and ptxas knows that they have the same value. Functions
// that are not inlined take a context by value; else it would lie in memory.
#pragma once

#include <cuda/atomic>
#include <gimbal/simt/cuda/pipeline.cuh>
#include <gimbal/simt/value.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// cuda::atomic_ref, but relaxed additions, bit-ors and stores of bytes, which kernels do per item, compile to
/// shared-memory instructions: atomic_ref's own go by generic address.
template <class T>
class shared_atomic : public ::cuda::atomic_ref<T, ::cuda::thread_scope_block> {
  using base = ::cuda::atomic_ref<T, ::cuda::thread_scope_block>;
  using order = ::cuda::std::memory_order;

public:
  __device__ explicit shared_atomic(T& object) : base(object), object_(&object) {}

  __device__ T fetch_add(T value, order o = ::cuda::std::memory_order_seq_cst) const
  {
    if constexpr (::cuda::std::is_same_v<T, unsigned>) {
      if (o == ::cuda::std::memory_order_relaxed) {
        return ::atomicAdd_block(object_, value);
      }
    }
    return base::fetch_add(value, o);
  }
  __device__ T fetch_or(T value, order o = ::cuda::std::memory_order_seq_cst) const
  {
    if constexpr (::cuda::std::is_same_v<T, unsigned>) {
      if (o == ::cuda::std::memory_order_relaxed) {
        return ::atomicOr_block(object_, value);
      }
    }
    return base::fetch_or(value, o);
  }
  __device__ void store(T value, order o = ::cuda::std::memory_order_seq_cst) const
  {
    if constexpr (sizeof(T) == 1) {
      if (o == ::cuda::std::memory_order_relaxed) {
        *static_cast<volatile T*>(object_) = value;
        return;
      }
    }
    base::store(value, o);
  }

private:
  T* object_;
};

template <unsigned BlockThreads>
class cuda_context : public cuda_pipeline {
public:
  static constexpr unsigned block_threads = BlockThreads;

  /// To be called by all threads, when the kernel begins.
  __device__ cuda_context()
  {
    warp_ = threadIdx.x / warp_threads;
    if constexpr (BlockThreads % warp_threads == 0) {
      warp_ = __shfl_sync(full_mask, warp_, 0);
    }
  }

  __device__ unsigned thread() const { return threadIdx.x; }
  __device__ unsigned lane() const { return threadIdx.x % warp_threads; }
  __device__ unsigned warp() const { return warp_; }
  __device__ unsigned block() const { return blockIdx.x; }
  __device__ unsigned blocks() const { return gridDim.x; }

  /// Barrier over all threads of the block; orders shared and global memory among them.
  __device__ void sync_block() const { __syncthreads(); }
  /// Barrier over the lanes of the warp; orders memory among them. All of them, in a block of whole warps, call this,
  /// and the shuffles and votes below, which order nothing.
  __device__ void sync_warp() const { __syncwarp(); }

  __device__ unsigned ballot(bool predicate) const { return __ballot_sync(full_mask, predicate); }

  /// Mask of the lanes that hold the same value (4 or 8 bytes).
  template <class T>
  __device__ unsigned match_any(T value) const
  {
    return __match_any_sync(full_mask, value);
  }

  /// `value` of lane `source` (modulo 32).
  template <class T>
  __device__ T shfl(const T& value, unsigned source) const
  {
    return exchange(value, [=](unsigned word) { return __shfl_sync(full_mask, word, source); });
  }
  /// `value` of the lane `delta` below; lanes below `delta` get their own.
  template <class T>
  __device__ T shfl_up(const T& value, unsigned delta) const
  {
    return exchange(value, [=](unsigned word) { return __shfl_up_sync(full_mask, word, delta); });
  }
  /// `value` of the lane `delta` above; the last `delta` lanes get their own.
  template <class T>
  __device__ T shfl_down(const T& value, unsigned delta) const
  {
    return exchange(value, [=](unsigned word) { return __shfl_down_sync(full_mask, word, delta); });
  }

  /// Atomic access to global memory, ordered between blocks by its memory_order argument.
  template <class T>
  __device__ auto atomic(T& object) const
  {
    return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(object);
  }
  /// Returns how many have drawn from `counter` before, of `count` that will; the last one gets `count` - 1 and sets it
  /// to zero. Orders nothing. It is no plain addition, to which ptxas adds a shuffle that waits for the answer at once.
  __device__ unsigned draw_ticket(unsigned& counter, unsigned count) const { return ::atomicInc(&counter, count - 1); }
  /// Atomic access to shared memory.
  template <class T>
  __device__ auto atomic_shared(T& object) const
  {
    return shared_atomic<T>(object);
  }

  /// Hint that `bytes` bytes of global memory will be read soon.
  __device__ void fetch_ahead(const void* first, std::size_t bytes) const
  {
#if __CUDA_ARCH__ >= 900
    constexpr std::uintptr_t unit = 16;
    const auto from = (reinterpret_cast<std::uintptr_t>(first) + unit - 1) / unit * unit;
    const auto end = (reinterpret_cast<std::uintptr_t>(first) + bytes) / unit * unit;
    if (from < end) {
      asm volatile(
        "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
          __cvta_generic_to_global(reinterpret_cast<const void*>(from))),
        "r"(static_cast<unsigned>(end - from)));
    }
#else
    (void)first;
    (void)bytes;
#endif
  }

  /// Adds 1 to `counter`, in shared memory, and returns what it was before; to be called by the whole warp, each lane
  /// with a counter of its choice. On the GPUs tested, lanes with the same counter are served from the lowest to the
  /// highest, and one call after the other. That is documented nowhere: whoever wants that order must verify that it
  /// was kept.
  __device__ unsigned count_by_lanes(unsigned& counter) const { return ::atomicAdd_block(&counter, 1u); }
  /// Only the lanes with `counts` add; the others get a meaningless result.
  __device__ unsigned count_by_lanes(unsigned& counter, bool counts) const
  {
    return counts ? ::atomicAdd_block(&counter, 1u) : 0;
  }

  /// Waits until the preceding launch has ended, and all that it wrote can be read. For a kernel that may start early
  /// (most_early_blocks_v) its launch calls this.
  __device__ void wait_for_launch_before() const
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  }
  /// Orders nothing. Where in a kernel it pays has to be measured: called early it has cost more than it saved
  /// (tuning::merge_sort_early_blocks).
  __device__ void let_next_launch_start() const
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  }

  /// What the thread has read by loads of poll_order counts as acquired from here on.
  __device__ void acquire_polled() const { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

  /// To be called in every turn of a loop that waits for another thread.
  __device__ void spin_wait() const {}

private:
  unsigned warp_;

  // Applies `exchange_word` to every 4-byte word of the value; all lanes call it equally often.
  template <class T, class ExchangeWord>
  static __device__ T exchange(const T& value, ExchangeWord exchange_word)
  {
    constexpr unsigned words = (sizeof(T) + 3) / 4;
    if constexpr (alignof(T) == 16) {  // as a union, nvcc would put it into local memory
      uninit<T> own;
      own.set(value);
      unsigned word[words];
      std::memcpy(word, own.bytes, sizeof(T));
      _Pragma("unroll") for (unsigned w = 0; w < words; ++w) { word[w] = exchange_word(word[w]); }
      std::memcpy(own.bytes, word, sizeof(T));
      return own.get();
    } else {
      union padded {
        unsigned word[words];
        uninit<T> value;
        __device__ padded() {}
      } buffer;
      buffer.word[words - 1] = 0;
      buffer.value.set(value);
      _Pragma("unroll") for (unsigned w = 0; w < words; ++w) { buffer.word[w] = exchange_word(buffer.word[w]); }
      return buffer.value.get();
    }
  }
};

}  // namespace simt

GIMBAL_NAMESPACE_END
