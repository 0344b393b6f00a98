// The launches that a radix sort by buckets (radix_buckets.cuh) takes beside its passes.
#pragma once

#include <cuda/std/bit>
#include <gimbal/kernel/radix_bucket_sort.cuh>
#include <gimbal/kernel/radix_buckets.cuh>
#include <gimbal/kernel/radix_crowded_sort.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace kernel {

/// How many blocks of the kernel the current device runs at a time; 0 if it has too little shared memory for one.
template <class Kernel>
unsigned radix_engine_blocks()
{
  unsigned blocks = 0;
  return simt::co_resident_blocks<Kernel>(blocks) ? 0 : blocks;
}

template <class Shape, class Order, class Keys, class Values, class State>
class radix_bucket_steps {
  using key_type = typename Keys::value_type;
  using sample_kernel = radix_bucket_sample_kernel<Shape, Order, Keys, State>;
  using start_kernel = radix_bucket_start_kernel<Shape, Order, Keys, State>;
  using sort_kernel = radix_bucket_sort_kernel<Shape, Order, Keys, Values, State>;
  using crowded_kernel = radix_crowded_sort_kernel<Shape, Order, Keys, Values, State>;

public:
  /// For `n` keys sorted by all their bits, of which a launch makes a whole pass.
  radix_bucket_steps(index_type n, bool is_possible) : n_(n)
  {
    if (is_possible && Shape::least_items <= n && n <= Shape::most_items) {
      buckets_.digits = leading_digits(n);
      // About eight cells for each key, if they are evenly spread.
      const unsigned cell_bits =
        static_cast<unsigned>(::cuda::std::bit_width(static_cast<std::uint64_t>(n))) + 2 + idle_bits;
      buckets_.cell_bits = cell_bits > leading_bits() + 8 ? cell_bits - leading_bits() : 8;
      buckets_.most_equal = sample_kernel::pairs(n, Shape::most_load) + 4;
    }
  }

  /// The digits that may lead; 0: the sort makes no buckets.
  unsigned digits() const { return buckets_.digits; }
  const radix_buckets<State>& buckets() const { return buckets_; }

  /// Tables take the buffer that keys are moved to, at times when there are none in it. Returns the end of what is to be
  /// cleared before the first launch, from the buffer's begin on.
  const void* place(State* state, key_type* buffer)
  {
    if (digits() == 0) {
      return buffer;
    }
    buckets_.state = state;
    buckets_.samples = reinterpret_cast<unsigned*>(buffer);
    buckets_.tags = buckets_.samples + sample_kernel::rows;
    buckets_.starts = reinterpret_cast<unsigned*>(buffer);
    buckets_.crowded = reinterpret_cast<radix_group*>(buckets_.starts + (start_kernel::starts(n_) + 1) / 2 * 2);
    return buckets_.tags + sample_kernel::tag_rows;
  }

  /// Behind the histogram: whether keys are suited for buckets.
  status look_at_sample(const Keys& keys, const block::digit_plan& plan, simt::stream_type stream) const
  {
    if (digits() == 0) {
      return {};
    }
    const index_type samples = sample_kernel::runs(n_) * sample_kernel::run_items;
    return simt::launch(
      sample_kernel{keys, n_, plan, buckets_}, static_cast<std::size_t>(samples / sample_kernel::block_threads + 1),
      stream, "radix sort: sample");
  }

  /// Behind the passes by the leading digits: puts the buckets in order.
  status sort(const Keys& keys, const Values& values, const block::digit_plan& plan, simt::stream_type stream) const
  {
    const unsigned starts = start_kernel::starts(n_);
    GIMBAL_TRY(simt::launch(
      start_kernel{keys, static_cast<unsigned>(n_), plan, buckets_}, starts / start_kernel::block_threads + 1, stream,
      "radix sort: starts of buckets"));
    GIMBAL_TRY(simt::launch(
      sort_kernel{keys, values, plan, buckets_, starts - 1}, radix_engine_blocks<sort_kernel>(), stream,
      "radix sort: buckets"));
    return simt::launch(
      crowded_kernel{keys, values, plan, buckets_}, radix_engine_blocks<crowded_kernel>(), stream,
      "radix sort: crowded buckets");
  }

private:
  /// Bits at the top that are much the same in all keys: of floating-point ones, sign and exponent.
  static constexpr unsigned idle_bits =
    block::radix_key_kind_v<key_type> == block::radix_key_kind::floating_point ? 11 : 0;

  unsigned leading_bits() const { return digits() * block::radix_bits; }

  /// So many that buckets of evenly spread keys fit, with a margin; if buckets save nothing then, none.
  static unsigned leading_digits(index_type n)
  {
    unsigned digits = Shape::least_digits;
    while ((n + n / 16) >> (digits * block::radix_bits - idle_bits) > Shape::most_bucket_items) {
      ++digits;
    }
    return digits + radix_buckets<State>::least_saved <= sizeof(key_type) ? digits : 0;
  }

  index_type n_;
  radix_buckets<State> buckets_{};
};

/// Where no sort makes buckets.
struct no_bucket_steps {
  no_bucket_steps(index_type, bool) {}
  static constexpr unsigned digits() { return 0; }
  template <class State, class Key>
  static const void* place(State*, Key* buffer)
  {
    return buffer;
  }
  template <class... Arguments>
  static status look_at_sample(const Arguments&...)
  {
    return {};
  }
  template <class... Arguments>
  static status sort(const Arguments&...)
  {
    return {};
  }
};

}  // namespace kernel

GIMBAL_NAMESPACE_END
