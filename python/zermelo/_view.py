# SPDX-License-Identifier: Apache-2.0
"""Pages: one HTML file that shows results and solves again by itself."""
from __future__ import annotations

import html
import os
from typing import (TYPE_CHECKING, Any, Dict, Iterable, List, Literal, Mapping, NamedTuple, Optional,
                    Tuple, Union, get_args)

import numpy as np

from . import _core
from ._arrays import F32, choice, spacing_of
from ._chart import Chart, chart_of, values_of
from ._core import ArgumentError, UnsupportedError
from ._invert import Inversion
from ._options import at_least_0, latest, whole
from ._setup import FACTOR_BY_ORDER, PERIODIC, STENCILS, Periodic, Setup, StencilKind
from ._solve import Solution
from ._types import Array, ArrayLike, Cells, Spacing

if TYPE_CHECKING:
    from .fire import Ensemble

ColorMap = Literal["viridis", "magma", "cividis", "fire"]
Viewed = Union[ArrayLike, "Solution[Any]", Inversion, "Ensemble"]
Named = Union[ArrayLike, Mapping[str, ArrayLike], None]
TIMES, PROBABILITY, METRIC, DRIFT, OBSTACLES, MAP, SIGNED = 0, 2, 3, 4, 5, 6, 7
PACKAGES = "zlib1g-dev clang lld wasi-libc libclang-rt-dev-wasm32 esbuild"
HISTORY = ("iteration", "stage", "solves", "chi2", "misfit", "lam", "eps", "objective", "step")
Field = Tuple[Any, ...]
"""role, type, planes, name, label, unit"""


class View:
    """A page.  It shows itself at the end of a cell of a notebook; `save` writes it to a file, which
    opens in any browser, without a network."""

    def __init__(self, page: bytes, title: str):
        self._page, self._title = page, title

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page; the file is replaced at once, or left as it was."""
        _core.page_save(path, self._page)

    @property
    def html(self) -> str:
        """The page itself."""
        return self._page.decode("utf-8")

    def __bytes__(self) -> bytes:
        return self._page

    def __len__(self) -> int:
        return len(self._page)

    def __repr__(self) -> str:
        return f"<zermelo.View {self._title!r}, {len(self._page) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which can neither reach the notebook nor a network."""
        return ('<iframe sandbox="allow-scripts allow-downloads" title="zermelo" '
                'style="width: 100%; height: 640px; border: 0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')


class _Place(NamedTuple):
    """Where the grid is: what the first input with coordinates tells."""

    chart: Chart
    wkt: str

    @property
    def transform(self) -> Tuple[float, ...]:
        c = self.chart
        if c.affine is not None:
            a, b, x, d, e, y = c.affine
            return x, a, b, y, d, e
        dx, dy = c.x.step, c.y.step
        return (float(c.x.at[0]) - dx / 2, dx, 0.0, float(c.y.at[0]) - dy / 2, 0.0, dy)

    def told(self, cells: Cells) -> Tuple[Any, ...]:
        crs, epsg, north, rows, cols = None, 0, float("nan"), 0, 0
        lon: Optional[Array] = None
        lat: Optional[Array] = None
        if self.wkt:
            try:
                from .fire._native import native
            except ImportError:  # built without GDAL: no north arrow
                pass
            else:
                crs, epsg, north, rows, cols, *points = native.describe(
                    cells[0], cells[1], self.transform, self.wkt)
                lon, lat = (np.frombuffer(one) for one in points)
        return (crs, epsg, self.wkt or None, self.transform, north, rows, cols, lon, lat)


