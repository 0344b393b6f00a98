// sort, stable_sort, sort_by_key, stable_sort_by_key and gimbal::argsort over a communicator.
//
// The whole sequence is sorted stably, and each rank keeps its count. There are four steps: each rank sorts its part;
// exact splitters are found (splitters.h), by which each rank will receive its count; keys, and values, go to their
// ranks in one exchange; each rank merges the sorted pieces that it received, which come in the order of the ranks, so
// that equal keys keep their order. With more than `most_runs` pieces a rank sorts once more instead.
//
// Keys, orders and what they mean for NaN and -0.0 as on one GPU. Bytes per rank and item: those of its sort; what is
// not already where it belongs goes out once and comes in once; a merge of two ranks' pieces reads and writes all once,
// of more ranks log2 times.
// Memory: a buffer of a part's size, or while it sorts what the sort takes, which is about as much; for iterators that
// are not contiguous as much again. Distributions of keys change nothing but the speed of a rank's own sort: ties are
// cut between ranks like other keys.
#pragma once

#include <gimbal/argsort.h>
#include <gimbal/distributed/splitters.h>
#include <gimbal/thrust/sort.h>
#include <thrust/sequence.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Pieces that are merged, in pairs; beyond, a radix sort reads the keys less often than the merges would.
inline constexpr std::size_t most_runs = 16;

/// The order in which a rank's sort under `comp` puts keys, as a comparison.
template <class Key, class Compare>
auto order_of_sort(Compare comp)
{
  constexpr bool is_less = is_comparison_v<::cuda::std::less, Compare, Key>;
  constexpr bool is_greater = is_comparison_v<::cuda::std::greater, Compare, Key>;
  if constexpr (block::is_radix_key_v<Key> && (is_less || is_greater)) {
    using order = ::cuda::std::conditional_t<is_less, algorithm::ascending, algorithm::descending>;
    return ranks::radix_less<Key>{algorithm::radix_order_for<Key>(order{})};
  } else {
    return comp;
  }
}

/// The values of a sort of keys alone.
template <class Local>
class rank_array<Local, algorithm::no_values> {
public:
  using value = char;

  rank_array(distributed_call<Local>&, algorithm::no_values, index_type) {}
  void load() {}
  void store() {}
  algorithm::no_values get() const { return {}; }
};

/// Keys, with values where there are any: an array of a rank's part, or a buffer of its size.
template <class Key, class Values>
struct rank_items {
  static constexpr bool has_values = !::cuda::std::is_same_v<Values, algorithm::no_values>;
  Key* keys;
  Values values;
};

/// Merges neighbouring runs of `from` into `to`; the last of an odd number is merged with nothing. Run r ends at
/// ends[r].
template <class Items, class Less>
void merge_pairs(const Items& from, const Items& to, std::vector<index_type>& ends, Less less, simt::stream_type stream)
{
  std::vector<index_type> merged;
  index_type begin = 0;
  for (std::size_t r = 0; r < ends.size(); r += 2) {
    const index_type middle = ends[r];
    const index_type end = ends[(std::min)(r + 1, ends.size() - 1)];
    status failed;
    if constexpr (Items::has_values) {
      failed = algorithm::merge_two_runs(
        from.keys + begin, to.keys + begin, from.values + begin, to.values + begin, middle - begin, end - begin, less,
        stream);
    } else {
      failed = algorithm::merge_two_runs(
        from.keys + begin, to.keys + begin, from.values, to.values, middle - begin, end - begin, less, stream);
    }
    if (failed) {
      adaptor::throw_failure(failed, "merge of " + std::to_string(end - begin) + " elements");
    }
    merged.push_back(end);
    begin = end;
  }
  ends = merged;
}

/// Where the runs end that rank `own` receives, given the cuts of all ranks' parts.
inline std::vector<index_type> run_ends(const std::vector<index_type>& cuts, std::size_t own)
{
  std::size_t size = 0;
  while (size * (size + 1) != cuts.size()) {
    ++size;
  }
  std::vector<index_type> ends;
  index_type end = 0;
  for (std::size_t r = 0; r < size; ++r) {
    const index_type* const of_rank = cuts.data() + r * (size + 1);
    ends.push_back(end += of_rank[own + 1] - of_rank[own]);
  }
  return ends;
}

