# SPDX-License-Identifier: Apache-2.0
"""Files that are not what they should be."""
import struct

TEXTS = (b"nan", b"inf", b"-1", b"1e999", b"99999999999999999999", b"0", b"", b"\xff\xfe", b"\x1b[2J",
         b",", b"\n", b"{", b"}", b"'", b"1,5", b"%s%n", b"../../etc/passwd")


def mutate(random, data, others):
    """The bytes with a few changes, and what was done to them."""
    ways = (truncated, flipped, grown, swapped, numbered, worded, repeated, cut_out, emptied)
    done = []
    for _ in range(int(random.integers(1, 4))):
        way = ways[int(random.integers(len(ways)))]
        data = way(random, data, others)
        done.append(way.__name__)
    return data, "+".join(done)


def at(random, data):
    """Some place; headers are looked for more often."""
    n = len(data) + 1
    return int(random.integers(min(n, 256) if random.random() < 0.5 else n))


def truncated(random, data, others):
    return data[:at(random, data)]


def flipped(random, data, others):
    data = bytearray(data)
    for _ in range(int(random.integers(1, 9))):
        if data:
            data[at(random, data) % len(data)] ^= 1 << int(random.integers(8))
    return bytes(data)


def grown(random, data, others):
    more = bytes(random.integers(0, 256, int(random.integers(1, 5000)), dtype="uint8"))
    where = len(data) if random.random() < 0.5 else at(random, data)
    return data[:where] + more + data[where:]


def swapped(random, data, others):
    """Another kind of file, or its head on this one."""
    other = others[int(random.integers(len(others)))]
    return other if random.random() < 0.5 else other[:at(random, other)] + data[at(random, data):]


def numbered(random, data, others):
    """A binary number that is far off."""
    formats = ("<I", ">I", "<d", "<Q", ">H")
    values = (0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff)
    form = formats[int(random.integers(len(formats)))]
    value = values[int(random.integers(len(values)))]
    if form == ">H":
        value &= 0xffff
    number = struct.pack(form, (float("nan"), 1e308, -1.0, 0.0)[value % 4] if form == "<d" else value)
    where = at(random, data)
    return data[:where] + number + data[where + len(number):]


def worded(random, data, others):
    """A text that readers of numbers stumble over, instead of a word or between two."""
    text = TEXTS[int(random.integers(len(TEXTS)))]
    where = at(random, data)
    return data[:where] + text + data[where + int(random.integers(0, 9)):]


def repeated(random, data, others):
    a, b = sorted((at(random, data), at(random, data)))
    return data[:b] + data[a:b] * int(random.integers(1, 20)) + data[b:] if b - a < 5000 else data


def cut_out(random, data, others):
    a, b = sorted((at(random, data), at(random, data)))
    return data[:a] + data[b:]


def emptied(random, data, others):
    return b"" if random.random() < 0.2 else data
