#include <gimbal/simt/instrument.h>

#include <cstring>
#include <map>
#include <utility>

#include "comparison.h"

namespace perf {

namespace {

// From here on the host submits faster than the device works, and a queue changes nothing.
constexpr int queued_below = 1 << 22;

// Of one clock of one cell. The seconds bound the whole run: a plan's cells, three clocks each, in 2, 10 and 20
// minutes; the least number of samples is what a quartile needs.
constexpr budget quick_budget = {5, 15, 0.03};
constexpr budget standard_budget = {7, 31, 0.06};
constexpr budget full_budget = {5, 21, 0.03};
constexpr int huge = 1 << 29;  // items from which on a single sample may take that long
constexpr int huge_least = 3;

const char* name_of(clock_kind clock)
{
  constexpr const char* names[] = {"device", "queued", "wall"};
  return names[static_cast<unsigned>(clock)];
}

/// By algorithm and type.
std::map<std::pair<std::string, std::string>, compare_function>& registry()
{
  static std::map<std::pair<std::string, std::string>, compare_function> all;
  return all;
}

}  // namespace

implementation::implementation(const char* algorithm, const char* type, compare_function compare)
{
  registry()[{algorithm, type}] = compare;
}

compare_function implementation_of(const row& what)
{
  const auto found = registry().find({what.algorithm, what.type});
  if (found == registry().end()) {
    throw std::logic_error("not implemented in this program");
  }
  return found->second;
}

std::vector<row> implemented()
{
  std::vector<row> found;
  for (const auto& [what, compare] : registry()) {
    found.push_back({what.first, what.second, "", 0});
  }
  return found;
}

budget comparison::allowed() const
{
  if (allowed_.most > 0) {
    return allowed_;
  }
  budget chosen = size_ == plan::quick ? quick_budget : size_ == plan::full ? full_budget : standard_budget;
  if (n() >= huge) {
    chosen.least = huge_least;
  }
  return chosen;
}

void comparison::reset(bool is_stock) const
{
  for (const output_bytes& out : outputs_) {
    void* const memory = is_stock ? out.stock : out.gimbal;
    if (out.source != nullptr) {
      copy(memory, out.source, out.bytes);
    } else {
      poison(memory, out.bytes);
    }
  }
  for (const host_result& out : host_results_) {
    // Different on the two sides: a result that a call fails to return is never equal to the other's.
    std::memset(is_stock ? out.stock : out.gimbal, is_stock ? 0xa5 : 0x5a, out.bytes);
  }
}

/// One untimed run of each side, which also loads the kernels and fills the pools.
void comparison::run_once(const contender& stock, const contender& gimbal)
{
  namespace instrument = ::gimbal::simt::instrument;
  const std::string clock = doing_;
  doing_ = "stock, " + clock;
  stock.reset();
  stock.run();
  PERF_CHECK(cudaDeviceSynchronize());
  doing_ = "gimbal, " + clock;
  gimbal.reset();
  const long launches = instrument::counted(instrument::point::launch);
  gimbal.run();
  const bool is_own = instrument::counted(instrument::point::launch) > launches;
  PERF_CHECK(cudaDeviceSynchronize());
  PERF_CHECK(cudaGetLastError());
  doing_ = clock;
  if (!is_own && !result_.what.what.may_fall_back) {
    throw wrong_result("the call did not run on gimbal's kernels");
  }
}

void comparison::demand_equal()
{
  for (const host_result& out : host_results_) {
    if (std::memcmp(out.stock, out.gimbal, out.bytes) != 0) {
      throw wrong_result("what the call returned differs from stock's");
    }
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const output_bytes& out = outputs_[i];
    const std::size_t bytes = out.compared ? out.compared() : out.bytes;
    if (const std::size_t differences = count_differences(out.stock, out.gimbal, bytes)) {
      throw wrong_result(
        std::to_string(differences) + " of " + std::to_string(bytes) + " bytes of output " + std::to_string(i)
        + " differ from stock's");
    }
  }
}

void comparison::time(clock_kind clock, const contender& stock, const contender* gimbal)
{
  const std::string name = name_of(clock);
  doing_ = name + " clock";
  std::vector<contender> sides{stock};
  if (gimbal != nullptr) {
    sides.push_back(*gimbal);
  }
  const measured taken = watch_.measure(clock, sides, allowed());
  if (taken.samples != 0) {
    result_.clocks[name] = {taken.sides.front(), gimbal != nullptr ? taken.sides.back() : quartiles{}, taken.samples};
  }
}

void comparison::time_all(clock_kind first, const contender& stock, const contender* gimbal)
{
  time(first, stock, gimbal);
  if (first == clock_kind::device && n() < queued_below) {
    time(clock_kind::queued, stock, gimbal);
  }
}

void comparison::measure(clock_kind first, std::function<void()> run_stock, std::function<void()> run_gimbal)
{
  const contender stock{[this] { reset(true); }, std::move(run_stock)};
  const contender gimbal{[this] { reset(false); }, std::move(run_gimbal)};
  doing_ = std::string(name_of(first)) + " clock";
  run_once(stock, gimbal);
  demand_equal();
  time_all(first, stock, &gimbal);
  // Every timed run started from poisoned outputs too: the last ones must be equal as well.
  demand_equal();
}

void comparison::ceiling(std::function<void()> run)
{
  const contender only{[] {}, std::move(run)};
  only.run();
  PERF_CHECK(cudaDeviceSynchronize());
  time_all(clock_kind::device, only, nullptr);
  result_.has_gimbal = false;
}

record comparison::finish()
{
  doing_ = "bytes moved";
  result_.bytes = bytes_ ? bytes_() : 0;
  return result_;
}

}  // namespace perf
