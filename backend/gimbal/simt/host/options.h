// The host executor's options as the environment has them; see set_executor_options() (host/executor.h).
#pragma once

#include <gimbal/simt/host/executor.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

GIMBAL_NAMESPACE_BEGIN

namespace simt {
namespace executor {

inline executor_options environment_options()
{
  executor_options options;
  const auto number = [](const char* variable, std::uint64_t fallback) -> std::uint64_t {
    const char* const text = std::getenv(variable);
    return text == nullptr || *text == '\0' ? fallback : std::strtoull(text, nullptr, 0);
  };
  if (const char* const mode = std::getenv("GIMBAL_SCHEDULE")) {
    if (std::strcmp(mode, "random") == 0) {
      options.mode = schedule::random;
    } else if (std::strcmp(mode, "priority") == 0) {
      options.mode = schedule::priority;
    } else if (std::strcmp(mode, "fifo") != 0) {
      std::fprintf(stderr, "gimbal: GIMBAL_SCHEDULE=%s is none of fifo, random, priority; using fifo\n", mode);
    }
  }
  options.seed = number("GIMBAL_SEED", options.seed);
  options.workers = static_cast<unsigned>(number("GIMBAL_WORKERS", options.workers));
  options.resident_blocks = static_cast<unsigned>(number("GIMBAL_RESIDENT_BLOCKS", options.resident_blocks));
  options.expected_blocks = static_cast<unsigned>(number("GIMBAL_EXPECTED_BLOCKS", options.expected_blocks));
  options.active_streams = static_cast<unsigned>(number("GIMBAL_ACTIVE_STREAMS", options.active_streams));
  options.streams_last = number("GIMBAL_STREAMS_LAST", options.streams_last) != 0;
  return options;
}

}  // namespace executor
}  // namespace simt

GIMBAL_NAMESPACE_END
