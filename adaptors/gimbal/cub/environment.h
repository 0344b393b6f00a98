// The last parameter of a device-wide call, a stream or an environment, and the two ways to call: with storage, in two
// phases, or without, in one.
//
// An environment is, with CCCL 3.5 and newer, what CUB takes as one: a stream, a memory resource, requirements,
// tunings, or cuda::std::execution::env of several. The host executor takes the same except for cuda's own streams and
// resources. Of
//
//   a stream           the call works on it; without one, on the default stream
//   a memory resource  a call in one phase takes storage from it, in stream order; a call in two phases was given
//                      its storage
//   a requirement      determinism that the kernels give (takes_environment_v) changes nothing. Others are CUB's
//                      to honour or refuse
//   a tuning           is for CUB's kernels, and takes the call there
#pragma once

#include <gimbal/cub/call.h>
#include <gimbal/workspace.h>

#include <cuda/std/type_traits>
#include <cuda/std/utility>

#if THRUST_VERSION >= 300500
#define GIMBAL_HAS_ENVIRONMENTS 1
#else
#define GIMBAL_HAS_ENVIRONMENTS 0
#endif

#if GIMBAL_GPU
#include <cuda/stream_ref>
#endif
#if GIMBAL_HAS_ENVIRONMENTS
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cuda/__execution/tie_break.h>
#include <cuda/__execution/tune.h>
#include <cuda/std/__execution/env.h>
#if GIMBAL_GPU
#include <cuda/__memory_resource/get_memory_resource.h>
#include <cuda/__stream/get_stream.h>
#endif
#endif

GIMBAL_NAMESPACE_BEGIN

namespace device_wide {

namespace detail {

template <class T>
inline constexpr bool is_stream_v = ::cuda::std::is_convertible_v<const T&, stream_type>;
#if GIMBAL_GPU
template <class T>
inline constexpr bool is_stream_ref_v =
  !::cuda::std::is_integral_v<T> && ::cuda::std::is_convertible_v<const T&, ::cuda::stream_ref>;
#else
template <class>
inline constexpr bool is_stream_ref_v = false;
#endif

#if GIMBAL_HAS_ENVIRONMENTS

template <class Env, class Query>
inline constexpr bool names_v = ::cuda::std::execution::__queryable_with<Env, Query>;
template <class Env, class... Queries>
inline constexpr bool names_any_v = ::cuda::std::disjunction_v<::cuda::std::bool_constant<names_v<Env, Queries>>...>;

template <class Env>
using requirements_of = ::cuda::std::execution::__query_result_or_t<
  const Env&, ::cuda::execution::__get_requirements_t, ::cuda::std::execution::env<>>;

/// CCCL's environments and what derives from one, as its execution policies do, whatever they hold.
template <class... Envs>
::cuda::std::true_type is_from_cccl(const ::cuda::std::execution::env<Envs...>*);
template <class Query, class Value>
::cuda::std::true_type is_from_cccl(const ::cuda::std::execution::prop<Query, Value>*);
::cuda::std::false_type is_from_cccl(const volatile void*);
template <class Env>
inline constexpr bool is_from_cccl_v = decltype(detail::is_from_cccl(static_cast<Env*>(nullptr)))::value;

#if GIMBAL_GPU
template <class Env>
inline constexpr bool names_stream_v = ::cuda::std::is_invocable_v<::cuda::get_stream_t, const Env&>;
template <class Env>
inline constexpr bool names_resource_v = ::cuda::std::is_invocable_v<::cuda::mr::__get_memory_resource_t, const Env&>;
#else
template <class>
inline constexpr bool names_stream_v = false;
template <class>
inline constexpr bool names_resource_v = false;
#endif

template <class Env>
inline constexpr bool names_other_v = names_any_v<
  Env, ::cuda::execution::__get_tuning_t, ::cuda::execution::__get_requirements_t,
  ::cuda::execution::determinism::__get_determinism_t>;
template <class Env>
inline constexpr bool is_query_environment_v = ::cuda::std::disjunction_v<
  ::cuda::std::bool_constant<is_from_cccl_v<Env>>, ::cuda::std::bool_constant<names_stream_v<Env>>,
  ::cuda::std::bool_constant<names_resource_v<Env>>, ::cuda::std::bool_constant<names_other_v<Env>>>;

#else
template <class>
inline constexpr bool is_query_environment_v = false;
#endif

template <class Env, bool IsClass = ::cuda::std::is_class_v<Env>>
inline constexpr bool is_class_environment_v = false;
template <class Env>
inline constexpr bool is_class_environment_v<Env, true> = is_stream_ref_v<Env> || is_query_environment_v<Env>;

}  // namespace detail

/// True of what the last parameter may be: what converts to a stream (nullptr, too, but no integer), and environments.
template <class Env>
inline constexpr bool is_environment_v = detail::is_stream_v<Env> || detail::is_class_environment_v<Env>;

/// Constrains the last parameter, and overloads that differ by it: an operator or a count is no environment.
template <class Env>
using if_environment = ::cuda::std::enable_if_t<is_environment_v<Env>, int>;
/// The same in two phases, where CUB's callers write 0 for the default stream, which is deduced as int. Other numbers
/// are refused when the call is made.
template <class Env>
using if_environment_or_zero = ::cuda::std::enable_if_t<is_environment_v<Env> || ::cuda::std::is_same_v<Env, int>, int>;
template <class Op>
using if_operator = ::cuda::std::enable_if_t<!is_environment_v<Op> && !::cuda::std::is_integral_v<Op>, int>;
/// Constrains iterators where a call with fewer parameters would have a number at that position: calls in one phase by
/// their second argument, as in two phases that is the number of bytes.
template <class It>
using if_not_bytes = ::cuda::std::enable_if_t<!::cuda::std::is_integral_v<It>, int>;

template <class Env>
stream_type stream_of(const Env& env)
{
  if constexpr (detail::is_stream_v<Env>) {
    return env;
#if GIMBAL_GPU
  } else if constexpr (detail::is_stream_ref_v<Env>) {
    return static_cast<::cuda::stream_ref>(env).get();
#if GIMBAL_HAS_ENVIRONMENTS
  } else if constexpr (detail::names_stream_v<Env>) {
    return ::cuda::get_stream(env).get();
#endif
#endif
  } else {
    static_assert(
      is_environment_v<Env> || ::cuda::std::is_same_v<Env, int>, "gimbal: neither a stream nor an environment");
    return {};
  }
}

/// The last parameter where CUB has a cudaStream_t: it converts implicitly from a stream of any kind.
class any_stream {
public:
  any_stream() = default;
  any_stream(stream_type stream) : stream_(stream) {}
  template <
    class Stream,
    ::cuda::std::enable_if_t<
      ::cuda::std::is_class_v<Stream> && (detail::is_stream_v<Stream> || detail::is_stream_ref_v<Stream>), int> = 0>
  any_stream(const Stream& stream) : stream_(device_wide::stream_of(stream))
  {
  }

