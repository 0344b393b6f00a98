// Temporary storage: laying it out, borrowing it from the pool, and the pinned slots through which results return.
#pragma once

#include <gimbal/simt/simt.cuh>
#include <mutex>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

/// The temporary storage that a backend entry is given, or the question how much it needs.
class temporary_storage {
public:
  /// By CUB's protocol: null asks. The call uses this memory and no other.
  temporary_storage(void* memory) : memory_(memory), asks_(memory == nullptr) {}

  /// Of a call that may take from the pool, beside this memory, what few calls need: words of a stream that can keep
  /// none (launch_plan.h).
  static temporary_storage question_beside_pool() { return {nullptr, true, true}; }
  static temporary_storage beside_pool(void* memory) { return {memory, false, true}; }

  bool asks() const { return asks_; }
  bool may_use_pool() const { return may_use_pool_; }
  void* memory() const { return memory_; }

private:
  temporary_storage(void* memory, bool asks, bool may_use_pool)
      : memory_(memory), asks_(asks), may_use_pool_(may_use_pool)
  {
  }

  void* memory_;
  bool asks_;
  bool may_use_pool_ = false;
};

inline status too_little_storage()
{
  return simt::failure(simt::error_invalid_value, "temporary storage is smaller than the size query asked for");
}

/// Lays several arrays out in one block of temporary storage, each aligned to 256 bytes. The two-phase protocol of
/// every backend entry, in one place:
///
///   storage_layout layout;
///   layout.add(&kernel.partials, partial_count);
///   if (!layout.place(storage, storage_bytes, state)) { return state; }   // a size query, or storage too small
class storage_layout {
public:
  static constexpr unsigned most_arrays = 4;  ///< of a layout; the tests' checks of bounds find one that has more

  /// With `guard` bytes after it that AddressSanitizer lets nobody touch; other arrays may be cleared together with
  /// their neighbours.
  template <class T>
  void add(T** array, std::size_t count, std::size_t guard = 0)
  {
    slices_[count_++] = {reinterpret_cast<void**>(array), bytes_, count * sizeof(T), guard};
    bytes_ += (count * sizeof(T) + guard + alignment - 1) / alignment * alignment;
  }

  /// Of a question: store the bytes needed (at least 1) in `storage_bytes` and return false with `state` success.
  /// Otherwise point every array into `storage`; false with an error in `state` if `storage_bytes` is too small.
  bool place(const temporary_storage& storage, std::size_t& storage_bytes, status& state) const
  {
    state = status{};
    if (storage.asks()) {
      storage_bytes = bytes();
      return false;
    }
    if (storage_bytes < bytes()) {
      state = too_little_storage();
      return false;
    }
    place(storage.memory());
    return true;
  }

  /// At least 1, with room to align any pointer.
  std::size_t bytes() const { return bytes_ == 0 ? 1 : bytes_ + alignment; }

  /// The same of memory that is aligned already, as arrays of another layout are; 0 of nothing.
  std::size_t aligned_bytes() const { return bytes_; }

  /// Points every array into so many bytes of memory.
  void place(void* memory) const
  {
    const std::uintptr_t base = (reinterpret_cast<std::uintptr_t>(memory) + alignment - 1) / alignment * alignment;
    for (unsigned i = 0; i < count_; ++i) {
      const slice& s = slices_[i];
      *s.array = reinterpret_cast<void*>(base + s.offset);
      simt::guard(*s.array, s.bytes, s.guard);
    }
  }

private:
  static constexpr std::size_t alignment = 256;
  struct slice {
    void** array;
    std::size_t offset;
    std::size_t bytes;
    std::size_t guard;
  };

  slice slices_[most_arrays];
  unsigned count_ = 0;
  std::size_t bytes_ = 0;
};

/// A block of the current device's pool, returned in stream order.
class pool_block {
public:
  explicit pool_block(simt::stream_type stream) : stream_(stream) {}
  pool_block(const pool_block&) = delete;
  pool_block& operator=(const pool_block&) = delete;
  ~pool_block() { give_back(); }

  /// In place of what it has, which goes back.
  status allocate(std::size_t bytes)
  {
    give_back();
    return simt::pool_allocate(memory_, bytes, stream_, "allocation of temporary storage");
  }
  void* get() const { return memory_; }
  /// The host has waited for all that uses it: any stream may have it next.
  void set_done() { is_done_ = true; }

private:
  void give_back()
  {
    simt::pool_free(memory_, stream_, is_done_);
    memory_ = nullptr;
  }

  simt::stream_type stream_;
  void* memory_ = nullptr;
  bool is_done_ = false;
};

/// Fixed-size slots of pinned memory, a free list for each device; grows by a page of slots, never shrinks, lives until
/// the process ends or the device is reset.
class pinned_slots {
public:
  static constexpr std::size_t slot_bytes = 256;
  struct slot {
    void* memory = nullptr;
    simt::device_life life;
  };

  static pinned_slots& instance()
  {
    static pinned_slots* const instance = new pinned_slots;  // never destroyed: kernels may outlive static objects
    return *instance;
  }

  status take(slot& taken)
  {
    GIMBAL_TRY(simt::current_life(taken.life));
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<void*>& free = free_[taken.life];
    if (free.empty()) {
      void* page = nullptr;
      GIMBAL_TRY(simt::pinned_allocate(page, slot_bytes * slots_per_page, "allocation of pinned memory for results"));
      for (std::size_t s = 0; s < slots_per_page; ++s) {
        free.push_back(static_cast<char*>(page) + s * slot_bytes);
      }
    }
    taken.memory = free.back();
    free.pop_back();
    return {};
  }

  void give_back(const slot& taken)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[taken.life].push_back(taken.memory);
  }

private:
  static constexpr std::size_t slots_per_page = 16;

  std::mutex mutex_;
  simt::of_each_life<std::vector<void*>> free_;
};

/// A slot as long as this object lives.
class pinned_slot {
public:
  pinned_slot() = default;
  pinned_slot(const pinned_slot&) = delete;
  pinned_slot& operator=(const pinned_slot&) = delete;
  ~pinned_slot()
  {
    if (slot_.memory != nullptr) {
      pinned_slots::instance().give_back(slot_);
    }
  }

  status take() { return pinned_slots::instance().take(slot_); }
  void* get() const { return slot_.memory; }

private:
  pinned_slots::slot slot_;
};

/// One result of type T from a kernel to the host: kernels write through `device_pointer()`; after one wait
/// on the stream the host reads `value()`.
template <class T>
class result_slot {
  static_assert(sizeof(T) <= pinned_slots::slot_bytes, "results are at most as large as a pinned slot");

public:
  status take() { return slot_.take(); }
  T* device_pointer() const { return static_cast<T*>(slot_.get()); }
  const T& value() const { return *device_pointer(); }

private:
  pinned_slot slot_;
};

GIMBAL_NAMESPACE_END
