// Stable partition in place: the kernels of this room with the selected items where the items come from. The rejected
// ones of all but few tiles go through a buffer, from where the stream itself, or a second launch, moves them after the
// selected. What partition.cuh says of reads and stores in place holds here.
//
// Memory order at the end of the persistent kernel: a member arrives at the grid barrier (grid/team.cuh) when its
// stores are complete, and reads the buffer, and overwrites what others have loaded, when all have arrived.
#pragma once

#include <gimbal/algorithm/select/partition.cuh>
#include <gimbal/algorithm/transform/transform.cuh>
#include <gimbal/grid/reader_barrier.cuh>
#include <gimbal/grid/team.cuh>
#include <gimbal/simt/warp_sum.cuh>
#include <gimbal/tile/rows.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

// ---- few items

/// Of few items, in one launch: blocks each of which holds its tile from the first load to the last store.
///
/// Algorithm: a block loads its tile, counts the selected items and publishes how many; with the counts of all blocks
///   it knows how many are selected before its tile and in all, which is where the rejected items begin. Where not all
///   blocks can be resident each leaves its tile in a buffer, the selected items first, and the last block moves all of
///   them to where they belong.
/// Bytes moved: each item is read once and written once; through the buffer, twice. Launches: one. Storage: n items,
///   and a word for each block (launch_plan.h).
/// Selector: called once per item.
/// Determinism: the result is a function of the input.
/// Progress, memory order: see grid/reader_barrier.cuh. All loads come before any store.
template <class Tuning, class InOutIt, class Selector>
struct resident_partition_kernel {
  static constexpr const char* step = "stable partition";
  static constexpr const char* clearing = "clearing of the words of a stable partition";
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value = value_type_of<InOutIt>;
  using rows = block::rows<block_threads, Tuning::items_per_thread>;

  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
    unsigned selected_before;
    unsigned selected_of_all;
    bool is_in_time;
    bool is_last;
  };

  InOutIt data;
  unsigned n;
  Selector selector;
  index_type* selected_count;
  value* buffer;
  block::reader_barrier readers;

  index_type blocks() const { return gimbal::tiles_of(n, rows::items); }
  index_type words_needed() const
  {
    return static_cast<index_type>(block::reader_barrier::word_count(static_cast<std::size_t>(blocks())));
  }
  void take(const launch_words& held)
  {
    readers = block::reader_barrier::of(held, static_cast<unsigned>(blocks()));
    buffer = held.arrays<value>();
  }

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned first = ctx.block() * rows::items;
    const unsigned valid = n - first < rows::items ? n - first : rows::items;
    const unsigned order = ctx.thread() == 0 ? readers.enter(ctx) : 0;

    uninit<value> item[Tuning::items_per_thread];
    rows::load(ctx, data + first, valid, item);
    const std::uint32_t flags = rows::template flags<Selector::loads>(
      ctx, valid, [&](unsigned i, unsigned index) { return selector.selects(data, first + index, item[i].get()); });
    rows::count(ctx, smem.counts, flags);
    ctx.sync_block();  // the warps' counts are written; all loads precede the arrival

    const unsigned selected = rows::total(smem.counts);
    if (ctx.thread() == 0) {
      readers.arrive(ctx, order, selected);
    }
    rows::template gather_flagged<true>(ctx, smem.counts, flags, valid, selected, item, smem.item);
    if (ctx.warp() == 0) {
      add_counts(ctx, smem);
    }
    ctx.sync_block();  // the items are in shared memory; their places are known, and all blocks have read

    if (!smem.is_in_time) {
      leave(ctx, smem, first, valid);
      return;
    }
    const unsigned before = smem.selected_before;
    const unsigned of_all = smem.selected_of_all;
    rows::store_run(ctx, smem.item, data + before, selected);
    rows::store_run(ctx, smem.item + selected, data + (of_all + (first - before)), valid - selected);
    if (ctx.block() == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, of_all);
    }
  }

