#!/usr/bin/env python3
"""Measures sorts of inputs that are drawn at random (perf_draws), gimbal beside stock. Prints each draw in which gimbal is slower by more
than five percent, measured twice, and at the end their number and the worst. Exit status: 0; 1 if a result differs from stock's or a call
failed; 2 if the run itself could not be made; 130 if it was interrupted.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time

import records
import runner
import table

SLOWER, MUCH_SLOWER = 1.05, 1.15
LISTED = 10  # of the worst
BATCH = 200  # draws of one process


def compared(run):
    """(record, clock, ratio) of each draw by the device's own time where it can be had, for there no gap is the host's."""
    return [records.comparisons([record])[-1] for record in run if records.is_whole(record)]


def slower(run, than=SLOWER):
    return [c for c in compared(run) if c[2] > than]


def summary(run):
    ratios = [ratio for _, _, ratio in compared(run)]
    worst = sorted(compared(run), key=lambda c: -c[2])[:LISTED]
    return "\n".join(["", "the worst:", *(table.loss_line(*c) for c in worst), "",
                      f"{len(ratios)} draws, {len(slower(run))} slower than stock by more than {100 * SLOWER - 100:.0f} %, "
                      f"{len(slower(run, MUCH_SLOWER))} by more than {100 * MUCH_SLOWER - 100:.0f} %",
                      f"geometric mean of gimbal/stock {statistics.geometric_mean(ratios or [1]):.3f}; "
                      f"{sum('error' in r for r in run)} failed, {sum('skipped' in r for r in run)} found no room"])


def measure(program, options, again):
    """Records of the draws that the options choose; the slow ones are measured again, and that counts."""
    run = runner.measured(program, ["--quick", *options])
    slow = [record["cell"] for record, _, _ in slower(run)]
    second = {r["cell"]: r for r in runner.measured_again(program, again, slow)} if slow else {}
    return [second.get(r["cell"], r) for r in run]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="./dev draws", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, text in (("draws", 2000, "how many"), ("seed", 1, "of all numbers"), ("first", 0, "the first draw's number"),
                                ("draw", None, "one of them again"), ("seconds", 1_000_000_000, f"after which no more {BATCH} begin")):
        parser.add_argument(f"--{name}", type=int, default=default, help=text)
    parser.add_argument("--only", default="", help="a text in a draw's name")
    parser.add_argument("--output", type=pathlib.Path, help="gets a record of each, as perf/records.py describes")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    is_single = chosen.draw is not None
    first, count = (chosen.draw, 1) if is_single else (chosen.first, chosen.draws)
    begin, run = time.monotonic(), []
    try:
        for batch in range(first, first + count, BATCH):
            if time.monotonic() - begin > chosen.seconds:
                break
            rows = ["--rows", f"{chosen.seed} {batch} {min(BATCH, first + count - batch)}"]
            found = measure(chosen.program, [*rows, "--cell", f"*{chosen.only}*"], rows)
            for comparison in compared(found) if is_single else slower(found):
                print(table.loss_line(*comparison), flush=True)
            for record in table.failures(found):
                print(f"FAILED {record['cell']}: {record['error']}", flush=True)
            if chosen.output:
                with open(chosen.output, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps(record) + "\n" for record in found if "skipped" not in record)
            run += found
    except (runner.RunFailed, OSError) as failed:
        print(f"draws: {failed}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    if not is_single:
        print(summary(run))
    return 1 if any("error" in r for r in run) else 0


if __name__ == "__main__":
    sys.exit(main())
