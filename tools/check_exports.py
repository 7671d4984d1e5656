#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what a shared library exports and needs with what it should.

    tools/check_exports.py NAME LIBRARY            compare
    tools/check_exports.py --update NAME LIBRARY   write tests/install/symbols-NAME.txt
    tools/check_exports.py program PROGRAM         a program: needs what was built with it

NAME is core, io, plot, view or fire.  The public symbols of a library have the version
ZERMELO_<major>.<minor>.  They are exactly those in tests/install/symbols-NAME.txt, the list of
the release, and exactly those that are declared ZM_API in the public headers of the library.
Functions of src/core leave libzermelo too, for the other libraries and the tools: as
ZERMELO_PRIVATE_<full version>.  Those and the tools need the private symbols of their own version.
"""
import pathlib
import re
import subprocess
import sys

from check_layers import HEADER_OF

ROOT = pathlib.Path(__file__).resolve().parents[1]
FAMILIES = {"io", "plot", "view", "fire"}  # a library each; libzermelo has all others
# Libraries that may be needed; the loader and the sanitizers do not count.
NEEDED = {
    "core": r"lib(c|m|gomp|omp|pthread)\.so\..*",
    "io": r"lib(c|m|zermelo)\.so\..*",
    "plot": r"lib(c|m|zermelo|cairo|pango-1\.0|pangocairo-1\.0|gobject-2\.0|glib-2\.0)\.so\..*",
    "view": r"lib(c|m|zermelo|z)\.so\..*",
    "fire": r"lib(c|m|zermelo|zermelo_io|gdal|jansson|dnnl)\.so\..*",
    "program": r".*",
}


def output_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout


def version():
    header = (ROOT / "include/zermelo/version.h").read_text(encoding="utf-8")
    return re.search(r'#define ZM_VERSION "(.*)"', header)[1]


def symbols(which, library):
    """Pairs of name and version; without the names of the versions themselves."""
    lines = output_of("nm", "-D", f"--{which}-only", library).splitlines()
    found = (line.split()[-1].replace("@@", "@").partition("@")[::2] for line in lines)
    return {(name, tag) for name, tag in found if not name.startswith("ZERMELO_")}


def without_comments(path):
    return re.sub(r"/\*.*?\*/|#[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S)


def declared(name):
    """ZM_API functions in the public headers of the library."""
    found = set()
    for header in (ROOT / "include/zermelo").rglob("*.h"):
        about = str(header.relative_to(ROOT / "include/zermelo").with_suffix(""))
        family = HEADER_OF.get(about, "core").split("/")[0]
        if name == (family if family in FAMILIES else "core"):
            found |= set(re.findall(r"ZM_API\b[^;(=\[]*?(\w+)\s*[;(=\[]", without_comments(header)))
    return found


def shared_by_core():
    """Names in the private headers of src/core, which all libraries may call."""
    return {word for header in (ROOT / "src/core").glob("*.h")
            for word in re.findall(r"\bzm_\w+(?=\()", without_comments(header))}


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", library))


def compare_exports(name, library, update):
    """What is exported: complaints, and how many public symbols there are."""
    public_tag = "ZERMELO_" + version().rpartition(".")[0]
    private_tag = "ZERMELO_PRIVATE_" + version()
    exported = symbols("defined", library)
    public = {symbol for symbol, tag in exported if tag == public_tag}
    private = {symbol for symbol, tag in exported if tag == private_tag}
    listing = ROOT / f"tests/install/symbols-{name}.txt"
    if update:
        listing.write_text("".join(f"{symbol}\n" for symbol in sorted(public)))
    listed = set(listing.read_text().split()) if listing.exists() else set()
    lent = shared_by_core() if name == "core" else set()
    complaints = [f"{symbol}: version {tag or 'missing'}" for symbol, tag in sorted(exported)
                  if tag not in (public_tag, private_tag)]
    for symbols_of, why in ((public - listed, f"exported, not in {listing.name}"),
                            (listed - public, f"in {listing.name}, not exported"),
                            (public - declared(name), "exported, not ZM_API in a header"),
                            (declared(name) - public, "ZM_API in a header, not exported"),
                            (private - lent, "exported to other libraries, not in src/core/*.h")):
        complaints += [f"{symbol}: {why}" for symbol in sorted(symbols_of)]
    return complaints, len(public)


def compare_needs(name, file):
    """What is needed: complaints."""
    abi, full = "ZERMELO_" + version().rpartition(".")[0], "ZERMELO_PRIVATE_" + version()
    complaints = [f"{symbol}: needed with version {tag}"
                  for symbol, tag in sorted(symbols("undefined", file))
                  if tag.startswith("ZERMELO_") and tag not in (abi, full)]
    complaints += [f"needs {other}" for other in needed(file)
                   if not re.fullmatch(NEEDED[name] + r"|ld-linux.*", other)]
    soname = f".so.{version().rpartition('.')[0]}"
    return complaints + [f"needs {other}, not {soname}" for other in needed(file)
                         if other.startswith("libzermelo") and not other.endswith(soname)]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) != 2 or arguments[0] not in NEEDED:
        sys.exit(__doc__)
    name, file = arguments
    complaints, count = [], 0
    if name != "program":
        complaints, count = compare_exports(name, file, "--update" in sys.argv)
    complaints += compare_needs(name, file)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{count} symbols exported, needs {' '.join(needed(file))}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
