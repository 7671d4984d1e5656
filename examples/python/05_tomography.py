#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Travel-time tomography: how fast is sound below, if it was timed from well to well?

    05_tomography.py [--quick] [--out FILE]

Shots in the left well are heard in the right one and along the surface, with an error of
0.2 ms.  The speed between the wells is found, with its standard deviation.
"""
import argparse
from typing import Any

import numpy as np

import zermelo

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="a small grid, few shots")
parser.add_argument("--out", default="05_tomography.png")
arguments = parser.parse_args()

rows, cols, shots = (36, 30, 6) if arguments.quick else (60, 50, 12)
spacing = 100.0 / cols  # metres
sigma = 0.2  # ms
rng = np.random.default_rng(1)

depth, across = np.mgrid[0:rows, 0:cols] * spacing
speed = 1.5 + 0.008 * depth  # m/ms = km/s, faster below
speed[(np.hypot(depth - 45, across - 40) < 15)] = 3.0  # a hard body
speed[(depth > 78) & (depth < 92) & (across > 30)] = 1.2  # a soft layer

receivers = np.concatenate([
    np.stack([np.arange(0, rows, 2), np.full((rows + 1) // 2, cols - 1)], axis=1),
    np.stack([np.zeros(cols // 2, int), np.arange(0, 2 * (cols // 2), 2)], axis=1)])
experiments = []
for row in np.linspace(0, rows - 1, shots).round().astype(int):
    T = zermelo.solve(1 / speed**2, None, (row, 0), spacing)
    picks = T[tuple(receivers.T)] + sigma * rng.normal(size=len(receivers))
    experiments.append(zermelo.Experiment((row, 0), picks, receivers, sigma=sigma))

found = zermelo.invert(experiments, (rows, cols), spacing, threads=2)
assert found.G is not None  # what was sought
result = 1 / np.sqrt(found.G)
std_G, _ = found.std(samples=16)
assert std_G is not None
std = 0.5 * std_G / found.G**1.5  # of the speed


def error(c: np.ndarray[Any, Any]) -> float:
    return float(np.linalg.norm(c - speed) / np.linalg.norm(speed - speed.mean()))


r = found.report
print(f"{r.observations} times of {r.experiments} shots: chi2 {r.chi2:.2f} after {r.solves} solves; "
      f"error of the speed {error(result):.0%} of its variation")
assert 0.7 < r.chi2 < 1.3 and error(result) < 0.8

try:
    import matplotlib
except ImportError:
    print("no matplotlib: no picture")
else:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 3, figsize=(11, 4.6), constrained_layout=True)
    extent = [0, 100, rows * spacing, 0]
    for axis, field, title in zip(axes, (speed, result, std),
                                  ("speed, km/s", "found", "standard deviation")):
        limits = {} if field is std else dict(vmin=1.2, vmax=3.0)
        image = axis.imshow(field, extent=extent, cmap="magma" if field is std else "viridis",
                            **limits)
        axis.plot(receivers[:, 1] * spacing, receivers[:, 0] * spacing, "w.", ms=3)
        axis.plot(np.zeros(shots), np.linspace(0, (rows - 1) * spacing, shots), "r*", clip_on=False)
        axis.set(title=title, xlabel="m")
        figure.colorbar(image, ax=axis, shrink=0.8)
    axes[0].set_ylabel("depth, m")
    figure.savefig(arguments.out, dpi=110)
    print(f"wrote {arguments.out}")
