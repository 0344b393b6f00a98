// What tests include of others' headers (gimbal_precompiled_headers). Included by the compiler's command line alone:
// each file includes what it uses.
#pragma once

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "mutations/precompiled.h"
