#!/usr/bin/env python3
"""Plants known faults in the kernels, one at a time, and demands that a quick check of the kernel catches each.

For every fault one header is copied with one place changed, the check in faults/<check>.cu is built against the copy
for the host executor, and must fail: under random schedules (how: "run") or in ThreadSanitizer's report (how: "tsan").
The check must pass without the fault, and a fault whose text is no longer found exactly once is an error.

  faults.py --cccl FOLDER [name...]     the named faults, or all; a name is a fault's or a check's
  faults.py --list                      "check how name..." per line, for CMake
  faults.py --cccl FOLDER --precompile FOLDER
                                        compiles others' headers there; --precompiled FOLDER then saves a third of a check's time
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from fault_table import FAULTS

root = pathlib.Path(__file__).resolve().parent.parent
time_limit = 900  # seconds for one run of a check, which takes a few: generous to a busy machine. A hang counts as
                  # missed, as the executor must report it

flags = ["-std=c++17", "-Og", "-pthread", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
how_flags = {"run": [], "tsan": ["-fsanitize=thread", "-g1", "-DGIMBAL_SEPARATE_EXECUTOR"]}


def faulty_text(fault):
    """The header's text with the fault."""
    source = root / "backend" / fault["file"]
    if not source.exists():  # a header outside the backend, relative to the root
        source = root / fault["file"]
    pattern = r"\s+".join(re.escape(piece) for piece in fault["find"].split())  # however it is formatted
    changed, count = re.subn(pattern, lambda match: fault["replace"], source.read_text())
    if count != 1:
        raise RuntimeError(f"the text to change stands {count} times in {fault['file']}: {fault['find']!r}")
    return changed


class Bench:
    """Builds and runs checks in a work folder."""

    def __init__(self, compiler, cccl, executor, precompiled, work):
        self.compiler = compiler
        self.executor = executor
        self.precompiled = [f"-include{precompiled}/precompiled.h"] if precompiled else []
        self.work = pathlib.Path(work)
        self.includes = [f"-I{root / part}" for part in ("include", "adaptors", "backend", "tests")]
        self.includes += [f"-I{root}", "-isystem", cccl]
        self.lock = threading.Lock()

    def compile(self, arguments):
        done = subprocess.run([*self.compiler, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return None if done.returncode == 0 else done.stdout

    def precompile(self, folder):
        """Others' headers for each way to run a check; the compiler looks for the one of its own flags."""
        header = pathlib.Path(folder) / "precompiled.h"
        compiled = header.with_name(header.name + ".gch")
        compiled.mkdir(parents=True, exist_ok=True)
        header.write_text((root / "tests/faults/precompiled.h").read_text())
        for how in how_flags:
            errors = self.compile([*flags, *how_flags[how], *self.includes, "-x", "c++-header", str(header),
                                   "-o", str(compiled / how)])
            if errors:
                raise RuntimeError(errors)

    def separate_executor(self):
        """ThreadSanitizer needs the executor uninstrumented, in an object of its own."""
        with self.lock:
            if self.executor is None:
                target = str(self.work / "executor.o")
                errors = self.compile([*flags, *self.includes, "-DGIMBAL_SEPARATE_EXECUTOR", "-c",
                                       str(root / "tests/separate_executor.cpp"), "-o", target])
                if errors:
                    raise RuntimeError(errors)
                self.executor = target
        return self.executor

    def run(self, check, how, overlay, name):
        """(passed, output) of the check; None instead of passed if it did not compile or did not end."""
        program = self.work / f"{name}-{how}"
        sources = ["-x", "c++", str(root / f"tests/faults/{check}.cu"), "-x", "none"]
        if how == "tsan":
            sources.append(self.separate_executor())
        first = [f"-I{overlay}"] if overlay else []
        errors = self.compile([*flags, *how_flags[how], *first, *self.includes, *self.precompiled, *sources,
                               "-o", str(program), "-lboost_context"])
        if errors:
            return None, "does not compile:\n" + errors
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1 exitcode=66")
        try:
            done = subprocess.run([str(program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=time_limit, env=environment)
        except subprocess.TimeoutExpired:
            return None, f"did not end within {time_limit} s"
        ending = f"\nended by signal {-done.returncode}" if done.returncode < 0 else ""
        return done.returncode == 0, done.stdout + ending

    def plant(self, fault):
        """The folder that holds the faulty copy of the header."""
        overlay = self.work / fault["name"]
        target = overlay / fault["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(faulty_text(fault))
        return overlay

    def verdict(self, fault):
        """(caught, one line or more)"""
        try:
            overlay = self.plant(fault)
        except RuntimeError as error:
            return False, str(error)
        passed, output = self.run(fault["check"], fault["how"], overlay, fault["name"])
        if passed is None:
            return False, output
        if passed:
            return False, "MISSED: the check passes with this fault in place"
        return True, "caught: " + evidence(output)


def evidence(output):
    """The line of a failing check's output that says what it saw."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        if "ThreadSanitizer" in line:
            return line
    return lines[-1] if lines else "no output, non-zero exit"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cccl")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--executor", help="object file of tests/separate_executor.cpp; built if not given")
    parser.add_argument("--precompile", metavar="FOLDER")
    parser.add_argument("--precompiled", metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()

    if options.list:
        groups = {}
        for fault in FAULTS:
            groups.setdefault((fault["check"], fault["how"]), []).append(fault["name"])
        for (check, how), names in groups.items():
            print(check, how, *names)
        return 0

    compiler = options.compiler.split()
    if options.precompile:
        Bench(compiler, options.cccl, None, None, options.precompile).precompile(options.precompile)
        return 0

    known = {fault["name"] for fault in FAULTS} | {fault["check"] for fault in FAULTS}
    unknown = set(options.names) - known
    if unknown:
        parser.error("no such fault: " + ", ".join(sorted(unknown)))
    chosen = [f for f in FAULTS if not options.names or f["name"] in options.names or f["check"] in options.names]
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(compiler, options.cccl, options.executor, options.precompiled, work)
        failures = run_all(chosen, bench, options.jobs)
    print(f"{len(chosen)} faults, {failures} failures")
    return 1 if failures else 0


def run_all(chosen, bench, jobs):
    """The number of failures. Faults of a check that fails without any fault are not planted."""
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pairs = sorted({(f["check"], f["how"]) for f in chosen})
        sound = set()
        for pair, (passed, output) in zip(pairs, pool.map(lambda pair: bench.run(*pair, None, f"sound-{pair[0]}"), pairs)):
            if passed:
                sound.add(pair)
            else:
                failures += 1
                print(f"{pair[0]} ({pair[1]}): fails without any fault\n{output}", flush=True)
        planted = [f for f in chosen if (f["check"], f["how"]) in sound]
        for fault, (caught, line) in zip(planted, pool.map(bench.verdict, planted)):
            failures += not caught
            print(f"{fault['check']} {fault['how']} {fault['name']} ({fault['kind']}): {line}", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
