# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions that work cell by cell."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import drift, floats, mask, metric, same_type
from ._core import ArgumentError
from ._frames import PLAIN, Frame
from ._labels import undress
from ._types import Array, ArrayLike


def batch_of(*arrays: Optional[Array]) -> Optional[int]:
    """Size of the batch axis of G and b; None where no array has one."""
    sizes = {name: len(a) for name, a in zip("Gb", arrays) if a is not None and a.ndim == 4}
    if len({*sizes.values()} - {1}) > 1:
        raise ArgumentError("batches of different size: " +
                            ", ".join(f"{name} has {size}" for name, size in sizes.items()) +
                            "; expected the same, or 1")
    return max(sizes.values()) if sizes else None


def pair_of(G: Any, b: Any, names: str = "Gb") -> Tuple[Array, Optional[Array]]:
    g = metric(G, names[0])
    cells = g.shape[-2], g.shape[-1]
    pair: Tuple[Array, Optional[Array]] = same_type(g, drift(b, cells, names[1], g.dtype))
    return pair


class Fields(NamedTuple):
    """Arguments of a function that works cell by cell."""

    G: Array
    b: Optional[Array]
    walls: Optional[Array]
    frame: Frame
    hidden: Optional[Array]
    """Cells without data, (H, W) or (B, H, W)."""

    @classmethod
    def of(cls, G: Any, b: Any, walls: Any = None, names: str = "Gb") -> "Fields":
        """A metric and a vector; cells without data are obstacles and hold I and 0."""
        frame, hidden = None, None
        if not PLAIN.issuperset(map(type, (G, b, walls))):
            values, frame, hidden = undress(**{names[0]: G, names[1]: b, "walls": walls})
            G, b, walls = values.values()
        g, d = pair_of(G, b, names)
        closed = mask(walls, (g.shape[-2], g.shape[-1]), "walls")
        if hidden is not None:
            g, d = without(g, hidden), None if d is None else without(d, hidden, 0.0)
        return cls(g, d, closed, frame or Frame(), hidden)


def without(a: Array, hidden: Array, diagonal: float = 1.0) -> Array:
    """I or 0 in cells without data."""
    if a.ndim == 2:
        return np.where(hidden, a.dtype.type(diagonal), a)
    if a.ndim == 3 and hidden.ndim == 3:
        a = np.broadcast_to(a, (len(hidden), *a.shape))
    a = a.copy()
    full = diagonal and a.shape[-3] == 3
    for k in range(a.shape[-3]):
        np.copyto(a[..., k, :, :], 0.0 if full and k == 1 else diagonal, where=hidden)
    return a


class Rates(NamedTuple):
    """Numbers and arrays of one shape (H, W) or (B, H, W) and one type."""

    arrays: List[Array]
    walls: Optional[Array]
    frame: Frame
    hidden: Optional[Array]

    @classmethod
    def of(cls, fields: Dict[str, ArrayLike], walls: Any, shape: Optional[Tuple[int, ...]]
           ) -> "Rates":
        """Cells without data hold a still ellipse of 1."""
        frame, hidden = None, None
        if not PLAIN.issuperset(map(type, (*fields.values(), walls))):
            values, frame, hidden = undress(**fields, walls=walls)
            walls = values.pop("walls")
            fields = values
        arrays = ellipse_fields(fields, shape)
        if hidden is not None:
            arrays = [np.where(hidden, a.dtype.type(name != "heading"), a)
                      for name, a in zip(fields, arrays)]
        cells = arrays[0].shape[-2], arrays[0].shape[-1]
        return cls(arrays, mask(walls, cells, "walls"), frame or Frame(), hidden)


def ellipse_fields(fields: Dict[str, Any], shape: Optional[Tuple[int, ...]]) -> List[Array]:
    """Numbers and arrays brought to one shape (H, W) or (B, H, W) and one type."""
    arrays = [floats(value, name) for name, value in fields.items()]
    given = [a for a in arrays if a.ndim]
    dtype: Any = np.result_type(*given) if given else np.float64
    told = ", ".join(f"{name} {a.shape}" for name, a in zip(fields, arrays))
    try:
        cells = np.broadcast_shapes(*(a.shape for a in arrays), shape or ())
    except ValueError:
        raise ArgumentError(f"shapes do not go together: {told}"
                            f"{f', shape {shape}' if shape else ''}; expected numbers, (H, W) or "
                            "(B, H, W)") from None
    if len(cells) not in (2, 3) or 0 in cells:
        raise ArgumentError(f"the fields have shape {cells} ({told}), expected (H, W) or (B, H, W) "
                            "with at least one cell; for plain numbers say shape=(H, W)")
    return [np.ascontiguousarray(np.broadcast_to(a, cells), dtype=dtype) for a in arrays]


def gaps(hidden: Optional[Array], *planes: Array) -> Tuple[Array, ...]:
    """NaN where there was no data, so that results have none there either.  Planes are (..., P, H,
    W), or shaped as `hidden`."""
    if hidden is not None:
        for a in planes:
            np.copyto(a, np.nan, where=hidden if a.ndim == hidden.ndim == 2 else
                      hidden[..., None, :, :])
    return planes
