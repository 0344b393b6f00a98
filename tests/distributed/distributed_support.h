// What the tests of calls over a communicator share: sequences cut into parts, ranks that run as threads, results of
// all ranks.
//
// Ranks assert nothing, as Catch2 takes assertions of one thread alone: they leave results, which the test's thread
// checks.
#pragma once

#include <gimbal/communicator.h>

#include <atomic>
#include <map>

#include "support.h"

namespace distributed_test {

using gimbal::par;

/// Numbers of ranks, which on GPUs share the GPUs there are.
inline std::vector<int> rank_counts() { return test::hunts_races ? std::vector<int>{3} : std::vector<int>{1, 2, 3, 7}; }

inline int devices()
{
  int count = 1;
#if GIMBAL_GPU
  test::check_cuda(cudaGetDeviceCount(&count));
#endif
  return count;
}

#if GIMBAL_GPU
/// NCCL's communicators of the first GPUs, which take half a second to make, for as long as calls over them succeed.
inline std::vector<ncclComm_t>& kept_nccl(int ranks)
{
  static std::map<int, std::vector<ncclComm_t>> kept;
  std::vector<ncclComm_t>& comms = kept[ranks];
  if (comms.empty()) {
    comms.resize(static_cast<std::size_t>(ranks));
    REQUIRE(ncclCommInitAll(comms.data(), ranks, nullptr) == ncclSuccess);
  }
  return comms;
}

/// Calls f(communicator&) in a thread for each of the first GPUs, with NCCL between them.
template <class F>
void run_on_nccl(int ranks, F f)
{
  std::vector<ncclComm_t>& comms = kept_nccl(ranks);
  gimbal::rank_failure failure;
  std::atomic<bool> is_lost{false};
  gimbal::adaptor::run_on_threads(
    ranks,
    [&](int rank) {
      test::check_cuda(cudaSetDevice(rank));
      gimbal::nccl_communicator own(comms[static_cast<std::size_t>(rank)], &failure);
      f(static_cast<gimbal::communicator&>(own));
      is_lost = is_lost || own.is_abandoned();
    },
    [&](int rank, const std::string& cause) { failure.set(rank, cause); });
  if (is_lost) {
    comms.clear();
  }
}
#endif

/// What is between the ranks of on_ranks: memory that all reach, or NCCL.
inline bool is_over_nccl = false;

/// Calls f(communicator&) in a thread for each rank.
template <class F>
void run_ranks(int ranks, F f)
{
#if GIMBAL_GPU
  if (is_over_nccl) {
    run_on_nccl(ranks, f);
    return;
  }
#endif
  gimbal::adaptor::run_on_peers(ranks, devices(), f);
}

/// Where a sequence of n items is cut: even parts, parts of random sizes (some empty), all items on one rank.
enum class cut { evenly, at_random, all_on_one };
inline std::vector<std::size_t> cuts(std::size_t n, int ranks, cut how, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto size = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> at(size + 1, 0);
  const std::size_t owner = random() % size;
  for (std::size_t r = 1; r < size; ++r) {
    at[r] = how == cut::evenly ? n * r / size : how == cut::at_random ? random() % (n + 1) : r <= owner ? 0 : n;
  }
  at[size] = n;
  if (size > 2 && how == cut::at_random) {
    at[size - 1] = at[size - 2];  // an empty rank
  }
  std::sort(at.begin(), at.end());
  return at;
}

/// What each rank has made.
template <class T>
using parts = std::vector<std::vector<T>>;
template <class T>
std::vector<T> joined(const parts<T>& all)
{
  std::vector<T> whole;
  for (const std::vector<T>& part : all) {
    whole.insert(whole.end(), part.begin(), part.end());
  }
  return whole;
}

/// One rank's end of a test.
class rank_of_test {
public:
  rank_of_test(gimbal::communicator& ranks, const std::vector<std::size_t>& at) : ranks_(ranks), at_(at) {}

