"""Records of perf_compare: what they hold, reading and writing them.

A run is a file of lines (records.jsonl), one record for each cell, in the order in which they were measured; a later record
of a cell replaces an earlier one, and a last line that was cut off is dropped. A finished run is one JSON file with a line for
each cell, below what the cells of a group share; figures are as measured, and what follows from others is left out:

  {"schema": 3, "setting": {...what all records share...}, "cells": "...what a line holds...",
  "groups": [
  {"algorithm": ..., "type": ..., "distribution": ..., "bound": ..., "cells": [
  [n, bytes, device, queued, wall],
  ...

where a clock is [quartiles of stock, quartiles of gimbal, samples], seven figures, of a ceiling four; null if it was not measured. A line
ends with an object if the cell has more to say: error, skipped, a setting of its own.

A record:
  cell          algorithm/type/distribution/n, its name
  algorithm, type, distribution, n
  bytes         the least that any implementation must read and write
  bound         the ceiling that bounds it: "copy", "read" or "write"
  clocks        by name (device, queued, wall): stock and gimbal, each [lower quartile, median, upper quartile] in microseconds,
                ratio = gimbal/stock of the medians (in lines alone), samples of each side, and after with_shares share = the
                part of the ceiling's rate that stock and gimbal reach. Ceilings (algorithm "ceiling") have a stock side alone.
  error         why the cell failed, with results that differ from stock's among the reasons; absent if it did not
  skipped       why there was nothing to compare (stock found no memory, say)
  seconds       the cell took (in lines alone)
  device, compute_capability, multiprocessors, l2_bytes, driver, cuda, cccl (the version that stock is of), commit, date
                the setting
"""
import fnmatch
import json
import pathlib

SCHEMA = 2      # of a line
RUN_SCHEMA = 3  # of a finished run
CEILING = "ceiling"
CLOCKS = {
    "device": "device time beside CUB",
    "queued": "device time beside CUB, all work queued beforehand",
    "wall": "wall time of the call beside Thrust",
}
SIDES = ("stock", "gimbal")
MEDIAN = 1  # of [lower quartile, median, upper quartile]
SETTING = ("device", "compute_capability", "multiprocessors", "l2_bytes", "driver", "cuda", "cccl", "commit", "date")
GROUP = ("algorithm", "type", "distribution", "bound")
CELLS = "n, bytes, then by each clock (" + ", ".join(CLOCKS) + ") the quartiles of stock and of gimbal in us and the samples of each"


class BadRecords(Exception):
    """A file that holds no records."""


def read_lines(path):
    """The records of a file of lines, the last of each cell, in the order of their first appearance."""
    found = {}
    lines = pathlib.Path(path).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as wrong:
            if number == len(lines):
                continue  # the run was cut off while it wrote this line
            raise BadRecords(f"{path}:{number}: {wrong}") from wrong
        if record.get("schema") != SCHEMA:
            raise BadRecords(f"{path}:{number}: not a record of schema {SCHEMA}")
        found[record["cell"]] = record
    return list(found.values())


def repair(path):
    """Make a file of lines fit to be continued: without a last line that was cut off."""
    path = pathlib.Path(path)
    text = path.read_text()
    whole, _, rest = text.rpartition("\n")
    if rest:
        path.write_text(whole + "\n" if whole else "")


def unpacked(shared, group, line):
    """The record that a line of a finished run holds."""
    n, size, *clocks = line
    more = clocks.pop() if len(clocks) > len(CLOCKS) else {}
    fields = {name: group[name] for name in GROUP}
    return {"schema": SCHEMA, "cell": "/".join([*(fields[name] for name in GROUP[:3]), str(n)]), **fields, "n": n, "bytes": size,
            "clocks": {clock: {**{side: figures[3 * i:3 * i + 3] for i, side in enumerate(SIDES) if len(figures) > 3 * i + 3},
                               "samples": figures[-1]}
                       for clock, figures in zip(CLOCKS, clocks) if figures}, **shared, **more}


def packed(record, shared):
    """The line of a finished run for a record."""
    clocks = [[*(time for side in SIDES for time in measured.get(side, ())), measured["samples"]] if measured else None
              for measured in (record["clocks"].get(clock) for clock in CLOCKS)]
    derived = {"schema", "cell", *GROUP, "n", "bytes", "clocks", "seconds", *shared}
    more = {name: value for name, value in record.items() if name not in derived}
    return json.dumps([record["n"], record["bytes"], *clocks, *([more] if more else [])], separators=(",", ":"))


