// Where a rank's first run ends and its last one begins, for the calls by key and by segment.
#pragma once

#include <gimbal/distributed/call.h>
#include <gimbal/ranks/runs.h>
#include <gimbal/thrust/find.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// The bounds of the first and the last run of n > 0 items.
struct run_bounds {
  index_type first_end;   ///< n where all are of one run
  index_type last_begin;  ///< 0 where all are of one run

  bool is_single() const { return last_begin == 0; }
};

/// Reads the first and the last run, and some items beyond.
template <class Local, class HeadAt>
run_bounds find_run_bounds(Local& local, index_type n, HeadAt head_at)
{
  const thrust::counting_iterator<index_type> from_second(1);
  const thrust::counting_iterator<index_type> from_last(0);
  const index_type first = adaptor::find_index(local, "end of a rank's first run", from_second, n - 1, 0, head_at);
  if (first == n - 1 || n == 1) {
    return {n, 0};
  }
  const index_type last = adaptor::find_index(
    local, "begin of a rank's last run", from_last, n - 1, 0, ranks::head_from_end<HeadAt>{head_at, n - 1});
  return {1 + first, n - 1 - last};
}

/// Gathers every rank's run_summary of `n` values from `first` on; with `with_first` also the fold of the first run.
template <class Key, class T, class R, class Local, class KeyIt, class InputIt, class HeadAt, class Op, class Fold>
std::optional<R> gather_runs(
  distributed_call<Local>& call, KeyIt keys, InputIt first, index_type n, HeadAt head_at, Op op, bool with_first,
  Fold fold, run_bounds& bounds)
{
  using summary = ranks::run_summary<Key, T>;
  return call.template gather<summary, R>(
    n > 0,
    [&](uninit<summary>* place) {
      summary* const out = &place->get();
      bounds = adaptor::find_run_bounds(call.local(), n, head_at);
      call.once(ranks::put_run_ends<KeyIt, Key, T>{keys, n, bounds.is_single(), out});
      adaptor::fold_part(call.local(), first + bounds.last_begin, n - bounds.last_begin, &out->last.get(), op);
      if (with_first && !bounds.is_single()) {
        adaptor::fold_part(call.local(), first, bounds.first_end, &out->first.get(), op);
      }
    },
    fold);
}

}  // namespace adaptor

GIMBAL_NAMESPACE_END
