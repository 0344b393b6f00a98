#include "radix_engine_check.h"

/// Shares of one batch of a lane, or two.
struct two_batches : small_shape {
  static constexpr unsigned items_per_thread = 4;
};

struct even_tiles {
  struct all_pairs {
    static constexpr unsigned block_threads = 64;
    static constexpr unsigned resident_blocks = 0;
    static constexpr unsigned batch = 1;
  };
  using buckets = gimbal::tuning::no_radix_buckets;
  using large = two_batches;
  using any_gpu_shape = two_batches;
  static constexpr gimbal::index_type most_all_pairs_items = 0;
  static constexpr gimbal::index_type most_resident_items = 0;
  static constexpr gimbal::index_type most_resident_floats = 0;
};

bool check(std::size_t size) { return sorts_right<even_tiles>(keys_with(0x0f00070fu, size)); }

int main() { return run_schedules({100, 384, 511, 1600}, check, 40); }
