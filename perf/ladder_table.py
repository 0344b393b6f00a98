#!/usr/bin/env python3
"""The page of the ladder from the records that perf_ladder printed, one a line.

  ladder_table.py FILE            to standard output
  ladder_table.py FILE --page     to perf/results/<device>-ladder.md

A section is an algorithm of the records, a contender a type and a task a distribution. Only right results give a page.
"""
import argparse
import pathlib
import sys

import markdown
import records
from markdown import microseconds, size_name, table
from table import device_file

REPEATS = 100  # of a sample of the section "results"


def clock(cell):
    return "warm" if "warm" in cell["clocks"] else "device" if "device" in cell["clocks"] else "wall"


def time_of(cell, side="gimbal"):
    return records.times(cell, clock(cell), side)[records.MEDIAN]


def in_order(values):
    """Without repetitions."""
    return list(dict.fromkeys(values))


def rows_of(cells):
    """(name, its cells, the side that is its own): the rungs, stock beside the first of them, gimbal."""
    found = {name: [c for c in cells if c["type"] == name] for name in in_order(c["type"] for c in cells)}
    rungs = [(name, of_name, "gimbal") for name, of_name in found.items() if name != "gimbal"]
    return rungs + [("stock", rungs[0][1], "stock")] + [(name, found[name], "gimbal") for name in found if name == "gimbal"]


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
    return table([heading(cells), "µs", "GB/s", limit, "speed-up over the rung above"], rows)


def heading(cells):
    return f"{cells[0]['distribution']}, n = {size_name(cells[0]['n'])}"


def repeated(cells):
    times = [(name, time_of(cell, side)) for name, (cell,), side in rows_of(cells)]
    return table([heading(cells), f"µs for {REPEATS} runs", "µs each"],
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
    return "\n\n".join(table(["µs"] + [size_name(n) for n in part], [[name] + [found.get(n, "–") for n in part]
                                                                      for name, found in lines.items()])
                       for part in (sizes[:10], sizes[10:]) if part)


SECTIONS = {
    "reductions": ("Reductions: eight steps", steps),
    "results": ("Results: two passes, atomics, tickets", repeated),
    "matrices": ("Matrices: five sizes", by_task),
    "scans": ("Scans", steps),
    "histograms": ("Histograms", by_task),
    "sorts": ("Sorts: one bit at a time", steps),
    "vector-model": ("The scan-vector model, 2^5 to 2^23", vector_model),
}


def source(cells):
    setting, samples = records.setting_of(cells), [c["clocks"][clock(c)]["samples"] for c in cells]
    cuda = setting["cuda"]
    return (f"{setting['device']}, CUDA {cuda // 1000}.{cuda % 1000 // 10}, CCCL {setting['cccl']}, {setting['date']}; "
            f"medians of {min(samples)} to {max(samples)} samples.")


def page(run):
    parts = ["# The ladder of classical kernels: figures",
             source([r for r in run if not records.is_ceiling(r)])
             + " What each rung is: [perf/LADDER.md](../LADDER.md). `./dev gpu ladder` writes this page."]
    for name, (title, layout) in SECTIONS.items():
        cells = [r for r in run if r["algorithm"] == name]
        if cells:
            parts += [f"## {title}", layout(cells)]
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    run = records.with_shares(records.read_lines(chosen.records))
    wrong = [f"{r['cell']}: {r.get('error') or r['skipped']}" for r in run if not records.is_whole(r)]
    if wrong:
        sys.exit("wrong results, so no figures: " + "; ".join(wrong))
    if chosen.page:
        path = markdown.ROOT / markdown.RESULTS.parent / f"{device_file(run)}-ladder.md"
        path.write_text(page(run))
        print(f"written: {path}")
    else:
        print(page(run), end="")


if __name__ == "__main__":
    main()
