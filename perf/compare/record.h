// One record of a run: a line of JSON. perf/records.py reads it and describes the fields.
#pragma once

#include <map>
#include <string>

#include "matrix.h"

namespace perf {

/// Microseconds: quartiles of the samples of one side.
struct quartiles {
  double low = 0, median = 0, high = 0;
};

struct timing {
  quartiles stock, gimbal;
  int samples = 0;  // of each side
};

/// What a record says of the machine and the programs, the same for a whole run.
struct setting {
  std::string device, compute_capability, cccl, commit, date;
  int multiprocessors = 0, l2_bytes = 0, driver = 0, cuda = 0;
};

struct record {
  cell what;
  std::uint64_t bytes = 0;     // the least that any implementation must read and write
  std::string bound = "copy";  // the ceiling that bounds it: copy, read or write
  bool has_gimbal = true;      // a ceiling has one side alone
  std::map<std::string, timing> clocks;
  std::string error, skipped;  // at most one is not empty
  double seconds = 0;          // the whole cell took
};

std::string to_json(const record& r, const setting& where);

}  // namespace perf
