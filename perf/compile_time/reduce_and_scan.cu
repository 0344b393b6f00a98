// This program makes a reduce and a scan.
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include "policy.h"

int sum(const int* first, const int* last) { return thrust::reduce(policy, first, last); }
void scan(const int* first, const int* last, int* out) { thrust::exclusive_scan(policy, first, last, out); }
