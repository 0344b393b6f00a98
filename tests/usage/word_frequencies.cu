// Word frequencies of source text: one pipeline of plain Thrust calls, run with stock's policy and with gimbal's.
// The results are compared byte for byte, the times printed in one table.
//
//   word_frequencies [--bytes N] [files or folders...]
#include <gimbal/gimbal.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "report.h"

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

using character = unsigned char;

HOST_DEVICE inline bool is_digit(character c) { return c >= '0' && c <= '9'; }

// Letters, digits, underscores and the bytes of UTF-8 sequences make words; everything else separates them.
struct is_word_character {
  HOST_DEVICE bool operator()(character c) const
  {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
  }
};

struct is_line_end {
  HOST_DEVICE bool operator()(character c) const { return c == '\n'; }
};

struct line_end_to_one {
  HOST_DEVICE std::uint32_t operator()(character c) const { return c == '\n' ? 1 : 0; }
};

struct starts_word {
  const character* text;
  HOST_DEVICE bool operator()(std::uint32_t i) const
  {
    return is_word_character{}(text[i]) && (i == 0 || !is_word_character{}(text[i - 1]));
  }
};

struct ends_word {
  const character* text;
  std::uint32_t size;
  HOST_DEVICE bool operator()(std::uint32_t i) const
  {
    return is_word_character{}(text[i]) && (i + 1 == size || !is_word_character{}(text[i + 1]));
  }
};

struct length_of {
  HOST_DEVICE std::uint32_t operator()(std::uint32_t first, std::uint32_t last) const { return last - first + 1; }
};

// A word as a sort key: its first eight characters as a big-endian number, zero-padded, and where all of them are.
struct word {
  std::uint64_t prefix;
  std::uint32_t begin;
  std::uint32_t length;
};

struct make_word {
  const character* words;
  HOST_DEVICE word operator()(std::uint32_t begin, std::uint32_t length) const
  {
    std::uint64_t prefix = 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
      prefix = prefix << 8 | (i < length ? words[begin + i] : 0);
    }
    return {prefix, begin, length};
  }
};

struct is_identifier {
  HOST_DEVICE bool operator()(const word& w) const { return !is_digit(static_cast<character>(w.prefix >> 56)); }
};

struct comes_before {
  const character* words;
  HOST_DEVICE bool operator()(const word& a, const word& b) const
  {
    if (a.prefix != b.prefix) {
      return a.prefix < b.prefix;
    }
    for (std::uint32_t i = 8; i < a.length && i < b.length; ++i) {
      if (words[a.begin + i] != words[b.begin + i]) {
        return words[a.begin + i] < words[b.begin + i];
      }
    }
    return a.length < b.length;
  }
};

struct same_word {
  const character* words;
  HOST_DEVICE bool operator()(const word& a, const word& b) const
  {
    if (a.prefix != b.prefix || a.length != b.length) {
      return false;
    }
    for (std::uint32_t i = 8; i < a.length; ++i) {
      if (words[a.begin + i] != words[b.begin + i]) {
        return false;
      }
    }
    return true;
  }
};

struct frequency {
  std::string text;
  std::uint32_t count;
};

// The distinct words as text, not as places in the text: of a run of equal keys reduce_by_key is documented to return
// the first, and Thrust's CUDA backend returns the last. Both spell the same word.
std::string spelled(const thrust::device_vector<character>& packed, const thrust::device_vector<word>& words)
{
  std::vector<character> characters(packed.size());
  thrust::copy(packed.begin(), packed.end(), characters.begin());
  std::vector<word> places(words.size());
  thrust::copy(words.begin(), words.end(), places.begin());
  std::string text;
  for (const word& w : places) {
    text.append(reinterpret_cast<const char*>(characters.data()) + w.begin, w.length);
    text.push_back(' ');
  }
  return text;
}