private:
  template <class Context>
  GIMBAL_DEVICE void add_counts(Context& ctx, shared& smem) const
  {
    std::uint32_t before = 0;
    std::uint32_t of_all = 0;
    const bool is_in_time = readers.wait(ctx, [&](unsigned block, std::uint32_t selected) {
      before += block < ctx.block() ? selected : 0;
      of_all += selected;
    });
    before = simt::warp_sum(ctx, before);
    of_all = simt::warp_sum(ctx, of_all);
    if (ctx.lane() == 0) {
      smem.selected_before = before;
      smem.selected_of_all = of_all;
      smem.is_in_time = is_in_time;
    }
  }

  /// The block's tile into the buffer, the selected items first. The last block moves the tiles to where they belong, a
  /// warp each.
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void leave(Context ctx, shared& smem, unsigned first, unsigned valid) const
  {
    rows::store_run(ctx, smem.item, buffer + first, valid);
    ctx.sync_block();  // the tile is in the buffer
    if (ctx.thread() == 0) {
      smem.is_last = readers.leave(ctx);
    }
    ctx.sync_block();  // the buffer is full if the block is the last
    if (smem.is_last) {
      for (unsigned tile = ctx.warp(); tile < ctx.blocks(); tile += block_threads / simt::warp_threads) {
        bring(ctx, tile);
      }
    }
  }
  template <class Context>
  GIMBAL_DEVICE void bring(Context& ctx, unsigned tile) const
  {
    std::uint32_t before = 0;
    std::uint32_t selected = 0;
    std::uint32_t of_all = 0;
    readers.visit(ctx, [&](unsigned block, std::uint32_t count) {
      before += block < tile ? count : 0;
      selected += block == tile ? count : 0;
      of_all += count;
    });
    before = simt::warp_sum(ctx, before);
    selected = simt::warp_sum(ctx, selected);
    of_all = simt::warp_sum(ctx, of_all);
    const unsigned first = tile * rows::items;
    const unsigned valid = n - first < rows::items ? n - first : rows::items;
    for (unsigned i = ctx.lane(); i < valid; i += simt::warp_threads) {
      const unsigned to = i < selected ? before + i : of_all + (first - before) + (i - selected);
      block::store_as(data + to, buffer[first + i]);
    }
    if (tile == 0 && ctx.lane() == 0) {
      block::store_as(selected_count, of_all);
    }
  }
};

/// The row of a stable partition in place, which has a buffer.
template <class Kernel>
struct resident_partition_row : kernel_row<Kernel> {
  using kernel_row<Kernel>::kernel_row;

  std::size_t array_bytes() { return this->fits ? this->kernel.n * sizeof(typename Kernel::value) : 0; }
};

// ---- the rejected items of many, from the buffer to where they belong

/// How far the items of an array lie after the begin of a line of memory.
template <class OutputIt>
GIMBAL_DEVICE index_type items_into_line(OutputIt out)
{
  constexpr unsigned line_bytes = 128;
  constexpr unsigned value_bytes = sizeof(value_type_of<OutputIt>);
  using raw = block::raw_iterator_t<OutputIt>;
  if constexpr (::cuda::std::is_pointer<raw>::value && line_bytes % value_bytes == 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(block::raw_iterator(out));
    return static_cast<index_type>(address % line_bytes / value_bytes);
  } else {
    return 0;
  }
}

/// The share of one of `blocks` blocks. `Copies`: copy_kernel.
template <class Copies, class Context, class Value, class OutputIt>
GIMBAL_DEVICE void append_share(
  Context& ctx, unsigned block, unsigned blocks, const Value* buffer, OutputIt out, index_type count)
{
  constexpr index_type tile_items = Copies::tile_items;
  // Tiles end where lines of memory do, so that warps store whole ones.
  index_type end = (index_type{block} + 1) * tile_items - algorithm::items_into_line(out);
  for (; end - tile_items < count; end += index_type{blocks} * tile_items) {
    const index_type begin = end > tile_items ? end - tile_items : 0;
    Copies::copy_tile(ctx, buffer + begin, out + begin, (end < count ? end : count) - begin);
  }
}

/// The end of a stable partition in place: the rejected items in the buffer go where they belong.
/// `Policy`: persistent_select_policy.
template <class Policy>
struct persistent_partition_append {
  const Policy& policy;

