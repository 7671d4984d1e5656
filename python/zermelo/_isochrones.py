# SPDX-License-Identifier: Apache-2.0
"""Isochrones as polygons: where a front has been by a time."""
from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Dict, Iterator, List, Literal, NamedTuple, Optional,
                    Sequence, Tuple, Union, get_args, overload)

import numpy as np

from . import _core
from ._arrays import F32, F64, choice, times_of
from ._core import ArgumentError
from ._chart import (Chart, PageSpacing, crs_object, chart_of, need, one_of_batch, plain_chart,
                     values_of)
from ._types import Array, ArrayLike

if TYPE_CHECKING:
    from geopandas import GeoDataFrame
    from shapely.geometry import MultiPolygon

    from ._solve import Solution

Levels = Union[int, Sequence[float], Array]
Coordinates = Literal["auto", "array"]
Ring = Array
"""(n, 2): x and y, the last point being the first again."""


class Isochrone(NamedTuple):
    """All that the front has reached by a time."""

    level: float
    polygons: List[List[Ring]]
    """Of each the outer ring, counter-clockwise, and its holes, clockwise."""

    @property
    def area(self) -> float:
        """In squares of the unit of the coordinates, holes left out."""
        return float(sum(_area(ring) for polygon in self.polygons for ring in polygon))

    def geojson(self) -> Dict[str, Any]:
        """A GeoJSON geometry, a MultiPolygon."""
        return {"type": "MultiPolygon",
                "coordinates": [[ring.tolist() for ring in polygon] for polygon in self.polygons]}

    @property
    def __geo_interface__(self) -> Dict[str, Any]:
        return self.geojson()

    def shapely(self) -> "MultiPolygon":
        """The polygons as one object of shapely."""
        try:
            from shapely.geometry import MultiPolygon, Polygon
        except ImportError:
            raise need("shapely", "Isochrone.shapely()") from None
        return MultiPolygon([Polygon(rings[0], rings[1:]) for rings in self.polygons])


class Isochrones(Sequence[Isochrone]):
    """One `Isochrone` a level, with the coordinate system of the field.

    ``isochrones[i]`` and iteration give the levels in the order in which they were asked for.
    """

    crs: Any
    """As the field has it, or None."""

    def __init__(self, parts: Sequence[Isochrone], crs: Any):
        self._parts, self.crs = tuple(parts), crs

    @overload
    def __getitem__(self, i: int) -> Isochrone: ...
    @overload
    def __getitem__(self, i: slice) -> "Isochrones": ...

    def __getitem__(self, i: Union[int, slice]) -> "Union[Isochrone, Isochrones]":
        return Isochrones(self._parts[i], self.crs) if isinstance(i, slice) else self._parts[i]

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Isochrone]:
        return iter(self._parts)

    def __repr__(self) -> str:
        levels = ", ".join(f"{part.level:g}" for part in self._parts) or "no level"
        return f"<zermelo.Isochrones at {levels}>"

    @property
    def levels(self) -> Array:
        return np.array([part.level for part in self._parts], dtype=float)

    @property
    def areas(self) -> Array:
        """Of all levels, in squares of the unit of the coordinates."""
        return np.array([part.area for part in self._parts], dtype=float)

    def geojson(self) -> Dict[str, Any]:
        """A GeoJSON FeatureCollection: a MultiPolygon a level, with its level and its area.

        Coordinates are those of the field.  Where its coordinate system is known and is not
        WGS 84, which RFC 7946 wants, the member ``crs`` names it, which GDAL understands;
        ``geodataframe().to_crs(4326)`` converts.
        """
        found: Dict[str, Any] = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"level": part.level, "area": part.area},
             "geometry": part.geojson()} for part in self._parts]}
        code = _urn(self.crs)
        if code and code != "urn:ogc:def:crs:EPSG::4326":
            found["crs"] = {"type": "name", "properties": {"name": code}}
        return found

    @property
    def __geo_interface__(self) -> Dict[str, Any]:
        return self.geojson()

    def shapely(self) -> "List[MultiPolygon]":
        """A MultiPolygon of shapely a level."""
        return [part.shapely() for part in self._parts]

    def geodataframe(self) -> "GeoDataFrame":
        """A GeoDataFrame with the columns level, area and geometry, in the field's coordinate
        system."""
        try:
            import geopandas
        except ImportError:
            raise need("geopandas", "Isochrones.geodataframe()") from None
        crs = self.crs
        if crs is not None and hasattr(crs, "to_wkt"):  # rasterio's
            crs = crs.to_wkt()
        return geopandas.GeoDataFrame({"level": self.levels, "area": self.areas},
                                      geometry=self.shapely(), crs=crs)


