// Calls every signature that gimbal takes over once through gimbal::par: each must reach its own overload, and only
// that one. An overload that does not fit a call would silently leave it to stock.
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
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

#include <catch2/catch.hpp>

namespace routing_test {

using gimbal::par;
using gimbal::route::signature;

struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return 2 * x; }
};
struct sum {
  GIMBAL_HOST_DEVICE int operator()(int x, int y) const { return x + y; }
};
struct less {
  GIMBAL_HOST_DEVICE bool operator()(int x, int y) const { return x < y; }
};
struct equal {
  GIMBAL_HOST_DEVICE bool operator()(int x, int y) const { return x == y; }
};

long all_hits()
{
  long hits = 0;
  for (int s = 0; s < gimbal::route::signature_count; ++s) {
    hits += gimbal::route::hits(static_cast<signature>(s));
  }
  return hits;
}

/// Makes `call` and checks that it was counted as `s`, once, and as nothing else.
template <class Call>
void routed(signature s, Call call)
{
  const gimbal::route::signature_text& text = gimbal::route::signatures[static_cast<int>(s)];
  INFO(text.name << "(" << text.arguments << ")");
  const long hits = gimbal::route::hits(s);
  const long others = all_hits() - hits;
  call();
  CHECK(gimbal::route::hits(s) == hits + 1);
  CHECK(all_hits() - gimbal::route::hits(s) == others);
}

using vector = thrust::device_vector<int>;

vector numbers(int n)
{
  vector values(n);
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 7 + 3) % 11 / 2;
  }
  return values;
}

struct fixture {
  static constexpr int n = 100;
  vector x = numbers(n);
  vector y = numbers(n);
  vector out = vector(n);
  vector out2 = vector(n);
};

void call_reduce_family()
{
  fixture f;
  const auto first = f.x.begin();
  const auto last = f.x.end();
  const auto out = f.out.begin();
  const auto out2 = f.out2.begin();
  const auto y = f.y.begin();
  routed(signature::reduce, [&] { thrust::reduce(par, first, last); });
  routed(signature::reduce_init, [&] { thrust::reduce(par, first, last, 1); });
  routed(signature::reduce_init_op, [&] { thrust::reduce(par, first, last, 1, sum{}); });
#if GIMBAL_HAS_REDUCE_INTO
  routed(signature::reduce_into, [&] { thrust::reduce_into(par, first, last, out); });
  routed(signature::reduce_into_init, [&] { thrust::reduce_into(par, first, last, out, 1); });
  routed(signature::reduce_into_init_op, [&] { thrust::reduce_into(par, first, last, out, 1, sum{}); });
#endif
  routed(signature::transform_reduce, [&] { thrust::transform_reduce(par, first, last, twice{}, 1, sum{}); });
  routed(signature::inner_product, [&] { thrust::inner_product(par, first, last, y, 1); });
  routed(signature::inner_product_ops, [&] { thrust::inner_product(par, first, last, y, 1, sum{}, sum{}); });
  routed(signature::count, [&] { thrust::count(par, first, last, 3); });
  routed(signature::count_if, [&] { thrust::count_if(par, first, last, is_odd{}); });
  routed(signature::min_element, [&] { thrust::min_element(par, first, last); });
  routed(signature::min_element_comp, [&] { thrust::min_element(par, first, last, less{}); });
  routed(signature::max_element, [&] { thrust::max_element(par, first, last); });
  routed(signature::max_element_comp, [&] { thrust::max_element(par, first, last, less{}); });
  routed(signature::minmax_element, [&] { thrust::minmax_element(par, first, last); });
  routed(signature::minmax_element_comp, [&] { thrust::minmax_element(par, first, last, less{}); });
  routed(signature::all_of, [&] { thrust::all_of(par, first, last, is_odd{}); });
  routed(signature::any_of, [&] { thrust::any_of(par, first, last, is_odd{}); });
  routed(signature::none_of, [&] { thrust::none_of(par, first, last, is_odd{}); });
  routed(signature::find, [&] { thrust::find(par, first, last, 3); });
  routed(signature::find_if, [&] { thrust::find_if(par, first, last, is_odd{}); });
  routed(signature::find_if_not, [&] { thrust::find_if_not(par, first, last, is_odd{}); });
  routed(signature::mismatch, [&] { thrust::mismatch(par, first, last, y); });
  routed(signature::mismatch_pred, [&] { thrust::mismatch(par, first, last, y, equal{}); });
#if GIMBAL_HAS_MISMATCH_OF_RANGES
  const auto y_last = f.y.end();
  routed(signature::mismatch_of_ranges, [&] { thrust::mismatch(par, first, last, y, y_last); });
  routed(signature::mismatch_of_ranges_pred, [&] { thrust::mismatch(par, first, last, y, y_last, equal{}); });
#endif
  routed(signature::equal, [&] { thrust::equal(par, first, last, y); });
  routed(signature::equal_pred, [&] { thrust::equal(par, first, last, y, equal{}); });
  routed(signature::reduce_by_key, [&] { thrust::reduce_by_key(par, first, last, y, out, out2); });
  routed(signature::reduce_by_key_pred, [&] { thrust::reduce_by_key(par, first, last, y, out, out2, equal{}); });
  routed(
    signature::reduce_by_key_pred_op, [&] { thrust::reduce_by_key(par, first, last, y, out, out2, equal{}, sum{}); });
}

