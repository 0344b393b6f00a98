// Kernels that take all the registers they may have, compiled with ptxas' warning about spills as an error. A spill in a
// radix pass costs 4 to 15 % of its time, and code beside it that hardly ever runs can bring it about (perf/LOG.md).
#include <gimbal/kernel/radix_engine.cuh>

namespace kernel = gimbal::kernel;

template <class Key, class Value>
using passes = kernel::radix_launch_kernel<
  typename gimbal::tuning::radix_engine<sizeof(Key), sizeof(Value)>::large, kernel::ascending,
  kernel::sort_array<const Key*, Key*>, kernel::sort_array<const Value*, Value*>>;
template <class Key>
using passes_of_keys = kernel::radix_launch_kernel<
  typename gimbal::tuning::radix_engine<sizeof(Key), 0>::large, kernel::ascending,
  kernel::sort_array<const Key*, Key*>, kernel::sort_array<kernel::no_values, kernel::no_values>>;

using wide_values = passes<unsigned, unsigned long long>;
using wide_keys = passes<unsigned long long, unsigned>;
template __global__ void gimbal::simt::entry<passes_of_keys<float>>(const __grid_constant__ passes_of_keys<float>);
template __global__ void gimbal::simt::entry<passes_of_keys<double>>(const __grid_constant__ passes_of_keys<double>);
template __global__ void gimbal::simt::entry<wide_values>(const __grid_constant__ wide_values);
template __global__ void gimbal::simt::entry<wide_keys>(const __grid_constant__ wide_keys);
