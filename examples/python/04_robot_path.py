#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The quickest course of an underwater robot through eddies and around islands.

    04_robot_path.py [--quick] [--out FILE]

The robot makes 1 m/s through the water; the current carries it.  There and back are different
ways, and both are quicker than the straight line.
"""
import argparse

import numpy as np

import zermelo

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="a small grid")
parser.add_argument("--out", default="04_robot_path.png")
arguments = parser.parse_args()

rows, cols = (50, 75) if arguments.quick else (200, 300)
spacing = 3000.0 / cols  # metres
y, x = np.mgrid[0:rows, 0:cols] / cols * 3  # km

# Current (m/s) from a stream function: W = (dpsi/dy, -dpsi/dx), so no water is lost.
psi = 0.16 * np.sin(np.pi * x) * np.sin(np.pi * y) + 0.15 * y
W = np.stack([np.gradient(psi, axis=0), -np.gradient(psi, axis=1)]) * cols / 3
islands = (np.hypot(x - 1.1, y - 0.9) < 0.2) | (np.hypot(x - 2.0, y - 1.25) < 0.25)
W[:, islands] = 0

G, b = zermelo.from_zermelo(np.ones((rows, cols)), W)  # own speed 1 m/s: h = 1/1**2
home, goal = (rows // 6, cols // 12), (rows - rows // 6, cols - cols // 12)
options = dict(spacing=spacing, walls=islands, stencils="adaptive")
out = zermelo.solve(G, b, home, solution=True, **options)
back = zermelo.solve(G, b, goal, solution=True, **options)
there, return_way = out.path(goal), back.path(home)
straight = zermelo.path_cost(G, b, [home, goal], spacing)
minutes = [there[-1, 2] / 60, return_way[-1, 2] / 60, straight / 60]
print(f"there {minutes[0]:.1f} min, back {minutes[1]:.1f} min; straight ahead through the islands, "
      f"if one could, {minutes[2]:.1f} min")

# The path costs what the times say, and nobody gets there quicker along another line.
cost = zermelo.path_cost(G, b, there, spacing, islands)
assert abs(cost - there[-1, 2]) < 0.03 * cost
assert there[-1, 2] < straight and return_way[-1, 2] > there[-1, 2]
assert not islands[tuple(there[:, :2].round().astype(int).T)].any()

try:
    import matplotlib
except ImportError:
    print("no matplotlib: no picture")
else:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(9, 5.6), constrained_layout=True)
    T = np.where(np.isfinite(out.T), out.T / 60, np.nan)
    image = axes.pcolormesh(x, y, T, cmap="YlGnBu", shading="nearest")
    axes.contour(x, y, T, levels=12, colors="k", linewidths=0.4)
    every = max(1, cols // 30)
    axes.quiver(x[::every, ::every], y[::every, ::every], W[0, ::every, ::every],
                -W[1, ::every, ::every], color="0.3", scale=22, width=2e-3)
    axes.contourf(x, y, islands, levels=[0.5, 1], colors="saddlebrown")
    for way, style, name in (there, "r-", "there"), (return_way, "m--", "back"):
        axes.plot(way[:, 1] / cols * 3, way[:, 0] / cols * 3, style, lw=2, label=name)
    axes.set(xlabel="km", ylabel="km", title="minutes from the upper left", aspect="equal")
    axes.invert_yaxis()
    axes.legend(loc="lower left")
    figure.colorbar(image, shrink=0.8)
    figure.savefig(arguments.out, dpi=110)
    print(f"wrote {arguments.out}")
