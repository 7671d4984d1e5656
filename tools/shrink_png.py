#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reduces pictures to 256 colours, which makes their files two to three times smaller.

    tools/shrink_png.py FILE.png...

Reads 8-bit RGB without interlacing, as our own figures are, and replaces the file.
"""
import collections
import os
import struct
import sys
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += size + 12


def predictor(kind, left, up, corner):
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def read_rows(path):
    """Width and rows of RGB bytes, filters undone (PNG specification, section 9)."""
    header, packed = None, b""
    for kind, body in chunks(open(path, "rb").read()):
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
    width, height = header[:2]
    if header[2:] != (8, 2, 0, 0, 0):
        sys.exit(f"{path}: not plain 8-bit RGB")
    raw, step, rows = zlib.decompress(packed), 3 * width, []
    above = bytes(step)
    for y in range(height):
        start = y * (step + 1)
        row = bytearray(raw[start + 1 : start + 1 + step])
        for x in range(step) if raw[start] else ():
            left, corner = (row[x - 3], above[x - 3]) if x >= 3 else (0, 0)
            row[x] = (row[x] + predictor(raw[start], left, above[x], corner)) & 255
        rows.append(bytes(row))
        above = row
    return width, rows


def split(box):
    """The box of (colour, count) cut at the median of its longest side."""
    axis = max(range(3), key=lambda k: max(c[k] for c, _ in box) - min(c[k] for c, _ in box))
    box.sort(key=lambda item: item[0][axis])
    half, passed = sum(count for _, count in box) / 2, 0
    for i, (_, count) in enumerate(box[:-1]):
        passed += count
        if passed >= half:
            return box[: i + 1], box[i + 1 :]
    return box[:-1], box[-1:]


def spread(box):
    """How much a single colour for the box would blur."""
    sides = [max(c[k] for c, _ in box) - min(c[k] for c, _ in box) for k in range(3)]
    return max(sides) ** 2 * sum(count for _, count in box) ** 0.5


def palette_of(rows):
    """Colour -> index, and the palette: median cut, boxes that blur most first."""
    counts = collections.Counter()
    for row in rows:
        counts.update(zip(row[0::3], row[1::3], row[2::3]))
    boxes = [list(counts.items())]
    while len(boxes) < 256:
        boxes.sort(key=spread)
        if len(boxes[-1]) == 1:
            break
        boxes.extend(split(boxes.pop()))
    index, palette = {}, b""
    for number, box in enumerate(boxes):
        total = sum(count for _, count in box)
        palette += bytes(round(sum(c[k] * n for c, n in box) / total) for k in range(3))
        index.update((color, number) for color, _ in box)
    return index, palette


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        width, rows = read_rows(path)
        index, palette = palette_of(rows)
        pixels = b"".join(
            b"\0" + bytes(index[color] for color in zip(row[0::3], row[1::3], row[2::3]))
            for row in rows
        )
        header = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
        with open(path + ".tmp", "wb") as out:
            out.write(SIGNATURE + chunk(b"IHDR", header) + chunk(b"PLTE", palette))
            out.write(chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b""))
        os.replace(path + ".tmp", path)


if __name__ == "__main__":
    main()
