// Radix sort in one launch, of as many items as all resident blocks hold together. Where some blocks have not begun, as
// other kernels hold a part of the GPU, those that have take larger shares. If even so they cannot hold all items, each
// takes several shares, by digits alone: in each pass it counts its shares, gets the counts of all, and then reads and
// ranks each share again to move it; nobody writes to what a pass reads. Otherwise each block has a fixed share of the
// positions. In each pass it ranks its keys by a digit (collective/radix_rank.cuh), exchanges histograms with all other
// blocks (resident_keys.cuh), and writes its keys to where they belong, digit by digit (radix_resident_pass.cuh). When
// all blocks have done so, each loads its share again. There is no histogram of all passes: each pass counts its own
// digits. A pass by a digit in which no keys differ moves nothing.
//
// For keys of 4 or 8 bytes, all blocks first find the range of the keys (resident_keys.cuh):
//   * Sorted keys are copied, and no more.
//   * Uniformly distributed keys, whatever their range, take one pass by linear binning (resident_keys.cuh), into buckets
//     of which each block sorts one (radix_resident_buckets.cuh). A block whose bucket has an overflowing bin sorts
//     that by digits, alone.
//   * All others are sorted by their distance from the least key, by as few digits as that takes. (Floating-point keys,
//     of which +0.0 and -0.0 are equal, are sorted as they are, without the leading bits that they share.)
//
// Order: stable. Traffic for p digits in which keys differ: keys 3p times and values 2p times, mostly within the L2
// cache; in buckets, keys 7 times and values 4 times. Launches: 1. Progress: blocks wait only for members of a team
// (grid/team.cuh), which have begun.
// Storage: that of passes, and block states kept for the stream.
// In place: the first pass that moves anything writes to the buffer; where the last one also ends there, its result is
// copied back.
// Memory order: a block writes to positions that were read a pass before, or to new ones. A barrier of all blocks
// separates the passes, so what is read has been written before, and nothing is overwritten that is still to be read. A
// block that sorts alone reads and writes only its own positions.
#pragma once

#include <gimbal/algorithm/radix_sort/tuning.h>
#include <gimbal/grid/launch_plan.h>

#include <gimbal/algorithm/radix_sort/radix_resident_buckets.cuh>
#include <gimbal/tile/copy_items.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace algorithm {

template <class Shape, class Keys, class Values>
struct radix_resident_sort_kernel : radix_resident_buckets<Shape, Keys, Values> {
  using buckets = radix_resident_buckets<Shape, Keys, Values>;
  using pass = typename buckets::pass;
  using typename buckets::key_range;
  using typename pass::digit_type;
  using typename pass::key_type;
  using typename pass::ranking;
  using typename pass::share;
  using typename pass::shared;
  /// Whether keys are loaded before the members of the team are known: a block that turns out to be no member may have
  /// read what others overwrite.
  static constexpr bool guesses = simt::may_load_on_a_guess && Keys::is_plain_input;
  static constexpr unsigned resident_blocks = 1;
  /// Of a block that leaves room for other streams.
  static constexpr unsigned shared_items =
    pass::tile_items < tuning::most_shared_items ? pass::tile_items : tuning::most_shared_items;
  using pass::block_threads;
  using pass::can_bin_linearly;
  using pass::chunk;
  using pass::digits_per_thread;
  using pass::has_values;

