// Words through which the blocks of one launch tell each other values, kept from launch to launch and never cleared.
//
// Each 8-byte word holds 4 bytes of a value and a tag. A launch draws tags that no launch on these words has had
// before, so whatever older launches left behind is not its own. Tags are 32 bits wide and never 0; when they run out
// the words are cleared, in stream order, and tags start again at 1. Two threads of the host may launch on one stream
// in another order than they have drawn: their tags differ all the same.
//
// One block of words per device and stream, as the launches of one stream come one after the other. A launch borrows
// words from the pool and clears them, where that does not hold: while a stream is captured into a graph,
// whose every replay would repeat the tag, and where more than `most_streams` streams have been seen. A stream that is
// destroyed keeps its words until release(), or until its device is reset.
#pragma once

#include <gimbal/workspace.h>

#include <mutex>
#include <optional>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

class retained_words {
  struct block {
    simt::stream_identity stream;
    simt::device_life life;
    std::uint64_t* words;
    std::uint32_t next_tag;
    unsigned users;  // launches that have drawn a tag and are not yet enqueued
  };

public:
  /// The granularity in which a GPU's pool accounts for its memory.
  static constexpr std::size_t bytes = std::size_t{2} << 20;
  /// At the end of the block: memory without tags, for launches that leave its head as they found it (launch_scratch).
  static constexpr std::size_t scratch_bytes = std::size_t{256} << 10;
  static constexpr std::size_t words = (bytes - scratch_bytes) / sizeof(std::uint64_t);
  static constexpr std::size_t most_streams = 64;

  static retained_words& instance()
  {
    static retained_words* const all = new retained_words;  // never destroyed: streams may outlive static objects
    return *all;
  }

  /// What one launch holds from drawing its tags until it is enqueued.
  class lease {
  public:
    lease() = default;
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease()
    {
      if (held_ != nullptr) {
        const std::lock_guard<std::mutex> lock(instance().mutex_);
        --held_->users;
      }
    }

    explicit operator bool() const { return held_ != nullptr; }
    std::uint64_t* words() const { return held_->words; }
    void* scratch() const { return held_->words + retained_words::words; }
    std::uint32_t first_tag() const { return first_tag_; }

  private:
    friend class retained_words;
    block* held_ = nullptr;
    std::uint32_t first_tag_ = 0;
  };

