# SPDX-License-Identifier: Apache-2.0
"""Smooth maps from free numbers to admissible metrics and drifts."""
from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Tuple, get_args, overload

import numpy as np

from . import _core
from ._arrays import F32, Nonfinite, choice, floats, number_of, piecewise, propagates, threads_of
from ._core import ArgumentError
from ._fields import gaps, without
from ._frames import PLAIN, Frame, Raster
from ._labels import conform, undress
from ._types import Array, ArrayLike, Dataset, FloatArray, L, PlainArrayLike

Chart = Literal["log-cholesky", "log-euclidean"]
"""How free numbers make a matrix."""
Wind = Literal["randers", "zermelo"]
"""What the free numbers stand for: metric and drift, or a front's own speed and the wind it is in."""
VALUE, JVP, VJP = range(3)
Pair = Tuple[Array, Optional[Array]]
Given = Tuple[Optional[Array], Optional[Array]]


class Parametrisation(NamedTuple):
    """The options of `parametrise`."""

    chart: Chart = "log-cholesky"
    form: Wind = "randers"
    start: float = 1.0
    eig_min: float = 1e-6
    eig_max: float = 1e6
    rho: float = 0.99
    nonfinite: Nonfinite = "refuse"
    threads: int = 1

    def metric_planes(self, free: int, drift: bool) -> int:
        """How many planes a metric of so many free ones has."""
        return 3 if drift and self.form == "zermelo" else free

    def run(self, what: int, at: Pair, given: Given) -> Pair:
        """Values, or derivatives along `given` (JVP), as new arrays."""
        P, q = at
        planes = self.metric_planes(P.shape[-3], q is not None)
        head, cells = P.shape[:-3], P.shape[-2:]
        out = (np.empty((*head, planes, *cells), P.dtype),
               None if q is None else np.empty((*head, 2, *cells), P.dtype))
        self.into(what, at, given, out)
        return out

    def into(self, what: int, at: Pair, given: Given, out: Pair) -> None:
        """Writes values, or derivatives along `given` (JVP) or transposed (VJP), to `out`."""
        P: Any = at[0]
        _core.parametrise(what, P.shape[-2], P.shape[-1], P.dtype == F32, len(P) if P.ndim == 4 else 1, *at,
                          *given, *out, choice("chart", self.chart, get_args(Chart)),
                          choice("form", self.form, get_args(Wind)), number_of(self.start, "start"),
                          number_of(self.eig_min, "eig_min"), number_of(self.eig_max, "eig_max"),
                          number_of(self.rho, "rho"), propagates(self.nonfinite),
                          threads_of(self.threads))


def free_pair(free: Any, drift: bool) -> Tuple[Any, Any]:
    """Planes of the metric and those of the drift of an array or tensor (.., C, H, W)."""
    if not isinstance(drift, (bool, np.bool_)):
        raise ArgumentError(f"drift is {drift!r}, expected True or False")
    shape = tuple(free.shape)
    wanted = (3, 4, 5) if drift else (1, 2, 3)
    if len(shape) not in (3, 4) or shape[-3] not in wanted:
        raise ArgumentError(f"free has shape {shape}, expected (C, H, W) or (B, C, H, W) with C one "
                            f"of {', '.join(map(str, wanted))}: 1, 2 or 3 planes of the metric"
                            f"{' and 2 of the drift' if drift else ''}")
    if 0 in shape:
        raise ArgumentError(f"free has shape {shape}: there are no cells")
    if not drift:
        return free, None
    return free[..., :-2, :, :], free[..., -2:, :, :]


@overload
def parametrise(free: L, *, chart: Chart = ..., form: Wind = ..., drift: bool = ...,
                start: float = ..., eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                threads: int = ...) -> Tuple[L, Optional[L]]: ...
@overload
def parametrise(free: Dataset, *, chart: Chart = ..., form: Wind = ..., drift: bool = ...,
                start: float = ..., eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                threads: int = ...) -> Tuple[Raster, Optional[Raster]]: ...
@overload
def parametrise(free: PlainArrayLike, *, chart: Chart = ..., form: Wind = ..., drift: bool = ...,
                start: float = ..., eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                threads: int = ...) -> Tuple[FloatArray, Optional[FloatArray]]: ...


