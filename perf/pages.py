#!/usr/bin/env python3
"""Pages of what programs with rows of their own measured, from their records.

  pages.py ladder FILE [--write]        classical kernels: perf/results/<device>-ladder.md
  pages.py vectors FILE [--write]       scan-vector calls beside stock Thrust: perf/results/<device>-vectors.md
  pages.py concurrent FILE [--write]    calls at the same time: a region of perf/results/README.md

Without --write to standard output. Of a ladder and of vectors only right results give a page.
"""
import argparse
import pathlib
import re
import statistics
import sys

import markdown
import records
from markdown import microseconds, size_name, table
from table import device_file, heading

OUT_OF_MEMORY = re.compile(r"out of memory|bad_alloc")


def in_order(values):
    """Without repetitions."""
    return list(dict.fromkeys(values))


def by_size(lines, sizes, header):
    """A row for each of {name: {items: text}}, a column for each size."""
    return table([header] + [size_name(n) for n in sizes], [[name] + [found.get(n, "–") for n in sizes] for name, found in lines.items()])


# ---- the ladder: a section is an algorithm of the records, a contender a type and a task a distribution

REPEATS = 100  # of a sample of the section "results"


def time_of(cell, side="gimbal"):
    return records.times(cell, "device" if "device" in cell["clocks"] else "wall", side)[records.MEDIAN]


def rows_of(cells):
    """(name, its cells, the side that is its own): the rungs, stock beside the first of them, gimbal."""
    found = {name: [c for c in cells if c["type"] == name] for name in in_order(c["type"] for c in cells)}
    rungs = [(name, of_name, "gimbal") for name, of_name in found.items() if name != "gimbal"]
    return rungs + [("stock", rungs[0][1], "stock")] + [(name, found[name], "gimbal") for name in found if name == "gimbal"]


def task_of(cells):
    return f"{cells[0]['distribution']}, n = {size_name(cells[0]['n'])}"


def steps(cells):
    """One task, one size: a row for each contender, and what each rung gains on the one before."""
    rows, before = [], None
    for name, (cell,), side in rows_of(cells):
        own = time_of(cell, side)
        is_rung = name not in ("stock", "gimbal")
        share = cell["clocks"]["device"].get("share", {}).get(side)
        rows.append([name, microseconds(own), f"{records.rate(cell, 'device', side):.0f}", f"{100 * share:.1f} %" if share else "–",
                     f"{before / own:.2f}" if is_rung and before else "–"])
        before = own
    limit = {"read": "of reading", "copy": "of copying"}[cells[0]["bound"]]
    return table([task_of(cells), "µs", "GB/s", limit, "speed-up over the rung above"], rows)


def repeated(cells):
    times = [(name, time_of(cell, side)) for name, (cell,), side in rows_of(cells)]
    return table([task_of(cells), f"µs for {REPEATS} runs", "µs each"],
                 [[name, microseconds(time), microseconds(time / REPEATS)] for name, time in times])


def by_task(cells):
    """A row for each contender, a column for each task."""
    rows = [[name] + [microseconds(time_of(cell, side)) for cell in found] for name, found, side in rows_of(cells)]
    return table(["µs"] + in_order(c["distribution"] for c in cells), rows)


def vector_model(cells):
    """As the table of 2009: operations down, sizes across, in two halves."""
    sizes, lines = in_order(c["n"] for c in cells), {}
    for cell in cells:
        for name, side in ((cell["type"], "gimbal"), (f"{cell['distribution']}, stock", "stock")):
            lines.setdefault(name, {}).setdefault(cell["n"], microseconds(time_of(cell, side)))
    return "\n\n".join(by_size(lines, part, "µs") for part in (sizes[:10], sizes[10:]) if part)


SECTIONS = {
    "reductions": ("Reductions: eight steps", steps),
    "results": ("Results: two passes, atomics, tickets", repeated),
    "matrices": ("Matrices: five sizes", by_task),
    "scans": ("Scans", steps),
    "histograms": ("Histograms", by_task),
    "sorts": ("Sorts: one bit at a time", steps),
    "vector-model": ("The scan-vector model, 2^5 to 2^23", vector_model),
}


