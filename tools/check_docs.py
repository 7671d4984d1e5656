#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks README.md, the other pages at the top, and docs/**/*.md.

    tools/check_docs.py                  dead links, C code, names of the interface
    tools/check_docs.py --program FILE   print the first complete C program in FILE

No page has marks of an unfinished merge.  Links into the tree must lead to a file (and
heading) that exists; addresses on the web are not visited.  C blocks must compile without warnings: programs and whole files of
experiments as they are, others as the body of a function with the parameters of FRAGMENT,
and after the blocks of the same page that define functions.  Every zm_ and ZM_ name must
occur in the sources.  The program in docs/c-api.md is also run by tests/install, shell blocks
by tests/cli/test_docs.py.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^( *)(```+|~~~+) *(\w*)[^\n]*\n(.*?)^\1\2 *$", re.M | re.S)
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?(\S+?)>?\s*$", re.M)
CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7}) .*", re.M)
NAME = re.compile(r"\b(?:zm_[a-z]|ZM_[A-Z])\w*(?!\w*[*])")
SOURCES = ("include/**/*.h", "src/**/*.[ch]", "paper/**/*.[ch]", "tests/*.[ch]", "CMakeLists.txt", "cmake/*")

# What a fragment may speak of without saying what it is.
FRAGMENT = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zermelo/npy.h>
#include <zermelo/plot/plot.h>
#include <zermelo/zermelo.h>
%s
int fragment(zm_solver *solver, zm_problem problem, zm_problem *problems, zm_grid grid, size_t n,
             double *g, double *b1, double *b2, double *T, double *dL_dT, double *observed,
             void **times, const void **const_times, const void **cotangents,
             uint8_t *mask, uint8_t *walls, double *sizes, double *errors, double rate,
             zm_metric free_metric, zm_metric cotangent, zm_metric_out metric_out,
             zm_metric_out gradient_out, zm_status status, zm_error err, void *ctx);
int fragment(zm_solver *solver, zm_problem problem, zm_problem *problems, zm_grid grid, size_t n,
             double *g, double *b1, double *b2, double *T, double *dL_dT, double *observed,
             void **times, const void **const_times, const void **cotangents,
             uint8_t *mask, uint8_t *walls, double *sizes, double *errors, double rate,
             zm_metric free_metric, zm_metric cotangent, zm_metric_out metric_out,
             zm_metric_out gradient_out, zm_status status, zm_error err, void *ctx)
{
{
%s
}
return 0;
}
"""


def pages():
    return sorted({*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *(ROOT / "docs").rglob("*.md")})


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def blank(match):
    """The same number of lines with nothing on them, to keep line numbers right."""
    return "\n" * match[0].count("\n")


def anchors(page):
    """Anchors of the headings, as GitHub makes them."""
    found, text = set(), FENCE.sub(blank, page.read_text(encoding="utf-8"))
    for title in re.findall(r"^#{1,6} +(.*?)#* *$", text, re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        slug = re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def dead_link(page, target):
    """Why the link leads nowhere, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if file != ROOT and ROOT not in file.parents:
        return "leads out of the repository"
    if not file.exists():
        return "no such file"
    if anchor and file.suffix == ".md" and anchor.lower() not in anchors(file):
        return "no such heading"
    return None


def check_links(page, text):
    text = FENCE.sub(blank, text)
    text = re.sub(r"`[^`\n]*`", lambda m: " " * len(m[0]), text)
    for match in [*LINK.finditer(text), *REFERENCE.finditer(text)]:
        if why := dead_link(page, match[1]):
            yield line_of(text, match.start(1)), f"link to {match[1]}: {why}"


def is_program(block):
    """A whole source file: a program, or a file of the tree."""
    return re.search(r'\bint main\(|^#include "', block, re.M)


def programs(text):
    for match in FENCE.finditer(text):
        if match[3].lower() == "c" and is_program(match[4]):
            yield line_of(text, match.start(4)), match[4]


def fragments(text):
    """C blocks without a main, made into something that compiles."""
    definitions = ""
    for match in FENCE.finditer(text):
        block, line = match[4], line_of(text, match.start(4))
        if match[3].lower() != "c" or is_program(block):
            continue
        if re.search(r"^\{", block, re.M):
            definitions += block
            block = ""
        yield line, FRAGMENT % (definitions, block)


def check_code(page, text):
    command = [os.environ.get("CC", "cc"), "-x", "c", "-std=c17", "-Wall", "-Wextra", "-Werror",
               "-fsyntax-only", f"-I{ROOT / 'include'}", f"-I{ROOT / 'paper' / 'experiments'}", "-"]
    lenient = ["-Wno-unused", "-Wno-unused-parameter", "-Wno-unused-but-set-parameter"]
    for line, code, more in [*((*p, []) for p in programs(text)),
                             *((*f, lenient) for f in fragments(text))]:
        run = subprocess.run(command + more, input=code, text=True, capture_output=True)
        if run.returncode:
            yield line, f"code does not compile:\n{run.stderr}"


def check_merges(page, text):
    for match in CONFLICT.finditer(text):
        yield line_of(text, match.start()), f"mark of a merge: {match[0]}"


def check_names(page, text, known):
    for match in NAME.finditer(text):
        if match[0] not in known and not match[0].endswith("_"):
            yield line_of(text, match.start()), f"{match[0]} is not in the sources"


def main():
    if sys.argv[1:2] == ["--program"]:
        found = list(programs(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")))
        if not found:
            sys.exit(f"{sys.argv[2]}: no C program")
        print(found[0][1], end="")
        return 0
    known = set()
    for pattern in SOURCES:
        for source in ROOT.glob(pattern):
            known |= set(NAME.findall(source.read_text(encoding="utf-8")))
    complaints, links, blocks = [], 0, 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        found = [*check_merges(page, text), *check_links(page, text), *check_code(page, text)]
        if page.name != "CHANGELOG.md":  # speaks of names that are gone
            found += check_names(page, text, known)
        complaints += [f"{page.relative_to(ROOT)}:{line}: {what}" for line, what in sorted(found)]
        links += len(LINK.findall(text))
        blocks += len(list(programs(text))) + len(list(fragments(text)))
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(pages())} pages, {links} links, {blocks} blocks of C: {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
