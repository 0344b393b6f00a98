// Radix sort of what all blocks that run at the same time can hold, in one launch. Where some of them have not begun, as other kernels
// hold a part of the GPU, those that have sort all the same, by digits alone (radix_resident_rounds.cuh). All do as follows.
// Each block has a fixed part of the places and, in each pass, ranks the keys that stand there by a digit
// (collective/radix_rank.cuh), tells all other blocks how many it has of every digit and learns their numbers
// (algorithm/radix_sort/radix_census.cuh), and writes its keys, one digit after the other, to where they belong (radix_resident_pass.cuh).
// When all blocks have done so, each loads its places anew. No histogram goes before: what a pass must know of all keys is
// found in the pass. A digit that is the same in all keys moves nothing.
//
// Many keys of 4 or 8 bytes are looked at by all blocks together first (algorithm/radix_sort/radix_survey.cuh):
//   * Those in order (radix_order.cuh) are copied, and no more.
//   * Those evenly distributed, whatever their range, take one pass, by their places on a line, to buckets of which each block
//     puts one in order (radix_resident_buckets.cuh). A block whose bucket turns out crowded sorts that by digits, alone.
//   * All others are sorted by how far they are from the least one: by as few digits as that takes. (Floating-point keys, of which two
//     zeros are alike, by themselves, without the leading bits that they share.)
// Of smaller keys blocks learn with the first counts whether they are in order, unless one pass moves them to where they belong.
//
// Order: stable. Traffic for p digits that differ: keys 3p times and values 2p times, mostly within the L2 cache; in buckets,
// keys 7 times and values 4 times. Launches: 1. Progress: blocks wait for members of a team (grid/team.cuh) alone, which have begun.
// Storage: as of passes, and words kept for the stream.
// In place: the first digit that differs goes to the buffer; where the last one ends there, too, it is copied back.
// Memory order: a block writes to the place that it read a pass before, or to a new one. All blocks have joined in between, so what
// is read has been written before, and nothing is overwritten that is still to be read. A block that sorts alone reads and writes
// its own places.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>

#include <gimbal/algorithm/radix_sort/radix_resident_buckets.cuh>
#include <gimbal/algorithm/radix_sort/radix_resident_rounds.cuh>
#include <gimbal/algorithm/radix_sort/radix_step.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

/// What the keys are sorted by.
enum class resident_way {
  digits,
  buckets,  ///< places, and then bucket by bucket
  ends      ///< the two of the line of places, if there are no other keys
};

template <class Shape, class Order, class Keys, class Values>
struct radix_resident_sort_kernel : radix_resident_buckets<Shape, Order, Keys, Values> {
  using buckets = radix_resident_buckets<Shape, Order, Keys, Values>;
  using pass = typename buckets::pass;
  using typename pass::bits_type;
  using typename pass::key_type;
  using typename pass::line_type;
  using typename pass::ranking;
  using typename pass::share;
  using typename pass::shared;
  using findings = typename pass::survey_type::findings;
  using order_type = Order;
  using by_rounds = radix_resident_rounds<radix_resident_sort_kernel>;
  /// Whether keys are looked at before it is known who belongs to the team: others may have overwritten them then.
  static constexpr bool guesses = simt::may_load_on_a_guess && Keys::is_plain_input;
  static constexpr unsigned resident_blocks = 1;
  using pass::block_threads;
  using pass::can_spread;
  using pass::chunk;
  using pass::digits_per_thread;
  using pass::has_values;
  static constexpr unsigned look_from_items = can_spread ? Shape::look_from_items : Shape::order_from_items;