// The pipeline. Nothing in it knows whose policy it runs with.
template <class Policy>
std::vector<frequency> most_frequent_words(
  const Policy& policy, const thrust::device_vector<character>& text, recorder& record)
{
  using numbers = thrust::device_vector<std::uint32_t>;
  const auto size = static_cast<std::uint32_t>(text.size());
  const character* characters = thrust::raw_pointer_cast(text.data());
  const thrust::counting_iterator<std::uint32_t> positions(0);
  const auto nothing = [] {};

  // How many lines and words there are, and where each word begins and ends.
  std::uint32_t line_count = 0;
  std::uint32_t word_count = 0;
  record.time("count_if (lines)", size, nothing, [&] {
    line_count = static_cast<std::uint32_t>(thrust::count_if(policy, text.begin(), text.end(), is_line_end{}));
  });
  record.time("count_if (words)", size, nothing, [&] {
    word_count =
      static_cast<std::uint32_t>(thrust::count_if(policy, positions, positions + size, starts_word{characters}));
  });
  numbers starts(word_count);
  numbers ends(word_count);
  record.time("copy_if (word starts)", size, nothing, [&] {
    thrust::copy_if(policy, positions, positions + size, starts.begin(), starts_word{characters});
  });
  record.time("copy_if (word ends)", size, nothing, [&] {
    thrust::copy_if(policy, positions, positions + size, ends.begin(), ends_word{characters, size});
  });

  // All words packed one behind the other, and the offset of each.
  numbers lengths(word_count);
  thrust::transform(policy, starts.begin(), starts.end(), ends.begin(), lengths.begin(), length_of{});
  std::uint32_t packed_size = 0;
  std::uint32_t longest = 0;
  record.time("reduce (characters in words)", word_count, nothing, [&] {
    packed_size = thrust::reduce(policy, lengths.begin(), lengths.end(), std::uint32_t{0});
  });
  record.time("max_element (longest word)", word_count, nothing, [&] {
    longest = static_cast<std::uint32_t>(thrust::max_element(policy, lengths.begin(), lengths.end()) - lengths.begin());
  });
  numbers offsets(word_count);
  record.time("exclusive_scan (word offsets)", word_count, nothing, [&] {
    thrust::exclusive_scan(policy, lengths.begin(), lengths.end(), offsets.begin());
  });
  thrust::device_vector<character> packed(packed_size);
  record.time("copy_if (packed words)", size, nothing, [&] {
    thrust::copy_if(policy, text.begin(), text.end(), packed.begin(), is_word_character{});
  });

  // The line of each word, and its position within the line.
  numbers line_of_character(size);
  record.time("transform_inclusive_scan (lines)", size, nothing, [&] {
    thrust::transform_inclusive_scan(
      policy, text.begin(), text.end(), line_of_character.begin(), line_end_to_one{}, thrust::plus<std::uint32_t>{});
  });
  const auto line = thrust::make_permutation_iterator(line_of_character.begin(), starts.begin());
  numbers position_in_line(word_count);
  record.time("exclusive_scan_by_key (position)", word_count, nothing, [&] {
    thrust::exclusive_scan_by_key(
      policy, line, line + word_count, thrust::constant_iterator<std::uint32_t>(1), position_in_line.begin());
  });

  // Identifiers before numbers, then the identifiers in order, each with its position in the text.
  const character* words = thrust::raw_pointer_cast(packed.data());
  thrust::device_vector<word> keys(word_count);
  thrust::device_vector<word> ordered(word_count);
  thrust::transform(policy, offsets.begin(), offsets.end(), lengths.begin(), keys.begin(), make_word{words});
  std::uint32_t identifier_count = 0;
  record.time(
    "stable_partition (identifiers)", word_count,
    [&] { thrust::copy(policy, keys.begin(), keys.end(), ordered.begin()); },
    [&] {
      identifier_count = static_cast<std::uint32_t>(
        thrust::stable_partition(policy, ordered.begin(), ordered.end(), is_identifier{}) - ordered.begin());
    });
  record.keep("stable_partition (identifiers)", ordered);
  thrust::copy(policy, ordered.begin(), ordered.end(), keys.begin());
  numbers places(identifier_count);
  record.time(
    "stable_sort_by_key (words in order)", identifier_count,
    [&] {
      thrust::copy(policy, keys.begin(), keys.begin() + identifier_count, ordered.begin());
      thrust::sequence(policy, places.begin(), places.end());
    },
    [&] {
      thrust::stable_sort_by_key(
        policy, ordered.begin(), ordered.begin() + identifier_count, places.begin(), comes_before{words});
    });

  // How often each occurs, the most frequent first.
  thrust::device_vector<word> distinct(identifier_count);
  numbers counted(identifier_count);
  std::uint32_t distinct_count = 0;
  record.time("reduce_by_key (frequencies)", identifier_count, nothing, [&] {
    const auto result = thrust::reduce_by_key(
      policy, ordered.begin(), ordered.begin() + identifier_count, thrust::constant_iterator<std::uint32_t>(1),
      distinct.begin(), counted.begin(), same_word{words});
    distinct_count = static_cast<std::uint32_t>(result.first - distinct.begin());
  });
  distinct.resize(distinct_count);
  counted.resize(distinct_count);
  record.keep("reduce_by_key (frequencies)", counted);
  numbers counts(distinct_count);
  numbers ranking(distinct_count);
  record.time(
    "stable_sort_by_key (by frequency)", distinct_count,
    [&] {
      thrust::copy(policy, counted.begin(), counted.end(), counts.begin());
      thrust::sequence(policy, ranking.begin(), ranking.end());
    },
    [&] {
      thrust::stable_sort_by_key(
        policy, counts.begin(), counts.end(), ranking.begin(), thrust::greater<std::uint32_t>{});
    });

  record.keep("count_if (lines)", line_count);
  record.keep("count_if (words)", word_count);
  record.keep("copy_if (word starts)", starts);
  record.keep("copy_if (word ends)", ends);
  record.keep("reduce (characters in words)", packed_size);
  record.keep("max_element (longest word)", longest);
  record.keep("exclusive_scan (word offsets)", offsets);
  record.keep("copy_if (packed words)", packed);
  record.keep("transform_inclusive_scan (lines)", line_of_character);
  record.keep("exclusive_scan_by_key (position)", position_in_line);
  record.keep("stable_partition (identifiers)", identifier_count);
  record.keep("stable_sort_by_key (words in order)", ordered);
  record.keep("stable_sort_by_key (words in order)", places);
  record.keep("reduce_by_key (frequencies)", spelled(packed, distinct));
  record.keep("stable_sort_by_key (by frequency)", counts);
  record.keep("stable_sort_by_key (by frequency)", ranking);

  std::vector<frequency> top;
  for (std::uint32_t rank = 0; rank < distinct_count && rank < 20; ++rank) {
    const word w = distinct[ranking[rank]];
    frequency f{std::string(w.length, ' '), counts[rank]};
    thrust::copy(packed.begin() + w.begin, packed.begin() + w.begin + w.length, f.text.begin());
    top.push_back(f);
  }
  return top;
}

int main(int argc, char** argv)
{
  std::string text;
  if (!read_text(argc, argv, text)) {
    return 2;
  }
  const thrust::device_vector<character> characters(text.begin(), text.end());

  recorder stock("stock");
  recorder gimbal("gimbal");
  const std::vector<frequency> stock_top = most_frequent_words(thrust::device, characters, stock);
  const std::vector<frequency> gimbal_top = most_frequent_words(gimbal::par, characters, gimbal);

  std::printf("\nThe most frequent identifiers of %zu characters:\n", text.size());
  for (std::size_t rank = 0; rank < gimbal_top.size(); ++rank) {
    std::printf("%4zu. %-32s %8u\n", rank + 1, gimbal_top[rank].text.c_str(), gimbal_top[rank].count);
  }
  return print_comparison(stock, gimbal) ? 0 : 1;
}
