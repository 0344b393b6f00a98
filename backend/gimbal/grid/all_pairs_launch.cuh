// What sorts that compare each key with every other have in common (all_pairs_sort.cuh by bits, all_pairs_merge_sort.cuh by any
// comparator): how they write in place, and their launch.
#pragma once

#include <gimbal/grid/retained_words.h>

#include <gimbal/grid/reader_barrier.cuh>
#include <gimbal/tile/sort_array.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// How the blocks of a launch, the first warp of each of which has an item in each lane, bring them to their places when all blocks
/// have read. Where not all can be resident the items go through tagged words at the numbers of their places.
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
  /// The last block brings all items to their places: a place that none has found, with a comparator that is no order, stays as it is.
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

/// A launch of such a kernel; `order` is what it orders keys by. `take(count, step, has_words)` takes the words of a launch that
/// waits. False in `has_words`, and nothing is launched, where there are none.
template <class Kernel, class Keys, class Values, class Order, class Take>
status launch_all_pairs(
  bool& has_words, launch_words& words, Keys keys, Values values, unsigned n, Order order, Take take)
{
  const unsigned blocks = (n + Kernel::group_items - 1) / Kernel::group_items;
  using writer = typename Kernel::writer;
  Kernel kernel{keys, values, order, n, {}};
  const bool waits = Kernel::fills_output || words.measures() || algorithm::find_aliasing(keys, values).in_place;
  has_words = true;
  if (waits && blocks > 1) {
    GIMBAL_TRY(take(writer::word_count(blocks, n), "clearing of the words of a sort of all pairs", has_words));
    if (!has_words) {
      return {};
    }
    kernel.results = writer::of(words, blocks, n);
  }
  return n == 0 ? status{} : words.launch(kernel, blocks, "sort of all pairs");
}

/// Storage: room for its words, should the stream keep none.
template <class Kernel, class Keys, class Values, class Order>
status all_pairs_sort(
  temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, unsigned n, Order order,
  simt::stream_type stream)
{
  const auto launches = [&](launch_words& words) -> status {
    bool has_words;
    return algorithm::launch_all_pairs<Kernel>(
      has_words, words, keys, values, n, order,
      [&](std::size_t count, const char* step, bool&) { return words.take(count, 1, step); });
  };
  return gimbal::call_launches(storage, storage_bytes, launches, stream);
}

/// The same without storage, where the stream keeps the words or the call may take them from the pool; else `is_taken` is false, and
/// nothing is done.
template <class Kernel, class Keys, class Values, class Order>
status all_pairs_sort_without_storage(
  bool& is_taken, temporary_storage storage, std::size_t& storage_bytes, Keys keys, Values values, unsigned n,
  Order order, simt::stream_type stream)
{
  status placed;
  is_taken = true;
  if (!storage_layout{}.place(storage, storage_bytes, placed)) {
    return placed;
  }
  launch_words words(stream);
  return algorithm::launch_all_pairs<Kernel>(
    is_taken, words, keys, values, n, order, [&](std::size_t count, const char* step, bool& has_words) {
      return words.take_if_kept(count, 1, storage.may_use_pool(), step, has_words);
    });
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
