// The scan-vector model on ranges: the primitives of Blelloch, "Vector Models for Data-Parallel Computing" (1990), by
// the names that the book has for them, each as one call over a policy, plain and for segments.
//
//   namespace v = gimbal::vectors;
//   v::scan(gimbal::par, x.begin(), x.end(), out.begin(), v::plus<int>());
//   int sum = v::scan(gimbal::par, x.begin(), x.end(), v::with_total(out.begin()), v::plus<int>());
//   v::scan(gimbal::par, x.begin(), x.end(), flags.begin(), out.begin(), v::max<int>());                 // segmented
//
// They are in a namespace of their own, because copy, reduce, select and scan mean other things among Thrust's and
// gimbal's calls.
//
// There are n items of w bytes, flags of 1 byte, k items with a flag, S segments, offsets of o bytes; h is the head of
// i's segment and e its end. Launches are given by flags / by offsets, in brackets for more than 2^22 bytes, of which
// head flags are made; * means two for more than 2^22 items. Bytes leave out what is read again from the cache.
//
//   call            result                                            launches    bytes
//   map             out[i] = f(x[i], ...)                             1           2 n w
//   copy            out[i] = value                                    1           n w
//     segmented     out[i] = x[h]                                     1 / 1       2 n w + n / n w + S (w + o)
//   permute         out[h + p[i]] = x[i]                              1, 1 / 1    2 n w + 4 n, + n / + S o
//   back_permute    out[i] = x[h + p[i]]                              1, 1 / 1    the same
//   select          out[i] = f[i] ? t[i] : u[i]                       1           2 n w + n
//   shift           out[i] = x[i - d], or fill outside the segment    1, 1 / 1    2 n w, + n / + S o
//   scan            out[i] = identity op x[h] op ... op x[i - 1]      1, 1 / 1(2) 2 n w, + n / + S o + n / 4
//   back_scan       out[i] = identity op x[e - 1] op ... op x[i + 1]  1, 1 / 1(2) the same
//   reduce          x[h] op ... op x[e - 1]                           1, 1 / 1    n w, + n + S w / + S o + S w
//   distribute      out[i] = x[h] op ... op x[e - 1]                  1, 2 / 2    2 n w, + 2 n + S w / + S (2 o + 2 w)
//   enumerate       out[i] = how many of f[h] ... f[i - 1] are set    1, 1 / 1(2) n + 4 n, + n / + S o + n / 4
//   split           items without a flag, then those with one         1*          2 n w + 2 n
//     segmented     in each segment                                   2 / 2(3)    2 n w + 4 n + 4 S, + 2 S o + n / 4 - 2 n
//   split_if        the same by a predicate                           1*          3 n w
//   unsplit         the inverse of the segmented split                2 / 2(3)    as split
//   flag_merge      the inverse of split                              1           2 n w + n
//   pack            items with a flag                                 1           n w + k w + n
//     segmented     the same, and how many each segment has           2 / 2       the same and n + n / n + S o, + 4 S
//   allocate        offsets[s] = lengths[0] + ... + lengths[s - 1]    1           2 S o
//   expand          the segment of each slot, or what f makes of it   1           n w + S o
//   head_flags      1 where a segment begins                          1           n + S o
//
// What holds for all:
//   Ranges        any random access iterators that the device can read; a thrust::zip_iterator makes items of a
//                 structure of arrays, as the thesis has vectors of structures (5.1, line 380). Values are copied
//                 bytewise and have at most 128 bytes. Plain scan, back_scan and enumerate without a total, reduce to
//                 the host, pack to the host, and calls that copy item by item without segments go to stock for other
//                 values, as in thrust/fallback.h; the rest does not compile with them.
//   Heads         an iterator over one flag for each item, convertible to bool, item 0 always being a head; or
//                 gimbal::segment_offsets(first, last), by which segments may be empty (segmented_scan.h).
//   Counts        64-bit; no items: nothing is launched, but for totals, which are the identity then.
//   Stream, wait  the policy's stream; `par` waits for the end, `par_nosync` only in calls that return a value that a
//                 kernel computed: with_total(out), reduce to the host, split and pack without a with_total. Those
//                 cannot be captured into a graph.
//   Storage       from the retained pool or the policy's allocator, where a call documents that it takes some.
//   Operators     associative, not necessarily commutative: operands are combined in order. See scan_vector/monoid.h.
//   Determinism   as of scan.h, reduce.h and segmented_scan.h: the same bits in every run on devices of one kind.
//   Aliasing      none but where a call allows it.
//   Errors        thrust::system_error naming the call, or an exception derived from std::bad_alloc (policy.h). To be
//                 called from host code.
//
// The lines of the thesis are those of its text: J. Ahnfelt-Rønne and M. K. Jensen, Parallel-vector-modellen på
// GP-GPU via CUDA (2009). The book's pages are given as the thesis cites them, or by the book's table of contents;
// calls for which neither has a page are given by the book's name alone.
#pragma once

#include <gimbal/scan_vector/allocate.h>
#include <gimbal/scan_vector/elementwise.h>
#include <gimbal/scan_vector/monoid.h>
#include <gimbal/scan_vector/scan.h>
#include <gimbal/scan_vector/split.h>
