// Exclusive sums: the streaming scan with various shapes, and the look-back scan.
#include <cub/device/device_scan.cuh>
#include <gimbal/algorithm/scan/scan.cuh>

#include "stream_shape.h"

namespace perf {

namespace {

using gimbal::index_type;
using gimbal::algorithm::exclusive_scan_tag;

template <class Shape, class T>
void stream_variant(tuning_run& r, const T* in, T* out)
{
  r.variant(Shape::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
    return run_plan(
      gimbal::algorithm::plan_stream_scan<Shape>(exclusive_scan_tag{}, in, out, n, cuda::std::plus<>{}, T{0}), storage,
      bytes);
  });
}

/// Of no more items than its blocks can hold.
template <class Shape, class T>
void resident_variant(tuning_run& r, const T* in, T* out)
{
  const auto n = static_cast<index_type>(r.n());
  if (n * static_cast<index_type>(sizeof(T)) <= index_type{4} << 20) {
    r.variant(Shape::name(), [=](void* storage, std::size_t& bytes) {
      bytes = 1;
      if (storage == nullptr) {
        return cudaSuccess;
      }
      bool is_taken = false;
      gimbal::launch_words words(nullptr);
      const gimbal::status state = gimbal::algorithm::resident_scan<Shape>(
        exclusive_scan_tag{}, in, out, n, cuda::std::plus<>{}, T{0}, words, is_taken);
      return state || is_taken ? state.code : cudaErrorInvalidConfiguration;
    });
  }
}

template <class T>
void scan(tuning_run& r)
{
  const std::size_t n = r.n();
  const T* const in = r.random_array<T>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  r.output(expected, out, n * sizeof(T));
  r.moves(2 * n * sizeof(T));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, in, expected, static_cast<int>(n));
  });
  const auto call_variant = [&](auto tuning, const char* name) {
    r.variant(name, [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::scan<typename decltype(tuning)::type>(
               storage, bytes, exclusive_scan_tag{}, in, out, static_cast<index_type>(n), cuda::std::plus<>{}, T{0},
               nullptr)
        .code;
    });
  };
  call_variant(cuda::std::type_identity<void>{}, "call");
  call_variant(cuda::std::type_identity<gimbal::tuning::scan<sizeof(T)>>{}, "look-back");
  resident_variant<resident_shape<256, 64 / sizeof(T), 2, 64>>(r, in, out);
  resident_variant<resident_shape<512, 64 / sizeof(T), 2, 64>>(r, in, out);
  resident_variant<resident_shape<512, 64 / sizeof(T), 4, 64>>(r, in, out);
  resident_variant<resident_shape<512, 64 / sizeof(T), 2, 132>>(r, in, out);
  resident_variant<resident_shape<1024, 32 / sizeof(T), 2, 64>>(r, in, out);
  if (n <= std::size_t{1} << 20) {
    stream_variant<shape<4, 4, 16, 226, 20>>(r, in, out);
    stream_variant<shape<4, 4, 32, 226, 20>>(r, in, out);
    stream_variant<shape<4, 4, 48, 226, 20>>(r, in, out);
    stream_variant<shape<6, 4, 32, 226, 20>>(r, in, out);
    stream_variant<shape<6, 4, 48, 226, 20>>(r, in, out);
    stream_variant<shape<8, 4, 48, 226, 20>>(r, in, out);
    stream_variant<shape<6, 4, 80, 226, 20>>(r, in, out);
    stream_variant<shape<6, 12, 80, 226, 20>>(r, in, out);
  } else {
    stream_variant<shape<8, 8, 80, 200, 12>>(r, in, out);
    stream_variant<shape<6, 12, 80, 226, 20>>(r, in, out);
    stream_variant<shape<6, 12, 48, 226, 20>>(r, in, out);
  }
}

template <unsigned Threads, unsigned Items>
struct blocks_of {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned items_per_thread = Items;
};

/// Items of one type, sums of a larger one.
template <class Item, class T>
void scan_widened(tuning_run& r)
{
  const std::size_t n = r.n();
  const Item* const in = r.random_array<Item>(n);
  T* const expected = r.array<T>(n);
  T* const out = r.array<T>(n);
  r.output(expected, out, n * sizeof(T));
  r.moves(n * (sizeof(Item) + sizeof(T)));
  r.stock([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(
      storage, bytes, in, expected, cuda::std::plus<T>{}, T{0}, static_cast<int>(n));
  });
  const auto call_variant = [&](auto tuning, const char* name) {
    r.variant(name, [=](void* storage, std::size_t& bytes) {
      return gimbal::algorithm::scan<typename decltype(tuning)::type>(
               storage, bytes, exclusive_scan_tag{}, in, out, static_cast<index_type>(n), cuda::std::plus<T>{}, T{0},
               nullptr)
        .code;
    });
  };
  call_variant(cuda::std::type_identity<void>{}, "call");
  call_variant(cuda::std::type_identity<gimbal::tuning::scan<sizeof(T)>>{}, "look-back");
  const auto stream = [&](auto shape) {
    r.variant(decltype(shape)::name(), [=, n = static_cast<index_type>(r.n())](void* storage, std::size_t& bytes) {
      return run_plan(
        gimbal::algorithm::plan_stream_scan<decltype(shape)>(
          exclusive_scan_tag{}, in, out, n, cuda::std::plus<T>{}, T{0}),
        storage, bytes);
    });
  };
  stream(shape<6, 12, 80, 226, 20>{});
  if (n <= std::size_t{1} << 18) {
    call_variant(cuda::std::type_identity<blocks_of<256, 7>>{}, "look-back, 256 x 7");
    call_variant(cuda::std::type_identity<blocks_of<256, 13>>{}, "look-back, 256 x 13");
    call_variant(cuda::std::type_identity<blocks_of<384, 9>>{}, "look-back, 384 x 9");
    stream(shape<6, 4, 48, 226, 20>{});
    stream(shape<8, 4, 48, 226, 20>{});
    stream(shape<4, 4, 80, 226, 20>{});
    return;
  }
  stream(shape<6, 12, 112, 226, 20>{});
  stream(shape<6, 12, 160, 226, 20>{});
  stream(shape<6, 8, 112, 226, 20>{});
  stream(shape<8, 8, 112, 226, 20>{});
  stream(shape<6, 12, 224, 226, 20>{});
}

const tuning_subject i32_i64{"widened i32 i64", scan_widened<std::int32_t, std::int64_t>};
const tuning_subject f32_f64{"widened f32 f64", scan_widened<float, double>};
const tuning_subject u16_u32{"widened u16 u32", scan_widened<std::uint16_t, std::uint32_t>};
const tuning_subject u8_u32{"widened u8 u32", scan_widened<std::uint8_t, std::uint32_t>};
const tuning_subject u8_u64{"widened u8 u64", scan_widened<std::uint8_t, std::uint64_t>};
const tuning_subject i8{"scan i8", scan<std::int8_t>};
const tuning_subject i16{"scan i16", scan<std::int16_t>};
const tuning_subject i32{"scan i32", scan<std::int32_t>};
const tuning_subject f32{"scan f32", scan<float>};
const tuning_subject f64{"scan f64", scan<double>};
const tuning_subject i64{"scan i64", scan<std::int64_t>};

}  // namespace

}  // namespace perf
