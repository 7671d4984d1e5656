#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the symbol tables of all objects of a build and checks the names.

    tools/check_symbols.py BUILD

Of src, cli and paper: no source is compiled twice, no external symbol is defined twice, no private
symbol, static ones included, has the name of a public function, and no external symbol that of a
function in another library that the programs load.  An external name that is not public begins
with zm_ and a word of its module (WORDS); those of programs do not begin with zm_.
"""
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Folder -> words that its private external names may begin with, after zm_.  A word belongs to
# one folder only; a folder that is not named belongs to the nearest one above it that is.
WORDS = {
    "src/core": "",  # the vocabulary of all others: any word that is not one of theirs
    "src/eikonal": "solver engine",
    "src/eikonal/problem": "problem grid metric intervals cell cells source sources unit form project parametrise nonfinite",
    "src/eikonal/local": "local triangle stencil",
    "src/eikonal/blocks": "blocks kernel",
    "src/eikonal/marching": "march",
    "src/eikonal/refined": "refined",
    "src/eikonal/timed": "timed",
    "src/eikonal/record": "record graph derivative donor",
    "src/eikonal/path": "path",
    "src/eikonal/outline": "outline",
    "src/inverse/regularise": "regularise reg amg multigrid laplacian",
    "src/inverse/minimise": "minimise lbfgs adam",
    "src/inverse/invert": "invert inversion gauss_newton misfit penalty parameters schedule",
    "src/fire/science": "science fuel moisture sun wind bed ground slope ellipse spread crown ember torch flame behaviour",
    "src/fire/front": "front marker change smooth arrival ensemble",
    "src/fire/fit": "fit calibration correlation jackknife score state origin",
    "src/fire/data": "data scene fires weather study observed",
    "src/fire/data/geo": "geo date gdal outline_geometry raster",
    "src/fire/data/import": "import layers sim2real",
    "src/fire/data/synthetic": "synthetic world growth",
    "src/fire/learn": "learn model sample field region train residual epoch burn",
    "src/fire/learn/net": "net conv mlp tensors",
    "src/io": "io npy observations",
    "src/plot": "plot",
    "src/view": "view",
    "paper/reference": "reference",
}
OWNER = {word: folder for folder, words in WORDS.items() for word in words.split()}
PROGRAMS = ("cli", "paper/experiments", "paper/tool")
SEVERAL = {"main"}  # one in every program

Symbol = collections.namedtuple("Symbol", "name source external")


def objects(build):
    """Pairs of source, relative to the root, and object, of src, cli and paper."""
    for command in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(command["file"])
        if ROOT in source.parents and source.relative_to(ROOT).parts[0] in ("src", "cli", "paper"):
            made = shlex.split(command["command"])
            yield str(source.relative_to(ROOT)), (pathlib.Path(command["directory"])
                                                  / made[made.index("-o") + 1])


def symbols_of(build):
    """All symbols that are defined, and the sources that were compiled more than once."""
    sources = {}
    twice = set()
    for source, made in objects(build):
        if source in sources.values():
            twice.add(source)
        elif made.exists():  # a target that was not asked for has none
            sources[str(made)] = source
    text = subprocess.run(["nm", "-A", "--defined-only", *sources], check=True, text=True,
                          capture_output=True).stdout
    found = []
    for line in text.splitlines():
        made, _, rest = line.rpartition(":")
        kind, name = rest.split()[-2:]
        if "." not in name:  # what the compiler made of constants and clones
            found.append(Symbol(name, sources[made], kind.isupper()))
    return found, twice


def public_names():
    """ZM_API functions."""
    return {name for header in (ROOT / "include/zermelo").rglob("*.h")
            for name in re.findall(r"^ZM_API\b[^;(]*?(\w+)\(", header.read_text(encoding="utf-8"),
                                   flags=re.M)}


def outside_names(build):
    """What the libraries of others that the programs load define: name -> library."""
    listing = subprocess.run(["ldd", *(build / "bin").iterdir()], check=True, text=True,
                             capture_output=True).stdout
    libraries = {path for path in re.findall(r"=> (/\S+)", listing)
                 if build not in pathlib.Path(path).resolve().parents}
    text = subprocess.run(["nm", "-D", "-A", "--defined-only", *sorted(libraries)], check=True,
                          text=True, capture_output=True).stdout
    return {line.split()[-1].partition("@")[0]: line.partition(":")[0]
            for line in text.splitlines()}


def folder_of(source):
    """The folder in WORDS that a source belongs to; None: a program."""
    if source.startswith(tuple(f"{folder}/" for folder in PROGRAMS)):
        return None
    return max((folder for folder in WORDS if source.startswith(folder + "/")), key=len,
               default="src")


def word_of(name):
    """The longest word of WORDS that the name begins with, or None."""
    rest = name.removeprefix("zm_") + "_"
    return max((word for word in OWNER if rest.startswith(word + "_")), key=len, default=None)


def misnamed(symbol):
    """Why a private external symbol should have another name, or None."""
    folder = folder_of(symbol.source)
    begins = symbol.name.startswith("zm_")
    if folder is None:
        return "zm_ is for libraries" if begins else None
    if not begins:
        return "does not begin with zm_"
    word = word_of(symbol.name)
    if folder == "src/core":
        return f"{word} is a word of {OWNER[word]}" if word else None
    if word is None or OWNER[word] != folder:
        return f"begins with none of the words of {folder}: {WORDS.get(folder, '')}"
    return None


def complaints_of(found, twice, public, outside):
    """Pairs of what is wrong (a name or a source) and why."""
    for source in sorted(twice):
        yield source, "is compiled more than once"
    places = collections.defaultdict(list)
    for symbol in found:
        if symbol.external:
            places[symbol.name].append(symbol.source)
        elif symbol.name in public:
            yield symbol.name, f"static in {symbol.source}, has the name of a public function"
    for name, sources in sorted(places.items()):
        if len(sources) > 1 and name not in SEVERAL:
            yield name, f"is defined in {' and '.join(sorted(sources))}"
        if name in outside and name not in SEVERAL:
            yield name, f"is defined in {sources[0]} and in {outside[name]}"
    for symbol in sorted(found):
        if symbol.external and symbol.name not in public | SEVERAL:
            why = misnamed(symbol)
            if why:
                yield symbol.name, f"{symbol.source}: {why}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    found, twice = symbols_of(build)
    complaints = sorted(set(complaints_of(found, twice, public_names(), outside_names(build))))
    for what, why in complaints:
        print(f"{what}: {why}")
    external = len({symbol.name for symbol in found if symbol.external})
    print(f"{external} external names, {len(complaints)} complaints")
    return 1 if complaints or not external else 0


if __name__ == "__main__":
    sys.exit(main())
