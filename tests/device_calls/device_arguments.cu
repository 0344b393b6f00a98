// Tests the arguments that device-wide calls refuse: the table in gimbal/device.h, for every call by one body. A
// refused call returns error_invalid_value and has done nothing, whatever the number of items. Storage of any alignment
// is accepted.
#include <gimbal/device.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "support.h"

namespace device_arguments_test {

using gimbal::error_code;
using gimbal::index_type;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;

struct sum {
  GIMBAL_HOST_DEVICE int operator()(int x, int y) const
  {
    return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
  }
};
struct is_odd {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x % 2 != 0; }
};
struct is_small {
  GIMBAL_HOST_DEVICE bool operator()(int x) const { return x < 500; }
};
struct twice {
  GIMBAL_HOST_DEVICE int operator()(int x) const { return static_cast<int>(2 * static_cast<unsigned>(x)); }
};
struct less {
  GIMBAL_HOST_DEVICE bool operator()(int x, int y) const { return x < y; }
};
struct equal {
  GIMBAL_HOST_DEVICE bool operator()(int x, int y) const { return x == y; }
};

struct one_member {
  GIMBAL_HOST_DEVICE ::cuda::std::tuple<int&> operator()(int& x) const { return {x}; }
};

/// What a call is given beside its count: two inputs, two outputs, the place of one number, and bits of a key.
struct given {
  void* storage = nullptr;
  std::size_t& bytes;
  int* in;
  int* in2;
  int* out;
  int* out2;
  int* number;
  int begin_bit = 0;
  int end_bit = 32;
};

/// Which of these it uses.
struct uses {
  bool in2 = false;
  bool out = true;
  bool out2 = false;
  bool number = false;
  bool bits = false;
  bool leaves_anything_in_out = false;  // also in out2: results are where the input was
};
inline constexpr uses one_in_place{false, false};
inline constexpr uses two_in_place{true, false};
inline constexpr uses copies{};
inline constexpr uses copies_two{true, true, true};
inline constexpr uses one_by_another{true, true};
inline constexpr uses one_by_bits{false, true, false, false, true};
inline constexpr uses two_by_bits{true, true, true, false, true};
inline constexpr uses one_between{false, true, false, false, true, true};
inline constexpr uses two_between{true, true, true, false, true, true};
inline constexpr uses to_a_number{false, false, false, true};
inline constexpr uses selects{false, true, false, true};
inline constexpr uses selects_in_place = to_a_number;
inline constexpr uses selects_by_flags{true, true, false, true};
inline constexpr uses selects_by_flags_in_place{true, false, false, true};
inline constexpr uses selects_two{true, true, true, true};
inline constexpr uses encodes{false, true, true, true};

gimbal::DoubleBuffer<int> buffers(int* current, int* alternate) { return {current, alternate}; }

