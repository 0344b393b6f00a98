#!/usr/bin/env python3
"""distributed_names.py CCCL_FOLDERS... [-- COMPILER ARGUMENTS...]: every function of Thrust that takes an execution policy is there
over a communicator, with as many forms as Thrust has, and called in a test; or it is refused by name: the compiler, on
tests/compiles/refused_over_ranks.cpp, says so of each. Prints what is missing and exits 1 if anything is."""
import collections
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
adaptors = root / "adaptors/gimbal/distributed"


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def forms_of_thrust(folder):
    """How many overloads with a policy each function has."""
    forms = collections.Counter()
    for path in sorted(folder.glob("*.h")):
        entry = r"(\w+)\s*\(\s*const\s+(?:thrust::)?(?:detail::)?execution_policy_base<\w+>\s*&"
        forms.update(re.findall(entry, without_comments(path.read_text())))
    return forms


def forms_over_communicator():
    """The same over a communicator; any number where one overload takes all."""
    forms = collections.Counter()
    for path in sorted(adaptors.glob("*.h")):
        text = without_comments(path.read_text()).split("namespace adaptor {")
        outside = "".join([text[0]] + [part.split("}  // namespace adaptor")[-1] for part in text[1:]])
        outside = re.sub(r"}\s*// namespace adaptor", "", outside)
        for name, arguments in re.findall(r"(\w+)\s*\(\s*distributed_policy<Local>&([^)]*)\)", outside):
            forms[name] += 1000 if "..." in arguments else 1
        for name in re.findall(r"^GIMBAL_(?:ON_THIS_PART|REFUSED|REFUSED_OF_TYPE)\((\w+)\)", outside, flags=re.M):
            forms[name] += 1000
    return forms


def told_refused(command):
    """The functions of which the compiler says that they are not there."""
    source = root / "tests/compiles/refused_over_ranks.cpp"
    told = subprocess.run([*command, str(source)], capture_output=True, text=True).stderr
    return set(re.findall(r"gimbal: (\w+) is not there over a communicator", told))


split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
ours = forms_over_communicator()
refused = set(re.findall(r"^GIMBAL_REFUSED\w*\((\w+)\)", (adaptors / "refused.h").read_text(), flags=re.M))
tests = "".join(path.read_text() for path in root.glob("tests/distributed/*.cu"))
called = set(re.findall(r"(?:thrust|gimbal)::(\w+)\(", tests))
breaches = 0


def report(names, text):
    global breaches
    names = sorted(names)
    print(*names, f"{len(names)} {text}", sep="\n")
    breaches += len(names)


for folder in sys.argv[1:split]:
    thrust = forms_of_thrust(pathlib.Path(folder) / "thrust")
    if len(thrust) < 90:
        sys.exit(f"only {len(thrust)} functions found in {folder}: the pattern finds them no more")
    report(
        (f"{name}: {ours[name]} of {count} forms" for name, count in thrust.items() if ours[name] < count),
        f"of {len(thrust)} functions of Thrust in {folder} missing over a communicator")
    report(thrust.keys() - refused - called, "of them without a test")
if split < len(sys.argv):
    report(refused - told_refused(sys.argv[split + 1:]), "refused functions of which the compiler does not say so")
sys.exit(1 if breaches else 0)
