"""What gimbal set out to reach on an H200 before it was measured, and how near a run comes to it. A goal is met if every
cell that it covers meets it. Where it is not, `limits` says what was found to stand in the way; LOG.md has the experiments."""
import dataclasses
import statistics

import records

RATIO, SHARE, TIME = "ratio to stock", "share of the ceiling", "µs"  # at most; at least; at most

SMALL_SUM = ("i8", "i16", "i32", "f32")
WIDE = ("i64", "f64")
BY_KEY = ("inclusive_scan_by_key", "segmented_scan_flags", "segmented_scan_offsets")
OTHER_SCANS = ("inclusive_scan_max", "inclusive_scan_lambda", "inclusive_scan_matrix", "exclusive_scan_transform",
               "exclusive_scan_counting")
SELECT = ("partition_copy", "copy_if", "copy_if_stencil", "copy_if_flags")
RUNS = ("unique_copy", "unique_by_key_copy", "reduce_by_key")
CALLS = ("exclusive_scan", "copy_if", "stable_partition")
RADIX = ("radix_sort", "radix_sort_descending", "radix_sort_pairs")
SORTS = (*RADIX, "radix_sort_between", "radix_sort_low_bits", "argsort", "merge_sort")
MANY_RUNS = ("runs_1", "runs_2", "runs_16", "runs_256")
WIDE_SUMS = ("i8", "i32", "u32", "u32x4")  # accumulators of 4 to 16 bytes
# Were not thought of: of them it is asked that none is slower.
NOT_ASKED = ("u64x4", "u64x5", "i32+u64x4", "i32+u64x5", "u32+u32x4", "u32+u64x4", "i32+i8")
SKEWED = ("equal", "sorted", "reversed", "two_values", "low_entropy", "24_bit", "zipf")


@dataclasses.dataclass(frozen=True)
class Goal:
    what: str
    algorithms: tuple  # empty: all but SORTS
    smallest: int  # of the number of items, the logarithm to base 2
    largest: int
    measure: str
    bound: float
    types: tuple = ()  # empty: all
    distributions: tuple = ()
    clock: str = "device"
    limits: str = ""

    def covers(self, record):
        return ((record["algorithm"] in self.algorithms if self.algorithms else record["algorithm"] not in SORTS)
                and not records.is_ceiling(record) and records.is_whole(record)
                and (record["type"] in self.types if self.types
                     else self.bound == 1 or record["type"] not in NOT_ASKED)
                and (not self.distributions or record["distribution"] in self.distributions)
                and 1 << self.smallest <= record["n"] <= 1 << self.largest)

    def value(self, record):
        """What is measured of the record, or None."""
        if self.measure == RATIO:
            return records.ratio(record, self.clock)
        if self.measure == SHARE:
            return record["clocks"].get(self.clock, {}).get("share", {}).get("gimbal")
        times = records.times(record, self.clock, "gimbal")
        return times[records.MEDIAN] if times else None

    def is_met(self, value):
        return value >= self.bound if self.measure == SHARE else value <= self.bound

    def text(self, value):
        return {RATIO: f"{value:.2f}", SHARE: f"{100 * value:.0f} %", TIME: f"{value:.1f} µs"}[self.measure]


