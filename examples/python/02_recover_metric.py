#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recovers metric and drift with L-BFGS from torch.optim, through the layer.

    02_recover_metric.py [--quick] [--out FILE]

Fronts from the corners and edges were seen in every cell.  Unknown are the three planes of a
metric and a constant drift; a projection keeps them admissible on the way.
"""
import argparse
from typing import List

import numpy as np
import torch

from zermelo.torch import EikonalLayer, Projection

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="a small grid, few steps")
parser.add_argument("--out", default="02_recover_metric.png")
arguments = parser.parse_args()

n, steps = (16, 40) if arguments.quick else (40, 400)
y, x = np.mgrid[0:n, 0:n] / n
bump = np.exp(-((x - 0.6) ** 2 + (y - 0.4) ** 2) / 0.05)
truth = torch.tensor(np.stack([1 + bump, 0.3 * bump, 1 + 0.3 * bump]))
wind = torch.tensor([0.25, -0.1], dtype=torch.float64)

corners = [(0, 0), (0, n - 1), (n - 1, 0), (n - 1, n - 1), (0, n // 2), (n // 2, 0),
           (n - 1, n // 2), (n // 2, n - 1)]
layer = EikonalLayer(sources=[[corner] for corner in corners], threads=2)
project = Projection(eig_min=0.2, rho=0.9)


def drift(b: torch.Tensor) -> torch.Tensor:
    return b[:, None, None].expand(2, n, n)


observed = layer(truth, drift(wind))

G = torch.tensor([1.2, 0.0, 1.2], dtype=torch.float64)[:, None, None].repeat(1, n, n)
b = torch.zeros(2, dtype=torch.float64)
start = G.clone()
G.requires_grad_(), b.requires_grad_()
optimiser = torch.optim.LBFGS([G, b], max_iter=steps, history_size=20,
                              line_search_fn="strong_wolfe", tolerance_grad=1e-12)
losses: List[float] = []


def closure() -> float:
    optimiser.zero_grad()
    misfit = (layer(*project(G, drift(b))) - observed).square().mean()
    rough = sum((G.diff(dim=k) ** 2).sum() for k in (1, 2))
    loss = misfit + 1e-4 * rough
    loss.backward()
    losses.append(misfit.item())
    return float(loss)


optimiser.step(closure)


def error(G: torch.Tensor) -> float:
    return float(((G - truth).square().sum() / (truth - start).square().sum()).sqrt())


print(f"misfit {losses[0]:.3g} -> {losses[-1]:.3g} after {len(losses)} solves of "
      f"{len(corners)} fronts; error of G {error(start):.0%} -> {error(G.detach()):.0%} of the "
      f"start's; drift {b.detach().numpy().round(3)}, truth {wind.numpy()}")
assert losses[-1] < 0.01 * losses[0] and error(G.detach()) < 0.6
assert (b.detach() - wind).abs().max() < 0.05

try:
    import matplotlib
except ImportError:
    print("no matplotlib: no picture")
else:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(2, 3, figsize=(9, 6), constrained_layout=True)
    for row, (name, field) in zip(axes, (("truth", truth), ("found", G.detach()))):
        for k, axis in enumerate(row):
            image = axis.imshow(field[k], vmin=truth[k].min(), vmax=truth[k].max())
            axis.set_title(f"{name}: {('g11', 'g12', 'g22')[k]}")
            axis.set_axis_off()
            figure.colorbar(image, ax=axis, shrink=0.8)
    figure.savefig(arguments.out, dpi=110)
    print(f"wrote {arguments.out}")
