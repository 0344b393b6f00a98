// The plan of the comparison with stock.
#include <iterator>

#include "matrix.h"

namespace perf {

namespace {

/// Distributions that a plan adds to those of the smaller plan.
struct subject {
  const char* algorithm;
  const char* type;
  unsigned item_bytes;
  const char* quick;
  const char* standard;
  const char* full;
};

// By-key forms: runs_m has runs of mean length m. Selecting forms: the share that is selected. An algorithm's first row
// is what a reader should see first.
constexpr subject all_subjects[] = {
  {ceiling_algorithm, "bytes", 4, "copy read write", "", ""},
  {"reduce", "i32", 4, "random", "", ""},
  {"reduce", "i8", 1, "random", "", ""},
  {"reduce", "i16", 2, "", "", "random"},
  {"reduce", "i64", 8, "random", "", ""},
  {"reduce", "f32", 4, "random", "", ""},
  {"reduce", "f64", 8, "random", "", ""},
  {"reduce", "u64x4", 32, "", "random", ""},
  {"reduce_transform", "i32", 4, "", "random", ""},
  {"reduce_transform", "f64", 8, "", "random", ""},
  {"reduce_moments", "u32", 4, "", "random", ""},
  {"reduce_boxes", "i32x3", 12, "", "random", ""},
  {"reduce_max", "i32", 4, "random", "", ""},
  {"inner_product", "i32", 8, "", "random", ""},
  {"inner_product_greatest", "i32", 8, "", "random", ""},
  {"min_element", "i32", 4, "random", "", ""},
  {"arg_min", "i32", 4, "", "random", ""},
  {"arg_max", "u64", 8, "", "", "random"},
  {"transform_reduce", "i32", 4, "", "", "random"},
  {"count_if", "i32", 4, "50%", "", ""},
  {"find", "i32", 4, "random", "", ""},
  {"equal", "i32", 8, "random", "", ""},
  {"exclusive_scan", "i32", 4, "random", "", ""},
  {"exclusive_scan", "i8", 1, "random", "", ""},
  {"exclusive_scan", "i16", 2, "random", "", ""},
  {"exclusive_scan", "i64", 8, "random", "", ""},
  {"exclusive_scan", "f32", 4, "random", "", ""},
  {"exclusive_scan", "f64", 8, "random", "", ""},
  {"exclusive_scan", "u64x4", 32, "", "random", ""},
  {"inclusive_scan_max", "i32", 4, "random", "", ""},
  {"inclusive_scan_max", "u8", 1, "", "random", ""},
  {"inclusive_scan_lambda", "i32", 4, "random", "", ""},
  {"inclusive_scan_matrix", "u32x4", 16, "random", "", ""},
  {"exclusive_scan_transform", "i8", 1, "random", "", ""},
  {"exclusive_scan_counting", "u32", 4, "counting", "", ""},
  {"exclusive_scan_widened", "i32+i64", 12, "", "random", ""},
  {"exclusive_scan_permutation", "i32", 4, "", "scattered", ""},
  {"inclusive_scan_by_key", "i32+i32", 8, "runs_256", "runs_2", "one_run runs_1 runs_16"},
  {"inclusive_scan_by_key", "i32+f32", 8, "", "runs_256", "runs_2"},
  {"inclusive_scan_by_key", "i32+f64", 12, "", "runs_256", "runs_2"},
  {"inclusive_scan_by_key", "i32+i8", 5, "", "runs_256", ""},
  {"inclusive_scan_by_key", "i32+u64x4", 36, "", "runs_256", "runs_2"},
  {"inclusive_scan_by_key_transform", "i32+i32", 8, "", "runs_256", ""},
  {"inclusive_scan_by_key_transform", "i32+f64", 12, "", "runs_256", ""},
  {"inclusive_scan_by_key_rows", "i32", 4, "", "runs_256", ""},
  {"inclusive_scan_by_key_permuted", "i32", 12, "", "scattered", ""},
  {"inclusive_scan_by_key_names", "i32", 12, "", "scattered", ""},
  {"inclusive_scan_by_key_looked_up", "i32", 12, "", "scattered", ""},
  {"segmented_scan_flags", "i32", 5, "runs_256", "runs_2", "one_run runs_1 runs_16"},
  {"segmented_scan_flags", "f32", 5, "", "runs_256", "runs_2"},
  {"segmented_scan_offsets", "i32", 8, "runs_256", "runs_2", "one_run runs_1 runs_16"},
  {"partition_copy", "i32", 4, "50%", "3% 97%", "0% 100%"},
  {"partition_copy", "i8", 1, "50%", "", "3% 97%"},
  {"partition_copy", "i64", 8, "50%", "", "3% 97%"},
  {"copy_if", "i32", 4, "50% 3%", "0% 97% 100%", ""},
  {"copy_if", "i8", 1, "50%", "", "3% 97%"},
  {"copy_if", "i64", 8, "50%", "", "3% 97%"},
  {"copy_if", "u64x4", 32, "", "50%", "3%"},
  {"copy_if", "u64x5", 40, "", "50%", ""},
  {"copy_if_stencil", "i32", 8, "50%", "3% 97%", "0% 100%"},
  {"copy_if_flags", "i32", 5, "50%", "3% 97%", "0% 100%"},
  {"copy_if_listed", "i32", 12, "", "50%", ""},
  {"copy_if_heads", "i32", 4, "", "runs_2", ""},
  {"copy_if_indices", "i32", 4, "", "50%", "3%"},
  {"copy_if_transform", "u32", 4, "", "50%", ""},
  {"stable_partition", "i32", 4, "50%", "3% 97%", "0% 100%"},
  {"stable_partition", "i8", 1, "", "50%", "3% 97%"},
  {"stable_partition", "i64", 8, "50%", "", "3% 97%"},
  {"remove_if", "i32", 4, "50%", "3% 97%", "0% 100%"},
  {"unique_copy", "i32", 4, "runs_2", "runs_256 one_run", "runs_1 runs_16"},
  {"unique_copy_names", "i32", 8, "", "", "scattered"},
  {"unique_by_key_copy", "i32+i32", 8, "runs_2", "runs_256", "one_run runs_1"},
  {"reduce_by_key", "i32+i32", 8, "runs_256", "runs_2 one_run", "runs_1 runs_16"},
  {"reduce_by_key", "i32+f32", 8, "", "runs_256", "runs_2"},
  {"reduce_by_key", "i32+f64", 12, "", "runs_256", "runs_2"},
  {"reduce_by_key", "i32+u64x4", 36, "", "runs_256", "runs_2"},
  {"reduce_by_key", "i32+u64x5", 44, "", "runs_256", ""},
  {"reduce_by_key_transform", "i32+i32", 8, "", "runs_256", "runs_2"},
  {"reduce_by_key_rows", "i32", 4, "", "runs_256", ""},
  {"reduce_by_key_permuted", "i32", 12, "", "", "scattered"},
  {"reduce_by_key_counts", "i32", 4, "", "runs_256", "runs_2"},
  {"reduce_by_key_counts", "u8", 1, "", "runs_256", ""},
  {"run_length_encode", "i32", 4, "", "", "runs_256 runs_2 one_run"},
  {"radix_sort_decomposed", "u16+u32", 8, "", "", "random"},
  {"sort_tuples", "i32x2", 8, "", "random", ""},
  {"sort_tuples_by_key", "i32x2+i32", 12, "", "random", ""},
  {"sort_by_key_zipped", "i32+i32x3", 16, "", "random", ""},
  {"radix_sort", "u32", 4, "random equal two_values", "sorted nearly_sorted reversed low_entropy 24_bit zipf",
   "nearly_reversed"},
  {"radix_sort", "i32", 4, "random", "zipf", "equal sorted reversed two_values low_entropy 24_bit small"},
  {"radix_sort", "u8", 1, "random", "equal", "sorted reversed two_values low_entropy"},
  {"radix_sort", "u16", 2, "random", "equal", "sorted reversed two_values low_entropy zipf"},
  {"radix_sort", "u64", 8, "random equal", "sorted low_entropy 24_bit", "reversed two_values zipf"},
  {"radix_sort", "i64", 8, "", "random", "sorted small"},
  {"radix_sort", "f32", 4, "random", "sorted zeros", "equal reversed two_values small zipf"},
  {"radix_sort", "f64", 8, "random", "sorted", "equal reversed two_values small zeros zipf"},
  {"radix_sort_descending", "u32", 4, "", "random", "sorted reversed"},
  {"radix_sort_descending", "f32", 4, "", "random", "zeros"},
  {"radix_sort_pairs", "u32+u32", 8, "random equal", "sorted nearly_sorted two_values 24_bit zipf",
   "reversed nearly_reversed low_entropy"},
  {"radix_sort_pairs", "u64+u32", 12, "random", "24_bit", "equal sorted zipf"},
  {"radix_sort_pairs", "u32+u64", 12, "random", "24_bit", "equal sorted zipf"},
  {"radix_sort_pairs", "u64+u64", 16, "", "random", "zipf"},
  {"radix_sort_pairs", "u8+u32", 5, "", "random", "equal"},
  {"radix_sort_pairs", "u16+u32", 6, "", "random", "equal reversed two_values zipf"},
  {"radix_sort_pairs", "u32+u32x4", 20, "", "random", "24_bit zipf"},
  {"radix_sort_pairs", "u32+u64x4", 36, "", "random", "zipf"},
  {"radix_sort_between", "u32", 4, "", "random", "24_bit zipf"},
  {"radix_sort_between", "u64", 8, "", "random", ""},
  {"radix_sort_between", "u32+u32", 8, "", "random", "zipf"},
  {"radix_sort_low_bits", "u32", 4, "", "bits_24", "bits_8"},
  {"radix_sort_low_bits", "u32+u32", 8, "", "bits_24", "bits_8"},
  {"argsort", "u32", 8, "random", "sorted", "equal two_values zipf"},
  {"merge_sort", "u32", 4, "random sorted", "equal reversed two_values", "low_entropy zipf"},
  {"merge_sort", "u16", 2, "", "random", ""},
  {"merge_sort", "u64", 8, "random", "sorted", "equal reversed two_values zipf"},
  {"merge_sort", "u64x2", 16, "random", "sorted", "equal reversed two_values zipf"},
  {"merge_sort", "u64x4", 32, "", "random", "sorted zipf"},
};

/// Sorts have paths of their own for some sizes, and gaps between those hid where no power of two is.
constexpr std::uint64_t between_powers[] = {1'000'000, 2'000'000, 3'000'000};
bool is_measured_between_powers(const row& what)
{
  const std::set<std::string> algorithms = {"radix_sort", "radix_sort_pairs", "merge_sort"};
  const std::set<std::string> types = {"u32", "u64", "u32+u32", "u64+u64"};
  return algorithms.count(what.algorithm) != 0 && types.count(what.type) != 0 && what.distribution == "random";
}

std::vector<std::uint64_t> sizes_of(plan size)
{
  if (size == plan::quick) {
    return powers_of_two({10, 13, 16, 18, 20, 22, 24, 26, 28});
  }
  std::vector<std::uint64_t> sizes;
  for (int log2 = 10; log2 <= 30; log2 += size == plan::full ? 1 : 2) {
    sizes.push_back(std::uint64_t{1} << log2);
    if (size == plan::full && log2 >= 14 && log2 < 30) {
      sizes.push_back(std::uint64_t{3} << (log2 - 1));
    }
  }
  return sizes;
}

}  // namespace

const std::uint64_t largest_size = std::uint64_t{1} << 30;  // stock's calls count in 32 bits

std::vector<row> rows(const options& chosen)
{
  const plan size = chosen.size;
  const std::vector<std::uint64_t> sizes = sizes_of(size);
  std::vector<row> found;
  for (const subject& s : all_subjects) {
    std::string distributions = s.quick;
    if (size != plan::quick) {
      distributions += std::string(" ") + s.standard;
    }
    if (size == plan::full) {
      distributions += std::string(" ") + s.full;
    }
    for (const std::string& distribution : split(distributions, ' ')) {
      row made{s.algorithm, s.type, distribution, s.item_bytes, sizes};
      if (is_measured_between_powers(made)) {
        made.sizes.insert(made.sizes.end(), std::begin(between_powers), std::end(between_powers));
      }
      found.push_back(made);
    }
  }
  return found;
}

}  // namespace perf
