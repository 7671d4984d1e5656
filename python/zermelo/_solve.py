# SPDX-License-Identifier: Apache-2.0
"""Arrival times, their derivatives, and the ways the front took."""
from __future__ import annotations

import math
import threading
from typing import Any, Callable, List, Literal, NamedTuple, Optional, Tuple, Union, overload

import numpy as np

from . import _core
from ._arrays import (F32, F64, ArrayLike, Cells, Spacing, choice, drift, floats, mask, metric, piecewise,
                      same_type, sources_of, spacing_of, targets_of, threads_of)
from ._core import ArgumentError
from ._labels import undress

STENCILS = ("fixed", "adaptive")
PERIODIC = ("", "x", "y", "xy")
METHODS = ("tiles", "fans", "march")
RESIDUALS = ("discrete", "eikonal")


# ---- solvers at rest -----------------------------------------------------------------

class _Pool:
    """Solvers that nobody uses, the last one used at the end: a call like the one before
    finds its work memory ready."""

    MOST_BYTES = 256 << 20
    MOST_SOLVERS = 8

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.free: List[Tuple[tuple, Any, int]] = []  # key, solver, bytes
        self.bytes = 0

    def take(self, key: tuple) -> Any:
        with self.lock:
            for i in range(len(self.free) - 1, -1, -1):
                if self.free[i][0] == key:
                    _, solver, size = self.free.pop(i)
                    self.bytes -= size
                    return solver
        return _core.Solver(*key)

    def give(self, key: tuple, solver: Any) -> None:
        size = solver.bytes()
        with self.lock:
            self.free.append((key, solver, size))
            self.bytes += size
            while len(self.free) > self.MOST_SOLVERS or self.bytes > self.MOST_BYTES:
                self.bytes -= self.free.pop(0)[2]

    def clear(self) -> None:
        with self.lock:
            self.free.clear()
            self.bytes = 0


_pool = _Pool()


def clear_cache() -> None:
    """Frees the work memory kept for the next solve.

    At most eight solvers and 256 MB are kept.
    """
    _pool.clear()


# ---- a problem as the library takes it -----------------------------------------------

class Setup:
    """Checked arrays of one call.  ``batch`` is None for a single problem."""

    def __init__(self, G: ArrayLike, b: ArrayLike, sources: ArrayLike, spacing: Spacing,
                 walls: ArrayLike):
        values, self.template, masked = undress(G)
        g = metric(values)
        self.cells: Cells = g.shape[-2:]
        cells = self.cells
        self.g: np.ndarray = g
        self.b: Any = drift(b, cells)
        if self.b is not None and self.b.dtype != g.dtype:
            self.g, self.b = same_type(g, self.b)
        self.walls = mask(walls, cells, "walls", batch=True)
        if masked is not None:
            self.walls = masked if self.walls is None else np.ascontiguousarray(self.walls | masked)
        self.sources, self.own_sources = sources_of(sources, cells)
        self.batch = self._batch()
        self.n = self.batch or 1
        self.spacing = spacing_of(spacing, self.template)
        self.single = self.g.dtype == F32
        self.problem = _core.Problem(cells[0], cells[1], *self.spacing, self.single, self.n, self.g,
                                     self.b, self.walls, self.sources)

    def _batch(self) -> Optional[int]:
        """How many problems: one number for all that have a batch axis; None: no axis."""
        sizes = {}
        for name, a, ndim in ("G", self.g, 4), ("b", self.b, 4), ("walls", self.walls, 3):
            if a is not None and a.ndim == ndim:
                sizes[name] = len(a)
        if self.own_sources:
            sizes["sources"] = len(self.sources)
        if not sizes:
            return None
        n = max(sizes.values())
        if not set(sizes.values()) <= {1, n}:
            raise ArgumentError("batches of different size: " +
                                ", ".join(f"{name} has {size}" for name, size in sizes.items()))
        return n

    def times_shape(self) -> Tuple[int, ...]:
        return self.cells if self.batch is None else (self.batch, *self.cells)

    def dress(self, T: np.ndarray) -> Any:
        return T if self.template is None else self.template.times(T)

    def one(self, i: int) -> "Setup":
        """Problem i of the batch, alone."""
        def pick(a: Optional[np.ndarray], single: int) -> Optional[np.ndarray]:
            if a is None or a.ndim == single:
                return a
            return a[i if len(a) > 1 else 0]
        g = pick(self.g, min(self.g.ndim, 3))
        setup = Setup(g, pick(self.b, 3), self.sources[i if self.own_sources else 0], self.spacing,
                      pick(self.walls, 2))
        setup.template = self.template
        return setup


