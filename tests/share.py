#!/usr/bin/env python3
"""Chooses the share of a list that one run of continuous integration takes: what a change touched, and of the others one in
so many, another one with each commit, so that as many commits as there are parts take all.

  share.py [--includes] PARTS name[:file...]...    prints the chosen names, one a line; files relative to the repository's root;
                                                   --includes: and all headers that they come to include

What changed is what differs from the commit $GIMBAL_TEST_BASE, or from the one before this. Without that history (no git, a
shallow clone) nothing counts as touched, and the parts change with the day.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent


def git(*arguments):
    """What git says, or None."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def turn():
    """A number that is another one with each commit."""
    has_history = git("rev-parse", "--is-shallow-repository") == "false" and git("rev-parse", "--show-toplevel") == str(root)
    return int(git("rev-list", "--count", "HEAD")) if has_history else int(time.time()) // 86400


def touched():
    """The files that a change touched."""
    base = os.environ.get("GIMBAL_TEST_BASE")
    changed = git("diff", "--name-only", base or "HEAD~1", "--")
    if base and changed is None:
        sys.exit(f"GIMBAL_TEST_BASE names no commit: {base}")
    return set((changed or "").splitlines())


def with_includes(files):
    """These files, and all headers that they come to include."""
    found, left = set(), list(files)
    while left:
        name = left.pop()
        if name not in found and (root / name).is_file():
            found.add(name)
            for header in re.findall(r'#include [<"]([^>"]+)[>"]', (root / name).read_text()):
                folders = ("include", "adaptors", "backend", "tests", pathlib.Path(name).parent.as_posix())
                left += [f"{folder}/{header}" for folder in folders]
    return found


def share(parts, items, changed, number):
    """The chosen names of {name: files}, with these files changed, at the turn of that number.

    >>> items = {"a": ["x"], "b": ["y"], "c": ["z"], "d": []}
    >>> share(2, items, set(), 4), share(2, items, set(), 5)
    (['a', 'c'], ['b', 'd'])
    >>> share(2, items, {"y", "z"}, 4)
    ['a', 'b', 'c']
    """
    return [name for at, (name, files) in enumerate(sorted(items.items()))
            if at % parts == number % parts or not changed.isdisjoint(files)]


def main():
    arguments = sys.argv[1:]
    files_of = list
    if arguments[:1] == ["--includes"]:
        files_of = with_includes
        arguments.pop(0)
    if not arguments or not arguments[0].isdigit() or arguments[0] == "0":
        sys.exit(__doc__)
    items = {words[0]: files_of(words[1:]) for words in (argument.split(":") for argument in arguments[1:])}
    print("\n".join(share(int(arguments[0]), items, touched(), turn())))


if __name__ == "__main__":
    main()
