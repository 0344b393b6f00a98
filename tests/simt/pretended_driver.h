// A driver that only pretends, for tests of what is kept between calls: streams whose work ends when a test says so,
// and memory that runs out.
#pragma once

#include <gimbal/simt/status.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace test {

namespace simt = gimbal::simt;

/// A stream is given pieces of work, each with a number, and ends them in order.
struct pretended_driver {
  using stream = int;
  struct event_state {
    int of = 0;
    long behind = 0;  // the pieces that its stream had been given
    bool is_recorded = false;
  };
  using event = event_state*;

  struct last_use {
    int of = 0;
    long piece = 0;
  };
  struct state {
    std::mutex mutex;
    std::map<void*, std::size_t> live;
    std::map<void*, last_use> uses;
    std::map<int, long> given;
    std::map<int, long> ended;
    std::size_t capacity = ~std::size_t{0};
    std::size_t taken = 0;
    std::uintptr_t next_address = 4096;
    std::set<event> events;
    long allocations = 0;
    long records = 0;
    long queries = 0;
    long frees_in_use = 0;  // that the driver had to wait for
    bool cannot_record = false;
  };
  static state& now()
  {
    static state* instance = new state;
    return *instance;
  }
  static void begin_anew()
  {
    state& s = now();
    s.live.clear();
    s.uses.clear();
    s.given.clear();
    s.ended.clear();
    for (const event e : s.events) {
      delete e;
    }
    s.events.clear();
    s.capacity = ~std::size_t{0};
    s.taken = 0;
    s.cannot_record = false;
    s.allocations = s.records = s.queries = s.frees_in_use = 0;
  }

  static simt::error_code allocate(void*& memory, std::size_t bytes)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    state& s = now();
    ++s.allocations;
    if (bytes > s.capacity || s.taken > s.capacity - bytes) {
      return simt::error_memory_allocation;
    }
    memory = reinterpret_cast<void*>(s.next_address);
    s.next_address += bytes;
    s.live[memory] = bytes;
    s.taken += bytes;
    return simt::success;
  }
  static void free(void* memory, std::size_t bytes)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    state& s = now();
    REQUIRE(s.live[memory] == bytes);
    if (s.uses.count(memory) != 0) {
      const last_use use = s.uses[memory];
      s.frees_in_use += s.ended[use.of] < use.piece;
      s.ended[use.of] = std::max(s.ended[use.of], use.piece);
      s.uses.erase(memory);
    }
    s.taken -= s.live[memory];
    s.live.erase(memory);
  }
  static void guard(void*, std::size_t, std::size_t) {}
  static simt::error_code create(event& e)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    e = new event_state;
    now().events.insert(e);
    return simt::success;
  }
  static void destroy(event e)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    REQUIRE(now().events.erase(e) == 1);
    delete e;
  }
  static simt::error_code record(event e, stream on)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    ++now().records;
    if (now().cannot_record) {
      return simt::error_invalid_resource_handle;
    }
    *e = {on, now().given[on], true};
    return simt::success;
  }
  static bool has_happened(event e)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    ++now().queries;
    REQUIRE(e->is_recorded);
    return now().ended[e->of] >= e->behind;
  }
  static void wait_for_event(event e)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    REQUIRE(e->is_recorded);
    now().ended[e->of] = std::max(now().ended[e->of], e->behind);
  }
  static void wait_for_stream(stream on)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    now().ended[on] = now().given[on];
  }
  static simt::error_code wait_for_device()
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    now().ended = now().given;
    return simt::success;
  }

  /// Work of `on` with `memory`.
  static void use(void* memory, stream on)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    now().uses[memory] = {on, ++now().given[on]};
  }
  /// Whether the stream may use it now, whoever used it before.
  static bool may_use(void* memory, stream on)
  {
    const std::lock_guard<std::mutex> lock(now().mutex);
    const auto use = now().uses.find(memory);
    return use == now().uses.end() || use->second.of == on || now().ended[use->second.of] >= use->second.piece;
  }
};

}  // namespace test
