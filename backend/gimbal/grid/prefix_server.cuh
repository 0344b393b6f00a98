// The exclusive prefix of each tile, from a server: a few warps of one block that scan the tiles' totals.
//
// Where every block looks back by itself (look_back.cuh) all blocks poll the same words. Here each tile publishes its
// total as soon as it has it and polls a word that nobody else polls, while the server scans fixed rows of 32 totals,
// one lane each, and writes every tile's exclusive prefix back. Only rows form a chain: one warp of the server folds
// their totals, in order, as many as have come, so that a link takes little more than the operator. The others load the
// totals of their next row before they scan one: while memory is busy the load takes longer than all the rest. The tree
// depends on the number of tiles alone, so floating-point results are the same bits whatever the timing and the grid.
//
// Tiles are assigned in turn: tile t belongs to block t % blocks and is its (t / blocks)-th. Each block has `rounds`
// slots for its tiles and uses them in turn, each time with the next tag. A block may publish its tile k + rounds only
// after it has got the prefix of tile k: then the server has read tile k's total, as that prefix lies after it, and
// tile k's prefix has been read, before both are overwritten. Tile 0, which has no prefix, waits for the server, too.
//
// Progress: the blocks that take tiles, and the one that serves, have all begun (team.cuh), and the server's warps do
// nothing else.
//
// Memory order: see exchange.cuh; the words carry their own validity. With OrdersMemory every access to memory that a
// block does before it publishes tile s, by the publishing thread or ordered before it, happens before whatever a
// thread does after it has got the prefix of a tile t > s: publish releases, the server's lanes acquire, a barrier of
// the warp hands on to all lanes, the row's total, the link after it and the prefixes are released in turn, each to
// lanes that acquire, and the tile acquires.
#pragma once

#include <gimbal/collective/scan.cuh>
#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

/// `Total`: of a tile, where prefixes are of a wider type that it converts to; rows are folded as totals.
template <class Value, bool OrdersMemory = false, class Total = Value>
struct prefix_server {
  static constexpr unsigned row = simt::warp_threads;
  /// Rows that are being served at a time, at most, and one more. A warp stores a row's total after it has read the
  /// link before its last row, so who comes to a slot again finds it read.
  static constexpr unsigned links = 16;

  /// Of the block that serves, for each of some rows in turn, tagged with its number.
  struct shared {
    std::uint64_t total[links][tagged_value<Total>::words];
    std::uint64_t link[links][tagged_value<Value>::words];  // the fold of all rows through this one
  };

  std::uint64_t* words = nullptr;  // word_count(blocks, rounds) words
  std::uint32_t first_tag = 0;     // of tag_count() tags
  unsigned tiles = 0;
  unsigned blocks = 0;  // that take tiles
  unsigned rounds = 0;

  // ---- host

  static constexpr std::size_t word_count(std::size_t block_count, std::size_t round_count)
  {
    return totals_table::word_count(block_count * round_count) + prefixes_table::word_count(block_count * round_count);
  }
  /// One for each time a slot is used, by so few blocks.
  std::uint32_t tag_count(unsigned least_blocks) const { return tiles / (least_blocks * rounds) + 1; }

  // ---- device, tiles

  /// With fewer blocks than there could have been.
  GIMBAL_DEVICE prefix_server with(unsigned members) const { return {words, first_tag, tiles, members, rounds}; }

  /// Where a tile's words are; to be found before there is anything to wait for, as it takes a division.
  struct tile_slot {
    unsigned slot;
    std::uint32_t tag;
  };
  GIMBAL_DEVICE tile_slot slot_of(unsigned tile) const
  {
    const unsigned turn = tile / (blocks * rounds);
    return {tile - turn * (blocks * rounds), first_tag + turn};
  }
  /// That of the tile `distance` tiles further on.
  GIMBAL_DEVICE tile_slot slot_after(tile_slot at, unsigned distance) const
  {
    for (at.slot += distance; at.slot >= blocks * rounds; at.slot -= blocks * rounds) {
      ++at.tag;
    }
    return at;
  }