  using pass::census;
  using pass::count;
  using pass::keys;
  using pass::plan;
  using pass::values;
  unsigned held;  ///< items of a thread, whole chunks
  sort_aliasing aliasing;
  bool looks_first;  ///< at all keys, before any is moved or with the first counts
  block::team team = {};

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned order = ctx.thread() == 0 ? team.join(ctx) : 0;
    const auto all = block::team_place::of_all(ctx);
    clear_notes(ctx, smem);
    if (!guesses && !has_begun(ctx, smem, order)) {
      return by_rounds{*this, smem.place}.sort(ctx, smem);
    }
    sorting now{plan, 0, share_of(all.number), sort_place::input};
    block::digit_plan digits = plan;
    resident_way way = resident_way::digits;
    unsigned round = 0;
    if constexpr (can_spread) {
      if (looks_first) {
        const findings own = look(ctx, now.own);
        if (guesses && !has_begun(ctx, smem, order)) {
          return by_rounds{*this, smem.place}.sort(ctx, smem);
        }
        const findings found = this->survey.collect(ctx, smem.survey, own);
        reopen_team(ctx);
        if ((found.seen & seen_out_of_order) == 0) {
          return copy_all(ctx, sort_place::input, 0);
        }
        now.least = leave_common_bits_out(found, digits);
        way = find_way(ctx, smem, found);
        now.plan = digits;
        now.plan.passes = way == resident_way::ends ? 1 : digits.passes;
      }
    }
    const bool by_votes_alone = !Shape::ranks_by_additions || (!has_values && this->is_by_range);
    bool by_votes = by_votes_alone;
    unsigned turn = 0;
    for (unsigned digit_number = 0; way == resident_way::buckets || digit_number < now.plan.passes;) {
      const auto with_digit = [&](auto f) {
        if constexpr (can_spread) {
          if (way != resident_way::digits) {
            return f(line_type{smem.line});
          }
        }
        f(radix_digit_of_bits<Order, key_type>{now.plan.range(digit_number), now.least});
      };
      unsigned totals[digits_per_thread];
      unsigned starts[digits_per_thread] = {};
      const bool looks = can_spread ? way == resident_way::ends : looks_first && turn == 0;
      with_digit([&](const auto& digit) { this->rank_keys(ctx, smem, now.own, now.source, digit, looks, by_votes); });
      ctx.sync_block();  // the counts of all warps are there
      if (guesses && turn == 0 && !(can_spread && looks_first) && !has_begun(ctx, smem, order)) {
        return by_rounds{*this, smem.place}.sort(ctx, smem);
      }
      ranking::sum_warps(ctx, smem.rank, totals);
      with_digit([&](const auto& digit) { this->note_own(ctx, smem, now.own, digit, totals); });
      const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
      ctx.sync_block();  // the sums of all warps' digits are there
      tell(ctx, smem, now, turn, looks);
      ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
      ctx.sync_block();  // every digit's start is there for every warp
      with_digit([&](const auto& digit) { this->gather_items(ctx, smem, now.own, now.source, digit); });
      learn(ctx, smem, now, turn, looks);
      ctx.sync_block();  // the counts and notes of all blocks and the items are there
      if (turn == 0) {
        reopen_team(ctx);
      }
      if (!can_spread && looks && smem.census.noted == 0) {
        return copy_all(ctx, sort_place::input, 0);  // in order
      }
      this->set_targets(ctx, smem, now.own, turn, starts);
      if constexpr (can_spread) {
        const bool fails = way == resident_way::ends      ? smem.census.noted != 0
                           : way == resident_way::buckets ? !this->find_buckets(ctx, smem, turn)
                                                          : false;
        if (fails) {
          way = resident_way::digits;
          now.plan = digits;
          ++turn;
          continue;
        }
      }
      if (smem.constant_pass != turn + 1 || is_only_move(now)) {
        const sort_place target =
          way == resident_way::buckets ? sort_place::buffer : target_of(now.source, now.plan.passes);
        with_digit([&](const auto& digit) { this->store_items(ctx, smem, now.own, target, digit, turn); });
        ctx.sync_block();  // every thread has judged
        if (!by_votes && smem.unstable_pass == turn + 1) {
          by_votes = true;
          continue;
        }
        now.source = target;
        if (way != resident_way::buckets && is_done(now, digit_number + 1)) {
          return;
        }
        if (!now.own.is_alone) {
          census.join(ctx, turn, all);
        }
      }
      ++turn;
      by_votes = by_votes_alone;
      digit_number += way == resident_way::buckets ? 0 : 1;
      if constexpr (can_spread) {
        const bool is_bucket_done = now.own.is_alone && digit_number == now.plan.passes;
        if (is_bucket_done) {
          this->copy_own(ctx, now.own, now.source);
        }
        if (way == resident_way::buckets || is_bucket_done) {
          if (this->sort_buckets(ctx, smem, round, now.own)) {
            return;
          }
          now.source = sort_place::buffer;
          digit_number = 0;
        }
      }
      way = resident_way::digits;
    }
    copy_all(ctx, now.source, turn - 1);
  }

  /// Of the block of that number.
  GIMBAL_DEVICE share share_of(unsigned block) const
  {
    const unsigned most = held * block_threads;
    const unsigned first = block * most;
    return {first, count - first < most ? count - first : most, held, false};
  }

  /// Two places in turn. The input is read only.
  GIMBAL_DEVICE sort_place target_of(sort_place source, unsigned passes) const
  {
    switch (source) {
      case sort_place::input:
        return aliasing.in_place || passes % 2 == 0 ? sort_place::buffer : sort_place::output;
      case sort_place::buffer:
        return sort_place::output;
      default:
        return sort_place::buffer;
    }
  }

