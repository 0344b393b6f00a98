// Tests sorts over a communicator: they are stable and exact in counts, for any keys and any parts.
#include <thrust/device_vector.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

/// Keys of which most are equal, of few values, in order or against it, or random.
template <class Key>
std::vector<std::vector<Key>> distributions(std::size_t n)
{
  std::vector<std::vector<Key>> all;
  all.push_back(test::random_values<Key>(n, n));
  std::vector<Key> few = all[0];
  for (std::size_t i = 3; i < n; ++i) {
    few[i] = few[i % 3 == 0 ? 0 : i % 3];
  }
  std::mt19937_64 random(n);
  std::shuffle(few.begin(), few.end(), random);
  all.push_back(few);
  all.push_back(std::vector<Key>(n, n == 0 ? Key{} : all[0][0]));
  std::vector<Key> sorted = all[0];
  std::stable_sort(sorted.begin(), sorted.end());
  all.push_back(sorted);
  std::reverse(sorted.begin(), sorted.end());
  all.push_back(sorted);
  return all;
}

template <class Key, class Compare>
void check_sort_by_key(const std::vector<std::size_t>& at, const std::vector<Key>& keys, Compare comp)
{
  std::vector<std::int64_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](std::int64_t l, std::int64_t r) {
    return comp(keys[static_cast<std::size_t>(l)], keys[static_cast<std::size_t>(r)]);
  });
  std::vector<Key> wanted;
  for (const std::int64_t position : positions) {
    wanted.push_back(keys[static_cast<std::size_t>(position)]);
  }
  struct results {
    std::vector<Key> alone, keys;
    std::vector<std::int64_t> values, order;
  };
  const auto all = on_ranks(at, [&](const rank_of_test& self) {
    test::device_array<Key> alone(self.part(keys));
    test::device_array<Key> own(self.part(keys));
    std::vector<std::int64_t> begin(self.size());
    std::iota(begin.begin(), begin.end(), static_cast<std::int64_t>(self.begin()));
    test::device_array<std::int64_t> values(begin);
    test::device_array<std::int64_t> order(self.size());
    auto policy = par.over(self.ranks());
    gimbal::argsort(policy, own.data(), own.data() + own.size(), order.data(), comp);
    thrust::sort(policy, alone.data(), alone.data() + alone.size(), comp);
    thrust::stable_sort_by_key(policy, own.data(), own.data() + own.size(), values.data(), comp);
    return results{alone.to_host(), own.to_host(), values.to_host(), order.to_host()};
  });
  parts<Key> alone, of_keys;
  parts<std::int64_t> values, order;
  for (std::size_t r = 0; r < all.size(); ++r) {
    REQUIRE(all[r].alone.size() == at[r + 1] - at[r]);
    alone.push_back(all[r].alone);
    of_keys.push_back(all[r].keys);
    values.push_back(all[r].values);
    order.push_back(all[r].order);
  }
  test::require_equal(joined(alone), wanted);
  test::require_equal(joined(of_keys), wanted);
  test::require_equal(joined(values), positions);
  test::require_equal(joined(order), positions);
}

/// Counts what a rank exchanges.
class counting_communicator : public gimbal::peer_communicator {
public:
  using gimbal::peer_communicator::peer_communicator;

  struct counts {
    std::size_t sent = 0, received = 0;  ///< bytes, to and from other ranks
    int exchanges = 0;
    int rounds = 0;  ///< of the search for splitters
  } counted;

  gimbal::status exchange(
    const piece* pieces, std::size_t rounds, gimbal::simt::stream_type stream,
    const std::function<gimbal::status(std::size_t)>& then) override
  {
    counted.exchanges += static_cast<int>(rounds);
    const auto ranks = static_cast<std::size_t>(size());
    for (std::size_t at = 0; at < rounds * ranks; ++at) {
      const bool is_own = at % ranks == static_cast<std::size_t>(rank());
      counted.sent += is_own ? 0 : pieces[at].sent_bytes;
      counted.received += is_own ? 0 : pieces[at].received_bytes;
    }
    return gimbal::peer_communicator::exchange(pieces, rounds, stream, then);
  }
  gimbal::status sum_counts(
    std::uint64_t* counts, std::uint64_t* own, std::uint64_t* sums, std::size_t count,
    gimbal::simt::stream_type stream) override
  {
    ++counted.rounds;
    return gimbal::peer_communicator::sum_counts(counts, own, sums, count, stream);
  }
};

/// Sorts keys with their positions, and returns what each rank has exchanged for it.
std::vector<counting_communicator::counts> exchanged_for(
  const std::vector<std::size_t>& at, const std::vector<unsigned>& keys)
{
  const int ranks = static_cast<int>(at.size() - 1);
  std::vector<counting_communicator::counts> all(at.size() - 1);
  parts<unsigned> sorted(at.size() - 1);
  gimbal::peer_group group(ranks);
  gimbal::adaptor::run_on_threads(
    ranks,
    [&](int rank) {
#if GIMBAL_GPU
      test::check_cuda(cudaSetDevice(rank % devices()));
#endif
      counting_communicator own(group, rank);
      const rank_of_test self(own, at);
      test::device_array<unsigned> part(self.part(keys));
      test::device_array<std::uint64_t> values(part.size());
      thrust::sort_by_key(par.over(own), part.data(), part.data() + part.size(), values.data());
      sorted[self.rank()] = part.to_host();
      all[self.rank()] = own.counted;
    },
    [&](int rank, const std::string& cause) { group.abandon(rank, cause); });
  std::vector<unsigned> wanted = keys;
  std::sort(wanted.begin(), wanted.end());
  test::require_equal(joined(sorted), wanted);
  return all;
}

