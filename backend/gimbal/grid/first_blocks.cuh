// The first blocks of a launch as if there were no others: for a step that is a kernel's whole work elsewhere, in a launch whose other
// blocks do what follows. Those may wait for the step, as blocks begin in the order of their numbers (simt::start::in_order).
#pragma once

#include <gimbal/simt/simt.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// The context of a block among the first `count`.
template <class Context>
class first_blocks : public Context {
public:
  GIMBAL_DEVICE first_blocks(const Context& ctx, unsigned count) : Context(ctx), count_(count) {}

  GIMBAL_DEVICE unsigned blocks() const { return count_; }

private:
  unsigned count_;
};

}  // namespace block

GIMBAL_NAMESPACE_END
