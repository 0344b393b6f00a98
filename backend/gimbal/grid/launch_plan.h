// A call's launch, chosen before its storage is known, and the tagged words that its blocks exchange values through.
//
// An entry makes a row for each of its kernels, in the order of its table, and the plan of these rows asks for as much
// storage as any of them might need and launches the first one that takes the call:
//
//   auto plan = algorithm::scan_plan(kind, in, out, n, op, init);
//   const std::size_t bytes = plan.bytes(false);
//   const status state = plan.launch(storage, stream);
//
// "Could not run here" is a row that does not take the call. What a row has, and what it has unless it says otherwise,
// is in no_row.
// Rows are alternatives, so their parts of the storage may overlap.
#pragma once

#include <gimbal/tuning.h>
#include <gimbal/workspace.h>

#include <algorithm>
#include <gimbal/grid/team.cuh>
#include <mutex>
#include <vector>

GIMBAL_NAMESPACE_BEGIN

/// Words through which the blocks of one launch exchange values.
///
/// Each 8-byte word holds 4 bytes of a value and a tag. Words that are kept for a stream are never cleared: a launch
/// takes tags that no launch on these words has had before, so whatever older launches left there is not its own. Tags
/// are 32 bits wide and never 0; when they run out the words are cleared, in stream order, and tags start again at 1.
/// Two threads of the host may launch on one stream in another order than they have taken tags: these differ all the
/// same.
///
/// Where they are kept: in static memory of the device (simt::static_words), of which each stream that asks gets a part
/// of its own, as the launches of one stream come one after the other. So no launch allocates, and any may be the first
/// of its process. A stream that is destroyed keeps its part. Where a stream can keep none the words lie in the storage
/// of the call and are cleared before each launch: while the stream is captured into a graph, whose every replay
/// repeats the tag, and when static memory is used up.
class retained_words {
public:
  /// Before a stream's words: bytes that are zero between launches, for those that count their blocks.
  static constexpr std::size_t head_bytes = 256;
  static constexpr std::size_t head_words = head_bytes / sizeof(std::uint64_t);

  /// What a launch gets: the head of the stream's words, null where it can keep none, and its first tag.
  struct allocation {
    std::uint64_t* head = nullptr;
    std::uint32_t first_tag = 0;
  };

  static retained_words& instance()
  {
    static retained_words* const all = new retained_words;  // never destroyed: streams may outlive static objects
    return *all;
  }

  /// `count` words of `stream`, and `tags` tags in a row, for one launch.
  status allocate(simt::stream_type stream, std::size_t count, std::uint32_t tags, allocation& to)
  {
    to = {};
    simt::stream_identity identity;
    GIMBAL_TRY(simt::identify(stream, identity));
    if (!identity.is_lasting || count > simt::static_words_count) {
      return {};
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    part* own = nullptr;
    GIMBAL_TRY(find(identity, count, own));
    if (own == nullptr) {
      return {};
    }
    if (own->next_tag == 0 || tags > ~std::uint32_t{0} - own->next_tag) {
      own->next_tag = 0;
      GIMBAL_TRY(simt::fill_bytes(
        own->head + head_words, 0, own->count * sizeof(std::uint64_t), stream,
        "clearing of the words kept for a stream"));
      own->next_tag = 1;
    }
    to = {own->head, own->next_tag};
    own->next_tag += tags;
    return {};
  }

private:
  /// A stream's. The number of a stream is never another's, also of another life of a device.
  struct part {
    simt::stream_identity stream;
    std::uint64_t* head;
    std::size_t count;       // of words after the head
    std::uint32_t next_tag;  // 0: to be cleared first
  };
  struct memory {
    std::uint64_t* words = nullptr;
    std::size_t used = 0;
  };

  /// The stream's part, if it has `count` words. Else memory that is zero and nobody's yet takes its place, if there is
  /// as much: as much as most calls need, or, for those that need more, twice as much as the stream has if it can be.
  /// These get half of all memory at most, so that many streams can have a part.
  status find(const simt::stream_identity& stream, std::size_t count, part*& own)
  {
    part* old = nullptr;
    for (part& p : parts_) {
      if (p.stream.device == stream.device && p.stream.id == stream.id) {
        old = &p;
      }
    }
    if (old != nullptr && old->count >= count) {
      own = old;
      return {};
    }
    simt::device_life life;
    GIMBAL_TRY(simt::current_life(life));
    memory& here = memories_[life];
    if (here.words == nullptr) {
      GIMBAL_TRY(simt::static_words(here.words));
    }
    const std::size_t needed = (head_words + count + granule - 1) / granule * granule;
    const std::size_t doubled = old == nullptr ? usual_part : 2 * (head_words + old->count);
    for (const std::size_t words : {(std::max)(needed, doubled), needed}) {
      if (here.used + words <= (words <= usual_part ? simt::static_words_count : simt::static_words_count / 2)) {
        own = old == nullptr ? &parts_.emplace_back() : old;
        *own = {stream, here.words + here.used, words - head_words, 1};
        here.used += words;
        return {};
      }
    }
    return {};
  }

  static constexpr std::size_t granule = 512;  // words: 4 KB
  static constexpr std::size_t usual_part = 6144;

  std::mutex mutex_;
  std::vector<part> parts_;
  simt::of_each_life<memory> memories_;
};

/// A kernel that takes no words.
inline constexpr index_type no_words = -1;

/// The tagged words of a call's launches, one after the other.
class launch_words {
public:
  explicit launch_words(simt::stream_type stream, bool may_use_pool = true)
      : stream_(stream), active_streams_(simt::active_streams(stream)), may_use_pool_(may_use_pool), borrowed_(stream)
  {
  }
  launch_words(const launch_words&) = delete;
  launch_words& operator=(const launch_words&) = delete;

