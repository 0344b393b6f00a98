// Tests the arguments that calls under a policy refuse, for the calls that Thrust does not have: each is refused
// whatever the number of items, before anything is done, by an exception that names the call.
// device_calls/device_arguments.cu has what the device-wide calls refuse. The other calls have no argument that they
// can recognise as wrong.
#include <gimbal/argsort.h>
#include <gimbal/radix_sort.h>

#include <cstdint>
#include <utility>

#include "thrust_support.h"

namespace call_arguments_test {

using gimbal::par;
using gimbal::simt::instrument::counted;
using gimbal::simt::instrument::point;

struct low_byte {
  GIMBAL_HOST_DEVICE unsigned char operator()(int x) const { return static_cast<unsigned char>(x & 0xff); }
};
struct downwards {
  GIMBAL_HOST_DEVICE auto operator()(int x) const { return gimbal::descending<double>{static_cast<double>(x)}; }
};

const std::size_t counts[] = {0, 1, 2, 3000};

std::vector<long> counted_steps()
{
  return {counted(point::launch), counted(point::fill), counted(point::allocate), counted(point::pinned_allocate)};
}

/// `call(first, last)` throws, whatever it is given, and has done nothing.
template <class Call>
void refuses(const std::string& name, const std::vector<std::size_t>& sizes, Call call)
{
  for (const std::size_t n : sizes) {
    INFO(name << ", n = " << n);
    const std::vector<int> values = test::random_values<int>(n, 5);
    auto x = test::to_device(values);
    const std::vector<long> steps = counted_steps();
    try {
      call(x.begin(), x.end());
      FAIL_CHECK("nothing thrown");
    } catch (const thrust::system_error& error) {
      CHECK(error.code() == gimbal::adaptor::make_error_code(gimbal::simt::error_invalid_value));
      const std::string what = error.what();
      INFO(what);
      CHECK(what.find("gimbal " + name + " of " + std::to_string(n) + " elements of 4 bytes") != std::string::npos);
    }
    CHECK(counted_steps() == steps);
    CHECK(test::to_host(x) == values);
  }
}

template <class Projection>
void refuses_bits(Projection projection, int key_bits)
{
  const std::pair<int, int> ranges[] = {{9, 3}, {-1, 8}, {0, key_bits + 1}, {key_bits + 1, key_bits + 1},
                                        {1, 0}, {-1, -1}};
  for (const auto& range : ranges) {
    INFO("bits from " << range.first << " to " << range.second);
    refuses("radix_sort", {std::begin(counts), std::end(counts)}, [=](auto first, auto last) {
      gimbal::radix_sort(par, first, last, projection, range.first, range.second);
    });
  }
  for (const std::size_t n : counts) {
    INFO("n = " << n);
    auto x = test::to_device(test::random_values<int>(n, 5));
    for (const auto& [begin, end] : {std::pair(0, 0), std::pair(key_bits, key_bits), std::pair(0, key_bits)}) {
      CHECK_NOTHROW(gimbal::radix_sort(par, x.begin(), x.end(), projection, begin, end));
    }
  }
}

TEST_CASE("radix_sort refuses bits that the key does not have, of any number of items")
{
  refuses_bits(low_byte{}, 8);
  refuses_bits(downwards{}, 64);
}

/// An index type is too small for a number of keys, and not for fewer.
template <class Index>
void refuses_keys(std::size_t most)
{
  thrust::device_vector<Index> indices(most + 1000);
  const auto sort = [&](auto first, auto last) { gimbal::argsort(par, first, last, indices.begin()); };
  refuses("argsort", {most + 1, most + 2, most + 1000}, sort);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, most}) {
    auto x = test::to_device(test::random_values<int>(n, 5));
    CHECK_NOTHROW(sort(x.begin(), x.end()));
  }
}

TEST_CASE("argsort refuses more keys than indices of the type can tell apart") { refuses_keys<std::int8_t>(128); }

}  // namespace call_arguments_test
