// Does not compile: an algorithm that is not there over a communicator.
#include <gimbal/communicator.h>
#include <thrust/reverse.h>

void reverse(gimbal::communicator& ranks, int* first, int* last)
{
  thrust::reverse(gimbal::par.over(ranks), first, last);
}