void call_scan_family()
{
  fixture f;
  const auto first = f.x.begin();
  const auto last = f.x.end();
  const auto out = f.out.begin();
  const auto y = f.y.begin();
  routed(signature::inclusive_scan, [&] { thrust::inclusive_scan(par, first, last, out); });
  routed(signature::inclusive_scan_op, [&] { thrust::inclusive_scan(par, first, last, out, sum{}); });
  routed(signature::inclusive_scan_init_op, [&] { thrust::inclusive_scan(par, first, last, out, 1, sum{}); });
  routed(signature::exclusive_scan, [&] { thrust::exclusive_scan(par, first, last, out); });
  routed(signature::exclusive_scan_init, [&] { thrust::exclusive_scan(par, first, last, out, 1); });
  routed(signature::exclusive_scan_init_op, [&] { thrust::exclusive_scan(par, first, last, out, 1, sum{}); });
  routed(signature::inclusive_scan_by_key, [&] { thrust::inclusive_scan_by_key(par, first, last, y, out); });
  routed(
    signature::inclusive_scan_by_key_pred, [&] { thrust::inclusive_scan_by_key(par, first, last, y, out, equal{}); });
  routed(signature::inclusive_scan_by_key_pred_op, [&] {
    thrust::inclusive_scan_by_key(par, first, last, y, out, equal{}, sum{});
  });
  routed(signature::exclusive_scan_by_key, [&] { thrust::exclusive_scan_by_key(par, first, last, y, out); });
  routed(signature::exclusive_scan_by_key_init, [&] { thrust::exclusive_scan_by_key(par, first, last, y, out, 1); });
  routed(signature::exclusive_scan_by_key_init_pred, [&] {
    thrust::exclusive_scan_by_key(par, first, last, y, out, 1, equal{});
  });
  routed(signature::exclusive_scan_by_key_init_pred_op, [&] {
    thrust::exclusive_scan_by_key(par, first, last, y, out, 1, equal{}, sum{});
  });
  routed(signature::transform_inclusive_scan, [&] {
    thrust::transform_inclusive_scan(par, first, last, out, twice{}, sum{});
  });
  routed(signature::transform_inclusive_scan_init, [&] {
    thrust::transform_inclusive_scan(par, first, last, out, twice{}, 1, sum{});
  });
  routed(signature::transform_exclusive_scan, [&] {
    thrust::transform_exclusive_scan(par, first, last, out, twice{}, 1, sum{});
  });
}

