// Tunes scans by key and runs of what is gathered, in the order of a random list, with various shapes of the persistent
// kernel.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/unique.h>

#include "runs_shape.h"
#include "scan_variants.h"

namespace perf {

namespace {

using word = std::uint32_t;
using item = std::int32_t;

template <class T>
constexpr std::size_t bytes_each = 2 * sizeof(word) + sizeof(T);  // of list, kind and value

template <class T>
void scan_permuted(tuning_run& r)
{
  const auto in = thrust::make_permutation_iterator(r.random_array<T>(), make_scattered(r).list);
  exclusive_sums<T>(r, in, 2 * sizeof(T) + sizeof(word), std::is_integral_v<T>)
    .template persistent<
      loaded<4, 4, 5, 160, 48>, loaded<4, 5, 5, 160>, loaded<2, 6, 5, 96, 48>, loaded<2, 8, 5, 62, 48>,
      loaded<1, 8, 8, 62, 48>>();
}

template <class T>
void permuted(tuning_run& r)
{
  const scattered_items s = make_scattered(r);
  const auto in = thrust::make_permutation_iterator(r.random_array<T>(), s.list);
  sums_by_key(r, s.kinds, in, bytes_each<T>)
    .template persistent<
      loaded<4, 4, 5, 160, 48>, loaded<4, 4, 5, 160>, loaded<2, 6, 5, 96, 48>, loaded<2, 5, 5, 96>,
      loaded<2, 6, 5, 62, 48>>();
}
template <class T>
void names(tuning_run& r)
{
  const scattered_items s = make_scattered(r);
  sums_by_key(r, s.list, r.random_array<T>(), bytes_each<T>, names_equal{s.kinds})
    .template persistent<
      loaded<1, 8, 8, 160, 48>, loaded<1, 6, 8, 62, 48>, loaded<1, 6, 8, 96, 48>, loaded<2, 5, 4, 128, 112>>();
}
template <class T>
void looked_up(tuning_run& r)
{
  const auto keys =
    thrust::make_transform_iterator(thrust::make_counting_iterator(word{0}), kind_at{make_scattered(r)});
  sums_by_key(r, keys, r.random_array<T>(), bytes_each<T>)
    .template persistent<
      loaded<3, 6, 5, 160, 48>, loaded<2, 6, 5, 96, 48>, loaded<2, 6, 5, 62, 48>, loaded<2, 8, 5, 62, 48>>();
}

const tuning_subject sums_by("sums by permuted keys", [](tuning_run& r) {
  const scattered_items s = make_scattered(r);
  const auto keys = thrust::make_permutation_iterator(s.kinds, s.list);
  make_run_sums<item, item>(r, keys, r.random_array<item>(), 4 * r.n() * sizeof(item))
    .stream<runs_shape<8, 2, 8, 48, 160>, runs_shape<8, 2, 8, 48, 96>>();
});
const tuning_subject sums_of("sums of permuted", [](tuning_run& r) {
  const scattered_items s = make_scattered(r);
  const auto in = thrust::make_permutation_iterator(r.random_array<item>(), s.list);
  make_run_sums<item, item>(r, s.kinds, in, 4 * r.n() * sizeof(item))
    .stream<runs_shape<8, 2, 8, 48, 160>, runs_shape<8, 2, 8, 48, 96>>();
});
const tuning_subject unique("unique names", [](tuning_run& r) {
  const std::size_t n = r.n();
  const scattered_items s = make_scattered(r);
  const word* const list = s.list;
  const names_equal equal{s.kinds};
  const twin<word> out = r.output<word>(n);
  std::int64_t* const count = r.array<std::int64_t>(1);
  r.moves(3 * n * sizeof(word));
  // CUB's own compares what lies behind the last key, which names nothing.
  r.stock([=](void*, std::size_t& bytes) {
    bytes = 1;
    thrust::unique_copy(thrust::cuda::par_nosync, list, list + n, out.stock, equal);
    return cudaSuccess;
  });
  persistent_variants<
    runs_shape<8, 2, 4, 80, 160>, runs_shape<8, 2, 4, 80, 96>, runs_shape<8, 1, 4, 80, 160>,
    runs_shape<8, 1, 4, 80, 62>>(r, list, out.gimbal, algorithm::no_run_values{}, count, equal);
});

const tuning_subject scan_i32{"scan permuted i32", scan_permuted<item>};
const tuning_subject scan_f64{"scan permuted f64", scan_permuted<double>};
const tuning_subject permuted_i32{"by key permuted i32", permuted<item>};
const tuning_subject permuted_f64{"by key permuted f64", permuted<double>};
const tuning_subject by_names{"by keys of names i32", names<item>};
const tuning_subject f64_by_names{"by keys of names f64", names<double>};
const tuning_subject by_looked_up{"by keys looked up i32", looked_up<item>};
const tuning_subject f64_looked_up{"by keys looked up f64", looked_up<double>};

}  // namespace

}  // namespace perf