  /// Draw `tags` tags in a row for a launch on `stream`. The lease stays empty where the stream can have no such words.
  status draw(simt::stream_type stream, std::uint32_t tags, lease& to)
  {
    simt::stream_identity identity;
    GIMBAL_TRY(simt::identify(stream, identity));
    if (!identity.is_lasting) {
      return {};
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    block* of_stream = find(identity);
    if (of_stream == nullptr) {
      simt::device_life life;
      GIMBAL_TRY(simt::current_life(life));
      drop_ended(life);
      if (blocks_.size() == most_streams) {
        return {};
      }
      GIMBAL_TRY(add(identity, life, stream));
      of_stream = blocks_.back();
    }
    if (of_stream->next_tag == 0 || tags > ~std::uint32_t{0} - of_stream->next_tag) {
      GIMBAL_TRY(clear(*of_stream, stream));
    }
    to.first_tag_ = of_stream->next_tag;
    of_stream->next_tag += tags;
    ++of_stream->users;
    to.held_ = of_stream;
    return {};
  }

  /// Bytes kept for streams of the current device; the pool counts them as used.
  status held(std::size_t& bytes_held)
  {
    simt::device_life life;
    GIMBAL_TRY(simt::current_life(life));
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_held = 0;
    for (const block* b : blocks_) {
      bytes_held += b->life == life ? bytes : 0;
    }
    return {};
  }

  /// Return the current device's blocks to the pool, except of streams for which a launch is just being prepared. Waits
  /// for the device.
  status release()
  {
    simt::device_life life;
    GIMBAL_TRY(simt::current_life(life));
    const std::lock_guard<std::mutex> lock(mutex_);
    drop_ended(life);
    GIMBAL_TRY(simt::wait_for_device("release of the words kept for streams"));
    drop([&](const block& b) {
      if (!(b.life == life)) {
        return false;
      }
      simt::pool_free(b.words, {});
      return true;
    });
    return {};
  }

private:
  block* find(const simt::stream_identity& identity) const
  {
    for (block* b : blocks_) {
      if (b->stream.device == identity.device && b->stream.id == identity.id) {
        return b;
      }
    }
    return nullptr;
  }

  /// Forgets the blocks of earlier lives of the device, whose memory is gone with them.
  void drop_ended(const simt::device_life& now)
  {
    drop([&](const block& b) { return simt::has_ended(b.life, now); });
  }

  /// Forgets the blocks that `is_over` is true for, but not those that a launch is just being prepared for.
  template <class IsOver>
  void drop(IsOver is_over)
  {
    std::vector<block*> kept;
    for (block* b : blocks_) {
      if (b->users == 0 && is_over(*b)) {
        delete b;
      } else {
        kept.push_back(b);
      }
    }
    blocks_.swap(kept);
  }

  status add(const simt::stream_identity& identity, const simt::device_life& life, simt::stream_type stream)
  {
    void* memory = nullptr;
    GIMBAL_TRY(simt::pool_allocate(memory, bytes, stream, "allocation of the words kept for a stream"));
    blocks_.push_back(new block{identity, life, static_cast<std::uint64_t*>(memory), 0, 0});
    return {};
  }

  /// If it fails the words stay to be cleared.
  static status clear(block& b, simt::stream_type stream)
  {
    b.next_tag = 0;
    GIMBAL_TRY(simt::fill_bytes(b.words, 0, bytes, stream, "clearing of the words kept for a stream"));
    b.next_tag = 1;
    return {};
  }

  std::mutex mutex_;
  std::vector<block*> blocks_;
};

/// The tagged words of one launch: retained ones, or borrowed from the pool where the stream can have none. To be alive until
/// the launch is enqueued.
class launch_words {
public:
  /// `count` words, for a launch that uses `tags` tags from first_tag() on, and a ticket. `step` clears words that had
  /// to be borrowed.
  status take(simt::stream_type stream, std::size_t count, std::uint32_t tags, const char* step)
  {
    if (count <= retained_words::words) {
      GIMBAL_TRY(retained_words::instance().draw(stream, tags, lease_));
    }
    if (lease_) {
      ticket_ = static_cast<unsigned*>(lease_.scratch());
      return {};
    }
    const std::size_t bytes = (ticket_words + count) * sizeof(std::uint64_t);
    borrowed_.emplace(stream);
    GIMBAL_TRY(borrowed_->allocate(bytes));
    ticket_ = static_cast<unsigned*>(borrowed_->get());
    own_ = static_cast<std::uint64_t*>(borrowed_->get()) + ticket_words;
    return simt::fill_bytes(borrowed_->get(), 0, bytes, stream, step);
  }

  std::uint64_t* words() const { return lease_ ? lease_.words() : own_; }
  std::uint32_t first_tag() const { return lease_ ? lease_.first_tag() : 1; }
  /// A counter that is zero and is to be left zero.
  unsigned* ticket() const { return ticket_; }

private:
  static constexpr std::size_t ticket_words = 16;  // one cache line for the ticket alone

  retained_words::lease lease_;
  std::optional<pool_block> borrowed_;
  std::uint64_t* own_ = nullptr;
  unsigned* ticket_ = nullptr;
};

/// Memory of one launch that counts its blocks: a head of `head_bytes` that is zero, to be left zero by the launch, and
/// a body with anything in it. Retained with the stream's words; where the stream can have none, borrowed from the pool
/// and cleared. To be alive until the launch is enqueued.
class launch_scratch {
public:
  static constexpr std::size_t head_bytes = 256;

  status take(simt::stream_type stream, std::size_t body_bytes)
  {
    if (head_bytes + body_bytes <= retained_words::scratch_bytes) {
      GIMBAL_TRY(retained_words::instance().draw(stream, 0, lease_));
    }
    if (lease_) {
      memory_ = static_cast<unsigned char*>(lease_.scratch());
      return {};
    }
    borrowed_.emplace(stream);
    GIMBAL_TRY(borrowed_->allocate(head_bytes + body_bytes));
    memory_ = static_cast<unsigned char*>(borrowed_->get());
    return simt::fill_bytes(memory_, 0, head_bytes, stream, "clearing of the scratch memory of a launch");
  }

  template <class T>
  T* head() const
  {
    static_assert(sizeof(T) <= head_bytes, "the head of a launch's scratch memory is small");
    return reinterpret_cast<T*>(memory_);
  }
  template <class T>
  T* body() const
  {
    return reinterpret_cast<T*>(memory_ + head_bytes);
  }

private:
  retained_words::lease lease_;
  std::optional<pool_block> borrowed_;
  unsigned char* memory_ = nullptr;
};

GIMBAL_NAMESPACE_END
