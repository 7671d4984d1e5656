#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where a built program or library would look for libraries in the working directory.

    tools/check_runpath.py DIRECTORY...

Every entry of a search path (DT_RUNPATH, DT_RPATH) must be absolute or begin with $ORIGIN: an
empty or relative one is looked up from wherever the program is started.
"""
import pathlib
import re
import subprocess
import sys


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def linked_files(directory):
    """Programs and libraries, not the objects they are made of."""
    for path in sorted(pathlib.Path(directory).rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix != ".o" and is_elf(path):
            yield path


def search_path(path):
    """Entries of the search path; none if it has no such path."""
    text = subprocess.run(["readelf", "-d", path], check=True, text=True, capture_output=True).stdout
    return [entry for found in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", text)
            for entry in found.split(":")]


def is_fixed(entry):
    return re.match(r"/|\$ORIGIN(/|$)|\$\{ORIGIN\}(/|$)", entry) is not None


def main():
    checked, complaints = 0, []
    for directory in sys.argv[1:]:
        for path in linked_files(directory):
            checked += 1
            complaints += [f"{path}: search path has the entry '{entry}'"
                           for entry in search_path(path) if not is_fixed(entry)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{checked} programs and libraries checked, {len(complaints)} entries not fixed")
    return 1 if complaints or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
