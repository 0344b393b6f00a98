"""Tables of a run: for the terminal, for perf/results/<device>.md, for perf/results/README.md and for the main README."""
import re
import statistics

import goals
import records
from markdown import microseconds, size_name, table

# What perf/results/README.md shows of each algorithm, in this order: (algorithm, type, distribution).
HEADLINES = [
    ("reduce", "i32", "random"),
    ("find", "i32", "random"),
    ("exclusive_scan", "i32", "random"),
    ("exclusive_scan_transform", "i8", "random"),
    ("inclusive_scan_by_key", "i32+i32", "runs_256"),
    ("inclusive_scan_by_key_rows", "i32", "runs_256"),
    ("segmented_scan_flags", "i32", "runs_256"),
    ("partition_copy", "i32", "50%"),
    ("stable_partition", "i32", "50%"),
    ("copy_if", "i32", "50%"),
    ("copy_if_transform", "u32", "50%"),
    ("unique_copy", "i32", "runs_2"),
    ("reduce_by_key", "i32+i32", "runs_256"),
    ("reduce_by_key_rows", "i32", "runs_256"),
    ("radix_sort", "i32", "random"),
    ("radix_sort", "u32", "random"),
    ("radix_sort_pairs", "u32+u32", "random"),
    ("merge_sort", "u32", "random"),
    ("merge_sort", "i32", "random"),
]
# What the main README shows.
README_ROWS = [call for call in HEADLINES if call[0] in ("reduce", "exclusive_scan", "stable_partition", "radix_sort_pairs")
               or call[0] in ("radix_sort", "merge_sort") and call[1] == "u32"]
README_SIZES = [1 << k for k in (10, 16, 20, 24, 28)]
TERMINAL_LOSSES = 40  # lines
PAGE_LINES = 250      # of a page of results at most, with these of failures and of comparisons that stock wins
PAGE_FAILURES = 20
PAGE_LOSSES = 60      # if not all of them fit


def name_of(record):
    """What tells it from its algorithm's other cells; forms of the survey have no distribution."""
    return " ".join(filter(None, (record["type"], record["distribution"], size_name(record["n"]))))


def failures(run):
    return [r for r in run if "error" in r]


def heading(run):
    setting = records.setting_of(run)
    cells = [r for r in run if not records.is_ceiling(r)]
    failed = failures(cells)
    skipped = sum(1 for r in cells if "skipped" in r)
    text = "every result equal to stock's, byte for byte" if not failed else f"{len(failed)} FAILED OR DIFFER from stock"
    if skipped:
        text += f", {skipped} skipped"
    cuda = setting.get("cuda", 0)
    return (f"{setting.get('device', 'several devices')} ({setting.get('multiprocessors', '?')} multiprocessors), "
            f"CUDA {cuda // 1000}.{cuda % 1000 // 10}, CCCL {setting.get('cccl', '?')}, gimbal "
            f"{setting.get('commit', 'of several commits')}, {setting.get('date', 'several days')}; "
            f"{len(cells)} cells, {text}.")


def by_algorithm(run):
    """((algorithm,), its cells), without the ceilings."""
    return records.grouped([r for r in run if not records.is_ceiling(r)], "algorithm").items()


def summary_rows(run):
    """Per algorithm and clock: best, median, geometric mean and worst ratio, and the worst one's cell."""
    rows = []
    for (algorithm,), cells in by_algorithm(run):
        for clock in records.CLOCKS:
            found = [(ratio, r) for r, c, ratio in records.comparisons(cells) if c == clock]
            if not found:
                continue
            values = [ratio for ratio, _ in found]
            worst = max(found, key=lambda f: f[0])[1]
            rows.append([algorithm, clock, len(values), f"{min(values):.2f}", f"{statistics.median(values):.2f}",
                         f"{statistics.geometric_mean(values):.2f}", f"{max(values):.2f}",
                         name_of(worst),
                         sum(1 for v in values if v > 1)])
    return rows


