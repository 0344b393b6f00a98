// Tunes segmented exclusive sums, in runs of 256 on average: the persistent kernel with various shapes, and the
// look-back kernel. Stock is its scan by key throughout.
#include "segmented_variants.h"

namespace perf {

namespace {

using item = std::int32_t;

/// Of segments in two forms: as keys for stock, and as heads.
template <class Heads>
void scan(tuning_run& r, const item* keys, Heads heads)
{
  const exclusive_scan_tag tag{};
  const item* const in = r.random_array<item>(r.n());
  const twin<item> results = r.output<item>(r.n());
  item* const out = results.gimbal;
  r.stock([=, n = static_cast<int>(r.n())](auto&&... storage) {
    return cub::DeviceScan::ExclusiveSumByKey(storage..., keys, in, results.stock, n);
  });
  segmented_scan_calls(r, tag, heads, in, out);
  if (r.n() <= std::size_t{1} << 20) {
    persistent_segmented_scans<shape<8, 8, 16, 220, 2>, shape<4, 4, 16, 220, 2>, shape<4, 4, 32, 220, 16>>(
      r, tag, heads, in, out);
  }
  persistent_segmented_scans<shape<8, 8, 48, 220, 16>, shape<8, 8, 80, 220, 16>, shape<8, 4, 80, 220, 16>>(
    r, tag, heads, in, out);
}

constexpr std::uint64_t mean = 256;

const item* make_keys(tuning_run& r) { return r.filled<item>(r.n(), run_key<item>{{mean}}); }

void by_key(tuning_run& r)
{
  const item* const keys = make_keys(r);
  r.moves(3 * r.n() * sizeof(item));
  scan(r, keys, gimbal::heads_from_keys<const item*, cuda::std::equal_to<>>{keys, {}});
}

void by_flags(tuning_run& r)
{
  const std::uint8_t* const flags = r.filled<std::uint8_t>(r.n(), run_flag{{mean}});
  r.moves(r.n() * (2 * sizeof(item) + 1));
  scan(r, make_keys(r), gimbal::heads_from_flags<const std::uint8_t*>{flags});
}

void by_offsets(tuning_run& r)
{
  const std::size_t count = run_starts{mean}.count(r.n());
  const std::uint32_t* const offsets = r.filled<std::uint32_t>(count, run_offset{{mean}});
  r.moves(2 * r.n() * sizeof(item) + count * sizeof(std::uint32_t));
  scan(
    r, make_keys(r), gimbal::heads_from_offsets<const std::uint32_t*>{offsets, static_cast<gimbal::index_type>(count)});
}

const tuning_subject keyed{"scan by key i32 in runs of 256", by_key};
const tuning_subject flagged{"scan by flags i32 in runs of 256", by_flags};
const tuning_subject from_offsets{"scan by offsets i32 in runs of 256", by_offsets};

}  // namespace

}  // namespace perf
