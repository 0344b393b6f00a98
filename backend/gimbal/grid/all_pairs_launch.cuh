// Sorts of so few keys that comparing each with every other takes less time than the latencies of any other algorithm:
// their kernel, how it writes in place, and its launch. radix_sort/radix_sort.cuh compares bits,
// merge_sort/merge_sort.cuh by any comparator.
//
// A block has 32 keys of its own, one in each lane of every warp. Its warps divide all keys among them, 32 at a time,
// and count how many precede each of the block's own. The sum over the warps is the key's place.
//
// Order: stable. The time depends neither on the keys nor on the schedule.
// Traffic: every block reads all keys, nearly all of them from the L2 cache; values once, and both are written once.
// Launches: 1. Storage: none; where blocks wait, words kept for the stream, the keys' and values' too.
// In place: no block writes before all have read (grid/reader_barrier.cuh: progress and memory order). Else none waits
//   for another, but where the output is filled first.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/reader_barrier.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// How the blocks of a launch, the first warp of each of which has an item in each lane, bring them to their places
/// when all blocks have read. Where not all can be resident the items go through tagged words at the numbers of their
/// places.
template <class Keys, class Values>
struct all_pairs_writer {
  using key_type = typename Keys::value_type;
  static constexpr bool has_values = !::cuda::std::is_same_v<typename Values::value_type, no_values>;
  using value_type = ::cuda::std::conditional_t<has_values, typename Values::value_type, char>;
  using left_keys = block::exchange<key_type, false>;
  using left_values = block::exchange<value_type, false>;

  struct shared {
    bool is_in_time;
    bool is_last;
  };

  block::reader_barrier readers;  ///< no counters: nobody waits
  left_keys keys_left;
  left_values values_left;

  static std::size_t word_count(unsigned blocks, unsigned n)
  {
    return block::reader_barrier::word_count(blocks) + left_keys::word_count(n)
           + (has_values ? left_values::word_count(n) : 0);
  }
  static all_pairs_writer of(const launch_words& words, unsigned blocks, unsigned n)
  {
    std::uint64_t* const left = words.words() + block::reader_barrier::word_count(blocks);
    return {block::reader_barrier::of(words, blocks), {left, n}, {left + left_keys::word_count(n), n}};
  }

  GIMBAL_DEVICE bool waits() const { return readers.count != nullptr; }

  /// By all threads, early; what arrive() needs.
  template <class Context>
  GIMBAL_DEVICE unsigned enter(Context& ctx) const
  {
    return waits() && ctx.thread() == 0 ? readers.enter(ctx) : 0;
  }
  /// By all threads when the block has read all that it ever reads, and filled what it fills.
  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx, unsigned order) const
  {
    if (waits()) {
      ctx.sync_block();  // all warps have read
      if (ctx.thread() == 0) {
        readers.arrive(ctx, order);
      }
    }
  }

  /// By all threads: the item of each `is_writer` to its place.
  template <class Context>
  GIMBAL_DEVICE void write(
    Context& ctx, shared& smem, const Keys& keys, const Values& values, bool is_writer, index_type place,
    const key_type& key, const uninit<value_type>& value) const
  {
    if (waits()) {
      if (ctx.warp() == 0) {
        const bool is_in_time = readers.wait(ctx, [](unsigned, std::uint32_t) {});
        if (ctx.lane() == 0) {
          smem.is_in_time = is_in_time;
        }
      }
      ctx.sync_block();  // all blocks have read, or the block is to leave
      if (!smem.is_in_time) {
        leave(ctx, smem, keys, values, is_writer, place, key, value);
        return;
      }
    }
    if (is_writer) {
      *(keys.output + place) = key;
      if constexpr (has_values) {
        *(values.output + place) = value.get();
      }
    }
  }

