# SPDX-License-Identifier: Apache-2.0
"""Metric and drift from observed arrival times."""
from __future__ import annotations

import math
from typing import (Any, Callable, Dict, Iterable, List, Literal, NamedTuple, Optional, Sequence,
                    Tuple, Union, get_args)

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import F64, choice, drift, mask, metric, number_of, threads_of, times_of
from ._core import ArgumentError, Cancelled, UnsupportedError
from ._experiments import Experiment, observations, shape_of
from ._frames import PLAIN, Frame
from ._labels import cell_size, undress
from ._options import seed_of, whole_number
from ._progress import Tell, check_monitor, check_progress, watched
from ._setup import STENCILS, StencilKind
from ._sources import sources_of
from ._types import Array, ArrayLike, Cells, Progress, Spacing

Float64Array = npt.NDArray[np.float64]

Unknown = Literal["isotropic", "diagonal", "metric", "drift", "isotropic+drift", "diagonal+drift",
                  "all"]  # from 1 on: of the metric in two bits, then of the drift
MetricMap = Literal["factor", "log", "plain"]
DriftMap = Literal["project", "ball"]
Misfit = Literal["squares", "huber"]
Regulariser = Literal["tv", "h1", "tikhonov", "log", "frobenius-tv", "log-euclidean-tv", "none"]
MAP_OF: Dict[str, MetricMap] = {"frobenius-tv": "plain", "log-euclidean-tv": "log"}
LambdaRule = Literal["auto", "discrepancy", "lcurve"]
LAMBDA_RULES = ("auto", "fixed", "discrepancy", "lcurve")
Method = Literal["auto", "gauss-newton", "gnc", "admm", "newton", "lbfgs", "adam", "gradient"]
Stop = Literal["not run", "done", "fitted", "iterations", "solves", "stopped"]
HISTORY = [("iteration", "i4"), ("stage", "i4"), ("solves", "i8"), ("products", "i8"),
           ("chi2", "f8"), ("misfit", "f8"), ("lam", "f8"), ("eps", "f8"), ("objective", "f8"),
           ("step", "f8")]


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
    lcurve_solves: int
    """For the points of the L-curve of lam='lcurve', beside `solves`."""
    lcurve_corner: bool
    """Whether lam is that of its corner; else of the point whose chi2 is nearest to 1."""


class LCurve(NamedTuple):
    """Columns of an L-curve, and the position of its corner (0: it has none), or of the point that
    was taken."""

    lam: Float64Array
    chi2: Float64Array
    misfit: Float64Array
    regulariser: Float64Array
    solves: npt.NDArray[np.int64]
    corner: int


def _lcurve_of(rows: Sequence[Tuple[float, ...]], corner: int) -> LCurve:
    lam, chi2, misfit, regulariser, solves = np.array(rows, dtype=F64).reshape(-1, 5).T
    return LCurve(lam, chi2, misfit, regulariser, solves.astype(np.int64), corner)


class Watch:
    """Hands on what the library tells to the bar of the call that is at work."""

    def __init__(self, progress: Progress):
        self.progress = progress
        self.now: Optional[Tell] = None

    def tell(self, fraction: float) -> object:
        return None if self.now is None else self.now(fraction)

    def run(self, call: Callable[..., Any], *args: Any) -> Any:
        with watched(self.progress, "invert") as self.now:
            return call(*args)


