# SPDX-License-Identifier: Apache-2.0
"""Landscapes: from files, rasterio's datasets and xarray's objects."""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple, Union

import numpy as np

from .._core import ArgumentError, Error
from .._labels import gaps_of
from .._options import path_text
from .._types import Array
from ._native import assume, native
from .grid import Grid, Six, crs_wkt_of, dress, scene_facts, stored_transform, wkt_of

if TYPE_CHECKING:
    import rasterio
    import xarray

    from .grid import Map

Path = Union[str, "os.PathLike[str]"]
LandscapeLike = Union["Landscape", Path, "xarray.Dataset", "xarray.DataArray",
                      "rasterio.DatasetReader"]

LAYERS = ("elevation_m", "slope_deg", "aspect_deg", "fuel_model", "canopy_cover_pct",
          "canopy_height_m", "canopy_base_height_m", "canopy_bulk_density_kgm3")
UNITS = ("m", "degree", "degree", "1", "percent", "m", "m", "kg m-3")
UNKNOWN_LATITUDE = 45.0  # of the library
# What holds where a canopy has no such layer (zm_physics_create).
CANOPY = {"canopy_height_m": "15 m", "canopy_base_height_m": "4 m",
          "canopy_bulk_density_kgm3": "0.2 kg/m3"}


class Landscape:
    """Ground and fuels that fires run on.

    Parameters
    ----------
    source
        A path to landscape.tif or to what ``zermelo fire import`` takes (.lcp, LANDFIRE); an open
        rasterio dataset; an xarray.Dataset with a variable for each layer, or a DataArray whose
        dimension ``band`` has their names (``elevation_m``, ``slope_deg``, ``aspect_deg``,
        ``fuel_model``, ``canopy_cover_pct``, ``canopy_height_m``, ``canopy_base_height_m``,
        ``canopy_bulk_density_kgm3``), with coordinates x and y in metres.
    fuels : path, optional
        Custom fuel models, a FARSITE fuel line each.
    latitude, station_elevation : float, optional
        Degrees north, and metres where the weather was measured; else as the files or the
        coordinate system tell.

    What is missing is computed or taken as usual, which an `AssumedWarning` tells.  The values are
    copied: a landscape never changes.
    """

    def __init__(self, source: LandscapeLike, *, fuels: Optional[Path] = None,
                 latitude: Optional[float] = None, station_elevation: Optional[float] = None):
        if isinstance(source, Landscape):
            raise ArgumentError("source is a Landscape already")
        with tempfile.TemporaryDirectory(prefix="zermelo-") as folder:
            place = pathlib.Path(folder)
            try:
                report = native.import_landscape(_file_of(source, place), str(place / "scene"),
                                                 _text(fuels))
                facts = place / "scene" / "scene.json"
                if latitude is not None or station_elevation is not None:
                    facts.write_text(scene_facts(latitude, station_elevation,
                                                 facts.read_text("utf-8")), "utf-8")
                self._take(native.open_landscape(str(place / "scene" / "landscape.tif"),
                                                 str(facts)))
            except Error as error:
                raise _renamed(error, place) from None
        _tell(report)
        if not self.crs and latitude is None and self.latitude == UNKNOWN_LATITUDE:
            assume(f"no coordinate system: the latitude is taken as {UNKNOWN_LATITUDE:g} degrees")
        self._tell_canopy()

    def _take(self, ground: native.Ground) -> None:
        (rows, cols, self._cell, self._latitude, self._longitude, self._station, self._missing,
         wkt, transform, there) = ground.facts()
        self._ground, self._grid = ground, Grid(rows, cols, transform, wkt)
        self._layers = tuple(name for name, has in zip(LAYERS, there) if has)

    @classmethod
    def _of(cls, ground: native.Ground) -> "Landscape":
        """The landscape of a scene that is open."""
        self = cls.__new__(cls)
        self._take(ground)
        self._tell_canopy()
        return self

    def _at_station(self, elevation: float) -> "Landscape":
        """The same with the weather measured elsewhere."""
        moved = self.__class__.__new__(self.__class__)
        moved._take(self._ground.at_station(elevation))
        moved._missing = self._missing
        return moved

    def _tell_canopy(self) -> None:
        gone = [name for name in CANOPY if name not in self._layers]
        if gone and self["canopy_cover_pct"].max() > 0:
            assume("no " + ", ".join(f"{name}: taken as {CANOPY[name]}" for name in gone)
                   + ", where there is a canopy")

    @property
    def shape(self) -> Tuple[int, int]:
        """Rows and columns."""
        return self._grid.rows, self._grid.cols

    @property
    def grid(self) -> Grid:
        """Rows, columns, transform and coordinate system."""
        return self._grid

    @property
    def crs(self) -> str:
        """The coordinate system as well-known text; "" where it is not known."""
        return self._grid.wkt

    @property
    def cell(self) -> float:
        """Side of a cell, m."""
        return self._cell

    @property
    def latitude(self) -> float:
        """Degrees north, for the sun."""
        return self._latitude

    @property
    def longitude(self) -> float:
        """Degrees east; NaN where the coordinate system does not tell."""
        return self._longitude

    @property
    def station_elevation(self) -> float:
        """Metres: where the weather was measured."""
        return self._station

    @property
    def cells_without_data(self) -> int:
        """Cells in which nothing burns because a layer has no data there."""
        return self._missing

    @property
    def layers(self) -> Tuple[str, ...]:
        """Names of the layers there are."""
        return self._layers

    def __getitem__(self, layer: str) -> "Map":
        """A layer as a map."""
        if layer not in self._layers:
            raise KeyError(f"no layer {layer!r}; there are {', '.join(self._layers)}")
        k = LAYERS.index(layer)
        out = self._grid.plane()
        self._ground.layer(k, out)
        return dress(out, self._grid, layer, {"units": UNITS[k]})

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<Landscape of {rows} x {cols} cells of {self.cell:g} m>"


