#!/usr/bin/env python3
"""Writes a C++ header whose namespace `poisoned` has deleted function templates of every name that gimbal's headers call: a call that
looks a name up by the types of its arguments finds them and does not compile. Argument: the file to write."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
keywords = """alignas alignof assert case catch const const_cast constexpr decltype defined delete do dynamic_cast else explicit for if
  int new noexcept operator reinterpret_cast return sizeof static_assert static_cast switch throw typeid typename unsigned using void while
  offsetof asm volatile bool char float double auto class struct template""".split()
# Names that stock itself looks up so, or that CCCL asks users to provide: poisoned, stock's own calls would not compile. Of those that
# are algorithms stock's calls begin with a policy; others are poisoned all the same.
hooks = """get swap get_temporary_buffer return_temporary_buffer get_stream must_perform_optional_stream_synchronization derived_cast
  get_allocator raw_pointer_cast select_system get_value assign_value iter_swap""".split()


def called_names():
    names = set()
    for folder in ("include", "adaptors", "backend"):
        for path in (root / folder).rglob("*"):
            if path.suffix not in (".h", ".cuh"):
                continue
            text = re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", "", path.read_text())
            text = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text)
            names |= set(re.findall(r"(?<![\w.>])([a-z]\w*)\s*(?:<[^;(){}]*>\s*)?\(", text))
    names = {name for name in names if not name.endswith("_") and not name.startswith("cuda")}
    return sorted(names - set(keywords) - set(hooks))


arities = range(1, 13)
# With no, one or two arguments that a call may name for the template.
named = ["", "class X, ", "auto X, ", "class X, class Y, ", "class X, auto Y, ", "auto X, class Y, "]
lines = ["// Written by poisoned_names.py.", "#include <thrust/detail/execution_policy.h>", "#include <type_traits>", "namespace poisoned {",
         "template <class First> inline constexpr bool is_no_policy = !std::is_base_of_v<thrust::detail::execution_policy_marker, std::decay_t<First>>;",
         "#define POISON(name) \\"]
for arity in arities:
    for own in named:
        types = ", ".join(f"class T{i}" for i in range(arity))
        parameters = ", ".join(f"T{i}&&" for i in range(arity))
        lines.append(f"  template <{own}{types}, std::enable_if_t<is_no_policy<T0>, int> = 0> void name({parameters}) = delete; \\")
lines.append("")
lines += [f"POISON({name})" for name in called_names()] + ["#undef POISON", "}  // namespace poisoned"]
pathlib.Path(sys.argv[1]).write_text("\n".join(lines) + "\n")