  simt::stream_type stream() const { return stream_; }

  /// Of as many blocks as the device runs at a time, those that this launch should have: an equal share where other
  /// streams work at the same time, or a larger one that is no less than `least`.
  unsigned share_of(unsigned blocks, unsigned least) const
  {
    unsigned shares = simt::gpu_shares(active_streams_);
    while (shares > 1 && blocks / shares < least) {
      shares /= 2;
    }
    return blocks / shares;
  }
  /// How often the first block of a team (grid/team.cuh) looks for others that have not begun: where other streams work
  /// at the same time, until a launch of theirs has ended.
  unsigned most_looks(unsigned alone) const
  {
    return active_streams_ > 1 ? tuning::most_shared_looks + 8 * alone : alone;
  }
  unsigned active_streams() const { return active_streams_; }
  /// True if so many streams work at the same time that the GPU is busy whatever one of them does: then a small call
  /// launches blocks that wait for few others, where it has such a kernel.
  bool is_saturated() const { return active_streams_ >= tuning::saturating_streams; }
  /// Whether a team of this call would be small, as another kernel holds most of the GPU (team.cuh). Where other
  /// streams of the process work teams may be small because of them, and nothing is concluded.
  bool expects_small_team()
  {
    if (small_team_ == answer::not_asked) {
      const bool is_expected = active_streams_ == 1 && small_teams::instance().is_expected();
      small_team_ = is_expected ? answer::yes : answer::no;
    }
    return small_team_ == answer::yes;
  }
  /// Whether a row has asked that, was told no, and might be told yes the next time.
  bool may_change_rows() const { return small_team_ == answer::no; }

  /// The room that `count` words have in the storage, should the stream keep none when the call runs.
  static constexpr std::size_t room_for(index_type count)
  {
    return count == no_words ? 0 : retained_words::head_words + static_cast<std::size_t>(count);
  }
  /// What a plan has in the storage: arrays, and words should the stream keep none, so many with their head.
  struct own_storage {
    char* arrays = nullptr;
    std::uint64_t* words = nullptr;
    std::size_t room = 0;
  };
  own_storage& own() { return own_; }
  template <class T>
  T* arrays() const
  {
    return reinterpret_cast<T*>(own_.arrays);
  }

