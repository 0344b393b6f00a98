#!/usr/bin/env python3
"""model.py [--write]: what calls over a communicator should take, from a few measured figures; --write puts the tables into MODEL.md."""
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
import markdown  # noqa: E402

# Measured on one host of four H100 (NVLink, 18 links between all pairs), all four at once; microseconds for 2^28 u32 a GPU.
SORT = 4325.0
SCAN = 998.0
GATHER = 49.0  # NCCL's all-gather of 16 bytes
EXCHANGE_OF_4 = 2091.0  # all-to-all by copies between peers; NCCL's takes 2491
ITEMS, BYTES = 2 ** 28, 4
# Published: a network card's rate a GPU, bytes a microsecond.
CARD = 48e3
# Assumed: what a pass over memory reaches.
MEMORY = 0.7 * 3350e3

LINK = ITEMS * BYTES * 3 / 4 / EXCHANGE_OF_4  # bytes a microsecond out of a GPU, on one host
GPUS_OF_HOST = 8
MOST_RUNS, PIECES = 16, 6  # adaptors/gimbal/distributed/sort.h


def exchange(ranks, items):
    out = items * BYTES * (ranks - 1) / ranks
    if ranks <= GPUS_OF_HOST:
        return out / LINK
    inside = out * (GPUS_OF_HOST - 1) / (ranks - 1)
    return max(inside / LINK, (out - inside) / CARD)


def gathering(ranks):
    """A small collective: a tree between hosts."""
    return GATHER * (1 + max(0, math.log2(ranks / GPUS_OF_HOST)) / 4)


def splitters(ranks, items):
    samples = max(1, min(1024, 2 ** 16 // (ranks * ranks)))
    rounds = math.ceil(math.log(items) / math.log(max(2, samples)))
    moved = ranks * (ranks - 1) * samples * 24 / (LINK if ranks <= GPUS_OF_HOST else CARD)
    return rounds * (2 * gathering(ranks) + moved)


def parts_of_sort(ranks, items=ITEMS):
    local = SORT * items / ITEMS
    moved = exchange(ranks, items)
    if ranks > MOST_RUNS:
        seen = local
    else:  # a piece is merged while the next arrives
        merges = math.ceil(math.log2(ranks)) * 2 * items * BYTES / MEMORY
        seen = max(moved + merges / PIECES, moved / PIECES + merges) - moved
    return {"sort": local, "splitters": splitters(ranks, items) + 5 * gathering(ranks), "exchange": moved, "merges or sort": seen}


def sort_table():
    rows = []
    for ranks in (2, 4, 8, 64, 1024):
        parts = parts_of_sort(ranks)
        total = sum(parts.values())
        rows.append([ranks, *(f"{t / 1000:.2f}" for t in (*parts.values(), total)), f"{SORT / total:.2f}"])
    return markdown.table(["GPUs", "sort of the part", "splitters, gatherings", "exchange", "merges that are seen, or a second sort",
                           "all, ms", "of the GPUs' rate"], rows)


def table_of_others():
    reads = ITEMS * BYTES / MEMORY
    calls = {"reduce": (reads, reads, 1), "exclusive_scan": (SCAN, SCAN + reads, 2), "copy_if": (1.5 * reads, 1.5 * reads, 1)}
    return markdown.table(["call, 2^28 u32 a GPU", "2 GPUs", "8", "64", "1,024"],
                          [[name, *(f"{one / (own + gatherings * gathering(r)):.2f}" for r in (2, 8, 64, 1024))]
                           for name, (one, own, gatherings) in calls.items()])


def large_table():
    rows = []
    for ranks in (64, 1024):
        items = 10 ** 12 // ranks
        total = sum(parts_of_sort(ranks, items).values()) * 1e-6
        rows.append([ranks, f"{items / 1e9:.1f} * 10^9", f"{total:.2f}", f"{1 / total:.1f} * 10^12"])
    return markdown.table(["GPUs", "keys a GPU", "seconds", "keys a second"], rows)


if __name__ == "__main__":
    for name, text in (("sort", sort_table()), ("others", table_of_others()), ("large", large_table())):
        print(f"{name}\n{text}\n")
        if "--write" in sys.argv:
            markdown.write_block(pathlib.Path(__file__).with_name("MODEL.md"), text, name)
