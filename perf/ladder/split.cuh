// The operations of the scan-vector model that are made of scans, and the sort made of them: segmented scan, split,
// split-radix sort.
//
// Blelloch, "Vector models for data-parallel computing" (1990). Everything but the scan is one thread per item;
// whatever needs to know about other items asks a scan (scan.cuh, scan then propagate):
//
//   segmented scan   a scan of (value, has a head) pairs under an operator that forgets what comes before a head; the
//                    pairs are made and taken apart item by item
//   split            items whose flag is clear come first, the others after them, both in order: a scan of "is clear"
//                    says where each goes. About 9 words moved for each item
//   split-radix sort a split for each bit of the key, from the lowest
//
// All are stable and give one result whatever the timing. None works in place.
#pragma once

#include <perf/ladder/reduction.cuh>
#include <perf/ladder/scan.cuh>

namespace ladder {

// ---- segmented scan

/// The sum of some neighbouring items since the last head among them, and whether there is one.
template <class T>
struct segment_sum {
  T value;
  std::uint32_t has_head;
};

template <class T>
struct add_segments {
  GIMBAL_HOST_DEVICE segment_sum<T> operator()(const segment_sum<T>& left, const segment_sum<T>& right) const
  {
    return {right.has_head != 0 ? right.value : left.value + right.value, left.has_head | right.has_head};
  }
};

template <class Shape = classical_shape>
struct segmented_scan {
  static constexpr const char* name = "segmented scan of pairs";

  template <class T>
  static status run(
    void* storage, std::size_t& bytes, const T* in, const std::uint8_t* heads, index_type n, T* out,
    simt::stream_type stream)
  {
    using scan = scan_then_propagate<Shape>;
    using pair = segment_sum<T>;
    pair* pairs = nullptr;
    std::size_t scan_bytes = 0;
    GIMBAL_TRY(scan::run(nullptr, scan_bytes, pairs, n, pairs, add_segments<T>{}, pair{}, stream));
    unsigned char* scan_storage = nullptr;
    if (const placement at = place(storage, bytes, &pairs, n, &scan_storage, scan_bytes); !at.is_done) {
      return at.state;
    }
    GIMBAL_TRY(for_each_position(n, stream, "pairs of a segmented scan", [=] LADDER_LAMBDA(auto&, index_type i) {
      pairs[i] = {in[i], heads[i] != 0 ? 1u : 0u};
    }));
    // The scan is exclusive: item i gets what the items before it amount to since their last head. That is right unless
    // i is a head itself.
    GIMBAL_TRY(scan::run(scan_storage, scan_bytes, pairs, n, pairs, add_segments<T>{}, pair{}, stream));
    return for_each_position(n, stream, "values of a segmented scan", [=] LADDER_LAMBDA(auto&, index_type i) {
      out[i] = heads[i] != 0 ? T{} : pairs[i].value;
    });
  }
};

// ---- split

/// 1 for a key whose bit is clear: scanned, it numbers these keys.
struct is_clear {
  unsigned bit;
  GIMBAL_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return 1u - (key >> bit & 1u); }
};

/// Keys by one bit. Positions are kept in 32 bits: n < 2^32.
template <class Shape = classical_shape>
struct split_by_bit {
  static constexpr const char* name = "split";

  static status run(
    void* storage, std::size_t& bytes, const std::uint32_t* in, index_type n, std::uint32_t* out, unsigned bit,
    simt::stream_type stream)
  {
    using scan = scan_then_propagate<Shape>;
    std::uint32_t* clear_before = nullptr;
    std::size_t scan_bytes = 0;
    GIMBAL_TRY(scan::run(nullptr, scan_bytes, clear_before, n, clear_before, stream));
    unsigned char* scan_storage = nullptr;
    if (const placement at = place(storage, bytes, &clear_before, n, &scan_storage, scan_bytes); !at.is_done) {
      return at.state;
    }
    const is_clear clear{bit};
    GIMBAL_TRY(for_each_position(
      n, stream, "flags of a split", [=] LADDER_LAMBDA(auto&, index_type i) { clear_before[i] = clear(in[i]); }));
    GIMBAL_TRY(scan::run(scan_storage, scan_bytes, clear_before, n, clear_before, stream));
    // A key whose bit is clear goes behind the clear ones before it; a key whose bit is set behind all clear ones and
    // the set ones before it.
    return for_each_position(n, stream, "placing of a split", [=] LADDER_LAMBDA(auto&, index_type i) {
      const std::uint32_t key = in[i];
      const index_type all_clear = index_type{clear_before[n - 1]} + clear(in[n - 1]);
      const index_type before = clear_before[i];
      out[clear(key) != 0 ? before : all_clear + i - before] = key;
    });
  }
};

// ---- split-radix sort

/// Sorts keys by their lowest `bits` bits, ascending, stable.
template <class Shape = classical_shape>
struct split_radix_sort {
  static constexpr const char* name = "split-radix, one bit at a time";

  static status run(
    void* storage, std::size_t& bytes, const std::uint32_t* in, index_type n, std::uint32_t* out, unsigned bits,
    simt::stream_type stream)
  {
    using split = split_by_bit<Shape>;
    std::uint32_t* other = nullptr;
    std::size_t split_bytes = 0;
    GIMBAL_TRY(split::run(nullptr, split_bytes, in, n, out, 0, stream));
    unsigned char* split_storage = nullptr;
    if (const placement at = place(storage, bytes, &other, n, &split_storage, split_bytes); !at.is_done) {
      return at.state;
    }
    for (unsigned bit = 0; bit < bits; ++bit) {
      std::uint32_t* const target = (bits - bit) % 2 == 1 ? out : other;  // the last split writes the result
      GIMBAL_TRY(split::run(split_storage, split_bytes, in, n, target, bit, stream));
      in = target;
    }
    return {};
  }
};

}  // namespace ladder
