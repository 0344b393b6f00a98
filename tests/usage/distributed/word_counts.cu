// Finds the most frequent words of a text that is split over all GPUs: words are made on each rank, sorted and counted
// over all.
//
//   word_counts [file]
#include <gimbal/communicator.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

/// The first 16 characters of a word, in the order of the alphabet.
struct word {
  std::uint64_t front;
  std::uint64_t back;
};
struct comes_before {
  HOST_DEVICE bool operator()(const word& a, const word& b) const
  {
    return a.front != b.front ? a.front < b.front : a.back < b.back;
  }
};
struct is_same {
  HOST_DEVICE bool operator()(const word& a, const word& b) const { return a.front == b.front && a.back == b.back; }
};

word packed(const std::string& text)
{
  std::uint64_t halves[2] = {0, 0};
  for (std::size_t i = 0; i < 16; ++i) {
    const unsigned char c = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    halves[i / 8] = halves[i / 8] << 8 | c;
  }
  return {halves[0], halves[1]};
}
std::string unpacked(const word& w)
{
  std::string text;
  for (int i = 0; i < 16; ++i) {
    const char c = static_cast<char>((i < 8 ? w.front : w.back) >> (56 - i % 8 * 8));
    if (c != 0) {
      text += c;
    }
  }
  return text;
}

std::vector<std::string> words_of(const std::string& text)
{
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

int main(int count, char** arguments)
{
  const std::string path = count > 1 ? arguments[1] : __FILE__;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "word_counts: cannot read %s\n", path.c_str());
    return 2;
  }
  const std::vector<std::string> words = words_of({std::istreambuf_iterator<char>(file), {}});
  std::map<std::string, long> expected;
  for (const std::string& w : words) {
    ++expected[w.substr(0, 16)];
  }

  struct counted {
    std::vector<word> words;
    std::vector<long> counts;
  };
  std::map<int, counted> found;
  std::mutex mutex;
  gimbal::run_on_devices([&](gimbal::communicator& ranks) {
    const auto all = gimbal::par.over(ranks);
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<word> part;
    for (std::size_t i = words.size() * rank / size; i < words.size() * (rank + 1) / size; ++i) {
      part.push_back(packed(words[i]));
    }
    thrust::device_vector<word> own(part.begin(), part.end());
    thrust::device_vector<word> distinct(own.size());
    thrust::device_vector<long> counts(own.size());
    thrust::sort(all, own.begin(), own.end(), comes_before{});
    // Of a word that many ranks hold, the rank where it begins has the count.
    const auto ends = thrust::reduce_by_key(
      all, own.begin(), own.end(), thrust::make_constant_iterator(1L), distinct.begin(), counts.begin(), is_same{});
    distinct.resize(static_cast<std::size_t>(ends.first - distinct.begin()));
    counts.resize(distinct.size());
    thrust::stable_sort_by_key(all, counts.begin(), counts.end(), distinct.begin(), thrust::greater<long>());
    counted of_rank{std::vector<word>(distinct.size()), std::vector<long>(counts.size())};
    thrust::copy(distinct.begin(), distinct.end(), of_rank.words.begin());
    thrust::copy(counts.begin(), counts.end(), of_rank.counts.begin());
    const std::lock_guard<std::mutex> lock(mutex);
    found[ranks.rank()] = of_rank;
  });

  std::size_t distinct = 0;
  bool is_right = true;
  for (const auto& [rank, of_rank] : found) {
    for (std::size_t i = 0; i < of_rank.words.size(); ++i, ++distinct) {
      const std::string text = unpacked(of_rank.words[i]);
      is_right = is_right && expected.count(text) == 1 && expected[text] == of_rank.counts[i];
      if (distinct < 10) {
        std::printf("%8ld  %s\n", of_rank.counts[i], text.c_str());
      }
    }
  }
  is_right = is_right && distinct == expected.size();
  std::printf(
    "%zu words, %zu of them distinct, over %zu ranks: %s\n", words.size(), distinct, found.size(),
    is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
