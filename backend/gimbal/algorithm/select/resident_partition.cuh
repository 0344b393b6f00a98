// Stable partition in place of few items, in one launch: partition.cuh's by blocks that run at once, each of which holds its tile
// from the first load to the last store.
//
// Algorithm: a block loads its tile, counts the selected items and posts their number; with the posts of all blocks it knows how
//   many are selected before its tile and in all, which is where the rejected items begin.
// Bytes moved: each item is read once and written once. Launches: one. Storage: a word for each block
//   (retained_words.h).
// Selector: asked once per item.
// Determinism: the result is a function of the input.
// Forward progress: blocks start together (a cooperative launch), and each posts before it waits.
// Memory order: a block posts, with release, behind the barrier that follows its loads, and writes behind the barrier that follows
//   its reading, with acquire, of all posts. So all loads come before any store.
#pragma once

#include <gimbal/grid/retained_words.h>

#include <gimbal/grid/posts.cuh>
#include <gimbal/simt/warp_sum.cuh>
#include <gimbal/tile/rows.cuh>
#include <gimbal/tile/selectors.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Tuning, class InOutIt, class Selector>
struct resident_partition_kernel {
  static constexpr unsigned block_threads = Tuning::block_threads;
  using value = value_type_of<InOutIt>;
  using rows = block::rows<block_threads, Tuning::items_per_thread>;
  using posts_type = block::posts<std::uint32_t, true>;

  struct shared {
    uninit<value> item[rows::items];
    typename rows::shared counts;
    unsigned selected_before;
    unsigned selected_of_all;
  };

  InOutIt data;
  unsigned n;
  Selector selector;
  index_type* selected_count;
  posts_type posts;
  std::uint32_t tag;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned first = ctx.block() * rows::items;
    const unsigned valid = n - first < rows::items ? n - first : rows::items;

    uninit<value> item[Tuning::items_per_thread];
    rows::load(ctx, data + first, valid, item);
    const std::uint32_t flags = rows::template flags<Selector::loads>(
      ctx, valid, [&](unsigned i, unsigned index) { return selector.selects(data, first + index, item[i].get()); });
    rows::count(ctx, smem.counts, flags);
    ctx.sync_block();  // the warps' counts are written; all loads precede the post

    const unsigned selected = rows::total(smem.counts);
    if (ctx.thread() == 0) {
      posts.write(ctx, ctx.block(), tag, selected);
    }
    rows::template gather_flagged<true>(ctx, smem.counts, flags, valid, selected, item, smem.item);
    if (ctx.warp() == 0) {
      add_posts(ctx, smem);
    }
    ctx.sync_block();  // the items are in shared memory, their places are known, and all blocks have read

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
  GIMBAL_DEVICE void add_posts(Context& ctx, shared& smem) const
  {
    std::uint32_t before = 0;
    std::uint32_t of_all = 0;
    posts.visit(ctx, tag, [&](unsigned block, std::uint32_t selected) {
      before += block < ctx.block() ? selected : 0;
      of_all += selected;
    });
    before = simt::warp_sum(ctx, before);
    of_all = simt::warp_sum(ctx, of_all);
    if (ctx.lane() == 0) {
      smem.selected_before = before;
      smem.selected_of_all = of_all;
    }
  }
};

/// False in `is_possible` if so many blocks cannot start together; one is for who does without posts.
template <class Kernel>
status find_resident_partition(index_type n, index_type most_blocks, bool& is_possible)
{
  const index_type blocks = n / Kernel::rows::items + (n % Kernel::rows::items != 0);
  unsigned resident = 0;
  if (1 < blocks && blocks <= most_blocks) {
    GIMBAL_TRY(simt::co_resident_blocks<Kernel>(resident));
  }
  is_possible = 1 < blocks && blocks <= resident;
  return {};
}

template <class Kernel>
status run_resident_partition(Kernel kernel, launch_words& words)
{
  const unsigned blocks = (kernel.n + Kernel::rows::items - 1) / Kernel::rows::items;
  GIMBAL_TRY(words.take(Kernel::posts_type::word_count(blocks), 1, "clearing of the posts of a stable partition"));
  kernel.posts = {{words.words(), blocks}};
  kernel.tag = words.first_tag();
  return words.launch<simt::start::together>(kernel, blocks, "stable partition");
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
