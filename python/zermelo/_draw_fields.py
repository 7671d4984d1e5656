# SPDX-License-Identifier: Apache-2.0
"""Pictures of fields: colours, obstacles, isochrones."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._core import ArgumentError
from ._chart import PageSpacing, one_of_batch, values_of
from ._isochrones import Levels, levels_of
from ._labels import axes_of, is_xarray
from ._page import (DARK, LIGHT, WALL, Color, Field, MapName, Page, dark, fit, map_of, masked,
                    page_of)
from ._types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.contour import QuadContourSet
    from matplotlib.image import AxesImage


def field(values: Field, *, ax: "Optional[Axes]" = None, item: Optional[int] = None,
          spacing: PageSpacing = None, cmap: "Union[MapName, str, Colormap]" = "sand",
          vmin: Optional[float] = None, vmax: Optional[float] = None, colorbar: bool = True,
          label: Optional[str] = None) -> "AxesImage":
    """Any field as colours, such as a cost; cells without a finite value are grey."""
    a, value = one_of_batch(values_of(values, "values"), values, 2, item, "values")
    page = page_of(ax, value, a.shape, spacing)
    return _image(page, a, value, cmap, vmin, vmax, colorbar, label)


def _image(page: Page, a: Array, value: Any, cmap: "Union[str, Colormap]",
           vmin: Optional[float], vmax: Optional[float], colorbar: bool, label: Optional[str],
           default_label: str = "") -> "AxesImage":
    chart, ax = page.chart, page.ax
    if not (chart.x.even and chart.y.even):
        raise ArgumentError("the coordinates are not evenly spaced: an image has cells of one "
                            "size; draw isochrones, or interpolate the field first")
    there = a[np.isfinite(a)]
    low = (float(there.min()) if len(there) else 0.0) if vmin is None else vmin
    high = (float(there.max()) if len(there) else 1.0) if vmax is None else vmax
    image = ax.imshow(masked(a), cmap=map_of(cmap), vmin=low, vmax=high,
                      extent=chart.extent(), origin="upper", aspect=ax.get_aspect(),
                      interpolation="nearest", zorder=0)
    page.image, page.values = image, a
    fit(page)
    if colorbar:
        beyond = (bool((there < low).any()), bool((there > high).any()))
        extend = {(False, False): "neither", (True, False): "min", (False, True): "max",
                  (True, True): "both"}[beyond]
        if page.bar is not None:  # of the field that is covered now
            page.bar.remove()
        beside = ax.inset_axes([1.02, 0.0, 0.025, 1.0])
        bar = page.bar = ax.figure.colorbar(image, cax=beside, extend=extend)
        bar.set_label(_label_of(value, default_label) if label is None else label)
        bar.outline.set_linewidth(0.6)
    return image


def _label_of(value: Any, default: str) -> str:
    """The name and the unit that an xarray object brings."""
    value = getattr(value, "T", value) if hasattr(value, "_setup") else value
    if not is_xarray(value):
        return default
    name = value.attrs.get("long_name") or default or value.name or ""
    units = value.attrs.get("units")
    return f"{name} [{units}]" if units else str(name)


def arrival(T: Field, *, ax: "Optional[Axes]" = None, item: Optional[int] = None,
            spacing: PageSpacing = None, cmap: "Union[MapName, str, Colormap]" = "sea",
            vmin: Optional[float] = None, vmax: Optional[float] = None, colorbar: bool = True,
            label: Optional[str] = None) -> "AxesImage":
    """Arrival times as colours; cells that are not reached are grey."""
    a, value = one_of_batch(values_of(T, "T"), T, 2, item, "T")
    page = page_of(ax, value, a.shape, spacing)
    return _image(page, a, value, cmap, vmin, vmax, colorbar, label, "arrival time $T$")


def sensitivity(d: Field, *, ax: "Optional[Axes]" = None, item: Optional[int] = None,
                plane: Optional[int] = None, spacing: PageSpacing = None,
                cmap: "Union[MapName, str, Colormap]" = "diverging",
                vmax: Optional[float] = None, clip: float = 0.01, colorbar: bool = True,
                label: Optional[str] = None) -> "AxesImage":
    """A derivative as colours, the middle of the map being 0.

    ``plane`` chooses one of those of a metric or a drift, (P, H, W).  ``clip`` leaves so large a
    share of the largest magnitudes out of the range, unless ``vmax`` gives it.
    """
    value: Any = d
    a = values_of(d, "d")
    if not 0 <= clip < 1:
        raise ArgumentError(f"clip is {clip}, expected a share of at least 0 and below 1")
    if a.ndim == 4 or (a.ndim == 3 and item is not None and plane is None):
        a, value = one_of_batch(a, value, a.ndim - 1, item, "d")
    if a.ndim == 3:
        n = len(a)
        if plane is None and n > 1:
            raise ArgumentError(f"d has {n} planes: say which, plane=0 to {n - 1}")
        if not -n <= (plane or 0) < n:
            raise IndexError(f"plane is {plane}, expected one of the {n} of d")
        if is_xarray(value):
            axes = axes_of("d", value)
            value = value.isel({next(d for d in value.dims if d not in axes): plane or 0})
        a = a[plane or 0]
    elif a.ndim == 2 and plane not in (None, 0, -1):
        raise IndexError(f"plane is {plane}, but d of shape {a.shape} has one")
    a, value = one_of_batch(a, value, 2, None, "d")
    size = np.sort(np.abs(a[np.isfinite(a)]))
    if vmax is None:
        vmax = float(size[int((1 - clip) * (len(size) - 1))]) if len(size) else 0.0
        vmax = vmax or (float(size[-1]) if len(size) else 0.0) or 1.0
    page = page_of(ax, value, a.shape, spacing)
    return _image(page, a, value, cmap, -vmax, vmax, colorbar, label, "sensitivity")


def obstacles(walls: Field, *, ax: "Optional[Axes]" = None, item: Optional[int] = None,
              spacing: PageSpacing = None, color: Color = WALL, label: str = "obstacles"
              ) -> "AxesImage":
    """Cells that nothing enters, opaque."""
    from matplotlib.colors import to_rgba

    a, value = one_of_batch(values_of(walls, "walls"), walls, 2, item, "walls")
    page = page_of(ax, value, a.shape, spacing)
    rgba = np.zeros((*a.shape, 4))
    rgba[a != 0] = to_rgba(color)
    image = page.ax.imshow(rgba, extent=page.chart.extent(), origin="upper",
                           aspect=page.ax.get_aspect(), interpolation="nearest", zorder=1.5,
                           label=label)
    fit(page)
    return image


def isochrones(T: Field, levels: Levels = 10, *, ax: "Optional[Axes]" = None,
               item: Optional[int] = None, spacing: PageSpacing = None,
               color: Optional[Color] = None, linewidth: float = 0.9, labels: bool = True
               ) -> "QuadContourSet":
    """Lines of equal arrival time, at round ones or given ones, with their numbers.

    They end at cells that are not reached; `zermelo.isochrones` has closed polygons.  Without a
    ``color`` they are dark or light, against the field below.
    """
    a, value = one_of_batch(values_of(T, "T"), T, 2, item, "T")
    page = page_of(ax, value, a.shape, spacing)
    at = np.unique(levels_of(a, levels))
    there = a[np.isfinite(a)]
    at = at[(at >= there.min()) & (at <= there.max())] if len(there) else at[:0]
    if not len(at) or min(a.shape) < 2:
        raise ArgumentError("there is no isochrone to draw: T of shape "
                            f"{a.shape} has no finite time at a level, or fewer than two rows or "
                            "columns")
    colors: Any = color
    if color is None:
        colors = [DARK] * len(at)
        if page.image is not None:
            below = dark(page.image.cmap(page.image.norm(at)))
            colors = [LIGHT if one else DARK for one in below]
    chart = page.chart
    with np.errstate(invalid="ignore"):
        lines = page.ax.contour(chart.x.at, chart.y.at, masked(a), levels=at,
                                colors=colors, linewidths=linewidth, zorder=2)
    if labels:
        page.ax.clabel(lines, fmt="%g", fontsize="small", inline_spacing=3)
    fit(page)
    return lines