def _renamed(error: Error, place: pathlib.Path) -> Error:
    """The same, without names of files that nobody but us knows."""
    text = str(error)
    for name in "scene/landscape.tif", "given.tif":
        text = text.replace(str(place / name), "landscape")
    text = text.replace(str(place / "scene" / "scene.json"), "landscape")
    named = type(error)(text)
    named.cell = error.cell
    return named


def landscape_of(value: LandscapeLike, fuels: Optional[Path] = None) -> Landscape:
    """A Landscape as it is, or one of anything that it is made from."""
    if not isinstance(value, Landscape):
        return Landscape(value, fuels=fuels)
    if fuels is not None:
        raise ArgumentError("fuels belong to a landscape: Landscape(source, fuels=...)")
    return value


def _text(path: Optional[Path]) -> Optional[str]:
    return None if path is None else path_text("fuels", path)


def _tell(report: Tuple[int, int, int, int, int, int, int]) -> None:
    no_data, unknown, usual, slope, cover, utm_zone, percent = report
    texts = [(no_data, f"{no_data} cells have no data: taken as non-burnable"),
             (unknown, f"{unknown} cells have a fuel that is not known: taken as non-burnable; "
                       "fuels= takes custom fuels"),
             (usual, f"{usual} cells have fuel 19, 21 or 22: taken as FARSITE's Ashley and as the "
                     "Joint Research Centre have them; fuels= takes others"),
             (slope, "no slope and aspect: computed from the elevation"),
             (cover, "no canopy cover: taken as 0"),
             (utm_zone, "the landscape is in degrees: brought into metres of UTM zone "
                        f"{abs(utm_zone)}{'S' if utm_zone < 0 else 'N'}, nearest cell"),
             (percent, "the slope is in percent: brought to degrees")]
    for said, text in texts:
        if said:
            assume(text)


# ---- what a landscape is made from -----------------------------------------------------

