// sort, stable_sort, sort_by_key, stable_sort_by_key and gimbal::argsort over a communicator.
//
// The whole sequence is sorted stably, and each rank keeps its count. There are four steps: each rank sorts its part
// into a buffer; exact splitters are found (splitters.h), by which each rank will receive its count; keys, and values,
// go to their ranks in one exchange; each rank merges the sorted runs that it received, which come in the order of the
// ranks, so that equal keys keep their order. Where exchanges and kernels do not hinder each other, a large part is
// exchanged in a few pieces, each of which is merged while the next arrives. With more than `most_runs` ranks each
// sorts once more instead.
//
// Keys, orders and what they mean for NaN and -0.0 as on one GPU. Bytes per rank and item: those of its sort; what is
// not already where it belongs goes out once and comes in once; a merge of two ranks' runs reads and writes all once,
// of more ranks log2 times.
// Memory: two buffers of a part's size, of which the communicator keeps the first where ranks are processes of one host
// (process_peers.h); for iterators that are not contiguous as much again. Distributions of keys change nothing but the
// speed of a rank's own sort: ties are cut between ranks like other keys.
#pragma once

#include <gimbal/argsort.h>
#include <gimbal/distributed/splitters.h>
#include <gimbal/thrust/sort.h>
#include <thrust/sequence.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Runs that are merged, in pairs; beyond, a radix sort reads the keys less often than the merges would.
inline constexpr std::size_t most_runs = 16;
/// Pieces of a rank's part that are exchanged one after the other, and the least items of one: merging them takes less
/// than the exchange, so that only the last one's merge is not hidden. On the host executor few items do, for tests.
inline constexpr index_type most_pieces = 6;
inline constexpr index_type least_piece_items = GIMBAL_GPU ? index_type{1} << 20 : 200;

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
/// ends[r], the first begins at `begin`.
template <class Items, class Less>
void merge_pairs(
  const Items& from, const Items& to, index_type begin, std::vector<index_type>& ends, Less less,
  simt::stream_type stream)
{
  std::vector<index_type> merged;
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

/// The exchange of sorted parts: rank r receives its range of the whole sorted sequence, in `count` pieces of about the
/// same size. (Where they are cut exactly is of no interest.)
template <class Local>
class sorted_exchange {
public:
  sorted_exchange(distributed_call<Local>& call, const rank_ranges& wanted, bool may_be_several)
      : call_(call), count_(may_be_several ? pieces_of(wanted) : 1)
  {
    for (std::size_t r = 0; r < ranks(); ++r) {
      const index_type items = wanted.end[r] - wanted.begin[r];
      for (index_type p = 0; p < count_; ++p) {
        ends_.push_back(wanted.begin[r] + items / count_ * (p + 1) + items % count_ * (p + 1) / count_);
      }
    }
  }
  sorted_exchange(const sorted_exchange&) = delete;
  sorted_exchange& operator=(const sorted_exchange&) = delete;
  /// What is exchanged may go back to its owner afterwards: an exception must not come before the end.
  ~sorted_exchange()
  {
    if (std::uncaught_exceptions() > exceptions_before_) {
      call_.wait_beside();
    }
  }

  index_type count() const { return count_; }
  index_type total() const { return ends_.back(); }
  /// The whole sequence is cut before these.
  std::vector<index_type> targets() const { return {ends_.begin(), ends_.end() - 1}; }

  /// `cuts` of this rank's part are 0, before the items of each target, and its end.
  void start(const std::vector<index_type>& cuts)
  {
    all_cuts_ = call_.gather_numbers(cuts);
    call_.start_beside();
  }

  /// Where the runs of this rank's piece `p` end that come from each rank, the first of which begins at `begin`.
  std::vector<index_type> run_ends(index_type p, index_type begin) const
  {
    std::vector<index_type> ends;
    for (std::size_t r = 0; r < ranks(); ++r) {
      const index_type* const cut = cuts_of(r, own(), p);
      ends.push_back(begin += cut[1] - cut[0]);
    }
    return ends;
  }

  /// Notes what each rank's piece `p` has of `items`, whose runs come to `received` from `begin` on and end at `ends`.
  /// What is the rank's own already is copied in the call's stream, beside what comes from others.
  template <class T>
  void add(const T* items, T* received, index_type p, index_type begin, const std::vector<index_type>& ends)
  {
    for (std::size_t r = 0; r < ranks(); ++r) {
      const index_type* const cut = cuts_of(own(), r, p);
      const std::size_t sent_bytes = static_cast<std::size_t>(cut[1] - cut[0]) * sizeof(T);
      const std::size_t received_bytes = static_cast<std::size_t>(ends[r] - begin) * sizeof(T);
      to_and_from_.emplace_back();
      if (r == own()) {
        call_.copy(received + begin, items + cut[0], sent_bytes);
      } else {
        to_and_from_.back() = {items + cut[0], sent_bytes, received + begin, received_bytes};
      }
      begin = ends[r];
    }
  }
  /// Sends and receives what was added; then(i) is called in the call for the i-th.
  template <class Then>
  void run(Then then) const
  {
    call_.exchange_beside(to_and_from_.data(), to_and_from_.size() / ranks(), then);
  }

private:
  /// The same on all ranks.
  static index_type pieces_of(const rank_ranges& wanted)
  {
    const index_type items = wanted.end.back() / static_cast<index_type>(wanted.end.size());
    return (std::max)(index_type{1}, (std::min)(most_pieces, items / least_piece_items));
  }

  /// Between which of its items the part of rank `from` is cut for piece `p` of rank `to`.
  const index_type* cuts_of(std::size_t from, std::size_t to, index_type p) const
  {
    const auto pieces = static_cast<std::size_t>(count_);
    return all_cuts_.data() + from * (ranks() * pieces + 1) + to * pieces + static_cast<std::size_t>(p);
  }
  std::size_t ranks() const { return static_cast<std::size_t>(call_.size()); }
  std::size_t own() const { return static_cast<std::size_t>(call_.rank()); }

  distributed_call<Local>& call_;
  index_type count_;
  std::vector<index_type> ends_;      // of all pieces
  std::vector<index_type> all_cuts_;  // of all ranks
  std::vector<communicator::piece> to_and_from_;
  int exceptions_before_ = std::uncaught_exceptions();
};

/// Sorts the ranks' arrays. Pieces are received where as many merges as there will be end in `items`.
template <class Key, class Value, class Local, class Values, class Less, class Compare>
void sort_between_ranks(
  distributed_call<Local>& call, const char* name, const rank_items<Key, Values>& items, index_type n, Less less,
  Compare comp)
{
  using items_type = rank_items<Key, Values>;
  constexpr bool has_values = items_type::has_values;
  const auto size = static_cast<std::size_t>(call.size());
  const bool merges = size <= most_runs;
  // Memory is allocated before ranks wait for each other.
  rank_buffer<Local, Key> key_buffers[2] = {rank_buffer<Local, Key>(call), rank_buffer<Local, Key>(call)};
  rank_buffer<Local, Value> value_buffers[2] = {rank_buffer<Local, Value>(call), rank_buffer<Local, Value>(call)};
  items_type buffers[2] = {items, items};
  const auto allocate = [&](int i) {
    key_buffers[i].allocate(n);
    buffers[i].keys = key_buffers[i].get();
    if constexpr (has_values) {
      value_buffers[i].allocate(n);
      buffers[i].values = value_buffers[i].get();
    }
  };
  items_type& sorted = buffers[0];
  call.step([&] {
    constexpr std::size_t alignment = 256;
    const std::size_t key_bytes = (static_cast<std::size_t>(n) * sizeof(Key) + alignment - 1) / alignment * alignment;
    const std::size_t value_bytes = has_values ? static_cast<std::size_t>(n) * sizeof(Value) : 0;
    if (auto* const memory = static_cast<char*>(call.exchange_memory(key_bytes + value_bytes))) {
      sorted.keys = reinterpret_cast<Key*>(memory);
      if constexpr (has_values) {
        sorted.values = reinterpret_cast<Value*>(memory + key_bytes);
      }
    } else {
      allocate(0);
    }
    adaptor::call<Local> step(call.local(), name, n, sizeof(Key));
    while (n > 0 && step.next()) {
      adaptor::sort_arrays(step, items.keys, sorted.keys, items.values, sorted.values, n, comp);
    }
    step.finish();
  });
  call.step([&] {
    if (merges) {
      allocate(1);
    }
  });
  splitter_search<Local, Key, Less> search(call, sorted.keys, n, less);

  sorted_exchange<Local> exchange(
    call, rank_ranges(call.gather_numbers({n})), merges && call.exchanges_beside_kernels());
  exchange.start(search.cuts(exchange.targets(), exchange.total(), exchange.count()));

  std::size_t merge_levels = 0;
  while (merges && std::size_t{1} << merge_levels < size) {
    ++merge_levels;
  }
  const items_type& received = merge_levels % 2 == 0 ? items : buffers[1];
  const items_type& other = merge_levels % 2 == 0 ? buffers[1] : items;
  struct merge {
    index_type begin;
    std::vector<index_type> ends;  ///< of its runs
  };
  std::vector<merge> pieces;
  for (index_type p = 0; p < exchange.count(); ++p) {
    const index_type begin = p == 0 ? 0 : pieces.back().ends.back();
    pieces.push_back({begin, exchange.run_ends(p, begin)});
    exchange.add(sorted.keys, received.keys, p, begin, pieces.back().ends);
    if constexpr (has_values) {
      exchange.add(sorted.values, received.values, p, begin, pieces.back().ends);
    }
  }
  constexpr std::size_t rounds = has_values ? 2 : 1;  // of a piece
  exchange.run([&](std::size_t round) {
    merge& piece = pieces[round / rounds];
    for (std::size_t level = 0; level < merge_levels && round % rounds == rounds - 1; ++level) {
      adaptor::merge_pairs(
        level % 2 == 0 ? received : other, level % 2 == 0 ? other : received, piece.begin, piece.ends, less,
        call.stream());
    }
  });
  if (!merges) {
    call.step([&] {
      for (int i = 0; i < 2; ++i) {
        key_buffers[i].free();
        value_buffers[i].free();
      }
      adaptor::sort(call.local(), name, items.keys, items.keys + n, items.values, comp);
    });
  }
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
  });
  if (call.size() > 1) {
    const rank_items<key, decltype(payload.get())> items{keys.get(), payload.get()};
    adaptor::sort_between_ranks<key, value>(call, name, items, n, less, comp);
  } else {
    call.step([&] { adaptor::sort(call.local(), name, keys.get(), keys.get() + n, payload.get(), comp); });
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
  std::optional<adaptor::rank_buffer<Local, key>> keys;
  {  // one call at a time: what the sort throws is thrown on all ranks
    adaptor::distributed_call<Local> call(mutable_policy, "argsort", n, sizeof(key));
    keys.emplace(call);
    call.step([&] { keys->allocate(n); });
    const ranks::part part = call.part_of(n);
    call.step([&] {
      if (
        part.total > 0
        && static_cast<std::uint64_t>(part.total - 1)
             > static_cast<std::uint64_t>((std::numeric_limits<index>::max)())) {
        adaptor::throw_failure(
          simt::failure(simt::error_invalid_value, "positions in the type of the indices"), "argsort");
      }
      thrust::copy_n(call.local(), keys_first, n, keys->get());
      thrust::sequence(call.local(), indices_first, indices_first + n, static_cast<index>(part.before));
    });
    call.finish();
  }
  adaptor::distributed_sort(mutable_policy, "argsort", keys->get(), keys->get() + n, indices_first, comp);
}

template <class Local, class KeyIt, class IndexIt>
void argsort(const distributed_policy<Local>& policy, KeyIt keys_first, KeyIt keys_last, IndexIt indices_first)
{
  gimbal::argsort(policy, keys_first, keys_last, indices_first, ::cuda::std::less<adaptor::value_of<KeyIt>>{});
}

GIMBAL_NAMESPACE_END
