# SPDX-License-Identifier: Apache-2.0
"""The derivative of a solution as a linear operator of SciPy, for any optimiser.

J takes a change of G, b or sources to that of the times, J' takes weights of times back.  Vectors
are the arrays that were given, flattened, one after the other; SciPy is imported when an operator
is made.
"""
from __future__ import annotations

from typing import Any, Callable, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union, cast

import numpy as np

from ._arrays import F64, choice, floats
from ._core import ArgumentError, UnsupportedError
from ._sources import places, refuse_outside
from ._types import Array, ArrayLike, FloatArray, LinearOperator

Wrt = Literal["G", "b", "sources"]
WRT = ("G", "b", "sources")
Push = Callable[[Optional[Array], Optional[Array], Any], Array]
Pull = Callable[[Array, bool], Tuple[Array, Optional[Array], Any]]


class Linear(NamedTuple):
    """What is needed of a solution: shapes of T, G and b, sources, and both products."""

    times: Tuple[int, ...]
    dtype: np.dtype[Any]
    G: Tuple[int, ...]
    b: Optional[Tuple[int, ...]]
    sources: Tuple[Array, ...]
    own_sources: bool
    push: Push
    pull: Pull


def _scipy() -> Any:
    try:
        from scipy.sparse import linalg
    except ImportError:
        raise UnsupportedError("operators need SciPy, which is not installed here: expected the "
                               "module scipy.sparse.linalg (Debian: python3-scipy)") from None
    return linalg


# ---- vectors -------------------------------------------------------------------------

def _parts(s: Linear, wrt: Union[Wrt, Sequence[Wrt]]) -> List[Tuple[str, int]]:
    """Names and lengths of what a vector consists of."""
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    for name in names:
        choice("wrt", name, WRT)
    if not names or len(set(names)) != len(names):
        raise ArgumentError(f"wrt is {wrt!r}, expected one of 'G', 'b', 'sources', or several of "
                            "them once")
    if "b" in names and s.b is None:
        raise ArgumentError("wrt has 'b' and the solution has no drift, expected one: solve with "
                            "b=0.0 or with zeros (2, H, W)")
    sizes = {"G": int(np.prod(s.G)), "b": int(np.prod(s.b or ())),
             "sources": 3 * sum(map(len, s.sources))}
    return [(name, sizes[name]) for name in names]


def _split(s: Linear, parts: List[Tuple[str, int]], x: Array) -> Tuple[Any, Any, Any]:
    """A vector as changes of G, b and sources."""
    found: dict[str, Any] = {}
    at = 0
    for name, size in parts:
        found[name], at = x[at:at + size], at + size
    if "G" in found:
        found["G"] = found["G"].reshape(s.G)
    if "b" in found:
        found["b"] = found["b"].reshape(s.b)
    if "sources" in found:
        rows = found["sources"].reshape(-1, 3).copy()
        places = np.concatenate(s.sources)[:, :2]
        rows[(places == np.rint(places)).all(axis=1), :2] = 0  # T has a kink there, J' has 0
        ends = np.cumsum([len(one) for one in s.sources])[:-1]
        found["sources"] = np.split(rows, ends) if s.own_sources else rows
    return found.get("G"), found.get("b"), found.get("sources")


def _joined(s: Linear, parts: List[Tuple[str, int]], d: Tuple[Any, ...]) -> Array:
    """Derivatives with respect to G, b and sources as a vector."""
    pieces = []
    for name, _ in parts:
        value = d[WRT.index(name)]
        pieces += [value] if isinstance(value, np.ndarray) else list(value)
    return np.concatenate([np.asarray(piece, s.dtype).ravel() for piece in pieces])


# ---- rows ----------------------------------------------------------------------------

