// Temporary storage that is kept between calls: blocks of the driver's plain allocator, given out again in stream
// order.
//
// The driver's stream-ordered pools do the same, but the first use of one takes a process some 10 ms and each call 2 us
// (perf/LOG.md).
//
// A block that has come back is given
//   - to the stream that used it last, at once: work that is enqueued there from now on begins when the work before has
//     ended;
//   - to any other stream when its last use is known to have ended: the call had waited before it gave the block back,
//     or the event that was recorded then is complete.
// No stream has to wait for another: where there is no such block the driver gives a new one.
//
// Streams are identified by numbers: a new stream may have the handle of one that was destroyed, and one handle means a
// different stream in every thread. That is also why an event is recorded when a block comes back and not when another
// stream looks for one: by then the first may be destroyed. An event takes a call about 1 us, in most programs for
// nothing. So none is recorded until a second stream takes a block of the device. Blocks that came back before that
// without having been waited for stay the first stream's own, until they come back once more, are released or memory
// runs out.
//
// A block has up to an eighth more bytes than requested (or is rounded up to 64 KB, above 1 MB to 2 MB), and serves
// requests down to a fourth of its size. A call that needs memory from the driver gives back to it whatever exceeds
// both 256 MB and twice the most that was ever in use at the same time.
#pragma once

#include <gimbal/simt/device_life.h>
#include <gimbal/simt/status.h>

#include <algorithm>
#include <mutex>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// `Driver` has the types `stream` and `event` and the static functions that are called here; `guard` is told how many
/// bytes of a block may be used, and how many after these may not. Any thread may call at any time. No lock is held
/// while the driver allocates, frees, records or waits: that can take as long as the device works.
template <class Driver>
class block_cache {
public:
  using stream_type = typename Driver::stream;

  /// Returns at least `bytes` bytes for work of `stream`, whose number is `number`, on a device.
  error_code take(
    void*& memory, std::size_t bytes, const device_life& life, unsigned long long number, stream_type stream)
  {
    block taken;
    taken.bytes = rounded(bytes);
    taken.stream = number;
    blocks surplus;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      device_blocks& device = devices_[life];
      if (!device.has_stream) {
        device.has_stream = true;
        device.first_stream = number;
      }
      device.has_several_streams |= device.first_stream != number;
      block* found = find_free(device, bytes, number, false);
      if (found == nullptr) {
        found = find_free(device, bytes, number, true);
      }
      if (found != nullptr) {
        found->is_used = true;
        found->stream = number;
        memory = found->memory;
        Driver::guard(memory, bytes, found->bytes - bytes);
        return success;
      }
      std::size_t in_use = taken.bytes;
      for (block& b : device.all) {
        in_use += is_available(b, number, true) ? 0 : b.bytes;
      }
      device.peak = (std::max)(device.peak, in_use);
      const std::size_t most = (std::min)(device.limit, (std::max)(2 * device.peak, always_kept));
      surplus = remove_available(device, most - (std::min)(most, taken.bytes), number, taken.bytes);
    }
    return_to_driver(surplus, stream, number);
    error_code code = Driver::allocate(taken.memory, taken.bytes);
    if (code == error_memory_allocation) {  // what is kept may lie in pieces, each too small
      surplus = remove_all(life);
      return_to_driver(surplus, stream, number);
      taken.bytes = bytes == 0 ? 1 : bytes;
      code = Driver::allocate(taken.memory, taken.bytes);
    }
    if (code != success) {
      return code;
    }
    code = Driver::create(taken.event);
    if (code != success) {
      Driver::free(taken.memory, taken.bytes);
      return code;
    }
    memory = taken.memory;
    Driver::guard(memory, bytes, taken.bytes - bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    devices_[life].all.push_back(taken);
    return success;
  }

  /// Takes a block back from the stream it was given to. What uses it has been enqueued, or has ended if `is_done`.
  /// Returns false if the block is not from here.
  bool give_back(void* memory, stream_type stream, bool is_done)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    device_blocks* device = nullptr;
    block* returned = find_used(memory, device);
    if (returned == nullptr) {
      return false;
    }
    bool has_event = false;
    if (device->has_several_streams && !is_done) {
      const typename Driver::event event = returned->event;
      lock.unlock();
      has_event = Driver::record(event, stream) == success;
      lock.lock();
      returned = find_used(memory, device);  // it may have moved now
    }
    Driver::guard(memory, 0, returned->bytes);
    returned->is_used = false;
    returned->is_done = is_done;
    returned->has_event = has_event;
    const unsigned long long number = returned->stream;
    const blocks surplus = remove_available(*device, device->limit, number, everything);
    lock.unlock();
    return_to_driver(surplus, stream, number);
    return true;
  }

  /// The bytes of all blocks of a device, and of those that have not come back.
  void usage(const device_life& life, std::size_t& held, std::size_t& used)
  {
    held = used = 0;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const block& b : devices_[life].all) {
      held += b.bytes;
      used += b.is_used ? b.bytes : 0;
    }
  }

  /// Gives back to the driver what is not used of the current device, for which it waits.
  error_code release(const device_life& life)
  {
    const blocks surplus = remove_all(life);
    const error_code code = Driver::wait_for_device();
    return_to_driver(surplus);
    return code;
  }

  /// From now on a block with which more than `bytes` bytes would be kept when it comes back goes back to the driver.
  /// If there are more now, waits for the device, the current one, and gives back what is not used. `previous` is the
  /// limit there was.
  error_code limit(const device_life& life, std::size_t bytes, std::size_t& previous)
  {
    blocks surplus;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      device_blocks& device = devices_[life];
      previous = device.limit;
      device.limit = bytes;
      surplus = remove(device, bytes, everything, [](block&) { return true; });
    }
    if (surplus.empty()) {
      return success;
    }
    const error_code code = Driver::wait_for_device();
    return_to_driver(surplus);
    return code;
  }

