# SPDX-License-Identifier: Apache-2.0
"""Arrival times, their derivatives, and the ways the front took."""
from __future__ import annotations

from functools import partial
from typing import (TYPE_CHECKING, Any, Callable, Generic, List, Literal, NamedTuple, Optional,
                    Sequence, Tuple, TypeVar, Union, cast, get_args, overload)

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import F64, Nonfinite, choice, propagates, times_of
from ._core import ArgumentError, Error
from ._frames import Raster
from ._isochrones import Isochrones, Levels, isochrones
from ._operators import Linear, Wrt, gauss_newton, jacobian
from ._options import whole_number
from ._progress import watched
from ._readings import explain_direction
from ._setup import (PERIODIC, Cost, Periodic, Setup, StencilKind, forward, like_times,
                     refuse_overwriting)
from ._sources import places
from ._types import (Array, ArrayLike, Dataset, FloatArray, L, LinearOperator, PlainArrayLike,
                     Progress, Spacing, Weights)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .plot import Picture

Engine = Literal["blocks", "adaptive blocks", "marching", "timed", "refined blocks"]
ENGINES = get_args(Engine)
REPORTED = ("iterations", "updates", "converged", "threads", "method", "cells", "last", "reopened",
            "windows", "last_interval")
F = TypeVar("F")
ResidualKind = Literal["discrete", "eikonal"]


class Stencils(NamedTuple):
    """The donors that each cell has its time from.

    ``codes`` (uint8): 0 to 7, from the neighbours k and k + 1 mod 8, counted 0 NW, 1 W, 2 SW,
    3 S, 4 SE, 5 E, 6 NE, 7 N; 8 + k, from neighbour k alone; 252 and 253, from two and one
    cells further off; 254, a source; 255, not reached.
    ``weights`` (float64): weight of the first of the two.
    """

    codes: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.float64]


# ---- solution ------------------------------------------------------------------------