  using pass::count;
  using pass::histograms;
  using pass::keys;
  using pass::order;
  using pass::plan;
  using pass::values;
  unsigned held;  ///< items of a thread, whole chunks
  sort_aliasing aliasing;
  block::team team = {};

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    const unsigned joined = ctx.thread() == 0 ? team.join(ctx) : 0;
    clear_flags(ctx, smem);
    sorting now{plan, 0, share_of(ctx.block(), held), sort_buffer::input, ctx.block(), ctx.blocks(), 1};
    if (!guesses && !find_team(ctx, smem, joined, now)) {
      return;
    }
    if constexpr (can_bin_linearly) {
      if (!choose_strategy_by_range(ctx, smem, joined, now)) {
        return;
      }
    }
    while (now.makes_buckets || now.digit < now.plan.passes) {
      const digit_type digit = digit_of(smem, now);
      unsigned totals[digits_per_thread];
      unsigned starts[digits_per_thread] = {};
      if (now.shares > 1) {
        take_share(smem, now, now.step % now.shares);
      }
      this->rank_keys(ctx, smem, now.own, now.source, digit);
      ctx.sync_block();  // the counts of all warps are there
      // Where keys may be binned linearly, the team is known already.
      if constexpr (!can_bin_linearly) {
        if (!now.is_team_known) {
          if (!find_team(ctx, smem, joined, now)) {
            return;
          }
          if (now.team != found_team::whole) {
            continue;  // ranks the larger share
          }
        }
      }
      ranking::sum_warps(ctx, smem.rank, totals);
      this->store_histogram(ctx, smem, now.own, digit, totals);
      const uninit<unsigned> digits_before = ranking::sum_digits(ctx, smem.rank, totals);
      ctx.sync_block();  // the sums of all warps' digits are there
      if (now.step < now.shares) {
        publish_counts(ctx, smem, now);
      }
      if (now.shares > 1 && now.step < now.shares) {
        ++now.step;  // moved when all have been counted
        continue;
      }
      ranking::start_digits(ctx, smem.rank, digits_before, totals, starts);
      ctx.sync_block();  // every digit's start is there for every warp
      this->gather_items(ctx, smem, now.own, now.source, digit);
      collect_counts(ctx, smem, now);
      ctx.sync_block();  // the counts of all blocks and the items are there
      if (now.turn == 0) {
        reopen_team(ctx, smem);
      }
      this->set_targets(ctx, smem, now.own, now.turn, starts);
      if (has_to_sort_by_digits(ctx, smem, now)) {
        continue;
      }
      if (smem.constant_pass != now.turn + 1) {
        if (!move_share(ctx, smem, now, digit)) {
          continue;
        }
        if (!now.makes_buckets && is_done(now)) {
          return;
        }
        if (!now.own.is_alone) {
          histograms.sync_team(ctx, now.turn, smem.place);
        }
      }
      ++now.turn;
      now.step = 0;
      now.digit += now.makes_buckets ? 0 : 1;
      if constexpr (can_bin_linearly) {
        if (sort_buckets_after_pass(ctx, smem, now)) {
          return;
        }
      }
      now.makes_buckets = false;
    }
    copy_all(ctx, smem.place, now.source, now.turn - 1);
  }

  /// The share with this number, where a thread holds so many items. The last ones may be empty.
  GIMBAL_DEVICE share share_of(unsigned number, unsigned of_thread) const
  {
    const unsigned most = of_thread * block_threads;
    const unsigned first = number * most < count ? number * most : count;
    return {first, count - first < most ? count - first : most, of_thread, false};
  }

  /// Two arrays that passes use in turn. The input is only read.
  GIMBAL_DEVICE sort_buffer target_of(sort_buffer source, unsigned passes) const
  {
    switch (source) {
      case sort_buffer::input:
        return aliasing.in_place || passes % 2 == 0 ? sort_buffer::buffer : sort_buffer::output;
      case sort_buffer::buffer:
        return sort_buffer::output;
      default:
        return sort_buffer::buffer;
    }
  }

