// The host executor as a translation unit of its own, never instrumented by ThreadSanitizer (see host_executor.h).
#include <gimbal/simt/host_executor.h>
#include <gimbal/simt/host_executor_impl.h>
