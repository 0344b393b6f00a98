// What the device-wide calls share: checks of their arguments, types by CUB's rules, and the fallback to CUB itself.
#pragma once

#include <gimbal/described_iterator.h>
#include <gimbal/tile/accumulator.h>

#include <cuda/std/type_traits>
#include <gimbal/simt/simt.cuh>

#if GIMBAL_GPU
#include <cub/config.cuh>

// Declared, not included: CUB's headers take the compiler seconds, and few programs need them (stock_for).
CUB_NAMESPACE_BEGIN
struct DeviceMergeSort;
struct DevicePartition;
struct DeviceRadixSort;
struct DeviceReduce;
struct DeviceScan;
struct DeviceSelect;
CUB_NAMESPACE_END
#endif

GIMBAL_NAMESPACE_BEGIN

/// What a device-wide call returns: cudaError_t on the GPU, an enumeration of the same names on the host executor.
using simt::error_code;
using simt::stream_type;

namespace device_wide {

using adaptor::described;

template <class It>
using value_of = value_type_of<It>;

template <class T>
inline constexpr bool is_count_v = ::cuda::std::is_integral<T>::value
                                   && !::cuda::std::is_same<::cuda::std::remove_cv_t<T>, bool>::value && sizeof(T) <= 8;

/// Constrains the overloads that differ only in the place of the count.
template <class NumItems>
using if_count = ::cuda::std::enable_if_t<is_count_v<NumItems>, int>;

/// The arguments of one call, checked before anything else is done: the table in device.h. A size query is asked about counts and
/// bits alone; it may come without pointers.
class arguments {
public:
  template <class NumItems>
  arguments(const void* storage, NumItems num_items)
      : is_query_(storage == nullptr), count_(static_cast<index_type>(num_items)), are_valid_(count_ >= 0)
  {
    static_assert(is_count_v<NumItems>, "gimbal: num_items must be an integer of at most 8 bytes, and not bool");
  }

  /// A range of items.
  template <class It>
  arguments& items(It it)
  {
    if constexpr (::cuda::std::is_pointer_v<It>) {
      stored_bytes(sizeof(*it));
      are_valid_ = are_valid_ && (is_query_ || count_ == 0 || it != nullptr);
    }
    return *this;
  }
  /// Where one result goes, also that of no item.
  template <class It>
  arguments& result(It it)
  {
    if constexpr (::cuda::std::is_pointer_v<It>) {
      are_valid_ = are_valid_ && (is_query_ || it != nullptr);
    }
    return *this;
  }
  /// Copies of all items, of so many bytes each, may lie in the storage.
  arguments& stored_bytes(std::size_t item_bytes)
  {
    are_valid_ = are_valid_ && count_ <= most_bytes / static_cast<index_type>(item_bytes);
    return *this;
  }
  arguments& bits(int begin, int end, std::size_t key_bytes)
  {
    are_valid_ = are_valid_ && 0 <= begin && begin <= end && end <= static_cast<int>(8 * key_bytes);
    return *this;
  }

  bool are_valid() const { return are_valid_; }
  index_type count() const { return count_; }

private:
  /// More than any memory has, and so few that the sizes of several arrays can be added.
  static constexpr index_type most_bytes = index_type{1} << 60;

  bool is_query_;
  index_type count_;
  bool are_valid_;
};

/// True if the kernels can hold values of these types.
template <class... Values>
inline constexpr bool are_supported_v = (simt::is_supported_value_v<Values> && ... && true);

#if GIMBAL_GPU
namespace stock = CUB_NS_QUALIFIER;
#else
namespace stock {
struct DeviceMergeSort;
struct DevicePartition;
struct DeviceRadixSort;
struct DeviceReduce;
struct DeviceScan;
struct DeviceSelect;
}  // namespace stock
#endif

template <class T, class Seen, class = void>
inline constexpr bool is_complete_v = false;
template <class T, class Seen>
inline constexpr bool is_complete_v<T, Seen, ::cuda::std::void_t<decltype(sizeof(T))>> = true;

template <class Calls, class Seen>
struct stock_calls {
  static_assert(
    is_complete_v<Calls, Seen>,
    "gimbal: its kernels take values of at most 128 bytes that survive a bytewise copy (trivially copyable types, "
    "tuples, pairs and complex numbers of such, or types named with THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE), and an "
    "initial value "
    "from the host. Other calls are CUB's: include <cub/cub.cuh>. The host executor has no CUB.");
  using type = Calls;
};

/// CUB's class of the same name, for what the kernels do not take. `Seen` is any type of the call's, so that CUB's header is looked
/// for where the call is compiled.
template <class Calls, class Seen>
using stock_for = typename stock_calls<Calls, Seen>::type;

}  // namespace device_wide

GIMBAL_NAMESPACE_END
