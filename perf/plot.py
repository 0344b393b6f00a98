"""Plots of a run, an SVG per algorithm: throughput over size with the ceiling drawn, and the ratio to stock over size."""
import pathlib
import re

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "gimbal"  # the same run gives the same file
matplotlib.rcParams["svg.fonttype"] = "none"    # text stays text: a quarter of the size

from matplotlib import pyplot  # noqa: E402

import records  # noqa: E402
import table  # noqa: E402

MOST_LINES = 8  # in one figure; the first ones of the plan
# What is drawn unless the algorithms are chosen: the calls that users know.
FAMILIES = ("reduce", "find", "exclusive_scan", "inclusive_scan_by_key", "segmented_scan_flags", "segmented_scan_offsets", "partition_copy",
            "stable_partition", "copy_if", "remove_if", "unique_copy", "unique_by_key_copy", "reduce_by_key", "radix_sort",
            "radix_sort_pairs", "argsort", "merge_sort")


def series(cells, value):
    """(sizes, values) of the cells for which there is a value, by size."""
    points = sorted((r["n"], value(r)) for r in cells if records.is_whole(r) and value(r) is not None)
    return [n for n, _ in points], [v for _, v in points]


def clock_of(cells):
    """Device time where there is any: it shows the kernel; the wall time of others is all there is."""
    return "device" if any("device" in r["clocks"] for r in cells) else "wall"


def draw(algorithm, cells, run):
    clock = clock_of(cells)
    figure, (rates, ratios) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    groups = list(records.grouped(cells, "type", "distribution").items())
    for index, ((kind, distribution), group) in enumerate(groups[:MOST_LINES]):
        colour, label = f"C{index}", f"{kind}, {distribution}"
        for side, style in (("gimbal", "-"), ("stock", "--")):
            sizes, values = series(group, lambda r, side=side: records.rate(r, clock, side))
            if sizes:
                rates.plot(sizes, values, style, color=colour, linewidth=1.5 if side == "gimbal" else 1,
                           label=label if side == "gimbal" else None)
        sizes, values = series(group, lambda r: records.ratio(r, clock))
        if sizes:
            ratios.plot(sizes, values, "-", color=colour)

    bound = cells[0]["bound"]
    top = series([r for r in run if records.is_ceiling(r) and r["distribution"] == bound],
                 lambda r: records.rate(r, "device", "stock"))
    if top[0]:
        rates.plot(*top, ":", color="black", label=f"ceiling: {bound} of as many 4-byte items")
    for axes, title in ((rates, "GB/s of least traffic (dashed: stock)"), (ratios, "time, gimbal/stock")):
        axes.set_xscale("log", base=2)
        axes.set_xlabel("items")
        axes.set_title(title, fontsize=10)
        axes.grid(True, which="major", alpha=0.3)
        axes.minorticks_off()
    if rates.lines:
        rates.legend(fontsize=7)  # of both: the colours are the same
    rates.set_yscale("log")
    rates.minorticks_off()
    ratios.set_ylim(bottom=0)
    ratios.axhline(1, color="black", linewidth=0.8)
    figure.suptitle(f"{algorithm}, {clock} time, {cells[0].get('device', '')}", fontsize=11)
    figure.tight_layout()
    return figure


def save(figure, path):
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    # A hundredth of a point is enough, and indentation is for nobody: a third of the size.
    path.write_text(re.sub(r"(\d+\.\d\d)\d+|\n\s+", lambda found: found[1] or "\n", path.read_text()))


def write(run, folder, everything=False):
    """The figures of the FAMILIES, or of all algorithms; returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for (algorithm,), cells in table.by_algorithm(run):
        if records.comparisons(cells) and (everything or algorithm in FAMILIES):
            written.append(folder / f"{table.device_file(run)}-{algorithm}.svg")
            figure = draw(algorithm, cells, run)
            save(figure, written[-1])
            pyplot.close(figure)
    return written
