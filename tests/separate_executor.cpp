// The host executor as a translation unit of its own, never instrumented by ThreadSanitizer (see simt/host/executor.h).
#include <gimbal/simt/host/executor.h>
#include <gimbal/simt/host/executor_impl.h>
