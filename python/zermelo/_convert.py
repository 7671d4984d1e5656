# SPDX-License-Identifier: Apache-2.0
"""Cell by cell: feasibility projections, and other forms of a front."""
from __future__ import annotations

import math
from typing import Any, List, Literal, NamedTuple, Optional, Tuple, get_args, overload

import numpy as np

from . import _core
from ._arrays import Nonfinite, choice, floats, number_of, propagates, threads_of
from ._core import ArgumentError
from ._fields import Fields, Rates, batch_of, gaps
from ._frames import Frame, Raster
from ._labels import conform
from ._types import Array, ArrayLike, Dataset, FloatArray, L, PlainArrayLike

Pair = Tuple[Any, Optional[Array]]  # arrays of a metric and of a drift
Planes = Tuple[Optional[Array], ...]  # five in the order of the library; None: left out


def _plane(a: Any, k: int, problem: int) -> Optional[Array]:
    """Plane k of one problem of (H, W), (P, H, W) or (B, P, H, W)."""
    plane: Optional[Array] = a
    if a is not None and a.ndim > 2:
        plane = a[k] if a.ndim == 3 else a[problem if len(a) > 1 else 0, k]
    return plane


def _five(G: Array, b: Optional[Array], problem: int) -> Planes:
    """g11, g12, g22, b1, b2."""
    count = 1 if G.ndim == 2 else G.shape[-3]
    where = {1: (0, None, None), 2: (0, None, 1), 3: (0, 1, 2)}[count]
    return (*(None if k is None else _plane(G, k, problem) for k in where),
            _plane(b, 0, problem), _plane(b, 1, problem))


# ---- projections ---------------------------------------------------------------------

def full_planes(G: Array) -> Array:
    """All three planes of a scalar or diagonal metric."""
    if G.ndim > 2 and G.shape[-3] == 3:
        return G
    g = G[None] if G.ndim == 2 else G
    g11, g22 = g[..., :1, :, :], g[..., -1:, :, :]
    return np.concatenate([g11, np.zeros_like(g11), g22], axis=-3)


def _fewer_planes(G: Array, like: Array) -> Array:
    """Of all three planes those that `like` has."""
    if like.ndim == 2:
        return np.ascontiguousarray(G[..., 0, :, :])
    step = {1: slice(0, 1), 2: slice(0, 3, 2), 3: slice(0, 3)}[like.shape[-3]]
    return np.ascontiguousarray(G[..., step, :, :])


class Bounds(NamedTuple):
    """Options of a projection."""

    eig_min: float
    eig_max: float
    rho: float
    nonfinite: Nonfinite = "refuse"
    threads: int = 1

    @classmethod
    def of(cls, eig_min: Any, eig_max: Any, rho: Any, nonfinite: Nonfinite = "refuse",
           threads: int = 1) -> "Bounds":
        return cls(number_of(eig_min, "eig_min"), number_of(eig_max, "eig_max"),
                   number_of(rho, "rho"), nonfinite, threads)

    def run(self, at: Pair, given: Pair, out: Pair) -> None:
        """Projects into `out`, or carries derivatives `given` back to it."""
        G = at[0]
        n = batch_of(*at, *given) or 1
        _core.project(given[0] is not None, G.shape[-2], G.shape[-1], G.dtype == np.float32, n, *at,
                      *given, *out, self.eig_min, self.eig_max, self.rho,
                      propagates(self.nonfinite), threads_of(self.threads))


def project_full(G: Array, b: Optional[Array], bounds: Bounds) -> Pair:
    """Projection of all three planes, (3, H, W) or (B, 3, H, W)."""
    batch, cells = batch_of(G, b), G.shape[-2:]
    head = () if batch is None else (batch,)
    out = (np.empty((*head, 3, *cells), G.dtype),
           None if b is None else np.empty((*head, 2, *cells), G.dtype))
    bounds.run((G, b), (None, None), out)
    return out


def project_full_vjp(G: Array, b: Optional[Array], cG: Array, cb: Optional[Array], bounds: Bounds
                     ) -> Pair:
    """Derivatives with respect to G and b from those with respect to the results, of one batch."""
    out = np.empty(cG.shape, G.dtype), None if cb is None else np.empty(cb.shape, G.dtype)
    bounds.run((G, b), (cG, cb), out)
    return out