private:
  struct block {
    void* memory = nullptr;
    std::size_t bytes = 0;
    unsigned long long stream = 0;  // that has it or had it last
    typename Driver::event event = {};
    bool is_used = true;
    bool is_done = false;    // its last use has ended
    bool has_event = false;  // recorded after its last use
  };
  using blocks = std::vector<block>;
  static constexpr std::size_t everything = ~std::size_t{0};
  static constexpr std::size_t always_kept = std::size_t{256} << 20;

  struct device_blocks {
    blocks all = {};
    std::size_t limit = everything;
    std::size_t peak = 0;  // of bytes in use at the same time
    unsigned long long first_stream = 0;
    bool has_stream = false;
    bool has_several_streams = false;
  };

  static std::size_t rounded(std::size_t bytes)
  {
    if (bytes >> 48 != 0) {
      return bytes;
    }  // more than any device has
    constexpr std::size_t megabyte = std::size_t{1} << 20;
    std::size_t granule = bytes <= megabyte ? megabyte / 16 : 2 * megabyte;  // of the driver's pages, above
    while (bytes / 16 >= granule) {
      granule *= 2;
    }
    return bytes == 0 ? granule : (bytes + granule - 1) / granule * granule;
  }

  block* find_used(const void* memory, device_blocks*& device)
  {
    // The last first: addresses come again in a device's next life.
    for (auto* life = devices_.last(); life != nullptr; life = life->before) {
      for (block& b : life->own.all) {
        if (b.memory == memory && b.is_used) {
          device = &life->own;
          return &b;
        }
      }
    }
    return nullptr;
  }

  /// Whether a stream may have a block. With `queries` the driver is queried if need be, which takes time.
  static bool is_available(block& b, unsigned long long number, bool queries)
  {
    if (b.is_used) {
      return false;
    }
    if (b.is_done || b.stream == number) {
      return true;
    }
    if (queries && b.has_event) {
      b.is_done = Driver::has_happened(b.event);
    }
    return b.is_done;
  }

  /// A block of the stream's own comes first, so that others find theirs; of several, the smallest.
  static block* find_free(device_blocks& device, std::size_t bytes, unsigned long long number, bool queries)
  {
    block* found = nullptr;
    const std::size_t largest = rounded(bytes);
    for (block& b : device.all) {
      if (b.bytes < bytes || b.bytes / 4 > largest || !is_available(b, number, queries)) {
        continue;
      }
      const bool is_own = b.stream == number;
      const bool found_own = found != nullptr && found->stream == number;
      if (found == nullptr || (is_own == found_own ? b.bytes < found->bytes : is_own)) {
        found = &b;
      }
    }
    return found;
  }

  /// Takes free blocks that `may` go out of the list until no more than `most` bytes are left: the largest that a block
  /// of `bytes` bytes replaces first, then larger ones.
  template <class May>
  static blocks remove(device_blocks& device, std::size_t most, std::size_t bytes, May may)
  {
    std::size_t held = 0;
    for (const block& b : device.all) {
      held += b.bytes;
    }
    blocks removed;
    while (held > most) {
      block* next = nullptr;
      for (block& b : device.all) {
        if (!b.is_used && (next == nullptr || goes_before(b, *next, bytes)) && may(b)) {
          next = &b;
        }
      }
      if (next == nullptr) {
        break;
      }
      held -= next->bytes;
      removed.push_back(*next);
      *next = device.all.back();
      device.all.pop_back();
    }
    return removed;
  }
  static bool goes_before(const block& l, const block& r, std::size_t bytes)
  {
    return (l.bytes <= bytes) != (r.bytes <= bytes) ? l.bytes <= bytes : l.bytes > r.bytes;
  }
  static blocks remove_available(device_blocks& device, std::size_t most, unsigned long long number, std::size_t bytes)
  {
    return remove(device, most, bytes, [number](block& b) { return is_available(b, number, true); });
  }
  blocks remove_all(const device_life& life)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    devices_[life].peak = 0;
    return remove(devices_[life], 0, everything, [](block&) { return true; });
  }

  /// First blocks the host until they are not used any more. An error of earlier work is left for the call to find.
  static void return_to_driver(const blocks& removed, stream_type stream, unsigned long long number)
  {
    for (const block& b : removed) {
      if (b.is_done) {
        continue;
      }
      if (b.has_event) {
        Driver::wait_for_event(b.event);
      } else if (b.stream == number) {
        Driver::wait_for_stream(stream);
      }  // else a first stream's, when memory runs out: the driver waits when it frees one
    }
    return_to_driver(removed);
  }
  static void return_to_driver(const blocks& removed)
  {
    for (const block& b : removed) {
      Driver::destroy(b.event);
      Driver::free(b.memory, b.bytes);
    }
  }

  std::mutex mutex_;
  of_each_life<device_blocks> devices_;
};

}  // namespace simt

GIMBAL_NAMESPACE_END
