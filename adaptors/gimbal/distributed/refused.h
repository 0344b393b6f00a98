// Thrust's algorithms that do not exist over a communicator: a call does not compile, with a message that names it.
// Without these overloads Thrust's entry would find no implementation but itself. The list is held against Thrust's
// headers by tests/distributed/distributed_names.py.
#pragma once

#include <gimbal/distributed/policy.h>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

template <class>
inline constexpr bool is_there_over_a_communicator = false;

}  // namespace adaptor

#define GIMBAL_REFUSAL(name)                                                                                       \
  void name(distributed_policy<Local>&, Arguments&&...)                                                            \
  {                                                                                                                \
    static_assert(                                                                                                 \
      adaptor::is_there_over_a_communicator<Local>,                                                                \
      "gimbal: " #name " is not there over a communicator; use gimbal::par on this rank's part if that is meant"); \
  }
#define GIMBAL_REFUSED(name)                 \
  template <class Local, class... Arguments> \
  GIMBAL_REFUSAL(name)
// Callers name a type.
#define GIMBAL_REFUSED_OF_TYPE(name)                \
  template <class, class Local, class... Arguments> \
  GIMBAL_REFUSAL(name)

// These combine two sequences, whose parts would have to move first.
GIMBAL_REFUSED(merge)
GIMBAL_REFUSED(merge_by_key)
GIMBAL_REFUSED(set_difference)
GIMBAL_REFUSED(set_difference_by_key)
GIMBAL_REFUSED(set_intersection)
GIMBAL_REFUSED(set_intersection_by_key)
GIMBAL_REFUSED(set_symmetric_difference)
GIMBAL_REFUSED(set_symmetric_difference_by_key)
GIMBAL_REFUSED(set_union)
GIMBAL_REFUSED(set_union_by_key)
// These read or write anywhere in the whole sequence.
GIMBAL_REFUSED(binary_search)
GIMBAL_REFUSED(equal_range)
GIMBAL_REFUSED(gather)
GIMBAL_REFUSED(gather_if)
GIMBAL_REFUSED(lower_bound)
GIMBAL_REFUSED(reverse)
GIMBAL_REFUSED(reverse_copy)
GIMBAL_REFUSED(scatter)
GIMBAL_REFUSED(scatter_if)
GIMBAL_REFUSED(shuffle)
GIMBAL_REFUSED(shuffle_copy)
GIMBAL_REFUSED(upper_bound)
// Memory is the local policy's.
GIMBAL_REFUSED(free)
GIMBAL_REFUSED_OF_TYPE(get_per_device_resource)
GIMBAL_REFUSED_OF_TYPE(get_temporary_buffer)
GIMBAL_REFUSED(malloc)
GIMBAL_REFUSED(return_temporary_buffer)

#undef GIMBAL_REFUSED_OF_TYPE
#undef GIMBAL_REFUSED
#undef GIMBAL_REFUSAL

// Ends of both ranges: parts of different sizes do not show which items are at the same position.
template <class Local, class InputIt1, class InputIt2>
void mismatch(distributed_policy<Local>&, InputIt1, InputIt1, InputIt2, InputIt2)
{
  static_assert(
    adaptor::is_there_over_a_communicator<Local>,
    "gimbal: over a communicator mismatch takes the end of one range alone");
}
template <class Local, class InputIt1, class InputIt2, class Predicate>
void mismatch(distributed_policy<Local>&, InputIt1, InputIt1, InputIt2, InputIt2, Predicate)
{
  static_assert(
    adaptor::is_there_over_a_communicator<Local>,
    "gimbal: over a communicator mismatch takes the end of one range alone");
}

GIMBAL_NAMESPACE_END
