// Tests the prefix server and the tagged words it communicates by: many rounds of few slots, rows and chains, values of
// several words, what is published before and read after, tags from launch to launch.
#include <gimbal/grid/launch_plan.h>

#include <cuda/std/functional>
#include <gimbal/grid/prefix_server.cuh>
#include <vector>

#include "support.h"

using namespace gimbal;

namespace {

/// Publishes the totals in `in` and writes each tile's exclusive prefix to `out`; of tile 0 its own total. With
/// OrdersMemory tile t also writes note[t] before it publishes and reads the notes before it after it has its prefix.
template <class Value, class Op, unsigned Servers, bool OrdersMemory>
struct serving_kernel {
  static constexpr unsigned block_threads = (1 + Servers) * simt::warp_threads;
  using server = block::prefix_server<Value, OrdersMemory>;
  struct shared {
    typename server::shared prefixes;
  };
  server prefixes;
  const Value* in;
  Value* out;
  Op op;
  unsigned* notes;
  unsigned* wrong;

  template <class Context>
  GIMBAL_DEVICE void operator()(Context& ctx, shared& smem) const
  {
    if (ctx.warp() == 0) {
      prefixes.init(ctx, smem.prefixes);
    }
    ctx.sync_block();
    if (ctx.warp() > 0) {
      if (ctx.block() == 0) {
        prefixes.template serve<Servers>(ctx, smem.prefixes, ctx.warp() - 1, block::combine<Value, Op>{op});
      }
    } else if (ctx.lane() == 0) {
      poll_prefixes(ctx);
    }
  }

  /// All the tiles that the block has slots for are published before the first of them gets its prefix.
  template <class Context>
  GIMBAL_DEVICE void poll_prefixes(Context& ctx) const
  {
    unsigned published = ctx.block();
    for (unsigned t = ctx.block(); t < prefixes.tiles; t += prefixes.blocks) {
      for (; published < prefixes.tiles && published < t + prefixes.blocks * prefixes.rounds;
           published += prefixes.blocks) {
        if (OrdersMemory) {
          notes[published] = published;
        }
        prefixes.publish(ctx, prefixes.slot_of(published), in[published]);
      }
      const typename server::tile_slot at = prefixes.slot_of(t);
      uninit<Value> prefix;
      while (!prefixes.find_prefix(ctx, at, prefix)) {
        ctx.spin_wait();
      }
      out[t] = t > 0 ? prefix.get() : in[0];
      if (OrdersMemory) {
        for (unsigned before = t < 40 ? 0 : t - 40; before < t; ++before) {
          if (notes[before] != before) {
            ctx.atomic(*wrong).fetch_add(1u, cuda::std::memory_order_relaxed);
          }
        }
      }
    }
  }
};

template <unsigned Servers, bool OrdersMemory = false, class Value, class Op>
void check_prefixes(const std::vector<Value>& totals, Op op, unsigned blocks, unsigned rounds)
{
  using kernel = serving_kernel<Value, Op, Servers, OrdersMemory>;
  const unsigned tiles = static_cast<unsigned>(totals.size());
  test::device_array<Value> in(totals);
  test::device_array<Value> out(totals.size());
  test::device_array<unsigned> notes(totals.size());
  test::device_array<unsigned> wrong(std::vector<unsigned>(1, 0));
  typename kernel::server prefixes{nullptr, 0, tiles, blocks, rounds};
  const std::size_t count = prefixes.word_count(blocks, rounds);
  {
    launch_words words(nullptr);
    REQUIRE_FALSE(words.take(count, prefixes.tag_count(blocks), "words"));
    prefixes.words = words.words();
    prefixes.first_tag = words.first_tag();
    REQUIRE_FALSE(simt::launch(
      kernel{prefixes, in.data(), out.data(), op, notes.data(), wrong.data()}, blocks, nullptr, "serving"));
  }
  REQUIRE_FALSE(simt::wait(nullptr, "serving"));
  std::vector<Value> expected(1, totals[0]);
  Value running = totals[0];
  for (unsigned t = 1; t < tiles; ++t) {
    expected.push_back(running);
    running = op(running, totals[t]);
  }
  test::require_equal(out.to_host(), expected);
  CHECK(wrong.to_host()[0] == 0);
}

struct add_words {
  template <class T>
  GIMBAL_HOST_DEVICE T operator()(const T& l, const T& r) const
  {
    return l + r;
  }
};

}  // namespace

