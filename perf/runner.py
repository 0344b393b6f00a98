"""Running perf_compare: record by record into a file, over crashes and hangs of single cells, with the time left shown."""
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

import records

DEVICE_LOST = 3       # exit status of perf_compare: a new process may go on
WRONG_USAGE = 64
CELL_TIMEOUT = 180    # seconds without a record after which a cell is taken to hang; the slowest takes a few
MOST_RESTARTS = 25    # something is wrong with more than single cells


class RunFailed(Exception):
    """perf_compare could not be run at all."""


def planned(program, options):
    """Names of the cells that the options choose, in the order of the run."""
    listed = subprocess.run([program, *options, "--list"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        raise RunFailed(f"{program} --list: exit status {listed.returncode}\n{listed.stderr}")
    return listed.stdout.splitlines()


def failure(cell, why, like):
    """The record of a cell whose process could not write one; `like` is another record of the run, if there is one."""
    algorithm, kind, rest = cell.split("/", 2)
    distribution, n = rest.rsplit("/", 1)
    setting = {name: like[name] for name in records.SETTING if like and name in like}
    return {"schema": records.SCHEMA, "cell": cell, "algorithm": algorithm, "type": kind, "distribution": distribution,
            "n": int(n), "bytes": 0, "bound": "copy", "clocks": {}, "error": why, "seconds": 0, **setting}


class Progress:
    """Shows what was measured last and the time left, which is estimated from cells of the same or the nearest size."""

    def __init__(self, plan, out=None, clock=time.monotonic):
        self.left = dict.fromkeys(plan)
        self.count = len(plan)
        self.seconds = {}  # by size: [sum, cells]
        self.out, self.clock = out or sys.stderr, clock
        self.is_terminal = self.out.isatty()
        self.shown = -1e9

    def seconds_left(self):
        total = 0
        for cell in self.left:
            n = int(cell.rsplit("/", 1)[1])
            if self.seconds:
                nearest = min(self.seconds, key=lambda known: max(known, n) / min(known, n))
                spent, cells = self.seconds[nearest]
                total += spent / cells
        return total

    def add(self, record):
        self.left.pop(record["cell"], None)
        known = self.seconds.setdefault(record["n"], [0, 0])
        known[0] += record["seconds"]
        known[1] += 1
        failed = "error" in record
        if failed or self.clock() - self.shown > (0.2 if self.is_terminal else 10) or not self.left:
            self.shown = self.clock()
            self.show(record, failed)

    def show(self, record, failed):
        ratios = ", ".join(f"{clock} {records.ratio(record, clock):.2f}" for clock in records.CLOCKS
                           if records.ratio(record, clock) is not None)
        minutes, seconds = divmod(round(self.seconds_left()), 60)
        text = (f"{self.count - len(self.left)}/{self.count}, {minutes}:{seconds:02d} left  {record['cell']}: "
                f"{record['error'] if failed else record.get('skipped', ratios)}")
        if self.is_terminal:
            text = "\r" + text[:110].ljust(110) + ("\n" if failed or not self.left else "")
            self.out.write(text)
        else:
            self.out.write(text + "\n")
        self.out.flush()


def lines_of(process, timeout):
    """Lines of its output, None when there was none for `timeout` seconds; ends with the output."""
    arrived = queue.Queue()

    def read():
        for line in process.stdout:
            arrived.put(line)
        arrived.put("")

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = arrived.get(timeout=timeout)
        except queue.Empty:
            yield None
            return
        if not line:
            return
        yield line


def one_process(command, keep, timeout):
    """Run it, hand each record to `keep`; returns (why it ended wrongly or None, exit status)."""
    # In a session of its own: what the user types to interrupt the run reaches this program alone, which ends the other.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        for line in lines_of(process, timeout):
            if line is None:
                return f"no record for {timeout} s: taken to hang", None
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue  # cut off by the end of the process, which its exit status tells
            keep(record)
        status = process.wait()
    finally:
        process.kill()
        process.wait()
    if status in (0, 1, DEVICE_LOST):
        return None, status
    return (f"the process ended by signal {-status}" if status < 0 else f"the process ended with status {status}"), status


def measure(program, options, target, progress=True, timeout=CELL_TIMEOUT):
    """Measure what the options choose and `target` (a file of lines, continued if it exists) does not hold yet."""
    target = pathlib.Path(target)
    if target.exists():
        records.repair(target)
    known = records.read_lines(target) if target.exists() else []
    plan = planned(program, options)
    done = {r["cell"] for r in known}
    left = [cell for cell in plan if cell not in done]
    shown = Progress(left) if progress else None
    last = known[-1] if known else None

    with open(target, "a", encoding="utf-8") as file, tempfile.TemporaryDirectory() as scratch:
        def keep(record):
            nonlocal last
            file.write(json.dumps(record) + "\n")
            file.flush()
            done.add(record["cell"])
            last = record
            if shown:
                shown.add(record)

        done_file = pathlib.Path(scratch) / "done"
        for _ in range(MOST_RESTARTS):
            left = [cell for cell in plan if cell not in done]
            if not left:
                break
            done_file.write_text("".join(f"{cell}\n" for cell in sorted(done)))
            why, status = one_process([program, *options, "--done", str(done_file)], keep, timeout)
            now_left = [cell for cell in plan if cell not in done]
            if status == WRONG_USAGE or (status == DEVICE_LOST and len(now_left) == len(left)):
                raise RunFailed(f"{program}: exit status {status}; its own words stand above")
            if why and now_left:
                # Cells are measured in the order of the plan: it was the first that has no record.
                keep(failure(now_left[0], why, last))
            elif why is None and status != DEVICE_LOST:
                if now_left:
                    raise RunFailed(f"{program} ended without records of {len(now_left)} cells, such as {now_left[0]}")
        else:
            raise RunFailed(f"{program} had to be started {MOST_RESTARTS} times")
    return records.read_lines(target)


def measured(program, options, progress=True):
    """Records of what the options choose, in no file."""
    with tempfile.TemporaryDirectory() as scratch:
        return measure(program, options, pathlib.Path(scratch) / "records.jsonl", progress)


def measured_again(program, options, names):
    """New records of the cells named."""
    with tempfile.NamedTemporaryFile("w") as only:
        only.writelines(f"{name}\n" for name in names)
        only.flush()
        return measured(program, [*options, "--only", only.name], progress=False)
