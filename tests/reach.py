#!/usr/bin/env python3
"""The files and lines that a call runs through from the user's line to the kernel, without simt/.

  reach.py --cccl FOLDER [CALL...]

Each call, of so many items that the kernels for many are launched, is compiled for the host executor with coverage and run. Counted are
the files of which something ran, lines of code of the functions that ran, and of those files as a whole: lines that are neither empty
nor comments. Types and numbers that the compiler alone evaluates have no lines that run, so files of nothing else are not seen. Several
calls are compiled at a time.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BODIES = {
    "exclusive_scan i32": "thrust::exclusive_scan(gimbal::par, x.begin(), x.end(), x.begin());",
    "stable_partition in place": "thrust::stable_partition(gimbal::par, x.begin(), x.end(), odd{});",
    "sort u32": "thrust::sort(gimbal::par, u.begin(), u.end());",
    "sort by a comparator": "thrust::sort(gimbal::par, x.begin(), x.end(), less{});",
    "segmented scan by offsets": "gimbal::exclusive_segmented_scan(gimbal::par, x.begin(), x.end(), "
                                 "gimbal::segment_offsets(starts.begin(), starts.end()), x.begin());",
}
PROGRAM = """
#include <gimbal/gimbal.h>
#include <thrust/device_vector.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
struct odd { __host__ __device__ bool operator()(int x) const { return x % 2 != 0; } };
struct less { __host__ __device__ bool operator()(int a, int b) const { return a < b; } };
int main()
{
  const int n = 1 << 22;
  thrust::device_vector<int> x(n), starts(n / 64);
  thrust::device_vector<unsigned> u(n);
  for (int i = 0; i < n; ++i) { u[i] = i * 2654435761u; x[i] = static_cast<int>(u[i]); }
  for (int i = 0; i < n / 64; ++i) { starts[i] = 64 * i; }
  @BODY@
}
"""


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith("//")


def files_that_ran(report, sources):
    """{file: lines of code of its functions that ran}"""
    ran = {}
    for line in report.splitlines():
        for covered in json.loads(line)["files"]:
            path = pathlib.Path(covered["file"])
            if ROOT not in path.parents or "simt" in path.parts:
                continue
            lines = sources.setdefault(path, path.read_text().splitlines())
            for function in covered["functions"]:
                if function["execution_count"] > 0:
                    numbers = range(function["start_line"], function["end_line"] + 1)
                    ran.setdefault(path, set()).update(i for i in numbers if is_code(lines[i - 1]))
    return ran


def reach(name, cccl):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "call.cpp"
        source.write_text(PROGRAM.replace("@BODY@", BODIES[name]))
        command = [os.environ.get("CXX", "g++"), "-std=c++17", "-O0", "--coverage", "-pthread",
                   "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]
        command += [f"-I{ROOT / part}" for part in ("include", "adaptors", "backend")]
        for include in cccl.split(";"):
            command += ["-isystem", include]
        for step in (command + ["call.cpp", "-o", "call", "-lboost_context"], ["./call"]):
            subprocess.run(step, cwd=folder, check=True)
        data, = pathlib.Path(folder).glob("*.gcda")
        report = subprocess.run(["gcov", "-j", "-t", data.name], cwd=folder, check=True, capture_output=True, text=True).stdout
    sources = {}
    ran = files_that_ran(report, sources)
    whole = sum(is_code(line) and not line.startswith("#") for path in ran for line in sources[path])
    return len(ran), sum(map(len, ran.values())), whole


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cccl", required=True)
    options.add_argument("call", nargs="*", help="part of a call's name; all calls without")
    chosen = options.parse_args()
    names = [name for name in BODIES if not chosen.call or any(part in name for part in chosen.call)]
    if not names:
        sys.exit(f"calls: {', '.join(BODIES)}")
    print("| call | files | lines that run | of these files |")
    print("|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, counts in zip(names, pool.map(lambda each: reach(each, chosen.cccl), names)):
            print(f"| {name} | " + " | ".join(f"{count:,}" for count in counts) + " |")


if __name__ == "__main__":
    main()
