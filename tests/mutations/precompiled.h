// What the checks of the mutation tests include of others' headers, compiled once for all of them (mutations.py).
// Included by the compiler's command line alone: each file includes what it uses.
#pragma once

#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <algorithm>
#include <cuda/atomic>
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>
