# SPDX-License-Identifier: Apache-2.0
"""When fronts were seen where, as the library takes it."""
from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._arrays import F64, floats, refuse_dates
from ._core import ArgumentError
from ._options import whole
from ._sources import places, swapped
from ._types import Array, ArrayLike, Cells

Columns = Tuple[Array, Array, Array, Optional[Array], Optional[Array], int, float]
"""rows, cols, times, upper, sigmas, how many, sigma of all"""


class Experiment(NamedTuple):
    """A front, and the times at which it was seen.

    Parameters
    ----------
    sources
        As in `solve`.
    times
        (H, W) with NaN or inf where nothing was seen; or n times, with `points`.
    points
        (n, 2) rows and columns, or None.  Whole numbers are the middles of cells; between them the
        computed time is interpolated.
    upper
        Like times.  The front came between times and upper; inf means not before times.
    sigma
        Standard deviation of the times, one number or one for each.  0 means that there is hardly
        any noise.
    """

    sources: ArrayLike
    times: ArrayLike
    points: Optional[ArrayLike] = None
    upper: Optional[ArrayLike] = None
    sigma: ArrayLike = 0.0


def _numbers(value: Any, name: str) -> Array:
    if isinstance(value, np.ma.MaskedArray):
        value = np.where(np.ma.getmaskarray(value), np.nan, value.data)  # type: ignore[no-untyped-call]
    return floats(value, name).astype(F64, copy=False)


def _from_grid(times: Array, cells: Cells) -> Tuple[Array, Array]:
    """Cells of a field (H, W) in which something was seen, and their places."""
    if times.shape != cells:
        raise ArgumentError(f"times has shape {times.shape}, expected {cells} with NaN or "
                            "inf where nothing was seen, or n times with points=(n, 2)")
    if np.isneginf(times).any():
        raise ArgumentError("a time is -inf, expected a number, or NaN or inf where nothing "
                            "was seen")
    pick = np.flatnonzero(np.isfinite(times))
    return pick, np.stack(np.unravel_index(pick, cells), axis=1).astype(F64)


def _places(points: Any, times: Array, cells: Cells) -> Array:
    a = places(points, "points")
    refuse_dates(a, "points")
    if a.ndim != 2 or a.shape[1] != 2 or a.dtype.kind not in "iuf" or times.shape != a.shape[:1]:
        raise ArgumentError(f"points has shape {a.shape} and dtype {a.dtype}, times "
                            f"{times.shape}; expected (n, 2) numbers, row and col, and n times")
    where = a.astype(F64)
    last = np.asarray(cells, dtype=F64) - 1
    outside = ~((where >= 0) & (where <= last)).all(axis=1)
    if outside.any():
        row, col = where[np.argmax(outside)]
        raise ArgumentError(f"points has (row, col) = ({row:.9g}, {col:.9g}), outside of the "
                            f"{cells[0]} x {cells[1]} cells, rows 0 to {cells[0] - 1} and columns "
                            f"0 to {cells[1] - 1}{swapped(where, cells, 'points')}")
    return where


def observations(e: Experiment, cells: Cells) -> Columns:
    """What was seen, column by column."""
    times = _numbers(e.times, "times")
    pick: Any = slice(None)
    if e.points is None:
        pick, where = _from_grid(times, cells)
        times = times.ravel()
    else:
        where = _places(e.points, times, cells)

    def column(value: ArrayLike, name: str) -> Array:
        a = _numbers(value, name).ravel()
        if a.size != times.size:
            raise ArgumentError(f"{name} has {a.size} values, expected {times.size} as times")
        return np.ascontiguousarray(a[pick])
    upper = None if e.upper is None else column(e.upper, "upper")
    one = np.ndim(e.sigma) == 0  # type: ignore[arg-type]
    sigma = float(_numbers(e.sigma, "sigma")) if one else 0.0
    rows, cols = np.ascontiguousarray(where.T)
    return (rows, cols, np.ascontiguousarray(times[pick]), upper,
            None if one else column(e.sigma, "sigma"), len(where), sigma)


FIELDS = ("walls", "G", "b", "start_G", "start_b")


def shape_of(shape: Optional[Tuple[int, int]], experiments: Sequence[Experiment],
             *fields: Optional[ArrayLike]) -> Tuple[int, int]:
    """(H, W), as said or as a field tells it."""
    if shape is not None:
        try:
            rows, cols = shape
        except (TypeError, ValueError):
            raise ArgumentError(f"shape is {shape!r}, expected (H, W)") from None
        return (whole("shape[0]", rows, "at least 1", 1), whole("shape[1]", cols, "at least 1", 1))
    given: Dict[str, Optional[ArrayLike]] = {
        f"times of experiment {i}": e.times for i, e in enumerate(experiments)
        if e.points is None}
    given.update(zip(FIELDS, fields))
    found: Dict[str, Tuple[int, int]] = {}
    for name, field in given.items():
        sides: Tuple[int, ...] = () if field is None else np.shape(field)  # type: ignore[arg-type]
        if len(sides) >= 2:
            found[name] = sides[-2], sides[-1]
    if not found:
        raise ArgumentError("the size of the grid is not known: say shape=(H, W)")
    first, cells = next(iter(found.items()))
    for name, other in found.items():
        if other != cells:
            raise ArgumentError(f"{name} has {other[0]} x {other[1]} cells and {first} has "
                                f"{cells[0]} x {cells[1]}, expected one grid")
    return cells
