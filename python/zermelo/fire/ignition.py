# SPDX-License-Identifier: Apache-2.0
"""Where fires start: points, lines and polygons in map coordinates."""
from __future__ import annotations

import datetime
import json
import struct
from typing import TYPE_CHECKING, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._core import ArgumentError, SourceError
from .._options import whole_number
from .._types import Array
from ._native import assume, native
from .grid import system_name, wkt_of

if TYPE_CHECKING:
    import geopandas
    from shapely.geometry.base import BaseGeometry

    from .landscape import Landscape

Shape = Union["BaseGeometry", Tuple[float, float]]
IgnitionLike = Union["Ignition", "BaseGeometry", Tuple[float, float],
                     Sequence[Tuple[float, float]], Sequence["BaseGeometry"], "np.ndarray",
                     "geopandas.GeoDataFrame", "geopandas.GeoSeries", "dict[str, object]"]
Times = Union[float, Sequence[float], "np.ndarray", Sequence[datetime.datetime]]
TIME_COLUMN = "time_h"  # as `perimeters` writes it


class Ignition:
    """Where and when a fire starts.

    Parameters
    ----------
    shapes
        A point (x, y) or several, (n, 2) or, with hours, (n, 3); a shapely geometry or several; a
        GeoDataFrame or GeoSeries; a GeoJSON geometry, feature or collection.  Coordinates are
        those of the landscape unless `crs`, or the GeoDataFrame, says otherwise.
    times : hours, or datetimes, optional
        When each of them burns, after the start of the fire.  0 where not given; of a GeoDataFrame
        its column ``time_h`` if it has one, and of GeoJSON features their property of this name.
    crs : str or CRS, optional
        Coordinate system of the shapes, which are brought into that of the landscape.

    One point at time 0 is lit as FARSITE does, a block of 3 x 3 cells.  Of several points, lines
    and polygons the cells burn at their times: of a line those it touches, of a polygon those whose
    centres it holds.
    """

    def __init__(self, shapes: IgnitionLike, times: Optional[Times] = None, *,
                 crs: Optional[object] = None):
        self._cell: Optional[Tuple[int, int]] = None
        self._wkt = wkt_of(crs)
        self._no_crs = False
        own = getattr(shapes, "crs", None)
        if hasattr(shapes, "geometry") and hasattr(shapes, "iloc"):  # geopandas
            if crs is not None and own is not None and wkt_of(own) != self._wkt:
                raise ArgumentError(f"crs is {system_name(self._wkt)!r}, but the ignition is in "
                                    f"{system_name(wkt_of(own))!r}: bring it there with .to_crs()")
            self._wkt = self._wkt or wkt_of(own)
            self._no_crs = not self._wkt
            if times is None and TIME_COLUMN in getattr(shapes, "columns", ()):
                times = np.asarray(shapes[TIME_COLUMN])  # type: ignore[call-overload,index]
        self._shapes, told = _shapes_of(shapes)
        self._times = _times_of(times if times is not None else told, len(self._shapes))

    @classmethod
    def cell(cls, row: int, col: int) -> "Ignition":
        """One cell of the landscape, counted from the north-west, as ``--ignition ROW,COL``."""
        self = cls.__new__(cls)
        self._cell = whole_number("row", row), whole_number("col", col)
        self._shapes, self._times = [], []
        self._wkt, self._no_crs = "", False
        return self

    def _on(self, landscape: "Landscape", start: object) -> "Lit":
        """Its cells."""
        if self._cell is not None:
            return _lit_cell(self._cell, landscape)
        if landscape.crs and self._no_crs:
            assume("the ignition has no coordinate system: taken as that of the landscape, "
                   f"{system_name(landscape.crs)!r}")
        if self._wkt and not landscape.crs:
            assume(f"the landscape has no coordinate system: taken as that of the ignition, "
                   f"{system_name(self._wkt)!r}")
        shapes = [(shape, _hours(time, start)) for shape, time in zip(self._shapes, self._times)]
        cells, _, left_out, outside, one_point = native.ignition(landscape._ground, shapes,
                                                                 self._wkt)
        if left_out:
            assume(f"{left_out} cells of the ignition cannot burn: left out")
        if outside:
            assume(f"{outside} shapes of the ignition reach beyond the landscape: cut off there")
        if one_point:
            row, col, _ = np.frombuffer(cells)
            return Lit(int(row), int(col), None)
        return Lit(-1, -1, cells)

    def __repr__(self) -> str:
        return f"<Ignition at cell {self._cell}>" if self._cell else \
            f"<Ignition of {len(self._shapes)} shapes>"


class Lit:
    """A cell, or cells with times as bytes of (row, col, hours)."""

    def __init__(self, row: int, col: int, sources: Optional[bytes]):
        self.row, self.col, self.sources = row, col, sources


