// Tunes inclusive sums by key of structs, in runs of 256 on average: the persistent kernel with various shapes, and the
// look-back kernel.
#include "../compare/inputs.h"
#include "segmented_variants.h"

namespace perf {

namespace {

const tuning_subject u64x4_by_key("scan by key 32 bytes", [](tuning_run& r) {
  const std::size_t n = r.n();
  const std::int32_t* const keys = r.filled<std::int32_t>(n, run_key<std::int32_t>{{256}});
  const u64x4* const in = r.random_array<u64x4>(n);
  r.moves(n * (2 * sizeof(u64x4) + sizeof(std::int32_t)));
  u64x4* const out = sums_by_key<u64x4>(r, keys, in, true).gimbal;
  const gimbal::heads_from_keys<const std::int32_t*, cuda::std::equal_to<>> heads{keys, {}};
  segmented_scan_calls(r, inclusive_scan_tag{}, heads, in, out);
  persistent_segmented_scans<
    shape<8, 8, 32, 220, 16>, shape<8, 8, 96, 220, 16>, shape<8, 8, 160, 220, 16>, shape<4, 4, 32, 220, 16>,
    shape<4, 4, 96, 220, 16>>(r, inclusive_scan_tag{}, heads, in, out);
});

}  // namespace

}  // namespace perf
