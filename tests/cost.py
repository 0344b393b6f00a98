#!/usr/bin/env python3
"""Holds what each call costs, as tests/cost/cost.cu counts it on the host executor, to its budget.

  cost.py PROGRAM            check every count; also that the counting counts, and that a doubled read is found
  cost.py PROGRAM --write    record the counts in perf/results/cost.json and, as tables, in perf/results/COST.md, then check

A budget has two parts. PROMISES below are written by hand: bytes of global memory, launches, fills and waits. Beside
them no count may be more than a few percent above the one recorded in perf/results/cost.json, so that whoever makes a call
dearer has to say so by a new record.
"""
import argparse
import json
import pathlib
import subprocess
import sys

perf = pathlib.Path(__file__).resolve().parent.parent / "perf"
fixed = 2048  # bytes that do not grow with the number of items


def promise(data, launches=1, fills=0, waits=1):
    """At most `data` bytes of global memory for each item, read and written together, beside the flags looked at."""
    return dict(data=data, launches=launches, fills=fills, waits=waits)


PROMISES = {
    # One sweep in one launch: n items.
    "reduce i8": promise(1.01),
    "reduce i32": promise(4.04),
    "reduce i64": promise(8.08),
    # 2.02 n items.
    "exclusive_scan i8": promise(2.02, fills=1),
    "exclusive_scan i32": promise(8.08, fills=1),
    "exclusive_scan i64": promise(16.16, fills=1),
    # A key is read by its item's thread and by the next one's; on the persistent kernel once.
    "inclusive_scan_by_key i32 u32": promise(16.2, fills=1),
    "segmented_scan by flags i32": promise(9.1, fills=1),
    "segmented_scan by offsets i32": promise(9.9, launches=2, fills=1),
    "reduce_by_key i32 u32": promise(12.3, fills=1),
    "unique_copy u32": promise(8.16, fills=1),
    # Two items, one and a half where half are kept, and at most three and two fifths in place, by tiles as blocks with the
    # number of selected items (8 bytes, from the cache) for each item.
    "partition_copy i32": promise(8.08, fills=1),
    "copy_if i32": promise(6.08, fills=1),
    "copy_if of a function of i32": promise(6.08, fills=1),
    "stable_partition i32": promise(21.6, launches=2, fills=1),
    # What items share (the total of all, of a segment, where it begins) is counted for each item that it is read for; it comes
    # from the cache. Without that: scans 8, enumerate 5, copies by offsets 4, distribute 8, of segments the flags twice, split 8
    # and the flags twice, split_if 12, flag_merge 9, pack of half 7.
    "vectors::scan with total i32": promise(8.08, fills=1),
    "vectors::enumerate": promise(5.06, fills=1),
    "vectors::copy by flags i32": promise(9.1, fills=1),
    "vectors::copy by offsets i32": promise(12.5),
    "vectors::distribute i32": promise(8.05, fills=1),
    "vectors::distribute by flags i32": promise(14.3, launches=2, fills=1),
    "vectors::distribute by offsets i32": promise(14.9, launches=3, fills=1),
    "vectors::split i32": promise(10.1, fills=1),
    "vectors::split_if i32": promise(12.1, fills=1),
    "vectors::split by flags i32": promise(21.1, launches=2, fills=1),  # 4 written and read between the two scans
    "vectors::flag_merge i32": promise(10.1, fills=1),
    "vectors::pack i32": promise(7.06, fills=1),
    "vectors::allocate": promise(8.08, fills=1),
    "vectors::expand": promise(4.4),
    # Up to 2^22 items in one launch that reads a key twice, to count and to move it, and writes it once for each digit:
    # what is read again comes from the L2; and 1 KB from each block for each digit, which tells the others its counts.
    # Beyond, a histogram, then a read and a write for each digit.
    "sort u8": promise(5.8, launches=3, fills=1),
    "sort u32": promise(49.6, launches=5, fills=1),
    "sort_by_key u32 u32": promise(81.6, launches=5, fills=1),
    "sort u64": promise(195.6, launches=9, fills=1),
    # A read and a write for the tiles and for each round, four runs becoming one.
    "sort (comparator) u32": promise(42, launches=5),
}

# From so many items on, other ones. 8-byte keys: a read and a write for two digits, and one for buckets. Beside these two, the
# histogram and the buckets' two launches there are two more for a digit in which few keys differ; should all that turn out to be in
# vain, there are launches for eight digits more.
LARGE = {
    "sort u64": (1 << 20, promise(77, launches=15, fills=1)),
}

# Up to so many items each key is compared with every other: each block reads all of them, on a GPU nearly all from the L2 cache, for 32
# of its own.
SMALL = {
    "sort u8": (4096, promise(4096 / 32 + 26, fills=1)),
    "sort u32": (4096, promise(4 * 4096 / 32 + 32, fills=1)),
    "sort_by_key u32 u32": (4096, promise(4 * 4096 / 32 + 48, fills=1)),
    "sort u64": (4096, promise(8 * 4096 / 32 + 56, fills=1)),
}

# What tests/cost/cost.cu's known kernel does for each of its items.
known = dict(read=8, written=8, looked_at=0, shared=12, atomics=1, shared_atomics=1, barriers=1, warp_barriers=1,
             shuffles=1, votes=1)
