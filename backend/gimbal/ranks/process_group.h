// Ranks as processes of one host: memory of the host that they share, where they meet and show each other what each is
// to know of the others.
//
// The memory is a file of /dev/shm, which the first rank makes and whose name the others are told; that they can open
// it shows that all are on one host. Each rank holds a lock of one byte of it, which the kernel takes back when the
// process ends: so the others learn of ranks that end without a word, and wait for none.
#pragma once

#include <fcntl.h>
#include <gimbal/ranks/meeting.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

GIMBAL_NAMESPACE_BEGIN

class process_group {
public:
  static constexpr int most_ranks = 64;
  /// What a rank shows at a time: the counts of a search for splitters among up to four ranks, which are the most.
  static constexpr std::size_t most_shown_bytes = std::size_t{1} << 17;

  /// Of the memory, as the first rank tells it to the others.
  struct address {
    char path[32];
    std::uint64_t token;  ///< that is found there
  };

  process_group(int rank, int size) : rank_(rank), size_(size) {}
  process_group(const process_group&) = delete;
  process_group& operator=(const process_group&) = delete;
  ~process_group()
  {
    forget();
    if (head_ != nullptr) {
      head_->has_left[rank_] = 1;
      munmap(head_, bytes());
    }
    if (file_ >= 0) {
      close(file_);
    }
  }

  // These return false where it is not possible.

  /// Makes the memory, of all zeros. To be called by one rank, before all join.
  bool create(address& made)
  {
    std::strcpy(made.path, "/dev/shm/gimbal-XXXXXX");
    const int file = mkostemp(made.path, O_CLOEXEC);
    if (file < 0) {
      return false;
    }
    std::random_device random;
    made.token = std::uint64_t{random()} << 32 | random();
    const bool is_made = posix_fallocate(file, 0, static_cast<off_t>(bytes())) == 0
                         && pwrite(file, &made.token, sizeof(made.token), offsetof(head, token)) == sizeof(made.token);
    close(file);
    made_ = made.path;
    return is_made;
  }
  bool join(const address& of)
  {
    file_ = open(of.path, O_RDWR | O_CLOEXEC);
    struct flock own = lock_of(rank_);
    if (size_ > most_ranks || file_ < 0 || fcntl(file_, F_SETLK, &own) != 0) {
      return false;
    }
    void* const mapped = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) {
      return false;
    }
    head_ = static_cast<head*>(mapped);
    return head_->token == of.token;
  }
  /// Takes the name away, when all have joined or could not: nothing is left of it when the processes end.
  void forget()
  {
    if (!made_.empty()) {
      static_cast<void>(unlink(made_.c_str()));
      made_.clear();
    }
  }

  // What follows is for ranks that have all joined.

  int size() const { return size_; }

  /// Shows `bytes` bytes to all ranks, calls `read` with a function that returns what rank r has shown, and returns
  /// when all have read. False, and nothing was read, if the group is lost.
  template <class Read>
  bool meet(const void* mine, std::size_t bytes, Read read)
  {
    if (bytes != 0) {
      std::memcpy(shown_by(rank_), mine, bytes);
    }
    return head_->all.attend(*this, [&] { read([this](int rank) -> const void* { return shown_by(rank); }); });
  }

  void abandon(int rank, const std::string& cause)
  {
    int none = 0;
    if (head_->is_told.compare_exchange_strong(none, telling)) {
      head_->failed_rank = rank;
      std::strncpy(head_->cause, cause.c_str(), sizeof(head_->cause) - 1);
      head_->is_told = told;
      head_->is_lost = 1;
    }
  }
  bool is_lost() const { return head_->is_lost != 0; }
  /// The same, after a look from time to time whether all processes are there. One that has left in order is needed in
  /// a meeting alone. What a rank did before it left may show a little later, so it is looked at twice.
  bool is_lost_now(bool in_meeting = false)
  {
    const auto now = std::chrono::steady_clock::now();
    if (is_lost() || now < next_look_) {
      return is_lost();
    }
    next_look_ = now + std::chrono::milliseconds(20);
    int missing = -1;
    for (int r = 0; r < size_; ++r) {
      struct flock other = lock_of(r);
      const bool has_left = head_->has_left[r] != 0;
      const bool has_ended = r != rank_ && fcntl(file_, F_GETLK, &other) == 0 && other.l_type == F_UNLCK;
      missing = has_left ? (in_meeting ? r : missing) : has_ended ? r : missing;
    }
    if (missing >= 0 && missing == missing_before_) {
      abandon(missing, "its process has ended, or its communicator");
    }
    missing_before_ = missing;
    return is_lost();
  }
  /// The cause once it is lost, else null.
  const rank_failure* failure()
  {
    if (is_lost()) {
      failure_.set(head_->failed_rank, head_->cause);
    }
    return is_lost() ? &failure_ : nullptr;
  }

  /// Begins with a word that becomes 1 when the group is lost.
  void* page() const { return head_; }
  static constexpr std::size_t page_bytes = 4096;

  /// For the meeting. Ranks mostly arrive within microseconds of each other.
  template <class Condition>
  void wait_until(Condition is_met)
  {
    constexpr int looks_before_sleep = 20000;
    for (int i = 0; !is_met() && !is_lost(); ++i) {
      if (i < looks_before_sleep) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        static_cast<void>(is_lost_now(true));
      }
    }
  }
  void wake() {}  // they look themselves

private:
  enum : int { telling = 1, told };

  /// A page, before what the ranks show.
  struct head {
    std::atomic<unsigned> is_lost;  // comes first: kernels look at it, too
    std::atomic<int> is_told;
    int failed_rank;
    char cause[256];
    std::atomic<int> has_left[most_ranks];  // in order
    std::uint64_t token;
    meeting all;
  };
  static_assert(sizeof(head) <= page_bytes, "the head is a page");

  std::size_t bytes() const { return page_bytes + static_cast<std::size_t>(size_) * most_shown_bytes; }
  char* shown_by(int rank) const
  {
    return reinterpret_cast<char*>(head_) + page_bytes + static_cast<std::size_t>(rank) * most_shown_bytes;
  }
  static struct flock lock_of(int rank)
  {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = rank;
    lock.l_len = 1;
    return lock;
  }

  int rank_;
  int size_;
  std::string made_;  // the path
  int file_ = -1;
  head* head_ = nullptr;
  std::chrono::steady_clock::time_point next_look_;
  int missing_before_ = -1;  // at the look before
  rank_failure failure_;
};

GIMBAL_NAMESPACE_END
