#!/usr/bin/env python3
"""Measures variants of a kernel's numbers (perf_tune) and keeps what was measured: the evidence for the rows of tuning.h.

  tuning.py --program PERF_TUNE [SUBJECT...] [SIZE...] [--variant TEXT]
            [--record NAME [--room ROOM] [--varied TEXT]]

A subject is part of a subject's name (none: all), a size up to 32 its logarithm to base 2. --record writes the record NAME into
perf/results/tuning/ROOM.json, in the place of an earlier one of that name; a new one needs the room (a folder of
backend/gimbal/algorithm, or `shared`) and what was varied.
"""
import argparse
import datetime
import json
import pathlib
import re
import shlex
import subprocess
import sys

import markdown

FOLDER = pathlib.Path(__file__).resolve().parent / "results" / "tuning"
LINE = re.compile(r"(?P<subject>.*?)  +(?P<n>\d+) (?P<variant>\S.*?) +[\d.]+ us +(?P<ratio>[\d.]+) of stock")


def load(path):
    """A room's records; figures stay as they are written."""
    return json.loads(path.read_text(), parse_float=str, parse_int=str)


def text_of(records):
    """Compact: a line for each variant."""
    def text(value):
        return json.dumps(value, ensure_ascii=False)

    written = []
    for record in records:
        head = ",\n   ".join(f"{text(key)}: {text(value)}" for key, value in record.items() if key != "rows")
        rows = ",\n    ".join(f"{text(variant)}: {{" + ", ".join(f"{text(size)}: {figure}" for size, figure in row.items()) + "}"
                              for variant, row in record["rows"].items())
        written.append("  {" + head + ',\n   "rows": {\n    ' + rows + "}}")
    return "[\n" + ",\n".join(written) + "\n]\n"


def rows_of(lines):
    """{variant: {size: ratio}} of what perf_tune printed, and the lines that tell of a failure. Variants of several subjects bear their
    names."""
    found = [(line, LINE.match(line)) for line in lines]
    failed = [line for line, match in found if not match or "WRONG" in line]
    matches = [match for _, match in found if match]
    several = len({match["subject"] for match in matches}) > 1
    rows = {}
    for match in matches:
        label = f"{match['subject']}: {match['variant']}" if several else match["variant"]
        rows.setdefault(label, {})[markdown.size_name(int(match["n"]))] = match["ratio"]
    return rows, failed


def keep(folder, record, room):
    """Puts the record in the place of the one of its name, or at the end of its room's."""
    name, varied = record["name"], record["varied"]
    rooms = {path.stem: load(path) for path in sorted(folder.glob("*.json"))}
    earlier = [(stem, index) for stem, records in rooms.items() for index, other in enumerate(records) if other["name"] == name]
    if earlier:
        stem, index = earlier[0]
        if room not in (None, stem):
            raise ValueError(f"the record {name} is of the room {stem}")
        room = stem
        rooms[room][index] = {**record, "varied": varied or rooms[room][index]["varied"]}
    elif room is None or not varied:
        raise ValueError(f"no record is named {name}: a new one needs --room and --varied")
    else:
        rooms.setdefault(room, []).append(record)
    path = folder / f"{room}.json"
    path.write_text(text_of(rooms[room]))
    return path


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", nargs="*", metavar="SUBJECT | SIZE")
    options.add_argument("--program", required=True)
    options.add_argument("--variant", default="")
    options.add_argument("--record")
    options.add_argument("--room")
    options.add_argument("--varied")
    options.add_argument("--device", help="its name; if not said, what nvidia-smi says")
    options.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    chosen = options.parse_intermixed_args()
    sizes = [word for word in chosen.what if word.isdigit()]
    items = [str(1 << int(size) if int(size) <= 32 else int(size)) for size in sizes or ["28"]]
    subjects = [word for word in chosen.what if not word.isdigit()]

    printed, status = [], 0
    for subject in subjects or [""]:
        with subprocess.Popen([chosen.program, subject, chosen.variant, *items], stdout=subprocess.PIPE, text=True) as program:
            for line in program.stdout:
                print(line, end="", flush=True)
                printed.append(line.rstrip("\n"))
        status = status or program.returncode
    rows, failed = rows_of(printed)
    if status or failed or not rows:
        sys.exit("tuning.py: " + ("; ".join(failed) or ("perf_tune failed" if status else f"nothing is named so: {' '.join(subjects)}")))
    if chosen.record:
        device = chosen.device or subprocess.check_output(
            ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], text=True).splitlines()[0].strip()
        variant = ["--variant", chosen.variant] if chosen.variant else []
        record = {"name": chosen.record, "date": datetime.date.today().isoformat(), "device": device, "varied": chosen.varied,
                  "unit": "ratio to stock", "command": shlex.join(["./dev", "tune", *subjects, *sizes, *variant]), "rows": rows}
        try:
            print(keep(chosen.folder, record, chosen.room))
        except ValueError as wrong:
            sys.exit(f"tuning.py: {wrong}")


if __name__ == "__main__":
    main()