  /// By one thread of the block.
  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, const tile_slot& tile, const Total& total) const
  {
    totals().write(ctx, tile.slot, tile.tag, total);
  }

  /// Whether the prefix of a tile, which is published, is known. Tile 0 has none: `prefix` says
  /// nothing then. By any thread of the block.
  template <class Context>
  GIMBAL_DEVICE bool find_prefix(Context& ctx, const tile_slot& tile, uninit<Value>& prefix) const
  {
    return prefixes().read(ctx, tile.slot, tile.tag, prefix);
  }

  /// By one warp of a block: a lane for each stage of its ring, as one after the other the latency of the server would
  /// bound how many tiles a block can take. All poll in one loop, so that none waits for another's prefix. `first`: the
  /// block's first tile of `all`. `reduced(stage, tile)` when stage.reduced is complete, before which polling for the
  /// prefix is in vain; `found(stage, tile, prefix, what reduced() has returned)` when that is known; then the lane
  /// arrives at stage.ready, unless that returned false, to be called again.
  template <class Context, class Stage, unsigned Stages, class Reduced, class Found>
  GIMBAL_DEVICE void wait_for_prefixes(
    Context& ctx, Stage (&ring)[Stages], unsigned first, unsigned all, Reduced reduced, Found found) const
  {
    static_assert(Stages <= simt::warp_threads, "the warp has a lane for each stage");
    if (ctx.lane() >= Stages) {
      return;
    }
    Stage& stage = ring[ctx.lane()];
    unsigned parity = 0;
    bool is_reduced = false;
    decltype(reduced(stage, 0u)) pending{};
    unsigned tile = first + ctx.lane() * blocks;
    tile_slot at = slot_of(tile);
    while (tile < all) {
      if (!is_reduced && ctx.is_complete(stage.reduced, parity)) {
        is_reduced = true;
        pending = reduced(stage, tile);
      }
      uninit<Value> prefix;
      if (is_reduced && find_prefix(ctx, at, prefix) && found(stage, tile, prefix, pending)) {
        ctx.arrive(stage.ready);
        tile += Stages * blocks;
        at = slot_after(at, Stages * blocks);
        parity ^= 1;
        is_reduced = false;
      } else {
        ctx.spin_wait();
      }
    }
  }

  /// By one warp of a block that has all tiles, in place of wait_for_prefixes() and of a server: the same tree as a
  /// server's, of what total_of(stage, tile) returns when stage.reduced is complete.
  template <class Context, class Stage, unsigned Stages, class TotalOf, class Op, class Found>
  GIMBAL_DEVICE void serve_alone(
    Context& ctx, Stage (&ring)[Stages], unsigned all, TotalOf total_of, Op op, Found found) const
  {
    uninit<Value> base;  // of all rows before
    GIMBAL_NO_UNROLL
    for (unsigned first = 0; first < all; first += row) {
      const unsigned valid = all - first < row ? all - first : row;
      const unsigned tile = first + ctx.lane();
      Stage& stage = ring[tile % Stages];
      bool has_total = false;
      uninit<Total> total;
      uninit<Total> fold;
      for (unsigned answered = 0; answered < valid;) {
        // A tile is in its stage when the one before it there has been answered.
        if (
          !has_total && ctx.lane() < valid && ctx.lane() < answered + Stages
          && ctx.is_complete(stage.reduced, tile / Stages % 2)) {
          has_total = true;
          total = total_of(stage, tile);
        }
        const unsigned missing = ctx.ballot(!has_total);
        const unsigned arrived = missing == 0 ? row : simt::countr_zero(missing);
        if (arrived == answered) {
          ctx.spin_wait();
          continue;
        }
        fold = total;
        block::warp_inclusive_scan(ctx, fold, arrived, op);
        const uninit<Total> below = ctx.shfl_up(fold, 1);
        if (ctx.lane() >= answered && ctx.lane() < arrived) {
          found(stage, tile, before_tile(ctx, first > 0, base, below, op));
          ctx.arrive(stage.ready);
        }
        answered = arrived;
      }
      const uninit<Total> of_row = ctx.shfl(fold, row - 1);
      if (first + row < all) {
        base.set(first > 0 ? op(base.get(), of_row.get()) : static_cast<Value>(of_row.get()));
      }
    }
  }

  // ---- device, server

  /// By a whole warp of the block that serves, before a block barrier.
  template <class Context>
  GIMBAL_DEVICE void init(Context& ctx, shared& smem) const
  {
    clear(ctx, smem.total);
    clear(ctx, smem.link);
  }

  /// By each of `Servers` whole warps of the block: the first keeps the chain, the others scan rows.
  template <unsigned Servers, class Context, class Op>
  GIMBAL_DEVICE void serve(Context& ctx, shared& smem, unsigned server, Op op) const
  {
    static_assert(Servers >= 2 && Servers <= links, "one keeps the chain, and each of the others has a slot in it");
    const unsigned rows = (tiles + row - 1) / row;
    if (server == 0) {
      keep_chain(ctx, smem, rows, op);
    } else {
      row_totals next = load_row(ctx, server - 1);
      for (unsigned r = server - 1; r < rows; r += Servers - 1) {
        const row_totals loaded = next;
        if (rows - r > Servers - 1) {
          next = load_row(ctx, r + Servers - 1);
        }
        serve_row(ctx, smem, r, loaded, op);
      }
    }
  }

