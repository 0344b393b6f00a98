// Outputs that are function calls.
#pragma once

#include <gimbal/simt/config.h>

#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <iterator>

GIMBAL_NAMESPACE_BEGIN

/// Whether `f` has fetch() of such values.
template <class F, class T, class = void>
inline constexpr bool fetches_v = false;
template <class F, class T>
inline constexpr bool fetches_v<
  F, T,
  ::cuda::std::void_t<decltype(::cuda::std::declval<const F&>().fetch(index_type{}, ::cuda::std::declval<T>()))>> =
  true;

/// The output iterator whose writes are calls of `f` with the position and the value.
///
/// A function that loads something and stores what that decides has, in place of a call operator, `fetch(i, value)`, whose result
/// `put(i, fetched)` stores: a tile's threads fetch several before they put the first (tile::store), so that their loads are under
/// way together. What is fetched must not depend on what is put for other items. Scans with such outputs do not stream: many small
/// blocks hide the loads' latency, which few large ones do not.
template <class F>
class output_by_function {
public:
  class place {
  public:
    GIMBAL_HOST_DEVICE place(const F& f, index_type i) : f_(f), i_(i) {}
    template <class T>
    GIMBAL_DEVICE const place& operator=(const T& value) const
    {
      if constexpr (fetches_v<F, T>) {
        f_.put(i_, f_.fetch(i_, value));
      } else {
        f_(i_, value);
      }
      return *this;
    }

  private:
    const F& f_;
    index_type i_;
  };

  using iterator_category = std::random_access_iterator_tag;
  using difference_type = index_type;
  using value_type = void;
  using pointer = void;
  using reference = place;

  explicit output_by_function(F f) : f_(f) {}

  GIMBAL_HOST_DEVICE place operator*() const { return {f_, at_}; }
  GIMBAL_HOST_DEVICE place operator[](index_type i) const { return {f_, at_ + i}; }
  GIMBAL_HOST_DEVICE output_by_function& operator+=(index_type i)
  {
    at_ += i;
    return *this;
  }
  GIMBAL_HOST_DEVICE friend output_by_function operator+(output_by_function it, index_type i) { return it += i; }
  GIMBAL_HOST_DEVICE friend bool operator==(const output_by_function& a, const output_by_function& b)
  {
    return a.at_ == b.at_;
  }
  GIMBAL_HOST_DEVICE friend bool operator!=(const output_by_function& a, const output_by_function& b)
  {
    return a.at_ != b.at_;
  }

  template <class T, class Function = F>
  GIMBAL_DEVICE auto fetch(index_type i, const T& value) const
    -> decltype(::cuda::std::declval<const Function&>().fetch(i, value))
  {
    return f_.fetch(at_ + i, value);
  }
  template <class Fetched>
  GIMBAL_DEVICE void put(index_type i, const Fetched& fetched) const
  {
    f_.put(at_ + i, fetched);
  }

private:
  F f_;
  index_type at_ = 0;
};

template <class F>
output_by_function<F> written_by(F f)
{
  return output_by_function<F>(f);
}

GIMBAL_NAMESPACE_END