class Solution(Generic[F]):
    """Arrival times with the record of how they were found.

    Made by ``solve(..., solution=True)``.  The arrays given to ``solve`` are used in place:
    leave them unchanged while the solution is in use.  A change that is noticed raises
    `StateError`; one that is not gives wrong derivatives, and never more than that.  ``T`` is
    the solution's own, also where ``out`` was given, and read-only.

    >>> import numpy as np, zermelo
    >>> s = zermelo.solve(np.ones((5, 5)), None, [(2, 2)], solution=True)
    >>> float(s.T[2, 4]), s.method, s.converged
    (2.0, 'blocks', True)
    """

    T: F
    """Arrival times, (H, W) or (B, H, W); inf where nothing arrives."""
    iterations: int
    """Passes over the grid, of the problem that took most."""
    updates: int
    """Number of directional updates that were looked at."""
    converged: bool
    threads: int
    """Threads used."""
    method: Engine
    """The engine that solved it, such as 'blocks'."""
    cells: int
    """Number of cells that have a time, with ``starts``."""
    last: float
    """The latest time, -inf if there is none, with ``starts``."""
    reopened: int
    """Number of cells that became earlier after they had been passed on, with ``starts``."""
    windows: int
    """Number of windows of metrics that were looked at, with ``starts``."""
    last_interval: int
    """The time interval that `last` is in, with ``starts``; else -1."""

    def __init__(self, setup: Setup, options: Tuple[Any, ...], T: Array, solver: _core.Solver):
        self._setup, self._options, self._T, self._solver = setup, options, T, solver
        self.T = cast(F, T)

    if not TYPE_CHECKING:  # where any name would do
        def __getattr__(self, name):
            """The report, when it is first asked for."""
            if name not in REPORTED:
                raise AttributeError(f"'Solution' object has no attribute '{name}'")
            report = dict(zip(REPORTED, self._solver.report()))
            self.__dict__ |= report | {"converged": bool(report["converged"]),
                                       "method": ENGINES[report["method"]]}
            return self.__dict__[name]

    def __repr__(self) -> str:
        size = " x ".join(map(str, self._T.shape))
        return f"<zermelo.Solution of {size} cells, {self._T.dtype}, by {self.method}>"

    def __len__(self) -> int:
        if self._setup.batch is None:
            raise TypeError("this solution is of one problem, not of a batch")
        return self._setup.batch

    def __getitem__(self, i: Union[int, slice]) -> "Solution[F]":
        """Problem i of the batch, or a slice of them, as a solution of its own (solved again)."""
        n = len(self)
        if not isinstance(i, slice):
            i = _problem(i, n)
        elif not range(n)[i]:
            raise ArgumentError(f"{i} leaves none of the {n} problems of the batch, expected at "
                                "least 1")
        setup = self._setup.part(i)
        return _again(setup, self._options)

    def __reduce__(self) -> Any:
        """Copies and pickles have the problem, and solve it again where they are made."""
        *options, _, cost = self._options  # a function of progress is not copied
        return _again, (self._setup, (*options, None, cost))

    # ---- derivatives ----

    @overload
    def vjp(self, g: ArrayLike, *, sources: Literal[False] = ..., nonfinite: Nonfinite = ...
            ) -> Tuple[F, Optional[F]]: ...
    @overload
    def vjp(self, g: ArrayLike, *, sources: Literal[True], nonfinite: Nonfinite = ...
            ) -> Tuple[F, Optional[F], Union[FloatArray, List[FloatArray]]]: ...

    def vjp(self, g: ArrayLike, *, sources: bool = False, nonfinite: Nonfinite = "refuse"
            ) -> Any:
        """From g = dL/dT to dL/dG and dL/db, which have the shapes of G and b.

        What a batch shares gets the sum over the batch, and a constant drift that over the cells.
        dL/db is None without a drift.
        dL/dg12 is with respect to the one number g12.  With ``sources=True`` a third result has the
        derivatives with respect to row, column and time of every source, shaped like (n, 3)
        sources; those of row and column are 0 for a source in the middle of a cell, where T has a
        kink.
        Values of g where T is inf are ignored.  Others that are not finite are an error or, with
        nonfinite='propagate', make nan or infinite what depends on them.

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((3, 5)), None, [(1, 0)], solution=True)
        >>> g = np.zeros((3, 5)); g[1, 4] = 1          # L = T[1, 4]
        >>> dG, db = s.vjp(g)
        >>> dG[1]          # each cell passed costs half a unit of G
        array([0. , 0.5, 0.5, 0.5, 0.5])
        """
        s = self._setup
        dG, db, ds = self._pull(like_times(s.plain("g", g), self._T, "g"), sources, nonfinite)
        if s.frame is not None:
            dG, db = s.frame.metric(dG), None if db is None else s.frame.drift(db)
        return (dG, db, ds) if sources else (dG, db)

    def _pull(self, g: Array, sources: bool, nonfinite: Nonfinite = "refuse"
              ) -> Tuple[Array, Optional[Array], Any]:
        """J' g: plain arrays shaped as what was given."""
        s = self._setup
        dG, db = s.room(s.g), None if s.b is None else s.room(s.b)
        ds = None
        if sources:
            ds = tuple(np.zeros((3, len(s.sources_for(i)))) for i in range(s.n))
        self._solver.adjoint(s.problem, self._T, g, dG, db, ds, propagates(nonfinite))
        return (s.metric_result(dG), None if db is None else s.drift_result(db),
                None if ds is None else self._source_result(ds))

    def _source_result(self, ds: Tuple[Array, ...]) -> Any:
        lists = [np.ascontiguousarray(d.T) for d in ds]
        if len(self._setup.sources) == 1:  # of all problems
            lists = [np.sum(lists, axis=0)]
        if not self._setup.own_sources:
            return lists[0]
        return np.stack(lists) if len({len(d) for d in lists}) == 1 else lists

    def jvp(self, dG: Optional[ArrayLike] = None, db: Optional[ArrayLike] = None,
            dsources: Optional[ArrayLike] = None, *, nonfinite: Nonfinite = "refuse") -> F:
        """How T moves when G, b and the sources move along dG, db and dsources.

        dG and db have the shapes of G and b, dsources that of (n, 3) sources; None is 0.  Where b
        is constant, db may differ from cell to cell all the same: (2, H, W).

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((1, 4)), None, [(0, 0)], solution=True)
        >>> s.jvp(dG=np.ones((1, 4)))
        array([[0. , 0.5, 1. , 1.5]])
        """
        return cast(F, self._setup.dress(self._push(dG, db, dsources, nonfinite), "dT"))

    def _push(self, dG: Any, db: Any, dsources: Any, nonfinite: Nonfinite = "refuse") -> Array:
        """J times a direction: a plain array shaped like T."""
        s, dT = self._setup, np.empty_like(self._T)
        change = s.metric_direction(dG), s.drift_direction(db), s.source_direction(dsources)
        try:
            self._solver.tangent(s.problem, self._T, dT, *change, propagates(nonfinite))
        except Error as error:
            explain_direction(error, **dict(zip(("dG", "db", "dsources"), change)))
            raise
        return dT

    def jacobian(self, wrt: Union[Wrt, Sequence[Wrt]] = "G", *, at: Optional[ArrayLike] = None
                 ) -> LinearOperator:
        """The derivative of T as a `scipy.sparse.linalg.LinearOperator`.

        ``wrt`` is 'G', 'b', 'sources' or several of them; its vectors are these arrays, flattened
        (planes before rows before columns), one after the other.  Rows are all times, or those
        at ``at``: points (n, 2), in every problem of a batch, or a mask.  Rows of cells that are
        not reached are 0, and so are columns of row and col of a source in the middle of a cell.
        ``s.jacobian("G", at=[(0, 3)]) @ x`` is how the time of that cell moves along x.
        """
        return jacobian(self._linear(), wrt, at)

    def gauss_newton(self, wrt: Union[Wrt, Sequence[Wrt]] = "G", *, at: Optional[ArrayLike] = None,
                     weights: Optional[Weights] = None,
                     regulariser: Optional[Weights] = None) -> LinearOperator:
        """The operator J' W J + R of a Gauss-Newton step, with J as of `jacobian`.

        ``weights`` (W) and ``regulariser`` (R) are a number, a diagonal, or a symmetric matrix or
        operator; None is I and 0.
        """
        return gauss_newton(self.jacobian(wrt, at=at), weights, regulariser)

    def _linear(self) -> Linear:
        s = self._setup
        return Linear(self._T.shape, self._T.dtype, *s.shapes(), s.sources, s.own_sources,
                      self._push, self._pull)

    # ---- ways: of every problem of a batch ----

    def _fill(self, write: Callable[..., None], *out: Array) -> None:
        """Calls write(item, T, ...) with the parts of every problem."""
        n = self._setup.n
        parts = [a.reshape(n, -1) for a in (self._T, *out)]
        for item in range(n):
            write(item, *(part[item] for part in parts))

    @property
    def stencils(self) -> Stencils:
        """The donors that each cell has its time from, as codes and weights, shaped like T."""
        out = np.empty(self._T.shape, np.uint8), np.empty(self._T.shape)
        self._fill(partial(self._solver.stencils, self._setup.problem), *out)
        return Stencils(self._setup.dress(out[0], "codes"), self._setup.dress(out[1], "weights"))

    @property
    def flow(self) -> F:
        """Velocity of the front, (2, H, W) or (B, 2, H, W), along x (columns) and y (rows,
        downwards)."""
        shape = self._T.shape
        out = np.empty((*shape[:-2], 2, *shape[-2:]), self._T.dtype)
        self._fill(partial(self._solver.flow, self._setup.problem), out)
        return cast(F, self._setup.dress_vectors(out, "flow"))

    @property
    def labels(self) -> F:
        """Number of the source that reached each cell first (int32), -1 where none did; shaped
        like T."""
        out = np.empty(self._T.shape, np.int32)
        self._fill(partial(self._solver.labels, self._setup.problem), out)
        return cast(F, self._setup.dress(out, "labels"))

    def path(self, point: ArrayLike, *, straighten: bool = True, item: Optional[int] = None
             ) -> npt.NDArray[np.float64]:
        """The minimal path from the sources to a point (row, col), fractions allowed.

        Returns an array (n, 3) of row, col and time from source to point, at most about half
        a cell apart; of length 0 if the point was not reached.  ``straighten=False`` leaves
        the path as traced instead of pulling it taut.  ``item`` is the number of the problem in
        a batch.

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((20, 20)), None, [(3, 4)], solution=True)
        >>> way = s.path((15, 9))
        >>> way[0], way[-1].round(1)
        (array([3., 4., 0.]), array([15. ,  9. , 13.2]))
        """
        which = self._item(item)
        try:
            row, col = map(float, cast(Any, point))
        except (TypeError, ValueError):
            raise ArgumentError(f"point is {point!r}, expected (row, col)") from None
        points = self._solver.path(self._setup.problem, which, self._times(which), row, col,
                                   straighten)
        return np.frombuffer(points).reshape(-1, 3)

    def paths(self, points: ArrayLike, *, straighten: bool = True, item: Optional[int] = None,
              progress: Progress = None) -> List[npt.NDArray[np.float64]]:
        """The minimal paths to many points (n, 2), found on the threads of the solution.

        Returns a list of n arrays as of `path`, of length 0 for points that were not reached.
        ``progress`` is as that of `solve`.

        >>> import numpy as np, zermelo
        >>> s = zermelo.solve(np.ones((20, 20)), None, [(3, 4)], solution=True)
        >>> [len(way) > 1 for way in s.paths([(15, 9), (0.5, 19), (3, 4)])]
        [True, True, False]
        """
        which = self._item(item)
        try:
            given = np.asarray(places(points, "points"), dtype=F64)
        except (TypeError, ValueError) as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(f"points is {str(points)[:60]}, expected a list of (row, col)"
                                ) from None
        if given.shape in ((0,), (0, 2)):
            return []
        if given.ndim != 2 or given.shape[1] != 2:
            hint = "; for one point there is path()" if given.shape == (2,) else ""
            raise ArgumentError(f"points has shape {given.shape}, expected (n, 2): row, col{hint}")
        to = np.zeros((len(given), 3))
        to[:, :2] = given
        with watched(progress, "paths") as tell:
            found, begins = self._solver.paths(self._setup.problem, which, self._times(which), to,
                                               straighten, tell)
        ways = np.frombuffer(found).reshape(-1, 3)
        return np.split(ways, np.frombuffer(begins, np.uintp)[1:-1].astype(np.intp))

    # ---- looking ----

    def isochrones(self, levels: Levels = 10, *, item: Optional[int] = None) -> Isochrones:
        """Polygons of all that is reached by some times: `zermelo.isochrones`."""
        return isochrones(self, levels, item=item)

    def plot(self, ax: "Optional[Axes]" = None, *, item: Optional[int] = None,
             levels: Levels = 10, to: Optional[ArrayLike] = None) -> "Picture":
        """Draws times, isochrones, obstacles, drift, sources and the paths ``to`` points (n, 2):
        `zermelo.plot.solution`, which has more options."""
        from .plot import solution
        return solution(self, ax=ax, item=item, levels=levels, to=to)

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        reached = np.isfinite(self._T)
        rows = [("cells", " x ".join(map(str, self._T.shape)) + f", {self._T.dtype}"),
                ("reached", f"{reached.mean():.1%}"),
                ("times", f"{self._T[reached].min():.4g} to {self._T[reached].max():.4g}"
                 if reached.any() else "none"),
                ("engine", self.method + ("" if self.converged else ", not converged"))]
        cells = "".join(f"<tr><th style='text-align:left'>{name}</th>"
                        f"<td style='text-align:left'>{value}</td></tr>" for name, value in rows)
        return f"<table><caption>zermelo.Solution</caption>{cells}</table>"

    def _item(self, item: Optional[int]) -> int:
        """The problem of the batch that is meant."""
        n = self._setup.n
        if item is None:
            if n > 1:
                raise ArgumentError(f"a batch of {n} problems: say of which, item=0 to {n - 1}")
            return 0
        return _problem(item, n)

    def _times(self, item: int) -> Array:
        times: Array = self._T.reshape(self._setup.n, -1)[item]
        return times

    def residual(self, kind: ResidualKind = "discrete") -> F:
        """How far T is from the discrete or the differential ('eikonal') equation; shaped like
        T."""
        which, out = choice("kind", kind, get_args(ResidualKind)), np.empty(self._T.shape)
        self._fill(lambda item, T, out: self._setup.problem.residual(item, T, out, which), out)
        return cast(F, self._setup.dress(out, "residual"))