private:
  /// The last block brings all items to their places: a place that none has found, with a comparator that is no order,
  /// stays as it is.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void leave(
    Context ctx, shared& smem, const Keys& keys, const Values& values, bool is_writer, index_type place,
    const key_type& key, const uninit<value_type>& value) const
  {
    if (is_writer) {
      keys_left.write(ctx, static_cast<unsigned>(place), readers.tag, key);
      if constexpr (has_values) {
        values_left.write(ctx, static_cast<unsigned>(place), readers.tag, value.get());
      }
    }
    ctx.sync_block();  // the block's items are left
    if (ctx.thread() == 0) {
      smem.is_last = readers.leave(ctx);
    }
    ctx.sync_block();  // if the block is the last, all items are left
    if (smem.is_last) {
      for (unsigned i = ctx.thread(); i < keys_left.slot_count; i += Context::block_threads) {
        uninit<key_type> left_key;
        uninit<value_type> left_value;
        if (!keys_left.read(ctx, i, readers.tag, left_key)) {
          continue;
        }
        *(keys.output + static_cast<index_type>(i)) = left_key.get();
        if constexpr (has_values) {
          if (values_left.read(ctx, i, readers.tag, left_value)) {
            *(values.output + static_cast<index_type>(i)) = left_value.get();
          }
        }
      }
    }
  }
};

/// `Order` says which keys precede which, and how 32 of them stand in shared memory:
///   group; stage(group, lane, key, is_present, is_earlier)   the group's key of a lane, of a group before the block's own or not
///   compared(key)                                            what of a key of the block's own is compared
///   count(ctx, group, number, n, compared)                   how many of a group's keys, which is number `number`, precede it
///   fills_output                                             by what is no ordering keys may find the same place and leave another as
///                                                            it was: the output is filled with the input first
template <class Shape, class Order, class Keys, class Values>
struct all_pairs_kernel {
  using key_type = typename Keys::value_type;
  using value_type = typename Values::value_type;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned group_items = simt::warp_threads;
  static constexpr unsigned batch = Shape::batch;  ///< groups of a warp whose loads are in flight together
  static constexpr bool has_values = !::cuda::std::is_same_v<value_type, no_values>;
  static constexpr bool fills_output = Order::fills_output;
  using writer = all_pairs_writer<Keys, Values>;

  struct shared {
    typename Order::group others[warps][batch];
    unsigned before[warps][group_items];  ///< how many of the warp's keys precede the block's own
    typename writer::shared written;
  };

  Keys keys;
  Values values;
  Order order;
  unsigned count;
  writer results;  ///< waits if in place, or if the output is filled, unless there is one block

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned own = ctx.block() * group_items + ctx.lane();
    const bool is_writer = ctx.warp() == 0 && own < count;
    const unsigned arrival = results.enter(ctx);
    uninit<key_type> next[batch];
    uninit<typename writer::value_type> value;
    load_batch(ctx, ctx.warp(), next);
    const key_type key = load_key(own);
    if constexpr (has_values) {
      if (is_writer) {
        value.set(algorithm::load_value(values, sort_buffer::input, values.input, static_cast<index_type>(own)));
      }
    }
    if constexpr (fills_output) {
      if (is_writer) {
        fill_output(own, key, value);
      }
    }
    smem.before[ctx.warp()][ctx.lane()] = count_before(ctx, smem, order.compared(key), next, arrival);
    ctx.sync_block();  // the counts of all warps are there
    const index_type place = is_writer ? sum_before(ctx, smem) : 0;
    results.write(ctx, smem.written, keys, values, is_writer, place, key, value);
  }