SUMMARY_HEADER = ["algorithm", "clock", "cells", "best", "median", "geomean", "worst", "worst cell", "slower"]


def losses(run):
    """Comparisons that stock wins, the worst first."""
    return sorted((c for c in records.comparisons(run) if c[2] > 1), key=lambda c: -c[2])


def loss_line(record, clock, ratio):
    stock, gimbal = (records.times(record, clock, side)[records.MEDIAN] for side in ("stock", "gimbal"))
    return (f"{record['algorithm']} {name_of(record)}, {clock}: {ratio:.2f} "
            f"({microseconds(gimbal)} against {microseconds(stock)} us)")


def terminal(run):
    """What is printed at the end of a run; no line wider than 100 columns."""
    rows = [[str(field) for field in row] for row in [SUMMARY_HEADER] + summary_rows(run)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(SUMMARY_HEADER))]
    lines = [heading(run), "", "gimbal/stock, below 1 gimbal is faster:"]
    for row in rows:
        lines.append("  ".join(field.ljust(width) if column in (0, 1, 7) else field.rjust(width)
                               for column, (field, width) in enumerate(zip(row, widths))).rstrip())
    count, lost = len(records.comparisons(run)), losses(run)
    lines += ["", f"slower than stock: {len(lost)} of {count} comparisons" + (", the worst:" if lost else "")]
    lines += ["  " + loss_line(*loss) for loss in lost[:TERMINAL_LOSSES]]
    if len(lost) > TERMINAL_LOSSES:
        lines.append(f"  and {len(lost) - TERMINAL_LOSSES} more: --from FILE --show prints all")
    for record in failures(run):
        lines.append(f"FAILED {record['cell']}: {record['error']}")
    return "\n".join(lines)


GOALS_HEADER = ["goal", "items", "clock", "asked", "met", "median", "worst", "worst cell", "what limits it"]


def goal_rows(found):
    for outcome in found:
        goal, worst = outcome.goal, outcome.worst_cell
        sizes = (goal.smallest, goal.largest)
        yield [goal.what, "all" if sizes == (0, 40) else " to ".join(f"2^{k}" for k in sorted(set(sizes))), goal.clock,
               ("≥ " if goal.measure == goals.SHARE else "≤ ") + goal.text(goal.bound),
               f"**all {outcome.cells}**" if outcome.is_met else f"{outcome.met} of {outcome.cells}",
               goal.text(outcome.median), goal.text(outcome.worst),
               f"{worst['algorithm']} {name_of(worst)}",
               "" if outcome.is_met else goal.limits]


def at_sizes(run, calls):
    """(call, its cells at README_SIZES, None where there is none that is whole) of the calls that have any."""
    found = {(r["algorithm"], r["type"], r["distribution"], r["n"]): r for r in run if records.is_whole(r)}
    for call in calls:
        cells = [found.get((*call, n)) for n in README_SIZES]
        if any(cells):
            yield call, cells


def rate_rows(run):
    """GB/s by device time: the ceilings, then what gimbal reaches with the share of its ceiling."""
    ceilings = [(records.CEILING, "bytes", kind) for kind in ("copy", "read", "write")]
    for call, cells in at_sizes(run, ceilings + HEADLINES):
        side = "stock" if call in ceilings else "gimbal"
        fields = []
        for cell in cells:
            rate = records.rate(cell, "device", side) if cell else None
            share = cell["clocks"]["device"].get("share", {}).get(side) if rate else None
            fields.append("–" if rate is None else (f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}")
                          + (f" ({100 * share:.0f} %)" if share else ""))
        if set(fields) != {"–"}:
            yield ([f"*{call[2]}*", "4 bytes"] if call in ceilings else [call[0], f"{call[1]}, {call[2]}"]) + fields


def mean_ratio(comparisons, clock, n):
    found = [ratio for r, c, ratio in comparisons if c == clock and r["n"] == n]
    return f"{statistics.geometric_mean(found):.2f}" if found else "–"


