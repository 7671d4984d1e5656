# SPDX-License-Identifier: Apache-2.0
"""Arguments as users write them, brought into the shapes that the C library takes.

Arrays of float32 and float64 are used where they are; others are converted, and those whose
planes are not contiguous copied.
"""
from __future__ import annotations

import os
from typing import Any, Optional, Tuple, Union

import numpy as np

from ._core import ArgumentError, SourceError

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
ArrayLike = Any  # anything numpy.asarray takes; xarray and rasterio objects too
Spacing = Union[float, Tuple[float, float], str]
Cells = Tuple[int, ...]  # (H, W)


def floats(value: ArrayLike, name: str) -> np.ndarray:
    """An array of float32 or float64 in this machine's byte order."""
    a = value if type(value) is np.ndarray else np.asarray(value)
    dtype = a.dtype
    if dtype == F64 or dtype == F32:
        return a
    if dtype.kind in "iub":
        return a.astype(F64)
    if dtype.kind == "f":  # another byte order, float16, long double
        return a.astype(F32 if dtype.itemsize <= 4 else F64)
    raise TypeError(f"{name} has dtype {dtype}, expected float32 or float64 "
                    "(integers are converted)")


def piecewise(a: np.ndarray) -> np.ndarray:
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


def metric(value: ArrayLike, name: str = "G") -> np.ndarray:
    """(H, W), (P, H, W) or (B, P, H, W) with 1, 2 or 3 planes."""
    a = floats(value, name)
    if not (2 <= a.ndim <= 4 and (a.ndim == 2 or a.shape[-3] in (1, 2, 3))):
        raise ArgumentError(
            f"{name} has shape {a.shape}, expected (H, W), (3, H, W) or (B, 3, H, W); a diagonal "
            "one has 2 planes instead of 3, a batch of scalar fields is (B, 1, H, W)")
    if 0 in a.shape:
        raise ArgumentError(f"{name} has shape {a.shape}: there are no cells")
    return piecewise(a)


def drift(value: ArrayLike, cells: Cells, name: str = "b") -> Optional[np.ndarray]:
    """(2, H, W) or (B, 2, H, W); two numbers, or one for both, stand for a constant one."""
    if value is None:
        return None
    a = floats(value, name)
    if a.ndim == 0 or a.shape == (2,):
        a = np.ascontiguousarray(np.broadcast_to(a.reshape(-1, 1, 1), (2, *cells)))
    if a.ndim not in (3, 4) or a.shape[-3] != 2 or a.shape[-2:] != cells:
        h, w = cells
        raise ArgumentError(f"{name} has shape {a.shape}, expected (2, {h}, {w}), "
                            f"(B, 2, {h}, {w}), two numbers or one")
    return piecewise(a)


def mask(value: ArrayLike, cells: Cells, name: str, batch: bool = False
         ) -> Optional[np.ndarray]:
    """One byte a cell, (H, W) or, for a batch, (B, H, W)."""
    if value is None:
        return None
    a = np.asarray(value)
    if a.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {a.dtype}, expected bool")
    if a.shape[-2:] != cells or a.ndim not in ((2, 3) if batch else (2,)):
        more = f" or (B, {cells[0]}, {cells[1]})" if batch else ""
        raise ArgumentError(f"{name} has shape {a.shape}, expected ({cells[0]}, {cells[1]}){more}")
    if a.dtype.itemsize != 1 or a.dtype.kind == "f":
        a = a != 0
    return np.ascontiguousarray(a)


def spacing_of(value: Spacing, template: Any = None) -> Tuple[float, float]:
    """(dy, dx)."""
    if isinstance(value, str):
        if value != "coords":
            raise ArgumentError(f"spacing is {value!r}, expected a number, (dy, dx) or 'coords'")
        if template is None:
            raise ArgumentError("spacing='coords' needs a G with coordinates "
                                "(an xarray.DataArray or a rasterio dataset)")
        return template.spacing()
    if isinstance(value, (int, float)):
        return float(value), float(value)
    try:
        pair: Any = value if np.ndim(value) else (value, value)
        dy, dx = pair
        return float(dy), float(dx)
    except (TypeError, ValueError):
        raise ArgumentError(f"spacing is {value!r}, expected a number or (dy, dx)") from None


