// A kernel of the persistent engine alone, without the table that chooses it.
#pragma once

#include <gimbal/grid/launch_plan.h>

#include "support.h"

namespace test {

/// Launches the kernel of a row and waits. False if the device cannot run the kernel, or the kernel not take these
/// arrays.
template <class Row>
bool run_row(Row row)
{
  row.yields = false;  // there is no other
  gimbal::launch_words words(nullptr);
  device_array<char> arrays(row.array_bytes());
  words.own().arrays = arrays.data();
  gimbal::status state;
  const bool is_taken = row.fits && row.takes(words, state);
  if (is_taken) {
    state = row.launch(words);
  }
  INFO((state.step ? state.step : "") << ": " << gimbal::simt::error_string(state.code));
  REQUIRE_FALSE(state);
  REQUIRE_FALSE(gimbal::simt::wait(nullptr, "test"));
  return is_taken;
}

}  // namespace test
