#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an #include that points from a module to one it must not know.

    tools/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

# Module -> modules whose private headers (src/<module>/) it may include, besides its own.
MAY_INCLUDE = {
    "core": set(),
    "kernels": {"core"},
    "march": {"core", "kernels"},
    "forward": {"core", "kernels", "march"},
    "adjoint": {"core", "kernels", "march", "forward"},
    "reference": {"core", "kernels"},
    "project": {"core", "kernels"},
    "convert": {"core", "kernels"},
    "reg": {"core", "project"},  # fields, not solutions
    "optimise": {"core"},
    "invert": {"core", "forward", "adjoint", "project", "reg", "optimise"},
    "path": {"core", "kernels", "march", "forward", "adjoint"},
    "bands": {"core", "kernels", "march", "forward", "adjoint"},
    "io": {"core"},
    "physics": {"core", "bands"},
    "geo": {"core"},
    "fire": {"core", "geo", "physics", "bands"},
    "net": {"core"},
    "learn": {"core", "net", "fire", "physics", "forward", "adjoint", "project", "reg",
              "optimise"},
    "plot": {"core"},
}
# Public header -> the module it describes.
HEADER_OF = {
    "export": "core",
    "status": "core",
    "version": "core",
    "alloc": "core",
    "problem": "core",
    "forward": "forward",
    "diagnose": "forward",
    "adjoint": "adjoint",
    "reference": "reference",
    "project": "project",
    "convert": "convert",
    "reg": "reg",
    "optimise": "optimise",
    "invert": "invert",
    "path": "path",
    "bands": "bands",
    "landscape": "physics",
    "physics": "physics",
    "calibrate": "physics",
    "ensemble": "physics",
    "geo": "geo",
    "dataset": "fire",
    "calibration_file": "fire",
    "score": "fire",
    "learn": "learn",
    "npy": "io",
    "file": "io",
    "observations": "io",
    "plot": "plot",
}
# Types from public headers, no calls: the reference solvers answer with the report and
# gradient of the solver proper; kernels are chosen by its zm_isa.
TYPES_ONLY = {
    "reference": {"forward", "adjoint"},
    "kernels": {"forward"},
    "march": {"forward", "adjoint"},
}
PUBLIC_ONLY = {"cli", "examples", "experiments", "python"}  # may include any public header and their own files
PROGRAMS_USE = {("cli", "experiments")}  # besides that, the tool runs the experiments
# Headers of other libraries, and who may include them.
OUTSIDE = [
    (r"omp\.h", {"core"}),
    (r"(imm|x86|emm|xmm)intrin\.h|cpuid\.h|arm_neon\.h", {"core", "kernels"}),
    (r"(gdal|ogr|cpl)_?.*\.h", {"geo"}),
    (r"jansson\.h", {"geo", "fire", "net", "learn"}),
    (r"dnnl.*\.h", {"net"}),
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
    if parts[0] == "src":
        return parts[1], False
    if parts[:2] == ("include", "zermelo"):
        return HEADER_OF.get(path.stem), True
    return parts[0], False


def resolve(root, source, name):
    """The file that the compiler takes, relative to the root; None: not in this tree."""
    program = root / source.relative_to(root).parts[0]  # cli, experiments: their own top too
    for directory in (source.parent, program, root / "include", root / "src", root / "experiments"):
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
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    root = root.resolve()
    checked, complaints = 0, []
    for directory in ("include", "src", "cli", "examples", "experiments", "python"):
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