  operator stream_type() const { return stream_; }

private:
  stream_type stream_{};
};

/// What two runs have in common, bit for bit: on one kind of device, or on any two.
enum class determinism { run_to_run, gpu_to_gpu };

/// True if kernels whose results are that deterministic do all that the environment requires.
#if GIMBAL_HAS_ENVIRONMENTS
template <class Env, determinism Given = determinism::run_to_run>
constexpr bool takes_environment()
{
  if constexpr (!detail::is_query_environment_v<Env>) {
    return true;
  } else {
    using namespace ::cuda::execution;
    using required = detail::requirements_of<Env>;
    using asked = ::cuda::std::execution::__query_result_or_t<
      const required&, ::cuda::execution::determinism::__get_determinism_t,
      ::cuda::execution::determinism::not_guaranteed_t>;
    constexpr bool is_enough =
      Given == device_wide::determinism::gpu_to_gpu
      || !::cuda::std::is_same_v<::cuda::std::remove_cvref_t<asked>, ::cuda::execution::determinism::gpu_to_gpu_t>;
    constexpr bool is_tuned = detail::names_v<Env, __get_tuning_t>;
    constexpr bool is_misplaced =
      detail::names_v<Env, ::cuda::execution::determinism::__get_determinism_t>;  // CUB's own
    constexpr bool orders =
      detail::names_any_v<required, tie_break::__get_tie_break_t, output_ordering::__get_output_ordering_t>;
    return is_enough && !is_tuned && !is_misplaced && !orders;
  }
}
template <class Env, determinism Given = determinism::run_to_run>
inline constexpr bool takes_environment_v = device_wide::takes_environment<Env, Given>();
#else
template <class, determinism = determinism::run_to_run>
inline constexpr bool takes_environment_v = true;
#endif

/// Runs `call(storage, bytes)` with as much storage as it needs: from the environment's memory resource, else from the
/// pool of the current device. It goes back in stream order.
template <class Env, class Call>
error_code one_phase(const Env& env, const Call& call)
{
  std::size_t bytes = 0;
  const error_code asked = call(static_cast<void*>(nullptr), bytes);
  if (asked != simt::success) {
    return asked;
  }
  bytes = bytes == 0 ? 1 : bytes;  // CUB may need none
#if GIMBAL_GPU && GIMBAL_HAS_ENVIRONMENTS
  if constexpr (detail::names_resource_v<Env>) {
    auto resource = ::cuda::mr::__get_memory_resource(env);
    const ::cuda::stream_ref stream{device_wide::stream_of(env)};
    void* storage = nullptr;
    _CCCL_TRY { storage = resource.allocate(stream, bytes, alignof(::cuda::std::max_align_t)); }
    _CCCL_CATCH_ALL { return simt::error_memory_allocation; }
    const error_code done = call(storage, bytes);
    _CCCL_TRY { resource.deallocate(stream, storage, bytes, alignof(::cuda::std::max_align_t)); }
    _CCCL_CATCH_ALL { return done != simt::success ? done : simt::error_memory_allocation; }
    return done;
  } else
#endif
  {
    pool_block storage(device_wide::stream_of(env));
    const status taken = storage.allocate(bytes);
    return taken ? taken.code : call(storage.get(), bytes);
  }
}

// The two ways to call. A method's body is written once, in terms of `how`:
//
//   const auto given = how.arguments(num_items).items(in).result(out);
//   if (!given.are_valid()) { return simt::error_invalid_value; }
//   if constexpr (device_wide::takes_v<...> && How::template takes_v<determinism::gpu_to_gpu>) {
//     return how.run([&](void* storage, std::size_t& bytes, stream_type stream) { return algorithm::...(...).code; });
//   } else {
//     return how.on_stock(
//       [](auto&&... all) { return device_wide::stock_for<device_wide::stock::DeviceX, T>::Y(all...); }, in, out,
//       num_items);
//   }

/// A call that is given the caller's storage.
template <class Env>
class two_phases {
public:
  template <determinism Given = determinism::run_to_run>
  static constexpr bool takes_v = takes_environment_v<Env, Given>;

