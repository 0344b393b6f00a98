"""What the pages and tables of perf/ are written with."""
import re


def rows(lines):
    return "\n".join("| " + " | ".join(str(field) for field in line) + " |" for line in lines)


def table(header, lines):
    return "\n".join(filter(None, [rows([header]), "|" + "---|" * len(header), rows(lines)]))


def size_name(n):
    """A number of items, as a power of two where it is one."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def microseconds(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def replace_block(text, new, block):
    """`text` with what stands between the markers of a block replaced; None if there are none."""
    between = re.compile(rf"(<!-- {block}: begin[^\n]*-->\n).*?(<!-- {block}: end -->)", re.S)
    if not between.search(text):
        return None
    return between.sub(lambda m: m.group(1) + new + "\n" + m.group(2), text)
