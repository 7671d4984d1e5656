# SPDX-License-Identifier: Apache-2.0
"""Results as the user's arrays are: on an xarray grid, on a rasterio grid, or masked.

None of these packages is imported: what quacks like one is treated as one.
"""
from __future__ import annotations

from typing import Any, Dict, Hashable, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._core import ArgumentError
from ._types import Array

GRID_ATTRS = ("grid_mapping", "crs", "crs_wkt", "spatial_ref", "transform", "res", "Conventions")
PLANES = {1: ("g",), 2: ("g11", "g22"), 3: ("g11", "g12", "g22")}


PLAIN = frozenset({np.ndarray, type(None), tuple, list, float, int})
"""Types of arguments that have no coordinates."""
KINDS = {"h": "G", "W": "b", "start_G": "G", "start_b": "b", "dG": "G", "db": "b"}


def kind_of(name: str) -> str:
    """What an argument is: G, b, or the first word of its name."""
    return KINDS.get(name, name.split(" ")[0])


class Raster(Array):
    """Results on the grid of a rasterio dataset.

    ``profile`` has what ``rasterio.open`` needs to write them; a part of the grid has none::

        with rasterio.open("T.tif", "w", **T.profile) as out:
            out.write(T, 1)
    """

    profile: Dict[str, Any]

    def __array_finalize__(self, source: Any) -> None:
        profile = getattr(source, "profile", {})
        same = self.shape[-2:] == (profile.get("height"), profile.get("width"))
        self.profile = dict(profile) if same else {}


class Grid(NamedTuple):
    """Where cells are: coordinates of rows and columns, and what they are coordinates in."""

    y: Optional[Array]
    x: Optional[Array]
    names: Tuple[str, str] = ("y", "x")
    crs: Optional[str] = None
    geographic: bool = False

    def __str__(self) -> str:
        return " and ".join(
            f"{name} without coordinates" if c is None or not len(c) else
            f"{name} from {c[0]} to {c[-1]} ({len(c)})"
            for name, c in zip(self.names, (self.y, self.x)))

    def step(self, axis: int) -> float:
        """Distance of rows (0) or columns (1), with its sign."""
        name, c = self.names[axis], (self.y, self.x)[axis]
        if c is None or len(c) < 2 or c.dtype.kind not in "iuf":
            raise ArgumentError(f"dimension {name!r} has no coordinates of at least 2 cells, "
                                "expected numbers: give spacing=(dy, dx)")
        steps = np.diff(c.astype(float))
        if not (np.isfinite(steps).all() and steps[0] != 0
                and np.allclose(steps, steps[0], rtol=1e-4, atol=0)):
            raise ArgumentError(f"coordinates of {name!r} are not evenly spaced: steps from "
                                f"{steps.min():g} to {steps.max():g}, expected equal ones; give "
                                "spacing=(dy, dx)")
        return float(steps.mean())

    @property
    def northward(self) -> bool:
        """Whether rows go up the y axis, so that row 0 is in the south."""
        return self.y is not None and len(self.y) > 1 and self.y.dtype.kind in "iuf" \
            and bool(self.y[-1] > self.y[0])


class Frame:
    """Dresses results.  What is not overridden leaves them as they are."""

    grid = Grid(None, None)
    kind = "a plain array"

    def part(self, i: Union[int, slice]) -> "Frame":
        """Of problem i of a batch, or of some of them."""
        return self

    def times(self, T: Array, name: Optional[str] = "arrival_time") -> Any:
        """(H, W) or (B, H, W)"""
        return T

    def planes(self, a: Array, name: Optional[str] = None) -> Any:
        """A metric: (P, H, W) or (B, P, H, W), also (H, W)."""
        return a

    def vectors(self, v: Array, name: Optional[str] = None) -> Any:
        """(2, H, W) or (B, 2, H, W), and a constant (2,) or ()."""
        return v

    def metric(self, dG: Array) -> Any:
        """Shaped like the G that was given."""
        return self.planes(dG)

    def drift(self, db: Array) -> Any:
        """Shaped like the b that was given."""
        return self.vectors(db)


    def admissible(self, G: Array) -> Any:
        """A metric in place of the one that was given."""
        return self.planes(G)

    def rates(self, a: Array, name: str) -> Any:
        """(H, W) or (B, H, W) that are no times."""
        return self.times(a, name)

    def free(self, d: Array) -> Any:
        """Shaped like the free planes that were given to a parametrisation."""
        return self.planes(d)


def _masked(a: Array, hidden: Array) -> Any:
    make: Any = np.ma.masked_array
    return make(a, np.broadcast_to(hidden, a.shape).copy())


class Masked(Frame):
    """Metrics and vectors are masked where an argument was; times have inf there."""

    kind = "a masked array"

    def __init__(self, hidden: Array):
        self.hidden = hidden

    def planes(self, a: Array, name: Optional[str] = None) -> Any:
        hidden = self.hidden if a.ndim == 2 else self.hidden[..., None, :, :]
        return _masked(a, hidden)

    def vectors(self, v: Array, name: Optional[str] = None) -> Any:
        return v if v.ndim < 2 else self.planes(v)

    def metric(self, dG: Array) -> Any:
        return dG

    def drift(self, db: Array) -> Any:
        return db

    def rates(self, a: Array, name: str) -> Any:
        return _masked(a, self.hidden)


