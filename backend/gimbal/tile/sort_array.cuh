// The arrays a sort moves its keys, and likewise its values, between: input, output, and a buffer of the same size in
// temporary storage, unless the caller has given one. Each pass of a sort reads one of them and writes another.
#pragma once

#include <gimbal/tile/iterators.h>
#include <gimbal/workspace.h>

#include <gimbal/tile/tile.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// In place of the value iterators: sort keys only.
struct no_values {};

/// Iterators that make their items up: no pass overwrites what they read.
template <class It>
inline constexpr bool is_generator = block::base_arrays<It>::are_none;

enum class sort_buffer : unsigned { input, output, buffer };

/// `read` and `write` call `f` with an iterator for the given place. Where input and output are plain memory that is
/// one pointer type, so `f` is compiled once; which place it is never costs a kernel of its own.
template <class In, class Out>
struct sort_array {
  using value_type = value_type_of<In>;
  static constexpr bool is_plain_input = ::cuda::std::is_same_v<In, const value_type*>;
  static constexpr bool is_plain_output = ::cuda::std::is_same_v<Out, value_type*>;
  static constexpr bool is_plain = is_plain_input && is_plain_output;
  static constexpr bool may_be_positions = is_plain_input && ::cuda::std::is_integral<value_type>::value
                                           && (sizeof(value_type) == 4 || sizeof(value_type) == 8);

  In input;
  Out output;
  value_type* buffer;

  template <class F>
  GIMBAL_DEVICE void read(sort_buffer from, F f) const
  {
    if constexpr (is_plain) {
      f(from == sort_buffer::input ? input
                                   : static_cast<const value_type*>(from == sort_buffer::output ? output : buffer));
    } else if (from == sort_buffer::input) {
      f(input);
    } else if constexpr (is_plain_output) {
      f(static_cast<const value_type*>(from == sort_buffer::output ? output : buffer));
    } else if (from == sort_buffer::output) {
      f(output);
    } else {
      f(static_cast<const value_type*>(buffer));
    }
  }

  template <class F>
  GIMBAL_DEVICE void write(sort_buffer to, F f) const
  {
    if constexpr (is_plain_output) {
      f(to == sort_buffer::output ? output : buffer);
    } else if (to == sort_buffer::output) {
      f(output);
    } else {
      f(buffer);
    }
  }

  /// Whether the values of that place are not read, as each is the position of its item: those of an input that is
  /// null. So a radix sort of positions takes the kernels of a sort of pairs.
  GIMBAL_DEVICE bool are_positions(sort_buffer from) const
  {
    if constexpr (may_be_positions) {
      return from == sort_buffer::input && input == nullptr;
    } else {
      return false;
    }
  }

  /// True if input and output are known to be different memory.
  GIMBAL_HOST_DEVICE bool is_copy() const
  {
    if constexpr (is_plain) {
      return input != output;
    } else {
      return is_generator<In>;
    }
  }

  /// True if the input is given as the buffer.
  bool overwrites_input() const
  {
    if constexpr (is_plain_input) {
      return buffer != nullptr && buffer == input;
    } else {
      return false;
    }
  }

  /// True if input and output are known to be the same memory.
  bool is_same_memory() const { return is_plain && !is_copy(); }
};

/// Value number `i` of a place, whose items read() has given.
template <class Values, class Source>
GIMBAL_DEVICE typename Values::value_type load_value(
  const Values& values, [[maybe_unused]] sort_buffer from, Source source, index_type i)
{
  using value_type = typename Values::value_type;
  if constexpr (Values::may_be_positions) {
    if (values.are_positions(from)) {
      return static_cast<value_type>(i);
    }
  }
  return block::load_as<value_type>(source + i);
}

template <>
struct sort_array<no_values, no_values> {
  using value_type = no_values;
  static constexpr bool is_plain = false;
  static constexpr bool may_be_positions = false;
  no_values* buffer;

  GIMBAL_DEVICE bool are_positions(sort_buffer) const { return false; }
  bool is_copy() const { return true; }
  bool is_same_memory() const { return true; }
  bool overwrites_input() const { return false; }
};