  /// By all threads of each member, when its tiles are stored.
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE_NOINLINE void run(Context ctx, Shared& smem, const Scheduler& own) const
  {
    using value = typename Policy::value;
    using copies = copy_kernel<tuning::stream_append<Context::block_threads, sizeof(value)>, const value*, value*>;
    if (policy.first_waiting(own) == 0) {
      return;  // nothing is in the buffer
    }
    policy.rejected.all_stored.arrive(ctx, smem.place);
    policy.rejected.all_stored.wait(ctx, smem.place);
    if (ctx.thread() == 0) {
      find_counts(ctx, smem, own);
    }
    ctx.sync_block();  // the counts are there
    algorithm::append_share<copies>(
      ctx, smem.place.number, smem.place.members, static_cast<const value*>(policy.rejected.buffer),
      policy.rejected.data + smem.appended.selected, smem.appended.buffered);
  }

private:
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void find_counts(Context& ctx, Shared& smem, const Scheduler& own) const
  {
    if (own.is_alone) {
      smem.appended = {smem.selected_by_single_block, policy.source.n - smem.selected_by_single_block};
      return;
    }
    const unsigned first = policy.first_waiting(own);
    uninit<index_type> selected;
    uninit<index_type> selected_before;
    while (
      !(own.server.find_prefix(ctx, own.server.slot_of(own.tiles), selected)
        && own.server.find_prefix(ctx, own.server.slot_of(first), selected_before))) {
      ctx.spin_wait();
    }
    smem.appended = {
      selected.get(), policy.source.first_index(first) + policy.source.extent_of(first).first - selected_before.get()};
  }
};

/// How the persistent kernel stores the rejected items in place: after the selected ones. The last tiles, all that the
/// rings hold at the same time, wait there until the number of selected items is known; the rejected items of the tiles
/// before go into a buffer.
template <class Value>
struct persistent_rejected_behind {
  static constexpr auto order = block::others::kept;
  static constexpr bool may_wait = true;
  template <class Policy>
  using append = persistent_partition_append<Policy>;
  Value* buffer;
  Value* data = nullptr;
  block::grid_barrier all_stored = {};

  GIMBAL_DEVICE Value* target(bool waits, index_type before, unsigned, const index_type& total) const
  {
    return waits ? data + total + before : buffer + before;
  }
};

namespace detail {

template <class Value>
struct persistent_rejected<persistent_rejected_behind<Value>, Value> {
  static constexpr bool is_possible = true;
  static persistent_rejected_behind<Value> of(persistent_rejected_behind<Value> out) { return out; }
};

}  // namespace detail

/// As a launch of its own, after the one that writes the count.
template <class Tuning, class Value, class OutputIt>
struct append_kernel {
  static constexpr const char* step = "stable partition: rejected items to the end";
  using copies = copy_kernel<tuning::copy<sizeof(Value)>, const Value*, OutputIt>;
  static constexpr unsigned block_threads = copies::block_threads;

  struct shared {};

  const Value* buffer;
  OutputIt data;
  index_type n;
  const index_type* kept_count;
  index_type* selected_count;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared&) const
  {
    const index_type selected = *kept_count;
    algorithm::append_share<copies>(
      ctx, static_cast<unsigned>(ctx.block()), static_cast<unsigned>(ctx.blocks()), buffer, data + selected,
      n - selected);
    if (ctx.block() == 0 && ctx.thread() == 0) {
      block::store_as(selected_count, selected);
    }
  }
};

namespace detail {

/// After the selected items where a single tile knows their number, else into a buffer.
template <class OutputIt, class Value>
struct rejected_behind {
  static constexpr auto order = block::others::kept;
  OutputIt out;
  Value* buffer;  // null if there is a single tile

  template <class Store>
  GIMBAL_DEVICE void place(index_type before, index_type selected, Store store) const
  {
    if (buffer == nullptr) {
      store(out + selected);
    } else {
      store(buffer + before);
    }
  }
};

/// The row of a stable partition in place by tiles, whose rejected items a second launch appends from a buffer. It
/// needs no storage where another row is sure to take the call.
template <class Kernel, class Append, unsigned AppendBlocks>
struct partition_in_place_row : kernel_row<Kernel> {
  static constexpr std::size_t count_bytes =
    256;  // the buffer lies after the count, in device memory, where many blocks can read it

  bool needs_storage;

