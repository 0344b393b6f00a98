"""What the pages and tables of perf/ are written with: every table is made by `table`, every marked region written by `write_block`."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = pathlib.Path("perf", "results", "README.md")  # of a checkout: the page that has all regions but the main README's


class NoRegion(Exception):
    """A page without the markers of a region."""


def rows(lines):
    return "\n".join("| " + " | ".join(str(field) for field in line) + " |" for line in lines)


def table(header, lines, figures=False):
    """A table; with `figures` all columns but the first are aligned to the right."""
    ruler = "|---|" + ("---:|" if figures else "---|") * (len(header) - 1)
    return "\n".join(filter(None, [rows([header]), ruler, rows(lines)]))


def size_name(n):
    """A number of items, as a power of two where it is one."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def microseconds(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def region(block):
    return re.compile(rf"(<!-- {block}: begin[^\n]*-->\n)(.*?)\n?(<!-- {block}: end -->)", re.S)


def read_block(path, block):
    """The text between the markers of a region."""
    found = region(block).search(pathlib.Path(path).read_text())
    if not found:
        raise NoRegion(f"{path}: no markers of {block}")
    return found.group(2)


def write_block(path, new, block):
    """Replaces the text between the markers of a region."""
    read_block(path, block)
    path = pathlib.Path(path)
    path.write_text(region(block).sub(lambda m: f"{m.group(1)}{new}\n{m.group(3)}", path.read_text()))
