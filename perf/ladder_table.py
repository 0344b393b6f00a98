#!/usr/bin/env python3
"""The tables of the ladder from what `perf_ladder --json FILE` wrote, one JSON record a line.

  ladder_table.py FILE                     all tables to standard output
  ladder_table.py FILE --page LADDER.md    put them between the page's markers; only right results

A section that the records do not hold keeps what stands in the page.
"""
import argparse
import json
import pathlib
import sys

from markdown import microseconds, size_name, table, write_block
from records import MEDIAN


def percent(cell):
    return f"{100 * cell['gbs'] / cell['bound_gbs']:.1f} %"


def time_of(cell):
    return microseconds(cell["us"][MEDIAN])


def in_order(values):
    """Without repetitions."""
    return list(dict.fromkeys(values))


def steps(cells):
    """One task, one size: a row for each contender, and what each rung gains on the one before."""
    rows, before = [], None
    for cell in cells:
        own = cell["us"][MEDIAN]
        is_rung = cell["side"] == "rung"
        gain = f"{before / own:.2f}" if is_rung and before else "–"
        before = own if is_rung else before
        rows.append([cell["contender"], time_of(cell), f"{cell['gbs']:.0f}", percent(cell), gain])
    first = cells[0]
    limit = {"read": "of reading", "copy": "of copying"}[first["bound"]]
    header = [f"{first['task']}, n = {size_name(first['n'])}", "µs", "GB/s", f"{limit} ({first['bound_gbs']:.0f} GB/s)",
              "speed-up over the rung above"]
    return table(header, rows)


def repeated(cells):
    rows = [[c["contender"], time_of(c), microseconds(c["us"][MEDIAN] / c["repeats"])] for c in cells]
    first = cells[0]
    return table([f"{first['task']}, n = {size_name(first['n'])}", f"µs for {first['repeats']} runs", "µs each"], rows)


def by(cells, column):
    """A row for each contender, a column for each value of `column`."""
    values = in_order(c[column] for c in cells)
    rows = []
    for name in in_order(c["contender"] for c in cells):
        found = {c[column]: c for c in cells if c["contender"] == name}
        rows.append([name] + [time_of(found[v]) if v in found else "–" for v in values])
    return table(["µs"] + [str(v) for v in values], rows)


def vector_model(cells):
    """As the table of 2009: operations down, sizes across, in two halves."""
    sizes = in_order(c["n"] for c in cells)
    rows = in_order((c["task"], c["contender"], c["side"]) for c in cells)
    found = {(c["task"], c["contender"], c["n"]): c for c in cells}
    halves = []
    for part in (sizes[:10], sizes[10:]):
        if part:
            lines = [[f"{task}, {'rung' if side == 'rung' else side}"]
                     + [time_of(found[task, name, n]) if (task, name, n) in found else "–" for n in part]
                     for task, name, side in rows]
            halves.append(table(["µs"] + [size_name(n) for n in part], lines))
    return "\n\n".join(halves)


SECTIONS = {
    "reductions": steps,
    "results": repeated,
    "matrices": lambda cells: by(cells, "task"),
    "scans": steps,
    "histograms": lambda cells: by(cells, "task"),
    "sorts": steps,
    "vector-model": vector_model,
}


def source(machine):
    thrust, runtime = machine["thrust"], machine["runtime"]
    return (f"{machine['device']}, CUDA {runtime // 1000}.{runtime % 1000 // 10}, Thrust {thrust // 100000}.{thrust // 100 % 1000}.{thrust % 100}, {machine['date']}; "
            f"medians of {machine['samples']} samples.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    chosen = parser.parse_args()
    records = [json.loads(line) for line in chosen.records.read_text().splitlines()]
    machine = next(r for r in records if r["kind"] == "machine")
    cells = [r for r in records if r["kind"] == "cell"]
    tables = {name: layout([c for c in cells if c["section"] == name])
              for name, layout in SECTIONS.items() if any(c["section"] == name for c in cells)}
    if chosen.page is None:
        print("\n\n".join([source(machine)] + [f"## {name}\n\n{text}" for name, text in tables.items()]))
        return
    wrong = [f"{c['task']}: {c['contender']}" for c in cells if not c["right"]]
    if wrong:
        sys.exit("wrong results, so no figures: " + "; ".join(wrong))
    for name, text in tables.items():
        write_block(chosen.page, f"{source(machine)}\n\n{text}", f"figures of {name}")


if __name__ == "__main__":
    main()
