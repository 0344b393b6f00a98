// Which memory belongs together: that of a device, until it is reset.
#pragma once

#include <gimbal/simt/config.h>

#include <forward_list>
#include <utility>

GIMBAL_NAMESPACE_BEGIN

namespace simt {

/// A device, and which of its lives: cudaDeviceReset() ends one, and all memory of it is gone. The host executor has
/// one.
struct device_life {
  int device = 0;
  unsigned long long number = 0;  // of its context

  friend bool operator==(const device_life& l, const device_life& r)
  {
    return l.device == r.device && l.number == r.number;
  }
};

/// A T for each life that was asked for, the last one first. That of an ended life stays, and serves nobody: what comes
/// back late is not given to the next.
template <class T>
class of_each_life {
public:
  T& operator[](const device_life& life)
  {
    for (auto& [own_life, own] : all_) {
      if (own_life == life) {
        return own;
      }
    }
    all_.emplace_front(life, T{});
    return all_.front().second;
  }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

private:
  std::forward_list<std::pair<device_life, T>> all_;
};

}  // namespace simt

GIMBAL_NAMESPACE_END
