#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an #include that points from a module to one it must not know.

    tools/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

# Module -> modules whose private headers (src/<module>/) it may include, besides its own.  A
# folder that is not named belongs to the nearest one above it that is.
EIKONAL = {"core", "eikonal/problem", "eikonal/local"}
ENGINE = EIKONAL | {"eikonal/engine"}  # what every engine sees, and all that looks at a record
ENGINES = {"eikonal/blocks", "eikonal/marching", "eikonal/refined", "eikonal/timed"}
SOLVED = ENGINE | {"eikonal", "eikonal/record"}
FIRE = {"core", "eikonal/problem", "fire/science"}
MAY_INCLUDE = {
    "core": set(),
    "eikonal/problem": {"core"},
    "eikonal/local": {"core", "eikonal/problem"},
    "eikonal/engine": EIKONAL,
    "eikonal/blocks": ENGINE | {"eikonal/marching"},  # its records are those of a march
    "eikonal/marching": ENGINE,
    "eikonal/refined": ENGINE | {"eikonal/blocks"},  # their solve is its first phase
    "eikonal/timed": ENGINE,
    "eikonal/record": ENGINE,
    "eikonal/path": ENGINE | {"eikonal/record"},
    "eikonal/outline": {"core", "eikonal/problem"},  # of any field
    "eikonal": ENGINE | ENGINES,
    "inverse/regularise": {"core", "eikonal/problem"},  # fields, not solutions
    "inverse/minimise": {"core"},
    "inverse/invert": SOLVED | {"inverse/regularise", "inverse/minimise"},
    "io": {"core", "eikonal/problem"},
    "plot": {"core", "eikonal/problem"},
    "view": {"core", "web"},  # what the build puts into the library
    "fire/science": {"core", "eikonal/problem"},
    "fire/front": FIRE | {"eikonal", "eikonal/path"},
    "fire/fit": FIRE | {"fire/front"},
    "fire/data/geo": {"core", "eikonal/problem", "eikonal/outline"},
    "fire/data": FIRE | {"eikonal", "fire/front", "fire/fit", "fire/data/geo"},
    "fire/learn/net": {"core"},
    "fire/learn": SOLVED | FIRE | {"fire/front", "fire/fit", "fire/data", "fire/learn/net",
                                   "inverse/regularise", "inverse/minimise"},
}
# Files that are a module of their own.
FILE_OF = {"src/eikonal/engine.h": "eikonal/engine"}
# Public header (below include/zermelo/) -> the module it describes.
HEADER_OF = {
    "export": "core",
    "status": "core",
    "version": "core",
    "alloc": "core",
    "metric": "eikonal/problem",
    "interval": "eikonal/problem",
    "problem": "eikonal/problem",
    "project": "eikonal/problem",
    "parametrise": "eikonal/problem",
    "convert": "eikonal/problem",
    "forward": "eikonal",
    "diagnose": "eikonal/record",
    "adjoint": "eikonal/record",
    "path": "eikonal/path",
    "outline": "eikonal/outline",
    "reg": "inverse/regularise",
    "optimise": "inverse/minimise",
    "invert": "inverse/invert",
    "limit": "core",
    "npy": "io",
    "file": "io",
    "observations": "io",
    "plot/plot": "plot",
    "view": "view",
    "fire/landscape": "fire/science",
    "fire/physics": "fire/science",
    "fire/spotting": "fire/science",
    "fire/ensemble": "fire/front",
    "fire/protect": "fire/front",
    "fire/risk": "fire/front",
    "fire/ways": "fire/front",
    "fire/calibrate": "fire/fit",
    "fire/score": "fire/fit",
    "fire/forecast": "fire/fit",
    "fire/origin": "fire/fit",
    "fire/forecast_file": "fire/data",
    "fire/geo": "fire/data/geo",
    "fire/moment": "fire/data/geo",
    "fire/dataset": "fire/data",
    "fire/calibration_file": "fire/data",
    "fire/evidence": "fire/data",
    "fire/ignition": "fire/data",
    "fire/edits": "fire/data",
    "fire/weather": "fire/data",
    "fire/learn": "fire/learn",
}
# Types from public headers, no calls: kernels are chosen by the solver's zm_isa.
TYPES_ONLY = {
    "eikonal/engine": {"eikonal", "eikonal/record"},
    "eikonal/blocks": {"eikonal"},
    "eikonal/marching": {"eikonal", "eikonal/record"},
    "eikonal/timed": {"eikonal", "eikonal/record"},
    "eikonal/record": {"eikonal"},
    "eikonal/path": {"eikonal"},
    "fire/fit": {"fire/data"},
    "fire/science": {"eikonal", "eikonal/record", "eikonal/timed", "fire/data", "fire/fit"},
    "fire/front": {"eikonal", "eikonal/record"},
    "view": {"eikonal", "eikonal/problem", "fire/front", "fire/science"},
}
# Programs: public headers, their own files, and for the tools the plumbing of core.  The paper's
# algorithms are checked against the same local update as the engines, so they see its private
# header.
PUBLIC_ONLY = {"cli", "examples", "paper", "python", "web"}
PROGRAMS_USE = {("cli", "core"), ("paper", "cli"), ("paper", "core"), ("paper", "eikonal/problem"),
                ("paper", "eikonal/local"), ("web", "fire/front")}
