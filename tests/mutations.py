#!/usr/bin/env python3
"""Mutation tests: changes the kernels, one known mutation at a time, and demands that a quick check of the kernel catches each.

For every mutation one header is copied with one place changed, the check in mutations/<check>.cu is built against the copy
for the host executor, and must fail: under random schedules (how: "run") or in ThreadSanitizer's report (how: "tsan").
The check must pass without the mutation, and a mutation whose text is no longer found exactly once is an error.

  mutations.py --cccl FOLDER [name...]     the named mutations, or all; a name is a mutation's or a check's
  mutations.py --list                      "check_how:file... name..." per line, with the check's file and those with mutations, for CMake
  mutations.py --cccl FOLDER --precompile FOLDER
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

from mutation_table import MUTATIONS

root = pathlib.Path(__file__).resolve().parent.parent
time_limit = 900  # seconds for one run of a check, which takes a few: generous to a busy machine. A hang counts as
                  # missed, as the executor must report it

flags = ["-std=c++17", "-Og", "-pthread", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
how_flags = {
    "run": [],
    # no record of calls, which shows in reports alone
    "tsan": ["-fsanitize=thread", "-g1", "--param=tsan-instrument-func-entry-exit=0", "-DGIMBAL_SEPARATE_EXECUTOR"],
}

switch = "active_mutation"  # the number of the mutation that a program has, among those that it may have
switch_header = f"""#pragma once
#include <cstdlib>
inline const int {switch} = std::getenv("{switch}") != nullptr ? std::atoi(std::getenv("{switch}")) : 0;
"""


def file_of(mutation):
    """The header that a mutation is in: in the backend or outside it."""
    source = root / "backend" / mutation["file"]
    return source if source.exists() else root / mutation["file"]


def text_of(mutation, overlay=None):
    """The header that a mutation is in, as it is in the overlay if it is there."""
    if overlay and (overlay / mutation["file"]).exists():
        return (overlay / mutation["file"]).read_text()
    return file_of(mutation).read_text()


def changed_text(mutation, text, replacement):
    """`text` with what the mutation is about replaced by replacement(what stands there)."""
    pattern = r"\s+".join(re.escape(piece) for piece in mutation["find"].split())  # however it is formatted
    changed, count = re.subn(pattern, lambda match: replacement(match.group()), text)
    if count != 1:
        raise RuntimeError(f"the text to change stands {count} times in {mutation['file']}: {mutation['find']!r}")
    return changed


def mutated_text(mutation):
    """The header's text with the mutation."""
    return changed_text(mutation, text_of(mutation), lambda found: mutation["replace"])


statement = r"(?:return|if \([^;{}]*\) \{[^{}]*\}|[\w.:]+(?:\(.*\)|(?:\[.*\])* [|+]?= [^;]+))"  # without declarations


def chosen_when_run(mutation):
    """The text with which a program chooses whether it has the mutation, `number` being the mutation's; None if it cannot:
    where a statement is left out or is another one, or an expression that is a condition, returned or assigned. Of others
    the table says that they are whole expressions."""
    code = re.sub(r"//.*", "", mutation["find"]).strip()
    instead = mutation["replace"].strip()
    if mutation.get("expression"):
        return lambda number, found: f"({switch} != {number} ? ({found}) : ({instead}))"
    if instead == "" and code[-1] in ";}":
        return lambda number, found: f"if ({switch} != {number}) {{ {found}\n}}"
    for form in (r"((?:if|while) \()([^{};]+)(\)(?: \{)?)", r"(return |(?:const \w+ |[\w.]+ )?[\w.]+ = )([^{};]+)(;)"):
        original, mutated = re.fullmatch(form, code), re.fullmatch(form, instead)
        if original and mutated and original[1] == mutated[1]:
            return lambda number, found: (
                f"{original[1]}{switch} != {number} ? ({original[2]}) : ({mutated[2]}){original[3]}\n")
    if all(re.fullmatch(statement + "(?<=})|" + statement + ";", text, re.DOTALL) for text in (code, instead)):
        return lambda number, found: f"if ({switch} != {number}) {{ {found}\n}} else {{ {instead} }}"
    return None