def load(path):
    """The records of a finished run or of a file of lines."""
    path = pathlib.Path(path)
    if path.suffix == ".jsonl":
        return read_lines(path)
    try:
        run = json.loads(path.read_text())
    except json.JSONDecodeError as wrong:
        raise BadRecords(f"{path}: {wrong}") from wrong
    if run.get("schema") != RUN_SCHEMA:
        raise BadRecords(f"{path}: not a run of schema {RUN_SCHEMA}")
    return [unpacked(run["setting"], group, line) for group in run["groups"] for line in group["cells"]]


def save(path, records):
    """A finished run: one cell a line, so that a change is seen as one."""
    shared = setting_of(records)
    groups = ["{" + "".join(f'"{name}": {json.dumps(value)}, ' for name, value in zip(GROUP, values)) + '"cells": [\n'
              + ",\n".join(packed(record, shared) for record in cells) + "]}"
              for values, cells in grouped(records, *GROUP).items()]
    pathlib.Path(path).write_text(f'{{"schema": {RUN_SCHEMA}, "setting": {json.dumps(shared)}, "cells": "{CELLS}",\n"groups": [\n'
                                  + ",\n".join(groups) + "\n]}\n")


def grouped(records, *keys):
    """Records by the values of `keys`, in the order of the run."""
    found = {}
    for record in records:
        found.setdefault(tuple(record[k] for k in keys), []).append(record)
    return found


def chosen(records, size=None, cell=None, **patterns):
    """The records that the options of a run choose (`algorithm`, `type`, `distribution`: patterns, `size`: numbers, `cell`: a pattern of its
    name), and the ceilings."""
    def fits(record, name):
        return not patterns[name] or any(fnmatch.fnmatchcase(record[name], pattern) for pattern in patterns[name].split(","))

    try:
        sizes = {1 << int(text[2:]) if text.startswith("2^") else int(text) for text in size.split(",")} if size else None
    except ValueError as wrong:
        raise BadRecords(f"not a size: {wrong}") from wrong
    return [r for r in records
            if is_ceiling(r) or ((sizes is None or r["n"] in sizes) and fnmatch.fnmatchcase(r["cell"], cell or "*")
                                 and all(fits(r, name) for name in patterns))]


def setting_of(records):
    """What all records share; fields in which they differ are left to the records."""
    return {name: records[0][name] for name in SETTING
            if name in records[0] and all(r.get(name) == records[0][name] for r in records)} if records else {}


def times(record, clock, side):
    """[lower quartile, median, upper quartile] in microseconds, or None."""
    return record["clocks"].get(clock, {}).get(side)


def ratio(record, clock):
    """gimbal/stock of the medians, or None."""
    stock, gimbal = times(record, clock, "stock"), times(record, clock, "gimbal")
    return gimbal[MEDIAN] / stock[MEDIAN] if stock and gimbal else None


def rate(record, clock, side):
    """GB/s, or None."""
    measured = times(record, clock, side)
    return record["bytes"] / measured[MEDIAN] * 1e-3 if measured else None


def is_ceiling(record):
    return record["algorithm"] == CEILING


def is_whole(record):
    """Measured, and equal to stock."""
    return "error" not in record and "skipped" not in record


def comparisons(records):
    """(record, clock, ratio) of every cell and clock that was measured whole."""
    return [(r, clock, ratio(r, clock)) for r in records if not is_ceiling(r) and is_whole(r)
            for clock in CLOCKS if ratio(r, clock) is not None]


def ceiling_rate(ceilings, bound, clock, size):
    """The rate in GB/s of that of the ceilings that moves as many bytes, or of the next to it; None where none was measured."""
    clock = "queued" if clock == "queued" else "device"
    near = [(max(r["bytes"], size) / min(r["bytes"], size), rate(r, clock, "stock")) for r in ceilings
            if r["distribution"] == bound and r["bytes"] and rate(r, clock, "stock")]
    if not near and clock == "queued":
        return ceiling_rate(ceilings, bound, "device", size)
    return min(near)[1] if near else None


def with_shares(records):
    """The records with the share of the ceiling that each side reaches, by the ceilings among them."""
    ceilings = [record for record in records if is_ceiling(record)]  # few, and looked through for each record
    done = []
    for record in records:
        clocks = {}
        for clock, measured in record["clocks"].items():
            best = None
            if not is_ceiling(record) and record["bytes"]:
                best = ceiling_rate(ceilings, record["bound"], clock, record["bytes"])
            clocks[clock] = dict(measured)
            if best:
                clocks[clock]["share"] = {side: round(rate(record, clock, side) / best, 4) for side in ("stock", "gimbal")
                                          if times(record, clock, side)}
        done.append({**record, "clocks": clocks})
    return done
