// The end of a stable partition in place as a stream (stream_partition.cuh): the rejected items in the buffer go where they belong.
//
// Memory order: a member arrives at the grid barrier (grid/grid_barrier.cuh) when its stores are complete, and reads the buffer, and
// overwrites what others have loaded, when all have arrived.
#pragma once

#include <gimbal/algorithm/select/append.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// `Policy`: stream_select_policy.
template <class Policy>
struct stream_partition_append {
  struct shared {
    index_type selected;
    index_type buffered;
  };

  const Policy& policy;

  /// By all threads of each member, when its tiles are stored.
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE_NOINLINE void run(Context& ctx, Shared& smem, const Scheduler& own) const
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
    append_share<copies>(
      ctx, smem.place.number, smem.place.members, static_cast<const value*>(policy.rejected.buffer),
      policy.rejected.data + smem.appended.selected, smem.appended.buffered);
  }

private:
  template <class Context, class Shared, class Scheduler>
  GIMBAL_DEVICE void find_counts(Context& ctx, Shared& smem, const Scheduler& own) const
  {
    if (own.is_alone) {
      smem.appended = {smem.selected_by_lone_block, policy.source.n - smem.selected_by_lone_block};
      return;
    }
    const unsigned first = policy.first_waiting(own);
    uninit<index_type> selected;
    uninit<index_type> selected_before;
    while (
      !(own.server.find_prefix(ctx, own.server.place_of(own.tiles), selected)
        && own.server.find_prefix(ctx, own.server.place_of(first), selected_before))) {
      ctx.spin_wait();
    }
    smem.appended = {
      selected.get(), policy.source.first_index(first) + policy.source.extent_of(first).first - selected_before.get()};
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
