#!/usr/bin/env python3
"""The page of the scan-vector calls beside stock Thrust, from the records that `./dev survey --form vectors SIZE...` left.

  vectors_table.py FILE --head TEXT > perf/results/<device>-vectors.md

The thesis that these calls are from (see include/gimbal/scan_vector.h) has a table of 2^5 to 2^23 items and found its library to fail
from 2^24 on; so the page has a table of either.
"""
import argparse
import pathlib
import re
import sys

import markdown
import records

OUT_OF_MEMORY = re.compile(r"out of memory|bad_alloc")
THESIS_ENDS = 1 << 23


def read(run):
    """({call: {items: (us of stock, us of gimbal)}}, forms that failed, but for want of memory)"""
    found, failed = {}, []
    for record in run:
        if "error" in record and not OUT_OF_MEMORY.search(record["error"]):
            failed.append(f"{record['cell']}: {record['error']}")
        elif records.ratio(record, "wall"):
            times = (records.times(record, "wall", side)[records.MEDIAN] for side in records.SIDES)
            found.setdefault(record["type"], {})[record["n"]] = tuple(times)
    return found, failed


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def table(found, sizes):
    rows = []
    for call, cells in found.items():
        fields = []
        for n in sizes:
            if n in cells:
                stock, gimbal = cells[n]
                fields.append(f"{figure(gimbal)}, {gimbal / stock:.2f}")
            else:
                fields.append("–")
        rows.append([call] + fields)
    return markdown.table(["call"] + [markdown.size_name(n) for n in sizes], rows)


def page(found, head):
    sizes = sorted({n for cells in found.values() for n in cells})
    parts = ["# The scan-vector calls beside stock Thrust", head,
             "Wall times of calls with their wait, in microseconds, and their ratio to those of what is written for the same in stock "
             "Thrust, below 1 gimbal is faster; medians, the L2 flushed before each. Results are compared byte for byte. Segments have 256 or 4 items on "
             "average; head flags have one byte. How stock does it: perf/survey/vectors.cu. A dash: not enough memory for both. The classical "
             "kernels of a scan, rung by rung: perf/LADDER.md."]
    for title, chosen in (("## The sizes of the thesis", [n for n in sizes if n <= THESIS_ENDS]),
                          ("## Past them", [n for n in sizes if n > THESIS_ENDS])):
        if chosen:
            parts += [title, table(found, chosen)]
    return "\n\n".join(parts) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", type=pathlib.Path)
    options.add_argument("--head", required=True, help="card, versions, commit, date")
    chosen = options.parse_args()
    found, failed = read(records.chosen(records.load(chosen.file), algorithm="vectors"))
    if not found or failed:
        sys.exit("\n".join([f"{chosen.file}: {len(found)} calls"] + failed))
    print(page(found, chosen.head), end="")


if __name__ == "__main__":
    main()