  /// `count` words for the next launch, which uses `tags` tags from first_tag() on. `step` clears words that the stream
  /// does not keep.
  status take(std::size_t count, std::uint32_t tags, const char* step)
  {
    const std::size_t all_words = retained_words::head_words + count;
    GIMBAL_TRY(retained_words::instance().allocate(stream_, count, tags, allocated_));
    if (allocated_.head != nullptr) {
      return {};
    }
    std::uint64_t* head = own_.words;
    if (may_use_pool_) {
      GIMBAL_TRY(borrowed_.allocate(all_words * sizeof(std::uint64_t)));
      head = static_cast<std::uint64_t*>(borrowed_.get());
    } else if (own_.room < all_words) {
      return simt::failure(simt::error_invalid_value, "a launch takes more words than the call has room for");
    }
    allocated_ = {head, 1};
    return simt::fill_bytes(head, 0, all_words * sizeof(std::uint64_t), stream_, step);
  }

  /// Whether take() finds so many words, if any are needed, without room for them in the storage: the call may take
  /// them from the pool, or the stream keeps them.
  bool needs_no_room(index_type count, status& state) const
  {
    retained_words::allocation kept;
    if (count == no_words || may_use_pool_) {
      return true;
    }
    state = retained_words::instance().allocate(stream_, static_cast<std::size_t>(count), 0, kept);
    return kept.head != nullptr;
  }

  std::uint64_t* words() const { return allocated_.head + retained_words::head_words; }
  std::uint32_t first_tag() const { return allocated_.first_tag; }
  /// A counter that is zero and is to be left zero.
  unsigned* ticket() const { return counters<unsigned>(); }
  /// A team whose first block looks so often for the others (most_looks). It says that it is small where another kernel
  /// must be what holds the GPU: not where other streams of the process work.
  block::team team(unsigned looks) const
  {
    const bool may_report = active_streams_ == 1 && tuning::calls_after_small_team > 0;
    return {counters<std::uint64_t>(), looks, may_report ? small_teams::instance().report() : nullptr};
  }
  /// Counters, all of which are zero and are to be left zero.
  template <class T>
  T* counters() const
  {
    static_assert(sizeof(T) <= retained_words::head_bytes, "the head of a stream's words is small");
    return reinterpret_cast<T*>(allocated_.head);
  }

private:
  enum class answer { not_asked, no, yes };

  simt::stream_type stream_;
  unsigned active_streams_;
  bool may_use_pool_;
  own_storage own_;
  answer small_team_ = answer::not_asked;
  pool_block borrowed_;
  retained_words::allocation allocated_;
};

// ---- rows and plans

/// The most streams that may work beside a row's kernels (launch_words::active_streams).
inline constexpr unsigned any_streams = ~0u;

/// The row of a kernel that such types exclude.
struct no_row {
  bool fits = false;  ///< a call of such a size and kind; else nothing below is asked

  /// Of arrays in the storage, beside words (launch_words::arrays): as many for all addresses that so many items may
  /// have.
  std::size_t array_bytes() { return 0; }
  /// Room for the words of the launch (launch_words::room_for), whatever the addresses are; `state`: of questions to
  /// the device.
  std::size_t room(status&) { return 0; }
  /// Whether it takes the call that has been made.
  bool takes(launch_words&, status&) { return false; }
  status launch(launch_words&) { return {}; }
  /// Has its kernels loaded if it may take calls that follow one of another row (launch_words::expects_small_team):
  /// CUDA loads a kernel at its first launch, and may wait there for the kernel that the call runs beside.
  status load() { return {}; }
};

/// How the blocks of a kernel begin: as `Kernel::starts` says, if it does.
template <class Kernel, class = void>
inline constexpr simt::start start_of_v = simt::start::any;
template <class Kernel>
inline constexpr simt::start start_of_v<Kernel, ::cuda::std::void_t<decltype(Kernel::starts)>> = Kernel::starts;

/// How many tiles n items make; of more than a launch can have blocks, too many.
constexpr unsigned tiles_of(index_type n, index_type tile_items)
{
  const index_type tiles = n / tile_items + (n % tile_items != 0);
  return tiles < 0xffffffff ? static_cast<unsigned>(tiles) : 0xffffffffu;
}

/// The row of a kernel that every device runs, for as many items as `fits` says; there is no other for types to which
/// it does not apply (Exists). The kernel has
///
///   step, clearing    the names of the launch and of what clears its words
///   blocks()          how many it is launched with, called before
///   words_needed()    how many words it takes, or no_words, and
///   take(words)       which gives it these
template <class Kernel, bool Exists = true>
struct kernel_row : no_row {
  Kernel kernel;

