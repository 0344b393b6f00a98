// find, find_if, find_if_not, all_of, any_of, none_of, equal, mismatch, is_sorted, is_sorted_until, is_partitioned,
// partition_point, min_element, max_element and minmax_element over a communicator.
//
// What returns a bool returns it on every rank. What returns an iterator to one item of the whole sequence returns it
// on the rank that has the item, and `last` on all others (mismatch: the ends of both ranges). Of two ranges each rank
// passes parts of the same size. Each rank's call on its part stops early, but the call as a whole does not: ranks wait
// for each other once, or twice where the last item of one and the first of the next are compared.
#pragma once

#include <gimbal/distributed/call.h>
#include <gimbal/thrust/extrema.h>
#include <gimbal/thrust/find.h>
#include <gimbal/thrust/logical.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// `search()` returns the index of what is searched for among this rank's n items, or n. Gives the first of all ranks,
/// or nothing.
template <class Local, class Search>
std::optional<ranks::place> first_of_ranks(distributed_call<Local>& call, index_type n, Search search)
{
  index_type at = n;
  call.step([&] { at = search(); });
  return call.template gather<ranks::place, ranks::place>(
    at < n,
    [&](uninit<ranks::place>* out) {
      call.once(ranks::put_value<ranks::place>{out, {call.rank(), at}});
    },
    ranks::fold_to_first{});
}

/// The index of an item if it is this rank's, else n.
template <class Local>
index_type own_index(const distributed_call<Local>& call, const std::optional<ranks::place>& found, index_type n)
{
  return found && found->rank == call.rank() ? found->index : n;
}

template <class Local, class InputIt, class Predicate>
index_type distributed_find(
  distributed_policy<Local>& policy, const char* name, InputIt first, index_type n, std::size_t value_bytes,
  Predicate pred, bool& is_found)
{
  check_passed<iterators<InputIt>, values<>>();
  distributed_call<Local> call(policy, name, n, value_bytes);
  const auto found = adaptor::first_of_ranks(
    call, n, [&] { return adaptor::find_index(call.local(), name, adaptor::unwrap(first), n, value_bytes, pred); });
  is_found = found.has_value();
  return adaptor::own_index(call, found, n);
}

template <class Local, class InputIt, class Predicate>
InputIt distributed_find_if(
  distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, Predicate pred)
{
  bool is_found = false;
  const index_type n = adaptor::length(first, last);
  return first + adaptor::distributed_find(policy, name, first, n, sizeof(value_of<InputIt>), pred, is_found);
}

template <class Local, class InputIt, class Predicate>
bool distributed_any_of(
  distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, Predicate pred)
{
  bool is_found = false;
  adaptor::distributed_find(
    policy, name, first, adaptor::length(first, last), sizeof(value_of<InputIt>), pred, is_found);
  return is_found;
}

/// Where this rank's two ranges of n items first differ, if none do on earlier ranks, else n.
template <class Local, class InputIt1, class InputIt2, class Predicate>
index_type distributed_difference(
  distributed_policy<Local>& policy, const char* name, InputIt1 first1, InputIt2 first2, index_type n, Predicate pred,
  bool& is_found)
{
  check_passed<iterators<InputIt1, InputIt2>, values<>>();
  using differs = functor::negated<Predicate>;
  using differs_at = functor::holds_at<decltype(adaptor::unwrap(first1)), decltype(adaptor::unwrap(first2)), differs>;
  return adaptor::distributed_find(
    policy, name, thrust::counting_iterator<index_type>(0), n, sizeof(value_of<InputIt1>),
    differs_at{adaptor::unwrap(first1), adaptor::unwrap(first2), differs{pred}}, is_found);
}

