# SPDX-License-Identifier: Apache-2.0
"""A call as the library takes it: checked arrays and options."""
from __future__ import annotations

import math
from copy import copy
from typing import Any, Callable, Literal, Optional, Tuple, Union, get_args

import numpy as np

from . import _core
from ._arrays import (F32, F64, choice, drift, floats, mask, metric, piecewise, same_type,
                      threads_of, times_of)
from ._core import ArgumentError, Error
from ._frames import PLAIN, Frame
from ._globe import Globe
from ._labels import cell_size, conform, undress
from ._options import (at_least_0, latest, options_of, refuse_between_cells,
                       refuse_with_starts)
from ._progress import watched
from ._readings import (explain, is_list_of_places, refuse_planes_or_batch,
                        refuse_shared_or_own)
from ._sources import sources_of, targets_of
from ._types import Array, ArrayLike, Cells, Progress, Spacing

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

    def __init__(self, G: Any, b: Any, sources: Any, spacing: Optional[Spacing], walls: Any,
                 starts: Any = None, stopped: Any = None):
        self.frame: Optional[Frame] = None
        self.globe: Optional[Globe] = None
        """Where G and b are of the ground and self.g and self.b of the grid."""
        hidden = None
        if not PLAIN.issuperset(map(type, (G, b, walls, sources, starts, stopped))):
            values, self.frame, hidden = undress(G=G, b=b, walls=walls, stopped=stopped,
                                                 sources=sources, starts=starts)
            G, b, walls, stopped, sources, starts = values.values()
        g = metric(G)
        cells: Cells = (g.shape[-2], g.shape[-1])
        d = drift(b, cells, dtype=g.dtype)
        self.cells = cells
        self.constant: Optional[Tuple[int, ...]] = None
        """Shape of a drift of two numbers or one, which self.b has in every cell."""
        if d is not b and np.ndim(b) < 3:
            self.constant = np.shape(b)
        if d is not None and d.dtype != g.dtype:
            g, d = same_type(g, d)
        self.g: Array = g
        self.b: Any = d
        self.walls = mask(walls, cells, "walls", batch=True)
        if hidden is not None:
            stopped = self._hide(hidden, starts, stopped)
        self.sources, self.own_sources = sources_of(sources, cells)
        self.batch = self.sets = self._batch(sources, starts is None)
        self.starts: Optional[Array] = None
        self.stopped: Optional[Array] = None
        if starts is not None:
            self._set_intervals(starts, stopped)
        elif stopped is not None:
            raise ArgumentError("stopped is for metrics that change with time: give starts too")
        self.n = self.batch or 1
        self.spacing, self.globe = cell_size(spacing, self.frame)
        if self.globe is not None:
            self.g = self.globe.metric(self.g)
            self.b = None if self.b is None else self.globe.vector(self.b)
        self.single = self.g.dtype == F32
        self.open()

    def __getstate__(self) -> Any:
        return {name: value for name, value in self.__dict__.items() if name != "problem"}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self.open()

    def open(self) -> None:
        """Gives the arrays to the library."""
        rows, cols = self.cells
        self.problem = _core.Problem(rows, cols, *self.spacing, self.single, self.sets or 1,
                                     self.g, self.b, self.walls, self.sources, self.starts,
                                     self.stopped)

    def _hide(self, hidden: Array, starts: Any, stopped: Any) -> Any:
        """Cells without data are obstacles, and stop a front during the intervals without data."""
        if hidden.shape[-2:] != self.cells:
            raise ArgumentError(f"cells without data have shape {hidden.shape}, expected "
                                f"{self.cells}")
        if starts is not None and hidden.ndim == 3:
            still = mask(stopped, self.cells, "stopped", batch=True)
            stopped, hidden = (hidden if still is None else hidden | still), hidden.all(axis=0)
        self.walls = np.ascontiguousarray(hidden if self.walls is None else self.walls | hidden)
        return stopped

    def _batch(self, sources: Any, problems: bool) -> Optional[int]:
        """How many problems (or time intervals): one number for all that have a leading axis;
        None: no axis."""
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
                                ", ".join(f"{name} has {size}" for name, size in sizes.items()) +
                                "; expected the same, or 1")
        if problems:
            if self.g.ndim == 3:
                refuse_planes_or_batch("G", self.g, sizes)
            if not self.own_sources and not is_list_of_places(sources):
                refuse_shared_or_own(self.sources, sizes)
        return n

    def _set_intervals(self, starts: Any, stopped: Any) -> None:
        """The leading axis of G and b is that of time, not of a batch."""
        self.starts = times_of(starts, "starts")
        if self.starts.ndim != 1 or len(self.starts) == 0:
            raise ArgumentError(f"starts has shape {self.starts.shape}, expected (K,): the time at "
                                "which each interval begins")
        n = len(self.starts)
        if self.g.ndim == 3:
            refuse_planes_or_batch("G", self.g, {"starts": n}, "time intervals")
        if self.own_sources:
            raise ArgumentError(f"sources are {len(self.sources)} lists, expected one: all time "
                                "intervals share it")
        refuse_between_cells(self.sources[0])
        if self.walls is not None and self.walls.ndim == 3:
            raise ArgumentError(f"walls has shape {self.walls.shape}, expected {self.cells}: all "
                                "time intervals share it; what is closed for a time is stopped")
        if self.batch not in (None, 1, n):
            raise ArgumentError(f"G or b has {self.batch} intervals, but there are {n} starts: "
                                f"expected {n} or 1")
        self.batch, self.sets = None, n
        self.stopped = mask(stopped, self.cells, "stopped", batch=True)
        if self.stopped is not None:
            if self.stopped.ndim == 3 and len(self.stopped) not in (1, n):
                raise ArgumentError(f"stopped has shape {self.stopped.shape}, expected "
                                    f"({n}, {self.cells[0]}, {self.cells[1]}) for {n} starts")
            self.stopped = np.ascontiguousarray(np.broadcast_to(self.stopped, (n, *self.cells)))

    def times_shape(self) -> Tuple[int, ...]:
        return self.cells if self.batch is None else (self.batch, *self.cells)

    def dress(self, T: Array, name: str = "arrival_time") -> Any:
        return T if self.frame is None else self.frame.times(T, name)

    def dress_vectors(self, v: Array, name: str) -> Any:
        """Velocities on the ground."""
        v = v if self.globe is None else self.globe.vector(v)
        return v if self.frame is None else self.frame.vectors(v, name)

    def plain(self, name: str, value: Any) -> Any:
        """An argument of a derivative, which may have the coordinates of the results."""
        if type(value) in PLAIN:
            return value
        return conform(name, value, self.frame or Frame())

    def sources_for(self, i: int) -> Array:
        """The sources of problem i, its own or those of all."""
        return self.sources[i if len(self.sources) > 1 else 0]

    def part(self, i: Union[int, slice]) -> "Setup":
        """Problem i of the batch, alone, or some of them as a batch."""
        alone = isinstance(i, int)

        def pick(a: Any, single: int) -> Any:
            if a is None or a.ndim == single or (len(a) == 1 and not alone):
                return a
            return a[i if len(a) > 1 else 0]
        part = copy(self)
        if self.globe is not None:
            part.globe = self.globe.part(part.g)
        part.frame = None if self.frame is None else self.frame.part(i)
        part.g, part.b = pick(self.g, min(self.g.ndim, 3)), pick(self.b, 3)
        part.walls = pick(self.walls, 2)
        if part.walls is not None:
            part.walls = np.ascontiguousarray(part.walls)
        if isinstance(i, int):
            part.sources, part.own_sources = (self.sources_for(i),), False
            part.batch = part.sets = None
        else:
            if len(self.sources) > 1:
                part.sources = self.sources[i]
            part.batch = part.sets = len(range(self.n)[i])
        part.n = part.batch or 1
        part.open()
        return part

    # ---- derivatives: by every problem, summed over those that share an array ----

    def room(self, a: Array) -> Array:
        """For a derivative with respect to a, of every problem."""
        if self.sets is None:
            return np.empty(a.shape, a.dtype)
        planes = a.shape[-3] if a.ndim > 2 else 1
        return np.empty((self.sets, planes, *a.shape[-2:]), a.dtype)

    def total(self, d: Array, shape: Tuple[int, ...]) -> Array:
        if self.sets is not None and (len(shape) < 4 or shape[0] < len(d)):
            d = d.sum(axis=0)
        return d.reshape(shape)

    def metric_result(self, d: Array) -> Array:
        """A derivative with respect to the G that was given."""
        d = self.total(d, self.g.shape)
        return d if self.globe is None else self.globe.derivative(d)

    def drift_result(self, d: Array) -> Array:
        """The same for the drift: over all cells too where they share two numbers or one."""
        d = self.total(d, self.b.shape)
        d = d if self.globe is None else self.globe.vector(d)
        if self.constant is not None:
            d = np.asarray(d.sum(axis=(1, 2) if self.constant else None))
        return d

    def shapes(self) -> Tuple[Tuple[int, ...], Optional[Tuple[int, ...]]]:
        """Of G and b as they were given."""
        return (self.g.shape if self.globe is None else self.globe.shape,
                None if self.b is None else
                self.b.shape if self.constant is None else self.constant)

    def metric_direction(self, d: Any) -> Optional[Array]:
        if d is None:
            return None
        d = floats(self.plain("dG", d), "dG").astype(self.g.dtype, copy=False)
        shape = self.shapes()[0]
        if d.shape != shape:
            raise ArgumentError(f"dG has shape {d.shape}, expected {shape}, that of G")
        return piecewise(d if self.globe is None else self.globe.direction(d))

    def drift_direction(self, d: Any) -> Optional[Array]:
        """A direction in the space of the drift, also where there is none yet."""
        if d is None:
            return None
        d = floats(self.plain("db", d), "db").astype(self.g.dtype, copy=False)
        if self.b is None or d.shape == self.constant:
            d = drift(d, self.cells, "db")
        elif d.shape != self.b.shape:
            raise ArgumentError(f"db has shape {d.shape}, expected {self.b.shape}, that of b")
        return piecewise(d if self.globe is None else self.globe.vector(d))

    def source_lists(self, rows: Array) -> Any:
        """The rows of all sources, one list after the other, as `source_direction` takes them."""
        if not self.own_sources:
            return rows
        return np.split(rows, np.cumsum([len(one) for one in self.sources])[:-1])

    def source_direction(self, d: Any) -> Optional[Tuple[Array, ...]]:
        """Rows, columns and times (3, n) for each problem."""
        if d is None:
            return None
        lists = [times_of(one, "dsources") for one in (d if self.own_sources else [d])]
        found, wanted = [one.shape for one in lists], [one.shape for one in self.sources]
        if found != wanted:
            told = (found, wanted) if self.own_sources else (found[0], wanted[0])
            raise ArgumentError(f"dsources has shape {told[0]}, expected {told[1]} "
                                "as sources: row, col, time")
        rows = tuple(np.ascontiguousarray(one.T) for one in lists)
        return rows if len(rows) > 1 else rows * self.n