Options = Tuple[tuple, tuple]
"""Of the solver (threads, adaptive, order, factor, periodic) and of the solve (t_max, tol,
max_iterations, targets, max_cells, progress), as the library takes them."""


def make_options(cells: Cells, t_max: Optional[float] = None, threads: int = 1,
                 stencils: str = "fixed", order: int = 1, factor: float = 0.0, periodic: str = "",
                 targets: ArrayLike = None, max_cells: Optional[int] = None, tol: float = 0.0,
                 max_iterations: int = 100_000,
                 progress: Optional[Callable[[float], Any]] = None) -> Options:
    return ((threads_of(threads), choice("stencils", stencils, STENCILS) == 1, order,
             factor, choice("periodic", periodic, PERIODIC)),
            (math.inf if t_max is None else t_max, tol, max_iterations,
             targets_of(targets, cells), max_cells or 0, progress))


def forward(setup: Setup, options: Options, out: Optional[np.ndarray]
            ) -> Tuple[np.ndarray, tuple, Any, tuple]:
    """Solves; times, key and solver (to be given back to the pool), and the report."""
    of_solver, of_solve = options
    shape, dtype = setup.times_shape(), setup.g.dtype
    if out is None:
        out = np.empty(shape, dtype)
    elif not (isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype
              and out.flags.c_contiguous and out.flags.writeable):
        raise ArgumentError(f"out must be a writable C-contiguous array of shape {shape} and "
                            f"dtype {dtype}")
    threads, *others = of_solver
    key = (*setup.cells, *setup.spacing, setup.single, threads, setup.n, *others)
    solver = _pool.take(key)
    try:
        report = solver.forward(setup.problem, out, *of_solve)
    except BaseException:
        _pool.give(key, solver)
        raise
    return out, key, solver, report


class Stencils(NamedTuple):
    """Where each cell has its time from.

    ``codes`` (uint8): 0 to 7, from the neighbours k and k + 1 mod 8, counted 0 NW, 1 W, 2 SW,
    3 S, 4 SE, 5 E, 6 NE, 7 N; 8 + k, from neighbour k alone; 252 and 253, from two and one
    cells further off; 254, a source; 255, not reached.
    ``weights`` (float64): weight of the first of the two.
    """

    codes: np.ndarray
    weights: np.ndarray


# ---- solution ------------------------------------------------------------------------