def _area(ring: Ring) -> float:
    x, y = (ring - ring[0]).T  # near the origin: maps have large coordinates
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def _urn(crs: Any) -> Optional[str]:
    found = None if crs is None else crs_object(crs)
    code = None if found is None else found.to_authority()
    return None if code is None else f"urn:ogc:def:crs:{code[0]}::{code[1]}"


def round_levels(T: Array, n: int) -> Array:
    """About n round numbers, steps of 1, 2, 2.5 or 5 times a power of ten, between the earliest
    time and the latest."""
    if n < 1:
        raise ArgumentError(f"levels is {n}, expected a number of levels of at least 1")
    there = T[np.isfinite(T)]
    if not len(there):
        return np.empty(0)
    low, high = float(there.min()), float(there.max())
    if not high > low:
        return np.array([high])
    rough = high / n - low / n  # high - low may be more than the largest number
    if not (1e-300 < rough < 1e300 and max(-low, high) < 1e15 * rough):
        share = np.arange(1, n + 1) / n  # no round numbers between them
        between: Array = (1 - share) * low + share * high
        between = np.unique(np.clip(between, np.nextafter(low, high), high))
        return between
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k >= rough * (1 - 1e-9))
    found: Array = step * np.arange(np.floor(low / step) + 1, np.floor(high / step) + 1)
    return found if len(found) else np.array([high])


def levels_of(T: Array, levels: Levels) -> Array:
    if isinstance(levels, (int, np.integer)) and not isinstance(levels, bool):
        return round_levels(T, int(levels))
    a = times_of(levels, "levels")
    if a.ndim == 0:
        raise ArgumentError(f"levels is {levels!r}, expected a list of times, [{levels!r}], or a "
                            "whole number: how many")
    if a.ndim != 1 or np.isnan(a).any():
        raise ArgumentError(f"levels is {str(levels)[:60]}, expected how many, or times")
    return a


def _polygons(T: Array, level: float, chart: Chart) -> List[List[Ring]]:
    found, rings = _core.outline(T, T.shape[0], T.shape[1], T.dtype == F32, level)
    places = np.frombuffer(found).reshape(-1, 2)
    x, y = chart.place(places[:, 0], places[:, 1])
    points = np.column_stack([x, y])
    polygons: Dict[int, List[Ring]] = {}
    for number, (begin, n, _, shell) in enumerate(rings):
        ring = points[np.r_[begin:begin + n, begin]]
        if chart.mirrored:
            ring = ring[::-1]
        polygons.setdefault(shell, []).append(ring)  # shells come before their holes
    return list(polygons.values())


def isochrones(T: "Union[ArrayLike, Solution[Any]]", levels: Levels = 10, *,
               item: Optional[int] = None, spacing: PageSpacing = None,
               coordinates: Coordinates = "auto") -> Isochrones:
    """The polygons, with holes, of all that a front has reached by each of some times.

    Borders run straight between points where T is interpolated, halfway to cells that are not
    reached: so they are closed at the border of the grid and around obstacles.  Cells that touch at
    a corner alone are joined.  An earlier isochrone lies inside a later one.

    Parameters
    ----------
    T : array (H, W), xarray.DataArray, `Raster` or `Solution`
        Arrival times; inf and nan where nothing arrives.  (B, H, W) with ``item``.
    levels : int or times
        A whole number: how many round ones, about; or a list of times.  inf: all that is
        reached.
    spacing : float or (dy, dx), optional
        Of an array without coordinates; a Solution has its own.
    coordinates : 'auto' or 'array'
        'auto': those of the map where T has some, else x = col dx and y = row dy, downwards.
        'array': x = col, y = row, always.

    Returns
    -------
    `Isochrones`: a sequence with ``geojson()``, ``shapely()`` and ``geodataframe()``.

    Examples
    --------
    >>> import numpy as np, zermelo
    >>> T = zermelo.solve(np.ones((41, 41)), None, (20, 20), order=2)
    >>> rings = zermelo.isochrones(T, [5, 10])
    >>> (rings.areas / np.pi).round()               # circles of radius 5 and 10
    array([ 25., 100.])
    """
    choice("coordinates", coordinates, get_args(Coordinates))
    a, value = one_of_batch(values_of(T, "T"), T, 2, item, "T")
    cells = a.shape
    chart = None if coordinates == "array" else chart_of(value, cells, spacing)
    if chart is None:
        chart = plain_chart(cells)
    times = np.ascontiguousarray(a, dtype=a.dtype if a.dtype in (F32, F64) else F64)
    return Isochrones([Isochrone(float(t), _polygons(times, float(t), chart))
                       for t in levels_of(times, levels)], chart.crs)
