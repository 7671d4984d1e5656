# SPDX-License-Identifier: Apache-2.0
"""Metrics that change with time, such as hourly weather."""
from __future__ import annotations

import math
from typing import Any, Callable, Literal, NamedTuple, Optional, Tuple, overload

import numpy as np

from . import _core
from ._arrays import F64, ArrayLike, Spacing, choice, mask, targets_of
from ._core import ArgumentError
from ._setup import Setup, like_times, room_for_times

COSTS = ("own", "mean")


class BandsReport(NamedTuple):
    """How a solve went: cells with a time, steps tried, cells reopened, windows of metrics
    looked at, the latest time and its band (-1: none), whether all times are final."""

    cells: int
    updates: int
    reopened: int
    windows: int
    last: float
    last_band: int
    converged: bool


class BandsSetup:
    """Checked arrays of a call; the bands are the batch of a Setup."""

    def __init__(self, G: ArrayLike, b: ArrayLike, starts: ArrayLike, sources: ArrayLike,
                 spacing: Spacing, walls: ArrayLike, stopped: ArrayLike):
        self.starts = np.array(starts, dtype=F64)
        if self.starts.ndim != 1 or len(self.starts) == 0:
            raise ArgumentError(f"starts has shape {self.starts.shape}, expected the time at which "
                                "each band begins")
        self.fields = s = Setup(G, b, sources, spacing, walls, bands=len(self.starts))
        self.stopped = mask(stopped, s.cells, "stopped", batch=True)
        if self.stopped is not None:
            self.stopped = np.ascontiguousarray(
                np.broadcast_to(self.stopped, (s.n, *s.cells)))
        self.arguments = (s.problem, self.starts, self.stopped)


class BandsSolution:
    """Arrival times through bands with the record of how they came about.

    Made by ``solve_bands(..., solution=True)``; leave the arrays given unchanged while it is in
    use.
    """

    T: Any
    """Arrival times (H, W), read-only."""
    report: BandsReport

    def __init__(self, setup: BandsSetup, core: Any, T: np.ndarray, report: tuple):
        self._setup, self._core, self._T, self.T = setup, core, T, T
        *counts, converged = report
        self.report = BandsReport._make([*counts, bool(converged)])

    def __repr__(self) -> str:
        return (f"<zermelo.BandsSolution of {' x '.join(map(str, self._T.shape))} cells, "
                f"{len(self._setup.starts)} bands>")

    @overload
    def vjp(self, g: ArrayLike, *, sources: Literal[False] = ...) -> Tuple[Any, Any]: ...
    @overload
    def vjp(self, g: ArrayLike, *, sources: Literal[True]) -> Tuple[Any, Any, Any]: ...

    def vjp(self, g: ArrayLike, *, sources: bool = False) -> Any:
        """From g = dL/dT to dL/dG and dL/db, which have the shapes of G and b; with
        ``sources=True`` also dL/dsources (n, 3), of which only times have derivatives."""
        s = self._setup.fields
        dG, db = s.room(s.g), None if s.b is None else s.room(s.b)
        times = np.empty(len(s.sources[0]))
        self._core.adjoint(*self._setup.arguments, like_times(g, self._T, "g"), dG, db, times)
        dG = s.total(dG, s.g.shape)
        if s.template is not None:
            dG = s.template.metric(dG)
        db = None if db is None else s.total(db, s.b.shape)
        return (dG, db, np.pad(times[:, None], ((0, 0), (2, 0)))) if sources else (dG, db)

    def jvp(self, dG: ArrayLike = None, db: ArrayLike = None, dsources: ArrayLike = None) -> Any:
        """How T moves along a direction; of dsources (n, 3) only times may move."""
        s, dT = self._setup.fields, np.empty_like(self._T)
        times = None
        if dsources is not None:
            rows, cols, times = s.source_direction(dsources)[0]  # type: ignore[index]
            if rows.any() or cols.any():
                raise ArgumentError("sources of bands can move in time only")
        self._core.tangent(*self._setup.arguments, s.direction(dG, s.g, "dG"),
                           s.direction(db, s.b, "db"), times, dT)
        return s.dress(dT)


def bands_forward(setup: BandsSetup, t_max: Optional[float], cost: str, targets: ArrayLike,
                  max_cells: Optional[int], out: Optional[np.ndarray],
                  progress: Optional[Callable[[float], Any]]) -> BandsSolution:
    s = setup.fields
    T = room_for_times(out, s.cells, s.g.dtype)
    core = _core.Bands(s.problem, choice("cost", cost, COSTS) == 1)
    report = core.solve(*setup.arguments, T, math.inf if t_max is None else t_max,
                        targets_of(targets, s.cells), max_cells or 0, progress)
    return BandsSolution(setup, core, T, report)


def solve_bands(G: ArrayLike, b: ArrayLike, starts: ArrayLike, sources: ArrayLike,
                spacing: Spacing = 1.0, walls: ArrayLike = None, t_max: Optional[float] = None, *,
                stopped: ArrayLike = None, cost: str = "mean", solution: bool = False,
                targets: ArrayLike = None, max_cells: Optional[int] = None,
                out: Optional[np.ndarray] = None,
                progress: Optional[Callable[[float], Any]] = None) -> Any:
    """Arrival times where metric and drift change with time.

    Band k lasts from starts[k] to starts[k + 1]; the first counts before its start too, the last
    for ever.  A front that is stopped waits and goes on where it was.

    Parameters
    ----------
    G : array (K, 1|2|3, H, W), one metric a band; or one of `solve` for all bands
    b : array (K, 2, H, W), or one drift of `solve` for all bands, or None
    starts : K increasing times
    stopped : array of bool (K, H, W) or (H, W), optional
        Nothing moves in these cells during the band (g11 = inf means the same).
    cost : 'mean' or 'own'
        What a step over several cells costs: the mean over them, or by the cell it leads to.

    The others are those of `solve`; sources are in the middle of cells.  Returns T (H, W), or a
    `BandsSolution` with derivatives.

    >>> import numpy as np, zermelo
    >>> G = np.ones((2, 1, 1, 9)); G[1] = 4.0            # from time 3 on at half the speed
    >>> zermelo.solve_bands(G, None, [0.0, 3.0], (0, 0))
    array([[ 0.,  1.,  2.,  3.,  5.,  7.,  9., 11., 13.]])
    """
    setup = BandsSetup(G, b, starts, sources, spacing, walls, stopped)
    result = bands_forward(setup, t_max, cost, targets, max_cells, out, progress)
    if not solution:
        return setup.fields.dress(result._T)
    view = result._T.view()
    view.flags.writeable = False
    result.T = setup.fields.dress(view)
    return result
