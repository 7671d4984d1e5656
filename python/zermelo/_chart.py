# SPDX-License-Identifier: Apache-2.0
"""Where the cells of a field lie: rows and columns as coordinates of a page or a map."""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._arrays import floats, spacing_of
from ._core import ArgumentError
from ._labels import axes_of, grid_of, is_xarray
from ._types import Array, Cells

PageSpacing = Union[float, Tuple[float, float], Mapping[str, float], None]
"""Distance of cells, (dy, dx) or {'x': dx, 'y': dy}; None: from the coordinates, or 1."""
Affine = Tuple[float, float, float, float, float, float]


def need(module: str, what: str) -> ImportError:
    """The error where an optional package is missing."""
    return ImportError(f"{what} needs {module}, which is not here: python3 -m pip install "
                       f"{module}, or on Debian apt install python3-{module}")


class Axis(NamedTuple):
    """Coordinates of the middles of cells along one axis, and what they are called."""

    at: Array
    label: str

    @property
    def step(self) -> float:
        return float(self.at[-1] - self.at[0]) / (len(self.at) - 1) if len(self.at) > 1 else 1.0

    @property
    def even(self) -> bool:
        steps = np.diff(self.at)
        return bool(np.allclose(steps, self.step, rtol=1e-4, atol=0))

    def place(self, index: Array) -> Array:
        """The coordinate of a place in cells, which may lie beyond the middles of the outermost."""
        n = len(self.at)
        if n == 1:
            alone: Array = self.at[0] + index * self.step
            return alone
        k = np.clip(np.floor(index).astype(np.intp), 0, n - 2)
        out: Array = self.at[k] + (index - k) * (self.at[k + 1] - self.at[k])
        return out


class Chart:
    """The coordinates of a grid.  ``down``: y grows downwards on the page, as rows do; on a map it
    grows upwards."""

    def __init__(self, x: Axis, y: Axis, down: bool, crs: Any = None,
                 affine: Optional[Affine] = None, geographic: bool = False):
        self.x, self.y, self.down, self.crs = x, y, down, crs
        self.affine = affine  # of a grid that is rotated on its map
        self.geographic = geographic

    @property
    def cells(self) -> Cells:
        return len(self.y.at), len(self.x.at)

    def place(self, row: Array, col: Array) -> Tuple[Array, Array]:
        """(x, y) of places in rows and columns."""
        if self.affine is None:
            return self.x.place(col), self.y.place(row)
        a, b, c, d, e, f = self.affine
        return (c + a * (col + 0.5) + b * (row + 0.5), f + d * (col + 0.5) + e * (row + 0.5))

    @property
    def mirrored(self) -> bool:
        """Whether x and y turn the other way than columns and rows upwards do."""
        if self.affine is None:
            return self.x.step * self.y.step > 0
        a, b, _, d, e, _ = self.affine
        return a * e - b * d > 0

    def extent(self) -> Tuple[float, float, float, float]:
        """Left, right, bottom and top of an image whose first row is on top."""
        x, y = self.x, self.y
        return (x.at[0] - x.step / 2, x.at[-1] + x.step / 2,
                y.at[-1] + y.step / 2, y.at[0] - y.step / 2)

    def stretch(self) -> Array:
        """Of each row: how much longer a degree of latitude is than one of longitude; else 1."""
        if not self.geographic:
            return np.ones(len(self.y.at))
        out: Array = 1 / np.maximum(np.cos(np.radians(self.y.at)), 1e-3)
        return out


# ---- charts of what users have -------------------------------------------------------

def crs_object(crs: Any) -> Any:
    """pyproj's view of a coordinate system; None where it is unknown or pyproj is not here."""
    try:
        import pyproj
    except ImportError:
        return None
    try:
        return pyproj.CRS.from_user_input(getattr(crs, "to_wkt", lambda: crs)())
    except pyproj.exceptions.CRSError:
        return None


def _axis_of(array: Any, dim: Any, at: Optional[Array]) -> Axis:
    if at is None:
        return Axis(np.arange(float(array.sizes[dim])), str(dim))
    if at.dtype.kind not in "iuf":
        raise ArgumentError(f"the coordinates of {dim!r} have dtype {at.dtype}, expected numbers")
    steps = np.diff(at.astype(float))
    if not ((steps > 0).all() or (steps < 0).all()):
        raise ArgumentError(f"the coordinates of {dim!r} neither rise nor fall from cell to cell")
    attrs = array.coords[dim].attrs
    name, units = attrs.get("long_name", str(dim)), attrs.get("units")
    return Axis(at.astype(float), f"{name} [{units}]" if units else str(name))


