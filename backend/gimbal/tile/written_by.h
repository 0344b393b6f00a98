// Outputs that are function calls.
#pragma once

#include <gimbal/simt/config.h>
#include <thrust/iterator/tabulate_output_iterator.h>

GIMBAL_NAMESPACE_BEGIN

/// The output iterator whose writes are calls of `f` with the position and the value.
template <class F>
auto written_by(F f)
{
  // CCCL 3.2 and later say that cuda:: has this iterator too; CCCL 3.0 has it here alone.
  _CCCL_SUPPRESS_DEPRECATED_PUSH
  return thrust::make_tabulate_output_iterator(f);
  _CCCL_SUPPRESS_DEPRECATED_POP
}

GIMBAL_NAMESPACE_END
