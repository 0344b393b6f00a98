#include "host_radix_checks.h"

namespace {

/// So few items that short inputs have many groups of buckets; for sorts of at least so many.
template <unsigned Threads, unsigned Items, index_type Least, unsigned InBin = 4>
struct bucket_shape {
  static constexpr unsigned block_threads = Threads;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned early_blocks = 0;
  static constexpr unsigned bins = 64;
  static constexpr unsigned least_digits = 2;
  static constexpr unsigned spare_digits = 1;
  static constexpr unsigned most_in_bin = InBin;
  static constexpr unsigned items_per_thread = Items;
  static constexpr unsigned unit_items = Threads * Items / 16;
  static constexpr unsigned most_bucket_items = Threads * Items - unit_items;
  static constexpr unsigned most_expected = most_bucket_items - most_bucket_items / 4;
  static constexpr unsigned most_load = 4;
  static constexpr unsigned most_copies = 8;
  static constexpr index_type least_items = Least;
  static constexpr index_type most_items = 1 << 20;
};

/// Buckets from 300 items on; of as many leading digits as there may be.
struct in_buckets : in_passes<small_shape> {
  using buckets = bucket_shape<64, 2, 300>;
};
struct in_small_buckets : in_passes<small_shape> {
  struct buckets : bucket_shape<32, 2, 300, 16> {
    static constexpr unsigned least_digits = 3;
  };
};
/// Whatever the histogram says, so that too large ones are found out late.
struct in_any_buckets : in_passes<small_shape> {
  struct buckets : bucket_shape<64, 2, 300> {
    static constexpr unsigned most_expected = 1 << 20;
    static constexpr unsigned most_load = 1 << 20;
    static constexpr unsigned most_copies = 1 << 20;
  };
};
/// The same where one digit leads, if the histogram does not find too many keys with one value of it.
struct in_few_buckets : in_passes<small_shape> {
  struct buckets : in_buckets::buckets {
    static constexpr unsigned least_digits = 1;
  };
};
}  // namespace

TEMPLATE_TEST_CASE(
  "buckets of every type and shape of input", "", in_any_buckets GIMBAL_MORE(in_buckets, in_small_buckets))
{
  for (const auto& words : distributions(3000)) {
    std::vector<unsigned long long> keys(words.size());
    std::transform(words.begin(), words.end(), keys.begin(), [](unsigned long long word) { return word << 24 | word; });
    check_keys<TestType, ascending, unsigned long long>(keys);
    check_pairs<TestType, descending, unsigned long long>(keys);
  }
  for (const std::size_t n : test::all_or_few({300, 1001, 5000}, {1001})) {
    for (const shape s : every_shape) {
      check_keys<TestType, descending, unsigned long long>(make_keys<unsigned long long>(n, s, n));
      check_pairs<TestType, ascending, unsigned long long, std::uint64_t>(make_keys<unsigned long long>(n, s, n));
      check_pairs<TestType, descending, long long, std::uint16_t>(make_keys<long long>(n, s, n));
    }
  }
}

TEST_CASE("buckets whose bins overflow, and buckets of more than fit")
{
  for (const std::size_t n : {300, 2000}) {
    for (const std::size_t large : {std::size_t{0}, n / 10, n / 2}) {
      INFO("large bucket " << large);
      std::vector<unsigned long long> keys(n);
      std::mt19937_64 random(large);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t any = random();
        const std::uint64_t key = any % 3 == 0 ? any % 20 << 56 | any >> 62 : i % 2 == 0 ? any : keys[i - 1];
        keys[i] = i < large ? key >> 24 : key;
      }
      std::shuffle(keys.begin(), keys.end(), random);
      check_keys<in_any_buckets, ascending, unsigned long long>(keys);
      check_pairs<in_any_buckets, ascending, unsigned long long>(keys);
      check_pairs<in_small_buckets, descending, unsigned long long>(keys);
      check_pairs<in_buckets, ascending, unsigned long long>(keys);
    }
  }
}

namespace {

struct three_words {
  std::uint32_t word[3];
  friend bool operator==(const three_words& a, const three_words& b) { return std::equal(a.word, a.word + 3, b.word); }
};

/// May lie anywhere between two vectors.
struct two_words {
  std::uint32_t word[2];
  friend bool operator==(const two_words& a, const two_words& b) { return std::equal(a.word, a.word + 2, b.word); }
};

std::vector<long long> clustered_keys(std::size_t n, long long clustered)
{
  std::vector<long long> keys(n);
  std::mt19937_64 random(static_cast<unsigned>(clustered));
  for (std::size_t i = 0; i < n; ++i) {
    const auto any = static_cast<long long>(random());
    keys[i] = (any & 7) < clustered ? any >> 32 & 0xfff : i % 5 == 0 && i > 0 ? keys[i - 1] : any;
  }
  return keys;
}

}  // namespace

TEST_CASE("buckets with values of every size, of keys of which some are clustered")
{
  for (const std::size_t n : test::all_or_few({301, 2000, 4999}, {1001})) {
    for (const long long clustered : {0, 1, 7}) {
      INFO("clustered " << clustered << " of 8");
      const std::vector<long long> keys = clustered_keys(n, clustered);
      check_keys<in_any_buckets, ascending, long long>(keys);
      check_pairs<in_any_buckets, ascending, long long, std::uint8_t>(keys);
      check_pairs<in_any_buckets, ascending, long long, two_words>(keys);
      check_pairs<in_any_buckets, ascending, long long, three_words>(keys);
      check_pairs<in_any_buckets, descending, long long, std::uint64_t>(keys);
    }
  }
}

TEST_CASE("buckets of keys that crowd in a part of the values of the leading digit: one digit more leads")
{
  for (const unsigned long long part : {0x20ull, 0x50ull, 0x80ull}) {  // of the 256 values
    INFO("part " << part);
    std::vector<unsigned long long> keys(test::hunts_races ? 2000 : 8000);
    std::mt19937_64 random(part);
    for (unsigned long long& key : keys) {
      key = (random() % part) << 56 | random() >> 8;
    }
    check_keys<in_few_buckets, ascending, unsigned long long>(keys);
    check_pairs<in_few_buckets, descending, unsigned long long>(keys);
  }
}

TEST_CASE("buckets of keys of which one has a digit that the others lack")
{
  for (const unsigned above : {8u, 16u, 40u}) {
    std::vector<unsigned long long> keys(2000);
    std::mt19937_64 random(above);
    for (unsigned long long& key : keys) {
      key = random() >> above;
    }
    keys[1234] = ~0ull - above;
    check_keys<in_any_buckets, ascending, unsigned long long>(keys);
    check_pairs<in_buckets, descending, unsigned long long>(keys);
    check_pairs<in_small_buckets, ascending, unsigned long long>(keys);
  }
}