def _lit_cell(cell: Tuple[int, int], landscape: "Landscape") -> Lit:
    row, col = cell
    rows, cols = landscape.shape
    if not (0 <= row < rows and 0 <= col < cols):
        raise SourceError(f"ignition at row {row}, column {col}, outside the landscape of "
                          f"{rows} x {cols}")
    t = landscape.grid.transform
    middle = _point(t[0] + (col + 0.5) * t[1], t[3] + (row + 0.5) * t[5])
    native.ignition(landscape._ground, [(middle, 0.0)], "")  # whether it can burn
    return Lit(row, col, None)


def ignition_of(value: IgnitionLike) -> Ignition:
    return value if isinstance(value, Ignition) else Ignition(value)


# ---- shapes ----------------------------------------------------------------------------

def _point(x: float, y: float) -> bytes:
    return struct.pack("<BIdd", 1, 1, x, y)


Told = Optional[Union[float, Array]]


def _shapes_of(value: object) -> Tuple[List[bytes], Told]:
    """Well-known binary or GeoJSON of each, and the times that stand among the coordinates."""
    if hasattr(value, "geometry") and hasattr(value, "iloc"):
        return [_shape(g) for g in value.geometry], None
    if hasattr(value, "wkb") or isinstance(value, dict):
        return _features(value), _times_told(_parts(value))
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        items: Union[Array, List[object]] = \
            value if isinstance(value, np.ndarray) else list(value)
        if len(items) and (hasattr(items[0], "wkb") or isinstance(items[0], dict)):
            return ([shape for item in items for shape in _features(item)],
                    _times_told([part for item in items for part in _parts(item)]))
        return _points(items)
    raise TypeError(f"ignition is a {type(value).__name__}, expected points (x, y), shapely "
                    "geometries, a GeoDataFrame or GeoJSON; geopandas.read_file reads files")


def _points(items: object) -> Tuple[List[bytes], Told]:
    try:
        a: Array = np.array(items, dtype=np.float64)
    except (TypeError, ValueError):
        a = np.empty(0)
    if a.ndim == 1 and a.size in (2, 3):
        a = a[None]
    if a.ndim != 2 or a.shape[1] not in (2, 3) or not len(a):
        raise ArgumentError(f"ignition is {str(items)[:60]}, expected points (x, y) or (x, y, "
                            "hours), shapely geometries, a GeoDataFrame or GeoJSON")
    return [_point(x, y) for x, y in a[:, :2].tolist()], a[:, 2] if a.shape[1] == 3 else None


def _shape(geometry: object) -> bytes:
    wkb = getattr(geometry, "wkb", None)
    if isinstance(wkb, bytes):
        return wkb
    if isinstance(geometry, dict):
        return json.dumps(geometry).encode("ascii")
    raise ArgumentError(f"ignition: {geometry!r} is no geometry")


def _features(value: object) -> List[bytes]:
    """Geometries of a GeoJSON object, or the one geometry."""
    return [_shape(part["geometry"] if _is(part, "Feature") else part)  # type: ignore[index]
            for part in _parts(value)]


def _is(value: object, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind


def _parts(value: object) -> Sequence[object]:
    """Features of a GeoJSON collection, or the one feature or geometry."""
    if isinstance(value, dict) and value.get("type") == "FeatureCollection":
        return list(value["features"])
    return [value]


def _times_told(parts: Sequence[object]) -> Told:
    """Hours of GeoJSON features that `perimeters` wrote."""
    told = [(part.get("properties") or {}).get(TIME_COLUMN) if isinstance(part, dict) else None
            for part in parts]
    if not told or all(t is None for t in told):
        return None
    if not all(isinstance(t, (int, float)) and not isinstance(t, bool) for t in told):
        raise ArgumentError(f"ignition: {TIME_COLUMN} of the features is {str(told)[:60]}, expected a "
                            "number of hours in each, or in none")
    return np.array(told, dtype=np.float64)


# ---- times -----------------------------------------------------------------------------

Time = Union[float, datetime.datetime]


def _times_of(value: object, n: int) -> List[Time]:
    if value is None:
        return [0.0] * n
    a: Array = np.asarray(value)
    if a.ndim == 0:
        a = np.broadcast_to(a, (n,))
    if a.shape != (n,):
        raise ArgumentError(f"times has shape {a.shape}, expected one for each of {n} shapes")
    if a.dtype.kind == "M":
        return list(a.astype("datetime64[us]").tolist())
    if a.dtype.kind in "iuf":
        return [float(t) for t in a]
    times: List[Time] = []
    for t in a:
        to_datetime = getattr(t, "to_pydatetime", None)
        t = to_datetime() if to_datetime else t
        if not isinstance(t, datetime.datetime):
            raise ArgumentError(f"times: {t!r} is neither a number of hours nor a datetime")
        times.append(t)
    return times


def _hours(time: Time, start: object) -> float:
    """After the start of the fire."""
    if not isinstance(time, datetime.datetime):
        return time
    if not isinstance(start, datetime.datetime):
        raise ArgumentError(f"ignition at {time}: the start of the fire has no year; give hours, or "
                            "start= with one")
    if (time.tzinfo is None) != (start.tzinfo is None):
        raise ArgumentError(f"ignition at {time}, start at {start}: one has a time zone and the "
                            "other has not")
    return (time - start) / datetime.timedelta(hours=1)
