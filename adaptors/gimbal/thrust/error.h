// From a backend status to the exception a Thrust user expects.
#pragma once

#include <thrust/system/detail/bad_alloc.h>
#include <thrust/system_error.h>

#include <gimbal/simt/simt.cuh>
#include <string>

#if GIMBAL_GPU
#include <thrust/system/cuda/error.h>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

#if !GIMBAL_GPU
/// Errors of the host executor; on the GPU the category is Thrust's own for CUDA errors.
class executor_category : public thrust::error_category {
public:
  const char* name() const override { return "gimbal host executor"; }
  std::string message(int code) const override { return simt::error_string(static_cast<simt::error_code>(code)); }
};
#endif

inline thrust::error_code make_error_code(simt::error_code code)
{
#if GIMBAL_GPU
  return thrust::error_code(static_cast<int>(code), thrust::cuda_category());
#else
  static const executor_category category;
  return thrust::error_code(static_cast<int>(code), category);
#endif
}

/// Throws what stock throws: an exception derived from std::bad_alloc if memory ran out, else thrust::system_error.
/// `what` names the call and, for calls over a range, its size. The message gives the cause once: system_error adds its
/// text.
[[noreturn]] inline void throw_failure(status failed, const std::string& what)
{
#if GIMBAL_GPU
  cudaGetLastError();  // the exception reports it: not to be found again by the caller's next check
#endif
  const std::string size = failed.bytes == 0 ? "" : " (" + std::to_string(failed.bytes) + " bytes)";
  const std::string cause = what + ": " + failed.step + size + " failed with " + simt::error_name(failed.code);
  if (failed.code == simt::error_memory_allocation) {
    throw thrust::system::detail::bad_alloc(cause);
  }
  throw thrust::system_error(make_error_code(failed.code), cause);
}

/// What a message calls the call `name` over `count` values of so many bytes.
inline std::string text_of_call(const char* name, index_type count, std::size_t value_bytes)
{
  return std::string("gimbal ") + name + " of " + std::to_string(count) + " elements of " + std::to_string(value_bytes)
         + " bytes";
}

/// throw_failure() of such a call: no template, so that a program compiles it once.
[[noreturn]] inline void throw_failure(status failed, const char* name, index_type count, std::size_t value_bytes)
{
  throw_failure(failed, text_of_call(name, count, value_bytes));
}

}  // namespace adaptor

GIMBAL_NAMESPACE_END
