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
import shlex
import sys

import markdown
import records
import runner
import table

FOLDER = pathlib.Path(__file__).resolve().parent / "results" / "tuning"


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


def rows_of(run):
    """{variant: {size: ratio}} by device time. Variants of several subjects bear their names."""
    measured = [record for record in run if records.ratio(record, "device")]
    several = len({record["algorithm"] for record in measured}) > 1
    rows = {}
    for record in measured:
        label = f"{record['algorithm']}: {record['distribution']}" if several else record["distribution"]
        rows.setdefault(label, {})[markdown.size_name(record["n"])] = f"{records.ratio(record, 'device'):.3f}"
    return rows


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
    options.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    chosen = options.parse_intermixed_args()
    sizes = [word for word in chosen.what if word.isdigit()]
    subjects = [word for word in chosen.what if not word.isdigit()]
    items = ",".join(f"2^{size}" if int(size) <= 32 else size for size in sizes or ["28"])

    run = []
    try:
        for subject in subjects or [""]:
            run += runner.measured(chosen.program, ["--quick", "--size", items, "--cell", f"*{subject}*//*{chosen.variant}*/*"])
    except runner.RunFailed as failed:
        sys.exit(f"tuning.py: {failed}")
    print("\n".join(table.loss_line(*comparison) for comparison in records.comparisons(run)))
    rows, wrong = rows_of(run), [f"{r['cell']}: {r.get('error') or r['skipped']}" for r in run if not records.is_whole(r)]
    if wrong or not rows:
        sys.exit("tuning.py: " + ("; ".join(wrong) or f"nothing is named so: {' '.join(subjects)}"))
    if chosen.record:
        variant = ["--variant", chosen.variant] if chosen.variant else []
        record = {"name": chosen.record, "date": datetime.date.today().isoformat(), "device": run[0]["device"], "varied": chosen.varied,
                  "unit": "ratio to stock", "command": shlex.join(["./dev", "tune", *subjects, *sizes, *variant]), "rows": rows}
        try:
            print(keep(chosen.folder, record, chosen.room))
        except ValueError as wrong:
            sys.exit(f"tuning.py: {wrong}")


if __name__ == "__main__":
    main()
