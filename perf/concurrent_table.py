#!/usr/bin/env python3
"""The table of calls at the same time, from what perf_concurrent printed.

  concurrent_table.py FILE                                  to standard output
  concurrent_table.py FILE --page --head TEXT               into perf/results/README.md, below a line of text
"""
import argparse
import pathlib
import re
import statistics
import sys

import markdown

LEAST = 0.97  # of stock's rate, beyond the spread of rounds


def read(lines):
    """{family: {threads: {items: ratio of rates}}}"""
    cells = {}
    for line in lines:
        found = re.match(r"(\w+) +(\d+) +(\d+) +[\d.]+ +[\d.]+ +([\d.]+) \(", line)
        if found:
            family, items, threads, ratio = found.groups()
            cells.setdefault(family, {}).setdefault(int(threads), {})[int(items)] = float(ratio)
    return cells


def table(cells):
    threads = sorted({t for of_family in cells.values() for t in of_family})
    rows = []
    for family, of_family in cells.items():
        row = [family]
        for t in threads:
            ratios = of_family.get(t, {})
            row.append(f"{statistics.geometric_mean(ratios.values()):.2f} / {min(ratios.values()):.2f}" if ratios else "–")
        rows.append(row)
    return markdown.table(["calls"] + [f"{t} thread{'s' if t > 1 else ''}" for t in threads], rows)


def slow(cells):
    return [(ratio, family, items, threads) for family, of_family in cells.items()
            for threads, of_threads in of_family.items() for items, ratio in of_threads.items() if ratio < LEAST]


def summary(cells):
    ratios = [r for of_family in cells.values() for of_threads in of_family.values() for r in of_threads.values()]
    below = sorted(slow(cells))
    text = f"{len(ratios)} cells, geometric mean {statistics.geometric_mean(ratios):.2f}, {len(below)} below {LEAST}"
    if below:
        worst = [f"{family} {markdown.size_name(items)} {threads} threads {ratio:.2f}" for ratio, family, items, threads in below[:6]]
        text += ", the worst: " + "; ".join(worst)
    return text + "."


def block(cells, head):
    return "\n\n".join(filter(None, [head, table(cells), summary(cells)]))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", type=pathlib.Path)
    options.add_argument("--page", action="store_true")
    options.add_argument("--head", default="")
    chosen = options.parse_args()
    cells = read(chosen.file.read_text().splitlines())
    if not cells:
        sys.exit(f"{chosen.file}: no cell")
    text = block(cells, chosen.head)
    if chosen.page:
        markdown.write_block(markdown.ROOT / markdown.RESULTS, text, "concurrent")
    else:
        print(text)


if __name__ == "__main__":
    main()