def algorithm_rows(run):
    """Per algorithm: cells; by each clock geometric mean, worst ratio and slower cells; at some sizes the mean of device and call."""
    rows = {(row[0], row[1]): row for row in summary_rows(run)}
    for (algorithm,), cells in by_algorithm(run):
        clocks = [rows.get((algorithm, clock)) for clock in records.CLOCKS]
        compared = records.comparisons(cells)
        yield ([algorithm, len(cells)] + [f"{row[5]}, {row[6]}, {row[8]}" if row else "–" for row in clocks]
               + [" / ".join(mean_ratio(compared, clock, n) for clock in ("device", "wall")) for n in README_SIZES])


def cell_rows(cells, clocks):
    for record in cells:
        row = [size_name(record["n"])]
        for clock in clocks:
            ratio = records.ratio(record, clock)
            if ratio is None:
                row += ["–"] * 3
                continue
            row += [microseconds(records.times(record, clock, side)[records.MEDIAN]) for side in ("stock", "gimbal")]
            row.append(f"{ratio:.2f}")
        share = record["clocks"].get("device", {}).get("share", {}).get("gimbal")
        row += [f"{100 * share:.0f} %" if share else "–",
                "yes" if records.is_whole(record) else f"**{record.get('error') or 'skipped'}**".replace("|", "/")]
        yield row


def every_cell(run):
    """All that there is to say of each cell, as Markdown: the page has no room for it."""
    cells = [r for r in records.with_shares(run) if not records.is_ceiling(r)]
    parts = [heading(run)]
    for (algorithm, kind, distribution), group in records.grouped(cells, "algorithm", "type", "distribution").items():
        clocks = [c for c in records.CLOCKS if any(c in r["clocks"] for r in group)]
        header = ["n"] + [f"{side}, {c}" if side != "ratio" else "ratio" for c in clocks
                          for side in ("stock", "gimbal", "ratio")] + ["share", "equal"]
        parts += [f"## {algorithm}, {kind}, {distribution}", table(header, cell_rows(sorted(group, key=lambda r: r["n"]), clocks))]
    lost = losses(run)
    return "\n\n".join(parts + [f"## Slower than stock: {len(lost)} of {len(records.comparisons(run))} comparisons",
                                "\n".join("* " + loss_line(*loss) for loss in lost) or "none"])


def first(lines, most):
    """The lines as a list, the first ones with the number of the rest if there are more than `most`."""
    rest = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join("* " + line for line in lines[:most] + rest)


def report(run):
    """The page of a run: what a reader wants first, in at most PAGE_LINES lines."""
    run = records.with_shares(run)
    name = device_file(run)
    compared, lost = records.comparisons(run), losses(run)
    parts = [
        f"# gimbal beside stock on {run[0]['device']}" + ("" if is_beside_usual_stock(run) else f", CCCL {run[0]['cccl']}"),
        heading(run),
        f"Slower than stock in {len(lost)} of {len(compared)} comparisons (a cell by each of its clocks).",
        "Both are measured in one process, samples of the two sides in turn, the L2 flushed before each; medians. "
        "Ratios are gimbal/stock: below 1 gimbal is faster. Clocks: "
        + "; ".join(f"*{clock}*, {text}" for clock, text in records.CLOCKS.items())
        + f". How it is measured and what the distributions are: [perf/README.md](../README.md). Every cell with its times is in "
        f"{name}.json; `./dev bench --from perf/results/{name}.json --show --algorithm 'radix*' --size 2^20` prints some of them.",
    ]
    failed = [f"{record['cell']}: {record['error']}" for record in failures(run)]
    if failed:
        parts += ["## Failed, or different from stock", first([" ".join(line.split()) for line in failed], PAGE_FAILURES)]
    parts += [
        "## By algorithm",
        "Of all types and distributions. By each clock: geometric mean of the ratios, the worst, how many are slower. At a size: "
        "geometric mean by *device* / by *wall*.",
        table(["algorithm", "cells", *records.CLOCKS, *map(size_name, README_SIZES)], algorithm_rows(run)),
        "## GB/s, and share of the ceiling",
        "By device time. The ceilings are a copy, a kernel that only reads and a memset of so many 4-byte items; a call's share is of "
        "the one that it resembles (a read for reductions, a copy for the rest), for as many bytes. Bytes are the least that any "
        "implementation must move, so a sort of several passes has a small share.",
        table(["call", "items", *map(size_name, README_SIZES)], rate_rows(run)),
    ]
    reached = goals.outcomes(run)
    if reached:
        parts += [f"## Goals: {sum(o.is_met for o in reached)} of {len(reached)} met in every cell",
                  "Set for an H200 before anything was measured. A share is of the ceiling, a time is gimbal's, all else ratios to stock.",
                  table(GOALS_HEADER, goal_rows(reached))]
    room = PAGE_LINES - "\n\n".join(parts).count("\n") - 5  # these lines, the heading of the list and blank ones
    parts += [f"## Slower than stock: {len(lost)} of {len(compared)} comparisons" + ("" if len(lost) <= room else ", the worst"),
              first([loss_line(*loss) for loss in lost], len(lost) if len(lost) <= room else min(PAGE_LOSSES, room - 1)) or "none"]
    return "\n\n".join(parts) + "\n"