# ---- sources -------------------------------------------------------------------------

Sources = Tuple[np.ndarray, ...]  # (k, 3) each: row, col, time; one for all, or one a problem


def sources_of(value: ArrayLike, cells: Cells) -> Tuple[Sources, bool]:
    """Lists of sources, and whether each problem has its own."""
    if value is None:
        raise SourceError("sources is None, expected a list of (row, col[, time]) or a mask")
    if not isinstance(value, (list, tuple)):
        value = np.asarray(value)
        if value.dtype.kind == "b":
            return _from_mask(value, cells)
    try:
        a = np.array(value, dtype=F64)  # a copy: sources must not change under a Solution
    except (TypeError, ValueError):
        return _from_ragged(value)
    if a.ndim == 1 and a.size in (2, 3):
        a = a[None]
    if a.size == 0:
        raise SourceError("sources is empty, expected at least one (row, col[, time])")
    if a.ndim not in (2, 3) or a.shape[-1] not in (2, 3):
        hint = "; a mask has dtype bool" if a.shape[-2:] == cells else ""
        raise SourceError(f"sources has shape {a.shape}, expected (n, 2) or (n, 3): row, col and "
                          f"maybe time, or (B, n, 3) for a batch{hint}")
    if a.shape[-1] == 2:
        timed = np.zeros((*a.shape[:-1], 3))
        timed[..., :2] = a
        a = timed
    return (tuple(a), True) if a.ndim == 3 else ((a,), False)


def _from_mask(a: np.ndarray, cells: Cells) -> Tuple[Sources, bool]:
    if a.shape[-2:] != cells or a.ndim not in (2, 3):
        h, w = cells
        raise SourceError(f"the mask of sources has shape {a.shape}, expected ({h}, {w}) or "
                          f"(B, {h}, {w})")
    lists = []
    for one in a.reshape(-1, *cells):
        where = np.argwhere(one)
        timed = np.zeros((len(where), 3))
        timed[:, :2] = where
        lists.append(timed)
    return tuple(lists), a.ndim == 3


def _from_ragged(value: Any) -> Tuple[Sources, bool]:
    """Sources with and without times, or lists of different length, one a problem."""
    complaint = SourceError(f"sources is {str(value)[:60]}, expected a list of (row, col[, time]), "
                            "one such list a problem, or a mask")
    try:
        rows = [list(entry) for entry in value]
        if all(len(row) in (2, 3) and not any(np.ndim(x) for x in row) for row in rows):
            return (np.array([[*row, 0.0][:3] for row in rows], dtype=F64),), False
        lists = [sources_of(entry, (-1, -1)) for entry in value]
    except (TypeError, ValueError, SourceError):
        raise complaint from None
    if any(own for _, own in lists):
        raise complaint
    return tuple(one for (one,), _ in lists), True


def targets_of(value: ArrayLike, cells: Cells) -> Optional[np.ndarray]:
    """A mask, from a mask or a list of (row, col)."""
    if value is None:
        return None
    a = np.asarray(value)
    if a.dtype.kind == "b":
        return mask(a, cells, "targets")
    if a.dtype.kind not in "iu" or a.ndim != 2 or a.shape[1] != 2:
        raise ArgumentError(f"targets has shape {a.shape} and dtype {a.dtype}, expected a bool "
                            "mask or a list of (row, col) of whole numbers")
    if ((a < 0) | (a >= cells)).any():
        raise ArgumentError(f"a target lies outside of the {cells[0]} x {cells[1]} cells")
    out = np.zeros(cells, dtype=bool)
    out[a[:, 0], a[:, 1]] = True
    return out


# ---- words ---------------------------------------------------------------------------

def choice(name: str, value: Any, words: Tuple[str, ...]) -> int:
    """Position of a word in the list of those allowed."""
    try:
        return words.index(value)
    except ValueError:
        raise ArgumentError(
            f"{name} is {value!r}, expected one of {', '.join(map(repr, words))}") from None


def threads_of(threads: int) -> int:
    """0: as many as this process may use."""
    if threads == 0:
        try:
            threads = len(os.sched_getaffinity(0))
        except AttributeError:  # not on this system
            threads = os.cpu_count() or 1
    return threads