/// Items from cuts[r] to cuts[r + 1] go to rank r; the run that comes from rank r ends at ends[r].
template <class Local, class T>
void exchange_runs(
  distributed_call<Local>& call, const T* items, T* received, const std::vector<index_type>& cuts,
  const std::vector<index_type>& ends)
{
  std::vector<communicator::piece> pieces(ends.size());
  index_type begin = 0;
  for (std::size_t r = 0; r < ends.size(); ++r) {
    pieces[r] = {
      items + cuts[r], static_cast<std::size_t>(cuts[r + 1] - cuts[r]) * sizeof(T), received + begin,
      static_cast<std::size_t>(ends[r] - begin) * sizeof(T)};
    begin = ends[r];
  }
  call.exchange(pieces.data());
}

/// The parts are sorted.
template <class Key, class Value, class Local, class Values, class Less, class Compare>
void sort_between_ranks(
  distributed_call<Local>& call, const char* name, Key* keys, Values values, index_type n, Less less, Compare comp)
{
  using items = rank_items<Key, Values>;
  // Memory is allocated before ranks wait for each other.
  rank_buffer<Local, Key> received_keys(call);
  rank_buffer<Local, Value> received_values(call);
  call.step([&] {
    received_keys.allocate(n);
    received_values.allocate(items::has_values ? n : 0);
  });
  told_numbers<Local> sizes(call, 1);
  told_numbers<Local> all_cuts(call, static_cast<std::size_t>(call.size()) + 1);
  splitter_search<Local, Key, Less> search(call, keys, n, less);
  call.finish();

  const rank_ranges wanted(sizes.gather({n}));
  const std::vector<index_type> cuts = search.cuts(wanted);
  call.finish();  // no rank has found that its cuts are wrong
  const std::vector<index_type> all = all_cuts.gather(cuts);
  const std::vector<index_type> ends = adaptor::run_ends(all, static_cast<std::size_t>(call.rank()));
  adaptor::exchange_runs(call, keys, received_keys.get(), cuts, ends);
  if constexpr (items::has_values) {
    adaptor::exchange_runs(call, values, received_values.get(), cuts, ends);
  }

  call.step([&] {
    items own{keys, values};
    items received{received_keys.get(), {}};
    if constexpr (items::has_values) {
      received.values = received_values.get();
    }
    const bool sorts = ends.size() > most_runs;
    bool is_own = false;
    for (std::vector<index_type> runs = ends; !sorts && runs.size() > 1; is_own = !is_own) {
      adaptor::merge_pairs(is_own ? own : received, is_own ? received : own, runs, less, call.stream());
    }
    if (!is_own) {
      thrust::copy_n(call.local(), received.keys, n, own.keys);
      if constexpr (items::has_values) {
        thrust::copy_n(call.local(), received.values, n, own.values);
      }
    }
    if (sorts) {
      received_keys.free();
      received_values.free();
      adaptor::sort(call.local(), name, keys, keys + n, values, comp);
    }
  });
}

template <class Local, class KeyIt, class ValueIt, class Compare>
void distributed_sort(
  distributed_policy<Local>& policy, const char* name, KeyIt keys_first, KeyIt keys_last, ValueIt values_first,
  Compare comp)
{
  using key = value_of<KeyIt>;
  using value = typename rank_array<Local, ValueIt>::value;
  check_passed<iterators<KeyIt>, values<key, value>>();
  const index_type n = adaptor::length(keys_first, keys_last);
  distributed_call<Local> call(policy, name, n, sizeof(key));
  const auto less = adaptor::order_of_sort<key>(comp);
  rank_array<Local, KeyIt> keys(call, keys_first, n);
  rank_array<Local, ValueIt> payload(call, values_first, n);

  call.step([&] {
    keys.load();
    payload.load();
    adaptor::sort(call.local(), name, keys.get(), keys.get() + n, payload.get(), comp);
  });
  if (call.size() > 1) {
    adaptor::sort_between_ranks<key, value>(call, name, keys.get(), payload.get(), n, less, comp);
  }
  call.step([&] {
    keys.store();
    payload.store();
  });
  call.finish();
}

}  // namespace adaptor

