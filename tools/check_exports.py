#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what a shared library exports and needs with what it should.

    tools/check_symbols.py NAME LIBRARY            compare
    tools/check_symbols.py --update NAME LIBRARY   write tests/install/symbols*.txt

NAME is core, io, plot or fire.  Exported are exactly the symbols in tests/install/symbols.txt
(symbols-NAME.txt for the others), each begins with zm_ and is declared ZM_API in a public
header, and each so declared is exported by one library.
"""
import pathlib
import re
import subprocess
import sys

from check_layers import HEADER_OF

ROOT = pathlib.Path(__file__).resolve().parents[1]
FAMILIES = {"io", "plot", "fire"}  # a library each; libzermelo has all others
LINKER_MADE = {"__bss_start", "_edata", "_end"}  # exported where a library below asks for them
# Libraries that may be needed; the loader and the sanitizers do not count.
NEEDED = {
    "core": r"lib(c|m|gomp|omp|pthread)\.so\..*",
    "io": r"lib(c|m|zermelo)\.so\..*",
    "plot": r"lib(c|m|zermelo|cairo|pango-1\.0|pangocairo-1\.0|gobject-2\.0|glib-2\.0)\.so\..*",
    "fire": r"lib(c|m|gomp|omp|pthread|zermelo|zermelo_io|gdal|jansson|dnnl)\.so\..*",
}


def output_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def exported(library):
    lines = output_of("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines} - LINKER_MADE


def declared(name):
    symbols = set()
    for header in (ROOT / "include/zermelo").rglob("*.h"):
        about = str(header.relative_to(ROOT / "include/zermelo").with_suffix(""))
        family = HEADER_OF.get(about, "core").split("/")[0]
        if name == (family if family in FAMILIES else "core"):
            text = re.sub(r"/\*.*?\*/|#[^\n]*", "", header.read_text(encoding="utf-8"), flags=re.S)
            symbols |= set(re.findall(r"ZM_API\b[^;(=\[]*?(\w+)\s*[;(=\[]", text))
    return symbols


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", library))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    name, library = arguments
    listing = ROOT / "tests/install" / ("symbols.txt" if name == "core" else f"symbols-{name}.txt")
    have = exported(library)
    if "--update" in sys.argv:
        listing.write_text("".join(f"{symbol}\n" for symbol in sorted(have)))
    want = set(listing.read_text().split()) if listing.exists() else set()
    complaints = [f"{s}: exported, not in {listing.name}" for s in sorted(have - want)]
    complaints += [f"{s}: in {listing.name}, not exported" for s in sorted(want - have)]
    complaints += [f"{s}: exported, not ZM_API in a header" for s in sorted(have - declared(name))]
    complaints += [f"{s}: ZM_API in a header, not exported" for s in sorted(declared(name) - have)]
    complaints += [f"{s}: does not begin with zm_" for s in sorted(have) if not s.startswith("zm_")]
    complaints += [f"needs {other}" for other in needed(library)
                   if not re.fullmatch(NEEDED[name] + r"|ld-linux.*", other)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(have)} symbols exported, needs {' '.join(needed(library))}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
