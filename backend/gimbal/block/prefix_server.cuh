// What all tiles before a tile amount to, told by a server: a few warps of block 0 that scan the tiles' totals.
//
// Where every block looks back by itself (look_back.cuh) all blocks poll the same words. Here each tile publishes its
// total as soon as it has it and polls a word that nobody else polls, while the server scans fixed rows of 32 totals,
// one lane each, and writes every tile's exclusive prefix back. Only rows form a chain, one link per 32 tiles. The tree
// depends on the number of tiles alone, so floating-point results are the same bits whatever the timing and the grid.
//
// Tiles are dealt out in turn: tile t belongs to block t % blocks and is its (t / blocks)-th. Each block has `rounds`
// slots for its tiles and uses them in turn, each time with the next tag. A block may publish its tile k + rounds only
// after it has got the prefix of tile k: then the server has read tile k's total, as that prefix lies behind it, and
// tile k's prefix has been read, before both are overwritten. Tile 0, which has no prefix, waits for the server all the
// same.
//
// Progress: all blocks of the launch run at the same time (simt::start::together), and the server's warps do nothing
// else.
//
// Memory order: see exchange.cuh; the words carry their own validity. With OrdersMemory every access to memory that a
// block does before it publishes tile s, by the publishing thread or ordered before it, happens before whatever a
// thread does after it has got the prefix of a tile t > s: publish releases, the server's lanes acquire, the barrier of
// its warp hands on to all lanes, the chain and the prefixes are released, and the tile acquires.
#pragma once

#include <cuda/std/bit>
#include <gimbal/block/exchange.cuh>
#include <gimbal/block/scan.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

template <class Value, bool OrdersMemory = false>
struct prefix_server {
  static constexpr unsigned row = simt::warp_threads;
  static constexpr unsigned chain_links = 2;  // link r is read before link r + 1 is written, hence before link r + 2 is

  /// Of the block that serves.
  struct shared {
    std::uint64_t chain[chain_links][tagged_value<Value>::words];  // the prefix through a row, tagged with its number
  };

  std::uint64_t* words = nullptr;  // word_count(blocks, rounds) words
  std::uint32_t first_tag = 0;     // of tag_count() tags
  unsigned tiles = 0;
  unsigned blocks = 0;
  unsigned rounds = 0;

  // ---- host

  static constexpr std::size_t word_count(std::size_t block_count, std::size_t round_count)
  {
    return 2 * table::word_count(block_count * round_count);
  }
  /// One for each time a slot is used.
  std::uint32_t tag_count() const { return tiles / (blocks * rounds) + 1; }

  // ---- device, tiles

  /// By one thread of the block.
  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, unsigned tile, const Value& total) const
  {
    const place at = place_of(tile);
    totals().write(ctx, at.slot, at.tag, total);
  }

  /// Look whether the fold of all tiles before `tile`, which is published, is known. Tile 0 has none: `prefix` says
  /// nothing then. By any thread of the block.
  template <class Context>
  GIMBAL_DEVICE bool find_prefix(Context& ctx, unsigned tile, uninit<Value>& prefix) const
  {
    const place at = place_of(tile);
    return prefixes().read(ctx, at.slot, at.tag, prefix);
  }

  // ---- device, server

  /// By one thread of the block that serves, before a block barrier.
  GIMBAL_DEVICE void init(shared& smem) const
  {
    for (unsigned link = 0; link < chain_links; ++link) {
      for (unsigned w = 0; w < tagged_value<Value>::words; ++w) {
        smem.chain[link][w] = 0;
      }
    }
  }

  /// By each of `servers` whole warps of the block, which has called init().
  template <class Context, class Op>
  GIMBAL_DEVICE void serve(Context& ctx, shared& smem, unsigned server, unsigned servers, Op op) const
  {
    const unsigned rows = (tiles + row - 1) / row;
    for (unsigned r = server; r < rows; r += servers) {
      serve_row(ctx, smem, r, op);
    }
  }

