// Connected components by pointer jumping: each vertex takes the least label of its neighbours, then its label's label,
// until no label changes. The neighbours of a vertex are a segment.
#include <thrust/equal.h>
#include <thrust/gather.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

#include <numeric>

#include "program.h"

using vertices = thrust::device_vector<int>;

/// Every vertex is its own neighbour, so none has none.
struct graph {
  vertices offsets, row, neighbour;
};

void components(const graph& g, vertices& label)
{
  const gimbal::segment_offsets rows(g.offsets.begin(), g.offsets.end());
  const auto edges = static_cast<std::ptrdiff_t>(g.neighbour.size());
  vertices least(label.size()), next(label.size());
  thrust::device_vector<bool> changes(label.size());
  thrust::sequence(par, label.begin(), label.end());
  do {
    const auto of_neighbour = thrust::make_permutation_iterator(label.begin(), g.neighbour.begin());
    v::reduce(par, of_neighbour, of_neighbour + edges, rows, least.begin(), v::min<int>());
    v::back_permute(par, least.begin(), least.end(), least.begin(), next.begin());
    v::map(par, next.begin(), next.end(), label.begin(), changes.begin(), thrust::not_equal_to<int>{});
    label.swap(next);
  } while (v::reduce(par, changes.begin(), changes.end(), v::logical_or()));
}

void stock_components(const graph& g, vertices& label)
{
  const auto policy = thrust::device;
  vertices rows(label.size()), least(label.size()), next(label.size());
  thrust::sequence(policy, label.begin(), label.end());
  while (true) {
    const auto of_neighbour = thrust::make_permutation_iterator(label.begin(), g.neighbour.begin());
    thrust::reduce_by_key(
      policy, g.row.begin(), g.row.end(), of_neighbour, rows.begin(), least.begin(), thrust::equal_to<int>{},
      thrust::minimum<int>{});
    thrust::gather(policy, least.begin(), least.end(), least.begin(), next.begin());
    if (thrust::equal(policy, label.begin(), label.end(), next.begin())) {
      return;
    }
    label.swap(next);
  }
}

int main(int argc, char** argv)
{
  // Paths with many short cuts, in places that are mixed up: components of about a thousand vertices.
  const options o = read_options(argc, argv, std::size_t{1} << 22, 2000);
  const int n = static_cast<int>(o.items);
  std::mt19937 random(9);
  std::vector<int> place(o.items), parent(o.items);
  std::iota(place.begin(), place.end(), 0);
  std::iota(parent.begin(), parent.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  std::vector<std::vector<int>> neighbours(o.items);
  const auto root = [&](int x) {
    for (; parent[static_cast<std::size_t>(x)] != x; x = parent[static_cast<std::size_t>(x)]) {
      parent[static_cast<std::size_t>(x)] = parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(x)])];
    }
    return x;
  };
  const auto connect = [&](int i, int j) {
    const int a = place[static_cast<std::size_t>(i)], b = place[static_cast<std::size_t>(j)];
    neighbours[static_cast<std::size_t>(a)].push_back(b);
    neighbours[static_cast<std::size_t>(b)].push_back(a);
    const int ra = root(a), rb = root(b);
    parent[static_cast<std::size_t>(std::max(ra, rb))] = std::min(ra, rb);
  };
  for (int i = 1; i < n; ++i) {
    if (random() % 1000 != 0) {
      connect(i - 1, i);
      if (i >= 50 && root(place[static_cast<std::size_t>(i - 50)]) == root(place[static_cast<std::size_t>(i)])) {
        connect(i - 50, i);
      }
    }
  }
  std::vector<int> offsets, row, neighbour, wanted;
  for (int a = 0; a < n; ++a) {
    offsets.push_back(static_cast<int>(neighbour.size()));
    neighbour.push_back(a);
    const auto& all = neighbours[static_cast<std::size_t>(a)];
    neighbour.insert(neighbour.end(), all.begin(), all.end());
    row.resize(neighbour.size(), a);
    wanted.push_back(root(a));
  }
  const graph g{
    vertices(offsets.begin(), offsets.end()), vertices(row.begin(), row.end()),
    vertices(neighbour.begin(), neighbour.end())};
  vertices label(o.items), stock(o.items);
  const double gimbal_ms = milliseconds([&] { components(g, label); });
  const double stock_ms = milliseconds([&] { stock_components(g, stock); });
  return report(
    "connected components", neighbour.size(), "reduce_by_key, gather", stock_ms, gimbal_ms, on_host(stock) == wanted,
    on_host(label) == wanted);
}
