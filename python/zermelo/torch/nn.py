# SPDX-License-Identifier: Apache-2.0
"""Modules that make an admissible metric and drift of whatever a network puts out.

Each says in `channels` how many channels it takes.  Zeros give an isotropic metric without drift,
so a network whose last layer starts near 0 starts there; every map is smooth, and stays within its
bounds.

>>> import torch, zermelo
>>> param = zermelo.torch.nn.LogCholesky(eig_min=0.01, eig_max=100.0, rho=0.9)
>>> network = torch.nn.Conv2d(2, param.channels, 3, padding=1)
>>> G, b = param(network(torch.randn(4, 2, 16, 16)))
>>> T = zermelo.torch.solve(G, b, [(8, 8)])
>>> T.shape
torch.Size([4, 16, 16])
"""
from __future__ import annotations

from typing import Optional, Tuple

import torch
from torch import Tensor

from .._arrays import Nonfinite, number_of
from .._core import ArgumentError
from .._parametrise import Chart, Parametrisation
from ._cells import parametrise_with
from ._tensors import refuse_derivatives

__all__ = ["Fire", "LogCholesky", "LogEuclidean", "Zermelo"]


class _Chart(torch.nn.Module):
    def __init__(self, options: Parametrisation, planes: int, drift: bool):
        super().__init__()
        if planes not in (1, 2, 3):
            raise ArgumentError(f"planes is {planes}, expected 1 (isotropic), 2 (diagonal) or 3")
        self.options, self.planes, self.drift = options, planes, drift
        parametrise_with(torch.zeros(self.channels, 1, 1), options, drift)  # refuses wrong bounds

    @property
    def channels(self) -> int:
        """How many channels the input has."""
        return self.planes + (2 if self.drift else 0)

    def forward(self, free: Tensor) -> Tuple[Tensor, Optional[Tensor]]:
        """(G, b) of free values (channels, H, W) or (B, channels, H, W); b is None without drift."""
        if free.dim() not in (3, 4) or free.shape[-3] != self.channels:
            raise ArgumentError(f"free has shape {tuple(free.shape)}, expected (B, {self.channels}, H, "
                                f"W) or ({self.channels}, H, W)")
        return parametrise_with(free, self.options, self.drift)

    def extra_repr(self) -> str:
        o = self.options
        return (f"channels={self.channels}, start={o.start}, eig_min={o.eig_min}, "
                f"eig_max={o.eig_max}, rho={o.rho}")


class LogCholesky(_Chart):
    """Metric by the logarithms of its Cholesky factor, drift in a ball.

    G = L L' with L = [[exp p1, 0], [p2, exp p3]], bounded; b = C u, where C is the Cholesky factor of
    G and u = rho tanh(\\|q\\|)/\\|q\\| q.  planes: 3 for all of G, 2 for a diagonal, 1 for an isotropic
    metric.  start: G = start I where free values are 0.
    """

    def __init__(self, planes: int = 3, drift: bool = True, *, start: float = 1.0,
                 eig_min: float = 1e-6, eig_max: float = 1e6, rho: float = 0.99, threads: int = 1,
                 nonfinite: Nonfinite = "propagate"):
        super().__init__(Parametrisation("log-cholesky", "randers", start, eig_min, eig_max, rho,
                                         nonfinite, threads), planes, drift)


class LogEuclidean(_Chart):
    """Metric by its logarithm, drift in a ball: LogCholesky that knows no axes.

    G = exp([[p1, p2], [p2, p3]]), bounded; b = G^(1/2) u.  Turning the frame turns G and b with it.
    """

    def __init__(self, planes: int = 3, drift: bool = True, *, start: float = 1.0,
                 eig_min: float = 1e-6, eig_max: float = 1e6, rho: float = 0.99, threads: int = 1,
                 nonfinite: Nonfinite = "propagate"):
        super().__init__(Parametrisation("log-euclidean", "randers", start, eig_min, eig_max, rho,
                                         nonfinite, threads), planes, drift)


class Zermelo(_Chart):
    """A front with its own speed in a wind: the free numbers are those of h and W.

    Bounds are those of h, which is 1/speed^2, and of \\|W\\|_h < rho: the wind is slower than the
    front.  planes: 1 for a speed that is the same in all directions.

    >>> import torch, zermelo
    >>> boat = zermelo.torch.nn.Zermelo(start=1 / 2.0**2)       # 2 m/s in still water
    >>> G, b = boat(torch.zeros(boat.channels, 1, 3))
    >>> zermelo.torch.solve(G, b, (0, 0))
    tensor([[0.0000, 0.5000, 1.0000]])
    """

    def __init__(self, planes: int = 1, chart: Chart = "log-cholesky", *, start: float = 1.0,
                 eig_min: float = 1e-6, eig_max: float = 1e6, rho: float = 0.99, threads: int = 1,
                 nonfinite: Nonfinite = "propagate"):
        super().__init__(Parametrisation(chart, "zermelo", start, eig_min, eig_max, rho, nonfinite,
                                         threads), planes, True)


class Fire(_Chart):
    """A fire that was lit at the rear focus of its ellipse: slowness, eccentricity, heading.

    Three free channels: the logarithm of the slowness s over `slowness`, and a vector along the
    heading whose length gives the eccentricity e < eccentricity.  G = s^2 I and b = s e u, with u the
    heading; the head runs at 1/(s (1 - e)), the back at 1/(s (1 + e)).

    >>> import torch, zermelo
    >>> fire = zermelo.torch.nn.Fire(slowness=0.5)
    >>> G, b = fire(torch.zeros(3, 1, 3))
    >>> zermelo.torch.solve(G, b, (0, 0))
    tensor([[0.0000, 0.5000, 1.0000]])
    """

    def __init__(self, slowness: float = 1.0, slowness_min: float = 1e-3,
                 slowness_max: float = 1e3, eccentricity: float = 0.99, threads: int = 1,
                 nonfinite: Nonfinite = "propagate"):
        given = {"slowness": slowness, "slowness_min": slowness_min, "slowness_max": slowness_max,
                 "eccentricity": eccentricity}
        refuse_derivatives("free has", **given)
        slowness, slowness_min, slowness_max, eccentricity = (
            number_of(value, name) for name, value in given.items())
        if not 0 <= slowness_min < slowness < slowness_max:
            raise ArgumentError(f"slowness is {slowness}, expected a number between slowness_min = "
                                f"{slowness_min} >= 0 and slowness_max = {slowness_max}")
        if not 0 < eccentricity < 1:
            raise ArgumentError(f"eccentricity is {eccentricity}, expected a number between 0 and 1")
        super().__init__(Parametrisation("log-cholesky", "randers", slowness**2, slowness_min**2,
                                         slowness_max**2, eccentricity, nonfinite, threads), 1, True)
