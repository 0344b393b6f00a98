#!/usr/bin/env python3
"""Tests of the programs around perf_compare, with records made up here and a program that plays perf_compare. No GPU and no
matplotlib needed; plots are tested where it is installed.

  test_bench.py [--list PERF_LIST]     PERF_LIST: the plan's program, to test what it lists and writes too
"""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import bench
import compile_time
import draws
import gate
import goals
import markdown
import pages
import records
import runner
import table
import tuning

HERE = pathlib.Path(__file__).resolve().parent
PERF_LIST = None
SETTING = {"device": "Made Up GPU", "compute_capability": "9.0", "multiprocessors": 2, "l2_bytes": 1, "driver": 13000,
           "cuda": 13000, "cccl": "3.0.1", "commit": "0000000", "date": "2026-01-31"}


def record(algorithm="reduce", n=1024, ratio=0.5, kind="i32", distribution="random", stock=100.0, spread=0.01, **more):
    def side(median):
        return [median * (1 - spread), median, median * (1 + spread)]

    clocks = {clock: {"stock": side(stock), "gimbal": side(stock * ratio), "ratio": ratio, "samples": 7}
              for clock in ("device", "wall")}
    if algorithm == records.CEILING:
        clocks = {"device": {"stock": side(stock), "samples": 7}}
    return {"schema": records.SCHEMA, "cell": f"{algorithm}/{kind}/{distribution}/{n}", "algorithm": algorithm, "type": kind,
            "distribution": distribution, "n": n, "bytes": 4 * n, "bound": "copy", "clocks": clocks, "seconds": 0.5,
            **SETTING, **more}


def ceiling(n, stock):
    return record(records.CEILING, n, kind="bytes", distribution="copy", stock=stock)


def failed(**more):
    return {**record(**more), "error": "stock: no", "clocks": {}}


# Plays perf_compare: measures the cells c/t/d/1 ... c/t/d/6, each slower than stock by RATIO; at the cell BAD_CELL it does what
# BAD says, until it has a record.
PLAYER = '''#!{python}
import json, os, sys, time
sys.path.insert(0, {here!r})
import test_bench
arguments = sys.argv[1:]
def names(option):
    return set(open(arguments[arguments.index(option) + 1]).read().split()) if option in arguments else None
cells = ["c/t/d/%d" % n for n in range(1, 7)]
done, only = names("--done") or set(), names("--only")
cells = [c for c in cells if c not in done and (only is None or c in only)]
if "--list" in arguments:
    print("\\n".join(cells))
    sys.exit(0)
with open(os.environ["STARTS"], "a") as starts:
    starts.write("start\\n")
for cell in cells:
    n = int(cell.rsplit("/", 1)[1])
    if str(n) == os.environ.get("BAD_CELL"):
        bad = os.environ["BAD"]
        if bad == "crash":
            print('{{"schema": 2, "ce', end="", flush=True)
            os.kill(os.getpid(), 11)
        if bad == "hang":
            time.sleep(600)
        if bad == "lost":
            print(json.dumps(test_bench.failed(algorithm="c", kind="t", distribution="d", n=n)), flush=True)
            sys.exit(3)
        if bad == "usage":
            sys.exit(64)
    ratio = float(os.environ["SECOND" if only else "RATIO"])
    commit = arguments[arguments.index("--commit") + 1] if "--commit" in arguments else "none"
    print(json.dumps(test_bench.record("c", n, ratio, "t", "d", commit=commit)), flush=True)
'''


