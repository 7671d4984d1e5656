# SPDX-License-Identifier: Apache-2.0
"""Pictures of fronts with matplotlib.

>>> import matplotlib; matplotlib.use("agg")
>>> import numpy as np, zermelo, zermelo.plot
>>> s = zermelo.solve(np.ones((60, 80)), (0.3, 0.0), (30, 30), solution=True)
>>> picture = zermelo.plot.solution(s)           # or s.plot()
>>> image = zermelo.plot.arrival(s.T)            # the same piece by piece
>>> lines = zermelo.plot.isochrones(s.T, [10, 20, 30])
>>> ways = zermelo.plot.paths(s.paths([(5, 70), (55, 5)]))

Every function draws on ``ax``, the current axes for None, and returns what it drew.  Fields are
arrays, tensors, ``xarray.DataArray``, `zermelo.Raster` or `zermelo.Solution`; of a batch ``item``
chooses one.  Those with coordinates are drawn on their map, y upwards; others with x = col dx and
y = row dy from ``spacing``, row 0 on top.  What brings no coordinates, such as paths, sources or
plain arrays of as many cells, takes those of the field that the axes show already.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Union

import numpy as np

from ._draw_fields import arrival, field, isochrones, obstacles, sensitivity
from ._draw_places import paths, sources
from ._draw_vectors import DriftKind, Ellipses, drift, ellipses
from ._chart import values_of
from ._isochrones import Levels
from ._page import DARK, MARK, WALL, MapName, colormap
from ._types import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.colors import Colormap
    from matplotlib.contour import QuadContourSet
    from matplotlib.image import AxesImage
    from matplotlib.quiver import Quiver
    from matplotlib.streamplot import StreamplotSet

    from ._solve import Solution

__all__ = ["Ellipses", "Picture", "arrival", "colormap", "drift", "ellipses", "field", "isochrones",
           "obstacles", "paths", "sensitivity", "solution", "sources"]


class Picture(NamedTuple):
    """What `solution` drew; None for what there is not."""

    image: "AxesImage"
    isochrones: "Optional[QuadContourSet]"
    obstacles: "Optional[AxesImage]"
    drift: "Union[Quiver, StreamplotSet, None]"
    sources: "PathCollection"
    paths: "Optional[LineCollection]"

    @property
    def ax(self) -> "Axes":
        return self.image.axes


def solution(s: "Solution[Any]", *, ax: "Optional[Axes]" = None, item: Optional[int] = None,
             levels: Levels = 10, to: Optional[ArrayLike] = None, drift_kind: DriftKind = "arrows",
             cmap: "Union[MapName, str, Colormap]" = "sea", colorbar: bool = True,
             legend: bool = True) -> Picture:
    """A solution as the tool draws it: times, isochrones, obstacles, drift and sources, and the
    paths ``to`` points (n, 2) if wanted."""
    setup = s._setup
    which = s._item(item)
    part = which if setup.batch is not None else None
    image = arrival(s, ax=ax, item=part, cmap=cmap, colorbar=colorbar)
    ax = image.axes
    times = values_of(s, "T")
    times = times if part is None else times[part]
    walls = setup.walls
    if walls is not None and walls.ndim == 3:
        walls = walls[which if len(walls) > 1 else 0]
    there = bool(np.isfinite(times).any()) and min(times.shape) > 1
    drawn_walls = None if walls is None else obstacles(walls, ax=ax)
    b = None if setup.b is None or setup.starts is not None else setup.b
    if b is not None and b.ndim == 4:
        b = b[which if len(b) > 1 else 0]
    if b is not None and setup.globe is not None:  # of the grid: back to that of the ground
        b = np.stack([b[0] / setup.globe.scale, b[1]])
    arrows = None if b is None else drift(b, ax=ax, kind=drift_kind, walls=walls)
    lines = isochrones(times, levels, ax=ax) if there else None
    ways = None if to is None else paths(s.paths(to, item=part), ax=ax)
    stars = sources(setup.sources_for(which), ax=ax)
    if legend:
        _legend(ax, drawn_walls is not None, b is not None, ways is not None, stars.get_label())
    return Picture(image, lines, drawn_walls, arrows, stars, ways)


def _legend(ax: "Axes", walls: bool, arrows: bool, ways: bool, stars: str) -> None:
    """Below the field, as the tool has it."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ink = DARK[:3]
    entries: List[Any] = [Line2D([], [], color=ink, linewidth=0.9, label="isochrones")]
    if walls:
        entries.append(Patch(color=WALL, label="obstacles"))
    if arrows:
        entries.append(Line2D([], [], color=ink, marker=r"$\rightarrow$", linestyle="",
                              markersize=16, markeredgewidth=0, label="drift $b$"))
    if ways:
        entries.append(Line2D([], [], color=MARK, linewidth=1.8, label="paths"))
    entries.append(Line2D([], [], color=MARK, marker="*", linestyle="", markersize=11,
                          markeredgecolor="white", label=stars))
    ax.legend(handles=entries, loc="upper center", bbox_to_anchor=(0.5, -0.11), frameon=False,
              ncol=len(entries), fontsize="small", columnspacing=1.4, handletextpad=0.5)