class Dataset(Frame):
    """Results as Rasters of a rasterio dataset's grid."""

    kind = "a raster"

    def __init__(self, transform: Any, crs: Any, height: int, width: int):
        self.transform, self.crs, self.height, self.width = transform, crs, height, width
        y = x = None
        if not (transform.b or transform.d):
            y = getattr(transform, "f", 0.0) + transform.e * (np.arange(height) + 0.5)
            x = getattr(transform, "c", 0.0) + transform.a * (np.arange(width) + 0.5)
        self.grid = Grid(y, x, crs=None if crs is None else str(crs),
                         geographic=bool(getattr(crs, "is_geographic", False)))

    def times(self, T: Array, name: Optional[str] = None) -> Any:
        out = T.view(Raster)
        nodata = float("inf") if T.dtype.kind == "f" else -1 if T.dtype.kind == "i" else 255
        out.profile = {"driver": "GTiff", "height": self.height, "width": self.width,
                       "count": 1 if T.ndim == 2 else T.shape[-3], "dtype": str(T.dtype),
                       "crs": self.crs, "transform": self.transform, "nodata": nodata}
        return out

    def planes(self, a: Array, name: Optional[str] = None) -> Any:
        out = self.times(a)
        out.profile["nodata"] = float("nan")
        return out

    def vectors(self, v: Array, name: Optional[str] = None) -> Any:
        return v if v.ndim < 2 else self.planes(v)

    def rates(self, a: Array, name: str) -> Any:
        return self.planes(a)


class Xarray(Frame):
    """Results as DataArrays with the coordinates that are left of the arrays given."""

    kind = "a DataArray"

    def __init__(self, given: Dict[str, Any], axes: Tuple[Hashable, Hashable],
                 batch: Optional[Hashable], grid: Grid):
        self.given, self.axes, self.batch, self.grid = given, axes, batch, grid
        self.coords: Dict[Any, Any] = {}
        for a in given.values():
            for name, c in a.coords.items():
                self.coords.setdefault(name, c)
        first = next(iter(given.values()))
        self.make = type(first)
        self.attrs = {k: v for k, v in first.attrs.items() if k in GRID_ATTRS}
        self.encoding = {k: v for k, v in first.encoding.items() if k == "grid_mapping"}

    def part(self, i: Union[int, slice]) -> "Xarray":
        given = {}
        for name, a in self.given.items():
            if self.batch in a.dims:
                shared = a.sizes[self.batch] == 1
                if not (shared and isinstance(i, slice)):
                    a = a.isel({self.batch: 0 if shared else i})
            given[name] = a
        alone = not isinstance(i, slice)
        return Xarray(given, self.axes, None if alone else self.batch, self.grid)

    def _dress(self, a: Array, lead: Tuple[Hashable, ...], name: Optional[str],
               labels: Optional[Dict[Hashable, List[str]]] = None) -> Any:
        dims = (*lead, *self.axes)
        sizes = dict(zip(dims, a.shape))
        coords = {k: c for k, c in self.coords.items() if k not in (labels or {}) and
                  all(sizes.get(d) == n for d, n in zip(c.dims, c.shape))}
        out = self.make(a, coords={**coords, **(labels or {})}, dims=dims, name=name,
                        attrs=dict(self.attrs))
        out.encoding.update(self.encoding)
        return out

    def _batch(self, a: Array, ndim: int) -> Tuple[Hashable, ...]:
        return () if a.ndim == ndim else ("problem" if self.batch is None else self.batch,)

    def times(self, T: Array, name: Optional[str] = "arrival_time") -> Any:
        return self._dress(T, self._batch(T, 2), name)

    def planes(self, a: Array, name: Optional[str] = None) -> Any:
        if a.ndim == 2:
            return self._dress(a, (), name)
        dim = self._dimension("G", "plane")
        return self._dress(a, (*self._batch(a, 3), dim), name,
                           self._labels("G", dim, list(PLANES[a.shape[-3]])))

    def vectors(self, v: Array, name: Optional[str] = None) -> Any:
        dim = self._dimension("b", "component")
        labels = self._labels("b", dim, ["x", "y"])
        if v.ndim < 2:
            return self.make(v, coords=labels if v.ndim else None, dims=(dim,) * v.ndim, name=name)
        return self._dress(v, (*self._batch(v, 3), dim), name, labels)

    def _first(self, kind: str) -> Any:
        """The first argument of a kind, or None."""
        return next((a for name, a in self.given.items() if kind_of(name) == kind), None)

    def _dimension(self, name: str, otherwise: str) -> Hashable:
        """Of the planes of G or b."""
        a = self._first(name)
        lead = [] if a is None else [d for d in a.dims if d not in (*self.axes, self.batch)]
        found: Hashable = lead[-1] if lead else otherwise
        return found

    def _labels(self, name: str, dim: Hashable, otherwise: List[str]
                ) -> Dict[Hashable, List[str]]:
        a = self._first(name)
        if a is not None and dim in a.dims:
            if dim not in a.coords:
                return {}
            if a.sizes[dim] == len(otherwise):
                return {dim: a.coords[dim].values}
        return {dim: otherwise}

    def metric(self, dG: Array) -> Any:
        return self._like("G", dG, self.planes)

    def admissible(self, G: Array) -> Any:
        out, given = self.metric(G), self._first("G")
        if given is not None:
            out.name, out.attrs = given.name, dict(given.attrs)
        return out

    def drift(self, db: Array) -> Any:
        return self._like("b", db, self.vectors)

    def free(self, d: Array) -> Any:
        dim = self._dimension("free", "plane")
        return self._like("free", d, lambda a: self._dress(a, (*self._batch(a, 3), dim), None))

    def _like(self, name: str, d: Array, otherwise: Any) -> Any:
        """In the user's order of dimensions."""
        a = self._first(name)
        out = otherwise(d)
        if a is None or d.ndim != a.ndim:
            return out
        return out.transpose(*a.dims) if out.dims != a.dims else out
