#!/usr/bin/env python3
"""That every signature of Thrust's that takes a policy is routed or left to stock on purpose: signatures.py CCCL_FOLDERS...

An overload that Thrust has and gimbal lacks runs on stock without a word, or is taken for another one with as many arguments. Reads
the declarations in thrust/*.h of each folder, the overloads in adaptors/gimbal/thrust/*.h and the list in route.h; prints every
breach and exits 1 if there is one."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent

ITEM_BY_ITEM = "makes or moves each item by itself, as fast as memory is: there is nothing to gain on stock's kernels"
NO_KERNEL = "gimbal has no kernels for it"
DRAWS = "its order is drawn by stock's own rule from the caller's generator"
NO_ALGORITHM = "no algorithm: temporary_buffer.h has what stock's algorithms ask a policy for"

# Algorithms, or one signature of a routed one as printed below, that are left to stock.
LEFT_TO_STOCK = {
    **dict.fromkeys(("copy", "copy_n", "fill", "fill_n", "for_each", "for_each_n", "gather", "gather_if", "generate", "generate_n",
                     "replace", "replace_copy", "replace_copy_if", "replace_if", "reverse", "reverse_copy", "scatter", "scatter_if",
                     "sequence", "swap_ranges", "tabulate", "transform", "transform_if", "transform_if_n", "transform_n",
                     "uninitialized_copy", "uninitialized_copy_n", "uninitialized_fill", "uninitialized_fill_n",
                     "adjacent_difference"), ITEM_BY_ITEM),
    **dict.fromkeys(("binary_search", "equal_range", "lower_bound", "upper_bound", "merge", "merge_by_key", "set_difference",
                     "set_difference_by_key", "set_intersection", "set_intersection_by_key", "set_symmetric_difference",
                     "set_symmetric_difference_by_key", "set_union", "set_union_by_key"), NO_KERNEL),
    **dict.fromkeys(("shuffle", "shuffle_copy"), DRAWS),
    **dict.fromkeys(("malloc", "free", "get_temporary_buffer", "return_temporary_buffer", "get_per_device_resource"), NO_ALGORITHM),
}

DECLARATION = r"\b(\w+)\s*\(\s*const\s+(?:thrust::)?(?:detail::)?execution_policy_base<\s*\w+\s*>\s*&\s*\w*\s*,?([^()]*)\)"
OVERLOAD = (r"_CCCL_HOST_DEVICE[^;{}()]*?\b(\w+)\s*\(\s*execution_policy<Derived>&\s*policy\s*,([^()]*)\)"
            r"\s*\{[^{}]*?GIMBAL_ROUTE\(\s*(\w+)")
fewest_declarations = 150  # in a folder: fewer, and this program does not understand how they are written
breaches = []


def code_of(path):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.S)


def kind(parameter):
    """iterator, value, count or function: what tells overloads with as many parameters apart."""
    of = re.sub(r"\bconst\b|&|\btypename\b", " ", parameter).split()[0]
    if re.search(r"Iterator\d*$|It\d*$|^(Key|Value)Out$", of):
        return "iterator"
    if of in ("T", "EqualityComparable", "LessThanComparable", "OutputType", "Init"):
        return "value"
    return "count" if of == "Size" or "difference" in of else "function"


def signature(name, parameters):
    flat = parameters
    while "<" in flat:
        flat, replaced = re.subn(r"<[^<>]*>", "", flat)
        if not replaced:
            break
    return f"{name}({', '.join(kind(p) for p in flat.split(',') if p.strip())})"


def declared(folder):
    """The signatures behind the policy, as many algorithms as thrust/*.h has."""
    found = set()
    count = 0
    for path in sorted(folder.joinpath("thrust").glob("*.h")):
        for match in re.finditer(DECLARATION, code_of(path)):
            found.add((match[1], signature(match[1], match[2])))
            count += 1
    if count < fewest_declarations:
        breaches.append(f"{folder}: only {count} declarations with a policy were found")
    return found


def routed():
    """Signature -> whether it is only there for some versions of CCCL, of each overload; and the names that they are counted by."""
    found, ids = {}, []
    for path in sorted((root / "adaptors/gimbal/thrust").glob("*.h")):
        text = code_of(path)
        gates = [m.span() for m in re.finditer(r"#if GIMBAL_HAS_.*?#endif", text, flags=re.S)]
        for match in re.finditer(OVERLOAD, text):
            what = signature(match[1], match[2])
            if what in found:
                breaches.append(f"{path.relative_to(root)}: {what} has two overloads")
            found[what] = any(first <= match.start() < last for first, last in gates)
            ids.append(match[3])
    return found, ids


overloads, counted = routed()
listed = re.findall(r"\bX\((\w+), \"", (root / "adaptors/gimbal/thrust/route.h").read_text())
for name in sorted(set(listed) ^ set(counted)):
    breaches.append(f"{name}: in route.h alone" if name in listed else f"{name}: not in route.h")
routed_names = {what.split("(")[0] for what in overloads}
for what in LEFT_TO_STOCK:
    if what in overloads or what in routed_names:
        breaches.append(f"{what} is routed, and on the list of what is not")

everywhere = set()
for folder in map(pathlib.Path, sys.argv[1:]):
    here = declared(folder)
    everywhere |= {what for _, what in here}
    for name, what in sorted(here):
        if what not in overloads and what not in LEFT_TO_STOCK and name not in LEFT_TO_STOCK:
            breaches.append(f"{folder}: {what} is neither routed nor left to stock on purpose")
for what, has_gate in sorted(overloads.items()):
    if what not in everywhere and not has_gate:
        breaches.append(f"{what} is routed, but Thrust does not have it")

for breach in breaches:
    print(breach)
print(f"{len(overloads)} overloads, {len(everywhere)} signatures with a policy, {len(breaches)} breaches")
sys.exit(1 if breaches or len(sys.argv) < 2 else 0)