  gimbal::communicator& ranks() const { return ranks_; }
  std::size_t rank() const { return static_cast<std::size_t>(ranks_.rank()); }
  std::size_t begin() const { return at_[rank()]; }
  std::size_t size() const { return at_[rank() + 1] - at_[rank()]; }
  template <class T>
  std::vector<T> part(const std::vector<T>& whole) const
  {
    return std::vector<T>(
      whole.begin() + static_cast<std::ptrdiff_t>(begin()),
      whole.begin() + static_cast<std::ptrdiff_t>(begin() + size()));
  }

private:
  gimbal::communicator& ranks_;
  const std::vector<std::size_t>& at_;
};

/// Calls body(rank_of_test) on every rank and returns what each returned.
template <class Body>
auto on_ranks(const std::vector<std::size_t>& at, Body body)
{
  using result = decltype(body(std::declval<const rank_of_test&>()));
  std::vector<std::vector<result>> of_rank(
    at.size() - 1);  // a vector each: no rank writes beside another's, and not by bits
  run_ranks(static_cast<int>(at.size() - 1), [&](gimbal::communicator& ranks) {
    const rank_of_test self(ranks, at);
    of_rank[self.rank()].push_back(body(self));
  });
  std::vector<result> results;
  for (std::vector<result>& own : of_rank) {
    results.push_back(own.at(0));
  }
  return results;
}

/// Calls check(at) for sequences of each size, cut in each way, for so many ranks.
template <class Check>
void for_cuts_of(int ranks, const std::vector<std::size_t>& sizes, Check check)
{
  std::uint64_t seed = static_cast<std::uint64_t>(ranks);
  for (const std::size_t n : sizes) {
    for (const cut how : {cut::evenly, cut::at_random, cut::all_on_one}) {
      const std::vector<std::size_t> at = cuts(n, ranks, how, ++seed);
      INFO(ranks << " ranks" << (is_over_nccl ? " of NCCL, " : ", ") << n << " items, cut " << static_cast<int>(how));
      check(at);
    }
  }
}
/// The same for each number of ranks; on GPUs also for as many as there are GPUs, with NCCL.
template <class Check>
void for_cuts(const std::vector<std::size_t>& sizes, Check check)
{
  for (const int ranks : rank_counts()) {
    for_cuts_of(ranks, sizes, check);
  }
#if GIMBAL_GPU
  is_over_nccl = true;
  for_cuts_of((std::min)(devices(), 7), sizes, check);
  is_over_nccl = false;
#endif
}
inline std::vector<std::size_t> sizes()
{
  return test::hunts_races ? std::vector<std::size_t>{2000} : std::vector<std::size_t>{0, 1, 2, 7, 100, 5000};
}
inline std::vector<std::size_t> few_sizes()
{
  return test::hunts_races ? std::vector<std::size_t>{700} : std::vector<std::size_t>{0, 1, 7, 1500};
}

/// Values with runs of equals, of lengths from 1 to far beyond a rank's part.
inline std::vector<int> values_in_runs(std::size_t n, std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::vector<int> values;
  int value = 0;
  while (values.size() < n) {
    const std::size_t most = random() % 4 == 0 ? n : 3;
    const std::size_t length = std::min(n - values.size(), 1 + random() % most);
    value += 1 + static_cast<int>(random() % 3);
    values.insert(values.end(), length, value);
  }
  return values;
}

/// Throws at the allocation with this number, if it is not 0.
struct failing_allocator {
  using value_type = char;
  int fails_at;
  char* allocate(std::ptrdiff_t n)
  {
    if (fails_at > 0 && --fails_at == 0) {
      throw std::runtime_error("no memory for you");
    }
    return static_cast<char*>(test::raw_allocate(static_cast<std::size_t>(n)));
  }
  void deallocate(char* memory, std::size_t) { test::raw_free(memory); }
};
template <class T>
void require_all_equal(const std::vector<T>& results, const T& wanted)
{
  for (const T& result : results) {
    REQUIRE(result == wanted);
  }
}

}  // namespace distributed_test
