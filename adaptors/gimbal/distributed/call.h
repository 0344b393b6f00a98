// One call over a communicator: this rank's own steps, what the ranks exchange, and how a failure of one becomes a
// failure of all.
//
//   distributed_call call(policy, "reduce", n, sizeof(T));
//   const auto sum = call.gather<T, R>(n > 0, [&](uninit<T>* out) { ... enqueue this rank's value ... }, fold);
//
// A step that throws is noted, the next ones are skipped, and the next gathering reports it to all ranks, which then
// all throw. So between two gatherings no rank waits for one that has failed. A rank that leaves a call by any other
// exception abandons the communicator.
#pragma once

#include <gimbal/distributed/policy.h>
#include <gimbal/policy.h>
#include <gimbal/ranks/records.h>
#include <gimbal/thrust/call.h>
#include <gimbal/thrust/fallback.h>
#include <gimbal/thrust/iterators.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>

GIMBAL_NAMESPACE_BEGIN

namespace adaptor {

/// What a call over a communicator takes: there is no stock to fall back to.
template <class Iterators, class Values>
constexpr void check_passed()
{
  constexpr fallback_reason reason = fallback_reason_v<Iterators, Values>;
  static_assert(reason != fallback_reason::iterator, "calls over a communicator take random access iterators");
  static_assert(
    reason != fallback_reason::value_type,
    "calls over a communicator take values that are copied bytewise and have at most 128 bytes");
}

template <class Local>
class distributed_call {
public:
  using block = std::conditional_t<has_allocator_v<Local>, allocator_block<Local>, retained_block<Local>>;

  distributed_call(distributed_policy<Local>& policy, const char* name, index_type count, std::size_t value_bytes)
      : ranks_(policy.ranks()),
        local_(policy.local()),
        stream_(adaptor::stream_of(policy.local())),
        name_(name),
        count_(count),
        value_bytes_(value_bytes)
  {
    bool is_captured = false;
    note(simt::query_capture(stream_, is_captured));
    if (is_captured) {
      lose("its stream is being captured into a graph, and cannot be waited for");
    }
    note(slot_.take());
    throw_if(ranks_.connect(stream_));
  }

  distributed_call(const distributed_call&) = delete;
  distributed_call& operator=(const distributed_call&) = delete;
  ~distributed_call()
  {
    if (std::uncaught_exceptions() > exceptions_before_ && !all_throw_) {
      try {
        ranks_.abandon(description() + " was left by an exception");
      } catch (const std::bad_alloc&) {  // no memory for a text
        ranks_.abandon({});
      }
    }
  }

  Local& local() { return local_; }
  simt::stream_type stream() const { return stream_; }
  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }

  /// Calls `f` unless this rank has failed; what it throws is this rank's failure.
  template <class F>
  void step(F f)
  {
    if (error_ != simt::success) {
      return;
    }
    try {
      f();
    } catch (const thrust::system_error& thrown) {
      note(static_cast<simt::error_code>(thrown.code().value()), thrown.what());
    } catch (const std::bad_alloc& thrown) {
      note(simt::error_memory_allocation, thrown.what());
    } catch (const std::exception& thrown) {
      note(simt::error_launch_failure, thrown.what());
    } catch (...) {
      note(simt::error_launch_failure, "an exception that is no std::exception");
    }
  }
  /// This rank's failure, if it is one.
  void note(status failed)
  {
    step([&] {
      if (failed) {
        adaptor::throw_failure(failed, "rank " + std::to_string(rank()));
      }
    });
  }