private:
  enum class found_team {
    whole,     ///< all blocks
    smaller,   ///< some, which hold all items
    too_small  ///< members have several shares
  };

  /// What is left to be sorted, where it is, and how far the block has come.
  struct sorting {
    block::digit_plan plan;
    key_type least;  ///< ordered bits that are taken from those of each key
    share own;
    sort_buffer source;
    unsigned number;      ///< of the own share,
    unsigned all_shares;  ///< of all members,
    unsigned shares;      ///< of the member
    found_team team = found_team::whole;
    bool is_team_known = !guesses;
    bool makes_buckets = false;  ///< in the next pass
    unsigned digit = 0;          ///< of the plan
    unsigned turn = 0;           ///< passes so far
    unsigned step = 0;           ///< of several shares: those counted and those moved in the pass
    unsigned round = 0;          ///< of the block's buckets, those sorted
  };

  template <class Context>
  GIMBAL_DEVICE void clear_flags(Context& ctx, shared& smem) const
  {
    if (ctx.thread() == 0) {
      smem.place = block::team_member::of_all(ctx);
      smem.rounds = this->rounds;
      smem.constant_pass = 0;
      smem.overflow_pass = 0;
    }
    ctx.sync_block();  // all flags are clear before the first is set
  }

  /// Finds which blocks have begun, which must be known before a block waits for another one or writes to memory. If
  /// some have not, shares become larger. False if this one is no member.
  template <class Context>
  GIMBAL_DEVICE bool find_team(Context& ctx, shared& smem, unsigned joined, sorting& now) const
  {
    if (ctx.thread() == 0) {
      const block::team_member place = team.wait(ctx, joined);
      smem.place = place;
      if (can_bin_linearly && place.members != ctx.blocks() && place.members != 0) {
        smem.rounds = buckets::rounds_of(count, place.members);
      }
    }
    ctx.sync_block();  // the team is known
    now.is_team_known = true;
    const block::team_member place = smem.place;
    if (place.members == ctx.blocks()) {
      now.team = found_team::whole;
      return true;
    }
    if (place.members == 0) {
      return false;
    }
    now.number = place.number;
    if (place.members * pass::tile_items >= count) {
      now.all_shares = place.members;
      now.own = share_of(place.number, pass::held_of((count - 1) / place.members + 1));
      now.team = found_team::smaller;
      return true;
    }
    now.all_shares = (count - 1) / pass::tile_items + 1;
    now.shares = (now.all_shares - 1 - place.number) / place.members + 1;
    take_share(smem, now, 0);
    now.team = found_team::too_small;
    return true;
  }

  /// Takes share `k` of a member that has several.
  GIMBAL_DEVICE void take_share(const shared& smem, sorting& now, unsigned k) const
  {
    now.number = smem.place.number + k * smem.place.members;
    now.own = share_of(now.number, pass::tile_items / block_threads);
  }

  /// Called when data of every member is there.
  template <class Context>
  GIMBAL_DEVICE void reopen_team(Context& ctx, const shared& smem) const
  {
    if (ctx.block() == 0 && ctx.thread() == 0) {
      team.reopen(ctx, smem.place);
    }
  }

  /// Called after a pass into buckets, or the last one of a bucket that overflowed: sorts the block's other buckets.
  /// False if there are none, or if another one overflows, which then is what is left to be sorted, by this block
  /// alone.
  template <class Context>
  GIMBAL_DEVICE bool sort_buckets_after_pass(Context& ctx, shared& smem, sorting& now) const
  {
    const bool is_bucket_done = now.own.is_alone && now.digit == now.plan.passes;
    if (is_bucket_done) {
      copy_range(ctx, {0, 1}, now.source, now.own.first, now.own.first + now.own.count);
    }
    if (now.makes_buckets || is_bucket_done) {
      if (this->sort_buckets(ctx, smem, now.round, now.own)) {
        return true;
      }
      now.source = sort_buffer::buffer;
      now.digit = 0;
    }
    return false;
  }

  GIMBAL_DEVICE digit_type digit_of(const shared& smem, const sorting& now) const
  {
    digit_type digit{order, now.plan.range(now.digit), now.least};
    if constexpr (can_bin_linearly) {
      if (now.makes_buckets) {
        digit.binning = smem.binning;
        digit.bins = true;
      }
    }
    return digit;
  }

  /// Moves a share's items to where they belong. False if another share follows in the pass.
  template <class Context>
  GIMBAL_DEVICE bool move_share(Context& ctx, shared& smem, sorting& now, const digit_type& digit) const
  {
    const sort_buffer target = now.makes_buckets ? sort_buffer::buffer : target_of(now.source, now.plan.passes);
    this->store_items(ctx, smem, now.own, target, digit);
    ctx.sync_block();  // every thread has read the items
    if (now.shares > 1 && ++now.step < 2 * now.shares) {
      return false;
    }
    now.source = target;
    return true;
  }

  /// Decides, before any key is moved, by what all keys are sorted: by no passes if they are. False if the block is no
  /// member.
  template <class Context>
  GIMBAL_DEVICE bool choose_strategy_by_range(Context& ctx, shared& smem, unsigned joined, sorting& now) const
  {
    key_range own;
    while (now.team != found_team::too_small) {
      own = this->inspect_keys(ctx, now.own);
      if (now.is_team_known) {
        break;
      }
      if (!find_team(ctx, smem, joined, now)) {
        return false;
      }
      if (now.team == found_team::whole) {
        break;  // else the share has become larger
      }
    }
    if (now.team != found_team::too_small) {
      const key_range found = this->key_ranges.collect(ctx, smem.key_ranges, smem.place, own);
      reopen_team(ctx, smem);
      if ((found.flags & flag_out_of_order) == 0) {
        now.plan.passes = 0;
        now.turn = 1;  // which no pass has taken
        return true;
      }
      now.least = this->drop_common_bits(found, now.plan);
      now.makes_buckets = this->are_buckets_expected(ctx, smem, found);
    }
    return true;
  }

  /// Whether buckets turn out not to suit the keys, in all blocks: the next pass is by digits then.
  template <class Context>
  GIMBAL_DEVICE bool has_to_sort_by_digits(Context& ctx, shared& smem, sorting& now) const
  {
    if constexpr (can_bin_linearly) {
      if (now.makes_buckets && !this->find_buckets(ctx, smem, now.turn)) {
        now.makes_buckets = false;
        ++now.turn;
        return true;
      }
    }
    return false;
  }

  /// Whether all items are where they belong.
  GIMBAL_DEVICE static bool is_done(const sorting& now)
  {
    return !now.own.is_alone && now.digit + 1 == now.plan.passes && now.source == sort_buffer::output;
  }

  template <class Context>
  GIMBAL_DEVICE void publish_counts(Context& ctx, const shared& smem, const sorting& now) const
  {
    if (!now.own.is_alone) {
      histograms.publish(ctx, smem.histograms, now.turn, now.number);
    }
  }
  template <class Context>
  GIMBAL_DEVICE void collect_counts(Context& ctx, shared& smem, const sorting& now) const
  {
    if (now.own.is_alone) {
      return histograms.use_own(ctx, smem.histograms);
    }
    histograms.collect(ctx, smem.histograms, now.turn, now.number, now.all_shares);
  }

  /// Copies all items to the output, in or after that turn, unless they are there. In place it follows a barrier: no
  /// block may still read the input.
  template <class Context>
  GIMBAL_DEVICE void copy_all(Context& ctx, const block::team_member& place, sort_buffer source, unsigned turn) const
  {
    if (source == sort_buffer::input && aliasing.all_in_place) {
      return;
    }
    if (source == sort_buffer::input && aliasing.in_place) {
      histograms.sync_team(ctx, turn, place);
    }
    copy_range(ctx, {place.number, place.members}, source, 0, count);
  }
  template <class Context>
  GIMBAL_DEVICE_NOINLINE void copy_range(
    Context ctx, share_of_blocks blocks, sort_buffer source, unsigned first, unsigned end) const
  {
    if (source != sort_buffer::output) {
      algorithm::copy_items<chunk>(ctx, blocks, keys, values, source, sort_buffer::output, first, end);
    }
  }
};

