// Sorts of so few keys that comparing each with every other takes less time than the latencies of any other algorithm:
// their kernel, how it writes in place, and its launch. radix_sort/radix_sort.cuh compares bits,
// merge_sort/merge_sort.cuh by any comparator.
//
// A block has 32 keys of its own, one in each lane of every warp. Its warps divide all keys among them, 32 at a time,
// and count how many precede each of the block's own. The sum over the warps is the key's position.
//
// Order: stable. The time depends neither on the keys nor on the schedule.
// Traffic: every block reads all keys, nearly all of them from the L2 cache; values once, and both are written once.
// Launches: 1. Storage: none; where blocks wait, tagged words (launch_plan.h), for keys and values, too.
// In place: no block writes before all have read (grid/reader_barrier.cuh: progress and memory order). Else none waits
//   for another, but where the output is filled first.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include <gimbal/grid/reader_barrier.cuh>
#include <gimbal/tile/sort_array.cuh>
#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Order` says which keys precede which, and how 32 of them stand in shared memory:
///   group; stage(group, lane, key, is_present, is_earlier)   the group's key of a lane, of a group before the block's own or not
///   compared(key)                                            what of a key of the block's own is compared
///   count(ctx, group, number, n, compared)                   how many of a group's keys, which is number `number`, precede it
///   fills_output                                             by what is no ordering keys may find the same place and leave another as
///                                                            it was: the output is filled with the input first
///
/// Where not all blocks can be resident the items go through tagged words at the numbers of their places.
template <class Shape, class Order, class Keys, class Values>
struct all_pairs_kernel {
  static constexpr const char* step = "sort of all pairs";
  static constexpr const char* clearing = "clearing of the words of a sort of all pairs";
  using key_type = typename Keys::value_type;
  static constexpr bool has_values = !::cuda::std::is_same_v<typename Values::value_type, no_values>;
  using value_type = ::cuda::std::conditional_t<has_values, typename Values::value_type, char>;
  static constexpr unsigned block_threads = Shape::block_threads;
  static constexpr unsigned resident_blocks = Shape::resident_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_threads;
  static constexpr unsigned group_items = simt::warp_threads;
  static constexpr unsigned batch = Shape::batch;  ///< groups of a warp whose loads are in flight together
  using left_keys = block::exchange<key_type>;
  using left_values = block::exchange<value_type>;

  struct shared {
    typename Order::group others[warps][batch];
    unsigned before[warps][group_items];  ///< how many of the warp's keys precede the block's own
    bool is_in_time;
    bool is_last;
  };

  Keys keys;
  Values values;
  Order order;
  unsigned count;
  block::reader_barrier barrier = {};  ///< without a state: no block waits
  left_keys keys_left = {};
  left_values values_left = {};

  // ---- host

  unsigned blocks() const { return (count + group_items - 1) / group_items; }
  /// If in place, or if the output is filled, unless there is one block.
  index_type words_needed() const
  {
    return Order::fills_output || algorithm::find_aliasing(keys, values).in_place ? words_to_wait() : no_words;
  }
  index_type words_to_wait() const
  {
    const std::size_t left = left_keys::word_count(count) + (has_values ? left_values::word_count(count) : 0);
    return blocks() > 1 ? static_cast<index_type>(block::reader_barrier::word_count(blocks()) + left) : no_words;
  }
  void take(const launch_words& words)
  {
    std::uint64_t* const left = words.words() + block::reader_barrier::word_count(blocks());
    barrier = block::reader_barrier::of(words, blocks());
    keys_left = {left, count};
    values_left = {left + left_keys::word_count(count), count};
  }

