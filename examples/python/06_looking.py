#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/looking.md, made by the code on that page.  Needs matplotlib.

    06_looking.py [--quick] [--out FOLDER]
"""
import argparse
import pathlib
import re
from typing import Any, Dict

import matplotlib

matplotlib.use("Agg")
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="the same: it is quick")
parser.add_argument("--out", default=".", type=pathlib.Path)
arguments = parser.parse_args()

page = pathlib.Path(__file__).resolve().parents[2] / "docs/looking.md"
blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
matplotlib.rcParams.update({"savefig.dpi": 110, "figure.figsize": (7.6, 5.2),
                            "figure.constrained_layout.use": True})
names: Dict[str, Any] = {}
for block in blocks[:2]:
    for name in "solution", "pieces":
        block = block.replace(f'"{name}.png"', repr(str(arguments.out / f"looking-{name}.png")))
    exec(block, names)
assert (arguments.out / "looking-solution.png").stat().st_size > 10_000