@overload
def project(G: L, b: None = ..., *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> L: ...
@overload
def project(G: L, b: ArrayLike, *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> Tuple[L, L]: ...
@overload
def project(G: Dataset, b: None = ..., *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> Raster: ...
@overload
def project(G: Dataset, b: ArrayLike, *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> Tuple[Raster, Raster]: ...
@overload
def project(G: PlainArrayLike, b: None = ..., *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> FloatArray: ...
@overload
def project(G: PlainArrayLike, b: L, *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> Tuple[L, L]: ...
@overload
def project(G: PlainArrayLike, b: PlainArrayLike, *, eig_min: float = ...,
            eig_max: float = ..., rho: float = ...,
            threads: int = ...) -> Tuple[FloatArray, FloatArray]: ...


def project(G: ArrayLike, b: Optional[ArrayLike] = None, *, eig_min: float = 1e-6,
            eig_max: float = math.inf, rho: float = 0.99, threads: int = 1) -> Any:
    """The admissible metric and drift next to G and b.

    Eigenvalues of G are brought into [eig_min, eig_max], then b is scaled back to
    \\|b\\|_{G^-1} <= rho.  Shapes are those of `solve`; cells are shared among `threads`.
    Returns G, or (G, b) with a drift.

    >>> import numpy as np, zermelo
    >>> G = np.array([4.0, 0.0, -1.0])[:, None, None]            # one cell
    >>> zermelo.project(G, eig_min=0.25)[:, 0, 0]
    array([4.  , 0.  , 0.25])
    """
    fields = Fields.of(G, b)
    g, d = fields.G, fields.b
    out_G, out_b = project_full(full_planes(g), d,
                                Bounds.of(eig_min, eig_max, rho, threads=threads))
    result, = gaps(fields.hidden, _fewer_planes(out_G, g))
    result = fields.frame.admissible(result)
    if out_b is None:
        return result
    gaps(fields.hidden, out_b)
    return result, fields.frame.vectors(out_b)


@overload
def project_vjp(G: L, b: None, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> L: ...
@overload
def project_vjp(G: L, b: ArrayLike, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> Tuple[L, L]: ...
@overload
def project_vjp(G: Dataset, b: None, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> Raster: ...
@overload
def project_vjp(G: Dataset, b: ArrayLike, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> Tuple[Raster, Raster]: ...
@overload
def project_vjp(G: PlainArrayLike, b: None, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> FloatArray: ...
@overload
def project_vjp(G: PlainArrayLike, b: L, dG: ArrayLike, db: Optional[ArrayLike] = ..., *,
                eig_min: float = ..., eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> Tuple[L, L]: ...
@overload
def project_vjp(G: PlainArrayLike, b: PlainArrayLike, dG: ArrayLike,
                db: Optional[ArrayLike] = ..., *, eig_min: float = ...,
                eig_max: float = ..., rho: float = ...,
                nonfinite: Nonfinite = ..., threads: int = ...) -> Tuple[FloatArray, FloatArray]: ...


def project_vjp(G: ArrayLike, b: Optional[ArrayLike], dG: ArrayLike,
                db: Optional[ArrayLike] = None, *, eig_min: float = 1e-6,
                eig_max: float = math.inf, rho: float = 0.99,
                nonfinite: Nonfinite = "refuse", threads: int = 1) -> Any:
    """From derivatives with respect to the results of `project` to those of its arguments G and b.

    dG and db have the shapes of the results (db None: 0).  Returns dL/dG, or (dL/dG, dL/db)
    with a drift.  nonfinite='propagate' lets dG and db have values that are not finite.

    >>> import numpy as np, zermelo
    >>> G = np.array([4.0, 0.0, -1.0])[:, None, None]
    >>> zermelo.project_vjp(G, None, np.ones((3, 1, 1)), eig_min=0.25)[:, 0, 0]
    array([1.  , 0.75, 0.  ])
    """
    fields = Fields.of(G, b)
    g, d, frame = fields.G, fields.b, fields.frame
    batch, cells = batch_of(g, d), g.shape[-2:]
    head = () if batch is None else (batch,)
    planes = 1 if g.ndim == 2 else g.shape[-3]
    cG = _cotangent("dG", dG, (*head, *cells) if g.ndim == 2 else (*head, planes, *cells), fields)
    cb = None
    if d is not None:
        cb = np.zeros((*head, 2, *cells), g.dtype)
        if db is not None:
            cb[...] = _cotangent("db", db, cb.shape, fields)
    full = np.zeros((*head, 3, *cells), g.dtype)  # of planes that results lack: 0
    full[..., {1: slice(0, 1), 2: slice(0, 3, 2), 3: slice(0, 3)}[planes], :, :] = \
        cG[..., None, :, :] if g.ndim == 2 else cG
    out_G, out_b = project_full_vjp(full_planes(g), d, full, cb,
                                    Bounds.of(eig_min, eig_max, rho, nonfinite, threads))
    if planes == 1:  # g stands for g11 and g22
        out_G = out_G[..., 0:1, :, :] + out_G[..., 2:3, :, :]
    result = _sum_to(_fewer_planes(out_G, g) if planes > 1 else out_G, g.shape)
    result = frame.metric(result)
    return result if d is None else (result, frame.drift(_sum_to(out_b, d.shape)))


def _cotangent(name: str, value: Any, shape: Tuple[int, ...], fields: Fields) -> Array:
    """With zeros where there is no data."""
    a = floats(conform(name, value, fields.frame), name)
    if a.shape != shape:
        raise ArgumentError(f"{name} has shape {a.shape}, expected {shape}, that of the result of "
                            "project")
    if fields.hidden is not None:
        a = np.where(fields.hidden if a.ndim == 2 else fields.hidden[..., None, :, :], 0, a)
    return a.astype(fields.G.dtype, copy=False)


def _sum_to(d: Any, shape: Tuple[int, ...]) -> Array:
    """Summed over the batch where the argument was shared by it."""
    if d.ndim == 4 and (len(shape) < 4 or shape[0] < len(d)):
        d = d.sum(axis=0)
    total: Array = d.reshape(shape)
    return total


# ---- forms ---------------------------------------------------------------------------

RANDERS, ZERMELO, ELLIPSE, FOCUS = range(4)
FORM_PLANES = (5, 5, 4, 3)
VALUE, JVP, VJP = range(3)
Convention = Literal["compass", "math"]


class Form(NamedTuple):
    """A conversion and its options."""

    source: int
    target: int
    convention: Convention = "compass"
    tilt: float = 1e-3
    walls: Optional[Array] = None
    nonfinite: Nonfinite = "refuse"


def convert(form: Form, at: List[Planes], what: int = VALUE, given: Optional[List[Planes]] = None
            ) -> Array:
    """Planes (n, P, H, W) of n problems: values, or derivatives of them along `given` (JVP) or
    transposed (VJP)."""
    first: Any = at[0][0]
    planes = FORM_PLANES[form.source if what == VJP else form.target]
    out = np.empty((len(at), planes, *first.shape), first.dtype)
    for k, values in enumerate(at):
        _core.convert(what, form.source, form.target, values, given[k] if given else None,
                      as_five(out[k]),
                      choice("convention", form.convention, get_args(Convention)) == 1, form.tilt,
                      form.walls, propagates(form.nonfinite), first.shape[-1])
    return out


def as_five(planes: Any) -> Planes:
    return (*planes, *[None] * (5 - len(planes)))


def _convert_pair(form: Form, G: Array, b: Optional[Array]) -> Array:
    """(P, H, W) or (B, P, H, W) from a metric and a vector."""
    batch = batch_of(G, b)
    out = convert(form, [_five(G, b, k) for k in range(batch or 1)])
    planes: Array = out[0] if batch is None else out
    return planes


def _split(planes: Array, frame: Frame) -> Any:
    return frame.planes(planes[..., :3, :, :]), frame.vectors(planes[..., 3:, :, :])


def _converted(source: int, target: int, fields: Fields) -> Any:
    planes = _convert_pair(Form(source, target, walls=fields.walls), fields.G, fields.b)
    gaps(fields.hidden, planes)
    return _split(planes, fields.frame)


def _mirror(planes: Array, form: Form, frame: Frame, *odd: int) -> Array:
    """Headings count from north, and rows that go north have y the other way round: g12 and b2
    change their sign."""
    if form.convention == "compass" and frame.grid.northward:
        planes[..., odd, :, :] *= -1
    return planes


@overload
def to_zermelo(G: L, b: Optional[ArrayLike] = ..., *, walls: Optional[ArrayLike] = ...
                 ) -> Tuple[L, L]: ...
@overload
def to_zermelo(G: Dataset, b: Optional[ArrayLike] = ..., *, walls: Optional[ArrayLike] = ...
                 ) -> Tuple[Raster, Raster]: ...
@overload
def to_zermelo(G: PlainArrayLike, b: Optional[PlainArrayLike] = ..., *,
               walls: Optional[ArrayLike] = ...) -> Tuple[FloatArray, FloatArray]: ...


def to_zermelo(G: ArrayLike, b: Optional[ArrayLike] = None, *, walls: Optional[ArrayLike] = None
               ) -> Any:
    """Metric and drift as own speed and wind: (h, W) with shapes (3, H, W) and (2, H, W).

    In still air the front reaches { u : u' h u <= 1 } in unit time; the wind W carries it.

    >>> import numpy as np, zermelo
    >>> G, b = zermelo.from_zermelo(np.full((1, 1), 0.25), (1.0, 0.0))  # speed 2, wind 1
    >>> h, W = zermelo.to_zermelo(G, b)
    >>> h[:, 0, 0].round(12), W[:, 0, 0].round(12)
    (array([0.25, 0.  , 0.25]), array([1., 0.]))
    """
    return _converted(RANDERS, ZERMELO, Fields.of(G, b, walls))


@overload
def from_zermelo(h: L, W: Optional[ArrayLike] = ..., *, walls: Optional[ArrayLike] = ...
                 ) -> Tuple[L, L]: ...
@overload
def from_zermelo(h: Dataset, W: Optional[ArrayLike] = ..., *, walls: Optional[ArrayLike] = ...
                 ) -> Tuple[Raster, Raster]: ...
@overload
def from_zermelo(h: PlainArrayLike, W: Optional[PlainArrayLike] = ..., *,
                 walls: Optional[ArrayLike] = ...) -> Tuple[FloatArray, FloatArray]: ...


def from_zermelo(h: ArrayLike, W: Optional[ArrayLike] = None, *, walls: Optional[ArrayLike] = None
                 ) -> Any:
    """Metric and drift (G, b) of a front with its own speed in a wind or current.

    h : (H, W) for a speed c that is the same in all directions, h = 1/c**2, (3, H, W) for
    others.  W : (2, H, W) or two numbers, x first; slower than the front's own speed.

    >>> import numpy as np, zermelo
    >>> G, b = zermelo.from_zermelo(np.full((1, 9), 0.25), (1.0, 0.0))  # speed 2, wind 1
    >>> zermelo.solve(G, b, (0, 4))[0, [0, 8]]    # 4 cells at speed 1, at speed 3
    array([4.        , 1.33333333])
    """
    return _converted(ZERMELO, RANDERS, Fields.of(h, W, walls, "hW"))


@overload
def fire_ellipse(head: L, flank: Optional[ArrayLike] = ..., back: Optional[ArrayLike] = ...,
                 heading: ArrayLike = ..., *, length_to_breadth: Optional[ArrayLike] = ...,
                 convention: Convention = ..., shape: Optional[Tuple[int, ...]] = ...,
                 walls: Optional[ArrayLike] = ...) -> Tuple[L, L]: ...
@overload
def fire_ellipse(head: Dataset, flank: Optional[ArrayLike] = ..., back: Optional[ArrayLike] = ...,
                 heading: ArrayLike = ..., *, length_to_breadth: Optional[ArrayLike] = ...,
                 convention: Convention = ..., shape: Optional[Tuple[int, ...]] = ...,
                 walls: Optional[ArrayLike] = ...) -> Tuple[Raster, Raster]: ...
@overload
def fire_ellipse(head: PlainArrayLike, flank: Optional[ArrayLike] = ...,
                 back: Optional[ArrayLike] = ..., heading: ArrayLike = ..., *,
                 length_to_breadth: Optional[ArrayLike] = ...,
                 convention: Convention = ..., shape: Optional[Tuple[int, ...]] = ...,
                 walls: Optional[ArrayLike] = ...) -> Tuple[FloatArray, FloatArray]: ...


def fire_ellipse(head: ArrayLike, flank: Optional[ArrayLike] = None,
                 back: Optional[ArrayLike] = None, heading: ArrayLike = 0.0, *,
                 length_to_breadth: Optional[ArrayLike] = None,
                 convention: Convention = "compass", shape: Optional[Tuple[int, ...]] = None,
                 walls: Optional[ArrayLike] = None) -> Any:
    """Metric and drift (G, b) of a fire that spreads as an ellipse.

    head, flank, back : rates of spread along the heading, at the widest place across it (half
    the breadth) and against it.  Or head and length_to_breadth, for a fire lit at the rear
    focus of its ellipse.  heading : where the head goes, degrees clockwise from north (row 0
    is in the north); with convention='math' radians from +x towards +y.  Numbers and arrays
    (H, W) or (B, H, W) may be mixed.

    >>> import numpy as np, zermelo
    >>> G, b = zermelo.fire_ellipse(2.0, 1.0, 0.5, heading=90.0, shape=(1, 9))  # to the east
    >>> zermelo.solve(G, b, (0, 4))[0, [0, 8]].round(9)
    array([8., 2.])
    """
    if length_to_breadth is not None:
        if flank is not None or back is not None:
            raise ArgumentError("flank, back and length_to_breadth are given, expected flank and "
                                "back or length_to_breadth, not both")
        fields = {"head": head, "length_to_breadth": length_to_breadth, "heading": heading}
    elif flank is None or back is None:
        raise ArgumentError("head is given alone, expected flank and back too, or "
                            "length_to_breadth")
    else:
        fields = {"head": head, "flank": flank, "back": back, "heading": heading}
    arrays, closed, frame, hidden = Rates.of(fields, walls, shape)
    form = Form(FOCUS if len(arrays) == 3 else ELLIPSE, RANDERS, convention, walls=closed)
    if arrays[0].ndim == 2:
        planes = convert(form, [as_five(arrays)])[0]
    else:
        planes = convert(form, [as_five(rates) for rates in zip(*arrays)])
    planes, = gaps(hidden, _mirror(planes, form, frame, 1, 4))
    return _split(planes, frame)


class FireEllipse(NamedTuple):
    """Rates of spread along the heading, across and against it; where the head goes."""

    head: Array
    flank: Array
    back: Array
    heading: Array


def to_fire_ellipse(G: ArrayLike, b: Optional[ArrayLike] = None, *,
                    convention: Convention = "compass", tilt: float = 1e-3,
                    walls: Optional[ArrayLike] = None) -> FireEllipse:
    """Metric and drift as a fire ellipse: head, flank, back, heading.

    An ellipse whose axis is not along its wind is refused if it is off by more than `tilt`;
    tilt=1 takes head and back along the wind and flank across, whatever the axes.

    >>> import numpy as np, zermelo
    >>> G, b = zermelo.fire_ellipse(2.0, 1.0, 0.5, heading=30.0, shape=(1, 1))
    >>> [round(float(x[0, 0]), 9) for x in zermelo.to_fire_ellipse(G, b)]
    [2.0, 1.0, 0.5, 30.0]
    """
    fields = Fields.of(G, b, walls)
    form, g, d = Form(RANDERS, ELLIPSE, convention, tilt, fields.walls), fields.G, fields.b
    if form.convention == "compass" and fields.frame.grid.northward:
        g = _mirror(full_planes(g).copy(), form, fields.frame, 1)
        d = None if d is None else _mirror(d.copy(), form, fields.frame, 1)
    planes, = gaps(fields.hidden, _convert_pair(form, g, d))
    names = FireEllipse._fields
    return FireEllipse(*(fields.frame.rates(np.ascontiguousarray(planes[..., k, :, :]), name)
                         for k, name in enumerate(names)))