struct by_last_digit {
  GIMBAL_HOST_DEVICE bool operator()(int l, int r) const { return (l & 15) < (r & 15); }
};

}  // namespace

TEMPLATE_TEST_CASE(
  "sorts over ranks", "", unsigned GIMBAL_MORE(int, double, unsigned char, std::int64_t, test::bytes3, test::tagged))
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    std::vector<std::vector<TestType>> all;
    if constexpr (std::is_same_v<TestType, test::tagged>) {
      all.push_back(test::random_values<TestType>(at.back(), 1));
    } else {
      all = distributions<TestType>(at.back());
    }
    for (const std::vector<TestType>& keys : all) {
      check_sort_by_key(at, keys, thrust::less<TestType>());
    }
  });
}

TEST_CASE("sorts over ranks in other orders")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> keys = test::random_values<int>(at.back(), 7);
    check_sort_by_key(at, keys, thrust::greater<int>());
    check_sort_by_key(at, keys, by_last_digit{});
  });
}

TEST_CASE("sorts over ranks put NaN and zeros where those of one GPU do")
{
  for_cuts({1500}, [&](const std::vector<std::size_t>& at) {
    std::mt19937_64 random(3);
    const float special[] = {
      0.0f,
      -0.0f,
      std::numeric_limits<float>::quiet_NaN(),
      -std::numeric_limits<float>::quiet_NaN(),
      std::numeric_limits<float>::infinity(),
      -1.0f};
    std::vector<float> keys(at.back());
    for (float& key : keys) {
      key = random() % 2 == 0 ? special[random() % 6] : static_cast<float>(random() % 100) - 50.0f;
    }
    test::device_array<float> one(keys);
    thrust::sort(par, one.data(), one.data() + one.size());
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      test::device_array<float> own(self.part(keys));
      thrust::sort(par.over(self.ranks()), own.data(), own.data() + own.size());
      return own.to_host();
    });
    const std::vector<float> sorted = joined(all);
    REQUIRE(std::memcmp(sorted.data(), one.to_host().data(), sorted.size() * sizeof(float)) == 0);
  });
}

TEST_CASE("skewed keys cost a sort over ranks no more messages than random ones, and no rank more than its part")
{
  for (const int ranks : rank_counts()) {
    for (const cut how : {cut::evenly, cut::at_random, cut::all_on_one}) {
      const std::size_t n = 20000;
      const auto at = cuts(n, ranks, how, 11);
      const std::vector<unsigned> random = test::random_values<unsigned>(n, 1);
      std::vector<unsigned> zipf(n), sorted = random, reversed, one_smaller(n);
      std::transform(random.begin(), random.end(), zipf.begin(), [](unsigned x) { return 1000 / (1 + x % 1000); });
      std::sort(sorted.begin(), sorted.end());
      reversed.assign(sorted.rbegin(), sorted.rend());
      for (std::size_t i = 0; i < n; ++i) {  // the last rank's
        one_smaller[i] = random[i] / 2 + (i < at[at.size() - 2] ? 1u << 31 : 0);
      }
      const auto of_random = exchanged_for(at, random);
      const std::vector<unsigned> all_equal(n, 5);
      for (const auto& keys : {random, all_equal, zipf, sorted, reversed, one_smaller}) {
        const auto all = exchanged_for(at, keys);
        for (std::size_t r = 0; r < all.size(); ++r) {
          const std::size_t part_bytes = (at[r + 1] - at[r]) * (sizeof(unsigned) + sizeof(std::uint64_t));
          CHECK(all[r].received <= part_bytes);
          CHECK(all[r].sent == all[r].received);  // as it keeps its count
          CHECK(all[r].exchanges == of_random[r].exchanges);
          CHECK(all[r].rounds <= 2);  // as random keys take, but where a sample is a splitter by chance
        }
      }
    }
  }
}

TEST_CASE("sorts over ranks of more runs than are merged")
{
#if !GIMBAL_GPU
  const int ranks = static_cast<int>(gimbal::adaptor::most_runs) + 3;
  const auto at = cuts(2000, ranks, cut::at_random, 3);
  check_sort_by_key(at, test::random_values<int>(2000, 3), thrust::less<int>());
#endif
}

TEST_CASE("sorts over ranks through iterators that are not contiguous")
{
  for_cuts(few_sizes(), [&](const std::vector<std::size_t>& at) {
    const std::vector<int> keys = test::random_values<int>(at.back(), 7);
    std::vector<int> wanted = keys;
    std::sort(wanted.begin(), wanted.end());
    const auto all = on_ranks(at, [&](const rank_of_test& self) {
      const std::vector<int> own = self.part(keys);
      thrust::device_vector<int> x(own.begin(), own.end());
      thrust::sort(par.over(self.ranks()), x.rbegin(), x.rend());
      std::vector<int> made(x.size());
      thrust::copy(x.rbegin(), x.rend(), made.begin());
      return made;
    });
    test::require_equal(joined(all), wanted);
  });
}
