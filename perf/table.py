"""Tables of a run: for the terminal, for perf/results/<device>.md, and for the README."""
import math
import re
import statistics

import goals
import records

# What the README shows of each algorithm, in this order: (algorithm, type, distribution).
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
README_SIZES = [1 << k for k in (10, 16, 20, 24, 28)]
TERMINAL_LOSSES = 40  # lines; all of them stand in the report


def size_name(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def microseconds(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(field) for field in row) + " |" for row in rows]
    return "\n".join(lines)


def grouped(run, *keys):
    """Records by the values of `keys`, in the order of the run."""
    found = {}
    for record in run:
        found.setdefault(tuple(record[k] for k in keys), []).append(record)
    return found


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(v) for v in values))


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


def summary_rows(run):
    """Per algorithm and clock: best, median, geometric mean and worst ratio, and the worst one's cell."""
    rows = []
    for (algorithm,), cells in grouped([r for r in run if not records.is_ceiling(r)], "algorithm").items():
        for clock in records.CLOCKS:
            found = [(ratio, r) for r, c, ratio in records.comparisons(cells) if c == clock]
            if not found:
                continue
            values = [ratio for ratio, _ in found]
            worst = max(found, key=lambda f: f[0])[1]
            rows.append([algorithm, clock, len(values), f"{min(values):.2f}", f"{statistics.median(values):.2f}",
                         f"{geometric_mean(values):.2f}", f"{max(values):.2f}",
                         f"{worst['type']} {worst['distribution']} {size_name(worst['n'])}",
                         sum(1 for v in values if v > 1)])
    return rows


SUMMARY_HEADER = ["algorithm", "clock", "cells", "best", "median", "geomean", "worst", "worst cell", "slower"]


def losses(run):
    """Comparisons that stock wins, the worst first."""
    return sorted((c for c in records.comparisons(run) if c[2] > 1), key=lambda c: -c[2])


