#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network through the layer: from an image to metric and drift.

    03_train_cnn.py [--quick] [--out FILE]

Each image shows vegetation (slow) and a height map (the drift pushes downhill); the network is
never shown the metric, only when fronts arrived.  Times on images it has not seen are the test.
"""
import argparse
from typing import Tuple, Union

import numpy as np
import torch

from zermelo.torch import EikonalLayer, nn

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--quick", action="store_true", help="few images and steps")
parser.add_argument("--out", default="03_train_cnn.png")
arguments = parser.parse_args()

n, images, steps = (24, 12, 40) if arguments.quick else (48, 48, 250)
torch.manual_seed(1)
Which = Union[slice, torch.Tensor]
rng = np.random.default_rng(1)


def smooth_noise(count: int) -> torch.Tensor:
    """Smooth random fields (count, n, n) of mean 0 and standard deviation 1."""
    k = np.fft.fftfreq(n, 1.0 / n)
    low = np.exp(-(k[:, None] ** 2 + k**2) / 18)
    field = np.fft.ifft2(np.fft.fft2(rng.normal(size=(count, n, n))) * low).real
    return torch.tensor(field / field.std(axis=(1, 2), keepdims=True), dtype=torch.float32)


def world(count: int) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Images (vegetation, height) and what is true of them."""
    vegetation, height = smooth_noise(count), smooth_noise(count)
    slowness = torch.exp(0.4 * vegetation)
    G = torch.stack([slowness**2, torch.zeros_like(slowness), slowness**2], dim=1)
    slope = torch.stack(torch.gradient(height, dim=(2, 1)), dim=1)
    b = -0.8 * slowness[:, None] * slope / (1 + slope.square().sum(1, keepdim=True)).sqrt()
    return torch.stack([vegetation, height], dim=1), G, b


layer = EikonalLayer(sources=[(n // 2, n // 2)], threads=2)
admissible = nn.LogCholesky(eig_min=0.02, eig_max=50.0, rho=0.95)
picture, G, b = world(images + 8)
observed = layer(G, b)
train, test = slice(0, images), slice(images, None)

network = torch.nn.Sequential(
    torch.nn.Conv2d(2, 24, 3, padding=1, padding_mode="replicate"), torch.nn.GELU(),
    torch.nn.Conv2d(24, 24, 1), torch.nn.GELU(), torch.nn.Conv2d(24, admissible.channels, 1))
with torch.no_grad():
    network[-1].weight *= 0.1  # zeros are an isotropic metric without drift: a good start
    network[-1].bias[:] = 0


def arrival(which: Which) -> torch.Tensor:
    times: torch.Tensor = layer(*admissible(network(picture[which])))
    return times


def error(which: Which) -> float:
    with torch.no_grad():
        rest = arrival(which) - observed[which]
        return float((rest.square().sum() / observed[which].square().sum()).sqrt())


optimiser = torch.optim.Adam(network.parameters(), lr=6e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-2, total_steps=steps)
before, losses = error(test), []
for step in range(steps):
    batch = torch.randperm(images)[:8]
    loss = (arrival(batch) - observed[batch]).square().mean() / observed[batch].square().mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    schedule.step()
    losses.append(loss.item())
after = error(test)
print(f"relative error of arrival times on images not seen: {before:.1%} before, {after:.1%} after "
      f"{steps} steps")
assert after < (0.5 if arguments.quick else 0.25) * before

try:
    import matplotlib
except ImportError:
    print("no matplotlib: no picture")
else:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    with torch.no_grad():
        found = arrival(test)
    figure, axes = plt.subplots(2, 4, figsize=(11, 5.6), constrained_layout=True)
    for row, i in zip(axes, (0, 1)):
        T, F = observed[test][i], found[i]
        levels = np.linspace(0, float(T.max()), 12)
        for axis, field, title in zip(row, (picture[test][i, 0], picture[test][i, 1], T, F),
                                      ("vegetation", "height", "arrival, true",
                                       "arrival, predicted")):
            axis.imshow(field, cmap="Greens" if title == "vegetation" else "viridis")
            if title.startswith("arrival"):
                axis.contour(field, levels, colors="w", linewidths=0.8)
            axis.set_title(title)
            axis.set_axis_off()
    figure.savefig(arguments.out, dpi=110)
    print(f"wrote {arguments.out}")
