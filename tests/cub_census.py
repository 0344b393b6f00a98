#!/usr/bin/env python3
"""Whether every class, method and overload of CUB's device-wide calls exists under gimbal's name.

Reads the headers of CUB and those of gimbal, counts public static functions by class and name, apart those of two phases (storage first)
and those of one, and exits 1 if gimbal lacks a class, a method or an overload. Prints what the headers have that CUB 3.5 has not: with
a newer CCCL, that is what is new.

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
joined = {
    # Initial values of any kind.
    ("DeviceScan", "ExclusiveScan", 2): (4, 2), ("DeviceScan", "ExclusiveScan", 1): (4, 2),
    ("DeviceScan", "InclusiveScanInit", 2): (2, 1), ("DeviceScan", "InclusiveScanInit", 1): (2, 1),
}

# Overloads of CUB 3.5, and of 3.0.1 which have gone since: of two phases, and of one.
known = {
    "DeviceAdjacentDifference": {"SubtractLeft": (1, 1), "SubtractLeftCopy": (1, 1), "SubtractRight": (1, 1), "SubtractRightCopy": (1, 1)},
    "DeviceBatchedTopK": {"MaxKeys": (1, 1), "MaxPairs": (1, 1), "MinKeys": (1, 1), "MinPairs": (1, 1)},
    "DeviceCopy": {"Batched": (1, 1), "Copy": (1, 1)},
    "DeviceFind": {"FindIf": (1, 1), "LowerBound": (1, 1), "LowerBoundSortedValues": (1, 1), "UpperBound": (1, 1),
        "UpperBoundSortedValues": (1, 1)},
    "DeviceFor": {"Bulk": (1, 2), "ForEach": (1, 2), "ForEachCopy": (1, 2), "ForEachCopyN": (1, 2), "ForEachInExtents": (1, 2),
        "ForEachInLayout": (1, 2), "ForEachN": (1, 2)},
    "DeviceHistogram": {"HistogramEven": (2, 2), "HistogramRange": (2, 2), "MultiHistogramEven": (4, 2), "MultiHistogramRange": (4, 2)},
    "DeviceMemcpy": {"Batched": (1, 1)},
    "DeviceMerge": {"MergeKeys": (1, 1), "MergePairs": (1, 1)},
    "DeviceMergeSort": {"SortKeys": (1, 1), "SortKeysCopy": (1, 1), "SortPairs": (1, 1), "SortPairsCopy": (1, 1), "StableSortKeys": (1, 1),
        "StableSortKeysCopy": (1, 1), "StableSortPairs": (1, 1)},
    "DevicePartition": {"Flagged": (1, 1), "If": (2, 2)},
    "DeviceRadixSort": {"SortKeys": (6, 6), "SortKeysDescending": (6, 6), "SortPairs": (6, 6), "SortPairsDescending": (6, 6)},
    "DeviceReduce": {"ArgMax": (3, 2), "ArgMin": (3, 2), "Max": (1, 1), "Min": (1, 1), "Reduce": (1, 1), "ReduceByKey": (1, 1),
        "Sum": (1, 1), "TransformReduce": (1, 1)},
    "DeviceRunLengthEncode": {"Encode": (1, 1), "NonTrivialRuns": (1, 1)},
    "DeviceScan": {"ExclusiveScan": (4, 4), "ExclusiveScanByKey": (1, 1), "ExclusiveSum": (2, 2), "ExclusiveSumByKey": (1, 1),
        "InclusiveScan": (2, 2), "InclusiveScanByKey": (1, 1), "InclusiveScanInit": (2, 2), "InclusiveSum": (2, 2),
        "InclusiveSumByKey": (1, 1)},
    "DeviceSegmentedRadixSort": {"SortKeys": (2, 2), "SortKeysDescending": (2, 2), "SortPairs": (2, 2), "SortPairsDescending": (2, 2)},
    "DeviceSegmentedReduce": {"ArgMax": (2, 2), "ArgMin": (2, 2), "Max": (2, 2), "Min": (2, 2), "Reduce": (2, 2), "Sum": (2, 2)},
    "DeviceSegmentedScan": {"ExclusiveSegmentedScan": (2, 2), "ExclusiveSegmentedSum": (2, 2), "InclusiveSegmentedScan": (2, 2),
        "InclusiveSegmentedScanInit": (2, 2), "InclusiveSegmentedSum": (2, 2)},
    "DeviceSegmentedSort": {"SortKeys": (2, 2), "SortKeysDescending": (2, 2), "SortPairs": (2, 2), "SortPairsDescending": (2, 2),
        "StableSortKeys": (2, 2), "StableSortKeysDescending": (2, 2), "StableSortPairs": (2, 2), "StableSortPairsDescending": (2, 2)},
    "DeviceSelect": {"Flagged": (2, 2), "FlaggedIf": (2, 2), "If": (2, 2), "Unique": (4, 4), "UniqueByKey": (2, 2)},
    "DeviceTopK": {"MaxKeys": (2, 2), "MaxPairs": (2, 2), "MinKeys": (2, 2), "MinPairs": (2, 2)},
    "DeviceTransform": {"Fill": (1, 1), "Generate": (1, 1), "Transform": (3, 3), "TransformIf": (2, 2),
        "TransformStableArgumentAddresses": (2, 2)},
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
    bases = collections.defaultdict(list)
    for header in headers:
        text = plain(header.read_text())
        aliases.update(re.findall(r"\busing (?:CUB_NS_QUALIFIER|cub)::(Device\w+);", text))
        for found in re.finditer(r"\b(?:struct|class)\s+(?:CCCL_DEPRECATED\w*(?:\([^)]*\))?\s+)?(\w+)\s*(:[^{;]*)?\{", text):
            brace = found.end() - 1
            bases[found.group(1)] += re.findall(r"(\w+)\s*(?=[,{]|$)", found.group(2) or "")
            for declared in declarations(text[brace + 1:end_of(text, brace)]):
                base = re.fullmatch(r"using [\w:]+::(\w+)", declared)
                if base:
                    classes[found.group(1)][base.group(1)][0] += 1
                    continue
                method = re.search(r"\bstatic\b[^(]*?\b([A-Z]\w+)\s*\(\s*(\w*)", declared)
                if method and re.match(r"(_CCCL_TEMPLATE|template)\b", declared):
                    phases = 2 if method.group(2) == "void" else 1
                    classes[found.group(1)][method.group(1)][phases] += 1
    for name in list(classes) + list(bases):
        for base in (b for b in bases.get(name, []) if not b.startswith("stock_")):
            for method, overloads in list(classes.get(base, {}).items()):
                classes[name][method] += overloads
    return {name: methods for name, methods in classes.items() if name.startswith("Device")}, aliases


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
        if int(re.search(r"define CUB_VERSION (\d+)", (cccl / "cub" / "version.cuh").read_text()).group(1)) < 300000:
            print(f"{cccl}: CUB 2, of which overloads for debugging have gone since, is not read")
            continue
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
                    print(f"{cccl}: since 3.5: {name}::{method}: two phases {two} -> {overloads[2]}, one call {one} -> {overloads[1]}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
