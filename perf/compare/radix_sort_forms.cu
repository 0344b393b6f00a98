// Measures radix sorts that CUB's calls have and Thrust's have not: between the two buffers of a DoubleBuffer, and by a
// range of bits.
#include <memory>
#include <string>

#include "radix_sort.h"

namespace perf {

namespace {

/// The two buffers of each side, the first with the input. Where a side's result lies is its own affair.
template <class T>
struct twin_buffers {
  twin<T> first, second;
  std::shared_ptr<cub::DoubleBuffer<T>[]> both { new cub::DoubleBuffer<T>[ 2 ] };  ///< of stock, of gimbal

  twin_buffers(comparison& c, const T* in)
      : first{c.array<T>(c.n()), c.array<T>(c.n())}, second{c.array<T>(c.n()), c.array<T>(c.n())}
  {
    const auto n = static_cast<std::size_t>(c.n());
    const twin<T> result{c.array<T>(n), c.array<T>(n)};
    const auto none = [] { return std::size_t{0}; };
    c.in_place(first, in, n, none);
    c.in_place(second, in, n, none);  // nothing sorted is left there by the call before
    c.in_place(result, in, n, [own = *this, result, n] {
      copy(result.stock, own.both[0].Current(), n * sizeof(T));
      copy(result.gimbal, own.both[1].Current(), n * sizeof(T));
      return n;
    });
  }

  /// As they are before a call.
  cub::DoubleBuffer<T>& filled(side of) const { return both[of.is_gimbal] = {of(first), of(second)}; }
};

template <class Key, class... Value>
void compare_sort_between(comparison& c, const Key* in, const Value*... values_in)
{
  const int n = c.n();
  c.moves([=] { return 2 * (sizeof(Key) + ... + sizeof(Value)) * n; });
  const auto sort = [&](twin_buffers<Key> keys, twin_buffers<Value>... values) {
    c.device<cub::DeviceRadixSort, gimbal::DeviceRadixSort>([=](auto calls, side of, auto&&... storage) {
      return radix_sort_call<sizeof...(Value) != 0>(calls, storage..., keys.filled(of), values.filled(of)..., n);
    });
  };
  sort(twin_buffers<Key>(c, in), twin_buffers<Value>(c, values_in)...);
}
template <class Key, class... Value>
void compare_between(comparison& c)
{
  compare_sort_between(c, make_keys<Key>(c), make_items<Value>(c)...);
}

/// By so many of the low bits as the distribution says.
template <class Key, class... Value>
void compare_sort_by_low_bits(comparison& c, const Key* in, const Value*... values)
{
  const int n = c.n();
  const int bits = std::stoi(c.distribution().substr(std::string("bits_").size()));
  c.moves([=] { return 2 * (sizeof(Key) + ... + sizeof(Value)) * n; });
  const auto sort_into = [&](twin<Key> out, twin<Value>... values_out) {
    c.device<cub::DeviceRadixSort, gimbal::DeviceRadixSort>([=](auto calls, side of, auto&&... storage) {
      return radix_sort_call<sizeof...(Value) != 0>(
        calls, storage..., in, of(out), values..., of(values_out)..., n, 0, bits);
    });
  };
  sort_into(c.output<Key>(n), c.output<Value>(n)...);
}
template <class Key, class... Value>
void compare_low_bits(comparison& c)
{
  compare_sort_by_low_bits(c, make_items<Key>(c), make_items<Value>(c)...);
}

const implementation here[] = {
  {"radix_sort_between", "u32", compare_between<std::uint32_t>},
  {"radix_sort_between", "u64", compare_between<std::uint64_t>},
  {"radix_sort_between", "u32+u32", compare_between<std::uint32_t, std::uint32_t>},
  {"radix_sort_low_bits", "u32", compare_low_bits<std::uint32_t>},
  {"radix_sort_low_bits", "u32+u32", compare_low_bits<std::uint32_t, std::uint32_t>},
};

}  // namespace

}  // namespace perf
