// Floating-point results are the same bits in every run, whatever else the GPU does meanwhile.
#include <atomic>
#include <chrono>
#include <functional>
#include <gimbal/algorithm/reduce/reduce.cuh>
#include <gimbal/algorithm/scan/reduce_by_key.cuh>
#include <gimbal/algorithm/scan/scan.cuh>
#include <gimbal/algorithm/scan/segmented_scan.cuh>
#include <random>
#include <thread>

#include "gpu_stream.h"
#include "support.h"

namespace reproducible {

namespace algorithm = gimbal::algorithm;
using gimbal::index_type;

using test::stream;

__global__ void stir(unsigned* words, unsigned count, unsigned rounds)
{
  const unsigned all = gridDim.x * blockDim.x;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += all) {
      words[i] = words[i] * 1664525u + round;
    }
  }
}

/// While this lives, another stream runs kernels of changing sizes and lengths, one after the other. Their blocks are
/// small, to fit in beside those of any other kernel.
class load {
public:
  load() : thread_([this] { run(); }) {}
  load(const load&) = delete;
  load& operator=(const load&) = delete;
  ~load()
  {
    is_over_ = true;
    thread_.join();
  }
  unsigned launches() const { return launches_; }

private:
  static constexpr unsigned words = 1u << 24;

  void run()
  {
    const stream own;
    test::device_array<unsigned> memory(words);
    for (std::mt19937 random(3); !is_over_; ++launches_) {
      stir<<<1 + random() % 1000, 64, 0, own.get()>>>(memory.data(), words >> random() % 6, 1 + random() % 3);
      if (cudaStreamSynchronize(own.get()) != cudaSuccess) {
        return;
      }
    }
  }

  std::atomic<bool> is_over_{false};
  std::atomic<unsigned> launches_{0};
  std::thread thread_;
};

__global__ void count_kernel(const unsigned* a, const unsigned* b, unsigned count, unsigned* differences)
{
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    if (a[i] != b[i]) {
      atomicAdd(differences, 1u);
    }
  }
}

/// A two-phase call that writes to `out`, on the given stream.
using call = std::function<gimbal::status(void*, std::size_t&, float* out, cudaStream_t)>;

struct inputs {
  test::device_array<float> values;
  test::device_array<unsigned> keys;        // in runs of about 50
  test::device_array<unsigned char> flags;  // the same runs
  test::device_array<unsigned> keys_out;
  test::device_array<index_type> run_count;
  index_type n;

  static std::vector<float> make_values(std::size_t n)
  {
    std::vector<float> made(n);
    std::mt19937 random(static_cast<unsigned>(n));
    for (float& value : made) {
      value = static_cast<float>(static_cast<int>(random())) * 0.1f;  // sums of either sign are never exact
    }
    return made;
  }
  static std::vector<unsigned char> make_flags(std::size_t n)
  {
    std::vector<unsigned char> made(n);
    std::mt19937 random(7);
    for (unsigned char& flag : made) {
      flag = random() % 50 == 0;
    }
    return made;
  }
  static std::vector<unsigned> make_keys(const std::vector<unsigned char>& heads)
  {
    std::vector<unsigned> made(heads.size());
    for (std::size_t i = 1; i < made.size(); ++i) {
      made[i] = made[i - 1] + heads[i];
    }
    return made;
  }

  explicit inputs(std::size_t size)
      : values(make_values(size)),
        keys(make_keys(make_flags(size))),
        flags(make_flags(size)),
        keys_out(size),
        run_count(1),
        n(static_cast<index_type>(size))
  {
  }
};

