#!/usr/bin/env python3
"""The files and lines that a call runs through from the user's line to the kernel, without simt/, held to their bounds.

  reach.py --cccl FOLDER [CALL...]           check each call, or those whose names have one of these texts
  reach.py --cccl FOLDER --files [CALL...]   print the files of each call, too, and the lines of each
  reach.py --cccl FOLDER --write [CALL...]   record the counts as the bounds in tests/reach.json, then check

The calls, of so many items that the kernels for many are launched, are compiled for the host executor with coverage and run one by
one. Counted are the files of which something ran, lines of code of the functions that ran, and of those files as a whole: lines that
are neither empty nor comments nor the preprocessor's. Types and numbers that the compiler alone evaluates have no lines that run, so
files of nothing else are not seen.

The bounds are counts of an earlier day. No call may have more files, or lines that run; the lines of the files as a whole, some of
which serve other calls, may grow by a few percent. Where a count is a few percent below its bound the bound has to be written again,
so that what was gained is kept. The goals of files, and of their lines as a whole, in tests/reach.json are written by hand.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOUNDS = ROOT / "tests" / "reach.json"
# Each with the power of two of its items, from which on the same kernels run.
CALLS = {
    "exclusive_scan i32": (22, "thrust::exclusive_scan(gimbal::par, x, x + n, x);"),
    "reduce f32": (22, "thrust::reduce(gimbal::par, f, f + n);"),
    "stable_partition in place": (20, "thrust::stable_partition(gimbal::par, x, x + n, odd{});"),
    "sort u32": (20, "thrust::sort(gimbal::par, u, u + n);"),
    "sort by a comparator": (20, "thrust::sort(gimbal::par, x, x + n, less{});"),
    "segmented scan by offsets": (20, "gimbal::exclusive_segmented_scan(gimbal::par, x, x + n, "
                                      "gimbal::segment_offsets(starts.data(), starts.data() + starts.size()), x);"),
}
PROGRAM = """
#include <gimbal/policy.h>
#include <gimbal/segmented_scan.h>
#include <cstdlib>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <vector>
struct odd { __host__ __device__ bool operator()(int x) const { return x % 2 != 0; } };
struct less { __host__ __device__ bool operator()(int a, int b) const { return a < b; } };
int main(int, char** arguments)
{
  const int n = 1 << std::atoi(arguments[2]);
  std::vector<unsigned> unsigned_items(n);
  std::vector<int> items(n), starts(n / 64);
  for (int i = 0; i < n; ++i) { unsigned_items[i] = i * 2654435761u; items[i] = static_cast<int>(unsigned_items[i]); }
  for (int i = 0; i < n / 64; ++i) { starts[i] = 64 * i; }
  unsigned* u = unsigned_items.data();
  int* x = items.data();
  std::vector<float> floats(n, 1.0f);
  float* f = floats.data();
  switch (std::atoi(arguments[1])) {
@CASES@
  }
}
"""
COUNTS = {"files": "files", "ran": "lines that run", "lines": "lines of these files"}
slack = 1.03


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("//", "#"))


def compile_calls(compiler, cccl, folder):
    cases = "\n".join(f"    case {i}: {call} break;" for i, (_, call) in enumerate(CALLS.values()))
    (folder / "calls.cpp").write_text(PROGRAM.replace("@CASES@", cases))
    command = [compiler, "-std=c++17", "-O0", "-w", "-pthread", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
               "-DTHRUST_FORCE_32_BIT_OFFSET_TYPE"]
    # Only what is counted is instrumented.
    command += ["--coverage", r"-fprofile-filter-files=/gimbal/.*\.(h|cuh)$", "-fprofile-exclude-files=/simt/",
                "-fprofile-update=single"]
    command += [f"-I{ROOT / part}" for part in ("include", "adaptors", "backend")]
    for include in cccl.split(";"):
        command += ["-isystem", include]
    subprocess.run(command + ["calls.cpp", "-o", "calls", "-lboost_context"], cwd=folder, check=True)


def gcov_of(compiler):
    """The gcov that reads what this g++ writes: of g++-12 gcov-12."""
    path = pathlib.Path(compiler)
    return str(path.with_name(path.name.replace("g++", "gcov"))) if "g++" in path.name else "gcov"


def reach(name, compiler, folder):
    """{file: (lines of code of its functions that ran, lines of code)}"""
    for old in folder.glob("*.gcda"):
        old.unlink()
    # With one worker threads run in the same order each time, and wait at the same places.
    environment = {variable: text for variable, text in os.environ.items() if not variable.startswith("GIMBAL_")}
    environment["GIMBAL_WORKERS"] = "1"
    subprocess.run(["./calls", str(list(CALLS).index(name)), str(CALLS[name][0])], cwd=folder, check=True, env=environment)
    data, = folder.glob("*.gcda")
    report = subprocess.run([gcov_of(compiler), "-j", "-t", data.name], cwd=folder, check=True, capture_output=True, text=True).stdout
    sources, ran = {}, {}
    for line in report.splitlines():
        for covered in json.loads(line)["files"]:
            path = pathlib.Path(covered["file"])
            functions = [function for function in covered["functions"] if function["execution_count"] > 0]
            if ROOT not in path.parents or "simt" in path.parts or not functions:
                continue
            lines = sources.setdefault(path, path.read_text().splitlines())
            for function in functions:
                numbers = range(function["start_line"], function["end_line"] + 1)
                ran.setdefault(path, set()).update(i for i in numbers if is_code(lines[i - 1]))
    return {path.relative_to(ROOT): (len(ran[path]), sum(map(is_code, sources[path]))) for path in sorted(ran)}


def counts_of(files):
    return {"files": len(files), "ran": sum(ran for ran, _ in files.values()), "lines": sum(lines for _, lines in files.values())}


def beyond_bounds(counts, bounds):
    for what, text in COUNTS.items():
        bound, count = bounds[what], counts[what]
        if count > bound * (slack if what == "lines" else 1):
            yield True, f"{count:,} {text}, {count - bound:,} more than its {bound:,} (meant: ./dev reach --write)"
        elif count * slack < bound:
            yield False, f"{count:,} {text}, {bound - count:,} fewer than its {bound:,}: to keep that, ./dev reach --write"


def print_files(files):
    for path, (ran, lines) in files.items():
        print(f"  {ran:5,} of {lines:5,}  {path}")


def self_test():
    """A count above its bound is reported, as is one far below it; one on it or little below is not."""
    bounds = {"files": 10, "ran": 1000, "lines": 2000}
    for change, found in (({}, []), ({"ran": 990}, []), ({"lines": 2050}, []), ({"files": 11}, [True]), ({"ran": 1001}, [True]),
                          ({"lines": 2100}, [True]), ({"files": 9}, [False]), ({"ran": 900}, [False])):
        if [is_more for is_more, _ in beyond_bounds({**bounds, **change}, bounds)] != found:
            yield f"self-test: {change} beside {bounds}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cccl", required=True, help="folders with the CCCL headers, semicolons between them")
    options.add_argument("--compiler", default=os.environ.get("CXX", "g++"), help="a g++")
    options.add_argument("--files", action="store_true", help="the files of each call and the lines of each")
    options.add_argument("--write", action="store_true", help="record the counts as the bounds")
    options.add_argument("call", nargs="*", help="part of a call's name; all calls without")
    chosen = options.parse_args()
    names = [name for name in CALLS if not chosen.call or any(part in name for part in chosen.call)]
    if not names:
        sys.exit(f"calls: {', '.join(CALLS)}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        compile_calls(chosen.compiler, chosen.cccl, folder)
        files = {name: reach(name, chosen.compiler, folder) for name in names}

    recorded = json.loads(BOUNDS.read_text())
    counts = {name: counts_of(files[name]) for name in names}
    if chosen.write:
        for name in names:
            recorded[name].update(counts[name])
        BOUNDS.write_text("{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(recorded[name])}" for name in recorded) + "\n}\n")
    print("| call | files | lines that run | of these files | goal: files | of these files |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in names:
        cells = list(counts[name].values()) + list(recorded[name]["goal"].values())
        print(f"| {name} | " + " | ".join(f"{count:,}" for count in cells) + " |")
    problems = list(self_test())
    for name in names:
        found = list(beyond_bounds(counts[name], recorded[name]))
        problems += [f"{name}: {text}" for _, text in found]
        if chosen.files or any(is_more for is_more, _ in found):
            print(f"\n{name}: lines that run, of the lines of code of each file")
            print_files(files[name])
    print()
    print("\n".join(problems + [f"{len(names)} calls, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
