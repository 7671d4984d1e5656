# SPDX-License-Identifier: Apache-2.0
"""Metric and drift from observed arrival times."""
from __future__ import annotations

import math
from typing import (Any, Callable, Dict, List, Literal, NamedTuple, Optional, Sequence, Tuple,
                    Union, get_args)

import numpy as np

from . import _core
from ._arrays import F64, choice, drift, mask, metric, threads_of
from ._core import ArgumentError, Cancelled, UnsupportedError
from ._frames import PLAIN, Frame
from ._labels import cell_size, undress
from ._sources import sources_of
from ._types import Array, ArrayLike, Cells, FloatArray, Spacing

Unknown = Literal["isotropic", "diagonal", "metric", "drift", "isotropic+drift", "diagonal+drift",
                  "all"]  # from 1 on: of the metric in two bits, then of the drift
MetricMap = Literal["factor", "log", "plain"]
DriftMap = Literal["project", "ball"]
Misfit = Literal["squares", "huber"]
Regulariser = Literal["tv", "h1", "tikhonov", "log", "frobenius-tv", "log-euclidean-tv", "none"]
MAP_OF: Dict[str, MetricMap] = {"frobenius-tv": "plain", "log-euclidean-tv": "log"}
LambdaRule = Literal["auto", "discrepancy"]
LAMBDA_RULES = ("auto", "fixed", "discrepancy")
Method = Literal["auto", "gauss-newton", "gnc", "admm", "newton", "lbfgs", "adam", "gradient"]
Stop = Literal["not run", "done", "fitted", "iterations", "solves", "stopped"]
HISTORY = [("iteration", "i4"), ("stage", "i4"), ("solves", "i8"), ("products", "i8"),
           ("chi2", "f8"), ("misfit", "f8"), ("lam", "f8"), ("eps", "f8"), ("objective", "f8"),
           ("step", "f8")]


class Experiment(NamedTuple):
    """A front, and the times at which it was seen.

    Parameters
    ----------
    sources
        As in `solve`.
    times
        (H, W) with NaN or inf where nothing was seen; or n times, with `points`.
    points
        (n, 2) rows and columns of the cells, or None.
    upper
        Like times.  The front came between times and upper; inf means not before times.
    sigma
        Standard deviation of the times, one number or one for each.  0 means that there is hardly
        any noise.
    """

    sources: Any
    times: Any
    points: Any = None
    upper: Any = None
    sigma: Any = 0.0


class Iteration(NamedTuple):
    """What a monitor is told after each iteration.  A level above 0 is a coarser grid."""

    iteration: int
    level: int
    solves: int
    products: int
    chi2: float
    misfit: float
    lam: float
    objective: float


class Report(NamedTuple):
    """How a run went.  `Inversion.report` is one of these."""

    method: Method
    stop: Stop
    experiments: int
    observations: int
    iterations: int
    solves: int
    products: int
    coarse_solves: int
    chi2: float
    misfit: float
    lam: float
    regulariser: float
    slowness: float


class LCurve(NamedTuple):
    """Columns of an L-curve, and the position of its corner."""

    lam: Array
    chi2: Array
    misfit: Array
    regulariser: Array
    solves: Array
    corner: int


