#include <type_traits>

#include "functors.h"
#include "inputs.h"

namespace perf {

namespace {

enum class shape {
  random,
  equal,
  sorted,
  nearly_sorted,
  reversed,
  nearly_reversed,
  two_values,
  low_entropy,
  low_24_bits,
  small,
  zeros,
  zipf
};

shape shape_of(const std::string& distribution)
{
  constexpr const char* names[] = {"random",   "equal",           "sorted",     "nearly_sorted",
                                   "reversed", "nearly_reversed", "two_values", "low_entropy",
                                   "24_bit",   "small",           "zeros",      "zipf"};
  for (std::size_t s = 0; s < std::size(names); ++s) {
    if (distribution == names[s]) {
      return static_cast<shape>(s);
    }
  }
  throw std::logic_error("no such distribution of keys: " + distribution);
}

/// Words of 64 bits; a narrower key takes their upper bits, so that sorted words are sorted keys.
struct key_word {
  shape form;
  std::uint64_t step;  // 2^64 / n
  std::size_t last;

  __host__ __device__ std::uint64_t operator()(std::size_t i) const
  {
    constexpr std::uint64_t first_value = 0x3333333333333333u, second_value = 0xb5b5b5b5b5b5b5b5u;
    switch (form) {
      case shape::equal:
        return first_value;
      case shape::sorted:
        return i * step;
      case shape::nearly_sorted:  // but for one key in a thousand
        return mixed(i) % 1000 == 0 ? mixed(~i) : i * step;
      case shape::reversed:
        return (last - i) * step;
      case shape::nearly_reversed:
        return mixed(i) % 1000 == 0 ? mixed(~i) : (last - i) * step;
      case shape::two_values:
        return (mixed(i) & 1) != 0 ? first_value : second_value;
      case shape::low_entropy:
        return mixed(3 * i) & mixed(3 * i + 1) & mixed(3 * i + 2);
      case shape::zipf: {
        // The logarithm of a Zipf variable's rank is nearly uniform; ranks stand in no order of size.
        constexpr double log2_ranks = 20;
        const double uniform = static_cast<double>(mixed(i) >> 11) * (1.0 / 9007199254740992.0);
        return mixed(~static_cast<std::uint64_t>(exp2(log2_ranks * uniform)));
      }
      default:
        return mixed(i);
    }
  }
};

template <class T>
struct key_of {
  key_word word;

  __host__ __device__ T operator()(std::size_t i) const
  {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if (word.form == shape::low_24_bits) {
      return static_cast<T>(mixed(i) & 0xffffff);
    }
    if (word.form == shape::small) {
      return static_cast<T>(static_cast<int>(mixed(i) % 2001) - (std::is_unsigned<T>::value ? 0 : 1000));
    }
    if (word.form == shape::zeros && mixed(~i) % 8 == 0) {
      return (mixed(i) & 1) != 0 ? T(0) : T(-0.0);
    }
    const std::uint64_t bits = word(i);
    if constexpr (std::is_floating_point<T>::value) {
      return static_cast<T>(static_cast<std::int64_t>(bits ^ sign));
    } else {
      return static_cast<T>((std::is_signed<T>::value ? bits ^ sign : bits) >> (64 - 8 * sizeof(T)));
    }
  }
};

template <>
struct key_of<u64x2> {
  key_word word;

  __host__ __device__ u64x2 operator()(std::size_t i) const { return {word(i), i}; }
};

template <>
struct key_of<u64x4> {
  key_word word;

  __host__ __device__ u64x4 operator()(std::size_t i) const { return {{word(i), i, i + 1, i + 2}}; }
};

}  // namespace

template <class T>
const T* make_keys(comparison& c)
{
  const std::uint64_t n = c.n();
  return c.filled<T>(n, key_of<T>{{shape_of(c.distribution()), ~std::uint64_t{0} / n, n - 1}});
}

runs make_runs(comparison& c, runs_as form)
{
  const std::string& name = c.distribution();
  const std::string prefix = "runs_";
  const run_starts starts{name == "one_run" ? 0 : std::stoull(name.substr(prefix.size()))};
  const std::size_t n = c.n();
  runs result{};
  result.keys = c.filled<std::int32_t>(n, run_key<std::int32_t>{starts});
  if (form == runs_as::flags) {
    result.flags = c.filled<std::uint8_t>(n, run_flag{starts});
  }
  if (form == runs_as::offsets) {
    result.count = static_cast<std::uint32_t>(starts.count(n));
    result.offsets = c.filled<std::uint32_t>(result.count, run_offset{starts});
  }
  return result;
}

template const std::uint8_t* make_keys<std::uint8_t>(comparison&);
template const std::uint16_t* make_keys<std::uint16_t>(comparison&);
template const std::uint32_t* make_keys<std::uint32_t>(comparison&);
template const std::int32_t* make_keys<std::int32_t>(comparison&);
template const std::uint64_t* make_keys<std::uint64_t>(comparison&);
template const std::int64_t* make_keys<std::int64_t>(comparison&);
template const float* make_keys<float>(comparison&);
template const double* make_keys<double>(comparison&);
template const u64x2* make_keys<u64x2>(comparison&);
template const u64x4* make_keys<u64x4>(comparison&);

}  // namespace perf
