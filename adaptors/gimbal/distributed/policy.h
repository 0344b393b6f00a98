// The policy of calls over a communicator, gimbal::par.over(comm), and what such a call throws.
#pragma once

#include <gimbal/policy.h>
#include <gimbal/ranks/communicator.h>
#include <thrust/detail/execution_policy.h>

#include <type_traits>

GIMBAL_NAMESPACE_BEGIN

/// Thrown on every rank when a call over a communicator fails on one: names the rank, and what failed there.
class rank_error : public thrust::system_error {
public:
  rank_error(int rank, simt::error_code code, const std::string& what)
      : thrust::system_error(adaptor::make_error_code(code), what), rank_(rank)
  {
  }

  /// The first rank that failed; -1 where no rank could report it, as another has left or the connection to it is lost.
  int rank() const { return rank_; }

private:
  int rank_;
};

/// `Local` is the policy that this rank's own steps run under. It is no execution policy of Thrust's systems: an
/// algorithm that is not written for ranks finds no implementation (refused.h).
template <class Local>
class distributed_policy : public thrust::detail::execution_policy_base<distributed_policy<Local>> {
public:
  distributed_policy(communicator& ranks, const Local& local) : ranks_(&ranks), local_(local) {}

  /// Returns the same policy on `stream`.
  distributed_policy on(simt::stream_type stream) const { return {*ranks_, local_.on(stream)}; }

  /// Returns the same policy with temporary storage from `allocator`, in the default stream.
  template <class Allocator>
  auto operator()(Allocator&& allocator) const
  {
    auto with_allocator = par(::cuda::std::forward<Allocator>(allocator));
    return distributed_policy<decltype(with_allocator)>(*ranks_, with_allocator);
  }

  communicator& ranks() const { return *ranks_; }
  Local& local() { return local_; }

private:
  communicator* ranks_;
  Local local_;
};

inline distributed_policy<execute_on_stream_nosync> par_policy::over(communicator& ranks) const
{
  return {ranks, execute_on_stream_nosync()};
}

GIMBAL_NAMESPACE_END