/// The row of a sort in one launch: of as many blocks as keep the work of each small, up to `most_blocks`, or to this
/// stream's share of them if they suffice.
template <class Kernel, class Keys, class Values>
struct radix_resident_row : no_row {
  using histograms_type = typename Kernel::histograms_type;
  using key_ranges_type = typename Kernel::key_ranges_type;

  bool yields;     ///< takes no call where other streams have a share of the blocks
  bool has_other;  ///< there is a row of passes, for these and for calls that expect a small team
  radix_call<Keys, Values> call;
  unsigned most_blocks;

  std::size_t array_bytes() { return call.buffers().aligned_bytes(); }
  std::size_t room(status&) { return launch_words::room_for(words_of(blocks_of(held_by(most_blocks)))); }
  bool takes(launch_words& held, status&)
  {
    return !has_other || !((yields && held.share_of(most_blocks, 1) < most_blocks) || held.expects_small_team());
  }
  status launch(launch_words& words)
  {
    call.buffers().place(words.arrays<char>());
    const unsigned held = held_by(words.share_of(most_blocks, (items() - 1) / Kernel::shared_items + 1));
    const unsigned blocks = blocks_of(held);
    const auto count = static_cast<std::size_t>(words_of(blocks));
    GIMBAL_TRY(words.take(count, call.plan.passes + 1, "clearing of the states of a radix sort"));
    const histograms_type histograms{words.words(), words.first_tag()};
    const key_ranges_type ranges{words.words() + histograms_type::word_count(blocks), words.first_tag()};
    const typename Kernel::pass pass{call.keys,  call.values, call.order, call.plan,
                                     histograms, ranges,      items(),    call.is_by_range()};
    const block::team team = words.team(words.most_looks(tuning::most_sort_team_looks));
    const Kernel kernel{
      {pass, Kernel::rounds_of(items(), blocks)}, held, algorithm::find_aliasing(call.keys, call.values), team};
    return simt::launch(kernel, blocks, words.stream(), "radix sort in one launch");
  }

private:
  unsigned items() const { return static_cast<unsigned>(call.n); }
  /// Items of a thread where so many blocks share the work, and as many blocks as they need.
  unsigned held_by(unsigned blocks) const { return Kernel::held_of((items() - 1) / blocks + 1); }
  unsigned blocks_of(unsigned held) const { return (items() - 1) / (held * Kernel::block_threads) + 1; }
  static index_type words_of(unsigned blocks)
  {
    return static_cast<index_type>(histograms_type::word_count(blocks) + key_ranges_type::word_count(blocks));
  }
};

}  // namespace algorithm

GIMBAL_NAMESPACE_END