def _file_of(source: object, folder: pathlib.Path) -> str:
    """A file with the layers: the one that was given, or one with the values that were."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if os.path.isdir(path):
            raise ArgumentError(f"{path} is a folder; Scene({path!r}) opens the scene in it")
        return path
    if hasattr(source, "data_vars") or hasattr(source, "dims"):
        values, names, transform, wkt = _of_labels(source)  # type: ignore[arg-type]
    elif hasattr(source, "read") and hasattr(source, "transform"):
        if getattr(source, "driver", "") == "LCP":  # whose bands tell their units to GDAL alone
            return str(getattr(source, "name"))
        values, names, transform, wkt = _of_dataset(source)
    else:
        raise TypeError(f"landscape is a {type(source).__name__}, expected a path, an open rasterio "
                        "dataset, or an xarray Dataset or DataArray")
    _tell_names(names)
    file = str(folder / "given.tif")
    _, rows, cols = values.shape
    native.write_raster(file, values, rows, cols, names, transform, wkt)
    return file


def _tell_names(names: Tuple[str, ...]) -> None:
    others = [name for name in names if name not in LAYERS]
    if others:
        assume(f"bands {', '.join(map(repr, others))}: read as LANDFIRE's products where they are "
               "called so, in its units (canopy in tenths of metres and hundredths of kg/m3), "
               "without names in its order, else passed over")


Bands = Tuple[Array, Tuple[str, ...], Six, str]


def _of_dataset(dataset: "rasterio.DatasetReader") -> Bands:
    values = dataset.read(masked=True).astype(np.float32).filled(np.nan)
    t = dataset.transform
    names = tuple(name or "" for name in dataset.descriptions)
    return (np.ascontiguousarray(values), names,
            (float(t.c), float(t.a), float(t.b), float(t.f), float(t.d), float(t.e)),
            wkt_of(dataset.crs))


def _of_labels(source: "Union[xarray.Dataset, xarray.DataArray]") -> Bands:
    if hasattr(source, "data_vars"):
        bands = _variables(source)  # type: ignore[arg-type]
    else:
        bands = _bands(source)  # type: ignore[arg-type]
    first = next(iter(bands.values()))
    y, x = _axes(first)
    bands = {name: _known(a).transpose(y, x).sortby(y, ascending=False).sortby(x)
             for name, a in bands.items()}
    first = next(iter(bands.values()))
    steps = [np.diff(np.asarray(first.coords[d], dtype=float)) for d in (x, y)]
    if any(s.size == 0 or not np.allclose(s, s[0], rtol=1e-4, atol=0) for s in steps):
        raise ArgumentError(f"landscape: coordinates {x!r} and {y!r} are not evenly spaced")
    for name, a in bands.items():
        for d in (x, y):
            if not np.array_equal(a.coords[d], first.coords[d]):
                raise ArgumentError(f"landscape: {name!r} has other coordinates {d!r} than the "
                                    "other layers")
    dx, dy = (float(s.mean()) for s in steps)
    computed = (float(first.coords[x][0]) - dx / 2, dx, 0.0,
                float(first.coords[y][0]) - dy / 2, 0.0, dy)
    values = np.stack([np.asarray(a.values, dtype=np.float32) for a in bands.values()])
    return (np.ascontiguousarray(values), tuple(bands), stored_transform(first, computed),
            crs_wkt_of(source) or crs_wkt_of(first))


def _known(a: "xarray.DataArray") -> "xarray.DataArray":
    """NaN where the number stands that its attributes give for no data."""
    gaps = gaps_of(a)
    return a if gaps is None else a.where(~gaps)


def _axes(a: "xarray.DataArray") -> Tuple[str, str]:
    for y, x in (("y", "x"), ("northing", "easting")):
        if y in a.dims and x in a.dims:
            return y, x
    if "lat" in a.dims or "latitude" in a.dims:
        raise ArgumentError("landscape is in degrees (latitude and longitude); bring it into metres "
                            "first, e.g. with .rio.reproject('EPSG:32629')")
    raise ArgumentError(f"landscape has dimensions {tuple(a.dims)}, expected y and x with "
                        "coordinates in metres")


def _variables(source: "xarray.Dataset") -> Dict[str, "xarray.DataArray"]:
    layers = {str(name): a.squeeze(drop=True) for name, a in source.data_vars.items()
              if a.ndim >= 2}
    for name, a in layers.items():
        if a.ndim != 2:
            raise ArgumentError(f"landscape: {name!r} has dimensions {tuple(a.dims)}, expected two")
    if not layers:
        raise ArgumentError("landscape is a Dataset without layers")
    return layers


def _bands(source: "xarray.DataArray") -> Dict[str, "xarray.DataArray"]:
    if "band" not in source.dims:
        raise ArgumentError(f"landscape is a DataArray with dimensions {tuple(source.dims)}, "
                            "expected (band, y, x)")
    names = _band_names(source)
    if len(set(names)) < len(names):
        raise ArgumentError(f"landscape: two bands have the same name, of {names}")
    return {name: source.isel(band=k, drop=True) for k, name in enumerate(names)}


def _band_names(source: "xarray.DataArray") -> List[str]:
    """Names of bands: their coordinates, or what rioxarray calls long_name; else none."""
    n = source.sizes["band"]
    if "band" in source.coords and source.coords["band"].dtype.kind in "UO":
        return [str(name) for name in source.coords["band"].values]
    told = source.attrs.get("long_name")
    if isinstance(told, (tuple, list)) and len(told) == n:
        return [str(name) for name in told]
    raise ArgumentError("landscape: the bands have no names; give them as the coordinates of the "
                        f"dimension 'band': {', '.join(LAYERS[:5])}, ...")
