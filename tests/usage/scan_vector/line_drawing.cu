// Line drawing (Blelloch, page 50): each line is allocated as many slots as it has pixels, and each slot computes its
// pixel from its line and its distance along it.
#include <thrust/binary_search.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <cmath>
#include <utility>

#include "program.h"

constexpr int width = 2048;
constexpr int height = 2048;

struct line {
  short x0, y0, x1, y1;
};

HOST_DEVICE inline int longer_side(const line& l)
{
  const int dx = l.x1 > l.x0 ? l.x1 - l.x0 : l.x0 - l.x1;
  const int dy = l.y1 > l.y0 ? l.y1 - l.y0 : l.y0 - l.y1;
  return dx > dy ? dx : dy;
}

struct pixels_of {
  HOST_DEVICE index_type operator()(const line& l) const { return longer_side(l) + 1; }
};

/// Pixel `step` of a line, rounded to the nearest; by whole numbers, so that it is the same everywhere.
struct pixel_at {
  const line* lines;

  static HOST_DEVICE int between(int from, int to, int step, int steps)
  {
    return steps == 0 ? from : (2 * (from * (steps - step) + to * step) + steps) / (2 * steps);
  }
  HOST_DEVICE std::uint32_t operator()(index_type number, index_type step) const
  {
    const line l = lines[number];
    const int steps = longer_side(l);
    const int at = static_cast<int>(step);
    return static_cast<std::uint32_t>(between(l.y0, l.y1, at, steps) * width + between(l.x0, l.x1, at, steps));
  }
};

struct pixel_of_place {
  pixel_at pixel;
  const index_type* offsets;
  HOST_DEVICE std::uint32_t operator()(index_type line_behind, index_type place) const
  {
    return pixel(line_behind - 1, place - offsets[line_behind - 1]);
  }
};

/// A wave seen from above one corner, as the lines of a square net: about `count` of them.
std::vector<line> wave(std::size_t count)
{
  const int knots = std::max(2, static_cast<int>(std::sqrt(static_cast<double>(count) / 2)) + 1);
  const auto point = [&](int i, int j) {
    const double x = 2.0 * i / (knots - 1) - 1;
    const double y = 2.0 * j / (knots - 1) - 1;
    const double r = 20 * std::sqrt(x * x + y * y);
    const double z = r == 0 ? 1 : std::sin(r) / r;
    return std::pair<short, short>(
      static_cast<short>(width * (0.5 + 0.24 * (x - y))),
      static_cast<short>(height * (0.55 + 0.14 * (x + y) - 0.3 * z)));
  };
  std::vector<line> lines;
  for (int i = 0; i < knots; ++i) {
    for (int j = 0; j < knots; ++j) {
      const auto [x, y] = point(i, j);
      if (i + 1 < knots) {
        lines.push_back({x, y, point(i + 1, j).first, point(i + 1, j).second});
      }
      if (j + 1 < knots) {
        lines.push_back({x, y, point(i, j + 1).first, point(i, j + 1).second});
      }
    }
  }
  return lines;
}

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, 1000000, 300);
  const std::vector<line> lines = wave(o.items);
  std::vector<std::uint32_t> wanted;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    for (int step = 0; step <= longer_side(lines[l]); ++step) {
      wanted.push_back(pixel_at{lines.data()}(static_cast<index_type>(l), step));
    }
  }
  const thrust::device_vector<line> input(lines.begin(), lines.end());
  const pixel_at pixel{thrust::raw_pointer_cast(input.data())};
  thrust::device_vector<index_type> lengths(lines.size()), offsets(lines.size()), owner;
  thrust::device_vector<std::uint32_t> pixels, stock;

  const double gimbal_ms = milliseconds([&] {
    v::map(par, input.begin(), input.end(), lengths.begin(), pixels_of{});
    const index_type n = v::allocate(par, lengths.begin(), lengths.end(), v::with_total(offsets.begin()));
    pixels.resize(static_cast<std::size_t>(n));
    v::expand(par, gimbal::segment_offsets(offsets.begin(), offsets.end()), pixels.begin(), pixels.end(), pixel);
  });
  const double stock_ms = milliseconds([&] {
    thrust::transform(thrust::device, input.begin(), input.end(), lengths.begin(), pixels_of{});
    thrust::exclusive_scan(thrust::device, lengths.begin(), lengths.end(), offsets.begin());
    const index_type n = offsets.back() + lengths.back();
    owner.resize(static_cast<std::size_t>(n));
    stock.resize(static_cast<std::size_t>(n));
    const thrust::counting_iterator<index_type> places(0);
    thrust::upper_bound(thrust::device, offsets.begin(), offsets.end(), places, places + n, owner.begin());
    thrust::transform(
      thrust::device, owner.begin(), owner.end(), places, stock.begin(),
      pixel_of_place{pixel, thrust::raw_pointer_cast(offsets.data())});
  });
  if (o.image != nullptr) {
    std::vector<unsigned char> grey(std::size_t{width} * height, 255);
    for (const std::uint32_t p : on_host(pixels)) {
      grey[p] = 0;
    }
    write_image(o.image, width, height, grey);
  }
  return report(
    "line drawing", wanted.size(), "exclusive_scan, upper_bound, transform", stock_ms, gimbal_ms,
    on_host(stock) == wanted, on_host(pixels) == wanted);
}