  partition_in_place_row(bool fits_here, const Kernel& own, bool needs_storage_here)
      : kernel_row<Kernel>(fits_here, own), needs_storage(needs_storage_here && own.before.tiles > 1)
  {
  }

  std::size_t array_bytes()
  {
    const std::size_t items = static_cast<std::size_t>(this->kernel.n);
    return this->fits && needs_storage ? count_bytes + items * sizeof(typename Kernel::value) : 0;
  }

  status launch(launch_words& words)
  {
    Kernel& own = this->kernel;
    if (own.before.tiles <= 1) {
      return kernel_row<Kernel>::launch(words);
    }
    auto* const kept_count = words.arrays<index_type>();
    own.rejected.buffer = reinterpret_cast<typename Kernel::value*>(words.arrays<char>() + count_bytes);
    const Append append{own.rejected.buffer, own.selected_out, own.n, kept_count, own.selected_count};
    own.selected_count = kept_count;
    GIMBAL_TRY(kernel_row<Kernel>::launch(words));
    constexpr index_type tile_items = Append::copies::tile_items;
    const index_type most_blocks = own.n / tile_items + 1;
    const index_type blocks_of_many = most_blocks / tuning::append_tiles;
    const index_type wanted = blocks_of_many > AppendBlocks ? blocks_of_many : index_type{AppendBlocks};
    return simt::launch(append, most_blocks < wanted ? most_blocks : wanted, words.stream(), Append::step);
  }
};

/// Whether the row takes the call wherever its arrays begin.
inline bool is_sure_to_take(no_row&) { return false; }
template <class Policy>
bool is_sure_to_take(persistent_row<Policy>& row)
{
  return row.fits && takes_any_address_v<Policy> && !row.find_room() && row.blocks > 0;
}

}  // namespace detail

/// The table of stable partitions in place, first row that takes the call first:
///
///   items                                                            kernel
///   2 tiles to most_resident_partition_blocks                        resident_partition_kernel
///   arrays that is_streamed() takes, persistent_partition's bytes    persistent_partition.cuh
///   any                                                              select_kernel, append_kernel
///
template <class Tuning = void, class InOutIt, class Selector>
auto stable_partition_plan(InOutIt data, index_type n, Selector selector, index_type* selected_count)
{
  using value = value_type_of<InOutIt>;
  static_assert(simt::is_supported_value_v<value>, "kernels hold values of at most 128 bytes, copied bytewise");
  using rejected = persistent_rejected_behind<value>;
  using chosen = detail::partition_tuning<Tuning, InOutIt, Selector, InOutIt, rejected>;
  using kernel_type = select_kernel<
    chosen, InOutIt, Selector, InOutIt, detail::rejected_behind<InOutIt, value>, index_type*, ::cuda::std::true_type>;
  using resident_type = resident_partition_kernel<chosen, InOutIt, Selector>;
  const unsigned tiles = n == 0 ? 1 : gimbal::tiles_of(n, kernel_type::rows::items);
  const resident_partition_row<resident_type> resident(
    1 < tiles && tiles <= tuning::most_resident_partition_blocks,
    {data, static_cast<unsigned>(n), selector, selected_count, nullptr, {}});
  auto stream = algorithm::persistent_select_row_for<Tuning>(
    data, resident.fits || tiles == 1 ? 0 : n, selector, data, rejected{nullptr}, selected_count);
  using in_place_row =
    detail::partition_in_place_row<kernel_type, append_kernel<chosen, value, InOutIt>, chosen::append_blocks>;
  return gimbal::plan_of(
    resident, stream,
    in_place_row(
      !resident.fits, {data, n, selector, data, {data, nullptr}, selected_count, {}, {tiles}},
      !detail::is_sure_to_take(stream)));
}

/// The selected items of `data` before the rejected ones, both in their order; the number of selected items to
/// `*selected_count`. A stencil or flags must not overlap `data`.
template <class Tuning = void, class InOutIt, class Selector>
status stable_partition_in_place(
  const temporary_storage& storage, std::size_t& storage_bytes, InOutIt data, index_type n, Selector selector,
  index_type* selected_count, simt::stream_type stream)
{
  return algorithm::stable_partition_plan<Tuning>(data, n, selector, selected_count)
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
