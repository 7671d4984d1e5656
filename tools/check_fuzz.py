#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function that reads a file is read in tests/fuzz, and every target has seeds; all
verbs of the tool are there too.

    tools/check_fuzz.py

A function that has a twin which reads the same from memory (X_read and X_parse) is known by either.
Those below have their bytes read by another target.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
READER = re.compile(r"^zm_\w+_(?:read|parse|load|open)(?:_\w+)?$|^zm_import_\w+$")
VERB = re.compile(r"&(verb_\w+)")
ELSEWHERE = {
    "zm_read_limit": "no reader",
    "zm_read_limit_set": "no reader",
    "zm_weather_read_text": "tables of fuzz_fire_tables, by what it calls",
    "zm_import_perimeters": "the file by fuzz_perimeters, the folder by fuzz_scene",
    "zm_import_ignition": "the weather by fuzz_weather, the folder by fuzz_scene",
    "zm_import_scene": "the landscape by fuzz_raster, the weather by fuzz_weather",
}


def names(reader):
    """The function and its twins."""
    stem = re.sub(r"_(?:read|parse|load|open)(?=_|$)", "_{}", reader)
    return {stem.format(word) for word in ("read", "parse", "load", "open")} | {reader}


def main():
    exported = {line.strip() for path in ROOT.glob("tests/install/symbols-*.txt")
                for line in path.read_text().splitlines()}
    targets = sorted(ROOT.glob("tests/fuzz/fuzz_*.c"))
    text = "\n".join(path.read_text() for path in targets)
    words = set(re.findall(r"\bzm_\w+", text))
    readers = sorted(name for name in exported if READER.match(name) and name not in ELSEWHERE)
    wrong = [f"{name}: no target of tests/fuzz reads it" for name in readers if not names(name) & words]
    wrong += [f"{name}: in ELSEWHERE, and no exported function" for name in ELSEWHERE
              if name not in exported]
    verbs = {verb for path in ROOT.glob("cli/**/main.c") for verb in VERB.findall(path.read_text())}
    wrong += [f"{verb}: not in tests/fuzz/fuzz_options.c" for verb in sorted(verbs - set(VERB.findall(text)))]
    for path in targets:
        seeds = path.with_name(path.stem.replace("fuzz_", "corpus_", 1))
        if not seeds.is_dir() or not any(seeds.iterdir()):
            wrong.append(f"{path.name}: no seeds in {seeds.name}/")
    print("\n".join([*wrong, f"{len(readers)} readers, {len(verbs)} verbs, {len(targets)} targets, "
                             f"{len(wrong)} wrong"]))
    return 1 if wrong or not readers or not verbs else 0


if __name__ == "__main__":
    sys.exit(main())