private:
  using totals_table = exchange<Total, OrdersMemory>;
  using prefixes_table = exchange<Value, OrdersMemory>;

  /// Of a row: this lane's tile, and what its words were when they were loaded.
  struct row_totals {
    tile_slot at;
    std::uint64_t word[tagged_value<Total>::words];
  };

  /// This lane's tile of a row; tile 0 has no prefix.
  template <class Context, class Op>
  static GIMBAL_DEVICE uninit<Value> before_tile(
    const Context& ctx, bool has_base, const uninit<Value>& base, const uninit<Total>& below, Op op)
  {
    uninit<Value> before;
    if (has_base) {
      before.set(ctx.lane() > 0 ? op(base.get(), below.get()) : base.get());
    } else {
      before.set(static_cast<Value>(below.get()));
    }
    return before;
  }

  /// Fold the totals of the rows one after the other. The last row's is not needed.
  template <class Context, class Op>
  GIMBAL_DEVICE void keep_chain(Context& ctx, shared& smem, unsigned rows, Op op) const
  {
    uninit<Value> through;  // the fold of all rows so far
    for (unsigned next = 0; next + 1 < rows;) {
      const unsigned own_row = next + ctx.lane();
      uninit<Total> total;
      const bool has_total =
        ctx.lane() < links && own_row + 1 < rows && read_value(ctx, smem.total[own_row % links], own_row, total);
      const unsigned missing = ctx.ballot(!has_total);  // never 0: there are fewer links than lanes
      const unsigned arrived = simt::countr_zero(missing);
      if (arrived == 0) {
        ctx.spin_wait();
        continue;
      }
      uninit<Value> own;
      for (unsigned l = 0; l < arrived; ++l) {
        const uninit<Total> of_row = ctx.shfl(total, l);
        through.set(next + l > 0 ? op(through.get(), of_row.get()) : static_cast<Value>(of_row.get()));
        if (l == ctx.lane()) {
          own = through;
        }
      }
      ctx.sync_warp();  // OrdersMemory: what each lane has acquired comes before what any lane releases
      if (ctx.lane() < arrived) {
        write_value(ctx, smem.link[own_row % links], own_row, own.get());
      }
      next += arrived;
    }
  }

  /// Does not wait for the words. Lanes after the last tile load some that nobody looks at.
  template <class Context>
  GIMBAL_DEVICE row_totals load_row(Context& ctx, unsigned r) const
  {
    row_totals loaded;
    loaded.at = slot_of(r * row + ctx.lane());
    totals().load(ctx, loaded.at.slot, loaded.word);
    return loaded;
  }

  template <class Context, class Op>
  GIMBAL_DEVICE void serve_row(Context& ctx, shared& smem, unsigned r, const row_totals& loaded, Op op) const
  {
    const unsigned valid = tiles - r * row < row ? tiles - r * row : row;
    const tile_slot at = loaded.at;
    uninit<Total> total;
    uninit<Value> base;  // of all rows before
    bool has_total = tagged_value<Total>::read(at.tag, total, [&](unsigned w) { return loaded.word[w]; });
    has_total = has_total || ctx.lane() >= valid;
    const auto look_again = [&] { has_total = has_total || totals().read(ctx, at.slot, at.tag, total); };
    for (unsigned answered = 0; answered < valid; look_again()) {
      const unsigned missing = ctx.ballot(!has_total);
      const unsigned arrived = missing == 0 ? valid : simt::countr_zero(missing);
      if (arrived == answered || (arrived < valid && !answers_in_part())) {
        ctx.spin_wait();
        continue;
      }
      // The first lanes' folds are the same bits however many lanes are scanned with them.
      uninit<Total> fold = total;
      block::warp_inclusive_scan(ctx, fold, arrived, op);
      const uninit<Total> below = ctx.shfl_up(fold, 1);
      ctx.sync_warp();  // OrdersMemory: as above
      if (arrived == row && ctx.lane() == row - 1) {
        write_value(ctx, smem.total[r % links], r, fold.get());
      }
      while (r > 0 && answered == 0 && !read_value(ctx, smem.link[(r - 1) % links], r - 1, base)) {
        ctx.spin_wait();
      }
      if (ctx.lane() >= answered && ctx.lane() < arrived) {
        prefixes().write(ctx, at.slot, at.tag, before_tile(ctx, r > 0, base, below, op).get());
      }
      answered = arrived;
    }
  }

  /// Whether some block has more tiles in a row than slots and waits for an answer before it goes on.
  GIMBAL_DEVICE bool answers_in_part() const { return blocks * rounds < row + blocks; }

  GIMBAL_DEVICE totals_table totals() const { return {words, blocks * rounds}; }
  GIMBAL_DEVICE prefixes_table prefixes() const
  {
    return {words + totals_table::word_count(blocks * rounds), blocks * rounds};
  }

  template <class Context, unsigned Words>
  static GIMBAL_DEVICE void clear(const Context& ctx, std::uint64_t (&memory)[links][Words])
  {
    for (unsigned w = ctx.lane(); w < links * Words; w += simt::warp_threads) {
      memory[w / Words][w % Words] = 0;
    }
  }
  template <class Context, unsigned Words, class T>
  static GIMBAL_DEVICE void write_value(Context& ctx, std::uint64_t (&slot)[Words], unsigned r, const T& value)
  {
    tagged_value<T>::write(r + 1, value, [&](unsigned w, std::uint64_t word) {
      ctx.atomic_shared(slot[w]).store(word, prefixes_table::store_order);
    });
  }
  template <class Context, unsigned Words, class T>
  static GIMBAL_DEVICE bool read_value(Context& ctx, std::uint64_t (&slot)[Words], unsigned r, uninit<T>& value)
  {
    return tagged_value<T>::read(
      r + 1, value, [&](unsigned w) { return ctx.atomic_shared(slot[w]).load(prefixes_table::load_order); });
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