class Bench:
    """Builds and runs checks in a work folder."""

    def __init__(self, compiler, cccl, executor, precompiled, work):
        self.compiler = compiler
        self.executor = executor
        self.precompiled = [f"-include{precompiled}/precompiled.h"] if precompiled else []
        self.work = pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        (self.work / "switch.h").write_text(switch_header)
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
        compiled.mkdir(exist_ok=True)
        header.write_text((root / "tests/mutations/precompiled.h").read_text())
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

    def build(self, check, how, overlay, name):
        """(program, errors)"""
        program = self.work / f"{name}-{how}"
        sources = ["-x", "c++", str(root / f"tests/mutations/{check}.cu"), "-x", "none"]
        if how == "tsan":
            sources.append(self.separate_executor())
        first = [f"-I{overlay}", f"-include{self.work}/switch.h"] if overlay else []
        return program, self.compile([*flags, *how_flags[how], *self.precompiled, *first, *self.includes, *sources,
                                      "-o", str(program), "-lboost_context"])

    def run(self, program, number=0):
        """(passed, output) of a check, with the mutation of that number; None instead of passed if it did not end."""
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1 exitcode=66", **{switch: str(number)})
        if program.name.endswith("-tsan"):  # each barrier takes ThreadSanitizer a time that grows with the threads there are
            environment.setdefault("GIMBAL_RESIDENT_BLOCKS", "4")
        try:
            done = subprocess.run([str(program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=time_limit, env=environment)
        except subprocess.TimeoutExpired:
            return None, f"did not end within {time_limit} s"
        ending = f"\nended by signal {-done.returncode}" if done.returncode < 0 else ""
        return done.returncode == 0, done.stdout + ending

    def write(self, overlay, mutation, text):
        target = overlay / mutation["file"]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def build_original(self, check, how, choices):
        """A program without a mutation, or with that of `choices` whose number it is told: (program, errors)"""
        if not choices:
            return self.build(check, how, None, f"original-{check}")
        overlay = self.work / f"original-{check}-{how}-headers"
        for number, mutation in enumerate(choices, 1):
            mutated_text(mutation)  # what it is about stands there once
            self.write(overlay, mutation, changed_text(
                mutation, text_of(mutation, overlay), lambda found: chosen_when_run(mutation)(number, found)))
        return self.build(check, how, overlay, f"original-{check}")

    def verdict(self, mutation):
        """Of a mutation that needs a program of its own: (caught, one line or more)"""
        try:
            overlay = self.work / mutation["name"]
            self.write(overlay, mutation, mutated_text(mutation))
        except RuntimeError as error:
            return False, str(error)
        program, errors = self.build(mutation["check"], mutation["how"], overlay, mutation["name"])
        return (False, "does not compile:\n" + errors) if errors else judged(*self.run(program))


def judged(passed, output):
    """(caught, one line or more), of a program with a mutation."""
    if passed is None:
        return False, output
    if passed:
        return False, "MISSED: the check passes with this mutation in place"
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
        for mutation in MUTATIONS:
            groups.setdefault((mutation["check"], mutation["how"]), []).append(mutation)
        for (check, how), mutations in groups.items():
            files = [f"tests/mutations/{check}.cu", *sorted({str(file_of(m).relative_to(root)) for m in mutations})]
            print(":".join([f"{check}_{how}", *files]), *(m["name"] for m in mutations))
        return 0

    compiler = options.compiler.split()
    if options.precompile:
        Bench(compiler, options.cccl, None, None, options.precompile).precompile(options.precompile)
        return 0

    known = {mutation["name"] for mutation in MUTATIONS} | {mutation["check"] for mutation in MUTATIONS}
    unknown = set(options.names) - known
    if unknown:
        parser.error("no such mutation: " + ", ".join(sorted(unknown)))
    chosen = [m for m in MUTATIONS if not options.names or m["name"] in options.names or m["check"] in options.names]
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(compiler, options.cccl, options.executor, options.precompiled, work)
        failures = run_all(chosen, bench, options.jobs)
    print(f"{len(chosen)} mutations, {failures} failures")
    return 1 if failures else 0


def run_check(check, how, mutations, bench, pool):
    """The number of failures. Mutations of a check that fails without any mutation are not tested."""
    choices = [m for m in mutations if chosen_when_run(m)]
    try:
        program, errors = bench.build_original(check, how, choices)
        passed, output = (None, "does not compile:\n" + errors) if errors else bench.run(program)
    except RuntimeError as error:
        passed, output = None, str(error)
    if not passed:
        print(f"{check} ({how}): fails without any mutation\n{output}", flush=True)
        return 1
    verdicts = {m["name"]: pool.submit(bench.verdict, m) for m in mutations if m not in choices}
    for number, mutation in enumerate(choices, 1):
        verdicts[mutation["name"]] = pool.submit(lambda number=number: judged(*bench.run(program, number)))
    failures = 0
    for mutation in mutations:
        caught, line = verdicts[mutation["name"]].result()
        failures += not caught
        print(f"{check} {how} {mutation['name']} ({mutation['kind']}): {line}", flush=True)
    return failures


def run_all(chosen, bench, jobs):
    """The number of failures, of as many checks at a time as there are jobs."""
    checks = {}
    for mutation in chosen:
        checks.setdefault((mutation["check"], mutation["how"]), []).append(mutation)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, concurrent.futures.ThreadPoolExecutor(jobs) as outer:
        return sum(outer.map(lambda item: run_check(*item[0], item[1], bench, pool), checks.items()))


if __name__ == "__main__":
    sys.exit(main())
