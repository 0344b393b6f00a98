// Compiles kernels that take all the registers they may have, with ptxas' warning about spills as an error. A spill in
// a radix pass costs 4 to 15 % of its time, and code beside it that hardly ever runs can bring it about (perf/LOG.md).
#include <gimbal/algorithm/radix_sort/radix_sort.cuh>

namespace algorithm = gimbal::algorithm;

template <class Key>
using array_of = algorithm::sort_array<const Key*, Key*>;
using no_array = algorithm::sort_array<algorithm::no_values, algorithm::no_values>;

template <class Key, class Values>
using passes = algorithm::radix_pass_kernel<
  typename gimbal::tuning::radix_engine<sizeof(Key), algorithm::bytes_of_values<Values>>::large,
  typename gimbal::tuning::radix_engine<sizeof(Key), algorithm::bytes_of_values<Values>>::buckets, array_of<Key>,
  Values>;
template <class Key, class Values>
using buckets = algorithm::radix_bucket_sort_kernel<
  typename gimbal::tuning::radix_engine<sizeof(Key), algorithm::bytes_of_values<Values>>::buckets, array_of<Key>,
  Values, typename passes<Key, Values>::state_type>;

using words_alone = passes<unsigned, no_array>;
using wide_words_alone = passes<unsigned long long, no_array>;
using wide_values = passes<unsigned, array_of<unsigned long long>>;
using wide_keys = passes<unsigned long long, array_of<unsigned>>;
using small_keys = passes<unsigned short, array_of<unsigned>>;
using bytes_with_values = passes<unsigned char, array_of<unsigned>>;
using buckets_of_keys_alone = buckets<unsigned long long, no_array>;
using buckets_of_wide_keys = buckets<unsigned long long, array_of<unsigned>>;
template __global__ void gimbal::simt::entry<words_alone>(const __grid_constant__ words_alone);
template __global__ void gimbal::simt::entry<wide_words_alone>(const __grid_constant__ wide_words_alone);
template __global__ void gimbal::simt::entry<wide_values>(const __grid_constant__ wide_values);
template __global__ void gimbal::simt::entry<wide_keys>(const __grid_constant__ wide_keys);
template __global__ void gimbal::simt::entry<small_keys>(const __grid_constant__ small_keys);
template __global__ void gimbal::simt::entry<bytes_with_values>(const __grid_constant__ bytes_with_values);
template __global__ void gimbal::simt::entry<buckets_of_keys_alone>(const __grid_constant__ buckets_of_keys_alone);
template __global__ void gimbal::simt::entry<buckets_of_wide_keys>(const __grid_constant__ buckets_of_wide_keys);
