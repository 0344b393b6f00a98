#!/usr/bin/env python3
"""Whether every class, method and overload of CUB's device-wide calls exists under gimbal's name.

Reads the headers of CUB and those of gimbal, counts public static functions by class and name, apart those of two phases (storage first)
and those of one call, and exits 1 if gimbal lacks a class, a method or an overload. Prints what the headers have that CUB 3.0.1 has not:
with a newer CCCL, that is what is new.

  cub_census.py CCCL...      folders with cub/ and thrust/ in them
"""
import argparse
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# CUB's own, as a whole or by method: gimbal has no kernel for them.
forwarded_classes = {
    "DeviceAdjacentDifference", "DeviceBatchedTopK", "DeviceCopy", "DeviceFor", "DeviceHistogram", "DeviceMemcpy", "DeviceMerge",
    "DeviceSegmentedRadixSort", "DeviceSegmentedReduce", "DeviceSegmentedSort", "DeviceTopK", "DeviceTransform",
}
forwarded_methods = {
    ("DeviceFind", "LowerBound"), ("DeviceFind", "LowerBoundSortedValues"), ("DeviceFind", "UpperBound"),
    ("DeviceFind", "UpperBoundSortedValues"),
}
# Deprecated and gone from CUB 3.
left_out = {"DeviceSpmv"}
# Of which one of gimbal's takes what several of CUB's take: (class, method, phases): (CUB's, gimbal's).
joined = {}

# Overloads of CUB 3.0.1: of two phases, and of one call.
known = {
    "DeviceAdjacentDifference": {"SubtractLeft": (1, 0), "SubtractLeftCopy": (1, 0), "SubtractRight": (1, 0), "SubtractRightCopy": (1, 0)},
    "DeviceCopy": {"Batched": (1, 0)},
    "DeviceFor": {"Bulk": (1, 1), "ForEach": (1, 1), "ForEachCopy": (1, 1), "ForEachCopyN": (1, 1), "ForEachInExtents": (1, 1),
        "ForEachN": (1, 1)},
    "DeviceHistogram": {"HistogramEven": (2, 0), "HistogramRange": (2, 0), "MultiHistogramEven": (4, 0), "MultiHistogramRange": (4, 0)},
    "DeviceMemcpy": {"Batched": (1, 0)},
    "DeviceMerge": {"MergeKeys": (1, 0), "MergePairs": (1, 0)},
    "DeviceMergeSort": {"SortKeys": (1, 0), "SortKeysCopy": (1, 0), "SortPairs": (1, 0), "SortPairsCopy": (1, 0), "StableSortKeys": (1, 0),
        "StableSortKeysCopy": (1, 0), "StableSortPairs": (1, 0)},
    "DevicePartition": {"Flagged": (1, 0), "If": (2, 0)},
    "DeviceRadixSort": {"SortKeys": (6, 0), "SortKeysDescending": (6, 0), "SortPairs": (6, 0), "SortPairsDescending": (6, 0)},
    "DeviceReduce": {"ArgMax": (2, 0), "ArgMin": (2, 0), "Max": (1, 0), "Min": (1, 0), "Reduce": (1, 0), "ReduceByKey": (1, 0),
        "Sum": (1, 0), "TransformReduce": (1, 0)},
    "DeviceRunLengthEncode": {"Encode": (1, 0), "NonTrivialRuns": (1, 0)},
    "DeviceScan": {"ExclusiveScan": (4, 0), "ExclusiveScanByKey": (1, 0), "ExclusiveSum": (2, 0), "ExclusiveSumByKey": (1, 0),
        "InclusiveScan": (2, 0), "InclusiveScanByKey": (1, 0), "InclusiveScanInit": (1, 0), "InclusiveSum": (2, 0),
        "InclusiveSumByKey": (1, 0)},
    "DeviceSegmentedRadixSort": {"SortKeys": (2, 0), "SortKeysDescending": (2, 0), "SortPairs": (2, 0), "SortPairsDescending": (2, 0)},
    "DeviceSegmentedReduce": {"ArgMax": (1, 0), "ArgMin": (1, 0), "Max": (1, 0), "Min": (1, 0), "Reduce": (1, 0), "Sum": (1, 0)},
    "DeviceSegmentedSort": {"SortKeys": (2, 0), "SortKeysDescending": (2, 0), "SortPairs": (2, 0), "SortPairsDescending": (2, 0),
        "StableSortKeys": (2, 0), "StableSortKeysDescending": (2, 0), "StableSortPairs": (2, 0), "StableSortPairsDescending": (2, 0)},
    "DeviceSelect": {"Flagged": (2, 0), "FlaggedIf": (2, 0), "If": (2, 0), "Unique": (1, 0), "UniqueByKey": (2, 0)},
    "DeviceTransform": {"Transform": (2, 2), "TransformStableArgumentAddresses": (2, 2)},
}