private:
  /// What is left to be sorted, and where it is.
  struct sorting {
    block::digit_plan plan;
    bits_type least;  ///< ordered bits that are taken from those of each key
    share own;
    sort_place source;
  };

  template <class Context>
  static GIMBAL_DEVICE void clear_notes(Context& ctx, shared& smem)
  {
    if (ctx.thread() == 0) {
      smem.constant_pass = 0;
      smem.unstable_pass = 0;
      smem.crowded_pass = 0;
      smem.seen = 0;
      smem.census.noted = 0;
    }
    ctx.sync_block();  // all notes are clear before the first is made
  }

  /// Whether all blocks have: asked before the first word of another one is waited for, or written.
  template <class Context>
  GIMBAL_DEVICE bool has_begun(Context& ctx, shared& smem, unsigned order) const
  {
    if (ctx.thread() == 0) {
      smem.place = team.wait(ctx, order);
    }
    ctx.sync_block();  // the team is known
    return smem.place.members == ctx.blocks();
  }

  /// When something of every block is there, all of which are members.
  template <class Context>
  GIMBAL_DEVICE void reopen_team(Context& ctx) const
  {
    if (ctx.block() == 0 && ctx.thread() == 0) {
      team.reopen(ctx, block::team_place::of_all(ctx));
    }
  }

  /// Whether all blocks have put everything where it belongs.
  GIMBAL_DEVICE static bool is_done(const sorting& now, unsigned passes)
  {
    return !now.own.is_alone && passes == now.plan.passes && now.source == sort_place::output;
  }

  /// Items that are in shared memory are written from there, where a copy of the input would follow.
  GIMBAL_DEVICE bool is_only_move(const sorting& now) const
  {
    return now.plan.passes == 1 && now.source == sort_place::input && !aliasing.in_place;
  }

  /// At the block's own keys.
  template <class Context>
  GIMBAL_DEVICE findings look(Context& ctx, const share& own) const
  {
    findings found;
    unsigned seen = 0;
    key_type row[chunk];
    this->load_keys(ctx, own, sort_place::input, 0, key_type{}, row);
    GIMBAL_NO_UNROLL
    for (unsigned item = 0; item < own.held; item += chunk) {
      const unsigned mine = this->position(ctx, own, item);
      key_type key[chunk];
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        key[i] = row[i];
      }
      if (item + chunk < own.held) {
        this->load_keys(ctx, own, sort_place::input, item + chunk, key_type{}, row);
      }
      bool has_joined_zero = false;
      GIMBAL_UNROLL
      for (unsigned i = 0; i < chunk; ++i) {
        if (mine + i * simt::warp_threads < own.count) {
          found.add(block::ordered_bits<Order>(key[i]));
          has_joined_zero = has_joined_zero || block::is_joined_zero<Order>(key[i]);
        }
      }
      seen |= has_joined_zero ? seen_joined_zero : 0;
      if (item == 0) {
        found.equals = count_equals(ctx, key[0], mine < own.count);
      }
      if ((seen & seen_out_of_order) == 0) {
        keys.read(sort_place::input, [&](auto from) {
          seen |= look_at_order<Order>(ctx, from, static_cast<index_type>(own.first) + mine, count, plan, key);
        });
      }
    }
    found.seen = seen;
    return found;
  }

  /// 1 for each lane whose key another one below it has.
  template <class Context>
  static GIMBAL_DEVICE unsigned count_equals(Context& ctx, const key_type& key, bool exists)
  {
    const unsigned peers = ctx.match_any(block::ordered_bits<Order>(key)) & ctx.ballot(exists);
    return exists && (peers & ((1u << ctx.lane()) - 1)) != 0 ? 1 : 0;
  }

  /// Leading ones that no digit needs to tell apart. Returns what is to be taken from each key's before.
  GIMBAL_DEVICE bits_type leave_common_bits_out(const findings& found, block::digit_plan& left) const
  {
    const bits_type least = this->is_by_range || pass::is_floating ? 0 : found.least();
    const auto end =
      simt::bit_width(static_cast<bits_type>(least != 0 ? found.last - least : found.least() ^ found.last));
    const unsigned bits = end > left.begin_bit ? end - left.begin_bit : 0;
    if (bits < left.bits) {
      left.bits = bits;
      left.passes = bits == 0 ? 1 : (bits + block::radix_bits - 1) / block::radix_bits;
    }
    return least;
  }

  /// Places have to tell all keys apart that are.
  template <class Context>
  GIMBAL_DEVICE resident_way find_way(Context& ctx, shared& smem, const findings& found) const
  {
    // Each warp has compared a row of keys, 496 pairs. So many are equal if each key is there `most_copies` times, and a few
    // by chance. Of two keys nearly all are.
    constexpr unsigned pairs = simt::warp_threads * (simt::warp_threads - 1) / 2;
    constexpr unsigned warps = block_threads / simt::warp_threads;
    const unsigned most_equals = 4 + Shape::most_copies * pairs * warps * ctx.blocks() / count;
    const bool has_equals = found.equals > most_equals;
    const bool has_two = found.equals >= (ctx.blocks() - 1) * warps * (simt::warp_threads - 3);
    const bool has_zeros = pass::tells_zeros_apart && (found.seen & seen_joined_zero) != 0;
    line_type line{};
    const bool has_line = line_type::spread_type::of(found.least(), found.last, line.spread);
    const bits_type last = block::own_bits<Order, key_type>(found.last);
    const bits_type first = block::own_bits<Order, key_type>(found.least());
    std::memcpy(static_cast<void*>(&line.last_key), &last, sizeof(last));
    std::memcpy(static_cast<void*>(&line.first_key), &first, sizeof(first));
    if (ctx.thread() == 0) {
      smem.line = line;
      smem.first_places[block::radix_size] = count;
      for (unsigned& bin : smem.first_bins) {
        bin = block::radix_size;
      }
    }
    ctx.sync_block();  // the line is there
    if (!has_line || this->is_by_range || has_zeros) {
      return resident_way::digits;
    }
    return !has_equals && this->rounds != 0 ? resident_way::buckets
           : has_equals && has_two          ? resident_way::ends
                                            : resident_way::digits;
  }

  template <class Context>
  GIMBAL_DEVICE void tell(Context& ctx, shared& smem, const sorting& now, unsigned turn, bool looks) const
  {
    if (!now.own.is_alone) {
      census.publish(ctx, smem.census, turn, ctx.block());
      if (looks) {
        census.publish_note(ctx, smem.seen);
      }
    }
  }
  template <class Context>
  GIMBAL_DEVICE void learn(Context& ctx, shared& smem, const sorting& now, unsigned turn, bool looks) const
  {
    if (now.own.is_alone) {
      return census.take_own(ctx, smem.census);
    }
    census.collect(ctx, smem.census, turn, ctx.block());
    if (looks) {
      census.collect_notes(ctx, smem.census);
    }
  }

  /// To the output, in or after that turn, unless all are there. Of input that may be there no block must read any longer.
  template <class Context>
  GIMBAL_DEVICE void copy_all(Context& ctx, sort_place source, unsigned turn) const
  {
    if (source == sort_place::output || (source == sort_place::input && aliasing.all_in_place)) {
      return;
    }
    if (source == sort_place::input && aliasing.in_place) {
      census.join(ctx, turn, block::team_place::of_all(ctx));
    }
    copy_items<chunk>(ctx, keys, source, sort_place::output, 0, count);
    if constexpr (has_values) {
      copy_items<chunk>(ctx, values, source, sort_place::output, 0, count);
    }
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