class Inversion:
    """The result of `invert`, from which the run can be continued.

    Threads may share it: one call at a time is at work.  A monitor may read it at level 0
    (``history``, ``save``, ``times``); from a monitor or progress function all else raises
    `StateError`.
    """

    G: Optional[Float64Array]
    """The metric found, (H, W), (2, H, W) or (3, H, W) by what was sought; None where only the
    drift was sought; (H, W) with the labels of times, where these have some."""
    b: Optional[Float64Array]
    """The drift found, (2, H, W); None where it was not sought."""
    report: Report

    def __init__(self, core: _core.Inversion, cells: Cells, unknown: int,
                 frame: Optional[Frame], watch: Watch, counts: Tuple[int, ...]):
        self._core, self._cells, self._unknown = core, cells, unknown
        self._frame, self._watch, self._counts = frame or Frame(), watch, counts

    def run(self) -> "Inversion":
        """Continues after the monitor has stopped the run."""
        try:
            self._watch.run(self._core.run)
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
                ) -> Tuple[Optional[Float64Array], Optional[Float64Array]]:
        """Calls fill(G, b, ...) and keeps what was sought."""
        count = self._unknown & 3
        G = np.empty((count, *self._cells)) if count else None
        b = np.empty((2, *self._cells)) if self._unknown & 4 else None
        fill(G, b, *more)
        return (None if G is None else self._frame.planes(G[0] if count == 1 else G, "metric"),
                None if b is None else self._frame.vectors(b, "drift"))

    def times(self, experiment: int = 0) -> Float64Array:
        """Arrival times of an experiment in the metric found; with labels where `times` has some.
        """
        T: Float64Array = np.empty(self._cells)
        self._core.times(self._number(experiment), T)
        return self._frame.times(T)  # type: ignore[no-any-return]

    def _number(self, experiment: int) -> int:
        n = self.report.experiments
        number = whole_number("experiment", experiment)
        if not -n <= number < n:
            raise IndexError(f"experiment is {number}, expected one of the {n}, {-n} to {n - 1}")
        return number % n

    def predicted(self, experiment: int = 0) -> Float64Array:
        """Computed times of an experiment where and in the order in which it was seen: of a field
        (H, W), its cells with a time, row by row."""
        which = self._number(experiment)
        out: Float64Array = np.empty(self._counts[which])
        self._core.predicted(which, len(out), out)
        return out

    def std(self, samples: int = 64, seed: int = 1, tolerance: float = 1e-4,
            progress: Progress = None
            ) -> Tuple[Optional[Float64Array], Optional[Float64Array]]:
        """Posterior standard deviations of G and b (Laplace's approximation).

        ``progress`` as that of `solve`: True for a bar, or a function that is called between
        samples with the fraction that is done; a true answer raises `Cancelled`.
        """
        with watched(progress, "standard deviations") as tell:
            return self._planes(self._core.std, samples, seed_of(seed), tolerance, tell)

    @property
    def curve(self) -> LCurve:
        """The L-curve of ``lam='lcurve'``, with the point that was taken in place of the corner;
        empty with other rules."""
        return _lcurve_of(*self._core.curve())

    def lcurve(self, lams: ArrayLike) -> LCurve:
        """Runs with each of these falling strengths.  G and b are then those of the last.

        `invert` with ``lam='lcurve'`` draws the curve, chooses, and has the result of its choice.
        """
        curve = self._watch.run(self._core.lcurve, np.ascontiguousarray(times_of(lams, "lams")))
        self._collect()
        return _lcurve_of(*curve)

    def save(self) -> Float64Array:
        """The state of the run as numbers, for `invert(..., state=...)` with the same data."""
        return np.frombuffer(self._core.save())

    @property
    def history(self) -> Array:
        """A record for each iteration, with the fields iteration, stage, solves, products, chi2,
        misfit, lam, eps, objective and step."""
        return np.array(self._core.history(), dtype=HISTORY)