steps = ("launches", "fills", "waits")
exact = ("read", "written", "barriers", "warp_barriers", "shuffles", "votes")
of_compiler = ("shared", "atomics", "shared_atomics")  # what a compiler keeps in registers differs
slack = 1.03
slack_of_looks = 1.5  # how often a flag is looked at depends on the order in which threads run


def promised_of(record):
    most, small = SMALL.get(record["call"], (0, None))
    least, large = LARGE.get(record["call"], (float("inf"), None))
    return small if record["n"] <= most else large if record["n"] >= least else PROMISES[record["call"]]


def beyond_promise(record, promised):
    n = record["n"]
    data = record["read"] + record["written"]
    if data > promised["data"] * n + fixed:
        yield f"{data / n:.3f} bytes of global memory for each item; promised {promised['data']}"
    for what in steps:
        if record[what] > promised[what]:
            yield f"{record[what]} {what}; promised {promised[what]}"
    if record["never_read"]:
        yield f"{record['never_read']} bytes fetched ahead and never read"
    if record["allocations"]:
        yield f"{record['allocations']} allocations in steady state"


def beyond_record(record, recorded, same_compiler):
    for what in exact + (of_compiler if same_compiler else ()) + ("looked_at",):
        allowed = recorded[what] * (slack_of_looks if what == "looked_at" else slack) + 64
        if record[what] > allowed:
            yield f"{what} {record[what]}; recorded {recorded[what]} (a new record: ./dev cost)"


def self_test(records):
    """The known kernel costs exactly what its source says; the same kernel reading twice is beyond promise and record."""
    once, twice = (next(r for r in records if r["call"] == name) for name in ("self-test", "self-test, read twice"))
    for what, count in known.items():
        if once[what] != count * once["n"]:
            yield f"{what} {once[what]}, but the kernel does {count * once['n']}"
    promised = promise(16, waits=0)
    if list(beyond_promise(once, promised)) or list(beyond_record(once, once, True)):
        yield "a kernel within its budget is reported"
    if not list(beyond_promise(twice, promised)) or not list(beyond_record(twice, once, True)):
        yield "a kernel that reads its input twice is not reported"


def page(records):
    yield from (
        "# Exact cost, counted on the host executor",
        "",
        "What the second of two equal calls through `gimbal::par` does, for each item: bytes of global memory read and",
        "written, fills, copies and counters included; bytes of flags looked at by atomic loads (look-back, prefix server),",
        "which come again where a thread waits; other atomic operations on global memory, those on shared memory; bytes of",
        "shared memory; threads arriving at barriers of a block or of some of its warps; and lanes taking part in warp",
        "barriers, shuffles and votes. Every access is counted, none is estimated: see `tests/cost/count.cpp`. No call here",
        "allocates memory in steady state.",
        "",
        "The kernels are those that the host executor routes to, compiled by g++. What a",
        "compiler keeps in a register is not counted as an access; what a cache would save is: a value read twice counts",
        "twice. Blocks run in order and hardly wait here, as they do on a GPU.",
        "",
        "Written by `./dev cost`. The test `cost` (`tests/cost.py`) fails if a count rises above its line here, or above the",
        "promises written there.",
    )
    names = dict(call="call", read="read B", written="written B", looked_at="flags B", atomics="atomics",
                 shared_atomics="shared atomics", shared="shared B", barriers="barriers", warp_barriers="warp barriers",
                 shuffles="shuffles", votes="votes", launches="launches", fills="fills", waits="waits")
    for n in sorted({r["n"] for r in records}):
        yield from ("", f"## 2^{n.bit_length() - 1} items", "")
        yield "| " + " | ".join(names.values()) + " |"
        yield "|---|" + "---:|" * (len(names) - 1)
        for r in (r for r in records if r["n"] == n):
            cells = [str(r[what]) if what in steps + ("call",) else f"{r[what] / n:.4f}" if "atomics" in what
                     else f"{r[what] / n:.3f}" for what in names]
            yield "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    done = subprocess.run([options.program], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(done.stdout[-1000:], f"\nthe program ended with {done.returncode}")
        return 1
    head, *records = [json.loads(line) for line in done.stdout.splitlines()]
    calls = [r for r in records if not r["call"].startswith("self-test")]
    if options.write:
        lines = ",\n".join("  " + json.dumps(r) for r in calls)
        (perf / "results" / "cost.json").write_text('{"compiler": ' + json.dumps(head["compiler"]) + ', "records": [\n' + lines + "\n]}\n")
        (perf / "results" / "COST.md").write_text("\n".join(page(calls)) + "\n")

    recorded = json.loads((perf / "results" / "cost.json").read_text())
    by_name = {(r["call"], r["n"]): r for r in recorded["records"]}
    problems = [f"self-test: {line}" for line in self_test(records)]
    problems += [f"nothing promised of {name}" for name in sorted({r["call"] for r in calls} - set(PROMISES))]
    problems += [f"not counted: {name}, {n} items" for name, n in set(by_name) - {(r["call"], r["n"]) for r in calls}]
    for r in calls:
        found = list(beyond_promise(r, promised_of(r))) if r["call"] in PROMISES else []
        old = by_name.get((r["call"], r["n"]))
        found += list(beyond_record(r, old, head["compiler"] == recorded["compiler"])) if old else ["not recorded"]
        problems += [f"{r['call']}, {r['n']} items: {line}" for line in found]
    for line in problems:
        print(line)
    print(f"{len(calls)} calls counted, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