def ladder(run):
    run = records.with_shares(run)
    parts = ["# The ladder of classical kernels: figures",
             heading(run) + " Medians. What each rung is: [perf/LADDER.md](../LADDER.md). `./dev gpu ladder` writes this page."]
    for name, (title, layout) in SECTIONS.items():
        cells = [r for r in run if r["algorithm"] == name]
        parts += [f"## {title}", layout(cells)] if cells else []
    return "\n\n".join(parts)


# ---- the scan-vector calls: forms of the survey

THESIS_ENDS = 1 << 23  # see include/gimbal/scan_vector.h: it has a table from 2^5 on, and found its library to fail past this


def vectors(run):
    lines = {}
    for record in records.chosen(run, algorithm="vectors"):
        if records.ratio(record, "wall"):
            lines.setdefault(record["type"], {})[record["n"]] = f"{microseconds(time_of(record))}, {records.ratio(record, 'wall'):.2f}"
    sizes = sorted({n for cells in lines.values() for n in cells})
    parts = ["# The scan-vector calls beside stock Thrust", heading([r for r in run if records.is_whole(r)]),
             "Wall times of calls with their wait, in microseconds, and their ratio to those of what is written for the same in stock "
             "Thrust, below 1 gimbal is faster; medians, the L2 flushed before each. Segments have 256 or 4 items on "
             "average; head flags have one byte. How stock does it: perf/survey/vectors.cu. A dash: not enough memory for both. The classical "
             "kernels of a scan, rung by rung: perf/LADDER.md."]
    for title, chosen in (("## The sizes of the thesis", [n for n in sizes if n <= THESIS_ENDS]),
                          ("## Past them", [n for n in sizes if n > THESIS_ENDS])):
        parts += [title, by_size(lines, chosen, "call")] if chosen else []
    return "\n\n".join(parts)


# ---- calls at the same time: a distribution is a number of host threads

LEAST = 0.97  # of stock's rate, beyond the spread of rounds


def rates(path):
    """[(family, threads, items, ratio of rates)] of records."""
    return [(record["algorithm"], int(record["distribution"].split()[0]), record["n"], 1 / ratio)
            for record, clock, ratio in records.comparisons(records.load(path)) if clock == "wall"]


def concurrent(cells, head):
    families, threads = in_order(c[0] for c in cells), sorted({c[1] for c in cells})
    rows = []
    for family in families:
        of_family = [[ratio for name, count, _, ratio in cells if (name, count) == (family, t)] for t in threads]
        rows.append([family] + [f"{statistics.geometric_mean(r):.2f} / {min(r):.2f}" if r else "–" for r in of_family])
    ratios = [ratio for *_, ratio in cells]
    below = sorted((ratio, family, items, count) for family, count, items, ratio in cells if ratio < LEAST)
    worst = "; ".join(f"{family} {size_name(items)} {count} threads {ratio:.2f}" for ratio, family, items, count in below[:6])
    return "\n\n".join([head, table(["calls"] + [f"{t} thread{'s' if t > 1 else ''}" for t in threads], rows),
                        f"{len(ratios)} cells, geometric mean {statistics.geometric_mean(ratios):.2f}, {len(below)} below {LEAST}"
                        + (f", the worst: {worst}." if below else ".")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", choices=("ladder", "vectors", "concurrent"))
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    run = records.load(chosen.records)
    if chosen.page == "concurrent":
        text = concurrent(rates(chosen.records), heading(run))
        if chosen.write:
            markdown.write_block(markdown.ROOT / markdown.RESULTS, text, "concurrent")
    else:
        wrong = [f"{r['cell']}: {r.get('error') or r['skipped']}" for r in run if not records.is_whole(r)
                 and not (chosen.page == "vectors" and ("skipped" in r or OUT_OF_MEMORY.search(r["error"])))]
        if wrong:
            sys.exit("wrong results, so no figures: " + "; ".join(wrong))
        text = {"ladder": ladder, "vectors": vectors}[chosen.page](run)
        if chosen.write:
            (markdown.ROOT / markdown.RESULTS.parent / f"{device_file(run)}-{chosen.page}.md").write_text(text + "\n")
    if not chosen.write:
        print(text)


if __name__ == "__main__":
    main()