class Inversion:
    """The result of `invert`, from which the run can be continued.

    Threads may share it: one call at a time is at work.  A monitor may read it at level 0
    (``history``, ``save``, ``times``); from a monitor or progress function all else raises
    `StateError`.
    """

    G: Any
    """The metric found, (H, W), (2, H, W) or (3, H, W) by what was sought; None where only the
    drift was sought."""
    b: Optional[Array]
    """The drift found, (2, H, W); None where it was not sought."""
    report: Report

    def __init__(self, core: Any, cells: Cells, unknown: int, frame: Optional[Frame]):
        self._core, self._cells, self._unknown = core, cells, unknown
        self._frame = frame or Frame()

    def run(self) -> "Inversion":
        """Continues after the monitor has stopped the run."""
        try:
            self._core.run()
        except Cancelled:  # results are those of the last iteration
            pass
        return self._collect()

    def _collect(self) -> "Inversion":
        self.G, self.b = self._planes(self._core.metric)
        report = self._core.report()
        self.report = Report(get_args(Method)[report[0]], get_args(Stop)[report[1]], *report[2:])
        return self

    def __repr__(self) -> str:
        r = self.report
        return (f"<zermelo.Inversion: chi2 {r.chi2:.3g} for {r.observations} times, "
                f"{r.solves} solves, {r.stop}>")

    def _planes(self, fill: Callable[..., None], *more: Any
                ) -> Tuple[Optional[Array], Optional[Array]]:
        """Calls fill(G, b, ...) and keeps what was sought."""
        count = self._unknown & 3
        G = np.empty((count, *self._cells)) if count else None
        b = np.empty((2, *self._cells)) if self._unknown & 4 else None
        fill(G, b, *more)
        return (None if G is None else self._frame.planes(G[0] if count == 1 else G, "metric"),
                None if b is None else self._frame.vectors(b, "drift"))

    def times(self, experiment: int = 0) -> Any:
        """Arrival times of an experiment in the metric found."""
        T = np.empty(self._cells)
        self._core.times(range(self.report.experiments)[experiment], T)
        return self._frame.times(T)

    def std(self, samples: int = 64, seed: int = 1, tolerance: float = 1e-4,
            progress: Optional[Callable[[float], Any]] = None
            ) -> Tuple[Optional[Array], Optional[Array]]:
        """Posterior standard deviations of G and b (Laplace's approximation).

        ``progress`` is called between samples, as that of `solve`, with the fraction that is done;
        a true answer raises `Cancelled`.
        """
        return self._planes(self._core.std, samples, seed, tolerance, progress)

    def lcurve(self, lams: Sequence[float]) -> LCurve:
        """Runs with each of these falling strengths.  G and b are then those of the last."""
        rows, corner = self._core.lcurve(np.ascontiguousarray(lams, dtype=F64))
        self._collect()
        lam, chi2, misfit, regulariser, solves = np.array(rows).T
        return LCurve(lam, chi2, misfit, regulariser, solves.astype(int), corner)

    def save(self) -> Array:
        """The state of the run as numbers, for `invert(..., state=...)` with the same data."""
        return np.frombuffer(self._core.save())

    @property
    def history(self) -> Array:
        """A record for each iteration, with the fields iteration, stage, solves, products, chi2,
        misfit, lam, eps, objective and step."""
        return np.array(self._core.history(), dtype=HISTORY)


# ---- observations --------------------------------------------------------------------

def _observations(e: Experiment, cells: Cells) -> Tuple[Any, ...]:
    """cells, times, upper, sigmas, n, sigma as the library takes them."""
    times: Any = e.times
    if isinstance(times, np.ma.MaskedArray):
        times = np.where(np.asarray(times.mask), np.nan, np.asarray(times.data, dtype=F64))
    times = np.asarray(times, dtype=F64)
    pick: Any = slice(None)
    if e.points is None:
        if times.shape != cells:
            raise ArgumentError(f"times has shape {times.shape}, expected {cells} with NaN or "
                                "inf where nothing was seen, or n times with points=(n, 2)")
        times = times.ravel()
        if np.isneginf(times).any():
            raise ArgumentError("a time is -inf, expected a number, or NaN or inf where nothing "
                                "was seen")
        pick = np.flatnonzero(np.isfinite(times))
        where = pick
    else:
        points = np.asarray(e.points)
        if points.ndim != 2 or points.shape[1] != 2 or points.dtype.kind not in "iu" \
                or times.shape != points.shape[:1]:
            raise ArgumentError(f"points has shape {points.shape} and dtype {points.dtype}, times "
                                f"{times.shape}; expected (n, 2) whole numbers and n times")
        if ((points < 0) | (points >= cells)).any():
            raise ArgumentError(f"a point lies outside of the {cells[0]} x {cells[1]} cells")
        where = np.ravel_multi_index(tuple(points.T.astype(np.int64)), cells)

    def column(value: ArrayLike, name: str) -> Array:
        a = np.asarray(value, dtype=F64).ravel()
        if a.size != times.size:
            raise ArgumentError(f"{name} has {a.size} values, expected {times.size} as times")
        return np.ascontiguousarray(a[pick])
    upper = None if e.upper is None else column(e.upper, "upper")
    one = np.ndim(e.sigma) == 0
    return (np.ascontiguousarray(where, dtype=np.int64), np.ascontiguousarray(times[pick]), upper,
            None if one else column(e.sigma, "sigma"), len(where), float(e.sigma) if one else 0.0)