/// Calls `visit(name, uses, call)` with every call; `call(given, count)` takes a count of any type.
template <class Visit>
void each_call(Visit visit)
{
  using gimbal::DeviceFind;
  using gimbal::DeviceMergeSort;
  using gimbal::DevicePartition;
  using gimbal::DeviceRadixSort;
  using gimbal::DeviceReduce;
  using gimbal::DeviceRunLengthEncode;
  using gimbal::DeviceScan;
  using gimbal::DeviceSelect;

  visit("DeviceReduce::Reduce", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::Reduce(g.storage, g.bytes, g.in, g.number, n, sum{}, 1);
  });
  visit("DeviceReduce::Sum", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::Sum(g.storage, g.bytes, g.in, g.number, n);
  });
  visit("DeviceReduce::Min", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::Min(g.storage, g.bytes, g.in, g.number, n);
  });
  visit("DeviceReduce::Max", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::Max(g.storage, g.bytes, g.in, g.number, n);
  });

  visit("DeviceReduce::TransformReduce", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::TransformReduce(g.storage, g.bytes, g.in, g.number, n, sum{}, twice{}, 1);
  });
  visit("DeviceReduce::ReduceByKey", selects_two, [](const given& g, auto n) {
    return DeviceReduce::ReduceByKey(g.storage, g.bytes, g.in, g.out, g.in2, g.out2, g.number, sum{}, n);
  });
  visit("DeviceReduce::ArgMin", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::ArgMin(g.storage, g.bytes, g.in, g.number, g.number + 1, n);
  });
  visit("DeviceReduce::ArgMin by an order", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::ArgMin(g.storage, g.bytes, g.in, g.number + 1, g.number, n, less{});
  });
  visit("DeviceReduce::ArgMax", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::ArgMax(g.storage, g.bytes, g.in, g.number, g.number + 1, n);
  });
  visit("DeviceReduce::ArgMax by an order", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::ArgMax(g.storage, g.bytes, g.in, g.number + 1, g.number, n, less{});
  });
  visit("DeviceReduce::ArgMinMax", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::ArgMinMax(g.storage, g.bytes, g.in, g.number, g.number + 1, g.number + 2, g.number + 3, n);
  });
  visit("DeviceReduce::ArgMinLastMax by an order", to_a_number, [](const given& g, auto n) {
    return DeviceReduce::ArgMinLastMax(
      g.storage, g.bytes, g.in, g.number + 1, g.number + 2, g.number + 3, g.number, n, less{});
  });

  visit("DeviceScan::ExclusiveSum", copies, [](const given& g, auto n) {
    return DeviceScan::ExclusiveSum(g.storage, g.bytes, g.in, g.out, n);
  });
  visit("DeviceScan::ExclusiveSum in place", one_in_place, [](const given& g, auto n) {
    return DeviceScan::ExclusiveSum(g.storage, g.bytes, g.in, n);
  });
  visit("DeviceScan::ExclusiveScan", copies, [](const given& g, auto n) {
    return DeviceScan::ExclusiveScan(g.storage, g.bytes, g.in, g.out, sum{}, 1, n);
  });
  visit("DeviceScan::ExclusiveScan in place", one_in_place, [](const given& g, auto n) {
    return DeviceScan::ExclusiveScan(g.storage, g.bytes, g.in, sum{}, 1, n);
  });
  visit("DeviceScan::InclusiveSum", copies, [](const given& g, auto n) {
    return DeviceScan::InclusiveSum(g.storage, g.bytes, g.in, g.out, n);
  });
  visit("DeviceScan::InclusiveSum in place", one_in_place, [](const given& g, auto n) {
    return DeviceScan::InclusiveSum(g.storage, g.bytes, g.in, n);
  });
  visit("DeviceScan::InclusiveScan", copies, [](const given& g, auto n) {
    return DeviceScan::InclusiveScan(g.storage, g.bytes, g.in, g.out, sum{}, n);
  });
  visit("DeviceScan::InclusiveScan in place", one_in_place, [](const given& g, auto n) {
    return DeviceScan::InclusiveScan(g.storage, g.bytes, g.in, sum{}, n);
  });
  visit("DeviceScan::InclusiveScanInit", copies, [](const given& g, auto n) {
    return DeviceScan::InclusiveScanInit(g.storage, g.bytes, g.in, g.out, sum{}, 1, n);
  });
  visit("DeviceScan::ExclusiveSumByKey", one_by_another, [](const given& g, auto n) {
    return DeviceScan::ExclusiveSumByKey(g.storage, g.bytes, g.in, g.in2, g.out, n);
  });
  visit("DeviceScan::ExclusiveScanByKey", one_by_another, [](const given& g, auto n) {
    return DeviceScan::ExclusiveScanByKey(g.storage, g.bytes, g.in, g.in2, g.out, sum{}, 1, n, equal{});
  });
  visit("DeviceScan::InclusiveSumByKey", one_by_another, [](const given& g, auto n) {
    return DeviceScan::InclusiveSumByKey(g.storage, g.bytes, g.in, g.in2, g.out, n);
  });
  visit("DeviceScan::InclusiveScanByKey", one_by_another, [](const given& g, auto n) {
    return DeviceScan::InclusiveScanByKey(g.storage, g.bytes, g.in, g.in2, g.out, sum{}, n, equal{});
  });

  visit("DevicePartition::Flagged", selects_by_flags, [](const given& g, auto n) {
    return DevicePartition::Flagged(g.storage, g.bytes, g.in, g.in2, g.out, g.number, n);
  });
  visit("DevicePartition::If", selects, [](const given& g, auto n) {
    return DevicePartition::If(g.storage, g.bytes, g.in, g.out, g.number, n, is_odd{});
  });

