// Where a rank's first run ends and its last one begins, for the calls by key and by segment.
#pragma once

#include <gimbal/distributed/call.h>
#include <gimbal/ranks/runs.h>
#include <gimbal/thrust/find.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Where the first run of n > 0 items ends. Reads it, and some items beyond.
template <class Local, class HeadAt>
index_type first_run_end(Local& local, index_type n, HeadAt head_at)
{
  const thrust::counting_iterator<index_type> from_second(1);
  return 1 + adaptor::find_index(local, "end of a rank's first run", from_second, n - 1, 0, head_at);
}

/// Where their last run begins. Reads it, and some items before.
template <class Local, class HeadAt>
index_type last_run_begin(Local& local, index_type n, HeadAt head_at)
{
  const thrust::counting_iterator<index_type> from_last(0);
  return n - 1
         - adaptor::find_index(
           local, "begin of a rank's last run", from_last, n - 1, 0, ranks::head_from_end<HeadAt>{head_at, n - 1});
}

/// The same where the host knows them.
template <class Local>
index_type first_run_end(Local&, index_type, const ranks::own_heads& heads)
{
  return heads.first_end;
}
template <class Local>
index_type last_run_begin(Local&, index_type, const ranks::own_heads& heads)
{
  return heads.last_begin;
}

/// *to = the fold, after init, of the run that begins last on this rank, with what later ranks have of it; where
/// `stores`. The first `continued` items are of a run of earlier ranks.
template <class T, class Local, class InputIt, class HeadAt, class OutputIt, class Op, class Init>
void fold_last_run(
  distributed_call<Local>& call, InputIt first, index_type n, index_type continued, HeadAt head_at, bool stores,
  OutputIt to, Op op, Init init)
{
  using parts = ranks::run_parts<T>;
  call.template gather<parts, ranks::nothing>(
    n > 0,
    [&](uninit<parts>* place) {
      parts* const own = &place->get();
      call.once(ranks::put_parts<T>{own, continued > 0, continued == n});
      if (continued > 0) {
        adaptor::fold_part(call.local(), first, continued, &own->first.get(), op);
      }
      if (stores) {
        const index_type begin = adaptor::last_run_begin(call.local(), n, head_at);
        adaptor::fold_part(call.local(), first + begin, n - begin, &own->last.get(), op);
      }
    },
    ranks::store_whole_run<OutputIt, T, Op, Init>{to, stores, op, init});
}

}  // namespace adaptor

GIMBAL_NAMESPACE_END