void call_partition_family()
{
  fixture f;
  const auto first = f.x.begin();
  const auto last = f.x.end();
  const auto out = f.out.begin();
  const auto out2 = f.out2.begin();
  const auto y = f.y.begin();
  const is_odd odd;
  routed(signature::partition, [&] { thrust::partition(par, first, last, odd); });
  routed(signature::partition_stencil, [&] { thrust::partition(par, first, last, y, odd); });
  routed(signature::stable_partition, [&] { thrust::stable_partition(par, first, last, odd); });
  routed(signature::stable_partition_stencil, [&] { thrust::stable_partition(par, first, last, y, odd); });
  routed(signature::partition_copy, [&] { thrust::partition_copy(par, first, last, out, out2, odd); });
  routed(signature::partition_copy_stencil, [&] { thrust::partition_copy(par, first, last, y, out, out2, odd); });
  routed(signature::stable_partition_copy, [&] { thrust::stable_partition_copy(par, first, last, out, out2, odd); });
  routed(signature::stable_partition_copy_stencil, [&] {
    thrust::stable_partition_copy(par, first, last, y, out, out2, odd);
  });
  routed(signature::is_partitioned, [&] { thrust::is_partitioned(par, first, last, odd); });
  routed(signature::partition_point, [&] { thrust::partition_point(par, first, last, odd); });
  routed(signature::copy_if, [&] { thrust::copy_if(par, first, last, out, odd); });
  routed(signature::copy_if_stencil, [&] { thrust::copy_if(par, first, last, y, out, odd); });
  routed(signature::remove_copy, [&] { thrust::remove_copy(par, first, last, out, 3); });
  routed(signature::remove_copy_if, [&] { thrust::remove_copy_if(par, first, last, out, odd); });
  routed(signature::remove_copy_if_stencil, [&] { thrust::remove_copy_if(par, first, last, y, out, odd); });
  routed(signature::unique_count, [&] { thrust::unique_count(par, first, last); });
  routed(signature::unique_count_pred, [&] { thrust::unique_count(par, first, last, equal{}); });
  routed(signature::unique_copy, [&] { thrust::unique_copy(par, first, last, out); });
  routed(signature::unique_copy_pred, [&] { thrust::unique_copy(par, first, last, out, equal{}); });
  routed(signature::unique_by_key_copy, [&] { thrust::unique_by_key_copy(par, first, last, y, out, out2); });
  routed(
    signature::unique_by_key_copy_pred, [&] { thrust::unique_by_key_copy(par, first, last, y, out, out2, equal{}); });
  routed(signature::remove, [&] { thrust::remove(par, first, last, 3); });
  routed(signature::remove_if, [&] { thrust::remove_if(par, first, last, odd); });
  routed(signature::remove_if_stencil, [&] { thrust::remove_if(par, first, last, y, odd); });
  routed(signature::unique, [&] { thrust::unique(par, first, last); });
  routed(signature::unique_pred, [&] { thrust::unique(par, first, last, equal{}); });
  routed(signature::unique_by_key, [&] { thrust::unique_by_key(par, first, last, y); });
  routed(signature::unique_by_key_pred, [&] { thrust::unique_by_key(par, first, last, y, equal{}); });
}

void call_sort_family()
{
  fixture f;
  const auto first = f.x.begin();
  const auto last = f.x.end();
  const auto y = f.y.begin();
  routed(signature::is_sorted_until, [&] { thrust::is_sorted_until(par, first, last); });
  routed(signature::is_sorted_until_comp, [&] { thrust::is_sorted_until(par, first, last, less{}); });
  routed(signature::is_sorted, [&] { thrust::is_sorted(par, first, last); });
  routed(signature::is_sorted_comp, [&] { thrust::is_sorted(par, first, last, less{}); });
  routed(signature::sort, [&] { thrust::sort(par, first, last); });
  routed(signature::sort_comp, [&] { thrust::sort(par, first, last, less{}); });
  routed(signature::stable_sort, [&] { thrust::stable_sort(par, first, last); });
  routed(signature::stable_sort_comp, [&] { thrust::stable_sort(par, first, last, less{}); });
  routed(signature::sort_by_key, [&] { thrust::sort_by_key(par, first, last, y); });
  routed(signature::sort_by_key_comp, [&] { thrust::sort_by_key(par, first, last, y, less{}); });
  routed(signature::stable_sort_by_key, [&] { thrust::stable_sort_by_key(par, first, last, y); });
  routed(signature::stable_sort_by_key_comp, [&] { thrust::stable_sort_by_key(par, first, last, y, less{}); });
}

TEST_CASE("the list of routed signatures is complete")
{
  CHECK(gimbal::route::signature_count == 83 + (CCCL_VERSION >= 3001000 ? 3 : 0) + (CCCL_VERSION >= 3004000 ? 2 : 0));
}

TEST_CASE("every signature reaches its own overload and no kernel falls back")
{
  const long fallbacks = gimbal::route::fallbacks();
  call_reduce_family();
  call_scan_family();
  call_partition_family();
  call_sort_family();
  for (int s = 0; s < gimbal::route::signature_count; ++s) {
    const gimbal::route::signature_text& text = gimbal::route::signatures[s];
    INFO(text.name << "(" << text.arguments << ") was never called");
    CHECK(gimbal::route::hits(static_cast<signature>(s)) > 0);
  }
  CHECK(gimbal::route::fallbacks() == fallbacks);
}

TEST_CASE("calls without a policy stay with stock")
{
  vector x = numbers(10);
  const long hits = all_hits();
  CHECK(thrust::reduce(x.begin(), x.end()) == thrust::reduce(thrust::device, x.begin(), x.end()));
  CHECK(all_hits() == hits);
}

}  // namespace routing_test
