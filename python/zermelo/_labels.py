# SPDX-License-Identifier: Apache-2.0
"""Arguments with coordinates: xarray's DataArray, rasterio's datasets, masked arrays.

All that is given with coordinates has to lie on one grid.  The first argument that has some says
which, and results are dressed like it.
"""
from __future__ import annotations

import re
from typing import Any, Dict, Hashable, List, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import F64, plain, spacing_of
from ._core import ArgumentError
from ._frames import Dataset, Frame, Grid, Masked, Raster, Xarray, kind_of
from ._globe import Globe
from ._types import Array

ROWS = {"y", "lat", "latitude", "northing", "northings", "row", "rows"}
COLUMNS = {"x", "lon", "long", "longitude", "easting", "eastings", "col", "cols", "column"}
DEGREES = {"lat", "latitude", "lon", "long", "longitude"}
FIELDS = ("G", "b", "free")  # NaN in them is no metric, so no way
SETS = {"time", "times", "t", "valid_time", "step", "hour", "date", "day", "month", "batch", "sample",
        "samples", "member", "members", "ensemble", "realization", "scenario"}
RATES = ("head", "flank", "back", "heading", "length_to_breadth")
MASKS = ("walls", "stopped")
NORTHWARD = {"v", "north", "northward", "v10"}
ORDERS: Dict[str, Tuple[Tuple[str, ...], ...]] = {
    "G": (("g11", "g12", "g22"), ("11", "12", "22"), ("g11", "g22"), ("11", "22"),
          ("xx", "xy", "yy"), ("xx", "yy")),
    "b": (("x", "y"), ("u", "v"), ("b1", "b2"), ("1", "2"), ("east", "north"),
          ("eastward", "northward"), ("u10", "v10"), ("lon", "lat"))}


class Plain(NamedTuple):
    """Arguments without their coordinates."""

    values: Dict[str, Any]
    frame: Optional[Frame]
    hidden: Optional[Array]
    """Cells without data, (H, W) or (B, H, W)."""


def is_xarray(a: Any) -> bool:
    return hasattr(a, "dims") and hasattr(a, "coords") and hasattr(a, "isel")


def is_dataset(a: Any) -> bool:
    return hasattr(a, "read") and hasattr(a, "transform")


def undress(**given: Any) -> Plain:
    """Plain values of the arguments, what dresses results, and cells without data."""
    values, labelled, frame = dict(given), {}, None
    hidden: List[Array] = []
    masked = False
    for name, a in given.items():
        kind = kind_of(name)
        if isinstance(a, np.ndarray) and not isinstance(a, (Raster, np.ma.MaskedArray)):
            continue
        if isinstance(a, np.ma.MaskedArray):
            values[name] = _unmask(name, kind, a, hidden)
            masked = masked or kind in FIELDS + RATES
        elif is_xarray(a):
            labelled[name] = _array_of(name, a)
        elif is_dataset(a) or isinstance(a, Raster) and a.profile:
            here = _dataset_of(a)
            frame = _same_grid(frame, here, name)
            values[name] = _without_gaps(name, kind, _read(name, kind, a, hidden), hidden)
    if labelled:
        frame = _same_grid(frame, _align(labelled), next(iter(labelled)))
        for name, a in labelled.items():
            if kind_of(name) in ("sources", "starts") and not _on_grid(a, frame):
                values[name] = a.values
            else:
                a = _ordered(name, a, frame)
                values[name] = _without_gaps(name, kind_of(name), a.values, hidden, gaps_of(a))
    total: Optional[Array] = None
    for one in hidden:
        try:
            total = one if total is None else total | one
        except ValueError:
            before = () if total is None else total.shape
            raise ArgumentError(f"cells without data have shapes {before} and {one.shape}, "
                                "expected those of one grid") from None
    if frame is None and masked and total is not None:
        frame = Masked(total)
    return Plain(values, frame, None if total is None else np.ascontiguousarray(total))


# ---- one array -----------------------------------------------------------------------