private:
  using table = exchange<Value, OrdersMemory>;

  struct place {
    unsigned slot;
    std::uint32_t tag;
  };

  template <class Context, class Op>
  GIMBAL_DEVICE void serve_row(Context& ctx, shared& smem, unsigned r, Op op) const
  {
    const unsigned valid = tiles - r * row < row ? tiles - r * row : row;
    const place at = place_of(r * row + ctx.lane());
    uninit<Value> total;
    uninit<Value> base;  // of all rows before
    bool has_total = ctx.lane() >= valid;
    for (unsigned answered = 0; answered < valid;) {
      const unsigned arrived = wait_for_totals(ctx, at, answered, valid, has_total, total);
      uninit<Value> fold = total;
      warp_inclusive_scan(ctx, fold, arrived, op);
      uninit<Value> before = ctx.shfl_up(fold, 1);
      const bool is_new = ctx.lane() >= answered && ctx.lane() < arrived;
      if (r > 0) {
        while (answered == 0 && !read_link(ctx, smem, r - 1, base)) {
          ctx.spin_wait();
        }
        if (is_new) {
          fold.set(op(base.get(), fold.get()));
          before.set(ctx.lane() > 0 ? op(base.get(), before.get()) : base.get());
        }
      }
      // OrdersMemory: what each lane has acquired comes before what any lane releases from here on.
      ctx.sync_warp();
      if (is_new && ctx.lane() == row - 1) {
        write_link(ctx, smem, r, fold.get());
      }
      if (is_new) {
        prefixes().write(ctx, at.slot, at.tag, before.get());
      }
      answered = arrived;
    }
  }

  /// How many of the row's first tiles have a total, more than `answered`: all of them, unless some block has more
  /// tiles in a row than slots and waits for an answer before it goes on. The first lanes' prefixes are the same bits
  /// however many lanes are scanned with them.
  template <class Context>
  GIMBAL_DEVICE unsigned wait_for_totals(
    Context& ctx, const place& at, unsigned answered, unsigned valid, bool& has_total, uninit<Value>& total) const
  {
    if (blocks * rounds >= row + blocks) {
      while (!has_total) {
        has_total = totals().read(ctx, at.slot, at.tag, total);
        if (!has_total) {
          ctx.spin_wait();
        }
      }
      return valid;
    }
    for (;;) {
      has_total = has_total || totals().read(ctx, at.slot, at.tag, total);
      const unsigned missing = ctx.ballot(!has_total);
      const unsigned arrived = missing == 0 ? valid : static_cast<unsigned>(::cuda::std::countr_zero(missing));
      if (arrived > answered) {
        return arrived;
      }
      ctx.spin_wait();
    }
  }

  GIMBAL_DEVICE place place_of(unsigned tile) const
  {
    const unsigned turn = tile / (blocks * rounds);
    return {tile - turn * (blocks * rounds), first_tag + turn};
  }

  GIMBAL_DEVICE table totals() const { return {words, blocks * rounds}; }
  GIMBAL_DEVICE table prefixes() const { return {words + table::word_count(blocks * rounds), blocks * rounds}; }

  template <class Context>
  static GIMBAL_DEVICE void write_link(Context& ctx, shared& smem, unsigned r, const Value& value)
  {
    std::uint64_t* const link = smem.chain[r % chain_links];
    tagged_value<Value>::write(r + 1, value, [&](unsigned w, std::uint64_t word) {
      ctx.atomic_shared(link[w]).store(word, table::store_order);
    });
  }
  template <class Context>
  static GIMBAL_DEVICE bool read_link(Context& ctx, shared& smem, unsigned r, uninit<Value>& value)
  {
    std::uint64_t* const link = smem.chain[r % chain_links];
    return tagged_value<Value>::read(
      r + 1, value, [&](unsigned w) { return ctx.atomic_shared(link[w]).load(table::load_order); });
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
