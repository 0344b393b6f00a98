// One routed call from the size query to the wait: temporary storage, the stream, errors. This is the only file of the
// adaptors that allocates, waits or throws.
#pragma once

#include <gimbal/thrust/error.h>
#include <gimbal/thrust/policy_base.h>
#include <gimbal/thrust/temporary_buffer.h>
#include <gimbal/workspace.h>

#include <gimbal/grid/host_result.cuh>
#include <type_traits>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// Temporary storage from the allocator that the user gave to the policy.
template <class Derived>
class allocator_block {
  using allocator = ::cuda::std::remove_reference_t<decltype(::cuda::std::declval<Derived&>().get_allocator())>;
  using memory_of = allocator_memory<allocator>;

public:
  explicit allocator_block(execution_policy<Derived>& policy)
      : allocator_(thrust::detail::derived_cast(policy).get_allocator())
  {
  }
  allocator_block(const allocator_block&) = delete;
  allocator_block& operator=(const allocator_block&) = delete;
  ~allocator_block()
  {
    if (get() != nullptr) {
      memory_of::deallocate(allocator_, bytes_, memory_);
    }
  }

  status allocate(std::size_t bytes)
  {
    bytes_ = bytes;
    return memory_of::allocate(allocator_, bytes, memory_);
  }
  void* get() const { return thrust::raw_pointer_cast(memory_); }
  void set_done() {}  // an allocator need not know

private:
  allocator& allocator_;
  typename memory_of::pointer memory_{};
  std::size_t bytes_ = 0;
};

/// Temporary storage from the pool of the device.
template <class Derived>
class retained_block : public pool_block {
public:
  explicit retained_block(execution_policy<Derived>& policy) : pool_block(adaptor::stream_of(policy)) {}
};

/// What a call returns decides whether nosync policies wait.
enum class returns { nothing, a_result };

/// Runs a backend's plan (grid/launch_plan.h):
///
///   call<Derived> step(policy, "reduce", n, sizeof(T));
///   auto plan = algorithm::reduce_plan(first, n, out, op, init);
///   step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
///   step.finish();
///
/// or an entry that has none through its two phases. The loop body is executed twice, first with `storage()` null, as a
/// query of the size, then with that storage:
///
///   while (step.next()) {
///     step.report(algorithm::sort(step.storage(), step.bytes(), keys, n, step.stream()));
///   }
///
/// A failure throws from `throw_if`, `next`, `finish` or `wait`, after the stream has drained: nothing of this call
/// runs any more when its storage and its result slot go back.
///
/// A stream that is being captured into a graph cannot be waited for. On such a stream a call that waits throws when it
/// is made, before it has allocated memory or enqueued anything, and the capture goes on; one that does not is recorded
/// whole, with nodes that allocate and free its storage.
template <class Derived>
class call {
public:
  /// `name`, `count` and `value_bytes` describe the call in the exception that a failure throws.
  call(
    execution_policy<Derived>& policy, const char* name, index_type count, std::size_t value_bytes,
    returns returned = returns::nothing)
      : policy_(policy),
        stream_(adaptor::stream_of(policy)),
        storage_(policy),
        name_(name),
        count_(count),
        value_bytes_(value_bytes)
  {
    throw_if(simt::query_capture(stream_, is_captured_));
    if (is_captured_ && (returned == returns::a_result || adaptor::waits(policy))) {
      throw_if(
        simt::failure(simt::error_stream_capture_unsupported, "wait for a stream that is being captured into a graph"));
    }
  }

  bool next()
  {
    throw_if(reported_);
    ++phase_;
    if (phase_ == 2 && bytes_ > 1) {
      throw_if(storage_.allocate(bytes_));
    }
    return phase_ <= 2;
  }

  /// The storage that a plan needs.
  template <class Plan>
  temporary_storage storage_for(Plan& plan)
  {
    bytes_ = plan.bytes(true);
    phase_ = 2;
    if (bytes_ > 1) {
      throw_if(storage_.allocate(bytes_));
    }
    return storage();
  }

  /// Null in the size query, and then storage of the size that it gave: null if that was a single byte, which nobody
  /// uses.
  temporary_storage storage()
  {
    return phase_ < 2 ? temporary_storage::question_beside_pool() : temporary_storage::beside_pool(storage_.get());
  }
  std::size_t& bytes() { return bytes_; }
  simt::stream_type stream() const { return stream_; }
  void report(status reported) { reported_ = reported; }

  /// Throws if `checked` is a failure.
  void throw_if(status checked)
  {
    if (checked) {
      if (phase_ == 2 && !is_captured_) {
        static_cast<void>(simt::wait(stream_, "wait after a failure"));
      }
      throw_failure(checked, name_, count_, value_bytes_);
    }
  }

  /// The result that the call returns, when it has arrived.
  template <class T>
  T result(host_result<T>& arriving)
  {
    throw_if(arriving.wait(stream_));
    return arriving.value();
  }

  /// Waits for all that the call writes.
  void wait()
  {
    throw_if(simt::wait(stream_, "wait for the stream"));
    storage_.set_done();
  }

  /// The end of a call that returns nothing from the device: nosync policies do not wait.
  void finish()
  {
    if (adaptor::waits(policy_)) {
      wait();
    }
  }

private:
  using block = std::conditional_t<has_allocator_v<Derived>, allocator_block<Derived>, retained_block<Derived>>;

  execution_policy<Derived>& policy_;
  simt::stream_type stream_;
  block storage_;
  const char* name_;
  index_type count_;
  std::size_t value_bytes_;
  std::size_t bytes_ = 0;
  status reported_;
  int phase_ = 0;
  bool is_captured_ = false;
};

}  // namespace adaptor

GIMBAL_NAMESPACE_END
