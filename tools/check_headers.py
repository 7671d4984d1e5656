#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every public header on its own, twice over, as C17 and as C++11.

    tools/check_headers.py        (CC and CXX: the compilers; cc and c++)
"""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror".split()
LANGUAGES = {
    "C17": [os.environ.get("CC", "cc"), "-x", "c", "-std=c17"],
    "C++11": [os.environ.get("CXX", "c++"), "-x", "c++", "-std=c++11"],
}


def compiles(command, header):
    include = f'#include "{header.relative_to(ROOT / "include")}"\n'
    run = subprocess.run([*command, *WARNINGS, "-fsyntax-only", f"-I{ROOT / 'include'}", "-"],
                         input=2 * include + "int some;\n", text=True, capture_output=True)
    if run.returncode:
        print(f"{header.name}:\n{run.stderr}")
    return run.returncode == 0


def main():
    headers = sorted((ROOT / "include/zermelo").rglob("*.h"))
    failed = 0
    for language, command in LANGUAGES.items():
        if not shutil.which(command[0]):
            print(f"no {command[0]}: headers not tried as {language}")
            continue
        bad = sum(not compiles(command, header) for header in headers)
        print(f"{language}: {len(headers)} headers, {bad} do not stand alone")
        failed += bad
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
