# SPDX-License-Identifier: Apache-2.0
"""Arguments as users write them, brought into the shapes that the C library takes.

Arrays of float32 and float64 are used where they are; others are converted, and those whose
planes are not contiguous copied.  What can be read in two ways is refused with both.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Literal, Optional, Tuple, get_args

import numpy as np

from ._core import ArgumentError
from ._types import Array, ArrayLike, Cells

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)


def plain(value: Any, name: str) -> Array:
    """The value as an array of NumPy's own class."""
    try:
        return np.asarray(value)
    except RuntimeError as error:  # torch: "Can't call numpy() on Tensor that requires grad"
        if not getattr(value, "requires_grad", False):
            raise ArgumentError(f"{name} is a {type(value).__name__} that cannot be read as an array "
                                f"({error}), expected an array") from error
        raise TypeError(f"{name} is a {type(value).__name__} of shape {tuple(value.shape)} that "
                        "needs gradients, expected an array: use the functions of zermelo.torch, "
                        "or give its values, .detach()") from None
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is no array ({error}), expected numbers of one shape, such as "
                            "a list of rows of equal length") from None


def refuse_rows_and_columns(value: Any, name: str) -> None:
    """What numpy.nonzero gives, rows and columns as a tuple, looks like a tuple of places."""
    if type(value) is not tuple or len(value) not in (2, 3) or not all(
            isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind in "iu" for one in value):
        return
    told = f"{name} is a tuple of {len(value)} arrays of shape {value[0].shape}"
    if len(value[0]) in (2, 3):
        raise ArgumentError(f"{told}, which can be read in two ways: write numpy.transpose({name}) for "
                            f"rows and columns, as of numpy.nonzero, or list({name}) for "
                            f"{len(value)} places")
    raise ArgumentError(f"{told}, rows and columns as of numpy.nonzero, expected places (n, 2): write "
                        f"numpy.transpose({name})")


def refuse_dates(a: Array, name: str) -> None:
    """Dates and durations have an origin and a unit, and times of fronts have those of the
    metric."""
    if a.dtype.kind in "mM":
        since = "(value - origin)" if a.dtype.kind == "M" else "value"
        raise TypeError(f"{name} has dtype {a.dtype} and shape {a.shape}, expected numbers in the "
                        "unit of time that metric and spacing have: write "
                        f"{since} / numpy.timedelta64(1, 's') for seconds or "
                        f"{since} / numpy.timedelta64(1, 'h') for hours")


def floats(value: Any, name: str) -> Array:
    """An array of float32 or float64 in this machine's byte order, at addresses that it can load."""
    a = value if type(value) is np.ndarray else plain(value, name)
    dtype = a.dtype
    if dtype == F64 or dtype == F32:
        return a if a.flags.aligned else a.copy()
    if dtype.kind in "iu":
        return a.astype(F64)
    if dtype.kind == "f":  # another byte order, float16, long double
        return a.astype(F32 if dtype.itemsize <= 4 else F64)
    refuse_dates(a, name)
    if dtype.kind == "b":
        raise TypeError(f"{name} has dtype bool and shape {a.shape}, expected numbers; a mask of "
                        "obstacles is walls, and a mask of numbers is written mask.astype(float)")
    raise TypeError(f"{name} has dtype {dtype} and shape {a.shape}, expected float32 or float64 "
                    "(integers are converted)")


def times_of(value: ArrayLike, name: str) -> Array:
    """Numbers in float64, a copy: times, rows and columns."""
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{name} is a masked array of shape {value.shape}, expected numbers: "
                            f"write {name}.compressed(), or .filled() with what masked ones are")
    return floats(value, name).astype(F64)


def number_of(value: Any, name: str) -> float:
    """A plain number, and not the count of ticks of a duration."""
    if type(value) is float or type(value) is int:
        return value
    a = plain(value, name)
    if a.ndim or a.dtype.kind not in "iuf":
        refuse_dates(a, name)
        raise ArgumentError(f"{name} is {value!r}, expected a number")
    return float(a)


def piecewise(a: Array) -> Array:
    """The array, copied unless each of its planes (the last two axes) is in one piece."""
    if a.flags.c_contiguous:
        return a
    strides, shape, size = a.strides, a.shape, a.itemsize
    if (shape[-1] == 1 or strides[-1] == size) and \
            (shape[-2] == 1 or strides[-2] == shape[-1] * size):
        return a
    return np.ascontiguousarray(a)


def same_type(*arrays: Any) -> Any:
    """All in float64, unless all are float32."""
    if len({a.dtype for a in arrays if a is not None}) < 2:
        return arrays
    return tuple(None if a is None else a.astype(F64, copy=False) for a in arrays)


# ---- shapes --------------------------------------------------------------------------

def metric(value: Any, name: str = "G") -> Array:
    """(H, W), (P, H, W) or (B, P, H, W) with 1, 2 or 3 planes."""
    a = floats(value, name)
    if not (2 <= a.ndim <= 4 and (a.ndim == 2 or a.shape[-3] in (1, 2, 3))):
        hint = ""
        if a.ndim in (3, 4) and a.shape[-1] in (1, 2, 3):
            hint = (f"; its last axis has {a.shape[-1]}: where these are the planes, write "
                    f"numpy.moveaxis({name}, -1, -3)")
        elif a.ndim == 3:
            hint = (f"; where these are {len(a)} scalar fields, write {name}[:, None], shape "
                    f"({len(a)}, 1, {a.shape[1]}, {a.shape[2]})")
        raise ArgumentError(
            f"{name} has shape {a.shape}, expected (H, W), (3, H, W) or (B, 3, H, W); a diagonal "
            f"one has 2 planes instead of 3, a batch of scalar fields is (B, 1, H, W){hint}")
    if 0 in a.shape:
        raise ArgumentError(f"{name} has shape {a.shape}: there are no cells, expected at least 1 "
                            "along each axis")
    return piecewise(a)


