# SPDX-License-Identifier: Apache-2.0
"""A call as the library takes it: checked arrays and options."""
from __future__ import annotations

import math
from typing import Any, Callable, Literal, Optional, Tuple, Union, get_args

import numpy as np

from . import _core
from ._arrays import (F32, F64, ArrayLike, Cells, Spacing, choice, drift, floats, mask, metric,
                      piecewise, same_type, sources_of, spacing_of, targets_of, threads_of)
from ._core import ArgumentError
from ._labels import undress

StencilKind = Literal["fixed", "adaptive"]
Periodic = Literal["", "x", "y", "xy"]
Cost = Literal["own", "mean"]
STENCILS, PERIODIC, COSTS = get_args(StencilKind), get_args(Periodic), get_args(Cost)
FACTOR_BY_ORDER = -1.0
"""ZM_FACTOR_BY_ORDER of the library."""


# ---- a problem as the library takes it -----------------------------------------------

class Setup:
    """Checked arrays of one call.  ``batch`` is None for a single problem; ``sets`` are those of
    planes, of the problems of a batch or of time intervals, and None if there is no such axis."""

    __slots__ = ("template", "cells", "g", "b", "constant", "walls", "sources", "own_sources",
                 "batch", "sets", "starts", "stopped", "n", "spacing", "problem")
    cells: Cells
    g: np.ndarray
    b: Any
    constant: Optional[Tuple[int, ...]]
    """Shape of a drift of two numbers or one, which `b` has in every cell."""
    starts: Optional[np.ndarray]
    stopped: Optional[np.ndarray]

    def __init__(self, G: ArrayLike, b: ArrayLike, sources: ArrayLike, spacing: Spacing,
                 walls: ArrayLike, starts: ArrayLike = None, stopped: ArrayLike = None):
        values, self.template, masked = undress(G)
        g = metric(values)
        self.cells = cells = g.shape[-2:]
        d = drift(b, cells)
        self.constant = None
        if d is not b and np.ndim(b) < 3:
            self.constant = np.shape(b)
        if d is not None and d.dtype != g.dtype:
            g, d = same_type(g, d)
        self.g, self.b = g, d
        self.walls = mask(walls, cells, "walls", batch=True)
        if masked is not None:
            self.walls = masked if self.walls is None else np.ascontiguousarray(self.walls | masked)
        self.sources, self.own_sources = sources_of(sources, cells)
        self.batch = self.sets = self._batch()
        self.starts = self.stopped = None
        if starts is not None:
            self._set_intervals(starts, stopped)
        elif stopped is not None:
            raise ArgumentError("stopped is for metrics that change with time: give starts too")
        self.n = self.batch or 1
        self.spacing = spacing_of(spacing, self.template)
        self.problem = _core.Problem(*cells, *self.spacing, g.dtype == F32, self.sets or 1, g, d,
                                     self.walls, self.sources, self.starts, self.stopped)

    def _batch(self) -> Optional[int]:
        """How many problems: one number for all that have a batch axis; None: no axis."""
        g, b, walls = self.g, self.b, self.walls
        sizes = {}
        if g.ndim == 4:
            sizes["G"] = len(g)
        if b is not None and b.ndim == 4:
            sizes["b"] = len(b)
        if walls is not None and walls.ndim == 3:
            sizes["walls"] = len(walls)
        if self.own_sources:
            sizes["sources"] = len(self.sources)
        if not sizes:
            return None
        n = max(sizes.values())
        if not set(sizes.values()) <= {1, n}:
            raise ArgumentError("batches of different size: " +
                                ", ".join(f"{name} has {size}" for name, size in sizes.items()))
        return n

    def _set_intervals(self, starts: ArrayLike, stopped: ArrayLike) -> None:
        """The leading axis of G and b is that of time, not of a batch."""
        self.starts = np.array(starts, dtype=F64)
        if self.starts.ndim != 1 or len(self.starts) == 0:
            raise ArgumentError(f"starts has shape {self.starts.shape}, expected the time at which "
                                "each interval begins")
        n = len(self.starts)
        if self.own_sources or (self.walls is not None and self.walls.ndim == 3):
            raise ArgumentError("all time intervals share sources and walls")
        if self.batch not in (None, 1, n):
            raise ArgumentError(f"G or b has {self.batch} intervals, but there are {n} starts")
        self.batch, self.sets = None, n
        self.stopped = mask(stopped, self.cells, "stopped", batch=True)
        if self.stopped is not None:
            self.stopped = np.ascontiguousarray(np.broadcast_to(self.stopped, (n, *self.cells)))

    def times_shape(self) -> Tuple[int, ...]:
        return self.cells if self.batch is None else (self.batch, *self.cells)

    def dress(self, T: np.ndarray) -> Any:
        return T if self.template is None else self.template.times(T)

    def sources_for(self, i: int) -> np.ndarray:
        """The sources of problem i, its own or those of all."""
        return self.sources[i if len(self.sources) > 1 else 0]

    def part(self, i: Union[int, slice]) -> "Setup":
        """Problem i of the batch, alone, or some of them as a batch."""
        alone = isinstance(i, int)

        def pick(a: Optional[np.ndarray], single: int) -> Optional[np.ndarray]:
            if a is None or a.ndim == single or (len(a) == 1 and not alone):
                return a
            return a[i if len(a) > 1 else 0]
        sources: Any
        if isinstance(i, int):
            sources = self.sources_for(i)
        elif len(self.sources) > 1:
            sources = self.sources[i]
        else:  # of all, with an axis of the batch or without
            sources = self.sources if self.own_sources else self.sources[0]
        setup = Setup(pick(self.g, min(self.g.ndim, 3)), pick(self.b, 3), sources, self.spacing,
                      pick(self.walls, 2))
        setup.constant = self.constant
        setup.template = None if self.template is None else self.template.part(i)
        return setup

    # ---- derivatives: by every problem, summed over those that share an array ----

    def room(self, a: np.ndarray) -> np.ndarray:
        """For a derivative with respect to a, of every problem."""
        if self.sets is None:
            return np.empty_like(a, order="C", subok=False)
        planes = a.shape[-3] if a.ndim > 2 else 1
        return np.empty((self.sets, planes, *a.shape[-2:]), a.dtype)

    def total(self, d: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
        if self.sets is not None and (len(shape) < 4 or shape[0] < len(d)):
            d = d.sum(axis=0)
        return d.reshape(shape)

    def total_drift(self, d: np.ndarray) -> np.ndarray:
        """`total` for the drift: over all cells too where they share two numbers or one."""
        d = self.total(d, self.b.shape)
        if self.constant is None:
            return d
        return np.asarray(d.sum(axis=(1, 2) if self.constant else None))

    def direction(self, d: ArrayLike, a: Optional[np.ndarray], name: str
                  ) -> Optional[np.ndarray]:
        """A direction in the space of a, or of the drift where there is none yet."""
        if d is None:
            return None
        d = floats(d, name).astype(self.g.dtype, copy=False)
        if a is None or (a is self.b and d.shape == self.constant):
            return drift(d, self.cells, name)
        if d.shape != a.shape:
            raise ArgumentError(f"{name} has shape {d.shape}, expected {a.shape}")
        return piecewise(d)

    def source_lists(self, rows: np.ndarray) -> Any:
        """The rows of all sources, one list after the other, as `source_direction` takes them."""
        if not self.own_sources:
            return rows
        return np.split(rows, np.cumsum([len(one) for one in self.sources])[:-1])

    def source_direction(self, d: ArrayLike) -> Optional[Tuple[np.ndarray, ...]]:
        """Rows, columns and times (3, n) for each problem."""
        if d is None:
            return None
        lists = [np.asarray(one, dtype=F64) for one in (d if self.own_sources else [d])]
        found, wanted = [one.shape for one in lists], [one.shape for one in self.sources]
        if found != wanted:
            which = slice(None) if self.own_sources else 0
            raise ArgumentError(f"dsources has shape {found[which]}, expected {wanted[which]} "
                                "as sources: row, col, time")
        rows = tuple(np.ascontiguousarray(one.T) for one in lists)
        return rows if len(rows) > 1 else rows * self.n


def like_times(g: ArrayLike, T: np.ndarray, name: str) -> np.ndarray:
    a = floats(g, name).astype(T.dtype, copy=False)
    if a.shape != T.shape:
        raise ArgumentError(f"{name} has shape {a.shape}, expected {T.shape}, that of T")
    return np.ascontiguousarray(a)


def room_for_times(out: Optional[np.ndarray], setup: Setup) -> np.ndarray:
    shape, dtype = setup.times_shape(), setup.g.dtype
    if out is None:
        return np.empty(shape, dtype)
    if not (isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype
            and out.flags.c_contiguous and out.flags.writeable):
        raise ArgumentError(f"out must be a writable C-contiguous array of shape {shape} and dtype "
                            f"{dtype}")
    for name in "g", "b", "walls", "starts", "stopped":
        given = getattr(setup, name)
        if given is not None and np.shares_memory(out, given):
            raise ArgumentError(f"out shares memory with {'G' if name == 'g' else name}, which "
                                "would be overwritten")
    return out


def forward(setup: Setup, out: Optional[np.ndarray], t_max: Optional[float] = None,
            threads: int = 1, stencils: StencilKind = "adaptive", order: int = 1,
            factor: Optional[float] = None, periodic: Periodic = "", targets: ArrayLike = None,
            max_cells: Optional[int] = None, tol: float = 0.0, max_iterations: int = 100_000,
            progress: Optional[Callable[[float], Any]] = None, cost: Cost = "mean"
            ) -> Tuple[np.ndarray, _core.Solver]:
    """Solves with the options of `solve`: times, and the solver with its record and report."""
    if factor is None:
        factor = FACTOR_BY_ORDER
    elif not factor >= 0:
        raise ArgumentError(f"factor is {factor}, expected a distance of at least 0")
    aims = targets_of(targets, setup.cells)
    out = room_for_times(out, setup)
    solver = _core.Solver(setup.problem, threads_of(threads),
                          choice("stencils", stencils, STENCILS) == 1, order, factor,
                          choice("periodic", periodic, PERIODIC), choice("cost", cost, COSTS) == 1)
    solver.forward(setup.problem, out, math.inf if t_max is None else t_max, tol, max_iterations,
                   aims, max_cells or 0, progress)
    return out, solver
