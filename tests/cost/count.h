// Exact counts of what kernels do on the host executor. A program that is compiled with -fsanitize=thread and linked
// with count.cpp in the sanitizer's place calls count.cpp before each access to memory: see there.
#pragma once

#include <cstddef>

namespace cost {

/// What one call did. Lane operations are counted once per lane, barriers once per arriving thread.
struct counts {
  double read = 0;  ///< bytes of global memory, fills and copies included, atomic loads not
  double written = 0;
  double shared = 0;     ///< bytes of shared memory, read and written
  double looks = 0;      ///< atomic loads of global memory: flags, waited for in turns that depend on the schedule
  double looked_at = 0;  ///< bytes of these
  double atomics = 0;    ///< on global memory: stores and updates
  double shared_atomics = 0;
  double barriers = 0;  ///< of a block or of some of its warps
  double warp_barriers = 0;
  double shuffles = 0;
  double votes = 0;        ///< ballots and matches
  double bulk_bytes = 0;   ///< of `read`: what bulk copies brought
  double never_read = 0;   ///< bytes that were fetched ahead and then not read
  double allocations = 0;  ///< that went beyond what the pool held: none in steady state
};

/// Global memory for a test's arrays, counted like the pool's; never freed.
void* array(std::size_t bytes);

void start();
counts stop();

}  // namespace cost
