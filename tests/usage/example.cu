// The smallest program: sort and sum with gimbal's policy. Built by every way that the README names.
#include <gimbal/gimbal.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cstdio>

int main()
{
  thrust::device_vector<unsigned> numbers(100000);
  thrust::sequence(thrust::device, numbers.rbegin(), numbers.rend());
  thrust::sort(gimbal::par, numbers.begin(), numbers.end());
  const unsigned long long sum = thrust::reduce(gimbal::par, numbers.begin(), numbers.end(), 0ull);
  std::printf("first %u, last %u, sum %llu\n", unsigned{numbers.front()}, unsigned{numbers.back()}, sum);
  return numbers.front() == 0 && numbers.back() == 99999 && sum == 4999950000ull ? 0 : 1;
}
