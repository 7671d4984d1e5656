# SPDX-License-Identifier: Apache-2.0
"""What the functions of zermelo.plot share: axes with the chart they show, colours, grounds."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional, Tuple, Union, get_args

import numpy as np

from . import _core
from ._arrays import choice
from ._core import ArgumentError
from ._chart import Chart, PageSpacing, chart_of, need, plain_chart
from ._types import Array, ArrayLike, Cells

try:
    import matplotlib
    from matplotlib.colors import ListedColormap
except ImportError:
    raise need("matplotlib", "zermelo.plot") from None

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

    from ._solve import Solution

MapName = Literal["sea", "ember", "sand", "diverging", "cyclic"]
Color = Union[str, Tuple[float, ...]]
Field = Union[ArrayLike, "Solution"]

# The colours of the figures of the tool, src/plot/canvas.c.
INK, SOFT_INK, MISSING, WALL = "#22262c", "#4a5058", "#c8ccd1", "#3b4048"
LIGHT, DARK = (1.0, 1.0, 1.0, 0.9), (0.082, 0.094, 0.114, 0.87)
MARK = "#e4572e"  # seen on every colour of the maps


def colormap(name: MapName) -> "Colormap":
    """A colour map of the figures: even steps in Oklab, told apart by colour-blind readers too.

    'sea' for arrival times, 'sand' for a quiet ground, 'ember' for magnitudes over decades,
    'diverging' for differences and derivatives, 'cyclic' for angles.

    >>> import zermelo.plot
    >>> zermelo.plot.colormap("sea").N
    257
    """
    which = choice("cmap", name, get_args(MapName))
    colors = np.frombuffer(_core.colors(which, 257)).reshape(-1, 3)
    found: "Colormap" = ListedColormap(colors, name=f"zermelo-{name}")
    found.set_bad(MISSING)
    return found


def map_of(cmap: "Union[str, Colormap]") -> "Colormap":
    """One of ours by its name, or whatever matplotlib takes."""
    if isinstance(cmap, str) and cmap in get_args(MapName):
        return colormap(cmap)  # type: ignore[arg-type]
    found = (matplotlib.colormaps[cmap] if isinstance(cmap, str) else cmap).copy()
    found.set_bad(MISSING)
    return found


def masked(a: Array) -> Array:
    """Without what is not finite."""
    out: Array = np.ma.MaskedArray(a, mask=~np.isfinite(a))  # type: ignore[no-untyped-call]
    return out


# ---- axes ----------------------------------------------------------------------------

class Page:
    """Axes, the chart of what they show, and the field at the bottom."""

    def __init__(self, ax: "Axes", chart: Chart):
        self.ax, self.chart = ax, chart
        self.image: "Optional[AxesImage]" = None
        self.bar: "Optional[Colorbar]" = None
        self.values: Optional[Array] = None

    def is_dark(self, row: Array, col: Array) -> Array:
        """Whether what lies below places is dark."""
        if self.image is None or self.values is None:
            return np.zeros(np.shape(row), bool)
        h, w = self.values.shape
        at = (np.clip(np.rint(row), 0, h - 1).astype(int),
              np.clip(np.rint(col), 0, w - 1).astype(int))
        return dark(self.image.cmap(self.image.norm(masked(self.values[at]))))


def dark(rgba: Array) -> Array:
    """Of colours (..., 4): by their lightness, that of Oklab nearly."""
    rgb = np.asarray(rgba)[..., :3]
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    out: Array = np.cbrt(linear @ (0.2126, 0.7152, 0.0722)) < 0.62
    return out


def page_of(ax: "Optional[Axes]", value: Any, cells: Optional[Cells], spacing: PageSpacing
            ) -> Page:
    """The axes to draw on, the current ones for None, as the page of a field of these cells.

    What brings no coordinates takes those of the field that the axes show already, where it has
    as many cells or is a list of places (cells None).
    """
    if ax is None:
        import matplotlib.pyplot as plt
        ax = plt.gca()
    old: Optional[Page] = getattr(ax, "_zermelo_page", None) if ax.has_data() else None
    shape = cells or (old.chart.cells if old else (1, 1))
    chart = None if value is None else chart_of(value, shape, spacing)
    if chart is None and spacing is not None:
        chart = plain_chart(shape, spacing)
    if chart is None and old and cells in (None, old.chart.cells):
        chart = old.chart
    if chart is None:
        chart = plain_chart(shape)
    if chart.affine is not None:
        raise ArgumentError("the grid is rotated on its map: draw its isochrones as polygons, "
                            "isochrones(T, ...).geodataframe().plot(), or its plain values, "
                            "numpy.asarray(T)")
    page = old if old and old.chart.cells == chart.cells else Page(ax, chart)
    page.chart = chart
    ax._zermelo_page = page  # the axes own it: both go at once
    _lay_out(page, new=old is None, places=cells is None)
    return page


def _lay_out(page: Page, new: bool, places: bool) -> None:
    """The same scale along both axes, y as the chart has it, and labels where there are none."""
    ax, chart = page.ax, page.chart
    ax.set_aspect(float(np.mean(chart.stretch())))
    if ax.yaxis_inverted() != chart.down:
        ax.invert_yaxis()
    if new:
        ax.set_axisbelow(True)
        for spine in ax.spines.values():
            spine.set_edgecolor(SOFT_INK)
        ax.tick_params(color=SOFT_INK, labelcolor=INK)
    for get, put, axis in ((ax.get_xlabel, ax.set_xlabel, chart.x),
                           (ax.get_ylabel, ax.set_ylabel, chart.y)):
        if not get() and not places:
            put(axis.label, color=INK)


def fit(page: Page) -> None:
    """The limits of the grid, whatever reaches beyond."""
    left, right, bottom, top = page.chart.extent()
    page.ax.set_xlim(min(left, right), max(left, right))
    low, high = min(bottom, top), max(bottom, top)
    page.ax.set_ylim((high, low) if page.chart.down else (low, high))


def spread(n: int, stride: int) -> Array:
    """Every so many cells, as far from one border as from the other."""
    return np.arange((n - 1) % stride // 2, n, stride)
