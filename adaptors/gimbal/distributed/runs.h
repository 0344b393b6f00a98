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

}  // namespace adaptor

GIMBAL_NAMESPACE_END
