// Every routed overload. A policy is of no use without them: an algorithm whose overload is not seen runs on stock.
#pragma once

#include <gimbal/thrust/extrema.h>
#include <gimbal/thrust/find.h>
#include <gimbal/thrust/logical.h>
#include <gimbal/thrust/partition.h>
#include <gimbal/thrust/reduce.h>
#include <gimbal/thrust/reduce_by_key.h>
#include <gimbal/thrust/scan.h>
#include <gimbal/thrust/scan_by_key.h>
#include <gimbal/thrust/select.h>
#include <gimbal/thrust/sort.h>
#include <gimbal/thrust/unique.h>