private:
  /// Positions behind the last key repeat it.
  GIMBAL_DEVICE key_type load_key(unsigned position) const
  {
    return block::load_as<key_type>(keys.input + static_cast<index_type>(position < count ? position : count - 1));
  }

  /// Groups `first`, `first` + warps and so on.
  template <class Context>
  GIMBAL_DEVICE void load_batch(const Context& ctx, unsigned first, uninit<key_type> (&key)[batch]) const
  {
    GIMBAL_UNROLL
    for (unsigned g = 0; g < batch; ++g) {
      key[g].set(load_key((first + g * warps) * group_items + ctx.lane()));
    }
  }

  GIMBAL_DEVICE void fill_output(
    unsigned own, const key_type& key, const uninit<typename writer::value_type>& value) const
  {
    if (keys.is_copy()) {
      *(keys.output + static_cast<index_type>(own)) = key;
    }
    if constexpr (has_values) {
      if (values.is_copy()) {
        *(values.output + static_cast<index_type>(own)) = value.get();
      }
    }
  }

  /// How many of the warp's share of all keys precede the lane's own. Loads are a batch ahead.
  template <class Context, class Compared>
  GIMBAL_DEVICE unsigned count_before(
    Context& ctx, shared& smem, const Compared& compared, uninit<key_type> (&next)[batch], unsigned arrival) const
  {
    const unsigned groups = (count + group_items - 1) / group_items;
    unsigned before = 0;
    GIMBAL_NO_UNROLL
    for (unsigned begun = 0; begun < groups; begun += warps * batch) {
      const unsigned first = begun + ctx.warp();
      ctx.sync_warp();  // the batch before has been read
      GIMBAL_UNROLL
      for (unsigned g = 0; g < batch; ++g) {
        const unsigned group = first + g * warps;
        const bool is_present = group * group_items + ctx.lane() < count;
        order.stage(smem.others[ctx.warp()][g], ctx.lane(), next[g], is_present, group < ctx.block());
      }
      ctx.sync_warp();  // the batch is there
      if (begun + warps * batch < groups) {
        load_batch(ctx, first + warps * batch, next);
      } else {
        results.arrive(ctx, arrival);
      }
      GIMBAL_NO_UNROLL
      for (unsigned g = 0; g < batch && first + g * warps < groups; ++g) {
        before += order.count(ctx, smem.others[ctx.warp()][g], first + g * warps, count, compared);
      }
    }
    return before;
  }

  template <class Context>
  static GIMBAL_DEVICE unsigned sum_before(const Context& ctx, const shared& smem)
  {
    unsigned sum = 0;
    GIMBAL_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      sum += smem.before[w][ctx.lane()];
    }
    return sum;
  }
};

/// The row of the kernel, which takes so many items as fit it where at most `most_streams` work at the same time. In
/// place, and where the output is filled first, its blocks wait for each other, through words: without `has_room` there
/// are none in the storage, and the row takes no call whose stream keeps none.
template <class Kernel>
struct all_pairs_row : no_row {
  using writer = typename Kernel::writer;

  bool fits;
  unsigned most_streams;
  bool has_room;
  Kernel kernel;

  std::size_t room(status&)
  {
    return fits && has_room && blocks() > 1 ? launch_words::room_for(static_cast<index_type>(word_count())) : 0;
  }
  bool takes(launch_words& words, status& state)
  {
    bool has_words = fits && words.active_streams() <= most_streams;
    if (has_words && !has_room && waits()) {
      state = words.take_if_kept(word_count(), 1, clearing, has_words);
    }
    return has_words && !state;
  }
  status launch(launch_words& words)
  {
    if (waits()) {
      GIMBAL_TRY(has_room ? words.take(word_count(), 1, clearing) : status{});
      kernel.results = writer::of(words, blocks(), kernel.count);
    }
    return simt::launch(kernel, blocks(), words.stream(), "sort of all pairs");
  }

private:
  static constexpr const char* clearing = "clearing of the words of a sort of all pairs";

  bool waits() const
  {
    return blocks() > 1 && (Kernel::fills_output || algorithm::find_aliasing(kernel.keys, kernel.values).in_place);
  }
  std::size_t word_count() const { return writer::word_count(blocks(), kernel.count); }
  unsigned blocks() const { return (kernel.count + Kernel::group_items - 1) / Kernel::group_items; }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