def _of_labelled(array: Any) -> Optional[Chart]:
    """None where neither axis has coordinates."""
    axes = axes_of("the field", array)
    grid = grid_of(array, axes)
    if grid.y is None and grid.x is None:
        return None
    return Chart(_axis_of(array, axes[1], grid.x), _axis_of(array, axes[0], grid.y),
                 grid.y is None, grid.crs, geographic=grid.geographic)


def _of_affine(t: Any, crs: Any, cells: Cells) -> Chart:
    h, w = cells
    unit = ""
    degrees = bool(getattr(crs, "is_geographic", False))
    if crs is not None:
        unit = " [°]" if degrees else f" [{_unit_of(crs)}]"
    x = Axis(t.c + t.a * (np.arange(w) + 0.5), "longitude" + unit if degrees else "x" + unit)
    y = Axis(t.f + t.e * (np.arange(h) + 0.5), "latitude" + unit if degrees else "y" + unit)
    rotated = (t.a, t.b, t.c, t.d, t.e, t.f) if t.b or t.d else None
    return Chart(x, y, False, crs, rotated, degrees)


def _unit_of(crs: Any) -> str:
    unit = str(getattr(crs, "linear_units", "") or "m")
    return "m" if unit in ("metre", "meter", "unknown") else unit


def chart_of(value: Any, cells: Cells, spacing: PageSpacing) -> Optional[Chart]:
    """The chart that an object brings with it, or that of a spacing; None where neither is."""
    if hasattr(value, "_setup") and hasattr(value, "T"):  # a Solution
        given = value._setup.spacing if spacing is None else spacing
        found = _with_coordinates(value.T, cells)
    else:
        found, given = _with_coordinates(value, cells), spacing
    if found is not None and spacing is not None:
        raise ArgumentError(f"spacing is {spacing!r}, and the field has coordinates, expected one "
                            "of the two: leave spacing out, or give plain values")
    return found if found is not None or given is None else plain_chart(cells, given)


def _with_coordinates(value: Any, cells: Cells) -> Optional[Chart]:
    if is_xarray(value):
        return _of_labelled(value)
    if hasattr(value, "transform") and hasattr(value, "crs"):  # a rasterio dataset
        return _of_affine(value.transform, value.crs, cells)
    profile: Any = getattr(value, "profile", None)
    transform: Any = profile.get("transform") if isinstance(profile, dict) else None
    if transform is not None:  # a Raster
        return _of_affine(transform, profile.get("crs"), cells)
    return None


def plain_chart(cells: Cells, spacing: PageSpacing = None) -> Chart:
    """x along columns, y along rows, downwards, from the middle of the first cell."""
    dy, dx = spacing_of(spacing)
    if not (dy > 0 and dx > 0 and np.isfinite(dx + dy)):
        raise ArgumentError(f"spacing is {spacing!r}, expected a number above 0 or (dy, dx)")
    return Chart(Axis(dx * np.arange(cells[1]), "x"), Axis(dy * np.arange(cells[0]), "y"), True)


# ---- values --------------------------------------------------------------------------

def values_of(value: Any, name: str) -> Array:
    """Plain numbers of an array, tensor, dataset or Solution; what is masked is nan."""
    if hasattr(value, "_setup") and hasattr(value, "T"):
        value = value.T
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if hasattr(value, "read") and hasattr(value, "transform"):
        value = value.read(masked=True)
        value = value[0] if len(value) == 1 else value
    if is_xarray(value):
        axes = axes_of(name, value)
        value = value.transpose(..., *axes).values
    if isinstance(value, np.ma.MaskedArray):
        value = np.ma.filled(value.astype(float), np.nan)  # type: ignore[no-untyped-call]
    if getattr(getattr(value, "dtype", None), "kind", "") == "b":
        return np.asarray(value)
    return floats(np.asarray(value), name)


def one_of_batch(a: Array, value: Any, ndim: int, item: Optional[int], name: str
                 ) -> Tuple[Array, Any]:
    """The part for problem `item` where there is one axis more than `ndim`, of the numbers and of
    what carries the coordinates."""
    if a.ndim == ndim:
        if item not in (None, 0, -1):
            raise IndexError(f"item is {item}, but {name} of shape {a.shape} is of one problem")
        return a, value
    if a.ndim != ndim + 1:
        raise ArgumentError(f"{name} has shape {a.shape}, expected {ndim} axes, or one more, that "
                            "of a batch")
    n = len(a)
    if item is None:
        if n != 1:
            raise ArgumentError(f"{name} is a batch of {n} problems: say of which, item=0 to "
                                f"{n - 1}")
        item = 0
    if not -n <= item < n:
        raise IndexError(f"item is {item}, expected one of the {n} problems of {name}")
    if is_xarray(value):
        axes = axes_of(name, value)
        value = value.isel({next(d for d in value.dims if d not in axes): item})
    return a[item], value
