"""Which cells got slower than in an earlier run: by the ratios to stock, for stock was measured beside gimbal in both runs and
absolute times depend on the machine's state.

A cell is suspected if its ratio exceeds the earlier one by more than the spread of both, and accused if a second measurement
says the same. Wall times of calls are also the host's and the driver's (allocations, launches): where stock's own call took
another time than in the earlier run, the ratio may have moved as far without a change of gimbal. Between two machines with an
H200 the same kernels' ratios moved by up to 1.45 by the wall clock, and never beyond this tolerance (646 comparisons); by device
time they moved by up to 0.8 us and, above 30 us, by 3 % (881 comparisons).
"""
import records

LEAST_SLOWDOWN = 0.03  # of a ratio: less than this is not worth a look, however small the spread; untuned
LEAST_MICROSECONDS = 0.8  # see above; a time of few microseconds also jumps by a step of the clock


def relative_spread(record, clock):
    """Half the distance of the quartiles over the median, of both sides together: the ratio's own spread."""
    spread = 0
    for side in ("stock", "gimbal"):
        low, median, high = records.times(record, clock, side)
        spread += (high - low) / (2 * median)
    return spread


def drift_of_stock(before, now, clock):
    """By what part stock's own time changed between the runs, where the clock is the host's; 0 for device times."""
    if clock != "wall":
        return 0
    earlier, later = (records.times(r, clock, "stock")[records.MEDIAN] for r in (before, now))
    return abs(later / earlier - 1)


def slower(before, now):
    """(cell, clock, ratio before, ratio now, tolerance) of the cells that are slower beyond the spread."""
    known = {r["cell"]: r for r in before}
    found = []
    for record, clock, ratio in records.comparisons(now):
        earlier = known.get(record["cell"])
        if earlier is None or not records.is_whole(earlier) or records.ratio(earlier, clock) is None:
            continue
        ratio_before = records.ratio(earlier, clock)
        tolerance = max(LEAST_SLOWDOWN, relative_spread(earlier, clock) + relative_spread(record, clock)
                        + drift_of_stock(earlier, record, clock))
        excess = (ratio - ratio_before * (1 + tolerance)) * records.times(record, clock, "stock")[records.MEDIAN]
        if ratio > ratio_before * (1 + tolerance) and excess > LEAST_MICROSECONDS:
            found.append((record["cell"], clock, ratio_before, ratio, tolerance))
    return found


def compared(before, now):
    """How many comparisons stand in both runs."""
    known = {r["cell"]: r for r in before if records.is_whole(r)}
    return sum(1 for record, clock, _ in records.comparisons(now)
               if record["cell"] in known and records.ratio(known[record["cell"]], clock) is not None)


def judge(before, now, measure_again):
    """The accused among `now`: `measure_again(names)` returns new records of the suspected cells."""
    suspected = slower(before, now)
    if not suspected:
        return []
    second = slower(before, measure_again(sorted({s[0] for s in suspected})))
    confirmed = {(cell, clock) for cell, clock, *_ in second}
    return [s for s in suspected if (s[0], s[1]) in confirmed]


def report(accused, count, name):
    if not count:
        return f"gate: no cell of this run stands in {name}"
    lines = [f"gate: {len(accused)} of {count} comparisons are slower than in {name}, beyond the spread, measured twice"]
    lines += [f"  {cell} {clock}: ratio to stock {now:.3f}, was {before:.3f} (tolerance {100 * tolerance:.0f} %)"
              for cell, clock, before, now, tolerance in sorted(accused, key=lambda a: a[2] / a[3])]
    return "\n".join(lines)
