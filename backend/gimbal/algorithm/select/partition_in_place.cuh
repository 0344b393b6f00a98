// Stable partition in place: the kernels of this room with the selected items where the items come from. The rejected ones of all but
// few tiles go through a buffer, from where the stream itself, or a second launch, brings them behind the selected.
// What partition.cuh says of reads and stores in place holds here.
#pragma once

#include <gimbal/algorithm/select/partition.cuh>
#include <gimbal/algorithm/select/resident_partition.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// As a launch of its own, behind the one that writes the count.
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

/// Behind the selected items where a single tile knows their number, else into a buffer.
template <class OutputIt, class Value>
struct rejected_behind {
  static constexpr const char* step = "stable partition";
  static constexpr bool keeps = true;
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

/// The row of a stable partition in place by tiles, whose rejected items a second launch appends from a buffer. It needs no storage
/// where another row is sure to take the call.
template <class Kernel, class Append, unsigned AppendBlocks>
struct partition_in_place_row : kernel_row<Kernel> {
  static constexpr std::size_t count_bytes =
    256;  // the buffer lies behind the count, in device memory, where many blocks can read it

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
///   2 tiles to most_resident_partition_blocks                        resident_partition.cuh
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

/// The selected items of `data` in front of the rejected ones, both in their order; the number of selected items to
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
