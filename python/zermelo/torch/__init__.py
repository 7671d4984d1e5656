# SPDX-License-Identifier: Apache-2.0
"""Arrival times as a PyTorch function and layer, and modules that make metrics.

>>> import torch, zermelo
>>> G = torch.ones(1, 3, 20, 20, dtype=torch.float64)
>>> G[:, 1] = 0
>>> G.requires_grad_()                                              # doctest: +ELLIPSIS
tensor(...)
>>> T = zermelo.torch.solve(G, None, [(10, 10)])
>>> T[0, 10, 19].backward()
>>> float(G.grad[0, 0, 10, 19])                 # half a unit of time for a unit of g11
0.5

Derivatives are exact, in reverse and in forward mode (`torch.autograd.forward_ad`).  Second
derivatives raise an error.
"""
from . import nn
from ._cells import (Projection, fire_ellipse, from_zermelo, parametrise, project, to_zermelo)
from ._solve import EikonalLayer, solve

__all__ = ["EikonalLayer", "Projection", "fire_ellipse", "from_zermelo", "nn", "parametrise",
           "project", "solve", "to_zermelo"]