class Folder(unittest.TestCase):
    """A test with a folder and a player of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.player = self.folder / "player"
        self.player.write_text(PLAYER.format(python=sys.executable, here=str(HERE)))
        self.player.chmod(self.player.stat().st_mode | stat.S_IXUSR)
        saved = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(saved)))
        os.environ.update(RATIO="0.8", SECOND="0.8", STARTS=str(self.folder / "starts"))

    def starts(self):
        path = self.folder / "starts"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def run_main(self, main, *arguments):
        """(exit status, standard output)"""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            return main(["--program", str(self.player), *map(str, arguments)]), out.getvalue()

    def bench(self, *arguments):
        return self.run_main(bench.main, "--output", self.folder / "out", "--root", self.folder, *arguments)

    def write_lines(self, *lines):
        (self.folder / "out").mkdir(exist_ok=True)
        path = self.folder / "out" / "records.jsonl"
        path.write_text("".join(lines))
        return path


class Records(Folder):
    def test_a_finished_run_is_read_as_written(self):
        run = [ceiling(1024, 2.0), record(), record(n=2048, ratio=2.0), record("find", n=2048, spread=0.25), failed(n=4096, commit="1"),
               record(kind="i64", distribution="50%"), {**failed(n=1 << 30), "error": 'gimbal: "x",\n\tstep 1'},
               {**failed(n=8192), "skipped": "no memory"}]
        del run[3]["clocks"]["device"], run[-1]["error"]
        for r in run:
            r["commit"] = r.get("commit", "0000000")
        path = self.folder / "run.json"
        records.save(path, records.with_shares(run))
        again = {r["cell"]: r for r in records.load(path)}

        def kept(r):
            clocks = {clock: {**measured} for clock, measured in r["clocks"].items()}
            for measured in clocks.values():
                measured.pop("ratio", None)
            return {**{k: v for k, v in r.items() if k != "seconds"}, "clocks": clocks}

        self.assertEqual(again, {r["cell"]: kept(r) for r in run})
        self.assertEqual(records.ratio(again["reduce/i32/random/2048"], "device"), 2.0)
        text = path.read_text()
        records.save(path, records.load(path))
        self.assertEqual(path.read_text(), text)
        self.assertEqual([text.count(name) for name in ("algorithm", "Made Up GPU", "ratio", "share", "seconds", "cell/")],
                         [4, 1, 0, 0, 0, 0])
        self.assertEqual(sum(line.startswith("[") for line in text.splitlines()), len(run))

    def test_the_options_choose_of_earlier_records_as_of_a_plan(self):
        run = [ceiling(64, 2.0), record(), record(n=1 << 20), record("reduce_max", kind="u8"), record("find", distribution="50%")]
        for options, found in (({}, 5), ({"algorithm": "reduce*"}, 4), ({"algorithm": "reduce,find"}, 4), ({"type": "u8"}, 2),
                               ({"distribution": "50%"}, 2), ({"size": "2^20,64"}, 2), ({"algorithm": "find", "size": "2^20"}, 1), ({"cell": "*max/u8*"}, 2)):
            self.assertEqual(len(records.chosen(run, **options)), found, options)
        with self.assertRaises(records.BadRecords):
            records.chosen(run, size="2^x")

    def test_shares_are_of_the_nearest_ceiling(self):
        run = records.with_shares([ceiling(1024, 50.0), ceiling(1 << 20, 1e6), record(ratio=0.5)])
        share = run[2]["clocks"]["device"]["share"]
        self.assertAlmostEqual(share["stock"], 0.5)
        self.assertAlmostEqual(share["gimbal"], 1.0)
        self.assertNotIn("share", records.with_shares([record()])[0]["clocks"]["device"])

    def test_a_cut_off_last_line_is_dropped_and_any_other_refused(self):
        whole = json.dumps(record()) + "\n"
        path = self.write_lines(whole, '{"schema": 2, "cel')
        self.assertEqual(len(records.read_lines(path)), 1)
        records.repair(path)
        self.assertEqual(path.read_text(), whole)
        self.write_lines('{"schema": 2, "cel\n', whole)
        with self.assertRaises(records.BadRecords):
            records.read_lines(path)

    def test_other_schemas_are_refused(self):
        path = self.folder / "old.json"
        path.write_text('{"cells": []}')
        with self.assertRaises(records.BadRecords):
            records.load(path)

    def test_a_later_record_of_a_cell_replaces_the_earlier(self):
        path = self.write_lines(*(json.dumps(r) + "\n" for r in (record(ratio=0.5), record(n=2048), record(ratio=0.7))))
        self.assertEqual([records.ratio(r, "wall") for r in records.read_lines(path)], [0.7, 0.5])

    def test_the_committed_results_are_readable_and_their_pages_made_of_them(self):
        for path in (HERE / "results").glob("nvidia-*.json"):
            run = records.load(path)
            self.assertTrue(records.comparisons(run), path)
            self.assertEqual(path.stem, table.device_file(run))
            self.assertEqual(path.with_suffix(".md").read_text(), table.report(run), f"bench.py --from {path} --output {path.parent}")
        pages = [p for p in (HERE / "results").rglob("*.md")]
        self.assertLessEqual(max(len(p.read_text().splitlines()) for p in pages), table.PAGE_LINES)
        plots = list((HERE / "results" / "plots").iterdir())
        self.assertLessEqual(len(plots), 20)
        self.assertEqual([p for p in plots if p.suffix != ".svg" or p.stat().st_size > 60000], [])


class Tables(unittest.TestCase):
    RUN = [ceiling(1024, 20.0), record(ratio=0.5), record(n=2048, ratio=2.0), record("radix_sort", ratio=1.5, kind="u32")]

    def test_summary(self):
        rows = {(row[0], row[1]): row for row in table.summary_rows(self.RUN)}
        self.assertEqual(rows["reduce", "device"][2:], [2, "0.50", "1.25", "1.00", "2.00", "i32 random 2^11", 1])

    def test_the_terminal_names_what_stock_wins_the_worst_first(self):
        text = table.terminal(self.RUN)
        self.assertIn("slower than stock: 4 of 6", text)
        self.assertLess(text.index("reduce i32 random 2^11, device: 2.00"), text.index("radix_sort u32 random 2^10"))
        self.assertLessEqual(max(map(len, text.splitlines()[2:])), 100)

    def test_failures_are_named(self):
        run = self.RUN + [failed(n=4096)]
        self.assertIn("FAILED reduce/i32/random/4096: stock: no", table.terminal(run))
        self.assertIn("1 FAILED OR DIFFER", table.heading(run))
        self.assertIn("* reduce/i32/random/4096: stock: no\n", table.report(run))
        self.assertIn("**stock: no**", table.every_cell(run))

    def test_a_cell_that_failed_counts_for_nothing(self):
        broken = {**record(n=4096, ratio=0.1), "error": "outputs differ"}
        self.assertEqual(table.summary_rows(self.RUN), table.summary_rows(self.RUN + [broken]))

    def test_the_page_of_a_large_run_is_short(self):
        algorithms = sorted({a for a, _, _ in table.HEADLINES} | {f"call_{k}" for k in range(40)})
        run = [ceiling(1 << k, 20.0) for k in range(10, 31)]
        run += [record(algorithm, 1 << k, ratio=1 + k / 100, kind=kind, distribution=distribution)
                for algorithm in algorithms for kind, distribution in (("i32", "random"), ("u32", "random"), ("u8", "50%"))
                for k in range(10, 31)]
        run += [failed(n=n) for n in range(100, 200)]
        self.assertGreater(len(run), 3000)
        text = table.report(run)
        self.assertLessEqual(len(text.splitlines()), table.PAGE_LINES)
        self.assertIn("* and 80 more\n", text)
        count = len(records.comparisons(run))
        self.assertIn(f"## Slower than stock: {count} of {count} comparisons, the worst\n", text)
        shown = re.findall(r"^\* .* against ", text, re.M)
        self.assertEqual(text.splitlines()[-1], f"* and {count - len(shown)} more")
        self.assertGreater(len(shown), 20)

    def test_as_many_slower_comparisons_stand_on_the_page_as_fit(self):
        slower = [record(n=1000 + k, ratio=1.1) for k in range(200)]
        for count, shown in ((0, 0), (1, 2), (80, 160), (200, table.PAGE_LOSSES)):
            text = table.report(slower[:count] + [record(n=64)])
            self.assertEqual(len(re.findall(r"^\* .* against ", text, re.M)), shown)
            self.assertLessEqual(len(text.splitlines()), table.PAGE_LINES)

    def test_a_run_beside_another_stock_has_files_and_a_block_of_its_own(self):
        newest = [{**r, "cccl": "3.5.0"} for r in self.RUN]
        self.assertEqual(table.device_file(newest), table.device_file(self.RUN) + "-cccl-3.5.0")
        block = table.newest_stock_block(newest)
        self.assertIn("CCCL 3.5.0", block)
        self.assertIn("`reduce` 1.00", block)


class Pages(Folder):
    def test_a_region_is_replaced_and_nothing_else(self):
        page = self.folder / "page.md"
        page.write_text("before\n<!-- a: begin (from b) -->\nold\n<!-- a: end -->\nafter\n")
        self.assertEqual(markdown.read_block(page, "a"), "old")
        markdown.write_block(page, "| \\1 |\nnew", "a")
        self.assertEqual(page.read_text(), "before\n<!-- a: begin (from b) -->\n| \\1 |\nnew\n<!-- a: end -->\nafter\n")
        self.assertRaises(markdown.NoRegion, markdown.write_block, page, "new", "b")

    def test_the_committed_regions_are_made_of_the_committed_records(self):
        results = markdown.ROOT / markdown.RESULTS
        runs = {path.stem: records.load(path) for path in results.parent.glob("nvidia-*.json")}
        usual = [run for run in runs.values() if table.is_beside_usual_stock(run)]
        other = [run for run in runs.values() if not table.is_beside_usual_stock(run)]
        self.assertIn(markdown.read_block(markdown.ROOT / "README.md", "results"), map(table.readme_block, usual))
        self.assertIn(markdown.read_block(results, "results"), map(table.results_block, usual))
        self.assertIn(markdown.read_block(results, "newest stock"), map(table.newest_stock_block, other))
        record = json.loads((results.parent / "compile_time.json").read_text())
        self.assertEqual(markdown.read_block(results, "compile time"), compile_time.table(record))
        concurrent = markdown.read_block(results, "concurrent")
        cells = pages.rates(results.parent / "concurrent-nvidia-h200.json")
        self.assertEqual(concurrent, pages.concurrent(cells, concurrent.partition("\n")[0]))


class Goals(unittest.TestCase):
    def outcomes(self, run, measure, bound):
        self.addCleanup(setattr, goals, "GOALS", goals.GOALS)
        goals.GOALS = [goals.Goal("a goal", ("reduce",), 10, 11, measure, bound, clock="device")]
        return goals.outcomes(records.with_shares(run))

    def test_cells_that_meet_a_goal_are_counted_and_the_worst_is_named(self):
        three = [record(n=1024, ratio=0.5), record(n=2048, ratio=0.7), record(n=4096, ratio=0.9)]
        shares = [ceiling(1024, 10.0), ceiling(2048, 20.0), record(n=1024, ratio=0.2), record(n=2048, ratio=0.25)]
        for run, measure, bound, cells, met, worst in ((three, goals.RATIO, 0.6, 2, 1, 0.7), (three, goals.RATIO, 0.7, 2, 2, 0.7),
                                                       (shares, goals.SHARE, 0.6, 2, 1, 0.5), ([record(ratio=0.2)], goals.TIME, 19, 1, 0, 20)):
            outcome, = self.outcomes(run, measure, bound)
            self.assertEqual((outcome.cells, outcome.met, outcome.is_met), (cells, met, met == cells))
            self.assertAlmostEqual(outcome.worst, worst)
        self.assertEqual(self.outcomes(three, goals.RATIO, 0.6)[0].worst_cell["n"], 2048)

    def test_cells_that_failed_or_were_not_measured_say_nothing(self):
        self.assertEqual(self.outcomes([failed(), record("scan"), ceiling(1024, 10.0)], goals.RATIO, 0.6), [])

    def test_each_goal_is_about_cells_of_the_committed_results(self):
        run = records.load(markdown.ROOT / "perf" / "results" / "nvidia-h200.json")
        self.assertEqual([o.goal for o in goals.outcomes(records.with_shares(run))], goals.GOALS)


class Gate(unittest.TestCase):
    def judge(self, before, now, again=None):
        """The cells accused, and those measured again."""
        asked = []
        accused = gate.judge(before, now, lambda names: asked.extend(names) or (again or now))
        return {cell for cell, *_ in accused}, asked

    def test_a_slower_cell_is_accused_unless_the_second_measurement_clears_it(self):
        before, now, cell = [record(ratio=0.8), record(n=2048, ratio=0.8)], [record(ratio=0.8), record(n=2048, ratio=0.9)], "reduce/i32/random/2048"
        self.assertEqual(self.judge(before, now), ({cell}, [cell]))
        self.assertEqual(self.judge(before, now, before), (set(), [cell]))

    def test_what_is_no_slowdown_is_not_suspected(self):
        for before, now in ((record(ratio=0.8), record(ratio=0.8, stock=200.0)), (record(ratio=0.8), record(ratio=0.5)),
                            (record(ratio=0.8, spread=0.05), record(ratio=0.9, spread=0.05)), (failed(), record(ratio=9.0)),
                            (record(n=4096), record(ratio=9.0)), (record(ratio=0.8, stock=4.0), record(ratio=0.95, stock=4.0))):
            self.assertEqual(self.judge([before], [now]), (set(), []))
        self.assertEqual(gate.compared([failed()], [record()]), 0)

    def test_a_wall_ratio_may_move_as_far_as_stock_did(self):
        for ratio, clocks in ((0.9, ["device"]), (0.99, ["device", "wall"])):
            found = gate.slower([record(ratio=0.8, stock=100.0)], [record(ratio=ratio, stock=85.0)])
            self.assertEqual([clock for _, clock, *_ in found], clocks)


class Runs(Folder):
    def test_a_run_writes_everything_with_the_commit_that_the_program_was_built_from(self):
        for commit in ("unknown", "0123456789+"):
            status, out = self.bench("--quick")
            self.assertEqual(status, 0)
            self.assertIn("6 cells, every result equal", out)
            self.assertEqual({r["commit"] for r in records.load(self.folder / "out" / "made-up-gpu.json")}, {commit})
            self.assertTrue((self.folder / "out" / "made-up-gpu.md").exists())
            self.player.with_name("player.commit").write_text("0123456789+\n")

    def test_a_resumed_run_measures_only_the_rest(self):
        self.bench()
        path = self.folder / "out" / "records.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        lines[0] = lines[0].replace("0.8", "0.3")  # to be kept
        self.write_lines(*lines[:3], lines[3][:40])
        status, _ = self.bench("--resume")
        self.assertEqual(status, 0)
        run = records.read_lines(path)
        self.assertEqual([r["n"] for r in run], [1, 2, 3, 4, 5, 6])
        self.assertEqual(run[0]["clocks"]["device"]["ratio"], 0.3)
        self.assertEqual(len(path.read_text().splitlines()), 6)

    def test_without_resume_a_run_starts_afresh_and_keeps_the_old_one(self):
        self.bench()
        os.environ["RATIO"] = "0.7"
        self.bench()
        self.assertEqual(records.ratio(records.read_lines(self.folder / "out" / "records.jsonl")[0], "wall"), 0.7)
        self.assertEqual(records.ratio(records.read_lines(self.folder / "out" / "records.previous.jsonl")[0], "wall"), 0.8)

    def test_a_cell_that_ends_the_process_costs_one_cell(self):
        for bad, why, cell in (("crash", "the process ended by signal 11", 3), ("lost", "stock: no", 3)):
            os.environ.update(BAD=bad, BAD_CELL="3")
            before = self.starts()
            status, out = self.bench()
            run = records.read_lines(self.folder / "out" / "records.jsonl")
            self.assertEqual((status, self.starts() - before, len(run)), (1, 2, 6))
            self.assertEqual([(r["n"], r["error"]) for r in run if "error" in r], [(cell, why)])
            self.assertIn(f"FAILED c/t/d/3: {why}", out)

    def test_a_hang_costs_one_cell(self):
        os.environ.update(BAD="hang", BAD_CELL="3")
        run = runner.measure(str(self.player), [], self.folder / "records.jsonl", progress=False, timeout=2)
        self.assertEqual(([r["n"] for r in run if "error" in r], len(run)), ([3], 6))

    def test_wrong_usage_or_a_missing_program_ends_the_run(self):
        os.environ.update(BAD="usage", BAD_CELL="3")
        self.assertEqual((self.bench()[0], len(records.read_lines(self.folder / "out" / "records.jsonl"))), (2, 2))
        self.player.unlink()
        self.assertEqual(self.bench()[0], 2)

    def test_the_gate_fails_on_a_slower_cell_measured_twice(self):
        self.bench()
        earlier = self.folder / "out" / "made-up-gpu.json"
        earlier.replace(self.folder / "earlier.json")
        self.assertEqual(self.bench("--against", self.folder / "earlier.json")[0], 0)
        os.environ.update(RATIO="1.0", SECOND="1.0")
        status, out = self.bench("--against", self.folder / "earlier.json")
        self.assertEqual(status, 1)
        self.assertIn("c/t/d/4 device: ratio to stock 1.000, was 0.800", out)
        os.environ["SECOND"] = "0.8"
        self.assertEqual(self.bench("--against", self.folder / "earlier.json")[0], 0)

    def test_a_gate_without_its_file_ends_before_the_run_and_one_without_common_cells_fails(self):
        self.assertEqual((self.bench("--against", self.folder / "none.json")[0], self.starts()), (2, 0))
        records.save(self.folder / "other.json", [record()])
        self.assertEqual(self.bench("--against", self.folder / "other.json")[0], 1)

    def test_an_interrupted_run_keeps_its_records_and_goes_on(self):
        os.environ.update(BAD="hang", BAD_CELL="4")
        command = [sys.executable, str(HERE / "bench.py"), "--program", str(self.player), "--output", str(self.folder / "out")]
        path = self.folder / "out" / "records.jsonl"
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            while run.poll() is None and not (path.exists() and len(path.read_text().splitlines()) == 3):
                time.sleep(0.05)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(), 130)
        del os.environ["BAD_CELL"]
        self.assertEqual(self.bench("--resume")[0], 0)
        self.assertEqual([r["n"] for r in records.read_lines(path)], [1, 2, 3, 4, 5, 6])

    def test_readme_is_rewritten_from_records(self):
        records.save(self.folder / "run.json", [record(ratio=0.25)])
        pages = [self.folder / "README.md", self.folder / markdown.RESULTS]
        pages[1].parent.mkdir(parents=True)
        self.assertEqual(self.bench("--from", self.folder / "run.json", "--readme")[0], 2)
        for page in pages:
            page.write_text("a\n<!-- results: begin -->\n<!-- results: end -->\n")
        status, _ = self.bench("--from", self.folder / "run.json", "--readme")
        self.assertEqual((status, self.starts()), (0, 0))
        for page in pages:
            self.assertIn("0.25 / 0.25", page.read_text())
        self.assertTrue((self.folder / "perf" / "results" / "made-up-gpu.json").exists())

    def test_show_prints_the_cells_chosen_and_writes_nothing(self):
        records.save(self.folder / "run.json", [ceiling(1024, 20.0), record(ratio=0.25), record(n=2048, ratio=1.5), record("find")])
        status, out = self.bench("--from", self.folder / "run.json", "--show", "--algorithm", "red*", "--size", "2^11")
        self.assertEqual((status, (self.folder / "out").exists()), (0, False))
        self.assertIn("| 2^11 | 100.0 | 150.0 | 1.50 | 100.0 | 150.0 | 1.50 |", out)
        self.assertIn("* reduce i32 random 2^11, wall: 1.50 (150.0 against 100.0 us)", out)
        self.assertNotIn("2^10", out)
        self.assertEqual(self.bench("--from", self.folder / "run.json", "--show", "--type", "u8")[0], 2)

    def test_a_choice_of_earlier_records_does_not_replace_them(self):
        self.bench()
        path = self.folder / "out" / "made-up-gpu.json"
        self.assertEqual(self.bench("--from", path, "--size", "2")[0], 2)
        self.assertEqual(self.bench("--from", path)[0], 0)
        self.assertEqual(len(records.load(path)), 6)

    def test_time_left(self):
        out = io.StringIO()
        progress = runner.Progress(["a/t/d/1", "a/t/d/2", "a/t/d/1024"], out=out)
        self.assertEqual(progress.seconds_left(), 0)
        progress.add({**record("a", 1, kind="t", distribution="d"), "seconds": 2})
        self.assertEqual(progress.seconds_left(), 4)
        self.assertIn("1/3, 0:04 left  a/t/d/1: device 0.50, wall 0.50", out.getvalue())


class Draws(Folder):
    def test_slow_draws_are_measured_again_and_that_counts(self):
        for second, slow in (("1.1", 6), ("1.0", 0)):
            os.environ.update(RATIO="1.2", SECOND=second)
            status, out = self.run_main(draws.main, "--draws", 6, "--output", self.folder / "drawn.jsonl")
            self.assertEqual(status, 0)
            self.assertIn(f"6 draws, {slow} slower than stock by more than 5 %, 0 by more than 15 %", out)
            self.assertIn(f"geometric mean of gimbal/stock {float(second):.3f}; 0 failed, 0 found no room", out)
        self.assertEqual(len((self.folder / "drawn.jsonl").read_text().splitlines()), 12)


class Tuning(Folder):
    RUN = [record("copy_if i8 3 %", 1 << log2, ratio, "", variant) for variant, log2, ratio in (
        ("8 x 2 rows, 11 stages", 20, 0.5), ("8 x 2 rows, 11 stages", 24, 0.6), ("call", 20, 1.25))]

    def tune(self, run, *options, status=0):
        """The program's part is played by a script that prints."""
        names, lines = self.folder / "names", self.folder / "lines"
        names.write_text("".join(r["cell"] + "\n" for r in run))
        lines.write_text("".join(json.dumps(r) + "\n" for r in run))
        player = self.folder / "player"
        player.write_text(f"#!/bin/sh\ncase \"$*\" in *--list*) cat {names} ;; *) cat {lines}; exit {status} ;; esac\n")
        player.chmod(0o755)
        return subprocess.run([sys.executable, str(HERE / "tuning.py"), "--program", str(player), "--folder", str(self.folder), *options],
                              capture_output=True, text=True)

    def test_a_record_is_written_and_replaced(self):
        done = self.tune(self.RUN, "copy_if i8 3 %", "20", "24", "--record", "made_up", "--room", "select", "--varied", "rows")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("copy_if i8 3 % call 2^20, device: 1.25 (125.0 against 100.0 us)\n", done.stdout)
        made_up, = tuning.load(self.folder / "select.json")
        self.assertEqual(made_up["rows"], {"8 x 2 rows, 11 stages": {"2^20": "0.500", "2^24": "0.600"}, "call": {"2^20": "1.250"}})
        self.assertEqual((made_up["command"], made_up["device"]), ("./dev tune 'copy_if i8 3 %' 20 24", "Made Up GPU"))
        done = self.tune([*self.RUN[:2], record("copy_if i8 3 %", 1 << 20, 1.3, "", "call")], "--record", "made_up")
        self.assertEqual(done.returncode, 0, done.stderr)
        again, = tuning.load(self.folder / "select.json")
        self.assertEqual((again["varied"], again["rows"]["call"]), ("rows", {"2^20": "1.300"}))

    def test_what_is_wrong_is_no_record(self):
        wrong = [*self.RUN, failed(algorithm="scan i32", kind="")]
        for run, status in ((wrong, 1), (self.RUN, 64), ([{**r, "clocks": {}} for r in self.RUN], 0), ([], 0)):
            self.assertNotEqual(self.tune(run, "--record", "a", "--room", "scan", "--varied", "b", status=status).returncode, 0)
        self.assertNotEqual(self.tune(self.RUN, "--record", "a", "--room", "scan").returncode, 0)  # of what?
        self.assertFalse((self.folder / "scan.json").exists())

    def test_variants_of_several_subjects_bear_their_names(self):
        rows = tuning.rows_of([*self.RUN, record("copy_if i8", 1 << 20, 0.5, "", "call")])
        self.assertEqual(list(rows), ["copy_if i8 3 %: 8 x 2 rows, 11 stages", "copy_if i8 3 %: call", "copy_if i8: call"])

    def test_the_records_that_there_are_are_written_so(self):
        for path in tuning.FOLDER.glob("*.json"):
            self.assertEqual(tuning.text_of(tuning.load(path)), path.read_text(), path)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
