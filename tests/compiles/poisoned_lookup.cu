// Compiles calls of each family whose items, operators and iterators are of a namespace that has functions of every
// name that gimbal's headers call, each deleted (poisoned_names.py). Their functions are as users may write them: none
// has a const call operator, conditions are converted to bool explicitly, & and , are overloaded.
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

#include "poisoned_names.h"

namespace poisoned {

struct Item {
  int key;
  float weight;

#ifndef __CUDACC__  // calls from device code are stock's sequential ones, which ask for addresses by &
  Item* operator&() = delete;
  const Item* operator&() const = delete;
#endif
};
void operator,(const Item&, const Item&) = delete;

/// What predicates and comparators return: no bool, but a condition.
struct Answer {
  bool is_yes;

#ifdef __CUDACC__  // where stock's sequential mismatch and equal return it as a bool
  GIMBAL_HOST_DEVICE operator bool() const { return is_yes; }
#else
  GIMBAL_HOST_DEVICE explicit operator bool() const { return is_yes; }
#endif
};
GIMBAL_HOST_DEVICE Item operator+(const Item& l, const Item& r) { return {l.key + r.key, l.weight + r.weight}; }
GIMBAL_HOST_DEVICE Item operator*(const Item& l, const Item& r) { return {l.key * r.key, l.weight}; }
GIMBAL_HOST_DEVICE bool operator<(const Item& l, const Item& r) { return l.key < r.key; }
GIMBAL_HOST_DEVICE bool operator==(const Item& l, const Item& r) { return l.key == r.key; }

struct Sum {
  GIMBAL_HOST_DEVICE Item operator()(const Item& l, const Item& r) { return l + r; }
};
struct Less {
  GIMBAL_HOST_DEVICE Answer operator()(const Item& l, const Item& r) { return {l < r}; }
};
struct Equals {
  GIMBAL_HOST_DEVICE Answer operator()(const Item& l, const Item& r) { return {l == r}; }
};
struct IsOdd {
  GIMBAL_HOST_DEVICE Answer operator()(const Item& x) { return {x.key % 2 != 0}; }
};
struct Itself {
  GIMBAL_HOST_DEVICE Item operator()(const Item& x) { return x; }
};
struct KeysOf {
  GIMBAL_HOST_DEVICE ::cuda::std::tuple<int&, float&> operator()(Item& x) const { return {x.key, x.weight}; }
};
struct KeyOf {
  GIMBAL_HOST_DEVICE int operator()(const Item& x) { return x.key; }
};

/// Over an array, and no pointer.
class Iterator {
public:
  using value_type = Item;
  using reference = Item&;
  using pointer = Item*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  Iterator() = default;
  GIMBAL_HOST_DEVICE explicit Iterator(Item* at) : at_(at) {}
  GIMBAL_HOST_DEVICE reference operator*() const { return *at_; }
  GIMBAL_HOST_DEVICE reference operator[](difference_type i) const { return at_[i]; }
  GIMBAL_HOST_DEVICE Iterator& operator+=(difference_type i)
  {
    at_ += i;
    return *this;
  }
  GIMBAL_HOST_DEVICE Iterator& operator-=(difference_type i) { return *this += -i; }
  GIMBAL_HOST_DEVICE Iterator& operator++() { return *this += 1; }
  GIMBAL_HOST_DEVICE Iterator& operator--() { return *this += -1; }
  GIMBAL_HOST_DEVICE Iterator operator++(int)
  {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  GIMBAL_HOST_DEVICE Iterator operator--(int)
  {
    const Iterator before = *this;
    --*this;
    return before;
  }
  friend GIMBAL_HOST_DEVICE Iterator operator+(Iterator it, difference_type i) { return it += i; }
  friend GIMBAL_HOST_DEVICE Iterator operator+(difference_type i, Iterator it) { return it += i; }
  friend GIMBAL_HOST_DEVICE Iterator operator-(Iterator it, difference_type i) { return it += -i; }
  friend GIMBAL_HOST_DEVICE difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
  friend GIMBAL_HOST_DEVICE bool operator==(Iterator a, Iterator b) { return a.at_ == b.at_; }
  friend GIMBAL_HOST_DEVICE bool operator!=(Iterator a, Iterator b) { return a.at_ != b.at_; }
  friend GIMBAL_HOST_DEVICE bool operator<(Iterator a, Iterator b) { return a.at_ < b.at_; }
  friend GIMBAL_HOST_DEVICE bool operator>(Iterator a, Iterator b) { return b < a; }
  friend GIMBAL_HOST_DEVICE bool operator<=(Iterator a, Iterator b) { return !(b < a); }
  friend GIMBAL_HOST_DEVICE bool operator>=(Iterator a, Iterator b) { return !(a < b); }

private:
  Item* at_ = nullptr;
};

}  // namespace poisoned

#ifndef POLICY
#define POLICY gimbal::par
#endif

template <class It>
void thrust_calls(It x, It last, It y, It out, It out2)
{
  using namespace poisoned;
  const auto policy = POLICY;
  const Item one{1, 1};
  thrust::reduce(policy, x, last, one);
  thrust::reduce(policy, x, last, one, Sum{});
  thrust::transform_reduce(policy, x, last, Itself{}, one, Sum{});
  thrust::inner_product(policy, x, last, y, one);
  thrust::inner_product(policy, x, last, y, one, Sum{}, Sum{});
  thrust::count(policy, x, last, one);
  thrust::count_if(policy, x, last, IsOdd{});
  thrust::min_element(policy, x, last);
  thrust::max_element(policy, x, last, Less{});
  thrust::minmax_element(policy, x, last, Less{});
  thrust::all_of(policy, x, last, IsOdd{});
  thrust::find(policy, x, last, one);
  thrust::find_if_not(policy, x, last, IsOdd{});
  thrust::mismatch(policy, x, last, y);
  thrust::mismatch(policy, x, last, y, Equals{});
#if GIMBAL_HAS_MISMATCH_OF_RANGES
  thrust::mismatch(policy, x, last, y, y + 1);
  thrust::mismatch(policy, x, last, y, y + 1, Equals{});
#endif
  thrust::equal(policy, x, last, y);
  thrust::reduce_by_key(policy, x, last, y, out, out2);
  thrust::reduce_by_key(policy, x, last, y, out, out2, Equals{}, Sum{});
  thrust::inclusive_scan(policy, x, last, out);
  thrust::exclusive_scan(policy, x, last, out, one, Sum{});
  thrust::inclusive_scan_by_key(policy, x, last, y, out);
  thrust::exclusive_scan_by_key(policy, x, last, y, out, one, Equals{}, Sum{});
  thrust::transform_inclusive_scan(policy, x, last, out, Itself{}, Sum{});
  thrust::transform_exclusive_scan(policy, x, last, out, Itself{}, one, Sum{});
  thrust::partition(policy, x, last, IsOdd{});
  thrust::stable_partition(policy, x, last, y, IsOdd{});
  thrust::partition_copy(policy, x, last, out, out2, IsOdd{});
  thrust::stable_partition_copy(policy, x, last, y, out, out2, IsOdd{});
  thrust::is_partitioned(policy, x, last, IsOdd{});
  thrust::partition_point(policy, x, last, IsOdd{});
  thrust::copy_if(policy, x, last, out, IsOdd{});
  thrust::copy_if(policy, x, last, y, out, IsOdd{});
  thrust::remove_copy(policy, x, last, out, one);
  thrust::remove_if(policy, x, last, y, IsOdd{});
  thrust::unique(policy, x, last);
  thrust::unique_count(policy, x, last);
  thrust::unique_count(policy, x, last, Equals{});
  thrust::unique_copy(policy, x, last, out, Equals{});
  thrust::unique_by_key(policy, x, last, y);
  thrust::unique_by_key_copy(policy, x, last, y, out, out2, Equals{});
  thrust::is_sorted(policy, x, last);
  thrust::is_sorted_until(policy, x, last, Less{});
  thrust::sort(policy, x, last);
  thrust::stable_sort(policy, x, last, Less{});
  thrust::sort_by_key(policy, x, last, y);
  thrust::stable_sort_by_key(policy, x, last, y, Less{});
}

template <class It>
void own_calls(It x, It last, It out, const bool* flags, int* numbers)
{
  using namespace poisoned;
  namespace v = gimbal::vectors;
  const auto policy = gimbal::par;
  const Item one{1, 1};
  const auto adding = v::make_monoid(Sum{}, Item{});
  const auto offsets = gimbal::segment_offsets(numbers, numbers + 3);
  thrust::sort_by_key(policy, numbers, numbers + 3, x);
  gimbal::radix_sort(policy, x, last, KeyOf{});
  gimbal::radix_sort(policy, x, last, KeyOf{}, 0, 3);
  gimbal::argsort(policy, x, last, numbers, Less{});
  gimbal::exclusive_segmented_scan(policy, x, last, flags, out, one, Sum{});
  gimbal::inclusive_segmented_scan(policy, x, last, offsets, gimbal::with_totals(out, out), Sum{});
  v::map(policy, x, last, out, Itself{});
  v::map(policy, x, last, x, out, Sum{});
  v::copy(policy, x, last, one);
  v::copy(policy, x, last, flags, out);
  v::permute(policy, x, last, numbers, out);
  v::permute(policy, x, last, numbers, flags, out);
  v::back_permute(policy, numbers, numbers + 3, x, out);
  v::select(policy, flags, flags + 3, x, x, out);
  v::shift(policy, x, last, out, 1, one);
  v::shift(policy, x, last, offsets, out, -1, one);
  v::scan(policy, x, last, v::with_total(out), adding);
  v::back_scan(policy, x, last, flags, out, adding);
  v::reduce(policy, x, last, adding);
  v::reduce(policy, x, last, offsets, out, adding);
  v::distribute(policy, x, last, out, adding);
  v::distribute(policy, x, last, flags, out, adding);
  v::split(policy, x, last, flags, out);
  v::split_if(policy, x, last, out, IsOdd{});
  v::split(policy, x, last, flags, offsets, out);
  v::unsplit(policy, flags, flags + 3, flags, x, out);
  v::flag_merge(policy, flags, flags + 3, x, x, out);
  v::pack(policy, x, last, flags, flags, out, numbers);
}

template <class It>
void device_wide_calls(It x, It y, It out, It out2, const bool* flags, int* numbers, std::size_t bytes)
{
  using namespace poisoned;
  using namespace gimbal;
  void* const memory = numbers;
  const Item one{1, 1};
  DeviceReduce::Reduce(memory, bytes, x, out, 3, Sum{}, one);
  DeviceReduce::Sum(memory, bytes, x, out, 3);
  DeviceScan::ExclusiveScan(memory, bytes, x, out, Sum{}, one, 3);
  DeviceScan::InclusiveSum(memory, bytes, x, out, 3);
  DeviceScan::InclusiveScanByKey(memory, bytes, x, y, out, Sum{}, 3, Equals{});
  DeviceSelect::If(memory, bytes, x, out, numbers, 3, IsOdd{});
  DeviceSelect::Flagged(memory, bytes, x, flags, numbers, 3);
  DeviceSelect::Unique(memory, bytes, x, out, numbers, 3);
  DeviceSelect::UniqueByKey(memory, bytes, x, y, out, out2, numbers, 3, Equals{});
  DevicePartition::If(memory, bytes, x, out, numbers, 3, IsOdd{});
  DeviceReduce::TransformReduce(memory, bytes, x, out, 3, Sum{}, Itself{}, one);
  DeviceReduce::ReduceByKey(memory, bytes, x, out, y, out2, numbers, Sum{}, 3);
  DeviceRunLengthEncode::Encode(memory, bytes, x, out, numbers, numbers, 3);
#if GIMBAL_GPU  // CUB's
  DeviceRunLengthEncode::NonTrivialRuns(memory, bytes, x, numbers, numbers, numbers, 3);
#endif
  DeviceSegmentedScan::ExclusiveSegmentedScan(memory, bytes, x, out, numbers, numbers + 1, 2, Sum{}, one);
  DeviceSelect::Unique(memory, bytes, x, out, numbers, 3, Equals{});
  DeviceFind::FindIf(memory, bytes, x, numbers, IsOdd{}, 3);
  DeviceScan::InclusiveSum(x, out, 3);
  DeviceMergeSort::SortKeys(memory, bytes, x, 3, Less{});
  DeviceMergeSort::SortPairsCopy(memory, bytes, x, y, out, out2, 3, Less{});
}

void all_calls(poisoned::Item* x, int* numbers, bool* flags)
{
  thrust_calls(x, x + 3, x, x, x);
  const poisoned::Iterator it(x);
  thrust_calls(it, it + 3, it, it, it);
#ifndef STOCK
  own_calls(x, x + 3, x, flags, numbers);
  own_calls(it, it + 3, it, flags, numbers);
  device_wide_calls(x, x, x, x, flags, numbers, 0);
  device_wide_calls(it, it, it, it, flags, numbers, 0);
  gimbal::DeviceRadixSort::SortKeys(
    numbers, *reinterpret_cast<std::size_t*>(numbers), static_cast<const poisoned::Item*>(x), x, 3, poisoned::KeysOf{});
  gimbal::DeviceRadixSort::SortPairs(numbers, *reinterpret_cast<std::size_t*>(numbers), numbers, numbers, x, x, 3);
#endif
}
