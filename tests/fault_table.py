"""The faults that faults.py plants. Each changes one place of one header.

name     of the fault
kind     "missing barrier", "missing wait", "flag before its value", "relaxed order", "wrong tile edge", "wrong lane order",
         "wrong order of keys" or "state left behind"
check    the program faults/<check>.cu that must catch it
how      "run": wrong results or an executor error under random schedules; "tsan": ThreadSanitizer's report
file     the header, relative to backend/, or to the root if it is not there
find     text that stands exactly once in the header, line breaks and blanks aside
replace  what it becomes
"""


SCAN = "gimbal/kernel/scan.cuh"
EXCHANGE = "gimbal/block/exchange.cuh"
REDUCE = "gimbal/kernel/reduce.cuh"
BLOCK_SCAN = "gimbal/block/scan.cuh"
SEGMENTED_SCAN = "gimbal/kernel/segmented_scan.cuh"
RADIX_SORT = "gimbal/kernel/radix_sort.cuh"
RADIX_RANK = "gimbal/block/radix_rank.cuh"
RADIX_HISTOGRAM = "gimbal/kernel/radix_histogram.cuh"
RADIX_TILE_SORT = "gimbal/kernel/radix_tile_sort.cuh"
ARGSORT = "gimbal/kernel/argsort.cuh"
PROJECTED_RADIX_SORT = "gimbal/kernel/projected_radix_sort.cuh"
RADIX_PASS = "gimbal/kernel/radix_pass.cuh"
RADIX_WRITE = "gimbal/kernel/radix_write.cuh"
RADIX_SMALL_SORT = "gimbal/kernel/radix_small_sort.cuh"
ALL_PAIRS_SORT = "gimbal/kernel/all_pairs_sort.cuh"
RADIX_SLOTS = "gimbal/block/radix_slots.cuh"
RADIX_TALLY = "gimbal/block/radix_tally.cuh"
RADIX_RESIDENT_SORT = "gimbal/kernel/radix_resident_sort.cuh"
RADIX_CENSUS = "gimbal/block/radix_census.cuh"
MERGE_SORT = "gimbal/kernel/merge_sort.cuh"
RANK_MERGE_SORT = "gimbal/kernel/rank_merge_sort.cuh"
MULTIWAY_MERGE_SORT = "gimbal/kernel/multiway_merge_sort.cuh"
MULTIWAY_SPLIT = "gimbal/block/multiway_split.cuh"
PARTITION = "gimbal/kernel/partition.cuh"
STREAM_PARTITION = "gimbal/kernel/stream_partition.cuh"
STREAM_PARTITION_SOURCE = "gimbal/kernel/stream_partition_source.cuh"
REDUCE_BY_KEY = "gimbal/kernel/reduce_by_key.cuh"
STREAM_RUNS = "gimbal/kernel/stream_runs.cuh"
STREAM_ENGINE = "gimbal/kernel/stream_engine.cuh"
OFFSET_MARKS = "gimbal/kernel/offset_marks.cuh"
STREAM_SEGMENTED_SCAN = "gimbal/kernel/stream_segmented_scan.cuh"
PACKED_SUMS = "gimbal/block/packed_sums.cuh"
STREAM_TILES = "gimbal/block/stream_tiles.cuh"
EXCHANGE = "gimbal/block/exchange.cuh"
PREFIX_SERVER = "gimbal/block/prefix_server.cuh"
COUNT_SERVER = "gimbal/block/count_server.cuh"