# Headers of other libraries, and who may include them.
OUTSIDE = [
    (r"omp\.h|sanitizer/.*\.h", {"core"}),
    (r"(imm|x86|emm|xmm)intrin\.h|cpuid\.h|arm_neon\.h|wasm_simd128\.h", {"core", "eikonal/blocks", "eikonal/problem"}),
    (r"(gdal|ogr|cpl)_?.*\.h", {"fire/data/geo"}),
    (r"jansson\.h", {"cli", "fire/data/geo", "fire/data", "fire/learn/net", "fire/learn"}),
    (r"dnnl.*\.h", {"fire/learn/net"}),
    (r"zlib\.h", {"view", "web"}),
    (r"Python\.h", {"python"}),
    (r"cairo.*|pango/.*|fontconfig/.*", {"plot"}),
]
SYSTEM = re.compile(
    r"(assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|"
    r"signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|"
    r"string|tgmath|threads|time|uchar|wchar|wctype|"  # C17
    r"dirent|fcntl|getopt|libgen|pthread|sched|strings|unistd|sys/[a-z]+)\.h"  # POSIX
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def module_of(path):
    """Module of a file given relative to the root: ("io", private) and the like."""
    parts = path.parts
    if str(path) in FILE_OF:
        return FILE_OF[str(path)], False
    if parts[:2] == ("include", "zermelo"):
        return HEADER_OF.get("/".join(parts[2:])[:-len(".h")]), True
    if parts[0] != "src":
        return parts[0], False
    for end in range(len(parts) - 1, 1, -1):
        if "/".join(parts[1:end]) in MAY_INCLUDE:
            return "/".join(parts[1:end]), False
    return None, False


def resolve(root, source, name):
    """The file that the compiler takes, relative to the root; None: not in this tree."""
    program = root / source.relative_to(root).parts[0]  # cli, paper: their own top too
    for directory in (source.parent, program, root / "paper/experiments", root / "include",
                      root / "src", root / "cli", root):
        path = (directory / name).resolve()
        if path.is_file() and root in path.parents:
            return path.relative_to(root)
    return None


def complaint(root, source, style, name):
    """Why `source` must not include `name`, or None."""
    user, user_is_public = module_of(source.relative_to(root))
    target = resolve(root, source, name) if style == '"' or "/" in name else None
    if target is None:
        for pattern, users in OUTSIDE:
            if re.fullmatch(pattern, name):
                return None if user in users else f"<{name}> is for {' and '.join(sorted(users))} only"
        if style == "<" and SYSTEM.fullmatch(name):
            return None
        return f"{name} is neither in this tree nor a known system header"
    used, used_is_public = module_of(target)
    if used is None:
        if target.name == "zermelo.h" and user in PUBLIC_ONLY:
            return None
        return f"{target} is not for library modules (or missing in HEADER_OF)"
    if used == user:
        return None
    if (user, used) in PROGRAMS_USE:
        return None
    if user in PUBLIC_ONLY:
        return None if used_is_public else f"{user} sees public headers only, not {target}"
    if user_is_public and not used_is_public:
        return f"a public header must not include the private {target}"
    allowed = set(MAY_INCLUDE[user])
    if used_is_public:
        allowed |= TYPES_ONLY.get(user, set())
    return None if used in allowed else f"{user} must not know {used} ({target})"


def main():
    root = pathlib.Path(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).parents[1]).resolve()
    checked, complaints = 0, []
    for directory in ("include", "src", "cli", "examples", "paper", "python", "web"):
        for source in sorted((root / directory).rglob("*.[ch]")):
            where = source.relative_to(root)
            if where == pathlib.Path("include/zermelo/zermelo.h"):
                continue  # the umbrella
            user = module_of(where)[0]
            if user not in MAY_INCLUDE and user not in PUBLIC_ONLY:
                complaints.append(f"{where}: module unknown to tools/check_layers.py")
                continue
            text = source.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                checked += 1
                why = complaint(root, source, match[1], match[2])
                if why:
                    line = text.count("\n", 0, match.start(2)) + 1
                    complaints.append(f"{where}:{line}: {why}")
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{checked} includes checked, {len(complaints)} not allowed")
    return 1 if complaints or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