TEST_CASE("a server tells every tile its prefix", "[prefix_server]")
{
  test::under_schedules(
    [] {
      for (const unsigned tiles : {1u, 2u, 31u, 32u, 33u, 64u, 127u, 128u, 129u, 200u, 500u}) {
        INFO("tiles " << tiles);
        const auto matrices = test::random_values<test::matrix>(tiles, tiles);
        check_prefixes<2>(matrices, test::matrix_product{}, 1, 1);
        check_prefixes<4>(matrices, test::matrix_product{}, 3, 2);
        check_prefixes<2, true>(test::random_values<int>(tiles, tiles), cuda::std::plus<int>{}, 2, 3);
      }
      check_prefixes<2>(test::random_values<test::tagged>(100, 1), test::add_keep_left{}, 2, 4);
      check_prefixes<2>(test::random_values<test::bytes3>(100, 1), add_words{}, 2, 4);
    },
    3);
}

TEST_CASE("tags are new in every launch and start again when they run out", "[prefix_server]")
{
  const test::streams_last kept(true);
  retained_words& all = retained_words::instance();
  constexpr std::size_t count = 100;
  const auto allocate = [&](std::uint32_t tags) {
    retained_words::allocation allocated;
    REQUIRE_FALSE(all.allocate(nullptr, count, tags, allocated));
    REQUIRE(allocated.head != nullptr);
    return allocated;
  };
  const retained_words::allocation first = allocate(5);
  for (const std::uint32_t later : {5u, 6u}) {
    const retained_words::allocation next = allocate(1);
    CHECK(next.head == first.head);
    CHECK(next.first_tag == first.first_tag + later);
  }
  const retained_words::allocation most = allocate(0xfffffffeu - (first.first_tag + 7));
  CHECK(most.first_tag == first.first_tag + 7);
  std::uint64_t* const last = most.head + retained_words::head_words + count - 1;
  const std::uint64_t old = 2;
  test::raw_copy(last, &old, sizeof old);
  CHECK(allocate(1).first_tag == 0xfffffffeu);
  CHECK(allocate(3).first_tag == 1);
  REQUIRE_FALSE(simt::wait(nullptr, "clearing"));
  std::uint64_t word = 1;
  test::raw_copy(&word, last, sizeof word);
  CHECK(word == 0);
}

TEST_CASE("a stream that asks for more words gets others, which are clear", "[prefix_server]")
{
  const test::streams_last kept(true);
  retained_words::allocation few;
  retained_words::allocation many;
  retained_words::allocation few_again;
  constexpr std::size_t count = 30000;
  REQUIRE_FALSE(retained_words::instance().allocate(nullptr, 1, 1, few));
  REQUIRE_FALSE(retained_words::instance().allocate(nullptr, count, 1, many));
  REQUIRE_FALSE(retained_words::instance().allocate(nullptr, 1, 1, few_again));
  REQUIRE(many.head != nullptr);
  CHECK(many.head != few.head);
  CHECK(few_again.head == many.head);
  CHECK(few_again.first_tag == many.first_tag + 1);
  test::device_array<std::uint64_t> found(retained_words::head_words + count);
  REQUIRE_FALSE(simt::copy_bytes(found.data(), many.head, found.size() * sizeof(std::uint64_t), nullptr, "words"));
  CHECK(found.to_host() == std::vector<std::uint64_t>(found.size()));
}

namespace {

/// Fills what a launch takes with ones, after it was found to be clear.
void check_taken(launch_words& words, std::size_t count)
{
  REQUIRE_FALSE(words.take(count, 1, "words"));
  CHECK(words.first_tag() == 1);
  const std::size_t all = retained_words::head_words + count;
  test::device_array<std::uint64_t> found(all);
  REQUIRE_FALSE(simt::copy_bytes(found.data(), words.ticket(), all * sizeof(std::uint64_t), nullptr, "words"));
  CHECK(found.to_host() == std::vector<std::uint64_t>(all));
  REQUIRE_FALSE(simt::fill_bytes(words.ticket(), 1, all * sizeof(std::uint64_t), nullptr, "words"));
}

}  // namespace

TEST_CASE(
  "words too many to be kept lie in the storage, or in the pool, and are cleared for each launch", "[prefix_server]")
{
  const std::size_t count = simt::static_words_count + 1;
  test::device_array<std::uint64_t> storage(launch_words::room_for(static_cast<index_type>(count)));
  launch_words words(nullptr, false);
  words.own().words = storage.data();
  words.own().room = storage.size();
  check_taken(words, count);
  check_taken(words, count);
  CHECK(reinterpret_cast<std::uint64_t*>(words.ticket()) == storage.data());
  CHECK(words.words() + count <= storage.data() + storage.size());
  CHECK(words.take(count + 1, 1, "more words than there is room for").code == simt::error_invalid_value);

  launch_words beside_pool(nullptr);
  check_taken(beside_pool, count);
  check_taken(beside_pool, count);
}

#if !GIMBAL_GPU
TEST_CASE("where streams do not last no words are kept", "[prefix_server]")
{
  const test::streams_last kept(false);
  retained_words::allocation allocated;
  REQUIRE_FALSE(retained_words::instance().allocate(nullptr, 1, 1, allocated));
  CHECK(allocated.head == nullptr);
}
#endif
