# SPDX-License-Identifier: Apache-2.0
"""Options of a solve that are numbers and functions."""
from __future__ import annotations

import operator
import os
from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import number_of, threads_of, times_of
from ._core import ArgumentError, UnsupportedError
from ._progress import check_progress
from ._types import Array

MOST_THREADS = 256


def whole_number(name: str, value: Any, bound: str = "") -> int:
    try:
        return operator.index(value)
    except TypeError:
        more = f", {bound}" if bound else ""
        raise ArgumentError(f"{name} is {value!r}, expected a whole number{more}") from None


def whole(name: str, value: Any, bound: str, least: int, most: Optional[int] = None) -> int:
    """A whole number from least to most."""
    n = whole_number(name, value, bound)
    if n < least or most is not None and n > most:
        raise ArgumentError(f"{name} is {n}, expected {bound}")
    return n


def threads_given(value: Any) -> int:
    """Most threads to use; 0: all."""
    return threads_of(whole("threads", value, f"0 (all) to {MOST_THREADS}", 0, MOST_THREADS))


def path_text(name: str, value: Any) -> str:
    """A path as a text."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{name} is {str(value)[:60]} of type {type(value).__name__}, expected a path"
                        ) from None


def numbers_given(name: str, values: Any) -> Array:
    """A list of numbers."""
    try:
        return np.ascontiguousarray(times_of(values, name)).ravel()
    except ArgumentError:
        raise
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {str(values)[:60]!r}, expected numbers") from None


def seed_of(value: Any) -> int:
    """A seed as the library takes it; what is beyond it would be another one."""
    return whole("seed", value, f"0 to {2**64 - 1}", 0, 2**64 - 1)


def at_least_0(name: str, value: Any) -> float:
    x = number_of(value, name)
    if not x >= 0:
        raise ArgumentError(f"{name} is {x:g}, expected at least 0")
    return x


def options_of(threads: Any, order: Any, max_cells: Any, tol: Any, max_iterations: Any,
               progress: Any) -> Tuple[int, int, Optional[int], float, int]:
    """The same, checked: threads, order, max_cells, tol, max_iterations."""
    check_progress(progress)
    return (whole("threads", threads, f"0 (all) to {MOST_THREADS}", 0, MOST_THREADS),
            whole("order", order, "1, 2 or 3", 1, 3),
            None if max_cells is None else whole("max_cells", max_cells, "at least 1, or None", 1),
            at_least_0("tol", tol),
            whole("max_iterations", max_iterations, "1 to 2147483647", 1, 2**31 - 1))


def latest(t_max: Any) -> float:
    t = number_of(t_max, "t_max")
    if t != t:
        raise ArgumentError("t_max is nan, expected a time, or None for no limit")
    return t


def refuse_with_starts(order: int, stencils: str) -> None:
    """Metrics that change with time are solved in one way."""
    for name, value, only in ("order", order, 1), ("stencils", stencils, "adaptive"):
        if value != only:
            raise UnsupportedError(f"{name} is {value!r}, expected {only!r} with starts, that is for "
                                   "a metric that changes with time")


def refuse_between_cells(sources: Array) -> None:
    """Sources of a metric that changes with time."""
    between = (sources[:, :2] != np.rint(sources[:, :2])).any(axis=1) & np.isfinite(sources[:, 0])
    if between.any():
        i = int(np.argmax(between))
        row, col = sources[i, :2]
        raise UnsupportedError(f"source {i} is at row {row:g}, col {col:g}, expected the middle of a "
                               "cell, whole numbers, with starts")