def _unmask(name: str, kind: str, a: Any, hidden: List[Array]) -> Array:
    if kind in FIELDS + RATES:
        if a.mask is not np.ma.nomask:
            _hide(kind, _mask_of(a), hidden)
        return np.asarray(a.data)
    if kind in MASKS:  # nothing is known, so nothing enters
        return np.asarray(a.filled(1))
    if kind == "times":
        return np.asarray(a.astype(F64).filled(np.nan))
    if not _mask_of(a).any():
        return np.asarray(a.data)
    raise ArgumentError(f"{name} is a masked array of shape {a.shape}, expected values without "
                        f"gaps: write {name}.filled(...) with what masked ones are")


def _mask_of(a: Any) -> Array:
    return np.broadcast_to(np.asarray(a.mask), a.shape)


def _hide(kind: str, gaps: Array, hidden: List[Array]) -> None:
    """Cells where any plane is missing."""
    if gaps.any():
        hidden.append(gaps.any(axis=-3) if gaps.ndim > 2 and kind in FIELDS else gaps)


FILLS = ("_FillValue", "missing_value", "nodata")


def gaps_of(a: Any) -> Optional[Array]:
    """Cells of a DataArray that hold the number which its attributes give for no data: xarray and
    rioxarray leave it there where it is not asked to be masked.  None: there are none."""
    values = np.asarray(a.values)
    if values.dtype.kind not in "iuf":
        return None
    fills = [np.ravel(a.attrs[key]) for key in FILLS if key in a.attrs]
    numbers = [one.astype(values.dtype) if values.dtype.kind == "f" else one
               for one in fills if one.dtype.kind in "iuf"]
    gaps = np.isin(values, np.concatenate(numbers)) if numbers else None
    return gaps if gaps is not None and gaps.any() else None


def _without_gaps(name: str, kind: str, a: Array, hidden: List[Array],
                  gaps: Optional[Array] = None) -> Array:
    """NaN of a raster is a cell without data, which is an obstacle; so is one of `gaps`."""
    if gaps is not None:
        a = np.where(gaps, np.nan, a)
    if a.dtype.kind == "f":
        if kind in FIELDS + RATES and a.ndim > 1:
            _hide(kind, np.isnan(a), hidden)
        elif kind in MASKS and np.isnan(a).any():
            return np.where(np.isnan(a), 1, a)
    return a


def _dataset_of(a: Any) -> Dataset:
    if isinstance(a, Raster):
        p = a.profile
        return Dataset(p["transform"], p["crs"], p["height"], p["width"])
    return Dataset(a.transform, a.crs, a.height, a.width)


def _read(name: str, kind: str, a: Any, hidden: List[Array]) -> Array:
    if isinstance(a, Raster):
        return np.asarray(a)
    values = a.read(masked=True)
    wanted = {"G": (1, 2, 3), "b": (2,), "free": (1, 2, 3, 4, 5)}.get(kind, (1,))
    if len(values) not in wanted:
        planes = {"G": "1 (scalar), 2 (g11, g22) or 3 (g11, g12, g22)", "b": "2 (x, y)",
                  "free": "1, 2 or 3 of the metric and maybe 2 of the drift"}
        raise ArgumentError(f"the dataset given as {name} has {len(values)} bands, expected "
                            f"{planes.get(kind, '1')}")
    return _unmask(name, kind, values[0] if len(values) == 1 else values, hidden)


def _array_of(name: str, a: Any) -> Any:
    if hasattr(a, "data_vars"):
        raise TypeError(f"{name} is a {type(a).__name__} with the variables "
                        f"{', '.join(map(repr, a.data_vars))}, expected a DataArray: choose one of "
                        "them")
    return a


def conform(name: str, a: Any, frame: Frame) -> Any:
    """Plain values of an argument that comes after the frame is known."""
    hidden: List[Array] = []
    if is_xarray(a):
        a = _array_of(name, a)
        if not isinstance(frame, Xarray) or not _on_grid(a, frame):
            return a.values
        _same_axes(frame, next(iter(frame.given)), name, a)
        _refuse_other_order(name, a, frame)
        return _ordered(name, a, frame).values
    if is_dataset(a) or isinstance(a, Raster) and a.profile:
        _same_grid(frame, _dataset_of(a), name)
        a = _read(name, kind_of(name), a, hidden)
    elif isinstance(a, np.ma.MaskedArray):
        a = _unmask(name, kind_of(name), a, hidden)
    if hidden:
        raise ArgumentError(f"{name} has {hidden[0].sum()} cells without data, expected none")
    return a


