// Tunes exclusive sums: the persistent scan with various shapes, and the look-back scan.
#include "scan_variants.h"

namespace perf {

namespace {

using gimbal::index_type;

/// What the rows of scans of few items by blocks that run at once say.
template <unsigned Threads, unsigned LaneItems, unsigned LoneRows, unsigned SpreadBlocks>
struct resident_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned lane_items = LaneItems;
  static constexpr index_type single_rows = LoneRows;
  static constexpr index_type spread_blocks = SpreadBlocks;
  static constexpr index_type most_blocks = multiprocessors;

  static std::string name()
  {
    return name_of(
      "resident, ", Threads, " threads of ", LaneItems, ", ", LoneRows, " rows alone, spread over ", SpreadBlocks);
  }
};

/// Of no more items than its blocks can hold.
template <class... Shapes, class T>
void resident_scans(tuning_run& r, const T* in, T* out)
{
  const auto n = static_cast<index_type>(r.n());
  if (n * static_cast<index_type>(sizeof(T)) > index_type{4} << 20) {
    return;
  }
  r.kernels<Shapes...>([=](auto shape) {
    using kernel = algorithm::resident_scan_kernel_for<
      decltype(shape), algorithm::exclusive_scan_tag, const T*, T*, cuda::std::plus<>, T>;
    return gimbal::kernel_row<kernel>(
      n <= kernel::most_items, {in, out, static_cast<unsigned>(n), 0, {{}}, T{0}, {}, 0});
  });
}

template <class T>
void scan(tuning_run& r)
{
  const T* const in = r.random_array<T>();
  const auto s = exclusive_sums<T>(r, in, 2 * sizeof(T));
  s.calls();
  resident_scans<
    resident_shape<256, 64 / sizeof(T), 2, 64>, resident_shape<512, 64 / sizeof(T), 2, 64>,
    resident_shape<512, 64 / sizeof(T), 4, 64>, resident_shape<512, 64 / sizeof(T), 2, multiprocessors>,
    resident_shape<1024, 32 / sizeof(T), 2, 64>>(r, in, s.out);
  s.template persistent<shape<8, 8, 80, 200, 12>, shape<6, 12, 80, 226, 20>>();
}

/// Items of one type, sums of a larger one.
template <class Item, class T>
void scan_widened(tuning_run& r)
{
  const auto s = exclusive_sums<T, cuda::std::plus<T>>(r, r.random_array<Item>(), sizeof(Item) + sizeof(T));
  s.calls();
  s.template persistent<shape<6, 12, 80, 226, 20>>();
  if (r.n() <= std::size_t{1} << 18) {
    s.template call<blocks_of<256, 13, 1280>>("look-back, 256 x 13");
    s.template call<blocks_of<384, 9, 1280>>("look-back, 384 x 9");
    return;
  }
  s.template persistent<shape<6, 12, 112, 226, 20>, shape<6, 12, 160, 226, 20>, shape<6, 12, 224, 226, 20>>();
}

const tuning_subject i32_i64{"widened i32 i64", scan_widened<std::int32_t, std::int64_t>};
const tuning_subject u16_u32{"widened u16 u32", scan_widened<std::uint16_t, std::uint32_t>};
const tuning_subject i8{"scan i8", scan<std::int8_t>};
const tuning_subject i32{"scan i32", scan<std::int32_t>};
const tuning_subject f32{"scan f32", scan<float>};
const tuning_subject f64{"scan f64", scan<double>};
const tuning_subject i64{"scan i64", scan<std::int64_t>};

}  // namespace

}  // namespace perf
