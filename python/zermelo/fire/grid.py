# SPDX-License-Identifier: Apache-2.0
"""Where a grid lies, and maps on it: xarray's DataArray where xarray is there, else `Raster`."""
from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from .._arrays import number_of
from .._core import ArgumentError
from .._frames import Raster
from .._options import numbers_given
from .._types import Array
from ._native import native

if TYPE_CHECKING:
    import xarray

    Map = xarray.DataArray
    """A map of a landscape.  Where xarray is not installed it is a `zermelo.Raster`."""

HAS_XARRAY = importlib.util.find_spec("xarray") is not None
Six = Tuple[float, float, float, float, float, float]


class Grid(NamedTuple):
    """Rows, columns and place of a landscape.  ``transform`` is GDAL's: the north-west corner of a
    cell (row, col) is at x = t[0] + col t[1] + row t[2], y = t[3] + col t[4] + row t[5]."""

    rows: int
    cols: int
    transform: Six
    wkt: str

    def x(self) -> Array:
        return self.transform[0] + (np.arange(self.cols) + 0.5) * self.transform[1]

    def y(self) -> Array:
        return self.transform[3] + (np.arange(self.rows) + 0.5) * self.transform[5]

    def places(self, row: Array, col: Array) -> Tuple[Array, Array]:
        """Map coordinates x and y of rows and columns; whole numbers are the middles of cells."""
        t, r, c = self.transform, row + 0.5, col + 0.5
        return t[0] + c * t[1] + r * t[2], t[3] + c * t[4] + r * t[5]

    def plane(self, planes: int = 0) -> Array:
        """Room for a map, or several."""
        cells = (self.rows, self.cols)
        return np.empty((planes, *cells) if planes else cells, dtype=np.float32)


Note = Union[str, float]


class PlainMap(Raster):
    """A map where xarray is not installed: an array with the place and attributes that a DataArray
    would have."""

    grid: Optional[Grid]
    attrs: Dict[str, Note]

    def __array_finalize__(self, source: object) -> None:
        super().__array_finalize__(source)
        self.grid = getattr(source, "grid", None)
        self.attrs = dict(getattr(source, "attrs", {}))


def dress(values: Array, grid: Grid, name: str, notes: Mapping[str, Note],
          levels: Optional[Sequence[float]] = None, along: str = "quantile") -> "Map":
    """Values (H, W), or (n, H, W) with `levels` along another dimension, as a map of the grid."""
    if not HAS_XARRAY:
        return _plain(values, grid, notes)  # type: ignore[return-value]
    import xarray
    place = {"crs_wkt": grid.wkt} if grid.wkt else {}
    reference = {**place, "GeoTransform": " ".join(map(repr, grid.transform))}
    coords: Dict[str, object] = {"y": grid.y(), "x": grid.x(), "spatial_ref": ((), 0, reference)}
    dims: Tuple[str, ...] = ("y", "x")
    if levels is not None:
        dims, coords = (along, *dims), {along: np.asarray(levels), **coords}
    out = xarray.DataArray(values, coords, dims, name, {**notes})
    out.encoding["grid_mapping"] = "spatial_ref"
    return out


def _plain(values: Array, grid: Grid, notes: Mapping[str, Note]) -> PlainMap:
    t = grid.transform
    transform: object = (t[1], t[2], t[0], t[4], t[5], t[3])
    if importlib.util.find_spec("affine"):
        from affine import Affine
        transform = Affine.from_gdal(*t)
    out = values.view(PlainMap)
    out.profile = {"driver": "GTiff", "height": grid.rows, "width": grid.cols,
                   "count": 1 if values.ndim == 2 else len(values), "dtype": "float32",
                   "crs": grid.wkt or None, "transform": transform, "nodata": float("inf")}
    out.grid, out.attrs = grid, {**notes}
    return out


