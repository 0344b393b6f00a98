// Tests the meetings of ranks that are processes of one host: what each shows the others get, and none waits for a
// process that has ended.
#include <gimbal/ranks/process_group.h>
#include <sys/wait.h>

#include <functional>
#include <vector>

#include "support.h"

namespace {

using group = gimbal::process_group;

/// Forks a process for each of `size` ranks, which have joined when work(group, rank) is called there; what each
/// returned.
std::vector<int> on_processes(int size, const std::function<int(group&, int)>& work)
{
  group::address shared{};
  group first(0, size);
  REQUIRE(first.create(shared));
  std::vector<pid_t> processes;
  for (int rank = 0; rank < size; ++rank) {
    processes.push_back(fork());
    if (processes.back() == 0) {
      int result = 100;
      {
        group own(rank, size);
        if (own.join(shared)) {
          usleep(200000);  // all have joined, which ranks tell each other by other means
          result = work(own, rank);
        }
      }
      _exit(result);
    }
  }
  std::vector<int> results;
  for (const pid_t process : processes) {
    int state = 0;
    waitpid(process, &state, 0);
    results.push_back(WIFEXITED(state) ? WEXITSTATUS(state) : 101);
  }
  return results;
}

}  // namespace

TEST_CASE("processes show each other what they have, meeting after meeting")
{
  constexpr int size = 3;
  const auto results = on_processes(size, [](group& own, int rank) {
    int wrong = 0;
    for (int number = 0; number < 2000; ++number) {
      const int mine[2] = {number, rank};
      const bool met = own.meet(mine, sizeof(mine), [&](auto shown_by) {
        for (int r = 0; r < size; ++r) {
          int shown[2];
          std::memcpy(shown, shown_by(r), sizeof(shown));
          wrong |= shown[0] != number || shown[1] != r ? 1 : 0;
        }
      });
      wrong |= met ? 0 : 2;
      if (number % 500 == rank) {
        usleep(30000);  // so that others sleep
      }
    }
    return wrong;
  });
  CHECK(results == std::vector<int>(size, 0));
}

TEST_CASE("no process waits for one that has ended, has left or has abandoned the group")
{
  enum { ends, leaves, abandons };
  for (const int how : {ends, leaves, abandons}) {
    const auto results = on_processes(3, [how](group& own, int rank) {
      const auto meet = [&] { return own.meet(nullptr, 0, [](auto) {}); };
      if (!meet()) {
        return 1;
      }
      if (rank == 1) {
        if (how == ends) {
          _exit(0);
        }
        if (how == abandons) {
          own.abandon(1, "no more of this");
        }
        return 0;
      }
      if (meet() || own.failure() == nullptr || own.failure()->rank() != 1) {
        return 2;
      }
      return meet() || (how == abandons && own.failure()->cause() != "no more of this") ? 3 : 0;
    });
    CHECK(results == std::vector<int>(3, 0));
  }
}

TEST_CASE("a process that has left in order fails no other that waits for none")
{
  const auto results = on_processes(2, [](group& own, int rank) {
    int wrong = own.meet(nullptr, 0, [](auto) {}) ? 0 : 1;
    for (int look = 0; rank == 0 && look < 10; ++look) {
      usleep(30000);
      wrong |= own.is_lost_now() ? 2 : 0;
    }
    return wrong;
  });
  CHECK(results == std::vector<int>(2, 0));
}

TEST_CASE("memory with another token, or none, is not joined")
{
  group::address shared{};
  group first(0, 2);
  REQUIRE(first.create(shared));
  group::address other = shared;
  other.token ^= 1;
  CHECK(!group(1, 2).join(other));
  CHECK(group(1, 2).join(shared));
  first.forget();
  CHECK(!group(1, 2).join(shared));
}