class _Page:
    """A page under construction."""

    def __init__(self) -> None:
        self.cells: Optional[Cells] = None
        self.first = ""
        self.fields: List[Field] = []
        self.tables: List[Tuple[Any, ...]] = []
        self.setup: Optional[Setup] = None
        self.scheme: Tuple[Any, ...] = ()
        self.place: Optional[_Place] = None
        self.unit: Optional[str] = None

    def fit(self, cells: Cells, name: str) -> None:
        if self.cells is None:
            self.cells, self.first = cells, name
        elif cells != self.cells:
            raise ArgumentError(f"{name} has {cells[0]} x {cells[1]} cells, {self.first} has "
                                f"{self.cells[0]} x {self.cells[1]}, expected one grid: make a page for "
                                "each")

    def add(self, role: int, value: Any, name: str, unit: Optional[str] = None) -> None:
        """Planes of an array, a field each."""
        a = values_of(value, name)
        if a.ndim not in (2, 3) or not a.size:
            raise ArgumentError(f"{name} has shape {a.shape}, expected (H, W) or several of them, "
                                "(n, H, W)")
        cells = (a.shape[-2], a.shape[-1])
        self.fit(cells, name)
        self._locate(value, cells)
        if a.dtype.kind == "b":
            a = a.view(np.uint8)
        kind = 3 if a.dtype == np.uint8 else 1 if a.dtype == F32 else 0
        for k, plane in enumerate(a if a.ndim == 3 else a[None]):
            label = f"{name} [{k}]" if a.ndim == 3 else name
            self.fields.append((role, kind, (np.ascontiguousarray(plane),), name, label, unit))

    def _locate(self, value: Any, cells: Cells) -> None:
        if self.place is not None or isinstance(value, Solution) and not hasattr(value.T, "coords"):
            return
        chart = chart_of(value.T if isinstance(value, Solution) else value, cells, None)
        if chart is None or not (chart.x.even and chart.y.even):
            return
        crs: Any = chart.crs
        to_wkt = getattr(crs, "to_wkt", None)
        text = to_wkt() if to_wkt is not None else crs
        self.place = _Place(chart, text if isinstance(text, str) and "[" in text else "")

    def solve_with(self, setup: Setup, scheme: Tuple[Any, ...]) -> None:
        """Metric, drift and obstacles of a problem."""
        if self.setup is not None:
            raise ArgumentError("two metrics, expected one: make a page for each")
        if setup.sets is not None:
            raise ArgumentError("a metric of several problems or time intervals, expected that of one: "
                                "solution[i], or the times alone")
        self.fit(setup.cells, "G")
        self.setup, self.scheme = setup, scheme
        kind = 1 if setup.single else 0
        g = setup.g if setup.g.ndim == 3 else setup.g[None]
        planes = (g[0], np.zeros_like(g[0]), g[1]) if len(g) == 2 else tuple(g)
        self.fields.append((METRIC, kind, tuple(map(np.ascontiguousarray, planes)), "G", "G", None))
        if setup.b is not None:
            self.fields.append((DRIFT, kind, tuple(map(np.ascontiguousarray, setup.b)), "b", "b", None))
        if setup.walls is not None:
            walls = np.ascontiguousarray(setup.walls).view(np.uint8)
            self.fields.append((OBSTACLES, 3, (walls,), "walls", "walls", None))

    def spacing(self, given: Optional[Spacing]) -> Tuple[float, float]:
        """(dy, dx)"""
        if self.setup is not None:
            dy, dx = self.setup.spacing
            return dy, dx
        if self.place is not None and given is None:
            t = self.place.transform
            return float(np.hypot(t[2], t[5])), float(np.hypot(t[1], t[4]))
        return spacing_of(given)

    def length(self) -> Optional[str]:
        if self.place is None or self.setup is not None and self.setup.globe is not None:
            return None
        return "°" if self.place.chart.geographic else "m" if self.place.wkt else None


def _unit_of(value: Any) -> Optional[str]:
    unit = getattr(value, "attrs", {}).get("units") if hasattr(value, "attrs") else None
    return unit if isinstance(unit, str) and unit not in ("1", "") else None


def _items(given: Named, name: str) -> Iterable[Tuple[str, Any]]:
    if given is None:
        return ()
    return given.items() if isinstance(given, Mapping) else ((name, given),)


def _add_input(page: _Page, value: Any, name: str) -> None:
    if isinstance(value, Solution):
        if value._setup.batch is not None:
            raise ArgumentError(f"{name} has {len(value)} problems, expected one: {name}[i]")
        page.add(TIMES, value, name)
        if value._setup.starts is None:
            t_max, _, stencils, order, factor, periodic = value._options[:6]
            page.solve_with(value._setup, (stencils, order, factor, periodic, t_max))
    elif isinstance(value, Inversion):
        if value.G is not None:
            page.add(MAP, value.G, "G found")
        if value.b is not None:
            page.add(SIGNED, value.b, "b found")
        h = value.history
        table = np.stack([h[column].astype(float) for column in HISTORY], axis=1)
        page.tables.append(("iterations", HISTORY, np.ascontiguousarray(table), len(h)))
    elif hasattr(value, "probability") and hasattr(value, "quantiles"):
        page.add(PROBABILITY, value.probability, "probability")
        page.add(TIMES, value.quantiles, "quantiles", "h")
        page.unit = page.unit or "h"
    else:
        found = getattr(value, "name", None)
        unit = _unit_of(value)
        page.add(TIMES, value, found if isinstance(found, str) and found else name, unit)
        page.unit = page.unit or unit


