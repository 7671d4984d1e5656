#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/architecture.md and a table of docs/theory.md against the sources.

    tools/check_architecture.py

The table of modules has exactly the modules and arrows of tools/check_layers.py, and the picture
and src/README.md name each of them.  Every function of a walk is in the file that its row names, and the sentence
above the table has the right numbers.  The table of equations in docs/theory.md names functions,
files and tests that exist.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/architecture.md"
CODE = re.compile(r"`([^`]+)`")


def section(text, title):
    """The text below a heading, up to the next one of the same or a higher level."""
    level = len(title) - len(title.lstrip("#"))
    _, _, rest = text.partition(f"\n{title}\n")
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.M)[0]


def rows(text):
    """Cells of the rows of all tables that begin with a name in backquotes."""
    for line in text.splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def check_modules(text):
    drawn = {}
    for row in rows(section(text, "## Modules")):
        if len(row) == 3:
            drawn[CODE.match(row[0])[1]] = set(CODE.findall(row[2]))
    for module in sorted(set(drawn) | set(check_layers.MAY_INCLUDE)):
        wanted, shown = check_layers.MAY_INCLUDE.get(module), drawn.get(module)
        if wanted != shown:
            yield (f"{module}: the table of modules says {sorted(shown or []) if shown is not None else 'nothing'}, "
                   f"tools/check_layers.py {sorted(wanted) if wanted is not None else 'nothing'}")
    picture = section(text, "## Families")
    for module in check_layers.MAY_INCLUDE:
        if not re.search(rf"\b{module.split('/')[-1]}\b", picture):
            yield f"{module}: not in the picture of families"
    index = (ROOT / "src/README.md").read_text(encoding="utf-8")
    for module in check_layers.MAY_INCLUDE:
        if not re.search(rf"`(\S+/)?{module.split('/')[-1]}(/|\.h)?`", index):
            yield f"{module}: not in src/README.md"


def check_walk(text, title):
    body = section(text, f"### {title}")
    walk = list(rows(body))
    files = set()
    for function, file, _ in walk:
        function, file = CODE.match(function)[1], CODE.match(file)[1]
        files.add(file)
        if not (ROOT / file).is_file():
            yield f"{title}: there is no {file}"
        elif not re.search(rf"\b{function}\b\s*[(),:]", (ROOT / file).read_text(encoding="utf-8")):
            yield f"{title}: {file} has no {function}"
    told = f"{len(walk)} functions in {len(files)} files"
    if told not in body:
        yield f"{title}: the table has {told}, the text says otherwise"


def check_equations(text):
    files = [*ROOT.glob("src/**/*.[ch]"), *ROOT.glob("paper/**/*.[ch]"), *ROOT.glob("tests/**/*.[ch]")]
    names = {str(f.relative_to(ROOT)) for f in files} | {f.name for f in files}
    every = "\n".join(f.read_text(encoding="utf-8") for f in files)
    for row in section(text, "## Equation, function, test").splitlines():
        if not row.startswith("| ") or row.startswith("| equation"):
            continue
        _, functions, tests = [cell.strip() for cell in row.strip("|").split("|")]
        for name in CODE.findall(functions) + CODE.findall(tests):
            known = name in names or any(ROOT.glob(name)) if re.search(r"[./*]", name) \
                else re.search(rf"\b{name}\b", every)
            if not known:
                yield f"there is no {name}"
        for those, file in re.findall(r"((?:`\w+`,? ?)+)in `([^`]+)`", functions):
            text = "".join(f.read_text(encoding="utf-8") for f in files
                           if str(f.relative_to(ROOT)) == file or f.name == file)
            yield from (f"{file} has no {name}" for name in CODE.findall(those)
                        if not re.search(rf"\b{name}\b", text))
        for name in re.findall(r"\b[a-z]+_[a-z_]+\b", CODE.sub("", tests)):
            if not re.search(rf"TEST\({name}", every):
                yield f"no test begins with {name}"


def main():
    theory = (ROOT / "docs/theory.md").read_text(encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    walks = re.findall(r"^### (One .*)$", text, re.M)
    complaints = [*check_modules(text), *(c for walk in walks for c in check_walk(text, walk))]
    complaints = [f"docs/architecture.md: {c}" for c in complaints]
    complaints += [f"docs/theory.md: {c}" for c in check_equations(theory)]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(check_layers.MAY_INCLUDE)} modules, {len(walks)} walks, {len(complaints)} mistakes")
    return 1 if complaints or not walks else 0


if __name__ == "__main__":
    sys.exit(main())
