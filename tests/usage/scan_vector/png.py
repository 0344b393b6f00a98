#!/usr/bin/env python3
"""Turns the grey pictures that the programs write (PGM) into PNG files beside them: png.py FILE.pgm..."""
import pathlib
import struct
import sys
import zlib


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_of(pgm):
    """
    >>> png_of(b"P5\\n2 1\\n255\\n\\x00\\xff")[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    magic, size, most, grey = pgm.split(b"\n", 3)
    width, height = map(int, size.split())
    if magic != b"P5" or most != b"255" or len(grey) != width * height:
        raise ValueError("not a grey picture of one byte for each pixel")
    rows = b"".join(b"\0" + grey[y * width:(y + 1) * width] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        picture = pathlib.Path(name)
        picture.with_suffix(".png").write_bytes(png_of(picture.read_bytes()))
        print(picture.with_suffix(".png"))
