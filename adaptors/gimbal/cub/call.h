// What the device-wide calls share: checks of their arguments, which calls the kernels take, and the fallback to CUB
// itself. environment.h describes how they get storage and a stream.
#pragma once

#include <gimbal/described_iterator.h>
#include <gimbal/tile/accumulator.h>

#include <cuda/std/type_traits>
#include <gimbal/simt/simt.cuh>

#if GIMBAL_GPU
#include <cub/config.cuh>
#include <cub/util_type.cuh>
#if THRUST_VERSION >= 300500
#include <cuda/argument>
#endif
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

/// Constrains the overloads that differ only in the position of the count.
template <class NumItems>
using if_count = ::cuda::std::enable_if_t<is_count_v<NumItems>, int>;

/// True of what represents a number that is not known when the call is made: only CUB takes these.
template <class T>
inline constexpr bool is_deferred_v = false;
#if GIMBAL_GPU
template <class T, class It>
inline constexpr bool is_deferred_v<CUB_NS_QUALIFIER::FutureValue<T, It>> = true;
#if THRUST_VERSION >= 300500
template <class T, class Bounds>
inline constexpr bool is_deferred_v<::cuda::args::deferred<T, Bounds>> = true;
template <class T, class Bounds>
inline constexpr bool is_deferred_v<::cuda::args::immediate<T, Bounds>> = true;
template <auto Value, class T>
inline constexpr bool is_deferred_v<::cuda::args::constant<Value, T>> = true;
#endif
#endif

/// The arguments of one call, checked before anything else is done, by the table in device.h. Of a size query only
/// counts and bits are checked; it may come without pointers. Of a deferred count only CUB learns more than that there
/// may be items.
class arguments {
public:
  template <class NumItems>
  explicit arguments(NumItems num_items) : arguments(false, num_items)
  {
  }
  template <class NumItems>
  arguments(const void* storage, NumItems num_items) : arguments(storage == nullptr, num_items)
  {
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
  /// Where one result goes, even that of no items.
  template <class It>
  arguments& result(It it)
  {
    if constexpr (::cuda::std::is_pointer_v<It>) {
      are_valid_ = are_valid_ && (is_query_ || it != nullptr);
    }
    return *this;
  }
  /// Copies of all items, of this many bytes each, may lie in the storage.
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

  arguments& demand(bool holds)
  {
    are_valid_ = are_valid_ && holds;
    return *this;
  }

  bool are_valid() const { return are_valid_; }
  index_type count() const { return count_; }

private:
  template <class NumItems>
  arguments(bool is_query, NumItems num_items) : is_query_(is_query)
  {
    static_assert(
      is_count_v<NumItems> || is_deferred_v<NumItems>,
      "gimbal: num_items must be an integer of at most 8 bytes, and not bool");
    if constexpr (is_count_v<NumItems>) {
      count_ = static_cast<index_type>(num_items);
      are_valid_ = count_ >= 0;
    }
  }

  /// More than any memory has, and few enough that the sizes of several arrays can be added.
  static constexpr index_type most_bytes = index_type{1} << 60;

  bool is_query_;
  index_type count_ = 1;
  bool are_valid_ = true;
};

// What the kernels take of a call; takes_v tests all of it, and what it rejects goes to CUB.
//
//   holds<T...>   values that lie in registers and shared memory, accumulators among them: object types of at most
//                 128 bytes that survive a bytewise copy (simt::is_supported_value_v)
//   reads<It...>  iterators with random access, by their category or concept, whose values the kernels hold
//   writes<It...> what can be moved by a count and written through
//   moves<It...>  outputs around which kernels put adaptors (zip, reverse): with random access
//   knows<T...>   numbers and initial values that the host knows when it calls: no FutureValue, no deferred argument

template <class... Values>
struct holds : ::cuda::std::bool_constant<(simt::is_supported_value_v<Values> && ... && true)> {
};

namespace detail {

template <class It, class = void>
inline constexpr bool is_readable_v = false;
template <class It>
inline constexpr bool is_readable_v<It, ::cuda::std::void_t<value_of<It>>> =
  adaptor::is_random_access_v<It>&& simt::is_supported_value_v<::cuda::std::remove_cv_t<value_of<It>>>;

template <class It, class = void>
inline constexpr bool is_writable_v = false;
template <class It>
inline constexpr bool
  is_writable_v<It, ::cuda::std::void_t<decltype(*(::cuda::std::declval<It>() + ::cuda::std::declval<index_type>()))>> =
    true;

}  // namespace detail

template <class... Iterators>
struct reads : ::cuda::std::bool_constant<(detail::is_readable_v<Iterators> && ... && true)> {
};
template <class... Iterators>
struct writes : ::cuda::std::bool_constant<(detail::is_writable_v<Iterators> && ... && true)> {
};
template <class... Iterators>
struct moves : ::cuda::std::bool_constant<(adaptor::is_random_access_v<Iterators> && ... && true)> {
};
template <class... Ts>
struct knows : ::cuda::std::bool_constant<(!is_deferred_v<Ts> && ... && true)> {
};

/// True if the kernels take all of it: takes_v<reads<InputIt>, writes<OutputIt>, holds<Accumulator>, knows<Init,
/// NumItems>>.
template <class... Parts>
inline constexpr bool takes_v = ::cuda::std::conjunction_v<Parts...>;

/// True if the kernels can hold values of these types.
template <class... Values>
inline constexpr bool are_supported_v = takes_v<holds<Values...>>;

#if GIMBAL_GPU
namespace stock = CUB_NS_QUALIFIER;
#else
namespace stock {
struct DeviceFind;
struct DeviceMerge;
struct DeviceMergeSort;
struct DevicePartition;
struct DeviceRadixSort;
struct DeviceReduce;
struct DeviceRunLengthEncode;
struct DeviceScan;
struct DeviceSegmentedScan;
struct DeviceSelect;
}  // namespace stock
#endif

namespace detail {

template <class Calls, class Seen>
struct stock_calls {
  static_assert(
    GIMBAL_GPU && sizeof(Seen*) != 0,
    "gimbal: its kernels take values of at most 128 bytes that survive a bytewise copy (trivially copyable types, "
    "tuples, pairs and complex numbers of such, or types named with THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE), iterators "
    "with random access, and counts and initial values from the host. Other calls are CUB's, which the host executor "
    "has not.");
  using type = Calls;
};

}  // namespace detail

/// CUB's class of the same name, for what the kernels do not take. `Seen` is any type of the call's. The host executor
/// has no such class.
template <class Calls, class Seen>
using stock_for = typename detail::stock_calls<Calls, Seen>::type;

}  // namespace device_wide

GIMBAL_NAMESPACE_END
