// Where the ranks' sorted parts are cut so that each rank receives exactly its count.
//
// A splitter is the item with a given number in the whole sorted sequence. Every rank keeps, for each splitter,
// an interval of its part in which the cut must be. A round takes evenly spaced samples of all intervals, counts what
// is before each (a binary search on each rank, and a sum over ranks), and narrows the intervals to what is between the
// two samples around the splitter, by a factor of about `samples`: 2^28 items per rank take three rounds on two ranks.
// In the first, all intervals are the whole part and have the same samples. Splitters that need not be exact, within a
// rank's own range, are the nearest of these.
// Equal keys are ordered by rank and position, so the cut is exact, and as quick to find, whatever the keys are.
// Source: P. J. Varman et al., "Merging multiple lists on hierarchical-memory multiprocessors" (1991), for the cut;
// samples for its iteration.
#pragma once

#include <gimbal/distributed/exchange.h>
#include <gimbal/ranks/splitters.h>

#include <limits>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class Local, class Key, class Less>
class splitter_search {
public:
  /// For splitters among the keys of all ranks, `n` of which are at `keys`, in the order of `less`. Takes memory in a
  /// step of the call.
  splitter_search(distributed_call<Local>& call, const Key* keys, index_type n, Less less)
      : call_(call),
        keys_(keys),
        n_(n),
        less_(less),
        samples_((std::max)(1u, (std::min)(1024u, most_samples / static_cast<unsigned>(call.size() * call.size())))),
        mine_(call),
        all_(call),
        intervals_(call),
        counts_(call)
  {
    const auto most_exact = static_cast<unsigned>(call.size()) - 1;
    const unsigned own_samples = most_exact * samples_;
    const unsigned all_samples = own_samples * static_cast<unsigned>(call.size());
    call.step([&] {
      mine_.allocate(own_samples);
      all_.allocate(all_samples);
      intervals_.allocate(most_exact);
      counts_.allocate(all_samples);
    });
  }

  /// {0, how many of this rank's keys are before each splitter, n}. Splitter j is the key that is number targets[j] of
  /// all `total`, or unless (j + 1) % pieces == 0, where a rank's range ends, one near it. A `less` that is no strict
  /// weak ordering is a failure of this rank, where it shows.
  std::vector<index_type> cuts(const std::vector<index_type>& targets, index_type total, index_type pieces)
  {
    std::vector<splitter> all;
    for (const index_type target : targets) {
      const bool is_end = target == total;
      const bool is_exact = (static_cast<index_type>(all.size()) + 1) % pieces == 0;
      all.push_back({target, {0, n_}, is_end ? n_ : 0, is_end || target == 0, is_exact});
    }
    const auto is_found = [](const splitter& s) { return s.is_found; };
    unsigned rounds = 0;
    while (!std::all_of(all.begin(), all.end(), is_found) && rounds < most_rounds) {
      narrow(all, rounds == 0);
      ++rounds;
    }
    std::vector<index_type> cuts = {0};
    for (const splitter& s : all) {
      // A sample may lie before the rank's range, where that is short.
      cuts.push_back(s.is_exact ? s.cut : (std::max)(s.cut, cuts.back()));
    }
    cuts.push_back(n_);
    if (rounds == most_rounds || !std::is_sorted(cuts.begin(), cuts.end())) {
      call_.note(simt::failure(
        simt::error_invalid_value, "search for splitters with a comparison that is no strict weak ordering"));
    }
    return cuts;
  }

private:
  static constexpr unsigned most_samples = 1u << 16;
  static constexpr unsigned most_rounds = 100;

  struct splitter {
    index_type target;
    ranks::search_interval in;
    index_type cut;
    bool is_found;
    bool is_exact;
  };

  void narrow(std::vector<splitter>& all, bool have_same_interval)
  {
    std::vector<splitter*> sought;
    std::vector<ranks::search_interval> intervals;
    for (splitter& s : all) {
      if (!s.is_found) {
        sought.push_back(&s);
        if (intervals.empty() || !have_same_interval) {
          intervals.push_back(s.in);
        }
      }
    }
    const unsigned own_samples = static_cast<unsigned>(intervals.size()) * samples_;
    const unsigned all_samples = own_samples * static_cast<unsigned>(call_.size());
    call_.copy(intervals_.get(), intervals.data(), intervals.size() * sizeof(intervals[0]));
    call_.for_each(own_samples, ranks::take_samples<const Key*, Key>{keys_, intervals_.get(), samples_, mine_.get()});
    call_.all_gather(mine_.get(), all_.get(), own_samples * sizeof(ranks::sample<Key>));
    call_.for_each(
      all_samples, ranks::count_before_samples<const Key*, Key, Less>{
                     keys_, intervals_.get(), samples_, own_samples, static_cast<unsigned>(call_.rank()), less_,
                     all_.get(), counts_.get()});
    std::vector<std::uint64_t> own(all_samples);
    std::vector<std::uint64_t> before(all_samples);
    call_.sum_counts(counts_.get(), own, before);
    for (std::size_t j = 0; j < sought.size(); ++j) {
      narrow(*sought[j], have_same_interval ? 0 : j * samples_, own_samples, own, before);
    }
  }

  /// By its samples, which are those from `first` on of each rank. One that was not taken, of an empty interval, has
  /// the numbers 0 and 0 and narrows nothing.
  void narrow(
    splitter& s, std::size_t first, std::size_t own_samples, const std::vector<std::uint64_t>& own,
    const std::vector<std::uint64_t>& before) const
  {
    const ranks::search_interval sampled = s.in;
    const index_type own_sample = sampled.begin < sampled.end ? 1 : 0;
    index_type least = -1;                                           // number of the nearest sample before the splitter
    index_type greatest = (std::numeric_limits<index_type>::max)();  // and of the nearest after it
    for (int r = 0; r < call_.size(); ++r) {
      for (unsigned i = 0; i < samples_; ++i) {
        const std::size_t at = static_cast<std::size_t>(r) * own_samples + first + i;
        const auto number = static_cast<index_type>(before[at]);
        const auto on_this_rank = static_cast<index_type>(own[at]);
        if (number == s.target) {
          s.cut = on_this_rank;
          s.is_found = true;
        } else if (number < s.target && number > least) {
          least = number;
          s.in.begin = (std::max)(sampled.begin, on_this_rank + (r == call_.rank() ? own_sample : 0));
        } else if (number > s.target && number < greatest) {
          greatest = number;
          s.in.end = (std::min)(sampled.end, on_this_rank);
        }
      }
    }
    if (!s.is_exact && !s.is_found) {
      // Before the item after the nearest sample that is before the splitter, or before the first item of all.
      s.cut = least < 0 ? 0 : s.in.begin;
      s.is_found = true;
    }
  }

  distributed_call<Local>& call_;
  const Key* keys_;
  index_type n_;
  Less less_;
  unsigned samples_;
  rank_buffer<Local, ranks::sample<Key>> mine_;
  rank_buffer<Local, ranks::sample<Key>> all_;
  rank_buffer<Local, ranks::search_interval> intervals_;
  rank_buffer<Local, std::uint64_t> counts_;
};

}  // namespace adaptor

GIMBAL_NAMESPACE_END