def _rows(s: Linear, at: Any) -> Optional[Array]:
    """Positions in T of the times that are rows of J; None: all."""
    if at is None:
        return None
    a, cells = places(at, "at"), (s.times[-2], s.times[-1])
    found: Array
    if a.dtype.kind == "b":
        if a.shape not in (cells, s.times):
            raise ArgumentError(f"at has shape {a.shape}, expected a mask {cells} or {s.times}, or "
                                "points (n, 2)")
        found = np.flatnonzero(np.broadcast_to(a, s.times))
        return found
    if a.ndim != 2 or a.shape[1] != 2 or a.dtype.kind not in "iu" or not len(a):
        raise ArgumentError(f"at has shape {a.shape} and dtype {a.dtype}, expected points (n, 2) "
                            "of whole numbers, row and col, or a bool mask")
    refuse_outside(a, cells, "at")
    one = np.ravel_multi_index(tuple(a.T.astype(np.int64)), cells)
    problems = int(np.prod(s.times[:-2]))
    step = cells[0] * cells[1]
    found = np.concatenate([one + k * step for k in range(problems)])
    return found


def jacobian(s: Linear, wrt: Union[Wrt, Sequence[Wrt]], at: Optional[ArrayLike]) -> LinearOperator:
    parts, rows = _parts(s, wrt), _rows(s, at)
    n, size = int(np.prod(s.times)), sum(size for _, size in parts)
    needs_sources = any(name == "sources" for name, _ in parts)

    def matvec(x: Array) -> Array:
        x = floats(x, "the vector").reshape(-1)
        dT = s.push(*_split(s, parts, x)).reshape(-1)
        return dT if rows is None else dT[rows]

    def rmatvec(y: Array) -> Array:
        y = floats(y, "the vector").reshape(-1).astype(s.dtype, copy=False)
        if rows is not None:
            y = np.bincount(rows, y, minlength=n).astype(s.dtype, copy=False)
        return _joined(s, parts, s.pull(y.reshape(s.times), needs_sources))
    shape = (n if rows is None else len(rows), size)
    return cast(LinearOperator, _scipy().LinearOperator(shape, matvec=matvec, rmatvec=rmatvec,
                                                        dtype=s.dtype))


# ---- Gauss-Newton --------------------------------------------------------------------

def gauss_newton(J: LinearOperator, weights: Any, regulariser: Any) -> LinearOperator:
    """x -> J' W J x + R x"""
    rows, size = J.shape
    W = _product(weights, rows, "weights")
    R = _product(regulariser, size, "regulariser")

    def matvec(x: Array) -> Array:
        x = floats(x, "the vector").reshape(-1)
        y = J.matvec(x)
        found = J.rmatvec(y if W is None else W(y))
        return found if R is None else found + R(x)
    return cast(LinearOperator, _scipy().LinearOperator((size, size), matvec=matvec,
                                                        rmatvec=matvec, dtype=J.dtype))


def _product(value: Any, size: int, name: str) -> Optional[Callable[[Array], Array]]:
    """Multiplication with a number, a diagonal, a matrix or an operator, which is symmetric."""
    if value is None:
        return None
    if getattr(value, "shape", ()) == (size, size) and size > 1 or hasattr(value, "matvec"):
        if value.shape != (size, size):
            raise ArgumentError(f"{name} has shape {value.shape}, expected ({size}, {size})")
        operator = _scipy().aslinearoperator(value)

        def product(x: Array) -> Array:
            found: Array = operator.matvec(x)
            return found
        return product
    a: FloatArray = floats(value, name).astype(F64)
    if a.ndim and a.size != size:
        raise ArgumentError(f"{name} has shape {a.shape}, expected a number, {size} values, or a "
                            f"matrix or operator ({size}, {size})")
    if not (np.isfinite(a).all() and (a >= 0).all()):
        worst = a.ravel()[int(np.argmax(~(np.isfinite(a) & (a >= 0)).ravel()))]
        raise ArgumentError(f"{name} of shape {a.shape} has the value {worst:g}, expected numbers "
                            "of at least 0")
    diagonal = a.ravel() if a.ndim else a

    def multiply(x: Array) -> Array:
        found: Array = diagonal * x
        return found
    return multiply
