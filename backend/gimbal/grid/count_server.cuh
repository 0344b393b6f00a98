// How many items all tiles before a tile have, told by a server: what prefix_server.cuh does for any value, for counts.
//
// A tile's count fits into 4 bytes, so it travels in one word, and sums of counts are the same in whatever order they
// are formed. So each lane of a serving warp takes several tiles of a row, as loads in flight at the same time: one
// link of the chain, and one way to the L2 cache and back, per 128 tiles. Two or three warps are then enough for tiles
// of 12 KB at the speed of memory, where rows of 32 need eight.
//
// Slots, tags, when a tile may be published, and progress: as prefix_server.cuh says.
//
// Memory order: the words carry their own validity (exchange.cuh). A tile's stores depend on its prefix, and that on
// the counts of the tiles before it, each of which its block publishes after the tile has landed in shared memory. With
// simt::reuse_needs_order, everything that a block does before it publishes tile s, by the publishing thread or ordered
// before it, also happens before whatever a thread does after it has got the prefix of a tile t > s: publish releases,
// the server's lanes acquire, the barrier of its warp hands on to all lanes, the chain and the prefixes are released,
// and the tile acquires.
#pragma once

#include <gimbal/grid/exchange.cuh>

GIMBAL_NAMESPACE_BEGIN

namespace block {

struct count_server {
  static constexpr unsigned lanes = simt::warp_threads;
  static constexpr unsigned height = 4;  // tiles of a lane, `lanes` apart
  static constexpr unsigned row = height * lanes;
  static constexpr unsigned chain_links = 2;  // link r is read before link r + 1 is written, hence before link r + 2 is

  /// Of the block that serves.
  struct shared {
    std::uint64_t chain[chain_links][tagged_value<index_type>::words];  // the sum through a row, tagged with its number
  };

  std::uint64_t* words = nullptr;  // word_count(blocks, rounds) words
  std::uint32_t first_tag = 0;     // of tag_count() tags
  unsigned tiles = 0;
  unsigned blocks = 0;  // that take tiles
  unsigned rounds = 0;

  // ---- host

  static constexpr std::size_t word_count(std::size_t block_count, std::size_t round_count)
  {
    return counts_table::word_count(block_count * round_count) + sums_table::word_count(block_count * round_count);
  }
  /// One for each time a slot is used, by so few blocks.
  std::uint32_t tag_count(unsigned least_blocks) const { return tiles / (least_blocks * rounds) + 1; }

  // ---- device, tiles

  /// With fewer blocks than there could have been.
  GIMBAL_DEVICE count_server with(unsigned members) const { return {words, first_tag, tiles, members, rounds}; }

  /// Where a tile's words are; to be found before there is anything to wait for, as it takes a division.
  struct place {
    unsigned slot;
    std::uint32_t tag;
  };
  GIMBAL_DEVICE place place_of(unsigned tile) const
  {
    const unsigned turn = tile / (blocks * rounds);
    return {tile - turn * (blocks * rounds), first_tag + turn};
  }
  /// That of the tile `distance` tiles further on.
  GIMBAL_DEVICE place place_after(place at, unsigned distance) const
  {
    for (at.slot += distance; at.slot >= blocks * rounds; at.slot -= blocks * rounds) {
      ++at.tag;
    }
    return at;
  }

  /// By one thread of the block.
  template <class Context>
  GIMBAL_DEVICE void publish(Context& ctx, const place& tile, unsigned count) const
  {
    counts().write(ctx, tile.slot, tile.tag, count);
  }

  /// Look whether the sum over all tiles before a tile, which is published, is known. By any thread of the block.
  template <class Context>
  GIMBAL_DEVICE bool find_sum(Context& ctx, const place& tile, index_type& sum) const
  {
    uninit<index_type> found;
    const bool is_known = sums().read(ctx, tile.slot, tile.tag, found);
    if (is_known) {
      sum = found.get();
    }
    return is_known;
  }

  // ---- device, server

  /// By one thread of the block that serves, before a block barrier.
  GIMBAL_DEVICE void init(shared& smem) const
  {
    for (unsigned link = 0; link < chain_links; ++link) {
      for (unsigned w = 0; w < tagged_value<index_type>::words; ++w) {
        smem.chain[link][w] = 0;
      }
    }
  }

  /// By each of `servers` whole warps of the block, which has called init().
  template <class Context>
  GIMBAL_DEVICE void serve(Context& ctx, shared& smem, unsigned server, unsigned servers) const
  {
    const unsigned rows = (tiles + row - 1) / row;
    for (unsigned r = server; r < rows; r += servers) {
      serve_row(ctx, smem, r);
    }
  }

private:
  using counts_table = exchange<std::uint32_t, simt::reuse_needs_order>;
  using sums_table = exchange<index_type, simt::reuse_needs_order>;

  /// A row's tiles of one lane.
  struct lane_tiles {
    place at[height];
    bool is_known[height];
    std::uint32_t count[height];
  };

