// Three-way partition: the items that a first test selects, those of the others that a second selects, and the rest,
// each in their order to a place of its own.
//
// Algorithm: an inclusive scan of counts (algorithm/scan), whose output moves the items. What is scanned of an item is
//   which kind it is, and with it one in the count of its kind; the sum of two has both counts and the kind of the
//   second. So the result of an item tells its kind and how many of each kind there are up to it, and no test is called
//   again.
// Bytes moved: each item is read twice, the second time mostly from the cache, and written once; beside them some 24
// bytes per tile.
// Launches: one.
// Storage: that of a scan of 8 bytes per item. Items: fewer than 2^31; of many CUB is faster (select/tuning.h).
// Tests: the first is called once per item, the second once per item that the first does not select; order: any.
// Determinism: the result is a function of the input.
// Progress: see look_back.cuh.
// Aliasing: outputs overlap neither the input nor each other.
#pragma once

#include <gimbal/tile/iterators.h>
#include <gimbal/workspace.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/functional>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/transform/transform.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

namespace detail {

/// How many items are of the first and of the second kind, and of which the last one is: 31 bits, 31 bits, and 2.
struct kind_counts {
  std::uint64_t word;

  static constexpr index_type most_items = (index_type{1} << 31) - 1;

  static GIMBAL_DEVICE kind_counts of(bool is_first, bool is_second)
  {
    return {is_first ? (std::uint64_t{1} << 33) + 1 : is_second ? std::uint64_t{4 + 2} : 0};
  }
  GIMBAL_HOST_DEVICE kind_counts operator+(const kind_counts& next) const
  {
    return {(word & ~std::uint64_t{3}) + next.word};
  }
  GIMBAL_DEVICE unsigned kind() const { return static_cast<unsigned>(word) & 3; }
  GIMBAL_DEVICE index_type first() const { return static_cast<index_type>(word >> 33); }
  GIMBAL_DEVICE index_type second() const { return static_cast<index_type>(word >> 2 & most_items); }
};

/// item -> its kind, by copies of the tests, which may have non-const call operators, of copies of the items.
template <class Value, class First, class Second>
struct kind_of {
  First first;
  Second second;

  GIMBAL_DEVICE kind_counts operator()(Value item) const
  {
    First own_first = first;
    if (static_cast<bool>(own_first(item))) {
      return kind_counts::of(true, false);
    }
    Second own_second = second;
    return kind_counts::of(false, static_cast<bool>(own_second(item)));
  }
};

/// Item i to its place among its kind; after the last, the counts.
template <class InputIt, class FirstIt, class SecondIt, class RestIt, class CountIt>
struct put_by_kind {
  using value = value_type_of<InputIt>;
  struct fetched_item {
    kind_counts kinds;
    uninit<value> item;
  };

  InputIt in;
  FirstIt first;
  SecondIt second;
  RestIt rest;
  CountIt counts;
  index_type last;

  GIMBAL_DEVICE fetched_item fetch(index_type i, const kind_counts& kinds) const
  {
    fetched_item fetched;
    fetched.kinds = kinds;
    fetched.item.set(block::load_as<value>(in + i));
    return fetched;
  }
  GIMBAL_DEVICE void put(index_type i, const fetched_item& fetched) const
  {
    const index_type firsts = fetched.kinds.first();
    const index_type seconds = fetched.kinds.second();
    switch (fetched.kinds.kind()) {
      case 1:
        block::store_as(first + (firsts - 1), fetched.item.get());
        break;
      case 2:
        block::store_as(second + (seconds - 1), fetched.item.get());
        break;
      default:
        block::store_as(rest + (i - firsts - seconds), fetched.item.get());
    }
    if (i == last) {
      block::store_as(counts + index_type{0}, firsts);
      block::store_as(counts + index_type{1}, seconds);
    }
  }
};

}  // namespace detail

/// The numbers of the first and second kind go to counts[0] and counts[1]. More than 2^31 - 1 items are an invalid
/// value.
template <class InputIt, class FirstIt, class SecondIt, class RestIt, class CountIt, class First, class Second>
status three_way_partition(
  temporary_storage storage, std::size_t& storage_bytes, InputIt in, index_type n, FirstIt first_out,
  SecondIt second_out, RestIt rest_out, CountIt counts, First first, Second second, simt::stream_type stream)
{
  if (n == 0) {
    status placed;
    return storage_layout{}.place(storage, storage_bytes, placed)
             ? algorithm::copy(thrust::constant_iterator<index_type>(0), counts, 2, stream)
             : placed;
  }
  if (n > detail::kind_counts::most_items) {
    return simt::failure(simt::error_invalid_value, "three-way partition of 2^31 items or more");
  }
  using kinds_in = detail::kind_of<value_type_of<InputIt>, First, Second>;
  const thrust::transform_iterator<kinds_in, InputIt, detail::kind_counts, detail::kind_counts> scanned(
    in, kinds_in{first, second});
  const auto out = gimbal::written_by(detail::put_by_kind<InputIt, FirstIt, SecondIt, RestIt, CountIt>{
    in, first_out, second_out, rest_out, counts, n - 1});
  return algorithm::scan_plan(inclusive_scan_tag{}, scanned, out, n, ::cuda::std::plus<>{}, no_init{})
    .run(storage, storage_bytes, stream);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