/// Where `differs` first holds for neighbours of one rank or of two, called with the one before and the one after. The
/// index is that of the second of both.
template <class Local, class InputIt, class Differs>
index_type distributed_neighbours(
  distributed_policy<Local>& policy, const char* name, InputIt first, InputIt last, Differs differs, bool& is_found)
{
  using value = value_of<InputIt>;
  check_passed<iterators<InputIt>, values<value>>();
  const index_type n = adaptor::length(first, last);
  distributed_call<Local> call(policy, name, n, sizeof(value));
  const auto items = adaptor::unwrap(first);
  const bool differs_at_begin =
    call
      .template gather<ranks::ends<value>, bool>(
        n > 0,
        [&](uninit<ranks::ends<value>>* out) {
          call.once(ranks::put_ends<std::remove_const_t<decltype(items)>, value>{items, n, out});
        },
        ranks::compare_at_begin<Differs>{differs})
      .value_or(false);
  const auto found = adaptor::first_of_ranks(call, n, [&] {
    return differs_at_begin ? 0
           : n < 2          ? n
                            : 1 + adaptor::find_pair(call.local(), name, first, first + 1, n - 1, differs);
  });
  is_found = found.has_value();
  return adaptor::own_index(call, found, n);
}

template <class Local, class ForwardIt, class Compare>
index_type distributed_sorted(
  distributed_policy<Local>& policy, const char* name, ForwardIt first, ForwardIt last, Compare comp, bool& is_found)
{
  return adaptor::distributed_neighbours(policy, name, first, last, functor::descends<Compare>{comp}, is_found);
}

/// As fold_part(), for items as candidates.
template <class Local, class ForwardIt, class Candidate, class Better>
void fold_extrema(Local& local, ForwardIt first, index_type n, Candidate* out, Better better)
{
  call<Local> step(local, "extrema of a rank's part", n, sizeof(value_of<ForwardIt>));
  auto plan = algorithm::reduce_plan(adaptor::unwrap(first), n, out, better, no_init{});
  step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
}

template <bool Greatest, class Local, class ForwardIt, class Compare>
ForwardIt distributed_extreme(
  distributed_policy<Local>& policy, const char* name, ForwardIt first, ForwardIt last, Compare comp)
{
  using value = value_of<ForwardIt>;
  using candidate = functor::candidate<value>;
  check_passed<iterators<ForwardIt>, values<value>>();
  const index_type n = adaptor::length(first, last);
  distributed_call<Local> call(policy, name, n, sizeof(value));
  const auto found = call.template gather<candidate, ranks::place>(
    n > 0,
    [&](uninit<candidate>* out) {
      adaptor::fold_extrema(call.local(), first, n, &out->get(), functor::better<value, Compare, Greatest>{comp});
    },
    ranks::fold_to_best<Compare, Greatest>{comp});
  return first + adaptor::own_index(call, found, n);
}

}  // namespace adaptor

template <class Local, class InputIt, class Predicate>
InputIt find_if(distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  return adaptor::distributed_find_if(policy, "find_if", first, last, pred);
}

template <class Local, class InputIt, class Predicate>
InputIt find_if_not(distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  return adaptor::distributed_find_if(policy, "find_if_not", first, last, functor::negated<Predicate>{pred});
}

template <class Local, class InputIt, class T>
InputIt find(distributed_policy<Local>& policy, InputIt first, InputIt last, const T& value)
{
  return adaptor::distributed_find_if(policy, "find", first, last, functor::equals<T>{value});
}

template <class Local, class InputIt, class Predicate>
bool any_of(distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  return adaptor::distributed_any_of(policy, "any_of", first, last, pred);
}

template <class Local, class InputIt, class Predicate>
bool all_of(distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  return !adaptor::distributed_any_of(policy, "all_of", first, last, functor::negated<Predicate>{pred});
}

template <class Local, class InputIt, class Predicate>
bool none_of(distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  return !adaptor::distributed_any_of(policy, "none_of", first, last, pred);
}

template <class Local, class InputIt1, class InputIt2, class Predicate>
thrust::pair<InputIt1, InputIt2> mismatch(
  distributed_policy<Local>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, Predicate pred)
{
  bool is_found = false;
  const index_type at =
    adaptor::distributed_difference(policy, "mismatch", first1, first2, adaptor::length(first1, last1), pred, is_found);
  return {first1 + at, first2 + at};
}

template <class Local, class InputIt1, class InputIt2>
thrust::pair<InputIt1, InputIt2> mismatch(
  distributed_policy<Local>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2)
{
  return gimbal::mismatch(policy, first1, last1, first2, adaptor::equality<InputIt1, InputIt2>{});
}