def _shape_of(shape: Optional[Tuple[int, int]], experiments: Sequence[Experiment],
              *fields: Any) -> Tuple[int, int]:
    if shape is not None:
        rows, cols = shape
        return int(rows), int(cols)
    for field in (*fields, *(e.times for e in experiments if e.points is None)):
        if field is not None and np.ndim(field) >= 2:
            rows, cols = np.shape(field)[-2:]
            return rows, cols
    raise ArgumentError("the size of the grid is not known: say shape=(H, W)")


def invert(experiments: Any, shape: Optional[Tuple[int, int]] = None,
           spacing: Optional[Spacing] = None, *,
           unknown: Unknown = "isotropic", walls: Optional[ArrayLike] = None,
           G: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None,
           start_G: Optional[ArrayLike] = None, start_b: Optional[ArrayLike] = None,
           metric_map: Optional[MetricMap] = None, drift_map: DriftMap = "project",
           eig_min: float = 0.0, eig_max: float = 0.0, rho: float = 0.98,
           misfit: Misfit = "squares", huber: float = 1.345, regulariser: Regulariser = "tv",
           eps: float = 0.0, lam: Union[LambdaRule, float] = "auto", lam_factor: float = 1.0,
           chi2: float = 1.0, method: Method = "auto",
           max_iterations: int = 0, max_solves: int = 0, rate: float = 1e-2,
           line_search: bool = True, clip: float = math.inf, threads: int = 1,
           state: Optional[ArrayLike] = None, monitor: Optional[Callable[[Iteration], Any]] = None
           ) -> Inversion:
    """Metric and drift from the times at which fronts were seen to arrive.

    Parameters
    ----------
    experiments : Experiment or list of them
        Or tuples (sources, times[, points[, upper[, sigma]]]).
    shape : (H, W), optional
        Where neither times nor another field tells it.
    unknown : str
        'isotropic', 'diagonal', 'metric', 'drift', 'isotropic+drift', 'diagonal+drift', 'all'.
    G, b : arrays, optional
        What is known of metric and drift, where it is not sought; else G = I and b = 0.  What
        is sought is ignored.
    start_G, start_b : arrays, optional
        Where to start, each for itself; else the best uniform slowness and no drift.
    metric_map : 'factor', 'log' or 'plain', optional
        How fields stand for the metric; None: as the regulariser needs it, else 'factor'.
    regulariser : str
        'tv', 'h1', 'tikhonov', 'log', 'frobenius-tv', 'log-euclidean-tv'; 'none': the misfit
        alone.
    lam : 'auto', 'discrepancy' or a number
        Strength of the regulariser; lam_factor multiplies one that is chosen.
    state : array, optional
        Where an earlier run with the same data and options stopped: `Inversion.save`.
    monitor : callable, optional
        Called with an `Iteration` after each iteration; a true answer stops the run, whose result
        is then that of the last iteration.

    The others are those of `zm_invert_opts` (docs/inversion.md); 0 means chosen by itself.

    >>> import numpy as np, zermelo
    >>> truth = np.ones((30, 30)); truth[10:20, 12:22] = 2.0
    >>> seen = [zermelo.Experiment(s, zermelo.solve(truth, None, s)) for s in [(0, 0), (29, 5)]]
    >>> found = zermelo.invert(seen)
    >>> bool(np.linalg.norm(found.G - truth) < 0.1 * np.linalg.norm(truth))
    True
    """
    if isinstance(experiments, Experiment):
        experiments = [experiments]
    seen = [Experiment(*e) for e in experiments]
    if not seen:
        raise ArgumentError("experiments is empty, expected at least one")
    (G, b, start_G, start_b, walls, seen, frame, hidden) = _plain_fields(
        G, b, start_G, start_b, walls, seen)
    cells = _shape_of(shape, seen, walls, G, b, start_G, start_b)
    size, globe = cell_size(spacing, frame)
    if globe is not None:
        raise UnsupportedError(
            "spacing='coords' on latitudes and longitudes, expected coordinates in lengths: an "
            "inversion has one metric for all directions of a cell; reproject the times, or give "
            "spacing=(dy, dx) where the grid is small enough for one")
    rule = 1 if not isinstance(lam, str) else choice("lam", lam, LAMBDA_RULES)
    kind = choice("regulariser", regulariser, get_args(Regulariser))
    if regulariser == "none":
        if lam != "auto":
            raise ArgumentError(f"lam is {lam!r}, but regulariser 'none' has no strength")
        kind, rule, lam = 0, 1, 0.0
    if metric_map is None:
        metric_map = MAP_OF.get(regulariser, "factor")
    sought = 1 + choice("unknown", unknown, get_args(Unknown))
    core = _core.Inversion(
        *cells, *size, threads_of(threads),
        (sought, choice("metric_map", metric_map, get_args(MetricMap)),
         choice("drift_map", drift_map, get_args(DriftMap)),
         choice("misfit", misfit, get_args(Misfit)), kind, rule,
         choice("method", method, get_args(Method))),
        (eig_min, eig_max, rho, huber, eps, lam_factor if isinstance(lam, str) else lam, chi2,
         rate, clip),
        max_iterations, max_solves, line_search,
        None if monitor is None else lambda *values: monitor(Iteration(*values)))  # type: ignore
    closed = mask(walls, cells, "walls")
    if hidden is not None:
        closed = hidden if closed is None else closed | hidden
    if closed is not None:
        core.walls(np.ascontiguousarray(closed))
    seeks_G, seeks_b = sought & 3 != 0, sought & 4 != 0
    for start, g, d in (False, G, b), (True, start_G, start_b):
        g, d = (g if seeks_G == start else None), (d if seeks_b == start else None)
        if g is not None or d is not None:
            core.field(start, *_given(g, d, cells))
    for e in seen:
        lists, own = sources_of(e.sources, cells)
        if own:
            raise ArgumentError("an experiment has one list of sources, not one a problem")
        core.add(lists[0], *_observations(e, cells))
    if state is not None:
        core.load(np.ascontiguousarray(state, dtype=F64))
    return Inversion(core, cells, sought, frame).run()


