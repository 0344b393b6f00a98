// How ranks' messages come together: in a kernel of each rank, which then goes on with all of them.
//
// Where GPUs reach each other's memory, its one block stores the own message and a flag into the memory of all others,
// and waits for their flags. It is launched when the hosts of all ranks have met, so that none waits for a rank that
// does not come; should one be lost all the same, abandoning the group ends it. Elsewhere the messages are there when
// the kernel begins.
#pragma once

#include <cuda/atomic>
#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace ranks {

/// The largest size of a message of a rank to all ranks.
inline constexpr std::size_t most_message_bytes = 640;
/// The first bytes of a message, which the host knows.
struct message_header {
  int error;  ///< simt::error_code of a rank that has failed
  int has_value;
};

/// A rank's memory into which others store their messages. A rank that has gone on to the next but one gathering has
/// got the others' messages of the next, which they sent after reading those of this: two sets of slots suffice.
struct message_slot {
  alignas(16) char message[most_message_bytes];
  unsigned number;  ///< of the gathering, written last
};

/// What the block of the kernel does first.
struct message_exchange {
  const char* all;     ///< that of rank r is then at all + r * stride
  std::size_t stride;  ///< bytes

  // The rest is for GPUs that reach each other's memory.
  message_slot* const* slots = nullptr;  ///< [rank]: its slots of this gathering, one for each rank; else null
  message_header header = {0, 0};
  char* own_message = nullptr;
  unsigned words = 0;   ///< of a message, of 4 bytes
  unsigned number = 0;  ///< of the gathering, not 0
  unsigned rank = 0;
  unsigned size = 0;
  const unsigned* is_abandoned = nullptr;

  template <class Context>
  GIMBAL_DEVICE void run([[maybe_unused]] Context& ctx, [[maybe_unused]] unsigned block_threads) const
  {
#if GIMBAL_GPU
    using flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_system>;
    if (slots == nullptr) {
      return;
    }
    if (ctx.thread() == 0) {
      *reinterpret_cast<message_header*>(own_message) = header;
    }
    ctx.sync_block();  // the message is whole
    for (unsigned i = ctx.thread(); i < size * words; i += block_threads) {
      const unsigned word = i % words;
      reinterpret_cast<unsigned*>(slots[i / words][rank].message)[word] =
        reinterpret_cast<const unsigned*>(own_message)[word];
    }
    ctx.sync_block();  // it is stored in all slots, which the releases below order before the flags
    for (unsigned r = ctx.thread(); r < size; r += block_threads) {
      flag(slots[r][rank].number).store(number, ::cuda::std::memory_order_release);
    }
    for (unsigned r = ctx.thread(); r < size; r += block_threads) {
      message_slot& from = slots[rank][r];
      for (unsigned looks = 0; flag(from.number).load(::cuda::std::memory_order_acquire) != number; ++looks) {
        if (looks % 1024 == 1023 && *const_cast<const volatile unsigned*>(is_abandoned) != 0) {
          // Nothing came: this looks like a failure of that rank, and the next meeting tells of the group's.
          *reinterpret_cast<message_header*>(from.message) = {simt::error_communication, 0};
          break;
        }
      }
    }
    ctx.sync_block();  // all messages are there, for all threads
#endif
  }
};

/// f(0) is called by one thread when the messages are there.
template <class F>
struct exchange_messages_kernel {
  static constexpr unsigned block_threads = simt::warp_threads;
  static constexpr unsigned most_early_blocks = 1;
  struct shared {};

  message_exchange messages;
  F f;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    messages.run(ctx, block_threads);
    if (ctx.thread() == 0) {
      f(0);
    }
  }
};

/// Enqueues what completes `messages`, after which one thread calls f(0).
template <class F>
status exchange_messages(const message_exchange& messages, const F& f, simt::stream_type stream)
{
  return simt::launch(exchange_messages_kernel<F>{messages, f}, 1, stream, "exchange of messages");
}

}  // namespace ranks

GIMBAL_NAMESPACE_END
