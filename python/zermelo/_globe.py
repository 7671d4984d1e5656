# SPDX-License-Identifier: Apache-2.0
"""Grids of latitude and longitude: the metric of the sphere, folded into that of the front.

A cell at the latitude p is R dlat high and s R dlon wide, s = cos p.  With spacing
(R dlat, R dlon) a move by v on the grid is (s v1, v2) on the ground, so

    F(v) = sqrt(s^2 g11 v1^2 + 2 s g12 v1 v2 + g22 v2^2) - s b1 v1 - b2 v2,

and G, b, their derivatives and the flow stay those of the ground, which the user gave.
"""
from __future__ import annotations

from copy import copy
from typing import Optional, Tuple

import numpy as np

from ._core import ArgumentError
from ._types import Array

EARTH_RADIUS = 6_371_008.8  # metres; the mean radius of the WGS 84 ellipsoid


class Globe:
    """The fold of one grid: `scale` is cos(latitude), (H, 1)."""

    def __init__(self, latitudes: Array, step: float, longitude_step: float):
        if not (np.abs(latitudes) < 90 - 1e-9).all():
            row = int(np.argmax(np.abs(latitudes)))
            raise ArgumentError(f"the latitude of row {row} is {latitudes[row]:g}, expected "
                                "centres of cells between -90 and 90 degrees: a pole has no "
                                "cells beside it")
        self.scale = np.cos(np.radians(latitudes))[:, None]
        metres = np.radians(1.0) * EARTH_RADIUS
        self.spacing = abs(step) * metres, abs(longitude_step) * metres
        self.shape: Tuple[int, ...] = ()

    def part(self, G: Array) -> "Globe":
        """For the metric on the grid of one problem of a batch, or of some."""
        part = copy(self)
        if len(self.shape) == 4:
            part.shape = (*G.shape[:-3], *self.shape[1:])
        return part

    def metric(self, G: Array) -> Array:
        """A metric of the ground on the grid; a scalar one becomes diagonal."""
        s = self.scale.astype(G.dtype)
        self.shape = G.shape
        return self.direction(G, s)

    def direction(self, G: Array, s: Optional[Array] = None) -> Array:
        """The same for a change of the metric."""
        s = self.scale.astype(G.dtype) if s is None else s
        if G.ndim == 2 or G.shape[-3] == 1:
            g = G if G.ndim == 2 else G[..., 0, :, :]
            return np.stack([s * s * g, g], axis=-3)
        out = np.array(G, order="C", subok=False)
        out[..., 0, :, :] *= s * s
        if G.shape[-3] == 3:
            out[..., 1, :, :] *= s
        return out

    def derivative(self, dG: Array) -> Array:
        """From derivatives with respect to the metric on the grid to that of the ground."""
        s = self.scale.astype(dG.dtype)
        if len(self.shape) == 2 or self.shape[-3] == 1:
            total: Array = s * s * dG[..., 0, :, :] + dG[..., 1, :, :]
            return total.reshape(self.shape)
        return self.direction(dG)

    def vector(self, v: Array) -> Array:
        """A drift or its change on the grid, a derivative or a velocity on the ground: each has its
        first component multiplied by s."""
        out = np.array(v, order="C", subok=False)
        out[..., 0, :, :] *= self.scale.astype(v.dtype)
        return out