#if GIMBAL_GPU  // CUB's
  visit("DevicePartition::If three ways", selects_two, [](const given& g, auto n) {
    return DevicePartition::If(g.storage, g.bytes, g.in, g.out, g.out2, g.in2, g.number, n, is_odd{}, is_small{});
  });
#endif

  visit("DeviceSelect::Flagged", selects_by_flags, [](const given& g, auto n) {
    return DeviceSelect::Flagged(g.storage, g.bytes, g.in, g.in2, g.out, g.number, n);
  });
  visit("DeviceSelect::Flagged in place", selects_by_flags_in_place, [](const given& g, auto n) {
    return DeviceSelect::Flagged(g.storage, g.bytes, g.in, g.in2, g.number, n);
  });
  visit("DeviceSelect::If", selects, [](const given& g, auto n) {
    return DeviceSelect::If(g.storage, g.bytes, g.in, g.out, g.number, n, is_odd{});
  });
  visit("DeviceSelect::If in place", selects_in_place, [](const given& g, auto n) {
    return DeviceSelect::If(g.storage, g.bytes, g.in, g.number, n, is_odd{});
  });
  visit("DeviceSelect::FlaggedIf", selects_by_flags, [](const given& g, auto n) {
    return DeviceSelect::FlaggedIf(g.storage, g.bytes, g.in, g.in2, g.out, g.number, n, is_odd{});
  });
  visit("DeviceSelect::FlaggedIf in place", selects_by_flags_in_place, [](const given& g, auto n) {
    return DeviceSelect::FlaggedIf(g.storage, g.bytes, g.in, g.in2, g.number, n, is_odd{});
  });
  visit("DeviceSelect::Unique", selects, [](const given& g, auto n) {
    return DeviceSelect::Unique(g.storage, g.bytes, g.in, g.out, g.number, n);
  });
  visit("DeviceSelect::Unique by an equality", selects, [](const given& g, auto n) {
    return DeviceSelect::Unique(g.storage, g.bytes, g.in, g.out, g.number, n, equal{});
  });
  visit("DeviceSelect::Unique in place", selects_in_place, [](const given& g, auto n) {
    return DeviceSelect::Unique(g.storage, g.bytes, g.in, g.number, n);
  });
  visit("DeviceSelect::Unique in place by an equality", selects_in_place, [](const given& g, auto n) {
    return DeviceSelect::Unique(g.storage, g.bytes, g.in, g.number, n, equal{});
  });
  visit("DeviceSelect::UniqueByKey by an equality", selects_two, [](const given& g, auto n) {
    return DeviceSelect::UniqueByKey(g.storage, g.bytes, g.in, g.in2, g.out, g.out2, g.number, n, equal{});
  });
  visit("DeviceSelect::UniqueByKey", selects_two, [](const given& g, auto n) {
    return DeviceSelect::UniqueByKey(g.storage, g.bytes, g.in, g.in2, g.out, g.out2, g.number, n);
  });

  visit("DeviceRadixSort::SortKeys", one_by_bits, [](const given& g, auto n) {
    return DeviceRadixSort::SortKeys(g.storage, g.bytes, g.in, g.out, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortKeysDescending", one_by_bits, [](const given& g, auto n) {
    return DeviceRadixSort::SortKeysDescending(g.storage, g.bytes, g.in, g.out, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortPairs", two_by_bits, [](const given& g, auto n) {
    return DeviceRadixSort::SortPairs(g.storage, g.bytes, g.in, g.out, g.in2, g.out2, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortPairsDescending", two_by_bits, [](const given& g, auto n) {
    return DeviceRadixSort::SortPairsDescending(
      g.storage, g.bytes, g.in, g.out, g.in2, g.out2, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortKeys between buffers", one_between, [](const given& g, auto n) {
    auto keys = buffers(g.in, g.out);
    return DeviceRadixSort::SortKeys(g.storage, g.bytes, keys, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortKeysDescending between buffers", one_between, [](const given& g, auto n) {
    auto keys = buffers(g.in, g.out);
    return DeviceRadixSort::SortKeysDescending(g.storage, g.bytes, keys, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortPairs between buffers", two_between, [](const given& g, auto n) {
    auto keys = buffers(g.in, g.out);
    auto values = buffers(g.in2, g.out2);
    return DeviceRadixSort::SortPairs(g.storage, g.bytes, keys, values, n, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortPairsDescending between buffers", two_between, [](const given& g, auto n) {
    auto keys = buffers(g.in, g.out);
    auto values = buffers(g.in2, g.out2);
    return DeviceRadixSort::SortPairsDescending(g.storage, g.bytes, keys, values, n, g.begin_bit, g.end_bit);
  });

  visit("DeviceRadixSort::SortKeys of members", one_by_bits, [](const given& g, auto n) {
    return DeviceRadixSort::SortKeys(g.storage, g.bytes, g.in, g.out, n, one_member{}, g.begin_bit, g.end_bit);
  });
  visit("DeviceRadixSort::SortPairsDescending of members between buffers", two_by_bits, [](const given& g, auto n) {
    auto keys = buffers(g.in, g.out);
    auto values = buffers(g.in2, g.out2);
    return DeviceRadixSort::SortPairsDescending(
      g.storage, g.bytes, keys, values, n, one_member{}, g.begin_bit, g.end_bit);
  });

  visit("DeviceRunLengthEncode::Encode", encodes, [](const given& g, auto n) {
    return DeviceRunLengthEncode::Encode(g.storage, g.bytes, g.in, g.out, g.out2, g.number, n);
  });
#if GIMBAL_GPU  // CUB's
  visit("DeviceRunLengthEncode::NonTrivialRuns", encodes, [](const given& g, auto n) {
    return DeviceRunLengthEncode::NonTrivialRuns(g.storage, g.bytes, g.in, g.out, g.out2, g.number, n);
  });
#endif
  visit("DeviceFind::FindIf", to_a_number, [](const given& g, auto n) {
    return DeviceFind::FindIf(g.storage, g.bytes, g.in, g.number, is_odd{}, n);
  });

  visit("DeviceMergeSort::SortKeys", one_in_place, [](const given& g, auto n) {
    return DeviceMergeSort::SortKeys(g.storage, g.bytes, g.in, n, less{});
  });
  visit("DeviceMergeSort::StableSortKeys", one_in_place, [](const given& g, auto n) {
    return DeviceMergeSort::StableSortKeys(g.storage, g.bytes, g.in, n, less{});
  });
  visit("DeviceMergeSort::SortKeysCopy", copies, [](const given& g, auto n) {
    return DeviceMergeSort::SortKeysCopy(g.storage, g.bytes, g.in, g.out, n, less{});
  });
  visit("DeviceMergeSort::StableSortKeysCopy", copies, [](const given& g, auto n) {
    return DeviceMergeSort::StableSortKeysCopy(g.storage, g.bytes, g.in, g.out, n, less{});
  });
  visit("DeviceMergeSort::SortPairs", two_in_place, [](const given& g, auto n) {
    return DeviceMergeSort::SortPairs(g.storage, g.bytes, g.in, g.in2, n, less{});
  });
  visit("DeviceMergeSort::StableSortPairs", two_in_place, [](const given& g, auto n) {
    return DeviceMergeSort::StableSortPairs(g.storage, g.bytes, g.in, g.in2, n, less{});
  });
  visit("DeviceMergeSort::SortPairsCopy", copies_two, [](const given& g, auto n) {
    return DeviceMergeSort::SortPairsCopy(g.storage, g.bytes, g.in, g.in2, g.out, g.out2, n, less{});
  });
}

constexpr int n = 20000;
constexpr int counts[] = {0, 1, 2, n};   // what is refused does not depend on them
constexpr std::size_t no_bytes = 12345;  // what a query that fails leaves

/// Memory for one call after the other, and what it holds before each.
class bench {
public:
  std::vector<int> values = [] {
    auto all = test::random_values<int>(5 * n, 7);
    for (int i = 0; i < n; ++i) {
      all[i] = i / 3 * 7 % 1009;  // runs of equal keys
    }
    return all;
  }();
  test::device_array<int> memory{values};
  std::size_t bytes = no_bytes;

  given arguments()
  {
    int* const first = memory.data();
    return {nullptr, bytes, first, first + n, first + 2 * n, first + 3 * n, first + 4 * n};
  }

  void reset()
  {
    test::raw_copy(memory.data(), values.data(), values.size() * sizeof(int));
    bytes = no_bytes;
  }

  std::vector<int> result()
  {
    REQUIRE_FALSE(gimbal::simt::wait({}, "test"));
    return memory.to_host();
  }
};

std::vector<long> counted_steps()
{
  return {counted(point::launch), counted(point::fill), counted(point::allocate), counted(point::pinned_allocate)};
}

/// One call with the memory of a bench. `Call` takes a count of any type.
template <class Call>
class tested_call {
public:
  tested_call(bench& on, const uses& used, Call call) : bench_(on), used_(used), call_(call)
  {
    given query = bench_.arguments();
    bench_.reset();
    REQUIRE(call_(query, n) == gimbal::simt::success);
    storage_bytes_ = bench_.bytes;
    storage_.emplace(storage_bytes_ + most_skew);
  }

  /// All is well where nothing is said otherwise: `change` makes it bad.
  template <class Count, class Change>
  void is_refused(Count count, const char* why, Change change, bool is_query = false)
  {
    INFO(why << (is_query ? ", size query" : ""));
    given g = bench_.arguments();
    bench_.bytes = no_bytes;
    if (!is_query) {
      g.storage = storage_->data();
      bench_.bytes = storage_bytes_;
    }
    change(g);
    const std::size_t bytes = bench_.bytes;
    const auto before = counted_steps();
    CHECK(call_(g, count) == gimbal::simt::error_invalid_value);
    CHECK(counted_steps() == before);
    CHECK(bench_.bytes == bytes);
  }
  template <class Count>
  void count_is_refused(Count count, const char* why)
  {
    is_refused(
      count, why, [](given&) {}, true);
    is_refused(count, why, [](given&) {});
  }

  void refuses_counts()
  {
    count_is_refused(-1, "-1 items");
    count_is_refused(static_cast<signed char>(-1), "-1 items of one byte");
    count_is_refused(std::int64_t{-1}, "-1 items of 64 bits");
    count_is_refused(std::numeric_limits<std::int64_t>::min(), "the least number of items");
    count_is_refused(std::numeric_limits<std::uint64_t>::max(), "2^64 - 1 items");
    count_is_refused(std::uint64_t{1} << 63, "2^63 items");
    count_is_refused(std::numeric_limits<std::int64_t>::max(), "2^63 - 1 items");
    count_is_refused(std::uint64_t{1} << 62, "2^62 items, whose bytes no 64 bits count");
  }

  void refuses_null()
  {
    for (const int count : counts) {
      INFO("n = " << count);
      if (used_.number) {
        is_refused(count, "no place for the number", [](given& g) { g.number = nullptr; });
      }
      if (count == 0) {
        continue;  // what is not there need not lie anywhere
      }
      is_refused(count, "no input", [](given& g) { g.in = nullptr; });
      if (used_.in2) {
        is_refused(count, "no second input", [](given& g) { g.in2 = nullptr; });
      }
      if (used_.out) {
        is_refused(count, "no output", [](given& g) { g.out = nullptr; });
      }
      if (used_.out2) {
        is_refused(count, "no second output", [](given& g) { g.out2 = nullptr; });
      }
    }
  }

  void refuses_bits()
  {
    if (!used_.bits) {
      return;
    }
    constexpr std::pair<int, int> ranges[] = {{5, 4}, {-1, 8}, {0, 33}, {33, 33}, {-1, -1}, {1, 0}};
    for (const auto& [begin, end] : ranges) {
      INFO("bits from " << begin << " to " << end);
      for (const int count : counts) {
        INFO("n = " << count);
        const auto change = [range = std::pair(begin, end)](given& g) { std::tie(g.begin_bit, g.end_bit) = range; };
        is_refused(count, "bits", change, true);
        is_refused(count, "bits", change);
      }
    }
    const auto no_bits = [](given& g) { g.begin_bit = g.end_bit = 4; };
    is_refused(-1, "-1 items by no bits", no_bits, true);
    is_refused(-1, "-1 items by no bits", no_bits);
  }

  void refuses_small_storage()
  {
    for (const int count : counts) {
      INFO("n = " << count);
      given query = bench_.arguments();
      REQUIRE(call_(query, count) == gimbal::simt::success);
      const std::size_t asked = bench_.bytes;
      is_refused(count, "a byte of storage too few", [=](given& g) { g.bytes = asked - 1; });
      is_refused(count, "no byte of storage", [](given& g) { g.bytes = 0; });
    }
  }

  /// All those calls have written nothing.
  void has_written_nothing() { CHECK(bench_.result() == bench_.values); }

  /// A size query needs no pointers, and what has no items reads and writes none.
  void takes_null()
  {
    given g = bench_.arguments();
    bench_.reset();
    g.in = g.in2 = g.out = g.out2 = g.number = nullptr;
    CHECK(call_(g, n) == gimbal::simt::success);
    CHECK(bench_.bytes == storage_bytes_);
    g.storage = storage_->data();
    g.number = bench_.arguments().number;
    CHECK(call_(g, 0) == gimbal::simt::success);
    bench_.result();
  }

  void takes_storage_of_any_alignment()
  {
    std::optional<std::vector<int>> wanted;
    for (const std::size_t skew : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{24}, most_skew}) {
      INFO("storage moved by " << skew << " bytes");
      given g = bench_.arguments();
      bench_.reset();
      g.storage = storage_->data() + skew;
      bench_.bytes = storage_bytes_;
      CHECK(call_(g, n) == gimbal::simt::success);
      std::vector<int> result = bench_.result();
      if (used_.leaves_anything_in_out) {
        result.resize(2 * n);
      }
      if (!wanted) {
        wanted = result;
        CHECK(!std::equal(result.begin(), result.end(), bench_.values.begin()));  // it does something
      }
      CHECK(result == *wanted);
    }
  }

private:
  static constexpr std::size_t most_skew = 255;

  bench& bench_;
  uses used_;
  Call call_;
  std::size_t storage_bytes_ = 0;
  std::optional<test::device_array<unsigned char>> storage_;
};

TEST_CASE("what every device-wide call refuses, and what it takes")
{
  bench on;
  int calls = 0;
  each_call([&](const char* name, const uses& used, auto call) {
    INFO(name);
    ++calls;
    tested_call<decltype(call)> tested(on, used, call);
    tested.refuses_counts();
    tested.refuses_null();
    tested.refuses_bits();
    tested.refuses_small_storage();
    tested.has_written_nothing();
    tested.takes_null();
    tested.takes_storage_of_any_alignment();
  });
  CHECK(calls == (GIMBAL_GPU ? 60 : 58));
}

TEST_CASE("counts of any type, up to as many as have addresses, are asked for")
{
  std::size_t bytes = 0;
  const int* const in = nullptr;
  int* const out = nullptr;
  const auto query = [&](auto count) {
    CHECK(gimbal::DeviceScan::InclusiveSum(nullptr, bytes, in, out, count) == gimbal::simt::success);
    CHECK(gimbal::DeviceRadixSort::SortKeys(nullptr, bytes, in, out, count) == gimbal::simt::success);
    return bytes;
  };
  CHECK(query(std::int64_t{1} << 40) >= std::size_t{1} << 42);
  CHECK(query(std::numeric_limits<std::uint32_t>::max()) >= std::size_t{1} << 33);
  query(static_cast<unsigned char>(255));
}

}  // namespace device_arguments_test