def loss_line(record, clock, ratio):
    stock, gimbal = (records.times(record, clock, side)[records.MEDIAN] for side in ("stock", "gimbal"))
    return (f"{record['algorithm']} {record['type']} {record['distribution']} {size_name(record['n'])}, {clock}: {ratio:.2f} "
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
        lines.append(f"  and {len(lost) - TERMINAL_LOSSES} more, all in the report")
    for record in failures(run):
        lines.append(f"FAILED {record['cell']}: {record['error']}")
    return "\n".join(lines)


GOALS_HEADER = ["goal", "items", "clock", "asked", "cells", "met", "median", "worst", "worst cell", "what limits it"]


def goal_rows(found):
    for outcome in found:
        goal, worst = outcome.goal, outcome.worst_cell
        sizes = (goal.smallest, goal.largest)
        yield [goal.what, "all" if sizes == (0, 40) else " to ".join(f"2^{k}" for k in sorted(set(sizes))), goal.clock,
               ("≥ " if goal.measure == goals.SHARE else "≤ ") + goal.text(goal.bound), outcome.cells,
               "**all**" if outcome.is_met else outcome.met, goal.text(outcome.median), goal.text(outcome.worst),
               f"{worst['algorithm']} {worst['type']} {worst['distribution']} {size_name(worst['n'])}",
               "" if outcome.is_met else goal.limits]


def ceiling_table(run):
    found = {}
    for record in run:
        if records.is_ceiling(record) and records.rate(record, "device", "stock"):
            found.setdefault(record["n"], {})[record["distribution"]] = records.rate(record, "device", "stock")
    kinds = [k for k in ("copy", "read", "write") if any(k in f for f in found.values())]
    return markdown(["4-byte items"] + [f"{k}, GB/s" for k in kinds],
                    [[size_name(n)] + [f"{f[k]:.0f}" if k in f else "–" for k in kinds] for n, f in sorted(found.items())])


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


def report(run):
    """The whole run as Markdown."""
    run = records.with_shares(run)
    parts = [
        f"# gimbal beside stock on {run[0]['device']}" if run else "# gimbal beside stock",
        heading(run),
        "Both are measured in one process, samples of the two sides in turn, the L2 flushed before each; medians in microseconds. "
        "Ratios are gimbal/stock: below 1 gimbal is faster. Clocks: "
        + "; ".join(f"*{name}*, {text}" for name, text in records.CLOCKS.items())
        + ". The share is gimbal's, by device time, of the rate that the machine reaches for the same bytes (a read for reductions, "
        "a copy for the rest); bytes are the least that any implementation must move, so a sort of many passes has a small one. How "
        "it is measured and what the distributions are: perf/README.md.",
        "## Ceilings", ceiling_table(run),
        "## Ratios", markdown(SUMMARY_HEADER, summary_rows(run)),
    ]
    reached = goals.outcomes(run)
    if reached:
        parts += [f"## Goals: {sum(o.is_met for o in reached)} of {len(reached)} met in every cell",
                  "Set for an H200 before anything was measured. A share is of the ceiling, a time is gimbal's, all else ratios to stock.",
                  markdown(GOALS_HEADER, goal_rows(reached))]
    lost = losses(run)
    parts += [f"## Slower than stock: {len(lost)} of {len(records.comparisons(run))} comparisons",
              "\n".join("* " + loss_line(*loss) for loss in lost) or "none"]
    cells = [r for r in run if not records.is_ceiling(r)]
    for (algorithm, kind, distribution), group in grouped(cells, "algorithm", "type", "distribution").items():
        clocks = [c for c in records.CLOCKS if any(c in r["clocks"] for r in group)]
        header = ["n"] + [f"{side}, {c}" if side != "ratio" else "ratio" for c in clocks
                          for side in ("stock", "gimbal", "ratio")] + ["share", "equal"]
        parts += [f"## {algorithm}, {kind}, {distribution}",
                  markdown(header, cell_rows(sorted(group, key=lambda r: r["n"]), clocks))]
    return "\n\n".join(parts) + "\n"


def readme_block(run, report_name):
    reached = goals.outcomes(records.with_shares(run))
    found = {(r["algorithm"], r["type"], r["distribution"], r["n"]): r for r in run}
    rows = []
    for headline in HEADLINES:
        cells = [found.get((*headline, n)) for n in README_SIZES]
        if not any(cells):
            continue
        fields = []
        for cell in cells:
            ratios = [records.ratio(cell, clock) if cell and records.is_whole(cell) else None for clock in ("device", "wall")]
            fields.append(" / ".join(f"{r:.2f}" if r else "–" for r in ratios))
        rows.append([headline[0], f"{headline[1]}, {headline[2]}"] + fields)
    return "\n\n".join([
        heading(run) + " Ratios gimbal/stock, below 1 gimbal is faster: device time beside CUB / wall time beside Thrust.",
        markdown(["call", "items"] + [size_name(n) for n in README_SIZES], rows),
        f"gimbal is slower than stock in {len(losses(run))} of {len(records.comparisons(run))} comparisons. Of {len(reached)} goals "
        f"that were set beforehand {sum(o.is_met for o in reached)} are met in every cell; the others, how far from it and why, and "
        f"all times and ceilings: [perf/results/{report_name}](perf/results/{report_name}); method: [perf/README.md](perf/README.md).",
    ])


def newest_stock_block(run, report_name):
    """What the README says of a run beside another stock than the toolkit's."""
    comparisons = records.comparisons(run)
    by_algorithm = {row[0]: row[5] for row in summary_rows(run) if row[1] == "device"}
    return "\n\n".join([
        heading(run),
        f"gimbal is slower in {len(losses(run))} of {len(comparisons)} comparisons; geometric means of device times: "
        + ", ".join(f"`{algorithm}` {mean}" for algorithm, mean in by_algorithm.items() if algorithm in NEWEST_STOCK_ALGORITHMS)
        + f". All of them: [perf/results/{report_name}](perf/results/{report_name}).",
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


def replace_block(text, new, block="results"):
    """`text` with what stands between the markers of a block replaced; None if there are none."""
    between = re.compile(rf"(<!-- {block}: begin[^\n]*-->\n).*?(<!-- {block}: end -->)", re.S)
    if not between.search(text):
        return None
    return between.sub(lambda m: m.group(1) + new + "\n" + m.group(2), text)
