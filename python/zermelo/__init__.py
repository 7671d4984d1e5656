# SPDX-License-Identifier: Apache-2.0
"""Arrival times of moving fronts, and their exact derivatives.

>>> import numpy as np, zermelo
>>> G = np.ones((81, 81))                                # unit speed
>>> T = zermelo.solve(G, (0.3, 0.0), [(40, 40)])         # faster to the right
>>> T[40, [70, 10]].round(3)
array([21., 39.])

`solve` gives times, `Solution` derivatives and paths; `zermelo.torch` is a layer for
PyTorch, `zermelo.plot` draws, `zermelo.fire` burns landscapes; they are imported when they are
first used.
"""
from typing import TYPE_CHECKING, Any

from ._core import (ArgumentError, Cancelled, Error, MetricError, NotConvergedWarning, SourceError,
                    StateError, UnsupportedError, __version__, clear_cache)
from ._convert import (FireEllipse, fire_ellipse, from_zermelo, project, project_vjp,
                       to_fire_ellipse, to_zermelo)
from ._experiments import Experiment
from ._frames import Raster
from ._invert import Inversion, Iteration, LCurve, Report, invert
from ._isochrones import Isochrone, Isochrones, isochrones
from ._parametrise import parametrise, parametrise_vjp
from ._solve import Solution, Stencils, check, path_cost, solve
from ._view import View, view

if TYPE_CHECKING:
    from . import fire, plot, torch

__all__ = [
    "ArgumentError", "Cancelled", "Error", "Experiment",
    "FireEllipse", "Inversion", "Isochrone", "Isochrones", "Iteration", "LCurve",
    "MetricError", "NotConvergedWarning", "Raster", "Report", "Solution",
    "SourceError", "StateError", "Stencils", "UnsupportedError", "View", "check", "clear_cache",
    "fire_ellipse", "from_zermelo", "invert", "isochrones", "parametrise", "parametrise_vjp",
    "path_cost", "project", "project_vjp", "solve", "to_fire_ellipse", "to_zermelo", "view",
]


def __getattr__(name: str) -> Any:
    if name in ("fire", "plot", "torch"):
        import importlib
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'zermelo' has no attribute {name!r}")