  // ---- device

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned own = ctx.block() * group_items + ctx.lane();
    const bool is_writer = ctx.warp() == 0 && own < count;
    const unsigned arrival = waits() && ctx.thread() == 0 ? barrier.readers.join(ctx) : 0;
    uninit<key_type> next[batch];
    uninit<value_type> value;
    load_batch(ctx, ctx.warp(), next);
    const key_type key = load_key(own);
    if (is_writer) {
      if constexpr (has_values) {
        value.set(algorithm::load_value(values, sort_buffer::input, values.input, static_cast<index_type>(own)));
      }
      if constexpr (Order::fills_output) {
        fill_output(own, key, value);
      }
    }
    smem.before[ctx.warp()][ctx.lane()] = count_before(ctx, smem, order.compared(key), next, arrival);
    ctx.sync_block();  // the counts of all warps are there
    const index_type place = is_writer ? sum_before(ctx, smem) : 0;
    if (waits()) {
      if (ctx.warp() == 0) {
        const bool is_in_time = barrier.wait(ctx, [](unsigned, std::uint32_t) {});
        if (ctx.lane() == 0) {
          smem.is_in_time = is_in_time;
        }
      }
      ctx.sync_block();  // all blocks have read, or the block is to leave
      if (!smem.is_in_time) {
        leave(ctx, smem, is_writer, place, key, value);
        return;
      }
    }
    if (is_writer) {
      write(place, key, value);
    }
  }

private:
  GIMBAL_DEVICE bool waits() const { return barrier.readers.state != nullptr; }

  /// By all threads when the block has read all that it ever reads, and filled what it fills.
  template <class Context>
  GIMBAL_DEVICE void arrive(Context& ctx, unsigned order_of_begin) const
  {
    if (waits()) {
      ctx.sync_block();  // all warps have read
      if (ctx.thread() == 0) {
        barrier.arrive(ctx, order_of_begin);
      }
    }
  }

  /// The last block brings all items to their places: a place that none has found, with a comparator that is no order,
  /// stays as it is.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void leave(
    Context ctx, shared& smem, bool is_writer, index_type place, const key_type& key,
    const uninit<value_type>& value) const
  {
    if (is_writer) {
      keys_left.write(ctx, static_cast<unsigned>(place), barrier.tag, key);
      if constexpr (has_values) {
        values_left.write(ctx, static_cast<unsigned>(place), barrier.tag, value.get());
      }
    }
    ctx.sync_block();  // the block's items are left
    if (ctx.thread() == 0) {
      smem.is_last = barrier.readers.leave(ctx, ctx.blocks());
    }
    ctx.sync_block();  // if the block is the last, all items are left
    if (smem.is_last) {
      for (unsigned i = ctx.thread(); i < count; i += block_threads) {
        uninit<key_type> left_key;
        uninit<value_type> left_value;
        if (!keys_left.read(ctx, i, barrier.tag, left_key)) {
          continue;
        }
        if constexpr (has_values) {
          values_left.read(ctx, i, barrier.tag, left_value);  // left with the key
        }
        write(i, left_key.get(), left_value);
      }
    }
  }

  /// Positions after the last key repeat it.
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

  GIMBAL_DEVICE void write(index_type place, const key_type& key, const uninit<value_type>& value) const
  {
    *(keys.output + place) = key;
    if constexpr (has_values) {
      *(values.output + place) = value.get();
    }
  }

  GIMBAL_DEVICE void fill_output(unsigned own, const key_type& key, const uninit<value_type>& value) const
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
    const unsigned groups = ctx.blocks();
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
        arrive(ctx, arrival);
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

/// The row of the kernel, where at most `most_streams` work at the same time. Which blocks wait is known when the call
/// runs, not when it asks for storage: without `has_room` for their words there, it takes no call whose stream keeps
/// none.
template <class Kernel>
struct all_pairs_row : kernel_row<Kernel> {
  unsigned most_streams;
  bool has_room;

  all_pairs_row(bool fits_here, const Kernel& own, unsigned most_streams_here = any_streams, bool has_room_here = true)
      : kernel_row<Kernel>(fits_here, own), most_streams(most_streams_here), has_room(has_room_here)
  {
  }

  std::size_t room(status&) { return has_room ? launch_words::room_for(this->kernel.words_to_wait()) : 0; }
  bool takes(launch_words& held, status& state)
  {
    return held.active_streams() <= most_streams
           && (has_room || held.needs_no_room(this->kernel.words_needed(), state));
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
