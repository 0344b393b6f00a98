// What a backend entry returns: the runtime's own error code and the step that failed.
//
// On the GPU `error_code` is cudaError_t. The host executor has no CUDA runtime, so it defines an enumeration of the
// same names and numbers for the errors it can meet.
#pragma once

#include <gimbal/simt/config.h>

#if GIMBAL_GPU
#include <cuda_runtime_api.h>
#endif

GIMBAL_NAMESPACE_BEGIN

namespace simt {

#if GIMBAL_GPU

using error_code = cudaError_t;
inline constexpr error_code success = cudaSuccess;
inline constexpr error_code error_invalid_value = cudaErrorInvalidValue;
inline constexpr error_code error_memory_allocation = cudaErrorMemoryAllocation;
inline constexpr error_code error_launch_failure = cudaErrorLaunchFailure;
inline constexpr error_code error_invalid_resource_handle = cudaErrorInvalidResourceHandle;
inline constexpr error_code error_invalid_configuration = cudaErrorInvalidConfiguration;
inline constexpr error_code error_stream_capture_unsupported = cudaErrorStreamCaptureUnsupported;
inline constexpr error_code error_communication = cudaErrorSystemNotReady;  ///< another rank or its link has failed
inline const char* error_name(error_code code) { return cudaGetErrorName(code); }
inline const char* error_string(error_code code) { return cudaGetErrorString(code); }

#else

enum error_code : int {
  success = 0,
  error_invalid_value = 1,
  error_memory_allocation = 2,
  error_invalid_configuration = 9,
  error_invalid_resource_handle = 400,
  error_launch_failure = 719,
  error_communication = 802,  ///< another rank or its link has failed
  error_stream_capture_unsupported = 900,
};

inline const char* error_name(error_code code)
{
  switch (code) {
    case success:
      return "success";
    case error_invalid_value:
      return "invalid_value";
    case error_memory_allocation:
      return "memory_allocation";
    case error_invalid_configuration:
      return "invalid_configuration";
    case error_invalid_resource_handle:
      return "invalid_resource_handle";
    case error_launch_failure:
      return "launch_failure";
    case error_communication:
      return "system_not_ready";
    case error_stream_capture_unsupported:
      return "stream_capture_unsupported";
  }
  return "unknown";
}

/// The text of `code`; for a failed launch the executor's own report (kernel, block, thread, cause) of the last
/// failure.
const char* error_string(error_code code);

#endif

/// Result of a backend step. `step` names what failed and is a string literal; it is null on success. Of a failed
/// allocation `bytes` is the size requested.
struct [[nodiscard]] status {
  error_code code = success;
  const char* step = nullptr;
  std::size_t bytes = 0;

  explicit operator bool() const { return code != success; }  // true: something failed
};

inline status failure(error_code code, const char* step, std::size_t bytes = 0)
{
  return code == success ? status{} : status{code, step, bytes};
}

}  // namespace simt

using simt::status;

GIMBAL_NAMESPACE_END

/// Returns from the enclosing function with the status of `call` if it failed.
#define GIMBAL_TRY(call)                            \
  do {                                              \
    if (::gimbal::status gimbal_status_ = (call)) { \
      return gimbal_status_;                        \
    }                                               \
  } while (false)
