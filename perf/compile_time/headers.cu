// What a program pays for the headers alone.
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "policy.h"