# ---- dimensions ----------------------------------------------------------------------

def axes_of(name: str, a: Any) -> Tuple[Hashable, Hashable]:
    """The dimensions of rows and columns, by their names or else the last two."""
    dims = list(a.dims)
    if len(dims) < 2:
        raise ArgumentError(f"{name} has the dimensions {tuple(dims)}, expected rows and columns")
    rows = [d for d in dims if str(d).lower() in ROWS]
    cols = [d for d in dims if str(d).lower() in COLUMNS]
    y, x = dims[-2:]
    if len(rows) == 1 and len(cols) == 1:
        y, x = rows[0], cols[0]
    elif len(rows) + len(cols) != 1 or y in rows or x in cols:
        return y, x
    if dims.index(y) > dims.index(x) or len(rows) + len(cols) == 1:
        raise ArgumentError(
            f"{name} has the dimensions {tuple(dims)} and shape {a.shape}, expected rows before "
            f"columns: write {name}.transpose(..., {y!r}, {x!r}) if rows run along {y!r}, or "
            "rename the dimensions if their names are exchanged")
    return y, x


def _on_grid(a: Any, frame: Frame) -> bool:
    """Whether it is a mask and no list of places."""
    return all(name in a.dims for name in frame.grid.names)


def _lead(a: Any, axes: Tuple[Hashable, Hashable]) -> List[Hashable]:
    return [d for d in a.dims if d not in axes]


def _batch_of(name: str, a: Any, axes: Tuple[Hashable, Hashable]) -> Optional[Hashable]:
    """Dimension of problems or time intervals."""
    lead = _lead(a, axes)
    own = 2 if kind_of(name) in FIELDS else 1
    return lead[0] if len(lead) == own else None


def _ordered(name: str, a: Any, frame: Any) -> Any:
    """Its dimensions as (batch, planes, rows, columns)."""
    lead = _lead(a, frame.axes)
    if frame.batch in lead:
        lead.remove(frame.batch)
        lead.insert(0, frame.batch)
    dims = (*lead, *frame.axes)
    return a if a.dims == dims else a.transpose(*dims)


# ---- one grid for all ----------------------------------------------------------------

def _align(labelled: Dict[str, Any]) -> Any:
    """The frame of DataArrays, which have to agree."""
    frame: Any = None
    first = ""
    for name, a in labelled.items():
        if kind_of(name) in ("sources", "starts") and (frame is None or not _on_grid(a, frame)):
            if frame is not None and frame.batch in a.dims:
                _same_batch(frame, name, a)
            continue
        if frame is None:
            axes, first = axes_of(name, a), name
            frame = Xarray({name: a}, axes, _batch_of(name, a, axes), grid_of(a, axes))
        else:
            _same_axes(frame, first, name, a)
            batch = _batch_of(name, a, frame.axes)
            given = {**frame.given, name: a}
            frame = Xarray(given, frame.axes, batch if frame.batch is None else frame.batch,
                           frame.grid)
        _refuse_other_axis(name, a, frame)
        _refuse_other_order(name, a, frame)
    if frame is None:
        name, a = next(iter(labelled.items()))
        raise ArgumentError(f"{name} has the dimensions {tuple(a.dims)} and nothing else has "
                            f"coordinates, expected a plain array: write {name}.values")
    return frame


def grid_of(a: Any, axes: Tuple[Hashable, Hashable]) -> Grid:
    y, x = (np.asarray(a.coords[d]) if d in a.coords else None for d in axes)
    crs = _crs_of(a)
    geographic = crs is not None and re.match(r"\s*GEOG", crs) is not None
    for d in axes:
        attrs = a.coords[d].attrs if d in a.coords else {}
        units = str(attrs.get("units", "")).lower()
        degrees = units.startswith("degree") or \
            str(attrs.get("standard_name", "")).lower() in DEGREES
        geographic = geographic or degrees or crs is None and str(d).lower() in DEGREES \
            and d in a.coords and not units.startswith(("m", "k"))
    return Grid(y, x, (str(axes[0]), str(axes[1])), crs, geographic)


