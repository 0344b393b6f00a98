// Which memory belongs together: that of a device, until it is reset.
#pragma once

#include <gimbal/simt/config.h>

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
  struct entry {
    device_life life;
    T own;
    entry* before;
  };

  of_each_life() = default;
  of_each_life(const of_each_life&) = delete;
  of_each_life& operator=(const of_each_life&) = delete;
  ~of_each_life()
  {
    while (last_ != nullptr) {
      entry* const before = last_->before;
      delete last_;
      last_ = before;
    }
  }

  T& operator[](const device_life& life)
  {
    for (entry* e = last(); e != nullptr; e = e->before) {
      if (e->life == life) {
        return e->own;
      }
    }
    last_ = new entry{life, {}, last_};
    return last_->own;
  }
  entry* last() const { return last_; }

private:
  entry* last_ = nullptr;
};

}  // namespace simt

GIMBAL_NAMESPACE_END