  kernel_row(bool fits_here, const Kernel& own) : no_row{fits_here}, kernel(own) {}

  std::size_t room(status&)
  {
    static_cast<void>(kernel.blocks());
    return launch_words::room_for(kernel.words_needed());
  }
  bool takes(launch_words&, status&) { return true; }
  status launch(launch_words& held)
  {
    const index_type blocks = kernel.blocks();
    const index_type words = kernel.words_needed();
    if (words != no_words) {
      GIMBAL_TRY(held.take(static_cast<std::size_t>(words), 1, Kernel::clearing));
      kernel.take(held);
    }
    return simt::launch<start_of_v<Kernel>>(kernel, blocks, held.stream(), Kernel::step);
  }
  status load() { return simt::load_kernels<Kernel>(); }
};
template <class Kernel>
struct kernel_row<Kernel, false> : no_row {
  kernel_row(bool, const Kernel&) {}
};

/// The rows of a plan, in order. Not a std::tuple, whose many small functions every call would compile.
template <class... Rows>
struct plan_rows {
  template <class Visit>
  bool any(Visit)
  {
    return false;
  }
};
template <class Row, class... Rest>
struct plan_rows<Row, Rest...> {
  Row row;
  plan_rows<Rest...> rest;

  plan_rows(const Row& first, const Rest&... others) : row(first), rest(others...) {}

  /// Whether `visit` is true of a row: no row after that is visited.
  template <class Visit>
  bool any(Visit visit)
  {
    return visit(row) || rest.any(visit);
  }
};

template <class... Rows>
class plan_of {
public:
  explicit plan_of(const Rows&... rows) : rows_(rows...) {}

  /// The storage that the call needs, beside which it may take words from the pool or not.
  std::size_t bytes(bool may_use_pool)
  {
    launch_words::own_storage own;
    std::size_t most = 1;
    rows_.any([&](auto& row) {
      most = (std::max)(most, layout(row, may_use_pool, own, state_).bytes());
      return false;
    });
    return most;
  }

  /// Launches the first row that takes the call, if there is one. `storage` has as many bytes as asked for.
  status launch(const temporary_storage& storage, simt::stream_type stream)
  {
    launch_words words(stream, storage.may_use_pool());
    status state = state_;
    rows_.any([&](auto& row) { return launches(row, words, storage, state); });
    if (words.may_change_rows()) {
      rows_.any([&](auto& row) {
        state = state || !row.fits ? state : row.load();
        return static_cast<bool>(state);
      });
    }
    return state;
  }

  /// Both phases of a call as CUB's: the question for its storage, or the launch.
  status run(const temporary_storage& storage, std::size_t& storage_bytes, simt::stream_type stream)
  {
    const std::size_t needed = bytes(storage.may_use_pool());
    if (storage.asks() || state_) {
      storage_bytes = state_ ? storage_bytes : needed;
      return state_;
    }
    return storage_bytes < needed ? too_little_storage() : launch(storage, stream);
  }

private:
  /// What a row has in the storage. Of a call that may use the pool no device is asked about words, which come to
  /// nothing.
  template <class Row>
  static storage_layout layout(Row& row, bool may_use_pool, launch_words::own_storage& own, status& state)
  {
    storage_layout made;
    if (row.fits) {
      made.add(&own.arrays, row.array_bytes());
      own.room = may_use_pool ? 0 : row.room(state);
      made.add(&own.words, own.room, own.room == 0 ? 0 : simt::guard_bytes);
    }
    return made;
  }

  /// False if the row does not take the call, and nothing has failed.
  template <class Row>
  static bool launches(Row& row, launch_words& words, const temporary_storage& storage, status& state)
  {
    if (state || !row.fits || !row.takes(words, state)) {
      return static_cast<bool>(state);
    }
    layout(row, storage.may_use_pool(), words.own(), state).place(storage.memory());
    state = state ? state : row.launch(words);
    return true;
  }

  plan_rows<Rows...> rows_;
  status state_;
};

GIMBAL_NAMESPACE_END
