// Items that move between ranks: which ranges of the whole sequence a rank holds, and where they go.
#pragma once

#include <gimbal/distributed/call.h>
#include <thrust/copy.h>

#include <vector>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Each rank's number `which`, of as many as each has gathered.
inline std::vector<index_type> numbers_of_ranks(
  const std::vector<index_type>& gathered, std::size_t of_each, std::size_t which)
{
  std::vector<index_type> numbers;
  for (std::size_t at = which; at < gathered.size(); at += of_each) {
    numbers.push_back(gathered[at]);
  }
  return numbers;
}

/// Every rank's range of positions in the whole sequence.
struct rank_ranges {
  std::vector<index_type> begin;
  std::vector<index_type> end;

  /// counts[r] items of rank r, following those of the ranks before, from position `at` on.
  explicit rank_ranges(const std::vector<index_type>& counts = {}, index_type at = 0)
  {
    for (const index_type count : counts) {
      begin.push_back(at);
      end.push_back(at += count);
    }
  }
};

/// The items of an iterator as an array, which is that of a contiguous iterator and otherwise a copy.
template <class Local, class Iterator>
class rank_array {
public:
  using value = value_of<Iterator>;
  static constexpr bool is_own =
    !::cuda::std::is_pointer_v<decltype(adaptor::unwrap(::cuda::std::declval<Iterator>()))>;

  rank_array(distributed_call<Local>& call, Iterator first, index_type count)
      : call_(call), first_(first), count_(count), buffer_(call)
  {
  }

  /// These are called in steps of the call.
  void load()
  {
    if constexpr (is_own) {
      buffer_.allocate(count_);
      thrust::copy_n(call_.local(), first_, count_, buffer_.get());
    }
  }
  void allocate()
  {
    if constexpr (is_own) {
      buffer_.allocate(count_);
    }
  }
  void store()
  {
    if constexpr (is_own) {
      thrust::copy_n(call_.local(), buffer_.get(), count_, first_);
    }
  }

  value* get() const
  {
    if constexpr (is_own) {
      return buffer_.get();
    } else {
      return const_cast<value*>(adaptor::unwrap(first_));
    }
  }

private:
  distributed_call<Local>& call_;
  Iterator first_;
  index_type count_;
  rank_buffer<Local, value> buffer_;
};

/// Sends this rank's items, which are those of held[rank] in the whole sequence, to the ranks that are to have them,
/// and receives its own of wanted[rank] that are held somewhere. All ranks pass the same ranges.
template <class Local, class T>
void exchange_ranges(
  distributed_call<Local>& call, const T* items, const rank_ranges& held, T* received, const rank_ranges& wanted)
{
  const auto own = static_cast<std::size_t>(call.rank());
  std::vector<communicator::piece> pieces(static_cast<std::size_t>(call.size()));
  for (std::size_t r = 0; r < pieces.size(); ++r) {
    const auto overlap = [](index_type begin1, index_type end1, index_type begin2, index_type end2) {
      const index_type begin = (std::max)(begin1, begin2);
      return std::pair<index_type, index_type>(begin, (std::max)(begin, (std::min)(end1, end2)));
    };
    const auto to = overlap(held.begin[own], held.end[own], wanted.begin[r], wanted.end[r]);
    const auto from = overlap(held.begin[r], held.end[r], wanted.begin[own], wanted.end[own]);
    if (to.first < to.second) {
      pieces[r].sent = items + (to.first - held.begin[own]);
      pieces[r].sent_bytes = static_cast<std::size_t>(to.second - to.first) * sizeof(T);
    }
    if (from.first < from.second) {
      pieces[r].received = received + (from.first - wanted.begin[own]);
      pieces[r].received_bytes = static_cast<std::size_t>(from.second - from.first) * sizeof(T);
    }
  }
  call.exchange(pieces.data());
}

}  // namespace adaptor

GIMBAL_NAMESPACE_END
