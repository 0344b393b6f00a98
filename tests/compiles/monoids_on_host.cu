// A user may call monoids on the host, too. nvcc turns a call of a device function there into exit(1), silently where a
// template calls it: so this program is run where it is built, which takes no GPU.
#include <gimbal/scan_vector/monoid.h>

#include <cstdio>

namespace vectors = gimbal::vectors;

struct longer {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

unsigned failures = 0;

void check(bool holds, const char* what)
{
  if (!holds) {
    std::printf("on the host: %s\n", what);
    ++failures;
  }
}

template <class Monoid, class T>
void check_monoid(const char* what, const Monoid& monoid, const T& a, const T& b, const T& both)
{
  check(monoid.op(a, b) == both && monoid.op(monoid.identity, a) == a && monoid.op(a, monoid.identity) == a, what);
}

int main()
{
  check_monoid("plus", vectors::plus<int>(), 3, 4, 7);
  check_monoid("times", vectors::times<double>(), 3.0, 4.0, 12.0);
  check_monoid("max", vectors::max<float>(), 3.0f, 4.0f, 4.0f);
  check_monoid("min", vectors::min<long>(), 3L, 4L, 3L);
  check_monoid("bit_or", vectors::bit_or<unsigned>(), 5u, 3u, 7u);
  check_monoid("bit_and", vectors::bit_and<unsigned>(), 5u, 3u, 1u);
  check_monoid("logical_or", vectors::logical_or(), true, false, true);
  check_monoid("logical_and", vectors::logical_and(), true, false, false);
  check_monoid("make_monoid", vectors::make_monoid(longer{}, 0), 3, 4, 4);
  check(vectors::make_semigroup<int>(longer{}).op(3, 4) == 4, "make_semigroup");
  check(vectors::first<int>().op(3, 4) == 3 && vectors::last<int>().op(3, 4) == 4, "first, last");
  using affine = vectors::affine<int>;
  check_monoid("compose", vectors::compose<int>(), affine{3, 1}, affine{2, 5}, affine{6, 7});
  check(affine{3, 1}(2) == 7, "affine");
  using tuple = thrust::tuple<int, int>;
  const auto fields = vectors::fields(vectors::plus<int>(), vectors::make_monoid(longer{}, 0));
  check_monoid("fields", fields, tuple(1, 2), tuple(3, 4), tuple(4, 4));
  return failures == 0 ? 0 : 2;
}