/// How many of 100 runs of `run` give other bits than `reference` gives.
unsigned runs_that_differ(const call& reference, const call& run, std::size_t n, const stream& on)
{
  test::device_array<float> first(n);
  test::device_array<float> again(n);
  test::device_array<unsigned> differences(std::vector<unsigned>{0});
  std::size_t bytes = 0;
  std::size_t other_bytes = 0;
  REQUIRE(!reference(nullptr, bytes, nullptr, on.get()));
  REQUIRE(!run(nullptr, other_bytes, nullptr, on.get()));
  bytes = std::max(bytes, other_bytes);
  test::device_array<unsigned char> storage(bytes);
  unsigned differ = 0;
  REQUIRE(!reference(storage.data(), bytes, first.data(), on.get()));
  for (unsigned turn = 0; turn < 100; ++turn) {
    REQUIRE(!run(storage.data(), bytes, again.data(), on.get()));
    count_kernel<<<gimbal::tuning::multiprocessors, 512, 0, on.get()>>>(
      reinterpret_cast<const unsigned*>(first.data()), reinterpret_cast<const unsigned*>(again.data()),
      static_cast<unsigned>(n), differences.data());
    test::check_cuda(cudaStreamSynchronize(on.get()));
    const unsigned counted = differences.to_host()[0];
    differ += counted != 0;
    if (counted != 0) {
      test::raw_fill(differences.data(), 0, sizeof(unsigned));
    }
  }
  return differ;
}

template <class Tuning = void, class Kind>
call scan_of(inputs& in, Kind kind)
{
  return [&in, kind](void* storage, std::size_t& bytes, float* out, cudaStream_t on) {
    return algorithm::scan_plan<Tuning>(kind, in.values.data(), out, in.n, ::cuda::std::plus<>{}, 0.3f)
      .run(storage, bytes, on);
  };
}

template <class Heads>
call segmented_scan_of(inputs& in, Heads heads)
{
  return [&in, heads](void* storage, std::size_t& bytes, float* out, cudaStream_t on) {
    return algorithm::segmented_scan_plan(
             algorithm::inclusive_scan_tag{}, heads, in.values.data(), out, in.n, ::cuda::std::plus<>{},
             gimbal::no_init{}, gimbal::no_totals{})
      .run(storage, bytes, on);
  };
}

call reduce_of(inputs& in)
{
  return [&in](void* storage, std::size_t& bytes, float* out, cudaStream_t on) {
    return algorithm::reduce(storage, bytes, in.values.data(), in.n, out, ::cuda::std::plus<>{}, 0.3f, on);
  };
}

call reduce_by_key_of(inputs& in)
{
  return [&in](void* storage, std::size_t& bytes, float* out, cudaStream_t on) {
    return algorithm::reduce_by_key_plan(
             in.keys.data(), in.values.data(), in.keys_out.data(), out, in.run_count.data(), in.n,
             ::cuda::std::equal_to<>{}, ::cuda::std::plus<>{})
      .run(storage, bytes, on);
  };
}

}  // namespace reproducible

TEST_CASE("floating-point results are the same bits in 100 runs beside another stream's kernels", "[gpu]")
{
  using namespace reproducible;
  const stream on;
  const load beside;
  for (const std::size_t n : {std::size_t{1} << 13, std::size_t{1} << 24}) {
    INFO("n = " << n);
    inputs in(n);
    const std::pair<const char*, call> calls[] = {
      {"reduce", reduce_of(in)},
      {"inclusive scan", scan_of(in, algorithm::inclusive_scan_tag{})},
      {"exclusive scan", scan_of(in, algorithm::exclusive_scan_tag{})},
      {"scan by key",
       segmented_scan_of(in, gimbal::heads_from_keys<const unsigned*, ::cuda::std::equal_to<>>{in.keys.data(), {}})},
      {"segmented scan", segmented_scan_of(in, gimbal::heads_from_flags<const unsigned char*>{in.flags.data()})},
      {"reduce_by_key", reduce_by_key_of(in)}};
    for (const auto& [name, run] : calls) {
      INFO(name);
      const unsigned launches = beside.launches();
      CHECK(runs_that_differ(run, run, n, on) == 0);
      CHECK(beside.launches() > launches);
    }
  }
}

TEST_CASE("another tree gives other bits", "[gpu]")
{
  using namespace reproducible;
  const stream on;
  inputs in(std::size_t{1} << 20);
  const algorithm::inclusive_scan_tag kind{};
  const call other = scan_of<gimbal::tuning::scan<4>>(in, kind);
  CHECK(runs_that_differ(scan_of(in, kind), other, std::size_t{1} << 20, on) == 100);
}
