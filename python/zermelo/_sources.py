# SPDX-License-Identifier: Apache-2.0
"""Sources and targets: lists of places, or masks."""
from __future__ import annotations

from typing import Any, Iterable, List, Optional, Tuple, Type

import numpy as np

from ._arrays import F64, mask, plain, refuse_dates, refuse_rows_and_columns
from ._core import ArgumentError, SourceError
from ._types import Array, Cells

Sources = Tuple[Array, ...]  # (k, 3) each: row, col, time; one for all, or one a problem
COLUMNS = ("row", "col", "time")


def sources_of(value: Any, cells: Cells) -> Tuple[Sources, bool]:
    """Lists of sources, and whether each problem has its own."""
    if type(value) is tuple or type(value) is list:
        refuse_rows_and_columns(value, "sources")
        try:
            a = np.array(value)
        except (TypeError, ValueError, RuntimeError):
            return _from_ragged(value)
    elif value is None:
        raise SourceError("sources is None, expected a list of (row, col[, time]) or a mask")
    else:
        a = table(value, "sources", SourceError)
    kind = a.dtype.kind
    if kind != "f" and kind != "i" and kind != "u":
        if kind == "b":
            return _from_mask(a, cells)
        if kind == "O" or kind in "mM" and isinstance(value, (list, tuple)):
            return _from_ragged(value)
        refuse_dates(a, "sources")
        raise SourceError(f"sources has dtype {a.dtype} and shape {a.shape}, expected a list of "
                          "numbers (row, col[, time]), or a mask")
    if a.ndim == 1 and a.size in (2, 3):
        a = a[None]
    if a.size == 0:
        raise SourceError(f"sources is empty (shape {a.shape}), expected at least one "
                          "(row, col[, time])")
    if a.ndim not in (2, 3) or a.shape[-1] not in (2, 3):
        h, w = cells
        hint = f"; a mask has dtype bool: write sources == 1 for shape ({h}, {w})" \
            if a.shape[-2:] == cells else ""
        raise SourceError(f"sources has shape {a.shape}, expected (n, 2) or (n, 3): row, col and "
                          f"maybe time, or (B, n, 3) for a batch{hint}")
    if a.shape == cells and type(value) not in (list, tuple) and _is_truth(a):
        n = len(a)
        raise SourceError(f"sources has shape {a.shape}, that of the cells, and values 0 and 1, "
                          f"expected a bool mask or a list: write sources == 1 for a mask, or "
                          f"sources.astype(float) for {n} places (row, col)")
    if a.shape[-1] == 2:
        timed = np.zeros((*a.shape[:-1], 3))
        timed[..., :2] = a
        a = timed
    else:
        a = np.array(a, dtype=F64, order="C")  # a copy: sources must not change under a Solution
    return (tuple(a), True) if a.ndim == 3 else ((a,), False)


def _is_truth(a: Array) -> bool:
    """Whole numbers 0 and 1, as many write a mask."""
    return a.dtype.kind in "iu" and a.size > 0 and bool(((a == 0) | (a == 1)).all())


def table(value: Any, name: str, error: Type[Exception] = ArgumentError) -> Array:
    """Tables whose columns have names are read by these."""
    if isinstance(value, np.ma.MaskedArray) and value.dtype.kind != "b":
        raise error(f"{name} is a masked array of shape {value.shape}, expected places without "
                    f"gaps: write numpy.ma.compress_rows({name})")
    names: Optional[Iterable[Any]] = None
    if hasattr(value, "columns"):  # a pandas.DataFrame
        names = list(value.columns)
        if all(isinstance(one, (int, np.integer)) for one in names):
            names = None
    elif getattr(getattr(value, "dtype", None), "names", None):
        names = value.dtype.names
    if names is None:
        return plain(value, name)
    found = [str(one).lower() for one in names]
    if found != list(dict.fromkeys(found)) or set(found) not in (set(COLUMNS), set(COLUMNS[:2])):
        raise error(f"{name} has the columns {', '.join(map(repr, found))}, expected 'row', 'col' and "
                    "maybe 'time': rename them, or give a plain array (n, 2) or (n, 3) in this order")
    at = dict(zip(found, names))
    return np.stack([np.asarray(value[at[one]]) for one in COLUMNS if one in at], axis=-1)


