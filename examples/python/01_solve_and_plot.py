#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fire on windy ground with a river: arrival times, and a picture of them.

    01_solve_and_plot.py [--quick] [--out FILE]
"""
import argparse

import numpy as np
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

import zermelo

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="a small grid")
parser.add_argument("--out", default="01_solve_and_plot.png")
arguments = parser.parse_args()

rows, cols = (60, 90) if arguments.quick else (400, 600)
spacing = 6000.0 / cols  # metres
y, x = np.mgrid[0:rows, 0:cols] / cols

# Rates of spread in m/min: the wind turns from east to south-east, a ridge slows the fire.
ridge = np.exp(-((x - 0.55) ** 2 + (y - 0.25) ** 2) / 0.02)
head = 30.0 * (1 + 0.5 * np.sin(5 * x) * np.cos(7 * y)) / (1 + 2 * ridge)
heading = 90.0 + 45.0 * x  # degrees clockwise from north
G, b = zermelo.fire_ellipse(head, head / 3, head / 8, heading)

# The river holds the fire back, but for a bridge.
river = np.abs(y - 0.42 - 0.06 * np.sin(6 * x)) < 1.2 / 60
river &= np.abs(x - 0.7) > 1.2 / 60
camp = (rows // 4, cols // 6)
solution = zermelo.solve(G, b, [camp], spacing, walls=river, solution=True)
T = solution.T / 60  # hours
way = solution.path((rows - rows // 8, cols // 3))  # how it came to the far bank

figure, axes = plt.subplots(figsize=(9, 6), constrained_layout=True)
km = [0, 6, 6 * rows / cols, 0]
image = axes.imshow(np.where(np.isfinite(T), T, np.nan), extent=km, cmap="inferno_r", aspect="equal")
axes.contour(x * 6, y * 6, np.where(river, np.nan, T), levels=np.arange(0, np.nanmax(T[~river]), 1),
             colors="k", linewidths=0.6)
axes.imshow(np.where(river, 1.0, np.nan), extent=km, cmap="Blues", vmin=0, vmax=1.3)
axes.plot(way[:, 1] / cols * 6, way[:, 0] / cols * 6, "c", lw=2, label="path of the front")
axes.plot(camp[1] / cols * 6, camp[0] / cols * 6, "c*", ms=14, label="ignition")
axes.set(xlabel="km east", ylabel="km south", title="arrival of a fire, isochrones every hour")
axes.legend(loc="upper right")
figure.colorbar(image, label="hours", shrink=0.8)
figure.savefig(arguments.out, dpi=110)

print(f"the fire crosses {np.isfinite(T).mean():.0%} of the map within {T[np.isfinite(T)].max():.1f} "
      f"hours; wrote {arguments.out}")
assert np.isinf(T[river]).all() and np.isfinite(T[~river]).all()
assert len(way) > 2 and not river[tuple(way[:, :2].round().astype(int).T)].any()