def plain(text):
    """Without comments, literals and preprocessor lines; of alternatives the first, but none for documentation alone."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: '""' if m.group(0)[0] == '"' else " ", text, flags=re.S)
    kept, open_conditions = [], []
    for line in re.sub(r"\\\n", " ", text).split("\n"):
        directive = re.match(r"\s*#\s*(\w+)(.*)", line)
        if not directive:
            if all(open_conditions):
                kept.append(line)
            continue
        word, condition = directive.groups()
        if word in ("if", "ifdef", "ifndef"):
            for_documentation = "DOXYGEN" in condition and word != "ifndef" and "!" not in condition
            open_conditions.append(not for_documentation)
        elif word in ("else", "elif") and open_conditions:
            open_conditions[-1] = not open_conditions[-1]
        elif word == "endif" and open_conditions:
            open_conditions.pop()
    return "\n".join(kept)


def end_of(text, start):
    """Where the bracket that opens at `start` closes."""
    opening = text[start]
    closing = {"(": ")", "{": "}"}[opening]
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i
    raise ValueError(f"no end of {text[start:start + 60]}")


def declarations(body):
    """What stands before each braced part and each semicolon of a struct's body, public parts alone."""
    is_public = True
    start = i = 0
    while i < len(body):
        label = re.compile(r"\b(public|private|protected)\s*:(?!:)").match(body, i)
        if label:
            is_public = label.group(1) == "public"
            start = i = label.end()
        elif body[i] == "(":
            i = end_of(body, i) + 1
        elif body[i] in "{;":
            if is_public:
                yield re.sub(r"\s+", " ", body[start:i]).strip()
            i = (end_of(body, i) if body[i] == "{" else i) + 1
            start = i
        else:
            i += 1


def census(headers):
    """{class: {method: Counter of overloads by their number of phases, 0 for all of a base's}}, and the classes named by using."""
    classes = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    aliases = set()
    for header in headers:
        text = plain(header.read_text())
        aliases.update(re.findall(r"\busing (?:CUB_NS_QUALIFIER|cub)::(Device\w+);", text))
        for found in re.finditer(r"\b(?:struct|class)\s+(?:CCCL_DEPRECATED\w*(?:\([^)]*\))?\s+)?(Device\w+)\s*(?::[^{;]*)?\{", text):
            brace = found.end() - 1
            for declared in declarations(text[brace + 1:end_of(text, brace)]):
                base = re.fullmatch(r"using [\w:]+::(\w+)", declared)
                if base:
                    classes[found.group(1)][base.group(1)][0] += 1
                    continue
                method = re.search(r"\bstatic\b[^(]*?\b([A-Z]\w+)\s*\(\s*(\w*)", declared)
                if method and re.match(r"(_CCCL_TEMPLATE|template)\b", declared):
                    phases = 2 if method.group(2) == "void" else 1
                    classes[found.group(1)][method.group(1)][phases] += 1
    return classes, aliases


def of_cub(cccl):
    headers = sorted((cccl / "cub" / "device").glob("*.cuh"))
    if not headers:
        sys.exit(f"no cub/device in {cccl}")
    classes, _ = census(headers)
    return {name: methods for name, methods in classes.items() if name not in left_out}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cccl", nargs="*", type=pathlib.Path)
    parser.add_argument("--table", action="store_true", help="print the table of what the first one has")
    arguments = parser.parse_args()
    gimbal, aliases = census(sorted((root / "adaptors" / "gimbal" / "cub").glob("*.h")))
    if arguments.table:
        for name, methods in sorted(of_cub(arguments.cccl[0]).items()):
            row = ", ".join(f'"{m}": ({c[2]}, {c[1]})' for m, c in sorted(methods.items()))
            print(f'    "{name}": {{{row}}},')
        return 0
    faults = []
    if aliases != forwarded_classes:
        faults.append(f"classes named by using, but not listed here, or the other way round: {sorted(aliases ^ forwarded_classes)}")
    for cccl in arguments.cccl:
        cub = of_cub(cccl)
        for name, methods in sorted(cub.items()):
            if name in forwarded_classes:
                continue
            if name not in gimbal:
                faults.append(f"{cccl}: {name} is missing")
                continue
            for method, overloads in sorted(methods.items()):
                ours = gimbal[name][method]
                if ((name, method) in forwarded_methods) != (ours[0] > 0):
                    faults.append(f"{name}::{method}: by using, but not listed here, or the other way round")
                for phases, count in sorted(overloads.items()):
                    if ours[0] == 0 and ours[phases] < count and joined.get((name, method, phases)) != (count, ours[phases]):
                        faults.append(f"{cccl}: {name}::{method}: {ours[phases]} of {count} overloads of {phases} phase{'s'[:phases - 1]}")
        for name, methods in sorted(cub.items()):
            for method, overloads in sorted(methods.items()):
                two, one = known.get(name, {}).get(method, (0, 0))
                if overloads[2] > two or overloads[1] > one:
                    print(f"{cccl}: since 3.0.1: {name}::{method}: two phases {two} -> {overloads[2]}, one call {one} -> {overloads[1]}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