class Solution:
    """Arrival times with the record of how they came about.

    Made by ``solve(..., solution=True)``.  The arrays given to ``solve`` are used in place:
    leave them unchanged while the solution is in use.  ``T`` is read-only.

    >>> import numpy as np, zermelo
    >>> s = zermelo.solve(np.ones((5, 5)), None, [(2, 2)], solution=True)
    >>> float(s.T[2, 4]), s.method, s.converged
    (2.0, 'tiles', True)
    """

    T: Any
    """Arrival times, (H, W) or (B, H, W); inf where nothing arrives."""
    iterations: int
    """Passes over the grid (of the problem that took most)."""
    updates: int
    """Directional updates looked at."""
    converged: bool
    threads: int
    """Threads used."""
    method: str
    """'tiles', 'fans' or 'march': how it was solved."""

    def __init__(self, setup: Setup, options: Options, T: np.ndarray, key: tuple, solver: Any,
                 report: tuple):
        self._setup, self._options = setup, options
        self._T, self._key, self._solver = T, key, solver
        self.iterations, self.updates, self.converged, self.threads, self.method = (
            report[0], report[1], bool(report[2]), report[3], METHODS[report[4]])
        self.T = self._T

    def __del__(self) -> None:
        solver = self.__dict__.pop("_solver", None)
        if solver is not None and _pool is not None:
            _pool.give(self._key, solver)

    def __repr__(self) -> str:
        size = " x ".join(map(str, self._T.shape))
        return f"<zermelo.Solution of {size} cells, {self._T.dtype}, by {self.method}>"

    def __len__(self) -> int:
        if self._setup.batch is None:
            raise TypeError("this solution is of one problem, not of a batch")
        return self._setup.batch

    def __getitem__(self, i: int) -> "Solution":
        """Problem i of the batch as a solution of its own (it is solved again)."""
        i = range(len(self))[i]
        setup = self._setup.one(i)
        return _finish(Solution(setup, self._options, *forward(setup, self._options, None)))

    # ---- derivatives ----

    def _like_times(self, g: ArrayLike, name: str) -> np.ndarray:
        a = floats(g, name).astype(self._T.dtype, copy=False)
        if a.shape != self._T.shape:
            raise ArgumentError(f"{name} has shape {a.shape}, expected {self._T.shape}, "
                                "that of T")
        return np.ascontiguousarray(a)

    def _room(self, a: np.ndarray) -> np.ndarray:
        """For a derivative by a, of every problem."""
        if self._setup.batch is None:
            return np.empty_like(a, order="C", subok=False)
        planes = a.shape[-3] if a.ndim > 2 else 1
        return np.empty((self._setup.n, planes, *a.shape[-2:]), a.dtype)

    def _sum(self, d: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
        """Over the problems that share the array."""
        if self._setup.batch is not None and (len(shape) < 4 or shape[0] < len(d)):
            d = d.sum(axis=0)
        return d.reshape(shape)

    @overload
    def vjp(self, g: ArrayLike, *, sources: Literal[False] = ...) -> Tuple[Any, Any]: ...
    @overload
    def vjp(self, g: ArrayLike, *, sources: Literal[True]) -> Tuple[Any, Any, Any]: ...

    def vjp(self, g: ArrayLike, *, sources: bool = False) -> Any:
        """From g = dL/dT to dL/dG and dL/db, which have the shapes of G and b.

        What a batch shares gets the sum over the batch.  dL/db is None without a drift.
        dL/dg12 is by the one number g12.  With ``sources=True`` a third result has the
        derivatives by row, column and time of every source, shaped like (n, 3) sources; those
        by row and column are 0 for a source in the middle of a cell, where T has a kink.
        Values of g where T is inf are ignored.

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((3, 5)), None, [(1, 0)], solution=True)
        >>> g = np.zeros((3, 5)); g[1, 4] = 1          # L = T[1, 4]
        >>> dG, db = s.vjp(g)
        >>> dG[1]          # each cell passed costs half a unit of G
        array([0. , 0.5, 0.5, 0.5, 0.5])
        """
        s = self._setup
        g = self._like_times(g, "g")
        dG, db = self._room(s.g), None if s.b is None else self._room(s.b)
        ds = None
        if sources:
            ds = tuple(np.zeros((3, len(s.sources[i if s.own_sources else 0])))
                       for i in range(s.n))
        self._solver.adjoint(s.problem, self._T, g, dG, db, ds)
        dG = self._sum(dG, s.g.shape)
        if s.template is not None:
            dG = s.template.metric(dG)
        db = None if db is None else self._sum(db, s.b.shape)
        return (dG, db) if ds is None else (dG, db, self._source_result(ds))

    def _source_result(self, ds: Tuple[np.ndarray, ...]) -> Any:
        lists = [np.ascontiguousarray(d.T) for d in ds]
        if not self._setup.own_sources:
            return np.sum(lists, axis=0)
        return np.stack(lists) if len({len(d) for d in lists}) == 1 else lists

    def jvp(self, dG: ArrayLike = None, db: ArrayLike = None, dsources: ArrayLike = None) -> Any:
        """How T moves when G, b and the sources move along dG, db and dsources.

        dG and db have the shapes of G and b, dsources that of (n, 3) sources; None is 0.

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((1, 4)), None, [(0, 0)], solution=True)
        >>> s.jvp(dG=np.ones((1, 4)))
        array([[0. , 0.5, 1. , 1.5]])
        """
        s, dT = self._setup, np.empty_like(self._T)
        self._solver.tangent(s.problem, self._T, self._direction(dG, s.g, "dG"),
                             self._direction(db, s.b, "db"), self._source_direction(dsources), dT)
        return s.dress(dT)

    def _direction(self, d: ArrayLike, a: Optional[np.ndarray], name: str) -> Optional[np.ndarray]:
        if d is None:
            return None
        if a is None:  # there is no drift, but it may begin to be
            return drift(floats(d, name).astype(self._T.dtype), self._setup.cells, name)
        d = floats(d, name).astype(a.dtype, copy=False)
        if d.shape != a.shape:
            raise ArgumentError(f"{name} has shape {d.shape}, expected {a.shape}")
        return piecewise(d)

    def _source_direction(self, d: ArrayLike) -> Optional[Tuple[np.ndarray, ...]]:
        s = self._setup
        if d is None:
            return None
        given = list(d) if s.own_sources else [d] * s.n
        lists = [np.asarray(one, dtype=F64) for one in given]
        wanted = [s.sources[i if s.own_sources else 0].shape for i in range(s.n)]
        if [one.shape for one in lists] != wanted:
            raise ArgumentError(f"dsources has shape {np.shape(d)}, expected {wanted[0]} "
                                "as sources: row, col, time")
        return tuple(np.ascontiguousarray(one.T) for one in lists)

    # ---- ways ----

    def _alone(self) -> Tuple[_core.Problem, np.ndarray]:
        if self._setup.n > 1:
            raise ArgumentError(f"a batch of {self._setup.n}: take one problem of it, solution[i]")
        return self._setup.problem, self._T.reshape(self._setup.cells)

    @property
    def stencils(self) -> Stencils:
        """Where each cell has its time from: codes and weights."""
        problem, T = self._alone()
        out = Stencils(np.empty(T.shape, np.uint8), np.empty(T.shape))
        self._solver.stencils(problem, T, *out)
        return out

    @property
    def flow(self) -> np.ndarray:
        """Velocity of the front, (2, H, W): along x (columns) and y (rows, downwards)."""
        problem, T = self._alone()
        out = np.empty((2, *T.shape), T.dtype)
        self._solver.flow(problem, T, out)
        return out

    @property
    def labels(self) -> Any:
        """Number of the source that reached each cell first (int32); -1: none did."""
        problem, T = self._alone()
        out = np.empty(T.shape, np.int32)
        self._solver.labels(problem, T, out)
        return self._setup.dress(out)

    def path(self, point: ArrayLike, *, straighten: bool = True) -> np.ndarray:
        """The quickest way from the sources to a point (row, col), fractions allowed.

        Returns an array (n, 3) of row, col and time from source to point, at most about half
        a cell apart; of length 0 if the point was not reached.  ``straighten=False`` leaves
        the path as traced instead of pulling it taut.

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((20, 20)), None, [(3, 4)], solution=True)
        >>> way = s.path((15, 9))
        >>> way[0], way[-1].round(1)
        (array([3., 4., 0.]), array([15. ,  9. , 13.2]))
        """
        problem, T = self._alone()
        try:
            row, col = map(float, point)
        except (TypeError, ValueError):
            raise ArgumentError(f"point is {point!r}, expected (row, col)") from None
        points, _ = self._solver.path(problem, T, row, col, straighten)
        return np.frombuffer(points).reshape(-1, 3)

    def residual(self, kind: str = "discrete") -> Any:
        """How far T is from the discrete or the differential ('eikonal') equation."""
        problem, T = self._alone()
        out = np.empty(T.shape)
        problem.residual(T, choice("kind", kind, RESIDUALS), out)
        return self._setup.dress(out)


def _finish(solution: Solution) -> Solution:
    """T for the user: read-only, with its coordinates."""
    view = solution._T.view()
    view.flags.writeable = False
    solution.T = solution._setup.dress(view)
    return solution


# ---- functions -----------------------------------------------------------------------

@overload
def solve(G: ArrayLike, b: ArrayLike, sources: ArrayLike, spacing: Spacing = ...,
          walls: ArrayLike = ..., t_max: Optional[float] = ..., *,
          solution: Literal[False] = ..., threads: int = ..., stencils: str = ...,
          order: int = ..., factor: float = ..., periodic: str = ..., targets: ArrayLike = ...,
          max_cells: Optional[int] = ..., tol: float = ..., max_iterations: int = ...,
          out: Optional[np.ndarray] = ...,
          progress: Optional[Callable[[float], Any]] = ...) -> Any: ...
@overload
def solve(G: ArrayLike, b: ArrayLike, sources: ArrayLike, spacing: Spacing = ...,
          walls: ArrayLike = ..., t_max: Optional[float] = ..., *,
          solution: Literal[True], threads: int = ..., stencils: str = ...,
          order: int = ..., factor: float = ..., periodic: str = ..., targets: ArrayLike = ...,
          max_cells: Optional[int] = ..., tol: float = ..., max_iterations: int = ...,
          out: Optional[np.ndarray] = ...,
          progress: Optional[Callable[[float], Any]] = ...) -> Solution: ...


def solve(G: ArrayLike, b: ArrayLike, sources: ArrayLike, spacing: Spacing = 1.0,
          walls: ArrayLike = None, t_max: Optional[float] = None, *, solution: bool = False,
          threads: int = 1, stencils: str = "fixed", order: int = 1, factor: float = 0.0,
          periodic: str = "", targets: ArrayLike = None, max_cells: Optional[int] = None,
          tol: float = 0.0, max_iterations: int = 100_000, out: Optional[np.ndarray] = None,
          progress: Optional[Callable[[float], Any]] = None) -> Any:
    """Arrival times of a front: \\|grad T + b\\|_{G^-1} = 1.

    Moving by v costs F(v) = sqrt(v' G v) - b.v, so the front is faster along +b.

    Parameters
    ----------
    G : array
        Metric: (H, W) for a scalar g with G = g I (speed c: g = 1/c**2), (2, H, W) for a
        diagonal one (g11, g22), (3, H, W) for g11, g12, g22; (B, 1|2|3, H, W) for a batch.
        x runs along columns, y along rows, downwards.  float32 and float64 are used in place
        and decide the type of the result.  Masked cells of a masked array are walls.
    b : array or None
        Drift (2, H, W) or (B, 2, H, W), x first; two numbers for a constant one; None for none.
        Admissible: \\|b\\|_{G^-1} < 1 in every cell.
    sources : list, array or mask
        (row, col) or (row, col, time) each, fractions allowed; shared by the batch.  One such
        list a problem (or an array (B, n, 3)) for a batch, also over one shared G.  A bool
        array (H, W) or (B, H, W): every True cell is one.
    spacing : float, (dy, dx) or 'coords'
        Distance of cells.  'coords' takes it from the coordinates of G, where it has some.
    walls : array of bool, optional
        (H, W) or (B, H, W): nothing enters these cells, and G is ignored there.
    t_max : float, optional
        Cells reached later stay inf.
    solution : bool
        True: return a `Solution` with derivatives, paths and a report instead of T.
    threads : int
        Most threads to use; 0: all that the process may use.
    stencils : 'fixed' or 'adaptive'
        Eight neighbours everywhere, or adapted to the metric where it is strong.
    order : 1 or 2
        Of the differences.
    factor : float
        Factor the source out within this distance of it; inf: everywhere.
    periodic : '', 'x', 'y' or 'xy'
        Axes along which the grid is closed.
    targets : list of (row, col) or mask, optional
        Stop when all of these have their time.
    max_cells : int, optional
        Stop when so many cells have their time.
    tol, max_iterations
        Changes up to tol are not passed on; a tile is visited at most so often, and
        `NotConvergedWarning` says if that was too seldom.
    out : array, optional
        Where to write T.
    progress : callable, optional
        Called now and then with the fraction that is done; a true answer raises `Cancelled`.

    Returns
    -------
    T : array (H, W) or (B, H, W), inf where nothing arrives; or a `Solution`.

    Examples
    --------
    >>> import numpy as np, zermelo
    >>> zermelo.solve(np.ones((3, 4)), None, [(1, 0)])[1]
    array([0., 1., 2., 3.])
    >>> zermelo.solve(np.ones((1, 5)), (0.5, 0.0), [(0, 2)])    # wind to the right
    array([[3. , 1.5, 0. , 0.5, 1. ]])
    >>> zermelo.solve(np.full((2, 2), -1.0), None, [(0, 0)])    # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    zermelo.MetricError: metric not positive definite at row 0, col 0: g11 = -1, ...
    """
    setup = Setup(G, b, sources, spacing, walls)
    options = make_options(setup.cells, t_max, threads, stencils, order, factor, periodic, targets,
                           max_cells, tol, max_iterations, progress)
    T, key, solver, report = forward(setup, options, out)
    if solution:
        return _finish(Solution(setup, options, T, key, solver, report))
    _pool.give(key, solver)
    return setup.dress(T)


def check(G: ArrayLike, b: ArrayLike = None, walls: ArrayLike = None) -> None:
    """Raises `MetricError` for the first cell whose metric or drift is not admissible.

    >>> import numpy as np, zermelo
    >>> zermelo.check(np.ones((3, 3)), (0.9, 0.0))
    """
    Setup(G, b, (0.0, 0.0), 1.0, walls).problem.check()


def path_cost(G: ArrayLike, b: ArrayLike, points: ArrayLike, spacing: Spacing = 1.0,
              walls: ArrayLike = None, *, periodic: str = "") -> float:
    """What it costs to move along a polyline of (row, col) from its first point to its last.

    inf if it crosses a wall or the border.

    >>> import numpy as np, zermelo
    >>> zermelo.path_cost(np.ones((5, 5)), (0.5, 0.0), [(0, 0), (0, 4)])
    2.0
    """
    a = np.asarray(points, dtype=F64)
    if a.ndim != 2 or a.shape[1] not in (2, 3) or len(a) == 0:
        raise ArgumentError(f"points has shape {a.shape}, expected (n, 2): row, col")
    if a.shape[1] == 2:
        a = np.column_stack([a, np.zeros(len(a))])
    setup = Setup(G, b, (0.0, 0.0), spacing, walls)
    if setup.n > 1:
        raise ArgumentError("path_cost takes one problem, not a batch")
    return setup.problem.path_cost(choice("periodic", periodic, PERIODIC),
                                   np.ascontiguousarray(a))
