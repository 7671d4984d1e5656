#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where a built program or library is easier to turn against its user than need be.

    tools/check_hardening.py FILE...
    tools/check_hardening.py --paths DIRECTORY...

Every entry of a search path (DT_RUNPATH, DT_RPATH) must be absolute or begin with $ORIGIN: an
empty or relative one is looked up from wherever the program is started; --paths looks at nothing
else, in all that a folder holds.  The tables of the loader must be read-only (full RELRO), programs
position-independent and the stack not executable; libraries must check the stack (stack protector)
and the buffers they hand to the C library (FORTIFY).
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


def path_complaints(path):
    return [f"{path}: search path has the entry '{entry}'"
            for entry in search_path(path) if not is_fixed(entry)]


def hardening_complaints(path):
    facts = subprocess.run(["readelf", "-hldW", "--dyn-syms", path], check=True, text=True,
                           capture_output=True).stdout
    rules = [("its loader tables stay writable (no RELRO)", "GNU_RELRO" in facts),
             ("symbols are bound late (no -z now)", re.search(r"BIND_NOW|FLAGS.*\bNOW\b", facts)),
             ("it lies at a fixed address (no PIE)", re.search(r"Type: +DYN", facts)),
             ("its stack is executable", re.search(r"GNU_STACK.*\bRW +0x", facts))]
    if ".so" in path.name:
        rules += [("its stack is not checked", "__stack_chk_fail" in facts),
                  ("its buffers are not checked", re.search(r"\w_chk\b", facts))]
    return [f"{path}: {rule}" for rule, holds in rules if not holds]


def main():
    if sys.argv[1:2] == ["--paths"]:
        files = [path for directory in sys.argv[2:] for path in linked_files(directory)]
        checks = [path_complaints]
    else:
        files = [pathlib.Path(argument) for argument in sys.argv[1:]]
        checks = [path_complaints, hardening_complaints]
    complaints = [c for path in files for check in checks for c in check(path)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(files)} programs and libraries checked, {len(complaints)} complaints")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())