  /// Gathers a message from each rank; `produce(uninit<T>*)` enqueues what writes this rank's, where it has a value. On
  /// each rank one thread calls `fold(messages, value)`. Waits. Throws on every rank if one has failed so far.
  template <class T, class R, class Produce, class Fold>
  std::optional<R> gather(bool has_value, Produce produce, Fold fold)
  {
    static_assert(sizeof(ranks::record<T>) <= ranks::most_message_bytes, "a message fits into its slot");
    static_assert(sizeof(ranks::outcome<R>) <= pinned_slots::slot_bytes, "an outcome fits into a pinned slot");
    auto* const mine = static_cast<ranks::record<T>*>(ranks_.message());
    auto* const result = static_cast<ranks::outcome<R>*>(slot_.get());
    if (has_value) {
      step([&] { produce(&mine->value); });
    }
    try {
      if (result == nullptr) {
        adaptor::throw_failure(simt::failure(error_, "taking a pinned slot"), description());
      }
      result->flag().store(0, ::cuda::std::memory_order_relaxed);
      ranks::message_exchange messages;
      throw_if(ranks_.gather_messages({static_cast<int>(error_), has_value ? 1 : 0}, sizeof(*mine), messages, stream_));
      const ranks::gathered<T> all(messages.all, messages.stride, rank(), size());
      const ranks::fold_records<T, R, Fold> folding{all, result, fold};
      throw_if(ranks::exchange_messages(messages, folding, stream_));
      using simt::instrument::point;
      throw_if(
        ranks::arrives_soon(*result) ? simt::instrument::begin(point::wait, "wait for an outcome")
                                     : ranks_.wait(stream_));
    } catch (const rank_error&) {
      throw;
    } catch (const std::exception& thrown) {
      lose(error_ == simt::success ? thrown.what() : text_);
    }
    if (result->failed_rank >= 0) {
      throw_for(result->failed_rank, static_cast<simt::error_code>(result->error));
    }
    return result->has_value != 0 ? std::optional<R>(result->value.get()) : std::nullopt;
  }
  /// The same for a value that the host knows.
  template <class R, class T, class Fold>
  std::optional<R> gather(const T& value, Fold fold)
  {
    return gather<T, R>(
      true,
      [&](uninit<T>* out) {
        once(ranks::put_value<T>{out, value});
      },
      fold);
  }

  /// The end of a call: every rank learns whether all have done their parts.
  void finish()
  {
    gather<ranks::nothing, ranks::nothing>(
      false, [](auto*) {}, ranks::fold_nothing{});
  }

  /// The numbers of rank r, of which there are as many as own ones, from r * mine.size() on. Throws on every rank if
  /// one has failed so far.
  std::vector<index_type> gather_numbers(const std::vector<index_type>& mine)
  {
    std::vector<index_type> with_error = mine;
    with_error.push_back(static_cast<index_type>(error_));
    std::vector<index_type> gathered(with_error.size() * static_cast<std::size_t>(size()));
    throw_if(ranks_.gather_numbers(with_error.data(), with_error.size(), gathered.data(), stream_));
    std::vector<index_type> all;
    bool has_failed = false;
    for (auto of_rank = gathered.begin(); of_rank != gathered.end();
         of_rank += static_cast<std::ptrdiff_t>(mine.size()) + 1) {
      all.insert(all.end(), of_rank, of_rank + static_cast<std::ptrdiff_t>(mine.size()));
      has_failed = has_failed || of_rank[static_cast<std::ptrdiff_t>(mine.size())] != 0;
    }
    if (has_failed) {
      finish();  // throws
    }
    return all;
  }

  /// The position of this rank's items in the whole sequence.
  ranks::part part_of(index_type count) { return *gather<ranks::part>(count, ranks::fold_to_part{}); }

  /// One device thread calls f(0), in stream order.
  template <class F>
  void once(F f)
  {
    thrust::for_each_n(local_, thrust::counting_iterator<int>(0), 1, f);
  }

  /// `count` device threads call f(i), in stream order.
  template <class F>
  void for_each(unsigned count, F f)
  {
    thrust::for_each_n(local_, thrust::counting_iterator<unsigned>(0), count, f);
  }

  // Collective steps besides gatherings. All ranks have reported that they have not failed.

  void all_gather(const void* mine, void* all, std::size_t bytes)
  {
    throw_if(ranks_.all_gather(mine, all, bytes, stream_));
  }
  void sum_counts(std::uint64_t* counts, std::vector<std::uint64_t>& own, std::vector<std::uint64_t>& sums)
  {
    throw_if(ranks_.sum_counts(counts, own.data(), sums.data(), own.size(), stream_));
  }
  void exchange(const communicator::piece* pieces)
  {
    throw_if(ranks_.exchange(pieces, 1, stream_, [](std::size_t) { return status{}; }));
  }
  /// Exchanges beside the call's stream begin after what it was given so far.
  void start_beside() { throw_if(ranks_.follow(ranks_.side_stream(), stream_)); }
  /// An exchange beside the call's stream. In a step of the call, then(i) enqueues there what begins when round i is
  /// over; what it is given later begins when all is over.
  template <class Then>
  void exchange_beside(const communicator::piece* pieces, std::size_t rounds, Then then)
  {
    const simt::stream_type side = ranks_.side_stream();
    throw_if(ranks_.exchange(pieces, rounds, side, [&](std::size_t round) {
      const status failed = ranks_.follow(stream_, side);
      step([&] { then(round); });
      return failed;
    }));
    throw_if(ranks_.follow(stream_, side));
  }
  bool exchanges_beside_kernels() const { return ranks_.exchanges_beside_kernels(!has_allocator_v<Local>); }
  /// To be called in a step: communicator::exchange_memory, null also if the policy has an allocator.
  void* exchange_memory(std::size_t bytes)
  {
    void* memory = nullptr;
    if (!has_allocator_v<Local>) {
      if (const status failed = ranks_.exchange_memory(memory, bytes)) {
        adaptor::throw_failure(failed, "what ranks exchange");
      }
    }
    return memory;
  }
  /// Until they are over.
  void wait_beside() noexcept { static_cast<void>(simt::wait(ranks_.side_stream(), "wait for exchanges")); }
  void copy(void* target, const void* source, std::size_t bytes)
  {
    throw_if(simt::copy_bytes(target, source, bytes, stream_, "copy of what ranks exchange"));
  }
  void wait() { throw_if(ranks_.wait(stream_)); }

private:
  std::string description() const
  {
    return adaptor::text_of_call(name_, count_, value_bytes_) + ", rank " + std::to_string(rank()) + " of "
           + std::to_string(size());
  }

