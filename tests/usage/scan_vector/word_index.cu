// A word index of a text: for each word (by its first eight characters) how often it occurs and on which line first.
// The text is a file, or is generated here.
#include <gimbal/argsort.h>
#include <thrust/copy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <map>

#include "program.h"

template <class T>
using vector = thrust::device_vector<T>;
using text_place = std::uint32_t;
using word_key = std::uint64_t;

HOST_DEVICE inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct begins_word {
  const char* text;
  HOST_DEVICE unsigned char operator()(text_place i) const
  {
    return is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
  }
};
struct ends_line {
  HOST_DEVICE unsigned char operator()(char c) const { return c == '\n'; }
};
struct key_of {
  const char* text;
  text_place size;
  HOST_DEVICE word_key operator()(text_place begin) const
  {
    word_key k = 0;
    for (text_place i = begin; i < begin + 8; ++i) {
      const bool is_inside = k % 256 != 0 || i == begin;
      k = k << 8 | static_cast<unsigned char>(is_inside && i < size && is_letter(text[i]) ? text[i] : '\0');
    }
    return k;
  }
};
struct differs {
  HOST_DEVICE unsigned char operator()(word_key a, word_key b) const { return a != b; }
};
using entry = thrust::tuple<text_place, text_place>;  // how often, the first line
struct join {
  HOST_DEVICE entry operator()(const entry& a, const entry& b) const
  {
    return entry(
      thrust::get<0>(a) + thrust::get<0>(b),
      thrust::get<1>(b) < thrust::get<1>(a) ? thrust::get<1>(b) : thrust::get<1>(a));
  }
};

struct index_of_words {
  vector<word_key> words;
  vector<text_place> occurrences, first_line;
};

void make_index(const vector<char>& text, index_of_words& index)
{
  const auto size = static_cast<text_place>(text.size());
  const char* const characters = thrust::raw_pointer_cast(text.data());
  const thrust::counting_iterator<text_place> places(0);
  const auto begins = thrust::make_transform_iterator(places, begins_word{characters});
  vector<text_place> line(size), starts(size), order;
  v::enumerate(
    par, thrust::make_transform_iterator(text.begin(), ends_line{}),
    thrust::make_transform_iterator(text.end(), ends_line{}), line.begin());
  const auto n = static_cast<std::size_t>(v::pack(par, places, places + size, begins, starts.begin()) - starts.begin());
  vector<word_key> keys(n), sorted(n), before(n);
  vector<unsigned char> heads(n, 1);
  order.resize(n);
  v::map(par, starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(n), keys.begin(), key_of{characters, size});
  gimbal::argsort(par, keys.begin(), keys.end(), order.begin());
  v::back_permute(par, order.begin(), order.end(), keys.begin(), sorted.begin());
  v::shift(par, sorted.begin(), sorted.end(), before.begin(), 1, word_key{0});
  v::map(par, sorted.begin(), sorted.end(), before.begin(), heads.begin(), differs{});

  // Of each word's segment: ones summed, the least line; and its key once.
  index.words.resize(n);
  index.words.resize(static_cast<std::size_t>(
    v::pack(par, sorted.begin(), sorted.end(), heads.begin(), index.words.begin()) - index.words.begin()));
  index.occurrences.resize(index.words.size());
  index.first_line.resize(index.words.size());
  const auto lines =
    thrust::make_permutation_iterator(line.begin(), thrust::make_permutation_iterator(starts.begin(), order.begin()));
  const auto entries = thrust::make_zip_iterator(thrust::constant_iterator<text_place>(1), lines);
  v::reduce(
    par, entries, entries + static_cast<std::ptrdiff_t>(n), heads.begin(),
    thrust::make_zip_iterator(index.occurrences.begin(), index.first_line.begin()),
    v::fields(v::plus<text_place>(), v::min<text_place>()));
}

void stock_index(const vector<char>& text, index_of_words& index)
{
  const auto policy = thrust::device;
  const auto size = static_cast<text_place>(text.size());
  const char* const characters = thrust::raw_pointer_cast(text.data());
  const thrust::counting_iterator<text_place> places(0);
  const auto ends = thrust::make_transform_iterator(text.begin(), ends_line{});
  vector<text_place> line(size), starts(size);
  thrust::exclusive_scan(policy, ends, ends + size, line.begin(), text_place{0});
  const auto end = thrust::copy_if(policy, places, places + size, starts.begin(), begins_word{characters});
  starts.resize(static_cast<std::size_t>(end - starts.begin()));
  vector<word_key> keys(starts.size());
  thrust::transform(policy, starts.begin(), starts.end(), keys.begin(), key_of{characters, size});
  thrust::stable_sort_by_key(policy, keys.begin(), keys.end(), starts.begin());
  index.words.resize(keys.size());
  index.occurrences.resize(keys.size());
  index.first_line.resize(keys.size());
  const auto entries = thrust::make_zip_iterator(
    thrust::constant_iterator<text_place>(1), thrust::make_permutation_iterator(line.begin(), starts.begin()));
  const auto last = thrust::reduce_by_key(
    policy, keys.begin(), keys.end(), entries, index.words.begin(),
    thrust::make_zip_iterator(index.occurrences.begin(), index.first_line.begin()), thrust::equal_to<word_key>{},
    join{});
  index.words.resize(static_cast<std::size_t>(last.first - index.words.begin()));
  index.occurrences.resize(index.words.size());
  index.first_line.resize(index.words.size());
}

int main(int argc, char** argv)
{
  const options o = read_options(argc, argv, std::size_t{1} << 26, 20000);
  std::string text;
  for (const char* file : o.files) {
    std::ifstream stream(file, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(stream), {});
  }
  std::mt19937 random(8);
  while (o.files.empty() && text.size() < o.items) {
    for (std::uint32_t word = static_cast<std::uint32_t>(random() % 1000 * (random() % 1000)) + 1; word > 0;
         word /= 20) {
      text.push_back(static_cast<char>('a' + word % 20));
    }
    text.push_back(random() % 8 == 0 ? '\n' : ' ');
  }
  std::map<word_key, std::pair<text_place, text_place>> wanted;
  text_place line = 0;
  for (text_place i = 0; i < text.size(); ++i) {
    if (begins_word{text.data()}(i)) {
      auto& found =
        wanted.try_emplace(key_of{text.data(), static_cast<text_place>(text.size())}(i), 0, line).first->second;
      ++found.first;
    }
    line += text[i] == '\n';
  }
  const vector<char> characters(text.begin(), text.end());
  index_of_words index, stock;
  const double gimbal_ms = milliseconds([&] { make_index(characters, index); });
  const double stock_ms = milliseconds([&] { stock_index(characters, stock); });
  const auto is_right = [&](const index_of_words& made) {
    const auto words = on_host(made.words);
    const auto occurrences = on_host(made.occurrences), lines = on_host(made.first_line);
    std::size_t w = 0;
    for (const auto& [word, found] : wanted) {
      if (w == words.size() || words[w] != word || occurrences[w] != found.first || lines[w] != found.second) {
        return false;
      }
      ++w;
    }
    return w == words.size();
  };
  return report(
    "word index", text.size(), "copy_if, sort_by_key, reduce_by_key", stock_ms, gimbal_ms, is_right(stock),
    is_right(index));
}
