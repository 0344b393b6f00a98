// Segmented exclusive sums, in runs of 256 on average: the streaming kernel with various shapes, and the look-back
// kernel. Stock is its scan by key throughout.
#include "segmented_variants.h"

namespace perf {

namespace {

using gimbal::index_type;
using item = std::int32_t;

/// The segments in three forms.
struct segments {
  item* keys;
  std::uint8_t* flags;
  std::uint32_t* offsets;
  std::size_t count;
};

__global__ void make_runs(segments made, std::size_t n, std::size_t mean)
{
  for (std::size_t s = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; s < made.count;
       s += std::size_t{gridDim.x} * blockDim.x) {
    // One head somewhere in each interval of `mean` items.
    const auto head = [&](std::size_t run) {
      return run == 0 ? 0 : run == made.count ? n : run * mean + run * 0x9e3779b97f4a7c15u % mean;
    };
    const std::size_t begin = head(s) < n ? head(s) : n;
    const std::size_t end = head(s + 1) < n ? head(s + 1) : n;
    made.offsets[s] = static_cast<std::uint32_t>(begin);
    for (std::size_t i = begin; i < end; ++i) {
      made.keys[i] = static_cast<item>(s);
      made.flags[i] = i == begin;
    }
  }
}

struct problem {
  segments runs;
  const item* in;
  item* out;
};

problem make_problem(tuning_run& r, std::size_t mean)
{
  const std::size_t n = r.n();
  const std::size_t count = (n + mean - 1) / mean;
  const twin<item> out = r.output<item>(n);
  const problem made{
    {r.array<item>(n), r.array<std::uint8_t>(n), r.array<std::uint32_t>(count), count},
    r.random_array<item>(n),
    out.gimbal};
  make_runs<<<1024, 256>>>(made.runs, n, mean);
  PERF_CHECK(cudaGetLastError());
  r.stock([=](auto&&... storage) {
    return cub::DeviceScan::ExclusiveSumByKey(storage..., made.runs.keys, made.in, out.stock, static_cast<int>(n));
  });
  return made;
}

template <class Heads>
void variants(tuning_run& r, const problem& p, Heads heads)
{
  const exclusive_scan_tag tag{};
  segmented_scan_calls(r, tag, heads, p.in, p.out);
  if (r.n() <= std::size_t{1} << 20) {
    stream_segmented_scans<
      shape<8, 8, 16, 220, 2>, shape<4, 4, 16, 220, 2>, shape<4, 8, 16, 220, 2>, shape<6, 4, 16, 220, 2>,
      shape<8, 4, 16, 220, 2>, shape<6, 6, 16, 220, 2>, shape<4, 4, 32, 220, 16>, shape<6, 4, 32, 220, 16>,
      shape<8, 4, 48, 220, 16>>(r, tag, heads, p.in, p.out);
  }
  stream_segmented_scans<shape<8, 8, 48, 220, 16>, shape<8, 8, 80, 220, 16>, shape<8, 4, 80, 220, 16>>(
    r, tag, heads, p.in, p.out);
  if constexpr (std::is_same_v<Heads, gimbal::heads_from_offsets<const std::uint32_t*>>) {
    const gimbal::algorithm::many_offsets<const std::uint32_t*> many{heads};
    stream_segmented_scans<
      shape<8, 8, 80, 220, 16>, shape<8, 4, 80, 220, 16>, shape<8, 3, 80, 220, 16>, shape<8, 8, 48, 220, 16>,
      shape<8, 4, 48, 220, 16>, shape<8, 4, 64, 220, 16>, shape<6, 4, 64, 220, 16>>(
      r, tag, many, p.in, p.out, "copied, ");
  } else {
    stream_segmented_scans<shape<5, 6, 80, 220, 16, 2, 2>, shape<5, 8, 80, 220, 16, 2, 2>>(r, tag, heads, p.in, p.out);
  }
}

template <std::size_t Mean>
void by_key(tuning_run& r)
{
  const problem p = make_problem(r, Mean);
  r.moves(3 * r.n() * sizeof(item));
  variants(r, p, gimbal::heads_from_keys<const item*, cuda::std::equal_to<>>{p.runs.keys, {}});
}

template <std::size_t Mean>
void by_flags(tuning_run& r)
{
  const problem p = make_problem(r, Mean);
  r.moves(r.n() * (2 * sizeof(item) + 1));
  variants(r, p, gimbal::heads_from_flags<const std::uint8_t*>{p.runs.flags});
}

template <std::size_t Mean>
void by_offsets(tuning_run& r)
{
  const problem p = make_problem(r, Mean);
  r.moves(2 * r.n() * sizeof(item) + p.runs.count * sizeof(std::uint32_t));
  variants(
    r, p, gimbal::heads_from_offsets<const std::uint32_t*>{p.runs.offsets, static_cast<index_type>(p.runs.count)});
}

const tuning_subject keyed{"scan by key i32 in runs of 256", by_key<256>};
const tuning_subject keyed_alone{"scan by key i32 in runs of 1", by_key<1>};
const tuning_subject keyed_long{"scan by key i32 in runs of 10^6", by_key<1000000>};
const tuning_subject flagged{"scan by flags i32 in runs of 256", by_flags<256>};
const tuning_subject from_offsets{"scan by offsets i32 in runs of 256", by_offsets<256>};
const tuning_subject from_offsets_alone{"scan by offsets i32 in runs of 1", by_offsets<1>};

}  // namespace

}  // namespace perf