  void note(simt::error_code code, const std::string& text)
  {
    error_ = code == simt::success ? simt::error_launch_failure : code;
    text_ = text;
  }

  /// A failure of what ranks do together ends the communicator.
  void throw_if(status failed)
  {
    if (failed) {
      lose(std::string(failed.step) + " failed with " + simt::error_name(failed.code));
    }
  }
  [[noreturn]] void lose(const std::string& text)
  {
    ranks_.abandon(text);
    static_cast<void>(simt::wait(ranks_.side_stream(), "wait after a failure"));
    static_cast<void>(simt::wait(stream_, "wait after a failure"));
    const rank_failure* const failure = ranks_.failure();
    if (failure == nullptr) {
      throw rank_error(-1, simt::error_communication, description() + ": the communicator is lost: " + text);
    }
    throw rank_error(
      failure->rank(), simt::error_communication,
      description() + ": rank " + std::to_string(failure->rank()) + " has left: " + failure->cause());
  }

  /// Every rank gets the failed rank's text, and throws.
  [[noreturn]] void throw_for(int failed_rank, simt::error_code code)
  {
    ranks::failure_text mine{};
    if (rank() == failed_rank) {
      std::memcpy(mine.text, text_.c_str(), (std::min)(text_.size(), sizeof(mine.text) - 1));
    }
    const bool is_it = rank() == failed_rank;
    error_ = simt::success;  // of this gathering
    const auto reported = *gather<ranks::failure_text, ranks::failure_text>(
      is_it,
      [&](uninit<ranks::failure_text>* out) {
        once(ranks::put_value<ranks::failure_text>{out, mine});
      },
      ranks::fold_to_first{});
    all_throw_ = true;
    throw rank_error(
      failed_rank, code, description() + ": rank " + std::to_string(failed_rank) + " failed: " + reported.text);
  }

  communicator& ranks_;
  Local& local_;
  simt::stream_type stream_;
  const char* name_;
  index_type count_;
  std::size_t value_bytes_;
  pinned_slot slot_;
  simt::error_code error_ = simt::success;
  std::string text_;
  int exceptions_before_ = std::uncaught_exceptions();
  bool all_throw_ = false;
};

/// *out = x[0] op ... op x[n-1], in T, of this rank's items; n > 0. Does not wait.
template <class Local, class InputIt, class T, class Op>
void fold_part(Local& local, InputIt first, index_type n, T* out, Op op)
{
  if constexpr (::cuda::std::is_same_v<value_of<InputIt>, T>) {
    call<Local> step(local, "reduce of a rank's part", n, sizeof(T));
    auto plan =
      algorithm::reduce_plan<tuning::reduce<read_bytes<InputIt>::value>>(adaptor::unwrap(first), n, out, op, no_init{});
    step.throw_if(plan.launch(step.storage_for(plan), step.stream()));
  } else {
    adaptor::fold_part(local, adaptor::transformed<T>(first, ranks::convert_to<T>{}), n, out, op);
  }
}

/// Temporary memory of a call for `count` items.
template <class Local, class T>
class rank_buffer {
public:
  explicit rank_buffer(distributed_call<Local>& call) : local_(call.local()) {}

  /// To be called in a step of the call.
  void allocate(index_type count)
  {
    if (count > 0) {
      block_.emplace(local_);
      if (const status failed = block_->allocate(static_cast<std::size_t>(count) * sizeof(T))) {
        adaptor::throw_failure(failed, "temporary storage for " + std::to_string(count) + " elements");
      }
    }
  }
  /// The memory is returned in stream order.
  void free() { block_.reset(); }
  T* get() const { return block_ ? static_cast<T*>(block_->get()) : nullptr; }

private:
  Local& local_;
  std::optional<typename distributed_call<Local>::block> block_;
};

}  // namespace adaptor

GIMBAL_NAMESPACE_END
