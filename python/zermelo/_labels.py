# SPDX-License-Identifier: Apache-2.0
"""Arrays with coordinates: xarray's DataArray, rasterio's datasets, masked arrays.

None of these packages is imported: what quacks like one is treated as one.
"""
from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np

from ._core import ArgumentError


class Raster(np.ndarray):
    """Arrival times on the grid of a rasterio dataset.

    ``profile`` has what ``rasterio.open`` needs to write them::

        with rasterio.open("T.tif", "w", **T.profile) as out:
            out.write(T, 1)
    """

    profile: dict

    def __array_finalize__(self, source: Any) -> None:
        self.profile = dict(getattr(source, "profile", {}))


class _Xarray:
    """Dresses results like a DataArray (H, W), (P, H, W) or (B, P, H, W)."""

    def __init__(self, array: Any):
        self.array = array
        planes = {array.dims[-3]: 0} if array.ndim > 2 else {}
        self.cells = array.isel(planes, drop=True)  # (H, W) or (B, H, W)

    def spacing(self) -> Tuple[float, float]:
        dy, dx = (self._step(name) for name in self.array.dims[-2:])
        return dy, dx

    def _step(self, name: str) -> float:
        if name not in self.array.coords or self.array.sizes[name] < 2:
            raise ArgumentError(f"dimension {name!r} has no coordinates; give spacing=(dy, dx)")
        steps = np.diff(np.asarray(self.array.coords[name], dtype=float))
        if not np.allclose(steps, steps[0], rtol=1e-4, atol=0):
            raise ArgumentError(f"coordinates of {name!r} are not evenly spaced; give "
                                "spacing=(dy, dx)")
        return abs(float(steps.mean()))

    def part(self, i: Union[int, slice]) -> "_Xarray":
        """Of problem i of a batch, or of some of them."""
        shared = self.array.ndim < 4 or self.array.shape[0] == 1
        if shared and (self.array.ndim < 4 or isinstance(i, slice)):
            return self
        return _Xarray(self.array[0 if shared else i])

    def times(self, T: np.ndarray, name: str = "arrival_time") -> Any:
        cells = self.cells
        if T.ndim < cells.ndim:  # through all time intervals
            cells = cells[0]
        if T.ndim == cells.ndim:
            out = cells.copy(data=T)
        else:  # the batch comes from sources or walls
            out = type(cells)(T, dims=("problem", *cells.dims), coords=cells.coords)
        out.name, out.attrs = name, {}
        return out

    def metric(self, dG: np.ndarray) -> Any:
        if dG.shape != self.array.shape:
            return dG
        out = self.array.copy(data=dG)
        out.name, out.attrs = None, {}
        return out


class _Dataset:
    """Dresses results as a Raster of the dataset's grid."""

    def __init__(self, dataset: Any):
        self.transform, self.crs = dataset.transform, dataset.crs
        self.height, self.width = dataset.height, dataset.width

    def spacing(self) -> Tuple[float, float]:
        if self.transform.b or self.transform.d:
            raise ArgumentError("the dataset's grid is rotated; give spacing=(dy, dx)")
        return abs(self.transform.e), abs(self.transform.a)

    def part(self, i: Union[int, slice]) -> "_Dataset":
        return self

    def times(self, T: np.ndarray) -> Raster:
        out = T.view(Raster)
        out.profile = {"driver": "GTiff", "height": self.height, "width": self.width,
                       "count": 1 if T.ndim == 2 else T.shape[0], "dtype": str(T.dtype),
                       "crs": self.crs, "transform": self.transform,
                       "nodata": float("inf") if T.dtype.kind == "f" else -1}
        return out

    def metric(self, dG: np.ndarray) -> np.ndarray:
        return dG


def undress(G: Any) -> Tuple[Any, Optional[Any], Optional[np.ndarray]]:
    """Plain values of a metric, what dresses results, and cells to be left out."""
    if type(G) is np.ndarray:
        return G, None, None
    if isinstance(G, np.ma.MaskedArray):
        return _unmask(G, None)
    if hasattr(G, "read") and hasattr(G, "transform"):  # an open rasterio dataset
        values = G.read(masked=True)
        if len(values) not in (1, 2, 3):
            raise ArgumentError(f"the dataset has {len(values)} bands, expected 1 (scalar), "
                                "2 (g11, g22) or 3 (g11, g12, g22)")
        return _unmask(values[0] if len(values) == 1 else values, _Dataset(G))
    if hasattr(G, "dims") and hasattr(G, "isel"):  # an xarray.DataArray
        return G.values, _Xarray(G), None
    return G, None, None


def _unmask(a: np.ma.MaskedArray, template: Any) -> Tuple[Any, Any, Optional[np.ndarray]]:
    if a.mask is np.ma.nomask:
        return a.data, template, None
    hidden = np.ma.getmaskarray(a)
    if a.ndim > 2:
        hidden = hidden.any(axis=-3)
    return a.data, template, np.ascontiguousarray(hidden)