  template <class Context>
  GIMBAL_DEVICE void serve_row(Context& ctx, shared& smem, unsigned r) const
  {
    const unsigned valid = tiles - r * row < row ? tiles - r * row : row;
    lane_tiles own = tiles_of_lane(ctx, r, valid);
    index_type base = 0;  // of all rows before
    bool has_base = r == 0;
    for (unsigned answered = 0; answered < valid;) {
      const unsigned arrived = look_for_counts(ctx, own, valid);
      if (arrived == answered || (arrived < valid && !answers_in_part())) {
        ctx.spin_wait();
        continue;
      }
      std::uint32_t before[height];
      const std::uint32_t sum = sum_before(ctx, own, before);
      while (!has_base) {
        has_base = read_link(ctx, smem, r - 1, base);
      }
      // reuse_needs_order: what each lane has acquired comes before what any lane releases from here on.
      ctx.sync_warp();
      if (arrived == valid && ctx.lane() == 0) {
        write_link(ctx, smem, r, base + sum);
      }
      GIMBAL_UNROLL
      for (unsigned h = 0; h < height; ++h) {
        const unsigned tile = h * lanes + ctx.lane();
        if (tile >= answered && tile < arrived) {
          sums().write(ctx, own.at[h].slot, own.at[h].tag, base + before[h]);
        }
      }
      answered = arrived;
    }
  }

  /// Whether some block has more tiles in a row than slots and waits for an answer before it goes on.
  GIMBAL_DEVICE bool answers_in_part() const { return blocks * rounds < row + blocks; }

  template <class Context>
  GIMBAL_DEVICE lane_tiles tiles_of_lane(Context& ctx, unsigned r, unsigned valid) const
  {
    lane_tiles own;
    place at = place_of(r * row + ctx.lane());
    GIMBAL_UNROLL
    for (unsigned h = 0; h < height; ++h) {
      own.at[h] = at;
      own.is_known[h] = h * lanes + ctx.lane() >= valid;
      own.count[h] = 0;
      at = place_after(at, lanes);
    }
    return own;
  }

  /// How many of the row's first tiles have a count.
  template <class Context>
  GIMBAL_DEVICE unsigned look_for_counts(Context& ctx, lane_tiles& own, unsigned valid) const
  {
    GIMBAL_UNROLL
    for (unsigned h = 0; h < height; ++h) {
      uninit<std::uint32_t> count;
      if (!own.is_known[h] && counts().read(ctx, own.at[h].slot, own.at[h].tag, count)) {
        own.is_known[h] = true;
        own.count[h] = count.get();
      }
    }
    unsigned arrived = valid;
    GIMBAL_UNROLL
    for (unsigned h = height; h > 0; --h) {
      const unsigned missing = ctx.ballot(!own.is_known[h - 1]);
      arrived = missing == 0 ? arrived : (h - 1) * lanes + simt::countr_zero(missing);
    }
    return arrived;
  }

  /// The sum over the row's tiles before each of this lane's, and over all of them. Tiles that are not known count 0.
  template <class Context>
  static GIMBAL_DEVICE std::uint32_t sum_before(Context& ctx, const lane_tiles& own, std::uint32_t (&before)[height])
  {
    std::uint32_t through[height];
    GIMBAL_UNROLL
    for (unsigned h = 0; h < height; ++h) {
      through[h] = own.count[h];
      GIMBAL_UNROLL
      for (unsigned delta = 1; delta < lanes; delta *= 2) {
        const std::uint32_t below = ctx.shfl_up(through[h], delta);
        through[h] += ctx.lane() >= delta ? below : 0;
      }
    }
    std::uint32_t sum = 0;
    GIMBAL_UNROLL
    for (unsigned h = 0; h < height; ++h) {
      before[h] = sum + through[h] - own.count[h];
      sum += ctx.shfl(through[h], lanes - 1);
    }
    return sum;
  }

  GIMBAL_DEVICE counts_table counts() const { return {words, blocks * rounds}; }
  GIMBAL_DEVICE sums_table sums() const { return {words + counts_table::word_count(blocks * rounds), blocks * rounds}; }

  template <class Context>
  static GIMBAL_DEVICE void write_link(Context& ctx, shared& smem, unsigned r, index_type sum)
  {
    std::uint64_t* const link = smem.chain[r % chain_links];
    tagged_value<index_type>::write(r + 1, sum, [&](unsigned w, std::uint64_t word) {
      ctx.atomic_shared(link[w]).store(word, sums_table::store_order);
    });
  }
  template <class Context>
  static GIMBAL_DEVICE bool read_link(Context& ctx, shared& smem, unsigned r, index_type& sum)
  {
    std::uint64_t* const link = smem.chain[r % chain_links];
    uninit<index_type> found;
    const bool is_known = tagged_value<index_type>::read(
      r + 1, found, [&](unsigned w) { return ctx.atomic_shared(link[w]).load(sums_table::load_order); });
    if (is_known) {
      sum = found.get();
    } else {
      ctx.spin_wait();
    }
    return is_known;
  }
};

}  // namespace block

GIMBAL_NAMESPACE_END