template <class Local, class InputIt1, class InputIt2, class Predicate>
bool equal(distributed_policy<Local>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2, Predicate pred)
{
  bool is_found = false;
  adaptor::distributed_difference(policy, "equal", first1, first2, adaptor::length(first1, last1), pred, is_found);
  return !is_found;
}

template <class Local, class InputIt1, class InputIt2>
bool equal(distributed_policy<Local>& policy, InputIt1 first1, InputIt1 last1, InputIt2 first2)
{
  return gimbal::equal(policy, first1, last1, first2, adaptor::equality<InputIt1, InputIt2>{});
}

template <class Local, class ForwardIt, class Compare>
bool is_sorted(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  bool is_found = false;
  adaptor::distributed_sorted(policy, "is_sorted", first, last, comp, is_found);
  return !is_found;
}

template <class Local, class ForwardIt>
bool is_sorted(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::is_sorted(policy, first, last, ::cuda::std::less<value_type_of<ForwardIt>>{});
}

template <class Local, class ForwardIt, class Compare>
ForwardIt is_sorted_until(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  bool is_found = false;
  return first + adaptor::distributed_sorted(policy, "is_sorted_until", first, last, comp, is_found);
}

template <class Local, class ForwardIt>
ForwardIt is_sorted_until(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::is_sorted_until(policy, first, last, ::cuda::std::less<value_type_of<ForwardIt>>{});
}

template <class Local, class InputIt, class Predicate>
bool is_partitioned(distributed_policy<Local>& policy, InputIt first, InputIt last, Predicate pred)
{
  bool is_found = false;
  adaptor::distributed_neighbours(policy, "is_partitioned", first, last, functor::rises<Predicate>{pred}, is_found);
  return !is_found;
}

template <class Local, class ForwardIt, class Predicate>
ForwardIt partition_point(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Predicate pred)
{
  return adaptor::distributed_find_if(policy, "partition_point", first, last, functor::negated<Predicate>{pred});
}

template <class Local, class ForwardIt, class Compare>
ForwardIt min_element(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  return adaptor::distributed_extreme<false>(policy, "min_element", first, last, comp);
}

template <class Local, class ForwardIt>
ForwardIt min_element(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::min_element(policy, first, last, ::cuda::std::less<value_type_of<ForwardIt>>{});
}

template <class Local, class ForwardIt, class Compare>
ForwardIt max_element(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  return adaptor::distributed_extreme<true>(policy, "max_element", first, last, comp);
}

template <class Local, class ForwardIt>
ForwardIt max_element(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::max_element(policy, first, last, ::cuda::std::less<value_type_of<ForwardIt>>{});
}

template <class Local, class ForwardIt, class Compare>
thrust::pair<ForwardIt, ForwardIt> minmax_element(
  distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, Compare comp)
{
  using value = value_type_of<ForwardIt>;
  using both = typename functor::better_both<value, Compare>::pair;
  adaptor::check_passed<adaptor::iterators<ForwardIt>, adaptor::values<value>>();
  const index_type n = adaptor::length(first, last);
  adaptor::distributed_call<Local> call(policy, "minmax_element", n, sizeof(value));
  const auto found = call.template gather<both, ranks::two_places>(
    n > 0,
    [&](uninit<both>* out) {
      adaptor::fold_extrema(call.local(), first, n, &out->get(), functor::better_both<value, Compare>{{comp}, {comp}});
    },
    ranks::fold_to_both<Compare>{comp});
  const auto index = [&](ranks::place ranks::two_places::*which) {
    return adaptor::own_index(call, found ? std::optional<ranks::place>((*found).*which) : std::nullopt, n);
  };
  return {first + index(&ranks::two_places::least), first + index(&ranks::two_places::greatest)};
}

template <class Local, class ForwardIt>
thrust::pair<ForwardIt, ForwardIt> minmax_element(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  return gimbal::minmax_element(policy, first, last, ::cuda::std::less<value_type_of<ForwardIt>>{});
}

GIMBAL_NAMESPACE_END