def _plain_fields(G: Any, b: Any, start_G: Any, start_b: Any, walls: Any, seen: List[Experiment]
                  ) -> Tuple[Any, ...]:
    """The arguments and experiments without coordinates, what dresses results, and cells without
    data."""
    given = {f"times of experiment {i}": e.times for i, e in enumerate(seen)}
    given.update({f"upper of experiment {i}": e.upper for i, e in enumerate(seen)})
    given = {name: a for name, a in given.items() if np.ndim(a) > 1}
    given.update(G=G, b=b, start_G=start_G, start_b=start_b, walls=walls)
    if PLAIN.issuperset(map(type, given.values())):
        return G, b, start_G, start_b, walls, seen, None, None
    values, frame, hidden = undress(**given)
    seen = [e._replace(**{kind: values.get(f"{kind} of experiment {i}", getattr(e, kind))
                          for kind in ("times", "upper")}) for i, e in enumerate(seen)]
    return (*(values[name] for name in ("G", "b", "start_G", "start_b", "walls")), seen,
            frame, hidden)


def _given(G: Any, b: Any, cells: Cells
           ) -> Tuple[Optional[Array], Optional[Array]]:
    g = None if G is None else metric(G).astype(F64, copy=False)
    d = drift(b, cells)
    if g is not None and (g.shape[-2:] != cells or g.ndim > 3):
        raise ArgumentError(f"G has shape {g.shape}, expected {cells} or (3, {cells[0]}, "
                            f"{cells[1]})")
    return g, None if d is None else d.astype(F64, copy=False)