def _crs_of(a: Any) -> Optional[str]:
    """Well-known text or name of the coordinate system, where the array tells it."""
    name = a.encoding.get("grid_mapping", a.attrs.get("grid_mapping", "spatial_ref"))
    attrs = a.coords[name].attrs if name in a.coords else {}
    for text in attrs.get("crs_wkt"), attrs.get("spatial_ref"), a.attrs.get("crs"):
        if isinstance(text, str) and text:
            return text
    if attrs.get("grid_mapping_name") == "latitude_longitude":
        return "GEOGCS"
    return None


def _same_axes(frame: Any, first: str, name: str, a: Any) -> None:
    y, x = frame.axes
    if not (y in a.dims and x in a.dims):
        raise ArgumentError(f"{name} has the dimensions {tuple(a.dims)}, {first} has "
                            f"{tuple(frame.given[first].dims)}, expected {y!r} and {x!r} in both: "
                            f"rename those of {name}, or write {name}.values if cells agree by "
                            "number")
    _same_place(frame.grid, first, grid_of(a, frame.axes), name)
    batch = _batch_of(name, a, frame.axes)
    if batch is None or frame.batch is None:
        return
    if frame.batch not in a.dims:
        raise ArgumentError(f"{name} has the dimension {batch!r} and {first} {frame.batch!r}, "
                            "expected one name for the axis of problems or time: rename one if "
                            "they are the same, or stack all combinations along one")
    _same_batch(frame, name, a)


def _same_batch(frame: Any, name: str, a: Any) -> None:
    """Problems or time intervals have the same coordinates in all arguments."""
    for other_name, other in frame.given.items():
        if all(frame.batch in one.coords and one.sizes[frame.batch] > 1 for one in (a, other)):
            here, there = (np.asarray(one.coords[frame.batch]) for one in (a, other))
            if here.shape != there.shape or not (here == there).all():
                raise ArgumentError(
                    f"{name} has {frame.batch!r} from {here[0]} to {here[-1]} ({len(here)}), "
                    f"{other_name} from {there[0]} to {there[-1]} ({len(there)}), expected the "
                    f"same: write {name}.reindex_like({other_name}) or {name}.values")


def _same_place(grid: Grid, first: str, other: Grid, name: str) -> None:
    """Coordinates agree to a thousandth of a cell."""
    for here, there in (grid.y, other.y), (grid.x, other.x):
        if here is None or there is None:
            continue
        same = here.shape == there.shape and len(here) > 0
        if same and here.dtype.kind in "iuf" and there.dtype.kind in "iuf":
            cell = np.abs(np.diff(here)).min() if len(here) > 1 else 1.0
            same = bool((np.abs(here - there) <= 1e-3 * cell).all())
        elif same:
            same = bool((here == there).all())
        if not same:
            raise ArgumentError(f"{name} has {other}, {first} has {grid}: expected the same cells; "
                                f"write {name}.reindex_like({first}) or interpolate, or give plain "
                                "arrays if cells agree by number")
    if grid.crs is not None and other.crs is not None and grid.crs != other.crs:
        raise ArgumentError(f"{name} is in the coordinate system {other.crs[:60]}, {first} in "
                            f"{grid.crs[:60]}, expected one for both: reproject one of them")


def _same_grid(frame: Optional[Frame], here: Frame, name: str) -> Frame:
    if frame is None:
        return here
    a, b = frame.grid, here.grid
    if not (isinstance(frame, Dataset) and isinstance(here, Dataset)):
        a, b = a._replace(crs=None), b._replace(crs=None)  # written in different ways
    _same_place(a, "the first", b, name)
    return frame