def turned(shape: Tuple[int, ...], cells: Cells, name: str) -> str:
    """A hint for an array (W, H) where (H, W) is expected, or one with its planes last."""
    h, w = cells
    if h != w and shape[-2:] == (w, h):
        return f"; its last axes are (W, H): write {name}.swapaxes(-1, -2)"
    if len(shape) > 2 and shape[-3:-1] == (h, w):
        return f"; its planes are last: write numpy.moveaxis({name}, -1, -3)"
    return ""


def drift(value: Any, cells: Cells, name: str = "b", dtype: Any = None) -> Optional[Array]:
    """(2, H, W) or (B, 2, H, W); two numbers, or one for both, stand for a constant one, of `dtype`
    unless they are an array, which has a type of its own."""
    if value is None:
        return None
    a = floats(value, name)
    if a.ndim == 0 or a.shape == (2,):
        if dtype is not None and isinstance(value, (int, float, np.number, tuple, list)):
            with np.errstate(over="ignore"):  # what becomes infinite is refused as such
                a = a.astype(dtype)
        a = np.ascontiguousarray(np.broadcast_to(a.reshape(-1, 1, 1), (2, *cells)))
    if a.ndim not in (3, 4) or a.shape[-3] != 2 or a.shape[-2:] != cells or 0 in a.shape:
        h, w = cells
        raise ArgumentError(f"{name} has shape {a.shape}, expected (2, {h}, {w}), "
                            f"(B, 2, {h}, {w}), two numbers or one{turned(a.shape, cells, name)}")
    return piecewise(a)


def mask(value: Any, cells: Cells, name: str, batch: bool = False) -> Optional[Array]:
    """One byte a cell, (H, W) or, for a batch, (B, H, W)."""
    if value is None:
        return None
    a = plain(value, name)
    if a.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {a.dtype} and shape {a.shape}, expected bool")
    if a.shape[-2:] != cells or a.ndim not in ((2, 3) if batch else (2,)) or 0 in a.shape:
        more = f" or (B, {cells[0]}, {cells[1]})" if batch else ""
        raise ArgumentError(f"{name} has shape {a.shape}, expected ({cells[0]}, {cells[1]}){more}"
                            f"{turned(a.shape, cells, name)}")
    if a.dtype.kind != "b":
        a = _truth(a, name)
    return np.ascontiguousarray(a)


def _truth(a: Array, name: str) -> Array:
    """A mask of numbers, which are 0 and 1 and nothing else."""
    true: Array = a == 1
    odd = ~(true | (a == 0))
    if odd.any():
        at = tuple(map(int, np.argwhere(odd)[0]))
        row, col = at[-2:]
        raise ArgumentError(
            f"{name} has the value {a[at]:g} at row {row}, col {col}, expected bool, or 0 and 1: "
            f"write {name} != 0 if all but 0 are meant" +
            (f", numpy.isnan({name}) if those without a value are" if np.isnan(a[at]) else ""))
    return true


def spacing_of(value: Any, coords: Optional[Callable[[], Tuple[float, float]]] = None
               ) -> Tuple[float, float]:
    """(dy, dx).  `coords` measures the coordinates, where there are some."""
    if value is None:
        return 1.0, 1.0
    if isinstance(value, str):
        if value != "coords":
            raise ArgumentError(f"spacing is {value!r}, expected a number, (dy, dx), "
                                "{'x': dx, 'y': dy} or 'coords'")
        if coords is None:
            raise ArgumentError("spacing='coords' needs an argument with coordinates, expected an "
                                "xarray.DataArray or a rasterio dataset")
        return coords()
    if type(value) is float or type(value) is int:
        return value, value
    if hasattr(value, "keys"):
        if set(value) != {"x", "y"}:
            raise ArgumentError(f"spacing has the keys {sorted(map(str, value))}, expected "
                                "{'x': dx, 'y': dy}")
        value = value["y"], value["x"]
    try:
        a = floats(value, "spacing")
    except (TypeError, ArgumentError):
        a = np.empty(0)
    if a.shape not in ((), (1,), (2,)):
        raise ArgumentError(f"spacing is {value!r}, expected a number, (dy, dx), "
                            "{'x': dx, 'y': dy} or 'coords'")
    dy, dx = np.broadcast_to(a, (2,)).tolist()
    return dy, dx


# ---- words ---------------------------------------------------------------------------

def choice(name: str, value: Any, words: Tuple[str, ...]) -> int:
    """Position of a word in the list of those allowed."""
    try:
        return words.index(value)
    except ValueError:
        raise ArgumentError(
            f"{name} is {value!r}, expected one of {', '.join(map(repr, words))}") from None


Nonfinite = Literal["refuse", "propagate"]
"""What is done with derivatives that are given and are not finite: an error, or what depends on them
is nan or infinite."""


def propagates(nonfinite: Nonfinite) -> bool:
    return nonfinite == "propagate" or choice("nonfinite", nonfinite, get_args(Nonfinite)) == 1


def threads_of(threads: int) -> int:
    """0: as many as this process may use."""
    if threads == 0:
        try:
            threads = len(os.sched_getaffinity(0))
        except AttributeError:  # not on this system
            threads = os.cpu_count() or 1
    return threads