CHAIN = "an empty launch takes 2.9 µs of these calls' 5 to 7; the rest is a chain of trips to the L2 cache and memory"
HOST = "a launch and the way of its result back take 7.2 µs for an empty kernel"
PASS = "the shared-memory pipe (LSU): in a pass busy 76 % of the time with u32+u32, 64 % with u64"
TWICE = "rejected items move twice, out of the way and back"
RUN_SUMS = "reduce_by_key: the reduction of a tile's runs is a chain of waits"
GOALS = [
    Goal("exclusive sums of 4- and 8-byte items", ("exclusive_scan",), 28, 28, SHARE, 0.95, ("i32", "f32", "i64", "f64")),
    Goal("the same, i16", ("exclusive_scan",), 28, 28, SHARE, 0.94, ("i16",)),
    Goal("the same, i8", ("exclusive_scan",), 28, 28, SHARE, 0.92, ("i8",)),
    Goal("sums of up to 4 bytes", ("exclusive_scan",), 12, 24, RATIO, 0.75, SMALL_SUM, limits=CHAIN),
    Goal("sums of 8 bytes", ("exclusive_scan",), 12, 19, RATIO, 0.75, WIDE, limits=CHAIN),
    Goal("sums of 8 bytes", ("exclusive_scan",), 20, 24, RATIO, 0.82, WIDE),
    Goal("scans by other operators and of other inputs", OTHER_SCANS, 28, 28, SHARE, 0.88, WIDE_SUMS),
    Goal("the same", OTHER_SCANS, 28, 28, RATIO, 1 / 1.15, WIDE_SUMS),
    Goal("scans by key, by flags, by offsets", BY_KEY, 28, 28, SHARE, 0.90),
    Goal("scans by key", BY_KEY[:1], 28, 28, RATIO, 0.80),
    Goal("partition and select", SELECT, 28, 28, SHARE, 0.92,
         limits="i8: instructions (ALU busy 80 %), with two outputs the LSU (91 %)"),
    Goal("the same, i8", SELECT, 28, 28, RATIO, 0.40, ("i8",)),
    Goal("stable_partition of halves", ("stable_partition",), 28, 28, RATIO, 0.30, (), ("50%",), "wall", TWICE),
    Goal("stable_partition, the worst pattern", ("stable_partition",), 28, 28, RATIO, 0.40, (), (), "wall", TWICE),
    Goal("reduce", ("reduce",), 28, 30, SHARE, 0.98),
    Goal("reduce", ("reduce",), 28, 30, RATIO, 1.00),
    Goal("reduce", ("reduce",), 14, 22, RATIO, 0.80,
         limits="the largest: 32 MB are read at 2.7 TB/s after the L2 was flushed, by stock too"),
    Goal("unique, unique_by_key, reduce_by_key, short runs", RUNS, 28, 28, SHARE, 0.85, (), MANY_RUNS, limits=RUN_SUMS),
    Goal("the same", RUNS, 28, 28, RATIO, 0.85, (), MANY_RUNS, limits=RUN_SUMS),
    Goal("calls of reduce", ("reduce",), 10, 20, TIME, 10, clock="wall", limits=HOST),
    Goal("calls of exclusive_scan, copy_if, stable_partition", CALLS, 10, 20, TIME, 16, clock="wall", limits=HOST),
    Goal("calls of all four", ("reduce", *CALLS), 10, 20, RATIO, 0.50, clock="wall"),
    Goal("everything but sorts, by events", (), 0, 40, RATIO, 1.00),
    Goal("the same, queued", (), 0, 40, RATIO, 1.00, clock="queued"),
    Goal("the same, calls", (), 0, 40, RATIO, 1.00, clock="wall"),
    Goal("radix sort of 4-byte keys", RADIX, 26, 28, RATIO, 1 / 1.6, ("u32", "i32", "f32"), ("random",)),
    Goal("radix sort of u32+u32", RADIX, 26, 28, RATIO, 1 / 1.45, ("u32+u32",), ("random",), limits=PASS),
    Goal("radix sort of 8-byte keys", RADIX, 24, 28, RATIO, 1 / 1.4, ("u64", "i64", "f64"), ("random",), limits=PASS),
    Goal("radix sort of u64+u32", RADIX, 24, 28, RATIO, 1 / 1.4, ("u64+u32",), ("random",)),
    Goal("radix sort of u8 and u16, alone and with values", RADIX, 28, 28, RATIO, 1 / 1.5, ("u8", "u16", "u8+u32", "u16+u32"),
         ("random",)),
    Goal("all radix sorts", RADIX, 10, 12, RATIO, 1 / 1.6, (), ("random",)),
    Goal("all radix sorts", RADIX, 13, 17, RATIO, 1 / 2, (), ("random",)),
    Goal("all radix sorts", RADIX, 18, 22, RATIO, 1 / 1.6, (), ("random",)),
    Goal("merge sort", ("merge_sort",), 10, 26, RATIO, 1 / 1.5, ("u32", "u64", "u64x2"), ("random",),
         limits="integer instructions in tiles: their pipe is busy 83 % of the time"),
    Goal("calls of all sorts", SORTS, 10, 20, RATIO, 0.40, (), ("random",), "wall"),
    Goal("sorts of skewed keys", SORTS, 0, 40, RATIO, 1.00, (), SKEWED),
    Goal("all sorts, by events", SORTS, 0, 40, RATIO, 1.00),
    Goal("the same, queued", SORTS, 0, 40, RATIO, 1.00, clock="queued"),
    Goal("the same, calls", SORTS, 0, 40, RATIO, 1.00, clock="wall"),
]


@dataclasses.dataclass(frozen=True)
class Outcome:
    goal: Goal
    cells: int
    met: int
    median: float
    worst: float
    worst_cell: dict

    @property
    def is_met(self):
        return self.met == self.cells


def outcomes(run):
    """Of the goals about which the run (with shares) says something."""
    found = []
    for goal in GOALS:
        values = [(goal.value(r), r) for r in run if goal.covers(r)]
        values = [v for v in values if v[0] is not None]
        if values:
            worst = (min if goal.measure == SHARE else max)(values, key=lambda v: v[0])
            found.append(Outcome(goal, len(values), sum(goal.is_met(v) for v, _ in values),
                                 statistics.median(v for v, _ in values), *worst))
    return found