def ratios_of(run, calls):
    """A row for each call, by both clocks at README_SIZES, below the run's heading."""
    rows = []
    for call, cells in at_sizes(run, calls):
        ratios = [[records.ratio(cell, clock) if cell else None for clock in ("device", "wall")] for cell in cells]
        fields = [" / ".join(f"{r:.2f}" if r else "–" for r in pair) for pair in ratios]
        rows.append([call[0], f"{call[1]}, {call[2]}"] + fields)
    return (heading(run) + " Ratios are gimbal/stock, below 1 gimbal is faster: device time compared with CUB's / wall time compared "
            "with Thrust's.\n\n" + table(["call", "items"] + [size_name(n) for n in README_SIZES], rows))


def slower_of(run):
    return f"gimbal is slower than stock in {len(losses(run))} of {len(records.comparisons(run))} comparisons"


def readme_block(run):
    """A page's worth of a run, for the main README."""
    lost = losses(run)
    worst = f", at most by a factor of {lost[0][2]:.2f}" if lost else ""
    return ratios_of(run, README_ROWS) + f"\n\n{slower_of(run)}{worst}."


def results_block(run):
    reached, page = goals.outcomes(records.with_shares(run)), f"{device_file(run)}.md"
    return ratios_of(run, HEADLINES) + (
        f"\n\n{slower_of(run)}. Of {len(reached)} goals that were set beforehand {sum(o.is_met for o in reached)} are met in every cell. "
        f"[{page}]({page}) has all goals, ceilings and the slowest cells.")


def newest_stock_block(run):
    """A run beside another stock than the toolkit's."""
    page = f"{device_file(run)}.md"
    means = {row[0]: row[5] for row in summary_rows(run) if row[1] == "device"}
    return "\n\n".join([
        heading(run),
        f"{slower_of(run)}; geometric means of device times: "
        + ", ".join(f"`{algorithm}` {mean}" for algorithm, mean in means.items() if algorithm in NEWEST_STOCK_ALGORITHMS)
        + f". The worst: [{page}]({page}).",
    ])


NEWEST_STOCK_ALGORITHMS = ("reduce", "exclusive_scan", "inclusive_scan_by_key", "segmented_scan_flags", "copy_if", "partition_copy",
                           "unique_copy", "reduce_by_key", "radix_sort", "radix_sort_pairs", "merge_sort")
USUAL_STOCK = "3.0"  # of CUDA 13.0


def is_beside_usual_stock(run):
    return (run[0].get("cccl", USUAL_STOCK) + ".").startswith(USUAL_STOCK + ".")


def device_file(run):
    """The name of a device's files in perf/results, with the version of the stock where that is another one."""
    name = re.sub(r"\W+", "-", run[0]["device"].lower()).strip("-")
    return name if is_beside_usual_stock(run) else f"{name}-cccl-{run[0]['cccl']}"
