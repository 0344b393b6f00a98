// Tunes sums of segments, in runs of 256 on average: the persistent kernel with various shapes, and the look-back
// kernel. Stock is its scan by key throughout.
#include "../compare/inputs.h"
#include "scan_variants.h"

namespace perf {

namespace {

using item = std::int32_t;
constexpr std::uint64_t mean = 256;

const item* keys_in_runs(tuning_run& r) { return r.filled<item>(r.n(), run_key<item>{{mean}}); }

/// Exclusive sums of segments in two forms: as keys for stock, and as heads that have so many bytes.
template <class Heads>
void scan(tuning_run& r, const item* keys, Heads heads, std::size_t head_bytes)
{
  const item* const in = r.random_array<item>();
  const twin<item> out = r.output<item>(r.n());
  r.moves(2 * r.n() * sizeof(item) + head_bytes);
  r.stock([=, n = static_cast<int>(r.n())](auto&&... storage) {
    return cub::DeviceScan::ExclusiveSumByKey(storage..., keys, in, out.stock, n);
  });
  const auto s = segmented_sums(r, algorithm::exclusive_scan_tag{}, heads, in, out.gimbal, item{0});
  s.calls();
  if (r.n() <= std::size_t{1} << 20) {
    s.template persistent<shape<8, 8, 16, 220, 2>, shape<4, 4, 16, 220, 2>, shape<4, 4, 32, 220, 16>>();
  }
  s.template persistent<shape<8, 8, 48, 220, 16>, shape<8, 8, 80, 220, 16>, shape<8, 4, 80, 220, 16>>();
}

const tuning_subject keyed("scan by key i32 in runs of 256", [](tuning_run& r) {
  const item* const keys = keys_in_runs(r);
  scan(r, keys, gimbal::heads_from_keys<const item*, cuda::std::equal_to<>>{keys, {}}, r.n() * sizeof(item));
});

const tuning_subject flagged("scan by flags i32 in runs of 256", [](tuning_run& r) {
  const std::uint8_t* const flags = r.filled<std::uint8_t>(r.n(), run_flag{{mean}});
  scan(r, keys_in_runs(r), gimbal::heads_from_flags<const std::uint8_t*>{flags}, r.n());
});

const tuning_subject from_offsets("scan by offsets i32 in runs of 256", [](tuning_run& r) {
  const std::size_t count = run_starts{mean}.count(r.n());
  const std::uint32_t* const offsets = r.filled<std::uint32_t>(count, run_offset{{mean}});
  const gimbal::heads_from_offsets<const std::uint32_t*> heads{offsets, static_cast<gimbal::index_type>(count)};
  scan(r, keys_in_runs(r), heads, count * sizeof(std::uint32_t));
});

/// Inclusive sums of structs.
const tuning_subject u64x4_by_key("scan by key 32 bytes", [](tuning_run& r) {
  const auto s = sums_by_key(r, keys_in_runs(r), r.random_array<u64x4>(), sizeof(item) + sizeof(u64x4));
  s.calls();
  s.persistent<
    shape<8, 8, 32, 220, 16>, shape<8, 8, 96, 220, 16>, shape<8, 8, 160, 220, 16>, shape<4, 4, 32, 220, 16>,
    shape<4, 4, 96, 220, 16>>();
});

}  // namespace

}  // namespace perf
