"""Records of perf_compare: what they hold, reading and writing them.

A run is a file of lines (records.jsonl), one record for each cell, in the order in which they were measured; a later record
of a cell replaces an earlier one, and a last line that was cut off is dropped. A finished run is one JSON file:

  {"schema": 2, "setting": {...what all records share...}, "records": [...]}

A record:
  cell          algorithm/type/distribution/n, its name
  algorithm, type, distribution, n
  bytes         the least that any implementation must read and write
  bound         the ceiling that bounds it: "copy", "read" or "write"
  clocks        by name (device, queued, wall): stock and gimbal, each [lower quartile, median, upper quartile] in microseconds,
                ratio = gimbal/stock of the medians, samples of each side, and in a finished run share = the part of the
                ceiling's rate that stock and gimbal reach. Ceilings (algorithm "ceiling") have a stock side alone.
  error         why the cell failed, with results that differ from stock's among the reasons; absent if it did not
  skipped       why there was nothing to compare (stock found no memory, say)
  seconds       the cell took
  device, compute_capability, multiprocessors, l2_bytes, driver, cuda, cccl (the version that stock is of), commit, date
                the setting
"""
import json
import pathlib

SCHEMA = 2
CEILING = "ceiling"
CLOCKS = {
    "device": "device time beside CUB",
    "queued": "device time beside CUB, all work queued beforehand",
    "wall": "wall time of the call beside Thrust",
}
MEDIAN = 1  # of [lower quartile, median, upper quartile]
SETTING = ("device", "compute_capability", "multiprocessors", "l2_bytes", "driver", "cuda", "cccl", "commit", "date")


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


def load(path):
    """The records of a finished run or of a file of lines."""
    path = pathlib.Path(path)
    if path.suffix == ".jsonl":
        return read_lines(path)
    try:
        run = json.loads(path.read_text())
    except json.JSONDecodeError as wrong:
        raise BadRecords(f"{path}: {wrong}") from wrong
    if run.get("schema") != SCHEMA:
        raise BadRecords(f"{path}: not a run of schema {SCHEMA}")
    return [{"schema": SCHEMA, **run["setting"], **record} for record in run["records"]]


def merge(*runs):
    """One list of records; a later one replaces an earlier one of the same cell."""
    return list({record["cell"]: record for run in runs for record in run}.values())


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


def save(path, records):
    """A finished run: one record per line, so that a change is seen as one."""
    records = with_shares(records)
    setting = setting_of(records)
    hidden = {"schema", *setting}
    lines = [json.dumps({k: v for k, v in r.items() if k not in hidden}) for r in records]
    pathlib.Path(path).write_text(
        f'{{"schema": {SCHEMA}, "setting": {json.dumps(setting)},\n"records": [\n' + ",\n".join(lines) + "\n]}\n")