class Plots(Folder):
    def test_the_families_have_a_plot_and_others_if_they_are_chosen(self):
        import plot
        self.assertLessEqual(len(plot.FAMILIES), 20)
        run = [ceiling(1024, 20.0), ceiling(2048, 30.0), record(), record(n=2048), record("merge_sort", ratio=1.5), failed(n=64),
               record("reduce_max")]
        written = plot.write(run, self.folder / "plots")
        self.assertEqual([p.name for p in written], ["made-up-gpu-reduce.svg", "made-up-gpu-merge_sort.svg"])
        self.assertTrue(all(1000 < p.stat().st_size < 60000 for p in written))
        self.assertEqual(len(plot.write(run, self.folder / "plots", everything=True)), 3)


class Plan(unittest.TestCase):
    def setUp(self):
        if not PERF_LIST:
            self.skipTest("no perf_list given")

    def lines(self, *arguments):
        return subprocess.run([PERF_LIST, *arguments], capture_output=True, text=True, check=True).stdout.splitlines()

    def test_sizes_of_the_plans(self):
        quick, standard, full = (set(self.lines(*a)) for a in (["--quick"], [], ["--full"]))
        self.assertTrue(400 < len(quick) < 700 and 1000 < len(standard) < 1900 and 5000 < len(full) < 11000,
                        (len(quick), len(standard), len(full)))
        self.assertLess(standard, full)
        sizes = {int(cell.rsplit("/", 1)[1]) for cell in standard}
        self.assertEqual((min(sizes), max(sizes)), (1 << 10, 1 << 30))

    def test_filters(self):
        chosen = [c for c in self.lines("--algorithm", "reduce,radix_sort*", "--type", "u32,i32", "--size", "1000,2^20")
                  if not c.startswith("ceiling/")]
        self.assertEqual({c.split("/")[0] for c in chosen}, {"reduce", "radix_sort", "radix_sort_between", "radix_sort_descending", "radix_sort_low_bits"})
        self.assertEqual({c.split("/")[1] for c in chosen}, {"u32", "i32"})
        self.assertEqual({c.split("/")[3] for c in chosen}, {"1000", str(1 << 20)})

    def test_done_and_only(self):
        quick = self.lines("--quick")
        with tempfile.TemporaryDirectory() as scratch:
            names = pathlib.Path(scratch) / "names"
            names.write_text("\n".join(quick[:7]) + "\n")
            self.assertEqual(self.lines("--quick", "--done", str(names)), quick[7:])
            self.assertEqual(self.lines("--quick", "--only", str(names)), quick[:7])

    def test_wrong_options_are_refused(self):
        for wrong in (["--no-such"], ["--size"], ["--size", "2^31"], ["--size", "1"], ["--size", "12x"], ["--done", "/no/file"]):
            status = subprocess.run([PERF_LIST, *wrong], capture_output=True, check=False).returncode
            self.assertEqual(status, runner.WRONG_USAGE, wrong)

    def test_its_records_are_what_is_read_here(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "records.jsonl"
            path.write_text("\n".join(self.lines("--examples")) + "\n")
            run = records.read_lines(path)
        self.assertEqual([("error" in r, "skipped" in r) for r in run],
                         [(False, False), (False, False), (True, False), (False, True)])
        self.assertEqual([records.ratio(run[1], c) for c in records.CLOCKS], [0.5, None, 2.0])
        self.assertTrue(records.is_ceiling(run[0]))
        for name in records.SETTING:
            self.assertIn(name, run[0])
        self.assertEqual(run[2]["error"], 'gimbal: "exclusive_scan",\n\tstep 1')
        table.report(run)

    def test_everything_planned_is_implemented(self):
        text = "".join(p.read_text() for p in (HERE / "compare").glob("*.cu"))
        written = {f"{a}/{t}" for a, t in re.findall(r'\{"(\w+)",\s*"([\w+]+)",\s*compare', text)}
        written |= {f"{a}/{t}" for a, t in re.findall(r'implementation \w+\(\s*"(\w+)",\s*"([\w+]+)",', text)}
        planned = {"/".join(cell.split("/")[:2]) for cell in self.lines("--full") if not cell.startswith("ceiling/")}
        self.assertEqual(planned, written)


class PagesOfRows(Folder):
    def page_of(self, name, cells):
        """The program's end."""
        path = self.write_lines(*(json.dumps(cell) + "\n" for cell in cells))
        return subprocess.run([sys.executable, str(HERE / "pages.py"), name, str(path)], capture_output=True, text=True)

    def test_each_rung_is_compared_with_the_one_above(self):
        def rung(name, ratio, section="reductions", task="sum of i32"):
            return record(section, 1 << 20, ratio, name, task, 40.0)

        done = self.page_of("ladder", [
            ceiling(1 << 20, 20.0), rung("first", 0.75), rung("second", 0.25), rung("gimbal", 0.5),
            *(rung(name, 0.5, "histograms", task) for name in ("atomics", "gimbal") for task in ("one", "two")),
            rung("scan, rung", 2.0, "vector-model", "scan")])
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("| first | 30.0 | 140 | 66.7 % | – |", "| second | 10.0 | 419 | 200.0 % | 3.00 |", "| stock | 40.0 |", "| gimbal | 20.0 |",
                     "| µs | one | two |\n|---|---|---|\n| atomics | 20.0 | 20.0 |\n| stock | 40.0 | 40.0 |\n| gimbal | 20.0 | 20.0 |",
                     "| µs | 2^20 |\n|---|---|\n| scan, rung | 80.0 |\n| scan, stock | 40.0 |"):
            self.assertIn(line, done.stdout)

    def test_vectors_have_a_table_of_the_sizes_of_the_thesis_and_one_of_larger_ones(self):
        full = {**failed(algorithm="vectors"), "error": "stock, wall clock: cudaMalloc: out of memory"}
        done = self.page_of("vectors", [full] + [record("vectors", n, ratio, name, "", stock) for name, n, stock, ratio in (
            ("scan, int", 1024, 20.0, 0.5), ("scan, int", 1 << 32, 20000.0, 0.75), ("split, int", 1024, 20.0, 1.5))])
        self.assertEqual(done.returncode, 0, done.stderr)
        small, large = done.stdout.split("## ")[1:]
        self.assertIn("| split, int | 30.0, 1.50 |", small)
        self.assertIn("| scan, int | 15000, 0.75 |", large)
        self.assertIn("| split, int | – |", large)

    def test_calls_at_the_same_time_are_rated_by_family_and_threads(self):
        done = self.page_of("concurrent", [record("sort", n, ratio, "u32", threads) for n, ratio, threads in (
            (1024, 0.5, "1 thread"), (2048, 2.0, "1 thread"), (1024, 0.8, "16 threads"))])
        self.assertIn("| calls | 1 thread | 16 threads |\n|---|---|---|\n| sort | 1.00 / 0.50 | 1.25 / 1.25 |", done.stdout)
        self.assertIn("3 cells, geometric mean 1.08, 1 below 0.97, the worst: sort 2^11 1 threads 0.50.", done.stdout)

    def test_a_wrong_result_gives_no_figures(self):
        for name in ("ladder", "vectors"):
            done = self.page_of(name, [record("reductions"), failed(algorithm="reductions", n=2048)])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("reductions/i32/random/2048", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--list"]:
        PERF_LIST = sys.argv[2]
        del sys.argv[1:3]
    unittest.main()
