#!/usr/bin/env python3
"""gimbal beside stock: runs perf_compare over its matrix and says what came out. `./dev bench` builds it first, with one option besides:
--stock-cccl PATH_OR_VERSION (another stock to compare with).

Writes to the output folder: records.jsonl (one record per cell, as it is measured), <device>.json (the whole run), <device>.md (its
page), plots/. Exit status: 0; 1 if a cell failed or differs from stock, or the gate found a slower one; 2 if the run itself could
not be made; 130 if it was interrupted.
"""
import argparse
import pathlib
import shutil
import sys

import gate
import markdown
import records
import runner
import table


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    plan = parser.add_mutually_exclusive_group()
    plan.add_argument("--quick", action="store_true", help="about 560 cells, meant to take two minutes at most")
    plan.add_argument("--full", action="store_true", help="about 11000 cells, meant to take twenty minutes at most")
    for name, example in (("algorithm", "reduce,'*_scan'"), ("type", "i32,f64"), ("distribution", "random,50%%"),
                          ("size", "1000,2^20")):
        parser.add_argument(f"--{name}", metavar="A,..", help=f"only these, such as {example}")
    parser.add_argument("--cell", metavar="PATTERN", help="only those with such a name: algorithm/type/distribution/size")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER", help="default: bench/ in the build folder")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the output folder")
    parser.add_argument("--against", type=pathlib.Path, metavar="FILE",
                        help="the gate: fail if a cell's ratio to stock is worse than in this run")
    parser.add_argument("--from", dest="source", type=pathlib.Path, metavar="FILE",
                        help="measure nothing: tables, plots and gate of these records (.json or .jsonl)")
    parser.add_argument("--show", action="store_true", help="with --from: print every cell, all times and ratios, and write nothing")
    parser.add_argument("--plots", action="store_true",
                        help="SVG, by matplotlib, of the algorithms that users know, or of all that --algorithm names")
    parser.add_argument("--readme", action="store_true", help="publish: perf/results/<device>.* and the regions of the two READMEs")
    parser.add_argument("--program", type=pathlib.Path, default=markdown.ROOT / "build-cuda" / "bin" / "perf_compare",
                        help=argparse.SUPPRESS)
    parser.add_argument("--root", type=pathlib.Path, default=markdown.ROOT, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.show and not chosen.source:
        parser.error("--show is of records: --from FILE")
    if chosen.output is None:
        chosen.output = chosen.program.parent.parent / "bench"
    return chosen


def commit_of(program):
    """What the program was built from, with + if there were changes: the build leaves it in a file beside the program."""
    try:
        return program.with_name(program.name + ".commit").read_text().strip()
    except OSError:
        return "unknown"


def program_options(chosen):
    options = ["--commit", commit_of(chosen.program)]
    options += ["--quick"] if chosen.quick else ["--full"] if chosen.full else []
    for name, value in filters(chosen).items():
        options += [f"--{name}", value] if value else []
    return options


def filters(chosen):
    return {name: getattr(chosen, name) for name in ("algorithm", "type", "distribution", "size", "cell")}


def take_records(chosen, options):
    if chosen.source:
        return records.chosen(records.load(chosen.source), **filters(chosen))
    if not chosen.program.exists():
        raise runner.RunFailed(f"{chosen.program} has not been built")
    chosen.output.mkdir(parents=True, exist_ok=True)
    target = chosen.output / "records.jsonl"
    if target.exists() and not chosen.resume:
        target.replace(chosen.output / "records.previous.jsonl")
    try:
        return runner.measure(str(chosen.program), options, target)
    except KeyboardInterrupt:
        print(f"\ninterrupted; {target} keeps what was measured: the same command with --resume goes on", file=sys.stderr)
        raise


def publish(chosen, run, written):
    results = chosen.root / "perf" / "results"
    results.mkdir(parents=True, exist_ok=True)
    for path in written:
        target = results / path.relative_to(chosen.output)
        target.parent.mkdir(exist_ok=True)
        if path.resolve() != target.resolve():
            shutil.copyfile(path, target)
    page = chosen.root / markdown.RESULTS
    if table.is_beside_usual_stock(run):
        markdown.write_block(page, table.results_block(run), "results")
        markdown.write_block(chosen.root / "README.md", table.readme_block(run), "results")
    else:
        markdown.write_block(page, table.newest_stock_block(run), "newest stock")


def write_plots(chosen, run):
    try:
        import plot  # the only part that needs matplotlib
    except ImportError as missing:
        print(f"no plots: {missing}", file=sys.stderr)
        return []
    return plot.write(run, chosen.output / "plots", everything=bool(chosen.algorithm))


def hold_gate(chosen, before, run, options):
    """True if nothing got slower."""
    for name in ("device", "cccl"):
        then, now = (records.setting_of(r).get(name) for r in (before, run))
        if then != now:
            print(f"gate: {name} was {then} and is {now}: the ratios may not be comparable", file=sys.stderr)
    again = (lambda names: run) if chosen.source else (
        lambda names: runner.measured_again(str(chosen.program), options, names))
    accused, count = gate.judge(before, run, again), gate.compared(before, run)
    print(gate.report(accused, count, chosen.against))
    return bool(count) and not accused


def main(arguments=None):
    chosen = parse(arguments)
    options = program_options(chosen)
    try:
        before = records.load(chosen.against) if chosen.against else None  # a wrong name is told before the run
        run = take_records(chosen, options)
        if all(records.is_ceiling(r) for r in run):
            raise runner.RunFailed("no cell was chosen")
        if chosen.show:
            print(table.every_cell(run))
            return 0
        chosen.output.mkdir(parents=True, exist_ok=True)
        name = table.device_file(run)
        written = [chosen.output / f"{name}.json", chosen.output / f"{name}.md"]
        if chosen.source and any(filters(chosen).values()) and chosen.source.resolve() == written[0].resolve():
            raise runner.RunFailed(f"{chosen.source} would lose the cells that were not chosen: name another --output")
        records.save(written[0], run)
        written[1].write_text(table.report(run))
        print(table.terminal(run))
        if chosen.plots:
            written += write_plots(chosen, run)
        if chosen.readme:
            publish(chosen, run, written)
        passed = not table.failures(run)
        if before is not None:
            passed = hold_gate(chosen, before, run, options) and passed
        print("written: " + " ".join(str(path) for path in written[:2])
              + (f" and {len(written) - 2} plots" if len(written) > 2 else ""))
        return 0 if passed else 1
    except (runner.RunFailed, records.BadRecords, markdown.NoRegion, OSError) as failed:
        print(f"bench: {failed}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
