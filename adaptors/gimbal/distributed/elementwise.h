// Over a communicator: the algorithms that make each item from one item alone, and so need no other rank (copy, fill,
// for_each, generate, replace, swap_ranges, transform and their relatives); and sequence and tabulate, which need
// positions in the whole sequence.
//
// The former run on this rank's part as under gimbal::par, and send nothing to the other ranks: what one throws, it
// throws on this rank.
#pragma once

#include <gimbal/distributed/call.h>
#include <thrust/copy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/generate.h>
#include <thrust/replace.h>
#include <thrust/sequence.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Calls f(local policy), whose work is done when this returns.
template <class Local, class F>
auto on_this_part(distributed_policy<Local>& policy, F f)
{
  const auto wait = [&] {
    if (const status failed = simt::wait(adaptor::stream_of(policy.local()), "wait for the stream")) {
      adaptor::throw_failure(failed, "gimbal call on a rank's part");
    }
  };
  if constexpr (::cuda::std::is_void_v<decltype(f(policy.local()))>) {
    f(policy.local());
    wait();
  } else {
    auto result = f(policy.local());
    wait();
    return result;
  }
}

}  // namespace adaptor

#define GIMBAL_ON_THIS_PART(name)                                                                          \
  template <class Local, class... Arguments>                                                               \
  auto name(distributed_policy<Local>& policy, Arguments... arguments)                                     \
  {                                                                                                        \
    return adaptor::on_this_part(policy, [&](Local& local) { return thrust::name(local, arguments...); }); \
  }

GIMBAL_ON_THIS_PART(copy)
GIMBAL_ON_THIS_PART(copy_n)
GIMBAL_ON_THIS_PART(fill)
GIMBAL_ON_THIS_PART(fill_n)
GIMBAL_ON_THIS_PART(for_each)
GIMBAL_ON_THIS_PART(for_each_n)
GIMBAL_ON_THIS_PART(generate)
GIMBAL_ON_THIS_PART(generate_n)
GIMBAL_ON_THIS_PART(replace)
GIMBAL_ON_THIS_PART(replace_copy)
GIMBAL_ON_THIS_PART(replace_copy_if)
GIMBAL_ON_THIS_PART(replace_if)
GIMBAL_ON_THIS_PART(swap_ranges)
GIMBAL_ON_THIS_PART(transform)
GIMBAL_ON_THIS_PART(transform_if)
GIMBAL_ON_THIS_PART(uninitialized_copy)
GIMBAL_ON_THIS_PART(uninitialized_copy_n)
GIMBAL_ON_THIS_PART(uninitialized_fill)
GIMBAL_ON_THIS_PART(uninitialized_fill_n)

#undef GIMBAL_ON_THIS_PART

// Of Thrust's newer versions.
template <class Local, class InputIt, class Size, class... Arguments>
auto transform_n(distributed_policy<Local>& policy, InputIt first, Size count, Arguments... arguments)
{
  return gimbal::transform(policy, first, first + count, arguments...);
}
template <class Local, class InputIt, class Size, class... Arguments>
auto transform_if_n(distributed_policy<Local>& policy, InputIt first, Size count, Arguments... arguments)
{
  return gimbal::transform_if(policy, first, first + count, arguments...);
}

/// out[i] = f(i), i being the position in the whole sequence.
template <class Local, class ForwardIt, class F>
void tabulate(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, F f)
{
  const index_type n = adaptor::length(first, last);
  adaptor::distributed_call<Local> call(policy, "tabulate", n, sizeof(adaptor::value_of<ForwardIt>));
  const index_type before = call.part_of(n).before;
  call.step([&] {
    const thrust::counting_iterator<index_type> from(before);
    thrust::transform(call.local(), from, from + n, first, f);
  });
  call.finish();
}

/// x[i] = init + step * i, i being the position in the whole sequence.
template <class Local, class ForwardIt, class T>
void sequence(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, T init, T step)
{
  const index_type n = adaptor::length(first, last);
  adaptor::distributed_call<Local> call(policy, "sequence", n, sizeof(T));
  const index_type before = call.part_of(n).before;
  call.step([&] {
    thrust::sequence(
      call.local(), first, last, static_cast<T>(init + static_cast<T>(step * static_cast<T>(before))), step);
  });
  call.finish();
}

template <class Local, class ForwardIt, class T>
void sequence(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last, T init)
{
  gimbal::sequence(policy, first, last, init, T(1));
}

template <class Local, class ForwardIt>
void sequence(distributed_policy<Local>& policy, ForwardIt first, ForwardIt last)
{
  gimbal::sequence(policy, first, last, adaptor::value_of<ForwardIt>(0));
}

GIMBAL_NAMESPACE_END
