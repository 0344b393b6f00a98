#!/usr/bin/env python3
"""What a program pays nvcc for: CPU seconds and bytes of device code, gimbal beside stock.

  compile_time.py --nvcc NVCC [--runs 3] [--keep]

Each program of perf/compile_time/ is compiled as a user does, for gimbal and for stock in turn.
CPU seconds are of all of nvcc's processes, user and system together: other load on the machine disturbs them far less than
elapsed time. The record goes to perf/results/compile_time.json and its table into perf/results/README.md, unless --keep is given.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import markdown

root = markdown.ROOT
OPTIONS = "-std=c++17 -O3 -arch=sm_90 --extended-lambda"
programs = {"headers": "headers alone", "sort": "one sort", "reduce_and_scan": "a reduce and a scan",
            "ten_calls": "ten calls", "six_types": "18 sorts of six types"}


def device_code_bytes(folder):
    """Bytes of machine code in the kernels: the .text sections of the cubin."""
    total = 0
    for cubin in pathlib.Path(folder).glob("*.cubin"):
        sections = subprocess.run(["readelf", "-SW", str(cubin)], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, check=True).stdout
        for match in re.finditer(r"\]\s+\.text\S*\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)", sections):
            total += int(match.group(1), 16)
    return total


def compile_once(nvcc, program, side):
    """CPU seconds, bytes of the object and of its device code."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "program.o")
        command = [nvcc, *OPTIONS.split(), "-c", "--keep", "--keep-dir", folder,
                   *(f"-I{root / part}" for part in ("include", "adaptors", "backend")), *(["-DSTOCK"] if side == "stock" else []),
                   str(root / "perf" / "compile_time" / f"{program}.cu"), "-o", target]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return seconds, os.path.getsize(target), device_code_bytes(folder)


def measure(nvcc, runs):
    results = []
    for program in programs:
        seconds = {"stock": [], "gimbal": []}
        sizes = {}
        for _ in range(runs):
            for side in seconds:
                spent, *sizes[side] = compile_once(nvcc, program, side)
                seconds[side].append(round(spent, 2))
        for side in seconds:
            results.append(dict(program=program, side=side, cpu_seconds=statistics.median(seconds[side]),
                                all_cpu_seconds=seconds[side], object_bytes=sizes[side][0],
                                device_code_bytes=sizes[side][1]))
            print(results[-1], file=sys.stderr, flush=True)
    return results


def table(record):
    by_name = {(r["program"], r["side"]): r for r in record["results"]}
    runs = "one run" if record["runs"] == 1 else f"medians of {record['runs']}, taken in turn"
    lines = []
    for program, text in programs.items():
        (seconds, code), (stock_seconds, stock_code) = (
            [by_name[program, side][field] for field in ("cpu_seconds", "device_code_bytes")] for side in ("gimbal", "stock"))
        lines.append([text, f"{seconds:.1f}", f"{stock_seconds:.1f}", f"{seconds / stock_seconds:.2f}",
                      f"{code:,}", f"{stock_code:,}", f"{code / stock_code:.2f}" if stock_code else "–"])
    head = (f"{record['nvcc']}, `{record['options']}`, {record['date']}; CPU seconds (user and system, {runs}) "
            "and bytes of machine code for the GPU; goal: half of stock.")
    header = ["program", "gimbal s", "stock s", "ratio", "gimbal bytes", "stock bytes", "ratio"]
    return head + "\n\n" + markdown.table(header, lines, figures=True)


def write(record):
    (root / "perf" / "results" / "compile_time.json").write_text(json.dumps(record, indent=1) + "\n")
    markdown.write_block(root / markdown.RESULTS, table(record), "compile time")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help="only print; leave the committed record as it is")
    options = parser.parse_args()
    version = subprocess.run([options.nvcc, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    release = re.search(r"release ([\d.]+), V([\d.]+)", version)
    record = dict(nvcc=f"nvcc {release.group(2)}", options=OPTIONS, date=time.strftime("%Y-%m-%d"), runs=options.runs,
                  results=measure(options.nvcc, options.runs))
    print(table(record))
    if not options.keep:
        write(record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
