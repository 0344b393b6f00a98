// Does not compile: algorithms that are not there over a communicator, each of which the compiler names.
#include <gimbal/communicator.h>
#include <thrust/binary_search.h>
#include <thrust/gather.h>
#include <thrust/memory.h>
#include <thrust/merge.h>
#include <thrust/mr/new.h>
#include <thrust/per_device_resource.h>
#include <thrust/random.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>

struct is_odd {
  bool operator()(int x) const { return x % 2 != 0; }
};

void refused(gimbal::communicator& ranks, int* x, int* end, int* y, int* y_end, int* out, int* out2)
{
  auto p = gimbal::par.over(ranks);
  thrust::default_random_engine random;
  thrust::merge(p, x, end, y, y_end, out);
  thrust::merge_by_key(p, x, end, y, y_end, x, y, out, out2);
  thrust::set_difference(p, x, end, y, y_end, out);
  thrust::set_difference_by_key(p, x, end, y, y_end, x, y, out, out2);
  thrust::set_intersection(p, x, end, y, y_end, out);
  thrust::set_intersection_by_key(p, x, end, y, y_end, x, out, out2);
  thrust::set_symmetric_difference(p, x, end, y, y_end, out);
  thrust::set_symmetric_difference_by_key(p, x, end, y, y_end, x, y, out, out2);
  thrust::set_union(p, x, end, y, y_end, out);
  thrust::set_union_by_key(p, x, end, y, y_end, x, y, out, out2);
  thrust::binary_search(p, x, end, y, y_end, out);
  thrust::equal_range(p, x, end, 3);
  thrust::gather(p, x, end, y, out);
  thrust::gather_if(p, x, end, y, y, out, is_odd{});
  thrust::lower_bound(p, x, end, 3);
  thrust::reverse(p, x, end);
  thrust::reverse_copy(p, x, end, out);
  thrust::scatter(p, x, end, y, out);
  thrust::scatter_if(p, x, end, y, y, out, is_odd{});
  thrust::shuffle(p, x, end, random);
  thrust::shuffle_copy(p, x, end, out, random);
  thrust::upper_bound(p, x, end, 3);
  thrust::free(p, x);
  thrust::get_per_device_resource<thrust::mr::new_delete_resource>(p);
  thrust::get_temporary_buffer<int>(p, 3);
  thrust::malloc(p, 3);
  thrust::return_temporary_buffer(p, x, 3);
}
