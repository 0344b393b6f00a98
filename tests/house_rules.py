#!/usr/bin/env python3
"""The house rules that a machine can see, and that what mutation tests change still stands where they look for it. Prints every
breach and exits 1 if there is one."""
import json
import pathlib
import re
import sys

import mutations

root = pathlib.Path(__file__).resolve().parent.parent
longest_file = {"include": 450, "adaptors": 450, "backend": 450, "perf": 450, "tests": 600}  # lines
# Documents that are written by hand; words, of the log also characters of an item.
most_words = {"README.md": 1300, "backend/README.md": 700, "include/README.md": 1300, "perf/README.md": 2300, "perf/results/GOALS.md": 2000,
              "perf/LOG.md": 6000, "perf/LADDER.md": 3600}
longest_item = 330
most_columns = 120  # of a line of comment

breaches = []


def sources(folder):
    return sorted(p for p in (root / folder).rglob("*") if p.suffix in (".h", ".cuh", ".cu", ".cpp"))


def without_comments(text):
    """The text with comments blanked, line numbers kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)


def forbid(path, text, pattern, rule):
    for match in re.finditer(pattern, text):
        line = text.count("\n", 0, match.start()) + 1
        breaches.append(f"{path.relative_to(root)}:{line}: {rule}: {match.group(0).strip()}")


# Thrust headers the backend may include: types and iterators, no algorithm and no container.
allowed_thrust = r"detail/config|complex|functional|pair|tuple|iterator/\w+|type_traits/\w+|detail/raw_(?:reference|pointer)_cast|version|zip_function"
vendor_words = (
    r"<<<|>>>\s*\(|\basm\b|\b__\w+_sync\b|\b__syncthreads\w*|\b__syncwarp\b|\b__threadfence\w*|\b__shared__\b|\b__global__\b"
    r"|\b__launch_bounds__\b|\b(?:threadIdx|blockIdx|blockDim|gridDim)\b|\b__(?:popc|clz|ffs|brev)(?:ll)?\b"
    r"|\batomic(?:Add|CAS|Exch|Max|Min|Or|And)\b|\bcuda(?:Launch|Malloc|Free|Memcpy|Memset|Stream|Event)\w*"
    r"|\bthread_fence\b|\b(?:jump|make)_fcontext\b"
)

for folder in ("include", "adaptors", "backend", "tests", "perf"):
    for path in sources(folder):
        raw = path.read_text()
        lines = raw.count("\n")
        if lines > longest_file[folder]:
            breaches.append(f"{path.relative_to(root)}: {lines} lines, more than {longest_file[folder]}")
        forbid(path, raw, r"[ \t]+\n", "trailing blanks")
        for number, line in enumerate(raw.splitlines(), 1):
            # Rows of tables, which have wide gaps, may be longer.
            if len(line) > most_columns and line.lstrip().startswith("//") and not re.search(r"\S {3,}\S", line.lstrip()):
                breaches.append(f"{path.relative_to(root)}:{number}: a comment of {len(line)} columns, more than {most_columns}")
        if folder in ("include", "adaptors", "backend") and "#pragma once" not in raw:
            breaches.append(f"{path.relative_to(root)}: no #pragma once")
        if folder in ("include", "adaptors", "backend") and path.name != "config.h":
            forbid(path, without_comments(raw), r"\bnamespace gimbal\b", "not in the namespace of this version")

# Parts of the backend: each includes itself and those to its left. A folder of algorithm/, and ranks/, includes others for their
# entries alone.
parts = ["simt", "tile", "collective", "grid", "pipeline", "algorithm", "ranks"]
entries = {"scan.cuh", "segmented_scan.cuh", "expand.cuh", "partition.cuh", "persistent_runs.cuh", "reduce.cuh", "reduce_by_key.cuh", "find_if.cuh",
           "transform.cuh", "radix_sort.cuh", "merge_sort.cuh"}

for path in sources("backend"):
    text = without_comments(path.read_text())
    *here, _ = path.relative_to(root / "backend" / "gimbal").parts
    for included in re.findall(r"#\s*include\s*<gimbal/([^>]*)>", text):
        *there, name = included.split("/")
        if here and there and there[0] in parts and parts.index(there[0]) > parts.index(here[0]):
            breaches.append(f"{path.relative_to(root)}: {here[0]} includes {there[0]}: {included}")
        if there[:1] == ["algorithm"] and here != there and (here[:1] not in (["algorithm"], ["ranks"]) or name not in entries):
            breaches.append(f"{path.relative_to(root)}: includes what is another algorithm's own: {included}")
    forbid(path, text, rf"#\s*include\s*<thrust/(?!(?:{allowed_thrust})\.h>)[^>]*>", "Thrust algorithm in the backend")
    forbid(path, text, r"#\s*include\s*<cub/[^>]*>", "CUB in the backend")
    forbid(path, text, r"#\s*include\s*<gimbal/thrust/[^>]*>", "the backend includes an adaptor")
    if "simt" not in path.relative_to(root).parts:
        forbid(path, text, vendor_words, "vendor intrinsic outside backend/gimbal/simt")

for folder in ("include", "adaptors"):
    for path in sources(folder):
        text = without_comments(path.read_text())
        forbid(path, text, r"\bstruct\s+\w+_kernel\b|\bblock_threads\b|\bsimt::launch\b|\bGIMBAL_DEVICE\b", "kernel in an adaptor")
        forbid(path, text, r"<<<|\basm\b|\b__syncthreads\b|\b__\w+_sync\b|\b__global__\b", "vendor intrinsic in an adaptor")

# Rows of tuning.h tell their reason and name the records that hold the figures.
most_figures = 8  # in the comments of a row or a group of rows, which stand together
record_keys = {"name", "date", "device", "varied", "unit", "command", "rows"}
records = {}
for path in sorted((root / "perf/results/tuning").glob("*.json")):
    name = path.relative_to(root)
    try:
        for record in json.loads(path.read_text()):
            lacking = sorted(record_keys - record.keys())
            if lacking or (record["command"] is None and "why" not in record):
                breaches.append(f"{name}: {record.get('name')}: lacks {', '.join(lacking) or 'why there is no command'}")
            elif not record["rows"] or not all(isinstance(f, (int, float)) for row in record["rows"].values() for f in row.values()):
                breaches.append(f"{name}: {record['name']}: rows hold no figures")
            if record.get("name") in records:
                breaches.append(f"{name}: two records are named {record['name']}")
            records[record.get("name")] = path.stem
    except ValueError as wrong:
        breaches.append(f"{name}: {wrong}")
named = set()
for path in sources("backend"):
    text = path.read_text()
    comments = [re.sub(r"\n\s*//+<?\s?", " ", block) for block in re.findall(r"//[^\n]*(?:\n[ \t]*//[^\n]*)*", text)]
    for name in (name for c in comments for list_ in re.findall(r"\brecord: ((?:\w+(?: \([^)]*\))?(?:, )?)+)", c)
                 for name in re.findall(r"\w+", re.sub(r"\([^)]*\)", "", list_))):
        named.add(name)
        if name not in records:
            breaches.append(f"{path.relative_to(root)}: no record is named {name}")
    if not path.name.endswith("tuning.h"):
        continue
    for comment in comments:
        figures = re.findall(r"(?<![\w.])\d+\.\d+(?!\w|\.\d)", comment)
        if "Measured on" in comment or len(figures) > most_figures:
            breaches.append(f"{path.relative_to(root)}: figures in prose, {len(figures)} of them: {comment[:60]}")
for name, room in records.items():
    if name not in named:
        breaches.append(f"perf/results/tuning/{room}.json: no row names the record {name}")

# Documents are short, and what they link to is there.
for name, most in most_words.items():
    words = len((root / name).read_text().split())
    if words > most:
        breaches.append(f"{name}: {words} words, more than {most}")
for number, line in enumerate((root / "perf/LOG.md").read_text().splitlines(), 1):
    if line.startswith("* ") and len(line) > longest_item:
        breaches.append(f"perf/LOG.md:{number}: {len(line)} characters, more than {longest_item}")
for path in (root / name for name in (*most_words, "perf/results/README.md")):
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text()):
        if not (path.parent / link).exists():
            breaches.append(f"{path.relative_to(root)}: no {link}")

for mutation in mutations.MUTATIONS:
    try:
        mutations.mutated_text(mutation)
    except RuntimeError as wrong:
        breaches.append(f"mutation {mutation['name']}: {wrong}")

for breach in breaches:
    print(breach)
print(f"{len(breaches)} breaches of the house rules")
sys.exit(1 if breaches else 0)
