// This program shows what the headers alone cost.
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "policy.h"
