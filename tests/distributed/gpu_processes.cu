// Tests calls over ranks that are processes, each with a GPU of this host: the program starts itself again for each.
#include <gimbal/segmented_scan.h>
#include <perf/distributed/processes.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <numeric>

#include "distributed_support.h"

using namespace distributed_test;

namespace {

constexpr const char* name_of_rank = "a rank in a process of its own";

/// What each rank exits with.
std::vector<int> run(const std::string& work)
{
  const processes::folder folder;
  return processes::run((std::min)(devices(), 8), work, folder.path(), {name_of_rank}, 240);
}
bool are_several()
{
  if (devices() < 2) {
    WARN("skipped: it takes two GPUs");
  }
  return devices() >= 2;
}

struct is_odd {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};

/// Keys and values of all ranks in order, sorted stably: what a rank is to have of them.
template <class Key, class Policy>
void check_sort(const Policy& all, const rank_of_test& self, std::size_t n, const std::vector<Key>& keys)
{
  INFO(n << " keys of " << sizeof(Key) << " bytes");
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  test::device_array<Key> own(self.part(keys));
  test::device_array<Key> alone(self.part(keys));
  test::device_array<std::uint32_t> positions(self.part(order));
  auto policy = all;
  thrust::stable_sort_by_key(policy, own.data(), own.data() + own.size(), positions.data());
  thrust::sort(policy, alone.data(), alone.data() + alone.size());
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Key> sorted(n);
  std::transform(order.begin(), order.end(), sorted.begin(), [&](std::uint32_t at) { return keys[at]; });
  test::require_equal(own.to_host(), self.part(sorted));
  test::require_equal(alone.to_host(), self.part(sorted));
  test::require_equal(positions.to_host(), self.part(order));
}

void check_calls(gimbal::communicator& ranks)
{
  const auto all = par.over(ranks);
  // The memory that others read grows, and is replaced.
  for (const std::size_t n : {0u, 1u, 1000u, 300000u, 20000u, 7000000u, 70000u}) {
    for (const cut how : {cut::evenly, cut::at_random, cut::all_on_one}) {
      const auto at = cuts(n, ranks.size(), how, n);
      const rank_of_test self(ranks, at);
      check_sort(all, self, n, test::random_values<std::uint32_t>(n, n));
      check_sort(all, self, n, std::vector<std::uint64_t>(n, 5));
      failing_allocator own_memory{0};
      check_sort(all(own_memory), self, n, test::random_values<std::uint32_t>(n, n + 1));

      std::vector<unsigned> x = test::random_values<unsigned>(n, n + 2);
      test::device_array<unsigned> own(self.part(x));
      test::device_array<unsigned> out(own.size());
      unsigned* const first = own.data();
      unsigned* const last = first + own.size();
      const unsigned sum = std::accumulate(x.begin(), x.end(), 0u);
      REQUIRE(thrust::reduce(all, first, last) == sum);
      std::vector<unsigned> sums(n);
      std::partial_sum(x.begin(), x.end(), sums.begin());
      thrust::inclusive_scan(all, first, last, out.data());
      test::require_equal(out.to_host(), self.part(sums));
      const auto odd = thrust::copy_if(all, first, last, out.data(), is_odd{}) - out.data();
      const std::vector<unsigned> part = self.part(x);
      REQUIRE(odd == std::count_if(part.begin(), part.end(), is_odd{}));

      // Pieces of the caller's memory.
      const auto other_at = cuts(n, ranks.size(), cut::at_random, n + 3);
      const rank_of_test other(ranks, other_at);
      test::device_array<unsigned> moved(other.size());
      gimbal::rebalance(all, first, last, moved.data(), moved.data() + moved.size());
      test::require_equal(moved.to_host(), other.part(x));
    }
  }
}

std::string told_by(gimbal::communicator& ranks, int failing_allocation)
{
  test::device_array<int> own(std::vector<int>(1000, 1));
  failing_allocator allocator{failing_allocation};
  try {
    thrust::sort(par.over(ranks)(allocator), own.data(), own.data() + own.size());
  } catch (const gimbal::rank_error& thrown) {
    return thrown.what();
  }
  return "";
}
int sum_of_ones(gimbal::communicator& ranks)
{
  test::device_array<int> own(std::vector<int>(10, 1));
  return thrust::reduce(par.over(ranks), own.data(), own.data() + own.size());
}

}  // namespace

TEST_CASE("calls over processes of one host give what those over threads do")
{
  if (are_several()) {
    CHECK(run("calls") == std::vector<int>(static_cast<std::size_t>((std::min)(devices(), 8)), 0));
  }
}

TEST_CASE("a process that abandons its group, or ends, leaves no other waiting")
{
  for (const char* const work : {"abandons", "ends"}) {
    if (are_several()) {
      CHECK(run(work) == std::vector<int>(static_cast<std::size_t>((std::min)(devices(), 8)), 0));
    }
  }
}

TEST_CASE(name_of_rank, "[.]")
{
  const processes::rank own = processes::own_rank();
  if (own.number < 0) {
    return;
  }
  ncclComm_t comm = processes::connect(own);
  gimbal::nccl_communicator ranks(comm);
  REQUIRE(!ranks.taken());
  REQUIRE(sum_of_ones(ranks) == 10 * own.size);
  bool reach = true;
  for (int i = 0; i < own.size; ++i) {
    for (int j = 0; j < own.size; ++j) {
      int can = 1;
      test::check_cuda(i == j ? cudaSuccess : cudaDeviceCanAccessPeer(&can, i, j));
      reach = reach && can != 0;
    }
  }
  if (own.number == 0) {
    std::printf("%s: ranks %s each other's memory\n", own.work.c_str(), ranks.is_direct() ? "read" : "do not read");
  }
  CHECK(ranks.is_direct() == reach);
  if (own.work == "calls") {
    check_calls(ranks);
    const std::string failed = told_by(ranks, own.number == 1 ? 1 : 0);
    INFO(failed);
    CHECK(failed.find("rank 1 failed: no memory for you") != std::string::npos);
    CHECK(sum_of_ones(ranks) == 10 * own.size);
    CHECK(told_by(ranks, 0).empty());
    return;
  }
  if (own.number == 1 && own.work == "ends") {
    _exit(0);
  }
  if (own.number == 1) {
    ranks.abandon("no more of this");
    return;
  }
  if (ranks.is_direct()) {  // what NCCL notices is its own affair
    std::string text;
    try {
      sum_of_ones(ranks);
    } catch (const gimbal::rank_error& thrown) {
      text = thrown.what();
    }
    INFO(text);
    CHECK(
      text.find(own.work == "ends" ? "rank 1 has left: its process has ended" : "rank 1 has left: no more of this")
      != std::string::npos);
  }
}
