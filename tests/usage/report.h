// What a comparison of two policies needs beside the pipeline itself: reading the text, timing, and the table.
#pragma once

#include <thrust/device_vector.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#if GIMBAL_GPU
inline constexpr int repetitions = 15;
inline constexpr std::size_t default_bytes = std::size_t{1} << 31;
inline void wait_for_device() { cudaDeviceSynchronize(); }
#else
inline constexpr int repetitions = 3;
inline constexpr std::size_t default_bytes = std::size_t{1} << 20;
inline void wait_for_device() {}
#endif

/// Times calls and keeps what they computed.
class recorder {
public:
  struct step {
    std::string call;
    std::size_t elements;
    double milliseconds;
    std::vector<char> result;
  };

  explicit recorder(const char* name) : name_(name) {}
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder()
  {
    if (is_terminal_) {
      std::fprintf(stderr, "\r%60s\r", "");
    }
  }

  /// Run `call` once to warm up, then take the median of several runs, each after `prepare`, which is not timed.
  template <class Prepare, class Call>
  void time(const char* call_name, std::size_t elements, Prepare prepare, Call call)
  {
    std::vector<double> times;
    for (int r = 0; r <= repetitions; ++r) {
      show_progress(call_name, r);
      prepare();
      wait_for_device();
      const auto start = std::chrono::steady_clock::now();
      call();
      wait_for_device();
      const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
      if (r > 0) {
        times.push_back(elapsed.count());
      }
    }
    std::sort(times.begin(), times.end());
    steps_.push_back({call_name, elements, times[times.size() / 2], {}});
  }

  template <class T>
  void keep(const char* call_name, const thrust::device_vector<T>& values)
  {
    std::vector<T> copy(values.size());
    thrust::copy(values.begin(), values.end(), copy.begin());
    append(call_name, copy.data(), copy.size() * sizeof(T));
  }
  void keep(const char* call_name, const std::string& text) { append(call_name, text.data(), text.size()); }
  void keep(const char* call_name, unsigned value) { append(call_name, &value, sizeof(value)); }

  const std::vector<step>& steps() const { return steps_; }

private:
  void show_progress(const char* call_name, int repetition) const
  {
    if (is_terminal_) {
      std::fprintf(stderr, "\r%-7s %-36s %2d/%d", name_, call_name, repetition, repetitions);
    } else if (repetition == 0) {
      std::fprintf(stderr, "%s: %s\n", name_, call_name);
    }
  }

  void append(const char* call_name, const void* values, std::size_t bytes)
  {
    for (step& s : steps_) {
      if (s.call == call_name) {
        const char* first = static_cast<const char*>(values);
        s.result.insert(s.result.end(), first, first + bytes);
        return;
      }
    }
    std::fprintf(stderr, "no call named '%s' was timed\n", call_name);
    std::abort();
  }

  const char* name_;
  bool is_terminal_ = isatty(STDERR_FILENO);
  std::vector<step> steps_;
};

/// Fill `text` from the files and folders on the command line, or from CCCL's headers; at most --bytes characters.
inline bool read_text(int argc, char** argv, std::string& text)
{
  namespace fs = std::filesystem;
  std::size_t most = default_bytes;
  std::vector<fs::path> places;
  for (int a = 1; a < argc; ++a) {
    if (std::strcmp(argv[a], "--bytes") == 0 && a + 1 < argc) {
      most = std::strtoull(argv[++a], nullptr, 10);
    } else {
      places.emplace_back(argv[a]);
    }
  }
#ifdef DEFAULT_TEXT
  if (places.empty()) {
    places.emplace_back(DEFAULT_TEXT);
  }
#endif
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    if (fs::is_directory(place)) {
      for (const auto& entry : fs::recursive_directory_iterator(place)) {
        if (entry.is_regular_file()) {
          files.push_back(entry.path());
        }
      }
    } else if (fs::is_regular_file(place)) {
      files.push_back(place);
    } else {
      std::fprintf(stderr, "no such file or folder: %s\n", place.c_str());
      return false;
    }
  }
  std::sort(files.begin(), files.end());
  std::size_t used = 0;
  for (const fs::path& file : files) {
    if (text.size() >= most) {
      break;
    }
    std::ifstream stream(file, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(stream), {});
    ++used;
  }
  text.resize(std::min(text.size(), most));
  if (text.empty()) {
    std::fprintf(stderr, "no text: name a file or a folder\n");
    return false;
  }
  std::printf("Text: %zu characters from %zu files of %zu\n", text.size(), used, files.size());
  return true;
}

/// Print one row per call. True if every result is the same, byte for byte.
inline bool print_comparison(const recorder& stock, const recorder& gimbal)
{
  std::size_t equal = 0;
  std::printf("\n%-36s %10s %10s %10s %7s  %s\n", "call", "elements", "stock ms", "gimbal ms", "ratio", "equal?");
  for (std::size_t s = 0; s < stock.steps().size(); ++s) {
    const recorder::step& a = stock.steps()[s];
    const recorder::step& b = gimbal.steps()[s];
    const bool same = a.elements == b.elements && !a.result.empty() && a.result == b.result;
    equal += same;
    std::printf(
      "%-36s %10zu %10.3f %10.3f %7.2f  %s\n", a.call.c_str(), a.elements, a.milliseconds, b.milliseconds,
      b.milliseconds / a.milliseconds, same ? "yes" : "NO");
  }
  std::printf(
    "\nratio = gimbal / stock, below 1 gimbal is faster; medians of %d runs; results compared byte for byte: %zu of "
    "%zu "
    "equal.\n",
    repetitions, equal, stock.steps().size());
#if GIMBAL_GPU
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, 0);
  std::printf("Both ran on a GPU: %s.\n", properties.name);
#else
  std::printf(
    "No GPU was used: stock ran as sequential loops, gimbal's kernels on the host executor, a checking tool in which\n"
    "every CUDA thread is a fiber. It is not fast; the times say nothing about a GPU.\n");
#endif
  return equal == stock.steps().size();
}