FAULTS = [
    dict(name="reduce_without_barrier_after_warps", kind="missing barrier", check="reduce", how="run", file=REDUCE,
         find="ctx.sync_block(); // every warp's result is written, and starts_last",
         replace=""),
    dict(name="reduce_without_barrier_after_posts", kind="missing barrier", check="reduce", how="run", file=REDUCE,
         find="ctx.sync_block(); // every warp's result is written, and starts_last",
         replace="if (round == 0) { ctx.sync_block(); }"),
    dict(name="reduce_post_not_waited_for", kind="flag before its value", check="reduce", how="run", file=REDUCE,
         find="while (ctx.ballot(read_posts(ctx, first + k, first + run, post)) != simt::full_mask) {",
         replace="if (ctx.ballot(read_posts(ctx, first + k, first + run, post)) != simt::full_mask) {"),
    dict(name="reduce_counter_left_as_it_is", kind="state left behind", check="reduce", how="run", file=REDUCE,
         find="ctx.draw_ticket(*started, ctx.blocks())",
         replace="ctx.draw_ticket(*started, ctx.blocks() + 1)"),
    dict(name="reduce_tile_without_barrier", kind="missing barrier", check="reduce", how="run", file=REDUCE,
         find="ctx.sync_block(); // the results of all warps are there",
         replace=""),
    dict(name="reduce_tile_edge", kind="wrong tile edge", check="reduce", how="run", file=BLOCK_SCAN,
         find="simt::warp_threads + right_lane < present",
         replace="simt::warp_threads + right_lane <= present"),

    dict(name="scan_without_barrier_before_store", kind="missing barrier", check="scan", how="run", file=SCAN,
         find="ctx.sync_block(); // the results are in shared memory",
         replace=""),
    dict(name="scan_without_barrier_after_load", kind="missing barrier", check="scan", how="tsan", file=SCAN,
         find="ctx.sync_block(); // the tile is in shared memory",
         replace=""),
    dict(name="scan_tile_edge", kind="wrong tile edge", check="scan", how="run", file=SCAN,
         find="static_cast<unsigned>(n - first) : tile::items;",
         replace="static_cast<unsigned>(n - first) : tile::items - 1;"),
    dict(name="look_back_incomplete_value", kind="flag before its value", check="scan", how="run", file=EXCHANGE,
         find="is_complete = is_complete && static_cast<std::uint32_t>(word) == tag;",
         replace="is_complete = static_cast<std::uint32_t>(word) == tag;"),

    dict(name="stream_scan_without_wait_for_items", kind="missing barrier", check="stream_scan", how="run",
         file=STREAM_ENGINE,
         find="ctx.wait(stage.full, parity); // the items have landed",
         replace=""),
    dict(name="stream_scan_early_release", kind="missing barrier", check="stream_scan", how="tsan", file=STREAM_ENGINE,
         find="ctx.sync_warp(); // all lanes have read the results",
         replace=""),
    dict(name="stream_scan_tile_edge", kind="wrong tile edge", check="stream_scan", how="run", file=STREAM_TILES,
         find="const unsigned lo = first < begin ? static_cast<unsigned>(begin - first) : 0;",
         replace="const unsigned lo = 0;"),
    dict(name="stream_scan_end_of_skewed_tile", kind="wrong tile edge", check="stream_scan", how="run",
         file="gimbal/block/stream_source.cuh",
         find="skew + valid.hi * unsigned{sizeof(Item)}",
         replace="valid.hi * unsigned{sizeof(Item)}"),
    dict(name="packed_sums_carry", kind="carry into another result", check="stream_scan", how="run", file=PACKED_SUMS,
         find="(pairs << 16)",
         replace="(pairs << 8)"),
    dict(name="exchange_incomplete_value", kind="flag before its value", check="stream_scan", how="run", file=EXCHANGE,
         find="is_complete = is_complete && static_cast<std::uint32_t>(word) == tag;",
         replace="is_complete = static_cast<std::uint32_t>(word) == tag;"),
    dict(name="prefix_server_same_tag_in_every_round", kind="flag before its value", check="stream_scan", how="run",
         file=PREFIX_SERVER,
         find="first_tag + turn}",
         replace="first_tag}"),

    dict(name="stream_segmented_scan_marks_not_waited_for", kind="missing barrier", check="stream_segmented_scan",
         how="run", file=STREAM_SEGMENTED_SCAN,
         find="ctx.wait(slot.full, at.parity); // the marks have landed",
         replace=""),
    dict(name="stream_segmented_scan_early_marks", kind="missing barrier", check="stream_segmented_scan", how="run",
         file=OFFSET_MARKS,
         find="ctx.wait(ring.empty[at.stage], at.parity ^ 1); // the heads have been read and cleared",
         replace=""),
    dict(name="stream_segmented_scan_tile_edge", kind="wrong tile edge", check="stream_segmented_scan", how="run",
         file=STREAM_SEGMENTED_SCAN,
         find="(marks.origin + marks.skew)[first - 1]",
         replace="(marks.origin + marks.skew)[first]"),

    dict(name="segmented_scan_without_barrier_after_heads", kind="missing barrier", check="segmented_scan", how="run",
         file=SEGMENTED_SCAN,
         find="ctx.sync_block(); // the tile and its heads are in shared memory",
         replace=""),
    dict(name="segmented_scan_without_barrier_after_prefix", kind="missing barrier", check="segmented_scan", how="tsan",
         file=SEGMENTED_SCAN,
         find="ctx.sync_block(); // the tile's prefix is written",
         replace=""),
    dict(name="segmented_scan_tile_edge", kind="wrong tile edge", check="segmented_scan", how="run", file=SEGMENTED_SCAN,
         find="static_cast<unsigned>(n - first) : tile::items;",
         replace="static_cast<unsigned>(n - first) : tile::items - 1;"),

    dict(name="radix_sort_without_barrier_after_counts", kind="missing barrier", check="radix_sort", how="run",
         file=RADIX_SORT,
         find="ctx.sync_block(); // the counts of all warps are there",
         replace=""),
    dict(name="radix_sort_without_barrier_before_values", kind="missing barrier", check="radix_sort", how="tsan",
         file=RADIX_SORT,
         find="ctx.sync_block(); // all keys have been read: their memory takes the values",
         replace=""),
    dict(name="radix_rank_without_warp_barrier", kind="missing barrier", check="radix_sort", how="tsan", file=RADIX_RANK,
         find="ctx.sync_warp(); // all zero before the first is added to",
         replace=""),
    dict(name="radix_sort_count_before_its_status", kind="flag before its value", check="radix_sort", how="run",
         file=RADIX_SORT,
         find="goes_on = goes_on && status != 0;",
         replace=""),
    dict(name="radix_sort_tile_edge", kind="wrong tile edge", check="radix_sort", how="run", file=RADIX_SORT,
         find="left < tile_items ? static_cast<unsigned>(left) : tile_items;",
         replace="left < tile_items ? static_cast<unsigned>(left) : tile_items - 1;"),
    dict(name="radix_histogram_without_barrier", kind="missing barrier", check="radix_sort", how="run",
         file=RADIX_HISTOGRAM,
         find="ctx.sync_block(); // all additions of this block come before its arrival",
         replace=""),
    dict(name="radix_tile_sort_without_barrier", kind="missing barrier", check="radix_sort", how="run",
         file=RADIX_TILE_SORT,
         find="ctx.sync_block(); // the tile is there in its new order",
         replace=""),

    dict(name="projected_radix_sort_by_first_key_alone", kind="wrong order of keys", check="projected_radix_sort", how="run",
         file=PROJECTED_RADIX_SORT,
         find="GIMBAL_TRY((sort_by_projected_key<I, Tuning>(storage, storage_bytes,",
         replace="GIMBAL_TRY((sort_by_projected_key<0, Tuning>(storage, storage_bytes,"),
    dict(name="argsort_counts_from_one", kind="wrong order of keys", check="projected_radix_sort", how="run",
         file=ARGSORT,
         find="positions(0)",
         replace="positions(1)"),
    dict(name="radix_engine_trusts_order_of_keys", kind="wrong lane order", check="radix_engine", how="run",
         file=RADIX_WRITE,
         find="(bits_type{1} << now.range.shift) - 1",
         replace="0"),
    dict(name="radix_engine_trusts_order_of_pairs", kind="wrong lane order", check="radix_engine", how="run",
         file=RADIX_WRITE,
         find="const typename Slots::origin_order witness{smem.origins};",
         replace="const typename Slots::key_order witness{smem.keys, 0};"),
    dict(name="radix_engine_trusts_order_in_one_block", kind="wrong lane order", check="radix_engine", how="run",
         file=RADIX_SMALL_SORT,
         find="is_done = by_votes || is_stable(ctx, smem);",
         replace="is_done = true;"),
    dict(name="all_pairs_sort_without_barrier_after_counts", kind="missing barrier", check="radix_engine", how="run",
         file=ALL_PAIRS_SORT,
         find="ctx.sync_block(); // the counts of all warps are there",
         replace=""),
    dict(name="all_pairs_sort_writes_before_all_have_read", kind="flag before its value", check="radix_engine", how="run",
         file=ALL_PAIRS_SORT,
         find="while (ctx.atomic(words[b]).load(::cuda::std::memory_order_acquire) != tag)",
         replace="while (false)"),
    dict(name="radix_engine_words_of_the_pass_before", kind="flag before its value", check="radix_engine", how="run",
         file=RADIX_TALLY,
         find="return parity << (count_bits + 1);",
         replace="return 0;"),
    dict(name="radix_engine_takes_keys_for_ordered", kind="wrong order of keys", check="radix_engine", how="run",
         file=RADIX_HISTOGRAM,
         find="source + (first + 1)",
         replace="source + first"),
    dict(name="radix_engine_unit_edge", kind="wrong tile edge", check="radix_engine", how="run", file=RADIX_SLOTS,
         find="first + unit_size <= run.end",
         replace="first <= run.end"),
    dict(name="radix_census_reads_before_counts_are_there", kind="flag before its value", check="radix_engine", how="run",
         file=RADIX_CENSUS,
         find="while (static_cast<std::uint32_t>(read[k]) != tag)",
         replace="while (false)"),
    dict(name="radix_resident_sort_trusts_additions", kind="wrong lane order", check="radix_engine", how="run",
         file=RADIX_RESIDENT_SORT,
         find="!by_votes && smem.unstable_pass == pass + 1",
         replace="false"),
    dict(name="radix_rank_takes_two_digits_for_one", kind="wrong order of keys", check="radix_engine", how="run",
         file=RADIX_RANK,
         find="second_rank = ctx.shfl(old, 1)",
         replace="second_rank = ctx.shfl(old, 0)"),
    dict(name="radix_census_joins_without_release", kind="relaxed order", check="radix_engine", how="tsan",
         file=RADIX_CENSUS,
         find="store(tag, ::cuda::std::memory_order_release)",
         replace="store(tag, ::cuda::std::memory_order_relaxed)"),
    dict(name="radix_engine_without_warp_barrier", kind="missing barrier", check="radix_engine", how="tsan",
         file=RADIX_PASS,
         find="ctx.sync_warp(); // all lanes have drawn their last slot",
         replace=""),

    dict(name="merge_sort_without_barrier_after_split", kind="missing barrier", check="merge_sort", how="run",
         file=MERGE_SORT,
         find="ctx.sync_block(); // both ends of the tile are known",
         replace=""),
    dict(name="merge_sort_without_barrier_before_write", kind="missing barrier", check="merge_sort", how="tsan",
         file=MERGE_SORT,
         find="ctx.sync_block(); // both pieces have been read",
         replace=""),
    dict(name="merge_sort_tile_edge", kind="wrong tile edge", check="merge_sort", how="run", file=MERGE_SORT,
         find="const index_type diagonal = first - begin + (side == 0 ? 0 : valid);",
         replace="const index_type diagonal = first - begin + (side == 0 ? 0 : valid - 1);"),
    dict(name="merge_sort_run_edge", kind="wrong tile edge", check="merge_sort", how="run", file=MERGE_SORT,
         find="clip((first_thread + threads) * items),",
         replace="clip((first_thread + threads) * items - 1),"),

    dict(name="rank_merge_sort_of_equal_keys", kind="wrong tile edge", check="rank_merge_sort", how="run",
         file=RANK_MERGE_SORT,
         find="first_run + j < own ? !less(key, other) : less(other, key);",
         replace="less(other, key);"),
    dict(name="rank_merge_sort_without_barrier", kind="missing barrier", check="rank_merge_sort", how="tsan",
         file=RANK_MERGE_SORT,
         find="ctx.sync_block(); // merged runs are there, and all others have been read",
         replace=""),

    dict(name="multiway_split_of_equal_keys", kind="wrong tile edge", check="multiway_merge_sort", how="run",
         file=MULTIWAY_SPLIT,
         find="(is_in_front & !follows) | (!is_in_front & precedes) ? advance : 0;",
         replace="precedes ? advance : 0;"),
    dict(name="multiway_split_without_warp_barrier", kind="missing barrier", check="multiway_merge_sort", how="tsan",
         file=MULTIWAY_SPLIT,
         find="ctx.sync_warp(); // all samples are there",
         replace=""),
    dict(name="multiway_merge_sort_end_of_runs", kind="wrong tile edge", check="multiway_merge_sort", how="run",
         file=MULTIWAY_MERGE_SORT,
         find="tile_after < ctx.blocks() && runs.tile_in_group(tile_after) != 0",
         replace="tile_after < ctx.blocks()"),
    dict(name="multiway_merge_sort_without_barrier_after_read", kind="missing barrier", check="multiway_merge_sort",
         how="tsan", file=MULTIWAY_MERGE_SORT,
         find="ctx.sync_block(); // the pieces have been read",
         replace=""),

    dict(name="partition_without_barrier_after_counts", kind="missing barrier", check="partition", how="run",
         file=PARTITION,
         find="ctx.sync_block(); // the warps' counts are written; all loads from global memory precede the publication",
         replace=""),
    dict(name="partition_without_barrier_before_store", kind="missing barrier", check="partition", how="tsan",
         file=PARTITION,
         find="ctx.sync_block(); // the items are in shared memory,",
         replace="//"),
    dict(name="partition_relaxed_publication", kind="relaxed order", check="partition", how="tsan", file=EXCHANGE,
         find="OrdersMemory ? ::cuda::std::memory_order_release : ::cuda::std::memory_order_relaxed;",
         replace="::cuda::std::memory_order_relaxed;"),
    dict(name="partition_relaxed_look_back", kind="relaxed order", check="partition", how="tsan", file=EXCHANGE,
         find="OrdersMemory ? ::cuda::std::memory_order_acquire : ::cuda::std::memory_order_relaxed;",
         replace="::cuda::std::memory_order_relaxed;"),
    dict(name="partition_tile_edge", kind="wrong tile edge", check="partition", how="run", file=PARTITION,
         find="static_cast<unsigned>(n - first) : rows::items;",
         replace="static_cast<unsigned>(n - first) : rows::items - 1;"),

    dict(name="stream_partition_without_wait_for_prefix", kind="missing wait", check="stream_partition", how="run",
         file=STREAM_PARTITION,
         find="ctx.wait(smem.placed[now.stage], now.parity);",
         replace=""),
    dict(name="stream_partition_without_wait_before_store", kind="missing wait", check="stream_partition", how="run",
         file=STREAM_PARTITION,
         find="ctx.wait(smem.built[from.stage], from.parity);",
         replace=""),
    dict(name="stream_partition_tile_edge", kind="wrong tile edge", check="stream_partition", how="run",
         file=STREAM_PARTITION_SOURCE,
         find="left < Tile::items ? static_cast<unsigned>(left) : Tile::items}",
         replace="left < Tile::items ? static_cast<unsigned>(left) : Tile::items - 1}"),
    dict(name="stream_partition_relaxed_publication", kind="relaxed order", check="stream_partition", how="tsan",
         file=COUNT_SERVER,
         find="exchange<std::uint32_t, simt::reuse_needs_order>",
         replace="exchange<std::uint32_t, false>"),

    dict(name="reduce_by_key_without_barrier_after_heads", kind="missing barrier", check="reduce_by_key", how="run",
         file=REDUCE_BY_KEY,
         find="ctx.sync_block(); // values, heads and their counts are in shared memory",
         replace=""),
    dict(name="reduce_by_key_without_barrier_after_look_back", kind="missing barrier", check="reduce_by_key", how="tsan",
         file=REDUCE_BY_KEY,
         find="ctx.sync_block(); // the state before the tile is written",
         replace=""),
    dict(name="reduce_by_key_incomplete_value", kind="flag before its value", check="reduce_by_key", how="run",
         file=EXCHANGE,
         find="is_complete = is_complete && static_cast<std::uint32_t>(word) == tag;",
         replace="is_complete = static_cast<std::uint32_t>(word) == tag;"),
    dict(name="reduce_by_key_tile_edge", kind="wrong tile edge", check="reduce_by_key", how="run", file=REDUCE_BY_KEY,
         find="static_cast<unsigned>(n - first) : rows::items;",
         replace="static_cast<unsigned>(n - first) : rows::items - 1;"),

    dict(name="stream_runs_without_wait_for_folders", kind="missing barrier", check="stream_runs", how="run",
         file=STREAM_RUNS,
         find="ctx.wait(stage.folded, parity); // the chunks' totals are written",
         replace=""),
    dict(name="stream_runs_relaxed_publication", kind="relaxed order", check="stream_runs", how="tsan", file=STREAM_RUNS,
         find="block::prefix_server<prefix, simt::reuse_needs_order>;",
         replace="block::prefix_server<prefix>;"),

    dict(name="ladder_without_warp_barrier", kind="missing barrier", check="ladder", how="run",
         file="perf/ladder/reduction.cuh",
         find="ctx.sync_warp(); // d sums are left; lanes need not be in step",
         replace=""),
    dict(name="ladder_scan_without_barrier_after_load", kind="missing barrier", check="ladder", how="run",
         file="perf/ladder/scan.cuh",
         find="ctx.sync_block(); // the tile is in shared memory",
         replace=""),
    dict(name="ladder_look_back_beyond_complete_tile", kind="wrong tile edge", check="ladder", how="run",
         file="perf/ladder/look_back.cuh",
         find="(complete & ((1u << ctx.lane()) - 1)) == 0;",
         replace="true;"),
    dict(name="ladder_ticket_before_partial_result", kind="flag before its value", check="ladder", how="run",
         file="perf/ladder/one_pass.cuh",
         find="""partials[ctx.block()] = sum;
                 return ctx.atomic(*ticket).fetch_add(1u, order::memory_order_acq_rel) + 1 == ctx.blocks();""",
         replace="""const bool is_last = ctx.atomic(*ticket).fetch_add(1u, order::memory_order_acq_rel) + 1 == ctx.blocks();
                    partials[ctx.block()] = sum;
                    return is_last;"""),
    dict(name="ladder_relaxed_ticket", kind="relaxed order", check="ladder", how="tsan",
         file="perf/ladder/one_pass.cuh",
         find="fetch_add(1u, order::memory_order_acq_rel)",
         replace="fetch_add(1u, order::memory_order_relaxed)"),
]