def parametrise(free: ArrayLike, *, chart: Chart = "log-cholesky", form: Wind = "randers",
                drift: bool = True, start: float = 1.0, eig_min: float = 1e-6,
                eig_max: float = 1e6, rho: float = 0.99, threads: int = 1) -> Any:
    """An admissible metric and drift (G, b) of any numbers, smoothly.

    free : (C, H, W) or (B, C, H, W), 1, 2 or 3 planes of the metric (isotropic, diagonal, all)
    and, with `drift`, 2 of the drift.  Zeros give G = start I and b = 0.  Eigenvalues of G are
    between eig_min and eig_max, \\|b\\|_{G^-1} is below rho.  With form='zermelo' that holds for
    the own speed h and the wind W of a front, \\|W\\|_h < rho, of which G and b are made.
    Results have the coordinates of free, and no data where it has none.

    >>> import numpy as np, zermelo
    >>> G, b = zermelo.parametrise(np.random.default_rng(1).normal(size=(5, 20, 30)), rho=0.8)
    >>> G.shape, b.shape
    ((3, 20, 30), (2, 20, 30))
    >>> zermelo.check(G, b)
    """
    options = Parametrisation(chart, form, start, eig_min, eig_max, rho, "refuse", threads)
    at, frame, hidden = _arrays(free, drift)
    G, b = options.run(VALUE, at, (None, None))
    gaps(hidden, *(a for a in (G, b) if a is not None))
    return frame.planes(G, "metric"), None if b is None else frame.vectors(b, "drift")


def _arrays(free: Any, drift: bool) -> Tuple[Pair, Frame, Optional[Array]]:
    """Planes of the metric and of the drift, what dresses results, and cells without data."""
    frame, hidden = None, None
    if type(free) not in PLAIN:
        values, frame, hidden = undress(free=free)
        free = values["free"]
        if hidden is not None:
            free = without(floats(free, "free"), hidden, 0.0)
    P, q = free_pair(floats(free, "free"), drift)
    return (piecewise(P), None if q is None else piecewise(q)), frame or Frame(), hidden


@overload
def parametrise_vjp(free: L, dG: ArrayLike, db: Optional[ArrayLike] = ..., *, chart: Chart = ...,
                    form: Wind = ..., drift: bool = ..., start: float = ..., eig_min: float = ...,
                    eig_max: float = ..., rho: float = ..., nonfinite: Nonfinite = ...,
                    threads: int = ...) -> L: ...
@overload
def parametrise_vjp(free: Dataset, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                    chart: Chart = ..., form: Wind = ..., drift: bool = ..., start: float = ...,
                    eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                    nonfinite: Nonfinite = ..., threads: int = ...) -> Raster: ...
@overload
def parametrise_vjp(free: PlainArrayLike, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                    chart: Chart = ..., form: Wind = ..., drift: bool = ..., start: float = ...,
                    eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                    nonfinite: Nonfinite = ..., threads: int = ...) -> FloatArray: ...


def parametrise_vjp(free: ArrayLike, dG: ArrayLike, db: Optional[ArrayLike] = None, *,
                    chart: Chart = "log-cholesky", form: Wind = "randers", drift: bool = True,
                    start: float = 1.0, eig_min: float = 1e-6, eig_max: float = 1e6,
                    rho: float = 0.99, nonfinite: Nonfinite = "refuse", threads: int = 1) -> Any:
    """From derivatives with respect to G and b of `parametrise` to that with respect to `free`.

    db None is 0.  nonfinite='propagate' lets dG and db have values that are not finite.

    >>> import numpy as np, zermelo
    >>> free = np.zeros((1, 1, 1))
    >>> G, _ = zermelo.parametrise(free, drift=False)
    >>> zermelo.parametrise_vjp(free, np.ones_like(G), drift=False).round(4)   # G = exp(2 p)
    array([[[2.]]])
    """
    options = Parametrisation(chart, form, start, eig_min, eig_max, rho, nonfinite, threads)
    (P, q), frame, hidden = _arrays(free, drift)
    head, cells = P.shape[:-3], P.shape[-2:]
    shapes = ((*head, options.metric_planes(P.shape[-3], drift), *cells), (*head, 2, *cells))
    given = []
    for name, value, shape in zip(("dG", "db"), (dG, db), shapes):
        if name == "db" and (value is None or not drift):
            if value is not None:
                raise ArgumentError("db is given, but there is no drift")
            given.append(np.zeros(shape, P.dtype) if drift else None)
            continue
        a = floats(conform(name, value, frame), name).astype(P.dtype, copy=False)
        if a.shape != shape:
            raise ArgumentError(f"{name} has shape {a.shape}, expected {shape}, that of the result "
                                "of parametrise")
        given.append(piecewise(a if hidden is None else
                               np.where(hidden[..., None, :, :], a.dtype.type(0), a)))
    out = np.empty((*head, P.shape[-3] + (2 if drift else 0), *cells), P.dtype)
    options.into(VJP, (P, q), (given[0], given[1]), free_pair(out, drift))
    return frame.free(out)
