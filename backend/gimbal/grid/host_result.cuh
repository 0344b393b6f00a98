// One value from a kernel to the host that waits for it.
//
// The kernel writes through `output()` into a slot of pinned memory, as 8-byte words that hold 4 bytes of the value and
// a tag. A word is stored and loaded whole and carries its own validity, so the words may arrive in any order and
// relaxed accesses suffice. The host therefore sees the result arrive and need not wait until the driver has seen the
// stream become idle, which takes longer (record: host_result).
//
// Only for kernels whose result is the last thing that they write: the host goes on as soon as it is there.
#pragma once

#include <gimbal/tile/iterators.h>
#include <gimbal/workspace.h>

#include <chrono>
#include <cuda/atomic>
#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace detail {

using result_word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>;
inline constexpr std::uint32_t result_tag = 1;  // a slot is cleared before it is used

/// Called with a position, which is always 0, and the value written there.
template <class T>
struct store_result {
  std::uint64_t* words;

  template <class Index>
  GIMBAL_HOST_DEVICE void operator()(Index, const T& value) const
  {
    block::tagged_value<T>::write(result_tag, value, [&](unsigned w, std::uint64_t word) {
      result_word(words[w]).store(word, ::cuda::std::memory_order_relaxed);
    });
  }
};

}  // namespace detail

template <class T>
class host_result {
  using format = block::tagged_value<T>;
  static_assert(format::words * sizeof(std::uint64_t) <= pinned_slots::slot_bytes, "a result fits into a pinned slot");

public:
  /// To be called before the launch. The slot's last user has waited for its kernels: nobody writes to it now.
  status take()
  {
    GIMBAL_TRY(slot_.take());
    words_ = static_cast<std::uint64_t*>(slot_.get());
    for (unsigned w = 0; w < format::words; ++w) {
      detail::result_word(words_[w]).store(0, ::cuda::std::memory_order_relaxed);
    }
    return {};
  }

  /// The output iterator for the kernel: `*output = value`.
  auto output() const { return gimbal::written_by(detail::store_result<T>{words_}); }

  /// Block the host until the result has arrived. Reports a fault of the kernel, or of any kernel before it on
  /// `stream`.
  status wait(simt::stream_type stream)
  {
    const auto start = std::chrono::steady_clock::now();
    do {
      if (has_arrived()) {
        return simt::instrument::begin(simt::instrument::point::wait, "wait for the stream");
      }
    } while (std::chrono::steady_clock::now() - start < watched_time);
    // It takes longer, or will not come: the driver waits as the user has told it to (spinning, yielding or blocking).
    GIMBAL_TRY(simt::wait(stream, "wait for the stream"));
    return has_arrived() ? status{}
                         : simt::failure(simt::error_launch_failure, "result that the kernel should have written");
  }

  /// The result. After `wait`.
  const T& value() const { return value_.get(); }

private:
  // A small reduce takes under 10 microseconds; beyond this the 2 that watching saves do not matter.
  static constexpr std::chrono::microseconds watched_time{50};

  bool has_arrived()
  {
    return format::read(detail::result_tag, value_, [this](unsigned w) {
      return detail::result_word(words_[w]).load(::cuda::std::memory_order_relaxed);
    });
  }

  pinned_slot slot_;
  std::uint64_t* words_ = nullptr;
  uninit<T> value_;
};

GIMBAL_NAMESPACE_END