def grid_of(map_: object, name: str = "T") -> Grid:
    """Where a map lies that `dress` has made, or that has the coordinates of one."""
    if isinstance(map_, PlainMap):
        if map_.grid is not None and map_.shape[-2:] == (map_.grid.rows, map_.grid.cols):
            return map_.grid
    elif hasattr(map_, "dims") and hasattr(map_, "coords"):
        return _grid_of_labels(map_, name)  # type: ignore[arg-type]
    raise ArgumentError(f"{name} does not tell where it lies: give the map that physics or predict "
                        "returned, or its landscape as well")


def _grid_of_labels(a: "xarray.DataArray", name: str) -> Grid:
    y, x = (str(d) for d in a.dims[-2:])
    for d in (y, x):
        if d not in a.coords or a.sizes[d] < 2:
            raise ArgumentError(f"{name}: dimension {d!r} has no coordinates")
    steps = [np.diff(np.asarray(a.coords[d], dtype=float)) for d in (x, y)]
    if any(not np.allclose(s, s[0], rtol=1e-4, atol=0) for s in steps):
        raise ArgumentError(f"{name}: coordinates are not evenly spaced")
    dx, dy = (float(s.mean()) for s in steps)
    if dx < 0 or dy > 0:
        raise ArgumentError(f"{name}: x must ascend and y descend, from the north; "
                            "sort it with .sortby()")
    rows, cols = a.shape[-2:]
    west, north = float(a.coords[x][0]) - dx / 2, float(a.coords[y][0]) - dy / 2
    return Grid(rows, cols, stored_transform(a, (west, dx, 0.0, north, 0.0, dy)), crs_wkt_of(a))


def stored_transform(a: "xarray.DataArray", computed: Six) -> Six:
    """The transform that spatial_ref holds where it is that of the coordinates, to the last bit."""
    text = _reference(a).get("GeoTransform")
    try:
        t = [float(word) for word in str(text).split()]
    except ValueError:
        return computed
    if len(t) == 6 and np.allclose(t, computed, rtol=1e-9, atol=1e-3 * abs(computed[1])):
        return (t[0], t[1], t[2], t[3], t[4], t[5])
    return computed


def _reference(a: "Union[xarray.DataArray, xarray.Dataset]") -> Dict[str, object]:
    name = a.encoding.get("grid_mapping") or a.attrs.get("grid_mapping") or "spatial_ref"
    return dict(a.coords[name].attrs) if name in a.coords else {}


def crs_wkt_of(a: "Union[xarray.DataArray, xarray.Dataset]") -> str:
    """The coordinate system of a DataArray or Dataset; "" where it has none."""
    found = _reference(a)
    for text in (found.get("crs_wkt"), found.get("spatial_ref")):
        if text:
            return str(text)
    return wkt_of(a.attrs.get("crs"))


def wkt_of(crs: object) -> str:
    """Well-known text of whatever names a coordinate system; "" for None."""
    if crs is None:
        return ""
    to_wkt = getattr(crs, "to_wkt", None)
    if to_wkt is not None:
        return str(to_wkt())
    if isinstance(crs, str) and (not crs or "[" in crs):
        return crs
    for module, attribute in (("pyproj", "CRS"), ("rasterio.crs", "CRS")):
        if importlib.util.find_spec(module.split(".")[0]):
            system = getattr(importlib.import_module(module), attribute)
            try:
                return str(system.from_user_input(crs).to_wkt())
            except Exception as error:  # of the two packages' own kinds
                raise ArgumentError(f"crs is {crs!r}, which is no coordinate system: {error}"
                                    ) from None
    raise ArgumentError(f"crs is {crs!r}, expected well-known text; names like EPSG:32629 need "
                        "pyproj or rasterio")


def system_name(wkt: str) -> str:
    """The name of a coordinate system, for messages."""
    return wkt.split('"')[1] if '"' in wkt else "none"