  two_phases(void* storage, std::size_t& bytes, const Env& env) : storage_(storage), bytes_(bytes), env_(env) {}

  template <class NumItems>
  device_wide::arguments arguments(NumItems num_items) const
  {
    device_wide::arguments given(storage_, num_items);
    if constexpr (::cuda::std::is_same_v<Env, int>) {
      given.demand(env_ == 0);
    }
    return given;
  }
  template <class Call>
  error_code run(const Call& call) const
  {
    return call(storage_, bytes_, device_wide::stream_of(env_));
  }
  /// CUB's own form: the one with an environment where it exists, which is where a class takes one here.
  template <class Stock, class... Given>
  error_code on_stock(const Stock& stock, const Given&... given) const
  {
#if GIMBAL_HAS_ENVIRONMENTS
    if constexpr (!detail::is_stream_v<Env> && !::cuda::std::is_same_v<Env, int>) {
      return stock(storage_, bytes_, given..., env_);
    } else
#endif
    {
      return stock(storage_, bytes_, given..., device_wide::stream_of(env_));
    }
  }

private:
  void* storage_;
  std::size_t& bytes_;
  const Env& env_;
};

/// A call that takes storage from the environment or the pool.
template <class Env>
class in_one_phase {
public:
  template <determinism Given = determinism::run_to_run>
  static constexpr bool takes_v = takes_environment_v<Env, Given>;

  explicit in_one_phase(const Env& env) : env_(env) {}

  template <class NumItems>
  device_wide::arguments arguments(NumItems num_items) const
  {
    return device_wide::arguments(num_items);
  }
  template <class Call>
  error_code run(const Call& call) const
  {
    const stream_type stream = device_wide::stream_of(env_);
    return device_wide::one_phase(
      env_, [&](void* storage, std::size_t& bytes) { return call(storage, bytes, stream); });
  }
  /// CUB's own form, where it has one.
  template <class Stock, class... Given>
  error_code on_stock(const Stock& stock, const Given&... given) const
  {
#if GIMBAL_HAS_ENVIRONMENTS
    return stock(given..., env_);
#else
    return run(
      [&](void* storage, std::size_t& bytes, stream_type stream) { return stock(storage, bytes, given..., stream); });
#endif
  }

private:
  const Env& env_;
};

}  // namespace device_wide

GIMBAL_NAMESPACE_END