template <class Local, class KeyIt, class Compare>
void stable_sort(distributed_policy<Local>& policy, KeyIt first, KeyIt last, Compare comp)
{
  adaptor::distributed_sort(policy, "stable_sort", first, last, algorithm::no_values{}, comp);
}

template <class Local, class KeyIt>
void stable_sort(distributed_policy<Local>& policy, KeyIt first, KeyIt last)
{
  gimbal::stable_sort(policy, first, last, ::cuda::std::less<value_type_of<KeyIt>>{});
}

template <class Local, class KeyIt, class Compare>
void sort(distributed_policy<Local>& policy, KeyIt first, KeyIt last, Compare comp)
{
  adaptor::distributed_sort(policy, "sort", first, last, algorithm::no_values{}, comp);
}

template <class Local, class KeyIt>
void sort(distributed_policy<Local>& policy, KeyIt first, KeyIt last)
{
  gimbal::sort(policy, first, last, ::cuda::std::less<value_type_of<KeyIt>>{});
}

template <class Local, class KeyIt, class ValueIt, class Compare>
void stable_sort_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, Compare comp)
{
  adaptor::distributed_sort(policy, "stable_sort_by_key", keys_first, keys_last, values_first, comp);
}

template <class Local, class KeyIt, class ValueIt>
void stable_sort_by_key(distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first)
{
  gimbal::stable_sort_by_key(policy, keys_first, keys_last, values_first, ::cuda::std::less<value_type_of<KeyIt>>{});
}

template <class Local, class KeyIt, class ValueIt, class Compare>
void sort_by_key(
  distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first, Compare comp)
{
  adaptor::distributed_sort(policy, "sort_by_key", keys_first, keys_last, values_first, comp);
}

template <class Local, class KeyIt, class ValueIt>
void sort_by_key(distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, ValueIt values_first)
{
  gimbal::sort_by_key(policy, keys_first, keys_last, values_first, ::cuda::std::less<value_type_of<KeyIt>>{});
}

/// Writes the positions in the whole sequence, from 0 on, of the keys of all ranks in the order of `comp` (default:
/// less than); each rank gets as many as it has keys, and the keys stay. The indices' type holds the last position of
/// all, else every rank throws.
/// Memory: a copy of a part's keys besides what a sort_by_key takes.
template <class Local, class KeyIt, class IndexIt, class Compare>
void argsort(
  const distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, IndexIt indices_first, Compare comp)
{
  using key = adaptor::value_of<KeyIt>;
  using index = adaptor::value_of<IndexIt>;
  adaptor::check_passed<adaptor::iterators<KeyIt, IndexIt>, adaptor::values<key, index>>();
  auto& mutable_policy = const_cast<distributed_policy<Local>&>(policy);
  const index_type n = adaptor::length(keys_first, keys_last);
  adaptor::distributed_call<Local> call(mutable_policy, "argsort", n, sizeof(key));
  adaptor::rank_buffer<Local, key> keys(call);
  call.step([&] { keys.allocate(n); });
  const ranks::part part = call.part_of(n);
  call.step([&] {
    if (
      part.total > 0
      && static_cast<std::uint64_t>(part.total - 1) > static_cast<std::uint64_t>((std::numeric_limits<index>::max)())) {
      adaptor::throw_failure(
        simt::failure(simt::error_invalid_value, "positions in the type of the indices"), "argsort");
    }
    thrust::copy_n(call.local(), keys_first, n, keys.get());
    thrust::sequence(call.local(), indices_first, indices_first + n, static_cast<index>(part.before));
  });
  call.finish();
  adaptor::distributed_sort(mutable_policy, "argsort", keys.get(), keys.get() + n, indices_first, comp);
}

template <class Local, class KeyIt, class IndexIt>
void argsort(const distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, IndexIt indices_first)
{
  gimbal::argsort(policy, keys_first, keys_last, indices_first, ::cuda::std::less<adaptor::value_of<KeyIt>>{});
}

GIMBAL_NAMESPACE_END
