// What reductions by key and other algorithms on runs of equal keys are checked by, whatever runs them.
#pragma once

#include "support.h"

namespace runs_checks {

/// What is left of each run.
template <class Key, class Value>
struct runs {
  std::vector<Key> keys;
  std::vector<Value> totals;
  std::vector<Value> firsts;
};

template <class Key, class Value, class Equal, class Op>
runs<Key, Value> reference(const std::vector<Key>& keys, const std::vector<Value>& values, Equal equal, Op op)
{
  runs<Key, Value> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || !equal(keys[i - 1], keys[i])) {
      result.keys.push_back(keys[i]);
      result.totals.push_back(values[i]);
      result.firsts.push_back(values[i]);
    } else {
      const Value total = op(result.totals.back(), values[i]);
      result.totals.pop_back();
      result.totals.push_back(total);
    }
  }
  return result;
}

/// Equality and addition that are not const and see values only by reference, as users' sometimes do.
struct equal {
  template <class T>
  GIMBAL_HOST_DEVICE bool operator()(const T& a, const T& b)
  {
    return a == b;
  }
};
struct add {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& a, const T& b)
  {
    return static_cast<T>(a + b);
  }
};

/// Keys in runs: each is the one before it with probability 1 - 1 / `run`.
template <class T>
std::vector<T> keys_in_runs(std::size_t n, unsigned run)
{
  std::mt19937_64 random(n + run);
  std::vector<T> keys;
  for (std::size_t i = 0; i < n; ++i) {
    keys.push_back(i == 0 || random() % run == 0 ? test::random_value<T>(random) : keys.back());
  }
  return keys;
}

/// The first of an array's items: what lies behind them is left unspecified.
template <class T>
std::vector<T> first_of(test::device_array<T>& array, std::size_t count)
{
  std::vector<T> all = array.to_host();
  REQUIRE(count <= all.size());
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  return all;
}

}  // namespace runs_checks
