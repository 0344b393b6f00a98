// Keys with few distinct digits, sorted by compact codes (radix_codes): one step encodes the keys and counts the codes' digits,
// passes sort the codes and the values with them, a last step decodes.
//
// A digit takes a whole pass however few values it has: 64-bit keys of two values that differ in all digits take eight passes. Their
// codes have eight bits and take one. The same holds for all input whose differing bits are few or correlated, as the upper bits
// of small numbers of both signs are. Keys and codes have the same type, so the passes are the same.
//
// Traffic: keys read twice and written twice, besides the passes. Values are not moved, but in place with an odd number of passes.
// Tables are in shared memory, one for each digit of the key.
// Aliasing: in place, codes replace the keys that they are made of, each by the thread that has read it.
#pragma once

#include <gimbal/algorithm/radix_sort/radix_bins.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Order, class Keys, unsigned BlockThreads, unsigned Copies, unsigned Batch>
struct radix_coder {
  using key_type = typename Keys::value_type;
  using bits_type = block::radix_key_bits<key_type>;
  static constexpr unsigned most_passes = block::most_radix_passes<key_type>;
  /// Encoding and decoding cost as much as two passes.
  static constexpr bool is_possible = most_passes > 2;
  static constexpr unsigned most_code_passes = is_possible ? most_passes - 2 : 1;
  using bins = block::radix_bins<BlockThreads, most_code_passes, Copies>;
  using codes_type = radix_codes<most_passes>;
  using state_type = radix_state<most_passes>;

  struct shared {
    typename bins::shared counts;
    bits_type part[most_passes][block::radix_size];  ///< summands of the code or key
    block::digit_range field[most_passes];           ///< of the key or code, that indexes the part
  };

  /// Encodes the keys [first, end); the last launch also finds the position of the first code with each digit.
  template <class Context>
  static GIMBAL_DEVICE void encode(
    Context& ctx, shared& smem, const radix_step& now, const Keys& keys, state_type& state,
    const block::digit_plan& plan, index_type first, index_type end, bool is_last_launch)
  {
    const block::digit_plan code_plan = state.decision.code_plan();
    unsigned shift = 0;
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      set_field(ctx, smem, pass, plan.range(pass), [&](unsigned digit) {
        return static_cast<bits_type>(bits_type{state.codes.number[pass][digit]} << shift);
      });
      shift += state.codes.width(pass);
    }
    bins::clear(ctx, smem.counts, code_plan.passes);
    ctx.sync_block();  // tables are there and all counts are zero
    translate(ctx, smem, keys, now, plan.passes, first, end, [&](const bits_type(&code)[Batch], unsigned count) {
      GIMBAL_NO_UNROLL
      for (unsigned pass = 0; pass < code_plan.passes; ++pass) {
        const block::digit_range range = code_plan.range(pass);
        GIMBAL_UNROLL
        for (unsigned j = 0; j < Batch; ++j) {
          if (j < count) {
            bins::add(ctx, smem.counts, pass, range, code[j]);
          }
        }
      }
    });
    ctx.sync_block();  // all counts of this block are complete
    bins::add_to(ctx, smem.counts, state.bins, code_plan.passes, [](unsigned, unsigned) { return 0u; });
    if (is_last_launch && bins::is_last(ctx, smem.counts, state.arrived_blocks)) {
      for (unsigned pass = 0; pass < code_plan.passes; ++pass) {
        bins::for_each(ctx, smem.counts, state.bins[pass], [&](const block::radix_bin& bin) {
          state.bases[pass][0][bin.digit] = bin.before;
        });
      }
    }
  }

  /// Decodes the codes [first, end).
  template <class Context>
  static GIMBAL_DEVICE void decode(
    Context& ctx, shared& smem, const radix_step& now, const Keys& keys, const codes_type& codes,
    const block::digit_plan& plan, index_type first, index_type end)
  {
    unsigned shift = 0;
    for (unsigned pass = 0; pass < plan.passes; ++pass) {
      set_field(ctx, smem, pass, {shift, codes.width(pass)}, [&](unsigned number) {
        return static_cast<bits_type>(bits_type{codes.digit[pass][number]} << plan.range(pass).shift);
      });
      shift += codes.width(pass);
    }
    ctx.sync_block();  // tables are there
    translate(ctx, smem, keys, now, plan.passes, first, end, [](const bits_type(&)[Batch], unsigned) {});
  }

private:
  template <class Context, class Part>
  static GIMBAL_DEVICE void set_field(
    Context& ctx, shared& smem, unsigned pass, const block::digit_range& field, Part part)
  {
    for (unsigned i = ctx.thread(); i < block::radix_size; i += BlockThreads) {
      smem.part[pass][i] = part(i);
    }
    if (ctx.thread() == 0) {
      smem.field[pass] = field;
    }
  }

  /// Translates and calls `then(made, count)` with the bits of a thread's `count` results.
  template <class Context, class Then>
  static GIMBAL_DEVICE void translate(
    Context& ctx, const shared& smem, const Keys& keys, const radix_step& now, unsigned passes, index_type first,
    index_type end, Then then)
  {
    keys.read(now.source, [&](auto source) {
      keys.write(now.target, [&](auto target) {
        algorithm::for_items_of_launch<Batch>(ctx, first, end, [&](index_type i, index_type stride) {
          bits_type bits[Batch] = {};
          bits_type made[Batch] = {};
          unsigned count = 0;
          GIMBAL_UNROLL
          for (unsigned j = 0; j < Batch; ++j) {
            if (i + j * stride < end) {
              bits[j] = block::distinct_bits<Order>(block::load_as<key_type>(source + (i + j * stride)));
              ++count;
            }
          }
          GIMBAL_NO_UNROLL
          for (unsigned pass = 0; pass < passes; ++pass) {
            const block::digit_range field = smem.field[pass];
            GIMBAL_UNROLL
            for (unsigned j = 0; j < Batch; ++j) {
              made[j] = static_cast<bits_type>(made[j] | smem.part[pass][field.digit_of_ordered(bits[j])]);
            }
          }
          GIMBAL_UNROLL
          for (unsigned j = 0; j < Batch; ++j) {
            if (j < count) {
              const bits_type own = block::own_bits<Order, key_type>(made[j]);
              key_type key;
              std::memcpy(static_cast<void*>(&key), &own, sizeof(key));
              *(target + (i + j * stride)) = key;
            }
          }
          then(made, count);
        });
      });
    });
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
