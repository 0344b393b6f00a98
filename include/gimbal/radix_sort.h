// Radix sort of structs and tuples under a policy, by keys that a projection takes from them. Thrust sorts such items
// by comparisons only.
//
//   radix_sort(policy, first, last, projection)
//   radix_sort(policy, first, last, projection, begin_bit, end_bit)
//
//   struct particle { float x, y, z; unsigned cell; };
//   gimbal::radix_sort(gimbal::par, p.begin(), p.end(), [] __host__ __device__ (const particle& q) { return q.cell; });
//
// This sorts by several keys, the first one deciding, and one of them in descending order:
//
//   struct by_age_then_name {
//     __host__ __device__ auto operator()(const person& p) const
//     {
//       return thrust::make_tuple(gimbal::descending{p.age}, p.name_number);
//     }
//   };
//   gimbal::radix_sort(gimbal::par, people.begin(), people.end(), by_age_then_name{});
#pragma once

#include <gimbal/policy.h>
#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>

#include <gimbal/algorithm/argsort/argsort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Derived, class RandomIt, class Projection, class Bits>
void projected_radix_sort(
  const execution_policy<Derived>& policy, RandomIt first, RandomIt last, Projection projection, Bits bits)
{
  static_assert(is_random_access_v<RandomIt>, "radix_sort takes random access iterators");
  static_assert(
    simt::is_supported_value_v<value_of<RandomIt>>,
    "radix_sort takes items that are copied bytewise and have at most 128 bytes");
  const index_type n = adaptor::length(first, last);
  call<Derived> step(const_cast<execution_policy<Derived>&>(policy), "radix_sort", n, sizeof(value_of<RandomIt>));
  const auto sort = [&](temporary_storage storage, std::size_t& bytes) {
    const auto items = adaptor::unwrap(first);
    return algorithm::projected_radix_sort(storage, bytes, items, items, n, projection, bits, step.stream());
  };
  if (n < 2) {
    std::size_t bytes = 0;
    step.throw_if(sort(nullptr, bytes));  // this only checks whether the key has these bits
  }
  while (n > 1 && step.next()) {
    step.report(sort(step.storage(), step.bytes()));
  }
  step.finish();
}

}  // namespace adaptor

/// Sorts [first, last) so that projection(first[i]) <= projection(first[i + 1]) for all i, stably.
///
/// `projection(item)` returns an arithmetic key, __half or __nv_bfloat16, or a tuple or pair of such keys, compared
/// lexicographically; a key wrapped in gimbal::descending counts in descending order. NaN and -0.0 are ordered as
/// stock's radix sort does: a NaN by its bit pattern, after infinity if positive; zeros are equal. The projection is a
/// pure function, called once for each item and key, in any order; its result type must be known on the host (a
/// __host__ __device__ function, or a __device__ lambda in cuda::proclaim_return_type).
///
/// Items are moved whole and must be bytewise copyable and of at most 128 bytes, otherwise the call does not compile.
/// Iterators are any random access iterators whose items can be assigned, zip iterators included; the sort is in place.
/// Counts are 64-bit; fewer than two items are left alone. Runs on the policy's stream; `par` waits for the end,
/// `par_nosync` does not. Temporary storage, from the retained pool or the policy's allocator: n items and two times n
/// of the largest key, besides the tables of DeviceRadixSort. For each key the items are moved once per 8 bits, an even
/// number of times, each time together with the key. The result is a function of the input.
///
/// Throws thrust::system_error naming this call, or an exception derived from std::bad_alloc; where a later step fails
/// the items may be partly moved. To be called from host code. Source: see algorithm/radix_sort/radix_sort.cuh.
template <class Derived, class RandomIt, class Projection>
void radix_sort(const execution_policy<Derived>& policy, RandomIt first, RandomIt last, Projection projection)
{
  adaptor::projected_radix_sort(policy, first, last, projection, algorithm::all_bits{});
}

/// The same by the bits [begin_bit, end_bit) of a single key, counted from the least significant one; 0 <= begin_bit <=
/// end_bit <= the number of the key's bits, else thrust::system_error (invalid value) is thrown, however few items
/// there are. Of a signed or floating-point key these are bits of its ordered form (radix_words.h), as in CUB.
template <class Derived, class RandomIt, class Projection>
void radix_sort(
  const execution_policy<Derived>& policy, RandomIt first, RandomIt last, Projection projection, int begin_bit,
  int end_bit)
{
  using keys = algorithm::detail::projected_keys_t<Projection, adaptor::value_of<RandomIt>>;
  static_assert(keys::count == 1, "a range of bits is a range of a single key's");
  adaptor::projected_radix_sort(policy, first, last, projection, algorithm::bit_range{begin_bit, end_bit});
}

GIMBAL_NAMESPACE_END
