# SPDX-License-Identifier: Apache-2.0
"""Arrays that can be read in two ways, and what to write for each.

The rule is one: (2, H, W) and (3, H, W) are planes, the axis of a batch or of time comes before
them, and an array of n places (n, 2) or (n, 3) is shared by all problems.  Where another argument
has an axis of the same size, the other reading is as likely, and the call is refused.
"""
from __future__ import annotations

from typing import Any, Dict

import numpy as np

from ._core import ArgumentError, Error, MetricError, SourceError
from ._sources import Sources, swapped
from ._types import Array, Cells


def refuse_planes_or_batch(name: str, a: Array, sizes: Dict[str, int], what: str = "problems"
                           ) -> None:
    """A metric (P, H, W) beside an axis of P problems or time intervals."""
    n = len(a)
    others = [other for other, size in sizes.items() if size == n]
    if n < 2 or not others:
        return
    h, w = a.shape[-2:]
    raise ArgumentError(
        f"{name} has shape {a.shape} and {others[0]} has {n} {what}, so {name} can be read in two "
        f"ways: write {name}[None], shape (1, {n}, {h}, {w}), for {n} planes that all {n} {what} "
        f"share, or {name}[:, None], shape ({n}, 1, {h}, {w}), for {n} scalar fields, one each")


def is_list_of_places(sources: Any) -> bool:
    """Tuples (row, col[, time]) are places whatever stands beside them; an array has only its
    shape."""
    if type(sources) is tuple or type(sources) is list:
        return type(sources[0]) is tuple or np.ndim(sources[0]) == 0
    return getattr(getattr(sources, "dtype", None), "kind", "") == "b"


def refuse_shared_or_own(sources: Sources, sizes: Dict[str, int]) -> None:
    """n sources beside n problems."""
    n = len(sources[0])
    others = [other for other, size in sizes.items() if size == n]
    if n < 2 or not others:
        return
    raise ArgumentError(
        f"sources are {n} places of shape ({n}, 2) or ({n}, 3) and {others[0]} has {n} problems, "
        f"so sources can be read in two ways: write [sources] for {n} sources that every problem "
        "has, or [[s] for s in sources] for one source in each problem")


def explain_direction(error: Error, **directions: Any) -> None:
    """Says which direction of a derivative has a value that is not finite, and where."""
    if "not finite" not in str(error):
        return
    for name, d in directions.items():
        for a in d if isinstance(d, tuple) else (d,):
            if a is not None and not np.isfinite(a).all():
                at = tuple(map(int, np.argwhere(~np.isfinite(a))[0]))
                error.args = (f"{name} of shape {a.shape} has the value {a[at]:g} at {at}, expected "
                              f"finite numbers ({error})",)
                return


def explain(error: Error, G: Array, sources: Sources, cells: Cells) -> None:
    """Adds the other reading to a message where that would have been right."""
    hint = ""
    if isinstance(error, MetricError) and G.ndim == 3 and len(G) > 1 and \
            "positive definite" in str(error) and bool((G > 0).all()):
        h, w = cells
        planes = "g11, g22" if len(G) == 2 else "g11, g12, g22"
        hint = (f" (G of shape {G.shape} is read as the planes {planes}; for {len(G)} scalar "
                f"fields write G[:, None], shape ({len(G)}, 1, {h}, {w}))")
    elif isinstance(error, SourceError) and "must be in" in str(error):
        hint = swapped(np.concatenate(sources), cells, "sources")
    if hint:
        error.args = (str(error) + hint,)