/// Pointers and iterators over plain memory become pointers, so that all of them share one instantiation of a kernel.
/// With a `buffer`, which has room for as many items, a sort takes none from its storage. It may be the input, which is
/// overwritten then, where the output is not.
template <class In, class Out>
auto make_sort_array(In input, Out output, value_type_of<In>* buffer = nullptr)
{
  auto plain_input = block::raw_iterator(input);
  auto plain_output = block::raw_iterator(output);
  using value_type = value_type_of<In>;
  using input_type = ::cuda::std::conditional_t<
    ::cuda::std::is_same_v<decltype(plain_input), value_type*>, const value_type*, decltype(plain_input)>;
  return sort_array<input_type, decltype(plain_output)>{plain_input, plain_output, buffer};
}

/// What a value is moved as, which no sort looks into: the integer of its size, where its alignment allows, so that all
/// such values share one instantiation, and no struct of bytes is moved byte by byte. On the host executor the value
/// itself: there the compiler may take for granted that no integer is part of it.
template <class Value>
struct moved_value {
  static constexpr std::size_t bytes = sizeof(Value);
  static constexpr bool is_integer = GIMBAL_GPU && alignof(Value) == bytes && (bytes & (bytes - 1)) == 0 && bytes <= 8;
  using type = ::cuda::std::conditional_t<is_integer, simt::unsigned_of_size<bytes>, Value>;
};

template <class In, class Out>
auto as_moved(const sort_array<In, Out>& values)
{
  if constexpr (sort_array<In, Out>::is_plain) {
    using moved = typename moved_value<typename sort_array<In, Out>::value_type>::type;
    return sort_array<const moved*, moved*>{
      reinterpret_cast<const moved*>(values.input), reinterpret_cast<moved*>(values.output),
      reinterpret_cast<moved*>(values.buffer)};
  } else {
    return values;
  }
}

inline auto make_sort_array(no_values, no_values) { return sort_array<no_values, no_values>{nullptr}; }

/// How often a sort moves its items: two moves end where they began, so in place an even number of times, which takes a
/// copy behind an odd number of passes. Where a buffer is the input, the first move has to go to the output, and so the
/// number is odd.
enum class sort_moves : unsigned { any, even, odd };

GIMBAL_HOST_DEVICE unsigned moves_of_passes(unsigned passes, sort_moves moves)
{
  return moves == sort_moves::even ? (passes + 1) / 2 * 2 : moves == sort_moves::odd ? passes | 1 : passes;
}

/// What is known of where the arrays of a sort lie.
struct sort_aliasing {
  bool in_place;      ///< some output may be its input
  bool all_in_place;  ///< every output is its input
  bool overwrites;    ///< some buffer is its input

  GIMBAL_HOST_DEVICE sort_moves moves() const
  {
    return in_place ? sort_moves::even : overwrites ? sort_moves::odd : sort_moves::any;
  }
};

template <class Keys, class Values>
sort_aliasing find_aliasing(const Keys& keys, const Values& values)
{
  return {
    !(keys.is_copy() && values.is_copy()), keys.is_same_memory() && values.is_same_memory(),
    keys.overwrites_input() || values.overwrites_input()};
}

/// Bytes of a value, 0 if there are none.
template <class Values>
inline constexpr std::size_t bytes_of_values = ::cuda::std::is_same_v<typename Values::value_type, no_values>
                                                 ? 0
                                                 : sizeof(typename Values::value_type);

/// The buffers of a sort of n items in so many passes, but those that were given: one pass goes from the input to the
/// output, unless these are the same.
template <class Keys, class Values>
void add_sort_buffers(storage_layout& layout, Keys& keys, Values& values, index_type n, unsigned passes)
{
  const auto items = static_cast<std::size_t>(passes == 1 && !algorithm::find_aliasing(keys, values).in_place ? 0 : n);
  if (keys.buffer == nullptr) {
    layout.add(&keys.buffer, items);
  }
  if (bytes_of_values<Values> != 0 && values.buffer == nullptr) {
    layout.add(&values.buffer, items);
  }
}

/// Ends of a sort of `passes` passes: the first reads the input, the last writes the output, those between alternate
/// between output and buffer.
GIMBAL_HOST_DEVICE sort_buffer target_of_pass(unsigned pass, unsigned passes)
{
  return (passes - 1 - pass) % 2 == 0 ? sort_buffer::output : sort_buffer::buffer;
}
GIMBAL_HOST_DEVICE sort_buffer source_of_pass(unsigned pass, unsigned passes)
{
  return pass == 0 ? sort_buffer::input : target_of_pass(pass - 1, passes);
}

}  // namespace algorithm

GIMBAL_NAMESPACE_END