def view(*inputs: Viewed, G: Optional[ArrayLike] = None, b: Optional[ArrayLike] = None,
         sources: Optional[ArrayLike] = None, walls: Optional[ArrayLike] = None, spacing: Optional[Spacing] = None,
         maps: Named = None, gradients: Named = None, stencils: StencilKind = "adaptive", order: int = 1,
         factor: Optional[float] = None, periodic: Periodic = "", t_max: Optional[float] = None,
         title: Optional[str] = None, unit_time: Optional[str] = None,
         unit_length: Optional[str] = None, colormap: Optional[ColorMap] = None,
         limit: Optional[int] = None) -> View:
    """A page that shows results in a browser and solves again by itself.

    One HTML file without a server or a network, as of ``zermelo view``; it shows itself in a
    notebook.

    Parameters
    ----------
    inputs
        Arrival times: arrays (H, W), NumPy's, of torch, of xarray, rasters, or several, (n, H, W);
        a `Solution`, which brings metric, drift, obstacles and sources with it; an `Inversion`,
        with its history; maps and an `Ensemble` of `zermelo.fire`.
    G, b, sources, walls, spacing, stencils, order, factor, periodic, t_max
        What the page solves with, as of `solve`.
    maps, gradients : array, or arrays by name, optional
        Other maps; those of gradients have colours about zero.
    title : str, optional
    unit_time, unit_length : str, optional
        As they are shown.  Where not given those of the maps.
    colormap : 'viridis', 'magma', 'cividis' or 'fire', optional
    limit : bytes, optional
        Larger pages are refused; 256 MiB.

    Returns
    -------
    View
        With ``save(path)``.

    >>> import numpy as np, zermelo
    >>> s = zermelo.solve(np.ones((40, 60)), (0.3, 0.0), [(20, 30)], solution=True)
    >>> page = zermelo.view(s, title="A windy plain")      # doctest: +SKIP
    >>> page.save("page.html")                             # doctest: +SKIP
    """
    if not hasattr(_core, "page"):
        raise UnsupportedError("zermelo.view is not in this installation: it was built without what "
                               f"makes pages. Install it (Debian: apt install {PACKAGES}), then zermelo "
                               "again: pip install --force-reinstall --no-deps .")
    page = _Page()
    for k, value in enumerate(inputs):
        _add_input(page, value, "T" if len(inputs) == 1 else f"T{k + 1}")
    for name, value in _items(maps, "map"):
        page.add(MAP, value, name, _unit_of(value))
    for name, value in _items(gradients, "gradient"):
        page.add(SIGNED, value, name, _unit_of(value))
    if G is not None:
        if sources is None:
            raise ArgumentError("G needs sources, expected at least one (row, col)")
        page.solve_with(Setup(G, b, sources, spacing, walls), (stencils, order, factor, periodic, t_max))
    elif any(value is not None for value in (b, sources, walls)):
        raise ArgumentError("b, sources and walls go with a metric, expected G too")
    if page.cells is None:
        raise ArgumentError("nothing to view, expected times, a Solution or a metric")
    return _finish(page, spacing, title, unit_time, unit_length, colormap, limit)


def _solve_of(page: _Page) -> Optional[Tuple[Any, ...]]:
    if page.setup is None:
        return None
    stencils, order, factor, periodic, t_max = page.scheme
    (sources,) = page.setup.sources if isinstance(page.setup.sources, tuple) else (page.setup.sources,)
    sources = np.ascontiguousarray(sources, dtype=np.float64)
    return (sources, len(sources), page.setup.single, choice("stencils", stencils, STENCILS) == 1,
            whole("order", order, "1, 2 or 3", 1, 3),
            FACTOR_BY_ORDER if factor is None else at_least_0("factor", factor),
            choice("periodic", periodic, PERIODIC), np.inf if t_max is None else latest(t_max))


def _finish(page: _Page, spacing: Optional[Spacing], title: Optional[str],
            unit_time: Optional[str], unit_length: Optional[str], colormap: Optional[str],
            limit: Optional[int]) -> View:
    assert page.cells is not None
    if colormap is not None:
        choice("colormap", colormap, get_args(ColorMap))
    dy, dx = page.spacing(spacing)
    most = 0 if limit is None else whole("limit", limit, "bytes above 0", 1)
    head = (page.cells[0], page.cells[1], float(dx), float(dy), title or "",
            unit_time if unit_time is not None else page.unit,
            unit_length if unit_length is not None else page.length(), colormap, None, most)
    place = page.place.told(page.cells) if page.place is not None else None
    made = _core.page(head, page.fields, place, page.tables, _solve_of(page))
    return View(made, title or "zermelo")


__all__ = ["View", "view"]
