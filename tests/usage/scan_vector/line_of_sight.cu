// Line of sight (Blelloch, page 40): from a tower in the middle of a map rays go to every cell of its edge. Each ray is
// allocated as many slots as it has cells; a cell is seen if it is at a steeper angle than all before it on its ray,
// which is a segmented max scan.
#include <thrust/binary_search.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <cmath>

#include "program.h"

/// A square map and its rays: one to each cell of the edge, all as long as half a side.
struct terrain {
  const float* altitude;
  int side;

  HOST_DEVICE int half() const { return side / 2; }
  HOST_DEVICE index_type rays() const { return 8 * static_cast<index_type>(half()); }

  HOST_DEVICE index_type cell(index_type ray, index_type step) const
  {
    const int h = half();
    const int along = static_cast<int>(ray % (2 * h)) - h;
    const int which = static_cast<int>(ray / (2 * h));
    const int dx = which == 0 ? h : which == 1 ? -along : which == 2 ? -h : along;
    const int dy = which == 0 ? along : which == 1 ? h : which == 2 ? -along : -h;
    const int at = static_cast<int>(step) + 1;
    return static_cast<index_type>(h + rounded(dy * at, h)) * side + h + rounded(dx * at, h);
  }
  /// Steepness of the view to a cell; a division alone, so that it is the same on every machine.
  HOST_DEVICE float operator()(index_type ray, index_type step) const
  {
    const float tower = altitude[static_cast<index_type>(half()) * side + half()] + 25.f;
    return (altitude[cell(ray, step)] - tower) / static_cast<float>(step + 1);
  }

private:
  static HOST_DEVICE int rounded(int a, int b) { return (a < 0 ? 2 * a - b : 2 * a + b) / (2 * b); }
};

struct at_place {
  terrain map;
  const index_type* offsets;
  HOST_DEVICE float operator()(index_type ray_behind, index_type place) const
  {
    return map(ray_behind - 1, place - offsets[ray_behind - 1]);
  }
};
struct is_steeper {
  HOST_DEVICE unsigned char operator()(float angle, float steepest_before) const { return angle > steepest_before; }
};

/// From 0 to 1 without a kink at either end.
float eased(int a, int b)
{
  const float f = static_cast<float>(a) / static_cast<float>(b);
  return f * f * (3 - 2 * f);
}

/// Hills upon hills: noise on grids of ever finer meshes, interpolated.
std::vector<float> make_altitudes(int side)
{
  std::vector<float> altitude(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 0.f);
  std::mt19937 random(7);
  float height = 200;
  for (int mesh = side / 4; mesh >= 4; mesh /= 2, height /= 2.1f) {
    const int posts = side / mesh + 2;
    std::vector<float> post(static_cast<std::size_t>(posts) * static_cast<std::size_t>(posts));
    std::generate(post.begin(), post.end(), [&] { return height * static_cast<float>(random() % 1000) / 1000.f; });
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const float fx = eased(x % mesh, mesh);
        const float fy = eased(y % mesh, mesh);
        const float* p = post.data() + (y / mesh) * posts + x / mesh;
        const float above = p[0] + fx * (p[1] - p[0]);
        const float below = p[posts] + fx * (p[posts + 1] - p[posts]);
        altitude[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x)] +=
          above + fy * (below - above);
      }
    }
  }
  return altitude;
}

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, std::size_t{1} << 24, 8192);
  const int side = 2 * std::max(1, static_cast<int>(std::sqrt(static_cast<double>(o.items) / 8))) + 1;
  const std::vector<float> altitudes = make_altitudes(side);
  const thrust::device_vector<float> altitude(altitudes.begin(), altitudes.end());
  const terrain map{thrust::raw_pointer_cast(altitude.data()), side};
  const thrust::device_vector<index_type> lengths(static_cast<std::size_t>(map.rays()), map.half());
  thrust::device_vector<index_type> offsets(lengths.size()), stock_offsets(lengths.size());
  const auto n = static_cast<std::size_t>(map.rays() * map.half());
  thrust::device_vector<index_type> ray(n);
  thrust::device_vector<float> angle(n), steepest(n);
  thrust::device_vector<unsigned char> seen(n), stock(n);

  const float nothing = -std::numeric_limits<float>::infinity();
  const double gimbal_ms = milliseconds([&] {
    v::allocate(par, lengths.begin(), lengths.end(), offsets.begin());
    const gimbal::segment_offsets rays(offsets.begin(), offsets.end());
    v::expand(par, rays, angle.begin(), angle.end(), map);
    v::scan(par, angle.begin(), angle.end(), rays, steepest.begin(), v::max<float>());
    v::map(par, angle.begin(), angle.end(), steepest.begin(), seen.begin(), is_steeper{});
  });
  const double stock_ms = milliseconds([&] {
    thrust::exclusive_scan(thrust::device, lengths.begin(), lengths.end(), stock_offsets.begin());
    const thrust::counting_iterator<index_type> places(0);
    thrust::upper_bound(
      thrust::device, stock_offsets.begin(), stock_offsets.end(), places, places + static_cast<index_type>(n),
      ray.begin());
    thrust::transform(
      thrust::device, ray.begin(), ray.end(), places, angle.begin(),
      at_place{map, thrust::raw_pointer_cast(stock_offsets.data())});
    thrust::exclusive_scan_by_key(
      thrust::device, ray.begin(), ray.end(), angle.begin(), steepest.begin(), nothing, thrust::equal_to<index_type>{},
      thrust::maximum<float>{});
    thrust::transform(thrust::device, angle.begin(), angle.end(), steepest.begin(), stock.begin(), is_steeper{});
  });

  const terrain host_map{altitudes.data(), side};
  std::vector<unsigned char> wanted, grey(altitudes.size(), 90);
  for (index_type r = 0; r < host_map.rays(); ++r) {
    float most = nothing;
    for (index_type step = 0; step < host_map.half(); ++step) {
      const float a = host_map(r, step);
      wanted.push_back(a > most);
      most = std::max(most, a);
      if (wanted.back()) {
        grey[static_cast<std::size_t>(host_map.cell(r, step))] = 255;
      }
    }
  }
  if (o.image != nullptr) {
    const float highest = *std::max_element(altitudes.begin(), altitudes.end());
    for (std::size_t c = 0; c < grey.size(); ++c) {
      grey[c] = static_cast<unsigned char>(static_cast<float>(grey[c]) * (0.4f + 0.6f * altitudes[c] / highest));
    }
    write_image(o.image, static_cast<std::size_t>(side), static_cast<std::size_t>(side), grey);
  }
  return report(
    "line of sight", n, "upper_bound, exclusive_scan_by_key", stock_ms, gimbal_ms, on_host(stock) == wanted,
    on_host(seen) == wanted);
}
