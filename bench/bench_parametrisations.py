#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How well a network trains through the maps that make metric and drift admissible, and what they cost.

    build/python/bin/python bench/bench_parametrisations.py [--epochs N] [--seeds N]

One small convolutional network, the same images and arrival times, the same steps; only the map
between the network and the solver differs.  The loss is the mean square error of arrival times over
their mean square, of the last epoch.  Times are processor time a cell, forward and backward, in the
map and in the solver, of the whole training on one thread.
"""
import argparse
import time

import numpy as np
import torch

from zermelo.torch import EikonalLayer, Projection, nn

SIDE, IMAGES, BATCH = 48, 96, 8


def smooth_noise(rng, count):
    """Smooth random fields (count, SIDE, SIDE) of mean 0 and standard deviation 1."""
    k = np.fft.fftfreq(SIDE) * SIDE
    low = np.exp(-(k[:, None] ** 2 + k**2) / 18)
    field = np.fft.ifft2(np.fft.fft2(rng.normal(size=(count, SIDE, SIDE))) * low).real
    return torch.tensor(field / field.std(axis=(1, 2), keepdims=True), dtype=torch.float32)


def world(rng, count):
    """Images (vegetation, height, grain), and metric and drift that follow from them: vegetation is
    slow, fronts run downhill, and faster along the grain than across."""
    vegetation, height, grain = (smooth_noise(rng, count) for _ in range(3))
    slowness = torch.exp(0.5 * vegetation)
    a, stretch = 1.2 * grain, 1.6
    c, s = torch.cos(a), torch.sin(a)
    along, across = slowness**2 / stretch, slowness**2 * stretch
    G = torch.stack([along * c * c + across * s * s, (along - across) * c * s,
                     along * s * s + across * c * c], dim=1)
    slope = torch.stack(torch.gradient(height, dim=(2, 1)), dim=1)
    b = -0.5 * slowness[:, None] * slope / (1 + slope.square().sum(1, keepdim=True)).sqrt()
    return torch.stack([vegetation, height, grain], dim=1), G, b


class Clamp(Projection):
    def forward(self, free):
        return super().forward(free[:, :3], free[:, 3:])


class ClampWithBias(Clamp):
    """The identity is added, so that the network starts inside of the bounds."""

    def forward(self, free):
        return super().forward(free + free.new_tensor([1.0, 0, 1, 0, 0])[:, None, None])


class SoftplusCholesky(torch.nn.Module):
    """As people write it with torch alone: softplus on the diagonal of the factor, tanh ball."""

    def forward(self, free):
        p1, p2, p3, q1, q2 = free.unbind(1)
        a, d = (torch.nn.functional.softplus(p + 0.5413) + 1e-3 for p in (p1, p3))
        r = (q1**2 + q2**2 + 1e-12).sqrt()
        u1, u2 = (0.99 * torch.tanh(r) / r * q for q in (q1, q2))
        G = torch.stack([a * a, a * p2, p2 * p2 + d * d], dim=1)
        return G, torch.stack([a * u1, p2 * u1 + d * u2], dim=1)


MAPS = {
    "clamp": lambda: Clamp(0.05, rho=0.95),
    "clamp with bias": lambda: ClampWithBias(0.05, rho=0.95),
    "softplus-Cholesky in torch": SoftplusCholesky,
    "log-Cholesky": lambda: nn.LogCholesky(eig_min=1e-3, eig_max=1e3),
    "log-Euclidean": lambda: nn.LogEuclidean(eig_min=1e-3, eig_max=1e3),
    "Zermelo": lambda: nn.Zermelo(planes=3, eig_min=1e-3, eig_max=1e3),
    "fire (isotropic)": lambda: nn.Fire(),
}


def network_for(channels, seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, padding=1, padding_mode="replicate"), torch.nn.GELU(),
        torch.nn.Conv2d(32, 32, 1), torch.nn.GELU(), torch.nn.Conv2d(32, channels, 1))


class Clock:
    """Processor seconds of a module, forward and backward."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self, function, *inputs):
        begin = time.process_time()
        out = function(*inputs)
        self.seconds += time.process_time() - begin
        return out


def step(admissible, layer, free, observed, scale, clocks):
    """Loss and dL/dfree, with the time of the map and of the solver apart: the graph is cut between
    them."""
    G, b = clocks[0](admissible, free)
    leaf, wind = G.detach().requires_grad_(), b.detach().requires_grad_()
    T = clocks[1](layer, leaf, wind)
    loss = (T - observed).square().mean() / scale
    slope, = torch.autograd.grad(loss, T, retain_graph=True)
    clocks[1](T.backward, slope)
    clocks[0](torch.autograd.backward, [G, b], [leaf.grad, wind.grad])
    return loss.item()


def train(make, data, epochs, seed):
    """Mean loss of the last epoch, seconds in the map and in the solver."""
    picture, observed, layer = data
    admissible = make()
    network = network_for(getattr(admissible, "channels", 5), seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
    steps = epochs * (IMAGES // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1e-2, total_steps=steps)
    scale, clocks = observed.square().mean(), (Clock(), Clock())
    for _ in range(epochs):
        losses = []
        for batch in torch.randperm(IMAGES).split(BATCH):
            optimiser.zero_grad()
            out = network(picture[batch])
            free = out.detach().requires_grad_()
            losses.append(step(admissible, layer, free, observed[batch], scale, clocks))
            out.backward(free.grad)
            optimiser.step()
            schedule.step()
    return float(np.mean(losses)), *(clock.seconds for clock in clocks)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each map")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    picture, G, b = world(np.random.default_rng(1), IMAGES)
    layer = EikonalLayer(sources=[(SIDE // 2, SIDE // 2), (4, 6)])
    data = picture, layer(G, b), layer
    print(f"{'map':28} loss after {arguments.epochs} epochs (of {arguments.seeds})     map   solve  "
          "ns a cell, ratio")
    for name, make in MAPS.items():
        runs = [train(make, data, arguments.epochs, seed) for seed in range(arguments.seeds)]
        losses, own, solve = zip(*runs)
        own, solve = (1e9 * min(seconds) / (arguments.epochs * IMAGES * SIDE * SIDE)
                      for seconds in (own, solve))
        print(f"{name:28} {np.median(losses):.4f}  ({min(losses):.4f} to {max(losses):.4f})      "
              f"{own:6.1f}  {solve:6.1f}  {own / solve:.2f}", flush=True)


if __name__ == "__main__":
    main()
