#!/usr/bin/env python3
"""Markdown from what `perf_compare --json FILE` wrote.

  table.py FILE                      the whole report to standard output (perf/results/<device>.md)
  table.py FILE --readme README.md   replace what stands between the results markers of README.md by a summary
"""
import argparse
import json
import math
import pathlib
import re
import statistics

CLOCKS = {"device": "stock CUB, device time", "wall": "stock Thrust, wall time of the call"}
MEDIAN = 1  # of [lower quartile, median, upper quartile]


def ratio(cell, clock):
    times = cell[clock]
    return times and times["gimbal"][MEDIAN] / times["stock"][MEDIAN]


def power(log2):
    return f"2^{log2}"


def microseconds(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(field) for field in row) + " |" for row in rows]
    return "\n".join(lines)


def families(run):
    """Cells by family and items, in the order of the run."""
    found = {}
    for cell in run["cells"]:
        found.setdefault((cell["family"], cell["items"]), []).append(cell)
    return found


def heading(run):
    different = [c for c in run["cells"] if not c["equal"]]
    equal = "every result equal to stock's, byte for byte" if not different else f"{len(different)} RESULTS DIFFER from stock's"
    return (
        f"{run['device']} ({run['multiprocessors']} multiprocessors), CUDA {run['runtime'] // 1000}.{run['runtime'] % 1000 // 10}, "
        f"Thrust {run['thrust'] // 100000}.{run['thrust'] // 100 % 1000}.{run['thrust'] % 100}, {run['date']}; "
        f"{len(run['cells'])} cells, {equal}."
    )


def summary(run):
    rows = []
    for (family, items), cells in families(run).items():
        for clock in CLOCKS:
            ratios = [(ratio(c, clock), c["log2"]) for c in cells if c[clock]]
            if not ratios:
                continue
            values = [r for r, _ in ratios]
            slower = " ".join(power(n) for r, n in ratios if r > 1) or "–"
            mean = math.exp(statistics.mean(math.log(r) for r in values))
            rows.append([family, items, clock, f"{min(values):.2f}", f"{statistics.median(values):.2f}", f"{mean:.2f}",
                         f"{max(values):.2f}", slower])
    return table(["call", "items", "clock", "best", "median", "geomean", "worst", "slower than stock at"], rows)


def report(run):
    parts = [
        f"# gimbal beside stock on {run['device']}",
        heading(run) + " `perf_compare` measures both in one process: random data, the L2 flushed before each sample, samples "
        "of the two sides taken in turn, medians in microseconds (perf/measure.h). Ratios are gimbal/stock: below 1 gimbal is "
        "faster. Device time is that of the device-wide call beside CUB's, with storage kept; wall time is that of the Thrust "
        "call with `gimbal::par` beside `thrust::device`, as the host sees it, with its allocations and its wait.",
        "Keys of the by-key calls come in runs of 1 to 512 items, of `unique_copy` in runs of 1 to 3; half of the items are "
        "selected. `segmented_scan by flags` has no stock counterpart: it is beside the by-key scan, whose keys take 4 bytes an "
        "item where flags take 1. `stable_partition` in place exists only as a Thrust call.",
    ]
    if run["ceilings"]:
        parts += ["## Ceilings", table(["4-byte items", "copy, read + write, GB/s", "read, GB/s"],
                                       [[power(c["log2"]), f"{c['copy_gbs']:.0f}", f"{c['read_gbs']:.0f}"]
                                        for c in run["ceilings"]])]
    parts += ["## Ratios", summary(run)]
    for (family, items), cells in families(run).items():
        rows = []
        for cell in cells:
            row = [power(cell["log2"])]
            for clock in CLOCKS:
                times = cell[clock]
                row += ([microseconds(times["stock"][MEDIAN]), microseconds(times["gimbal"][MEDIAN]),
                         f"{ratio(cell, clock):.2f}"] if times else ["–"] * 3)
            rows.append(row + ["yes" if cell["equal"] else "**NO**"])
        parts += [f"## {family}, {items}",
                  table(["n", "CUB", "gimbal", "ratio", "Thrust, wall", "gimbal, wall", "ratio", "equal"], rows)]
    return "\n\n".join(parts) + "\n"


def readme_summary(run, report_name):
    sizes = sorted({c["log2"] for c in run["cells"]})
    shown = [n for n in (10, 16, 20, 24, 28) if n in sizes] or sizes
    rows = []
    for (family, items), cells in families(run).items():
        row = [family, items]
        for size in shown:
            cell = next((c for c in cells if c["log2"] == size), None)
            fields = [cell and cell[clock] and f"{ratio(cell, clock):.2f}" or "–" for clock in CLOCKS]
            row.append(" / ".join(fields))
        rows.append(row)
    count = sum(1 for c in run["cells"] for clock in CLOCKS if c[clock])
    slower = sum(1 for c in run["cells"] for clock in CLOCKS if c[clock] and ratio(c, clock) > 1)
    return "\n\n".join([
        heading(run) + " Ratios gimbal/stock, below 1 gimbal is faster: device time beside CUB / wall time beside Thrust.",
        table(["call", "items"] + [power(n) for n in shown], rows),
        f"gimbal is slower than stock in {slower} of {count} comparisons. All times, method and ceilings: "
        f"[perf/results/{report_name}](perf/results/{report_name}).",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path)
    chosen = parser.parse_args()
    run = json.loads(chosen.run.read_text())
    if chosen.readme is None:
        print(report(run), end="")
        return
    report_name = re.sub(r"\W+", "-", run["device"].lower()).strip("-") + ".md"
    text = chosen.readme.read_text()
    between = re.compile(r"(<!-- results: begin[^\n]*-->\n).*?(<!-- results: end -->)", re.S)
    if not between.search(text):
        raise SystemExit(f"{chosen.readme}: no results markers")
    new = between.sub(lambda m: m.group(1) + readme_summary(run, report_name) + "\n" + m.group(2), text)
    chosen.readme.write_text(new)


if __name__ == "__main__":
    main()