def _problem(item: Any, n: int) -> int:
    """Number of a problem of a batch."""
    number = whole_number("item", item)
    if not -n <= number < n:
        raise IndexError(f"item is {number}, expected one of the {n} problems of the batch, {-n} to "
                         f"{n - 1}")
    return number % n


def _again(setup: Setup, options: Tuple[Any, ...]) -> "Solution[Any]":
    """A copy of a solution, solved again where it is."""
    return _finish(Solution(setup, options, *forward(setup, None, *options)))


def _finish(solution: Solution[Any]) -> Solution[Any]:
    """T for the user: read-only, with its coordinates."""
    solution._T.flags.writeable = False
    solution.T = solution._setup.dress(solution._T.view())
    return solution


# ---- functions -----------------------------------------------------------------------

@overload
def solve(G: L, b: Optional[ArrayLike], sources: ArrayLike, spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[False] = ..., threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> L: ...
@overload
def solve(G: L, b: Optional[ArrayLike], sources: ArrayLike, spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[True], threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> Solution[L]: ...
@overload
def solve(G: Dataset, b: Optional[ArrayLike], sources: ArrayLike, spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[False] = ..., threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> Raster: ...
@overload
def solve(G: Dataset, b: Optional[ArrayLike], sources: ArrayLike, spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[True], threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> Solution[Raster]: ...
@overload
def solve(G: PlainArrayLike, b: L, sources: ArrayLike, spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[False] = ..., threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> L: ...
@overload
def solve(G: PlainArrayLike, b: L, sources: ArrayLike, spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[True], threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> Solution[L]: ...
@overload
def solve(G: PlainArrayLike, b: Optional[PlainArrayLike], sources: ArrayLike,
          spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[False] = ..., threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> FloatArray: ...
@overload
def solve(G: PlainArrayLike, b: Optional[PlainArrayLike], sources: ArrayLike,
          spacing: Optional[Spacing] = ...,
          walls: Optional[ArrayLike] = ..., t_max: Optional[float] = ..., *,
          solution: Literal[True], threads: int = ..., stencils: StencilKind = ...,
          order: int = ..., factor: Optional[float] = ..., periodic: Periodic = ...,
          targets: Optional[ArrayLike] = ..., max_cells: Optional[int] = ..., tol: float = ...,
          max_iterations: int = ..., out: Optional[ArrayLike] = ..., progress: Progress = ...,
          starts: Optional[ArrayLike] = ..., stopped: Optional[ArrayLike] = ...,
          cost: Cost = ...) -> Solution[FloatArray]: ...


def solve(G: ArrayLike, b: Optional[ArrayLike], sources: ArrayLike,
          spacing: Optional[Spacing] = None, walls: Optional[ArrayLike] = None,
          t_max: Optional[float] = None, *, solution: bool = False, threads: int = 1,
          stencils: StencilKind = "adaptive", order: int = 1, factor: Optional[float] = None,
          periodic: Periodic = "", targets: Optional[ArrayLike] = None,
          max_cells: Optional[int] = None, tol: float = 0.0, max_iterations: int = 100_000,
          out: Optional[ArrayLike] = None, progress: Progress = None,
          starts: Optional[ArrayLike] = None, stopped: Optional[ArrayLike] = None,
          cost: Cost = "mean") -> Any:
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
        Drift (2, H, W) or (B, 2, H, W), x first; two numbers, or one for both components, for a
        constant one; None for none.
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
    stencils : 'adaptive' or 'fixed'
        Adapted to the anisotropy where the metric needs it, or the eight nearest neighbours
        everywhere.
    order : 1, 2 or 3
        Of the differences.
    factor : float, optional
        Factor the source out within this distance of it; inf: everywhere, 0: nowhere.  None:
        everywhere with orders 2 and 3, which the singularity at the sources would spoil, and
        nowhere with order 1.
    periodic : '', 'x', 'y' or 'xy'
        Axes along which the grid is closed.
    targets : list of (row, col) or mask, optional
        Stop when all of these have their time.
    max_cells : int, optional
        Stop when so many cells have their time.
    tol, max_iterations
        Changes of at most tol are not propagated.  A block is visited at most so often, and
        `NotConvergedWarning` says if that was too seldom.
    out : array, optional
        Where to write T.
    progress : bool or callable, optional
        True: a bar (tqdm's where it is installed) on a terminal or in a notebook.  A function is
        called now and then with the fraction that is done; a true answer raises `Cancelled`.
    starts : K increasing times, optional
        The metric changes with time: G is (K, 1|2|3, H, W) and b (K, 2, H, W), one for each time
        interval, or shared by all of them.  Interval k lasts from starts[k] to starts[k + 1]; the
        first counts before its start too, the last for ever.  Sources are in the middle of cells,
        order is 1, and stencils are adaptive.
    stopped : array of bool (K, H, W) or (H, W), optional
        Nothing moves in these cells during the interval (g11 = inf means the same): a front waits
        there and goes on where it was.
    cost : 'mean' or 'own'
        With starts, what a step over several cells costs: the mean over them, or by the metric of
        the cell it leads to.

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
    >>> G = np.ones((2, 1, 1, 9)); G[1] = 4.0            # from time 3 on at half the speed
    >>> zermelo.solve(G, None, (0, 0), starts=[0.0, 3.0])
    array([[ 0.,  1.,  2.,  3.,  5.,  7.,  9., 11., 13.]])
    >>> zermelo.solve(np.full((2, 2), -1.0), None, [(0, 0)])    # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    zermelo.MetricError: metric not positive definite at row 0, col 0: g11 = -1, ...
    """
    setup = Setup(G, b, sources, spacing, walls, starts, stopped)
    options = (t_max, threads, stencils, order, factor, periodic, targets, max_cells, tol,
               max_iterations, progress, cost)
    if out is not None:
        refuse_overwriting(setup.plain("out", out), G=G, b=b, walls=walls, sources=sources, starts=starts,
                           stopped=stopped, targets=targets)
    T, solver = forward(setup, out, *options)
    if solution:
        return _finish(Solution(setup, options, T if out is None else T.copy(), solver))
    return setup.dress(T)


def check(G: ArrayLike, b: Optional[ArrayLike] = None, walls: Optional[ArrayLike] = None) -> None:
    """Raises `MetricError` for the first cell whose metric or drift is not admissible.

    >>> import numpy as np, zermelo
    >>> zermelo.check(np.ones((3, 3)), (0.9, 0.0))
    """
    Setup(G, b, (0.0, 0.0), 1.0, walls).problem.check()


def path_cost(G: ArrayLike, b: Optional[ArrayLike], points: ArrayLike,
              spacing: Optional[Spacing] = None, walls: Optional[ArrayLike] = None, *,
              periodic: Periodic = "", starts: Optional[ArrayLike] = None,
              stopped: Optional[ArrayLike] = None) -> float:
    """What it costs to move along a polyline of (row, col) from its first point to its last.

    inf if it crosses a wall or the border.  With ``starts`` the metric changes with time as in
    `solve`, and points are (row, col, time): the way begins at the time of the first.

    >>> import numpy as np, zermelo
    >>> zermelo.path_cost(np.ones((5, 5)), (0.5, 0.0), [(0, 0), (0, 4)])
    2.0
    """
    a = times_of(places(points, "points"), "points")
    if a.ndim != 2 or a.shape[1] not in (2, 3) or len(a) == 0:
        raise ArgumentError(f"points has shape {a.shape}, expected (n, 2): row, col")
    if a.shape[1] == 2:
        a = np.column_stack([a, np.zeros(len(a))])
    setup = Setup(G, b, (0.0, 0.0), spacing, walls, starts, stopped)
    if setup.n > 1:
        raise ArgumentError(f"G, b or walls are a batch of {setup.n}, and path_cost takes one "
                            "problem, expected 1: choose one, G[0]")
    return setup.problem.path_cost(choice("periodic", periodic, PERIODIC),
                                   np.ascontiguousarray(a))