def invert(experiments: Union[Experiment, Iterable[Union[Experiment, Sequence[object]]]],
           shape: Optional[Tuple[int, int]] = None, spacing: Optional[Spacing] = None, *,
           unknown: Unknown = "isotropic", walls: Optional[ArrayLike] = None,
           G: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None,
           start_G: Optional[ArrayLike] = None, start_b: Optional[ArrayLike] = None,
           metric_map: Optional[MetricMap] = None, drift_map: DriftMap = "project",
           eig_min: float = 0.0, eig_max: float = 0.0, rho: float = 0.98,
           misfit: Misfit = "squares", huber: float = 1.345, regulariser: Regulariser = "tv",
           eps: float = 0.0, lam: Union[LambdaRule, float, Sequence[float]] = "auto",
           lam_factor: float = 1.0, lcurve_points: int = 13, chi2: float = 1.0,
           method: Method = "auto", stencils: StencilKind = "adaptive",
           max_iterations: int = 0, max_solves: int = 0, rate: float = 1e-2,
           line_search: bool = True, clip: float = math.inf, threads: int = 1,
           state: Optional[ArrayLike] = None,
           monitor: Optional[Callable[[Iteration], object]] = None,
           progress: Progress = None) -> Inversion:
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
        What is known of metric and drift; else G = I and b = 0.  Only where it is not sought.
    start_G, start_b : arrays, optional
        Where to start with what is sought, each for itself; else the best uniform slowness and no
        drift.
    metric_map : 'factor', 'log' or 'plain', optional
        How fields stand for the metric; None: as the regulariser needs it, else 'factor'.
    regulariser : str
        'tv', 'h1', 'tikhonov', 'log', 'frobenius-tv', 'log-euclidean-tv'; 'none': the misfit
        alone.
    lam : 'auto', 'discrepancy', 'lcurve', a number, or three and more
        Strength of the regulariser; lam_factor multiplies one that is chosen.  'auto' and
        'discrepancy' believe sigma; 'lcurve' does not, and takes as many runs as lcurve_points, or
        one for each number of a falling list, and one more: `Inversion.curve`.
    stencils : 'adaptive' or 'fixed'
        Of the solves, as in `solve`.
    state : array, optional
        Where an earlier run with the same data and options stopped: `Inversion.save`.
    monitor : callable, optional
        Called with an `Iteration` after each iteration; a true answer stops the run, whose result
        is then that of the last iteration.
    progress : bool or callable, optional
        True: a bar (tqdm's where it is installed) on a terminal or in a notebook.  A function is
        called now and then with the fraction that is done; a true answer stops the run as that of
        the monitor does.

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
    try:
        seen = [Experiment(*e) for e in experiments]
    except TypeError:
        raise ArgumentError(f"experiments is {str(experiments)[:60]}, expected an Experiment, a list "
                            "of them, or of tuples (sources, times[, points[, upper[, sigma]]])"
                            ) from None
    if not seen:
        raise ArgumentError("experiments is empty, expected at least one")
    (G, b, start_G, start_b, walls, seen, frame, hidden) = _plain_fields(
        G, b, start_G, start_b, walls, seen)
    sought = 1 + choice("unknown", unknown, get_args(Unknown))
    seeks_G, seeks_b = sought & 3 != 0, sought & 4 != 0
    _refuse_unused("metric", unknown, seeks_G, G=G, start_G=start_G)
    _refuse_unused("drift", unknown, seeks_b, b=b, start_b=start_b)
    cells = shape_of(shape, seen, walls, G, b, start_G, start_b)
    size, globe = cell_size(spacing, frame)
    if globe is not None:
        raise UnsupportedError(
            "spacing='coords' on latitudes and longitudes, expected coordinates in lengths: an "
            "inversion has one metric for all directions of a cell; reproject the times, or give "
            "spacing=(dy, dx) where the grid is small enough for one")
    rule, strength, strengths = _strength_of(lam, lam_factor, regulariser)
    kind = choice("regulariser", regulariser, get_args(Regulariser))
    if metric_map is None:
        metric_map = MAP_OF.get(regulariser, "factor")
    check_progress(progress)
    watch = Watch(progress)
    core = _core.Inversion(
        *cells, *size, threads_of(threads),
        (sought, choice("metric_map", metric_map, get_args(MetricMap)),
         choice("drift_map", drift_map, get_args(DriftMap)),
         choice("misfit", misfit, get_args(Misfit)), 0 if regulariser == "none" else kind, rule,
         choice("method", method, get_args(Method)), choice("stencils", stencils, STENCILS)),
        (eig_min, eig_max, rho, huber, eps, strength, chi2, rate, clip),
        max_iterations, max_solves, line_search, lcurve_points,
        _told(monitor),
        watch.tell if progress else None)
    if strengths is not None:
        core.strengths(strengths)
    closed = mask(walls, cells, "walls")
    if hidden is not None:
        closed = hidden if closed is None else closed | hidden
    if closed is not None:
        core.walls(np.ascontiguousarray(closed))
    for start, g, d in (False, G, b), (True, start_G, start_b):
        if g is not None or d is not None:
            core.field(start, *_given("start_" * start, g, d, cells))
    counts = []
    for e in seen:
        lists, own = sources_of(e.sources, cells)
        if own:
            raise ArgumentError(f"sources of an experiment are {len(lists)} lists, expected one: "
                                "write an experiment for each")
        columns = observations(e, cells)
        core.add(lists[0], *columns)
        counts.append(columns[5])
    if state is not None:
        core.load(np.ascontiguousarray(times_of(state, "state")))
    return Inversion(core, cells, sought, frame, watch, tuple(counts)).run()


def _told(monitor: Optional[Callable[[Iteration], object]]) -> Optional[Callable[..., object]]:
    """The monitor as the library calls it."""
    check_monitor(monitor)
    if monitor is None:
        return None
    tell = monitor
    return lambda *values: tell(Iteration(*values))


def _strength_of(lam: Union[LambdaRule, float, Sequence[float]], factor: float,
                 regulariser: str) -> Tuple[int, float, Optional[Array]]:
    """The rule, its number, and the strengths that an L-curve is to try."""
    if regulariser == "none":
        if not (isinstance(lam, str) and lam == "auto"):
            raise ArgumentError(f"lam is {lam!r}, but regulariser 'none' has no strength")
        return 1, 0.0, None
    if isinstance(lam, str):
        return choice("lam", lam, LAMBDA_RULES), factor, None
    if np.ndim(lam) == 0:
        return 1, number_of(lam, "lam"), None
    return LAMBDA_RULES.index("lcurve"), factor, np.ascontiguousarray(times_of(lam, "lam"))


def _plain_fields(G: Any, b: Any, start_G: Any, start_b: Any, walls: Any, seen: List[Experiment]
                  ) -> Tuple[Any, ...]:
    """The arguments and experiments without coordinates, what dresses results, and cells without
    data."""
    given: Dict[str, Any] = {f"times of experiment {i}": e.times for i, e in enumerate(seen)}
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


def _refuse_unused(what: str, unknown: str, sought: bool, **fields: Any) -> None:
    """What is sought has a start, and what is not sought is known."""
    (known, at), (start, first) = fields.items()
    if sought and at is not None:
        raise ArgumentError(f"{known} is given, but unknown is {unknown!r} and the {what} is sought: "
                            f"expected {start}, if that is where to start")
    if not sought and first is not None:
        raise ArgumentError(f"{start} is given, but unknown is {unknown!r} and the {what} is not "
                            f"sought: expected {known}, if that is what is known")


def _given(start: str, G: Optional[ArrayLike], b: Optional[ArrayLike], cells: Cells
           ) -> Tuple[Optional[Array], Optional[Array]]:
    """Metric and drift as the library takes them; names in messages begin with `start`."""
    g = None if G is None else metric(G, f"{start}G").astype(F64, copy=False)
    d = drift(b, cells, f"{start}b")
    if g is not None and (g.shape[-2:] != cells or g.ndim > 3):
        raise ArgumentError(f"{start}G has shape {g.shape}, expected {cells} or (3, {cells[0]}, "
                            f"{cells[1]})")
    return g, None if d is None else d.astype(F64, copy=False)
