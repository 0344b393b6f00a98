#!/ usr / bin / env python3
"""distributed_names.py CCCL_FOLDERS...: every function of Thrust that takes an execution policy is there over a communicator or is
refused by name, with as many forms as Thrust has. Prints what is missing and exits 1 if anything is."""
import collections
import pathlib
import re
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
    """The same over a communicator; any number where a macro takes all."""
    forms = collections.Counter()
    for path in sorted(adaptors.glob("*.h")):
        text = without_comments(path.read_text()).split("namespace adaptor {")
        outside = "".join([text[0]] + [part.split("}  // namespace adaptor")[-1] for part in text[1:]])
        outside = re.sub(r"}\s*// namespace adaptor", "", outside)
        forms.update(re.findall(r"(\w+)\s*\(\s*distributed_policy<Local>&", outside))
        for name in re.findall(r"^GIMBAL_(?:ON_THIS_PART|REFUSED)\((\w+)\)", outside, flags=re.M):
            forms[name] += 1000
    return forms


ours = forms_over_communicator()
breaches = 0
for folder in sys.argv[1:]:
    thrust = forms_of_thrust(pathlib.Path(folder) / "thrust")
    if len(thrust) < 90:
        sys.exit(f"only {len(thrust)} functions found in {folder}: the pattern finds them no more")
    missing = [f"{name}: {ours[name]} of {count} forms" for name, count in sorted(thrust.items()) if ours[name] < count]
    print(*missing, f"{len(thrust)} functions of Thrust in {folder}, {len(missing)} of them missing over a communicator", sep="\n")
    breaches += len(missing)
sys.exit(1 if breaches else 0)