def _refuse_other_axis(name: str, a: Any, frame: Any) -> None:
    """An axis of problems or time, by its name or its dates, where that of the planes would be."""
    lead = _lead(a, frame.axes)
    if kind_of(name) not in FIELDS or len(lead) != 1 or a.sizes[lead[0]] not in (2, 3):
        return
    d = lead[0]
    if str(d).lower() in SETS or d in a.coords and a.coords[d].dtype.kind in "mM":
        planes = "x, y" if name == "b" else "of free numbers" if name == "free" else "g11, g22" if a.sizes[d] == 2 else "g11, g12, g22"
        more = f"{name}.expand_dims('plane', axis=1) for {a.sizes[d]} scalar fields, " \
            if name == "G" else f"another axis of {name} for its components, "
        raise ArgumentError(f"{name} has the dimensions {tuple(a.dims)} and shape {a.shape}, whose "
                            f"{d!r} would be read as the planes {planes}: write {more}or rename "
                            f"{d!r} if these are its planes")


def _refuse_other_order(name: str, a: Any, frame: Any) -> None:
    """Planes that by their labels are in another order, or point north where rows go south."""
    kind = kind_of(name)
    lead = _lead(a, frame.axes)
    if kind not in ORDERS or not lead or lead[-1] not in a.coords:
        return
    found = tuple(str(v).lower() for v in np.asarray(a.coords[lead[-1]]).ravel())
    for order in ORDERS[kind]:
        if sorted(found) == sorted(order) and found != order:
            raise ArgumentError(f"the planes of {name} are labelled {', '.join(found)}, expected "
                                f"{', '.join(order)}: write {name}.sel({lead[-1]}={list(order)})")
    if kind == "b" and len(found) == 2 and found[1] in NORTHWARD and frame.grid.y is not None \
            and not frame.grid.northward:
        raise ArgumentError(f"the component {found[1]!r} of {name} points north and rows run south "
                            f"({frame.grid}), expected x, then the component along rows: write its "
                            "negative, or sort the array by ascending coordinates")


# ---- spacing -------------------------------------------------------------------------

def cell_size(spacing: Any, frame: Optional[Frame]
              ) -> Tuple[Tuple[float, float], Optional[Globe]]:
    """(dy, dx), and the globe where spacing comes from latitudes and longitudes."""
    if frame is None:
        return spacing_of(spacing), None
    grid = frame.grid
    steps = _steps(grid)
    if spacing is None:
        if steps is None or steps == (1.0, 1.0) and not grid.geographic:
            return (1.0, 1.0), None
        raise ArgumentError(
            f"spacing is not given, and the arrays have coordinates, {steps[0]:g} (y) by "
            f"{steps[1]:g} (x) apart: write spacing='coords' for these, or spacing=1 for distances "
            "in cells")
    if not isinstance(spacing, str):
        found = spacing_of(spacing)
        if steps is not None and found[0] != found[1] and \
                np.allclose(found, steps[::-1], rtol=1e-3) and not np.allclose(found, steps, 1e-3):
            raise ArgumentError(f"spacing is ({found[0]:g}, {found[1]:g}), expected (dy, dx), and "
                                f"coordinates are {steps[0]:g} (y) by {steps[1]:g} (x) apart: "
                                f"write spacing=({steps[0]:g}, {steps[1]:g}) or spacing='coords'")
        return found, None
    globe: List[Globe] = []

    def measure() -> Tuple[float, float]:
        dy, dx = grid.step(0), grid.step(1)
        if grid.geographic:
            assert grid.y is not None
            globe.append(Globe(plain(grid.y, "latitude").astype(F64), dy, dx))
            return globe[0].spacing
        return abs(dy), abs(dx)
    if isinstance(frame, Masked):
        return spacing_of(spacing), None
    if isinstance(frame, Dataset) and grid.y is None:
        raise ArgumentError("the dataset's grid is rotated, expected rows along x: give "
                            "spacing=(dy, dx)")
    return spacing_of(spacing, measure), globe[0] if globe else None


def _steps(grid: Grid) -> Optional[Tuple[float, float]]:
    """Distances of cells where there are coordinates that say them, as far as they do."""
    try:
        return abs(grid.step(0)), abs(grid.step(1))
    except ArgumentError:
        return None
