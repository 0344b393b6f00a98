// One value on its way from a kernel to the host that waits for it.
//
// The kernel writes through `output()` into a slot of pinned memory, as 8-byte words that hold 4 bytes of the value and
// a tag. A word is stored and loaded whole and carries its own validity, so the words may arrive in any order and
// relaxed accesses suffice. The host therefore sees the result arrive and need not wait until the driver has seen the
// stream become idle, which costs about 2 microseconds more (9.1 against 7.2 for an empty kernel on an H200).
//
// Only for kernels whose result is the last thing that they write: the host goes on as soon as it is there.
#pragma once

#include <gimbal/workspace.h>
#include <thrust/iterator/tabulate_output_iterator.h>

#include <chrono>
#include <cstring>
#include <cuda/atomic>

GIMBAL_NAMESPACE_BEGIN

namespace detail {

template <class T>
struct result_words {
  static constexpr std::size_t count = (sizeof(T) + 3) / 4;
  static constexpr std::uint64_t tag = std::uint64_t{1} << 32;
  static_assert(count * sizeof(std::uint64_t) <= pinned_slots::slot_bytes, "a result fits into a pinned slot");

  using atomic_word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;
};

/// Called with a position, which is always 0, and the value written there.
template <class T>
struct post_result {
  std::uint64_t* words;

  template <class Index>
  GIMBAL_HOST_DEVICE void operator()(Index, const T& value) const
  {
    using format = result_words<T>;
    uninit<T> bytes;
    bytes.set(value);
    std::uint32_t part[format::count];
    part[format::count - 1] = 0;
    std::memcpy(part, bytes.bytes, sizeof(T));
    GIMBAL_UNROLL
    for (std::size_t w = 0; w < format::count; ++w) {
      typename format::atomic_word(words[w]).store(format::tag | part[w], ::cuda::std::memory_order_relaxed);
    }
  }
};

}  // namespace detail

template <class T>
class host_result {
  using format = detail::result_words<T>;
  using atomic_word = typename format::atomic_word;

public:
  host_result() = default;
  host_result(const host_result&) = delete;
  host_result& operator=(const host_result&) = delete;
  ~host_result()
  {
    if (words_ != nullptr) {
      pinned_slots::instance().give_back(words_);
    }
  }

  /// To be called before the launch. The slot's last user has waited for its kernels: nobody writes to it now.
  status take()
  {
    void* slot = nullptr;
    GIMBAL_TRY(pinned_slots::instance().take(slot));
    words_ = static_cast<std::uint64_t*>(slot);
    for (std::size_t w = 0; w < format::count; ++w) {
      atomic_word(words_[w]).store(0, ::cuda::std::memory_order_relaxed);
    }
    return {};
  }

  /// The output iterator for the kernel: `*output = value`.
  auto output() const { return thrust::make_tabulate_output_iterator(detail::post_result<T>{words_}); }

  /// Block the host until the result has arrived. Reports a fault of the kernel, or of any kernel before it on
  /// `stream`.
  status wait(simt::stream_type stream) const
  {
    if (new_kernels && arrives_within(watched_time)) {
      if (simt::instrument::fail_here(simt::instrument::point::wait)) {
        return simt::failure(simt::error_launch_failure, "wait for the stream");
      }
      simt::instrument::count(simt::instrument::point::wait);
      return {};
    }
    // It takes longer, or will not come: the driver waits as the user has told it to (spinning, yielding or blocking).
    GIMBAL_TRY(simt::wait(stream, "wait for the stream"));
    return has_arrived() ? status{}
                         : simt::failure(simt::error_launch_failure, "result that the kernel should have written");
  }

  /// The result. After `wait`.
  T value() const
  {
    std::uint32_t part[format::count];
    for (std::size_t w = 0; w < format::count; ++w) {
      part[w] = static_cast<std::uint32_t>(load(w));
    }
    uninit<T> bytes;
    std::memcpy(bytes.bytes, part, sizeof(T));
    return bytes.get();
  }

private:
  // A small reduce takes under 10 microseconds; beyond this the 2 that watching saves do not matter.
  static constexpr std::chrono::microseconds watched_time{50};

  std::uint64_t load(std::size_t word) const
  {
    return atomic_word(words_[word]).load(::cuda::std::memory_order_relaxed);
  }

  bool has_arrived() const
  {
    for (std::size_t w = 0; w < format::count; ++w) {
      if ((load(w) & format::tag) == 0) {
        return false;
      }
    }
    return true;
  }

  bool arrives_within(std::chrono::microseconds most) const
  {
    const auto start = std::chrono::steady_clock::now();
    do {
      if (has_arrived()) {
        return true;
      }
    } while (std::chrono::steady_clock::now() - start < most);
    return false;
  }

  std::uint64_t* words_ = nullptr;
};

GIMBAL_NAMESPACE_END