def refuse_elsewhere(map_: object, grid: Grid, name: str) -> None:
    """A map that says that it lies somewhere else."""
    if not (hasattr(map_, "dims") and hasattr(map_, "coords")):
        return
    y, x = (str(d) for d in map_.dims[-2:])
    for axis, ours in ((x, grid.x()), (y, grid.y())):
        if axis in map_.coords:
            theirs = np.asarray(map_.coords[axis], dtype=np.float64)
            if theirs.shape != ours.shape or not np.allclose(
                    theirs, ours, rtol=0, atol=0.01 * abs(grid.transform[1])):
                raise ArgumentError(f"{name}: its coordinates {axis!r} are not those of the "
                                    f"landscape, {ours[0]:.8g} to {ours[-1]:.8g}")


def copied(values: object, shape: Tuple[int, int], name: str) -> Array:
    """Floats that nobody else can change while the library reads them."""
    a: Array = np.array(values, dtype=np.float32, order="C", copy=True).view(np.ndarray)
    if a.shape != shape:
        raise ArgumentError(f"{name} has shape {a.shape}, expected {shape} as the landscape")
    return a


# ---- perimeters ------------------------------------------------------------------------

if TYPE_CHECKING:
    import geopandas


def perimeters(T: "Map", times: Optional[Sequence[float]] = None
               ) -> "Union[geopandas.GeoDataFrame, Dict[str, object]]":
    """What has burned until some times, as polygons.

    Parameters
    ----------
    T : DataArray or Raster
        Of `physics` or `predict`; any DataArray of hours with coordinates x and y.
    times : hours, optional
        A round step apart, some ten of them, where not given.

    Returns
    -------
    GeoDataFrame
        With the columns time_h and area_ha, in the coordinate system of the map.  A feature
        collection as of GeoJSON, in the same coordinates, where geopandas is not installed.
        Where nothing had burned at a time there is no row.
    """
    grid = grid_of(T)
    values = copied(T, (grid.rows, grid.cols), "T")
    if times is None:
        reached = values[np.isfinite(values)]
        if not reached.size:
            raise ArgumentError("T: no cell burns")
        times = native.isochrone_times(float(reached.max()))
    hours = numbers_given("times", times)
    if not hours.size or np.isnan(hours).any():
        raise ArgumentError(f"times is {times!r}, expected at least one number of hours")
    found = native.isochrones(values, grid.rows, grid.cols, grid.transform, grid.wkt, hours)
    found = [row for row in found if len(row[2]) > EMPTY]
    if importlib.util.find_spec("geopandas"):
        import geopandas
        return geopandas.GeoDataFrame(
            {"time_h": [row[0] for row in found], "area_ha": [row[1] for row in found]},
            geometry=geopandas.GeoSeries.from_wkb([row[2] for row in found]), crs=grid.wkt or None)
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"time_h": time, "area_ha": area},
         "geometry": multipolygon(shape)} for time, area, shape in found]}


EMPTY = 9  # bytes of a multipolygon without parts


def multipolygon(wkb: bytes) -> Dict[str, object]:
    """Little-endian well-known binary of polygons, as of GeoJSON."""
    at = 5

    def count() -> int:
        nonlocal at
        at += 4
        return int.from_bytes(wkb[at - 4:at], "little")

    def ring() -> List[List[float]]:
        nonlocal at
        n = count()
        points: List[List[float]] = np.frombuffer(wkb, "<f8", 2 * n, at).reshape(n, 2).tolist()
        at += 16 * n
        return points

    polygons = []
    for _ in range(count()):
        at += 5  # byte order and kind
        polygons.append([ring() for _ in range(count())])
    return {"type": "MultiPolygon", "coordinates": polygons}


def scene_facts(latitude: Optional[float], station_elevation: Optional[float], text: str) -> str:
    """A scene.json with what the caller knows better."""
    facts: Dict[str, object] = json.loads(text)
    for key, name, value in (("latitude_deg", "latitude", latitude),
                             ("weather_station_elevation_m", "station_elevation",
                              station_elevation)):
        if value is not None:
            facts[key] = number_of(value, name)
            if not np.isfinite(facts[key]):  # type: ignore[call-overload]
                raise ArgumentError(f"{name} is {value}, expected a number")
    return json.dumps(facts)
