"""The faults that faults.py plants. Each changes one place of one backend header.

name     of the fault
kind     "missing barrier", "flag before its value", "relaxed order" or "wrong tile edge"
check    the program faults/<check>.cu that must catch it
how      "run": wrong results or an executor error under random schedules; "tsan": ThreadSanitizer's report
file     the header, relative to backend/
find     text that stands exactly once in the header
replace  what it becomes
"""

FAULTS = [
    dict(name="scan_without_barrier_before_store", kind="missing barrier", check="scan", how="run",
         file="gimbal/kernel/scan.cuh",
         find="    ctx.sync_block(); // the results are in shared memory\n",
         replace=""),
    dict(name="scan_without_barrier_after_load", kind="missing barrier", check="scan", how="tsan",
         file="gimbal/kernel/scan.cuh",
         find="    ctx.sync_block(); // the tile is in shared memory\n",
         replace=""),
    dict(name="scan_tile_edge", kind="wrong tile edge", check="scan", how="run",
         file="gimbal/kernel/scan.cuh",
         find="static_cast<unsigned>(n - first) : tile::items;",
         replace="static_cast<unsigned>(n - first) : tile::items - 1;"),
    dict(name="look_back_flag_before_value", kind="flag before its value", check="scan", how="run",
         file="gimbal/block/look_back.cuh",
         find="is_complete = is_complete && (word & tag) != 0;",
         replace="is_complete = (word & tag) != 0;"),
]