def places(value: Any, name: str) -> Array:
    """What may be places, of an argument that is no list of sources."""
    refuse_rows_and_columns(value, name)
    return table(value, name)


def _from_mask(a: Array, cells: Cells) -> Tuple[Sources, bool]:
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


def _row(entry: Any) -> Optional[List[float]]:
    """Two or three plain numbers, or None."""
    row = list(entry)
    if len(row) not in (2, 3):
        return None
    for x in row:
        if np.ndim(x):
            return None
        kind = np.asarray(x).dtype.kind
        if kind not in "iuf":
            refuse_dates(np.asarray(x), "a time of sources")
            return None
    return [*map(float, row), 0.0][:3]


def _from_ragged(value: Any) -> Tuple[Sources, bool]:
    """Sources with and without times, or lists of different length, one a problem."""
    if not isinstance(value, (list, tuple)) and np.ndim(value) == 0:
        raise SourceError(f"sources is {str(value)[:60]} of type {type(value).__name__}, expected a "
                          "list of (row, col[, time]) or a mask")
    if len(value) and np.ndim(value[0]) == 0:
        value = [value]
    lists = []
    try:
        rows = [_row(entry) for entry in value]
        if None not in rows:
            return (np.array(rows, dtype=F64),), False
        lists = [sources_of(entry, (-1, -1)) for entry in value]
    except TypeError as error:
        if "dtype" in str(error):
            raise
    except (ValueError, RuntimeError):
        pass
    if not lists or any(own for _, own in lists):
        raise SourceError(f"sources is {str(value)[:60]}, expected a list of (row, col[, time]), "
                          "one such list a problem, or a mask")
    return tuple(one for (one,), _ in lists), True


def targets_of(value: Any, cells: Cells) -> Optional[Array]:
    """A mask, from a mask or a list of (row, col)."""
    if value is None:
        return None
    a = places(value, "targets")
    if a.dtype.kind == "b":
        found = mask(a, cells, "targets")
        if not a.any():
            raise ArgumentError(f"targets of shape {a.shape} has no True cell, expected at least 1")
        return found
    if a.ndim == 1 and a.size == 2:
        a = a[None]
    if a.dtype.kind not in "iu" or a.ndim != 2 or a.shape[1] != 2:
        raise ArgumentError(f"targets has shape {a.shape} and dtype {a.dtype}, expected a bool "
                            "mask or a list of (row, col) of whole numbers")
    if a.shape == cells and type(value) not in (list, tuple) and _is_truth(a):
        raise ArgumentError(f"targets has shape {a.shape}, that of the cells, and values 0 and 1, "
                            f"expected a bool mask, targets == 1, or a list of {len(a)} places, "
                            "targets.tolist()")
    out = np.zeros(cells, dtype=bool)
    refuse_outside(a, cells, "targets")
    out[a[:, 0], a[:, 1]] = True
    return out


def refuse_outside(a: Array, cells: Cells, name: str) -> None:
    """Places (n, 2) have to be cells."""
    outside = ((a < 0) | (a >= cells)).any(axis=1)
    if outside.any():
        row, col = a[np.argmax(outside)]
        raise ArgumentError(f"{name} has (row, col) = ({row}, {col}), outside of the {cells[0]} x "
                            f"{cells[1]} cells{swapped(a, cells, name)}")


def swapped(places: Array, cells: Cells, name: str) -> str:
    """A hint where places that lie outside as (row, col) would all fit as (x, y)."""
    turned = places[:, 1::-1]
    if ((turned > -0.5) & (turned < np.asarray(cells) - 0.5)).all():
        return (f"; as (x, y) they would lie inside: {name} are (row, col), so write "
                f"numpy.asarray({name})[:, ::-1]" if places.shape[1] == 2 else
                f"; as (x, y) they would lie inside: {name} are (row, col[, time]), so write the "
                "row first")
    return ""