def like_times(g: ArrayLike, T: Array, name: str) -> Array:
    a = floats(g, name).astype(T.dtype, copy=False)
    if a.shape != T.shape:
        raise ArgumentError(f"{name} has shape {a.shape}, expected {T.shape}, that of T")
    return np.ascontiguousarray(a)


def room_for_times(out: Optional[Array], setup: Setup) -> Array:
    shape, dtype = setup.times_shape(), setup.g.dtype
    if out is None:
        return np.empty(shape, dtype)
    if not (isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype
            and out.flags.carray):
        given = f"a {type(out).__name__}"
        if isinstance(out, np.ndarray):
            order = ("" if out.flags.c_contiguous else ", not C-contiguous") + \
                ("" if out.flags.aligned else ", not aligned")
            given = (f"of shape {out.shape} and dtype {out.dtype}{order}"
                     f"{'' if out.flags.writeable else ', read-only'}")
        raise ArgumentError(f"out is {given}, expected a writable C-contiguous array of shape "
                            f"{shape} and dtype {dtype}")
    return out


def refuse_overwriting(out: Any, **given: Any) -> None:
    """No argument is where results are written, also not one that is converted first."""
    def shared(value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return any(map(shared, value))
        if not hasattr(value, "__array__") or getattr(value, "chunks", None):  # read when needed
            return False
        return np.shares_memory(out, np.asarray(value))
    if isinstance(out, np.ndarray):
        for name, value in given.items():
            if shared(value):
                raise ArgumentError(f"out shares memory with {name}, which would be overwritten")


def forward(setup: Setup, out: Any, t_max: Optional[float] = None,
            threads: int = 1, stencils: StencilKind = "adaptive", order: int = 1,
            factor: Optional[float] = None, periodic: Periodic = "", targets: Any = None,
            max_cells: Optional[int] = None, tol: float = 0.0, max_iterations: int = 100_000,
            progress: Progress = None, cost: Cost = "mean"
            ) -> Tuple[Array, _core.Solver]:
    """Solves with the options of `solve`: times, and the solver with its record and report."""
    if not (type(threads) is type(order) is type(max_iterations) is int and type(tol) is float
            and threads >= 0 and tol >= 0 and max_cells is None and progress is None):
        threads, order, max_cells, tol, max_iterations = options_of(
            threads, order, max_cells, tol, max_iterations, progress)
    factor = FACTOR_BY_ORDER if factor is None else at_least_0("factor", factor)
    mean = choice("cost", cost, COSTS) == COSTS.index("mean")
    if setup.starts is not None:
        refuse_with_starts(order, stencils)
    elif not mean:
        raise ArgumentError(f"cost is {cost!r}, which is for metrics that change with time: give "
                            "starts too")
    t_max = math.inf if t_max is None else latest(t_max)
    aims = targets_of(setup.plain("targets", targets), setup.cells)
    out = room_for_times(setup.plain("out", out), setup)
    solver = _core.Solver(setup.problem, threads_of(threads),
                          choice("stencils", stencils, STENCILS) == 1, order, factor,
                          choice("periodic", periodic, PERIODIC), mean)
    try:
        with watched(progress, "solve") as tell:
            solver.forward(setup.problem, out, t_max, tol, max_iterations, aims, max_cells or 0,
                           tell)
    except Error as error:
        explain(error, setup.g, setup.sources, setup.cells)
        raise
    return out, solver
